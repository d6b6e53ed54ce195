"""From values to a networkx DiGraph that can be laid out: its nodes, edges and groups.

A value becomes a box, its operation a circle before it; `x * x` is one edge with multiplicity 2, because a DiGraph has
one edge for a pair. A constant exponent is written into its circle (`**3`) instead of having a box. Groups (a
neuron, a layer) can be collapsed into one box each.

Node attributes: `kind` ("value" or "op"), `width`, `height` (scene pixels, of a box in its first form; `forms.py` has
others), and for values `value`, `label`, `role`,
`members` (how many values a collapsed group holds, 0 otherwise); for operations `op`, `text`. A collapsed group also
has `group` (its path), `inside` (its values), `outputs` (those used outside; `value` is the last of them), `main` (the
key of its only output, "" when there are several) and `note` (its content, in words).
Edge attributes: `multiplicity`, `operands` (positions among the inputs of the operation); edges to and from a collapsed
group are merged into one, and to a group only the first position is kept.
Graph attributes: the box in which every drawn value is drawn, `boxes` by the value's key and `places` by its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from engine.autograd import Constant, Value, name_of, topological_order
from engine.autograd.notation import counted
from engine.graph.forms import FIRST_FORM, FORMS
from engine.graph.groups import Group, GroupText, group_key, homes_of
from engine.graph.value_graph import ValueGraph

CIRCLE_SIZE = 30.0


@dataclass(frozen=True)
class GraphNames:
    """Known facts about values beyond the graph itself; every mapping is by `id(value)` and may be partial.

    Attributes:
        keys: stable node names, so that a picture can be compared with the one before an edit.
        roles: "input" or "parameter" for leaves.
        groups: path of groups a value belongs to, outermost first: `("L1", "L1N2")`.
        texts: how groups are called, by their name, the last part of the path; the name itself where missing.
    """

    keys: Mapping[int, str] = field(default_factory=dict)
    roles: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[int, Group] = field(default_factory=dict)
    texts: Mapping[str, GroupText] = field(default_factory=dict)

    def text(self, group: Group) -> GroupText:
        """Display name of a group."""
        return self.texts.get(group[-1]) or GroupText(group[-1], group[-1])


def build_graph(
    roots: Value | Iterable[Value],
    names: GraphNames | None = None,
    *,
    collapsed: Set[Group] = frozenset(),
    hide_constants: bool = False,
) -> nx.DiGraph:
    """The graph of everything the roots were computed from.

    Args:
        roots: one value or several; the first is the output, others (names that nothing uses) are drawn separately.
        names: keys, roles and groups of the values.
        collapsed: groups to draw as one box.
        hide_constants: leaves constants out.

    Returns:
        A DiGraph with the attributes in the module's docstring; value nodes are named by key, operation nodes
        `key + ":op"`.
    """
    names = names or GraphNames()
    roots = [roots] if isinstance(roots, Value) else list(roots)
    values = _reachable(roots)
    keys = unique_keys(values, names)
    homes = homes_of(values, names.groups, collapsed) if collapsed else {}
    hidden = _hidden_constants(values, hide_constants)
    graph: nx.DiGraph = ValueGraph()
    for value in values:
        if id(value) not in homes and id(value) not in hidden:
            _add_value(graph, value, keys[id(value)], names, is_output=bool(roots) and value is roots[0])
    _add_groups(graph, values, names, homes, keys, roots)
    boxes = {id(v): group_key(homes[id(v)]) if id(v) in homes else keys[id(v)] for v in values}
    for value in values:
        _add_operands(graph, value, boxes, homes)
    graph.graph["places"] = {identity: box for identity, box in boxes.items() if box in graph}
    graph.graph["boxes"] = {keys[identity]: box for identity, box in boxes.items() if box in graph}
    return graph


def _reachable(roots: Iterable[Value]) -> list[Value]:
    seen: dict[int, Value] = {}
    for root in roots:
        for value in topological_order(root):
            seen.setdefault(id(value), value)
    return list(seen.values())


def unique_keys(values: Iterable[Value], names: GraphNames) -> dict[int, str]:
    """A key for every value, by its id: the one of `names`, or `v` with its number."""
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


def _hidden_constants(values: list[Value], hide_all: bool) -> set[int]:
    """Ids of constants without a box: all of them, or those used only as exponents (shown in a circle)."""
    if hide_all:
        return {id(value) for value in values if isinstance(value, Constant)}
    exponents = {id(value.inputs[1]) for value in values if has_constant_exponent(value)}
    if not exponents:
        return exponents
    operands = ((value, index, source) for value in values for index, source in enumerate(value.inputs))
    others = {id(source) for value, index, source in operands if index != 1 or not has_constant_exponent(value)}
    return exponents - others


def has_constant_exponent(value: Value) -> bool:
    """True for a power whose exponent is written into its circle."""
    return value.op is not None and value.op.infix == "**" and isinstance(value.inputs[1], Constant)


def _add_value(graph: nx.DiGraph, value: Value, key: str, names: GraphNames, is_output: bool) -> None:
    constant = isinstance(value, Constant)
    label = "" if constant else name_of(value)
    role: Any = names.roles.get(id(value), "input") if value.op is None else "intermediate"
    role = "output" if is_output and value.op is not None else "constant" if constant else role
    width, height = FORMS[FIRST_FORM].size(label, role)
    graph.add_node(key, kind="value", value=value, label=label, role=role, width=width, height=height, members=0)
    if value.op is not None:
        text = circle_text(value)
        graph.add_node(f"{key}:op", kind="op", op=value.op, text=text, width=CIRCLE_SIZE, height=CIRCLE_SIZE)
        graph.add_edge(f"{key}:op", key, multiplicity=1, operands=())


def circle_text(value: Value) -> str:
    """The text in the circle of a computed value: `+`, `tanh`, `^2`."""
    assert value.op is not None
    if not has_constant_exponent(value):
        return value.op.text
    exponent = value.inputs[1].data
    return f"^{exponent:g}"


def _add_groups(
    graph: nx.DiGraph,
    values: list[Value],
    names: GraphNames,
    homes: Mapping[int, Group],
    keys: Mapping[int, str],
    roots: list[Value],
) -> None:
    members: dict[Group, list[Value]] = {}
    for value in values:
        if id(value) in homes:
            members.setdefault(homes[id(value)], []).append(value)
    used = _used_outside(values, homes, roots) if members else set()
    sizes = {
        home: FORMS[FIRST_FORM].size(names.text(home).label, note=_note(home, members[home], names)) for home in members
    }
    widths: dict[Group, float] = {}
    for home, (width, _height) in sizes.items():
        widths[home[:-1]] = max(width, widths.get(home[:-1], 0.0))
    for home, inside in members.items():
        outputs = tuple(value for value in inside if id(value) in used)
        text, note = names.text(home), _note(home, inside, names)
        graph.add_node(
            group_key(home), kind="value", value=(outputs or inside)[-1], label=text.label,
            role="output" if any(value is roots[0] for value in inside) else "group",
            width=widths[home[:-1]], height=sizes[home][1], members=len(inside), group=home,
            inside=tuple(inside), outputs=outputs, note=note,
            main=keys[id(outputs[0])] if len(outputs) == 1 else "",
        )  # fmt: skip


def _used_outside(values: list[Value], homes: Mapping[int, Group], roots: list[Value]) -> set[int]:
    """Return the ids of the roots, and of values used by an operation in another box."""
    used = {id(root) for root in roots}
    for value in values:
        home = homes.get(id(value))
        if home is None:
            used.update(map(id, value.inputs))
        else:
            used.update([id(source) for source in value.inputs if homes.get(id(source)) != home])
    return used


def _note(home: Group, inside: list[Value], names: GraphNames) -> str:
    """Contents of a closed group: `4 neurons · 20 values`."""
    count = counted(len(inside), "value")
    parts = names.text(home).parts
    paths = {names.groups.get(id(value), ()) for value in inside}
    n_parts = len({path[: len(home) + 1] for path in paths if len(path) > len(home)})
    return f"{counted(n_parts, parts.removesuffix('s'), parts)} · {count}" if parts and n_parts else count


def _add_operands(graph: nx.DiGraph, value: Value, boxes: Mapping[int, str], homes: Mapping[int, Group]) -> None:
    inside = id(value) in homes
    target = boxes[id(value)] if inside else f"{boxes[id(value)]}:op"
    for index, source in enumerate(value.inputs):
        name = boxes[id(source)]
        if name == target or name not in graph:
            continue
        if not graph.has_edge(name, target):
            graph.add_edge(name, target, multiplicity=1, operands=(index,))
        elif not inside:
            edge = graph.edges[name, target]
            edge["multiplicity"] += 0 if id(source) in homes else 1
            edge["operands"] += (index,)
