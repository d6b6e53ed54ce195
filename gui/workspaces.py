"""The workspaces of one window: the current one, and the user's arrangement of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QPointF, QSettings, Qt
from PySide6.QtGui import QHoverEvent
from PySide6.QtWidgets import QMainWindow, QWidget
from shiboken6 import isValid

from gui.arrangement import (
    FIRST_WORKSPACE,
    LESSON,
    PANELS,
    WORKSPACES,
    add_dock,
    arrange,
    default_places,
    fit_screen,
    hide_spare_tabs,
    is_low,
    is_one_stack,
    lesson_places,
    place_new_docks,
    scale_columns,
)
from gui.inner_sizes import InnerSizes
from gui.panels.frame import PanelDock
from gui.panels.graph.graph import GraphPanel
from gui.theme import text_scale
from gui.unexpected import contained

OLD_STATE, OLD_WORKSPACE = "state", "both"
"""The setting that held the one arrangement there was before there were workspaces, and the workspace like it."""


MOST_OF_WINDOW = 0.45
"""Largest share of the window's height that a dock takes by itself, and least share that it leaves to the graph."""
LOW_STATE = "{name} low"
"""The name under which the arrangement of a workspace for low windows is kept."""


class Workspaces:
    """Shows one of `WORKSPACES`; each keeps its arrangement while another one is shown, and in the settings.

    A workspace has two arrangements: one for low windows (`gui.arrangement.is_low`), one for all others.

    Attributes:
        current: name of the shown workspace.
        inner_sizes: column widths and splitters inside the panels.
        controls: names of the controls that the open lesson shows; its arrangement is always the default one.
        program_lines: number of lines of the longest program of the lesson.
    """

    controls: frozenset[str] = frozenset()
    program_lines = 10

    def __init__(self, window: QMainWindow, docks: Mapping[str, PanelDock], graph: GraphPanel, first: str) -> None:
        """Take the window with its docks, and the graph in its middle; `first` is shown if the settings name none."""
        self.current = first
        self._window, self._docks, self._graph = window, docks, graph
        self.inner_sizes = InnerSizes(docks)
        self._states: dict[str, QByteArray] = {}
        self._before_maximising: QByteArray | None = None
        self._focus_before: QWidget | None = None
        self._is_low = False
        self._scale = text_scale()

    def show(self, name: str) -> None:
        """Change to a workspace, in its last or its default arrangement."""
        if name == self.current:
            return
        self.restore_panels()
        self._leave()
        self.current = name
        self._rearrange(self._show_current)

    def _leave(self) -> None:
        self._states[self._state_name] = self._window.saveState(self._version)

    @property
    def _state_name(self) -> str:
        return LOW_STATE.format(name=self.current) if self._is_low else self.current

    @property
    def is_maximised(self) -> bool:
        """True while one panel, or the graph, is shown as large as the window."""
        return self._before_maximising is not None

    def maximise(self, dock: PanelDock | None) -> None:
        """Maximise one panel, or the graph (None); restore the others when it is maximised already."""
        if self.is_maximised:
            self.restore_panels()
            self.fit_screen()
            return
        self._before_maximising = self._window.saveState(self._version)
        self._focus_before = self._window.focusWidget()
        self._rearrange(lambda: self._show_alone(dock))

    def _show_alone(self, dock: PanelDock | None) -> None:
        for other in self._docks.values():
            if other is not dock and not other.isFloating():
                other.hide()
        self._graph.setVisible(dock is None)
        hide_spare_tabs(self._window, self._docks)

    def restore_panels(self) -> None:
        """Bring the panels back that a maximised one has hidden."""
        state, self._before_maximising = self._before_maximising, None
        if state is None:
            return
        self._rearrange(lambda: self._take_state(state))
        focus, self._focus_before = self._focus_before, None
        if focus is None or not isValid(focus) or not focus.isVisible():
            focus = self._window
        focus.setFocus()  # Qt has given the keyboard to the first button of the tool bar when its widget was hidden

    def _take_state(self, state: QByteArray) -> None:
        self._show_graph_unplaced()
        self._window.restoreState(state, self._version)
        hide_spare_tabs(self._window, self._docks)

    def reset(self) -> None:
        """Put every panel back in its default place in this workspace, in a window that is shown."""
        self._rearrange(self.arrange)

    def _rearrange(self, arrange: Callable[[], None]) -> None:
        """Move the docks while their contents keep their sizes; then each content takes its new size once.

        All of it in one turn of the event loop, so that no frame shows a half of it; contents are released whatever
        fails.
        """
        self._forget_separator()
        parts: list[GraphPanel | PanelDock] = [self._graph, *self._docks.values()]
        for part in parts:
            part.hold()
        with contained(self._window):
            arrange()
        for part in parts:
            with contained(part):
                part.release()

    def _forget_separator(self) -> None:
        """Make Qt forget on which separator between docks the pointer is; call it before docks change their places.

        Qt 6.11 remembers that separator by its position in the tree of docks and looks it up again when the pointer
        moves next. Where the tree has changed since, that ends the program.
        """
        place = QPointF()
        QCoreApplication.sendEvent(self._window, QHoverEvent(QEvent.Type.HoverLeave, place, place, place))

    def arrange(self) -> None:
        """Put every panel in its default place in this workspace."""
        self._before_maximising = None
        self._is_low = is_low(self._window)
        self._graph.setVisible(self.has_graph)
        in_lesson = self.current in LESSON and bool(self.controls)
        places = lesson_places(self.controls, self.current, self.program_lines) if in_lesson else None
        arrange(self._window, self._docks, self.current, places)

    @property
    def has_graph(self) -> bool:
        """True when the current workspace shows the graph in the middle."""
        return WORKSPACES[self.current].has_graph

    @property
    def _version(self) -> int:
        return WORKSPACES[self.current].version

    def fit_screen(self) -> None:
        """Take the arrangement for a window of this height and text of this size, and make room on a small screen."""
        if self._is_low != is_low(self._window) and not self.is_maximised:
            self._leave()
            self._rearrange(self._show_current)
        elif self._scale != text_scale() and not self.is_maximised:
            scale_columns(self._window, self._docks, self.current, text_scale() / self._scale)
        self._scale = self._scale if self.is_maximised else text_scale()
        self._forget_separator()
        fit_screen(self._window, self._docks)

    def grow(self, dock: PanelDock, height: int) -> None:
        """Give a dock the height that its new content needs, from the docks of its column or from a high graph."""
        across = range(dock.x(), dock.x() + dock.width())
        column = [
            each
            for each in self._docks.values()
            if each is not dock and not each.isFloating() and each.x() in across and not each.visibleRegion().isEmpty()
        ]
        most = round(self._window.height() * MOST_OF_WINDOW)
        height = min(height, most if column else dock.height() + self._graph.height() - most)
        if dock.height() >= height or dock.isFloating() or self.is_maximised:
            return
        share = 1.0 - (height - dock.height()) / (sum(each.height() for each in column) or 1)
        heights = [height, *(round(each.height() * share) for each in column)]
        self._window.resizeDocks([dock, *column], heights, Qt.Orientation.Vertical)

    def _show_current(self) -> None:
        size = self._window.size()
        self._show_graph_unplaced()
        if not self._restore_current():
            self.arrange()
        hide_spare_tabs(self._window, self._docks)
        if not self._window.isMaximized() and self._window.size() != size:
            self._window.resize(size)

    def _restore_current(self) -> bool:
        """Bring back the arrangement in which the workspace was left; return False where there is none of use."""
        self._is_low = is_low(self._window)
        state = self._states.get(self._state_name) if self.current not in LESSON else None
        if state is None or not self._window.restoreState(state, self._version):
            return False
        return not is_one_stack(self._window, self._docks, self.current)

    def _show_graph_unplaced(self) -> None:
        """Shows or hides the graph, and leaves its place to the arrangement that is restored next.

        Above the columns of another workspace it would need more height than the window has. Shown only after them it
        would have none: Qt gives all the height to the widgets below it.
        """
        layout = self._window.layout()
        assert layout is not None
        layout.setEnabled(False)  # Qt places a widget in the moment in which it is shown
        try:
            self._graph.setVisible(self.has_graph)
        finally:
            layout.setEnabled(True)

    # Settings

    def restore(self, settings: QSettings) -> bool:
        """Restore the saved arrangements; return True when the current workspace's was usable."""
        self.inner_sizes.restore(settings)
        names = [*WORKSPACES, *(LOW_STATE.format(name=name) for name in WORKSPACES)]
        kept = {name: settings.value(f"workspaces/{name}") for name in names}
        kept[OLD_WORKSPACE] = kept[OLD_WORKSPACE] or settings.value(OLD_STATE)
        named = str(settings.value("workspace", OLD_WORKSPACE if kept[OLD_WORKSPACE] else self.current))
        self.current = named if named in WORKSPACES else self.current
        self._states = {name: state for name, state in kept.items() if isinstance(state, QByteArray)}
        self._graph.setVisible(self.has_graph)
        if not self._restore_current():
            return False
        place_new_docks(self._window, self._docks)
        self._add_new_panels(settings)
        return True

    def _add_new_panels(self, settings: QSettings) -> None:
        """A panel that there was not yet the last time stands where it stands first."""
        known = settings.value("panels")
        if not isinstance(known, str):
            return
        for name, entry in PANELS.items():
            place = entry.place(self.current, self._is_low)
            if name not in known.split() and place is not None:
                places = default_places(self._window, self.current)
                add_dock(self._window, self._docks, name, place, self.current, places)
                self._docks[name].show()
                if place.behind:
                    self._docks[place.behind].raise_()

    def remember(self, settings: QSettings) -> None:
        """Writes down all arrangements, and which workspace is shown."""
        self.restore_panels()
        self._leave()
        self.inner_sizes.remember(settings)
        for name, state in self._states.items():
            settings.setValue(f"workspaces/{name}", state)
        settings.setValue("workspace", FIRST_WORKSPACE if self.current == "welcome" else self.current)
        settings.setValue("panels", " ".join(PANELS))
