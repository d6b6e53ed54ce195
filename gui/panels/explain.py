"""The explanation panel: why the selected node has its data and its gradient, typeset."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from engine.autograd import Explainer, Explanation, ExplanationLine, Value
from engine.autograd.check import COARSE
from engine.autograd.explanation import plain
from engine.autograd.notation import counted
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import Colors, mono_font, text_pixels

ONE_LOSS = "The gradient is that of the loss of {samples}."

HINT = "Select a box in the graph: its data and its gradient are explained here, with the numbers put in."


class ExplainPanel(Panel):
    """The answer to "why this number?", at the step where the walk stands; the caption says how sure it is."""

    rest_seconds = 0.12

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._explainer: Explainer | None = None
        self.page = QTextBrowser()
        self.page.setAccessibleName("explanation of the selected node")
        self.page.setOpenLinks(False)
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.page.setMinimumHeight(60)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 0, 2, 2)
        column.addWidget(self.page)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.page.setStyleSheet("QTextBrowser { border: none; background: transparent; }")
        self.outdate()

    def follows(self, change: Change) -> bool:
        """Another value, other numbers, or the graph they belong to."""
        return change.selection or change.numbers

    def refresh(self, change: Change) -> None:
        """Explains the selected value as it stands now."""
        graph = self.session.graph
        value, root = graph.value(self.session.selection), graph.graph_view.root
        if value is None or root is None:
            self.set_caption("")
            self.page.setHtml(f'<p style="color:{self.colors.muted}">{escape(HINT)}</p>')
            return
        scroll = self.page.verticalScrollBar().value()
        explanation = self._explanation(value, root)
        self.set_caption(_agreement(explanation))
        self.page.setHtml(_html(explanation, self._losses(), self.colors))
        self.page.verticalScrollBar().setValue(scroll)

    def _losses(self) -> tuple[str, ...]:
        """Of a network: whose loss the gradient is of, and what a training step does with it."""
        words, key = self.session.graph.update_words, self.session.selection
        if words is None or key is None:
            return ()
        return self.session.graph.notes(key) or (ONE_LOSS.format(samples=words.samples),)

    def _explanation(self, value: Value, root: Value) -> Explanation:
        graph = self.session.graph
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
