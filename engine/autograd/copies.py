"""Copies of graphs, in memory and as a pickle, of any depth.

Python copies and pickles objects recursively, which fails at a depth of a thousand. Here the values of a graph are
listed first, inputs before the values that use them, and copied in that order, so that everything a value refers to
exists already.

A pickle refers to a value by a record. A record lives as long as a pickler remembers it, so values pickled together,
`(x, y)`, keep sharing what they shared before.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

Node = Any
"""A Value. The Value class itself is built with functions of this module."""


class _Record:
    """Placeholder of a value, or of a tuple of values, in a pickle."""

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
    """Return the record of a value or of a tuple of values, the existing one if there is one."""
    if thing is None:
        return None
    record = _RECORDS.get(id(thing))
    if record is None:
        record = _RECORDS[id(thing)] = _Record(thing)
    return record


def is_recorded(value: Node) -> bool:
    """True when a pickle in progress contains this value already."""
    return id(value) in _RECORDS


def reduce(order: Sequence[Node]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the `__reduce__` result for the last of these values.

    Args:
        order: inputs before the values that use them; values in the pickle already may be left out.
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


def shallow_copy(value: Node) -> Node:
    """Shallow copy: another value with the same op and inputs, and its own data and grad."""
    data, grad, op, label = _plain(value)
    own = getattr(value, "__dict__", None)
    return _restored(value.__class__, own, copy.copy(data), copy.copy(grad), op, label, value._a, value._b)


def deep_copy(order: Sequence[Node], memo: dict[int, Any]) -> Node:
    """Deep copy of the last of these values with everything it was computed from.

    Args:
        order: inputs before the values that use them; values in `memo` may be left out.
        memo: copies by the id of the original, as `copy.deepcopy` keeps them; added to.
    """
    for value in order:
        data, grad, op, label = _plain(value)
        own = copy.deepcopy(getattr(value, "__dict__", None), memo)
        inputs = _copied_inputs(value._a, memo), _copied_inputs(value._b, memo)
        memo[id(value)] = _restored(value.__class__, own, copy.copy(data), copy.copy(grad), op, label, *inputs)
    return memo[id(order[-1])]


def _copied_inputs(inputs: Any, memo: dict[int, Any]) -> Any:
    """The copies of one or several inputs; neurons that share a tuple keep sharing it."""
    if inputs is None:
        return None
    if id(inputs) not in memo:
        memo[id(inputs)] = tuple(memo[id(value)] for value in inputs)
    return memo[id(inputs)]
