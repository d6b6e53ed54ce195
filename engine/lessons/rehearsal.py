"""Rehearsal of a lesson without a window: the actions of its solutions and mistakes on plain data.

A teacher's `lessons check` and the tests play every step with it: what a step sets up does not meet its goal, neither
does its mistake, and its solution does.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from engine.autograd import Value, name_of
from engine.document import Document, DocumentError, Trained, replace_section
from engine.experiment.assemble import make_model, make_trainer, trained_at
from engine.experiment.carried import carried
from engine.experiment.consistency import check_consistent
from engine.experiment.fitted import fitted_to_data
from engine.language import Evaluation, ProgramError, evaluate, replace_number
from engine.lessons.goals import OF_NUMBERS
from engine.lessons.lesson_file import Actions, Lesson, Step
from engine.lessons.state import LessonState, Shown, TrainingFigures, WalkPosition
from engine.messages import did_you_mean, quoted
from engine.network import Trainer, TrainingDiverged
from engine.teaching import Walk
from engine.teaching.walk import LookUp
from engine.views.graph_view import GraphView, show_expression
from engine.views.sample import make_sample_graph
from engine.views.update_rule import update_rule


class ActionError(ValueError):
    """An action that cannot be done in the state: a text that is not there, a node that does not exist."""


def rehearse(lesson: Lesson) -> Iterator[tuple[int, str]]:
    """Play a lesson from beginning to end; yield the line and what is wrong for each step that does not work."""
    state = Rehearsal(lesson.document)
    for step in lesson.steps:
        faults: list[tuple[int, str]] = []
        state.enter(step)
        if _tried(state, step, "start", step.start, faults):
            state = _play(step, state, faults)
        yield from ((line, f"{step.title}: {reason}") for line, reason in faults)


def document_at(lesson: Lesson, index: int) -> Document:
    """Return the document with which a step begins when those before it were solved, without what they trained.

    Raises:
        ActionError: for a lesson whose solutions cannot be done.
    """
    rehearsal = Rehearsal(lesson.document)
    for step in lesson.steps[:index]:
        rehearsal.do(tuple(action for action in (*step.start, *step.solution) if action[0] in _OF_DOCUMENT))
    return rehearsal.document


def _tried(state: Rehearsal, step: Step, block: str, actions: Actions, faults: list[tuple[int, str]]) -> bool:
    """Do the actions of a block in a state; return False, with a fault at its line, when one cannot be done."""
    for action in actions:
        try:
            state.do((action,))
        except ActionError as error:
            faults.append((step.lines.get(f"{block}.{action[0]}", step.line), f"{action[0]}: {error}"))
            return False
    return True


def _play(step: Step, before: Rehearsal, faults: list[tuple[int, str]]) -> Rehearsal:
    """Find what is wrong with a step that begins in a state, which is not changed; return the state at its end."""
    solved, n_faults = before.copy(), len(faults)
    is_done = _tried(solved, step, "solution", step.solution, faults)
    known = {**before.state.nodes, **solved.state.nodes}
    problem = solved.state.error or before.state.error
    at = f"; it stops with an error: {problem}" if problem else ""
    for line, node in step.live:
        if node not in known:
            faults.append((line, f"{{{node}}} is no node of the program at this step{did_you_mean(node, known)}{at}"))
    goal = step.goal
    is_unreadable = solved.state.error.startswith(("SyntaxError", "IndentationError", "TabError"))
    if is_unreadable and len(faults) == n_faults and (goal is None or goal.look(solved.state).met):
        faults.append((step.line, f"the program cannot be read at the end of this step: {solved.state.error}"))
    if goal is None:
        return solved
    line_of = step.lines.get
    here = line_of("goal", step.line)
    named = [("goal.node", goal.fields["node"])] if "node" in goal.fields else []
    named += [("goal.paths", node) for node in goal.fields.get("paths", ())]
    unknown = [(key, node) for key, node in named if node not in known]
    for key, node in unknown:
        reason = f"the program at this step has no node {node!r}{did_you_mean(node, known)}{at}"
        faults.append((line_of(key, here), reason))
    if unknown or not is_done:
        return solved
    if goal.look(before.state).met:
        faults.append((here, "the goal is met before the learner has done anything"))
    finding = goal.look(solved.state)
    if not finding.met:
        reason = f"the solution does not meet the goal. {finding.found}".rstrip()
        faults.append((line_of("solution", here), reason))
    tries: list[tuple[Actions, str]] = [(step.mistake, "")] if step.mistake else []
    for wrong, says in goal.wrong:
        action = _wrong_action(step, wrong)
        if action:
            tries.append((action, says))
    for actions, says in tries:
        tried = before.copy()
        if not _tried(tried, step, "mistake", actions, faults):
            continue
        finding = goal.look(tried.state)
        if says:
            what, at = "the wrong answer", "goal.choices" if "choices" in goal.fields else "goal.wrong"
        else:
            what, at = "the mistake", "mistake"
        what += f" {quoted(dict(actions), 120)}"
        if finding.met:
            faults.append((line_of(at, here), f"{what} meets the goal"))
        elif says and goal.feedback(finding) != says:
            faults.append((line_of(at, here), f"{what} does not bring its sentence, but: {goal.feedback(finding)}"))
    return solved


def _wrong_action(step: Step, wrong: float | str) -> Actions:
    """Return the action by which a learner gives a wrong answer; none where a number is found in other ways."""
    assert step.goal is not None
    if step.goal.kind == "answer":
        return (("answer", wrong),)
    if step.goal.kind == "predicted" and "node" in step.goal.fields:
        return (("predict", {step.goal.fields["node"]: wrong}),)
    return ()


class Rehearsal:
    """A lesson's document with what a learner has done to it.

    Attributes:
        document: with the edits so far.
    """

    def __init__(self, document: Document) -> None:
        """Begin with a document."""
        self.document = document
        self._trainer: Trainer | None = None
        self._diverged_at: int | None = None
        self._walk_to: int | str | None = None
        self._lines: int | None = None
        self._others: dict[str, Any] = {}

    def copy(self) -> Rehearsal:
        """Return a rehearsal that goes on from here independently."""
        other = Rehearsal(self.saved)
        other._diverged_at, other._walk_to, other._lines = self._diverged_at, self._walk_to, self._lines
        other._others = dict(self._others)
        return other

    def enter(self, step: Step) -> None:
        """Begin a step: the answer before does not count, and a walk that was left half done hides no number."""
        self._others.pop("answer", None)
        if step.goal is not None and step.goal.kind in OF_NUMBERS:
            self._walk_to = None

    def do(self, actions: Actions) -> None:
        """Do some actions one after the other.

        Raises:
            ActionError: when one cannot be done.
        """
        for name, value in actions:
            try:
                _DO[name](self, value)
            except DocumentError as error:
                raise ActionError(str(error)) from None

    @property
    def state(self) -> LessonState:
        """The state that goals read."""
        text = self.document.expression.text
        evaluation, error = _evaluated(text)
        view = self.graph_view
        return LessonState(
            document=self.document,
            error=error,
            nodes=shown_nodes(view),
            names=frozenset(evaluation.variables)
            | frozenset(evaluation.names)
            | defined_names(self.document.expression.text),
            output="".join(piece.text for piece in evaluation.output),
            rules=judged_rules(evaluation),
            position=self._position(view),
            training=self._figures(),
            **self._others,
        )

    @property
    def saved(self) -> Document:
        """The document with the moment that training has reached."""
        if self._trainer is None:
            return self.document
        return replace(self.document, trained=trained_at(self._trainer.snapshot()))

    @property
    def graph_view(self) -> GraphView:
        """The graph of the program, or of a sample's loss in the network."""
        document = self.saved
        if document.view.shows == "network":
            train = check_consistent(document).train
            return make_sample_graph(document, train.X, train.y).graph_view
        evaluation, _error = _evaluated(document.expression.text)
        return show_expression(evaluation, document.view.hide_constants, ("*",), ())

    @property
    def shown_numbers(self) -> LookUp:
        """Data and gradient of each value of the graph, None for what the walk has not computed yet."""
        view = self.graph_view
        if self._walk_to is None or view.root is None:
            return view.numbers
        walk = self._passes(view, view.root)
        steps = self._walk_to if isinstance(self._walk_to, int) else steps_to_end_of(walk, self._walk_to)
        return walk.numbers_at(steps, view.numbers)

    def _position(self, view: GraphView) -> WalkPosition:
        if self._lines is not None:
            statements = _with_statements(self.document.expression.text).statements
            if not 0 < self._lines <= len(statements):
                return WalkPosition("start" if not self._lines else "end")
            return WalkPosition("forward", "", self._lines, statements[self._lines - 1].line)
        if self._walk_to is None or view.root is None:
            return WalkPosition("end")
        return walk_position(self._passes(view, view.root), self._walk_to)

    def _passes(self, view: GraphView, root: Value) -> Walk:
        return Walk(root, update_rule(view, None, None, self.document.training.learning_rate))

    def _figures(self) -> TrainingFigures:
        seed = self.document.network.seed
        if self._trainer is None:
            step = self.document.trained.step
            if not step:
                return TrainingFigures(seed, diverged_at=self._diverged_at)
            self._make_trainer()
        assert self._trainer is not None
        snapshot = self._trainer.snapshot()
        return TrainingFigures(
            seed=seed,
            steps=snapshot.step,
            loss=snapshot.loss,
            test_loss=snapshot.test_loss,
            accuracy=snapshot.accuracy,
            test_accuracy=snapshot.test_accuracy,
            diverged_at=self._diverged_at,
        )

    def _make_trainer(self) -> Trainer:
        if self._trainer is None:
            self._trainer = make_trainer(self.document, make_model(self.document), check_consistent(self.document))
        return self._trainer

    # Actions; `_DO` has one for each entry of `ACTIONS`.

    def _set_program(self, text: str) -> None:
        self.document = replace_section(self.document, "expression", text=text)
        self._walk_to = self._lines = None

    def _edit_program(self, change: tuple[str, str]) -> None:
        find, replacement = change
        text = self.document.expression.text
        if text.count(find) != 1:
            raise ActionError(f"{find!r} stands in the program {text.count(find)} times, not once")
        self._set_program(text.replace(find, replacement))

    def _move_sliders(self, numbers: Mapping[str, float]) -> None:
        for name, number in numbers.items():
            text = self.document.expression.text
            leaves = {leaf.title: leaf for leaf in reversed(_evaluated(text)[0].leaves)}
            if name not in leaves:
                raise ActionError(f"there is no slider {name!r}{did_you_mean(name, leaves)}")
            leaf = leaves[name]
            self._set_program(replace_number(text, leaf, number))

    def _select(self, node: str) -> None:
        self._check_node(node)
        self._others["selected"] = (node,)

    def _show_paths(self, nodes: tuple[str, str]) -> None:
        for node in nodes:
            self._check_node(node)
        self._others["selected"] = nodes

    def _predict(self, numbers: Mapping[str, float]) -> None:
        for node in numbers:
            self._check_node(node)
        self._others["predicted"] = {**self._others.get("predicted", {}), **numbers}

    def _nudge(self, distances: Mapping[str, float]) -> None:
        nudged = dict(self._others.get("nudged", {}))
        for node, h in distances.items():
            self._check_node(node)
            nudged[node] = min(abs(h), nudged.get(node, math.inf))
        self._others["nudged"] = nudged

    def _check_node(self, node: str) -> None:
        nodes = shown_nodes(self.graph_view)
        if node not in nodes:
            raise ActionError(f"there is no node {node!r}{did_you_mean(node, nodes)}")

    def _walk(self, steps: int) -> None:
        self._walk_to = steps

    def _walk_phase(self, phase: str) -> None:
        view = self.graph_view
        if view.root is not None:
            steps_to_end_of(self._passes(view, view.root), phase)
        self._walk_to = phase

    def _walk_lines(self, count: int) -> None:
        _with_statements(self.document.expression.text)
        self._lines = count

    def _change(self, section: str, changes: Mapping[str, Any]) -> None:
        before = self.saved
        changed = replace_section(before, section, **changes)
        if changed.data != before.data or changed.training.loss != before.training.loss:  # as the window does
            changed, _notes = fitted_to_data(changed, with_features=changed.data.features == before.data.features)
        check_consistent(replace(changed, trained=Trained()))  # the trained weights are fitted to it next
        if section != "training":
            changed = replace(changed, trained=carried(before, before.trained, changed))
        self.document, self._trainer = changed, None

    def _new_weights(self, wanted: bool) -> None:
        if wanted:
            self.document, self._trainer = replace(self.document, trained=Trained()), None
            self._diverged_at = None

    def _train(self, steps: int) -> None:
        trainer = self._make_trainer()
        try:
            for _ in range(steps):
                trainer.step()
        except TrainingDiverged as diverged:
            self._diverged_at = diverged.step

    def _compare(self, setting: str) -> None:
        self._others["compared"] = frozenset({setting})

    def _answer(self, answer: str | float) -> None:
        self._others["answer"] = answer


