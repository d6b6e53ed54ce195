"""Upper bounds of what a NumPy function allocates, computed from its arguments before it is called.

A rule takes the decoded arguments and returns a number of elements: of the result, and of temporary arrays where they
are larger than the result. Rules of operations whose time grows faster than their memory (matrix products, linear
algebra) raise MemoryError above `MOST_WORK` elementary steps. To add a function, name it in `RULES` under the rule that
bounds it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import ceil, prod
from typing import Any

import numpy as np

MOST_WORK = 5_000_000_000
"""Multiplications of one call; a second or two of BLAS."""
SLOW_STEPS = 20
"""An integer product, which BLAS does not do, or a step of a factorization counts as so many."""
MOST_LOOPS = 10_000
"""Rounds of a loop that NumPy itself runs in Python, such as one for each section of `split`."""

Rule = Callable[[list[Any], dict[str, Any]], float]


def names_in(text: str) -> list[str]:
    """Return the names of a list that is written as a text."""
    return text.split()


def argument(args: list[Any], named: dict[str, Any], place: int, name: str, default: Any = None) -> Any:
    """Return an argument that may be given by place or by name."""
    return args[place] if place < len(args) else named.get(name, default)


def count(shape: Any) -> int:
    """Return the number of elements of a shape, which is a number or a sequence of numbers."""
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    lengths = shape if isinstance(shape, list | tuple) else [shape]
    return prod(max(0, operator.index(length)) for length in lengths)


def total(values: Any) -> int:
    """Return the number of elements of all arrays and lists in nested arguments; a number counts as one."""
    if isinstance(values, np.ndarray):
        return values.size
    if isinstance(values, dict):
        return total(list(values.values()))
    return sum(map(total, values)) if isinstance(values, list | tuple) else 1


def spread(shapes: list[tuple[int, ...]]) -> int:
    """Return the number of elements of shapes that are broadcast together."""
    width = max(map(len, shapes), default=0)
    aligned = [(1,) * (width - len(shape)) + shape for shape in shapes]
    return prod(max(lengths) for lengths in zip(*aligned, strict=True))


def broadcast(args: list[Any], named: dict[str, Any]) -> float:
    """Universal functions: all arrays broadcast together."""
    return spread(
        [np.shape(value) for value in (*args, *named.values()) if isinstance(value, np.ndarray | list | tuple)]
    )


def compared(args: list[Any], named: dict[str, Any]) -> float:
    """Elementwise functions that make several temporary arrays."""
    return 6 * broadcast(args, named) + total(args)


def nothing(args: list[Any], named: dict[str, Any]) -> float:
    """Functions that return views."""
    return 0


def once(args: list[Any], named: dict[str, Any]) -> float:
    """Functions whose result is at most as large as their inputs."""
    return total(args) + total(named) + (largest(args, named) if "where" in named else 0)


def python_numbers(args: list[Any], named: dict[str, Any]) -> float:
    """`tolist`: objects and their text."""
    return 15 * total(args)


def largest(args: list[Any], named: dict[str, Any]) -> float:
    """Functions whose result and temporary arrays are a few times their inputs."""
    beside = [value for key in ("where", "weights") if (value := named.get(key)) is not None]
    return 4 * (total(args) + total(named)) + (4 * broadcast([*args[:1], *beside], {}) if beside else 0)


def alike(args: list[Any], named: dict[str, Any]) -> float:
    """`zeros_like` and its relatives, whose shape can be given by name."""
    if len(args) > 3:
        raise TypeError("give these arguments by name")
    shape = named.get("shape")
    return total(args) if shape is None else count(shape)


def outer(args: list[Any], named: dict[str, Any]) -> float:
    """Functions that combine each element of one argument with each of the others."""
    return prod(max(1, total(value)) for value in (*args, *named.values()))


def several(args: list[Any], named: dict[str, Any]) -> float:
    """`outer`, once for each argument: grids."""
    return outer(args, {}) * max(1, len(args))


def shaped(args: list[Any], named: dict[str, Any]) -> float:
    """`zeros`, `ones`, `full`."""
    return count(argument(args, named, 0, "shape"))


def reshaped(args: list[Any], named: dict[str, Any]) -> float:
    """`resize` and `broadcast_to`."""
    shape = argument(args, named, 1, "shape", named.get("new_shape"))
    return 2 * count(shape) + total(args[:1])


def counted(args: list[Any], named: dict[str, Any]) -> float:
    """Functions of a number of points between two ends."""
    ends = broadcast([argument(args, named, 0, "start"), argument(args, named, 1, "stop")], {})
    return 4 * ends * (1 + count(argument(args, named, 2, "num", 50)))


def stepped(args: list[Any], named: dict[str, Any]) -> float:
    """`arange`."""
    start, stop = argument(args, named, 0, "start", 0), argument(args, named, 1, "stop")
    if stop is None:
        start, stop = 0, start
    step = argument(args, named, 2, "step")
    if any(isinstance(end, complex | np.complexfloating) for end in (start, stop, step)):
        raise TypeError("arange() takes real numbers here")
    distance = float(stop) - float(start)
    ratio = distance / float(1 if step is None else step or np.nan)
    return ratio + 2 if ratio >= 0 else 2  # of nan NumPy says what is wrong


def square(args: list[Any], named: dict[str, Any]) -> float:
    """`eye`, `identity`, `tri`."""
    rows = argument(args, named, 0, "N", named.get("n", 1))
    columns = argument(args, named, 1, "M")
    columns = rows if columns is None or not hasattr(columns, "__index__") else columns
    return 3 * (count(rows) + 1) * (count(columns) + 1)


def triangular(args: list[Any], named: dict[str, Any]) -> float:
    """`tril` and `triu`, which make a square matrix of a row."""
    number = total(args)
    return 4.0 * (number if np.ndim(args[0] if args else 0) > 1 else number**2)


def reduced(args: list[Any], named: dict[str, Any]) -> float:
    """Reductions by a universal function, to one number or along an axis."""
    return 0 if argument(args, named, 1, "axis") is None and not named else once(args, named)


def joined(args: list[Any], named: dict[str, Any]) -> float:
    """Functions of a sequence of arrays; an array is a sequence of its rows."""
    parts = args[0] if args else 0
    number = len(parts) if isinstance(parts, list | tuple) else 0
    if isinstance(parts, np.ndarray) and parts.ndim:
        number = parts.shape[0]
    _bound_loops(number / 10)
    return 2.0 * total(args) + 40 * number


def triangle(args: list[Any], named: dict[str, Any]) -> float:
    """`tril_indices` and `triu_indices`."""
    rows, columns = argument(args, named, 0, "n", 1), argument(args, named, 2, "m")
    return 4 * (count(rows) + 1) * (count(rows if columns is None else columns) + 1)


def diagonal(args: list[Any], named: dict[str, Any]) -> float:
    """`diag`, which makes a square matrix of a row."""
    values = args[0] if args else 0
    length = total(values) + abs(operator.index(argument(args, named, 1, "k", 0)))
    return length**2 if np.ndim(values) != 2 else total(values)


def vandermonde(args: list[Any], named: dict[str, Any]) -> float:
    """`vander`: a column for each power."""
    columns = argument(args, named, 1, "N")
    return 2 * total(args[:1]) * (total(args[:1]) if columns is None else count(columns))


def fitted(args: list[Any], named: dict[str, Any]) -> float:
    """`polyfit`."""
    columns = int(np.max(argument(args, named, 2, "deg", 1))) + 1
    _bound_work(total(args[:1]) * float(columns) ** 2 * SLOW_STEPS)
    return 6 * total(args[:2]) * max(1, columns)


def repeated(args: list[Any], named: dict[str, Any]) -> float:
    """`repeat`."""
    return total(args[:1]) * _largest_number(argument(args, named, 1, "repeats", 1)) + total(args[1:])


def tiled(args: list[Any], named: dict[str, Any]) -> float:
    """`tile`."""
    return 2.0 * total(args[:1]) * max(1, count(argument(args, named, 1, "reps", 1)))


def padded(args: list[Any], named: dict[str, Any]) -> float:
    """`pad`: every axis grows at both ends."""
    width = 2 * _largest_number(argument(args, named, 1, "pad_width", 0))
    return float(2 * prod(length + width for length in np.shape(args[0] if args else 0)))


def taken(args: list[Any], named: dict[str, Any]) -> float:
    """`take` along an axis: each index takes all that lies beside the axis."""
    axis, shape = argument(args, named, 2, "axis"), np.shape(args[0] if args else 0)
    rest = prod(shape) if axis is None or not shape else prod(shape) / max(1, shape[operator.index(axis)])
    return total(argument(args, named, 1, "indices", 0)) * (1 if axis is None else rest) + total(args)


def inserted(args: list[Any], named: dict[str, Any]) -> float:
    """`insert`."""
    values, places, axis = args[0] if args else 0, argument(args, named, 1, "obj", 0), argument(args, named, 3, "axis")
    return total(values) + total(args) + total(places) * (1 if axis is None else total(values))


def differences(args: list[Any], named: dict[str, Any]) -> float:
    """`diff`, which is a loop over the order."""
    _bound_loops(argument(args, named, 1, "n", 1))
    return largest(args, named)


def sections(args: list[Any], named: dict[str, Any]) -> float:
    """`split` and its relatives; the second argument is a number of sections or a list of places."""
    places = argument(args, named, 1, "indices_or_sections", 1)
    _bound_loops(total(places) if np.ndim(places) else places)
    return largest(args, named)


def bins_in_a_row(args: list[Any], named: dict[str, Any]) -> float:
    """`histogram`."""
    per_axis = argument(args, named, 1, "bins", 10)
    return 4 * (total(args) + total(named)) + 4 * (_largest_number(per_axis) if np.ndim(per_axis) == 0 else 0)


def occurrences(args: list[Any], named: dict[str, Any]) -> float:
    """`bincount`."""
    return 2 * (_largest_number(args[0] if args else 0) + _largest_number(argument(args, named, 2, "minlength", 0)) + 2)


def quantiles(args: list[Any], named: dict[str, Any]) -> float:
    """`percentile` and its relatives."""
    return 2 * total(args[:1]) * (1 + total(argument(args, named, 1, "q", 0)))


def variables(args: list[Any], named: dict[str, Any]) -> float:
    """`cov` and `corrcoef`: a square of the number of variables."""
    by_rows = argument(args, named, 2, "rowvar", True)
    number = 0
    for values in (args[0] if args else 0, argument(args, named, 1, "y")):
        shape = np.shape(0 if values is None else values)
        number += 1 if len(shape) < 2 else shape[0 if by_rows else 1]
    _bound_work(number * (total(args) + total(named)))
    return 4 * number**2 + 4 * (total(args) + total(named))


def product(args: list[Any], named: dict[str, Any]) -> float:
    """`matmul`, `dot` and `inner`."""
    a, b = (np.asarray(value) for value in (*args[:2], *[0] * (2 - len(args))))
    common = max(1, a.shape[-1] if a.ndim else 1)
    rows, columns = max(1, a.size // common), max(1, b.size // common)
    elements = rows * columns
    if a.ndim > 2 and b.ndim > 2:  # matrices pairwise
        pairs = spread([a.shape[:-2], b.shape[:-2]]) * a.shape[-2] * b.shape[-1]
        elements = elements if "dot" in named else pairs
    fast = a.dtype.kind in "fc" and b.dtype.kind in "fc"
    _bound_work(elements * common * (1 if fast else SLOW_STEPS))
    return elements + (a.size + b.size) * 2


def dot_product(args: list[Any], named: dict[str, Any]) -> float:
    """`dot` and `inner`, which combine all matrices of a with all of b."""
    return product(args, {"dot": True})


def einstein_sum(args: list[Any], named: dict[str, Any]) -> float:
    """`einsum`: one length for each letter."""
    if not args or not isinstance(args[0], str):
        raise TypeError("einsum() takes its subscripts as a text here, such as 'ij,jk->ik'")
    inputs, arrow, output = args[0].replace(" ", "").partition("->")
    lengths: dict[str, int] = {}
    for place, (letters, values) in enumerate(zip(inputs.split(","), args[1:], strict=False)):
        shape = np.shape(values)
        if "..." in letters:  # which axes these are depends on the other arrays, too
            sizes = {f".{place}": prod(shape), **dict.fromkeys(letters.replace(".", ""), max(shape, default=1))}
        else:
            sizes = dict(zip(letters, shape, strict=False))
        lengths.update({letter: max(length, lengths.get(letter, 1)) for letter, length in sizes.items()})
    if not arrow:
        output = "..." + "".join(letter for letter in lengths if inputs.count(letter) == 1)
    _bound_work(prod(lengths.values()) * SLOW_STEPS / 4)
    return prod(length for letter, length in lengths.items() if letter[0] in output)


def factorization(args: list[Any], named: dict[str, Any]) -> float:
    """Linear algebra on a matrix, or a stack of them, with a right-hand side."""
    *stack, rows, columns = (1, 1, *np.shape(args[0] if args else 0))
    _bound_work(float(prod(stack)) * max(rows, columns) * min(rows, columns) ** 2 * SLOW_STEPS)
    sides = np.shape(args[1])[-1] if len(args) > 1 and np.ndim(args[1]) > 1 else 1
    return float(8 * largest(args, named) + 4.0 * prod(stack) * (total(args[1:]) + columns * sides))


def full_factorization(args: list[Any], named: dict[str, Any]) -> float:
    """`svd` and `qr`, whose factors may be square."""
    *stack, rows, columns = (1, 1, *np.shape(args[0] if args else 0))
    reduced = named.get("full_matrices", True) is False or named.get("mode", "") == "reduced"
    return factorization(args, named) + (0 if reduced else 4 * prod(stack) * max(rows, columns) ** 2)


def unlimited_rank(args: list[Any], named: dict[str, Any]) -> float:
    """Places of elements: one number for each axis."""
    return 4 * sum(total(value) * (np.ndim(value) + 1) for value in args)


def polynomial(args: list[Any], named: dict[str, Any]) -> float:
    """`roots`, `poly` and `polyval`, which is a loop over the coefficients."""
    _bound_loops(total(args[:1]))
    _bound_work(float(total(args[:1])) * max(total(args[:1]) ** 2, total(args[1:])))
    return 2 * total(args[:1]) ** 2 + 4 * total(args)


def convolution(args: list[Any], named: dict[str, Any]) -> float:
    """`convolve` and `correlate`."""
    _bound_work(outer(args[:2], {}))
    return largest(args, named)


def grid(args: list[Any], named: dict[str, Any]) -> float:
    """`mgrid`, `ogrid` and `r_`, which take an index with slices that stand for ranges."""
    key = args[0] if args else ()
    lengths = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, slice) and isinstance(part.step, complex):
            lengths.append(abs(part.step) + 1)
        elif isinstance(part, slice):
            lengths.append(stepped([part.start or 0, part.stop or 0, 1 if part.step is None else part.step], {}))
        else:
            lengths.append(total(part))
    return 3 * max(prod(lengths), sum(lengths)) * max(1, len(lengths))


def indexed(array: Any, key: Any) -> float:
    """Return how many elements an index takes at most; 0 for one that makes a view."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if not any(isinstance(part, list | np.ndarray | bool | np.bool_ | tuple) for part in parts):
        return 0
    shape, kept = list(array.shape), 1
    picked: list[tuple[int, ...]] = []
    consumed = sum(np.ndim(p) if _is_mask(p) else 0 if p is None or p is ... else 1 for p in parts)
    for part in parts:
        if part is ...:
            skipped = max(0, len(shape) - consumed)
            kept, shape = kept * prod(shape[:skipped]), shape[skipped:]
        elif _is_mask(part):
            picked.append((int(np.count_nonzero(part)),))
            consumed, shape = consumed - np.ndim(part), shape[np.ndim(part) :]
        elif part is not None:
            length = shape.pop(0) if shape else 1
            consumed -= 1
            if isinstance(part, slice):
                kept *= length
            else:
                picked.append(np.shape(part))
    return float(2 * max(spread(picked), 1) * kept * prod(shape) + total(key))


