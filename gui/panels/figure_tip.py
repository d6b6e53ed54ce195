"""Tooltips of figures: they stand beside the panel, for a tip under the pointer covers what it explains."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QToolTip, QWidget

from gui.widgets.labels import literal_tip

VALUE = "valueUnderPointer"
"""Property of a figure: the value under the pointer, where only a tooltip has room for it; "" for none."""
GAP = 4  # pixels between the panel and the tip
TIP_CLASS = "QTipLabel"  # Qt's, which has no public name


def tip_place(size: QSize, panel: QRect, screen: QRect) -> QPoint:
    """Return the upper left corner of a tip: below, above, right or left of the panel, where it fits on the screen.

    Where it fits nowhere, it stands at the edge of the screen that is farthest from the middle of the panel.

    Args:
        size: of the tip.
        panel: which the tip should not cover.
        screen: all in the same pixels.
    """
    x = max(screen.left(), min(panel.left(), screen.right() - size.width()))
    y = max(screen.top(), min(panel.top(), screen.bottom() - size.height()))
    places = [
        QPoint(x, panel.bottom() + GAP),
        QPoint(x, panel.top() - GAP - size.height()),
        QPoint(panel.right() + GAP, y),
        QPoint(panel.left() - GAP - size.width(), y),
    ]
    for place in places:
        if screen.contains(QRect(place, size)):
            return place
    above = panel.center().y() > screen.center().y()
    return QPoint(x, screen.top() if above else screen.bottom() - size.height())


class FigureTip(QObject):
    """Event filter that shows a figure's tooltip beside the panel of the figure."""

    def __init__(self, figure: QWidget, panel: QWidget) -> None:
        super().__init__(figure)
        self._figure, self._panel = figure, panel
        figure.installEventFilter(self)
        if isinstance(figure, QAbstractScrollArea):  # a scene would hide the value before it is asked for
            figure.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the value under the pointer, or the tooltip of the figure, on a tooltip event."""
        if event.type() != QEvent.Type.ToolTip:
            return False
        pointer = cast(QHelpEvent, event).globalPos()
        if value := self._figure.property(VALUE):
            QToolTip.showText(pointer, literal_tip(value), self._figure)
        elif watched is self._figure and self._figure.toolTip():
            show_beside(self._panel, self._figure, pointer)
        else:
            return False
        return True


def show_beside(panel: QWidget, figure: QWidget, pointer: QPoint) -> None:
    """Show the tooltip of a figure, then move it beside a panel."""
    QToolTip.showText(pointer, figure.toolTip(), figure)
    around = QRect(panel.mapToGlobal(QPoint()), panel.size())
    for widget in QApplication.topLevelWidgets():
        if widget.metaObject().className() == TIP_CLASS and widget.isVisible():
            widget.move(tip_place(widget.size(), around, figure.screen().availableGeometry()))
