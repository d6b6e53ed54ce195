"""The header of the graph panel: expression or network, the sample, the zoom, and the menu of the view.

It fits a column of 400 pixels: what can be done elsewhere, too, gives way first.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QIntValidator, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QToolButton, QWidget

from datasets import N_SAMPLES_LIMITS
from engine.autograd.notation import counted
from engine.document.document import SECTIONS
from gui.actions.action_set import ActionSet, fill_menu
from gui.actions.graph import SUBJECTS
from gui.canvas import GraphCanvas
from gui.session import Change, Session
from gui.theme import set_text_sized
from gui.widgets.buttons import menu_button, tool_button
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets

SPACING, MARGINS = 6, (10, 6, 8, 6)


class GraphHeader(QWidget):
    """Expression or network, the sample, and the view's buttons.

    Attributes:
        view_menu: what can be done with the view.
        find_button, fit_button, zoom_button: shown where there is room.
        count: says how large the graph is.

    Signals:
        double_clicked(): on the header itself, as on the title of a panel.
    """

    double_clicked = Signal()

    def __init__(self, session: Session, canvas: GraphCanvas, actions: ActionSet) -> None:
        """Create the header with the panel's actions; those of the canvas are its own."""
        super().__init__()
        self._session = session
        self._canvas = canvas
        self._title = QLabel("Graph")
        self._title.setStyleSheet("font-weight: 600;")
        self.count = ElidedLabel(whole=True)
        self.count.setProperty("muted", True)
        self._modes = {name: actions.button(f"show {name}") for name in SUBJECTS}
        self._sample_label = muted_label("sample")
        self._sample = self._make_sample()
        self.find_button, self.fit_button = actions.button("find"), canvas.action_set.button("fit")
        self.zoom_button = self._make_zoom_button()
        canvas.zoom_changed.connect(self._show_zoom)
        self.view_menu = fill_menu(QMenu("View", self), "header", [actions, canvas.action_set])
        self._view = menu_button("View ▾", "Direction, constants, gradient flow, zoom")
        self._view.setMenu(self.view_menu)
        self._lay_out()
        session.changed.connect(self._follow)
        session.commit_requested.connect(self._commit)
        self._show_document()

    def _follow(self, change: Change) -> None:
        if change & {*SECTIONS, "model"}:
            self._show_document()

    def _lay_out(self) -> None:
        subject = self._title, *self._modes.values(), self._sample_label, self._sample
        tools = self.find_button, self.fit_button, self.zoom_button, self._view
        add_widgets(QHBoxLayout(self), *subject, self.count, 1, *tools, margins=MARGINS, spacing=SPACING)

    def _make_zoom_button(self) -> QToolButton:
        """Make the button that shows the zoom; a click sets the natural size."""
        natural = self._canvas.action_set["natural size"]
        button = tool_button("100 %", natural.toolTip(), natural.trigger)
        button.setMinimumWidth(button.sizeHint().width())
        return button

    def _make_sample(self) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName("number of the sample")
        field.setToolTip("Number of the sample whose graph is shown, from 1")
        set_text_sized(field, setFixedWidth=48)
        field.setValidator(QIntValidator(*N_SAMPLES_LIMITS, field))
        field.editingFinished.connect(self._choose_sample)
        return field

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
        self._sample.setVisible(view.shows == "network")
        self._sample.setText(str(min(view.sample, self._session.dataset.n_samples - 1) + 1))
        self._give_way()

    def _show_zoom(self, zoom: float) -> None:
        self.zoom_button.setText(f"{100 * zoom:.0f} %")

    def show_count(self, values: int, operations: int) -> None:
        """Show how large the graph is."""
        self.count.setText(f"{counted(values, 'value')} · {counted(operations, 'operation')}" if values else "")

    # Room

    def _required(self) -> list[QWidget]:
        shows_network = self._session.document.view.shows == "network"
        return [*self._modes.values(), *([self._sample] if shows_network else []), self._view]

    def _give_way(self) -> None:
        """Hide what there is no room for: first the title, then what the menu has, too."""
        room = self.width() - self._width_of(self._required())
        network = self._session.document.view.shows == "network"
        for widget in (self.zoom_button, self.fit_button, self.find_button, self._sample_label, self._title):
            wanted = widget is not self._sample_label or network
            room -= widget.sizeHint().width() + SPACING if wanted else 0
            widget.setVisible(wanted and room >= 0)

    @staticmethod
    def _width_of(widgets: list[QWidget]) -> int:
        widths = (min(widget.sizeHint().width(), widget.maximumWidth()) for widget in widgets)
        return MARGINS[0] + MARGINS[2] + sum(SPACING + width for width in widths)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width_of(self._required()), super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._give_way()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_way()
