"""The canvas: frame times panning and zooming in graphs of 500 to 10,000 nodes, building, memory, new numbers.

    python -m tests.benchmarks canvas

A frame is everything from the user's move to painted pixels, on a canvas of 1,000 x 700 pixels. Frames follow one
another at once, so what the canvas would do between two frames counts as part of the next one. Times are told by the
clock, and as `cpu` of the processor for this thread alone, which other work on the machine changes less. Without a
display the `offscreen` platform paints the same pixels.
"""

from __future__ import annotations

import dataclasses
import gc
import math
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from engine.graph.picture import Box, BoxNumbers, Circle, Curve, Edge, Picture
from gui.canvas import GraphCanvas

SIZES = (500, 1_000, 3_000, 5_000, 10_000)
FRAMES = 60
ZOOM_STEP = 1.05
"""Between two frames of the zoom from fit to 100 % and back."""
PANNED_AT = (0.12, 0.15, 0.19, 0.24, 0.3, 0.4, 0.5, 0.61, 0.75)
"""Zooms between fit and 100 % at which is panned; the worst is told."""
VISIBLE = (40, 200, 310)
"""Boxes in view whose numbers change; with their operations 310 make 600 nodes, the most that are drawn near."""
SETTLE_SECONDS = 0.5
READABLE = 0.5
"""Zoom at which numbers can still be read, for the case with 600 nodes in view."""
ROWS = 40
"""Values in a column."""

Times = list[tuple[float, float]]
"""Of each frame: milliseconds by the clock, and of the processor."""


def rows() -> list[dict[str, Any]]:
    """One record for each graph, and one for each number of boxes whose numbers change."""
    application = QApplication.instance() or QApplication([])
    gc.collect()
    gc.disable()  # as in the program, where a timer collects young garbage only
    try:
        table = [_moving(application, size) for size in SIZES]
        return [*table, *(_changing(application, count) for count in VISIBLE), _changing_readably(application)]
    finally:
        gc.enable()


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


def _readings(picture: Picture, number: float) -> dict[str, BoxNumbers]:
    read = BoxNumbers(f"{number:.4f}", f"{-number:+.4f}", "positive", "negative")
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
    fit = canvas.zoom
    record |= _named("fit", _frames(application, lambda step: canvas.pan(9 - 18 * (step // 15 % 2), 3)))
    record |= _panned_between(application, canvas, [zoom for zoom in PANNED_AT if zoom > fit])
    canvas.set_zoom(1.0)
    record |= _named("at_100", _frames(application, lambda step: canvas.pan(-37, 5 - 10 * (step // 15 % 2))))
    record |= _zoomed(application, canvas)
    record["memory_mb"] = _resident() - before
    _close(application, canvas)
    return record


def _panned_between(application: Any, canvas: GraphCanvas, zooms: list[float]) -> dict[str, float]:
    """Panning at zooms between fit and 100 %: the figures of the worst."""
    found: list[tuple[float, Times]] = []
    for zoom in zooms:
        canvas.fit()
        canvas.set_zoom(zoom)
        _settled(application)
        found.append((zoom, _frames(application, lambda step: canvas.pan(*(((-37, 9), (37, -9))[step // 15 % 2])))))
    zoom, times = max(found, key=lambda one: max(cpu for _, cpu in one[1]))
    return {"between_worst_at": zoom, **_named("between", times)}


def _zoomed(application: Any, canvas: GraphCanvas) -> dict[str, float]:
    """Zooming from fit to 100 % and back, and the frames in which it is made sharp afterwards."""
    canvas.fit()
    _settled(application)
    steps = max(1, round(math.log(1 / canvas.zoom) / math.log(ZOOM_STEP))) if canvas.zoom < 1 else 1
    move = [ZOOM_STEP] * steps + [1 / ZOOM_STEP] * steps
    record = _named("zoom", _frames(application, lambda step: canvas.zoom_by(move[step]), range(len(move))))
    return record | {"sharp_longest_ms": max(_settled(application))}


def _settled(application: Any) -> list[float]:
    """Waits for what the canvas does after a move; milliseconds of each turn of the event loop."""
    times, end = [], time.perf_counter() + SETTLE_SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        _painted(application)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def _changing_readably(application: Any) -> dict[str, Any]:
    """All numbers of 300 boxes change, which with their operations are 600 nodes in view and can be read."""
    picture = layered(600, n_rows=34)
    canvas = GraphCanvas()
    canvas.resize(1_500, 920)
    canvas.show()
    canvas.show_picture(picture)
    canvas.set_zoom(READABLE)
    canvas.centerOn(canvas.content_area().center())
    _settled(application)
    moments = [_readings(picture, 1.0), _readings(picture, 2.0)]
    frames = _frames(application, lambda step: canvas.show_readings(moments[step % 2]))
    seen = canvas.visible_region
    nodes = [*picture.boxes.values(), *picture.circles.values()]
    in_view = sum(seen.contains(node.x, node.y) for node in nodes)
    record = {
        "case": f"new readable numbers, {in_view} nodes in view",
        "zoom": canvas.zoom,
        "far": canvas.is_low_detail,
    }
    _close(application, canvas)
    return {**record, **_named("update", frames)}


def _changing(application: Any, count: int) -> dict[str, Any]:
    """All numbers of so many visible boxes change."""
    picture = layered(2 * count, n_rows=max(8, round((count / 2) ** 0.5)))
    canvas = _canvas()
    canvas.show_picture(picture)
    canvas.fit()
    moments = [_readings(picture, 1.0), _readings(picture, 2.0)]
    frames = _frames(application, lambda step: canvas.show_readings(moments[step % 2]))
    far = canvas.is_low_detail
    zoom = canvas.zoom
    _close(application, canvas)
    return {"case": f"new numbers in {len(picture.boxes)} boxes", "zoom": zoom, "far": far, **_named("update", frames)}


def _canvas() -> GraphCanvas:
    canvas = GraphCanvas()
    canvas.resize(1_000, 700)
    canvas.show()
    return canvas


def _frames(application: Any, move: Callable[[int], None], steps: range = range(-5, FRAMES)) -> Times:
    """The times of each frame; steps below 0 are to warm up."""
    times = []
    for step in steps:
        start, cpu = time.perf_counter(), time.thread_time()
        move(max(0, step))
        _painted(application)
        if step >= 0:
            times.append((1e3 * (time.perf_counter() - start), 1e3 * (time.thread_time() - cpu)))
    return times


def _named(name: str, times: Times) -> dict[str, float]:
    figures = {}
    for clock, column in zip(("", "cpu_"), zip(*times, strict=True), strict=True):
        ordered = sorted(column)
        figures |= {
            f"{name}_{clock}ms": statistics.median(ordered),
            f"{name}_{clock}p95_ms": ordered[int(0.95 * len(ordered))],
            f"{name}_{clock}longest_ms": ordered[-1],
        }
    return figures


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
