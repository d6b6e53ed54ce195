"""The map of a sweep: a cell for each pair of settings, its colour the median loss, or accuracy, of its seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal

from engine.document.sweeps.table import Cell
from gui.number_texts import reading_text
from gui.panels.color_scale import Entry, Scale
from gui.panels.plots import Plot
from gui.theme import LIGHT, mono_font

Place = tuple[int, int]
"""Column and row of a cell: places of its values among those of the two settings."""
RATIO_FOR_LOGARITHMS = 20.0
FAR_OFF = 1e6
"""Times the median: a loss above that is of a run on its way to diverge, and does not stretch the colours."""
LEAST_ROOM = 46.0, 14.0
"""Pixels across and up that a cell needs to have its number upon it."""
COLOR_MAP = "viridis"
"""Of even lightness, readable for colour-blind people and in grey; more is brighter, as on the loss surface."""
TEXTS = {
    "loss scale": "The colour of a cell is the median loss of its seeds, from {low} (dark, the best) to {high}{scale}.",
    "accuracy scale": "The colour of a cell is the median accuracy of its seeds, from {low} (dark) to {high} (bright, "
    "the best).",
    "logarithmic": ", each tenth as much colour as the one before",
    "best": "{number} best",
    "log": " (log)",
    "more": " and more",
    "diverged": "diverged",
}


class SweepMap(Plot):
    """Draws the cells that are there.

    Attributes:
        scale: what the colours stand for.

    Signals:
        hovered(object): the cell under the pointer, its column and row; None for none.
        clicked(object): a cell that was clicked, its column and row.
    """

    hovered = Signal(object)
    clicked = Signal(object)

    def __init__(self) -> None:
        super().__init__("map of the sweep")
        self.scale = Scale()
        self._cells: Mapping[Place, Cell] = {}
        self._size = (1, 1)
        self._colors = LIGHT
        self.image = pg.ImageItem(axisOrder="row-major")
        self.addItem(self.image)
        self._texts: list[pg.TextItem] = []
        self._mark = pg.PlotCurveItem()
        self.addItem(self._mark)
        self.axes["left"].setWidth(78)
        self.setMinimumHeight(60)
        self.box.setMouseEnabled(False, False)
        self.scene().sigMouseMoved.connect(self._point_at)
        self.scene().sigMouseClicked.connect(self._click)
        self.viewport().installEventFilter(self)

    def show_cells(
        self,
        names: tuple[str, str],
        values: tuple[Sequence[str], Sequence[str]],
        cells: Mapping[Place, Cell],
        accuracy: bool,
    ) -> None:
        """Draws a map.

        Args:
            names: of the settings across and up.
            values: theirs, in words.
            cells: by column and row; those that are missing stay empty.
            accuracy: colours and numbers are accuracies, not losses.
        """
        self._cells, self._size = cells, (len(values[0]), len(values[1]))
        for side, name, texts in zip(("bottom", "left"), names, values, strict=True):
            self.setLabel(side, name)
            self.axes[side].setTicks([list(enumerate(texts))])
        self.show_range((-0.5, self._size[0] - 0.5), (-0.5, self._size[1] - 0.5))
        self._draw(accuracy)

    def _draw(self, accuracy: bool) -> None:
        heights = np.full((self._size[1], self._size[0]), math.nan)
        for (column, row), cell in self._cells.items():
            figure = cell.accuracy if accuracy else cell.loss
            heights[row, column] = math.nan if figure is None or not math.isfinite(figure) else figure
        shares = self._shares(heights, accuracy)
        table = pg.colormap.get(COLOR_MAP).getLookupTable(nPts=256, alpha=False)
        pixels = np.empty((*heights.shape, 4), dtype=np.ubyte)
        pixels[...] = (0, 0, 0, 0)
        known = np.isfinite(shares)
        pixels[known, :3] = table[(shares[known] * 255).astype(int)]
        pixels[known, 3] = 255
        for (column, row), cell in self._cells.items():
            if not math.isfinite(cell.loss):
                pixels[row, column] = pg.mkColor(self._colors.line).getRgb()
        self.image.setImage(pixels, levels=None)
        self.image.setRect(QRectF(-0.5, -0.5, self._size[0], self._size[1]))
        self._write(heights, shares, accuracy)

    def _shares(self, heights: NDArray[Any], accuracy: bool) -> NDArray[Any]:
        """Where on the colour scale each cell stands, 0 to 1, brighter for more; nan for none."""
        known = heights[np.isfinite(heights)]
        if not known.size:
            self.scale = Scale()
            return heights
        low, most = float(known.min()), float(known.max())
        high = most if accuracy else float(known[known <= FAR_OFF * np.median(known)].max(initial=low))
        logarithmic = not accuracy and low > 0.0 and high / low > RATIO_FOR_LOGARITHMS
        numbers = np.log10(heights) if logarithmic else heights
        first, last = (math.log10(low), math.log10(high)) if logarithmic else (low, high)
        shares = (numbers - first) / (last - first) if last > first else np.where(np.isfinite(heights), 1.0, math.nan)
        self.scale = self._make_scale(low, high, logarithmic, accuracy, is_cut=most > high)
        return np.clip(shares, 0.0, 1.0)

    @staticmethod
    def _make_scale(low: float, high: float, logarithmic: bool, accuracy: bool, is_cut: bool) -> Scale:
        table = pg.colormap.get(COLOR_MAP).getLookupTable(nPts=256, alpha=False)
        texts = [f"{100 * low:.3g} %", f"{100 * high:.3g} %"] if accuracy else [reading_text(low), reading_text(high)]
        texts[1] += TEXTS["more"] if is_cut else ""
        words = TEXTS["accuracy scale" if accuracy else "loss scale"]
        scale = TEXTS["logarithmic"] if logarithmic else ""
        tip = words.format(low=texts[0], high=texts[1], scale=scale)
        texts[1] += TEXTS["log"] if logarithmic else ""
        texts[int(accuracy)] = TEXTS["best"].format(number=texts[int(accuracy)])
        return Scale(tuple(map(Entry, texts)), table, "", tip)

    def _write(self, heights: NDArray[Any], shares: NDArray[Any], accuracy: bool) -> None:
        """The number of each cell upon it, where there is room."""
        for text in self._texts:
            self.removeItem(text)
        self._texts.clear()
        room = self.box.width() / max(self._size[0], 1)
        if room < LEAST_ROOM[0] or self.box.height() / max(self._size[1], 1) < LEAST_ROOM[1]:
            return
        for (column, row), cell in self._cells.items():
            figure = heights[row, column]
            if math.isfinite(figure):
                words = f"{100 * figure:.3g} %" if accuracy else reading_text(figure)
                color = "#111111" if shares[row, column] > 0.55 else "#FFFFFF"
            elif math.isfinite(cell.loss):
                continue
            else:
                words, color = TEXTS["diverged"] if room > 70 else "×", self._colors.text
            text = pg.TextItem(words, color=color, anchor=(0.5, 0.5))
            text.setFont(mono_font(11))
            text.setPos(column, row)
            self.addItem(text, ignoreBounds=True)
            self._texts.append(text)

    def mark(self, place: Place | None) -> None:
        """Draws a frame around a cell; None: around none."""
        if place is None:
            self._mark.setData([], [])
            return
        x, y = place
        self._mark.setPen(pg.mkPen(self._colors.accent, width=2.5))
        self._mark.setData([x - 0.5, x + 0.5, x + 0.5, x - 0.5, x - 0.5], [y - 0.5, y - 0.5, y + 0.5, y + 0.5, y - 0.5])

    # The pointer

    def place_at(self, position: QPointF) -> Place | None:
        """The cell at a place of the scene, if there is one that has come in."""
        if not self.box.sceneBoundingRect().contains(position):
            return None
        point = self.box.mapSceneToView(position)
        place = math.floor(point.x() + 0.5), math.floor(point.y() + 0.5)
        return place if place in self._cells else None

    def _point_at(self, position: QPointF) -> None:
        place = self.place_at(position)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if place else Qt.CursorShape.ArrowCursor)
        self.hovered.emit(place)

    def _click(self, event: Any) -> None:
        place = self.place_at(event.scenePos())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(place)

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Nothing is under the pointer when it leaves the map."""
        if event.type() == QEvent.Type.Leave:
            self.hovered.emit(None)
        return False
