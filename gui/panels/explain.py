"""The explanation panel: why the selected node has its data and its gradient, typeset."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from engine.autograd import Explainer, Explanation, ExplanationLine, Value
from engine.autograd.check import COARSE
from engine.autograd.explanation import plain
from engine.autograd.notation import counted
from gui.session import Session
from gui.theme import LIGHT, Colors, mono_font, text_pixels

PAUSE_MILLISECONDS = 120
"""How long numbers must stand still before they are explained anew: while training they never do, so also at most."""

ONE_LOSS = "The gradient is that of the loss of {samples}."

HINT = "Select a box in the graph: its data and its gradient are explained here, with the numbers put in."


class ExplainPanel(QWidget):
    """The answer to "why this number?", at the step where the walk stands.

    Nothing is explained while nobody can see it: hidden, or behind another tab.

    Signals:
        caption_changed(str): which node is explained.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._colors = LIGHT
        self._explainer: Explainer | None = None
        self._is_stale = True
        self._page = QTextBrowser()
        self._page.setAccessibleName("explanation of the selected node")
        self._page.setOpenLinks(False)
        self._page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self._page.setMinimumHeight(60)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 0, 2, 2)
        column.addWidget(self._page)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._explain_if_seen)
        session.selection_changed.connect(lambda _key: self._explain_if_seen())
        session.graph.readings_changed.connect(self._explain_soon)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self._page.setStyleSheet("QTextBrowser { border: none; background: transparent; }")
        self._explain_if_seen()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Explains what has changed while the panel was not seen."""
        super().paintEvent(event)
        if self._is_stale and not self._pause.isActive():
            QTimer.singleShot(0, self, self._explain_if_seen)

    def _explain_soon(self) -> None:
        self._is_stale = True
        if self._explainer is not None and self._explainer.root is not self._session.graph.graph_view.root:
            self._explainer = None  # the graph before is let go
        if not self._pause.isActive():
            self._pause.start()

    def _explain_if_seen(self) -> None:
        self._is_stale = self.visibleRegion().isEmpty()
        if not self._is_stale:
            self._explain()

    def _explain(self) -> None:
        graph = self._session.graph
        value, root = graph.value(self._session.selection), graph.graph_view.root
        if value is None or root is None:
            self.caption_changed.emit("")
            self._page.setHtml(f'<p style="color:{self._colors.muted}">{escape(HINT)}</p>')
            return
        scroll = self._page.verticalScrollBar().value()
        explanation = self._explanation(value, root)
        self.caption_changed.emit(_agreement(explanation))
        self._page.setHtml(_html(explanation, self._losses(), self._colors))
        self._page.verticalScrollBar().setValue(scroll)

    def _losses(self) -> tuple[str, ...]:
        """Of a network: whose loss the gradient is of, and what a training step does with it."""
        words, key = self._session.graph.update_words, self._session.selection
        if words is None or key is None:
            return ()
        return self._session.graph.notes(key) or (ONE_LOSS.format(samples=words.samples),)

    def _explanation(self, value: Value, root: Value) -> Explanation:
        graph = self._session.graph
        if self._explainer is None or self._explainer.root is not root:
            self._explainer = Explainer(root)
        return graph.explain(self._explainer, value)


def _agreement(explanation: Explanation) -> str:
    check = explanation.check
    if check is None:
        return ""
    if not check.defined:
        return "undefined here: there is no slope to compare with"
    digits = check.agreeing_digits
    words = f"{check.mark} {counted(digits, 'digit')} {'agrees' if digits == 1 else 'agree'}"
    return f"{words} with a {'complex step' if check.note.startswith(COARSE) else 'finite difference'}"


def _html(explanation: Explanation, losses: Iterable[str], colors: Colors) -> str:
    question, *answer = explanation.why_grad
    grad = (question, *map(plain, losses), *answer)
    return "".join(_section(lines, colors) for lines in (explanation.why_step, grad, explanation.why_data))


def _section(lines: Iterable[ExplanationLine], colors: Colors) -> str:
    return "".join(_line(line, colors) for line in lines)


def _line(line: ExplanationLine, colors: Colors) -> str:
    body = "".join(_run(run.kind, run.text, colors) for run in line.runs)
    if line.kind == "heading":
        return f'<p style="margin:6px 0 4px 0; font-weight:600">{body}</p>'
    if line.kind == "formula":
        return f'<p style="margin:2px 0; font-size:{text_pixels(15)}px">{body}</p>'
    return f'<p style="margin:2px 0; color:{colors.muted}">{body}</p>'


def _run(kind: str, text: str, colors: Colors) -> str:
    shown = escape(text).replace("\n", "<br>")
    if kind == "math":
        return f"<i>{shown}</i>"
    if kind == "number":
        number = text.strip().lstrip("=≈ (")
        color = colors.negative if number.startswith(("-", "−")) else colors.positive
        return f"<span style=\"font-family:'{mono_font(14).family()}'; color:{color}\">{shown}</span>"
    return shown
