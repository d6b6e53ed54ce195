"""Rows, columns and scrolled areas of widgets, each made in one call."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLayout, QScrollArea, QWidget
from shiboken6 import invalidate

Part = QWidget | QLayout | int
Box = TypeVar("Box", bound=QBoxLayout)


def add_widgets(
    box: Box, *parts: Part, margins: tuple[int, int, int, int] | None = None, spacing: int | None = None
) -> Box:
    """A row or column with its parts.

    Args:
        box: an empty one.
        *parts: widgets and layouts in order; a number is the stretch of the one before it.
        margins: left, top, right, bottom, pixels; None: the style's.
        spacing: pixels between the parts; None: the style's.
    """
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.setStretch(box.count() - 1, part)
        elif isinstance(part, QWidget):
            box.addWidget(part)
        else:
            add_layout(box, part)
    return box


def add_layout(box: QBoxLayout, inner: QLayout) -> None:
    """Add a layout that already contains items; use this instead of `addLayout`.

    PySide makes a wrapper for each item. Qt deletes items without telling PySide, and a new C++ object at the same
    address, such as an item of a list, would get the old wrapper and crash. So these wrappers are invalidated.
    """
    box.addLayout(inner)
    _invalidate_item_wrappers(inner)


def _invalidate_item_wrappers(layout: QLayout) -> None:
    for index in range(layout.count()):
        item = layout.itemAt(index)
        if isinstance(item, QLayout):
            _invalidate_item_wrappers(item)
        elif item is not None:
            invalidate(item)


class _DownwardsArea(QScrollArea):
    """A scroll area whose content is as wide as the area, even where it would rather be wider.

    Its size hint is the content's, however high.
    """

    def sizeHint(self) -> QSize:
        content = self.widget()
        return super().sizeHint() if content is None else content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if (content := self.widget()) is not None:
            content.setMaximumWidth(self.viewport().width())
        super().resizeEvent(event)


def scrolled(content: QWidget, downwards_only: bool = False) -> QScrollArea:
    """Return a scroll area without a border and with the background of its parent; Tab goes to the controls in it."""
    area = _DownwardsArea(widgetResizable=True) if downwards_only else QScrollArea(widgetResizable=True)
    if downwards_only:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    for each in (area.viewport(), content):
        each.setAutoFillBackground(False)
    return area


def hold_layout(widget: QWidget) -> None:
    """Keep the size of the widgets inside, whatever size the widget itself gets."""
    if (layout := widget.layout()) is not None:
        layout.setEnabled(False)


def release_layout(widget: QWidget) -> None:
    """Let the widgets inside follow the widget's size again."""
    if (layout := widget.layout()) is not None:
        layout.setEnabled(True)
        layout.invalidate()
        if widget.isVisible():
            layout.activate()
