"""The drawn network as a widget: the neuron under the pointer or the keyboard's cursor is enlarged and read out.

`network_picture` paints it, `network_geometry` knows the places; here are the interactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.experiment.snapshot_network import Neuron
from gui.number_texts import reading_text
from gui.painting import painting
from gui.panels.network.network_geometry import ParameterPlace, least_width, place_network
from gui.panels.network.network_picture import (
    DrawnNumbers,
    Mode,
    NetworkPicture,
    all_matrices,
    describe,
    signed,
)
from gui.theme import LIGHT, Colors, mono_font, set_text_sized, text_pixels

Floats = NDArray[Any]
LEAST_HEIGHT = 72  # pixels
ENLARGED, BORDER = 132, 6  # pixels: side of an enlarged map, room around it
MOST_READ = 8
"""Weights of a neuron that are read out on a line, and written next to its enlarged map."""
TEXTS = {
    "input": "Input {name}",
    "neuron": "L{layer}N{neuron}   {numbers}",
    "weight": "{name} {number}: from {source} to L{layer}N{neuron}",
    "weight gradient": "{name} {number}, gradient {gradient}: from {source} to L{layer}N{neuron}",
    "bias": "{name} {number}",
    "bias gradient": "{name} {number}, gradient {gradient}",
    "range": "{low} to {high}",
    "nothing": "Drawing of the network. Arrow keys move between neurons; Return edits a weight or bias.",
}
"""Texts of the drawing."""
VECTORS = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)


@dataclass(frozen=True)
class Reading:
    """Neuron or parameter under the pointer."""

    neuron: Neuron
    parameter: ParameterPlace | None = None


class NetworkDrawing(QWidget):
    """Paints the network.

    Attributes:
        picture: the requested picture with all places, and the maps painted last.
        sizes: neurons of every layer, inputs first.
        reading: neuron or weight under the pointer or the keyboard's cursor; None for none.
        enlarges: show an enlarged map next to the neuron under the pointer.
        pinned: the parameter that is being changed, or None: its neuron is framed.
        is_figure: painted for an export, without marks of the pointer.

    Signals:
        reading_changed(str): text on the neuron or weight under the pointer; "" for none.
        neuron_changed(): another neuron is pointed at, or none.
        chosen(object): the ParameterPlace that was clicked on, or chosen by Return.
        arranged(): the geometry of the picture is new.
    """

    reading_changed = Signal(str)
    neuron_changed = Signal()
    chosen = Signal(object)
    arranged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sizes: tuple[int, ...] = (1, 1)
        self._weights = DrawnNumbers((np.zeros((1, 2)),))
        self._gradients = DrawnNumbers((np.zeros((1, 2)),), known=False, kind="gradient")
        self._image: QImage | None = None
        self.reading: Reading | None = None
        self.enlarges = True
        self.pinned: ParameterPlace | None = None
        self.is_figure = False
        geometry, font = place_network(self.sizes, 100, 100), mono_font(10)
        self.picture = NetworkPicture(geometry, self._weights, "maps", None, LIGHT, font, ("x1",))
        set_text_sized(self, setMinimumHeight=LEAST_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("the network, drawn")
        self.setAccessibleDescription(TEXTS["nothing"])

    def sizeHint(self) -> QSize:
        return QSize(240, 170)

    def minimumSizeHint(self) -> QSize:
        return QSize(int(least_width(self.sizes)), text_pixels(LEAST_HEIGHT))

    # Content

    def set_colors(self, colors: Colors) -> None:
        """Set the theme's colours and discard pictures in the previous ones."""
        self.picture, self._image = replace(self.picture, colors=colors, font=mono_font(10), maps=None), None
        self.update()

    def set_mode(self, mode: Mode) -> None:
        """Show maps, weights, gradients or biases, as soon as they are painted."""
        self._change_picture(mode=mode)

    def show_network(
        self, layer_sizes: Sequence[int], parameters: Floats, gradients: Floats | None, names: Sequence[str] = ()
    ) -> None:
        """Show a network.

        Args:
            layer_sizes: neurons of every layer, inputs first.
            parameters: (n_parameters,) in the order of `MLP.weights`.
            gradients: likewise, of the last step; None where there are none.
            names: of the inputs; x1, x2 and so on where there are none.
        """
        sizes = tuple(layer_sizes)
        inputs = tuple(names) or tuple(f"x{index}" for index in range(1, sizes[0] + 1))
        self._weights = DrawnNumbers(all_matrices(sizes, np.asarray(parameters, dtype=float)))
        known = parameters * 0.0 if gradients is None else np.asarray(gradients, dtype=float)
        self._gradients = DrawnNumbers(all_matrices(sizes, known), gradients is not None, kind="gradient")
        is_named = inputs == self.picture.names
        self._change_picture(names=inputs)
        if sizes == self.sizes and not is_named:
            self.arrange()
        if sizes != self.sizes:
            self.sizes, self.reading, self.pinned = sizes, None, None
            self.updateGeometry()
            self.arrange()
        self._read_out()

    def show_painted(self, picture: NetworkPicture, image: QImage) -> None:
        """Show a painted picture; one of outdated places, modes or colours is ignored."""
        mine = self.picture
        if (picture.geometry, picture.mode, picture.colors) == (mine.geometry, mine.mode, mine.colors):
            self.picture, self._image = replace(mine, maps=picture.maps), image
            self.update()

    def pin(self, place: ParameterPlace | None) -> None:
        """Frame the neuron whose number is being changed."""
        self.pinned = place
        self.update()

    def _change_picture(self, **changes: Any) -> None:
        """Change the mode of the drawing."""
        picture = replace(self.picture, **changes)
        self.picture = replace(picture, numbers=self._gradients if picture.mode == "gradients" else self._weights)

    def arrange(self) -> None:
        """Place everything in the present size."""
        metrics = QFontMetricsF(self.picture.font)
        names = max((metrics.horizontalAdvance(name) for name in self.picture.drawn_names), default=0.0) + 1.0
        geometry = place_network(self.sizes, self.width(), self.height(), names)
        if geometry != self.picture.geometry:
            self._change_picture(geometry=geometry, maps=None)
            self.arranged.emit()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.arrange()

    # Pointing and the keyboard

    @property
    def pointed_at(self) -> Neuron | None:
        """The neuron under the pointer or the keyboard's cursor; None also over one of its weights or its bias."""
        return None if self.reading is None or self.reading.parameter is not None else self.reading.neuron

    def leave(self) -> None:
        """Point at nothing."""
        self._point_at(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._found(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._found(event.position())
        if event.button() == Qt.MouseButton.LeftButton and found is not None:
            self._point_at(found)
            self._choose(found)

    def _found(self, point: QPointF) -> Reading | None:
        x, y = point.x(), point.y()
        place = self.picture.geometry.parameter_at(x, y)
        neuron = self.picture.geometry.neuron_at(x, y)
        if neuron is not None and (place is None or place.weight):
            return Reading(neuron)
        return None if place is None else Reading((place.layer, place.neuron - 1), place)

    def _choose(self, found: Reading) -> None:
        (layer, neuron), place = found.neuron, found.parameter
        if layer:
            self.chosen.emit(place or ParameterPlace(layer, neuron + 1, 1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
        key = Qt.Key(event.key())
        if key in steps:
            (across, down), (layer, neuron) = steps[key], (1, -1) if self.reading is None else self.reading.neuron
            layer = min(max(layer + across, 0), len(self.sizes) - 1)
            neuron = min(max(neuron + down, 0), len(self.picture.geometry.layers[layer].ys) - 1)
            self._point_at(Reading((layer, neuron)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.reading is not None:
            self._choose(self.reading)
        elif key == Qt.Key.Key_Escape and self.reading is not None:
            self._point_at(None)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.underMouse():
            self._point_at(None)

    def _point_at(self, reading: Reading | None) -> None:
        if reading != self.reading:
            other = (reading and reading.neuron) != (self.reading and self.reading.neuron)
            self.reading = reading
            self.update()
            self._read_out()
            if other:
                self.neuron_changed.emit()

    def _read_out(self) -> None:
        words = self.describe()
        self.setAccessibleDescription(words or TEXTS["nothing"])
        self.reading_changed.emit(words)

    def describe(self) -> str:
        """Describe the neuron under the pointer with its numbers, or the weight or bias; "" for nothing."""
        if self.reading is None:
            return ""
        (layer, neuron), place = self.reading.neuron, self.reading.parameter
        if layer == 0:
            return TEXTS["input"].format(name=self.picture.names[neuron])
        if place is None:
            numbers = describe(self.picture.numbers, layer, neuron, MOST_READ)
            return TEXTS["neuron"].format(layer=layer, neuron=neuron + 1, numbers=numbers)
        column = place.weight - 1  # -1: the bias, the last one
        source = self.picture.names[column] if layer == 1 else f"L{layer - 1}N{place.weight}"
        if self._gradients.known:
            sentence = TEXTS["weight gradient"] if place.weight else TEXTS["bias gradient"]
        else:
            sentence = TEXTS["weight"] if place.weight else TEXTS["bias"]
        return sentence.format(
            name=place.name,
            number=signed(self._weights.matrices[layer - 1][neuron, column]),
            gradient=signed(self._gradients.matrices[layer - 1][neuron, column]),
            source=source,
            layer=layer,
            neuron=neuron + 1,
        )

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            if self.is_figure or painter.paintEngine().type() in VECTORS:
                self.picture.paint(painter)  # an export stays sharp at every size
                return
            if self._image is not None:
                painter.drawImage(0, 0, self._image)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.pinned is not None:
                self._paint_frame(painter, (self.pinned.layer, self.pinned.neuron - 1))
            if self.reading is not None:
                self._paint_frame(painter, self.reading.neuron)
                self._paint_enlarged(painter, self.reading.neuron)

    def _paint_frame(self, painter: QPainter, neuron: Neuron) -> None:
        layer, row = neuron
        if row < len(self.picture.geometry.layers[layer].ys):
            column, side = self.picture.geometry.layers[layer], self.picture.geometry.side + 3
            painter.setPen(QPen(QColor(self.picture.colors.accent), 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(column.x - side / 2, column.ys[row] - side / 2, side, side), 4, 4)

    def _paint_enlarged(self, painter: QPainter, neuron: Neuron) -> None:
        maps, (layer, row) = self.picture.maps, neuron
        if (
            not self.enlarges
            or maps is None
            or self.picture.mode != "maps"
            or row >= len(self.picture.geometry.layers[layer].ys)
        ):
            return
        # on the side of the neuron with more room, inside the widget
        column, half = self.picture.geometry.layers[layer], self.picture.geometry.side / 2 + 10
        width, height = ENLARGED + 2 * BORDER, ENLARGED + 2 * BORDER + 16
        left = column.x + half if column.x < self.width() / 2 else column.x - half - width
        top = min(max(column.ys[row] - height / 2, 1), self.height() - height - 1)
        place = QRectF(left, max(top, 1), width, height)
        painter.setPen(QPen(QColor(self.picture.colors.accent), 1.0))
        painter.setBrush(QColor(self.picture.colors.panel))
        painter.drawRoundedRect(place, 6, 6)
        square = QRectF(place.left() + BORDER, place.top() + BORDER, ENLARGED, ENLARGED)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if maps.enlarged is not None and maps.enlarged[0] == neuron:
            painter.drawImage(square, maps.enlarged[1])
        else:
            painter.drawImage(square, maps.images[layer], QRectF(0, row * maps.width, maps.width, maps.width))
        painter.setFont(mono_font(11))
        painter.setPen(QColor(self.picture.colors.text))
        middle, scale = maps.middle(layer), maps.scales[layer][row]
        low, high = (reading_text(level, signed=middle == 0.0) for level in (middle - scale, middle + scale))
        words = QRectF(place.left(), square.bottom(), place.width(), place.bottom() - square.bottom())
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, TEXTS["range"].format(low=low, high=high))
