"""The Compare panel: two graphs side by side, nodes that differ marked in both, and a table of them with both numbers.

Canvas B is laid out starting from the places of canvas A, so that counterparts stand in about the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QSizePolicy,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.autograd.notation import short
from engine.csv_text import Column
from engine.examples.examples import examples
from engine.file_access import reason_of
from engine.graph import EMPTY_PICTURE, read_numbers
from engine.graph.placing import GraphStyle, choose_form
from engine.session_file.files import read_document
from engine.views.graph_difference import KINDS, NodeDifference
from gui.background import Job
from gui.canvas import Activity, GraphCanvas
from gui.file_dialogs import FileDialog
from gui.panels.figures.sorted_table import STYLE
from gui.panels.panel import Panel
from gui.presenter.placement import LaidOutGraph, LayoutRequest, layouts
from gui.session import Change, Session
from gui.session.compared_graphs import SIDES, TEXTS, Pair, Side, Source, call_title
from gui.theme import Colors, mono_font, text_pixels
from gui.widgets.action_set import add_submenu
from gui.widgets.buttons import menu_button, tool_button
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.splitter import Splitter
from gui.widgets.tables import Index, RowsModel, set_read_only

SENTENCES = {
    "figure": "Nodes of both graphs are matched by their names, else by what they are computed from and used for. "
    "Marked nodes differ from their counterpart. Click one to find it in the other graph and in the table.",
    "choose": "Choose what side {side} shows",
    "pin": "Keep a copy of the program or network as it is now, to compare later changes with it",
    "swap": "Exchange A and B",
    "all": "List equal nodes as well",
    "legend": "≠ different number    op different operation or inputs    A, B only in this graph    "
    "● the difference starts here",
    "working": "Comparing …",
    "preparing": "The comparison waits until Python is prepared (once, about five seconds).",
    "one side": "There is nothing to compare: {side} has no graph.",
    "both sides": "There is nothing to compare: neither A nor B has a graph.",
    "same": "{summary}. Edit the program, or choose something else for A or B.",
    "right": "{summary}: every gradient of the program is right.",
    "nothing pinned": "Nothing is pinned yet",
    "empty clipboard": "There is no text on the clipboard",
    "unread": "{name}: {reason}",
    "differs": "differs: {words}",
    "there": "in {side}: data {data}, grad {grad}",
    "only here": "only in {side}",
}
FILES = "Programs and sessions (*.py *.txt *.gradstep);;All files (*)"
MOST_CALLS = 40
"""Backward calls listed in the menu."""
MOST_IN_VIEW = 60
"""Most boxes of a graph that is first shown as a whole; a larger one is centred on its first difference."""
ROOM_AROUND = QSize(24, 24)
"""Pixels around a graph in its canvas."""
STARTS = "●"


def number_text(number: Any) -> str:
    """A number of the table: `–` where there is none."""
    return "–" if number is None else short(number, 6).replace("-", "−")


class DifferenceTable(RowsModel):
    """One row for each node."""

    columns = ("Name", "What differs", "Data A", "Data B", "Grad A", "Grad B")
    rows: Sequence[NodeDifference]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.texts(node)[column]
        if role == Qt.ItemDataRole.FontRole and (column == 0 and node.starts_here):
            font = mono_font(12)
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.TextAlignmentRole and column > 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole and column > 1:
            number = (*node.data, *node.grad)[column - 2]
            return "" if number is None else repr(number)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section > 1 else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return super().headerData(section, orientation, role)

    @staticmethod
    def texts(node: NodeDifference) -> Sequence[str]:
        """The cells of a row."""
        words = node.words or "same"
        return (
            node.name,
            f"{STARTS} {words}" if node.starts_here else words,
            *map(number_text, (*node.data, *node.grad)),
        )


class Halves(QWidget):
    """Both canvases side by side, each under the button that chooses its graph, and the legend.

    In an export a title stands in the place of each button.
    """

    def __init__(self) -> None:
        super().__init__()
        self.splitter = Splitter("graphs", Qt.Orientation.Horizontal)
        self._headings: list[tuple[QWidget, QLabel, QVBoxLayout]] = []
        legend = muted_label(wrap=True)
        legend.setTextFormat(Qt.TextFormat.RichText)
        large = f'<span style="font-size: large">{STARTS}</span>'  # the sign is small in most faces
        legend.setText(SENTENCES["legend"].replace("    ", "&nbsp;&nbsp;&nbsp; ").replace(STARTS, large))
        add_widgets(QVBoxLayout(self), self.splitter, 1, legend, margins=(0, 0, 0, 0), spacing=3)

    def add(self, button: QWidget, title: QLabel, canvas: GraphCanvas) -> None:
        """Add the canvas of a side, with its button and its title."""
        half = QWidget()
        column = add_widgets(QVBoxLayout(half), button, title, canvas, 1, margins=(2, 0, 2, 0), spacing=4)
        self.splitter.addWidget(half)
        title.hide()
        self._headings.append((button, title, column))

    def show_controls(self, visible: bool) -> None:
        """Show the buttons, or the titles instead."""
        for button, title, column in self._headings:
            button.setVisible(visible)
            title.setVisible(not visible)
            column.activate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() > 0.9 * self.height()
        self.splitter.set_orientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)


class ComparePanel(Panel):
    """Choice of both sides, two canvases, and the table of differences.

    Attributes:
        canvases: by "A" and "B".
        table, model: the nodes that differ, or all.
        plot: both canvases with their titles and the legend, for an export.
    """

    figure_tip = SENTENCES["figure"]
    depends_on = frozenset({"program", "expression", "numbers", "graph", "selection"})
    _is_begun = False
    rest_seconds = 0.5
    full_speed_rest_seconds = 1.0

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.comparison = session.comparison
        self._shown: dict[str, Source] = {}
        self._laid_out: tuple[tuple[Any, ...], Mapping[str, LaidOutGraph]] = (), {}
        self._node_of: dict[str, dict[str, NodeDifference]] = {side: {} for side in SIDES}
        self.buttons: dict[str, QToolButton] = {}
        self.menus: dict[str, QMenu] = {}
        self.canvases: dict[str, GraphCanvas] = {}
        self.titles: dict[str, QLabel] = {}
        self.plot = Halves()
        for side in SIDES:
            self._make_side(side)
        self.pin_button = tool_button("Pin this program", SENTENCES["pin"], self.pin)
        self.swap_button = tool_button("⇄", SENTENCES["swap"], self.comparison.swap, "exchange A and B")
        self.summary = ElidedLabel()
        self.show_all = QCheckBox("Equal nodes")
        self.show_all.setToolTip(SENTENCES["all"])
        self.show_all.toggled.connect(lambda _on: self._list())
        self.model = DifferenceTable()
        self.table = self._make_table()
        below = QWidget()
        line = add_widgets(QHBoxLayout(), self.summary, 1, self.show_all, self.swap_button, self.pin_button, spacing=8)
        add_widgets(QVBoxLayout(below), line, self.table, 1, margins=(0, 4, 0, 0), spacing=4)
        self.parts = Splitter("graphs and table", Qt.Orientation.Vertical)
        self.parts.addWidget(self.plot)
        self.parts.addWidget(below)
        self.parts.setStretchFactor(0, 2)
        self.parts.setStretchFactor(1, 1)
        self.parts.set_sizes([660, 340])
        add_widgets(QVBoxLayout(self), self.parts, margins=(8, 8, 8, 8))
        self._layout = Job("layout of the comparison", self)
        self._layout.delivered.connect(self._show_pictures)
        self._place_soon = QTimer(self, singleShot=True, interval=0)
        self._place_soon.timeout.connect(self._place)
        self.comparison.changed.connect(self._show)
        self.comparison.pin_requested.connect(self.pin)

    def _make_side(self, side: str) -> None:
        self.buttons[side] = button = menu_button("", SENTENCES["choose"].format(side=side), f"side {side}")
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.menus[side] = menu = QMenu(self)
        menu.aboutToShow.connect(lambda: self._fill(side))
        button.setMenu(menu)
        self.canvases[side] = canvas = GraphCanvas()
        canvas.setAccessibleName(f"graph {side}")
        canvas.setMinimumSize(text_pixels(120), text_pixels(70))
        canvas.notes = lambda key: self._notes(side, key)
        canvas.node_selected.connect(lambda key: self._select_key(side, key))
        canvas.resized.connect(lambda: self._place_soon.start())
        self.titles[side] = title = QLabel(textFormat=Qt.TextFormat.PlainText)
        title.setStyleSheet("font-weight: 600;")
        title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.plot.add(button, title, canvas)

    def _make_table(self) -> QTableView:
        table = QTableView(wordWrap=False)
        table.setModel(self.model)
        set_read_only(table, "nodes that differ", 24)
        table.setFont(mono_font(12))
        table.setProperty("letters", "12")
        table.setStyleSheet(STYLE.format(beside=8))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setHighlightSections(False)
        table.selectionModel().currentRowChanged.connect(self._select_row)
        return table

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        for canvas in self.canvases.values():
            canvas.set_colors(colors)

    # Following the session

    def refresh(self, change: Change) -> None:
        if not self._is_begun:
            self._begin()
        if change - {"selection"}:
            self.pin_button.setText("Pin this network" if self.session.presenter.shows_network else "Pin this program")
            self.comparison.follow()
            if self.comparison.pair is None:
                self._list()
        if "selection" in change:
            for side in SIDES:
                if self.comparison.sources[side].kind in ("program", "right", "network"):
                    self._select(self._node_of[side].get(str(self.session.selection)))
                    break

    def _begin(self) -> None:
        """Choose the first comparison: an engine with mistakes and the right gradients, else the program and itself."""
        self._is_begun = True
        evaluation = self.session.evaluation
        rows = evaluation.engine_check if evaluation is not None else None
        if rows and any(not row.ok for row in rows):
            self.comparison.choose("B", Source("right", TEXTS["right"]))
        else:
            self.pin()

    def pin(self) -> None:
        """Keep what the canvas shows as A, and compare what it shows from now on with it."""
        self._is_begun = True
        self.session.commit_requested.emit()
        shown = self.session.shown
        step = shown.snapshot.step if shown is not None else 0
        is_network = self.session.presenter.shows_network
        self.comparison.choose("A", self.comparison.pin(self.session.document.expression.text, step))
        self.comparison.choose("B", Source("network", TEXTS["network"]) if is_network else Source())

    # Choice of a side

    def _fill(self, side: str) -> None:
        """Fill the menu of a side with everything that it can show now."""
        menu, session = self.menus[side], self.session
        menu.clear()
        for child in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            child.deleteLater()

        def add(to: QMenu, title: str, source: Source | None) -> None:
            action = to.addAction(title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(source == self.comparison.sources[side])
            action.setEnabled(source is not None)
            if source is not None:
                action.triggered.connect(lambda _checked: self.comparison.choose(side, source))

        add(menu, TEXTS["program"], Source())
        add(menu, TEXTS["right"], Source("right", TEXTS["right"]))
        calls = session.program.moments
        if calls:
            sub = add_submenu(menu, "Backward call of this program")
            for call in calls[:MOST_CALLS]:
                line = f", line {call.line}" if call.line else ""
                add(sub, call_title(call).capitalize() + line, self.comparison.call(call.number))
        if session.presenter.shows_network:
            add(menu, TEXTS["network"], Source("network", TEXTS["network"]))
        pinned = self.comparison.pinned
        add(menu, pinned.title if pinned is not None else SENTENCES["nothing pinned"], pinned)
        menu.addSeparator()
        menu.addAction("File…").triggered.connect(lambda: self._choose_file(side))
        menu.addAction("Text on the clipboard").triggered.connect(lambda: self.choose_clipboard(side))
        groups: dict[str, QMenu] = {}
        shelf = add_submenu(menu, "Example")
        for example in examples():
            if example.text:
                group = groups.get(example.group) or groups.setdefault(example.group, add_submenu(shelf, example.group))
                add(group, example.title, Source("text", example.title, example.text))

    def _choose_file(self, side: str) -> None:
        dialog = FileDialog(self.window(), f"Compare: side {side}", FILES)
        dialog.fileSelected.connect(lambda name: self.choose_file(side, Path(name)))
        dialog.open()

    def choose_file(self, side: str, path: Path) -> None:
        """Show the program of a file on a side; a file that cannot be read is reported, and nothing changes."""
        try:
            text = read_document(path).document.expression.text
        except (OSError, ValueError) as error:
            self.session.message_posted.emit(
                SENTENCES["unread"].format(name=path.name, reason=reason_of(error)), "error"
            )
            return
        self.comparison.choose(side, Source("text", path.name, text))

    def choose_clipboard(self, side: str) -> None:
        """Show the program on the clipboard on a side."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self.comparison.choose(side, Source("text", "Text from the clipboard", text))
        else:
            self.session.message_posted.emit(SENTENCES["empty clipboard"], "note")

    # Showing the comparison

    def _show(self) -> None:
        """Show the chosen sources and the newest comparison."""
        for side in SIDES:
            title = f"{side}: {self.comparison.sources[side].title}"
            self.buttons[side].setText(f"{title} ▾".replace("&", "&&"))
            self.buttons[side].setToolTip(f"<qt>{escape(title)}<br>{SENTENCES['choose'].format(side=side)}</qt>")
            self.titles[side].setText(title)
        pair = self.comparison.pair
        self._node_of = {side: {} for side in SIDES}
        difference = pair.difference if pair is not None else None
        if pair is not None and difference is not None:
            for node in reversed(difference.nodes):  # of the nodes in one box the first
                for side, value in zip(SIDES, (node.a, node.b), strict=True):
                    graph = pair.sides[SIDES.index(side)].graph
                    key = graph.view.box_of(value) if graph is not None and value is not None else None
                    if key is not None and (node.kinds or not self._node_of[side].get(key)):
                        self._node_of[side][key] = node
        self._list()
        self._place()

    def _list(self) -> None:
        pair = self.comparison.pair
        difference = pair.difference if pair is not None else None
        if difference is None:
            self.model.show_rows(())
            without = [side for side, shown in zip(SIDES, pair.sides, strict=True) if not shown.graph] if pair else []
            waiting = "preparing" if self.session.program.is_preparing else "working"
            sentence = SENTENCES[(waiting, "one side", "both sides")[len(without)]]
            self.summary.setText(sentence.format(side="".join(without[:1])))
            self.set_caption("")
            return
        at = self.table.verticalScrollBar().value()
        self.model.show_rows(difference.nodes if self.show_all.isChecked() else difference.differences)
        selected = [self._node_of[side].get(str(self.canvases[side].selected)) for side in SIDES]
        self._select_in_table(selected[0] or selected[1])
        self.table.verticalScrollBar().setValue(at)
        summary = difference.summary()
        if difference.differences:
            self.summary.set_texts(summary, difference.summary(short=True))
        else:
            kinds = {source.kind for source in self.comparison.sources.values()}
            sentence = SENTENCES["right" if kinds == {"program", "right"} else "same"]
            self.summary.set_texts(sentence.format(summary=summary), summary)
        n = len(difference.differences)
        self.set_caption("no difference" if not n else f"{n:,} {'differs' if n == 1 else 'differ'}")

    def _place(self) -> None:
        """Lay both graphs out, in a thread: B starts from the places of A."""
        pair = self.comparison.pair
        if pair is None or not self.isVisible():
            return
        style, rooms = self.session.document.view.style, {side: self._room(side) for side in SIDES}
        graphs = [side.graph and side.graph.view.graph for side in pair.sides]
        wanted = style, rooms, *graphs
        if wanted == self._laid_out[0]:  # only numbers differ, such as those of a training
            self._layout.cancel()
            self._show_pictures((pair, wanted), self._laid_out[1])
        else:
            self._layout.start((pair, wanted), lambda cancelled: _placed(pair, style, rooms, cancelled))

    @property
    def is_placing(self) -> bool:
        """True while the graphs are being laid out."""
        return self._layout.busy or self._place_soon.isActive()

    def _room(self, side: str) -> tuple[float, float]:
        size = self.canvases[side].viewport().size() - ROOM_AROUND
        return max(40.0, size.width()), max(40.0, size.height())

    def _show_pictures(self, token: tuple[Pair, tuple[Any, ...]], placed: Mapping[str, LaidOutGraph]) -> None:
        pair, wanted = token
        if pair is not self.comparison.pair:
            return
        self._laid_out = wanted, placed
        for side, shown in zip(SIDES, pair.sides, strict=True):
            self._show_picture(side, shown, placed.get(side))

    def _show_picture(self, side: str, shown: Side, laid: LaidOutGraph | None) -> None:
        canvas = self.canvases[side]
        if shown.graph is None or laid is None:
            canvas.show_picture(EMPTY_PICTURE)
            canvas.set_hint(shown.problem, "")
            return
        canvas.set_hint("", shown.graph.view.note)
        source = self.comparison.sources[side]
        is_other = self._shown.get(side) != source
        if canvas.picture != laid.prepared.picture:
            canvas.show_picture(laid.prepared, keep_view=not is_other)
        self._shown[side] = source
        view = shown.graph.view
        canvas.show_readings(read_numbers(view.graph, shown.graph.numbers, view.problems))
        marked = {key: KINDS[node.kinds[0]].badge for key, node in self._node_of[side].items() if node.kinds}
        canvas.show_activity(Activity(differing=frozenset(marked), badges=marked))
        if is_other and len(canvas.picture.boxes) <= MOST_IN_VIEW:
            canvas.fit()
        elif is_other:
            starts = [key for key, node in self._node_of[side].items() if node.starts_here]
            canvas.center_on(starts[-1] if starts else "")

    # Selection

    def _select_key(self, side: str, key: str | None) -> None:
        node = self._node_of[side].get(str(key))
        self._select(node)
        if self.comparison.sources[side].kind in ("program", "network"):
            self.session.select(key if key in self.session.presenter.picture.boxes else None)

    def _select_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and self.table.hasFocus():
            self._select(self.model.rows[current.row()])

    def select_row(self, row: int) -> None:
        """Select a node of the table on both canvases."""
        self._select(self.model.rows[row])

    def _select(self, node: NodeDifference | None) -> None:
        """Select a node and its counterpart, and bring both into view."""
        for side in SIDES:
            key = next((key for key, each in self._node_of[side].items() if each is node), None)
            self.canvases[side].select(key)
            if key is not None:
                self.canvases[side].reveal(key)
        self._select_in_table(node)

    def _select_in_table(self, node: NodeDifference | None) -> None:
        row = next((row for row, each in enumerate(self.model.rows) if each is node), None)
        selection = self.table.selectionModel()
        if row is None:
            selection.clearSelection()
        else:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            selection.setCurrentIndex(self.model.index(row, 0), flags)
            self.table.scrollTo(self.model.index(row, 0))

    def _notes(self, side: str, key: str) -> Sequence[str]:
        """Return what differs for the tooltip of a node."""
        node = self._node_of[side].get(key)
        if node is None or not node.kinds:
            return ()
        other = SIDES[1 - SIDES.index(side)]
        if node.a is None or node.b is None:
            return (SENTENCES["only here"].format(side=side),)
        place = SIDES.index(other)
        numbers = SENTENCES["there"].format(
            side=other, data=number_text(node.data[place]), grad=number_text(node.grad[place])
        )
        return SENTENCES["differs"].format(words=node.words), numbers

    # Export

    @property
    def has_figure(self) -> bool:
        return self.comparison.pair is not None and self.comparison.pair.difference is not None

    def figure_data(self) -> Sequence[Column]:
        pair = self.comparison.pair
        nodes = pair.difference.nodes if pair is not None and pair.difference is not None else ()
        columns: list[Column] = [
            ("name", [node.name for node in nodes]),
            ("what differs", [node.words or "same" for node in nodes]),
        ]
        for name, number in (("data", lambda node: node.data), ("grad", lambda node: node.grad)):
            columns += [(f"{name} {side}", [number(node)[place] for node in nodes]) for place, side in enumerate(SIDES)]
        columns.append(("starts here", [STARTS if node.starts_here else "" for node in nodes]))
        return columns


