"""Figure of a network's outputs around its data: a function of settings, weights and theme, for any thread.

For thumbnails of runs and the frames of a GIF, which threads make; two runs side by side draw its
outputs. The colours are those of the boundary panel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from engine.document import Document
from engine.experiment.assemble import network_shape
from engine.experiment.hidden_picture import decision_line
from engine.experiment.prepared import prepare
from engine.experiment.snapshot_network import SnapshotNetwork
from engine.network import LOSSES
from gui.painting import painting, saved
from gui.plots.data_points import SHADED_TEST, fills_and_markers, samples_of
from gui.plots.painted_plot import Frame, paint_words
from gui.plots.plane import MARGIN, class_map, fitted_bounds, rect_of_cells, surface_table
from gui.plots.plot import class_tints, drawable, range_around, rgb
from gui.theme import Colors

Floats = NDArray[Any]
MOST_POINTS, POINT_PIXELS, WORD_PIXELS = 500, 7.0, 10
FEW_POINTS = "{drawn:,} of {n:,} points drawn"


class BoundaryFigure:
    """Outputs over the plane of a document's data (or along the line of one input), and the points.

    Attributes:
        samples: the points that are drawn.
        raw: the points that are trained on, without features or scaling.
        n_columns: numbers that a point has; with more than two there is no figure, and all points lie on a diagonal.
        x, y: ranges of the figure.
        names: of its axes.
    """

    def __init__(self, document: Document, aspect: float = 1.0) -> None:
        """Takes data, network and loss of a document; `aspect` is width over height of the room."""
        self._data, self._shape = prepare(document.data), network_shape(document.network)
        self._loss, self.raw = LOSSES[document.training.loss], self._data.raw_train
        self.samples = samples_of(document, self._data, MOST_POINTS)
        self.n_columns = self.raw.n_features
        X = self._data.raw.X
        if self.n_columns == 2:
            left, right, bottom, top = fitted_bounds(X.min(axis=0), X.max(axis=0), aspect)
            self.x, self.y = (left, right), (bottom, top)
            self.names = (self.raw.feature_names[0], self.raw.feature_names[1])
        else:
            numbers = self.samples.all_targets.numbers
            self.x = range_around(X[:, 0], margin=MARGIN)
            self.y = range_around(drawable(np.append(numbers, self.samples.levels)), margin=MARGIN)
            self.names = (self.raw.feature_names[0], self.raw.target_name)

    @property
    def is_drawn(self) -> bool:
        """True when there is a figure: one or two inputs per point."""
        return self.n_columns <= 2

    def outputs(self, parameters: Floats, resolution: int) -> Floats:
        """Return the outputs of a network with these parameters, as probabilities where the loss reads them so.

        Returns:
            (resolution, resolution, n_outputs), rows by ascending y; (resolution, n_outputs) along a single input.
        """
        network = SnapshotNetwork(self._shape, np.asarray(parameters), 0, self._data, self._loss)
        x = np.linspace(*self.x, resolution)
        if self.n_columns == 1:
            return network.outputs(x[:, None])
        y = np.linspace(*self.y, resolution)
        points = np.column_stack([np.tile(x, resolution), np.repeat(y, resolution)])
        return network.outputs(points).reshape(resolution, resolution, -1)

    def image(self, outputs: Floats, colors: Colors) -> QImage:
        """Return the colours of a plane's outputs, the largest y at the top."""
        if outputs.shape[-1] > 1:
            pixels = class_map(outputs, np.array([rgb(tint) for tint in class_tints(colors)]), rgb(colors.canvas))
        else:
            low, high = self.samples.levels
            shares = (np.clip(np.nan_to_num(outputs[..., 0]), low, high) - low) / (high - low)
            pixels = surface_table(colors)[(shares * 255).astype(np.uint8)]
        rows = np.ascontiguousarray(pixels[::-1])
        height, width, _ = rows.shape
        return QImage(rows.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()

    def paint(self, painter: QPainter, frame: Frame, outputs: Floats, colors: Colors) -> None:
        """Paint outputs, decision line and points into a frame that spans `x` and `y`."""
        if self.n_columns == 2:
            self.paint_map(painter, frame, outputs, colors)
            line = decision_line(outputs, (*self.x, *self.y), self.samples.level)
            frame.paint_pairs(painter, *line, QPen(QColor(colors.text), 1.4))
        else:
            x = np.linspace(*self.x, len(outputs))
            frame.paint_curve(painter, x, drawable(outputs[:, -1]), QPen(QColor(colors.accent), 2.0))
        self.paint_points(painter, frame, colors)

    def paint_map(self, painter: QPainter, frame: Frame, outputs: Floats, colors: Colors) -> None:
        """Paint the colours of a plane's outputs, each around the place that it was computed for, as the panel does."""
        rect = rect_of_cells((*self.x, *self.y), outputs.shape)
        frame.paint_image(painter, self.image(outputs, colors), rect)

    def paint_points(self, painter: QPainter, frame: Frame, colors: Colors) -> None:
        """Paint the points, those that only test hollow: classes by colour and shape, on a map targets by colour."""
        samples, is_map = self.samples, self.n_columns == 2
        heights = samples.X[:, 1] if is_map else samples.targets.numbers
        fills, markers = fills_and_markers(samples, colors, by_target=is_map)
        rim = colors.text if is_map and samples.is_shaded else colors.panel
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(frame.inside)
            for row, (x, y) in enumerate(zip(*frame.place(samples.X[:, 0], heights), strict=True)):
                is_hollow = row >= samples.n_train
                shaded_test = is_hollow and is_map and samples.is_shaded
                with saved(painter):
                    painter.translate(x, y)
                    painter.scale(POINT_PIXELS, POINT_PIXELS)
                    hollow = is_hollow and not shaded_test
                    painter.setPen(QPen(QColor(fills[row] if hollow else rim), (1.6 if hollow else 0.8) / POINT_PIXELS))
                    painter.setBrush(QColor(colors.panel if hollow else fills[row]))
                    marker = SHADED_TEST if shaded_test else markers[row]
                    painter.drawPath(pg.graphicsItems.ScatterPlotItem.Symbols[marker])
            if samples.n_drawn < samples.n_all:
                note = FEW_POINTS.format(drawn=samples.n_drawn, n=samples.n_all)
                place = frame.inside.bottomLeft() + QPointF(4, -4)
                paint_words(painter, place, [(note, colors.text)], WORD_PIXELS)


def thumbnail(document: Document, parameters: Floats, colors: Colors, pixels: int) -> QImage:
    """Return a small picture of a network's outputs around its data, `pixels` wide and high; empty without a figure."""
    image = QImage(pixels, pixels, QImage.Format.Format_RGB32)
    image.fill(QColor(colors.neutral))
    figure = BoundaryFigure(document)
    if not figure.is_drawn:
        return image
    with painting(image) as painter:
        room = QRectF(0, 0, pixels, pixels)
        if figure.n_columns == 2:
            figure.paint_map(painter, Frame(room, figure.x, figure.y), figure.outputs(parameters, 24), colors)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            x, outputs = np.linspace(*figure.x, 48), drawable(figure.outputs(parameters, 48)[:, -1])
            Frame(room, figure.x, figure.y).paint_curve(painter, x, outputs, QPen(QColor(colors.accent), 1.5))
    return image