def _is_mask(part: Any) -> bool:
    return isinstance(part, bool | np.bool_ | list | np.ndarray) and np.asarray(part).dtype.kind == "b"


def _largest_number(values: Any) -> int:
    """Return the largest of one or several whole numbers, at least 0."""
    numbers = np.asarray(values)
    if numbers.size == 0 or numbers.dtype.kind not in "biuf":
        return 0
    largest_one = np.max(np.abs(numbers.astype(float)))
    return ceil(largest_one) if np.isfinite(largest_one) else 0


def _bound_work(steps: float) -> None:
    if steps > MOST_WORK:
        raise MemoryError(f"this operation takes {steps:.1e} steps, more than the {MOST_WORK:.0e} a program may take")


def _bound_loops(number: Any) -> None:
    if number > MOST_LOOPS:
        raise MemoryError(f"{number:.0f} rounds or parts are more than a program may have ({MOST_LOOPS})")


RULES: dict[Rule, str] = {
    compared: "where clip isclose allclose array_equal array_equiv select cross copyto nan_to_num real imag angle "
    "sinc broadcast_arrays take_along_axis put_along_axis testing.assert_allclose testing.assert_array_equal "
    "testing.assert_equal testing.assert_almost_equal testing.assert_array_almost_equal testing.assert_array_less",
    alike: "zeros_like ones_like full_like empty_like",
    nothing: "transpose swapaxes moveaxis rollaxis squeeze expand_dims flip fliplr flipud rot90 matrix_transpose "
    "permute_dims ndim shape size view",
    once: "array asarray ascontiguousarray copy astype reshape ravel flatten atleast_1d atleast_2d atleast_3d argmax "
    "argmin cumsum cumprod cumulative_sum count_nonzero fill item",
    largest: "mean std var ptp median average nansum nanprod nanmean nanstd nanvar nanmax nanmin nanargmax nanargmin "
    "nancumsum roll sort argsort unique searchsorted digitize interp round around trapezoid gradient delete "
    "compress extract trace diagonal fill_diagonal put place putmask isin union1d intersect1d setdiff1d setxor1d "
    "unravel_index ravel_multi_index isreal iscomplex real_if_close trim_zeros ediff1d vdot conj conjugate",
    python_numbers: "tolist",
    reduced: "sum prod max min amax amin any all",
    joined: "concatenate concat stack vstack hstack dstack column_stack append block lexsort",
    triangular: "tril triu",
    outer: "outer kron",
    several: "meshgrid ix_",
    shaped: "zeros ones full empty",
    reshaped: "resize broadcast_to",
    counted: "linspace logspace geomspace",
    stepped: "arange",
    square: "eye identity tri",
    triangle: "tril_indices triu_indices",
    diagonal: "diag",
    vandermonde: "vander",
    fitted: "polyfit",
    polynomial: "polyval roots poly",
    convolution: "convolve correlate",
    repeated: "repeat",
    tiled: "tile",
    padded: "pad",
    taken: "take",
    inserted: "insert",
    differences: "diff",
    sections: "split array_split hsplit vsplit",
    bins_in_a_row: "histogram histogram_bin_edges",
    occurrences: "bincount",
    quantiles: "percentile quantile",
    variables: "cov corrcoef",
    product: "matmul",
    dot_product: "dot inner",
    einstein_sum: "einsum",
    unlimited_rank: "nonzero argwhere flatnonzero",
    factorization: "linalg.norm linalg.inv linalg.pinv linalg.det linalg.slogdet linalg.solve linalg.lstsq "
    "linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.svdvals linalg.cholesky linalg.matrix_rank "
    "linalg.matrix_power linalg.cond",
    full_factorization: "linalg.svd linalg.qr",
}
