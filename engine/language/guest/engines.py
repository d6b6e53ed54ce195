"""A learner's own engines: classes whose objects hold a number, a gradient and their inputs.

Nothing of the program is changed. Its classes are noted as they are made (`__build_class__`), the objects show which
attribute holds what (usual names are a first guess only), and `calls.py` notes which call made which object.
"""

from __future__ import annotations

import builtins
import contextlib
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.autograd.value import Value
from engine.language.guest.recording import RECORDED

STARTS = ("__init__", "__post_init__")
"""Methods that finish a new object; they return None."""
_ARITHMETIC = ("__add__", "__mul__", "__sub__", "__matmul__", "__pow__", "__truediv__", "__radd__", "__rmul__")
_DATA = ("data", "value", "val", "_data", "_value", "real", "primal", "v", "x", "num", "n")
_PLAIN_DATA = _DATA[:6]
_GRAD = (
    "grad", "gradient", "_grad", "g", "derivative", "deriv", "der", "d", "adjoint", "adj", "dot", "dual", "tangent",
    "grad_value", "bar", "delta", "eps", "epsilon", "df", "dx",
)  # fmt: skip
_INPUTS = ("_prev", "_children", "children", "parents", "_parents", "prev", "inputs", "_inputs", "args", "operands")
_OP = ("_op", "op", "operation", "_operation", "creation_op", "name", "kind")
_LABEL = ("label", "name", "_label")
_LOOKED_AT = 24
"""Computed objects of one class of which all attributes are looked at; after them only those that held inputs, and the
results of functions that have not made one before."""


@dataclass
class Shape:
    """Attributes of the objects of one class.

    Attributes:
        data: attribute of the number.
        grad: attribute of the gradient; "" for none.
        inputs: those that hold objects it was computed from.
        op: attribute of the operation's name; "" for none.
        label: attribute of a name; "" for none.
        rule: attribute of a function which knows the inputs; "" for none.
        makers: those that hold functions, or objects and classes of operations.
        seen: how many computed objects have been looked at.
    """

    data: str
    grad: str
    inputs: tuple[str, ...]
    op: str
    label: str
    rule: str = ""
    makers: tuple[str, ...] = ()
    seen: int = 0


