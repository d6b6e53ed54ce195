"""What can be exported from the window, by menu: each entry asks for a file name and writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.graph.formats import FORMATS, write_graph
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from engine.document.files import write_atomically
from engine.document.shown import Shown
from engine.graph import layout, make_picture, read_numbers
from gui.canvas.export import export_graph, export_widget
from gui.theme import Colors

if TYPE_CHECKING:
    from gui.main_window import MainWindow


def menu_entries(window: MainWindow) -> dict[str, Callable[[], None]]:
    """Titles of the export menu and what they do."""
    return {
        "Graph as PNG…": lambda: _ask(window, "graph", "png", lambda path: _graph(window, path)),
        "Graph as SVG…": lambda: _ask(window, "graph", "svg", lambda path: _graph(window, path)),
        "Graph as PDF…": lambda: _ask(window, "graph", "pdf", lambda path: _graph(window, path)),
        "Loss plot as PNG or SVG…": lambda: _ask(
            window, "loss", "png", lambda path: _plot(window, "TrainingPanel", path), "PNG (*.png);;SVG (*.svg)"
        ),
        "Decision boundary as PNG or SVG…": lambda: _ask(
            window, "boundary", "png", lambda path: _plot(window, "BoundaryPanel", path), "PNG (*.png);;SVG (*.svg)"
        ),
    }


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
    if path.suffix[1:].lower() in FORMATS:
        write_atomically(path, write_graph(shown.graph, path.suffix[1:].lower()).encode())
        return path
    picture = make_picture(shown.graph, layout(shown.graph, direction=direction))
    readings = read_numbers(shown.graph, shown.numbers, shown.problems)
    return export_graph(picture, readings, path, colors=colors, scale=scale, transparent=transparent)


def _ask(window: MainWindow, name: str, extension: str, write: Callable[[Path], Path], kinds: str = "") -> None:
    dialog = QFileDialog(window, "Export", f"{name}.{extension}", kinds or f"{extension.upper()} (*.{extension})")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(extension)
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
    graph = window.session.graph
    return export_graph(graph.picture, graph.readings, path, colors=window.colors)


def _plot(window: MainWindow, panel: str, path: Path) -> Path:
    return export_widget(window.docks[panel].panel.plot, path)  # type: ignore[attr-defined]
