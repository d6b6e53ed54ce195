"""A slider for a number of the document, used next to the field in which it can be typed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QSlider

from gui.fields.binding import FieldBinding
from gui.scheduling import Throttle
from gui.session import Change

BETWEEN_EDITS = 40
"""Milliseconds between two edits while the slider is dragged: the last position counts, nothing queues up."""


@dataclass(frozen=True)
class SliderScale:
    """Mapping between the positions of a slider and numbers.

    Attributes:
        low: at the left end.
        high: at the right end, above `low`.
        step: between two positions; with 0 each position is a factor further, and numbers have two digits.
        n_positions: for a step of 0.
    """

    low: float
    high: float
    step: float = 0.0
    n_positions: int = 60

    @property
    def last(self) -> int:
        """The position at the right end; the left one is 0."""
        return round((self.high - self.low) / self.step) if self.step else self.n_positions

    def value(self, position: int) -> float:
        """The number at a position."""
        if self.step:
            return round(self.low + position * self.step, 10)
        number = self.low * (self.high / self.low) ** (position / self.last)
        return round(number, 1 - math.floor(math.log10(number)))

    def position(self, value: float) -> int:
        """The position nearest to a number; of one beyond an end, that end."""
        inside = min(max(value, self.low), self.high)
        share = (
            (inside - self.low) / (self.high - self.low)
            if self.step
            else math.log(inside / self.low) / math.log(self.high / self.low)
        )
        return round(share * self.last)


class FieldSlider(QSlider):
    """A slider on a number; dragging it is one undo step."""

    def __init__(self, binding: FieldBinding, scale: SliderScale, whole: bool = False) -> None:
        """Bind a slider.

        Args:
            binding: the field; its own rule may allow more than the slider offers.
            scale: numbers of the positions.
            whole: the field holds whole numbers.
        """
        super().__init__(Qt.Orientation.Horizontal)
        self._binding, self._scale, self._number = binding, scale, int if whole else float
        self._drag = 0
        self.setRange(0, scale.last)
        self.setPageStep(max(1, scale.last // 10))
        self.setAccessibleName(binding.label)
        self.setMinimumWidth(40)
        self._edits = Throttle(self._edit, lambda: BETWEEN_EDITS / 1000, self)
        self.sliderPressed.connect(self._begin)
        self.sliderReleased.connect(self._end)
        self.valueChanged.connect(lambda _position: self._edits.request())
        binding.session.commit_requested.connect(self._finish)
        binding.session.changed.connect(self._follow)
        self.show_value()

    def show_value(self) -> None:
        """Show the document's value; a disabled slider stands at its low end, as its number is not in use."""
        with QSignalBlocker(self):
            self.setValue(self._scale.position(self._binding.value) if self.isEnabled() else 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.show_value()

    def wheelEvent(self, event: Any) -> None:
        """Ignore the wheel, so that scrolling past a slider does not change it."""
        event.ignore()

    def _follow(self, change: Change) -> None:
        if self._binding.section in change and not self.isSliderDown() and not self._edits.waits:
            self.show_value()

    def _begin(self) -> None:
        self._drag += 1

    def _end(self) -> None:
        self._finish()
        self._drag += 1  # also where the last position was edited before the release

    def _finish(self) -> None:
        if self._edits.waits:
            self._edits.call()

    def _edit(self) -> None:
        """Set the position's number in the document; the number it already has changes nothing."""
        if self._scale.position(self._binding.value) != self.value():
            merge = f"{self._binding.label} {self._drag}" if self.isSliderDown() or self._drag else ""
            self._binding.edit(self._number(self._scale.value(self.value())), merge)
        if not self.isSliderDown():
            self._drag += 1
