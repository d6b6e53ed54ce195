"""What a network gives around its data, as a figure: a function of settings, weights and theme, in any thread.

For thumbnails of runs, two runs side by side and the frames of a GIF. The colours are those of the boundary panel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from engine.document import Document
from engine.document.prepared import prepare
from engine.network import LOSSES, encode
from engine.network.level_line import level_line
from engine.network.shape import NetworkShape
from gui.painted_plot import Frame
from gui.panels.planes.decision import decision_level, strongest_levels
from gui.panels.planes.plane import MARGIN, class_map, fitted_bounds
from gui.panels.plots import MARKERS, class_colors, class_tints, color_table, drawable, range_around, target_colors
from gui.theme import Colors

Floats = NDArray[Any]
MOST_POINTS, POINT_PIXELS = 500, 7.0


class BoundaryFigure:
    """Outputs over the plane of a document's data (or along the line of one input), and the points.

    Attributes:
        n_columns: numbers that a point has; with more than two there is no figure, and all points lie on a diagonal.
        x, y: what the figure spans.
        names: of its axes.
    """

    def __init__(self, document: Document, aspect: float = 1.0) -> None:
        """Takes data, network and loss of a document; `aspect` is width over height of the room."""
        data, network = prepare(document.data), document.network
        self._to_inputs, self.raw = data.to_inputs, data.raw_train
        self.n_columns = self.raw.n_features
        self._shape = NetworkShape(network.layer_sizes, (*network.activations, network.output_activation))
        self._loss = LOSSES[document.training.loss]
        self._targets = encode(self._loss, self.raw.y, network.layer_sizes[-1])
        self._level = decision_level(self._loss, self._targets)
        self._levels = strongest_levels(self._level, self._targets)
        numbers = drawable(np.asarray(self._targets.numbers, dtype=float))
        if self.n_columns == 2:
            left, right, bottom, top = fitted_bounds(self.raw.X.min(axis=0), self.raw.X.max(axis=0), aspect)
            self.x, self.y = (left, right), (bottom, top)
            self.names = (self.raw.feature_names[0], self.raw.feature_names[1])
        else:
            self.x = range_around(self.raw.X[:, 0], margin=MARGIN)
            self.y = range_around(np.append(numbers, self._levels), margin=MARGIN)
            self.names = (self.raw.feature_names[0], self.raw.target_name)

    @property
    def is_drawn(self) -> bool:
        """Whether there is a figure: one or two numbers a point."""
        return self.n_columns <= 2

    def outputs(self, parameters: Floats, resolution: int) -> Floats:
        """What a network with these parameters gives, probabilities where the loss reads outputs so.

        Returns:
            (resolution, resolution, n_outputs), rows by ascending y; (resolution, n_outputs) along a single input.
        """
        x = np.linspace(*self.x, resolution)
        if self.n_columns == 1:
            return self._readable(parameters, x[:, None])
        y = np.linspace(*self.y, resolution)
        points = np.column_stack([np.tile(x, resolution), np.repeat(y, resolution)])
        return self._readable(parameters, points).reshape(resolution, resolution, -1)

    def _readable(self, parameters: Floats, points: Floats) -> Floats:
        outputs = self._shape.outputs(np.asarray(parameters), self._to_inputs(points))
        with np.errstate(all="ignore"):
            return self._loss.probabilities(outputs)

    def image(self, outputs: Floats, colors: Colors) -> QImage:
        """The colours of a plane's outputs, the largest y at the top."""
        if outputs.shape[-1] > 1:
            pixels = class_map(outputs, np.array([_rgb(tint) for tint in class_tints(colors)]), _rgb(colors.canvas))
        else:
            low, high = self._levels
            shares = (np.clip(np.nan_to_num(outputs[..., 0]), low, high) - low) / (high - low)
            pixels = _table(colors)[(shares * 255).astype(np.uint8)]
        rows = np.ascontiguousarray(pixels[::-1])
        height, width, _ = rows.shape
        return QImage(rows.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()

    def paint(self, painter: QPainter, frame: Frame, outputs: Floats, colors: Colors) -> None:
        """The whole figure into a frame that spans `x` and `y`: outputs, where the decision changes, points."""
        if self.n_columns == 2:
            frame.paint_image(painter, self.image(outputs, colors))
            if self._level is not None:
                bounds = (*self.x, *self.y)
                line = level_line(outputs[..., 0], bounds, self._level)
                frame.paint_pairs(painter, *line, QPen(QColor(colors.text), 1.4))
        else:
            x = np.linspace(*self.x, len(outputs))
            frame.paint_curve(painter, x, drawable(outputs[:, -1]), QPen(QColor(colors.accent), 2.0))
        self.paint_points(painter, frame, colors)

    def paint_points(self, painter: QPainter, frame: Frame, colors: Colors) -> None:
        """The training points: classes apart by colour and shape, on a map of numbers coloured by their targets."""
        rows = slice(None, MOST_POINTS)
        X = self.raw.X[rows]
        up = X[:, 1] if self.n_columns == 2 else np.asarray(self._targets.numbers[rows], dtype=float)
        across, heights = frame.place(X[:, 0], up)
        brushes, markers = self._looks_of_points(len(X), colors)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(frame.inside)
        is_shaded = not self.raw.n_classes and self.n_columns == 2
        painter.setPen(QPen(QColor(colors.text if is_shaded else colors.panel), 0.8 / POINT_PIXELS))
        for x, y, brush, marker in zip(across.tolist(), heights.tolist(), brushes, markers, strict=True):
            painter.save()
            painter.translate(x, y)
            painter.scale(POINT_PIXELS, POINT_PIXELS)
            painter.setBrush(QColor(brush))
            painter.drawPath(Symbols[marker])
            painter.restore()
        painter.restore()

    def _looks_of_points(self, count: int, colors: Colors) -> tuple[list[str], list[str]]:
        """The colour and the marker of each of the first points."""
        if self.raw.n_classes:
            palette, kinds = class_colors(colors), self.raw.classes[:count].tolist()
            return [palette[kind] for kind in kinds], [MARKERS[kind] for kind in kinds]
        if self.n_columns == 1:
            return [colors.positive] * count, ["o"] * count
        return target_colors(np.asarray(self._targets.numbers[:count]), self._levels, colors), ["o"] * count


def _rgb(name: str) -> NDArray[np.float64]:
    color = QColor(name)
    return np.array([color.red(), color.green(), color.blue()], dtype=float)


@lru_cache(4)
def _table(colors: Colors) -> NDArray[np.uint8]:
    return color_table(colors.negative_tint, colors.canvas, colors.positive_tint)


def thumbnail(document: Document, parameters: Floats, colors: Colors, pixels: int) -> QImage:
    """A small picture of what a network gives around its data, `pixels` wide and high; empty where there is none."""
    image = QImage(pixels, pixels, QImage.Format.Format_RGB32)
    image.fill(QColor(colors.neutral))
    figure = BoundaryFigure(document)
    if not figure.is_drawn:
        return image
    painter = QPainter(image)
    room = QRectF(0, 0, pixels, pixels)
    if figure.n_columns == 2:
        Frame(room, figure.x, figure.y).paint_image(painter, figure.image(figure.outputs(parameters, 24), colors))
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        x, outputs = np.linspace(*figure.x, 48), drawable(figure.outputs(parameters, 48)[:, -1])
        Frame(room, figure.x, figure.y).paint_curve(painter, x, outputs, QPen(QColor(colors.accent), 1.5))
    painter.end()
    return image
