"""The program is asked to end while anything runs: by SIGTERM, SIGINT, SIGHUP, or the end of the desktop session.

    python -m tests.reliability.endings --times 3 --seed 1

Each situation is the real window in a process of its own, or a command; a signal comes at a random moment of it. The
process has to end soon, with the right exit code and no traceback, and to leave no process behind, no half-written
file, and in the recovery copy the newest work.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reliability.kills import PATIENCE_SECONDS, Report, fork_window, load_everything, work_of
from tests.sources import ROOT

PROMISED_SECONDS, STUCK_SECONDS = 2.0, 15.0
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LOGOUT = 0
"""In place of a signal: the desktop session ends."""
ENDLESS = "print('on')\nwhile True:\n    pass\n"
TRAINED = "import random\n" + "a = 1.5\nb = tanh(a * a + a)\n" * 12

# Situations of the window. Each brings the window into it, and returns a function that says whether it is reached.


def _idle(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("text", expression={"text": "a = 5.0\nb = a * a\n"})
    return lambda: True


def _typing(window: Any, folder: Path) -> Callable[[], bool]:
    """Characters that are not in the document yet."""
    window.show_workspace("both")
    editor = window.docks["ExpressionPanel"].panel.editor
    return lambda: editor.insertPlainText("1") or True


def _training(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.run()
    return lambda: window.session.trained_so_far.step > 0


def _program(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("text", expression={"text": ENDLESS})
    return lambda: bool(window.session.program.printed.lines)


def _sweep(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("seed", data={"seed": 3})
    window.show_panel("SweepPanel")
    panel = window.docks["SweepPanel"].panel
    panel.catch_up()
    panel.settings.steps.setText("200000")
    panel.start_or_cancel()
    return lambda: panel.sweeping.share > 0


def _export(window: Any, folder: Path) -> Callable[[], bool]:
    from functools import partial

    from gui.export.animation import write_animation

    window.session.edit("text", expression={"text": TRAINED})

    def begin() -> bool:
        if not window.exporter.busy and window.session.evaluation is not None and not window.session.presenter.busy:
            snapshot = window.exporter.snapshot()
            window.exporter.save(
                folder / "pass.gif", lambda path: partial(write_animation, snapshot.backward_pass(), path)
            )
        return bool(window.exporter.share > 0)

    return begin


def _question(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("seed", data={"seed": 4})
    window.files.new()
    return lambda: True


def _file_dialog(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("seed", data={"seed": 5})
    window.files.save_as()
    return lambda: True


def _menu(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("seed", data={"seed": 6})
    window.menuBar().actions()[0].menu().popup(window.mapToGlobal(window.rect().center()))
    return lambda: True


def _saving(window: Any, folder: Path) -> Callable[[], bool]:
    """A disk that takes a second: the signal comes in the middle of a save."""
    fsync = os.fsync
    os.fsync = lambda file: (time.sleep(0.4), fsync(file))[1]
    window.session.edit("seed", data={"seed": 7})
    window.files._write(folder / "slow.gradstep", None)
    window.session.edit("seed", data={"seed": 8})
    return lambda: bool(window.files.writing.busy)


def _lesson(window: Any, folder: Path) -> Callable[[], bool]:
    window.session.edit("seed", data={"seed": 9})
    window.course.open(window.course.lessons[0].name)
    return lambda: bool(window.session.is_aside)


SITUATIONS: dict[str, Callable[[Any, Path], Callable[[], bool]]] = {
    "idle": _idle,
    "typing": _typing,
    "training": _training,
    "program": _program,
    "sweep": _sweep,
    "export": _export,
    "question": _question,
    "file dialog": _file_dialog,
    "menu": _menu,
    "saving": _saving,
    "lesson": _lesson,
}

COMMANDS = {
    "train": "train s.gradstep --steps 100000000 --log loss.csv -o out.gradstep",
    "sweep": "sweep s.gradstep --vary training.learning_rate=0.1,0.2,0.3,0.4 --steps 100000000 --workers 2 -o out.csv",
    "run": "run endless.py",
    "check": "check endless.py --json",
    "export": "export s.gradstep -o out.gif --training --steps 4000",
    "frames": "export p.py -o frames --frames",
    "picture": "export p.py -o out.pdf",
    "tour": "tour pictures",
    "print": "lessons print 1 -o out.pdf",
    "lessons": "lessons check",
    "gallery": "gallery",
    "code": "code s.gradstep -o out.py",
    "window": "window",
}


def wait_until(condition: Callable[[], Any], seconds: float) -> bool:
    """Wait for a condition; return False when the time is over."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def group_of(leader: int) -> list[int]:
    """Return the living processes in the session (the kernel's) that a process leads."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _parent, _group, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


class Outcome:
    """Figures of one kind, and what was found.

    Attributes:
        seconds: from the signal to the end of the process.
        processor: seconds of a processor that it used meanwhile, its threads and children included.
        found: what went wrong, in words.
    """

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.processor: list[float] = []
        self.found: list[str] = []

    def check(self, label: str, process: int, code: int | None, wanted: set[int], said: str) -> None:
        """Look at an ended process; None as its code: it had to be killed."""
        problems = []
        if code not in wanted:
            problems.append(f"exit code {code} instead of {sorted(wanted)}")
        if "Traceback" in said or "Exception ignored" in said or "Fatal" in said:
            problems.append(f"said {said[-600:]!r}")
        if not wait_until(lambda: not group_of(process), 5.0):
            problems.append(f"processes are left: {group_of(process)}")
            for left in group_of(process):
                os.kill(left, signal.SIGKILL)
        self.found += [f"{label}: {problem}" for problem in problems]
        for problem in problems:
            print(f"{label}: {problem}", file=sys.stderr, flush=True)


def end_window(name: str, how: int, chance: random.Random, outcome: Outcome) -> None:
    """Bring a window into a situation, and ask it to end."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        work = folder / "work"
        work.mkdir()
        os.environ |= {"HOME": text, "XDG_CONFIG_HOME": f"{text}/config", "XDG_DATA_HOME": f"{text}/data"}
        reading, writing = os.pipe()
        delay = chance.uniform(0, 400)

        def begin(window: Any, report: Report) -> None:
            _reach(name, window, work, delay, lambda: _get_ready(window, name == "typing", how, report))

        child = fork_window(writing, folder / "stderr.txt", begin)
        os.close(writing)
        label = f"{name}, {'logout' if how == LOGOUT else signal.Signals(how).name}"
        ready, until = b"", time.monotonic() + PATIENCE_SECONDS
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while b'"ready"' not in ready and time.monotonic() < until:
                ready += pipe.read(1 << 16)
            began, used = time.monotonic(), _processor_seconds(child)
            if how != LOGOUT:
                os.killpg(child, how)  # as a terminal does: its workers, too
            codes: list[int] = []

            def has_ended() -> bool:
                ended, status, usage = os.wait4(child, os.WNOHANG)
                if ended:
                    codes.append(os.waitstatus_to_exitcode(status))
                    outcome.processor.append(usage.ru_utime + usage.ru_stime - used)
                return bool(ended)

            if wait_until(has_ended, STUCK_SECONDS):
                outcome.seconds.append(time.monotonic() - began)
            else:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        said = (folder / "stderr.txt").read_text(errors="replace")
        outcome.check(label, child, codes[0] if codes else None, {0 if how == LOGOUT else 128 + how}, said)
        last = next((json.loads(line) for line in ready.splitlines() if b'"ready"' in line), None)
        problems = ["never ready"] if last is None else _problems_left(work, last)
        outcome.found += [f"{label}: {problem}" for problem in problems]
        for problem in problems:
            print(f"{label}: {problem}", file=sys.stderr, flush=True)


