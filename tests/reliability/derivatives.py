"""Every derivative of the table of operations at random points of its domain, against two independent slopes.

    python -m tests.reliability.derivatives [POINTS]

Every operation of the table is tried in each form it has: on single numbers, on a list of numbers, and on arrays of
random shapes, which are broadcast, reduced along axes and indexed. Each element of the result gets a random weight;
what `backward()` gives to an input element is compared with the slope of the weighted sum of the result. The central
difference uses five points (error h⁴); the complex step subtracts nothing. Points closer to a kink than the step are
replaced by others: there is no derivative there. The check fails for an operation that it cannot try.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.autograd import OPS, Op, ShapeError, Value, apply, formula
from engine.autograd.replay import computed
from engine.autograd.vocabulary import ARRAY, complex_named

STEP = 1e-3
"""Step of the central difference, relative to the size of the input where that is above 1e-3 and below 1."""
COMPLEX_STEP = 1e-30
FROM_KINK = 4 * STEP
CENTRAL_LIMIT, COMPLEX_LIMIT = 1e-6, 1e-12
"""Largest relative differences allowed."""
NUMBERS, LISTS, ARRAYS = "numbers", "lists", "arrays"
"""The forms of an operation: its inputs are single numbers, any number of them, or arrays."""
MOST_AXES, LONGEST_AXIS, MOST_INPUTS = 4, 3, 6
ELEMENTS_OF_A_CASE = 4
"""Derivatives compared for the same inputs."""
TRIES = 400
"""Draws without a usable point after which an operation counts as one that cannot be tried."""


class UntriedError(Exception):
    """Raised for an operation for which the check finds no inputs."""


@dataclass(frozen=True)
class Comparison:
    """One operation's derivatives at many points, in one form.

    Attributes:
        op: its name.
        form: NUMBERS, LISTS or ARRAYS.
        wanted, points: number of derivatives to compare, and of those compared.
        central, complex: largest difference from the central difference and from the complex step, relative to the
            derivative where that is above 1; inf for a nan. `complex` is None for a formula without a complex value.
        problem: why the operation could not be tried; empty when it was.
    """

    op: str
    form: str
    wanted: int
    points: int = 0
    central: float = 0.0
    complex: float | None = 0.0
    problem: str = ""

    @property
    def ok(self) -> bool:
        agrees = self.central <= CENTRAL_LIMIT and (self.complex is None or self.complex <= COMPLEX_LIMIT)
        return agrees and 0 < self.wanted == self.points and not self.problem

    def __str__(self) -> str:
        if self.problem:
            return f"{self.op:<14} {self.form:<7} CANNOT BE TRIED: {self.problem}"
        return f"{self.summary}  {'ok' if self.ok else 'DIFFERS'}"

    @property
    def summary(self) -> str:
        by_complex = "none   " if self.complex is None else f"{self.complex:.1e}"
        slopes = f"central {self.central:.1e}  complex {by_complex}"
        return f"{self.op:<14} {self.form:<7} {self.points:>7} derivatives  {slopes}"


@dataclass(frozen=True)
class Case:
    """An operation at one point.

    Attributes:
        op: with its settings.
        datas: of its inputs, in the order of `apply`: floats or float64 arrays.
        weights: of the elements of its result, in its shape.
    """

    op: Op
    datas: tuple[Any, ...]
    weights: Any


def forms(op: Op) -> tuple[str, ...]:
    """Return the forms in which an operation is tried."""
    if op.variadic:
        return (LISTS,)
    return (ARRAYS,) if op.vjps else (NUMBERS, ARRAYS)


def compare(op: Op, form: str, n_points: int, seed: int = 0) -> Comparison:
    """Compare the derivatives of one operation with both slopes: for numbers those of every input at each point."""
    wanted = n_points * (op.arity or 1) if form == NUMBERS else n_points
    rng = np.random.default_rng([seed, *form.encode(), *op.name.encode()])
    points, central, by_complex = 0, 0.0, [0.0]
    try:
        while points < wanted:
            case = drawn_case(op, form, rng)
            for place, element, stated in drawn_gradients(case, rng)[: wanted - points]:
                central = max(central, difference(stated, five_point_slope(case, place, element)))
                slope = complex_slope(case, place, element)
                by_complex.append(math.nan if slope is None else difference(stated, slope))
                points += 1
    except Exception as error:  # whatever an operation raises, the others are checked, too
        return Comparison(op.name, form, wanted, points, problem=f"{type(error).__name__}: {error}")
    return Comparison(op.name, form, wanted, points, central, None if math.nan in by_complex else max(by_complex))


def difference(stated: float, slope: float) -> float:
    """Return the difference relative to the stated derivative where that is above 1; inf where one is not finite."""
    found = abs(stated - slope) / max(1.0, abs(stated))
    return found if math.isfinite(found) else math.inf


# Points


def drawn_case(op: Op, form: str, rng: np.random.Generator) -> Case:
    """Return the operation at a random point of its domain away from kinks.

    Raises:
        UntriedError: when no inputs that were drawn fit the operation.
    """
    refused: object = "every point is at a kink"
    for _ in range(TRIES):
        shapes = drawn_shapes(op, form, rng)
        if form == ARRAYS and op.elementwise and not any(shapes):
            continue
        candidate = with_settings(op, shapes[0], rng)
        datas = tuple(drawn_data(op, place, shape, rng) for place, shape in enumerate(shapes))
        try:
            result = computed(candidate, datas)
        except ShapeError as error:
            refused = error
            continue
        kinks = formula.array_function(op.kink or "1.0", ", ".join(op.arguments))(*formula_inputs(op, datas))
        if np.min(np.abs(kinks)) >= FROM_KINK:
            weights = rng.uniform(0.5, 2.0, np.shape(result)) * rng.choice((-1.0, 1.0), np.shape(result))
            return Case(candidate, datas, weights if np.ndim(result) else float(weights))
    raise UntriedError(f"no inputs in {TRIES} draws: {refused}")


def drawn_shapes(op: Op, form: str, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return a shape for each input; those of arrays need not fit together."""
    if form == NUMBERS:
        return [()] * len(op.arguments)
    if form == LISTS:
        n = int(rng.integers(1, MOST_INPUTS + 1))
        return [()] * (2 * n - 1 if op.paired else n)
    fewest = 1 if "index" in dict(op.settings) else 0  # a single number has no elements to take
    axes = rng.integers(fewest, MOST_AXES + 1, len(op.arguments))
    return [tuple(rng.integers(1, LONGEST_AXIS + 1, n).tolist()) for n in axes]


