"""The program is asked to end while anything runs: by SIGTERM, SIGINT, SIGHUP, or the end of the desktop session.

    python -m tests.reliability.endings --times 3 --seed 1

Each situation is the real window in a process of its own, or a command; a signal comes at a random moment of it. The
process has to end soon, with the right exit code and no traceback, and to leave no process behind, no half-written
file, and in the recovery copy the newest work. A command that is over before its signal comes must have succeeded, and
is tried again with an earlier signal; a situation that was never ended is a finding, too.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Command:
    """Command that is asked to end.

    Attributes:
        words: as typed.
        writes: file or folder that is there when it has ended by itself; "" for none.
        code: its exit code when it ends by itself; None: it goes on until it is ended.
        longest: the signal comes within so many seconds of a processor.
    """

    words: str
    writes: str = ""
    code: int | None = 0
    longest: float = 4.0


COMMANDS = {
    "train": Command("train s.gradstep --steps 100000000 --log loss.csv -o out.gradstep", code=None),
    "sweep": Command(
        "sweep s.gradstep --vary learning_rate=0.1,0.2,0.3,0.4 --steps 100000000 --workers 2 -o out.csv",
        code=None,
        longest=6.0,  # the first seconds start its workers
    ),
    "run": Command("run endless.py", code=1),  # is stopped after 20 s
    "check": Command("check endless.py --json", code=1),
    "export": Command("export s.gradstep -o out.gif --training --steps 4000", "out.gif", longest=2.5),
    "frames": Command("export p.py -o frames --frames", "frames", longest=1.5),
    "picture": Command("export p.py -o out.pdf", "out.pdf", longest=1.5),
    "tour": Command("tour pictures", "pictures"),
    "print": Command("lessons print 1 -o out.pdf", "out.pdf", longest=2.0),
    "lessons": Command("lessons check"),
    "gallery": Command("gallery", longest=1.5),
    "code": Command("code s.gradstep --target python -o out.py", "out.py", longest=0.8),
    "window": Command("window", code=None),
}
MOST_TRIES = 5
"""Tries to end a command before it has ended by itself."""
LATE_SECONDS = 0.5
"""Seconds of a processor that a command which has done its work, and so keeps its exit code, needs to end."""


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
        signalled: how often each signal, or the logout, ended the process.
        late: how often it had done its work when the signal came, and kept its exit code.
        over: how often it had ended before the signal.
        processes: the most that there were at a signal.
        found: what went wrong, in words.
    """

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.processor: list[float] = []
        self.signalled: Counter[str] = Counter()
        self.late = self.over = self.processes = 0
        self.found: list[str] = []

    def report(self, label: str, problems: Iterable[str]) -> None:
        """Keep and print what went wrong."""
        for problem in problems:
            self.found.append(f"{label}: {problem}")
            print(self.found[-1], file=sys.stderr, flush=True)

    def check(self, label: str, process: int, code: int | None, wanted: set[int], said: str) -> None:
        """Look at an ended process; None as its code: it had to be killed."""
        problems = []
        if code not in wanted:
            problems.append(f"exit code {code} instead of {sorted(wanted) or 'going on until a signal'}, said {said!r}")
        if "Traceback" in said or "Exception ignored" in said or "Fatal" in said:
            problems.append(f"said {said[-600:]!r}")
        if not wait_until(lambda: not group_of(process), 5.0):
            problems.append(f"processes are left: {group_of(process)}")
            for left in group_of(process):
                os.kill(left, signal.SIGKILL)
        self.report(label, problems)

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "signalled": dict(self.signalled),
            "over before": self.over,
            "work done before": self.late,
            "processes at most": self.processes,
            "seconds at most": round(max(self.seconds, default=0.0), 2),
            "of a processor": round(max(self.processor, default=0.0), 2),
        }


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
        label = f"{name}, {_name_of(how)}"
        ready, until = b"", time.monotonic() + PATIENCE_SECONDS
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while b'"ready"' not in ready and time.monotonic() < until:
                if not (report := pipe.read(1 << 16)):
                    break
                ready += report
            began, used = time.monotonic(), _processor_seconds(child)
            outcome.processes = max(outcome.processes, len(group_of(child)))
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
        wanted = 0 if how == LOGOUT else 128 + how
        outcome.signalled[_name_of(how)] += codes == [wanted]
        outcome.check(label, child, codes[0] if codes else None, {wanted}, said)
        last = next((json.loads(line) for line in ready.splitlines() if b'"ready"' in line), None)
        outcome.report(label, ["never ready"] if last is None else _problems_left(work, last))


