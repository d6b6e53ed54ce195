"""The explanation panel: why the selected node has its data and its gradient, typeset."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from engine.autograd import Explanation, ExplanationLine, explain
from gui.session import Session
from gui.theme import LIGHT, Colors, mono_font

PAUSE_MILLISECONDS = 120
"""How long numbers must stand still before they are explained anew: while training they never do, so also at most."""

HINT = "Select a box in the graph: its data and its gradient are explained here, with the numbers put in."


class ExplainPanel(QWidget):
    """The answer to "why this number?".

    Signals:
        caption_changed(str): which node is explained.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._colors = LIGHT
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
        self._pause.timeout.connect(self._explain)
        session.selection_changed.connect(lambda _key: self._explain())
        session.graph.readings_changed.connect(self._explain_soon)
        self._explain()

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self._page.setStyleSheet("QTextBrowser { border: none; background: transparent; }")
        self._explain()

    def _explain_soon(self) -> None:
        if not self._pause.isActive():
            self._pause.start()

    def _explain(self) -> None:
        graph = self._session.graph
        value, root = graph.value(self._session.selection), graph.shown.root
        if value is None or root is None:
            self.caption_changed.emit("")
            self._page.setHtml(f'<p style="color:{self._colors.muted}">{escape(HINT)}</p>')
            return
        scroll = self._page.verticalScrollBar().value()
        explanation = explain(value, root)
        self.caption_changed.emit(_agreement(explanation))
        self._page.setHtml(_html(explanation, self._colors))
        self._page.verticalScrollBar().setValue(scroll)


def _agreement(explanation: Explanation) -> str:
    check = explanation.check
    if check is None:
        return ""
    mark = "✓" if check.ok else "✗"
    return f"{mark} {check.agreeing_digits} digits agree with a finite difference"


def _html(explanation: Explanation, colors: Colors) -> str:
    parts = (_section(explanation.why_grad, colors), _section(explanation.why_data, colors))
    return "".join(parts)


def _section(lines: Iterable[ExplanationLine], colors: Colors) -> str:
    return "".join(_line(line, colors) for line in lines)


def _line(line: ExplanationLine, colors: Colors) -> str:
    body = "".join(_run(run.kind, run.text, colors) for run in line.runs)
    if line.kind == "heading":
        return f'<p style="margin:6px 0 4px 0; font-weight:600">{body}</p>'
    if line.kind == "formula":
        return f'<p style="margin:2px 0; font-size:15px">{body}</p>'
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
