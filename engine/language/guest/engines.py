"""Engines of a learner's own: classes whose objects hold a number, a gradient and what they were computed from.

Nothing of the program is changed. Its classes are noted as they are made (`__build_class__`), and the objects show
which attribute holds what: usual names are a first guess only.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.autograd.value import Value

_ARITHMETIC = ("__add__", "__mul__", "__sub__", "__matmul__", "__pow__", "__truediv__")
_DATA = ("data", "value", "val", "_data", "v", "x", "num", "n")
_GRAD = ("grad", "gradient", "_grad", "g", "derivative", "d", "adjoint", "dot")
_INPUTS = ("_prev", "_children", "children", "parents", "_parents", "prev", "inputs", "_inputs", "args", "operands")
_OP = ("_op", "op", "operation", "_operation", "name", "kind")
_LABEL = ("label", "name", "_label")


@dataclass
class Shape:
    """Attributes of the objects of one class.

    Attributes:
        data: the one that holds the number.
        grad: the one that holds the gradient; "" where there is none.
        inputs: those that hold objects it was computed from.
        op: the one that names the operation; "" where there is none.
        label: the one that holds a name; "" where there is none.
    """

    data: str
    grad: str
    inputs: tuple[str, ...]
    op: str
    label: str


class ClassWatch:
    """The classes that a program makes.

    Attributes:
        classes: those whose objects may be nodes of a graph, because they define arithmetic.
        made: is called with each of them.
    """

    def __init__(self) -> None:
        self.classes: list[type] = []
        self.made: Callable[[type], None] | None = None
        self._shapes: dict[type, Shape | None] = {}

    def build_class(self, function: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        """Stand in for `builtins.__build_class__`."""
        made = builtins.__build_class__(function, name, *bases, **keywords)
        if isinstance(made, type) and not issubclass(made, Value) and any(hasattr(made, each) for each in _ARITHMETIC):
            self.classes.append(made)
            if self.made is not None:
                self.made(made)
        return made

    def is_node(self, thing: Any) -> bool:
        """Return True for an object with a number and a place in a graph."""
        return type(thing) in self.classes and self.shape(thing) is not None

    def shape(self, thing: Any) -> Shape | None:
        """Return which attributes of an object hold what, or None where it is no node."""
        kind = type(thing)
        if kind not in self._shapes or self._shapes[kind] is None:
            self._shapes[kind] = self._shape_of(thing)
        found = self._shapes[kind]
        if found is not None and not found.inputs:  # a leaf does not show where inputs are
            found.inputs = self._input_names(thing, found)
        return found

    def _shape_of(self, thing: Any) -> Shape | None:
        parts = dict(attributes(thing))
        data = _first(_DATA, parts, is_number)
        if not data:
            return None
        grad = _first(_GRAD, {name: part for name, part in parts.items() if name != data}, _is_gradient)
        texts = {name: part for name, part in parts.items() if isinstance(part, str)}
        op = next((name for name in _OP if name in texts), "")
        label = next((name for name in _LABEL if name in texts and name != op), "")
        shape = Shape(data, grad, (), op, label)
        shape.inputs = self._input_names(thing, shape)
        return shape

    def _input_names(self, thing: Any, shape: Shape) -> tuple[str, ...]:
        """Return the attributes of an object that hold other nodes, directly or one object further."""
        found = []
        for name, part in attributes(thing):
            if name != shape.grad and any(each is not thing for each in self._nodes_in(part)):
                found.append(name)
        usual = [name for name in found if name in _INPUTS]
        return tuple(usual[:1] or found)

    def _nodes_in(self, part: Any, depth: int = 2) -> Iterator[Any]:
        if type(part) in self.classes:
            yield part
        elif isinstance(part, (list, tuple, set, frozenset)) and depth:
            for each in part:
                yield from self._nodes_in(each, depth - 1)
        elif isinstance(part, types.FunctionType) and depth:
            cells = part.__closure__ or ()
            for cell in cells:
                try:
                    yield from self._nodes_in(cell.cell_contents, depth - 1)
                except ValueError:
                    continue
        elif depth and type(part).__module__ == "__main__":
            for _, each in attributes(part):
                yield from self._nodes_in(each, depth - 1)

    def inputs_of(self, thing: Any) -> tuple[Any, ...]:
        """Return the nodes an object was computed from, in the order in which it keeps them; without doubles of a set."""
        shape = self.shape(thing)
        if shape is None:
            return ()
        found = []
        for name in shape.inputs:
            for each in self._nodes_in(getattr(thing, name, None)):
                if each is not thing and self.is_node(each):
                    found.append(each)
        return tuple(found)


def attributes(thing: Any) -> list[tuple[str, Any]]:
    """Return names and values of an object's attributes, `__slots__` included; nothing of the program is called."""
    names = dict(getattr(thing, "__dict__", {}))
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            member = kind.__dict__.get(name)
            if isinstance(member, types.MemberDescriptorType):
                try:
                    names[name] = member.__get__(thing)
                except AttributeError:
                    continue
    return list(names.items())


def is_number(thing: Any) -> bool:
    """Return True for a number that can be data: a float or an int, or an array of them."""
    return (isinstance(thing, (int, float)) and not isinstance(thing, bool)) or type(thing).__name__ == "ndarray"


def _is_gradient(thing: Any) -> bool:
    return thing is None or is_number(thing)


def _first(names: tuple[str, ...], parts: dict[str, Any], fits: Any) -> str:
    usual = [name for name in names if name in parts and fits(parts[name])]
    others = [name for name, part in parts.items() if is_number(part)]
    return (usual or others or [""])[0]
