"""A program at a moment; values of an earlier iteration of a loop have the names of those of its last one.

A moment has the objects that the program still has at its end (leaves, above all) and others that are gone. Where its
graph has the form of one that there is at the end, with the same objects in the same places, each value is called like
the one in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from engine.autograd.backward import topological_order
from engine.autograd.value import Constant, Value
from engine.language.line_walk import with_twins
from engine.language.results import BackwardCall, Evaluation


def at_moment(evaluation: Evaluation, moment: BackwardCall) -> Evaluation:
    """Return the graph of a backward call as if the program ended there.

    Values are shared with no other moment; one that stands in the place of a value of the program's end, or is called
    like one, has its name, place and role.

    Args:
        evaluation: of the program.
        moment: one of its moments.
    """
    alike = {value: end for value, end in alike_at_end(evaluation, moment).items() if end in evaluation.origins}
    for value, end in alike.items():
        value.label = value.label or end.label
    named = {value.label: value for value in _named_once(evaluation.origins)}
    for value in _named_once(topological_order(moment.root)):
        if value.label in named:
            alike.setdefault(value, named[value.label])
    origins = {value: evaluation.origins[end] for value, end in alike.items()}
    roles = {
        value: evaluation.roles[end] for value, end in alike.items() if end in evaluation.roles and not value.inputs
    }
    then = {end: value for value, end in alike.items()}
    return Evaluation(
        root=moment.root,
        variables=with_twins({**evaluation.variables, **evaluation.names}, then),
        origins=origins,
        roles=roles,
        moments=evaluation.moments[: evaluation.moments.index(moment) + 1],
        engine_check=evaluation.engine_check,
        whole_numbers=moment.whole_numbers,
        own_gradients=True,
    )


def _named_once(values: Collection[Value]) -> list[Value]:
    counts = Counter(value.label for value in values)
    return [value for value in values if value.label and counts[value.label] == 1]


def alike_at_end(evaluation: Evaluation, moment: BackwardCall) -> Mapping[Value, Value]:
    """Return for values of a moment those of the program's end that stand in their place, or that they are.

    Args:
        evaluation: of the program.
        moment: one of its moments.
    """
    ends = dict.fromkeys([evaluation.root, *evaluation.names.values(), *moment.known.values()])
    for end in ends:
        pairs = _pairs(moment.root, end, moment.known) if end is not None else None
        if pairs is not None and any(value in moment.known for value in pairs):
            return pairs
    return moment.known


def _pairs(root: Value, end: Value, known: Mapping[Value, Value]) -> Mapping[Value, Value] | None:
    """Return the pairs of values in the same places of two graphs; None for graphs of different forms."""
    pairs: dict[Value, Value] = {}
    taken: set[Value] = set()
    waiting = [(root, end)]
    while waiting:
        value, other = waiting.pop()
        if value in pairs or other in taken:
            if pairs.get(value) is not other:
                return None
            continue
        if not _may_stand_for(value, other) or known.get(value, other) is not other:
            return None
        pairs[value] = other
        taken.add(other)
        waiting += zip(value.inputs, other.inputs, strict=True)
    return pairs


def _may_stand_for(value: Value, other: Value) -> bool:
    of_one_kind = isinstance(value, Constant) == isinstance(other, Constant)
    names = [each.op.name if each.op is not None else "" for each in (value, other)]
    return of_one_kind and names[0] == names[1] and len(value.inputs) == len(other.inputs)
