"""The stepper under the canvas: one operation, contribution or update at a time in both directions, or one line of the
program at a time; above it the bar for the graphs after each `backward()`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from engine.autograd import Value
from engine.autograd.notation import counted
from engine.autograd.value import Constant
from engine.language import StatementStep
from engine.views.shown_walk import ALL
from engine.views.update_rule import program_update
from engine.views.walk_texts import LINE_SENTENCES, MOST_NAMES, short_place
from gui.actions.graph import STEPPER_ACTIONS
from gui.bars.speed_control import WALK_SPEEDS
from gui.fields.binding import FieldBinding, number_field
from gui.panels.panel import Panel
from gui.panels.program.output import variable_texts
from gui.session import Change, Session
from gui.session.program_run import LineWalk, ProgramRun
from gui.theme import mono_font, set_text_sized
from gui.widgets.action_set import ActionSet
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel, LinesLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.phase_marks import PhaseMarks
from gui.widgets.scrubber import Scrubber

TEXTS = {
    "moment": "{label}, line {line}: {number:,} of {count:,}",
    "end": "the end of the program",
    "error": "up to the error of the program",
    "tip": "Drag to see the graph as it was right after each backward() of the program.",
}
"""Texts of the bar."""
WORDS_LETTERS = 34
LEAST_SLIDER = 70  # pixels
PAGES = 20
"""Clicks beside the handle from one end to the other."""


class BackwardCallsBar(QWidget):
    """Slider over the backward calls of a program; hidden if there are fewer than two.

    Attributes:
        slider: the moment that is viewed; its last position is the end of the program.
        words: which moment it is.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.slider = Scrubber()
        self.slider.setAccessibleName("viewed moment of the program")
        self.slider.setToolTip(TEXTS["tip"])
        self.slider.valueChanged.connect(self._view)
        self.words = ElidedLabel()
        self.words.setFont(mono_font(11))
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setMaximumWidth(WORDS_LETTERS * self.words.fontMetrics().averageCharWidth())
        self.slider.setMinimumWidth(LEAST_SLIDER)
        parts = muted_label("moments"), self.slider, 1, self.words, 3
        add_widgets(QHBoxLayout(self), *parts, margins=(10, 0, 10, 6), spacing=8)
        session.changed.connect(self._follow)
        self._show()

    def _view(self, index: int) -> None:
        moments = self._session.program.moments
        self._session.program.view_backward_call(index if index < len(moments) else None)

    def _follow(self, change: Change) -> None:
        if change & {"program", "view"}:
            self._show()

    def _show(self) -> None:
        program = self._session.program
        moments, viewed = program.moments, program.view.index
        is_of_program = not self._session.presenter.shows_network and program.view.position is None
        self.setVisible(len(moments) > 1 and is_of_program)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(moments))
            self.slider.setPageStep(max(len(moments) // PAGES, 1))
            self.slider.setValue(len(moments) if viewed is None else viewed)
        text = TEXTS["error" if program.is_part else "end"]
        if viewed is not None:
            moment = moments[viewed]
            text = TEXTS["moment"].format(label=moment.label, line=moment.line, number=viewed + 1, count=len(moments))
        self.words.setText(text)
        self.words.setToolTip(text)


def words_of_lines(program: ProgramRun) -> str:
    """Return a line of text on the last statement that a walk line by line has executed."""
    walk = program.walk
    if not walk.is_walking:
        return LINE_SENTENCES["running" if program.busy else "nothing"]
    if walk.is_at_end:
        all_run = walk.ran.n_statements if walk.ran is not None else 0
        words = {"all": all_run, "kept": len(walk.steps)}
        if walk.error is None:
            return LINE_SENTENCES["end"].format(**words)
        sentence = LINE_SENTENCES["error after more" if walk.n_left_out else "error"]
        return sentence.format(line=walk.error.line, message=walk.error.message, **words)
    if walk.done is None:
        return LINE_SENTENCES["start"].format(line=walk.next_line)
    return _words_of_statement(program, walk.done)


def _words_of_statement(program: ProgramRun, step: StatementStep) -> str:
    inside = " in function" if step.function else ""
    shown = program.shown_variables
    named = [(name, shown.get(f"{name} (in {step.function})" if step.call else name)) for name in step.changed]
    names = ", ".join(f"{name} = {variable_texts(thing)[0]}" for name, thing in named[:MOST_NAMES])
    words = {"line": step.line, "function": step.function, "names": names, "values": ""}
    if names:
        return LINE_SENTENCES["names" + inside].format(**words)
    if len(step.values) == 1 and next(iter(step.values)).label:  # such as `w.data -= ...`
        [(value, (data, gradient))] = step.values.items()
        shown_value = Value(data, value.label)
        shown_value.grad = gradient
        data_text, gradient_text = variable_texts(shown_value)
        words |= {"value": value.label, "data": data_text, "gradient": gradient_text}
        return LINE_SENTENCES[("one" if gradient is not None else "one without gradient") + inside].format(**words)
    values = [value for value in step.values if not isinstance(value, Constant)]
    if values:
        words["values"] = counted(len(values), "value")
        return LINE_SENTENCES[_kind_of_change(program.walk, step, values) + inside].format(**words)
    return LINE_SENTENCES["run" + inside].format(**words)


def _kind_of_change(walk: LineWalk, step: StatementStep, values: list[Value]) -> str:
    """Return the key of the sentence on a statement that made values, or changed their data, gradients or both."""
    before: dict[Value, tuple[Any, Any]] = {}
    for earlier in walk.steps[: walk.position - 1]:
        before.update(earlier.values)
    if not any(value in before for value in values):
        return "made"
    none = None, None
    has_data, has_gradients = (
        any(not np.array_equal(step.values[value][part], before.get(value, none)[part]) for value in values)
        for part in (0, 1)
    )
    return "numbers" if has_data and has_gradients else "data" if has_data else "gradients"


PLAY_MILLISECONDS = 700
"""Milliseconds between two steps while playing, at speed 1."""
GAP, MARGIN = 6, 10  # pixels
PADDING = "3px 4px"
NARROW_LETTERS = 60
"""Number of letters in a line below which the bar counts as narrow."""
LINES = 3
"""Lines reserved for the text of a step and its rule; in a narrow column most texts fit."""
LEAST_STEPPER_SLIDER = 60
SPEED_TEXT = "Speed of Play walk: {speed:g} times"
RATE_TEXT = "learning rate"
RATE_TIP = "Learning rate of the last steps of the walk, the updates; the same as in Learning"
RATE_PIXELS = 60
NAMES = {"start": "to the start", "all": "compute all"}
"""The buttons at both ends of the slider, as screen readers call them; the others are in the window's tool bar."""


class StepperBar(Panel):
    """Line on the last step, with a slider over all steps of the walk.

    Attributes:
        speed: of playing, an index into `WALK_SPEEDS`.

    Signals:
        speed_changed(): the speed of playing is another one.
    """

    speed_changed = Signal()
    depends_on = frozenset({"numbers", "moment", "selection", "program"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._presenter, self._walk = session.presenter, session.program.walk
        self._awaited = ""
        self.speed = WALK_SPEEDS.index(1.0)
        self.words = LinesLabel(LINES)
        self.words.setFont(mono_font(12))
        self.place = ElidedLabel()
        self.place.setProperty("muted", True)
        self.place.setProperty("letters", "10")
        self.place.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.slider = Scrubber()
        self.slider.setAccessibleName("position in the forward and backward pass")
        self.slider.setMinimumWidth(LEAST_STEPPER_SLIDER)
        self.slider.valueChanged.connect(self._set_position)
        self.marks = PhaseMarks()
        self.marks.chosen.connect(self.go)
        self._arriving: int | None = None
        self._play_timer = QTimer(self, interval=PLAY_MILLISECONDS)
        self._play_timer.timeout.connect(self._play_on)
        self.action_set = ActionSet(self, STEPPER_ACTIONS, before=session.commit_requested.emit)
        self.buttons = {}
        for name, spoken in NAMES.items():
            action = self.action_set[name]
            self.buttons[name] = tool_button(action.iconText(), action.toolTip(), action.trigger, spoken, PADDING)
        where = add_widgets(QVBoxLayout(), self.place, self.slider, self.marks, spacing=0)
        field = number_field(FieldBinding(self.session, "training", "learning_rate", "learning rate"), RATE_TIP)
        set_text_sized(field, setFixedWidth=RATE_PIXELS)
        self.rate = QWidget()
        add_widgets(QHBoxLayout(self.rate), muted_label(RATE_TEXT), field, margins=(0, 0, 0, 0), spacing=4)
        row = add_widgets(QHBoxLayout(), self.buttons["start"], where, 1, self.rate, self.buttons["all"], spacing=GAP)
        add_widgets(QVBoxLayout(self), self.words, row, margins=(MARGIN, 6, MARGIN, 8), spacing=6)

    # Speed of playing

    def set_speed(self, place: int) -> None:
        """Play at another speed of `WALK_SPEEDS`."""
        if place != self.speed:
            self.speed = place
            self._play_timer.setInterval(round(PLAY_MILLISECONDS / WALK_SPEEDS[place]))
            self.action_set.refresh()
            self.speed_changed.emit()

    def change_speed(self, change: int) -> None:
        """Play faster or slower by so many places of `WALK_SPEEDS`, and post the new speed as a message."""
        self.set_speed(self.speed + change)
        self.session.message_posted.emit(SPEED_TEXT.format(speed=WALK_SPEEDS[self.speed]), "note")

    def can_change_speed(self, change: int) -> bool:
        """Return True when there is such a speed."""
        return 0 <= self.speed + change < len(WALK_SPEEDS)

    # Room

    def _is_narrow(self) -> bool:
        return self.width() < NARROW_LETTERS * self.words.fontMetrics().averageCharWidth()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_rate()
        self._show_place()

    def show_awaited(self, text: str) -> None:
        """Show a note that another graph is being made, instead of the last step of the previous one; "" for none."""
        self._awaited = text
        self._show()

    # Following the session

    def refresh(self, change: Change) -> None:
        if (
            self._arriving is not None
            and "moment" in change
            and self._presenter.position == ALL
            and (newest := self.session.newest) is not None
            and newest.awaited_step is None
        ):
            position, self._arriving = self._arriving, None
            self._presenter.set_position(self._presenter.n_steps if position == ALL else position)
        self._show()

    # Stepping

    @property
    def is_playing(self) -> bool:
        """True while the walk plays."""
        return self._play_timer.isActive()

    def go(self, position: int) -> None:
        """Stop playing, and go to a position of the walk; ALL for everything, also while a step is under way."""
        self._stop_playing()
        walk = self._presenter.shown_walk
        is_half_done = position == ALL and walk.under_way is not None and not self.steps_by_lines
        self._set_position(walk.counts.all_computed if is_half_done else position)

    def _set_position(self, position: int) -> None:
        if self.steps_by_lines:
            self.session.program.go_to_statement(position)
        else:
            self._presenter.set_position(position)

    @property
    def steps_by_lines(self) -> bool:
        """True when Next and Back go through the program line by line."""
        return self._walk.is_on and not self._presenter.shows_network

    def step_by_lines(self, on: bool) -> None:
        """Next and Back go through the program line by line, or through the operations of the graph again."""
        self._stop_playing()
        self.session.program.walk_lines(on)

    def go_to_phase(self, direction: int) -> None:
        """Go to the end of the current phase; with -1 back to its beginning, or to that of the previous phase."""
        self.go(self._presenter.shown_walk.phase_end(self._presenter.position, direction))

    @property
    def can_go_on(self) -> bool:
        """True when there is another step, of the walk or of training; for an empty graph, trying shows what to do."""
        graph = self._presenter
        if self.steps_by_lines:
            return self._walk.position < self._walk.total
        return graph.n_steps == 0 or graph.position == ALL or graph.position < graph.n_steps or self._can_train()

    @property
    def can_go_back(self) -> bool:
        """True when there is an earlier step, of the walk or of training."""
        if self.steps_by_lines:
            return self._walk.position > 0
        return self._presenter.n_steps == 0 or self._presenter.position != 0 or self._step_before() is not None

    def next(self) -> None:
        """The next step of the walk; after the last update of a network that step of training is made."""
        if self.steps_by_lines:
            self.session.program.go_to_statement(self._walk.position + 1)
        elif self._presenter.n_steps and self._presenter.position >= self._presenter.n_steps and self._can_train():
            self._arriving = 0
            self.session.train("step")
        else:
            self._presenter.next()

    def back(self) -> None:
        """Go back one step; from the start of a network's walk to the end of the previous training step."""
        before = self._step_before() if self._presenter.position == 0 else None
        if self.steps_by_lines:
            self.session.program.go_to_statement(max(self._walk.position - 1, 0))
        elif before is None:
            self._presenter.back()
        else:
            self._arriving = ALL
            self.session.training.view_step(before)

    def _can_train(self) -> bool:
        """Return True when the walk has shown the update that the next training step makes."""
        updates = self._presenter.shown_walk.counts.updates
        return self._presenter.shows_network and updates is not None and self.session.training.viewed_step is None

    def _step_before(self) -> int | None:
        """Training step before the shown one, if it can be viewed."""
        newest, shown = self.session.newest, self.session.shown
        if not self._presenter.shows_network or newest is None or shown is None:
            return None
        step = shown.snapshot.step - 1
        return step if step in newest.steps else None

    def toggle_play(self) -> None:
        """Play the walk, from the start if it is at the end; or stop playing."""
        if self._play_timer.isActive():
            self._stop_playing()
            return
        if self._is_at_end():
            self._set_position(0)
        self._play_timer.start()
        self._show()

    def _play_on(self) -> None:
        goes_on = False
        try:
            if not self._is_at_end():
                self.next()
            goes_on = not self._is_at_end()
        finally:
            if not goes_on:
                self._stop_playing()

    def _is_at_end(self) -> bool:
        if self.steps_by_lines:
            return self._walk.position >= self._walk.total
        if self._presenter.position == ALL:
            return self._presenter.shown_walk.under_way is None
        return self._presenter.position >= self._presenter.n_steps

    def _stop_playing(self) -> None:
        self._play_timer.stop()
        self._show()

    def _show(self) -> None:
        by_lines = self.steps_by_lines
        total, at = self._presenter.n_steps, self._presenter.position
        if by_lines:
            total, at = self._walk.total, self._walk.position
        elif at == ALL:
            at = self._presenter.shown_walk.end
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, total)
            self.slider.setValue(at)
        self.action_set.refresh()
        for name, button in self.buttons.items():
            button.setEnabled(total > 0 and self.action_set[name].isEnabled())
        counts = self._presenter.shown_walk.counts
        self.marks.show_phases({} if by_lines or not counts.total else counts.phases, 0 if by_lines else counts.total)
        self._show_rate()
        self._show_place()
        done = words_of_lines(self.session.program) if by_lines else self._presenter.words(self.session.selection)
        words = self._awaited or done
        self.words.setText(words)
        self.words.setToolTip(words)

    def _show_rate(self) -> None:
        """Show the field where the walk updates with it; in a narrow bar only while it does."""
        graph = self._presenter
        counts = graph.shown_walk.counts
        is_own = graph.shows_network or program_update(graph.graph_view) is not None
        is_used = not (self.steps_by_lines or is_own) and bool(counts.updates)
        self.rate.setVisible(is_used and (not self._is_narrow() or graph.position > counts.all_computed))

    def _show_place(self) -> None:
        """Show the progress of the pass, shortened where it does not fit."""
        place = self._presenter.place()
        if self.steps_by_lines:
            position, total = self._walk.position, self._walk.total
            place = LINE_SENTENCES["place"].format(position=position, total=total) if total else ""
        fits = self.place.fontMetrics().horizontalAdvance(place) <= self.place.width()
        self.place.setText(place if fits and not self._is_narrow() else short_place(place))
        self.place.setToolTip(place)
