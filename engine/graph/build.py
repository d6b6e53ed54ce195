"""From values to a networkx DiGraph that can be laid out: what is a node, what an edge, what a group.

A value becomes a box, its operation a circle before it; `x * x` is one edge with multiplicity 2, because a DiGraph has
one edge for a pair. A constant exponent is written into its circle (`**3`) instead of standing beside it. Groups (a
neuron, a layer) can be collapsed into one box each.

Node attributes: `kind` ("value" or "op"), `width`, `height` (scene pixels), and for values `value`, `label`, `role`,
`members` (how many values a collapsed group holds, 0 otherwise); for operations `op`, `text`.
Edge attributes: `multiplicity`, `operands` (positions among the inputs of the operation).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Literal

import networkx as nx

from engine.autograd import Constant, Value, topological_order

Role = Literal["input", "parameter", "output", "constant", "intermediate", "group"]
Group = tuple[str, ...]

BOX_HEIGHT = 34.0
CIRCLE_SIZE = 30.0
CELL_WIDTH = 74.0
LABEL_RANGE = (44.0, 170.0)
CHARACTER_WIDTH = 10.5
CONSTANT_SIZE = (54.0, 24.0)


@dataclass(frozen=True)
class Names:
    """What is known about values beyond the graph itself; every mapping is by `id(value)` and may be partial.

    Attributes:
        keys: stable node names, so that a picture can be compared with the one before an edit.
        labels: what to show; the value's own label where missing.
        roles: "input" or "parameter" for leaves.
        groups: path of groups a value belongs to, outermost first: `("layer 1", "neuron 2")`.
    """

    keys: Mapping[int, str] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[int, Group] = field(default_factory=dict)


def build_graph(
    roots: Value | Iterable[Value],
    names: Names | None = None,
    *,
    collapsed: Set[Group] = frozenset(),
    hide_constants: bool = False,
) -> nx.DiGraph:
    """The graph of everything the roots were computed from.

    Args:
        roots: one value or several; the first is the output, others (names that nothing uses) are drawn beside it.
        names: keys, labels, roles and groups of the values.
        collapsed: groups to draw as one box.
        hide_constants: leaves constants out.

    Returns:
        A DiGraph with the attributes in the module's docstring; value nodes are named by key, operation nodes
        `key + ":op"`.
    """
    names = names or Names()
    roots = [roots] if isinstance(roots, Value) else list(roots)
    values = _reachable(roots)
    keys = _unique_keys(values, names)
    homes = {id(value): _home(names.groups.get(id(value), ()), collapsed) for value in values}
    hidden = _hidden_constants(values, hide_constants)
    graph: nx.DiGraph = nx.DiGraph()
    for value in values:
        if homes[id(value)] is None and id(value) not in hidden:
            _add_value(graph, value, keys[id(value)], names, is_output=bool(roots) and value is roots[0])
    _add_groups(graph, values, homes, output=roots[0] if roots else None)
    for value in values:
        _add_operands(graph, value, keys, homes)
    return graph


def _reachable(roots: Iterable[Value]) -> list[Value]:
    seen: dict[int, Value] = {}
    for root in roots:
        for value in topological_order(root):
            seen.setdefault(id(value), value)
    return list(seen.values())


def _unique_keys(values: list[Value], names: Names) -> dict[int, str]:
    keys: dict[int, str] = {}
    taken: set[str] = set()
    for index, value in enumerate(values):
        key = names.keys.get(id(value), "")
        if not key or key in taken:
            key = f"v{index}"
            while key in taken:
                key += "'"
        taken.add(key)
        keys[id(value)] = key
    return keys


def _home(path: Group, collapsed: Set[Group]) -> Group | None:
    """The outermost collapsed group on the way to a value."""
    return next((path[:depth] for depth in range(1, len(path) + 1) if path[:depth] in collapsed), None)


def _hidden_constants(values: list[Value], hide_all: bool) -> set[int]:
    """Ids of constants that get no box: all of them, or those that only serve as exponents (they stand in a circle)."""
    if hide_all:
        return {id(value) for value in values if isinstance(value, Constant)}
    exponents: set[int] = set()
    others: set[int] = set()
    for value in values:
        for index, source in enumerate(value.inputs):
            (exponents if index == 1 and _has_constant_exponent(value) else others).add(id(source))
    return exponents - others


def _has_constant_exponent(value: Value) -> bool:
    return value.op is not None and value.op.name == "pow" and isinstance(value.inputs[1], Constant)


def _add_value(graph: nx.DiGraph, value: Value, key: str, names: Names, is_output: bool) -> None:
    label = names.labels.get(id(value), value.label)
    constant = isinstance(value, Constant)
    role: Any = names.roles.get(id(value), "input") if value.op is None else "intermediate"
    role = "output" if is_output and value.op is not None else "constant" if constant else role
    width, height = CONSTANT_SIZE if constant else (box_width(label), BOX_HEIGHT)
    graph.add_node(key, kind="value", value=value, label=label, role=role, width=width, height=height, members=0)
    if value.op is not None:
        text = _circle_text(value)
        graph.add_node(f"{key}:op", kind="op", op=value.op, text=text, width=CIRCLE_SIZE, height=CIRCLE_SIZE)
        graph.add_edge(f"{key}:op", key, multiplicity=1, operands=())


def box_width(label: str) -> float:
    """Width of a value's box in scene pixels: label cell and two number cells of fixed width."""
    return max(LABEL_RANGE[0], min(LABEL_RANGE[1], 16.0 + CHARACTER_WIDTH * len(label))) + 2 * CELL_WIDTH


def _circle_text(value: Value) -> str:
    assert value.op is not None
    if not _has_constant_exponent(value):
        return value.op.text
    exponent = value.inputs[1].data
    return f"^{exponent:g}"


def _add_groups(
    graph: nx.DiGraph, values: list[Value], homes: Mapping[int, Group | None], output: Value | None
) -> None:
    members: dict[Group, list[Value]] = {}
    for value in values:
        home = homes[id(value)]
        if home is not None:
            members.setdefault(home, []).append(value)
    for home, inside in members.items():
        label = home[-1]
        role = "output" if any(value is output for value in inside) else "group"
        graph.add_node(
            group_key(home), kind="value", value=inside[-1], label=label, role=role,
            width=box_width(label), height=BOX_HEIGHT, members=len(inside),
        )  # fmt: skip


def group_key(group: Group) -> str:
    """The node name of a collapsed group."""
    return "group:" + "/".join(group)


def _add_operands(graph: nx.DiGraph, value: Value, keys: Mapping[int, str], homes: Mapping[int, Group | None]) -> None:
    home = homes[id(value)]
    target = f"{keys[id(value)]}:op" if home is None else group_key(home)
    for index, source in enumerate(value.inputs):
        from_home = homes[id(source)]
        name = keys[id(source)] if from_home is None else group_key(from_home)
        if name == target or name not in graph:
            continue
        if graph.has_edge(name, target):
            edge = graph.edges[name, target]
            edge["multiplicity"] += 1 if home is None else 0
            edge["operands"] += (index,)
        else:
            graph.add_edge(name, target, multiplicity=1, operands=(index,))
