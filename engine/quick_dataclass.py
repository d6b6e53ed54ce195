"""The standard library's `dataclass`, with a cheaper import of the modules that define classes.

The library writes and compiles six methods for each frozen class, 0.7 ms a class: for the 180 classes that the window
imports, a seventh of its start. Here the methods are closures compiled once. Only
the `__init__` of a class with many objects is written by the library, on demand (as in David Beazley's cluegen).
Type checkers, `fields` and `replace` see the library's own `dataclass`; unused arguments are left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields, make_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

FEW = 200
"""Number of objects after which writing an `__init__` for their class pays: it takes 450 µs, and saves 2 µs for each.
"""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """Return a class with the methods that `dataclasses.dataclass` gives it."""

        def made(cls):
            cls = _with_fields(cls, slots)
            methods = {"__init__": _first_init(cls, frozen), "__repr__": _repr}
            if eq:
                methods |= _comparing(cls, frozen)
            if frozen:
                methods |= _freezing(cls)
            if frozen and slots:
                methods |= {"__getstate__": _state, "__setstate__": _set_state}
            for name in methods.keys() - vars(cls).keys():
                setattr(cls, name, methods[name])
            return cls

        return made if cls is None else made(cls)


def _with_fields(cls: type[Any], has_slots: bool) -> type[Any]:
    """Return the class with its fields as the library finds them.

    The library searches each annotation three times for a string such as `ClassVar`, a third
    of its time; it is given other annotations where none of them is a string of that kind.
    """
    annotations = dict(vars(cls).get("__annotations__", {}))
    if not any(word in str(text) for text in annotations.values() for word in ("ClassVar", "InitVar", "KW_ONLY")):
        cls.__annotations__ = dict.fromkeys(annotations, object)
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=has_slots)(cls)
    cls.__annotations__ = annotations
    for field in fields(cls):
        field.type = annotations.get(field.name, field.type)
    return cls


def _first_init(cls: type[Any], is_frozen: bool) -> Callable[..., None]:
    """Return the `__init__` for the first objects. The library's replaces it, and reports errors in a call."""
    settings = fields(cls)
    names = [each.name for each in settings]
    defaults = {each.name: each.default for each in settings if each.default is not MISSING}
    factories = {each.name: each.default_factory for each in settings if each.default_factory is not MISSING}
    needed, known = names - defaults.keys() - factories.keys(), set(names)
    after = getattr(cls, "__post_init__", None)
    n_made = 0

    def init(self: Any, *values: Any, **named: Any) -> None:
        nonlocal n_made
        n_made += 1
        given = dict(zip(names, values, strict=False)) | named
        if n_made > FEW or len(given) < len(values) + len(named) or not needed <= given.keys() <= known:
            cls.__init__ = written = _written_init(cls, is_frozen)
            written(self, *values, **named)
            return
        for name in names:
            value = given[name] if name in given else defaults[name] if name in defaults else factories[name]()
            object.__setattr__(self, name, value)
        if after is not None:
            after(self)

    return init


def _written_init(cls: type[Any], is_frozen: bool) -> Callable[..., None]:
    """Return the `__init__` that the library writes for such a class."""
    settings = [(each.name, each.type, dataclasses.field(**_default(each))) for each in fields(cls)]
    after = {"__post_init__": cls.__post_init__} if hasattr(cls, "__post_init__") else {}
    twin = make_dataclass(cls.__name__, settings, namespace=after, repr=False, eq=False, frozen=is_frozen)
    init: Callable[..., None] = vars(twin)["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _default(field: dataclasses.Field[Any]) -> dict[str, Any]:
    found = {"default": field.default, "default_factory": field.default_factory}
    return {name: value for name, value in found.items() if value is not MISSING}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _comparing(cls: type[Any], is_frozen: bool) -> dict[str, Any]:
    """Return `__eq__`, and `__hash__` for frozen classes: objects of one class are equal when all fields are."""
    names = [each.name for each in fields(cls) if each.compare]
    key: Callable[[Any], Any] = attrgetter(*names) if len(names) > 1 else _as_tuple(names)

    def eq(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": eq, "__hash__": hashed if is_frozen else None}


def _as_tuple(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda self: tuple(getattr(self, name) for name in names)


def _freezing(cls: type[Any]) -> dict[str, Any]:
    names = frozenset(each.name for each in fields(cls))

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": set_attribute, "__delattr__": delete_attribute}


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
