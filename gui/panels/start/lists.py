"""Lists that are parts of a page: as high as their rows, opened by a click or Return, scrolled with the page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QFrame, QScrollArea, QSizePolicy, QWidget

OPENING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
SCROLLING_KEYS = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.OtherFocusReason)


class PageScrolling(QObject):
    """Lets the wheel scroll the page while it is over a widget in it; with Ctrl the wheel is the widget's."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent) and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # Qt then offers it to the parents
            return True
        return False


class PageList(QObject):
    """Makes a list, tree or table a part of a page.

    A click, Return, Enter or Space opens an item. The list never scrolls by itself: Page Up, Page Down and the wheel
    scroll the page, and the current item is kept in sight.
    """

    def __init__(self, view: QAbstractItemView, name: str, open_index: Callable[[QModelIndex], object]) -> None:
        """Set up the view.

        Args:
            view: has its model already.
            name: what screen readers call it.
            open_index: called with the index of the item that is opened.
        """
        super().__init__(view)
        self._view, self._open = view, open_index
        view.setAccessibleName(name)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setSizeAdjustPolicy(QAbstractScrollArea.SizeAdjustPolicy.AdjustToContents)
        view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setTabKeyNavigation(False)
        view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        view.setMouseTracking(True)
        view.clicked.connect(open_index)
        view.selectionModel().currentChanged.connect(self._keep_in_sight)
        view.installEventFilter(self)
        PageScrolling(view.viewport())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in OPENING_KEYS and self._view.currentIndex().isValid():
                self._open(self._view.currentIndex())
                return True
            if event.key() in SCROLLING_KEYS:
                event.ignore()  # Qt then offers it to the parents
                return True
        elif isinstance(event, QFocusEvent) and event.gotFocus() and event.reason() in BY_KEYBOARD:
            if not self._view.currentIndex().isValid():
                self._view.setCurrentIndex(self._view.model().index(0, 0))
            self._keep_in_sight(self._view.currentIndex())
        return False

    def _keep_in_sight(self, index: QModelIndex) -> None:
        if index.isValid() and self._view.hasFocus():
            show_in_page(self._view.viewport(), self._view.visualRect(index))


def show_in_page(widget: QWidget, area: QRect) -> None:
    """Scroll the page around a widget so that an area of the widget is in sight."""
    page = widget.parentWidget()
    while page is not None and not isinstance(page, QScrollArea):
        page = page.parentWidget()
    if page is not None and (content := page.widget()) is not None:
        place = QRect(widget.mapTo(content, area.topLeft()), area.size())
        for corner in (place.bottomLeft(), place.topLeft()):
            page.ensureVisible(page.horizontalScrollBar().value(), corner.y(), 0, 16)


def show_top_in_page(widget: QWidget) -> None:
    """Scroll the page around a widget so that the widget stands at its top, or as high as it can."""
    page = widget.parentWidget()
    while page is not None and not isinstance(page, QScrollArea):
        page = page.parentWidget()
    if page is not None and (content := page.widget()) is not None:
        page.verticalScrollBar().setValue(widget.mapTo(content, QPoint(0, 0)).y() - 8)
