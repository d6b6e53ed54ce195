"""The layout beside Graphviz's `dot`: time, crossings, area and length of edges, for each graph.

    python -m tests.benchmarks.layout_bench [FOLDER]

FOLDER holds graphs as JSON: `nodes` [id, kind, (label,) width, height] and `edges` [source, target]. Without it the
measured graphs of the tests are used, and some larger ones that are made here. Columns of `dot` are empty where it is
not installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from math import dist
from pathlib import Path
from typing import Any

import networkx as nx

from engine.graph.layout import Placed, layout
from tests.engine.graph.layout.looking import area, length
from tests.engine.graph.layout.samples import DOT, expression, measured, perceptron

DOT_TIMEOUT = 120.0
_SAMPLES = 12


def rows(folder: str | None = None) -> list[dict[str, Any]]:
    """One record per graph, smallest first: ours for both qualities, and what `dot` reaches."""
    graphs = _from_folder(Path(folder)) if folder else _own()
    return [_row(name, graph) for name, graph in sorted(graphs.items(), key=lambda item: len(item[1]))]


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
    row: dict[str, Any] = {"graph": name, "nodes": len(graph)}
    for quality in ("quick", "full"):
        start = time.perf_counter()
        placed = layout(graph, quality=quality)
        row[f"{quality}_ms"] = (time.perf_counter() - start) * 1000
        row[f"{quality}_crossings"] = placed.crossings
    return row | _figures(placed) | _dot(graph)


def _figures(placed: Placed) -> dict[str, Any]:
    return {"area_mpx": area(placed) / 1e6, "length_kpx": length(placed) / 1e3}


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
    names = ("nodes", "quick_ms", "full_ms", "dot_ms", "quick_crossings", "full_crossings", "dot_crossings")
    names += ("area_mpx", "dot_area_mpx", "length_kpx", "dot_length_kpx")
    print(f"{'graph':24s}" + "".join(f"{name.replace('crossings', 'cross'):>15s}" for name in names))
    for row in rows(sys.argv[1] if len(sys.argv) > 1 else None):
        cells = (row.get(name) for name in names)
        texts = ("" if cell is None else str(cell) if isinstance(cell, int) else f"{cell:,.2f}" for cell in cells)
        print(f"{row['graph']:24s}" + "".join(f"{text:>15s}" for text in texts))


if __name__ == "__main__":
    main()
