"""The palette itself: a search field, the list of matches, and a line about the current one.

It opens over the window and closes with Escape, with a click beside it, or when something was chosen; the keyboard is
then where it was. The keyboard stays in the field: arrow keys, Page Up and Page Down move in the list, Return chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QSettings, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)
from shiboken6 import isValid

from gui.command_palette.matching import LEAST_OF_TIP, NO_MATCH, Match, closest, match, plain
from gui.command_palette.sources import SOURCES, Entry, Source
from gui.painting import saved
from gui.session import Change
from gui.theme import text_pixels
from gui.unexpected import contained
from gui.widgets.labels import ElidedLabel, literal_tip
from gui.widgets.layouts import add_widgets

Index = QModelIndex | QPersistentModelIndex

RECENT_SETTING, N_RECENT = "palette recent", 8
WIDTH, ROW_HEIGHT, N_ROWS, EDGE = 660, 28, 12, 10
"""Pixels in the designed size of text; rows that are seen at once; least distance from the edges of the window."""
REFRESH_MILLISECONDS = 100
SEPARATOR = " › "
TEXTS = {
    "placeholder": "Type a few letters: an action, example, lesson, panel or value",
    "nothing": "Nothing found: try fewer letters",
    "recent": "recently used",
    "on": "on",
    "help": "Return runs the entry, arrow keys choose another one, Escape closes",
}


@dataclass(frozen=True)
class Row:
    """An entry in the list.

    Attributes:
        entry: shown.
        match: which letters of its title and path fit what was typed.
        is_recent: it was chosen lately, and nothing is typed.
    """

    entry: Entry
    match: Match = NO_MATCH
    is_recent: bool = False

    @property
    def path(self) -> str:
        """The menus that lead to it."""
        return SEPARATOR.join(self.entry.path)


@dataclass(frozen=True)
class _Candidate:
    entry: Entry
    source: Source
    title: str
    path: str
    tip: str


def _candidate(entry: Entry, source: Source) -> _Candidate:
    path, tip = SEPARATOR.join(entry.path), f"{entry.tip} {entry.words}"
    return _Candidate(entry, source, plain(entry.title), plain(path), plain(tip))


class PaletteModel(QAbstractListModel):
    """The entries that match the typed text, the best first; the recently used ones first while nothing is typed."""

    def __init__(self, window: Any, recent: Sequence[str] = (), sources: Sequence[Source] = SOURCES) -> None:
        super().__init__()
        self._candidates: list[_Candidate] = []
        for source in sources:
            with contained():  # one that fails leaves the others
                self._candidates += [_candidate(each, source) for each in source.entries(window)]
        self._recent = {name: place for place, name in enumerate(recent)}
        self._words: tuple[str, ...] = ()
        self._fitting = self._candidates
        self._reasons: dict[str, str] = {}
        self.rows: list[Row] = []
        self.search("")

    def search(self, text: str) -> None:
        """List the entries that match a typed text; all of them for an empty one."""
        words = tuple(plain(text).split())
        self.beginResetModel()
        if not words:
            shown = [each for each in self._candidates if each.source.at_first]
            recent = [each for each in shown if each.entry.id in self._recent]
            recent.sort(key=lambda each: self._recent[each.entry.id])
            others = [each for each in shown if each.entry.id not in self._recent]
            self.rows = [Row(each.entry, is_recent=True) for each in recent] + [Row(each.entry) for each in others]
        else:
            # More letters of the same words fit fewer entries, never others; but tips are searched for longer words.
            is_longer = len(words) == len(self._words) and all(
                new.startswith(old) and len(old) >= LEAST_OF_TIP for new, old in zip(words, self._words, strict=True)
            )
            found = []
            for each in self._fitting if is_longer else self._candidates:
                if (fit := match(words, each.title, each.path, each.tip)) is not None:
                    found.append((fit, each))
            self._fitting = [each for _fit, each in found]
            found = closest(found)
            found.sort(key=lambda pair: (-pair[0].score, pair[1].entry.id not in self._recent, len(pair[1].title)))
            self.rows = [Row(each.entry, fit) for fit, each in found]
        self._words = words
        self.endResetModel()

    def refresh_reasons(self) -> None:
        """Ask again why entries cannot be chosen, when rows are next drawn."""
        self._reasons.clear()
        if self.rows:
            self.dataChanged.emit(self.index(0), self.index(len(self.rows) - 1))

    def reason(self, row: Row) -> str:
        """Return why an entry cannot be chosen now; "" when it can."""
        name = row.entry.id
        if name not in self._reasons:
            self._reasons[name] = ""
            with contained():
                self._reasons[name] = row.entry.reason()
        return self._reasons[name]

    def about(self, row: Row) -> str:
        """Return what an entry does, or why it cannot be chosen."""
        return self.reason(row) or row.entry.tip

    def is_remembered(self, row: Row) -> bool:
        """Return True when an entry stands among the recently used ones the next time."""
        return any(each.entry is row.entry and each.source.is_remembered for each in self._candidates)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.entry.title
        if role == Qt.ItemDataRole.UserRole:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole:
            reason = self.reason(row)
            parts = (row.entry.title, TEXTS["on"] if row.entry.is_on else "", ", ".join(row.entry.path), row.entry.keys)
            return ", ".join(part for part in (*parts, f"not now: {reason}" if reason else "") if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return literal_tip(self.about(row))
        return None


class PaletteDelegate(QStyledItemDelegate):
    """A row: the title and its menus with the fitting letters bold, the keys at the right; grey when not possible."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, text_pixels(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row, palette, area = index.data(Qt.ItemDataRole.UserRole), option.palette, option.rect
        reason = cast(PaletteModel, index.model()).reason(row)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        strong = palette.color(QPalette.ColorRole.HighlightedText if is_current else QPalette.ColorRole.Text)
        muted = strong if is_current else palette.color(QPalette.ColorRole.PlaceholderText)
        gap, left, right = text_pixels(10), area.left() + text_pixels(10), area.right() - text_pixels(10)
        with saved(painter):
            if is_current:
                painter.fillRect(area, palette.highlight())
            keys = TEXTS["recent"] if row.is_recent and not row.entry.keys else row.entry.keys
            width = painter.fontMetrics().horizontalAdvance(keys) if keys else 0
            painter.setPen(muted)
            painter.setFont(option.font)
            painter.drawText(right - width, area.top(), width, area.height(), Qt.AlignmentFlag.AlignVCenter, keys)
            right -= width + (gap if keys else 0)
            painter.setPen(muted if reason else strong)
            left += self._draw(painter, option.font, row.entry.title, row.match.title, left, right, area) + gap
            painter.setPen(muted)
            path = row.path + (f" · {TEXTS['on']}" if row.entry.is_on else "")
            if reason:
                self._draw(painter, option.font, reason, frozenset(), left, right, area, italic=True)
            else:
                self._draw(painter, option.font, path, row.match.path, left, right, area)

    @staticmethod
    def _draw(
        painter: QPainter, font: QFont, text: str, bold: frozenset[int], left: int, right: int, area: Any,
        italic: bool = False,
    ) -> int:  # fmt: skip
        """Draw a text on one line between two places, some letters bold; return its width."""
        face = QFont(font)
        face.setItalic(italic)
        room = max(0, right - left)
        layout = QTextLayout(painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room), face)
        one_line = QTextOption()
        one_line.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(one_line)
        strong = QTextCharFormat()
        strong.setFontWeight(QFont.Weight.Bold)
        formats = []
        for place in sorted(bold):
            part = QTextLayout.FormatRange()
            part.start, part.length, part.format = place, 1, strong
            formats.append(part)
        layout.setFormats(formats)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(10_000)
        layout.endLayout()
        if room:
            layout.draw(painter, QPoint(left, area.top() + round((area.height() - line.height()) / 2)))
        return round(line.naturalTextWidth())


