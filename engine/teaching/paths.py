"""Every path from one value to another, each with the product of the local derivatives along it, and their sum.

The derivative of one value with respect to another is the sum of these products over all paths between them (Bauer
1974, Linnainmaa 1976); the backward pass adds them up without visiting each path. Here the first paths are listed for
display; a backward pass over the values between counts and adds up all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.autograd.contributions import local_derivative
from engine.autograd.naming import grouped_name, name_of
from engine.autograd.notation import exact_sum, product_text, short, sum_text
from engine.autograd.replay import Replay, Use
from engine.autograd.value import Value
from engine.teaching.explanation import (
    ExplanationLine,
    Lines,
    TextRun,
    formula,
    heading,
    partial_runs,
    plain,
    total_run,
)

MOST_PATHS = 12
"""Maximum number of listed paths."""
MOST_FACTORS = 12
"""Maximum number of factors written in names."""

SENTENCES = {
    "heading": "Every path from {source} to {target}",
    "same": "Both ends are the same value, so the derivative is 1.",
    "none": "There is no path between {source} and {target}: neither is computed from the other.",
    "one": "There is one path, so its product is the whole derivative.",
    "several": "There are {number} paths; the derivative is the sum of their products.",
    "more": "{number} more paths add up to {amount}.",
    "arrays": "Some values on the path are arrays, so there is no single number to multiply.",
}
"""Every sentence on paths."""


@dataclass(frozen=True, eq=False)
class Path:
    """One way from a value to another.

    Attributes:
        nodes: both ends included.
        uses: each further node with the position of the one before among its inputs.
        partials: local derivative of each edge; () where arrays are on the way.
    """

    nodes: tuple[Value, ...]
    uses: tuple[Use, ...]
    partials: tuple[float, ...]

    @property
    def product(self) -> float:
        """Contribution of this path to the derivative."""
        return math.prod(self.partials)


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths between two values.

    Attributes:
        source, target: start and end of the paths.
        paths: the first `MOST_PATHS`.
        number: how many there are, 0 when neither is computed from the other.
        total: derivative of the target with respect to the source; nan for arrays.
    """

    source: Value
    target: Value
    paths: tuple[Path, ...]
    number: int
    total: float

    @property
    def lines(self) -> Lines:
        """The paths, their products and the sum, to be typeset."""
        return tuple(_lines(self))

    @property
    def text(self) -> str:
        """The same as plain text."""
        return "\n".join(line.text for line in self.lines)


def paths_between(one: Value, other: Value) -> Paths:
    """Every path between two values, in whichever direction there is one."""
    if one is other:
        return Paths(one, one, (), 1, 1.0)
    for source, target in ((one, other), (other, one)):
        replay = Replay(target)
        downstream = replay.downstream([source])
        if downstream:
            return _found(source, target, replay, downstream)
    return Paths(one, other, (), 0, 0.0)


def _found(source: Value, target: Value, replay: Replay, downstream: Sequence[int]) -> Paths:
    between = [source, *(replay.order[place] for place in downstream)]
    scalar = all(held.data.__class__ is float for node in between for held in (node, *node.inputs))
    paths = tuple(_path(source, uses, scalar) for uses in islice(_walked(source, target, replay), MOST_PATHS))
    terms = replay.contributions_to(source, downstream) if scalar else ()
    total = exact_sum(term.amount for term in terms) if scalar else math.nan
    return Paths(source, target, paths, replay.number_of_paths(source, downstream), total)


def _path(source: Value, uses: Sequence[Use], scalar: bool) -> Path:
    nodes = (source, *(node for node, _index in uses))
    return Path(nodes, tuple(uses), tuple(local_derivative(*use) for use in uses) if scalar else ())


def _walked(source: Value, target: Value, replay: Replay) -> Iterator[list[Use]]:
    """Paths from source to target, depth first; every ancestor of the target leads there."""
    way: list[Use] = []
    stack = [iter(replay.uses(source))]
    while stack:
        use = next(stack[-1], None)
        if use is None:
            stack.pop()
            if way:
                way.pop()
        elif use[0] is target:
            yield [*way, use]
        else:
            way.append(use)
            stack.append(iter(replay.uses(use[0])))


# Lines


def _lines(found: Paths) -> Iterator[ExplanationLine]:
    source, target = grouped_name(found.source), grouped_name(found.target)
    yield heading(SENTENCES["heading"].format(source=source, target=target))
    if found.source is found.target or not found.number:
        yield plain(SENTENCES["none" if not found.number else "same"].format(source=source, target=target))
        return
    yield plain(SENTENCES["one" if found.number == 1 else "several"].format(number=f"{found.number:,}"))
    for path in found.paths:
        yield from _path_lines(path)
    if any(not path.partials for path in found.paths):
        yield plain(SENTENCES["arrays"])
        return
    yield from _sum_lines(found)


def _path_lines(path: Path) -> Iterator[ExplanationLine]:
    way = "".join(f" → {value.op.text if value.op else ''} → {name_of(value)}" for value in path.nodes[1:])
    yield ExplanationLine("text", (TextRun("math", name_of(path.nodes[0]) + way),))
    if not path.partials:
        return
    product, result = product_text(path.partials[::-1], path.product)
    if len(path.uses) > MOST_FACTORS:
        yield formula(f"{product} ", number=result)
        return
    names: list[str | TextRun] = []
    for place, use in enumerate(reversed(path.uses)):
        names += [" × " if place else "", *partial_runs(*use)]
    if len(path.uses) == 1:
        yield formula(*names, " ", number=f"= {short(path.product)}")
    else:
        yield formula(*names, f" = {product} ", number=result)


def _sum_lines(found: Paths) -> Iterator[ExplanationLine]:
    amounts, rest = [path.product for path in found.paths], found.number - len(found.paths)
    if rest:
        left = found.total - exact_sum(amounts)
        yield plain(SENTENCES["more"].format(number=f"{rest:,}", amount=short(left)))
        amounts.append(left)
    if len(amounts) > 1:
        terms, total = sum_text(amounts, found.total)
        yield formula(total_run(found.target, found.source), f" = {terms} ", number=total)
    else:
        yield formula(total_run(found.target, found.source), " ", number=f"= {short(found.total)}")
