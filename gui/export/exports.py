"""What can be exported from the window, by menu, and from the command line: one path for both.

A new format of the graph is an entry of IMAGE_FORMATS or FORMATS; menu, command line and error messages follow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.document import View
from engine.document.files import write_atomically
from engine.document.graph_view import GraphView
from engine.document.outputs import same_file
from engine.graph import Picture, make_picture, passes, read_numbers
from engine.graph.formats import FORMATS, LookUp, write_graph
from engine.graph.moved import move_boxes
from gui.canvas import GraphCanvas
from gui.export.animation import BackwardPass, Written, write_animation, write_frames
from gui.export.dialog import PictureChoices, PictureDialog, at_most
from gui.export.drawing import IMAGE_FORMATS, Drawing, ExportError, write_drawing
from gui.export.pictures import copy_image, copy_svg, export_graph, export_widget, graph_drawing, lasting
from gui.export.target import chosen, extension_of, naming, target
from gui.panels.frame import PanelDock
from gui.panels.outdated import outdated
from gui.session import Session
from gui.theme import Colors


class ShownGraph(Protocol):
    """A panel that shows a graph."""

    session: Session
    canvas: GraphCanvas
    colors: Colors

    def window(self) -> QWidget:
        """What dialogs stand before."""


class Window(Protocol):
    """What a window has for the export menu."""

    @property
    def graph(self) -> ShownGraph:
        """The panel of the graph."""

    @property
    def docks(self) -> Mapping[str, PanelDock]:
        """The other panels, by the names of their classes."""


Write = Callable[[Path], Path | Written]
"""Writes a file and tells which."""

PICTURE = "Picture of the graph…"
"""The one entry that asks for more than a name."""
PLOTS = {"loss": ("Loss plot", "TrainingPanel"), "boundary": ("Decision boundary", "BoundaryPanel")}
"""Plots that can be exported: file name, title, panel."""
NAMES = {
    **{extension: kind.name for extension, kind in IMAGE_FORMATS.items()},
    **{extension: kind.name for extension, kind in FORMATS.items()},
    "gif": "GIF animation",
}
STILL = (*IMAGE_FORMATS, *FORMATS)


# The menus


def menu_entries(window: Window) -> dict[str, Callable[[], None]]:
    """Titles of the export menu and what they do: every format of the graph, the plots, and the clipboard."""
    entries = graph_entries(window.graph)
    for name, (title, panel) in PLOTS.items():
        ask = partial(_ask, window.graph, name, list(IMAGE_FORMATS), partial(_plot, window, panel))
        entries[f"{title}…"] = partial(_after_typing, window.graph, ask)
    return entries


def graph_entries(panel: ShownGraph) -> dict[str, Callable[[], None]]:
    """What the graph can be exported as: every format, the visible part, the backward pass, the clipboard."""
    entries: dict[str, Callable[[], None]] = {PICTURE: partial(_ask_for_choices, panel)}
    for extension in STILL:
        entries[f"Graph as {NAMES[extension]}…"] = partial(
            _ask, panel, "graph", [extension], _told_of_what(panel, _graph), STILL
        )
    entries["Visible part of the graph…"] = partial(
        _ask, panel, "graph", list(IMAGE_FORMATS), _told_of_what(panel, _visible)
    )
    entries["Backward pass as GIF…"] = partial(_ask, panel, "backward", ["gif"], _told_of_what(panel, _animated))
    entries["Backward pass as PNG frames…"] = partial(_ask_folder, panel, _told_of_what(panel, _frames))
    entries["Copy graph as image"] = partial(_copy, panel, PictureChoices())
    entries["Copy graph as SVG"] = partial(_copy, panel, PictureChoices("svg"))
    return {title: partial(_after_typing, panel, export) for title, export in entries.items()}


def _after_typing(panel: ShownGraph, export: Callable[[], None]) -> None:
    """Exports once the document has what is still being typed."""
    panel.session.commit_requested.emit()
    export()


# The command line


def export_shown(
    shown: GraphView,
    path: Path,
    colors: Colors,
    view: View,
    scale: float | None = None,
    transparent: bool = False,
) -> Written:
    """Lays out a graph and writes it in the format of the path's extension.

    Args:
        shown: what to draw.
        path: where to; without an extension a PNG is written.
        colors: the theme of a picture.
        view: says the direction, and which nodes were dragged where.
        scale: pixels per scene pixel of a PNG or GIF; None for 2 (PNG) or 1 (GIF, less where that would be too large).
        transparent: leaves the background out (PNG, SVG, PDF).

    Returns:
        What was written.

    Raises:
        ValueError: an unknown extension, an empty graph, too large a picture, a file that cannot be written.
    """
    path = target(path)
    with naming(path):
        if extension_of(path) in FORMATS:
            return Written(_write_text(shown, shown.numbers, path))
        picture = _placed(shown, view)
        if extension_of(path) == "gif":
            return write_animation(BackwardPass(shown, picture, colors, scale), path)
        readings = read_numbers(shown.graph, shown.numbers, shown.problems)
        pixels = 2.0 if scale is None else scale
        return Written(export_graph(picture, readings, path, colors=colors, scale=pixels, transparent=transparent))


def export_frames(shown: GraphView, folder: Path, colors: Colors, view: View, scale: float | None = None) -> Written:
    """Writes the backward pass of a graph as PNG images into a folder, one contribution each.

    Args:
        folder: is made when missing.
        shown, colors, view, scale: as for `export_shown`.

    Raises:
        ValueError: an empty graph, too long a pass, too large a scale, a folder that cannot be written, or one that
            holds other files of these names.
    """
    with naming(folder):
        return write_frames(BackwardPass(shown, _placed(shown, view), colors, scale), folder)


def _placed(shown: GraphView, view: View) -> Picture:
    *_, placed = passes(shown.graph, direction=view.direction, fold=True)  # as the canvas shows it in the end
    return move_boxes(make_picture(shown.graph, placed), view.moved_here)


# Asking and telling


def _ask(panel: ShownGraph, name: str, extensions: Sequence[str], write: Write, others: Collection[str] = ()) -> None:
    """Asks for a file and writes it.

    Args:
        name: proposed, without extension.
        extensions: the formats to choose from; the one in view completes a name.
        others: what may be typed besides.
    """
    filters = {f"{NAMES[extension]} (*.{extension})": extension for extension in extensions}
    dialog = QFileDialog(panel.window(), "Export", f"{name}.{extensions[0]}", ";;".join(filters))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(extensions[0])
    dialog.filterSelected.connect(lambda wanted: dialog.setDefaultSuffix(filters[wanted]))

    def save_as(path: str) -> None:
        in_view, allowed = dialog.defaultSuffix(), {*extensions, *others}
        save(panel, Path(path), lambda file: write(chosen(file, allowed, in_view)))

    dialog.fileSelected.connect(save_as)
    dialog.open()


def _ask_folder(panel: ShownGraph, write: Write) -> None:
    dialog = QFileDialog(panel.window(), "Folder for the frames")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.fileSelected.connect(lambda folder: save(panel, Path(folder), write))
    dialog.open()


def _ask_for_choices(panel: ShownGraph) -> None:
    def save_as(choices: PictureChoices) -> None:
        write = _told_of_what(panel, lambda panel, path: write_drawing(_drawn(panel, choices), path))
        _ask(panel, "graph", [choices.extension], write, IMAGE_FORMATS)

    PictureDialog(panel.window(), partial(_drawn, panel), save_as, partial(_copy, panel)).open()


def save(panel: ShownGraph, path: Path, write: Write) -> None:
    """Writes and says so; a problem is told and nothing is left behind."""
    session = panel.session.path
    try:
        if session is not None and same_file(path, session):
            raise ExportError(f"it is the session's own file {session.name}; choose another name")
        with naming(path):
            written = write(path)
    except ValueError as error:
        panel.session.message_posted.emit(f"{path.name} was not exported: {error}", "error")
        return
    note = written.note if isinstance(written, Written) else ""
    name = written.path.name if isinstance(written, Written) else written.name
    panel.session.message_posted.emit(note or f"exported {name}", "note")


def _told_of_what(panel: ShownGraph, write: Callable[[ShownGraph, Path], Path | Written]) -> Write:
    """Writes the graph, and remarks on it when it is not that of the text."""

    def write_and_remark(path: Path) -> Written:
        written = write(panel, path)
        written = written if isinstance(written, Written) else Written(written)
        reason = outdated(panel.session)
        note = f"{written.note or f'exported {written.path.name}'}. {reason}." if reason else written.note
        return replace(written, note=note)

    return write_and_remark


# What is written


def _write_text(shown: GraphView, look_up: LookUp, path: Path) -> Path:
    text = write_graph(shown.graph, extension_of(path), look_up, shown.problems)
    write_atomically(path, text.encode())
    return path


def _graph(panel: ShownGraph, path: Path) -> Path:
    if extension_of(path) in FORMATS:
        graph = panel.session.graph
        return _write_text(graph.graph_view, graph.look_up(), path)
    return write_drawing(_drawn(panel, PictureChoices()), path)


def _visible(panel: ShownGraph, path: Path) -> Path:
    return write_drawing(at_most(_drawn(panel, PictureChoices(visible_only=True))), path)


def _drawn(panel: ShownGraph, choices: PictureChoices) -> Drawing:
    """What is on the screen, with all its marks; or the whole graph as it stands, without what the user looks at."""
    canvas = panel.canvas
    return graph_drawing(
        canvas.picture,
        canvas.readings,
        colors=panel.colors,
        scale=choices.scale,
        transparent=choices.transparent,
        region=canvas.visible_region if choices.visible_only else None,
        decorations=canvas.decorations if choices.visible_only else lasting(canvas.decorations),
    )


def _copy(panel: ShownGraph, choices: PictureChoices) -> None:
    try:
        drawing = _drawn(panel, choices)
        if choices.extension == "svg":
            copy_svg(drawing)
        else:
            copy_image(drawing)
    except ValueError as error:
        panel.session.message_posted.emit(str(error), "error")
        return
    part = "what is on the screen" if choices.visible_only else "the graph"
    reason = outdated(panel.session)
    panel.session.message_posted.emit(f"{part} is on the clipboard" + (f". {reason}." if reason else ""), "note")


def _animated(panel: ShownGraph, path: Path) -> Written:
    return write_animation(_backward_pass(panel), path)


def _frames(panel: ShownGraph, folder: Path) -> Written:
    return write_frames(_backward_pass(panel), folder)


def _backward_pass(panel: ShownGraph) -> BackwardPass:
    return BackwardPass(panel.session.graph.graph_view, panel.canvas.picture, panel.colors)


def _plot(window: Window, panel: str, path: Path) -> Path:
    return export_widget(window.docks[panel].panel.plot, path)  # type: ignore[attr-defined]
