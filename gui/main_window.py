"""The main window: docks, menus, tool bar, actions. No logic: actions call the session, panels follow it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMenu,
    QMessageBox,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from engine.network.progress import RunState
from gui.arrangement import LEFT, RIGHT, TITLE_BAR, arrange, fit_screen, make_docks
from gui.divergence_bar import DivergenceBar
from gui.file_drops import FileDropWindow, leave_drops_to_window
from gui.jobs import closing_deadline, join_all
from gui.message_label import MessageLabel
from gui.panels.graph import GraphPanel
from gui.panels.loss_texts import readout
from gui.session import Change, Session
from gui.session.files import SessionFiles
from gui.system_theme import system_theme
from gui.theme import DARK, LIGHT, THEMES, Colors, make_palette, mono_font, style_sheet
from gui.widgets.labels import ElidedLabel

if TYPE_CHECKING:
    from gui.export.exporter import Exporter

PLOTS = {"loss": ("Loss plot", "TrainingPanel"), "boundary": ("Decision boundary", "BoundaryPanel")}
"""Plots that can be exported: file name, title, panel."""
ERROR_SECONDS = 1.0
"""An error stays at least so long, and until the user does something."""


class MainWindow(FileDropWindow):
    """One window on one session.

    Attributes:
        session: what everything shows.
        graph: the panel in the middle.
        docks: the other panels by class name.
        closing_deadline: when threads are waited for no longer, once the window was closed.
    """

    def __init__(self, session: Session, theme: str = "system", settings: QSettings | None = None) -> None:
        super().__init__()
        self.session = session
        session.setParent(self)  # its connections end with the window
        self._settings = settings
        self.closing_deadline: float | None = None
        self._theme = theme
        self._exporter: Exporter | None = None
        self.files = SessionFiles(self, session)
        self.files.saved.connect(lambda name: self.tell(f"saved {name}"))
        self.file_dropped.connect(self.files.open_path)
        self.setObjectName("Gradstep")
        self.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        self.graph = GraphPanel(session)
        self.setCentralWidget(self.graph)
        leave_drops_to_window(self.graph)
        self.docks = make_docks(self, session)
        self.actions_by_name = self._make_actions()
        self._make_menus()
        self._make_tool_bar()
        self.addToolBarBreak()
        self.divergence = DivergenceBar(session, self)
        self.addToolBar(self.divergence)
        self.message = MessageLabel()
        self.statusBar().addWidget(self.message, 1)
        self._follow_session()
        self.apply_theme(theme)
        system_theme().changed.connect(self._follow_system)
        room = self.screen().availableGeometry()
        self.resize(min(1440, room.width()), min(900, room.height() - TITLE_BAR))
        self._arranged = self._restore()

    # Panels

    def arrange(self) -> None:
        """The default arrangement, with the canvas the largest thing."""
        arrange(self, self.docks)

    def apply_theme(self, theme: str) -> None:
        """Shows the window in "light", "dark" or the system's theme: widgets, plots and canvas alike."""
        self._theme = theme
        system = system_theme()
        colors = THEMES.get(theme) or (DARK if system.is_dark else LIGHT)
        system.set_palette(make_palette(colors))
        self.setStyleSheet(style_sheet(colors))
        self.colors: Colors = colors
        self.graph.set_colors(colors)
        for dock in self.docks.values():
            dock.set_colors(colors)

    def _follow_system(self) -> None:
        """Takes the system's theme where it is wanted, and the size of its letters always."""
        self.apply_theme(self._theme)

    # Actions

    def _make_actions(self) -> dict[str, QAction]:
        session, graph, files = self.session, self.session.graph, self.files
        table: list[tuple[str, str, str | QKeySequence.StandardKey, Callable[[], object], str]] = [
            ("new", "&New", QKeySequence.StandardKey.New, files.new, "A fresh session"),
            ("open", "&Open…", QKeySequence.StandardKey.Open, files.open, "Open a session or a program text"),
            ("save", "&Save", QKeySequence.StandardKey.Save, files.save, "Save the session"),
            ("save_as", "Save &as…", "Ctrl+Shift+S", files.save_as, "Save the session under another name"),
            ("quit", "&Quit", "Ctrl+Q", self.close, "Close the window"),
            ("reset", "Reset", "Ctrl+R", session.reset, "Back to the same first weights (Ctrl+R)"),
            ("phase", "Phase ▸", "F7", lambda: self._train("phase"), "One phase of a training step (F7)"),
            ("step", "Step ▸", "F8", lambda: self._train("step"), "One training step: one update (F8)"),
            ("epoch", "Epoch ▸", "F9", lambda: self._train("epoch"), "One pass over the data (F9)"),
            ("run", "▶ Run", "F5", session.toggle_run, "Train until paused (F5)"),
            ("next", "Next operation", "F10", graph.next, "One operation forward, or one contribution backward"),
            ("back", "Back", "Shift+F10", graph.back, "Take the last one back"),
            ("all", "Compute all", "F11", lambda: graph.set_position(-1), "Forward and backward to the end"),
            ("fit", "Fit graph", "Ctrl+0", self.graph.canvas.fit, "Show the whole graph"),
            ("check", "Check gradients", "Ctrl+G", self._check, "Compare every gradient with a finite difference"),
            ("arrange", "Default arrangement", "", self.arrange, "Put every panel back in its place"),
            ("about", "About Gradstep", "", self._about, ""),
        ]
        actions = {}
        for name, text, keys, call, tip in table:
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.setToolTip(tip)
            action.setStatusTip(tip)
            action.triggered.connect(self._after_typing(call))
            actions[name] = action
        stack = session.undo_stack
        actions["undo"] = self._stack_action(stack.createUndoAction(self, "&Undo"), stack.undo)
        actions["undo"].setShortcut(QKeySequence.StandardKey.Undo)
        actions["redo"] = self._stack_action(stack.createRedoAction(self, "&Redo"), stack.redo)
        actions["redo"].setShortcut(QKeySequence.StandardKey.Redo)
        return actions

    def _stack_action(self, action: QAction, call: Callable[[], None]) -> QAction:
        """An action whose text and state are the undo stack's, and which does what all actions do before."""
        action.triggered.disconnect()
        action.triggered.connect(self._after_typing(call))
        return action

    def _after_typing(self, call: Callable[[], object]) -> Callable[[bool], None]:
        """What an action does once the document has what is still being typed; drops Qt's `checked`."""

        def act(_checked: bool = False) -> None:
            self.session.commit_requested.emit()
            call()

        return act

    def _make_menus(self) -> None:
        actions = self.actions_by_name
        menus: dict[str, list[str | None]] = {
            "&File": ["new", "open", None, "save", "save_as", None, "export", None, "quit"],
            "&Edit": ["undo", "redo"],
            "&Graph": ["back", "next", "all", None, "fit", "check"],
            "&Train": ["run", None, "phase", "step", "epoch", None, "reset"],
            "&View": ["panels", None, "theme", None, "arrange"],
            "&Help": ["about"],
        }
        submenus = {"export": self._export_menu, "panels": self._panel_menu, "theme": self._theme_menu}
        for title, names in menus.items():
            menu = self.menuBar().addMenu(title)
            for name in names:
                if name is None:
                    menu.addSeparator()
                elif name in submenus:
                    menu.addMenu(submenus[name](menu))
                else:
                    menu.addAction(actions[name])

    def _export_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu("&Export", parent)
        menu.aboutToShow.connect(partial(self._fill_export_menu, menu))
        return menu

    def _fill_export_menu(self, menu: QMenu) -> None:
        """What can be written is loaded when somebody wants to write."""
        from gui.export.exporter import ENTRIES

        if menu.isEmpty():
            for title, export in ENTRIES:
                menu.addAction(title).triggered.connect(self._after_typing(partial(export, self.exporter)))
            for name, (title, panel) in PLOTS.items():
                save = partial(self._export_plot, name, panel)
                menu.addAction(f"{title}…").triggered.connect(self._after_typing(save))

    @property
    def exporter(self) -> Exporter:
        """What writes pictures and texts of the graph; made, with its line in the status bar, when it is needed."""
        from gui.export.exporter import exporter_of
        from gui.export.progress import ExportProgress

        if self._exporter is None:
            self._exporter = exporter_of(self.graph)
            self.statusBar().addPermanentWidget(ExportProgress(self._exporter, self.statusBar()))
        return self._exporter

    def _export_plot(self, name: str, panel: str) -> None:
        self.exporter.save_plot(name, self.docks[panel].panel.plot)

    def _panel_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu("&Panels", parent)
        for dock in self.docks.values():
            menu.addAction(dock.toggleViewAction())
        return menu

    def _theme_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu("&Theme", parent)
        choices = QActionGroup(menu)
        for name in ("system", LIGHT.name, DARK.name):
            action = menu.addAction(f"&{name.capitalize()}", partial(self.apply_theme, name))
            action.setCheckable(True)
            action.setData(name)
            choices.addAction(action)
        menu.aboutToShow.connect(lambda: _check(choices, self._theme))
        return menu

    def _make_tool_bar(self) -> None:
        bar = QToolBar("Training", self)
        bar.setObjectName("training bar")
        bar.setMovable(False)
        self.addToolBar(bar)
        self._file = QLabel()
        self._file.setContentsMargins(4, 0, 12, 0)
        bar.addWidget(self._file)
        for name in ("reset", "phase", "step", "epoch", "run"):
            button = QToolButton()
            button.setDefaultAction(self.actions_by_name[name])
            button.setProperty("primary", name == "run")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            bar.addWidget(button)
        self._readout = ElidedLabel()  # gives way: the buttons behind it must not leave the bar
        self._readout.setFont(mono_font(12))
        self._readout.setContentsMargins(10, 0, 0, 0)
        self._readout.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(self._readout)
        check = QToolButton()
        self.actions_by_name["check"].setIconText("Check ✓")
        check.setDefaultAction(self.actions_by_name["check"])
        bar.addWidget(check)
        export = QToolButton()
        export.setText("Export ▾")
        export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        export.setMenu(self._export_menu(export))
        bar.addWidget(export)

    # Following the session

    def _follow_session(self) -> None:
        session = self.session
        session.message_posted.connect(self.tell)
        self.graph.explain_requested.connect(lambda _key: self._raise("ExplainPanel"))
        session.changed.connect(self._follow)
        self._show_file()
        self._show_run_state()
        self._show_readout()

    def _follow(self, change: Change) -> None:
        if change.file:
            self._show_file()
        if change.run_state:
            self._show_run_state()
        if change.moment:
            self._show_readout()
        if change.sections or change.selection or change.run_state:
            self.message.end_error()

    def tell(self, text: str, kind: str = "note") -> None:
        """Shows a line at the bottom of the window: a note for a while, an error until there is something else."""
        self.message.show_message(text, kind)

    def _show_file(self) -> None:
        path, clean = self.session.path, not self.session.modified
        name = path.name if path is not None else "untitled"
        self.setWindowTitle(f"{name}{'' if clean else ' •'} — Gradstep")
        self._file.setText(f"<b>Gradstep</b> &nbsp;{escape(name)}{'' if clean else ' •'}")

    def _show_run_state(self) -> None:
        running = self.session.run_state is RunState.RUNNING
        self.actions_by_name["run"].setText("❚❚ Pause" if running else "▶ Run")

    def _show_readout(self) -> None:
        progress = self.session.shown
        texts, tip = readout(progress, self.session.dataset.n_samples)
        self._readout.set_texts(*texts)
        self._readout.setToolTip(tip)

    # What the actions do

    def _train(self, amount: str) -> None:
        self.session.train(amount)
        if amount == "phase" and not self.session.graph.shows_network:
            self.session.set_view(shows="network")

    def _check(self) -> None:
        self._raise("ChecksPanel")
        self.docks["ChecksPanel"].panel.run()

    def _raise(self, name: str) -> None:
        """Brings a panel to the front."""
        self.docks[name].show()
        self.docks[name].raise_()

    def _about(self) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, "About Gradstep", ABOUT, parent=self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    # Life

    def _restore(self) -> bool:
        """Puts the remembered arrangement back; whether there was one that could be used."""
        if self._settings is None:
            return False
        geometry, state = self._settings.value("geometry"), self._settings.value("state")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        self.apply_theme(str(self._settings.value("theme", self._theme)))
        restored = isinstance(state, QByteArray) and self.restoreState(state)
        self.divergence.follow()  # a remembered arrangement shows it as it was then
        return restored

    def showEvent(self, event: QShowEvent) -> None:
        """Arranges the panels when the window first has its real size."""
        super().showEvent(event)
        if not self._arranged:
            self._arranged = True
            self.arrange()
        else:
            fit_screen(self, self.docks)
        self.graph.canvas.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks once about unsaved changes; then stops training and its thread and remembers the arrangement."""
        self.session.commit_requested.emit()
        if self.session.modified:
            event.ignore()
            self.files.unless_unsaved(self._discard_and_close)
            return
        if self._settings is not None:
            self._settings.setValue("geometry", self.saveGeometry())
            self._settings.setValue("state", self.saveState())
            self._settings.setValue("theme", self._theme)
        self.closing_deadline = closing_deadline()
        writing = self._exporter.stop() if self._exporter is not None else []
        join_all([*writing, *self.files.stop(), *self.session.stop()], self.closing_deadline)
        event.accept()

    def _discard_and_close(self) -> None:
        self.session.discard_changes()
        self.close()


ABOUT = (
    "<b>Gradstep</b><p>See how autograd and neural networks work: type an expression, step through its forward and "
    "backward pass, train a small network with the same engine.</p>"
)


def _check(choices: QActionGroup, name: str) -> None:
    for action in choices.actions():
        action.setChecked(action.data() == name)
