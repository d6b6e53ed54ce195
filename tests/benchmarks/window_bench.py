"""The window: how long until it is painted, whether it stays fluid while training at full speed, and how long each
action holds it.

Every figure is measured in a fresh process, interleaved with its peer. Needs a Qt platform; `offscreen` will do, a real
display is better.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.window_start import start_rows

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = (16, 64, 128)
"""Neurons in each of two hidden layers, for the holds."""
LONGEST_HOLD = 50.0
"""Milliseconds of the GUI thread's processor time that one action may take at once."""

TRAINING = """
import gc, json, statistics, sys, threading, time
gc.disable()  # as main.py does
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QEventLoop, QTimer, Qt
from engine.experiment.assemble import make_model, make_trainer
from gui.app import make_application
from gui.collector import Collector
from gui.main_window import MainWindow
from gui.session import Session
ROUNDS, ALONE, BESIDE = 4, 0.5, 2.5  # interleaved, because the machine does other things, too
sys.setswitchinterval(0.0005)
app = make_application()
collector = Collector()
window = MainWindow(Session(), theme="light", workspace="both")
session = window.session
session.edit("sizes", network={"layer_sizes": (2, 16, 16, 1)})
session.set_view(shows="network")
session.training.set_control(None, 100)  # as fast as it can
window.resize(1440, 900)
window.show()
alone = make_trainer(session.document, make_model(session.document), session.dataset)
tick = QTimer()
tick.start(1)
def wait(done):
    while not done():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
def for_seconds(seconds):
    end = time.perf_counter() + seconds
    wait(lambda: time.perf_counter() > end)
def times():
    thread = next(each for each in threading.enumerate() if each.name == "training")
    training = time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    return session.newest.snapshot.step, time.perf_counter(), time.thread_time(), training
for workspace in ("both", "train"):  # so that every panel is there
    window.action(f"workspace {workspace}").trigger()
    for_seconds(1.0)
wait(lambda: not session.presenter.busy)
gaps, holds, last = [], [], [None]
def tick():
    now = time.perf_counter(), time.thread_time()
    if last[0] is not None:
        gaps.append(now[0] - last[0][0])
        holds.append(now[1] - last[0][1])
    last[0] = now
timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=16)
timer.timeout.connect(tick)
rates, shares, speeds = [], [], []
reports, maps = [0], [0]
session.changed.connect(lambda change: reports.__setitem__(0, reports[0] + bool("moment" in change)))
image = window.docks["BoundaryPanel"].panel.image
show_grid = image.show_grid
def shown(grid, bounds):
    maps[0] += 1
    show_grid(grid, bounds)
image.show_grid = shown
for _ in range(ROUNDS):
    first, began, used = alone.step_count, time.perf_counter(), time.thread_time()
    while time.perf_counter() < began + ALONE:
        alone.step()
    steps = alone.step_count - first
    before = steps / (time.perf_counter() - began), steps / (time.thread_time() - used)
    session.run()
    for_seconds(0.3)
    last[0] = None
    timer.start()
    start = times()
    end = QTimer(singleShot=True)
    end.timeout.connect(lambda: app.exit())  # quit would ask about unsaved changes
    end.start(int(1000 * BESIDE))
    app.exec()
    steps, wall, gui, training = (b - a for a, b in zip(start, times()))
    timer.stop()
    session.pause()
    wait(lambda: session.run_state == "paused")
    rates.append((before[0], steps / wall, before[1], steps / training))
    shares.append(gui / wall)
gaps.sort()
fast = maps[0] / (ROUNDS * (BESIDE + 0.3))
session.training.set_control(60.0, 100)
session.run()
for_seconds(0.5)
maps[0] = 0
for_seconds(3.0)
session.pause()
session.discard_changes()
session.close()
collector.stop()
columns = list(zip(*rates))
print(json.dumps({
    "steps_alone": statistics.median(columns[0]), "steps_beside": statistics.median(columns[1]),
    "ratio": statistics.median(b / a for a, b, _, _ in rates),
    "steps_per_processor_second_ratio": statistics.median(b / a for _, _, a, b in rates),
    "gui_share": statistics.median(shares), "reports_per_second": reports[0] / (ROUNDS * (BESIDE + 0.3)),
    "median_ms": 1e3 * gaps[len(gaps) // 2], "p95_ms": 1e3 * gaps[int(len(gaps) * 0.95)], "longest_ms": 1e3 * gaps[-1],
    "longest_processor_ms": 1e3 * max(holds),
    "boundaries_per_second": fast, "boundaries_per_second_at_60_steps": maps[0] / 3.0,
}))
"""


def _run(*arguments: str) -> Any:
    environment = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if not environment.get("DISPLAY"):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    call = [sys.executable, *arguments]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def rows() -> list[dict[str, Any]]:
    """Start-up against a bare window, and training beside the window."""
    training = [_run("-c", TRAINING, str(ROOT)) for _ in range(3)]
    middle = {name: statistics.median(run[name] for run in training) for name in training[0]}
    return [
        *start_rows(),
        {"case": "training beside the window", **middle, "reach": 0.7},
        {
            "case": "a letter typed",
            **_run(str(ROOT / "tests/benchmarks/window_keystroke.py")),
            "reach": "a refresh a change",
        },
        *hold_rows(),
    ]


def hold_rows() -> Iterator[dict[str, Any]]:
    """The longest hold of the GUI thread by each action, for each size of the network."""
    for hidden in HIDDEN:
        for action, (wall, processor) in _run(str(ROOT / "tests/benchmarks/window_holds.py"), str(hidden)).items():
            case = f"{action}, hidden layers {hidden}-{hidden}"
            yield {"case": case, "wall_ms": wall, "processor_ms": processor, "reach_ms": LONGEST_HOLD}


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row, indent=1))
