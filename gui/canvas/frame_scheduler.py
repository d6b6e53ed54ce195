"""Work limits of a frame: while the view moves, missing parts are painted over several frames.

At rest a frame shows everything, however long that takes, so that a picture taken of the canvas is complete. While a
user zooms or pans, frames must not wait: what is not ready is shown as it was at another zoom, or as a draft.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

REST_MILLISECONDS = 120
"""Delay after the last move before everything is made sharp, a few tiles in a frame."""

Mode = Literal["still", "moving", "settling"]


class FrameScheduler(QObject):
    """Says how much work the frames of one canvas may do.

    Attributes:
        mode: "still" frames are complete, "moving" ones take what there is, "settling" ones make what is missing bit by
            bit after a move.

    Signals:
        settling_started(): the view has come to rest.
        continued(): a frame left something out, which can be made now.
    """

    settling_started = Signal()
    continued = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.mode: Mode = "still"
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self._come_to_rest)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.continued)

    @property
    def is_time_limited(self) -> bool:
        """True when a frame may leave work to the next one."""
        return self.mode != "still"

    def start_moving(self) -> None:
        """The view moves, and will go on to."""
        self.mode = "moving"
        self._rest.start()

    def stand_still(self) -> None:
        """The next frame shall be complete."""
        self.mode = "still"
        self._rest.stop()
        self._soon.stop()

    def start_settling(self) -> None:
        """The next frames shall make what is missing bit by bit."""
        self.stand_still()
        self.mode = "settling"

    def _come_to_rest(self) -> None:
        self.mode = "settling"
        self.settling_started.emit()

    def end_frame(self, complete: bool) -> None:
        """A frame has been painted."""
        if not complete:
            self._soon.start()
        elif self.mode == "settling":
            self.mode = "still"
