"""A picture with what the canvas needs to draw it, which may be made in another thread: the window only takes it over.

Everything in it is plain data or a value of Qt (rectangles, lines); no item, pixmap or font is made.
"""

from __future__ import annotations

from engine.graph.moved import links_of
from engine.graph.picture import Picture
from gui.canvas.low_detail import LowDetailDrawing
from gui.canvas.spatial_index import SpatialIndex


class PreparedPicture:
    """One picture, ready to be drawn.

    Attributes:
        picture: the picture to draw.
        links: who feeds whom in it.
        index: where everything is.
        low_detail_drawing: the picture at low detail.
    """

    def __init__(self, picture: Picture) -> None:
        """Takes a picture; linear in its size."""
        self.picture = picture
        self.links = links_of(picture)
        self.index = SpatialIndex(picture)
        self.low_detail_drawing = LowDetailDrawing(picture, self.index)
