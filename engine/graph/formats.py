"""Graphs as text for other programs: DOT, GraphML, JSON, a text tree, a LaTeX table.

`FORMATS` is the one list; a new format is one entry with a function from graph to text. All of them write the same:
each node with its label, role, operation, data and grad, and an edge for each operand. Names may hold anything, so
every format escapes them in its own way.

Formats for programs give numbers all their digits; what is not computed, and the numbers of a collapsed group with
several outputs, are left out there (JSON: null); people read the norm of such a group's outputs. JSON knows no
NaN and no infinity and gets them as the texts "nan", "inf", "-inf", which Python's `float` reads. Those for people
(text tree, LaTeX) round like the canvas.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from engine.graph.picture import cell_text, norm, norm_text

DEEPEST = 40
"""Levels a text tree is indented; what lies deeper gets a tree of its own below."""


class FormatError(ValueError):
    """A format that does not exist, or a graph that holds nothing."""


@dataclass(frozen=True)
class Format:
    """A text format: its name for a menu, its extension without a dot, and what writes it."""

    name: str
    extension: str
    write: Callable[[nx.DiGraph], str]


def write_graph(graph: nx.DiGraph, name: str) -> str:
    """A graph as text.

    Args:
        graph: as `build_graph` makes it.
        name: a key of FORMATS.

    Raises:
        FormatError: for an unknown name or an empty graph.
    """
    if name not in FORMATS:
        near = difflib.get_close_matches(name, FORMATS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise FormatError(f"no graph format {name!r}: one of {', '.join(FORMATS)}{hint}")
    if not len(graph):
        raise FormatError("nothing to export: the graph is empty")
    return FORMATS[name].write(graph)


def _described(graph: nx.DiGraph) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every node with what is written about it; numbers as floats, lists, or None."""
    for key, a in graph.nodes(data=True):
        if a["kind"] == "op":
            yield key, {"kind": "op", "label": a["text"], "op": a["op"].name}
        else:
            value = a["value"]
            op = value.op.name if value.op is not None and not a["members"] else ""
            several = len(a.get("outputs", ())) > 1
            numbers = {name: None if several else _plain(getattr(value, name)) for name in ("data", "grad")}
            about = {"kind": "value", "label": a["label"], "role": a["role"], "op": op, "members": a["members"]}
            yield key, about | numbers


def _plain(number: Any) -> Any:
    return number.tolist() if isinstance(number, np.ndarray) else None if number is None else float(number)


def _without_controls(text: str) -> str:
    """The text without what XML and terminals cannot hold: control characters and lone surrogates."""
    clean = text.encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in clean)


# DOT (graphviz.org/doc/info/lang.html)

DOT_SHAPES: Mapping[str, str] = {
    "input": "shape=box, style=rounded", "parameter": "shape=octagon", "output": "shape=box, peripheries=2",
    "constant": "shape=plaintext", "intermediate": "shape=box", "group": "shape=box3d",
}  # fmt: skip


def _dot(graph: nx.DiGraph) -> str:
    lines = ["digraph gradstep {", "  rankdir=LR;", "  node [fontname=monospace];"]
    for key, about in _described(graph):
        lines.append(f"  {_quoted(key)} [{_dot_attributes(about)}];")
    for source, target, n in graph.edges(data="multiplicity", default=1):
        lines += [f"  {_quoted(source)} -> {_quoted(target)};"] * n
    return "\n".join([*lines, "}", ""])


def _dot_attributes(about: Mapping[str, Any]) -> str:
    if about["kind"] == "op":
        return f"label={_quoted(about['label'])}, shape=circle, kind=op, op={_quoted(about['op'])}"
    shown = " | ".join(
        filter(None, [about["label"], f"data {_short(about['data'])}", f"grad {_short(about['grad'], signed=True)}"])
    )
    numbers = "".join(
        f", {name}={_quoted(json.dumps(about[name]))}" for name in ("data", "grad") if about[name] is not None
    )
    return f"label={_quoted(shown)}, {DOT_SHAPES[about['role']]}, kind=value, role={about['role']}{numbers}"


def _short(number: Any, signed: bool = False) -> str:
    return cell_text(np.array(number) if isinstance(number, list) else number, signed)


