"""A figure of a panel as a file, its picture as it stands or its numbers; and the data as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QApplication, QGraphicsView, QWidget

from datasets import Dataset, table_text
from engine.csv_text import Column, csv_text
from gui.export.animation import Work
from gui.export.drawing import IMAGE_FORMATS, Drawing, ExportError, draw_image, png_bytes
from gui.export.exports import write_content
from gui.export.pictures import other_fonts
from gui.export.target import extension_of
from gui.widgets.labels import Legend

LEAST_FIGURE = QSize(960, 540)
"""Pixels of an exported plot at least, however small its panel is; not of a map whose axes have one unit."""
KEY_MARGIN = 4.0
"""Pixels between a figure and the key below it."""

FigureData = Callable[[], Sequence[Column]]


def plot_work(
    plot: QWidget, figure_data: FigureData, path: Path, key: QWidget | None = None, background: str = ""
) -> Work:
    """Paint a plot and copy its numbers immediately, as its widget belongs to the GUI thread.

    Args:
        plot: any widget, such as one of pyqtgraph.
        figure_data: see `Panel.figure_data`.
        path: its extension is the format.
        key: stands below the picture, see `Panel.figure_key`.
        background: colour of the panel, behind widgets that are no plots.

    Raises:
        ExportError: for a figure without numbers, or without a size.
    """
    extension = extension_of(path)
    columns = [(name, list(numbers)) for name, numbers in figure_data()]
    if not any(numbers for _, numbers in columns):
        raise ExportError("nothing to export: the figure is empty")
    if extension == "csv":
        return lambda report: write_content(csv_text(columns).encode(), path, report)
    drawing = widget_drawing(plot, key=key, background=background)
    if extension == "png":
        image = draw_image(drawing)
        return lambda report: write_content(png_bytes(image), path, report)
    content = IMAGE_FORMATS[extension].draw(drawing)
    return lambda report: write_content(content, path, report)


def data_work(data: Dataset, path: Path) -> Work:
    """Every point of a data set with its target, bit for bit; classes by their names."""
    return lambda report: write_content(table_text(data).encode(), path, report)


def widget_drawing(view: QWidget, scale: float = 2.0, key: QWidget | None = None, background: str = "") -> Drawing:
    """Return a widget or a plot as a drawing of its present size; a plot of at least `LEAST_FIGURE`.

    Args:
        view: any widget, such as one of pyqtgraph.
        scale: pixels for a pixel of the screen (PNG only), > 0.
        key: legend widget of colours or curves; drawn below, unless it is hidden.
        background: colour behind a widget that is no plot and has none of its own; "": the window's colour.

    Raises:
        ExportError: when it has no size yet.
    """
    if view.rect().isEmpty():
        raise ExportError("nothing to export: the plot has no size yet")
    laid_out = view.size().expandedTo(LEAST_FIGURE) if _is_free(view) else view.size()
    source = QRect(QPoint(), laid_out)
    size = QSizeF(source.size())
    shown_key = None if key is None or key.isHidden() else key
    if isinstance(shown_key, Legend):
        shown_key = shown_key.whole(laid_out.width())
    if shown_key is not None:
        size = QSizeF(max(size.width(), shown_key.width()), size.height() + shown_key.height() + KEY_MARGIN)

    def paint(painter: QPainter) -> None:
        if isinstance(view, QGraphicsView):
            painter.fillRect(QRectF(0, 0, size.width(), size.height()), view.backgroundBrush())
            with _laid_out(view, laid_out), _drawn_without_caches(view):
                view.render(painter, QRectF(0, 0, source.width(), source.height()), source)
        else:
            if background:
                painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(background))
            flags = QWidget.RenderFlag.DrawChildren
            with _without_controls(view), _laid_out(view, laid_out), _drawn_without_caches(view):
                if view.findChildren(QGraphicsView):
                    _paint_parts(view, QPoint(), painter)
                else:
                    flags = flags if background else flags | QWidget.RenderFlag.DrawWindowBackground
                    view.render(painter, QPoint(), renderFlags=flags)
        if shown_key is not None:
            shown_key.render(painter, QPoint(0, source.height()), renderFlags=QWidget.RenderFlag.DrawChildren)

    with _laid_out(view, laid_out):
        if _is_plot(view):
            windows = [(QRectF(QPointF(), size), _window(view))]
        else:
            plots = [(plot, plot.mapTo(view, QPoint())) for plot in view.findChildren(QGraphicsView) if _is_plot(plot)]
            windows = [(QRectF(QRect(at, plot.size())), _window(plot).translated(at)) for plot, at in plots]
    return Drawing(size, paint, "Plot", scale, other_fonts(view.font(), "sans-serif"), windows)


def _is_plot(view: QWidget) -> bool:
    return isinstance(view, QGraphicsView) and hasattr(view, "plotItem")


def _window(plot: Any) -> QRectF:
    """The room inside the axes of a plot, in its pixels."""
    return QRectF(plot.mapFromScene(plot.plotItem.getViewBox().sceneBoundingRect()).boundingRect())


def _paint_parts(whole: QWidget, corner: QPoint, painter: QPainter) -> None:
    """Paint what a widget consists of, and its plots by themselves, as shapes."""
    for part in whole.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if not part.isVisibleTo(whole):
            continue
        place = corner + part.pos()
        if isinstance(part, QGraphicsView):
            area = QRect(place, part.size())
            painter.fillRect(area, part.backgroundBrush())
            part.render(painter, QRectF(area), part.rect())
        elif part.findChildren(QGraphicsView):
            _paint_parts(part, place, painter)
        else:
            part.render(painter, place, renderFlags=QWidget.RenderFlag.DrawChildren)


@contextmanager
def _drawn_without_caches(view: QWidget) -> Iterator[None]:
    """Make the items of a plot, or of the plots in a widget, draw shapes instead of cached pixels."""
    plots = [view] if isinstance(view, QGraphicsView) else view.findChildren(QGraphicsView)
    items = [item for plot in plots for item in plot.scene().items() if hasattr(item, "setExportMode")]
    for item in items:
        item.setExportMode(True, {"antialias": True, "resolutionScale": 1.0})
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)


def _is_free(view: QWidget) -> bool:
    """Return True for a plot that can be drawn in any size: its axes do not share one unit, or it says so."""
    plot = getattr(view, "plotItem", None)
    return bool(view.property("anySize")) or (plot is not None and not plot.getViewBox().state["aspectLocked"])


@contextmanager
def _laid_out(view: QWidget, size: QSize) -> Iterator[None]:
    """Lay a plot out in another size while it is drawn; a panel behind a tab gets its resize events, too."""
    before = view.size()
    _resize(view, before, size)
    try:
        yield
    finally:
        _resize(view, size, before)


def _resize(view: QWidget, old: QSize, new: QSize) -> None:
    if old != new:
        view.resize(new)
        if not view.isVisible():
            QApplication.sendEvent(view, QResizeEvent(new, old))
        if (layout := view.layout()) is not None:
            layout.activate()


@contextmanager
def _without_controls(view: QWidget) -> Iterator[None]:
    """Hide the buttons of a figure that is edited by them (`show_controls`) while it is drawn."""
    show_controls = getattr(view, "show_controls", lambda visible: None)
    show_controls(False)
    try:
        yield
    finally:
        show_controls(True)
