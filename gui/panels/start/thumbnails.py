"""Small pictures of documents: the graph of a program, or what a network says of its data; made in any thread."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from engine.document import Document
from engine.experiment.assemble import make_model
from engine.language import ProgramError, evaluate
from engine.views.graph_view import show_expression
from gui.export.drawing import ExportError, at_most, draw_image
from gui.export.exports import PictureChoices, laid_out
from gui.painting import painting
from gui.plots.boundary_figure import thumbnail
from gui.theme import Colors

MOST_VALUES = 40
"""Graphs with more values are no picture at this size."""


def picture_of(document: Document, colors: Colors, width: int, height: int) -> QImage | None:
    """Return a picture of this size in pixels; None where there is nothing to see.

    Args:
        document: its program is run in the sandbox, its network has its first weights.
        colors: of the theme.
        width, height: pixels.
    """
    if document.view.shows == "network" or not document.expression.text.strip():
        return _centred(thumbnail(document, make_model(document).weights, colors, height), width, height)
    try:
        view = show_expression(evaluate(document.expression.text), True, ("*",), ())
        if not 0 < len(view.values) <= MOST_VALUES:
            return None
        drawing = laid_out(view, colors, document.view).drawing(PictureChoices(scale=1.0))
        image = draw_image(at_most(drawing))
    except (ProgramError, ExportError):
        return None
    return _centred(image, width, height)


def _centred(image: QImage, width: int, height: int) -> QImage:
    """Return an image made as large as fits in the middle of a transparent one."""
    aspect, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    fitted = image.scaled(width, height, aspect, smooth)
    page = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    page.fill(Qt.GlobalColor.transparent)
    with painting(page) as painter:
        painter.drawImage((width - fitted.width()) // 2, (height - fitted.height()) // 2, fitted)
    return page
