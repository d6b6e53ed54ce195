"""The speed of training in the tool bar: a slider from one step a second to all there are, and what it comes to."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QWidget

from engine.network.run.progress import RunState
from gui.actions.training import SPEEDS, place_of
from gui.session import Change, Session
from gui.theme import mono_font, text_pixels
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

TEXTS = {
    "limit": "{speed:,g} steps/s",
    "limit shortly": "{speed:,g}/s",
    "behind": "{actual:,.0f} of {speed:,g}/s",
    "behind shortly": "{actual:,.0f}/s!",
    "all": "full speed",
    "all shortly": "full",
    "all at": "{actual:,.0f} steps/s",
    "all at shortly": "{actual:,.0f}/s",
    "tip": "Steps a second while the training runs, from 1 to all that there are; it can be changed while it runs.",
    "behind tip": "This network makes {actual:,.1f} steps a second here; {speed:,g} are asked for.",
    "all tip": "As many steps as there are: {actual:,.0f} a second now.",
}
"""Every sentence of the control."""
BEHIND = 0.85
"""A run that comes to less of what is asked for says so."""
SLIDER_PIXELS, SHORT_SLIDER_PIXELS = 96, 44
LONGEST, LONGEST_SHORTLY = "10,000 steps/s", "10,000/s"


class SpeedControl(QWidget):
    """A slider on a logarithmic scale; training takes another speed at once.

    Attributes:
        slider: the speed, as an index into SPEEDS.
        words: "60 steps/s".
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, len(SPEEDS) - 1)
        self.slider.setPageStep(3)
        self.slider.setAccessibleName("speed of training")
        self.slider.valueChanged.connect(self._choose)
        self.words = QLabel()
        self.words.setFont(mono_font(text_pixels(12)))
        self.name = muted_label("speed")
        filled(QHBoxLayout(self), self.name, self.slider, self.words, margins=(4, 0, 0, 0), spacing=6)
        session.changed.connect(self._follow)
        self.set_short(False)

    def set_short(self, short: bool) -> None:
        """Takes less room, with shorter words."""
        self._is_short = short
        self.name.setVisible(not short)
        self.slider.setFixedWidth(text_pixels(SHORT_SLIDER_PIXELS if short else SLIDER_PIXELS))
        longest = LONGEST_SHORTLY if short else LONGEST
        metrics = self.words.fontMetrics()  # of one size: other words ask for no other room
        self.words.setFixedSize(metrics.horizontalAdvance(longest), metrics.height())
        self._show()

    def _choose(self, place: int) -> None:
        self._session.training.set_control(SPEEDS[place], self._session.training.count)

    def _follow(self, change: Change) -> None:
        if change.control or change.run_state or change.moment:
            self._show()

    def _show(self) -> None:
        speed = self._session.training.speed
        with QSignalBlocker(self.slider):
            self.slider.setValue(place_of(speed))
        name, tip = self._name_and_tip(speed)
        figures = {"speed": speed or 0.0, "actual": self._actual}
        self.words.setText(TEXTS[f"{name} shortly" if self._is_short else name].format(**figures))
        tip = TEXTS[tip].format(**figures)
        for widget in (self, self.slider, self.words):
            widget.setToolTip(tip)

    @property
    def _actual(self) -> float:
        """Steps a second that the run makes; 0 while it stands still or has not told."""
        newest = self._session.newest
        return 0.0 if newest is None or self._session.run_state is not RunState.RUNNING else newest.steps_per_second

    def _name_and_tip(self, speed: float | None) -> tuple[str, str]:
        if speed is None:
            return ("all at", "all tip") if self._actual else ("all", "tip")
        is_behind = 0.0 < self._actual < BEHIND * speed
        return ("behind", "behind tip") if is_behind else ("limit", "tip")
