"""Graph views: named roots, ready to be drawn; here those of an expression.

The network on a sample becomes a graph view, too (`sample.py`), so picture, stepper, explanations, checks and
exports need not distinguish the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import networkx as nx

from engine.autograd import Constant, Value, give_names, name_of, topological_order
from engine.graph import GraphNames, Group, GroupText, build_graph
from engine.graph.cones import Alike, Cones, cones_to_close, repeated
from engine.graph.expanded import PREFIX
from engine.graph.groups import closed_for_drawing, prefixes
from engine.language import Evaluation, as_in_program
from engine.teaching import SubStep, count_sub_steps
from engine.teaching.walk import ProgramGradients
from engine.views.gradient_sources import GradientSource, GradientSources
from engine.views.group_visibility import CONE, EVERYTHING, GroupChoice, GroupVisibility, choices_at, groups_around
from engine.views.program_numbers import ProgramNumbers, program_numbers

LEAST_CONE = 3
MOST_OPEN = 40
"""Limit of values, constants excluded, up to which a program's graph is drawn completely."""
MOST_COMPUTED = 18
"""Approximate number of computed values drawn of a larger graph; its parts are collapsed for that."""
MOST_LEAVES = 12
"""Limit of leaves drawn one by one in a larger graph; above it, parameters are one box."""
LEAVES = CONE + "(leaves)"
T = TypeVar("T")


class computed_once(Generic[T]):
    """A cached property without a lock.

    `functools.cached_property` of Python 3.11 has one lock for all instances while it computes: a graph that a thread
    computes would block the window.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        """Called once; the result then shadows this descriptor."""
        found = instance.__dict__[self._name] = self._compute(instance)
        return found


@dataclass(frozen=True)
class GraphView:
    """Named roots, ready to be drawn.

    Attributes:
        roots: the output first, then unused values; gradients are those of the output.
        names: keys, roles and groups.
        visibility: groups that are drawn as one box.
        hide_constants: constants get no box.
        problems: mathematical problems of values, by `id(value)`.
        not_computed: ids of values that depend on a problem: their data mean nothing.
        whole_numbers: ids of values whose data are whole numbers in the program.
        cones: group names by the keys of values whose inputs can be collapsed into one box.
        alike: by the name of a repeated sub-expression, the names of all its repetitions.
        program: differences between the program's numbers and a pass over its graph; None where the engine has
            computed the gradients, and for a network.
        sources: finds the passes of the program that gave gradients, if not one from the output; None for a network.
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
    sources: GradientSources | None = field(default=None, compare=False)

    def numbers(self, value: Value) -> tuple[Any, Any]:
        """Return data and gradient of a value as the program left them; None for what could not be computed.

        Data are an `int` where the program has one.
        """
        data, gradient = self.numbers_of_pass(value)
        return data if self.program is None else self.program.data.get(value, data), gradient

    def numbers_of_pass(self, value: Value) -> tuple[Any, Any]:
        """Return the numbers with the data of the pass; other values have the data that the program left."""
        if id(value) in self.not_computed:
            return None, value.known_grad
        data = value.data
        if self.program is not None and self.program.data and value not in self._of_output:
            data = self.program.data.get(value, data)
        return as_in_program(data, id(value) in self.whole_numbers), value.known_grad

    def source_of(self, value: Value, is_walked: bool = False) -> GradientSource | None:
        """Return the pass that gave a value its gradient; None for one from the output, and on a walk through that.

        Call it in a worker thread: the graph of the pass may have to be built.
        """
        is_of_output = value in self._of_output
        if self.sources is None or (is_walked and is_of_output):
            return None
        return self.sources.find(value, is_of_output)

    @computed_once
    def _of_output(self) -> frozenset[Value]:
        """The output and all values that it depends on."""
        return frozenset(topological_order(self.root)) if self.root is not None else frozenset()

    @property
    def program_gradients(self) -> ProgramGradients | None:
        """The program's own gradients; None where the engine has computed them."""
        return None if self.program is None else self.program.gradients

    @computed_once
    def right_gradients(self) -> Mapping[str, Any]:
        """The right gradients of values whose gradient in the program is wrong, by key."""
        wrong = self.program.right if self.program is not None else {}
        return {self.names.keys.get(id(value), ""): right for value, right in wrong.items()}

    @property
    def root(self) -> Value | None:
        """The output; None for an empty program."""
        return self.roots[0] if self.roots else None

    @computed_once
    def graph(self) -> nx.DiGraph:
        """The graph to lay out and draw; groups of a large one are collapsed."""
        closed, _too_many = self._closed
        return build_graph(self.roots, self.names, collapsed=closed, hide_constants=self.hide_constants)

    @computed_once
    def note(self) -> str:
        """A sentence on parts that could not be drawn as requested; "" for none."""
        _closed, too_many = self._closed
        if not too_many:
            return ""
        kinds = Counter(map(self._kind, too_many)).most_common()
        words = " and ".join(kind for kind, _count in kinds[:2])
        return f"Too many to draw: {self.n_values:,} values; {words} stay closed."

    @computed_once
    def n_values(self) -> int:
        """The number of values, those in collapsed groups included."""
        return len(self.values)

    @computed_once
    def values(self) -> tuple[Value, ...]:
        """All values, those in collapsed groups included; inputs before their consumers."""
        return tuple(dict.fromkeys(value for root in self.roots for value in topological_order(root)))

    @computed_once
    def _closed(self) -> tuple[frozenset[Group], frozenset[Group]]:
        groups = self.names.groups
        return closed_for_drawing(self.values, groups, self.visibility.collapsed_groups(groups.values()))

    def _kind(self, group: Group) -> str:
        """Return the plural for groups of this kind: `neurons`, `layers`, `operations`."""
        if group[-1].startswith(PREFIX):
            return "operations"
        if group[-1].startswith(CONE):
            return "sub-expressions"
        word = self.names.text(group).title.partition(" ")[0]
        return word if word.endswith("s") else f"{word}s"

    @computed_once
    def structure(self) -> tuple[Any, ...]:
        """The structure that a layout depends on: while it is equal, only numbers change."""
        nodes = tuple((key, a["width"], a["height"]) for key, a in self.graph.nodes(data=True))
        return nodes, tuple(self.graph.edges(data="multiplicity"))

    @computed_once
    def step_counts(self) -> tuple[int, int]:
        """The numbers of forward and backward steps of a walk over the graph, without making the steps."""
        forward, backward = count_sub_steps(self.root)
        gradients = self.program_gradients
        if gradients is None:
            return forward, backward
        return forward, (backward if gradients.is_pass else 0) + len(gradients.overrides)

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The leaves that an update moves: the parameters, or all leaves where none is recognised as one."""
        return tuple(leaf for leaf in self.leaves if self.names.roles.get(id(leaf)) == "parameter") or self.leaves

    @computed_once
    def leaves(self) -> tuple[Value, ...]:
        """The leaves that the output is computed from, without arrays and literals in formulas."""
        order = topological_order(self.root) if self.root is not None else []
        leaves = (value for value in order if value.op is None and not isinstance(value, Constant))
        return tuple(value for value in leaves if value.data.__class__ is float)

    def box_of(self, value: Value) -> str | None:
        """Return the box of a value, its own or its collapsed group's; None for a value that is not drawn."""
        box: str | None = self.graph.graph["places"].get(id(value))
        return box

    def touched_by(self, step: SubStep) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        """Return nodes and edges of the picture that belong to a step; inside a collapsed group only its box."""
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
        """Return the open groups around a node, innermost first."""
        return groups_around(self.graph, self.names, key)

    def choices(self, key: str) -> tuple[GroupChoice, ...]:
        """Return the groups that can be opened and closed at a node, nearest first."""
        return choices_at(self.graph, self.names, key, self.cones, self.alike)


