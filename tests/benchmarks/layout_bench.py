"""The layout beside Graphviz's `dot`: time, crossings, area and length of edges, for each graph and in total.

    python -m tests.benchmarks.layout_bench [FOLDER]

FOLDER holds graphs as JSON: `nodes` [id, kind, (label,) width, height] and `edges` [source, target]. Without it the
measured graphs of the tests are used, some larger ones that are made here, and at the end random expressions of 40 to
90 and of 120 to 200 nodes, of which the times are told. Ratios are ours over those of `dot`: below 1 is better. Columns
of `dot` are empty where it is not installed.
"""

from __future__ import annotations

import gc
import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from math import dist
from pathlib import Path
from typing import Any

import networkx as nx

from engine.layout import Layout, layout, progressive_layout
from tests.engine.layout.looking import area, length, movement
from tests.engine.layout.samples import DOT, expression, measured, perceptron

DOT_TIMEOUT = 120.0
REACH_MS = ((30, 10.0), (90, 40.0), (200, 150.0), (700, 600.0), (2500, 2500.0))
"""Up to so many nodes a full layout takes at most so many milliseconds."""

FIGURES = ("crossings", "area_mpx", "length_kpx")

_SAMPLES = 12
_RANDOM = ((40, 90), (120, 200))
_N_RANDOM = 20


def rows(folder: str | None = None) -> Iterator[dict[str, Any]]:
    """One record per graph, smallest first, then the totals, then the times of random expressions."""
    graphs = _from_folder(Path(folder)) if folder else _own()
    found = []
    for name, graph in sorted(graphs.items(), key=lambda item: len(item[1])):
        found.append(_row(name, graph))
        yield found[-1]
    yield _total(found)
    if folder is None:
        for least, most in _RANDOM:
            yield _times_of_random(least, most)


def _own() -> dict[str, nx.DiGraph]:
    graphs = {name: measured(name) for name in DOT}
    graphs["perceptron 2-16-16-1"] = perceptron(2, 16, 16, 1)
    graphs["expression of 600"] = expression(600, 1)
    return graphs


def _from_folder(folder: Path) -> dict[str, nx.DiGraph]:
    graphs = {}
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text())
        if "nodes" in found and "edges" in found:
            graph = nx.DiGraph()
            for node, kind, *_, width, height in found["nodes"]:
                graph.add_node(node, kind=kind, width=width, height=height)
            graph.add_edges_from(found["edges"])
            graphs[path.stem] = graph
    return graphs


def _row(name: str, graph: nx.DiGraph) -> dict[str, Any]:
    took, placed = _timed(graph)
    reach = _reach(len(graph))
    row: dict[str, Any] = {"graph": name, "nodes": len(graph), "ms": took, "reach_ms": reach, "ok": took <= reach}
    row |= {"crossings": placed.crossings, "area_mpx": area(placed) / 1e6, "length_kpx": length(placed) / 1e3}
    row |= _dot(graph)
    for figure in FIGURES:
        if row.get(f"dot_{figure}"):
            row[_ratio(figure)] = row[figure] / row[f"dot_{figure}"]
    return row | _progress(graph)


def _ratio(figure: str) -> str:
    return f"{figure.split('_')[0]}_ratio"


def _timed(graph: nx.DiGraph) -> tuple[float, Layout]:
    """Median milliseconds of a full layout, and the layout."""
    times = []
    for _ in range(5 if len(graph) <= 700 else 1):
        gc.collect()
        start = time.perf_counter()
        placed = layout(graph)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), placed


def _reach(nodes: int) -> float:
    return next((reach for limit, reach in REACH_MS if nodes <= limit), float("inf"))


def _progress(graph: nx.DiGraph) -> dict[str, Any]:
    """What somebody sees who waits: when the first picture comes, and how far its nodes then move."""
    start = time.perf_counter()
    found, took = [], []
    for placed in progressive_layout(graph):
        found.append(placed)
        took.append((time.perf_counter() - start) * 1000)
    return {
        "seen_after_ms": took[0],
        "done_after_ms": took[-1],
        "last_crossings": found[-1].crossings,
        "moved_px": movement(found[0], found[-1]),
    }


