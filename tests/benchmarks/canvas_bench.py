"""The canvas: frame times panning and zooming in graphs of 500, 5,000 and 10,000 nodes, building, memory, new numbers.

    python -m tests.benchmarks canvas

A frame is everything from the user's move to painted pixels, on a canvas of 1,000 x 700 pixels. Without a display the
`offscreen` platform paints the same pixels.
"""

from __future__ import annotations

import dataclasses
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from engine.graph.picture import Box, Circle, Curve, Edge, Picture, Reading
from gui.canvas import GraphCanvas

SIZES = (500, 5_000, 10_000)
FRAMES = 60
VISIBLE = (40, 200, 310)
"""Boxes in view whose numbers change; with their operations 310 make 600 nodes, the most that are drawn near."""
ROWS = 40
"""Values in a column."""


def rows() -> list[dict[str, Any]]:
    """One record for each graph, and one for each number of boxes whose numbers change."""
    application = QApplication.instance() or QApplication([])
    table = [_moving(application, size) for size in SIZES]
    return table + [_changing(application, count) for count in VISIBLE]


def layered(size: int, n_rows: int = ROWS) -> Picture:
    """A graph of about `size` nodes in columns: every value is computed from two values of the column before."""
    boxes: dict[str, Box] = {}
    circles: dict[str, Circle] = {}
    edges: dict[tuple[str, str], Edge] = {}
    columns = max(2, round(size / 2 / n_rows))
    for column in range(columns):
        for row in range(n_rows):
            key, x, y = f"{column}.{row}", 320.0 * column, 52.0 * row
            boxes[key] = Box(key, x, y, 210.0, 34.0, f"n{key}", "intermediate" if column else "input")
            if column:
                op = f"{key}:op"
                circles[op] = Circle(op, x - 136.0, y, 15.0, "+", "add")
                edges[op, key] = Edge(op, key, (_curve(x - 121, y, x - 105, y),))
                for other in (row, (row * 7 + 3) % n_rows):
                    source = f"{column - 1}.{other}"
                    edges[source, op] = Edge(source, op, (_curve(x - 215, 52.0 * other, x - 151, y),))
    return Picture(boxes, circles, edges, (-105.0, -17.0, 320.0 * columns - 215, 52.0 * n_rows - 35))


def _curve(x0: float, y0: float, x1: float, y1: float) -> Curve:
    middle = (x0 + x1) / 2
    return (x0, y0), (middle, y0), (middle, y1), (x1, y1)


def _readings(picture: Picture, number: float) -> dict[str, Reading]:
    read = Reading(f"{number:.4f}", f"{-number:+.4f}", "positive", "negative")
    return {key: dataclasses.replace(read) for key in picture.boxes}


def _moving(application: Any, size: int) -> dict[str, Any]:
    """Building, panning at 100 % and at fit, and zooming through every scale."""
    picture = layered(size)
    canvas = _canvas()
    before = _resident()
    start = time.perf_counter()
    canvas.show_picture(picture)
    canvas.show_readings(_readings(picture, 1.0))
    _painted(application)
    built = time.perf_counter() - start
    record: dict[str, Any] = {"case": f"canvas, {size:,} nodes", "build_ms": 1e3 * built}
    canvas.fit()
    record |= _named("fit", _frames(application, lambda step: canvas.pan(9 - 18 * (step // 15 % 2), 3)))
    canvas.set_zoom(1.0)
    record |= _named("at_100", _frames(application, lambda step: canvas.pan(-37, 5 - 10 * (step // 15 % 2))))
    canvas.fit()
    record |= _named("zoom", _frames(application, lambda step: canvas.zoom_by(1.1 if step < FRAMES / 2 else 1 / 1.1)))
    record["memory_mb"] = _resident() - before
    _close(application, canvas)
    return record


def _changing(application: Any, count: int) -> dict[str, Any]:
    """All numbers of so many visible boxes change."""
    picture = layered(2 * count, n_rows=max(8, round((count / 2) ** 0.5)))
    canvas = _canvas()
    canvas.show_picture(picture)
    canvas.fit()
    moments = [_readings(picture, 1.0), _readings(picture, 2.0)]
    frames = _frames(application, lambda step: canvas.show_readings(moments[step % 2]))
    far = canvas.is_far
    zoom = canvas.zoom
    _close(application, canvas)
    return {"case": f"new numbers in {len(picture.boxes)} boxes", "zoom": zoom, "far": far, **_named("update", frames)}


def _canvas() -> GraphCanvas:
    canvas = GraphCanvas()
    canvas.resize(1_000, 700)
    canvas.show()
    return canvas


def _frames(application: Any, move: Callable[[int], None]) -> list[float]:
    """Milliseconds of each frame after a few to warm up."""
    times = []
    for step in range(-5, FRAMES):
        start = time.perf_counter()
        move(max(0, step))
        _painted(application)
        if step >= 0:
            times.append(1e3 * (time.perf_counter() - start))
    return times


def _named(name: str, times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        f"{name}_ms": statistics.median(ordered),
        f"{name}_p95_ms": ordered[int(0.95 * len(ordered))],
        f"{name}_longest_ms": ordered[-1],
    }


def _painted(application: Any) -> None:
    """Lets Qt paint what is to be painted."""
    application.sendPostedEvents()
    application.processEvents()


def _resident() -> float:
    """Megabytes of this process in memory; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0


def _close(application: Any, canvas: GraphCanvas) -> None:
    canvas.close()
    canvas.deleteLater()
    application.sendPostedEvents(None, 52)  # QEvent.DeferredDelete


if __name__ == "__main__":
    for row in rows():
        print(row)