class ClassWatch:
    """The classes that a program makes.

    Attributes:
        classes: those whose objects may be nodes of a graph.
        made: is called with each class that the program makes.
        linked: classes with an object that holds inputs, or is one.
        sources: inputs of objects that do not hold them themselves, by id: those of the call that made them.
        makers: names of the methods that made objects, by id.
        settled: the attributes of classes of which enough objects have been looked at.
        first_made: is called before the first class is made.
    """

    def __init__(self) -> None:
        self.classes: list[type] = []
        self.made: Callable[[type], None] | None = None
        self.linked: set[type] = set()
        self.sources: dict[int, tuple[Any, ...]] = {}
        self.makers: dict[int, str] = {}
        self.first_made: Callable[[], None] | None = None
        self._candidates: dict[type, bool] = {}
        self.settled: dict[type, Shape] = {}
        self._shapes: dict[type, Shape] = {}
        self._refused: dict[type, Any] = {}
        self._cells: dict[types.CodeType, tuple[int, ...]] = {}

    def build_class(self, function: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        """Stand in for `builtins.__build_class__`."""
        made = builtins.__build_class__(function, name, *bases, **keywords)
        if isinstance(made, type) and not issubclass(made, (Value, BaseException)):
            if self.first_made is not None:
                self.first_made()
                self.first_made = None
            if self.made is not None and self.may_be_node(made):
                self.made(made)
        return made

    def may_be_node(self, kind: type) -> bool:
        """Return True for a class of the program that defines arithmetic or a backward pass."""
        found = self._candidates.get(kind)
        if found is None:
            found = self._candidates[kind] = _is_candidate(kind)
            if found:
                self.classes.append(kind)
        return found

    def is_node(self, thing: Any) -> bool:
        """Return True for an object with a number and a place in a graph."""
        if (settled := self.settled.get(type(thing))) is not None:
            return hasattr(thing, settled.data)  # False where `__init__` has failed
        return self.may_be_node(type(thing)) and self.shape(thing) is not None

    def learn(self, things: Iterable[Any]) -> None:
        """Look at objects, so that the classes of their inputs are known before they are drawn."""
        for thing in things:
            for each in self._nodes_in(thing):
                self.shape(each)

    def shape(self, thing: Any) -> Shape | None:
        """Return which attributes of an object hold what, or None where it is no node."""
        kind = type(thing)
        if kind in self.settled:
            return self.settled[kind]
        found = self._shapes.get(kind)
        if found is None:
            found = self._shape_of(thing)
            if found is None:
                self._refused[kind] = thing
                return None
            self._shapes[kind] = found
        if found.seen < _LOOKED_AT:
            self.look_at(thing, found)
        if self._is_certain(kind, found, thing):
            if found.seen >= _LOOKED_AT and kind in self.linked:
                self.settled[kind] = found
            return found
        self._refused[kind] = thing
        return None

    def look_at(self, thing: Any, shape: Shape) -> None:
        """Note which attributes of an object hold its inputs; one object does not show everything."""
        names = self._input_names(thing, shape)
        if not names:
            return  # a leaf, or not complete yet
        shape.seen += 1
        shape.inputs += tuple(name for name in names if name not in shape.inputs)
        for name, part in attributes(thing):
            if isinstance(part, types.FunctionType):
                shape.rule = shape.rule or (name if part.__closure__ else "")
            elif (part if isinstance(part, type) else type(part)).__module__ != "__main__" or self.is_node(part):
                continue
            if name not in shape.makers:
                shape.makers += (name,)
        if shape.rule in shape.inputs:  # what a rule knows counts only where nothing else holds the inputs
            shape.inputs = (*(name for name in shape.inputs if name != shape.rule), shape.rule)

    def reasons(self) -> dict[type, str]:
        """Return for classes that looked like an engine why nothing is drawn of their objects."""
        found = {}
        for kind, thing in self._refused.items():
            numbers = [name for name, part in attributes(thing) if is_number(part)]
            if not numbers and not any("back" in name for base in _own(kind) for name in vars(base)):
                continue
            if not numbers:
                why = "they hold no number"
            elif not _defines_arithmetic(kind):
                why = "they pass arrays or numbers on, and do not know which values they were computed from"
            else:
                why = f"they hold {', '.join(numbers[:3])}, but no gradient, and not the values they were computed from"
            found[kind] = f"No graph is drawn of objects of {kind.__name__}: {why}"
        return found

    def _is_certain(self, kind: type, shape: Shape, thing: Any) -> bool:
        """Return True when the attributes make a node, not any object with numbers, such as a vector."""
        if shape.inputs or kind in self.linked:
            self._link(kind, thing, shape)
            return True
        if shape.grad in _GRAD:
            return shape.data in _DATA or len([1 for _, part in attributes(thing) if is_number(part)]) == 2
        return shape.data in _PLAIN_DATA and len([1 for _, part in attributes(thing) if is_number(part)]) == 1

    def _link(self, kind: type, thing: Any, shape: Shape) -> None:
        self.linked.add(kind)
        for name in shape.inputs:
            for each in self._nodes_in(getattr(thing, name, None)):
                self.linked.add(type(each))

    def _shape_of(self, thing: Any) -> Shape | None:
        parts = dict(attributes(thing))
        data = _first(_DATA, parts, is_number)
        if not data or data in _GRAD[:3]:
            return None  # none, or not yet
        others = {name: part for name, part in parts.items() if name != data}
        grad = _first(_GRAD, others, _is_gradient)
        if not _defines_arithmetic(type(thing)) and not (data in _DATA and grad in _GRAD):
            return None  # an operation or a layer, which have numbers and a method `backward`, too
        texts = {name: part for name, part in parts.items() if isinstance(part, str)}
        op = next((name for name in _OP if name in texts), "")
        label = next((name for name in _LABEL if name in texts and name != op), "")
        return Shape(data, grad, (), op, label)

    def _input_names(self, thing: Any, shape: Shape) -> tuple[str, ...]:
        """Return the attributes of an object that hold other nodes: collections, else single nodes, else others."""
        held: list[str] = []
        single: list[str] = []
        further: list[str] = []
        for name, part in attributes(thing):
            if name == shape.grad or not any(each is not thing for each in self._nodes_in(part)):
                continue
            if isinstance(part, (list, tuple, set, frozenset, dict)):
                held.append(name)
            else:
                (single if self.may_be_node(type(part)) else further).append(name)
        usual = [name for name in held + further if name in _INPUTS]
        return tuple(usual[:1] or held[:1] or single or further[:1])

    def _nodes_in(self, part: Any, depth: int = 2) -> Iterator[Any]:
        kind = type(part)
        if kind in _SIMPLE:
            return
        if self.may_be_node(kind) and (kind in self._shapes or self._shape_of(part) is not None):
            yield part
        elif isinstance(part, (list, tuple, set, frozenset, dict)):
            for held in (part, part.values()) if isinstance(part, dict) else (part,):
                if depth and not set(map(type, held)) <= _SIMPLE:  # most collections hold numbers, some a million
                    for each in held:
                        yield from self._nodes_in(each, depth - 1)
        elif isinstance(part, types.FunctionType) and depth:
            for _, each in cells(part):
                yield from self._nodes_in(each, depth - 1)
        elif depth and kind.__module__ == "__main__":
            for _, each in attributes(part):
                yield from self._nodes_in(each, depth - 1)

    def inputs_of(self, thing: Any) -> tuple[Any, ...]:
        """Return the nodes an object was computed from, in the order in which it keeps them."""
        settled = self.settled
        shape = settled.get(type(thing)) or self.shape(thing)
        if shape is None:
            return ()
        found: list[Any] = []
        for name in shape.inputs:
            part: Any = getattr(thing, name, None)
            kind: type = type(part)
            if found and name == shape.rule:
                break
            if kind in settled:
                found.append(part)
                continue
            is_set = kind is set or kind is frozenset
            held: Any = part
            if not ((is_set or kind is tuple or kind is list) and set(map(type, part)) <= settled.keys()):
                held = [each for each in self._nodes_in(part) if self.is_node(each)]
            found += self._in_order(thing, shape, held) if is_set and held else held
        if not found:
            return () if type(thing) in self.linked else self.sources.get(id(thing), ())
        return tuple(found) if id(thing) not in map(id, found) else tuple(each for each in found if each is not thing)

    def found_by_pass(self, thing: Any) -> tuple[Any, ...]:
        """Return the inputs in attributes; those in the closure of its rule only where no object has others."""
        shape = self.shape(thing)
        names = [name for name in shape.inputs if name != shape.rule] if shape is not None else []
        found = (each for name in names for each in self._nodes_in(getattr(thing, name, None)))
        return tuple(found) if names else self.inputs_of(thing)

    def keeps_inputs(self) -> bool:
        """Return False where inputs stand only in closures of rules, in which a pass cannot find them."""
        held = [(name, shape.rule) for shape in self._shapes.values() for name in shape.inputs]
        return not held or any(name != rule for name, rule in held)

    def _in_order(self, thing: Any, shape: Shape, held: Any) -> Any:
        """Return the inputs that a set holds in the order of the call, an input that is used twice twice."""
        rule = getattr(thing, shape.rule, None) if shape.rule else None
        if type(rule) is not types.FunctionType or not rule.__closure__:
            return held
        wanted = set(map(id, held))
        places, closure = self._cells.get(rule.__code__, ()), rule.__closure__
        try:
            captured = [closure[at].cell_contents for at in places]
            if set(map(id, captured)) != wanted:
                names = rule.__code__.co_freevars
                at_self_first = sorted(range(len(names)), key=lambda at: names[at] != "self")
                places = tuple(at for at in at_self_first if id(closure[at].cell_contents) in wanted)
                self._cells[rule.__code__] = places
                captured = [closure[at].cell_contents for at in places]
        except ValueError:  # a variable that has no value yet
            return held
        return captured if set(map(id, captured)) == wanted else held

    def op_of(self, thing: Any) -> str:
        """Return the name of an object's operation where it has no text for it: a method or an operation's class."""
        shape = self.settled.get(type(thing))
        rule = getattr(thing, shape.rule, None) if shape is not None and shape.rule else None
        if maker := _maker_of(rule):
            return maker
        for _, part in attributes(thing):
            if maker := _maker_of(part):
                return maker
            kind = part if isinstance(part, type) else type(part)
            if kind.__module__ == "__main__" and not self.may_be_node(kind):
                inner = [each for _, each in attributes(part) if isinstance(each, type)] if kind is not part else []
                return next((each.__name__ for each in inner if each.__module__ == "__main__"), kind.__name__)
            if kind.__module__ == "__main__" and not isinstance(part, type) and self.shape(part) is None:
                return kind.__name__
        if name := self.makers.get(id(thing)):
            return name
        return type(thing).__name__ if self.inputs_of(thing) and not _defines_arithmetic(type(thing)) else ""


_SIMPLE = frozenset(
    {int, float, str, bool, type(None), bytes, types.ModuleType, types.BuiltinFunctionType, Value, *RECORDED}
)
"""Types of things that are no objects of a class of the program and hold none."""


def _maker_of(rule: Any) -> str:
    """Return the name of the function that has defined a rule; "" for a placeholder that a constructor sets."""
    if not isinstance(rule, types.FunctionType) or ".<locals>" not in rule.__qualname__:
        return ""
    maker = rule.__qualname__.split(".<locals>")[0].rpartition(".")[2]
    return "" if maker in STARTS else maker


def _is_candidate(kind: type) -> bool:
    if kind.__module__ != "__main__" or issubclass(kind, (Value, BaseException, type)):
        return False
    return (
        _defines_arithmetic(kind)
        or any("back" in name for base in _own(kind) for name in vars(base))
        or (any("grad" in name for base in _own(kind) for name in _written(base)))
    )


def _own(kind: type) -> list[type]:
    return [base for base in kind.__mro__ if base.__module__ == "__main__"]


def _defines_arithmetic(kind: type) -> bool:
    return any(name in vars(base) for base in _own(kind) for name in _ARITHMETIC)


def _written(kind: type) -> tuple[str, ...]:
    """Return the names of the attributes that a class sets in `__init__`, or declares."""
    start = vars(kind).get("__init__")
    names = start.__code__.co_names if isinstance(start, types.FunctionType) else ()
    return (*names, *vars(kind).get("__dataclass_fields__", ()), *vars(kind).get("__slots__", ()))


def attributes(thing: Any) -> list[tuple[str, Any]]:
    """Return names and values of an object's attributes, `__slots__` included; nothing of the program is called."""
    names: dict[str, Any] = {}
    with contextlib.suppress(AttributeError):
        names |= object.__getattribute__(thing, "__dict__")
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            name = slot if slot in vars(kind) else f"_{kind.__name__.lstrip('_')}{slot}"  # a private name
            member = vars(kind).get(name)
            if isinstance(member, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):
                    names[name] = member.__get__(thing)
    return list(names.items())


def mark(part: Any, depth: int = 1) -> Any:
    """Return what functions, objects and texts of one operation have in common: code, class, text; else None."""
    if isinstance(part, (types.FunctionType, types.MethodType)):
        return part.__code__
    if isinstance(part, str):
        return part[:40]
    if type(part).__name__ == "partial":
        return mark(part.func)
    if isinstance(part, type) or callable(part) or type(part).__module__ == "__main__":
        kind = part if isinstance(part, type) else type(part)
        inner = [mark(each, 0) for _, each in attributes(part) if callable(each)] if kind is not part and depth else []
        return (kind, *inner) if inner else kind
    return None


def cells(function: types.FunctionType) -> list[tuple[str, Any]]:
    """Return the variables that a function takes from around it."""
    found = []
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:
            continue
    return found


def copied(thing: Any) -> Any:
    """Return a copy of an array, and anything else unchanged."""
    return thing.copy() if type(thing).__name__ == "ndarray" else thing


def is_number(thing: Any) -> bool:
    """Return True for a number that can be data: a float or an int, or an array of them."""
    return (isinstance(thing, (int, float)) and not isinstance(thing, bool)) or type(thing).__name__ == "ndarray"


def _is_gradient(thing: Any) -> bool:
    return thing is None or is_number(thing)


def _first(names: tuple[str, ...], parts: dict[str, Any], fits: Any) -> str:
    usual = [name for name in names if name in parts and fits(parts[name])]
    others = [name for name, part in parts.items() if is_number(part)]
    return (usual or others or [""])[0]