def _total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The sums over all graphs that `dot` laid out as well, and their ratios."""
    both = [row for row in rows if row.get("dot_crossings") is not None]
    total: dict[str, Any] = {"graph": "total", "nodes": sum(row["nodes"] for row in both)}
    for name in ("ms", "dot_ms", *FIGURES, *(f"dot_{figure}" for figure in FIGURES)):
        total[name] = sum(row[name] for row in both)
    for figure in FIGURES:
        if total[f"dot_{figure}"]:
            total[_ratio(figure)] = total[figure] / total[f"dot_{figure}"]
    return total


def _times_of_random(least: int, most: int) -> dict[str, Any]:
    """How the times of random expressions of so many nodes are distributed."""
    times, seed = [], 0
    while len(times) < _N_RANDOM:
        seed += 1
        graph = expression(random.Random(seed).randrange(least // 3, most // 2), seed)
        if least <= len(graph) <= most:
            times.append(_timed(graph)[0])
    times.sort()
    reach = _reach(most)
    row: dict[str, Any] = {"graph": f"{_N_RANDOM} random expressions", "nodes": f"{least}..{most}"}
    row |= {"least_ms": times[0], "median_ms": statistics.median(times), "most_ms": times[-1]}
    return row | {"reach_ms": reach, "ok": times[-1] <= reach}


def _dot(graph: nx.DiGraph) -> dict[str, Any]:
    """Time, crossings by its own count, area and length; nothing when `dot` is missing or takes too long."""
    if shutil.which("dot") is None:
        return {}
    start = time.perf_counter()
    try:
        done = subprocess.run(
            ["dot", "-v", "-Tjson"],
            input=_dot_text(graph),
            capture_output=True,
            text=True,
            timeout=DOT_TIMEOUT,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return {}
    took = (time.perf_counter() - start) * 1000
    drawn = json.loads(done.stdout)
    x0, y0, x1, y1 = map(float, drawn["bb"].split(","))
    total = sum(_spline_length(edge["pos"]) for edge in drawn.get("edges", []))
    return {
        "dot_ms": took,
        "dot_crossings": _counted(done.stderr),
        "dot_area_mpx": (x1 - x0) * (y1 - y0) / 1e6,
        "dot_length_kpx": total / 1e3,
    }


def _dot_text(graph: nx.DiGraph) -> str:
    number = {node: index for index, node in enumerate(graph)}
    lines = [
        'digraph { rankdir=LR; nodesep=0.25; ranksep=0.5; node [shape=box, fixedsize=true, label=""]; edge [dir=none];'
    ]
    for node, data in graph.nodes(data=True):
        lines.append(f"{number[node]} [width={data['width'] / 72}, height={data['height'] / 72}];")
    lines += [f"{number[source]} -> {number[target]};" for source, target in graph.edges]
    return "\n".join([*lines, "}"])


def _counted(report: str) -> int | None:
    """The crossings that `dot -v` reports at the end of its ordering."""
    found = [line.split() for line in report.splitlines() if line.startswith("mincross") and "crossings" in line]
    words = found[-1] if found else []
    return int(words[words.index("crossings,") - 1]) if "crossings," in words else None


def _spline_length(text: str) -> float:
    points = [tuple(map(float, pair.split(","))) for pair in text.split() if pair[0] not in "es"]
    total, last = 0.0, points[0]
    for index in range(0, len(points) - 3, 3):
        for step in range(1, _SAMPLES + 1):
            here = _bezier(points[index : index + 4], step / _SAMPLES)
            total, last = total + dist(last, here), here
    return total


def _bezier(points: list[tuple[float, ...]], t: float) -> tuple[float, float]:
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
    x, y = (sum(weight * point[axis] for weight, point in zip(weights, points, strict=True)) for axis in (0, 1))
    return (x, y)


def main() -> None:
    """Print the table."""
    names = ("nodes", "ms", "reach_ms", "dot_ms", "crossings", "dot_crossings", "crossings_ratio", "area_ratio")
    names += ("length_kpx", "dot_length_kpx", "length_ratio", "seen_after_ms", "done_after_ms", "last_crossings")
    names += ("moved_px", "median_ms", "most_ms")
    print(f"{'graph':24s}" + "".join(f"{name.replace('crossings', 'cross'):>15s}" for name in names))
    for row in rows(sys.argv[1] if len(sys.argv) > 1 else None):
        cells = (row.get(name) for name in names)
        texts = ("" if cell is None else f"{cell:,.2f}" if isinstance(cell, float) else str(cell) for cell in cells)
        print(f"{row['graph']:24s}" + "".join(f"{text:>15s}" for text in texts), flush=True)


if __name__ == "__main__":
    main()
