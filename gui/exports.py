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
from gui.canvas.drawing import IMAGE_FORMATS, Drawing
from gui.canvas.export import copy_image, copy_svg, export_graph, export_widget, graph_drawing
from gui.theme import Colors

if TYPE_CHECKING:
    from gui.main_window import MainWindow


PLOTS = {"loss": ("Loss plot", "TrainingPanel"), "boundary": ("Decision boundary", "BoundaryPanel")}
"""Plots that can be exported: file name, title, panel."""


def menu_entries(window: MainWindow) -> dict[str, Callable[[], None]]:
    """Titles of the export menu and what they do: every format of the graph, then the plots, then the clipboard."""
    entries: dict[str, Callable[[], None]] = {}
    names = {extension: kind.name for extension, kind in IMAGE_FORMATS.items()}
    names |= {extension: kind.name for extension, kind in FORMATS.items()}
    for extension, kind_name in names.items():
        filters = f"{kind_name} (*.{extension})"
        entries[f"Graph as {kind_name}…"] = partial(
            _ask, window, f"graph.{extension}", filters, partial(_graph, window)
        )
    filters = ";;".join(f"{kind.name} (*.{extension})" for extension, kind in IMAGE_FORMATS.items())
    for name, (title, panel) in PLOTS.items():
        entries[f"{title}…"] = partial(_ask, window, f"{name}.png", filters, partial(_plot, window, panel))
    entries["Visible part of the graph…"] = partial(_ask, window, "graph.png", filters, partial(_visible, window))
    entries["Copy graph as image"] = partial(_copy, window, copy_image)
    entries["Copy graph as SVG"] = partial(_copy, window, copy_svg)
    return entries


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


def _is_text(path: Path) -> bool:
    return path.suffix[1:].lower() in FORMATS


def _write_text(shown: Shown, path: Path) -> Path:
    write_atomically(path, write_graph(shown.graph, path.suffix[1:].lower()).encode())
    return path


def _ask(window: MainWindow, name: str, filters: str, write: Callable[[Path], Path]) -> None:
    dialog = QFileDialog(window, "Export", name, filters)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(Path(name).suffix[1:])
    dialog.fileSelected.connect(lambda chosen: save(window, Path(chosen), write))
    dialog.open()


def save(window: MainWindow, path: Path, write: Callable[[Path], Path]) -> None:
    """Writes and says so; a problem is told and nothing is left behind."""
    try:
        written = write(path)
    except (OSError, ValueError) as error:
        window.tell(f"{path.name} was not exported: {error}", "error")
        return
    window.tell(f"exported {written.name}")


def _graph(window: MainWindow, path: Path) -> Path:
    graph, canvas = window.session.graph, window.graph.canvas
    if _is_text(path):
        return _write_text(graph.shown, path)
    return export_graph(canvas.picture, graph.readings, path, colors=window.colors)


def _visible(window: MainWindow, path: Path) -> Path:
    canvas = window.graph.canvas
    return export_graph(
        canvas.picture, canvas.readings, path, colors=window.colors, region=canvas.visible_region, marks=canvas.marks
    )


def _copy(window: MainWindow, copy: Callable[[Drawing], None]) -> None:
    canvas = window.graph.canvas
    try:
        copy(graph_drawing(canvas.picture, canvas.readings, colors=window.colors))
    except ValueError as error:
        window.tell(str(error), "error")
        return
    window.tell("the graph is on the clipboard")


def _plot(window: MainWindow, panel: str, path: Path) -> Path:
    return export_widget(window.docks[panel].panel.plot, path)  # type: ignore[attr-defined]
