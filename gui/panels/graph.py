"""The graph panel, the middle of the window: what is shown, the canvas, and the stepper with its line of words."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.canvas import Activity, GraphCanvas
from gui.graph_state import ALL
from gui.panels.labels import ElidedLabel
from gui.session import Session
from gui.theme import Colors, mono_font

PLAY_MILLISECONDS = 700


class GraphPanel(QWidget):
    """Canvas with header and stepper.

    Signals:
        caption_changed(str): number of values and operations.
    """

    title = "Graph"
    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.canvas = GraphCanvas()
        self.header = GraphHeader(session, self.canvas)
        self.stepper = StepperBar(session)
        frame = QFrame()
        frame.setObjectName("card")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.setSpacing(0)
        inside.addWidget(self.header)
        inside.addWidget(self.canvas, 1)
        inside.addWidget(self.stepper)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self._connect()
        self._show_picture(keep_view=False)

    def _connect(self) -> None:
        graph = self._session.graph
        graph.picture_changed.connect(self._show_picture)
        graph.readings_changed.connect(self._show_readings)
        self.canvas.node_selected.connect(self._session.select)
        self.canvas.group_toggled.connect(self._toggle_group)
        self.canvas.node_moved.connect(self._move_node)
        self._session.selection_changed.connect(self.canvas.select)
        self._session.progressed.connect(lambda _progress: self._show_activity())

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self.canvas.set_colors(colors)

    def _show_picture(self, keep_view: bool) -> None:
        graph = self._session.graph
        self.canvas.set_hint("" if graph.picture.boxes else "Type an expression, such as  y = tanh(2 * 0.5)")
        self.canvas.show_picture(graph.picture, keep_view=keep_view, animate=keep_view)
        self.canvas.show_readings(graph.readings)
        self.header.count(len(graph.picture.boxes), len(graph.picture.circles))

    def _show_readings(self) -> None:
        self.canvas.show_readings(self._session.graph.readings)
        self._show_activity()

    def _show_activity(self) -> None:
        nodes, edges = self._session.graph.touched()
        self.canvas.show_activity(Activity(nodes=nodes, edges=edges), follow=bool(edges))

    def _move_node(self, key: str, x: float, y: float) -> None:
        """Keeps in the document how far a value was dragged from where the layout has it."""
        graph = self._session.graph
        home = graph.laid_out.boxes[key]
        moved = {**dict(self._session.document.view.moved), key: (x - home.x, y - home.y)}
        if not self._session.edit(f"move {home.label or 'a value'}", view={"moved": moved}):
            self.canvas.show_picture(graph.picture)

    def _toggle_group(self, key: object) -> None:
        self._session.graph.toggle_group(str(key))


class GraphHeader(QWidget):
    """Expression or network, the sample, and the view's buttons."""

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__()
        self._session = session
        self._canvas = canvas
        self._title = QLabel("Graph")
        self._title.setStyleSheet("font-weight: 600;")
        self._count = ElidedLabel(whole=True)
        self._count.setProperty("muted", True)
        self._modes = {name: self._mode_button(name) for name in ("expression", "network")}
        group = QButtonGroup(self)
        for button in self._modes.values():
            group.addButton(button)
        self._sample_label = QLabel("sample")
        self._sample_label.setProperty("muted", True)
        self._sample = QLineEdit()
        self._sample.setAccessibleName("number of the sample")
        self._sample.setToolTip("Which sample of the data the network's graph is computed for, from 1")
        self._sample.setMaximumWidth(52)
        self._sample.setValidator(QIntValidator(1, 100_000, self._sample))
        self._sample.editingFinished.connect(self._choose_sample)
        self._find = self._make_find()
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 8, 6)
        row.setSpacing(6)
        row.addWidget(self._title)
        for button in self._modes.values():
            row.addWidget(button)
        row.addWidget(self._sample_label)
        row.addWidget(self._sample)
        row.addWidget(self._count, 1)
        row.addWidget(self._find)
        row.addWidget(self._tool("Fit", "Show the whole graph (Home)", canvas.fit))
        row.addWidget(self._tool("100 %", "Natural size", lambda: canvas.set_zoom(1.0)))
        session.document_changed.connect(lambda _sections: self._show_document())
        self._show_document()

    def _mode_button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(name.capitalize())
        button.setCheckable(True)
        button.setToolTip(
            "The graph of the program" if name == "expression" else "The network on one sample, while it trains"
        )
        button.clicked.connect(lambda: self._session.set_view(shows=name))
        return button

    def _tool(self, text: str, tip: str, action: object) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: action())  # type: ignore[operator]
        return button

    def _make_find(self) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText("find")
        field.setAccessibleName("find a node by name")
        field.setMaximumWidth(90)
        field.setClearButtonEnabled(True)
        field.returnPressed.connect(self._find_next)
        shortcut = QShortcut(QKeySequence.StandardKey.Find, self)
        shortcut.activated.connect(self._start_find)
        self._found = 0
        field.textChanged.connect(lambda _text: setattr(self, "_found", 0))
        return field

    def _start_find(self) -> None:
        self._find.setFocus()
        self._find.selectAll()

    def _find_next(self) -> None:
        keys = self._canvas.find(self._find.text())
        if not keys:
            self._session.told.emit(f"no node is called {self._find.text()!r}", "note")
            return
        key = keys[self._found % len(keys)]
        self._found += 1
        self._session.select(key)
        self._canvas.center_on(key)

    def _choose_sample(self) -> None:
        number = int(self._sample.text() or 1)
        self._session.set_view(sample=max(0, min(number, self._session.dataset.n_samples) - 1))
        self._show_document()

    def _show_document(self) -> None:
        view = self._session.document.view
        self._modes[view.shows].setChecked(True)
        for widget in (self._sample, self._sample_label):
            widget.setVisible(view.shows == "network")
        self._sample.setText(str(min(view.sample, self._session.dataset.n_samples - 1) + 1))

    def count(self, values: int, operations: int) -> None:
        """Shows how large the graph is."""
        self._count.setText(f"{values:,} values · {operations:,} operations" if values else "")


