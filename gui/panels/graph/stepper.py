"""The stepper under the canvas: forward one operation, backward one contribution at a time, in both directions; or
through the program line by line.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QVBoxLayout

from gui.actions.action_set import ActionSet
from gui.actions.graph import STEPPER_ACTIONS
from gui.panels.graph.line_stepping import LineStepping
from gui.panels.panel import Panel
from gui.presenter.shown_walk import ALL
from gui.presenter.walk_texts import place_text, short_place
from gui.session import Change, Session
from gui.theme import mono_font, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel, LinesLabel
from gui.widgets.layouts import filled
from gui.widgets.phase_marks import PhaseMarks
from gui.widgets.scrubber import Scrubber

PLAY_MILLISECONDS = 700
"""Between two steps while playing, at the speed 1."""
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
SPEED_PIXELS = 56
GAP, NARROW_GAP, MARGIN = 4, 2, 10  # pixels
PLACE_PIXELS = 10
PADDING = "3px 4px"
"""Of the buttons: there are many in a row."""
NARROW_LETTERS = 60
"""A bar in which a line has fewer letters is a narrow one."""
LINES = 3
"""So many lines hold what a step says with the rule that it follows, in a narrow column most of it."""

SIGNS = {"back": "◀", "next": "▶", "play": "»", "all": "▶|", "by lines": "≡"}
STOP_SIGN = "■"
"""What is left of the text on a button where there is no room."""
SENTENCES = {"speed": "Speed of Play: {speed} times"}
MODES = ("by operations", "by lines")
"""The switch: what Next and Back go through, each with an action of its name; in a narrow bar only the second."""
NAMES = {"start": "to the start", "all": "compute all"}


class StepperBar(Panel):
    """Forward one operation, backward one contribution at a time, in both directions; says what just happened."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._graph, self._walk = session.graph, session.program.walk
        self._awaited = ""
        self._fitted: object = None
        self.words = LinesLabel(LINES)
        self.words.setFont(mono_font(12))
        self.place = ElidedLabel()
        self.place.setProperty("muted", True)
        self.place.setStyleSheet(f"font-size: {text_pixels(PLACE_PIXELS)}px;")
        self.place.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.slider = Scrubber()
        self.slider.setAccessibleName("position in the forward and backward pass")
        self.slider.setMinimumWidth(60)
        self.slider.valueChanged.connect(self._set_position)
        self.marks = PhaseMarks()
        self.marks.chosen.connect(self.go)
        self.speed = self._make_speed()
        self.lines = LineStepping(session)
        self._arriving: int | None = None
        self._play_timer = QTimer(self, interval=PLAY_MILLISECONDS)
        self._play_timer.timeout.connect(self._play_on)
        self.action_set = ActionSet(self, STEPPER_ACTIONS)
        self.buttons = self._make_buttons()
        self.modes = self._make_modes()
        where = filled(QVBoxLayout(), self.place, self.slider, self.marks, spacing=0)
        self._row = filled(
            QHBoxLayout(), *self.buttons.values(), *self.modes.values(), self.speed, where, 1, spacing=GAP
        )
        self._column = filled(QVBoxLayout(self), self.words, self._row, margins=(MARGIN, 6, MARGIN, 8), spacing=6)

    def _make_buttons(self) -> dict[str, QToolButton]:
        buttons = {}
        for name in ("start", "back", "next", "play", "all"):
            action, spoken = self.action_set[name], NAMES.get(name, name)
            buttons[name] = tool_button(action.iconText(), action.toolTip(), action.trigger, spoken, PADDING)
            buttons[name].setCheckable(action.isCheckable())
        return buttons

    def _make_modes(self) -> dict[str, QToolButton]:
        """The switch between operations and lines."""
        buttons = {}
        for name in MODES:
            button = QToolButton()
            button.setDefaultAction(self.action_set[name])
            button.setText(SIGNS.get(name, self.action_set[name].iconText()))
            button.setAccessibleName(f"step {name}")
            button.setVisible(name in SIGNS)  # until there is known to be room
            button.setStyleSheet(f"padding: {PADDING};")
            buttons[name] = button
        return buttons

    def _make_speed(self) -> QSlider:
        speed = QSlider(Qt.Orientation.Horizontal)
        speed.setRange(0, len(SPEEDS) - 1)
        speed.setValue(SPEEDS.index(1.0))
        speed.setAccessibleName("speed of playing")
        speed.setFixedWidth(SPEED_PIXELS)
        speed.valueChanged.connect(self._set_speed)
        speed.setToolTip(SENTENCES["speed"].format(speed=1))
        return speed

    def _set_speed(self, place: int) -> None:
        self._play_timer.setInterval(round(PLAY_MILLISECONDS / SPEEDS[place]))
        self.speed.setToolTip(SENTENCES["speed"].format(speed=f"{SPEEDS[place]:g}"))
        self.action_set.refresh()

    def change_speed(self, change: int) -> None:
        """Plays faster or slower, by so many places of `SPEEDS`; says how fast, where the slider has no room."""
        self.speed.setValue(self.speed.value() + change)
        self.session.message_posted.emit(self.speed.toolTip(), "note")

    def can_change_speed(self, change: int) -> bool:
        """Whether there is such a speed."""
        return 0 <= self.speed.value() + change < len(SPEEDS)

    # Room

    def _least_width(self, short: bool, switch: bool = False) -> int:
        """Pixels across that buttons and slider need, with words on the buttons and the last place over the slider, or
        only with their signs; with both parts of the switch, or with the second alone.
        """
        last = self._written(place_text(None, ALL, self._graph.shown_walk.counts))
        place = 0 if short else self.place.fontMetrics().horizontalAdvance(last)
        parts = {name: self.modes[name] for name in (MODES if switch else MODES[1:])}
        buttons = {**self.buttons, **parts}
        width = 2 * MARGIN + max(self.slider.minimumWidth(), place) + len(buttons) * GAP
        for name, button in buttons.items():
            words = self._text(name, short or (name in MODES and not switch))
            advance = button.fontMetrics().horizontalAdvance
            width += button.sizeHint().width() - advance(button.text()) + advance(words)
        return width

    def _text(self, name: str, short: bool) -> str:
        """What stands on a button, or what is left of it where there is no room."""
        if name == "play" and self.is_playing:
            return STOP_SIGN if short else "Stop"
        return SIGNS[name] if short and name in SIGNS else self.action_set[name].iconText()

    def _is_narrow(self) -> bool:
        return self.width() < NARROW_LETTERS * self.words.fontMetrics().averageCharWidth()

    def _is_short(self) -> bool:
        """Whether there is room for signs only."""
        return self._least_width(short=False) > self.width()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the signs are."""
        return QSize(self._least_width(short=True), super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._fit_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows what there is room for."""
        super().resizeEvent(event)
        self._fit_words()

    def _fit_words(self) -> None:
        """Leaves the words on the buttons out where there is no room for them."""
        with_switch = self._least_width(short=False, switch=True)
        self.modes["by operations"].setVisible(with_switch <= self.width())
        self.speed.setVisible(with_switch + SPEED_PIXELS + GAP <= self.width())
        short = self._is_short()
        alone = short or with_switch > self.width()
        if self.modes["by lines"].text() != self._text("by lines", alone):
            self.modes["by lines"].setText(self._text("by lines", alone))
        if self.buttons["back"].text() != self._text("back", short):
            self._row.setSpacing(NARROW_GAP if short else GAP)
            for name, button in self.buttons.items():
                if name in SIGNS:
                    button.setText(self._text(name, short))
        self._column.activate()  # no button is seen narrower than its words

        self._show_place()

    def _written(self, place: str) -> str:
        """How far the pass has come, in fewer words in a narrow window."""
        return short_place(place) if self._is_narrow() else place

    def tell_awaited(self, text: str) -> None:
        """Says that another graph is on its way, instead of what the one before has done; "" for none."""
        self._awaited = text
        self._show()

    # Following the session

    def follows(self, change: Change) -> bool:
        """Another graph or place in it, another moment of training, another value to speak of."""
        return change.numbers or change.moment or change.selection or change.program

    def refresh(self, change: Change) -> None:
        """Says what has just happened and how far the pass has come."""
        if self._arriving is not None and change.moment and self._graph.position == ALL and self._is_at_moment():
            position, self._arriving = self._arriving, None
            self._graph.set_position(self._graph.n_steps if position == ALL else position)
        self._show()

    def _is_at_moment(self) -> bool:
        """Whether the moment of training that was asked for is the one that is shown."""
        progress = self.session.newest
        return progress is not None and progress.awaited_step is None

    # Stepping

    @property
    def is_playing(self) -> bool:
        """Whether it steps on by itself."""
        return self._play_timer.isActive()

    def go(self, position: int) -> None:
        """Stops playing, and goes to a position of the walk; ALL for everything, also while a step is under way."""
        self._stop_playing()
        walk = self._graph.shown_walk
        is_half_done = position == ALL and walk.under_way is not None and not self.lines.is_on
        self._set_position(walk.counts.all_computed if is_half_done else position)

    def _set_position(self, position: int) -> None:
        self.lines.go(position) if self.lines.is_on else self._graph.set_position(position)

    @property
    def steps_by_lines(self) -> bool:
        """Whether Next and Back go through the program line by line."""
        return self.lines.is_on

    def step_by_lines(self, on: bool) -> None:
        """Next and Back go through the program line by line, or through the operations of the graph again."""
        self._stop_playing()
        self.session.program.walk_lines(on)

    def go_to_phase(self, direction: int) -> None:
        """To the end of the phase under way; with -1 back to its beginning, or that of the one before."""
        self.go(self._graph.shown_walk.phase_end(self._graph.position, direction))

    @property
    def can_go_on(self) -> bool:
        """Whether there is another step, of the walk or of training; of an empty graph the try says what to do."""
        graph = self._graph
        if self.lines.is_on:
            return self._walk.position < self._walk.total
        return graph.n_steps == 0 or graph.position == ALL or graph.position < graph.n_steps or self._can_train()

    @property
    def can_go_back(self) -> bool:
        """Whether there is a step before, of the walk or of training."""
        if self.lines.is_on:
            return self._walk.position > 0
        return self._graph.n_steps == 0 or self._graph.position != 0 or self._step_before() is not None

    def next(self) -> None:
        """The next step of the walk; after the last update of a network that step of training is made."""
        if self.lines.is_on:
            self.lines.go(self._walk.position + 1)
        elif self._graph.n_steps and self._graph.position >= self._graph.n_steps and self._can_train():
            self._arriving = 0
            self.session.train("step")
        else:
            self._graph.next()

    def back(self) -> None:
        """One step back; from the start of a network's walk to the end of the training step before."""
        before = self._step_before() if self._graph.position == 0 else None
        if self.lines.is_on:
            self.lines.go(max(self._walk.position - 1, 0))
        elif before is None:
            self._graph.back()
        else:
            self._arriving = ALL
            self.session.training.view_step(before)

    def _can_train(self) -> bool:
        """Whether the walk has shown the update that the newest moment of training makes next."""
        updates = self._graph.shown_walk.counts.updates
        return self._graph.shows_network and updates is not None and self.session.training.viewed_step is None

    def _step_before(self) -> int | None:
        """The step of training before the one that is shown, of those that can be viewed."""
        newest, shown = self.session.newest, self.session.shown
        if not self._graph.shows_network or newest is None or shown is None:
            return None
        step = shown.snapshot.step - 1
        return step if step in newest.steps else None

    def toggle_play(self) -> None:
        """Steps on by itself, from the start when it stands at the end; or stops."""
        if self._play_timer.isActive():
            self._stop_playing()
            return
        if self._is_at_end():
            self._set_position(0)
        self._play_timer.start()
        self._show()

    def _play_on(self) -> None:
        if not self._is_at_end():
            self.next()
        if self._is_at_end():
            self._stop_playing()

    def _is_at_end(self) -> bool:
        if self.lines.is_on:
            return self._walk.position >= self._walk.total
        if self._graph.position == ALL:
            return self._graph.shown_walk.under_way is None
        return self._graph.position >= self._graph.n_steps

    def _stop_playing(self) -> None:
        self._play_timer.stop()
        self._show()

    def _show(self) -> None:
        by_lines = self.lines.is_on
        total, at = self._graph.n_steps, self._graph.position
        if by_lines:
            total, at = self._walk.total, self._walk.position
        elif at == ALL:
            at = self._graph.shown_walk.end
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, total)
            self.slider.setValue(at)
        self.action_set.refresh()
        for name, button in self.buttons.items():
            button.setEnabled(total > 0 and self.action_set[name].isEnabled())
        self.buttons["play"].setChecked(self.is_playing)
        self.buttons["play"].setText(self._text("play", self._is_short()))
        counts = self._graph.shown_walk.counts
        self.marks.show_phases({} if by_lines or not counts.total else counts.phases, 0 if by_lines else counts.total)
        fitted = counts, self.is_playing
        if fitted != self._fitted:  # the widths of words, a millisecond: not for every report of training
            self._fitted = fitted
            self._fit_words()
        self._show_place()
        words = self._awaited or (self.lines.words() if by_lines else self._graph.words(self.session.selection))
        self.words.setText(words)
        self.words.setToolTip(words)

    def _show_place(self) -> None:
        """Writes how far the pass has come, in fewer words where there is no room."""
        place = self.lines.place() if self.lines.is_on else self._graph.place()
        fits = self.place.fontMetrics().horizontalAdvance(place) <= self.place.width()
        self.place.setText(self._written(place) if fits else short_place(place))
        self.place.setToolTip(place)
