"""`numpy.random`: NumPy's own streams of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.language.guest.numpy_names import RANDOM_OF_BOTH, RANDOM_OF_STATE

from . import _door
from ._arrays import ndarray
from ._door import NotNumbers, call
from ._objects import ObjectArray, as_objects, with_texts


class _Stream:
    """A random generator outside; `_g` is its handle."""

    _g = 0

    def __del__(self) -> None:
        if self._g:
            _door.freed.append(self._g)

    def _take(self, other: _Stream) -> None:
        self._g, other._g = other._g, 0

    def __deepcopy__(self, memo: Any = None) -> Any:
        raise TypeError("random generators cannot be copied here; make another with the same seed")

    __copy__ = __deepcopy__


class Generator(_Stream):
    """Random generator with NumPy's current algorithms; `default_rng(seed)` makes one."""

    def __init__(self, bit_generator: Any = None) -> None:
        seed = bit_generator.seed if isinstance(bit_generator, PCG64) else bit_generator
        self._take(call("generator", (seed,)))

    def __repr__(self) -> str:
        return "Generator(PCG64)"


class RandomState(_Stream):
    """Random generator with the algorithms of `np.random.seed`."""

    def __init__(self, seed: Any = None) -> None:
        self._take(call("generator", (seed, True)))

    def __repr__(self) -> str:
        return "RandomState(MT19937)"


class PCG64:
    """Source of a `Generator`: its seed."""

    def __init__(self, seed: Any = None) -> None:
        self.seed = seed


def default_rng(seed: Any = None) -> Generator:
    """Return a random generator for a seed."""
    return seed if isinstance(seed, Generator) else Generator(seed)


def _method(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **named: Any) -> Any:
        try:
            if name == "shuffle" and not isinstance(args[0], ndarray):
                raise NotNumbers
            return call(f"random.{name}", (self, *args), named)
        except NotNumbers:
            if name not in ("choice", "permutation", "shuffle"):
                raise
        return _arrange(self, name, *args, **named)

    method.__name__ = name
    return method


def _arrange(stream: Any, name: str, values: Any, *args: Any, **named: Any) -> Any:
    """Draw from a list of anything, or put it in another order: the same as NumPy does with its places."""
    if name == "choice":
        objects = with_texts(as_objects(values))
        if objects.ndim != 1:
            raise ValueError("a must be 1-dimensional")
        return objects[call("random.choice", (stream, len(objects), *args), named)]
    order = call("arange", (len(values),))
    if name == "shuffle":
        call("random.shuffle", (stream, order))
    else:
        order = call("random.permutation", (stream, order))
    order = order.tolist()
    if name == "permutation":
        return with_texts(as_objects(values if isinstance(values, ndarray) else list(values)))[order]
    copies = list(values)
    if isinstance(values, ObjectArray):
        copies = [each.copy() if isinstance(each, ndarray) else each for each in copies]
    for place, source in enumerate(order):
        values[place] = copies[source]
    return None


for _name in (*RANDOM_OF_BOTH, "integers"):
    setattr(Generator, _name, _method(_name))
for _name in (*RANDOM_OF_BOTH, *RANDOM_OF_STATE):
    setattr(RandomState, _name, _method(_name))
_door.writers[Generator] = _door.writers[RandomState] = lambda stream: f'{{"g":{stream._g}}}'


def _new_stream(handle: int) -> RandomState:
    made = object.__new__(RandomState)
    made._g = handle
    return made


_door.readers["g"] = _new_stream
_of_the_run = _new_stream(0)
for _name in (*RANDOM_OF_BOTH, *RANDOM_OF_STATE):
    globals()[_name] = getattr(_of_the_run, _name)
ranf = sample = _of_the_run.random_sample  # type: ignore[attr-defined]
random = _of_the_run.random_sample  # type: ignore[attr-defined]
