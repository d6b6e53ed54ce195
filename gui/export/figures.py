"""A figure of a panel as a file, its picture as it stands or its numbers; and the data as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from datasets import Dataset, table_text
from engine.document.csv_text import Column, csv_text
from gui.export.animation import Work
from gui.export.drawing import IMAGE_FORMATS, ExportError, draw_image, png_bytes
from gui.export.exports import write_content
from gui.export.pictures import widget_drawing
from gui.export.target import extension_of

FigureData = Callable[[], Sequence[Column]]


def plot_work(plot: QWidget, figure_data: FigureData, path: Path, key: QWidget | None = None) -> Work:
    """A plot is painted at once, and its numbers are taken: its widget belongs to the GUI thread.

    Args:
        plot: any widget, such as one of pyqtgraph.
        figure_data: see `Panel.figure_data`.
        path: says the format.
        key: stands below the picture, see `Panel.figure_key`.

    Raises:
        ExportError: for a figure without numbers where they are wanted, or without a size.
    """
    extension = extension_of(path)
    if extension == "csv":
        columns = [(name, list(numbers)) for name, numbers in figure_data()]
        if not any(numbers for _, numbers in columns):
            raise ExportError("nothing to export: the figure is empty")
        return lambda report: write_content(csv_text(columns).encode(), path, report)
    drawing = widget_drawing(plot, key=key)
    if extension == "png":
        image = draw_image(drawing)
        return lambda report: write_content(png_bytes(image), path, report)
    content = IMAGE_FORMATS[extension].draw(drawing)
    return lambda report: write_content(content, path, report)


def data_work(data: Dataset, path: Path) -> Work:
    """Every point of a data set with its target, bit for bit; classes by their names."""
    return lambda report: write_content(table_text(data).encode(), path, report)
