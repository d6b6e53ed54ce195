"""Widths and sort order that the user has given to the columns of a table, over those that the program computes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHeaderView, QStyle

from gui.theme import text_scale

Choices = tuple[int, dict[int, float], tuple[int, Qt.SortOrder] | None]
"""Number of columns of the table, widths of the dragged ones, column and order of the sorting."""
WIDEST = 4000
"""Pixels; wider columns are not restored."""


class ColumnWidths(QObject):
    """The user's choices for one header, which is its parent.

    A column that was dragged keeps its width while the program goes on fitting the others. A double click on the edge
    of a column, which fits it to its content, ends that. Columns that cannot be dragged are left alone.

    Attributes:
        header: of the table.
        widths: of the dragged columns, by their index, pixels in the designed size of text.
        sorting: column and order by which the user sorts; None where the rows have their own order.
    """

    def __init__(self, header: QHeaderView) -> None:
        super().__init__(header)
        self.header = header
        self.widths: dict[int, float] = {}
        self.sorting: tuple[int, Qt.SortOrder] | None = None
        self._own: dict[int, int] = {}
        self._waiting: Choices | None = None
        self._dragged = -1
        header.viewport().installEventFilter(self)
        header.sectionResized.connect(self._follow_size)
        header.sectionHandleDoubleClicked.connect(self._follow_double_click)
        header.sortIndicatorChanged.connect(self._follow_sorting)
        header.sectionCountChanged.connect(lambda _old, _new: QTimer.singleShot(0, self, self._take_waiting))

    def restore(self, n_columns: int, widths: dict[int, float], sorting: tuple[int, Qt.SortOrder] | None) -> None:
        """Take choices that were made for a table of so many columns, as soon as this one has as many."""
        self._waiting = n_columns, widths, sorting
        self._take_waiting()

    @property
    def chosen(self) -> Choices:
        """The choices as `restore` takes them."""
        return self._waiting or (self.header.count(), dict(self.widths), self.sorting)

    def reset(self) -> None:
        """Give the columns the widths that the program computed last, and the rows their own order."""
        self._waiting = None
        self.widths.clear()
        for column, width in self._own.items():
            if self._can_be_dragged(column):
                self.header.resizeSection(column, width)
        if self.sorting is not None:
            self.header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)

    def _take_waiting(self) -> None:
        if self._waiting is None or self._waiting[0] != self.header.count():
            return
        (_, widths, sorting), self._waiting = self._waiting, None
        self.widths = {column: width for column, width in widths.items() if 0 < width <= WIDEST}
        for column in range(self.header.count()):
            self._own.setdefault(column, self.header.sectionSize(column))
            self._apply(column)
        if sorting is not None and self.header.isSortIndicatorShown() and 0 <= sorting[0] < self.header.count():
            self.header.setSortIndicator(*sorting)

    def _apply(self, column: int) -> None:
        if column in self.widths and self._can_be_dragged(column):
            self.header.resizeSection(column, round(self.widths[column] * text_scale()))

    def _can_be_dragged(self, column: int) -> bool:
        return (
            column < self.header.count()
            and self.header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive
            and not (self.header.stretchLastSection() and column == self.header.count() - 1)
        )

    def _follow_size(self, column: int, old: int, new: int) -> None:
        if column == self._dragged:
            self._own.setdefault(column, old)
            self.widths[column] = new / text_scale()
        else:
            if column not in self.widths or new != round(self.widths[column] * text_scale()):
                self._own[column] = new
            self._apply(column)

    def _follow_double_click(self, column: int) -> None:
        self.widths.pop(column, None)

    def _follow_sorting(self, column: int, order: Qt.SortOrder) -> None:
        self.sorting = (column, order) if column >= 0 and self.header.isSortIndicatorShown() else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note which column is being dragged."""
        if isinstance(event, QMouseEvent):
            if event.type() == QEvent.Type.MouseButtonPress:
                self._dragged = self._column_with_edge_at(round(event.position().x()))
            elif event.type() in (QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick):
                QTimer.singleShot(0, self, self._end_dragging)  # the header takes this event after the filter
        return False

    def _end_dragging(self) -> None:
        self._dragged = -1

    def _column_with_edge_at(self, x: int) -> int:
        """Return the column whose right edge can be dragged there; -1 for none."""
        header = self.header
        grip = header.style().pixelMetric(QStyle.PixelMetric.PM_HeaderGripMargin, None, header)
        for column in range(header.count()):
            edge = header.sectionViewportPosition(column) + header.sectionSize(column)
            if not header.isSectionHidden(column) and abs(edge - x) <= grip and self._can_be_dragged(column):
                return column
        return -1
