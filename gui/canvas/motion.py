"""Nodes that stay move to their new places in less than 200 ms."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from engine.graph.picture import EMPTY_PICTURE, Picture
from gui.canvas.moves import between

MILLISECONDS = 160
MOST_MOVING = 400
"""Nodes and edges up to which things move; a larger graph is there at once."""


class Motion(QVariantAnimation):
    """The way of a scene's items from one picture to the next."""

    def __init__(self, scene: QObject, show: Callable[[Picture], None], settle: Callable[[], None]) -> None:
        """Moves what `scene` holds: `show` puts the items where a picture has them, `settle` where they belong."""
        super().__init__(scene)
        self._show_moving, self._settle_all = show, settle
        self._old: Picture = EMPTY_PICTURE
        self._new: Picture = EMPTY_PICTURE
        self.setStartValue(0.0)
        self.setEndValue(1.0)
        self.setDuration(MILLISECONDS)
        self.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.valueChanged.connect(self._show)
        self.finished.connect(self._settle)

    def begin(self, old: Picture, new: Picture) -> None:
        """Starts moving; large graphs and those without a common node are left where they are."""
        size = len(new.boxes) + len(new.circles) + len(new.edges)
        moving = any(key in old.boxes and old.boxes[key] != box for key, box in new.boxes.items())
        if moving and size <= MOST_MOVING:
            self._old, self._new = old, new
            self.start()
            self._show(0.0)  # Qt tells no first value; without it the new places would be seen for one frame

    def finish(self) -> None:
        """Ends at once, everything in its new place."""
        if self.state() == QVariantAnimation.State.Running:
            self.stop()
            self._settle_all()
        self._forget()

    def _show(self, share: float) -> None:
        self._show_moving(between(self._old, self._new, share))

    def _settle(self) -> None:
        self._settle_all()
        self._forget()

    def _forget(self) -> None:
        self._old = self._new = EMPTY_PICTURE
