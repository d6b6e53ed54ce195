"""An exception in any function of the window while it starts, saves and closes: it opens, and no edit is lost.

    python -m tests.reliability.start_and_close --sample 100

Each trial is a whole life of the application: it opens with a file and remembered settings, an edit is made, and it is
closed with Save in answer to its question. In one of these three (see `STAGES`) one function raises.

- Where it raised at the start, the window is there all the same, with graph and program, and the edit is in the file
  after closing. Where the file could not be opened, the user is told, it stays as it is, and the edit is saved in
  another one. Only where one of the functions in which the window is made raised itself (see `BEFORE_WINDOW`), the
  program ends with the error before there is a window; nobody could edit anything then.
- Where it raised between the first close and the end of the program, the edit is in the file or in a recovery copy when
  the process has ended; or the window is still there, the user is told, and closing it once more saves the edit.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import nullcontext
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSettings, QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox

from engine.document import Document, replace_section
from engine.language import evaluate
from engine.session_file import from_json, to_json
from gui import app
from gui.main_window import MainWindow
from gui.problems import PROBLEMS
from gui.session.recovery import find_copies, recovery_folder
from gui.unexpected import UnexpectedErrors
from gui.widgets.failure_notice import FailureNotice
from tests.reliability.planting import (
    ERRORS,
    ROOT,
    Function,
    Tracer,
    names_error,
    read_todo,
    shown_texts,
    try_again,
    try_elsewhere,
    try_here,
)

STAGES = ("start", "close")
BEFORE, AFTER = "a = 1.0\nb = a * a", "a = 2.0\nb = a * a"
BEFORE_WINDOW = ("make_application", "run", "_run", "_open_settings", "_with_or_without")
"""Functions of `gui.app` that nothing could go on without."""
SETTLED_MILLISECONDS, PATIENCE = 150, 20.0
TOLD_MILLISECONDS = 1000
"""The user is told within this time where the window stays after an exception."""


class Life:
    """One life of the application, in which one function raises.

    Attributes:
        found: what was wrong.
        tracer: raises, in the stage.
    """

    def __init__(self, folder: Path, stage: str, tracer: Tracer) -> None:
        self.file, self.other = folder / "work.gradstep", folder / "other.gradstep"
        self.file.write_text(to_json(replace_section(Document(), "expression", text=BEFORE)), encoding="utf-8")
        shutil.rmtree(recovery_folder(), ignore_errors=True)
        PROBLEMS.clear()
        QSettings().clear()
        QSettings().setValue("workspace", "both")
        QSettings().sync()
        self.found: list[str] = []
        self.tracer, self._stage = tracer, stage
        self._closed = self._tries = self._waited = 0
        self._is_told = False
        self._until = time.monotonic() + PATIENCE
        self.window: MainWindow | None = None

    def live(self) -> list[str]:
        """Start, edit, save and close; return what was wrong."""
        clock = QObject()
        QTimer.singleShot(SETTLED_MILLISECONDS, clock, self._edit)
        with self.tracer.installed() if self._stage == "start" else nullcontext():
            try:
                app.run(self.file)
            except BaseException as error:
                self.found.append(f"the program ended with {type(error).__name__}: {error}")
        stop_tracing()
        clock.deleteLater()
        sys.excepthook = sys.__excepthook__
        target = self.tracer.target
        if self.window is None and target is not None and target[0] == "gui/app.py" and target[2] in BEFORE_WINDOW:
            self.found.clear()
        else:
            self._check_saved()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        return self.found

    def _edit(self) -> None:
        stop_tracing()
        windows = (each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))
        self.window = window = next((each for each in windows if each.isVisible()), None)
        if window is None:
            self.found.append("there is no window")
            QApplication.exit(0)
            return
        if self._stage == "start" and self.tracer.raised:
            self._check_start(window)
        window.session.edit("text", expression={"text": AFTER})
        QTimer.singleShot(50, window, self._close)

    def _check_start(self, window: MainWindow) -> None:
        if not (is_told := self._tells(window)):
            self._miss_telling()
        if not window.graph_panel.isVisible() or not window.docks["ExpressionPanel"].isVisible():
            window.arrange()  # an arrangement that failed was told of, and the View menu has the default one
        if not window.graph_panel.isVisible() or not window.docks["ExpressionPanel"].isVisible():
            self.found.append("graph or program cannot be seen")
        if window.session.path is None and not is_told:
            self.found.append("the file was not opened")
        elif window.session.path is not None and window.session.document.expression.text != BEFORE:
            self.found.append("what is shown as the file is not what it holds")

    def _tells(self, window: MainWindow) -> bool:
        """Return True when the window shows that something failed."""
        notices = [each for each in window.findChildren(FailureNotice) if not each.isHidden()]
        is_error = window.message.message and window.message.property("error")
        return bool(notices or is_error or names_error(shown_texts(window), self.tracer.error))

    def _miss_telling(self) -> None:
        self.found.append("only Help > Problems has it" if PROBLEMS.problems() else "nobody was told")

    def _close(self) -> None:
        """Close the window, and answer its questions; try again where it is still there."""
        window = self.window
        assert window is not None
        if self._closed > 3 or time.monotonic() > self._until:
            self.found.append("it cannot be closed")
            QApplication.exit(0)
            return
        self._closed += 1
        if self._stage == "start" and window.session.path is None:
            window.session.save(self.other)
        QTimer.singleShot(100, window, self._answer)
        if self._stage == "close" and self._closed == 1:
            sys.excepthook = UnexpectedErrors(window.show_message)
            threading.settrace(self.tracer)  # until the program has ended: see `live`
            sys.settrace(self.tracer)
        window.close()

    def _answer(self) -> None:
        window = self.window
        assert window is not None
        boxes = [each for each in window.findChildren(QMessageBox) if each.isVisible()]
        if boxes and self._tries < 10:
            self._tries += 1
            named = {button.text().replace("&", ""): button for button in boxes[-1].buttons()}
            self._is_told |= names_error((each.text() for each in boxes[-1].findChildren(QLabel)), self.tracer.error)
            button = named.get("Save") or named["Replace"]
            QTimer.singleShot(100, window, self._answer)
            button.click()
        elif window.isVisible():
            self._go_on(window)

    def _go_on(self, window: MainWindow) -> None:
        """Close a window that is still there, when it tells why or has had the time to."""
        self._is_told |= self._tells(window)
        if self._stage == "close" and self.tracer.raised and not self._is_told:
            if self._waited < TOLD_MILLISECONDS:
                self._waited += 100
                QTimer.singleShot(100, window, self._answer)
                return
            self._miss_telling()
            self._is_told = True  # once is enough
        self._close()

    def _check_saved(self) -> None:
        files = [each for each in (self.file, self.other) if each.exists()]
        texts = [from_json(each.read_text(encoding="utf-8")).expression.text for each in files]
        texts += [copy.document.expression.text for copy in find_copies(recovery_folder())]
        if AFTER not in texts:
            self.found.append(f"the edit is lost: {texts}")


def stop_tracing() -> None:
    """Trace neither this thread nor those that begin from now on."""
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]  # as documented


def _attempt(stage: str, function: Function | None, error: type[BaseException]) -> Tracer:
    with tempfile.TemporaryDirectory() as folder:
        tracer = Tracer(function, error)
        life = Life(Path(folder), stage, tracer)
        tracer.found = life.live()  # type: ignore[attr-defined]
    return tracer


def main() -> int:
    """Try functions in processes of their own; print what is wrong, and the figures at the end."""
    options = argparse.ArgumentParser()
    options.add_argument("--stage", choices=STAGES, action="append")
    options.add_argument("--sample", type=int, help="number of functions of each stage, chosen by the seed")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="part of the file or name of the functions")
    options.add_argument("--error", choices=ERRORS, default="planted")
    options.add_argument("--list", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.list or chosen.here:
        app.make_application()
        qInstallMessageHandler(lambda *_: None)
        logging.lastResort = None
        error = ERRORS[chosen.error]
        if chosen.list:
            listed = [(f, stage) for stage in chosen.stage or STAGES for f in _attempt(stage, None, error).called]
            json.dump(listed, sys.stdout)
        else:

            def attempt(function: Function, stage: str) -> tuple[bool, list[str], list[str]]:
                tracer = _attempt(stage, function, error)
                return bool(tracer.raised), [], tracer.found if tracer.raised else []  # type: ignore[attr-defined]

            try_here(read_todo(), attempt)
        return 0
    evaluate(BEFORE)  # prepares Python: a process that still did that at its end would be ended at once
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.reliability.start_and_close"]
    stages = [word for stage in chosen.stage or STAGES for word in ("--stage", stage)]
    listed = subprocess.run([*command, "--list", *stages], cwd=ROOT, capture_output=True, text=True, check=True)
    functions = [each for each in json.loads(listed.stdout) if chosen.only in f"{each[0][0]} {each[0][2]}"]
    todo = []
    for stage in chosen.stage or STAGES:
        of_stage = [each for each in functions if each[1] == stage]
        print(f"{len(of_stage)} functions are called at the {stage}", flush=True)
        size = len(of_stage) if chosen.sample is None else min(chosen.sample, len(of_stage))
        todo += random.Random(chosen.seed).sample(of_stage, size)
    here = [*command, "--here", "--error", chosen.error]
    n_raised, n_wrong, left = try_elsewhere(here, todo)
    raised, wrong, left = try_again(here, left)
    for (file, line, name), stage in left:
        print(f"not called again: {file}:{line} {name} (during: {stage})")
    print(f"{n_raised + raised} exceptions, {n_wrong + wrong} with problems; {len(left)} did not raise", flush=True)
    return 1 if n_wrong + wrong else 0


if __name__ == "__main__":
    sys.exit(main())
