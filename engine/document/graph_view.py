"""What the canvas shows: roots with names, ready to be drawn, here those of an expression.

The network on a sample comes down to the same thing (`sample.py`), so that picture, stepper, explanations, checks and
exports need not know which of the two they look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Generic, TypeVar

import networkx as nx

from engine.autograd import Constant, SubStep, Value, count_sub_steps, give_names, name_of, topological_order
from engine.autograd.walk import ProgramGradients
from engine.document.group_visibility import CONE, EVERYTHING, GroupChoice, GroupVisibility, choices_at, groups_around
from engine.document.program_numbers import ProgramNumbers, program_numbers
from engine.graph import GraphNames, Group, GroupText, build_graph
from engine.graph.cones import Alike, Cones, cones_to_close, repeated
from engine.graph.expanded import PREFIX, ExpandedGraph
from engine.graph.groups import closed_for_drawing, prefixes
from engine.language import Evaluation, as_in_program
from engine.quick_dataclass import dataclass

LEAST_CONE = 3
MOST_OPEN = 40
"""Values other than constants up to which a program's graph is drawn with everything in it."""
MOST_COMPUTED = 18
"""About how many computed values are drawn of a larger one, its parts closed for that."""
MOST_LEAVES = 12
"""Leaves of a larger one that are drawn one by one; where there are more, parameters are one box."""
LEAVES = CONE + "(leaves)"
T = TypeVar("T")


class computed_once(Generic[T]):
    """A property that is computed when it is asked for first, and kept.

    `functools.cached_property` of Python 3.11 holds one lock for all instances while it computes: a graph that a thread
    computes would keep the window from looking at another one.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        """Found only as long as the instance has no entry of that name."""
        found = instance.__dict__[self._name] = self._compute(instance)
        return found


@dataclass(frozen=True)
class GraphView:
    """Roots with their names, ready to be drawn.

    Attributes:
        roots: the output first, then values nothing uses; gradients are computed for the output's past.
        names: keys, roles and groups.
        visibility: which groups are drawn as one box.
        hide_constants: whether constants get a box.
        problems: what went wrong at a value, by `id(value)`.
        not_computed: ids of values that depend on a problem: their data mean nothing.
        whole_numbers: ids of values whose data are whole numbers in the program.
        cones: for keys of values whose past may be collapsed the name of that group.
        alike: for the name of a repeated sub-expression those of all of its shape.
        program: what a program has that differs from a pass over its graph; None where the engine has computed the
            gradients, and of a network.
    """

    roots: tuple[Value, ...] = ()
    names: GraphNames = field(default_factory=GraphNames)
    visibility: GroupVisibility = field(default_factory=GroupVisibility)
    hide_constants: bool = False
    problems: Mapping[int, str] = field(default_factory=dict)
    not_computed: frozenset[int] = frozenset()
    whole_numbers: frozenset[int] = frozenset()
    cones: Mapping[str, str] = field(default_factory=dict)
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    program: ProgramNumbers | None = None

    def numbers(self, value: Value) -> tuple[Any, Any]:
        """Data and gradient of a value, as a program has left them; None for what could not be computed.

        Data are an `int` where the program has one.
        """
        data, gradient = self.numbers_of_pass(value)
        return data if self.program is None else self.program.data.get(value, data), gradient

    def numbers_of_pass(self, value: Value) -> tuple[Any, Any]:
        """The same with the data of the pass."""
        if id(value) in self.not_computed:
            return None, value.known_grad
        return as_in_program(value.data, id(value) in self.whole_numbers), value.known_grad

    @property
    def program_gradients(self) -> ProgramGradients | None:
        """The gradients that the program has itself; None where the engine has computed them."""
        return None if self.program is None else self.program.gradients

    @computed_once
    def right_gradients(self) -> Mapping[str, Any]:
        """By the keys of values whose gradient in the program is wrong: the right one."""
        wrong = self.program.right if self.program is not None else {}
        return {self.names.keys.get(id(value), ""): right for value, right in wrong.items()}

    @property
    def root(self) -> Value | None:
        """The output; None for an empty program."""
        return self.roots[0] if self.roots else None

    @computed_once
    def graph(self) -> nx.DiGraph:
        """The graph to lay out and draw; groups stay closed where there would be too much of it."""
        closed, _too_many = self._closed
        return build_graph(self.roots, self.names, collapsed=closed, hide_constants=self.hide_constants)

    @computed_once
    def note(self) -> str:
        """What is not drawn although it was asked for, in a sentence; "" for nothing."""
        _closed, too_many = self._closed
        if not too_many:
            return ""
        kinds = Counter(map(self._kind, too_many)).most_common()
        words = " and ".join(kind for kind, _count in kinds[:2])
        return f"Too many to draw: {self.n_values:,} values; {words} stay closed."

    @computed_once
    def n_values(self) -> int:
        """How many values the graph has, those in closed groups included."""
        return len(self._values)

    @property
    def _values(self) -> list[Value]:
        return list(dict.fromkeys(value for root in self.roots for value in topological_order(root)))

    @computed_once
    def _closed(self) -> tuple[frozenset[Group], frozenset[Group]]:
        groups = self.names.groups
        return closed_for_drawing(self._values, groups, self.visibility.collapsed_groups(groups.values()))

    def _kind(self, group: Group) -> str:
        """What groups like this one are called: `neurons`, `layers`, `operations`."""
        if group[-1].startswith(PREFIX):
            return "operations"
        if group[-1].startswith(CONE):
            return "sub-expressions"
        word = self.names.text(group).title.partition(" ")[0]
        return word if word.endswith("s") else f"{word}s"

    @computed_once
    def structure(self) -> tuple[Any, ...]:
        """What a layout depends on: when it is equal, the picture before can be kept and only numbers change."""
        nodes = tuple((key, a["width"], a["height"]) for key, a in self.graph.nodes(data=True))
        return nodes, tuple(self.graph.edges(data="multiplicity"))

    @computed_once
    def step_counts(self) -> tuple[int, int]:
        """How many steps a walk over the graph has, forward and backward; counted without writing them down."""
        forward, backward = count_sub_steps(self.root)
        gradients = self.program_gradients
        if gradients is None:
            return forward, backward
        return forward, (backward if gradients.is_pass else 0) + len(gradients.overrides)

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The leaves that an update moves: the parameters, or all of them where none is recognised as one."""
        return tuple(leaf for leaf in self.leaves if self.names.roles.get(id(leaf)) == "parameter") or self.leaves

    @computed_once
    def leaves(self) -> tuple[Value, ...]:
        """The leaves that the output is computed from, numbers written in formulas and arrays left out."""
        order = topological_order(self.root) if self.root is not None else []
        leaves = (value for value in order if value.op is None and not isinstance(value, Constant))
        return tuple(value for value in leaves if value.data.__class__ is float)

    def box_of(self, value: Value) -> str | None:
        """The box in which a value is drawn, its own or that of a closed group; None for one that is not drawn."""
        box: str | None = self.graph.graph["places"].get(id(value))
        return box

    def touched_by(self, step: SubStep) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        """Nodes and edges of the picture along which a step goes; inside a closed group only its box."""
        node = self.box_of(step.node)
        if node is None:
            return frozenset(), frozenset()
        circle = f"{node}:op"
        target = circle if circle in self.graph else node
        if step.kind in ("seed", "update", "zero_grad"):
            return frozenset({node}), frozenset()
        sources = [step.input] if step.input is not None else step.node.inputs
        boxes = [box for box in map(self.box_of, sources) if box is not None]
        edges = {(circle, node), *((box, target) for box in boxes)}
        ends = boxes if step.input is not None else [node]
        return frozenset({target, *ends}), frozenset(edge for edge in edges if self.graph.has_edge(*edge))

    def groups_around(self, key: str) -> tuple[Group, ...]:
        """The open groups in which a node lies, innermost first."""
        return groups_around(self.graph, self.names, key)

    def choices(self, key: str) -> tuple[GroupChoice, ...]:
        """What can be opened and closed at a node, what lies nearest first."""
        return choices_at(self.graph, self.names, key, self.cones, self.alike)