def _placed(
    pair: Pair, style: GraphStyle, rooms: Mapping[str, tuple[float, float]], cancelled: Callable[[], bool]
) -> Iterator[Mapping[str, LaidOutGraph]]:
    """Yield both graphs laid out in the form and direction in which the larger one can be read best."""
    graphs = {side: one.graph.view.graph for side, one in zip(SIDES, pair.sides, strict=True) if one.graph is not None}
    if not graphs:
        yield {}
        return
    largest = max(graphs, key=lambda side: len(graphs[side]))
    choice = choose_form(graphs[largest], style, rooms[largest])
    style = style._replace(form=choice.form, direction=choice.direction)
    placed: dict[str, LaidOutGraph] = {}
    for is_last in (False, True):  # a large graph has a quick layout first
        for side, graph in graphs.items():
            request = LayoutRequest(graph, style, rooms[side])
            if pair.difference is not None and side == "B":
                previous = replace(placed["A"].placed, positions=_counterparts(pair, placed["A"]))
                request = request._replace(current=placed["A"].choice, previous=previous)
            for laid in layouts(request, cancelled):
                placed[side] = laid
                if not is_last:
                    break
            if side not in placed or cancelled():
                return
        yield dict(placed)
        if all(laid.placed.quality == "full" for laid in placed.values()):
            return


def _counterparts(pair: Pair, placed: LaidOutGraph) -> Mapping[Any, Any]:
    """Return the places in A of the boxes and circles of B that have a counterpart there."""
    first, second = pair.sides
    positions: dict[Any, Any] = {}
    if pair.difference is not None and first.graph is not None and second.graph is not None:
        for node in pair.difference.nodes:
            if node.a is not None and node.b is not None:
                one, other = first.graph.view.box_of(node.a), second.graph.view.box_of(node.b)
                for end in ("", ":op"):
                    if one is not None and f"{one}{end}" in placed.placed.positions:
                        positions[f"{other}{end}"] = placed.placed.positions[f"{one}{end}"]
    return positions
