"""The main window: docks, menus, tool bar, actions. No logic: actions call the session, panels follow it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QPoint, QSettings, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QSizePolicy,
    QToolBar,
)

from engine.document.document import SECTIONS
from engine.messages import visible
from engine.session_file.pasted import is_session
from gui.actions.graph import WALK_ACTIONS
from gui.actions.registry import MENUS
from gui.actions.window import WINDOW_ACTIONS, WINDOW_MENUS
from gui.announcements import Announcer
from gui.arrangement import (
    FIRST_WORKSPACE,
    LEFT,
    LESSON,
    NO_CURVE,
    PANELS,
    RIGHT,
    TITLE_BAR,
    WORKSPACES,
    make_docks,
)
from gui.background import DRIVE_SECONDS, answer_within, closing_deadline, join_stopped
from gui.bars.divergence_bar import DivergenceBar
from gui.bars.history_bar import HistoryBar
from gui.bars.main_bar import MainBar
from gui.bars.message_label import MessageLabel
from gui.bars.notice_line import NoticeLine
from gui.file_drops import leave_drops_to_window
from gui.importing.imports import TableImports
from gui.lesson_view import LessonView
from gui.panels.frame import PanelDock, is_on_small_screen
from gui.panels.graph.graph import GraphPanel, context_menu
from gui.recent_menu import RecentMenu
from gui.scheduling import idle_tasks
from gui.session import Change, Session
from gui.session.change import EVERYTHING, NUMBERS
from gui.session.files import SessionFiles
from gui.session.recent import recent_of
from gui.settings import Settings, follow_settings
from gui.system_theme import system_theme
from gui.theme import (
    Colors,
    follow_text_size,
    make_palette,
    set_text_size,
    style_sheet,
    text_pixels,
)
from gui.theme_updater import update_theme
from gui.unexpected import contained
from gui.widgets.action_set import ActionSet, fill_menu
from gui.window_help import WindowWithHelp
from gui.workspaces import Workspaces

if TYPE_CHECKING:
    from gui.export.exporter import Exporter
    from gui.session.course import Course


WALK_ITEMS = ("back", "next", "play", "walk by")
TRAINING_ITEMS = ("reset", "back step", "step", "steps", "run", "training speed", "readout")


class MainWindow(WindowWithHelp):
    """One window on one session.

    Attributes:
        session: what everything shows.
        imports: files with data.
        announcer: what a screen reader says by itself.
        graph: the panel in the middle.
        docks: the other panels by class name.
        workspaces: which arrangement of them is shown.
        main_bar: the tool bar.
        history: the bar for the past of the run, below everything.
        notice: advice on the network that trains.
        action_sets: all actions that stand in menus: of the window, stepper, graph panel, canvas and program.
        closing_deadline: when threads are waited for no longer, once the window was closed.
    """

    docks: dict[str, PanelDock]
    graph_panel: GraphPanel
    main_bar: MainBar
    history: HistoryBar
    _discarded = _was_maximised = _has_shown_output = False

    def __init__(
        self,
        session: Session,
        theme: str = "system",
        settings: QSettings | None = None,
        workspace: str = FIRST_WORKSPACE,
    ) -> None:
        """Make the window on a session.

        Args:
            session: shown, and closed with the window.
            theme: "light", "dark" or "system".
            settings: remember window and workspaces; None: nothing is remembered.
            workspace: shown at first, where the settings name none.
        """
        super().__init__()
        self.session = session
        session.setParent(self)  # its connections end with the window
        self.closing_deadline: float | None = None
        self._settings = settings
        self.settings = Settings(settings, {"theme": theme})
        self.settings.setParent(self)
        self._dress()  # before there is anything that would be dressed again
        self._exporter: Exporter | None = None
        self._before_lesson = FIRST_WORKSPACE
        self.lessons = LessonView(self, settings)
        self.message, self.notice = MessageLabel(), NoticeLine(session)
        self.statusBar().addWidget(self.message, 1)
        self.installEventFilter(self.message)
        self.divergence = DivergenceBar(session)
        self.statusBar().addPermanentWidget(self.divergence, 12)
        self.statusBar().addPermanentWidget(
            self.notice, 3
        )  # next to the tip of a button, which hides temporary widgets
        self.files = SessionFiles(self, session)
        self.imports = TableImports(self, session, lambda: self.colors)
        self._follow_files()
        self.setObjectName("Gradstep")
        options = QMainWindow.DockOption
        self.setDockOptions(options.AnimatedDocks | options.AllowNestedDocks | options.AllowTabbedDocks)
        self.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        self.graph_panel = GraphPanel(session)
        self.setCentralWidget(self.graph_panel)
        self.announcer = Announcer(session, self.graph_panel.stepper)
        leave_drops_to_window(self.graph_panel)
        self.docks = make_docks(self, session)
        self.workspaces = Workspaces(self, self.docks, self.graph_panel, workspace)
        self.action_set = ActionSet(self, WINDOW_ACTIONS, WINDOW_MENUS, session.commit_requested.emit)
        self.action_sets = [self.action_set, self.graph_panel.stepper.action_set, self.graph_panel.action_set]
        self.action_sets += [self.graph_panel.canvas.action_set, self.docks["ExpressionPanel"].panel.action_set]
        self._make_menus()
        self._make_tool_bars()
        self._make_history_bar()
        self._follow_session()
        self._color()
        system_theme().changed.connect(self.restyle)
        follow_settings(self, self.settings)
        room = self.screen().availableGeometry()
        self.resize(min(1440, room.width()), min(900, room.height() - TITLE_BAR))
        self._arranged = False  # and by default where nothing can be restored
        with contained():
            self._arranged = self._restore()

    # Panels

    def _sees_numbers(self) -> bool:
        """Return True when numbers of the graph are visible: on the canvas or in a panel."""
        return self.graph_panel.isVisible() or any(dock.shows(frozenset({"numbers"})) for dock in self.docks.values())

    def arrange(self) -> None:
        """The default arrangement of the workspace that is shown, with columns and splitters of all panels."""
        self.workspaces.reset()
        self.workspaces.inner_sizes.reset()

    @property
    def workspace(self) -> str:
        """The name of the workspace that is shown."""
        return self.workspaces.current

    @property
    def own_workspace(self) -> str:
        """The name of the workspace that is shown; while lessons are, of the one that was shown before them."""
        return self._before_lesson if self.workspace in LESSON else self.workspace

    def show_workspace(self, name: str) -> None:
        """Change to a workspace; a lesson that is open is left for another one than its own."""
        if name not in LESSON and self.session.is_aside:
            self.lessons.leave()
        if name not in LESSON:
            self._before_lesson = name
        self.setFocus()  # a hidden widget would pass the focus to the next one, such as a button
        if name in LESSON:
            self._history_bar.setVisible("history" in self.workspaces.controls)  # before the graph gets its height
        self.workspaces.show(name)
        self._focus_graph()
        self._show_bars()
        self._show_output()
        self.action_set.refresh()

    # Lessons

    @property
    def course(self) -> Course:
        """The lessons, read when they are first asked for."""
        from gui.session.course import course_of

        return course_of(self.session)

    def _take_dropped(self, path: Path) -> None:
        if answer_within(DRIVE_SECONDS, path.is_dir, False):
            self.lessons.add_folder(path)
        else:
            self.files.open_path(path)

    def leave_lesson(self) -> None:
        """Leave the lesson that is open, if one is, for the workspace that was shown before."""
        if self.session.is_aside:
            self.show_workspace(self.own_workspace)

    def show_graph(self, otherwise: str = "understand") -> None:
        """Change to the workspace `otherwise`, where the present one has no graph."""
        if not self.workspaces.has_graph:
            self.show_workspace(otherwise)

    def show_training(self) -> None:
        """Change to the workspace Train, where the present one shows nothing of the network; an open lesson stays."""
        if not self._sees_training and not self.session.is_aside:
            self.show_workspace("train")

    @property
    def _sees_training(self) -> bool:
        """True when the workspace has the loss of the training, or its graph shows the network."""
        shows_loss = PANELS["TrainingPanel"].place(self.workspace) is not None
        return shows_loss or (self.workspaces.has_graph and self.session.presenter.shows_network)

    def do_main_action(self) -> None:
        """Trigger the main action of the workspace; a program without a graph to walk is run."""
        action = self.action(WORKSPACES[self.workspace].main)
        (action if action.isEnabled() else self.action("run program")).trigger()

    def apply_theme(self, theme: str) -> None:
        """Choose the "light", "dark" or "system" theme for widgets, plots and canvas."""
        self.settings.set("theme", theme)
        self.action_set.refresh()

    def restyle(self) -> None:
        """Apply theme and text size, as the settings and the system have them, to everything."""
        if self._dress():
            self._follow_letters()
            return
        for dock in self.docks.values():
            dock.colors = self.colors
        update_theme(self, {dock: dock.show_colors for dock in self.docks.values()})
        with contained(self.graph_panel):
            self.graph_panel.set_colors(self.colors)
        self.action_set.refresh()

    def set_text_size(self, percent: int) -> None:
        """Show all text and figures in another size, one of `TEXT_SIZES`, with a message."""
        self.settings.set("text size", percent)
        self.show_message(f"Text and figures at {percent} %")

    def _dress(self) -> bool:
        """Apply the theme to the application; return True when every widget has it."""
        self.theme = self.settings["theme"]
        set_text_size(self.settings["text size"])
        system = system_theme()
        self.colors: Colors = system.colors(*map(self.settings.__getitem__, ("theme", "contrast", "palette")))
        system.set_palette(make_palette(self.colors))
        self.setProperty("dark", self.colors.is_dark)
        self.setProperty("contrast", "high" if self.colors.has_high_contrast else "normal")
        if (sheet := style_sheet()) == self.styleSheet():
            return False
        self.setStyleSheet(sheet)  # at first, and for other letters
        return True

    def _follow_letters(self) -> None:
        """Give everything the size that letters have now, and keep the window on its screen."""
        follow_text_size(self)
        self._color()
        for dock in self.docks.values():
            with contained(dock):
                dock.restyle()
        self.main_bar.fit_width(self.width())
        self._show_bars()
        self.workspaces.fit_screen()
        self.graph_panel.canvas.restore_mode()

    def _color(self) -> None:
        """Set the theme's colours on the graph and the panels."""
        with contained(self.graph_panel):
            self.graph_panel.set_colors(self.colors)
        for dock in self.docks.values():
            dock.colors = self.colors
            with contained(dock):
                dock.show_colors()
        self.action_set.refresh()

    # Settings

    def show_settings(self, name: str = "") -> None:
        """Open the settings, at the one of that name."""
        from gui.settings_dialog import SettingsDialog

        SettingsDialog.show_in(self, self.settings, name)

    # Actions

    def action(self, name: str) -> QAction:
        """The action of that id, whatever it acts upon."""
        return next(actions[name] for actions in self.action_sets if name in actions.entries)

    def _make_menus(self) -> None:
        panels = {("panels", 10): [dock.toggleViewAction() for dock in self.docks.values()]}
        for name in MENUS:
            fill_menu(self.menuBar().addMenu(f"&{name}"), name, self.action_sets, panels)
        if (recent := self.menuBar().findChild(QMenu, "recent")) is not None:
            RecentMenu(recent, recent_of(self.session), self.files.open_path)
        for actions in self.action_sets:
            actions.attach(self)

    def _open_context_menu(self, key: str | None, place: QPoint) -> None:
        context_menu(self.session, key, self.action_sets, self.graph_panel.canvas).popup(place)

    @property
    def exporter(self) -> Exporter:
        """Exporter of pictures and texts; created on first use, with its line in the status bar."""
        from gui.export.exporter import Exporter
        from gui.export.progress import ExportProgress

        if self._exporter is None:
            self._exporter = Exporter(self.graph_panel, self.graph_panel)
            self.statusBar().addPermanentWidget(ExportProgress(self._exporter, self.statusBar()))
        return self._exporter

    def show_code(self) -> None:
        """Show the graph or the network as a program."""
        from gui.code_dialog import CodeDialog

        CodeDialog(self, self.graph_panel, self.exporter.save_text).open()

    def export_plot(self, panel: str) -> None:
        """Ask for a file, and export a panel's plot or its numbers to it."""
        name, shown = PANELS[panel].plot.lower().replace(" ", "_"), self.docks[panel].panel
        shown.catch_up()  # it may be hidden since
        self.exporter.save_plot(name, shown.plot, shown.figure_data, shown.figure_key)

    def empty_figure(self, panel: str) -> str:
        """Return why a panel has no figure to export yet; "" where it has one."""
        empty, dock = PANELS[panel].empty, self.docks[panel]
        if not empty or dock.is_made:
            return empty if empty and not dock.panel.has_figure else ""
        newest = self.session.newest  # to make the panel for the question takes too long
        return "" if empty == NO_CURVE and newest is not None and len(newest.curve_steps) else empty

    def _make_tool_bars(self) -> None:
        self.main_bar = MainBar(self.session, self.action_sets, self.graph_panel.stepper, self)
        self.addToolBar(self.main_bar)

    def _make_history_bar(self) -> None:
        self.history = HistoryBar(self.session)
        self._history_bar = bar = QToolBar("History", self)
        bar.setObjectName("history bar")
        bar.setStyleSheet("QToolBar { padding: 2px 8px; }")
        bar.setMovable(False)
        bar.toggleViewAction().setVisible(False)  # it comes and goes by itself
        self.history.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(self.history)
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, bar)

    def _show_bars(self) -> None:
        """Show the bars of this workspace; a restored arrangement may have others."""
        controls = self.workspaces.controls
        in_lesson = self.workspace in LESSON and bool(controls)
        has_training = not in_lesson or any(name.partition(".")[0] == "training" for name in controls)
        has_walk = not in_lesson or "stepper" in controls
        without = (*(() if has_walk else WALK_ITEMS), *(() if has_training else TRAINING_ITEMS))
        self.main_bar.show_workspace(self.workspace, without)
        self.graph_panel.stepper.setVisible(has_walk)
        self.graph_panel.header.offer_subjects(has_training or self.lessons.shows_everything)
        self.divergence.follow()
        has_history = "history" in controls if in_lesson else self._sees_training
        self._history_bar.setVisible(has_history and not is_on_small_screen(self))
        self.notice.set_wanted(PANELS["TrainingPanel"].place(self.workspace) is not None)

    # Following the session

    def _follow_files(self) -> None:
        self.files.saved.connect(self._tell_saved)
        self.files.replacing.connect(self.leave_lesson)
        self.files.table_chosen.connect(self.imports.open_path)
        self.imports.imported.connect(self.show_training)
        self.file_dropped.connect(self._take_dropped)
        self.drop_explained.connect(self.show_message)

    def _follow_session(self) -> None:
        session = self.session
        session.presenter.is_watched = self._sees_numbers
        session.message_posted.connect(self.show_message)
        session.session_pasted.connect(self.files.open_text)
        session.file_requested.connect(self.files.open_path)
        session.left.connect(lambda: self.message.end_error(at_once=True))
        session.lesson_opened.connect(self.lessons.show)
        session.control_pointed.connect(self.lessons.pointer.point_at)
        session.compare_requested.connect(self._compare)
        session.action_requested.connect(lambda name: self.action(name).trigger())
        self.graph_panel.explain_requested.connect(lambda _key: self.show_panel("ExplainPanel"))
        session.program.place_requested.connect(lambda _line, _column: self.show_panel("ExpressionPanel"))
        session.variation.chosen.connect(lambda: self.show_panel("VaryPanel"))
        self.graph_panel.header.double_clicked.connect(lambda: self.workspaces.maximise(None))
        self.graph_panel.header.help_requested.connect(lambda: self.show_help("panels/GraphPanel"))
        for name, dock in self.docks.items():
            dock.help_requested.connect(lambda name=name: self.show_help(f"panels/{name}"))
            dock.maximise_requested.connect(self.workspaces.maximise)
            dock.height_wanted.connect(lambda height, dock=dock: self.workspaces.grow(dock, height))
            dock.toggleViewAction().triggered.connect(lambda _checked, dock=dock: self._follow_view_menu(dock))
        self.graph_panel.menu_requested.connect(self._open_context_menu)
        for name in WALK_ACTIONS:
            self.action(name).triggered.connect(lambda _checked: self.show_graph())
        session.changed.connect(self._follow)
        self._follow(EVERYTHING)

    def _follow(self, change: Change) -> None:
        self.action_set.refresh(only_numbers=change <= NUMBERS)
        if "view" in change:
            with contained():
                self._show_bars()
        if "program" in change:
            with contained():
                self._show_output()
        if "file" in change:
            with contained():
                self._show_file()
        if change & {*SECTIONS, "selection", "run"}:
            self.message.end_error()
        if "moment" in change and self.session.newest is not None and self.session.newest.snapshot.step:
            self.message.end_state()

    def _show_output(self) -> None:
        """Show the panel of the output, once, with the first line or plot where it has waited for one."""
        place, program = PANELS["OutputPanel"].place(self.workspace), self.session.program
        if self._has_shown_output or not self.isVisible() or not (program.printed.lines or program.plots):
            return
        if place is not None and place.waits and not self.workspaces.is_maximised:
            self._has_shown_output = True
            self.show_panel("OutputPanel")

    def show_message(self, text: str, kind: str = "note") -> None:
        """Show a line in the status bar: a note for a while, an error until the next message or edit."""
        self.message.show_message(text, kind)

    def _tell_saved(self, name: str) -> None:
        progress = self.session.newest
        if progress is None or progress.diverged_at is None:
            self.show_message(f"Saved {name}")
        else:
            self.show_message(
                f"Saved {name} with step {progress.savable.step:,}, the last one before the loss took off"
            )

    def _show_file(self) -> None:
        own = self.session.own_work.path
        if self._settings is not None and own is not None:
            self._settings.setValue("last file", str(own.absolute()))  # the next start opens it
        path, clean = self.session.path, not self.session.modified
        name = visible(path.name) if path is not None else "untitled"
        if self.session.is_aside and (lesson := self.course.lesson) is not None:
            name, clean = lesson.title, True
        self.setWindowTitle(f"{name}{'' if clean else ' •'} — Gradstep")
        self.main_bar.show_file(name, not clean)

    # Actions

    def check_gradients(self) -> None:
        """Show the panel of checks, and run them."""
        self.show_panel("ChecksPanel")
        self.docks["ChecksPanel"].panel.run()

    def _compare(self, setting: str) -> None:
        """Train two runs that differ in a setting side by side."""
        self.show_panel("SideBySidePanel")
        self.docks["SideBySidePanel"].panel.catch_up()
        self.docks["SideBySidePanel"].panel.compare(setting)

    def explain_sample(self) -> None:
        """Show the graph of the sample on the canvas, and explain its loss."""
        presenter, view = self.session.presenter, self.session.document.view
        if view.shows != "network":
            self.session.set_view(shows="network")
        self.session.select(presenter.keys().get(id(presenter.graph_view.root)))
        if not self.workspaces.has_graph:
            self.show_workspace("understand")
        self.show_panel("ExplainPanel")

    def show_published(self) -> None:
        """Show the published numbers beside those that are obtained here."""
        from gui.panels.start.start import PUBLISHED

        self.show_workspace("welcome")
        self.docks["StartPanel"].panel.show_list(PUBLISHED)

    def paste_program(self) -> None:
        """Put the text on the clipboard in place of the program, and show it; without one the editor waits for it."""
        if self.workspace != "both":
            self.show_workspace("understand")
        text = QGuiApplication.clipboard().text()
        editor = self.docks["ExpressionPanel"].panel.editor
        if not text.strip():
            self.show_message("There is no text on the clipboard: copy a program, or type one here")
        elif is_session(text):
            self.files.open_text(text)
        else:
            self.session.edit("paste a program", expression={"text": text})
        editor.setFocus()

    def draw_points(self) -> None:
        """Show the decision boundary, and start drawing points on it."""
        self.show_panel("BoundaryPanel")
        self.docks["BoundaryPanel"].panel.drawing.editing.set_active(True)

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front, by the name of its class; one that was hidden gets the height it wants.

        While another panel is maximised, all panels come back to their places first.
        """
        dock = self.docks[name]
        if dock.isHidden():
            self.workspaces.restore_panels()
        was_hidden = dock.isHidden()
        dock.show_in_front()
        if was_hidden and not dock.isFloating() and not self.tabifiedDockWidgets(dock):
            self.resizeDocks([dock], [text_pixels(PANELS[name].height)], Qt.Orientation.Vertical)

    def _follow_view_menu(self, dock: PanelDock) -> None:
        """Show the chosen panel among all others, ending a maximised one."""
        if not dock.isHidden() and self.workspaces.is_maximised:
            self.workspaces.restore_panels()
            dock.show_in_front()

    def show_history(self) -> None:
        """Open the list of all edits; one that is open comes to the front."""
        from gui.edit_history import open_history

        open_history(self, self.session)

    # Life

    def toggle_full_screen(self) -> None:
        """Toggle full screen."""
        if not self.isFullScreen():
            self._was_maximised = self.isMaximized()  # window managers may forget it meanwhile
            self.showFullScreen()
        elif self._was_maximised:
            self.showMaximized()
        else:
            self.showNormal()
        self.action_set.refresh()

    @property
    def has_large_view(self) -> bool:
        """True while a panel is maximised, or the window is on the whole screen."""
        return self.workspaces.is_maximised or self.isFullScreen()

    def leave_large_view(self) -> None:
        """Bring a maximised panel back to its place, or leave the full screen."""
        if self.workspaces.is_maximised:
            self.workspaces.restore_panels()
        elif self.isFullScreen():
            self.toggle_full_screen()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.action_set.press(event):
            super().keyPressEvent(event)

    def _restore(self) -> bool:
        """Restore the remembered arrangement; return True when there was a usable one."""
        self._show_bars()
        if self._settings is None:
            return False
        geometry = self._settings.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        for part in (self.main_bar, self.notice):
            part.restore(self._settings)
        restored = self.workspaces.restore(self._settings)
        self._show_bars()
        if self.workspace in LESSON:
            QTimer.singleShot(0, self, self.lessons.resume)
        return restored

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._arranged:
            self._arranged = True
            self.workspaces.arrange()
        else:
            self.workspaces.fit_screen()
        self._show_output()
        self._focus_graph()

    def _focus_graph(self) -> None:
        if self.workspaces.has_graph:
            self.graph_panel.canvas.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.main_bar.fit_width(self.width())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask once about unsaved changes; then remember the arrangement, and stop training and its thread.

        A file that is being written is waited for first, the window goes on meanwhile.
        """
        event.ignore()  # unless all of this succeeds
        if self.files.writing.busy:
            self.files.when_written(self.close, "close")
            return
        self.session.commit_requested.emit()
        if self.session.is_aside:
            if self.session.own_work.is_modified or self.session.is_file_gone:
                self.leave_lesson()  # what is asked about is the user's own work
            else:
                self.course.keep()
        if not self._discarded and not self.session.is_aside and (self.session.modified or self.session.is_file_gone):
            self.files.unless_unsaved(self._discard_and_close)
            return
        with contained():  # what cannot be remembered keeps no window open
            self._remember()
        self.closing_deadline = closing_deadline()
        self.stop()
        join_stopped(self.closing_deadline)
        event.accept()

    def _remember(self) -> None:
        """Put the arrangement into the settings."""
        if self._settings is None:
            return
        self._settings.setValue("geometry", self.saveGeometry())
        self.workspaces.remember(self._settings)
        if self.session.is_aside and (lesson := self.course.lesson) is not None:
            self._settings.setValue("lesson", lesson.name)
        for part in (self.main_bar, self.notice):
            part.remember(self._settings)

    def stop(self) -> None:
        """Stop exports, reading, training and all else in threads, and what waits for an idle moment, for good."""
        idle_tasks().clear()
        exporter = () if self._exporter is None else (self._exporter,)
        for part in (*exporter, *self.docks.values(), self.files, self.imports, self.notice, self.session):
            with contained():
                part.stop()

    def _discard_and_close(self) -> None:
        self._discarded = True
        try:
            with contained():
                self.session.discard_changes()
            self.close()
        finally:
            self._discarded = False
