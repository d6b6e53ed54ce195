"""The examples as cards in a grid for each group: picture, title, one line, and whether it was opened."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from typing import Protocol

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from engine.examples.examples import examples
from gui.background import Job
from gui.painting import saved
from gui.panels.start.lists import PageList
from gui.panels.start.thumbnails import picture_of_example
from gui.theme import LIGHT, Colors, text_font, text_pixels
from gui.widgets.labels import plain_tip, wrapped_lines
from gui.widgets.layouts import add_widgets

CARD_WIDTH, PICTURE_HEIGHT, TEXT_HEIGHT, GAP = 240, 104, 88, 12
"""Least width of a card; height of its picture and of its texts; between two cards. Pixels at 100 %."""
LINES = 4
"""Lines of title and summary together."""
OPENED = "✓ opened"
PICTURE_SCALE = 2
"""Pixels of a picture for each pixel of the card: sharp on screens of high density."""
Pictures = dict[str, QImage]


class Card(Protocol):
    """What a card shows: a unique name, a title and a line or two."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def summary(self) -> str: ...


class _CardPainter(QStyledItemDelegate):
    """Paints an example as a card."""

    def __init__(self, grid: ExampleGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return self._grid.gridSize()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        grid, colors = self._grid, self._grid.colors
        example, gap = grid.examples[index.row()], text_pixels(GAP)
        card = QRectF(option.rect).adjusted(1, 1, -gap, -gap)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        is_current = bool(state & QStyle.StateFlag.State_HasFocus)
        is_marked = is_current or bool(state & QStyle.StateFlag.State_MouseOver)
        upper = QRectF(card.topLeft(), QPointF(card.right(), card.top() + text_pixels(PICTURE_HEIGHT)))
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(colors.accent if is_marked else colors.line), 2.0 if is_current else 1.0))
            painter.setBrush(QColor(colors.panel))
            painter.drawRoundedRect(card, 7, 7)
            if (image := grid.pictures.get(example.name)) is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                _paint_centred(painter, upper.adjusted(8, 8, -8, 0), image)
        left, width = round(card.left()) + text_pixels(12), round(card.width()) - text_pixels(24)
        top = round(upper.bottom()) + text_pixels(6)
        title, small = text_font(text_pixels(13), bold=True), text_font(text_pixels(12))
        titles = wrapped_lines(example.title, title, width, 2)
        summary = wrapped_lines(example.summary, small, width, LINES - len(titles))
        with saved(painter):
            color_of_title = colors.muted if example.name in grid.muted else colors.text
            for font, color, lines in ((title, color_of_title, titles), (small, colors.muted, summary)):
                painter.setFont(font)
                painter.setPen(QColor(color))
                for line in lines:
                    height = painter.fontMetrics().lineSpacing() + 1
                    painter.drawText(QRect(left, top, width, height), Qt.AlignmentFlag.AlignVCenter, line)
                    top += height
                top += text_pixels(2)
            if example.name in grid.opened:
                _paint_badge(painter, upper, colors)


def _paint_centred(painter: QPainter, room: QRectF, image: QImage) -> None:
    """Paint an image in the middle of a room, as large as it fits, and no larger than it was made for."""
    scale = text_pixels(100) / 100 / PICTURE_SCALE
    wanted = QSize(round(image.width() * scale), round(image.height() * scale))
    if wanted.width() > room.width() or wanted.height() > room.height():
        wanted = wanted.scaled(room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
    place = QRectF(QPointF(), QSizeF(wanted))
    place.moveCenter(room.center())
    painter.drawImage(place, image)


def _paint_badge(painter: QPainter, upper: QRectF, colors: Colors) -> None:
    """Paint "opened" in the upper right corner of a picture."""
    painter.setFont(text_font(text_pixels(11)))
    width = painter.fontMetrics().horizontalAdvance(OPENED) + text_pixels(12)
    badge = QRectF(upper.right() - width - 6, upper.top() + 6, width, text_pixels(18))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colors.output))
    painter.drawRoundedRect(badge, 5, 5)
    painter.setPen(QColor(colors.text))
    painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, OPENED)


