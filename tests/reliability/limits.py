"""The largest inputs, and those beyond: how long they hold the window, how much memory they take, what is said.

    python -m tests.reliability.limits [NAME ...]

Each case has a process and a window of its own. Its line says the longest time that the window's thread was held
(seconds of a processor, so that a busy machine makes no difference), the most memory beyond that of the window before,
the seconds until everything was shown, and what the window said.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from datasets.text_file import MAX_CELLS
from engine.document import Document, replace_section
from engine.language.source import MAX_CHARACTERS, MAX_LINES
from engine.lessons.lesson_file import LARGEST_FILE
from engine.network.run.progress import RunState
from engine.session_file import to_json
from engine.session_file.strict_json import LARGEST_TEXT
from gui.app import make_application
from gui.loading import load_later
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from tests.gui.reuse import is_busy
from tests.reliability.soak import Heartbeat
from tests.sources import ROOT

LONGEST_HOLD, MOST_MEMORY = 0.1, 250.0
"""Seconds of a processor, and MB."""
PATIENCE_SECONDS = 300.0
STEPS = 100_000
LARGEST_SIZES = (2, 256, 256, 127, 1)
"""Layers of a network with 99,327 of the 100,000 parameters that are possible."""
STATUS = Path("/proc/self/status")


class Trial:
    """A window that is given something large.

    Attributes:
        said: what the status bar said meanwhile.
        heartbeat: notes what holds the event loop.
    """

    def __init__(self, folder: Path) -> None:
        self.session = Session(programs=BackgroundPrograms())
        self.window = MainWindow(self.session, theme="light")
        self.window.resize(1440, 900)
        self.window.show()
        self.folder, self.said = folder, list[str]()
        self.session.message_posted.connect(lambda text, _kind: self.said.append(text))
        self.heartbeat = Heartbeat(lambda: "")

    def wait(self, condition: Callable[[], object]) -> None:
        """Let the event loop run until the condition holds."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("the window did not come to rest")
            QTest.qWait(20)

    def begin(self) -> None:
        """Measure from now on: what was made until now is the trial's own."""
        self.heartbeat.holds.clear()
        self.heartbeat.pause(True)

    def rest(self) -> None:
        """Wait until everything is shown."""
        for _ in range(5):
            QTest.qWait(60)
            self.wait(lambda: not is_busy(self.window))

    def show_program(self, text: str) -> None:
        self.session.edit("type", expression={"text": text})
        self.rest()
        if error := self.session.error:
            self.said.append(f"line {error.line}: {error.message}")

    def open_file(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.window.files.open_path(path)
        self.rest()


# Programs


def longest_program(trial: Trial) -> None:
    lines = ["x = 0.5", "y = x", *(f"y = tanh(y*0.{1 + n % 9}) + x" for n in range(MAX_LINES - 3))]
    trial.show_program("\n".join(lines))


def longest_program_opened(trial: Trial) -> None:
    longest_program(trial)
    trial.session.set_view(expanded=("*",))
    trial.rest()


def program_beyond(trial: Trial) -> None:
    trial.show_program("x = 0.5\n" + "y = x\n" * MAX_LINES)
    trial.show_program("x = " + "1 + " * MAX_CHARACTERS + "1")


def longest_line(trial: Trial) -> None:
    trial.show_program("x = 0.5\ny = x" + " + x*x" * (MAX_CHARACTERS // 6 - 10))


def deepest_program(trial: Trial) -> None:
    trial.show_program("x = 0.5\ny = " + "(" * 5_000 + "x" + ")" * 5_000)


def many_values(trial: Trial) -> None:
    trial.show_program("x = 0.5\ny = x\nfor i in range(20_000):\n    y = y * 0.9999 + 0.1")


def values_beyond(trial: Trial) -> None:
    trial.show_program("x = 0.5\ny = x\nfor i in range(2_000_000):\n    y = y * 0.9999 + 0.1")


def endless_output(trial: Trial) -> None:
    trial.show_program("x = Value(1.0)\nwhile True:\n    print('x' * 1000)")


def large_array(trial: Trial) -> None:
    trial.show_program("import numpy as np\na = Value(np.ones((1000, 1000)))\nb = (a * a).sum()")


def pasted_text(trial: Trial) -> None:
    editor = trial.window.docks["ExpressionPanel"].panel.editor
    QGuiApplication.clipboard().setText("y = x + 1\n" * 500_000)
    editor.setFocus()
    editor.paste()
    trial.rest()
    QGuiApplication.clipboard().clear()


# Networks and their history


def largest_network(trial: Trial) -> None:
    trial.session.edit("size", network={"layer_sizes": LARGEST_SIZES}, view={"shows": "network"})
    trial.rest()
    trial.session.run()
    trial.wait(lambda: trial.session.newest is not None and trial.session.newest.snapshot.step > 100)
    trial.session.pause()
    trial.wait(lambda: trial.session.run_state is not RunState.RUNNING)
    trial.rest()


def network_beyond(trial: Trial) -> None:
    trial.session.edit("size", network={"layer_sizes": (2, *(256,) * 20, 1)})
    trial.rest()


def longest_history(trial: Trial) -> None:
    session = trial.session
    trial.window.show_workspace("train")
    session.training.set_control(None, 100)
    session.edit("stop", training={"max_steps": STEPS})
    session.run()
    trial.wait(lambda: session.newest is not None and session.newest.snapshot.step >= STEPS)
    trial.wait(lambda: session.run_state is not RunState.RUNNING)
    trial.rest()
    for step in (0, STEPS // 2, STEPS - 1, 1, STEPS // 3):
        session.training.view_step(step)
        trial.wait(lambda step=step: session.shown is not None and session.shown.snapshot.step == step)
    trial.rest()


# Files


def largest_session(trial: Trial) -> None:
    text = to_json(replace_section(Document(), "expression", text="x = 2.0\ny = x * x"))
    trial.open_file("a.gradstep", text[:-2] + " " * (LARGEST_TEXT - len(text)) + "}\n")


def session_beyond(trial: Trial) -> None:
    trial.open_file("a.gradstep", "{" + " " * LARGEST_TEXT + "}")


def nested_session(trial: Trial) -> None:
    trial.open_file("a.gradstep", '{"gradstep": 5, "view": ' + "[" * 100_000 + "]" * 100_000 + "}")


def table(rows: int, columns: int) -> str:
    names = ",".join(f"c{n}" for n in range(columns))
    return f"{names}\n" + ("0.5," * (columns - 1) + "0\n" + "0.5," * (columns - 1) + "1\n") * (rows // 2)


def import_table(trial: Trial, text: str) -> None:
    from gui.importing.import_dialog import ImportDialog

    path = trial.folder / "a.csv"
    path.write_text(text, encoding="utf-8")
    trial.begin()
    trial.window.files.open_path(path)
    QTest.qWait(100)
    dialog = trial.window.findChild(ImportDialog)
    trial.wait(lambda: not dialog.job.busy)
    QTest.qWait(200)
    trial.said.append(dialog.problem.text() or dialog.notes.text())
    dialog.reject()
    trial.rest()


def largest_table(trial: Trial) -> None:
    import_table(trial, table(MAX_CELLS // 10 - 1, 10))


def widest_table(trial: Trial) -> None:
    import_table(trial, table(900, 1_000))


def table_beyond(trial: Trial) -> None:
    import_table(trial, table(MAX_CELLS // 2, 10))


def binary_table(trial: Trial) -> None:
    import_table(trial, "\0\x01\x02" * 1_000_000)


def lesson_beyond(trial: Trial) -> None:
    folder = trial.folder / "lessons"
    folder.mkdir()
    head = '+++\ntitle = "Large"\nminutes = 5\nlevel = 1\n+++\n\n# One\n\n'
    for n, size in enumerate((LARGEST_FILE, LARGEST_FILE + 1, 20 * LARGEST_FILE)):
        (folder / f"{n}.md").write_text(head + "word " * ((size - len(head)) // 5), encoding="utf-8")
    trial.begin()
    trial.window.lessons.add_folder(folder)
    trial.rest()


CASES: Mapping[str, Callable[[Trial], None]] = {
    function.__name__: function
    for function in (
        longest_program, longest_program_opened, program_beyond, longest_line, deepest_program, many_values,
        values_beyond, endless_output, large_array, pasted_text, largest_network, network_beyond, longest_history,
        largest_session, session_beyond, nested_session, largest_table, widest_table, table_beyond, binary_table,
        lesson_beyond,
    )
}  # fmt: skip


def memory(name: str) -> float:
    """Resident memory of this process in MB, now (VmRSS) or at most since it was reset (VmHWM)."""
    if not STATUS.exists():
        return 0.0
    found = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(name))
    return int(found.split()[1]) / 1000


def inside(name: str) -> None:
    """Try one case in this process and print its figures as JSON."""
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        loaded: list[bool] = []
        load_later(trial.window).ended.connect(lambda: loaded.append(True))
        trial.wait(lambda: loaded)
        trial.rest()
        before = memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the highest figure counts from now
        begun = time.monotonic()
        trial.begin()
        CASES[name](trial)
        seconds = time.monotonic() - begun
        trial.heartbeat.stop()
        holds = sorted(trial.heartbeat.holds, key=lambda hold: -hold.cpu)
        figures = {
            "hold": max((hold.cpu for hold in holds), default=0.0),
            "memory": memory("VmHWM") - before,
            "seconds": seconds,
            "said": [text for text in trial.said if text][-3:],
            "lines": [line for hold in holds[:2] for line in hold.lines[:3]],
        }
        print(json.dumps(figures))
        sys.stdout.flush()
        trial.session.discard_changes()
        trial.window.close()
    application.processEvents()
    os._exit(0)


def main() -> int:
    """Try all cases, or those named; return 1 when one is beyond the limits."""
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2])
    n_found = 0
    for name in sys.argv[1:] or CASES:
        command = [sys.executable, "-m", "tests.reliability.limits", "--inside", name]
        environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        try:
            figures = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            print(f"{name}: ended with {done.returncode}: {done.stderr[-800:]}")
            n_found += 1
            continue
        bad = figures["hold"] > LONGEST_HOLD or figures["memory"] > MOST_MEMORY
        n_found += bad
        print(
            f"{name}: held {figures['hold']:.2f} s, {figures['memory']:.0f} MB, {figures['seconds']:.1f} s"
            f"{' BEYOND' if bad else ''}; said {figures['said']}"
        )
        if bad:
            print(*(f"    {line}" for line in figures["lines"]), sep="\n")
    print(f"{n_found} beyond {LONGEST_HOLD} s or {MOST_MEMORY:.0f} MB")
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main())
