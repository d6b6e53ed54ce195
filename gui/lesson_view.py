"""What the window does for a lesson: only what it names is shown, links point at controls, folders are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect, QSettings, Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QFrame, QWidget

from gui.arrangement import LESSON, LESSON_PLACES
from gui.file_dialogs import FileDialog

POINTING_MILLISECONDS = 2000
GRAPH_GROUPS = ("program", "output", "explanations")
"""Groups of panels that a lesson with the graph has when everything is shown."""
PANEL_OF = {place.control: name for name, place in LESSON_PLACES.items()}
"""Panel of each control that is one."""

PARTS: Mapping[str, Callable[[Any], QWidget]] = {
    "program.sliders": lambda window: window.docks["ExpressionPanel"].panel.sliders,
    "graph": lambda window: window.graph_panel.canvas,
    "stepper": lambda window: window.graph_panel.stepper,
    "stepper.start": lambda window: window.graph_panel.stepper.buttons["start"],
    "stepper.back": lambda window: window.main_bar.item("back"),
    "stepper.next": lambda window: window.main_bar.item("next"),
    "stepper.marks": lambda window: window.graph_panel.stepper.marks,
    "stepper.lines": lambda window: window.main_bar.item("walk by"),
    "nudge.h": lambda window: window.docks["NudgePanel"].panel.h,
    "training": lambda window: window.main_bar.item("run"),
    "training.start": lambda window: window.main_bar.item("run"),
    "training.step": lambda window: window.main_bar.item("step"),
    "training.steps": lambda window: window.main_bar.item("steps"),
    "training.reset": lambda window: window.main_bar.item("reset"),
    "training.speed": lambda window: window.main_bar.item("training speed"),
    "history": lambda window: window.history,
}
"""The other controls, each of the main window."""


class Pointer(QFrame):
    """Outline around a control for two seconds; it takes no clicks."""

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("pointer")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._end = QTimer(self, singleShot=True, interval=POINTING_MILLISECONDS)
        self._end.timeout.connect(self.hide)
        self.hide()

    def point_at(self, control: str) -> None:
        """Bring a control into view, and outline it once its panel has its place."""
        window = self._window
        if control not in PARTS and control not in PANEL_OF:
            return
        panel = control if control in PANEL_OF else control.partition(".")[0]
        if panel in PANEL_OF:
            window.show_panel(PANEL_OF[panel])
        self.hide()
        QTimer.singleShot(0, self, lambda: self._outline(control))

    def _outline(self, control: str) -> None:
        window = self._window
        target = PARTS[control](window) if control in PARTS else window.docks[PANEL_OF[control]]
        if not target.isVisible():
            window.show_message("This control is not shown here: choose Show all", "note")
            return
        corner = target.mapTo(window, QPoint(0, 0))
        self.setGeometry(QRect(corner, target.size()).adjusted(-3, -3, 3, 3))
        self.raise_()
        self.show()
        self._end.start()


class LessonView(QObject):
    """The open lesson in the window.

    Attributes:
        pointer: outlines the control that a text points at.
    """

    _is_leaving = False

    def __init__(self, window: Any, settings: QSettings | None) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._given_folders = tuple(window.session.lesson_folders)
        window.session.lesson_folders = [*self._given_folders, *window.settings["lesson folders"]]
        self.pointer = Pointer(window)

    def leave(self) -> None:
        """Leave the open lesson for another workspace: the list of lessons is not arranged in between."""
        self._is_leaving = True
        try:
            self._window.course.leave()
        finally:
            self._is_leaving = False

    def show(self) -> None:
        """Show the panels and controls of the lesson that was opened; the list of lessons when it was left."""
        window, course = self._window, self._window.course
        lesson = course.lesson
        window.show_message("")  # what was said of other work
        controls = frozenset() if lesson is None else frozenset(lesson.show) or frozenset({"program", "graph"})
        trains = bool(controls) and "graph" not in controls
        if course.shows_everything and controls:
            groups = [place for place in LESSON_PLACES.values() if trains or place.group in GRAPH_GROUPS]
            controls |= {place.control for place in groups} | ({"training", "history"} if trains else {"stepper"})
        window.workspaces.controls = controls
        if lesson is not None:
            window.workspaces.program_lines = max(text.count("\n") for text in lesson.programs)
        name = LESSON[trains]
        if lesson is None and (self._is_leaving or window.workspace not in LESSON):
            return
        if name == window.workspace:
            window.workspaces.reset()
        window.show_workspace(name)
        window.show_panel("LessonPanel")
        window.docks["LessonPanel"].panel.catch_up()
        window.docks["LessonPanel"].panel.take_focus()

    def resume(self) -> None:
        """Open the lesson that was open when the window was closed; the list when it is gone."""
        course, name = self._window.course, "" if self._settings is None else str(self._settings.value("lesson", ""))
        course.finish_reading()
        if name not in {lesson.name for lesson in course.lessons} or not course.open(name):
            self._window.show_workspace("lesson")

    @property
    def shows_everything(self) -> bool:
        """True when an open lesson shows more than it names."""
        return bool(self._window.session.is_aside and self._window.course.shows_everything)

    def toggle_controls(self) -> None:
        """Show all controls of the open lesson, or those that it names."""
        self._window.course.show_everything(not self.shows_everything)

    def choose_folder(self) -> None:
        """Ask for a folder with lessons of a teacher."""
        dialog = FileDialog(self._window, "Folder of lessons", "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self.add_folder(Path(name)))
        dialog.open()

    def add_folder(self, folder: Path) -> None:
        """Add a folder of lessons, now and for later starts, and show the list."""
        settings = self._window.settings
        settings.set("lesson folders", tuple(dict.fromkeys((folder.absolute(), *settings["lesson folders"]))))
        self._window.leave_lesson()
        self._window.show_workspace("lesson")

    def set_folders(self, folders: Sequence[Path]) -> None:
        """Take lessons from these folders, besides our own and those that were named at the start."""
        self._window.course.set_folders([*self._given_folders, *folders])
