"""Upper bounds of what a NumPy function allocates, computed from its arguments before it is called.

Most results are at most as large as their inputs broadcast together; their temporary arrays count by a factor
(`copies`). `RULES` names the functions to which something else applies: those that make less (views, sums) and those
that can make something larger than their inputs. A rule returns a number of elements, of the result and of temporary
arrays together. Operations whose time grows faster than their memory are refused above `MOST_WORK` elementary steps.
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


class Arguments:
    """Arguments of a call.

    Attributes:
        args: by place.
        named: by name.
    """

    def __init__(self, args: list[Any], named: dict[str, Any]) -> None:
        self.args, self.named = args, named

    def __call__(self, place: int, name: str, default: Any = None) -> Any:
        """Return an argument that may be given by place or by name."""
        return self.args[place] if place < len(self.args) else self.named.get(name, default)

    @property
    def first(self) -> Any:
        """The first argument, which some rules need by place."""
        if not self.args:
            raise TypeError("this function takes its first argument without a name here")
        return self.args[0]

    @property
    def total(self) -> int:
        """Elements of all arguments."""
        return total(self.args) + total(self.named)

    @property
    def spread(self) -> int:
        """Elements of all arguments broadcast together."""
        return spread(*self.args, *self.named.values())


def elements(name: str, args: list[Any], named: dict[str, Any]) -> float:
    """Return the limit of elements that a function or method allocates.

    Raises:
        MemoryError: when it would take too many steps.
    """
    made = RULES.get(name, copies)(Arguments(args, named))
    if "where" in named or "weights" in named:  # they are broadcast to the first argument
        made += 6 * spread(*args[:1], *(value for key in ("where", "weights") if (value := named.get(key)) is not None))
    return made


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


def spread(*values: Any) -> int:
    """Return the number of elements of arrays and lists that are broadcast together."""
    return spread_shapes([np.shape(value) for value in values if isinstance(value, np.ndarray | list | tuple)])


def spread_shapes(shapes: list[tuple[int, ...]]) -> int:
    """Return the number of elements of shapes that are broadcast together."""
    width = max(map(len, shapes), default=0)
    return prod(max(lengths) for lengths in zip(*((1,) * (width - len(each)) + each for each in shapes), strict=True))


def outer(*values: Any) -> int:
    """Return the number of combinations of their elements."""
    return prod(max(1, total(value)) for value in values)


def copies(a: Arguments) -> float:
    """Return a few times the inputs, broadcast together: the bound of most functions."""
    return 4 * a.total + (6 * a.spread if a.spread > a.total else 0)


def stepped(start: Any, stop: Any, step: Any) -> float:
    """Return the length of a range."""
    start, stop = (0, start) if stop is None else (0 if start is None else start, stop)
    if any(isinstance(end, complex | np.complexfloating) for end in (start, stop, step)):
        raise TypeError("arange() takes real numbers here")
    if any(np.size(each) > 1 for each in (start, stop, step)):
        return 0.0  # NumPy refuses it
    ratio = (float(stop) - float(start)) / float(1 if step is None else step or np.nan)
    return ratio + 2 if ratio >= 0 else 2  # of nan NumPy says what is wrong


def square(rows: Any, columns: Any) -> int:
    """Return the elements of a matrix; it is square without a number of columns."""
    columns = rows if columns is None or not hasattr(columns, "__index__") else columns
    return 4 * (count(rows) + 1) * (count(columns) + 1)


def diagonal(values: Any, offset: Any) -> int:
    """Return the elements of `diag`, which makes a square matrix of a row."""
    return total(values) if np.ndim(values) == 2 else (total(values) + abs(operator.index(offset))) ** 2


def padded(shape: tuple[int, ...], width: Any) -> float:
    """Return the elements of `pad`: every axis grows at both ends."""
    return float(2 * prod(length + 2 * largest_number(width) for length in shape))


def taken(values: Any, places: Any, axis: Any) -> float:
    """Return the elements of `take`: each index along an axis takes all elements of the other axes."""
    shape = np.shape(values)
    per_index = 1 if axis is None or not shape else prod(shape) / max(1, shape[operator.index(axis)])
    return total(places) * per_index + total(values) + total(places)


def joined(parts: Any) -> float:
    """Return the elements of a sequence of arrays; an array is a sequence of its rows."""
    is_sequence = isinstance(parts, list | tuple) or (isinstance(parts, np.ndarray) and parts.ndim)
    number = len(parts) if is_sequence else 0
    bound_loops(number / 10)
    return 2.0 * total(parts) + 40 * number


def product(a: Arguments, pairwise: bool = True) -> float:
    """Return the elements of a matrix product; `dot` combines all matrices of a with all of b, not pairwise."""
    first, second = (np.asarray(value) for value in (*a.args[:2], *[0] * (2 - len(a.args))))
    common = max(1, first.shape[-1] if first.ndim else 1)
    made = max(1, first.size // common) * max(1, second.size // common)
    if first.ndim > 2 and second.ndim > 2 and pairwise:
        made = spread_shapes([first.shape[:-2], second.shape[:-2]]) * first.shape[-2] * second.shape[-1]
    fast = first.dtype.kind in "fc" and second.dtype.kind in "fc"
    bound_work(made * common * (1 if fast else SLOW_STEPS))
    return made + (first.size + second.size) * 2


def einstein_sum(a: Arguments) -> float:
    """Return the elements of `einsum`: one length for each letter."""
    if not isinstance(a.first, str):
        raise TypeError("einsum() takes its subscripts as a text here, such as 'ij,jk->ik'")
    inputs, arrow, output = a.first.replace(" ", "").partition("->")
    lengths: dict[str, int] = {}
    for place, (letters, values) in enumerate(zip(inputs.split(","), a.args[1:], strict=False)):
        shape = np.shape(values)
        if "..." in letters:  # which axes these are depends on the other arrays, too
            sizes = {f".{place}": prod(shape), **dict.fromkeys(letters.replace(".", ""), max(shape, default=1))}
        else:
            sizes = dict(zip(letters, shape, strict=False))
        lengths.update({letter: max(length, lengths.get(letter, 1)) for letter, length in sizes.items()})
    if not arrow:
        output = "..." + "".join(letter for letter in lengths if inputs.count(letter) == 1)
    bound_work(prod(lengths.values()) * SLOW_STEPS / 4)
    return prod(length for letter, length in lengths.items() if letter[0] in output)


def _matrices(values: Any) -> tuple[int, ...]:
    return 1, 1, *np.shape(values)


def factorization(a: Arguments) -> float:
    """Return the elements of linear algebra on a matrix, or a stack of them, with a right-hand side."""
    *stack, rows, columns = _matrices(a.first)
    bound_work(float(prod(stack)) * max(rows, columns) * min(rows, columns) ** 2 * SLOW_STEPS)
    sides = np.shape(a.args[1])[-1] if len(a.args) > 1 and np.ndim(a.args[1]) > 1 else 1
    return float(32 * a.total + 4.0 * prod(stack) * (total(a.args[1:]) + columns * sides))


def full_factorization(a: Arguments) -> float:
    """Return the elements of `svd` and `qr`, whose factors may be square."""
    *stack, rows, columns = _matrices(a.first)
    reduced = a.named.get("full_matrices", True) is False or a.named.get("mode", "") == "reduced"
    return factorization(a) + (0 if reduced else 4 * prod(stack) * max(rows, columns) ** 2)


def fitted(a: Arguments) -> float:
    """Return the elements of `polyfit`."""
    columns = int(np.max(a(2, "deg", 1))) + 1
    bound_work(total(a.first) * float(columns) ** 2 * SLOW_STEPS)
    return 6 * total(a.args[:2]) * max(1, columns)


def polynomial(a: Arguments) -> float:
    """Return the elements of `roots`, `poly` and `polyval`, which is a loop over the coefficients."""
    number = total(a.first)
    bound_loops(number)
    bound_work(float(number) * max(number**2, total(a.args[1:])))
    return 2 * number**2 + 4 * total(a.args)


def convolution(a: Arguments) -> float:
    """Return the elements of `convolve` and `correlate`."""
    bound_work(outer(*a.args[:2]))
    return copies(a)


def variables(a: Arguments) -> float:
    """Return the elements of `cov` and `corrcoef`: a square of the number of variables."""
    axis = 0 if a(2, "rowvar", True) else 1
    shapes = [np.shape(value) for value in (a.first, a(1, "y")) if value is not None]
    number = sum(1 if len(shape) < 2 else shape[axis] for shape in shapes)
    bound_work(number * a.total)
    return 4 * number**2 + 4 * a.total


def differences(a: Arguments) -> float:
    """Return the elements of `diff`, which is a loop over the order."""
    bound_loops(a(1, "n", 1))
    return copies(a)


def sections(a: Arguments) -> float:
    """Return the elements of `split`; the second argument is a number of sections or a list of places."""
    places = a(1, "indices_or_sections", 1)
    bound_loops(total(places) if np.ndim(places) else places)
    return copies(a)


def grid(key: Any) -> float:
    """Return the elements of `mgrid`, `ogrid` and `r_`, which take an index with slices that stand for ranges."""
    lengths = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, slice) and isinstance(part.step, complex):
            lengths.append(abs(part.step) + 1)
        else:
            lengths.append(stepped(part.start, part.stop or 0, part.step) if isinstance(part, slice) else total(part))
    return 3 * max(prod(lengths), sum(lengths)) * max(1, len(lengths))


def indexed(array: Any, key: Any) -> float:
    """Return the limit of elements that an index takes; 0 for one that makes a view."""
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
    return float(2 * max(spread_shapes(picked), 1) * kept * prod(shape) + total(key))


def _is_mask(part: Any) -> bool:
    return isinstance(part, bool | np.bool_ | list | np.ndarray) and np.asarray(part).dtype.kind == "b"


def largest_number(values: Any) -> int:
    """Return the largest of one or several whole numbers, at least 0."""
    numbers = np.asarray(values)
    if numbers.size == 0 or numbers.dtype.kind not in "biuf":
        return 0
    largest = np.max(np.abs(numbers.astype(float)))
    return ceil(largest) if np.isfinite(largest) else 0


def bound_work(steps: float) -> None:
    """Raise MemoryError for more steps than one call may take."""
    if steps > MOST_WORK:
        raise MemoryError(f"this operation takes {steps:.1e} steps, more than the {MOST_WORK:.0e} a program may take")


def bound_loops(number: Any) -> None:
    """Raise MemoryError for more rounds of a loop in Python than one call may take."""
    if number > MOST_LOOPS:
        raise MemoryError(f"{number:.0f} rounds or parts are more than a program may have ({MOST_LOOPS})")


_TABLE: dict[str, Callable[[Arguments], float]] = {
    "transpose swapaxes moveaxis rollaxis squeeze expand_dims flip fliplr flipud rot90 matrix_transpose permute_dims "
    "view": lambda a: 0,
    "sum prod mean max min amax amin any all": lambda a: 0 if a(1, "axis") is None and not a.named else a.total,
    "array ascontiguousarray copy astype reshape ravel flatten atleast_1d atleast_2d atleast_3d argmax argmin "
    "count_nonzero fill item": lambda a: a.total,
    "cumsum cumprod cumulative_sum": lambda a: 2 * a.total,
    "gradient unique isin union1d intersect1d setdiff1d setxor1d": lambda a: 6 * a.total,
    "tolist": lambda a: 15 * total(a.first),  # Python's numbers and their text
    "zeros ones full empty": lambda a: count(a(0, "shape")),
    "zeros_like ones_like full_like empty_like":
        lambda a: a.total + max(count(each or 0) for each in (*a.args[3:], a.named.get("shape"))),
    "resize broadcast_to": lambda a: 2 * count(a(1, "shape", a.named.get("new_shape"))) + total(a.args),
    "arange": lambda a: stepped(a(0, "start", 0), a(1, "stop"), a(2, "step")),
    "linspace logspace geomspace": lambda a: 4 * spread(a(0, "start"), a(1, "stop")) * (1 + count(a(2, "num", 50))),
    "eye identity tri": lambda a: square(a(0, "N", a.named.get("n", 1)), a(1, "M")),
    "tril_indices triu_indices": lambda a: square(a(0, "n", 1), a(2, "m")),
    "tril triu": lambda a: 4.0 * (total(a.first) if np.ndim(a.first) > 1 else total(a.first) ** 2),
    "diag": lambda a: diagonal(a.first, a(1, "k", 0)),
    "vander": lambda a: 2 * total(a.first) * (total(a.first) if a(1, "N") is None else count(a(1, "N"))),
    "repeat": lambda a: total(a.first) * largest_number(a(1, "repeats", 1)) + total(a.args[1:]),
    "tile": lambda a: 2.0 * total(a.first) * max(1, count(a(1, "reps", 1))),
    "pad": lambda a: padded(np.shape(a.first), a(1, "pad_width", 0)),
    "outer kron": lambda a: outer(*a.args, *a.named.values()),
    "meshgrid ix_": lambda a: outer(*a.args) * max(1, len(a.args)),
    "take": lambda a: taken(a.first, a(1, "indices", 0), a(2, "axis")),
    "insert": lambda a: a.total + total(a(1, "obj", 0)) * (1 if a(3, "axis") is None else total(a.first)),
    "concatenate concat stack vstack hstack dstack column_stack append block lexsort":
        lambda a: joined(a.first) + 2 * total(a.args[1:]),
    "nonzero argwhere flatnonzero": lambda a: 4 * total(a.first) * (np.ndim(a.first) + 1),
    "percentile quantile": lambda a: 2 * total(a.first) * (1 + total(a(1, "q", 0))),
    "histogram histogram_bin_edges":
        lambda a: 4 * a.total + (4 * largest_number(a(1, "bins", 10)) if np.ndim(a(1, "bins", 10)) == 0 else 0),
    "bincount": lambda a: 2 * (largest_number(a.first) + largest_number(a(2, "minlength", 0)) + a.total + 2),
    "split array_split hsplit vsplit": sections,
    "diff": differences,
    "cov corrcoef": variables,
    "polyfit": fitted,
    "polyval roots poly": polynomial,
    "convolve correlate": convolution,
    "matmul": product,
    "dot inner": lambda a: product(a, pairwise=False),
    "einsum": einstein_sum,
    "linalg.norm linalg.inv linalg.pinv linalg.det linalg.slogdet linalg.solve linalg.lstsq linalg.eig linalg.eigh "
    "linalg.eigvals linalg.eigvalsh linalg.svdvals linalg.cholesky linalg.matrix_rank linalg.matrix_power "
    "linalg.cond": factorization,
    "linalg.svd linalg.qr": full_factorization,
}  # fmt: skip
RULES = {name: rule for names, rule in _TABLE.items() for name in names.split()}