def _quoted(text: str) -> str:
    """A DOT string that shows exactly the text: backslashes would start escapes such as \\N, & HTML entities."""
    clean = _without_controls(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + clean.replace("\n", "\\n") + '"'


# GraphML and JSON, as networkx reads them


def _graphml(graph: nx.DiGraph) -> str:
    names = _unique_names(graph)
    plain = nx.DiGraph()
    for key, about in _described(graph):
        filled = {name: _graphml_value(value) for name, value in about.items() if value not in (None, "")}
        plain.add_node(names[key], **filled)
    for source, target, n in graph.edges(data="multiplicity", default=1):
        plain.add_edge(names[source], names[target], multiplicity=n)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + "\n".join(nx.generate_graphml(plain)) + "\n"


def _unique_names(graph: nx.DiGraph) -> dict[str, str]:
    """Keys as XML can hold them; two that become equal are told apart by a prime."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in graph:
        name = _without_controls(key)
        while name in taken:
            name += "'"
        taken.add(name)
        names[key] = name
    return names


def _graphml_value(value: Any) -> Any:
    return (
        json.dumps(_finite(value))
        if isinstance(value, list)
        else _without_controls(value)
        if isinstance(value, str)
        else value
    )


def _json(graph: nx.DiGraph) -> str:
    nodes = [{"id": key, **about, **_finite_numbers(about)} for key, about in _described(graph)]
    edges = [
        {"source": source, "target": target, "multiplicity": a.get("multiplicity", 1), "operands": list(a["operands"])}
        for source, target, a in graph.edges(data=True)
    ]
    whole = {"directed": True, "multigraph": False, "graph": {"name": "gradstep"}, "nodes": nodes, "edges": edges}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _finite_numbers(about: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _finite(about[name]) for name in ("data", "grad") if name in about}


def _finite(number: Any) -> Any:
    """Numbers that JSON knows; others as text."""
    if isinstance(number, list):
        return [_finite(part) for part in number]
    return str(number) if isinstance(number, float) and not math.isfinite(number) else number


# Text tree


def _tree(graph: nx.DiGraph) -> str:
    roots = [key for key in graph if not graph.out_degree(key)]
    lines: list[str] = []
    drawn: set[str] = set()
    waiting = roots[::-1]
    while waiting:
        root = waiting.pop()
        if root not in drawn:
            lines += [*_branches(graph, root, drawn, waiting), ""]
    return "\n".join(lines)


def _branches(graph: nx.DiGraph, root: str, drawn: set[str], later: list[str]) -> Iterator[str]:
    """One tree, drawn without recursion; nodes that are too deep are put on `later`."""
    stack: list[tuple[str, str, str]] = [(root, "", "")]
    while stack:
        key, lead, branch = stack.pop()
        inputs = _inputs(graph, key)
        again = key in drawn and bool(inputs)
        too_deep = len(lead) // 3 >= DEEPEST and bool(inputs)
        note = "  (see above)" if again else "  (see below)" if too_deep else ""
        yield lead + branch + _tree_line(graph, key) + note
        if too_deep and not again:
            later.append(key)
        if again or too_deep:
            continue
        drawn.add(key)
        below = lead + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        branches = ["├─ "] * (len(inputs) - 1) + ["└─ "]
        stack += [(name, below, mark) for name, mark in zip(inputs, branches, strict=False)][::-1]


def _inputs(graph: nx.DiGraph, key: str) -> list[str]:
    """The inputs of a value, in the order of the formula, one for each operand."""
    arriving = []
    for source in graph.predecessors(key):
        if graph.nodes[source]["kind"] == "op":
            return _inputs(graph, source)
        arriving += [(position, source) for position in graph.edges[source, key]["operands"]]
    return [source for _position, source in sorted(arriving)] if graph.nodes[key]["kind"] == "op" else _once(arriving)


def _once(arriving: list[tuple[int, str]]) -> list[str]:
    """What feeds a collapsed group, each once."""
    return list(dict.fromkeys(source for _position, source in arriving))


def _tree_line(graph: nx.DiGraph, key: str) -> str:
    a = graph.nodes[key]
    value = a["value"]
    name = _without_controls(a["label"]).replace("\n", " ")
    op = f" [{_operation_text(graph, key)}]" if value.op is not None and not a["members"] else ""
    count = f" [{a['members']} values]" if a["members"] else ""
    if a["role"] == "constant":
        return cell_text(value.data)
    data, grad = _texts(a)
    return f"{name or '·'} = {data}{op}{count}  grad {grad}"


def _texts(a: Mapping[str, Any]) -> tuple[str, str]:
    """Data and gradient in short; norms for a collapsed group with several outputs."""
    outputs = a.get("outputs", ())
    if len(outputs) > 1:
        return norm_text(norm([v.data for v in outputs])), norm_text(norm([v.grad for v in outputs]))
    return cell_text(a["value"].data), cell_text(a["value"].grad, signed=True)


def _operation_text(graph: nx.DiGraph, key: str) -> str:
    return next(
        (graph.nodes[name]["text"] for name in graph.predecessors(key) if graph.nodes[name]["kind"] == "op"), ""
    )


# LaTeX


def _latex(graph: nx.DiGraph) -> str:
    output = next((a["label"] for _key, a in graph.nodes(data=True) if a.get("role") == "output"), "") or "y"
    head = rf"value & computed as & data & $\partial\,${_tex(output)}$\,/\,\partial\,$value \\"
    rows = [
        _latex_row(graph, key)
        for key in nx.lexicographical_topological_sort(graph, key=str)
        if graph.nodes[key]["kind"] == "value" and graph.nodes[key]["role"] != "constant"
    ]
    return "\n".join([r"\begin{tabular}{llrr}", r"\hline", head, r"\hline", *rows, r"\hline", r"\end{tabular}", ""])


def _latex_row(graph: nx.DiGraph, key: str) -> str:
    a = graph.nodes[key]
    outputs = a.get("outputs", ())
    if len(outputs) > 1:
        numbers = [_tex_norm([getattr(v, name) for v in outputs]) for name in ("data", "grad")]
    else:
        numbers = [_tex_number(a["value"].data), _tex_number(a["value"].grad)]
    return " & ".join([_tex_name(graph, key), _tex_formula(graph, key), *numbers]) + r" \\"


def _tex_norm(numbers: list[Any]) -> str:
    return rf"$\Vert\cdot\Vert = {_tex_number(norm(numbers)).strip('$')}$"


def _tex_name(graph: nx.DiGraph, key: str) -> str:
    a = graph.nodes[key]
    if a["role"] == "constant":
        return f"${a['value'].data:g}$"
    return _tex(a["label"] or key)


def _tex_formula(graph: nx.DiGraph, key: str) -> str:
    value, members = graph.nodes[key]["value"], graph.nodes[key]["members"]
    if members:
        return f"{members} values"
    if value.op is None:
        return "--"
    names = [_tex_name(graph, name) for name in _inputs(graph, key)]
    if value.op.infix and len(names) == 2:
        return f" ${TEX_SIGNS.get(value.op.infix, value.op.infix)}$ ".join(names)
    text = _operation_text(graph, key)
    if text.startswith("^"):
        return f"{names[0]}$^{{{text[1:]}}}$"
    return f"{_tex(text)}({', '.join(names)})"


TEX_SIGNS: Mapping[str, str] = {"*": r"\cdot", "-": "-", "+": "+", "/": "/", "@": "@"}
TEX_ESCAPES: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "·": r"$\cdot$", "×": r"$\times$", "Σ": r"$\Sigma$", "σ": r"$\sigma$", "−": "$-$",
    "∞": r"$\infty$", "–": "--",
}  # fmt: skip


def _tex(text: str) -> str:
    """The text as LaTeX shows it."""
    return "".join(TEX_ESCAPES.get(c, c) for c in _without_controls(text).replace("\n", " "))


def _tex_number(number: Any) -> str:
    if isinstance(number, float) and math.isnan(number):
        return r"\textit{nan}"
    text = cell_text(number)
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"${mantissa}\cdot 10^{{{int(power)}}}$"
    return "--" if number is None else f"${text}$".replace("×", r"\times ").replace("∞", r"\infty")


FORMATS: Mapping[str, Format] = {
    entry.extension: entry
    for entry in (
        Format("DOT, for Graphviz", "dot", _dot),
        Format("GraphML", "graphml", _graphml),
        Format("JSON, node-link", "json", _json),
        Format("text tree", "txt", _tree),
        Format("LaTeX table of derivatives", "tex", _latex),
    )
}
"""Formats by extension."""