def drawn_data(op: Op, place: int, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return a float or an array from the range of an input.

    Elements of an array that are compared with each other, as by `amax`, are no closer than a point to a kink.
    """
    low, high = op.domain.samples[min(place, len(op.domain.samples) - 1)]
    if not shape:
        return float(rng.uniform(low, high))
    if not op.vjps:
        return rng.uniform(low, high, shape)
    n = math.prod(shape)
    apart = FROM_KINK * np.arange(n)
    return rng.permutation(np.sort(rng.uniform(low, high - apart[-1], n)) + apart).reshape(shape)


def formula_inputs(op: Op, datas: Sequence[Any]) -> tuple[Any, ...]:
    """Return the inputs as the formulas of the operation take them, with lists as arrays."""
    if op.paired:
        return np.array(datas[0:-1:2]), np.array(datas[1:-1:2]), datas[-1]
    return (np.array(datas),) if op.variadic else tuple(datas)


def drawn_gradients(case: Case, rng: np.random.Generator) -> list[tuple[int, int, float]]:
    """Return (place of the input, flat index into it, gradient by `backward()`) of a few random elements."""
    values = [Value(data) for data in case.datas]
    result = apply(case.op, *values)
    root = Value(0.0, (result,), "weighed")  # its rule replaces `mul` and `sum`: an error in them stays theirs

    def rule() -> None:
        result.grad = result.grad + case.weights

    root._backward = rule
    root.backward()
    elements = [(place, element) for place, data in enumerate(case.datas) for element in range(np.size(data))]
    chosen = rng.permutation(len(elements))[:ELEMENTS_OF_A_CASE].tolist()
    return [
        (place, element, float(np.asarray(values[place].grad).flat[element]))
        for place, element in (elements[i] for i in chosen)
    ]


# Settings


def with_settings(op: Op, shape: tuple[int, ...], rng: np.random.Generator) -> Op:
    """Return the operation with random settings for an input of this shape.

    Raises:
        UntriedError: for a setting that is not one of SETTINGS.
    """
    if unknown := [name for name, _value in op.settings if name not in SETTINGS]:
        raise UntriedError(f"no values are known for its setting {unknown[0]!r}")
    if not op.settings:
        return op
    return replace(op, settings=tuple((name, SETTINGS[name](shape, rng)) for name, _value in op.settings))


def drawn_axis(shape: tuple[int, ...], rng: np.random.Generator) -> int | tuple[int, ...] | None:
    """Return one axis, several in any order or none of them, or None for all."""
    kind = rng.integers(3)
    if kind == 0 or not shape:
        return None
    axes = tuple(rng.permutation(len(shape)).tolist())
    return int(axes[0]) if kind == 1 else axes[: rng.integers(len(shape) + 1)]


def drawn_index(shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return an index: a mask of the whole shape, an entry for the first axis, or a tuple with `...` and `None`."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.random(shape) < 0.5
    together = tuple(rng.integers(1, 4, rng.integers(1, 3)).tolist())  # lists of numbers have one shape
    entries = [drawn_entry(length, together, rng) for length in shape]
    if kind == 1:
        return entries[0]
    start, end = sorted(rng.integers(0, len(shape) + 1, 2).tolist())
    if rng.random() < 0.5:
        entries[start:end] = [...]
    else:
        entries = entries[:end]
    if rng.random() < 0.3:
        entries.insert(int(rng.integers(len(entries) + 1)), None)
    return tuple(entries)


def drawn_entry(length: int, together: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Return an index into one axis: a number, a slice, numbers that may repeat, or a mask."""
    kind = rng.integers(4)
    if kind == 0:
        return int(rng.integers(-length, length))
    if kind == 1:
        start, stop = (None if rng.random() < 0.3 else int(end) for end in rng.integers(-length, length + 1, 2))
        return slice(start, stop, rng.choice((-2, -1, 1, 2)).item())
    return rng.integers(-length, length, together) if kind == 2 else rng.random(length) < 0.6


SETTINGS: dict[str, Callable[[tuple[int, ...], np.random.Generator], Any]] = {
    "axis": drawn_axis,
    "keepdims": lambda _shape, rng: bool(rng.random() < 0.5),
    "index": drawn_index,
}
"""Random values of each setting of the table, for an input of a shape."""


# Slopes


def moved(data: Any, element: int, change: complex) -> Any:
    """Return a copy of the data with one element changed."""
    if isinstance(data, float):
        return data + change
    copied = data.astype(type(change))
    copied.flat[element] += change
    return copied


def five_point_slope(case: Case, place: int, element: int) -> float:
    """Return (f(x-2h) - 8f(x-h) + 8f(x+h) - f(x+2h)) / 12h, with a smaller h where the function bends or ends."""
    op, datas = case.op, case.datas
    low, _high = op.domain.samples[min(place, len(op.domain.samples) - 1)]
    x = abs(float(np.asarray(datas[place]).flat[element]))
    h = STEP * max(1e-3, min(1.0, x))
    if low >= 0 or op.domain.condition:
        h = min(h, x / 20)
    far_below, below, above, far_above = (
        computed(op, (*datas[:place], moved(datas[place], element, k * h), *datas[place + 1 :])) for k in (-2, -1, 1, 2)
    )
    return float(np.sum(case.weights * (far_below - 8 * below + 8 * above - far_above))) / (12 * h)


def complex_slope(case: Case, place: int, element: int) -> float | None:
    """Return the imaginary part of f(x + ih) / h; None where a function of the formula has no complex value."""
    datas = (*case.datas[:place], moved(case.datas[place], element, 1j * COMPLEX_STEP), *case.datas[place + 1 :])
    try:
        result = complex_result(case.op, datas)
    except ValueError:
        return None
    return float(np.sum(case.weights * np.imag(result))) / COMPLEX_STEP


def complex_result(op: Op, datas: Sequence[Any]) -> Any:
    """Return the operation's value for complex numbers or arrays."""
    if op.vjps:
        names = {name: complex_named(name) for name in formula.letters(op.value)} | COMPLEX_ARRAYS
        compute = formula.library_function(op.value, ", ".join((*op.arguments, *dict(op.settings))), names)
        return compute(*datas, **dict(op.settings))
    if op.elementwise and any(np.ndim(data) for data in datas):
        return np.vectorize(op.complex, otypes=[np.complex128])(*datas)
    return op.complex(*formula_inputs(op, [complex(data) for data in datas]))


COMPLEX_ARRAYS: dict[str, Any] = {
    **ARRAY,
    "abs": lambda x: np.where(np.real(x) >= 0, x, -x),
    "power": np.power,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
"""Functions of formulas for complex arrays. numpy orders complex numbers by their real parts first."""


# The command


def comparisons(n_points: int) -> Iterator[Comparison]:
    """Compare every operation of the table in each of its forms."""
    return (compare(op, form, n_points) for op in OPS.values() for form in forms(op))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each operation and form, and the largest differences; return 1 when one differs."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.reliability.derivatives", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "points", nargs="?", type=int, default=10_000, metavar="POINTS",
        help="random points for each operation and form (default: %(default)s)",
    )  # fmt: skip
    n_points = parser.parse_args(arguments).points
    if n_points < 1:
        parser.error("POINTS is 1 or more")
    found = []
    for each in comparisons(n_points):
        print(each, flush=True)
        found.append(each)
    print()
    for form in (NUMBERS, LISTS, ARRAYS):
        of_form = [each for each in found if each.form == form]
        by_complex = max((each.complex for each in of_form if each.complex is not None), default=None)
        points, central = sum(each.points for each in of_form), max((each.central for each in of_form), default=0.0)
        print(Comparison(f"{len(of_form)} operations", form, points, points, central, by_complex).summary)
    tried = len({each.op for each in found if not each.problem})
    print(f"{tried} of the table's {len(OPS)} operations tried")
    return 0 if all(each.ok for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