def _name_of(how: int) -> str:
    return "logout" if how == LOGOUT else signal.Signals(how).name


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
    """End a command by a signal; when it has ended before, or has done its work, try again with an earlier signal."""
    longest = COMMANDS[name].longest
    for _ in range(MOST_TRIES):
        delay = chance.uniform(0, longest)
        if _is_ended(name, how, delay, outcome):
            return
        longest = delay / 2


def _is_ended(name: str, how: int, delay: float, outcome: Outcome) -> bool:
    """Start a command, and send its group a signal; return False when the command has ended by itself.

    Args:
        name: of the command.
        how: the signal.
        delay: until the signal, in seconds of a processor that the command and its workers use, however busy it is.
        outcome: of this command.
    """
    command, label = COMMANDS[name], f"command {name}, {_name_of(how)}"
    with tempfile.TemporaryDirectory() as text:
        work = _prepared(Path(text) / "work")
        before = {path.name for path in work.iterdir()}
        environment = os.environ | {"HOME": text, "XDG_CONFIG_HOME": f"{text}/config", "XDG_DATA_HOME": f"{text}/data"}
        words = [sys.executable, str(ROOT / "main.py"), *command.words.split()]
        errors = Path(text, "stderr.txt")  # a pipe would be waited for as long as a process that is left has it
        with errors.open("wb") as stderr:
            pipes = {"stdout": subprocess.DEVNULL, "stderr": stderr}
            process = subprocess.Popen(words, cwd=work, env=environment, start_new_session=True, **pipes)
        ours = resource.getrusage(resource.RUSAGE_CHILDREN)
        wait_until(lambda: process.poll() is not None or _handles_signals(process.pid), 30.0)
        start = _group_seconds(process.pid)
        wait_until(lambda: process.poll() is not None or _group_seconds(process.pid) - start > delay, 60.0)
        began, used, group = time.monotonic(), _group_seconds(process.pid), group_of(process.pid)
        is_over = process.poll() is not None
        if not is_over:
            os.killpg(process.pid, how)
        code = _code_of(process)
        took, spent = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = spent.ru_utime + spent.ru_stime - ours.ru_utime - ours.ru_stime - used
        is_late = not is_over and code is not None and code == command.code and processor < LATE_SECONDS
        outcome.over, outcome.late = outcome.over + is_over, outcome.late + is_late
        if not is_over:
            outcome.seconds.append(took)
            outcome.processor.append(processor)
            outcome.processes = max(outcome.processes, len(group))
            outcome.signalled[_name_of(how)] += code == 128 + how
        by_itself = set() if command.code is None else {command.code}
        wanted = by_itself if is_over or is_late else {128 + how}
        outcome.check(label, process.pid, code, wanted, errors.read_text(errors="replace")[-2000:])
        outcome.report(label, _problems_of_files(work, before, command.writes if is_over or is_late else "", code))
    return not is_over and not is_late


def _prepared(work: Path) -> Path:
    """Make a folder with the files that the commands read."""
    from engine.document import Document
    from engine.session_file import to_json

    work.mkdir()
    (work / "s.gradstep").write_text(to_json(Document()))
    (work / "p.py").write_text(TRAINED)
    (work / "endless.py").write_text(ENDLESS)
    return work