_DO: Mapping[str, Any] = {
    "program": Rehearsal._set_program,
    "edit": Rehearsal._edit_program,
    "sliders": Rehearsal._move_sliders,
    "select": Rehearsal._select,
    "paths": Rehearsal._show_paths,
    "predict": Rehearsal._predict,
    "walk": Rehearsal._walk,
    "walk_to": Rehearsal._walk_phase,
    "walk_lines": Rehearsal._walk_lines,
    "nudge": Rehearsal._nudge,
    "data": lambda rehearsal, changes: rehearsal._change("data", changes),
    "network": lambda rehearsal, changes: rehearsal._change("network", changes),
    "training": lambda rehearsal, changes: rehearsal._change("training", changes),
    "new_weights": Rehearsal._new_weights,
    "train": Rehearsal._train,
    "compare": Rehearsal._compare,
    "answer": Rehearsal._answer,
}


_OF_DOCUMENT = ("program", "edit", "sliders", "data", "network", "training")
"""Actions that change the document."""


@lru_cache(maxsize=64)
def _evaluated(text: str) -> tuple[Evaluation, str]:
    """Return the outcome of a program and its error, "" for none."""
    try:
        evaluation = evaluate(text)
    except ProgramError as error:
        return Evaluation(output=error.output), error.message
    if evaluation.root is not None and not evaluation.own_gradients:
        evaluation.root.backward()
    return evaluation, ""