class ExampleGrid(QListWidget):
    """The cards of one group.

    Attributes:
        examples: of the group, or other things that have cards.
        pictures, opened, muted, colors: what the cards show.

    Signals:
        example_chosen(str): name of an example that is to be opened.
    """

    example_chosen = Signal(str)

    def __init__(self, group: str, members: Sequence[Card]) -> None:
        super().__init__()
        self.examples: Sequence[Card] = ()
        self.muted: Collection[str] = ()
        self.pictures: Pictures = {}
        self.opened: Collection[str] = ()
        self.colors: Colors = LIGHT
        self.setObjectName("exampleGrid")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setItemDelegate(_CardPainter(self))
        self.show_cards(members)
        self._list = PageList(self, group, lambda index: self.example_chosen.emit(self.examples[index.row()].name))

    def show_cards(self, members: Sequence[Card]) -> None:
        """Show other cards."""
        self.examples = members
        self.clear()
        for example in members:
            item = QListWidgetItem(example.title, self)
            item.setToolTip(plain_tip(f"{example.title}\n{example.summary}"))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{example.title}. {example.summary}")
        self._arrange()

    def show_opened(self, opened: Collection[str]) -> None:
        """Mark the examples that were opened, by their names."""
        self.opened = opened
        for row, example in enumerate(self.examples):
            ending = ", opened" if example.name in opened else ""
            text = f"{example.title}{ending}. {example.summary}"
            self.item(row).setData(Qt.ItemDataRole.AccessibleTextRole, text)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._arrange()

    def _arrange(self) -> None:
        """Make as many columns as there is room for, and the list as high as its rows."""
        width = self.viewport().width() - 1  # Qt begins a row when the cells fill it to the last pixel
        columns = max(1, width // text_pixels(CARD_WIDTH))
        height = text_pixels(PICTURE_HEIGHT + TEXT_HEIGHT + GAP)
        self.setGridSize(QSize(width // columns, height))
        self.setFixedHeight(-(-len(self.examples) // columns) * height)


class ExampleCards(QWidget):
    """All examples. Their pictures are drawn in a thread when they are first shown, and kept for each theme.

    Attributes:
        grids: of the groups, in order.

    Signals:
        example_chosen(str): name of an example that is to be opened.
    """

    example_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.grids: list[ExampleGrid] = []
        self._colors: Colors = LIGHT
        self._pictures: dict[str, Pictures] = {}
        column = add_widgets(QVBoxLayout(self), margins=(0, 0, 0, 0), spacing=8)
        for group, members in groupby(examples(), lambda example: example.group):
            heading = QLabel(group, textFormat=Qt.TextFormat.PlainText)
            heading.setProperty("title", True)
            grid = ExampleGrid(group, tuple(members))
            grid.example_chosen.connect(self.example_chosen)
            self.grids.append(grid)
            add_widgets(column, heading, grid)
        self._job = Job("thumbnails", self)
        self._job.delivered.connect(self._take)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        for grid in self.grids:
            grid.colors = colors
        self._show_pictures()
        if self.isVisible():
            self._draw()

    def show_opened(self, opened: Collection[str]) -> None:
        """Mark the examples that were opened, by their names."""
        for grid in self.grids:
            grid.show_opened(opened)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()

    def _draw(self) -> None:
        """Draw the pictures that are missing, in a thread, one after the other."""
        colors, pixels = self._colors, QSize(CARD_WIDTH, PICTURE_HEIGHT) * PICTURE_SCALE
        drawn = dict(self._pictures.get(colors.name, {}))
        missing = [example for example in examples() if example.name not in drawn]

        def work(cancelled: Callable[[], bool]) -> Iterator[Pictures]:
            for example in missing:
                if cancelled():
                    return
                drawn[example.name] = picture_of_example(example, colors, pixels)
                yield dict(drawn)

        if missing:
            self._job.start(colors.name, work)

    def _take(self, theme: str, pictures: Pictures) -> None:
        self._pictures[theme] = pictures
        self._show_pictures()

    def _show_pictures(self) -> None:
        pictures = self._pictures.get(self._colors.name, {})
        for grid in self.grids:
            grid.pictures = pictures
            grid.viewport().update()
