"""How long until the window is painted, and until its first plot is, beside a bare window with the same libraries.

Both are processes of their own that take turns, measured from the moment in which they are started. Gradstep is started
as `main.py` does it, with settings in an empty folder; the bare window holds one plot. "Painted" is when the window has
been painted with the canvas, or the plot, in it: in the next turn of the event loop, before anything that was asked for
meanwhile. The time on the clock depends on what else the machine does, so the time of the processor, that of all
threads of the process, stands beside it. Ratios are medians over the pairs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAIRS = 9
LONGEST_SECONDS = 120.0
REACH, REACH_WITH_PLOTS = 1.15, 1.4

NOTING = """
import json, sys, time
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QGraphicsView
times = []
class Painting(QObject):  # notes when the first view, and then every further part that is asked for, has been painted
    def __init__(self, parts):
        super().__init__()
        self.parts, self.is_painted = parts, False
        QCoreApplication.instance().installEventFilter(self)
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not self.is_painted and self.parts[len(times)](watched):
            self.is_painted = True
            QTimer.singleShot(0, self.note)
        return False
    def note(self):
        self.is_painted = False
        times.append((time.perf_counter() - float(sys.argv[1]), time.process_time()))
        if len(times) == len(self.parts):
            QCoreApplication.instance().removeEventFilter(self)
            QCoreApplication.exit()  # quit would ask the window first
"""

BARE = f"""
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph, networkx
{NOTING}
app = QApplication([])
plot = pyqtgraph.PlotWidget()
window = QMainWindow()
window.setCentralWidget(plot)
painting = Painting([lambda widget: widget is plot.viewport()])
window.resize(1440, 900)
window.show()
app.exec()
print(json.dumps(times))
"""

OURS = f"""
import sys
sys.path.insert(0, sys.argv[2])
import main
import gui.display, gui.app  # as main.window does
{NOTING}
class Window(gui.app.MainWindow):
    def __init__(self, *given, **options):
        super().__init__(*given, **dict(options, workspace="both"))  # the one with a graph and plots
    def show(self):
        canvas, dock = self.graph_panel.canvas.viewport(), self.docks["BoundaryPanel"]
        def is_plot(widget):
            view = widget.parent() if widget.isWidgetType() else None
            return isinstance(view, QGraphicsView) and view is not self.graph_panel.canvas and dock.isAncestorOf(view)
        self.painting = Painting([lambda widget: widget is canvas, is_plot])
        super().show()
        dock.raise_()  # on a small screen it stands behind another tab
gui.app.MainWindow = Window
main.main([])
print(json.dumps(times))
"""


def _started(code: str) -> list[tuple[float, float]]:
    """Seconds on the clock and of the processor from the start of a process to each painting that it tells of."""
    environment = {name: word for name, word in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["OPENBLAS_NUM_THREADS"] = "1"  # as main.py does; else a second thread waits in a loop in both
    if not environment.get("DISPLAY"):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as folder:
        environment |= {f"XDG_{kind}_HOME": folder for kind in ("CONFIG", "DATA", "STATE")}
        call = [sys.executable, "-c", code, repr(time.perf_counter()), str(ROOT)]
        done = subprocess.run(
            call, env=environment, capture_output=True, text=True, check=True, timeout=LONGEST_SECONDS
        )
    found: list[tuple[float, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def start_rows() -> list[dict[str, Any]]:
    """One row for the painted window, one for the window with its first plot."""
    _started(OURS), _started(BARE)  # leaves the compiled modules behind, as every installed library has them
    pairs = [(_started(OURS), _started(BARE)[0]) for _ in range(PAIRS)]
    cases = ("start to painted window", REACH), ("start to window with plots", REACH_WITH_PLOTS)
    return [
        _row(case, [ours[index] for ours, _bare in pairs], [bare for _ours, bare in pairs], reach)
        for index, (case, reach) in enumerate(cases)
    ]


def _row(case: str, ours: list[tuple[float, float]], bare: list[tuple[float, float]], reach: float) -> dict[str, Any]:
    row: dict[str, Any] = {"case": case}
    for index, clock in enumerate(("wall", "processor")):
        row |= {f"{clock}_s": statistics.median(each[index] for each in ours)}
        row |= {f"bare_{clock}_s": statistics.median(each[index] for each in bare)}
        row |= {f"{clock}_ratio": statistics.median(a[index] / b[index] for a, b in zip(ours, bare, strict=True))}
    return {**row, "reach": reach}


if __name__ == "__main__":
    for row in start_rows():
        print(json.dumps(row, indent=1))
