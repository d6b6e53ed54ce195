"""Splitter that keeps the shares that the user has chosen, whatever sizes its panel gives it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter


class Splitter(QSplitter):
    """A splitter with a name; both orientations have shares of their own.

    Attributes:
        shares: by orientation, for each part its share of the room, as the user has dragged them; nothing for an
            orientation in which the panel, or Qt, decides.
    """

    def __init__(self, name: str, orientation: Qt.Orientation) -> None:
        super().__init__(orientation)
        self.setObjectName(name)
        self.shares: dict[Qt.Orientation, list[float]] = {}
        self._own: dict[Qt.Orientation, list[int]] = {}
        self.splitterMoved.connect(lambda _place, _index: self._follow_user())

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Set the sizes of the parts; where the user has chosen shares, only after a reset."""
        self._own[self.orientation()] = list(sizes)
        self.apply()

    def set_orientation(self, orientation: Qt.Orientation) -> None:
        super().setOrientation(orientation)
        if orientation in self.shares:
            self.apply()

    def apply(self) -> None:
        """Give the parts the shares of the user, or the sizes that they have by default."""
        room = self.width() if self.orientation() == Qt.Orientation.Horizontal else self.height()
        shares = self.shares.get(self.orientation())
        if shares is not None and len(shares) == self.count():
            super().setSizes([round(share * room) for share in shares])
        elif self.orientation() in self._own:
            super().setSizes(self._own[self.orientation()])

    def reset(self) -> None:
        """Forget the shares of the user."""
        self.shares.clear()
        hints = [part.sizeHint() for index in range(self.count()) if (part := self.widget(index)) is not None]
        is_horizontal = self.orientation() == Qt.Orientation.Horizontal
        self._own.setdefault(self.orientation(), [hint.width() if is_horizontal else hint.height() for hint in hints])
        self.apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.orientation() in self.shares:
            self.apply()

    def _follow_user(self) -> None:
        sizes = self.sizes()
        if sum(sizes) > 0:
            self.shares[self.orientation()] = [size / sum(sizes) for size in sizes]
