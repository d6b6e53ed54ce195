"""What can be exported from the window, by menu: each entry asks for a file name and writes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from engine.document.files import write_atomically
from engine.document.shown import Shown
from engine.graph import layout, make_picture, read_numbers
from engine.graph.formats import FORMATS, write_graph
from gui.canvas.animation import BackwardPass, Written, write_animation, write_frames
from gui.canvas.drawing import IMAGE_FORMATS, Drawing
from gui.canvas.export import copy_image, copy_svg, export_graph, export_widget, graph_drawing
from gui.theme import Colors

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.panels.graph import GraphPanel


Write = Callable[[Path], Path | Written]
"""Writes a file and tells which."""

PLOTS = {"loss": ("Loss plot", "TrainingPanel"), "boundary": ("Decision boundary", "BoundaryPanel")}
"""Plots that can be exported: file name, title, panel."""


def menu_entries(window: MainWindow) -> dict[str, Callable[[], None]]:
    """Titles of the export menu and what they do: every format of the graph, the plots, and the clipboard."""
    entries = graph_entries(window.graph)
    for name, (title, panel) in PLOTS.items():
        entries[f"{title}…"] = partial(
            _ask, window.graph, f"{name}.png", _image_filters(), partial(_plot, window, panel)
        )
    return entries


def graph_entries(panel: GraphPanel) -> dict[str, Callable[[], None]]:
    """What the graph can be exported as: every format, the visible part, the clipboard."""
    entries: dict[str, Callable[[], None]] = {}
    names = {extension: kind.name for extension, kind in IMAGE_FORMATS.items()}
    names |= {extension: kind.name for extension, kind in FORMATS.items()}
    for extension, kind_name in names.items():
        filters = f"{kind_name} (*.{extension})"
        entries[f"Graph as {kind_name}…"] = partial(_ask, panel, f"graph.{extension}", filters, partial(_graph, panel))
    entries["Visible part of the graph…"] = partial(
        _ask, panel, "graph.png", _image_filters(), partial(_visible, panel)
    )
    gif, frames = partial(_animated, panel), partial(_frames, panel)
    entries["Backward pass as GIF…"] = partial(_ask, panel, "backward.gif", "GIF animation (*.gif)", gif)
    entries["Backward pass as PNG frames…"] = partial(_ask_folder, panel, frames)
    entries["Copy graph as image"] = partial(_copy, panel, copy_image)
    entries["Copy graph as SVG"] = partial(_copy, panel, copy_svg)
    return entries


def _image_filters() -> str:
    return ";;".join(f"{kind.name} (*.{extension})" for extension, kind in IMAGE_FORMATS.items())


def export_shown(
    shown: Shown, path: Path, colors: Colors, scale: float = 2.0, transparent: bool = False, direction: str = "right"
) -> Path:
    """Lays out a graph and writes it in the format of the path's extension.

    Args:
        shown: what to draw.
        path: where to; without an extension a PNG is written.
        colors: the theme of a picture.
        scale: pixels per scene pixel of a PNG.
        transparent: leaves the background out (PNG).
        direction: "right" or "down".

    Returns:
        The path that was written.

    Raises:
        ValueError: an unknown extension, an empty graph, too large a picture.
        OSError: when the file cannot be written.
    """
    if _is_text(path):
        return _write_text(shown, path)
    picture = make_picture(shown.graph, layout(shown.graph, direction=direction))
    readings = read_numbers(shown.graph, shown.numbers, shown.problems)
    return export_graph(picture, readings, path, colors=colors, scale=scale, transparent=transparent)


def export_animation(
    shown: Shown, path: Path, colors: Colors, scale: float | None = None, direction: str = "right"
) -> Written:
    """Writes the backward pass of a graph as a GIF, or its frames where Pillow is missing.

    Args:
        shown, path, colors, direction: as for `export_shown`.
        scale: pixels per scene pixel; None for 1, or less where that would be too large.

    Raises:
        ValueError: an empty graph, too long a pass, too large a scale.
        OSError: when the file cannot be written.
    """
    picture = make_picture(shown.graph, layout(shown.graph, direction=direction))
    return write_animation(BackwardPass(shown, picture, colors, scale), path)


def _is_text(path: Path) -> bool:
    return path.suffix[1:].lower() in FORMATS


def _write_text(shown: Shown, path: Path) -> Path:
    write_atomically(path, write_graph(shown.graph, path.suffix[1:].lower()).encode())
    return path


def _ask(panel: GraphPanel, name: str, filters: str, write: Write) -> None:
    dialog = QFileDialog(panel.window(), "Export", name, filters)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(Path(name).suffix[1:])
    dialog.fileSelected.connect(lambda chosen: save(panel, Path(chosen), write))
    dialog.open()


def _ask_folder(panel: GraphPanel, write: Write) -> None:
    dialog = QFileDialog(panel.window(), "Folder for the frames")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.fileSelected.connect(lambda chosen: save(panel, Path(chosen), write))
    dialog.open()


def save(panel: GraphPanel, path: Path, write: Write) -> None:
    """Writes and says so; a problem is told and nothing is left behind."""
    try:
        written = write(path)
    except (OSError, ValueError) as error:
        panel.session.told.emit(f"{path.name} was not exported: {error}", "error")
        return
    note = written.note if isinstance(written, Written) else ""
    name = written.path.name if isinstance(written, Written) else written.name
    panel.session.told.emit(note or f"exported {name}", "note")


def _graph(panel: GraphPanel, path: Path) -> Path:
    graph, canvas = panel.session.graph, panel.canvas
    if _is_text(path):
        return _write_text(graph.shown, path)
    return export_graph(canvas.picture, graph.readings, path, colors=panel.colors)


def _animated(panel: GraphPanel, path: Path) -> Written:
    return write_animation(_backward_pass(panel), path)


def _frames(panel: GraphPanel, path: Path) -> Written:
    return write_frames(_backward_pass(panel), path)


def _backward_pass(panel: GraphPanel) -> BackwardPass:
    return BackwardPass(panel.session.graph.shown, panel.canvas.picture, panel.colors)


def _visible(panel: GraphPanel, path: Path) -> Path:
    canvas = panel.canvas
    return export_graph(
        canvas.picture, canvas.readings, path, colors=panel.colors, region=canvas.visible_region, marks=canvas.marks
    )


def _copy(panel: GraphPanel, copy: Callable[[Drawing], None]) -> None:
    canvas = panel.canvas
    try:
        copy(graph_drawing(canvas.picture, canvas.readings, colors=panel.colors))
    except ValueError as error:
        panel.session.told.emit(str(error), "error")
        return
    panel.session.told.emit("the graph is on the clipboard", "note")


def _plot(window: MainWindow, panel: str, path: Path) -> Path:
    return export_widget(window.docks[panel].panel.plot, path)  # type: ignore[attr-defined]
