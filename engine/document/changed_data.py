"""A program whose data were changed after the rest was computed from them, as by the update of a training loop.

Its graph is shown as the program has left it: new data of the leaves, and outputs and gradients of the data before. No
line of a pass adds up with these numbers, so the passes are walked, taken apart and flown through on a graph of its own
in which all belong together (`PassGraph`): with the data that the leaves had at the last `backward()` where they are
known, else computed anew from the data of now.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from engine.autograd import Value, give_names, recompute, topological_order
from engine.autograd.naming import is_constant
from engine.autograd.replay import is_outdated
from engine.graph import GraphNames
from engine.graph.expanded import ExpandedGraph, copied_graph, expand_operations

SAME = 1e-9


@dataclass(frozen=True, eq=False)
class PassGraph:
    """The graphs to show of a program whose data were changed.

    Attributes:
        left: as the program has left it, with the operations expanded that are to be.
        walked: the same graph with data and gradients that belong together, in values of its own.
        changes: for leaves of `walked` that the program has changed since, their data now; empty where `walked` is
            computed from the data of now.
    """

    left: ExpandedGraph
    walked: ExpandedGraph
    changes: Mapping[Value, float] = field(default_factory=dict)

    @property
    def holds_earlier(self) -> bool:
        """Whether a leaf's gradient, as the program has left it, holds more than that of the pass that is walked."""
        pairs = zip(topological_order(*self.left.roots), topological_order(*self.walked.roots), strict=True)
        return any(
            not math.isclose(left.known_grad or 0.0, walked.known_grad or 0.0, rel_tol=SAME, abs_tol=SAME)
            for left, walked in pairs
            if left.op is None and left.data.__class__ is float and not is_constant(left)
        )


def pass_graph(
    roots: Sequence[Value], names: GraphNames, expanded: Collection[str], data_before: Mapping[Value, float]
) -> PassGraph:
    """What to show of a program, and what to walk through.

    Args:
        roots: the output first; left untouched.
        names: of their past.
        expanded: composite operations to show in primitives, such as "op:o".
        data_before: for leaves the data that they had at the last `backward()`, of those that were changed since.
    """
    original = ExpandedGraph(tuple(roots), names, {}, {})
    first = copied_graph(original)
    then = {first.now[leaf]: data for leaf, data in data_before.items() if leaf in first.now}
    now = {leaf: leaf.data for leaf in then}
    _put_in(then)
    is_before = not is_outdated(first.roots[0])
    if not is_before:
        _put_in(now)
    give_names(topological_order(*first.roots))
    for value, twin in first.now.items():
        value.label = twin.label  # a name may hold the number of a leaf: that of the walk
    opened = expand_operations(first.roots, first.names, expanded)
    base = first if opened is None else _chained(first, opened)
    walked = copied_graph(base)
    if not is_before:
        recompute(topological_order(*walked.roots))
    differentiate(walked.roots[0])
    left = original if opened is None else _with_numbers(base, walked)
    changes = {walked.now[leaf]: leaf.data for leaf in data_before if leaf in walked.now} if is_before else {}
    return PassGraph(left, walked, changes)


def _put_in(data: Mapping[Value, float]) -> None:
    for leaf, number in data.items():
        leaf.data = number


def _chained(before: ExpandedGraph, after: ExpandedGraph) -> ExpandedGraph:
    """The second graph as one of the original that the first was made of."""
    now = {value: after.now[shown] for value, shown in before.now.items()}
    parts = {value: tuple(after.now[part] for part in parts) for value, parts in before.parts.items()}
    images = {shown: value for value, shown in before.now.items()}
    fresh = {images[value]: parts for value, parts in after.parts.items() if value in images}
    return ExpandedGraph(after.roots, after.names, now, parts | fresh)


def _with_numbers(shown: ExpandedGraph, walked: ExpandedGraph) -> ExpandedGraph:
    """Gives a graph with expanded operations the numbers of the original; the parts take theirs from the pass, their
    gradients in proportion to that of their operation.
    """
    owners = {shown.names.keys.get(id(value)): original for original, value in shown.now.items()}
    images = {value: original for original, value in shown.now.items()}
    for value, walked_value in zip(topological_order(*shown.roots), topological_order(*walked.roots), strict=True):
        if value in images:
            value.data, value.grad = images[value].data, images[value].known_grad
        else:
            owner = owners.get(shown.names.keys.get(id(value), "").partition(":")[0])
            value.grad = None if owner is None else _in_proportion(walked_value, owner, walked.now[owner])
    return shown


def _in_proportion(part: Value, owner: Value, walked: Value) -> float | None:
    if owner.known_grad is None or part.known_grad is None:
        return None
    return float(part.grad * owner.grad / walked.grad) if walked.grad else 0.0


def differentiate(root: Value) -> None:
    """Gives a graph fresh gradients; none where the root is an array or not finite."""
    for value in topological_order(root):
        value.grad = None
    if root.data.__class__ is float and math.isfinite(root.data):
        root.backward()