@lru_cache(maxsize=8)
def _with_statements(text: str) -> Evaluation:
    try:
        return evaluate(text, record=True)
    except ProgramError as error:
        raise ActionError(f"the program stops with an error: {error.message}") from None


def defined_names(text: str) -> frozenset[str]:
    """Return the functions and classes that a program defines at its top level."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return frozenset()
    return frozenset(each.name for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef))


def shown_nodes(view: GraphView) -> dict[str, Shown]:
    """Return the numbers of every value of a graph by its name; of several of one name, those of the first."""
    nodes: dict[str, Shown] = {}
    for value in view.values:
        data, gradient = view.numbers(value)
        if isinstance(data, float | int):
            nodes.setdefault(name_of(value), Shown(float(data), gradient if isinstance(gradient, float) else None))
    return nodes


def judged_rules(evaluation: Evaluation) -> dict[str, str] | None:
    """Return for each operation of the program's own engine what is wrong with its rule, "" for nothing."""
    if evaluation.engine_check is None:
        return None
    rules: dict[str, str] = {}
    for row in evaluation.engine_check:
        if not rules.get(row.op):
            rules[row.op] = "" if row.ok else row.message
    return rules


def walk_position(walk: Walk, to: int | str) -> WalkPosition:
    """Return the position after a number of steps, or at the end of a phase."""
    return position_at(walk, steps_to_end_of(walk, to) if isinstance(to, str) else to)


def steps_to_end_of(walk: Walk, phase: str) -> int:
    """Return the number of steps of a walk from its start to the end of a phase.

    Raises:
        ActionError: when the walk has no such phase.
    """
    if phase not in walk.phases:
        reason = f"the walk has no phase {phase!r}{did_you_mean(phase, walk.phases)}; it has {', '.join(walk.phases)}"
        raise ActionError(reason)
    return min((start for start in walk.phases.values() if start > walk.phases[phase]), default=len(walk.script))


def position_at(walk: Walk, steps: int) -> WalkPosition:
    """Return the position after a number of steps, at most all of them."""
    steps = min(steps, len(walk.script))
    if not steps:
        return WalkPosition("start")
    if steps == len(walk.script):
        return WalkPosition("end", steps=steps)
    step = walk.script[steps - 1]
    node: Value = step.input if step.input is not None else step.node
    return WalkPosition(step.kind, name_of(node), steps)
