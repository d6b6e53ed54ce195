"""Actions of a lesson, done in the learner's place: each when the program, the graph and the training are at rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engine.autograd import Value, name_of, topological_order
from engine.language import replace_number
from engine.lessons.lesson_file import Actions
from engine.lessons.rehearsal import ActionError, steps_to_end_of
from engine.network.run.progress import RunState
from gui.session.change import Change
from gui.session.session import Session


class LessonPlayer(QObject):
    """Queue of actions. It is emptied as the session comes to rest; an action that cannot be done ends it.

    Signals:
        answered(object): an answer to the question of the step, the text of a choice or a number.
        ended(): all actions are done.
    """

    answered = Signal(object)
    ended = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._queue: deque[tuple[str, Any]] = deque()
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._go_on)
        session.changed.connect(self._follow)

    @property
    def busy(self) -> bool:
        """True while actions are queued."""
        return bool(self._queue)

    def do(self, actions: Actions) -> None:
        """Queue actions."""
        self._queue.extend(actions)
        if self._queue:
            self._next.start()

    def drop(self, name: str) -> None:
        """Drop the queued actions of a name."""
        self._queue = deque(action for action in self._queue if action[0] != name)

    def stop(self) -> None:
        """Drop the queued actions."""
        self._queue.clear()
        self._next.stop()

    def _follow(self, _change: Change) -> None:
        if self._queue and not self._next.isActive():
            self._next.start()

    def _go_on(self) -> None:
        session = self._session
        is_training = session.run_state is RunState.RUNNING or session.training.runner.unanswered
        if not self._queue or session.program.busy or session.presenter.busy or is_training:
            return
        name, value = self._queue.popleft()
        try:
            _DO[name](self, value)
        except ActionError as error:
            self._queue.clear()
            session.message_posted.emit(f"This step cannot be done here: {error}", "error")
        if self._queue:
            self._next.start()
        else:
            self.ended.emit()

    # Actions; `_DO` has one for each entry of `engine.lessons.actions.ACTIONS`, and "hide" for goals of predictions.

    def _set_program(self, text: str) -> None:
        self._session.edit("program of the lesson", expression={"text": text})

    def _edit_program(self, change: tuple[str, str]) -> None:
        find, replacement = change
        text = self._session.document.expression.text
        if text.count(find) != 1:
            reason = f"{find!r} stands in the program {text.count(find)} times, not once"
            raise ActionError(f"{reason}. “Start this step over” brings back the program of this step")
        self._set_program(text.replace(find, replacement))

    def _move_sliders(self, numbers: Mapping[str, float]) -> None:
        (name, number), *others = numbers.items()
        session, text = self._session, self._session.document.expression.text
        if session.error is not None:
            raise ActionError(f"the program has an error in line {session.error.line}")
        evaluation = session.evaluation if session.program.is_evaluated else None
        leaf = next((leaf for leaf in evaluation.leaves if leaf.title == name), None) if evaluation else None
        if leaf is None:
            raise ActionError(f"there is no slider {name!r}")
        if others:
            self._queue.appendleft(("sliders", dict(others)))  # their places in the text are known after the next run
        self._set_program(replace_number(text, leaf, number))

    def _value(self, node: str) -> Value:
        view = self._session.presenter.graph_view
        value = next((value for value in view.values if name_of(value) == node), None)
        if value is None or view.box_of(value) is None:
            raise ActionError(f"the graph has no node {node!r}")
        return value

    def _key(self, node: str) -> str | None:
        return self._session.presenter.graph_view.box_of(self._value(node))

    def _select(self, node: str) -> None:
        self._session.select(self._key(node))
        self._session.compare(None)

    def _show_paths(self, nodes: tuple[str, str]) -> None:
        self._session.select(self._key(nodes[0]))
        self._session.compare(self._key(nodes[1]))

    def _predict(self, numbers: Mapping[str, float]) -> None:
        presenter = self._session.presenter
        for node, gradient in numbers.items():
            prediction, value = presenter.prediction, self._value(node)
            if prediction.question(self._key(node)) is None:
                prediction.ask_one(value, presenter.graph_view)
            asked = prediction.question(self._key(node))
            if asked is None:
                raise ActionError(f"the gradient of {node!r} cannot be predicted")
            prediction.type(asked, f"{gradient:.10g}")
            prediction.check(asked)

    def _hide(self, nodes: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        """Ask for the gradients of some nodes, or of all where none is named.

        Others are hidden, too, as they would give the answer away: shown are those between the first node and the
        output, and those that were asked for before.

        Args:
            nodes: asked for now and later, in this order; and before.
        """
        presenter = self._session.presenter
        graph, root = presenter.graph_view, presenter.graph_view.root
        if not nodes[0] or root is None:
            presenter.prediction.ask_all(graph)
            return
        asked, before = ([self._value(node) for node in some] for some in nodes)
        others = [
            value
            for value in reversed(topological_order(root))
            if value not in before and asked[0] not in topological_order(value)
        ]
        presenter.prediction.ask_several([*asked, *others], graph)

    def _walk(self, steps: int) -> None:
        self._leave_lines()
        self._session.presenter.set_position(steps)

    def _walk_phase(self, phase: str) -> None:
        self._leave_lines()
        walk = self._session.presenter.walk
        if walk is None:
            raise ActionError("there is no graph to walk")
        self._session.presenter.set_position(steps_to_end_of(walk, phase))

    def _leave_lines(self) -> None:
        self._session.program.walk_lines(False)

    def _walk_lines(self, count: int) -> None:
        program = self._session.program
        if not program.walk.is_on:
            program.walk_lines(True)
            self._queue.appendleft(("walk_lines", count))  # the program runs again first
        else:
            program.go_to_statement(count)

    def _nudge(self, distances: Mapping[str, float]) -> None:
        for node, h in distances.items():
            self._select(node)
            self._session.nudge.choose(h)
            self._session.control_pointed.emit("nudge.h")

    def _change(self, section: str, changes: Mapping[str, Any]) -> None:
        sections: dict[str, Any] = {section: dict(changes)}
        self._session.edit("settings of the lesson", **sections)

    def _new_weights(self, wanted: bool) -> None:
        if wanted:
            self._session.reset()

    def _train(self, steps: int) -> None:
        self._session.training.make_steps(steps)

    def _compare(self, setting: str) -> None:
        self._session.compare_requested.emit(setting)

    def _answer(self, answer: str | float) -> None:
        self.answered.emit(answer)


_DO: Mapping[str, Callable[[LessonPlayer, Any], None]] = {
    "program": LessonPlayer._set_program,
    "edit": LessonPlayer._edit_program,
    "sliders": LessonPlayer._move_sliders,
    "select": LessonPlayer._select,
    "paths": LessonPlayer._show_paths,
    "predict": LessonPlayer._predict,
    "hide": LessonPlayer._hide,
    "walk": LessonPlayer._walk,
    "walk_to": LessonPlayer._walk_phase,
    "walk_lines": LessonPlayer._walk_lines,
    "nudge": LessonPlayer._nudge,
    "data": lambda player, changes: player._change("data", changes),
    "network": lambda player, changes: player._change("network", changes),
    "training": lambda player, changes: player._change("training", changes),
    "new_weights": LessonPlayer._new_weights,
    "train": LessonPlayer._train,
    "compare": LessonPlayer._compare,
    "answer": LessonPlayer._answer,
}
