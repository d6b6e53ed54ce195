"""Graphs as a text tree, the output on top: every value with its numbers as on the canvas, its inputs below it.

A value that is used again is written once; elsewhere its line is "see above". An array is followed by its elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import networkx as nx

from engine.autograd.notation import counted
from engine.graph.elements import elements_of
from engine.graph.formats.numbered import Numbered, without_controls

DEEPEST = 40
"""Maximum indentation of a text tree; deeper levels get a separate tree below."""


def tree(numbered: Numbered) -> str:
    """A tree for each value that nothing uses."""
    graph = numbered.graph
    lines: list[str] = []
    drawn: set[str] = set()
    waiting = [key for key in graph if not graph.out_degree(key)][::-1]
    while waiting:
        root = waiting.pop()
        if root not in drawn:
            lines += [*_branches(numbered, root, drawn, waiting), ""]
    return "\n".join(lines)


def _branches(numbered: Numbered, root: str, drawn: set[str], later: list[str]) -> Iterator[str]:
    """One tree, drawn without recursion; nodes that are too deep are put on `later`."""
    stack: list[tuple[str, str, str]] = [(root, "", "")]
    while stack:
        key, lead, branch = stack.pop()
        inputs = _inputs(numbered.graph, key)
        again = key in drawn and bool(inputs)
        too_deep = len(lead) // 3 >= DEEPEST and bool(inputs)
        note = "  (see above)" if again else "  (see below)" if too_deep else ""
        yield lead + branch + _line(numbered, key) + note
        if not again:
            under = lead + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch] + ("│  " if inputs and not too_deep else "   ")
            yield from (under + line for line in _elements(numbered, key))
        if too_deep and not again:
            later.append(key)
        if again or too_deep:
            continue
        drawn.add(key)
        below = lead + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        branches = ["├─ "] * (len(inputs) - 1) + ["└─ "]
        stack += [(name, below, mark) for name, mark in zip(inputs, branches, strict=False)][::-1]


def _inputs(graph: nx.DiGraph, key: str) -> list[str]:
    """The inputs of a value, in the order of the formula, one for each operand; what feeds a group, each once."""
    circle = _circle(graph, key)
    target = key if circle is None else circle
    arriving = sorted(
        (position, source)
        for source in graph.predecessors(target)
        for position in graph.edges[source, target]["operands"]
    )
    sources = [source for _position, source in arriving]
    return list(dict.fromkeys(sources)) if circle is None else sources


def _circle(graph: nx.DiGraph, key: str) -> str | None:
    """The operation before a value; None for a leaf or a collapsed group."""
    return next((name for name in graph.predecessors(key) if graph.nodes[name]["kind"] == "op"), None)


def _elements(numbered: Numbered, key: str) -> Iterator[str]:
    """The elements of an array and of its gradient; nothing for a single number."""
    for name, number in zip(("data", "grad"), numbered.numbers(key), strict=True):
        elements = elements_of(number)
        if elements is not None:
            yield from (f"{title:<5}{line}" for title, line in zip_longest([name], elements.lines(), fillvalue=""))


def _line(numbered: Numbered, key: str) -> str:
    a, reading = numbered.graph.nodes[key], numbered.readings[key]
    if a["role"] == "constant":
        return reading.data
    name = without_controls(a["label"]).replace("\n", " ") or "·"
    circle = _circle(numbered.graph, key)
    how = f" [{numbered.graph.nodes[circle]['text']}]" if circle is not None else ""
    count = f" [{counted(a['members'], 'value')}]" if a["members"] else ""
    problem = f"  (! {without_controls(reading.problem)})" if reading.problem else ""
    return f"{name} = {reading.data}{how}{count}  grad {reading.grad}{problem}"