class StepperBar(QWidget):
    """Forward one operation, backward one contribution at a time, in both directions; says what just happened."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._graph = session.graph
        self._words = ElidedLabel()
        self._words.setFont(mono_font(12))
        self._place = QLabel()
        self._place.setProperty("muted", True)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setAccessibleName("position in the forward and backward pass")
        self._slider.setMinimumWidth(60)
        self._slider.valueChanged.connect(self._slide)
        self._play_timer = QTimer(self)
        self._play_timer.setInterval(PLAY_MILLISECONDS)
        self._play_timer.timeout.connect(self._play_on)
        self._buttons = self._make_buttons()
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in self._buttons.values():
            buttons.addWidget(button)
        buttons.addWidget(self._slider, 1)
        words = QHBoxLayout()
        words.setSpacing(12)
        words.addWidget(self._words, 1)
        words.addWidget(self._place)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 8)
        column.setSpacing(6)
        column.addLayout(words)
        column.addLayout(buttons)
        self._graph.readings_changed.connect(self._show)
        self._session.progressed.connect(lambda _progress: self._show())
        self._show()

    def _make_buttons(self) -> dict[str, QToolButton]:
        entries = {
            "start": ("|◀", "Nothing computed yet: only the leaves are known", lambda: self._go(0)),
            "back": ("◀ Back", "Undo the last operation or contribution (Shift+F10)", self._graph.back),
            "next": ("Next ▶", "The next operation forward, or contribution backward (F10)", self._graph.next),
            "play": ("Play", "Step on by itself", self._toggle_play),
            "end": ("All ▶|", "Everything computed (F11)", lambda: self._go(ALL)),
        }
        buttons = {}
        for name, (text, tip, action) in entries.items():
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName({"start": "to the start", "end": "compute all"}.get(name, name))
            button.clicked.connect(lambda _checked=False, act=action: act())
            buttons[name] = button
        buttons["play"].setCheckable(True)
        return buttons

    def _go(self, cursor: int) -> None:
        self._stop_playing()
        self._graph.set_cursor(cursor)

    def _slide(self, position: int) -> None:
        self._graph.set_cursor(position)

    def _toggle_play(self) -> None:
        if self._play_timer.isActive():
            self._stop_playing()
            return
        if self._graph.cursor in (ALL, self._graph.n_steps):
            self._graph.set_cursor(0)
        self._play_timer.start()
        self._show()

    def _play_on(self) -> None:
        if self._graph.cursor == ALL or self._graph.cursor >= self._graph.n_steps:
            self._stop_playing()
        else:
            self._graph.next()

    def _stop_playing(self) -> None:
        self._play_timer.stop()
        self._show()

    def _show(self) -> None:
        total, cursor = self._graph.n_steps, self._graph.cursor
        at = total if cursor == ALL else cursor
        self._slider.blockSignals(True)
        self._slider.setRange(0, total)
        self._slider.setValue(at)
        self._slider.blockSignals(False)
        self._buttons["back"].setEnabled(at > 0)
        self._buttons["next"].setEnabled(total > 0 and (cursor == ALL or cursor < total))
        for name in ("start", "end", "play"):
            self._buttons[name].setEnabled(total > 0)
        self._buttons["play"].setChecked(self._play_timer.isActive())
        self._buttons["play"].setText("Stop" if self._play_timer.isActive() else "Play")
        self._place.setText(self._graph.place())
        words = self._graph.words()
        self._words.setText(words)
        self._words.setToolTip(words)
