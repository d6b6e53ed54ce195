"""A matrix as a plot: coloured cells with texts upon them; one can be framed, and each of them clicked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont

from gui.plots.plot import Plot, Pointer
from gui.theme import Colors

Place = tuple[int, int]
"""Column and row of a cell, from 0."""
SQUARE: NDArray[Any] = np.array([[-0.5, 0.5, 0.5, -0.5, -0.5], [-0.5, -0.5, 0.5, 0.5, -0.5]])
"""The corners of a cell, from its middle."""


class CellMap(Plot):
    """The cell of column 2 and row 1 is the square around the point (2, 1) of the plot.

    Attributes:
        image: the colours.

    Signals:
        hovered(object): the cell under the pointer; None for none.
        clicked(object): a cell that was clicked.
    """

    hovered = Signal(object)
    clicked = Signal(object)

    def __init__(self, name: str) -> None:
        self._places: Collection[Place] = ()
        self._frame = pg.PlotCurveItem()
        super().__init__(name)
        self.image = pg.ImageItem(axisOrder="row-major")
        self._texts: list[pg.TextItem] = []
        self.addItem(self.image)
        self.addItem(self._frame)
        self.box.setMouseEnabled(False, False)
        pointer = Pointer(self)
        pointer.moved.connect(lambda place: self._point_at(self.cell_at(place)))
        pointer.left.connect(lambda: self._point_at(None))
        pointer.clicked.connect(self._click)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self._frame.setPen(pg.mkPen(colors.accent, width=2.5))

    def show_cells(
        self, pixels: NDArray[np.uint8], names: tuple[Sequence[str], Sequence[str]], places: Collection[Place]
    ) -> None:
        """Draw a matrix.

        Args:
            pixels: (n_rows, n_columns, 3 or 4) colours.
            names: of the columns, and of the rows.
            places: the cells that can be clicked.
        """
        self._places = places
        n_rows, n_columns, _ = pixels.shape
        self.image.setVisible(pixels.size > 0)
        if pixels.size:
            self.image.setImage(pixels, levels=None)
            self.image.setRect(QRectF(-0.5, -0.5, n_columns, n_rows))
            self.show_range((-0.5, n_columns - 0.5), (-0.5, n_rows - 0.5))
        for side, texts in zip(("bottom", "left"), names, strict=True):
            self.axes[side].setTicks([list(enumerate(texts))])

    def write(self, texts: Mapping[Place, tuple[str, str]], font: QFont) -> None:
        """Write texts on cells, given with their colours; clears all others."""
        while len(self._texts) < len(texts):
            self._texts.append(pg.TextItem(anchor=(0.5, 0.5)))
            self.addItem(self._texts[-1], ignoreBounds=True)
        for item in self._texts[len(texts) :]:
            item.hide()
        for item, (place, (text, color)) in zip(self._texts, texts.items(), strict=False):
            item.setText(text, color=color)
            item.setFont(font)
            item.setPos(*place)
            item.show()

    def mark(self, place: Place | None) -> None:
        """Draw a frame around a cell; None: around none."""
        x, y = ([], []) if place is None else np.array(place)[:, None] + SQUARE
        self._frame.setData(x, y)

    def room(self) -> tuple[float, float]:
        """Width and height of a cell, pixels."""
        (left, right), (bottom, top) = self.whole
        return self.box.width() / (right - left), self.box.height() / (top - bottom)

    # The pointer

    def cell_at(self, point: QPointF) -> Place | None:
        """The cell at a point of the plot, if it can be clicked."""
        place = round(point.x()), round(point.y())
        return place if place in self._places else None

    def _point_at(self, place: Place | None) -> None:
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if place else Qt.CursorShape.ArrowCursor)
        self.hovered.emit(place)

    def _click(self, point: QPointF) -> None:
        if (place := self.cell_at(point)) is not None:
            self.clicked.emit(place)
