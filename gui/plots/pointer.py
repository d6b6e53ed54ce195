"""Position of the pointer in a plot's coordinates, and its clicks."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal

from gui.plots.plot import Plot


class Pointer(QObject):
    """Watches a plot; drags, wheel and keys stay the plot's.

    Signals:
        moved(QPointF): over the inside of the plot, in its coordinates.
        left(): it is somewhere else now.
        clicked(QPointF): inside of it with the left button, without a drag, in its coordinates.
    """

    moved = Signal(QPointF)
    left = Signal()
    clicked = Signal(QPointF)

    def __init__(self, plot: Plot) -> None:
        super().__init__(plot)
        self._plot = plot
        plot.viewport().setMouseTracking(True)
        plot.viewport().installEventFilter(self)
        plot.scene().sigMouseClicked.connect(self._click)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the pointer's moves; leave every event to the plot."""
        if event.type() == QEvent.Type.MouseMove:
            self._move(self._plot.mapToScene(event.position().toPoint()))  # type: ignore[attr-defined]
        elif event.type() == QEvent.Type.Leave:
            self.left.emit()
        return False

    def _move(self, place: QPointF) -> None:
        if self._plot.box.sceneBoundingRect().contains(place):
            self.moved.emit(self._plot.box.mapSceneToView(place))
        else:
            self.left.emit()

    def _click(self, event: Any) -> None:
        box, place = self._plot.box, event.scenePos()
        is_one = event.button() == Qt.MouseButton.LeftButton and not event.double()
        if is_one and box.sceneBoundingRect().contains(place):
            self.clicked.emit(box.mapSceneToView(place))
