"""Random numbers as PyTorch draws them on a CPU, number for number (rounded to 32 bits, as PyTorch's are)."""

from __future__ import annotations

import math
import random
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._kinds import check_options, float32, float64, int64
from ._tensor import Tensor, as_tensor

_source = random.Random()
_kept: list[float] = []


def _state_of(seed: int) -> Any:
    """Return the state with which the stream of a seed begins."""
    state = [seed & 0xFFFFFFFF]
    for index in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + index) & 0xFFFFFFFF)
    return 3, (*state, 624), None


def manual_seed(seed: int) -> None:
    """Begin the stream of random numbers that belongs to a seed."""
    _source.setstate(_state_of(seed))
    _kept.clear()


def next_seed() -> int:
    """Draw a seed from the stream, as PyTorch does for each loop over a `DataLoader`."""
    high, low = _source.getrandbits(32), _source.getrandbits(32)
    return (high << 32 | low) & ((1 << 63) - 1)


@contextmanager
def stream_of(generator: Generator | None) -> Iterator[None]:
    """Draw from the stream of a generator for a while; None: from the usual one."""
    if generator is None:
        yield
        return
    state, kept = _source.getstate(), [*_kept]
    _source.setstate(generator.state)
    _kept[:] = generator.kept
    try:
        yield
    finally:
        generator.state, generator.kept = _source.getstate(), [*_kept]
        _source.setstate(state)
        _kept[:] = kept


def seed() -> int:
    """Begin a stream that differs from run to run."""
    number = time.time_ns() & 0xFFFFFFFF
    manual_seed(number)
    return number


def _rounded(numbers: list[float]) -> list[float]:
    form = f"{len(numbers)}f"
    return list(struct.unpack(form, struct.pack(form, *numbers)))


def uniform(count: int, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Return numbers between two bounds."""
    drawn = [(_source.getrandbits(32) & 0xFFFFFF) * 2.0**-24 for _ in range(count)]
    return drawn if (low, high) == (0.0, 1.0) else _rounded([each * (high - low) + low for each in drawn])


def normal(count: int) -> list[float]:
    """Return normally distributed numbers: one by one for less than 16, else in blocks."""
    if count < 16:
        return _rounded([_normal() for _ in range(count)])
    numbers = uniform(count)
    for start in range(0, count - 15, 16):
        _transform(numbers, start)
    if count % 16:
        numbers[count - 16 :] = uniform(16)
        _transform(numbers, count - 16)
    return _rounded(numbers)


def _transform(numbers: list[float], start: int) -> None:
    for at in range(start, start + 8):
        radius = math.sqrt(-2.0 * math.log(1.0 - numbers[at]))
        angle = 2.0 * math.pi * numbers[at + 8]
        numbers[at], numbers[at + 8] = radius * math.cos(angle), radius * math.sin(angle)


def _normal() -> float:
    if _kept:
        return _kept.pop()
    first, second = _double(), _double()
    radius, angle = math.sqrt(-2.0 * math.log1p(-second)), 2.0 * math.pi * first
    _kept.append(radius * math.sin(angle))
    return radius * math.cos(angle)


def _double() -> float:
    high, low = _source.getrandbits(32), _source.getrandbits(32)
    return ((high << 32 | low) & ((1 << 53) - 1)) * 2.0**-53


def shaped(numbers: list[float], shape: tuple[int, ...], kind: Any = float32, requires_grad: bool = False) -> Tensor:
    """Return numbers as a tensor of a shape."""
    if not shape:
        return as_tensor(numbers[0], kind, requires_grad)
    return as_tensor(np.array(numbers, dtype=float).reshape(shape), kind, requires_grad)


def lengths(shape: Any) -> tuple[int, ...]:
    """Return a shape that is written as numbers or as one tuple."""
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else tuple(shape)


def _drawn(draw: Any, shape: Any, kind: Any, requires_grad: bool, options: Any) -> Tensor:
    """Return random numbers of a function, from the stream of a generator where one is given."""
    name, shape = ("rand" if draw is uniform else "randn"), lengths(shape)
    check_options(name, options)
    if kind is float64:
        raise NotImplementedError(f"{name}() draws float32 here: call .double() on it")
    with stream_of(options.get("generator")):
        return shaped(draw(math.prod(shape)), shape, kind or float32, requires_grad)


def rand(*shape: Any, dtype: Any = float32, requires_grad: bool = False, size: Any = (), **options: Any) -> Tensor:
    """Return random numbers between 0 and 1."""
    return _drawn(uniform, shape or size, dtype, requires_grad, options)


def randn(*shape: Any, dtype: Any = float32, requires_grad: bool = False, size: Any = (), **options: Any) -> Tensor:
    """Return normally distributed random numbers."""
    return _drawn(normal, shape or size, dtype, requires_grad, options)


def randint(low: int, high: Any, size: Any = None, dtype: Any = None, **options: Any) -> Tensor:
    """Return random whole numbers, `high` excluded."""
    check_options("randint", options)
    if size is None:
        low, high, size = 0, low, high
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    with stream_of(options.get("generator")):
        drawn = [float(_source.getrandbits(32) % (high - low) + low) for _ in range(math.prod(size))]
    return shaped(drawn, tuple(size), dtype or int64)


def randperm(count: int, **options: Any) -> Tensor:
    """Return the numbers below `count` in random order."""
    check_options("randperm", options)
    order = list(range(count))
    with stream_of(options.get("generator")):
        for at in range(count - 1):
            other = at + _source.getrandbits(32) % (count - at)
            order[at], order[other] = order[other], order[at]
    return shaped([float(each) for each in order], (count,), int64)


class Generator:
    """A stream of random numbers of its own.

    Attributes:
        state: of the source of random bits.
        kept: the second number of a pair of normally distributed ones, where only one was drawn.
    """

    def __init__(self, device: Any = None) -> None:
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int) -> Generator:
        """Begin the stream that belongs to a seed."""
        self.state, self.kept = _state_of(seed), list[float]()
        return self


seed()
