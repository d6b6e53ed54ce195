"""A working session is killed at random moments, right in saves and recovery writes too; then the next one starts.

    python -m tests.reliability.kills --times 200 --seed 1

Each session is the real window in a process of its own (on Qt's offscreen platform). A script in it types, edits,
trains, saves, undoes and opens, and reports through a pipe what the work is after each action. The loss is measured
from these reports: the time since the work was what a recovery copy or a file holds. The next session has to
start, to offer every copy and to do what is answered; files have to be whole, and nothing may pile up.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import os
import random
import select
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

MOST_LOST_SECONDS = 10.0
LONGEST_TURN_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""Longest wait for a window, on a machine that is busy."""
PROGRAMS = ("a = 2.0\nb = a * a\n", "x = 3.0\ny = tanh(x)\nz = y * x\n", "print('hello')\n", "a = Value(1.0\n")
ANSWERS = ("recover", "recover", "discard", "later")
MOMENTS = ("start", "any", "any", "save", "keep")
"""When a session is killed: while it starts, at any time, or right after it began to save or to write a copy."""


def work_of(text: str, document: Any) -> str:
    """Return a fingerprint of everything that the user has made, without the training."""
    parts = (document.data, document.network, document.training)
    return hashlib.blake2b(repr((text, parts)).encode(), digest_size=8).hexdigest()


# The session that is killed