def show_expression(
    evaluation: Evaluation,
    hide_constants: bool = False,
    expanded: Collection[str] = (),
    collapsed: Collection[str] = (),
    folds: bool = False,
) -> GraphView:
    """An evaluated program with the gradients that it has; only where it has none they are computed.

    Args:
        evaluation: what `evaluate` gave; its values get names where they have none, and gradients where the program has
            none.
        hide_constants: whether constants get a box.
        expanded: composite operations to show in primitives, such as "op:o".
        collapsed: values whose past is drawn as one box, such as "cone:n".
        folds: close the parts of a large graph, such as neurons, until they are expanded by name or all by "*".
    """
    if evaluation.root is None:
        return GraphView()
    opened = [name for name in expanded if name.startswith(PREFIX)]
    roots: tuple[Value, ...] = (evaluation.root, *_unused(evaluation))
    names = GraphNames(
        keys={id(value): origin.key for value, origin in evaluation.origins.items()},
        roles={id(value): role for value, role in evaluation.roles.items()},
    )
    shown, program = program_numbers(evaluation, roots, names, opened)
    return replace(_view(shown, evaluation, hide_constants, expanded, collapsed, folds), program=program)


def _view(
    shown: ExpandedGraph,
    evaluation: Evaluation,
    hide_constants: bool,
    expanded: Collection[str],
    collapsed: Collection[str],
    folds: bool,
) -> GraphView:
    """A graph of a program with what is known of its values, its numbers as they are."""
    for root in shown.roots:
        give_names(topological_order(root))
    cones = _ConeGroups(shown.roots, shown.names, collapsed, expanded if folds else (EVERYTHING,))
    return GraphView(
        shown.roots,
        cones.names,
        GroupVisibility(frozenset(expanded), frozenset(collapsed), cones.closed),
        hide_constants=hide_constants,
        problems={id(shown.now.get(p.value, p.value)): p.message for p in evaluation.problems},
        not_computed=_ids(evaluation.not_computed, shown),
        whole_numbers=frozenset(id(shown.now.get(value, value)) for value in evaluation.whole_numbers),
        cones=cones.offered,
        alike=cones.alike,
    )


