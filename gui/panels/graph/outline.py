"""The graph as a tree beside the canvas: from the output down to what it is computed from.

A value that is used more than once has its inputs under its first place; at the others it refers to that place. Open
groups are branches of their own. Rows are made when their branch is opened, and read their numbers when they are
painted: a report of running training repaints what is in view, and rebuilds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTreeView, QVBoxLayout

from engine.autograd.notation import counted
from engine.graph import Group
from engine.graph.moved import Links
from engine.graph.picture import EMPTY_PICTURE, Picture
from gui.canvas.descriptions import describe, operation, spoken_name, tool_tip
from gui.panels.panel import Panel
from gui.presenter.graph_presenter import GraphPresenter
from gui.session import Change, Session
from gui.theme import LIGHT, Colors, mono_font, text_pixels
from gui.widgets.layouts import add_widgets

COLUMNS = {
    "value": "Every value under the one that is computed from it; ↑ refers to a row above.",
    "data": "The number of the value, as on the canvas",
    "grad": "How far the output moves for each unit that this value moves",
    "op": "How the value is computed from the rows under it",
}
"""Title and tooltip of each column."""
SENTENCES = {
    "again": "{name}, used here again; its inputs are under its first place",
    "again tip": "Used here again. Return goes to its first place, where its inputs are.",
    "group": "{title}, an open group",
}
AGAIN = "↑ "
ROWS_AT_FIRST = 60
"""Rows up to which branches of a new graph are open."""
NUMBER_PIXELS, OPERATION_PIXELS, INDENTATION = 70, 62, 12
"""Widths of columns, and of a step to the right, in the designed size of text."""
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


@dataclass(eq=False)
class Row:
    """A row of the outline.

    Attributes:
        number: its place in the model's list of rows.
        key: of its node; of an open group that of the first value in it.
        parent, place: the row above it, and its place under that.
        group: the open group that it is a branch for; () for a value.
        is_again: its inputs are under another row.
        below: the rows under it; None until they are asked for.
    """

    number: int
    key: str
    parent: Row | None
    place: int
    group: Group = ()
    is_again: bool = False
    below: list[Row] | None = None


class OutlineModel(QAbstractItemModel):
    """The tree of the graph that a presenter shows."""

    def __init__(self, presenter: GraphPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self.colors: Colors = LIGHT
        self.picture: Picture = EMPTY_PICTURE
        self._links = Links()
        self._home: dict[str, str] = {}
        self._rows: list[Row] = []
        self._tops: list[Row] = []

    # Structure

    def follow(self) -> bool:
        """Take the graph that is shown now; return True when its rows are other ones than before."""
        prepared = self._presenter.prepared
        before, after = self._links.before, prepared.links.before
        if before == after and self.picture.boxes.keys() == prepared.picture.boxes.keys():
            self.picture = prepared.picture
            return False
        self.beginResetModel()
        self.picture, self._links = prepared.picture, prepared.links
        self._rows, self._tops = [], []
        self._home = self._first_places()
        for key, home in self._home.items():
            if home == "":
                self._tops.append(self._new_row(key, None, len(self._tops)))
        self.endResetModel()
        return True

    def _first_places(self) -> dict[str, str]:
        """Return the value under which each value has its inputs, "" for roots: the first in reading order."""
        links, boxes = self._links, self.picture.boxes
        roots = [key for key in boxes if not links.after[key]]
        roots.sort(key=lambda key: boxes[key].role != "output")
        home: dict[str, str] = {}
        waiting = [(key, "") for key in reversed(roots)]
        while waiting:
            key, parent = waiting.pop()
            if key not in home:
                home[key] = parent
                waiting += [(each, key) for each in reversed(self.inputs(key)) if each not in home]
        return home

    def inputs(self, key: str) -> list[str]:
        """Return the values that a value is computed from, each once."""
        return list(dict.fromkeys(operation(self.picture, self._links, key)[1]))

    def _groups(self, key: str) -> tuple[Group, ...]:
        """Return the open groups around a value, the outermost first."""
        return self._presenter.graph_view.groups_around(key)[::-1]

    def _new_row(self, key: str, parent: Row | None, place: int, group: Group = (), is_again: bool = False) -> Row:
        row = Row(len(self._rows), key, parent, place, group, is_again)
        self._rows.append(row)
        return row

    def rows_below(self, row: Row | None) -> list[Row]:
        """Return the rows under a row, the topmost ones under None."""
        if row is None:
            return self._tops
        if row.below is None:
            row.below = []
            if not row.group and not row.is_again:
                self._add_inputs(row)
        return row.below

    def _add_inputs(self, row: Row) -> None:
        """Add the inputs of a value, those in other open groups under branches of these."""
        inside = set(self._groups(row.key))
        for key in self.inputs(row.key):
            home, below = row, row.below
            for group in (each for each in self._groups(key) if each not in inside):
                assert below is not None
                branch = next((each for each in below if each.group == group), None)
                if branch is None:
                    branch = self._new_row(key, home, len(below), group)
                    branch.below = []
                    below.append(branch)
                home, below = branch, branch.below
            assert below is not None
            below.append(self._new_row(key, home, len(below), (), self._home.get(key) != row.key))

    def row_of(self, index: Index) -> Row | None:
        """Return the row of an index; None for an invalid one."""
        number = index.internalId() if index.isValid() else -1
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def index_of(self, row: Row, column: int = 0) -> QModelIndex:
        return self.createIndex(row.place, column, row.number)

    def first_row(self, key: str) -> Row | None:
        """Return the row under which the inputs of a value are; None for a value that is not drawn."""
        way = []
        while key:
            if key not in self._home:
                return None
            way.append(key)
            key = self._home[key]
        row: Row | None = None
        for name in reversed(way):
            row = next(self._values_below(row, name), None)
            if row is None:
                return None
        return row

    def _values_below(self, row: Row | None, key: str) -> Iterator[Row]:
        for each in self.rows_below(row):
            if each.group:
                yield from self._values_below(each, key)
            elif each.key == key and not each.is_again:
                yield each

    # Model interface

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - as Qt has it
        below = self.rows_below(self.row_of(parent))
        return self.index_of(below[row], column) if 0 <= row < len(below) and column >= 0 else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # the stub knows that of QObject alone
        row = self.row_of(index)
        return QModelIndex() if row is None or row.parent is None else self.index_of(row.parent)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.column() > 0 else len(self.rows_below(self.row_of(parent)))

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008 - as Qt declares it
        row = self.row_of(parent)
        if row is None or row.below is not None:
            return self.rowCount(parent) > 0
        return parent.column() == 0 and not row.is_again and bool(self._links.before.get(row.key))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        title = list(COLUMNS)[section] if orientation == Qt.Orientation.Horizontal else ""
        return {Role.DisplayRole: title, Role.ToolTipRole: COLUMNS.get(title)}.get(Role(role))

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.row_of(index)
        if row is None or row.key not in self.picture.boxes:
            return None
        if role == Role.DisplayRole:
            return self._text(row, index.column())
        if role == Role.AccessibleTextRole:
            return self._spoken(row) if index.column() == 0 else self._text(row, index.column())
        if role == Role.ToolTipRole:
            return self._tip(row)
        if role == Role.TextAlignmentRole and index.column() in (1, 2):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Role.ForegroundRole:
            return self._colour(row, index.column())
        if role == Role.FontRole and (row.group or row.is_again):
            font = QFont()
            font.setItalic(True)
            return font
        return None

    def _text(self, row: Row, column: int) -> str:
        readings, box = self._presenter.readings, self.picture.boxes[row.key]
        if row.group:
            return self._presenter.graph_view.names.text(row.group).title if column == 0 else ""
        if column == 0:
            return AGAIN * row.is_again + spoken_name(self.picture, readings, row.key)
        if column == 3:
            circle = next((each for each in self._links.before[row.key] if each in self.picture.circles), None)
            return self.picture.circles[circle].text if circle is not None else box.note
        reading = readings.get(row.key)
        return "" if reading is None else reading.data if column == 1 else reading.grad

    def _spoken(self, row: Row) -> str:
        readings = self._presenter.readings
        if row.group:
            return SENTENCES["group"].format(title=self._presenter.graph_view.names.text(row.group).title)
        if row.is_again:
            return SENTENCES["again"].format(name=spoken_name(self.picture, readings, row.key))
        return describe(self.picture, self._links, readings, row.key)

    def _tip(self, row: Row) -> str:
        if row.is_again:
            return SENTENCES["again tip"]
        return "" if row.group else tool_tip(self.picture, self._presenter.readings, row.key, self._presenter.notes)

    def _colour(self, row: Row, column: int) -> QBrush | None:
        if row.is_again or row.group or column == 3:
            return QBrush(QColor(self.colors.muted))
        reading = self._presenter.readings.get(row.key)
        if reading is None:
            return None
        states = {1: reading.data_state, 2: reading.grad_state}
        if reading.problem or states.get(column) == "bad":
            return QBrush(QColor(self.colors.error))
        signs = {"positive": self.colors.positive, "negative": self.colors.negative} if column == 2 else {}
        colour = {"unknown": self.colors.muted, **signs}.get(states.get(column, ""))
        return None if colour is None else QBrush(QColor(colour))


class OutlineView(QTreeView):
    """The tree, for the keyboard and the pointer alike."""

    def __init__(self, model: OutlineModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName("outline of the graph")
        self.setAccessibleDescription("Right opens a branch, Left closes it, Return explains a value or opens a group")
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setFont(mono_font(12))
        self.setProperty("letters", "12")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.header().setStretchLastSection(False)
        for signal in (self.expanded, self.collapsed):
            signal.connect(self.fit_columns)

    def fit_columns(self) -> None:
        """Give the names the room that they need, or all that the numbers leave."""
        self.setIndentation(text_pixels(INDENTATION))
        for column, pixels in ((1, NUMBER_PIXELS), (2, NUMBER_PIXELS), (3, OPERATION_PIXELS)):
            self.setColumnWidth(column, text_pixels(pixels))
        left = self.viewport().width() - sum(self.columnWidth(column) for column in (1, 2, 3))
        self.setColumnWidth(0, max(self.sizeHintForColumn(0), left))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated.emit(self.currentIndex())  # on every platform
            event.accept()
        else:
            super().keyPressEvent(event)


class OutlinePanel(Panel):
    """The outline; what is selected in it is selected on the canvas, and the other way round.

    Attributes:
        model: its rows.
        view: the tree.
    """

    depends_on = frozenset({"graph", "numbers", "selection"})
    full_speed_rest_seconds = 0.5

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.model = OutlineModel(session.presenter)
        self.view = OutlineView(self.model)
        self._opened: set[str] = set()
        self._closed: set[str] = set()
        self._is_opening = False
        self.view.expanded.connect(lambda index: self._note(index, self._opened, self._closed))
        self.view.collapsed.connect(lambda index: self._note(index, self._closed, self._opened))
        self.view.selectionModel().currentChanged.connect(self._select)
        self.view.activated.connect(self._activate)
        add_widgets(QVBoxLayout(self), self.view, 1, margins=(6, 2, 2, 2))

    def sizeHint(self) -> QSize:
        return QSize(text_pixels(320), text_pixels(300))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.model.colors = colors
        self.view.fit_columns()
        self.view.viewport().update()

    # Following the session

    def refresh(self, change: Change) -> None:
        if "graph" in change:
            self.view.selectionModel().clear()  # macOS crashes where a selected row goes
            if self.model.follow():
                self._open_branches()
                self.view.fit_columns()
            self.set_caption(counted(len(self.model.picture.boxes), "value"))
        if change & {"graph", "selection"}:
            self._show_selection()
        self.view.viewport().update()  # rows read their numbers as they are painted

    def _open_branches(self) -> None:
        """Open the branches that the user had open, and of a new graph those near the output."""
        self._is_opening = True
        waiting: list[Row] = list(self.model.rows_below(None))
        n_rows = len(waiting)
        for row in waiting:  # grows meanwhile
            name = self._name(row)
            few = name not in self._closed and n_rows < ROWS_AT_FIRST
            if row.is_again or not (few or name in self._opened):
                continue
            below = self.model.rows_below(row)
            if below:
                self.view.setExpanded(self.model.index_of(row), True)
                waiting += below
                n_rows += len(below)
        self._is_opening = False

    @staticmethod
    def _name(row: Row) -> str:
        return "/".join(row.group) or row.key

    def _note(self, index: QModelIndex, to: set[str], out_of: set[str]) -> None:
        row = self.model.row_of(index)
        if row is not None and not self._is_opening:
            to.add(self._name(row))
            out_of.discard(self._name(row))

    def _show_selection(self) -> None:
        """Select the row of the selected value, with the branches above it open."""
        key, selection = self.session.selection, self.view.selectionModel()
        now = self.model.row_of(self.view.currentIndex())
        if key is None:
            selection.clear()
        elif now is None or now.group or now.key != key:
            row = self.model.first_row(key)
            if row is None:
                selection.clear()
                return
            index = self.model.index_of(row)
            flags = QItemSelectionModel.SelectionFlag
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.view.scrollTo(index)

    # User actions

    def _select(self, index: QModelIndex, _before: QModelIndex) -> None:
        row = self.model.row_of(index)
        if row is not None and not row.group:
            self.session.select(row.key)

    def _activate(self, index: QModelIndex) -> None:
        """Open a group, go to the first place of a value that is used again, explain any other value."""
        row = self.model.row_of(index)
        if row is None:
            return
        if row.group:
            self.view.setExpanded(self.model.index_of(row), not self.view.isExpanded(self.model.index_of(row)))
        elif row.is_again:
            first = self.model.first_row(row.key)
            if first is not None:
                self.view.setCurrentIndex(self.model.index_of(first))
        elif self.model.picture.boxes[row.key].members:
            self.session.presenter.groups.toggle(row.key)
        else:
            self.session.select(row.key)
            self.session.action_requested.emit("explain")
