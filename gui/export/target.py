"""Export targets: the formats, the file's name, and errors that name it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.file_access import reason_of
from engine.graph.formats import FORMATS
from engine.messages import unknown_name
from gui.export.drawing import IMAGE_FORMATS, ExportError

FORMAT_NAMES = (
    {extension: kind.name for extension, kind in IMAGE_FORMATS.items()}
    | {"gif": "GIF animation"}
    | {extension: kind.name for extension, kind in FORMATS.items()}
    | {"html": "stepper page (HTML)"}
)
"""Everything that can be made of a graph: the names of the formats by extension."""
PLOT_FORMAT_NAMES = {extension: kind.name for extension, kind in IMAGE_FORMATS.items()} | {"csv": "CSV table"}
"""The same of a plot: its picture, or its numbers."""
TEXT_NAMES = {"py": "Python program", "html": "Web page"}
"""The same of code."""
STILL = tuple(extension for extension in FORMAT_NAMES if extension != "gif")
"""Formats of a single moment."""


def target(path: Path) -> Path:
    """The file to write, looked at before anything is drawn.

    Args:
        path: as the user named it; without an extension it becomes a PNG.

    Raises:
        ExportError: for a folder, a folder that is missing, or an extension of no format.
    """
    if path.is_dir():
        raise ExportError(f"{str(path)!r} is a folder: name a file in it, such as {path / 'graph.png'}")
    if not path.parent.is_dir():
        raise ExportError(f"no folder {str(path.parent)!r}")
    if not path.suffix:
        return with_extension(path, "png")
    extension = extension_of(path)
    if extension not in FORMAT_NAMES:
        raise ExportError(unknown_name("format", extension, tuple(FORMAT_NAMES)))
    return path


def extension_of(path: Path) -> str:
    """The extension in small letters, without its dot; "" for none."""
    return path.suffix[1:].lower()


def with_extension(path: Path, extension: str) -> Path:
    """The path with one more extension."""
    return path.with_name(f"{path.name.rstrip('.')}.{extension}")


def chosen(path: Path, extensions: Collection[str], extension: str) -> Path:
    """The file that a user chose in a dialog, where one format is in view.

    Args:
        path: as chosen.
        extensions: those that may be written there, without dots.
        extension: the one in view; added when the name ends in none of them.

    Raises:
        ExportError: when a file with the extension added exists: nobody was asked about that one.
    """
    if extension_of(path) in extensions:
        return path
    completed = with_extension(path, extension)
    if completed.exists():
        raise ExportError(f"{completed.name} exists already; choose it by its whole name to replace it")
    return completed


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn the system's error on a temporary file into a sentence on the target file.

    Raises:
        ExportError: instead of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise ExportError(f"{path} could not be written: {reason_of(error)}") from None