def _ids(values: Collection[Value], shown: ExpandedGraph) -> frozenset[int]:
    """Ids of what now stands for these values, with everything they became."""
    parts = (part for value in values for part in shown.parts.get(value, ()))
    return frozenset({*(id(shown.now.get(value, value)) for value in values), *map(id, parts)})


class _ConeGroups:
    """The sub-expressions of a program that can be drawn as one box, and its names with them."""

    def __init__(
        self, roots: Sequence[Value], names: GraphNames, collapsed: Collection[str], expanded: Collection[str]
    ) -> None:
        seen = {value: None for root in roots for value in topological_order(root)}
        order = list(seen)
        self._cones = Cones(order, roots)
        self._keys, self._roles = names.keys, names.roles
        barred = _inner_parts(order, names)
        found = repeated(order, self._cones, barred)
        possible = [v for v in order if v.op is not None and self._cones.above[v] is not None and v not in barred]
        collapsed_heads = {v for v in possible if self._name(v) in collapsed}
        heads = collapsed_heads.union(*(alike.heads for alike in found))
        closed, leaves = (set(), []) if EVERYTHING in expanded else self._too_much(order, possible, expanded)
        self.names = self._grouped(names, heads | closed, found, leaves)
        self.closed = frozenset({*map(self._name, closed), *([LEAVES] if leaves else [])})
        self.offered = {names.keys[id(v)]: self._name(v) for v in possible if self._is_offered(v)}
        self.alike = {self._name(v): tuple(map(self._name, alike.heads)) for alike in found for v in alike.heads}

    def _too_much(
        self, order: Sequence[Value], possible: Sequence[Value], expanded: Collection[str]
    ) -> tuple[set[Value], list[Value]]:
        """Return the cones to close where the graph is large, and its leaves where these are too many as well."""
        if sum(not isinstance(value, Constant) for value in order) <= MOST_OPEN:
            return set(), []
        closable = {value for value in possible if id(value) in self._keys}
        opened = {value for value in closable if self._name(value) in expanded}
        closed = cones_to_close(order, self._cones, MOST_COMPUTED, closable, opened)
        inside = {value for head in closed for value in self._cones.members(head)}
        used = (v for v in order if self._cones.above[v] is not None and v not in inside)
        leaves = [v for v in used if v.op is None and not isinstance(v, Constant)]
        if len(leaves) <= MOST_LEAVES:
            return closed, []
        return closed, [v for v in leaves if self._roles.get(id(v)) == "parameter"] or leaves

    def _name(self, value: Value) -> str:
        return CONE + self._keys.get(id(value), "")

    def _is_offered(self, value: Value) -> bool:
        named = id(value) in self._keys and "." not in self._keys[id(value)]
        return named and bool(value.label) and self._cones.sizes[value] >= LEAST_CONE

    def _grouped(self, names: GraphNames, heads: set[Value], found: list[Alike], leaves: Sequence[Value]) -> GraphNames:
        groups: dict[int, Group] = {}
        for value, path in self._cones.paths(heads).items():
            groups[id(value)] = (*map(self._name, path), *names.groups.get(id(value), ()))
        shapes = {head: alike.pattern for alike in found for head in alike.heads}
        texts = {self._name(head): _cone_text(head, shapes.get(head, "")) for head in heads}
        for leaf in leaves:
            groups[id(leaf)] = (LEAVES, *groups.get(id(leaf), names.groups.get(id(leaf), ())))
        word = "parameters" if all(names.roles.get(id(leaf)) == "parameter" for leaf in leaves) else "leaves"
        texts[LEAVES] = GroupText(word, f"{len(leaves)} {word}")
        return replace(names, groups={**names.groups, **groups}, texts={**names.texts, **texts})


def _cone_text(head: Value, pattern: str) -> GroupText:
    name = name_of(head)
    return GroupText(name, f"{name}: {pattern}" if pattern and pattern != name else name)


def _inner_parts(order: Sequence[Value], names: GraphNames) -> set[Value]:
    """Values inside an opened operation, but not the one that stands for it."""
    paths = {value: prefixes(names.groups[id(value)]) for value in order if id(value) in names.groups}
    lasts = {group: value for value, path in paths.items() for group in path}
    return {value for value, path in paths.items() if any(lasts[group] is not value for group in path)}


def _unused(evaluation: Evaluation) -> list[Value]:
    """Named values that the output was not computed from."""
    assert evaluation.root is not None
    used = {id(value) for value in topological_order(evaluation.root)}
    loose = []
    for value in reversed(list(evaluation.names.values())):
        if id(value) not in used:
            loose.append(value)
            used.update(id(past) for past in topological_order(value))
    return loose[::-1]
