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

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 5
HIDDEN = (16, 64, 128)
"""Neurons in each of two hidden layers, for the holds."""
LONGEST_HOLD = 50.0
"""Milliseconds of the GUI thread's processor time that one action may take at once."""

BARE = """
import json, sys, time
start = time.perf_counter()
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph, networkx
app = QApplication([])
class Plot(pyqtgraph.PlotWidget):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, app.quit)
window = QMainWindow()
window.setCentralWidget(Plot())
window.resize(1440, 900)
window.show()
app.exec()
print(json.dumps(time.perf_counter() - start))
"""

OURS = """
import gc, json, sys, time
start = time.perf_counter()
gc.disable()  # as main.py does
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QGraphicsView
from gui.app import make_application
from gui.main_window import MainWindow
from gui.session import Session
app = make_application()
window = MainWindow(Session(), theme="light")
times = []
class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, note)
        return False
painted = Painted()
def note():
    times.append(time.perf_counter() - start)
    if len(times) == 2:
        app.quit()
def look_for_plot():
    if window.docks["BoundaryPanel"].widget().findChildren(QGraphicsView):
        window.docks["BoundaryPanel"].panel.plot.viewport().installEventFilter(painted)
        search.stop()
window.graph.canvas.viewport().installEventFilter(painted)
search = QTimer(timeout=look_for_plot)
search.start(1)
window.show()
window.docks["BoundaryPanel"].raise_()  # on a small screen it stands behind another tab
app.exec()
print(json.dumps(times))
window.session.close()
"""

TRAINING = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QTimer, Qt
from engine.document.assemble import make_model, make_trainer
from gui.app import make_application
from gui.main_window import MainWindow
from gui.session import Session
seconds = 4.0
sys.setswitchinterval(0.0005)
app = make_application()
window = MainWindow(Session(), theme="light")
session = window.session
session.set_view(shows="network")
window.show()
alone = make_trainer(session.document, make_model(session.document), session.dataset.X, session.dataset.y)
end = time.perf_counter() + 1.0
while time.perf_counter() < end:
    alone.step()
gaps, last = [], [None]
def tick():
    now = time.perf_counter()
    if last[0] is not None:
        gaps.append(now - last[0])
    last[0] = now
timer = QTimer()
timer.setTimerType(Qt.TimerType.PreciseTimer)
timer.timeout.connect(tick)
QTimer.singleShot(800, lambda: (session.run(), timer.start(16)))
def finish():
    timer.stop()
    steps.append(session.newest.snapshot.step)
    session.pause()
    session.discard_changes()  # otherwise quitting asks
    app.quit()
steps = []
QTimer.singleShot(int(800 + 1000 * seconds), finish)
app.exec()
gaps.sort()
print(json.dumps({
    "steps_alone": alone.step_count, "steps_beside": steps[0] / seconds,
    "median_ms": 1e3 * gaps[len(gaps) // 2], "p95_ms": 1e3 * gaps[int(len(gaps) * 0.95)], "longest_ms": 1e3 * gaps[-1],
}))
session.close()
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
    _run("-c", OURS, str(ROOT))  # leaves the compiled modules behind, as every installed library has them
    starts = [(*_run("-c", OURS, str(ROOT)), _run("-c", BARE)) for _ in range(ROUNDS)]
    ours, with_plots, bare = (statistics.median(column) for column in zip(*starts, strict=True))
    start = {"ours_s": ours, "with_plots_s": with_plots, "bare_s": bare, "ratio": ours / bare, "reach": 1.3}
    training = [_run("-c", TRAINING, str(ROOT)) for _ in range(3)]
    middle = {name: statistics.median(run[name] for run in training) for name in training[0]}
    share = middle["steps_beside"] / middle["steps_alone"]
    return [
        {"case": "start to painted window", **start},
        {"case": "training beside the window", **middle, "ratio": share, "reach": 0.6},
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
