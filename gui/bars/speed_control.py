"""Speed controls of the tool bar: of training, and of the walk that is played."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QWidget

from engine.network.run.progress import RunState
from gui.actions.targets import Stepper
from gui.actions.training import SPEEDS, place_of
from gui.session import Change, Session
from gui.theme import mono_font, text_pixels
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TIP = "Steps a second while the training runs, from 1 to full speed; it can be changed while it runs."
WALK_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Speeds of the walk that is played, as multiples of the usual one."""
BEHIND = 0.85
"""Share of the chosen speed below which the actual speed is shown."""
SLIDER_PIXELS, SHORT_SLIDER_PIXELS = 96, 44
LONGEST, LONGEST_SHORTLY = "10,000 steps/s", "10,000/s"


class _SpeedControl(QWidget):
    """A slider with the word "speed" before it and the speed behind it; both give way in a narrow bar.

    Attributes:
        slider: the speed, as an index into a table of speeds.
        words: the speed in words.
    """

    def __init__(self, n_speeds: int, name: str, page: int) -> None:
        super().__init__()
        self._is_short = False
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, n_speeds - 1)
        self.slider.setPageStep(page)
        self.slider.setAccessibleName(name)
        self.words = QLabel()
        self.words.setFont(mono_font(12))
        self.name = muted_label("speed")
        add_widgets(QHBoxLayout(self), self.name, self.slider, self.words, margins=(4, 0, 0, 0), spacing=6)

    def set_short(self, short: bool) -> None:
        """Take less room, with shorter words."""
        self._is_short = short
        self.name.setVisible(not short)
        self._fit()

    def _fit(self) -> None:
        self.slider.setFixedWidth(text_pixels(SHORT_SLIDER_PIXELS if self._is_short else SLIDER_PIXELS))
        self.words.ensurePolished()
        metrics = self.words.fontMetrics()  # a fixed size: other words ask for no other room
        longest = self._longest()
        self.words.setFixedSize(metrics.horizontalAdvance(longest), metrics.height())
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _longest(self) -> str:
        raise NotImplementedError

    def _show(self) -> None:
        raise NotImplementedError

    def _show_tip(self, tip: str) -> None:
        for widget in (self, self.slider, self.words):
            widget.setToolTip(tip)


class TrainingSpeed(_SpeedControl):
    """Steps a second of the training, on a logarithmic scale; applies immediately to a running training."""

    def __init__(self, session: Session) -> None:
        self._session = session
        super().__init__(len(SPEEDS), "speed of training", 3)
        self.slider.valueChanged.connect(self._choose)
        session.changed.connect(self._follow)
        self.set_short(False)

    def _longest(self) -> str:
        return LONGEST_SHORTLY if self._is_short else LONGEST

    def _choose(self, place: int) -> None:
        self._session.training.set_control(SPEEDS[place], self._session.training.count)

    def _follow(self, change: Change) -> None:
        if "run" in change or "moment" in change:
            self._show()

    def _show(self) -> None:
        speed = self._session.training.speed
        with QSignalBlocker(self.slider):
            self.slider.setValue(place_of(speed))
        actual, tip = self._actual, TIP
        if speed is None and actual:
            long, short = f"{actual:,.0f} steps/s", f"{actual:,.0f}/s"
            tip = f"Full speed: {actual:,.0f} steps a second now."
        elif speed is None:
            long, short = "full speed", "full"
        elif 0.0 < actual < BEHIND * speed:
            long, short = f"{actual:,.0f} of {speed:,g}/s", f"{actual:,.0f}/s!"
            tip = f"This network reaches {actual:,.1f} of the chosen {speed:,g} steps a second."
        else:
            long, short = f"{speed:,g} steps/s", f"{speed:,g}/s"
        self.words.setText(short if self._is_short else long)
        self._show_tip(tip)

    @property
    def _actual(self) -> float:
        """Steps a second that the run makes; 0 while it stands still or has not reported."""
        newest = self._session.newest
        return 0.0 if newest is None or self._session.run_state is not RunState.RUNNING else newest.steps_per_second


class WalkSpeed(_SpeedControl):
    """Speed at which the walk plays."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        super().__init__(len(WALK_SPEEDS), "speed of the walk", 1)
        self.slider.valueChanged.connect(stepper.set_speed)
        stepper.speed_changed.connect(self._show)
        self.set_short(False)

    def _longest(self) -> str:
        return f"{min(WALK_SPEEDS):g}×"

    def _show(self) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._stepper.speed)
        speed = WALK_SPEEDS[self._stepper.speed]
        self.words.setText(f"{speed:g}×")
        self._show_tip(f"Speed of Play walk: {speed:g} times")
