"""Small pictures of examples and sessions, made in any thread.

A program is shown by its graph, or by its last lines where the graph is too large; a network by its data and first
outputs, or by its layers where its data have more than two inputs.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from engine.document import Document, replace_section
from engine.examples.examples import Example
from engine.experiment.assemble import make_model
from engine.language import Limits, ProgramError, evaluate
from engine.network import MLP
from engine.views.graph_view import GraphView, show_expression
from gui.export.drawing import Drawing, ExportError, draw_image
from gui.export.exports import PictureChoices, laid_out
from gui.painting import painting
from gui.plots.boundary_figure import BoundaryFigure
from gui.plots.painted_plot import Frame
from gui.theme import Colors, drawn_mono_font

MOST_VALUES = 40
"""Graphs with more values are no picture at this size."""
MOST_SECONDS = 3.0
"""Time for a user's program; one that takes longer is shown by its lines."""
MOST_NEURONS, NEURON_PIXELS = 8, 12.0
CODE_PIXELS, CODE_LINES = 18, 9


def picture_of_example(example: Example, colors: Colors, room: QSize) -> QImage:
    """Return a picture of an example.

    Args:
        example: its program is run in the sandbox; its network has its first weights.
        colors: of the theme.
        room: largest size, pixels.
    """
    if not example.text:
        document = Document()
        for section, changes in example.sections.items():
            document = replace_section(document, section, **changes)
        return _network_picture(document, colors, room)
    return _program_picture(example.text, colors, room)


def picture_of_document(document: Document, colors: Colors, room: QSize) -> QImage:
    """Return a picture of a session: its network as far as it is trained, or its program; see `picture_of_example`."""
    if document.view.shows == "network" or document.trained.step:
        return _network_picture(document, colors, room)
    return _program_picture(document.expression.text, colors, room, Limits(seconds=MOST_SECONDS))


def _program_picture(text: str, colors: Colors, room: QSize, limits: Limits | None = None) -> QImage:
    try:
        view = show_expression(evaluate(text, limits=limits), True, ("*",), ())
        if 1 < len(view.values) <= MOST_VALUES:
            return _graph_picture(view, colors, room)
    except (ProgramError, ExportError):
        pass
    return _code_picture(text, colors, room)


def _graph_picture(view: GraphView, colors: Colors, room: QSize) -> QImage:
    snapshot = laid_out(view, colors, Document().view, (room.width(), room.height()))
    drawing: Drawing = snapshot.drawing(PictureChoices(transparent=True))
    fit = min(room.width() / drawing.size.width(), room.height() / drawing.size.height())
    return draw_image(replace(drawing, scale=min(fit, 2.0)))


def _network_picture(document: Document, colors: Colors, room: QSize) -> QImage:
    figure, model = BoundaryFigure(document), make_model(document)
    if not figure.is_drawn:
        return _layers_picture(model, colors, room)
    image = _page(QSize(room.height(), room.height()))
    with painting(image) as painter:
        frame = Frame(QRectF(image.rect()), figure.x, figure.y)
        if figure.n_columns == 2:
            figure.paint_map(painter, frame, figure.outputs(model.weights, 48), colors)
        figure.paint_points(painter, frame, colors)
    return image


def _layers_picture(model: MLP, colors: Colors, room: QSize) -> QImage:
    """Draw neurons as circles and weights as lines between them."""
    image = _page(room)
    sizes = [min(size, MOST_NEURONS) for size in (model.n_inputs, *model.n_neurons)]
    columns = []
    for place, size in enumerate(sizes):
        x = room.width() * (place + 0.5) / len(sizes)
        between = room.height() / (max(sizes) + 0.5)
        columns.append([QPointF(x, room.height() / 2 + (row - (size - 1) / 2) * between) for row in range(size)])
    with painting(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colors.muted), 1.5))
        for left, right in pairwise(columns):
            for start in left:
                for end in right:
                    painter.drawLine(start, end)
        for number, column in enumerate(columns):
            tint = colors.input if number == 0 else colors.output if number == len(columns) - 1 else colors.parameter
            painter.setBrush(QColor(tint))
            for centre in column:
                painter.drawEllipse(centre, NEURON_PIXELS, NEURON_PIXELS)
    return image


def _code_picture(text: str, colors: Colors, room: QSize) -> QImage:
    """Draw the last lines of a program: the first ones of an engine are its class, equal in all of them."""
    image = _page(room)
    lines = [line for line in text.splitlines() if line.strip()][-CODE_LINES:]
    with painting(image) as painter:
        painter.setFont(drawn_mono_font(CODE_PIXELS))
        painter.setPen(QColor(colors.muted))
        height = room.height() / CODE_LINES
        for row, line in enumerate(lines):
            place = QRectF(8, row * height, room.width() - 8, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
    return image


def _page(size: QSize) -> QImage:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image