class Script:
    """A user who works without rest in the window of this process, and reports after each action."""

    def __init__(self, window: Any, folder: Path, chance: random.Random, report: Callable[..., None]) -> None:
        from PySide6.QtWidgets import QMessageBox

        from gui.bars.recovery_bar import RecoveryBar

        self.window, self.session, self.folder = window, window.session, folder
        self.chance, self.report, self.number = chance, report, 0
        self.box_class = QMessageBox
        self.bar = window.findChild(RecoveryBar)
        self.session.changed.connect(lambda _change: self.report_work())
        copies = [] if self.bar is None else self.bar._copies
        report("shown", offered=[copy.file.name for copy in copies])
        self.report_work()
        self.actions = [self.type] * 12 + [self.edit] * 8 + [self.save]
        self.actions += [
            self.train,
            self.train,
            self.undo,
            self.undo,
            self.redo,
            self.open,
            self.new,
            self.save_as,
            self.lesson,
        ]

    def after(self, milliseconds: float, action: Callable[[], object]) -> None:
        from PySide6.QtCore import QTimer

        QTimer.singleShot(round(milliseconds), self.window, action)

    def begin(self) -> None:
        if self.bar is not None:
            answer, copy = self.chance.choice(ANSWERS), self.bar._copies[0]
            getattr(self.bar, answer).click()
            own = self.session.own_work
            found = work_of(own.document.expression.text, own.document), own.document.trained.step
            self.report("answered", answer=answer, copy=copy.file.name, work=found[0], step=found[1])
            self.report_work()
        self.go_on()

    def go_on(self) -> None:
        try:
            boxes = [box for box in self.window.findChildren(self.box_class) if box.isVisible()]
            if boxes:
                self.chance.choice(boxes[0].buttons()).click()
            else:
                self.chance.choice(self.actions)()
        finally:
            self.report_work()
            self.after(self.chance.uniform(10, 120), self.go_on)

    def report_work(self) -> None:
        own = self.session.own_work
        text, editor = own.document.expression.text, self.editor
        typed = editor.toPlainText() if editor is not None and not self.session.is_aside else text
        is_modified = own.is_modified or typed != text
        path = None if own.path is None else own.path.name
        work = work_of(typed, own.document)
        self.report("work", work=work, step=own.document.trained.step, path=path, modified=is_modified)

    @property
    def editor(self) -> Any:
        dock = self.window.docks["ExpressionPanel"]
        return dock.panel.editor if dock.is_made else None

    def type(self) -> None:
        """Type some characters; mostly without a pause after the characters before."""
        if self.editor is not None and not self.session.is_aside:
            self.number += 1
            self.editor.insertPlainText(f"\n# edit {self.number}" if self.number % 9 == 0 else str(self.number % 10))

    def edit(self) -> None:
        number = self.chance.randrange(1000)
        edits: list[dict[str, Any]] = [
            {"expression": {"text": f"{self.chance.choice(PROGRAMS)}# {number}\n"}},
            {"training": {"learning_rate": 0.001 + number / 10_000}},
            {"network": {"layer_sizes": (2, 1 + number % 5, 1)}},
            {"data": {"seed": number}},
        ]
        self.session.edit(f"edit {number}", **self.chance.choice(edits))

    def train(self) -> None:
        self.chance.choice((self.session.toggle_run, lambda: self.session.train("step")))()

    def undo(self) -> None:
        self.window.action("undo").trigger()

    def redo(self) -> None:
        self.window.action("redo").trigger()

    def new(self) -> None:
        self.window.files.new()

    def open(self) -> None:
        if paths := sorted(self.folder.glob("*.gradstep")):
            self.window.files.open_path(self.chance.choice(paths))

    def save(self) -> None:
        self.window.files.save() if self.session.path is not None else self.save_as()

    def save_as(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        self.window.files.save_as()
        for dialog in self.window.findChildren(QFileDialog):
            dialog.fileSelected.emit(str(self.folder / f"{self.chance.choice('abc')}.gradstep"))
            dialog.reject()

    def lesson(self) -> None:
        if self.session.is_aside:
            self.window.leave_lesson()
        elif self.chance.random() < 0.3:
            self.window.course.open(self.window.course.lessons[0].name)


Report = Callable[..., None]


def run_window(pipe: int, begin: Callable[[Any, Report], object]) -> int:
    """Open the window in this process; return the exit code.

    Args:
        pipe: reports are written to it, JSON objects with the time, one a line.
        begin: called with the window once it is there, and a function that writes a report.
    """
    from PySide6.QtCore import QTimer

    import gui.session.files
    import gui.session.recovery
    import gui.session.session
    from gui.app import make_application
    from gui.main_window import MainWindow
    from main import main

    def report(kind: str, **content: Any) -> None:
        os.write(pipe, json.dumps({"kind": kind, "at": time.monotonic(), **content}).encode() + b"\n")

    def watch(module: Any, name: str, kind: str, about: Callable[..., dict[str, Any]]) -> None:
        function = getattr(module, name)

        def watched(*given: Any) -> Any:
            report(kind, **about(*given))
            outcome = function(*given)
            report(f"{kind} ended", good=not outcome or not isinstance(outcome, str | Exception), **about(*given))
            return outcome

        setattr(module, name, watched)

    def about_save(path: Path, document: Any, *_: Any) -> dict[str, Any]:
        return {"path": path.name, "work": work_of(document.expression.text, document)}

    watch(gui.session.recovery, "_write", "keep", lambda *_: {})
    for module in (gui.session.files, gui.session.session):
        watch(module, "write", "save", about_save)
    application = make_application()
    QTimer.singleShot(
        0, lambda: begin(next(each for each in application.topLevelWidgets() if isinstance(each, MainWindow)), report)
    )
    return main(["window"])


def load_everything(folder: Path) -> None:
    """Prepare this process to be forked: load the window's modules; settings and data lie in this folder."""
    from engine.language.machine_code import cache_folder

    os.environ |= {"GRADSTEP_CACHE": str(cache_folder()), "HOME": str(folder)}
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "OPENBLAS_NUM_THREADS": "1", "QT_LOGGING_RULES": "qt.qpa.*=false"}
    os.environ |= {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder / "data")}
    for name in ("gui.app", "gui.main_window", "gui.loading", "gui.display"):
        import_module(name)
    from PySide6.QtCore import QCoreApplication

    QCoreApplication.setApplicationName("Gradstep")
    QCoreApplication.setOrganizationName("Gradstep")


def fork_window(pipe: int, log: Path, begin: Callable[[Any, Report], object]) -> int:
    """Open the window in a copy of this process that leads a group of its own; return its number."""
    child = os.fork()
    if child == 0:
        os.setsid()
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
        faulthandler.enable()  # a crash says where it was
        code = 1
        try:
            code = run_window(pipe, begin)
        finally:
            os._exit(code)
    return child


# The one that kills


@dataclass
class Session:
    """Reports of one session, and what was found after it.

    Attributes:
        reports: in their order.
        killed: when, in seconds of `time.monotonic`.
        started: seconds from its fork to its window; None: killed before.
        lost: seconds of work that were lost; None where there was no work.
    """

    reports: list[dict[str, Any]] = field(default_factory=list)
    killed: float = 0.0
    started: float | None = None
    lost: float | None = None

    @property
    def stalled(self) -> float:
        """Seconds of the lost ones in which the script had no turn: it acts each 0.12 s where the processor is free."""
        since = self.killed - (self.lost or 0.0)
        times = [since, *(each["at"] for each in self.of("work") if each["at"] > since), self.killed]
        return sum(gap for before, after in pairwise(times) if (gap := after - before) > LONGEST_TURN_SECONDS)

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        return [report for report in self.reports if report["kind"] in kinds]


