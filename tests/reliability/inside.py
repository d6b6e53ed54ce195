"""An exception in any function of the window: it goes on, says so once, and what was done can be saved.

    python -m tests.reliability.inside                every function, about two hours of a processor
    python -m tests.reliability.inside --sample 100   a hundred of them, chosen by --seed
    python -m tests.reliability.inside --only tiles   those of files or functions with this in their name

Nothing here names a function. A user does everything that the registries of the window list (actions, panels,
workspaces, settings, exports), and points, clicks, types and turns the wheel on every widget; a tracer notes which
functions of the window are called by that. Then each of them raises once while the same is done again: painters, slots,
refreshes, observers, models and jobs alike, at their first call and also in the middle of what calls them. Half of
the trials have the dark theme. One that does not raise, as its function is called once in a process, is done again in a
fresh process; those that do not raise there either are counted and named.

After each exception the user has to be told, no more than a few times; a program can be edited and its gradients are
right, the network trains, and the saved session opens. Where the process ends, the next one goes on behind the function
that ended it, and that counts as a fault.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from engine.document import Document
from engine.graph.formats import FORMATS
from engine.network.run.progress import RunState
from engine.session_file import from_json
from gui.app import make_application
from gui.arrangement import PANELS, WORKSPACES
from gui.export.drawing import IMAGE_FORMATS
from gui.main_window import MainWindow
from gui.problems import PROBLEMS, logging_problems
from gui.scheduling import idle_tasks
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from gui.settings import SETTINGS
from gui.unexpected import UnexpectedErrors
from gui.widgets.failure_notice import FailureNotice
from tests.gui.faults import turn_over
from tests.reliability.planting import (
    ERRORS,
    ROOT,
    Function,
    Todo,
    Tracer,
    names_error,
    read_todo,
    shown_texts,
    try_again,
    try_elsewhere,
    try_here,
)

PATIENCE = 10.0
QUIET_TURNS = 12
MOST_TOLD = 3
"""Lines that tell of one exception: it may have a consequence, such as a panel that now has nothing to show."""
LEFT_ALONE = {"quit"}
IN_DARK = " (dark theme)"
"""End of the name of a step that is done in the dark theme."""
PROGRAM, OTHER = "a = 3.0\nb = a * a", "x = 1.0\ny = (x * x + 1).tanh()\ny.backward()\n"
Step = Callable[[], object]


class Trial:
    """A window, the things that a user does with it, and what is to be seen after them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.window = window = MainWindow(Session(programs=BackgroundPrograms()), theme="light", workspace="both")
        self.session = window.session
        self.told: list[str] = []
        self.answered: list[str] = []
        """Texts of the dialogs that were closed."""
        self.theme = "light"
        """Theme in which each step begins."""
        self._show = window.message.show_message
        window.message.show_message = self._note  # type: ignore[method-assign]
        sys.excepthook = UnexpectedErrors(window.show_message)
        window.resize(1200, 800)
        window.show()
        turn_over(60)

    def _note(self, text: str, kind: str = "note") -> None:
        if kind == "error":
            self.told.append(text)
        self._show(text, kind)

    def close(self) -> None:
        window = self.window
        sys.excepthook = sys.__excepthook__
        self.session.discard_changes()
        window.close()
        self.session.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.clipboard().clear()

    # What a user does

    def steps(self) -> dict[str, Step]:
        """Everything a user can do, by a name; made from the registries and the widgets of the window."""
        window, session = self.window, self.session
        steps: dict[str, Step] = {
            f"action {name}": partial(self._act, name)
            for actions in window.action_sets
            for name in self._different(actions.entries)
            if name not in LEFT_ALONE
        }
        for name in WORKSPACES:
            steps[f"workspace {name}"] = partial(window.show_workspace, name)
        for name in PANELS:
            steps[f"touch {name}"] = partial(self._touch_panel, name)
            steps[f"train with {name}"] = partial(self._train_with, name)
            if PANELS[name].plot:
                steps[f"export {name}"] = partial(self._export_plot, name)
        for setting in SETTINGS.values():
            steps[f"setting {setting.name}"] = partial(self._set, setting)
        for extension in (*FORMATS, *IMAGE_FORMATS):
            steps[f"export {extension}"] = partial(self._export, extension)
        for name in ("light", "dark"):
            steps[f"theme {name}"] = partial(window.apply_theme, name)
        steps |= {
            "touch the graph": lambda: self._touch(window.graph_panel),
            "touch the bars": lambda: (self._touch(window.main_bar), self._touch(window.statusBar())),
            "type": self._type,
            "edit": lambda: session.edit("text", expression={"text": OTHER}),
            "wrong program": lambda: session.edit("text", expression={"text": "a = 1.0\nb = a +\n"}),
            "data": lambda: session.edit("data", data={"name": "xor", "n_samples": 40}),
            "layers": lambda: session.edit("layers", network={"layer_sizes": (2, 5, 3, 1)}),
            "save": lambda: window.files._write(self.folder / "saved.gradstep", None),
            "open": self._open,
            "open a damaged file": lambda: self._open_text("damaged.gradstep", '{"format": "gradstep", "version": 1'),
            "import": lambda: self._open_text("table.csv", "x,y,label\n1,2,0\n2,1,1\n3,3,0\n4,1,1\n"),
            "resize": lambda: (window.resize(700, 500), turn_over(5), window.resize(1200, 800)),
            "train": lambda: session.train("run"),
            "train and pause": lambda: (session.train("step"), session.train("step"), session.train("back phase")),
            "history": self._look_back,
        }
        return steps

    @staticmethod
    def _different(names: Iterable[str]) -> list[str]:
        """Return names without all but the first of a family, such as the examples, which are one function."""
        families: dict[str, str] = {}
        for name in names:
            families.setdefault(name.partition(" ")[0] if "/" in name else name, name)
        return list(families.values())

    def _act(self, name: str) -> None:
        action = self.window.action(name)
        if action.isEnabled():
            action.trigger()

    def _set(self, setting: Any) -> None:
        """Another value for a setting, and the present one again."""
        settings = self.window.settings
        before = settings[setting.name]
        for value in setting.examples:
            settings.set(setting.name, value)
        settings.set(setting.name, before)

    def _train_with(self, name: str) -> None:
        self.window.show_panel(name)
        self.session.train("step")
        turn_over(10)
        self.session.select(next(iter(self.session.presenter.keys().values()), None))

    def _export(self, extension: str) -> None:
        exporter = self.window.exporter
        exporter.save_graph(extension) if extension in FORMATS else exporter.choose_picture()

    def _export_plot(self, name: str) -> None:
        self.session.train("step")
        turn_over(20)
        self.window.export_plot(name)

    def _type(self) -> None:
        self.window.show_panel("ExpressionPanel")
        editor = self.window.docks["ExpressionPanel"].panel.editor
        editor.setFocus()
        QTest.keyClicks(editor, "c = a*b")
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Backspace, Qt.Key.Key_Up):
            QTest.keyClick(editor, key)
        QTest.keyClick(editor, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(editor, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
        editor.flush()

    def _open(self) -> None:
        self.window.files.open_path(self.folder / "prepared.gradstep")

    def _open_text(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        self.window.files.open_path(path)

    def _look_back(self) -> None:
        self.session.train("step")
        turn_over(10)
        self.session.training.view_step(0)
        turn_over(5)
        self.session.training.view_step(None)
        self.window.show_history()

    def _touch_panel(self, name: str) -> None:
        self.window.show_panel(name)
        turn_over(10)
        self._touch(self.window.docks[name].panel)

    def _touch(self, part: QWidget) -> None:
        """Point at, click, turn the wheel over, press keys in and ask for help on some widgets of each class."""
        seen: dict[type, int] = {}
        for widget in [part, *part.findChildren(QWidget)]:
            kind = type(widget)
            seen[kind] = seen.get(kind, 0) + 1
            own = kind.__module__.startswith("gui.")
            if seen[kind] > (2 if own else 1) or not widget.isVisible() or not widget.isEnabled():
                continue
            target = widget.viewport() if hasattr(widget, "viewport") else widget
            place, none = target.rect().center(), Qt.KeyboardModifier.NoModifier
            there = target.mapToGlobal(place)
            QTest.mouseMove(target, place)
            QTest.mouseMove(target, place + QPoint(3, 2))
            QApplication.sendEvent(target, QHelpEvent(QEvent.Type.ToolTip, place, there))
            if own and has_menu(widget):  # a menu of Qt may wait for an answer
                QApplication.sendEvent(target, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, there))
            self._close_popups()
            wheel = (Qt.MouseButton.NoButton, none, Qt.ScrollPhase.NoScrollPhase, False)
            QApplication.sendEvent(
                target, QWheelEvent(QPointF(place), QPointF(there), QPoint(), QPoint(0, 120), *wheel)
            )
            if not isinstance(widget, QAbstractButton):
                QTest.mousePress(target, Qt.MouseButton.LeftButton, none, place)
                QTest.mouseMove(target, place + QPoint(9, 7))
                QTest.mouseRelease(target, Qt.MouseButton.LeftButton, none, place + QPoint(9, 7))
                QTest.mouseDClick(target, Qt.MouseButton.LeftButton, none, place)
                for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_Return, Qt.Key.Key_Escape):
                    QTest.keyClick(widget, key)
            elif own and not (isinstance(widget, QToolButton) and widget.menu()):  # which would wait for an answer
                widget.click()
            self._close_popups()

    # Between two things

    def do(self, step: Step) -> None:
        """Do it as Qt calls it, and answer what it asks."""
        QTimer.singleShot(0, self.window, step)
        turn_over(QUIET_TURNS)
        for _ in range(3):
            self._close_popups()
            dialogs = [each for each in self.window.findChildren(QDialog) if each.isVisible()]
            for dialog in dialogs:
                self._answer(dialog)
            turn_over(QUIET_TURNS if dialogs else 2)
        self._wait(lambda: not self._busy())
        turn_over(QUIET_TURNS)

    def _answer(self, dialog: QDialog) -> None:
        if isinstance(dialog, QFileDialog):
            suffix = f".{dialog.defaultSuffix()}" if dialog.defaultSuffix() else ".gradstep"
            dialog.fileSelected.emit(str(self.folder / f"chosen{suffix}"))
            dialog.reject()
        elif isinstance(dialog, QMessageBox):
            dialog.reject()
        else:
            self._read_labels(dialog)  # a click may ask for an answer that replaces this one
            self._touch(dialog)
            turn_over(QUIET_TURNS)
            if isValid(dialog):  # a button that was clicked may have closed it
                self._read_labels(dialog)
                dialog.close()

    def _read_labels(self, dialog: QDialog) -> None:
        self.answered += [label.text() for label in dialog.findChildren(QLabel)]

    def _close_popups(self) -> None:
        while (popup := QApplication.activePopupWidget()) is not None:
            if isinstance(popup, QMenu):
                popup.aboutToShow.emit()
            popup.close()
            if QApplication.activePopupWidget() is popup:
                return

    def _busy(self) -> bool:
        session, window = self.session, self.window
        exports = window._exporter is not None and window._exporter.busy
        training = session.training.runner.unanswered and session.run_state is not RunState.RUNNING
        return bool(
            idle_tasks().busy or session.program.busy or session.presenter.busy or exports or training
            or window.files.writing.busy or window.files.reading.busy
        )  # fmt: skip

    @staticmethod
    def _wait(condition: Callable[[], bool]) -> bool:
        give_up = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > give_up:
                return False
            QTest.qWait(2)
        return True

    def begin(self) -> None:
        """Make the window what it was at first: what one step does must not depend on those before."""
        window, session = self.window, self.session
        self._close_popups()
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                dialog.close()
        window.leave_lesson()
        window.leave_large_view()
        session.pause()
        session.reset_document(Document())
        session.program.walk_lines(False)
        if window.theme != self.theme:
            window.apply_theme(self.theme)
        window.show_workspace("both")
        window.arrange()
        session.edit("text", expression={"text": PROGRAM})
        session.set_view(shows="expression")
        for notice in window.findChildren(FailureNotice):
            if not notice.isHidden():
                notice.button.click()
        self._wait(lambda: not self._busy())
        turn_over(QUIET_TURNS)

    # What is to be seen

    def works(self) -> list[str]:
        """What is wrong with the window now; nothing is planted any more."""
        found, window, session = [], self.window, self.session
        self.told.clear()
        try:
            self.begin()
        except Exception:
            return [f"the window cannot begin again: {traceback.format_exc()}"]
        if not (window.isVisible() and window.updatesEnabled()):
            found.append("the window is not painted any more")
        readings = session.presenter.readings
        numbers = [getattr(readings.get(name), field, None) for name, field in (("b", "data"), ("a", "grad"))]
        if numbers != ["9.0000", "+6.0000"]:
            found.append(f"the program's numbers are {numbers}")
        editor = window.docks["ExpressionPanel"].panel.editor
        if editor.toPlainText() != PROGRAM:
            found.append(f"the editor shows {editor.toPlainText()!r}")
        canvas = window.graph_panel.canvas
        if not self._wait(lambda: {"a", "b"} <= set(canvas.picture.boxes)):
            found.append("the canvas does not show the graph")
        session.train("step")
        if not self._wait(lambda: not session.training.runner.unanswered):
            found.append("it does not train any more")
        turn_over(QUIET_TURNS)
        path = self.folder / "kept.gradstep"
        if not session.save(path):
            found.append("it cannot be saved")
        elif (step := from_json(path.read_text(encoding="utf-8")).trained.step) != 1:
            found.append(f"the saved file has step {step}")
        held = [name for name, dock in window.docks.items() if dock.is_made and dock.panel.is_held]
        found += [f"{name} is held back" for name in held]
        failed = [each.parent() for each in window.findChildren(FailureNotice) if not each.isHidden()]
        found += [f"{part} still says that it failed" for part in failed]
        found += [f"told afterwards: {text}" for text in self.told]
        return found

    def attempt(self, name: str, function: Function, error: type[BaseException]) -> tuple[bool, list[str], list[str]]:
        """Do a step with an exception planted, in the theme that its name says; see `planting.Try`."""
        step, theme = self.steps()[name.removesuffix(IN_DARK)], "dark" if name.endswith(IN_DARK) else "light"
        if theme != self.theme:
            self.theme = theme
            self.begin()
        self.told.clear()
        self.answered.clear()
        PROBLEMS.clear()
        sys.excepthook = UnexpectedErrors(self.window.show_message)  # one that has seen nothing yet
        tracer = Tracer(function, error)
        with tracer.installed():
            try:
                self.do(step)
            except error:  # this module itself has called what raises
                return True, [], self.works()
        if not tracer.raised:
            own = [each for each in PROBLEMS.problems() if each.kind not in ("", error.__name__)]
            self.begin()
            return False, [f"raised by itself: {each.trace}" for each in own], []
        found, notices = [], [each for each in self.window.findChildren(FailureNotice) if not each.isHidden()]
        texts = [*self.answered, *shown_texts(self.window)]
        if not self.told and not notices and not names_error(texts, error):
            found.append("only Help > Problems has it" if PROBLEMS.problems() else "nobody was told")
        if len(self.told) > MOST_TOLD:
            found.append(f"told {len(self.told)} times: {self.told[:4]}")
        return True, found, self.works()


def has_menu(widget: QWidget) -> bool:
    """Return True for a widget whose context menu is made by the window."""
    makers = [kind for kind in type(widget).__mro__ if "contextMenuEvent" in vars(kind)]
    is_own = bool(makers) and makers[0].__module__.startswith("gui.")
    return is_own or widget.contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu


@contextlib.contextmanager
def trial() -> Iterator[Trial]:
    """A window in a folder of its own, in which exceptions are expected: logged for the window, and not printed."""
    make_application()
    before = qInstallMessageHandler(lambda *_: None)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), logging_problems():
        logging.getLogger().removeHandler(logging.lastResort)  # type: ignore[arg-type]
        trial = Trial(Path(folder))
        trial.begin()
        assert trial.session.save(Path(folder, "prepared.gradstep"))
        try:
            yield trial
        finally:
            trial.close()
            qInstallMessageHandler(before)


