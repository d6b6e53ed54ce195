"""Maps computed and the network painted in a thread, no more often than leaves time to the training.

What comes back is an image that the drawing has only to put on the screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QColor, QImage

from engine.network.neuron_maps import NeuronMaps
from gui.background import Job, once
from gui.painting import painting
from gui.panels.network.map_pictures import MapPictures, map_image, map_pictures, map_table
from gui.panels.network.network_picture import NetworkPicture
from gui.scheduling import Throttle

SHARE_OF_WORK = 0.2
"""Largest fraction of processor time for pictures of running training."""


@dataclass(frozen=True, eq=False)
class PictureRequest:
    """Everything that a picture is painted from.

    Attributes:
        picture: without maps.
        size: of the image, in pixels of the window.
        ratio: pixels of the screen for each of them.
        maps: computes the maps; None: the picture shows none.
        neuron: whose map is also wanted larger, as layer and number; None for none.
        enlarged: computes the larger map of a neuron, (1, height, width).
        levels: the outputs of the only output neuron that have the two full colours; None: as far below 0 as above.
    """

    picture: NetworkPicture
    size: QSize
    ratio: float
    maps: Callable[[], NeuronMaps] | None
    neuron: tuple[int, int] | None = None
    enlarged: Callable[[tuple[int, int]], NDArray[Any]] | None = None
    levels: tuple[float, float] | None = None


class PictureJob(QObject):
    """Paints one picture at a time; the newest request wins.

    Attributes:
        throttle: delays pictures of running training.

    Signals:
        painted(object, object): the NetworkPicture with its maps, and its QImage.
    """

    painted = Signal(object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job = Job("network picture", self)
        self._job.delivered.connect(self._take)
        self._wanted: PictureRequest | None = None
        self._seconds = 0.0
        self.throttle = Throttle(self._start, lambda: self._seconds / SHARE_OF_WORK, self)

    def ask(self, request: PictureRequest, at_once: bool) -> None:
        """Request a picture, at once or throttled: reports of running training come often."""
        self._wanted = request
        if at_once:
            self.throttle.call()
        else:
            self.throttle.request()

    def _start(self) -> None:
        request, self._wanted = self._wanted, None
        if request is not None:
            self._job.start(request, once(lambda: paint(request)), patient=True)

    def _take(self, _request: object, result: tuple[NetworkPicture, QImage, float]) -> None:
        picture, image, self._seconds = result
        self.painted.emit(picture, image)


def paint(request: PictureRequest) -> tuple[NetworkPicture, QImage, float]:
    """The picture with its maps, its image, and the seconds of a processor that both took."""
    began, picture = time.thread_time(), request.picture
    if request.maps is not None:
        table = map_table(picture.colors)
        shown = [len(column.ys) for column in picture.geometry.layers]
        maps = map_pictures(request.maps(), shown, table, request.levels)
        picture = replace(picture, maps=_with_enlarged(request, maps))
    image = QImage(request.size * request.ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(request.ratio)
    image.fill(QColor(picture.colors.panel))
    with painting(image) as painter:
        picture.paint(painter)
    return picture, image, time.thread_time() - began


def _with_enlarged(request: PictureRequest, maps: MapPictures) -> MapPictures:
    if request.neuron is None or request.enlarged is None:
        return maps
    layer, number = request.neuron
    scale, outputs = maps.scales[layer][number : number + 1], request.enlarged(request.neuron)
    image = map_image(outputs - maps.middle(layer), scale, map_table(request.picture.colors))
    return replace(maps, enlarged=(request.neuron, image))