class Kills:
    """Starts and kills sessions one after the other in one folder.

    Attributes:
        found: what went wrong, in words.
    """

    def __init__(self, folder: Path, seed: int, longest: float) -> None:
        self.work, self.found, self.sessions = folder / "work", list[str](), list[Session]()
        self.work.mkdir()
        self._chance, self._longest, self._folder = random.Random(seed), longest, folder
        self._copies: set[str] = set()
        self._known: dict[str, tuple[str, int]] = {}
        self._saves: dict[str, list[str]] = {}
        self._most_files = 0

    def kill_one(self, number: int) -> None:
        """Run one session and kill it; then look at what it has left."""
        seed, when = self._chance.randrange(2**32), self._chance.choice(MOMENTS)
        reading, writing = os.pipe()
        began = time.monotonic()

        def begin(window: Any, report: Report) -> None:
            script = Script(window, self.work, random.Random(seed), report)
            script.after(50, script.begin)

        child = fork_window(writing, self._folder / "stderr.txt", begin)
        os.close(writing)
        session = self._watched(reading, when, began)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        session.killed = time.monotonic()
        self._read(reading, session, 0.0)
        os.close(reading)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.sessions.append(session)
        label = f"kill {number} ({when})"
        if status != -signal.SIGKILL:
            self._note(label, f"the session ended by itself with {status}")
        for problem in self._problems(session, f"{child}-"):
            self._note(label, problem)

    def _note(self, label: str, problem: str) -> None:
        self.found.append(f"{label}: {problem}")
        print(self.found[-1], file=sys.stderr, flush=True)

    def _watched(self, reading: int, when: str, began: float) -> Session:
        """Read reports until the moment to kill has come."""
        session, chance = Session(), self._chance
        if when == "start":
            self._read(reading, session, chance.uniform(0, 1.5))
        else:
            while not session.of("shown") and time.monotonic() - began < PATIENCE_SECONDS:
                self._read(reading, session, 0.05)
            if not session.of("shown"):
                self._note("start", f"no window after {PATIENCE_SECONDS:.0f} s")
            until, wanted = time.monotonic() + chance.uniform(0.1, self._longest), chance.randint(1, 3)
            if when == "keep":
                until, wanted = until + 6, 1
            while time.monotonic() < until and len(session.of(when)) < wanted:
                self._read(reading, session, 0.002)
            if when != "any":
                time.sleep(chance.uniform(0, chance.choice((0.002, 0.03))))
        if shown := session.of("shown"):
            session.started = shown[0]["at"] - began
        return session

    def _read(self, reading: int, session: Session, seconds: float) -> None:
        """Take the reports that arrive in the next seconds, at least those that are there."""
        until = time.monotonic() + seconds
        while True:
            if select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
                content = os.read(reading, 1 << 16)
                while content and not content.endswith(b"\n"):
                    more = os.read(reading, 1 << 16)
                    content = content + more if more else content[: content.rfind(b"\n") + 1]
                session.reports += map(json.loads, content.splitlines())
                if not content:
                    return
            elif time.monotonic() >= until:
                return

    def _problems(self, session: Session, own: str) -> list[str]:
        """Return what is wrong after a session was killed; measure what it has lost."""
        from gui.session.recovery import SUFFIX, _read, recovery_folder

        problems, folder = list[str](), recovery_folder()
        files = {file.name: file for file in folder.glob(f"*{SUFFIX}")}
        copies = {}
        for name, file in files.items():
            try:
                copies[name] = _read(file).document
            except Exception as error:
                problems.append(f"the copy {name} is damaged: {error}")
        before, self._copies = self._copies, set(copies)
        answered = session.of("answered")
        gone = {report["copy"] for report in answered if report["answer"] != "later"}
        if lost := before - gone - set(copies):
            being_answered = not answered and session.started is not None and len(lost) == 1
            problems += [] if being_answered else [f"copies that nobody has answered are gone: {lost}"]
        for report in session.of("shown"):
            if missing := before - set(report["offered"]):
                problems.append(f"not offered: {missing}")
        for report in answered:
            if report["answer"] == "recover" and (report["work"], report["step"]) != self._known.get(report["copy"]):
                problems.append("what was recovered is not what the copy held")
            if report["answer"] == "discard" and report["copy"] in copies:
                problems.append("a discarded copy is still there")
        self._known = {
            name: (work_of(document.expression.text, document), document.trained.step)
            for name, document in copies.items()
        }
        saved = self._saved_files(session, problems)
        kept = [state for name, state in self._known.items() if name.startswith(own)] + saved
        session.lost = _seconds_lost(session, kept)
        if session.lost is not None and session.lost > MOST_LOST_SECONDS + session.stalled:
            problems.append(f"{session.lost:.1f} s of work are lost, {session.stalled:.1f} s of them without a turn")
        if session.started is not None:
            there = list(folder.glob("*"))
            others = [file.name for file in there if file.name not in files and _age(file) > 60]
            strays = [name for name in others if name.removesuffix(".lock") + SUFFIX not in files]
            strays = [name for name in strays if not name.startswith(own)]
            problems += [f"left in the folder of copies: {strays}"] if strays else []
            self._most_files = max(self._most_files, len(there))
        return problems

    def _saved_files(self, session: Session, problems: list[str]) -> list[tuple[str, int]]:
        """Return the state in each of the user's files; each has to be the last one written, or a later one."""
        from engine.session_file.files import read_document

        for report in session.of("save", "save ended"):
            works = self._saves.setdefault(report["path"], [])
            if report["kind"] == "save":
                works.append(report["work"])
            elif report["good"]:
                del works[: works.index(report["work"])]
        states = []
        for path in sorted(self.work.glob("*.gradstep")):
            try:
                document = read_document(path).document
            except (OSError, ValueError) as error:
                problems.append(f"{path.name} is damaged: {error}")
                continue
            work = work_of(document.expression.text, document)
            states.append((work, document.trained.step))
            if work not in self._saves.get(path.name, ()):
                problems.append(f"{path.name} is neither old nor new")
            self._saves[path.name] = [work]
        return states

    @property
    def figures(self) -> dict[str, Any]:
        """Figures for the report."""
        lost = sorted(session.lost for session in self.sessions if session.lost is not None)
        free = [each.lost - each.stalled for each in self.sessions if each.lost is not None]
        starts = sorted(session.started for session in self.sessions if session.started is not None)
        kinds = [report["kind"] for session in self.sessions for report in session.reports]
        answers = [report["answer"] for session in self.sessions for report in session.of("answered")]
        in_save = sum(len(session.of("save")) > len(session.of("save ended")) for session in self.sessions)
        in_keep = sum(len(session.of("keep")) > len(session.of("keep ended")) for session in self.sessions)
        return {
            "kills": len(self.sessions),
            "in a save": in_save,
            "in a recovery write": in_keep,
            "before the window": len(self.sessions) - len(starts),
            "reported states": kinds.count("work"),
            "copies": kinds.count("keep ended"),
            "saves": kinds.count("save ended"),
            "answers": {answer: answers.count(answer) for answer in sorted(set(ANSWERS))},
            "lost seconds": {
                "median": _rounded(statistics.median(lost or [0])),
                "most": _rounded(max(lost, default=0)),
                "most while the processor was free": _rounded(max(free, default=0)),
            },
            "start seconds": {
                "median": _rounded(statistics.median(starts or [0])),
                "most": _rounded(max(starts, default=0)),
            },
            "most files in the folder of copies": self._most_files,
            "found": self.found,
        }


