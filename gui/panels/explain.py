"""The explanation panel: why the selected node has its data and its gradient, typeset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import escape
from typing import NamedTuple

from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from engine.autograd import Explanation, ExplanationLine
from engine.autograd.check import COARSE
from engine.autograd.explanation import plain
from engine.autograd.notation import counted
from engine.document.moment_explainer import MomentExplainer, Question
from gui.jobs import Job
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import Colors, mono_font, text_pixels
from gui.widgets.layouts import filled

SENTENCES = {
    "hint": "Select a box in the graph: its data and its gradient are explained here, with the numbers put in.",
    "moment": "These are the numbers after {updates}.",
    "phase": "These are the numbers after {updates}, and after the phase {phase} of the next step.",
    "update": "These are the numbers after {updates}: the phase update has just made the last one.",
    "loss": "The gradient is that of the loss of {samples}.",
    "failed": "This could not be explained: {reason}.",
    "undefined": "undefined here: there is no slope to compare with",
    "agrees": "{mark} {digits} agree with a {method}",
    "agrees in one": "{mark} {digits} agrees with a {method}",
}
"""What the panel says of itself; what it says of a number comes from the engine."""


class Asked(NamedTuple):
    """What goes with a question until its answer is shown.

    Attributes:
        before: sentences before the answer: of which moment it is.
        on_gradient: sentences on the gradient: whose loss it is of, and what a training step does with it.
    """

    before: tuple[str, ...]
    on_gradient: tuple[str, ...]


class ExplainPanel(Panel):
    """The answer to "why this number?" at the moment that is viewed; the caption says how sure it is.

    It is worked out in a thread. Until it is there the answer before stays, with the moment that it is of.
    """

    rest_seconds = 0.12

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._explainer = MomentExplainer()
        self._job = Job("explanation", self)
        self._job.delivered.connect(self._show)
        self._job.failed.connect(self._show_failure)
        self.page = QTextBrowser(openLinks=False)
        self.page.setAccessibleName("explanation of the selected node")
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.page.setMinimumHeight(60)
        filled(QVBoxLayout(self), self.page, margins=(2, 0, 2, 2))

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.page.setStyleSheet("QTextBrowser { border: none; background: transparent; }")
        self.outdate()

    def follows(self, change: Change) -> bool:
        """Another value, other numbers, or the graph they belong to."""
        return change.selection or change.numbers

    def refresh(self, change: Change) -> None:
        """Asks why the selected value is what it is now."""
        graph, selected = self.session.graph, self.session.selection
        value = graph.value(selected)
        if value is None or selected is None or graph.graph_view.root is None:
            self._job.cancel()
            self.set_caption("")
            self.page.setHtml(_line(plain(SENTENCES["hint"]), self.colors))
            return
        question = Question(value, graph.graph_view, graph.position)
        if graph.sample is not None:
            document, data = self.session.document, self.session.dataset
            question = Question(value, graph.graph_view, graph.position, graph.sample.moment, document, data.X, data.y)
        asked = Asked(self._moment(), self._on_gradient(selected))
        self._job.start(asked, lambda _cancelled: self._answer(question), patient=True)

    def _answer(self, question: Question) -> Iterator[Explanation]:
        """In a thread, one question after the other; nothing where another graph is on its way, which is asked then."""
        with suppress(LookupError):
            yield self._explainer.explain(question)

    def follow_visibility(self) -> None:
        """What nobody can see any more is asked again when it is seen."""
        super().follow_visibility()
        if not self.is_seen and self._job.busy:
            self._job.cancel()
            self.outdate()

    def _moment(self) -> tuple[str, ...]:
        """Of a network: which moment of its training is explained."""
        graph, progress = self.session.graph, self.session.shown
        if graph.sample is None or progress is None:
            return ()
        phase, updates = graph.sample.moment.phase, counted(progress.snapshot.step, "update")
        which = "moment" if phase is None else "update" if phase == "update" else "phase"
        return (SENTENCES[which].format(updates=updates, phase=phase),)

    def _on_gradient(self, selected: str) -> tuple[str, ...]:
        words = self.session.graph.update_texts
        if words is None:
            return ()
        return self.session.graph.notes(selected) or (SENTENCES["loss"].format(samples=words.samples),)

    def _show(self, asked: Asked, explanation: Explanation) -> None:
        scroll = self.page.verticalScrollBar().value()
        self.set_caption(_agreement(explanation))
        self.page.setHtml(_html(explanation, asked, self.colors))
        self.page.verticalScrollBar().setValue(scroll)

    def _show_failure(self, _asked: Asked, error: Exception) -> None:
        self.set_caption("")
        self.page.setHtml(_line(plain(SENTENCES["failed"].format(reason=error)), self.colors))


def _agreement(explanation: Explanation) -> str:
    check = explanation.check
    if check is None:
        return ""
    if not check.defined:
        return SENTENCES["undefined"]
    digits = check.agreeing_digits
    method = "complex step" if check.note.startswith(COARSE) else "finite difference"
    which = "agrees in one" if digits == 1 else "agrees"
    return SENTENCES[which].format(mark=check.mark, digits=counted(digits, "digit"), method=method)


def _html(explanation: Explanation, asked: Asked, colors: Colors) -> str:
    question, *answer = explanation.why_grad
    grad = (question, *map(plain, asked.before + asked.on_gradient), *answer)
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
