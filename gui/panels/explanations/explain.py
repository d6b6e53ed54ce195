"""The explanation panel: why the selected node has its data and its gradient, typeset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from PySide6.QtWidgets import QVBoxLayout

from engine.autograd import Value, ValueDataError, gradients_of
from engine.autograd.check import COARSE, MAX_DIGITS
from engine.autograd.notation import counted
from engine.autograd.second_opinion import Opinion, is_available, opinions
from engine.graph.expanded import PREFIX
from engine.teaching import Explanation, ExplanationLine
from engine.teaching.explain_walk import step_lines
from engine.teaching.explanation import Lines, plain
from engine.teaching.operation_lines import composite_lines, expanded_lines
from engine.teaching.paths import Paths
from engine.views.questions import Question, QuestionExplainer
from engine.views.shown_walk import ALL
from engine.views.update_rule import program_update
from gui.actions.graph import EXPAND_KEYS
from gui.number_texts import reading_text
from gui.panels.explanations.nudging import QuestionPanel
from gui.session import Change, Session
from gui.widgets.layouts import add_widgets

SENTENCES = {
    "now": "These gradients use the current data. The program's own gradients are older than some of its data.",
    "hint": "Select a box in the graph: its data and its gradient are explained here with the actual numbers. "
    "Shift+click a second box to see every path between the two.",
    "moment": "These are the numbers after {updates}.",
    "phase": "These are the numbers after {updates}, and after {phase}, a part of the next step.",
    "update": "These are the numbers after {updates}: the last one has just been made.",
    "loss": "Gradient of the loss of {samples}.",
    "failed": "This could not be explained: {reason}.",
    "undefined": "undefined here: there is no slope to compare with",
    "not compared": "not compared: data were changed later",
    "agrees": "{mark} {digits} agree with a {method}",
    "agrees in one": "{mark} {digits} agrees with a {method}",
    "disagrees": "✗ a {method} gives {right}",
    "hidden": "Its gradient is hidden: predict it to see the explanation.",
    "array": "Gradients are explained from a single number, and the output is an array. Make it one, such as "
    "y = z.sum().",
    "PyTorch": "PyTorch, in {precision}, gives {gradient}: agrees to {digits}.",
    "every digit": "every digit",
    "second": "Select another box to see every path between it and the first one.",
    "paths to come": "The paths between the two boxes are shown once their data are computed.",
}
"""Texts of the panel; those on a number come from the engine."""


class Asked(NamedTuple):
    """Context kept with a question until its answer is shown.

    Attributes:
        before: sentences before the answer: of which moment it is.
        on_gradient: sentences on the gradient: whose loss it is of, and what a training step does with it.
        step: lines on the step that a walk has just made.
        step_only: no value is selected: only the step is explained.
        composite: lines on the simpler operations that the value is made of.
    """

    before: tuple[str, ...]
    on_gradient: tuple[str, ...]
    step: Lines = ()
    step_only: bool = False
    composite: Lines = ()


@dataclass(frozen=True, eq=False)
class Answer:
    """Explanation, paths between two chosen values, and PyTorch's gradient if PyTorch is installed.

    The explanation is None where the output is an array.
    """

    explanation: Explanation | None
    paths: Paths | None = None
    opinions: tuple[Opinion, ...] = ()


class ExplainPanel(QuestionPanel):
    """The answer to "why this number?" at the moment that is viewed; the caption says how sure it is.

    It is worked out in a thread. Until it is there the answer before stays, with the moment that it is of.
    """

    sentences = SENTENCES
    rest_seconds = 0.12

    def __init__(self, session: Session) -> None:
        super().__init__(session, "explanation", "explanation of the selected node")
        self._explainer = QuestionExplainer()
        self.page.setMinimumHeight(60)
        add_widgets(QVBoxLayout(self), self.page, margins=(2, 0, 2, 2))

    def refresh(self, change: Change) -> None:
        presenter, selected = self.session.presenter, self.session.selection
        value, walk = presenter.value(selected), presenter.walk if presenter.position not in (ALL, 0) else None
        step = None if walk is None else walk.script[presenter.position - 1]
        if selected is None and step is not None:
            value = step.input or step.node
        if value is None or presenter.graph_view.root is None:
            self.leave("hint")
            return
        if presenter.graph_view.box_of(value) in presenter.prediction.hidden:
            self.leave("hidden")
            return
        question = self._question(value)
        on_gradient: tuple[str, ...] = ()
        if selected is not None and (words := presenter.update_texts) is not None:
            on_gradient = presenter.notes(selected) or (SENTENCES["loss"].format(samples=words.samples),)
        lines, composite = () if step is None else step_lines(step), self._composite(value)
        asked = Asked(self._moment(), on_gradient, lines, selected is None, composite)
        self.ask(lambda: self._answers(question), asked)

    def _question(self, value: Value) -> Question:
        presenter, walk, at = self.session.presenter, self.session.presenter.walk, self.session.presenter.position
        other = presenter.value(self.session.compared) if self._are_paths_known() else None
        question = replace(self.question_about(value), other=other)
        if at == ALL and program_update(presenter.graph_view) is not None:
            at = presenter.shown_walk.end
        if at == ALL or walk is None:
            return question
        zeroed, updated = walk.gradient(value, at) is not None, walk.updated(value, at)
        return replace(question, position=walk.position_in_passes(at), zeroed=zeroed, updated=updated)

    def _composite(self, value: Value) -> Lines:
        """Return the operations that a composite operation consists of; if it is expanded, a note that its gradients
        are the same.
        """
        presenter, selected = self.session.presenter, self.session.selection
        if selected is None or PREFIX + selected not in presenter.groups.around(selected):
            return composite_lines(value, EXPAND_KEYS)
        evaluation = self.session.evaluation
        if evaluation is None or not isinstance(evaluation.root, Value) or presenter.sample is not None:
            return ()
        keys = {origin.key: original for original, origin in evaluation.origins.items()}
        whole, gradients = keys.get(selected), gradients_of(evaluation.root)
        if whole is None or whole.op is None:
            return ()
        apart = {key: presenter.value(key) for key, original in keys.items() if original in whole.inputs}
        known = [(keys[key], float(gradients.get(keys[key], 0.0)), now.known_grad) for key, now in apart.items() if now]
        return expanded_lines(whole, [each for each in known if each[2] is not None], EXPAND_KEYS)

    def _are_paths_known(self) -> bool:
        """Return True when all data between two compared values are computed."""
        presenter = self.session.presenter
        return presenter.position == ALL or (
            presenter.walk is not None and presenter.position >= presenter.walk.phases["seed"]
        )

    def _answers(self, question: Question) -> Iterator[Answer]:
        """Answer the questions one after the other; runs in a worker thread."""
        try:
            explanation, paths = self._explainer.explain(question), self._explainer.paths(question)
        except ValueDataError:
            yield Answer(None)
            return
        yield Answer(explanation, paths)
        if explanation.check is not None and explanation.check.defined and is_available():
            yield Answer(explanation, paths, opinions(explanation.root, explanation.value, explanation.gradient))

    def follow_visibility(self) -> None:
        super().follow_visibility()
        if not self.is_seen and self._job.busy:
            self._job.cancel()
            self.outdate()

    def _moment(self) -> tuple[str, ...]:
        """Return the description of the training moment that is explained; empty for an expression."""
        presenter, progress = self.session.presenter, self.session.shown
        program = presenter.graph_view.program
        if program is not None and program.data and not program.is_before:
            return (SENTENCES["now"],)
        if presenter.sample is None or progress is None:
            return ()
        phase, updates = presenter.sample.passes.phase, counted(progress.snapshot.step, "update")
        which = "moment" if phase is None else "update" if phase == "update" else "phase"
        return (SENTENCES[which].format(updates=updates, phase=phase),)

    def show_answer(self, asked: Asked, answer: Answer) -> None:
        explanation = answer.explanation
        if explanation is None:
            self.say(SENTENCES["array"])
            return
        right = self.session.presenter.graph_view.right_gradients.get(self.session.selection or "")
        self.set_caption("" if asked.step_only else _agreement(explanation, right))
        if asked.step_only:
            self.page.show_lines(asked.step)
            return
        question, *reasons = explanation.why_grad
        presenter = self.session.presenter
        is_of_output = presenter.sample is not None or explanation.root is presenter.graph_view.root
        notes = map(plain, (asked.before if is_of_output else ()) + asked.on_gradient)
        opinions = []
        for opinion in answer.opinions:
            digits = counted(opinion.digits, "digit") if opinion.digits < MAX_DIGITS else SENTENCES["every digit"]
            words = {"precision": opinion.precision, "gradient": f"{opinion.gradient:.17g}", "digits": digits}
            opinions.append(plain(SENTENCES["PyTorch"].format(**words)))
        why_data = (*explanation.why_data, *asked.composite)
        paths = self._path_lines(answer.paths)
        self.page.show_lines([*paths, *asked.step, question, *notes, *reasons, *opinions, *why_data])

    def _path_lines(self, paths: Paths | None) -> list[ExplanationLine]:
        """The paths between two boxes, or what is missing for them."""
        if self.session.compared is None:
            return []
        if paths is None:
            return [] if self._are_paths_known() else [plain(SENTENCES["paths to come"])]
        if paths.source is paths.target:
            return [plain(SENTENCES["second"])]
        return list(paths.lines)


def _agreement(explanation: Explanation, right: Any = None) -> str:
    """Return how far the gradient agrees with the check; `right`: of one that the program has wrong."""
    check = explanation.check
    if check is None:
        return ""
    if not check.defined:
        return SENTENCES["undefined" if check.is_compared else "not compared"]
    digits = check.agreeing_digits
    method = "complex step" if check.note.startswith(COARSE) else "finite difference"
    if right is not None:
        return SENTENCES["disagrees"].format(method=method, right=reading_text(right))
    which = "agrees in one" if digits == 1 else "agrees"
    return SENTENCES[which].format(mark=check.mark, digits=counted(digits, "digit"), method=method)
