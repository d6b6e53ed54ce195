"""The graph panel in the middle of the window: header, canvas, stepper, and the context menus of the canvas.

A menu is shown with `popup`, which returns at once, and deletes itself when it closes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QSize, QTimer, Signal
from PySide6.QtGui import QAction, QIntValidator, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QVBoxLayout, QWidget

from datasets import N_SAMPLES_LIMITS
from engine.autograd.notation import counted
from engine.document.document import FARTHEST_MOVED, SECTIONS
from engine.views.shown_walk import ALL
from engine.views.walk_texts import LINE_SENTENCES
from gui.actions.graph import GRAPH_ACTIONS, GRAPH_MENUS, SUBJECTS
from gui.canvas import GraphCanvas
from gui.panels.find_bar import FindBar
from gui.panels.frame import HELP_TIP
from gui.panels.graph.box_answer import BoxAnswer
from gui.panels.graph.graph_activity import GraphActivity
from gui.panels.graph.outdated import OutdatedMark, outdated
from gui.panels.graph.stepper import BackwardCallsBar, StepperBar
from gui.session import Change, Session
from gui.session.change import EVERYTHING, NUMBERS
from gui.theme import LIGHT, Colors, set_text_sized
from gui.unexpected import contained
from gui.widgets.action_set import ActionSet, fill_menu
from gui.widgets.buttons import menu_button, tool_button
from gui.widgets.failure_notice import FailureNotice, update_all
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets, hold_layout, release_layout


def context_menu(session: Session, key: str | None, sets: Sequence[ActionSet], parent: QWidget) -> QMenu:
    """Return the context menu of the value or group of a key, or of the background for None.

    Args:
        session: says what can be opened and closed at the value.
        key: of a box that is drawn.
        sets: all actions.
        parent: of the menu.
    """
    menu = QMenu(parent)
    menu.setObjectName("background menu" if key is None else "node menu")
    menu.aboutToHide.connect(menu.deleteLater)  # deferred: the chosen action is still triggered
    for actions in sets:
        actions.refresh()
    if key is None:
        return fill_menu(menu, "background", sets)
    groups = []
    for choice in session.presenter.groups.choices(key):
        action = QAction(choice.text, menu)
        action.triggered.connect(lambda _checked, choice=choice: session.presenter.groups.choose(choice))
        groups.append(action)
    return fill_menu(menu, "node", sets, {("node", 30): groups})


SPACING, MARGINS = 6, (10, 6, 8, 6)


class GraphHeader(QWidget):
    """Row above the canvas: expression or network, the sample, and the view's buttons.

    Attributes:
        view_menu: what can be done with the view.
        find_button, fit_button, zoom_button: shown where there is room.
        count: says how large the graph is.

    Signals:
        double_clicked(): on the header itself, as on the title of a panel.
        help_requested(): the "?" was pressed.
    """

    double_clicked = Signal()
    help_requested = Signal()

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
        self._sample = QLineEdit()
        self._sample.setAccessibleName("number of the sample")
        self._sample.setToolTip("Number of the sample whose graph is shown, from 1")
        set_text_sized(self._sample, setFixedWidth=48)
        self._sample.setValidator(QIntValidator(*N_SAMPLES_LIMITS, self._sample))
        self._sample.editingFinished.connect(self._choose_sample)
        self.find_button, self.fit_button = actions.button("find"), canvas.action_set.button("fit")
        natural = canvas.action_set["natural size"]
        self.zoom_button = tool_button("100 %", natural.toolTip(), natural.trigger, "Zoom 100 %")
        self.zoom_button.setMinimumWidth(self.zoom_button.sizeHint().width())
        canvas.zoom_changed.connect(self._show_zoom)
        self.view_menu = fill_menu(QMenu("View", self), "header", [actions, canvas.action_set])
        self._view = menu_button("View ▾", "Direction, constants, gradient flow, zoom")
        self._view.setMenu(self.view_menu)
        self.help_button = tool_button("?", HELP_TIP, self.help_requested.emit, "help on the graph", "4px 6px")
        subject = self._title, *self._modes.values(), self._sample_label, self._sample
        tools = self.find_button, self.fit_button, self.zoom_button, self._view, self.help_button
        add_widgets(QHBoxLayout(self), *subject, self.count, 1, *tools, margins=MARGINS, spacing=SPACING)
        session.changed.connect(self._follow)
        session.commit_requested.connect(self._commit)
        self._show_document()

    def _follow(self, change: Change) -> None:
        if change & {*SECTIONS, "model"}:
            self._show_document()

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

    def offer_subjects(self, offered: bool) -> None:
        """Show or hide the choice between the program's graph and the network's."""
        for button in self._modes.values():
            button.setVisible(offered)
        self._give_way()

    def show_count(self, values: int, operations: int) -> None:
        """Show how large the graph is."""
        self.count.setText(f"{counted(values, 'value')} · {counted(operations, 'operation')}" if values else "")

    # Room

    def _required(self) -> list[QWidget]:
        shows_network = self._session.document.view.shows == "network"
        modes = [button for button in self._modes.values() if not button.isHidden()]
        return [*modes, *([self._sample] if shows_network else []), self._view, self.help_button]

    def _show_zoom(self, zoom: float) -> None:
        self.zoom_button.setText(f"{100 * zoom:.0f} %")
        self.zoom_button.setAccessibleName(f"Zoom {self.zoom_button.text()}")

    def _give_way(self) -> None:
        """Hide what does not fit: first the title, then buttons that are also in the menu."""
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


WAIT_MILLISECONDS = 200
"""Time for which the previous graph stays unchanged while another one is being made; then it is veiled."""


WITHOUT_VALUE = "There is no graph: the program does not end with a value that has a gradient"
"""Hint for a program that ends with a plain number, such as `x // 2`, a text or a list, or only prints."""


class GraphPanel(QWidget):
    """Canvas with header, bar for finding, and stepper.

    Not a `Panel`: it has no dock, and its parts show what differs at once, so that nothing has to be gathered for them.

    Attributes:
        session: what is shown.
        colors: the theme it is shown in.
        canvas, header, find_bar, stepper, backward_calls: its parts; `answer` is the field for a hidden gradient.
        veil_timer: runs from when another graph is asked for until it is there or the canvas is veiled.

    Signals:
        explain_requested(object): key of a value whose explanation the user wants to see.
        menu_requested(object, QPoint): a menu for the value of that key, which is selected, or for the background
            (None), and the place on the screen.
    """

    depends_on = frozenset({*SECTIONS, "program", "layout", "graph", "numbers", "selection", "run"})

    explain_requested = Signal(object)
    menu_requested = Signal(object, QPoint)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.colors: Colors = LIGHT
        self.canvas = GraphCanvas()
        self.canvas.notes = session.presenter.notes
        self.find_bar = FindBar(session, self.canvas)
        self._activity = GraphActivity(session)
        self.action_set = ActionSet(self, GRAPH_ACTIONS, GRAPH_MENUS, session.commit_requested.emit)
        self.action_set.attach(self)
        self.find_bar.set_actions(self.action_set)
        self.answer = BoxAnswer(session, self.canvas)
        self.header = GraphHeader(session, self.canvas, self.action_set)
        self.stepper = StepperBar(session)
        self.backward_calls = BackwardCallsBar(session)
        self._outdated = OutdatedMark(session, self.canvas)
        self._notice = FailureNotice(self.canvas, self.try_again)
        frame = QFrame()
        frame.setObjectName("card")
        parts = self.header, self.find_bar, self.canvas, 1, self.stepper, self.backward_calls
        add_widgets(QVBoxLayout(frame), *parts, margins=(1, 1, 1, 1), spacing=0)
        add_widgets(QVBoxLayout(self), frame, margins=(0, 0, 0, 0))
        self.veil_timer = QTimer(self, singleShot=True, interval=WAIT_MILLISECONDS)
        self._reconsider = QTimer(self, singleShot=True)
        self._connect()
        self._subject: object = None
        self._evaluation: object = None
        self._show_picture()

    def _connect(self) -> None:
        session, canvas = self.session, self.canvas
        session.changed.connect(self._follow)
        self.veil_timer.timeout.connect(self._veil)
        self._reconsider.timeout.connect(lambda: self._set_room(reconsider=self.canvas.mode != "free"))
        canvas.node_selected.connect(session.select)
        canvas.node_compared.connect(session.compare)
        canvas.node_hovered.connect(self._hover)
        canvas.node_activated.connect(self._activate)
        canvas.gradient_clicked.connect(self.answer.open)
        canvas.node_moved.connect(self._move_node)
        canvas.group_toggled.connect(lambda key: session.presenter.groups.toggle(str(key)))
        canvas.context_requested.connect(self._open_menu)
        canvas.resized.connect(self._follow_room)

    @property
    def outdated_reason(self) -> str:
        """Why the graph is not that of the program's text; "" when it is."""
        return outdated(self.session)

    def set_colors(self, colors: Colors) -> None:
        self.colors = colors
        self.canvas.set_colors(colors)
        self.answer.set_colors(colors)
        self._outdated.set_colors(colors)

    @property
    def has_failed(self) -> bool:
        """True when something could not be shown or painted, and nobody has tried again."""
        return not self._notice.isHidden()

    def show_failure(self) -> None:
        """Show that something in the panel could not be shown or painted, with a button that tries again."""
        self._notice.appear()

    def try_again(self) -> None:
        """Show and paint everything again, after something failed."""
        self._notice.hide()
        self._follow(EVERYTHING)
        self.canvas.paint_again()
        update_all(self)

    def hold(self) -> None:
        """Freeze the layout, so that everything in the panel keeps its size."""
        hold_layout(self)

    def release(self) -> None:
        """Unfreeze the layout."""
        self.canvas.viewport().update()
        release_layout(self)

    # Following the session

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.session.presenter.catch_up()

    def _follow(self, change: Change) -> None:
        if not change & self.depends_on:
            return
        if "graph" in change:
            self._notice.hide()
        with contained(self):
            self._show(change)

    def _show(self, change: Change) -> None:
        if "graph" in change:
            self._show_picture()
        elif "numbers" in change:
            self.canvas.show_readings(self.session.presenter.readings)
        if change & {"program", "layout"}:
            self._show_hint()
            if not self.session.presenter.awaited:
                self.veil_timer.stop()
                self._show_veil("")
            elif not self.veil_timer.isActive():  # another graph is laid out for the first time
                self.veil_timer.start()
        if "graph" in change or "selection" in change:
            self.canvas.select(self.session.selection)
        if "selection" in change and "graph" not in change:
            self.canvas.bring_into_view(self.session.selection)
        for actions in (self.action_set, self.canvas.action_set):
            actions.refresh(only_numbers=change <= NUMBERS)
        if change & {"numbers", "selection", "run"}:
            activity = self._activity.now()
            is_walking = self.session.presenter.position != ALL
            is_one_step = bool(activity.edges) or (is_walking and len(activity.nodes) == 1)
            self.canvas.show_activity(activity, follow=is_one_step and "numbers" in change)

    def _show_picture(self) -> None:
        presenter = self.session.presenter
        placement, before = presenter.placement, self._subject
        self._subject = placement.subject
        same = before == self._subject
        evaluation, self._evaluation = self._evaluation, self.session.evaluation
        self.canvas.show_picture(
            presenter.prepared,
            keep_view=same,
            animate=same,
            same_values=evaluation is self._evaluation,
            came_from=placement.came_from,
        )
        self._show_hint()
        self.canvas.show_readings(presenter.readings)
        self._activity.hovered = None
        self.header.show_count(len(presenter.picture.boxes), len(presenter.picture.circles))
        self.find_bar.refresh()
        self.canvas.action_set.refresh()

    def _follow_room(self) -> None:
        """Reconsider the form of the boxes after a change of size, unless the user has zoomed in.

        That takes as long as all else that another workspace or size of the window asks for, so it has a turn of its
        own in the event loop, one for all sizes that the canvas has on the way.
        """
        self._set_room(reconsider=False)
        self._reconsider.start()

    def _set_room(self, reconsider: bool) -> None:
        self.session.presenter.placement.set_room(self.canvas.room, reconsider)

    def _show_hint(self) -> None:
        """Show a hint on what to do when nothing is drawn."""
        presenter, program = self.session.presenter, self.session.program
        error, evaluation = self.session.error, self.session.evaluation
        has_text = bool(self.session.document.expression.text.strip())
        of_program, text = not presenter.shows_network, "Type an expression, such as  y = tanh(2 * 0.5)"
        if of_program and program.busy:
            waiting = "Python is being prepared (once)" if program.is_preparing else "The program is running"
            text = waiting if program.is_slow else ""
        elif of_program and program.trouble:
            text = f"There is no graph yet. {program.trouble}"
        elif self.stepper.steps_by_lines and program.walk.next_line is not None:
            text = LINE_SENTENCES["none yet"].format(line=program.walk.next_line)
        elif of_program and error is not None:
            text = f"There is no graph yet: the program has an error in line {error.line}"
        elif of_program and has_text and evaluation is not None and evaluation.root is None:
            text = WITHOUT_VALUE
        self.canvas.set_hint("" if presenter.picture.boxes else presenter.note or text, presenter.note)

    def _veil(self) -> None:
        awaited = self.session.presenter.awaited
        self._show_veil(f"Laying out {counted(awaited, 'node')}…" if awaited else "")

    def _show_veil(self, text: str) -> None:
        """Veil the canvas with the text, and say it in the stepper's line too; "" for the graph as it is."""
        self.canvas.set_veil(text)
        self.stepper.show_awaited(text)

    # User actions

    def _hover(self, key: str | None) -> None:
        self._activity.hovered = key
        self.canvas.show_activity(self._activity.now())

    @property
    def flow_shown(self) -> bool:
        """True when the gradient of the whole pass is drawn along the edges."""
        return self._activity.flow_wanted

    def show_flow(self, wanted: bool) -> None:
        """Draw edges as wide as the gradient that runs along them, or as usual."""
        self._activity.flow_wanted = wanted
        self.canvas.show_activity(self._activity.now())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.action_set.press(event):
            super().keyPressEvent(event)

    def _activate(self, key: str) -> None:
        """A gradient that is hidden is asked for, any other value explained."""
        if not self.answer.open(key):
            self.explain(key)

    def predict_selected(self) -> None:
        """Hide the gradient of the selected value, and ask for it."""
        key, presenter = self.session.selection, self.session.presenter
        presenter.prediction.ask_one(presenter.value(key), presenter.graph_view)
        if key is not None:
            self.answer.open(key)

    def explain(self, key: str) -> None:
        """Select a value and ask for its explanation to be shown."""
        self.session.select(key)
        self.explain_requested.emit(key)

    def show_elements(self) -> None:
        """Open a table of the elements of the selected value, if it is an array."""
        from gui.panels.graph.elements import ElementsDialog

        key = self.session.selection
        value = self.session.presenter.value(key)
        if key is not None and value is not None and isinstance(value.data, np.ndarray):
            ElementsDialog(self.session, key, self).show()

    def _open_menu(self, key: str | None, place: QPoint) -> None:
        if key is not None:
            self.session.select(key)
        self.menu_requested.emit(key, place)

    def _move_node(self, key: str, x: float, y: float) -> None:
        """Store in the document how far a node was dragged from its place in the layout."""
        presenter = self.session.presenter
        home = presenter.placement.laid_out.boxes[key]
        view = self.session.document.view
        way = [min(max(off, -FARTHEST_MOVED), FARTHEST_MOVED) for off in (x - home.x, y - home.y)]
        moved = {**view.moved_here, key: way}
        choice = presenter.placement.choice  # the way from a place means nothing in another form
        assert choice is not None
        changes = {view.field_of_moved: moved, "form": choice.form, "direction": choice.direction}
        if not self.session.edit(f"move {home.label or 'a value'}", view=changes):
            self.canvas.show_picture(presenter.picture)