def _seconds_lost(session: Session, kept: list[tuple[str, int]]) -> float | None:
    """Return how long before the kill the work was last what is kept somewhere; None where there was none."""
    works = session.of("work")
    if not works:
        return None
    ends = [report["at"] for report in works[1:]] + [session.killed]
    for report, end in zip(reversed(works), reversed(ends), strict=True):
        is_empty = not report["modified"] and report["path"] is None
        if is_empty or any(work == report["work"] and step >= report["step"] for work, step in kept):
            return float(session.killed - end)
    return float(session.killed - works[0]["at"])


def _age(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except OSError:
        return 0.0


def _rounded(seconds: float) -> float:
    return round(seconds, 2)


def main() -> int:
    """Kill sessions; print a JSON object with figures and what was found."""
    parser = argparse.ArgumentParser(description="Kill working sessions and start the next ones.")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=14.0, help="seconds of work before a kill, at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load_everything(folder)
        kills = Kills(folder, options.seed, options.longest)
        for number in range(1, options.times + 1):
            kills.kill_one(number)
        figures = kills.figures
        said = (folder / "stderr.txt").read_text(errors="replace") if (folder / "stderr.txt").exists() else ""
        figures["tracebacks"] = said.count("Traceback")
        if kills.found or figures["tracebacks"]:
            print(said[-3000:], file=sys.stderr)
    print(json.dumps(figures, indent=1))
    return 1 if kills.found or figures["tracebacks"] else 0


if __name__ == "__main__":
    sys.exit(main())
