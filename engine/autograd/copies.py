"""Copies of graphs, in memory and as a pickle, of any depth.

Python's own way to copy or pickle an object goes from each to what it refers to, one call inside the other, and ends at
a thousand. Here the values of a graph are listed first, inputs before what they feed, and copied in that order, so that
everything a value refers to is there already.

A pickle refers to a value by a record that stands for it. Records live as long as somebody who pickles remembers them,
so that values which are pickled one after another in one go, `(x, y)`, share what they shared before.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

Node = Any
"""A Value. Its class is made with what stands here."""


class _Record:
    """Stands for a value, or a tuple of values, in a pickle."""

    __slots__ = ("__weakref__", "thing")

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        thing = self.thing
        if thing.__class__ is tuple:
            return tuple, ([_record(value) for value in thing],)
        own = getattr(thing, "__dict__", None)
        return _restored, (thing.__class__, own, *_plain(thing), _record(thing._a), _record(thing._b))


_RECORDS: WeakValueDictionary[int, _Record] = WeakValueDictionary()


def _record(thing: Any) -> _Record | None:
    """The record of a value or of a tuple of values, the one that is there already if there is one."""
    if thing is None:
        return None
    record = _RECORDS.get(id(thing))
    if record is None:
        record = _RECORDS[id(thing)] = _Record(thing)
    return record


def is_recorded(value: Node) -> bool:
    """Whether a pickle that is being made holds this value already."""
    return id(value) in _RECORDS


def reduced(order: Sequence[Node]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What a pickle is made of for the last of these values.

    Args:
        order: inputs before what they feed; those that are in the pickle already may be left out.
    """
    return _last, ([_record(value) for value in order],)


def _last(values: Sequence[Node]) -> Node:
    return values[-1]


def _plain(value: Node) -> tuple[Any, ...]:
    return value._data, value._grad, value.op, value.label


def _restored(kind: type, own: Any, data: Any, grad: Any, op: Any, label: str, a: Any, b: Any) -> Node:
    value: Node = object.__new__(kind)
    value._data, value._grad, value.op, value.label, value._a, value._b = data, grad, op, label, a, b
    if own:
        value.__dict__.update(own)
    return value


def copied(value: Node) -> Node:
    """Another value with the same op and inputs, and data and grad of its own."""
    data, grad, op, label = _plain(value)
    own = getattr(value, "__dict__", None)
    return _restored(value.__class__, own, copy.copy(data), copy.copy(grad), op, label, value._a, value._b)


def deeply_copied(order: Sequence[Node], memo: dict[int, Any]) -> Node:
    """A copy of the last of these values with everything it was computed from.

    Args:
        order: inputs before what they feed; those that `memo` knows may be left out.
        memo: copies by the id of the original, as `copy.deepcopy` keeps them; added to.
    """
    for value in order:
        data, grad, op, label = _plain(value)
        own = copy.deepcopy(getattr(value, "__dict__", None), memo)
        inputs = _copied_inputs(value._a, memo), _copied_inputs(value._b, memo)
        memo[id(value)] = _restored(value.__class__, own, copy.copy(data), copy.copy(grad), op, label, *inputs)
    return memo[id(order[-1])]


def _copied_inputs(held: Any, memo: dict[int, Any]) -> Any:
    """The copies of one or several inputs; neurons that share a tuple go on sharing it."""
    if held is None:
        return None
    if id(held) not in memo:
        memo[id(held)] = tuple(memo[id(value)] for value in held)
    return memo[id(held)]
