"""Sub-expressions as groups: the values that only one value is computed from, and repetitions among them.

The cone of a value is everything whose every path to the output passes through it. It has one output, so it can always
be drawn as one box, and of two cones one holds the other or they are apart. Cones are the subtrees of the dominator
tree (Cooper, Harvey & Kennedy 2001, "A simple, fast dominance algorithm"), for a graph without cycles found in one walk
from the output. Where two ways up that tree meet is found in a few leaps however deep it is: every value knows its
neighbour and one value far above (Myers 1983, "An applicative random-access stack").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.autograd import Constant, Value
from engine.autograd.notation import short
from engine.autograd.printer import ATOM, PATTERN, Part, formula

MOST_NESTED = 8
"""Maximum nesting of cones; deeper ones are hidden until an outer one is opened."""
LEAST_CLOSED = 5
"""Values in a cone that is closed to make a picture smaller."""
LEAST_OPERATIONS = 3
LEAST_OCCURRENCES = 3
LONGEST_PATTERN = 28
DEEPEST_PATTERN = 8
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Cones:
    """The cones of all values of a graph."""

    def __init__(self, order: Sequence[Value], roots: Iterable[Value]) -> None:
        """Finds the dominators.

        Args:
            order: the graph, inputs before their consumers.
            roots: its ends.
        """
        self._order = order
        self.above: dict[Value, Value | None] = dict.fromkeys(roots)
        self._depth: dict[Value | None, int] = {None: 0}
        self._far_above: dict[Value | None, Value | None] = {None: None}
        reached: set[Value] = set(self.above)
        for value in reversed(order):
            self._hang(value, self.above[value])
            for source in value.inputs:
                if source in reached:
                    self.above[source] = self._meet(self.above[source], value)
                else:
                    reached.add(source)
                    self.above[source] = value
        self.sizes = dict.fromkeys(order, 1)
        self._below: dict[Value, list[Value]] = {}
        for value in order:
            above = self.above[value]
            if above is not None:
                self.sizes[above] += self.sizes[value]
                self._below.setdefault(above, []).append(value)

    def _hang(self, value: Value, above: Value | None) -> None:
        """Puts a value into the tree, with its leap: as far as two of those above it when these are equal."""
        depth, far = self._depth, self._far_above
        leap = far[above]
        equal = depth[above] - depth[leap] == depth[leap] - depth[far[leap]]
        self._far_above[value] = far[leap] if equal else above
        self._depth[value] = depth[above] + 1

    def _meet(self, one: Value | None, other: Value | None) -> Value | None:
        """The lowest value above both, or one of them."""
        depth, far = self._depth, self._far_above
        if depth[one] < depth[other]:
            one, other = other, one
        while one is not None and depth[one] > depth[other]:
            one = far[one] if depth[far[one]] >= depth[other] else self.above[one]
        while one is not None and other is not None and one is not other:
            leap = far[one] is not far[other]
            one, other = (far[one], far[other]) if leap else (self.above[one], self.above[other])
        return one

    def inside(self, head: Value) -> Sequence[Value]:
        """Return the heads of the outermost cones in the cone of a value."""
        return self._below.get(head, ())

    def members(self, head: Value) -> list[Value]:
        """The cone of a value, itself first."""
        found = [head]
        for value in found:
            found += self._below.get(value, ())
        return found

    def paths(self, heads: Container[Value]) -> dict[Value, tuple[Value, ...]]:
        """For every value in a cone of one of the `heads` these heads, outermost first, up to `MOST_NESTED` of them."""
        paths: dict[Value, tuple[Value, ...]] = {}
        for value in reversed(self._order):
            above = self.above[value]
            path = paths.get(above, ()) if above is not None else ()
            path = (*path, value) if value in heads and len(path) < MOST_NESTED else path
            if path:
                paths[value] = path
        return paths


@dataclass(frozen=True)
class Alike:
    """Sub-expressions of one shape.

    Attributes:
        heads: the values they compute, in the order of computation.
        pattern: their shape, such as `tanh(a·b + c)`, shortened where it is long.
    """

    heads: tuple[Value, ...]
    pattern: str


def repeated(order: Sequence[Value], cones: Cones, barred: Container[Value] = ()) -> list[Alike]:
    """Sub-expressions that occur three times or more with three operations or more, the largest first; none overlaps
    another. Linear in the size of the graph, but for the shapes' texts.

    Args:
        order: the graph, inputs before their consumers.
        cones: its cones.
        barred: values that must not be heads.
    """
    shapes = _shapes(order, cones)
    classes: dict[int, list[Value]] = {}
    for value, (shape, n_operations) in shapes.items():
        if n_operations >= LEAST_OPERATIONS and cones.above[value] is not None and value not in barred:
            classes.setdefault(shape, []).append(value)
    wide = sorted((c for c in classes.values() if len(c) >= LEAST_OCCURRENCES), key=lambda c: -shapes[c[0]][1])
    taken: set[Value] = set()
    found = []
    for candidates in wide:
        heads = [value for value in candidates if value not in taken]
        if len(heads) >= LEAST_OCCURRENCES:
            found.append(Alike(tuple(heads), pattern(heads[0], cones)))
            for head in heads:
                taken.update(cones.members(head))
    return found


def cones_to_close(
    order: Sequence[Value], cones: Cones, most_computed: int, closable: Container[Value], opened: Container[Value] = ()
) -> set[Value]:
    """Return the heads of the cones to draw as one box each, so that about `most_computed` computed values are drawn.

    Cones are opened from the outputs inwards, larger ones first and those of one size together, while there is room
    for their content: for a network on one sample the neurons stay closed, for a loss over many samples its terms.

    Args:
        order: the graph, inputs before their consumers.
        cones: its cones.
        most_computed: no cone is opened whose parts would make it more.
        closable: values whose cones may be closed.
        opened: values whose cones are open in any case; they do not count.
    """
    waiting: dict[int, list[Value]] = {}
    closed: set[Value] = set()
    n_drawn = 0

    def parts_of(head: Value) -> tuple[list[Value], int]:
        """Return the closable cones inside a cone, and how many computed values are drawn with these closed."""
        inner, count, pending = [], 1, list(cones.inside(head))
        for value in pending:
            count += value.op is not None
            if cones.sizes[value] >= LEAST_CLOSED and value in closable:
                inner.append(value)
            else:
                pending.extend(cones.inside(value))
        return inner, count

    def open_cone(head: Value) -> int:
        inner, count = parts_of(head)
        for value in inner:
            waiting.setdefault(cones.sizes[value], []).append(value)
        return count

    for value in order:
        if cones.above[value] is None:
            n_drawn += open_cone(value)
    while waiting:
        alike = waiting.pop(max(waiting))
        chosen = [head for head in alike if head in opened]
        others = [head for head in alike if head not in opened]
        more = sum(parts_of(head)[1] - 1 for head in others)
        for head in chosen:
            open_cone(head)
        if n_drawn + more > most_computed:
            closed.update(others)
            continue
        n_drawn += more
        for head in others:
            open_cone(head)
    return closed


def _shapes(order: Sequence[Value], cones: Cones) -> dict[Value, tuple[int, int]]:
    """For computed values whose cone is a tree a number that is equal for equal trees, and its operations.

    A tree's inner values have one consumer each; what comes in from outside, and leaves, are all alike, constants equal
    to themselves.
    """
    numbers: dict[Any, int] = {}
    shapes: dict[Value, tuple[int, int]] = {}
    trees = _trees(order, cones)
    for value in order:
        if value.op is None:
            continue
        inner = [source if source in shapes and cones.above[source] is value else None for source in value.inputs]
        described = tuple(
            shapes[part][0] if part is not None else _end(source)
            for part, source in zip(inner, value.inputs, strict=True)
        )
        first = tuple(value.inputs.index(source) for source in value.inputs)
        n_operations = 1 + sum(shapes[part][1] for part in dict.fromkeys(inner) if part is not None)
        if value in trees:
            shapes[value] = (numbers.setdefault((value.op.name, described, first), len(numbers)), n_operations)
    return shapes


def _end(source: Value) -> Any:
    if not isinstance(source, Constant):
        return "input"
    data: Any = source.data
    return ("constant", data.shape, data.tobytes()) if isinstance(data, np.ndarray) else ("constant", data)


def _trees(order: Sequence[Value], cones: Cones) -> set[Value]:
    """Values in whose cones every computed value has one consumer only."""
    consumers = Counter(source for value in order for source in dict.fromkeys(value.inputs))
    broken: set[Value] = set()
    for value in order:
        above = cones.above[value]
        if above is not None and value.op is not None and (value in broken or consumers[value] != 1):
            broken.add(above)
    return set(order) - broken


def pattern(head: Value, cones: Cones) -> str:
    """The shape of a tree with letters for what comes in: `tanh(a·b + c)`; shortened where it is long."""
    text = _written(head, cones, {}, 0).text
    return text if len(text) <= LONGEST_PATTERN else text[: LONGEST_PATTERN - 1] + "…"


def _written(value: Value, cones: Cones, names: dict[Value, str], depth: int) -> Part:
    """A computed value of a tree in letters; below a certain depth in dots."""
    assert value.op is not None
    if depth > DEEPEST_PATTERN:
        return Part("…", ATOM)
    inner = [source.op is not None and cones.above[source] is value for source in value.inputs]
    operands = [
        _written(source, cones, names, depth + 1) if is_inner else Part(_letter(source, names), ATOM)
        for source, is_inner in zip(value.inputs, inner, strict=True)
    ]
    return formula(value.op, operands, PATTERN)


def _letter(source: Value, names: dict[Value, str]) -> str:
    if isinstance(source, Constant):
        return f"{source.data:g}" if source.data.__class__ is float else short(source.data)
    return names.setdefault(source, LETTERS[len(names) % len(LETTERS)])