def _code_of(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit code of a process; None when it does not end, and is killed."""
    try:
        return process.wait(STUCK_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def _problems_of_files(work: Path, before: set[str], writes: str, code: int | None) -> list[str]:
    """Return what is wrong with the files that a command has left; `writes` has to be there."""
    new = {path.name for path in work.rglob("*")} - before
    half = sorted(file for file in new if file.startswith(".") or file.endswith(".part"))
    problems = [f"half-written: {half or sorted(new)}"] if half or _is_damaged(work) else []
    return [*problems, *([f"exit code {code}, but no {writes}"] if writes and writes not in new else [])]


def _group_seconds(leader: int) -> float:
    """Return the seconds of a processor that the processes in a session have used, as far as they live."""
    total = 0.0
    for process in group_of(leader):
        with suppress(OSError):  # it has just ended
            total += _processor_seconds(process)
    return total


def _handles_signals(process: int) -> bool:
    """Return True when a process handles all the signals itself; one that has just begun ends as the system has it."""
    try:
        found = re.search(r"SigCgt:\s*([0-9a-f]+)", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return False
    # Python itself handles SIGINT from its start on, before Gradstep does
    return found is not None and all(int(found[1], 16) >> (number - 1) & 1 for number in SIGNALS)


def _is_damaged(work: Path) -> bool:
    """Return True when a written file lacks its end."""
    ends = {".gif": b";", ".pdf": b"%%EOF", ".png": b"\xaeB`\x82", ".csv": b"\n", ".gradstep": b"}", ".py": b"\n"}
    files = [path for path in work.rglob("*") if path.is_file() and path.suffix in ends]
    return any(not path.read_bytes().rstrip(b"\n" if path.suffix == ".pdf" else b"").endswith(ends[path.suffix])
               and not path.read_bytes().rstrip().endswith(ends[path.suffix]) for path in files)  # fmt: skip


def chosen(names: str) -> list[str]:
    """Return the situations and commands of these names, which stand between commas.

    Raises:
        ValueError: for a name that nothing has.
    """
    groups = {"windows": list(SITUATIONS), "commands": [f"command {name}" for name in COMMANDS]}
    known = groups | {name: [name] for group in groups.values() for name in group}
    given = [name.strip() for name in names.split(",")]
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, 3, 0.4)
            nearest += [other for other in known if other == f"command {name}" and other not in nearest]
            raise ValueError(f"nothing is called {name!r}; {'nearest' if nearest else 'known'}: "
                             f"{', '.join(map(repr, nearest or known))}")  # fmt: skip
    found = {each for name in given for each in known[name]}
    return [name for group in groups.values() for name in group if name in found]


def main() -> int:
    """Ask every situation and every command to end; print a JSON object with figures and what was found."""
    parser = argparse.ArgumentParser(description="Ask windows and commands to end at random moments.")
    parser.add_argument("--times", type=int, default=3, help="rounds over all situations, each with every signal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="windows,commands", help="names of situations, 'command' and a name, "
                        "'commands' or 'windows', with commas")  # fmt: skip
    options = parser.parse_args()
    try:
        names = chosen(options.only)
    except ValueError as error:
        parser.error(str(error))
    if options.times < 1:
        parser.error("--times: at least 1")
    for number in SIGNALS:
        if signal.getsignal(number) == signal.SIG_IGN:  # as under nohup: what is started here would ignore it, too
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    chance, outcomes = random.Random(options.seed), {name: Outcome() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        load_everything(Path(folder))
        for _ in range(options.times):
            for name, outcome in outcomes.items():
                for how in (*SIGNALS, LOGOUT) if name in SITUATIONS else SIGNALS:
                    if name in SITUATIONS:
                        end_window(name, how, chance, outcome)
                    else:
                        end_command(name.removeprefix("command "), how, chance, outcome)
                print(f"{name}: {outcome.figures}", file=sys.stderr, flush=True)
    return print_outcomes(outcomes)


def print_outcomes(outcomes: Mapping[str, Outcome]) -> int:
    """Print figures and what was found; return the exit code."""
    for name, each in outcomes.items():
        if not each.signalled.total():
            each.report(name, ["no signal has ended it"])
    each_time = [seconds for each in outcomes.values() for seconds in each.seconds]
    found = [problem for each in outcomes.values() for problem in each.found]
    outcome = {
        "ended": sum(each.signalled.total() for each in outcomes.values()),
        "over before": sum(each.over for each in outcomes.values()),
        "work done before": sum(each.late for each in outcomes.values()),
        "later than 2 s": sum(seconds > PROMISED_SECONDS for seconds in each_time),
        "figures": {name: each.figures for name, each in outcomes.items()},
        "found": found,
    }
    print(json.dumps(outcome, indent=1))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