def show_expression(
    evaluation: Evaluation,
    hide_constants: bool = False,
    expanded: Collection[str] = (),
    collapsed: Collection[str] = (),
    folds: bool = False,
) -> GraphView:
    """Return the graph view of an evaluated program; gradients are computed only where the program has none.

    Args:
        evaluation: result of `evaluate`; its unnamed values get names, and gradients where the program has none.
        hide_constants: constants get no box.
        expanded: composite operations shown in primitives, such as "op:o".
        collapsed: values whose inputs are drawn as one box, such as "cone:n".
        folds: collapse parts of a large graph, such as neurons, until they are expanded by name or all by "*".
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
    for root in shown.roots:
        give_names(topological_order(root))
    cones = _ConeGroups(shown.roots, shown.names, collapsed, expanded if folds else (EVERYTHING,))
    not_computed = {shown.now.get(value, value) for value in evaluation.not_computed}
    not_computed.update(part for value in evaluation.not_computed for part in shown.parts.get(value, ()))
    return GraphView(
        shown.roots,
        cones.names,
        GroupVisibility(frozenset(expanded), frozenset(collapsed), cones.closed),
        hide_constants=hide_constants,
        problems={id(shown.now.get(p.value, p.value)): p.message for p in evaluation.problems},
        not_computed=frozenset(map(id, not_computed)),
        whole_numbers=frozenset(id(shown.now.get(value, value)) for value in evaluation.whole_numbers),
        cones=cones.offered,
        alike=cones.alike,
        program=program,
        sources=GradientSources(evaluation, shown.roots, shown.now, program),
    )


class _ConeGroups:
    """Sub-expressions of a program that can be drawn as one box, and the program's names with them."""

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
    """Return the values inside an expanded operation, without its result."""
    paths = {value: prefixes(names.groups[id(value)]) for value in order if id(value) in names.groups}
    lasts = {group: value for value, path in paths.items() for group in path}
    return {value for value, path in paths.items() if any(lasts[group] is not value for group in path)}


def _unused(evaluation: Evaluation) -> list[Value]:
    """Return named values that the output does not depend on."""
    assert evaluation.root is not None
    used = {id(value) for value in topological_order(evaluation.root)}
    loose = []
    for value in reversed(list(evaluation.names.values())):
        if id(value) not in used:
            loose.append(value)
            used.update(id(past) for past in topological_order(value))
    return loose[::-1]
