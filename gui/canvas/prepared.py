"""A picture with what the canvas needs to draw it, which may be made in another thread: the window only takes it over.

Everything in it is plain data or a value of Qt (rectangles, lines); no item, pixmap or font is made.
"""

from __future__ import annotations

from engine.graph.moved import links_of
from engine.graph.picture import Picture
from gui.canvas.far import FarDrawing
from gui.canvas.index import Index

FAR_FROM = 640
"""Nodes in view from which they are drawn from far."""


class Prepared:
    """One picture, ready to be drawn.

    Attributes:
        picture: what is drawn.
        links: who feeds whom in it.
        index: where everything is.
        far_drawing: the same as it is drawn from far; None where that is not likely to be needed.
    """

    def __init__(self, picture: Picture) -> None:
        """Takes a picture; linear in its size."""
        self.picture = picture
        self.links = links_of(picture)
        self.index = Index(picture)
        self.far_drawing = FarDrawing(picture) if len(self.index) > FAR_FROM else None
