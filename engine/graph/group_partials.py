"""The derivative of a closed group: how its output answers to each value that enters it.

A closed neuron is an operation as good as any in the table, so the edges into it have a local derivative like the edges
into a circle: the sum over all paths inside of the products along them, by one backward pass over the group alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.autograd import Value, local_derivatives


def group_partials(inside: Sequence[Value], output: Value) -> dict[Value, float]:
    """The partial derivatives of a group's output with respect to what comes into the group.

    Args:
        inside: the values of the group, inputs before what they feed; one of them is the output.
        output: the value that is used outside.

    Returns:
        by value outside the group that one inside is computed from; those the output does not depend on have 0. Nothing
        when a value is an array: its derivative is no number.
    """
    members = set(inside)
    entering = {source: 0.0 for value in inside for source in value.inputs if source not in members}
    if _has_arrays(members | entering.keys()):
        return {}
    slopes = {output: 1.0}
    for value in reversed(inside):
        slope = slopes.get(value, 0.0)
        if slope == 0.0:
            continue
        for source, partial in zip(value.inputs, local_derivatives(value), strict=True):
            table = slopes if source in members else entering
            table[source] = table.get(source, 0.0) + slope * partial
    return entering


def _has_arrays(values: Collection[Value]) -> bool:
    return any(value.data.__class__ is not float for value in values)