def _reach(name: str, window: Any, work: Path, delay: float, then: Callable[[], object]) -> None:
    """Bring a window into a situation; call `then` some milliseconds after it is reached."""
    from PySide6.QtCore import QTimer

    is_reached = SITUATIONS[name](window, work)
    ticks = QTimer(window, interval=20)

    def look() -> None:
        if is_reached():
            ticks.stop()
            QTimer.singleShot(round(delay), window, then)

    ticks.timeout.connect(look)
    ticks.start()


def _get_ready(window: Any, is_typing: bool, how: int, report: Report) -> None:
    """Report what the work is, and ask for the end where no signal does."""
    own = window.session.own_work
    text = own.document.expression.text
    if is_typing:
        text = window.docks["ExpressionPanel"].panel.editor.toPlainText()
    report("ready", work=work_of(text, own.document), step=own.document.trained.step)
    if how == LOGOUT:
        _log_out(window)


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _log_out(window: Any) -> None:
    """Do what Qt does when the session manager says that the session is saved, and then that it ends."""
    from PySide6.QtCore import QEvent, QTimer
    from PySide6.QtWidgets import QApplication

    from gui.ending import Ending

    application = QApplication.instance()
    application.findChild(Ending).commit(None)
    QTimer.singleShot(50, lambda: application.sendEvent(application, QEvent(QEvent.Type.Quit)))


def _problems_left(work: Path, last: dict[str, Any]) -> list[str]:
    """Return what is wrong with the files that a window has left."""
    from gui.session.recovery import find_copies, recovery_folder

    problems = []
    copies = find_copies(recovery_folder())
    kept = [(work_of(copy.document.expression.text, copy.document), copy.document.trained.step) for copy in copies]
    if not any(made == last["work"] and step >= last["step"] for made, step in kept):
        problems.append(f"the newest work is not in the copy: {last['step']} {kept}")
    left = [path.name for path in work.rglob("*") if path.name.startswith(".") or path.suffix == ".part"]
    return [*problems, *([f"half-written: {left}"] if left or _is_damaged(work) else [])]