def discover(trial: Trial, names: list[str] | None = None) -> dict[Function, str]:
    """Return every function of the window that is called by what a user does, with the first step that calls it."""
    found: dict[Function, str] = {}
    steps = trial.steps()
    for name in names or steps:
        trial.begin()
        with Tracer().installed() as tracer:
            trial.do(steps[name])
        for function in tracer.called:
            found.setdefault(function, name)
    return found


def in_both_themes(todo: Todo) -> Todo:
    """Return the functions with every other one in the dark theme; these come last, so the theme changes once.

    A step that chooses a theme begins in the light one, as it did when the functions were noted.
    """
    named = [
        (function, step if index % 2 == 0 or step.startswith("theme ") else step + IN_DARK)
        for index, (function, step) in enumerate(todo)
    ]
    return sorted(named, key=lambda each: each[1].endswith(IN_DARK))


def main() -> int:
    """Try functions in processes of their own; print what is wrong, and the figures at the end."""
    options = argparse.ArgumentParser()
    options.add_argument("--sample", type=int, help="number of functions, chosen by the seed")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="part of the file or name of the functions")
    options.add_argument("--error", choices=ERRORS, default="planted")
    options.add_argument("--list", action="store_true", help="print the functions and what calls them, as JSON")
    options.add_argument("--listed", type=Path, help="file with such a list, instead of looking for them")
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.here or chosen.list:
        with trial() as window:
            if chosen.list:
                json.dump(list(discover(window).items()), sys.stdout)
            else:
                try_here(read_todo(), lambda function, name: window.attempt(name, function, ERRORS[chosen.error]))
        return 0
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.reliability.inside"]
    if chosen.listed is not None:
        text = chosen.listed.read_text(encoding="utf-8")
    else:
        text = subprocess.run([*command, "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    functions = json.loads(text)
    todo = [each for each in functions if chosen.only in f"{each[0][0]} {each[0][2]}"]
    if chosen.sample is not None:
        todo = random.Random(chosen.seed).sample(todo, min(chosen.sample, len(todo)))
    print(f"{len(functions)} functions of the window are called; {len(todo)} of them are tried", flush=True)
    here = [*command, "--here", "--error", chosen.error]
    n_raised, n_wrong, left = try_elsewhere(here, in_both_themes(todo))
    print(f"{n_raised} raised; {len(left)} did not and are tried again, each in a fresh process", flush=True)
    raised, wrong, left = try_again(here, left)
    for (file, line, name), step in left:
        print(f"not called again: {file}:{line} {name} (during: {step})")
    print(f"{n_raised + raised} exceptions, {n_wrong + wrong} with problems; {len(left)} did not raise", flush=True)
    return 1 if n_wrong + wrong else 0


if __name__ == "__main__":
    sys.exit(main())
