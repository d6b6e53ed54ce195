"""The header of the graph panel: expression or network, the sample, the zoom, and the menu of the view.

It fits a column of 400 pixels: what can be done elsewhere, too, gives way first.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QAction, QActionGroup, QIntValidator, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QLineEdit, QMenu, QToolButton, QWidget

from engine.autograd.notation import counted
from gui.canvas import GraphCanvas
from gui.session import Change, Session
from gui.theme import text_pixels
from gui.widgets.labels import ElidedLabel

SPACING, MARGINS = 6, (10, 6, 8, 6)
SAMPLES = (1, 2, 3, 4, 6, 8)
DIRECTIONS = {"right": "Left to right", "down": "Top-down"}


class GraphHeader(QWidget):
    """Expression or network, the sample, and the view's buttons.

    Attributes:
        view_menu: what can be done with the view.
        flow: the checkable action "Gradient flow".
    """

    def __init__(self, session: Session, canvas: GraphCanvas, find: Callable[[], None]) -> None:
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
        self._sample = self._make_sample()
        self._find = self._tool("Find", "Find a node by its name (Ctrl+F)", find)
        self._fit = self._tool("Fit", "Show the whole graph (Home)", canvas.fit)
        self._zoom = self._tool("100 %", "The zoom; a click goes to natural size", lambda: canvas.set_zoom(1.0))
        self._zoom.setMinimumWidth(self._zoom.sizeHint().width())
        canvas.zoom_changed.connect(self._show_zoom)
        self.flow = QAction("Gradient flow", self)
        self.view_menu = QMenu("View", self)
        self._fill_menu(find)
        self._view = self._tool("View ▾", "Direction, constants, gradient flow, zoom", lambda: None)
        self._view.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._view.setMenu(self.view_menu)
        self._lay_out()
        session.changed.connect(self._follow)
        session.commit_requested.connect(self._commit)
        self._show_document()

    def _follow(self, change: Change) -> None:
        if change.sections or change.model:
            self._show_document()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(*MARGINS)
        row.setSpacing(SPACING)
        row.addWidget(self._title)
        for button in self._modes.values():
            row.addWidget(button)
        row.addWidget(self._sample_label)
        row.addWidget(self._sample)
        row.addWidget(self._count, 1)
        for tool in (self._find, self._fit, self._zoom, self._view):
            row.addWidget(tool)

    def _mode_button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(name.capitalize())
        button.setCheckable(True)
        button.setToolTip(
            "The graph of the program" if name == "expression" else "The network on one sample, while it trains"
        )
        button.clicked.connect(lambda: self._session.set_view(shows=name))
        return button

    def _make_sample(self) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName("number of the sample")
        field.setToolTip("Which sample of the data the network's graph is computed for, from 1")
        field.setFixedWidth(text_pixels(48))
        field.setValidator(QIntValidator(1, 100_000, field))
        field.editingFinished.connect(self._choose_sample)
        return field

    def _tool(self, text: str, tip: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: action())
        return button

    # The menu

    def _fill_menu(self, find: Callable[[], None]) -> None:
        menu, canvas = self.view_menu, self._canvas
        menu.setToolTipsVisible(True)
        directions = QActionGroup(self)
        self._directions = {}
        for direction, text in DIRECTIONS.items():
            action = directions.addAction(text)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, to=direction: self._turn(to))
            menu.addAction(action)
            self._directions[direction] = action
        menu.addSeparator()
        self._hide = menu.addAction("Hide constants")
        self._hide.setCheckable(True)
        self._hide.triggered.connect(lambda checked: self._session.set_view(hide_constants=checked))
        self.flow.setCheckable(True)
        self.flow.setToolTip("Edges as wide as the gradient that runs along them, coloured by its sign")
        menu.addAction(self.flow)
        overview = menu.addAction("Overview map")
        overview.setCheckable(True)
        overview.setChecked(True)
        overview.setToolTip("A small map in a corner, where the graph is not all in view")
        overview.toggled.connect(canvas.show_minimap)
        menu.addMenu(self._make_samples_menu())
        menu.addSeparator()
        menu.addAction("Find…", find)
        menu.addAction("Fit", canvas.fit)
        menu.addAction("Fit selection", canvas.fit_selection)
        menu.addAction("100 %", lambda: canvas.set_zoom(1.0))
        menu.addSeparator()
        self._reset = menu.addAction("Reset positions", self.reset_positions)

    def _make_samples_menu(self) -> QMenu:
        """How many samples share the graph of the network: the chosen one open, the others a box each."""
        menu = QMenu("Samples in the graph", self)
        choices = QActionGroup(self)
        self._samples = {}
        for number in SAMPLES:
            action = choices.addAction(str(number))
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, n=number: self._session.set_view(n_samples=n))
            menu.addAction(action)
            self._samples[number] = action
        return menu

    def _turn(self, direction: str) -> None:
        """Lays out in another direction; places given by hand belong to the one before."""
        if direction != self._session.document.view.direction:
            label = f"layout {DIRECTIONS[direction].lower()}"
            self._session.edit(label, view={"direction": direction, "moved": {}, "moved_in_network": {}})

    def reset_positions(self) -> None:
        """Puts every value back where the layout has it."""
        self._session.edit("reset positions", view={self._session.document.view.field_of_moved: {}})

    # Following

    def _choose_sample(self) -> None:
        number = int(self._sample.text() or 1)
        self._session.set_view(sample=max(0, min(number, self._session.dataset.n_samples) - 1))
        self._show_document()

    def _commit(self) -> None:
        if self._sample.isModified() and self._sample.hasAcceptableInput():
            self._choose_sample()

    def _show_document(self) -> None:
        view = self._session.document.view
        self._modes[view.shows].setChecked(True)
        self._sample.setVisible(view.shows == "network")
        self._sample.setText(str(min(view.sample, self._session.dataset.n_samples - 1) + 1))
        self._directions[view.direction].setChecked(True)
        self._hide.setChecked(view.hide_constants)
        for number, action in self._samples.items():
            action.setChecked(number == view.n_samples)
            action.setEnabled(view.shows == "network" and number <= self._session.dataset.n_samples)
        self._reset.setEnabled(bool(view.moved_here))
        self._give_way()

    def _show_zoom(self, zoom: float) -> None:
        self._zoom.setText(f"{100 * zoom:.0f} %")

    def count(self, values: int, operations: int) -> None:
        """Shows how large the graph is."""
        self._count.setText(f"{counted(values, 'value')} · {counted(operations, 'operation')}" if values else "")

    # Room

    def _required(self) -> list[QWidget]:
        shows_network = self._session.document.view.shows == "network"
        return [*self._modes.values(), *([self._sample] if shows_network else []), self._view]

    def _give_way(self) -> None:
        """Hides what there is no room for: first the title, then what the menu has, too."""
        room = self.width() - self._width_of(self._required())
        network = self._session.document.view.shows == "network"
        for widget in (self._zoom, self._fit, self._find, self._sample_label, self._title):
            wanted = widget is not self._sample_label or network
            room -= widget.sizeHint().width() + SPACING if wanted else 0
            widget.setVisible(wanted and room >= 0)

    @staticmethod
    def _width_of(widgets: list[QWidget]) -> int:
        widths = (min(widget.sizeHint().width(), widget.maximumWidth()) for widget in widgets)
        return MARGINS[0] + MARGINS[2] + sum(SPACING + width for width in widths)

    def minimumSizeHint(self) -> QSize:
        """As narrow as what has to be there."""
        return QSize(self._width_of(self._required()), super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._give_way()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows what there is room for."""
        super().resizeEvent(event)
        self._give_way()
