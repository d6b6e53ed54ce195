"""Content and format of graph exports: one path for the window and the command line.

A new format is an entry of IMAGE_FORMATS (drawing.py) or FORMATS (engine/graph/formats); menus, dialogs, command line
and error messages follow. The page to step through is made by engine/page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QRectF

from engine.document import View
from engine.file_access import write_atomically
from engine.graph import EMPTY_PICTURE, BoxNumbers, Picture, make_picture, read_numbers
from engine.graph.formats import FORMATS, LookUp, write_graph
from engine.graph.legibility import PAGE, PLAIN_CHOICE, FormChoice, Size
from engine.graph.moved import move_boxes
from engine.graph.placing import choose_form, place
from engine.views.graph_view import GraphView
from gui.canvas.decorations import Decoration
from gui.export.animation import BackwardPass, Report, Written, write_animation, write_frames
from gui.export.drawing import IMAGE_FORMATS, Drawing
from gui.export.pictures import graph_drawing, whole_region
from gui.export.target import extension_of, naming, target
from gui.theme import Colors


@dataclass(frozen=True)
class PictureChoices:
    """Options of a picture.

    Attributes:
        extension: a key of IMAGE_FORMATS.
        visible_only: the visible part with its marks; else the whole graph.
        scale: pixels of a PNG for a scene pixel, above 0.
        transparent: no background.
    """

    extension: str = "png"
    visible_only: bool = False
    scale: float = 2.0
    transparent: bool = False


@dataclass(frozen=True)
class GraphSnapshot:
    """Snapshot of a graph: later changes in the window do not affect the export.

    Attributes:
        graph_view: the graph.
        look_up: its numbers with all digits.
        colors: the theme.
        picture, readings: as they are drawn; empty where only texts are wanted.
        decorations, visible_decorations: marks of the whole graph, and of the visible part.
        region: the visible part, scene pixels.
        choice: the form of its boxes, and the direction.
        page: makes the page that steps through the graph.
    """

    graph_view: GraphView
    look_up: LookUp
    colors: Colors
    picture: Picture = EMPTY_PICTURE
    readings: Mapping[str, BoxNumbers] = field(default_factory=dict)
    decorations: Mapping[object, Decoration] = field(default_factory=dict)
    visible_decorations: Mapping[object, Decoration] = field(default_factory=dict)
    region: QRectF | None = None
    choice: FormChoice = PLAIN_CHOICE
    page: Callable[[], str] = str

    def drawing(self, choices: PictureChoices) -> Drawing:
        """Return the visible canvas with all its marks, or the whole graph in its current state.

        Raises:
            ExportError: when there is nothing to draw.
        """
        return graph_drawing(
            self.picture,
            self.readings,
            colors=self.colors,
            scale=choices.scale,
            transparent=choices.transparent,
            region=self.region if choices.visible_only else self._whole,
            decorations=self.visible_decorations if choices.visible_only else self.decorations,
        )

    @cached_property
    def _whole(self) -> QRectF:
        return whole_region(self.picture, self.decorations)

    def content(self, choices: PictureChoices) -> bytes:
        """The bytes of a file, in any format but GIF.

        Raises:
            ValueError: for an empty graph, or too large a picture.
        """
        if choices.extension == "html":
            return self.page().encode()
        if choices.extension in FORMATS:
            view = self.graph_view
            return write_graph(view.graph, choices.extension, self.look_up, view.problems, self.choice).encode()
        return IMAGE_FORMATS[choices.extension].draw(self.drawing(choices))

    def backward_pass(self, scale: float | None = None) -> BackwardPass:
        """The backward pass as frames; arguments and errors as for `BackwardPass`."""
        return BackwardPass(self.graph_view, self.picture, self.colors, scale)


def write_content(content: bytes, path: Path, report: Report = lambda share: None) -> Written:
    """Replace a file, unless `report` cancels."""
    report(1.0)
    write_atomically(path, content)
    return Written(path)


def laid_out(graph_view: GraphView, colors: Colors, view: View, room: Size = PAGE) -> GraphSnapshot:
    """A graph without a window, laid out as the canvas shows it in the end; `room` is where it is to be seen."""
    graph = graph_view.graph
    choice = choose_form(graph, view.style, room)
    *_, placed = place(graph, choice, view.layout)
    picture = move_boxes(make_picture(graph, placed, choice.form), view.moved_here)
    readings = read_numbers(graph_view.graph, graph_view.numbers, graph_view.problems)
    return GraphSnapshot(graph_view, graph_view.numbers, colors, picture, readings, choice=choice)


def export_graph(
    graph_view: GraphView,
    path: Path,
    colors: Colors,
    view: View,
    scale: float | None = None,
    transparent: bool = False,
    page: Callable[[], str] = str,
) -> Written:
    """Lays out a graph and writes it in the format of the path's extension.

    Args:
        graph_view: what to draw.
        path: where to; without an extension a PNG is written.
        colors: the theme of a picture.
        view: form, direction and layout, and places of dragged nodes.
        scale: pixels per scene pixel of a PNG or GIF; None for 2 (PNG) or 1 (GIF, less where that would be too large).
        transparent: leaves the background out (PNG, SVG, PDF).
        page: makes the page that steps through the graph (HTML).

    Returns:
        The written file.

    Raises:
        ValueError: an unknown extension, an empty graph, too large a picture, a file that cannot be written.
    """
    path = target(path)
    extension = extension_of(path)
    choices = PictureChoices(extension, scale=2.0 if scale is None else scale, transparent=transparent)
    with naming(path):
        if extension == "html":
            return write_content(page().encode(), path)
        if extension in FORMATS:
            choice = choose_form(graph_view.graph, view.style)
            text = GraphSnapshot(graph_view, graph_view.numbers, colors, choice=choice)
            return write_content(text.content(choices), path)
        snapshot = laid_out(graph_view, colors, view)
        if extension == "gif":
            return write_animation(snapshot.backward_pass(scale), path)
        return write_content(snapshot.content(choices), path)


def export_frames(
    graph_view: GraphView, folder: Path, colors: Colors, view: View, scale: float | None = None
) -> Written:
    """Writes the backward pass of a graph as PNG images into a folder, one contribution each.

    Args:
        folder: is made when missing.
        graph_view, colors, view, scale: as for `export_graph`.

    Raises:
        ValueError: an empty graph, too long a pass, too large a scale, a folder that cannot be written, or one that
            holds other files of these names.
    """
    with naming(folder):
        return write_frames(laid_out(graph_view, colors, view).backward_pass(scale), folder)