class PaletteField(QLineEdit):
    """Search field; the keys that move in a list are passed to the list."""

    MOVES: ClassVar = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: 1 - N_ROWS,
                       Qt.Key.Key_PageDown: N_ROWS - 1}  # fmt: skip

    def __init__(self, palette: CommandPalette) -> None:
        super().__init__()
        self._palette = palette

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in self.MOVES:
            self._palette.go(self.MOVES[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._palette.choose()
        else:
            super().keyPressEvent(event)


class CommandPalette(QDialog):
    """The palette over a window; it deletes itself when it is closed.

    Attributes:
        field: search field.
        model, list: the matches.
        about: the tip of the current entry, or why it cannot be chosen now.
    """

    def __init__(self, window: Any, settings: QSettings | None = None) -> None:
        """Create the palette of a window.

        Args:
            window: the main window.
            settings: store the entries chosen last; None: nothing is remembered.
        """
        super().__init__(window, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("command palette")
        self.setObjectName("commandPalette")
        self.setStyleSheet("QDialog#commandPalette { border: 2px solid palette(highlight); }")
        self._settings = settings
        self._focus_before = QApplication.focusWidget()
        self.finished.connect(lambda _code: self._return_focus())
        self.model = PaletteModel(window, remembered(settings))
        self.model.setParent(self)
        self.field = PaletteField(self)
        self.field.setPlaceholderText(TEXTS["placeholder"])
        self.field.setAccessibleName("find an action, example, lesson, panel or value")
        self.field.textChanged.connect(self._search)
        self.list = QListView()
        self.list.setAccessibleName("matches")
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.clicked.connect(lambda index: self.choose(index.row()))
        self.list.selectionModel().currentChanged.connect(lambda *_indexes: self._show_about())
        self.about = ElidedLabel()
        self.about.setProperty("muted", True)
        add_widgets(QVBoxLayout(self), self.field, self.list, 1, self.about, margins=(10, 10, 10, 10), spacing=6)
        self._take_place(window)
        self.field.setFocus()
        self.go(0)
        self._refresh_soon = QTimer(self, singleShot=True, interval=REFRESH_MILLISECONDS)
        self._refresh_soon.timeout.connect(self._refresh_reasons)
        window.session.changed.connect(self._follow_session)

    def _take_place(self, window: Any) -> None:
        """Centre the palette at the top of the window."""
        room = window.rect().size() - QSize(2 * EDGE, 2 * EDGE)
        height = text_pixels(ROW_HEIGHT) * N_ROWS + self.field.sizeHint().height() + text_pixels(50)
        self.resize(QSize(text_pixels(WIDTH), height).boundedTo(room))
        top = min(text_pixels(70), max(EDGE, window.height() - self.height() - EDGE))
        self.move(window.mapToGlobal(QPoint((window.width() - self.width()) // 2, top)))

    def _search(self, text: str) -> None:
        self.model.search(text)
        self.list.scrollToTop()
        self.go(0)

    def _follow_session(self, _change: Change) -> None:
        """Refresh the reasons, after the actions of the window have followed; training changes the session often."""
        if not self._refresh_soon.isActive():
            self._refresh_soon.start()

    def _refresh_reasons(self) -> None:
        self.model.refresh_reasons()
        self._show_about()

    def _return_focus(self) -> None:
        before = self._focus_before
        if before is not None and isValid(before):
            before.activateWindow()
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def go(self, steps: int) -> None:
        """Move the current row by a number of rows, down when it is above 0; 0 keeps it, or takes the first."""
        last = self.model.rowCount() - 1
        row = min(max(self.list.currentIndex().row(), 0) + steps, last)
        index = self.model.index(max(row, 0) if last >= 0 else -1)
        self.list.setCurrentIndex(index)
        self._show_about()
        if last >= 0 and QAccessible.isActive():
            text = str(index.data(Qt.ItemDataRole.AccessibleTextRole))
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.field, text))

    def _show_about(self) -> None:
        index = self.list.currentIndex()
        if not index.isValid():
            self.about.setText(TEXTS["nothing"] if self.field.text().strip() else "")
            return
        self.about.setText(self.model.about(self.model.rows[index.row()]) or TEXTS["help"])

    def choose(self, place: int | None = None) -> None:
        """Close the palette and run the entry of a row, of the current one for None; ignore a disabled entry."""
        place = self.list.currentIndex().row() if place is None else place
        if not 0 <= place < self.model.rowCount():
            return
        row = self.model.rows[place]
        if self.model.reason(row):
            return
        if self._settings is not None and self.model.is_remembered(row):
            names = list(dict.fromkeys([row.entry.id, *remembered(self._settings)]))
            self._settings.setValue(RECENT_SETTING, "\n".join(names[:N_RECENT]))
        self.close()
        with contained(self.parent()):
            row.entry.do()


def remembered(settings: QSettings | None) -> list[str]:
    """Return the ids of the entries that were chosen last, the newest first."""
    value = "" if settings is None else str(settings.value(RECENT_SETTING) or "")
    return [line for line in value.split("\n") if line][:N_RECENT]