def end_command(name: str, how: int, chance: random.Random, outcome: Outcome) -> None:
    """Start a command, and send its group a signal at a random moment."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        work = folder / "work"
        work.mkdir()
        environment = os.environ | {"HOME": text, "XDG_CONFIG_HOME": f"{text}/config", "XDG_DATA_HOME": f"{text}/data"}
        subprocess.run(
            [sys.executable, "-c", "from engine.document import Document\nfrom engine.session_file import to_json\n"
             "import sys\nopen(sys.argv[1], 'w').write(to_json(Document()))", str(work / "s.gradstep")],
            cwd=ROOT, check=True, env=environment,
        )  # fmt: skip
        (work / "p.py").write_text(TRAINED)
        (work / "endless.py").write_text(ENDLESS)
        before = {path.name for path in work.iterdir()}
        command = [sys.executable, str(ROOT / "main.py"), *COMMANDS[name].split()]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=work, env=environment, start_new_session=True, **pipes) as process:
            # a command that has not begun yet ends as the system has it
            is_ours = wait_until(lambda: process.poll() is not None or _handles(process.pid, how), 30.0)
            work_done = chance.uniform(0, 4.0) if is_ours else 0.0  # in seconds of a processor, however busy it is
            wait_until(lambda: process.poll() is not None or _processor_seconds(process.pid) > work_done, 60.0)
            is_over = process.poll() is not None
            began = time.monotonic()
            if not is_over:
                os.killpg(process.pid, how)
            try:
                _, said = process.communicate(timeout=STUCK_SECONDS)
                code: int | None = process.returncode
                outcome.seconds += [] if is_over else [time.monotonic() - began]
            except subprocess.TimeoutExpired:
                process.kill()
                code, said = None, b""
        label = f"command {name}, {signal.Signals(how).name}"
        wanted = {process.returncode} if is_over else {128 + how, 0} if name in ("code", "print") else {128 + how}
        outcome.check(label, process.pid, code, wanted, said.decode(errors="replace"))
        new = {path.name for path in work.rglob("*")} - before
        half = sorted(file for file in new if file.startswith(".") or file.endswith(".part"))
        if half or (code and _is_damaged(work)):
            outcome.found.append(f"{label}: half-written: {half or sorted(new)}")
            print(outcome.found[-1], file=sys.stderr, flush=True)


def _handles(process: int, how: int) -> bool:
    """Return True when a process handles a signal itself."""
    try:
        found = re.search(r"SigCgt:\s*([0-9a-f]+)", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return False
    # Python itself handles SIGINT from its start on, before Gradstep does
    return found is not None and bool(int(found[1], 16) >> (signal.SIGTERM - 1) & 1)


def _is_damaged(work: Path) -> bool:
    """Return True when a written file lacks its end."""
    ends = {".gif": b";", ".pdf": b"%%EOF", ".png": b"\xaeB`\x82", ".csv": b"\n", ".gradstep": b"}", ".py": b"\n"}
    files = [path for path in work.rglob("*") if path.is_file() and path.suffix in ends]
    return any(not path.read_bytes().rstrip(b"\n" if path.suffix == ".pdf" else b"").endswith(ends[path.suffix])
               and not path.read_bytes().rstrip().endswith(ends[path.suffix]) for path in files)  # fmt: skip


def main() -> int:
    """Ask every situation and every command to end; print a JSON object with figures and what was found."""
    parser = argparse.ArgumentParser(description="Ask windows and commands to end at random moments.")
    parser.add_argument("--times", type=int, default=3, help="rounds over all situations, each with every signal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="names of situations, or 'commands' or 'windows', with commas")
    options = parser.parse_args()
    chance, outcomes = random.Random(options.seed), dict[str, Outcome]()
    only = options.only.split(",") if options.only else ["windows", "commands"]
    with tempfile.TemporaryDirectory() as name:
        load_everything(Path(name))
        for _ in range(options.times):
            for situation in SITUATIONS:
                for how in (*SIGNALS, LOGOUT) if situation in only or "windows" in only else ():
                    end_window(situation, how, chance, outcomes.setdefault(situation, Outcome()))
            for command in COMMANDS:
                for how in SIGNALS if f"command {command}" in only or "commands" in only else ():
                    end_command(command, how, chance, outcomes.setdefault(f"command {command}", Outcome()))
    figures = {
        name: f"{len(each.seconds)} ended, {max(each.seconds, default=0):.2f} s at most, "
        f"{max(each.processor, default=0):.2f} s of a processor"
        for name, each in outcomes.items()
    }
    found = [problem for each in outcomes.values() for problem in each.found]
    slow = sum(seconds > PROMISED_SECONDS for each in outcomes.values() for seconds in each.seconds)
    count = sum(len(each.seconds) for each in outcomes.values())
    print(json.dumps({"ended": count, "later than 2 s": slow, "figures": figures, "found": found}, indent=1))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
