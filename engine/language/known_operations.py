"""Operations of a class of the learner's own, recognised among those of the table.

A number is compared with what each operation gives, and the names of operation, method and class are compared with
those of the table (`recognise`). For the graph such a number becomes a Value whose operation has a derivative
(`own_operation`), or one of an operation that the table does not have.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from engine.autograd.kernels import methods_of
from engine.autograd.ops import OPS, Op, with_rule
from engine.autograd.ops import custom_operation as own_op
from engine.autograd.value import Constant, Value, node
from engine.autograd.vocabulary import FormulaError, is_ufunc
from engine.language.array_operations import ARRAY_OPERATIONS, array_operation, gives
from engine.language.guest.numpy_names import UFUNCS
from engine.messages import visible
from engine.teaching.wording import with_texts

RELATIVE, ABSOLUTE = 1e-7, 1e-12
STEP = 1e-6
"""Step of the central difference for functions that the table does not have."""

MEASURED = "Gradstep does not know this operation: its derivatives were measured by moving the inputs a little."
_UNKNOWN = "Gradstep does not know this operation: it shows the data of the program, and no derivative."

KEPT = 1024
"""Answers that each cache of this module holds: names and numbers of programs are without end."""
LONGEST_NAME = 64
"""Characters of the name of an operation; longer texts of a program are not looked up."""
_NUMBER_BEHIND = re.compile(r"^(.*?)[\s(_]*([-+]?[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)?[)\s]*$", re.DOTALL)
_ENDINGS = ("backward", "function", "node", "value", "operation", "op")


_INVERSES: tuple[Callable[[float, float], float], ...] = (
    lambda x, y: y - x,
    lambda x, y: x - y,
    lambda x, y: y / x,
    lambda x, y: x / y,
    lambda x, y: y + x,
    lambda x, y: y * x,
    lambda x, y: math.log(y) / math.log(x),
    lambda x, y: float(y ** (1 / x)),
)
"""Numbers that, together with x, may have given y."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """An operation of the table with what it is applied to.

    Attributes:
        op: of the table.
        arguments: for each argument of its formulas the position of an input as int, or a constant as float.
        fits: its value is that of the node.
    """

    op: Op
    arguments: tuple[int | float, ...]
    fits: bool = True

    def numbers(self, datas: Sequence[float]) -> list[float]:
        """Return the arguments of the formulas for these data of the inputs."""
        return [float(datas[one]) if isinstance(one, int) else one for one in self.arguments]

    def value(self, datas: Sequence[float]) -> float:
        """Return the result of the operation."""
        return _value(self.op, self.numbers(datas))

    def partials(self, datas: Sequence[float], y: float) -> list[float]:
        """Return the derivative by each input; an input that stands for several arguments has the sum."""
        sums = [0.0] * len(datas)
        for one, partial in zip(self.arguments, _partials(self.op, self.numbers(datas), y), strict=True):
            if isinstance(one, int):
                sums[one] += partial
        return sums


def close(a: float | None, b: float, scale: float = 0.0) -> bool:
    """Return True for two numbers that are the same but for rounding; no number is close to an infinite one."""
    if a is None or not math.isfinite(a - b):
        return False
    return abs(a - b) <= ABSOLUTE * max(1.0, scale) + RELATIVE * min(abs(a), abs(b))


def recognise(
    name: str, data: float, datas: Sequence[float], hints: Sequence[str], in_set: bool = False
) -> list[Recognised]:
    """Return the operations that a number may have been computed by, the likeliest first.

    Args:
        name: text that names the operation; may be empty.
        data: the number.
        datas: the data of its inputs, in their order.
        hints: further names of the operation: text of the operation, method, class.
        in_set: True where the inputs are held in a set, which knows no order and holds nothing twice.

    Returns:
        Those whose value is the number, then those that only the hints name, with `fits` False.
    """
    scale = max((abs(each) for each in datas if math.isfinite(each)), default=0.0)
    named = named_by(tuple(hints))
    of_hints = list(_candidates(name, data, datas, named, named, in_set))
    if sure := [one for one in of_hints if close(data, one.value(datas), scale)]:
        return sure
    others = [*_candidates(name, data, datas, _guesses(name, data, datas), named, in_set), *_of_libraries(datas, hints)]
    found = [one for one in others if close(data, one.value(datas), scale)]
    if written := number_behind(name):  # of numbers that are not finite nothing else tells x**2 from x**x
        of_hints.sort(key=lambda one: float(written) not in [each for each in one.arguments if each.__class__ is float])
    return found + [replace(one, fits=False) for one in of_hints]


def _guesses(name: str, data: float, datas: Sequence[float]) -> list[Op]:
    """Return the operations that a number alone may speak for; what has a name of its own may be something else.

    Steps, identities and x / x give 0, ±1 or their input, and beside its kink `max` gives what many others give.
    """
    if not name:
        return list(OPS.values())
    says_little = len(datas) == 1 and abs(data) in (0.0, 1.0, abs(datas[0]))
    return [] if says_little else [op for op in OPS.values() if not op.kink]


def _of_libraries(datas: Sequence[float], hints: Sequence[str]) -> Iterator[Recognised]:
    """Yield functions of one number that only math or numpy has, such as `square`, by their names."""
    for hint in _short_enough(hints) if len(datas) == 1 else ():
        name = _bare(hint)
        if name.isidentifier() and name not in OPS and (op := _named_in_libraries(name)) is not None:
            yield Recognised(op, (0,))


@lru_cache(KEPT)
def _named_in_libraries(name: str) -> Op | None:
    """Return a function of math or numpy as an operation with a central difference as derivative; None without one.

    The name is the program's own: it may call only what computes a number of a number, not `numpy.test`.
    """
    if not hasattr(math, name) and not (name in UFUNCS and is_ufunc(name, 1)):
        return None
    try:
        op = Op(name, f"{name}(x)", (f"({name}(x + {STEP}) - {name}(x - {STEP})) / {2 * STEP}",))
        return op if math.isfinite(float(op.scalar(0.5))) else None
    except (FormulaError, TypeError, ValueError, ArithmeticError):
        return None


def _short_enough(hints: Sequence[str]) -> list[str]:
    """Return the texts that are short enough for the name of an operation."""
    return [hint for hint in hints if len(hint) <= LONGEST_NAME]


@lru_cache(KEPT)
def named_by(hints: tuple[str, ...]) -> list[Op]:
    """Return the operations that any of these texts names."""
    return [op for op in OPS.values() if any(names(op, hint) for hint in _short_enough(hints))]


def _candidates(
    name: str, data: float, datas: Sequence[float], ops: Sequence[Op], with_constants: Sequence[Op], in_set: bool
) -> Iterator[Recognised]:
    """Yield what the operations may be applied to; those `with_constants` to a number that is no input, too."""
    count = len(datas)
    orders = list(permutations(range(count))) if count == 2 else [tuple(range(count))]
    for op in ops:
        if op.elementwise and op.arity == count:
            for order in orders:
                yield Recognised(op, order)
        elif op.elementwise and op.arity == 2 and count == 1:
            if in_set and (op in with_constants or not name):
                yield Recognised(op, (0, 0))
            if op in with_constants:
                yield from _with_constant(op, name, datas[0], data)
        elif count >= 2 and len(op.arguments) == 1 and not op.elementwise and _is_reduction(op):
            yield Recognised(op, tuple(range(count)))


def _with_constant(op: Op, name: str, x: float, y: float) -> Iterator[Recognised]:
    """Yield an operation of one input and a number that is no input: written behind the sign, or worked out."""
    numbers = []
    if written := number_behind(name):
        numbers.append(float(written))
    for attempt in _INVERSES:
        try:
            number = attempt(x, y)
        except (ArithmeticError, ValueError, TypeError):
            continue
        if math.isfinite(number):
            rounded = round(number, 9)
            numbers.append(rounded if close(number, rounded) else number)
    for number in numbers:
        for arguments in ((0, number), (number, 0)):
            candidate = Recognised(op, arguments)
            if close(candidate.value([x]), y):
                yield candidate
    if written:
        yield Recognised(op, (0, float(written)))


def number_behind(text: str) -> str:
    """Return the number at the end of a text, `2` of `**2`; "" without one."""
    found = _NUMBER_BEHIND.match(text) if len(text) <= LONGEST_NAME else None
    return (found[2] or "") if found and found[1] else ""


@lru_cache(KEPT)
def _names_of(op: Op) -> frozenset[str]:
    methods = [method for method, _ in methods_of(op)]
    return frozenset({op.infix, op.symbol.lower(), op.name, *op.synonyms, *methods} - {""})


def _bare(text: str) -> str:
    """Return the name of an operation in that of its class: `square` of `SquareBackward`."""
    text = text.lower().strip("_")
    for ending in _ENDINGS:
        text = text.removesuffix(ending).strip("_")
    return text


@lru_cache(KEPT)
def names(op: Op, hint: str) -> bool:
    """Return True for a text that names an operation: its sign, the beginning of its name, its method, or its class."""
    found = _NUMBER_BEHIND.match(hint)
    text = (found[1] if found and found[1] else hint).strip().lower()
    if text in _names_of(op):
        return True
    text = _bare(text)
    known = {name.strip("_") for name in _names_of(op)}
    if text in known:
        return True
    return len(text) >= 3 and text.isidentifier() and any(
        len(name) >= 3 and name.isidentifier() and (text.startswith(name) or name.startswith(text)) for name in known
    )  # fmt: skip


def _is_reduction(op: Op) -> bool:
    return op.variadic or set(dict(op.settings)) == {"axis", "keepdims"}


def _value(op: Op, numbers: Sequence[float]) -> float:
    if op.elementwise:
        return float(op.scalar(*numbers))
    return float(op.scalar(numbers) if op.variadic else op.array(np.array(numbers)))


def _partials(op: Op, numbers: Sequence[float], y: float) -> list[float]:
    if op.elementwise:
        return [float(partial(*numbers, y)) for partial in op.scalar_partials]
    if op.variadic:
        return [float(op.scalar_partials[0](number, y)) for number in numbers]
    return [float(g) for g in op.array_vjps[0](np.array(numbers), np.float64(y), np.float64(1.0))]


# As Values


def own_operation(name: str, inputs: Sequence[Value], data: Any) -> Value:
    """Return a computed number of the program's own class as a Value.

    Args:
        name: what the object calls its operation, such as `+`, `**2` or `ReLU`; may be empty.
        inputs: what it was computed from, one or more; the order means nothing when the class keeps a set.
        data: its number.
    """
    name, numbers = name.strip(), [value.data for value in inputs]
    if data.__class__ is not float or any(number.__class__ is not float for number in numbers):
        named = (op for op in named_by((name,)) if op.elementwise and op.arity == len(inputs))
        op = next((op for op in named if gives(op.array, numbers, data)), None)
        return node(data, op, *inputs) if op is not None else unlisted_operation(name, inputs, data)
    return next(fitting_operations(name, inputs, data), None) or unlisted_operation(name, inputs, data)


def fitting_operations(name: str, inputs: Sequence[Value], data: float) -> Iterator[Value]:
    """Yield the nodes of the table's operations that give a number, the likeliest first."""
    numbers, named = [value.data for value in inputs], named_by((name,))
    allowed = named or _guesses(name, data, numbers)
    for found in _likely(name, len(inputs)):
        if found.op in allowed and close(found.value(numbers), data):
            yield node(data, found.op, *_arguments(found.arguments, inputs))
    for found in sorted(recognise(name, data, numbers, (name,), in_set=True), key=lambda each: each.op not in named):
        if found.op.elementwise:
            yield node(data, found.op, *_arguments(found.arguments, inputs))
        elif found.op.variadic and not found.op.paired:
            yield node(data, found.op, tuple(inputs))


@lru_cache(KEPT)
def _likely(name: str, count: int) -> tuple[Recognised, ...]:
    """Return the usual meanings of a name; of one that says nothing all plain operations."""
    orders = [tuple(range(count)), (1, 0)] if count == 2 else [tuple(range(count))]
    written = number_behind(name)
    found: list[Recognised] = []
    named = named_by((name,))
    for op in named or OPS.values():
        if op.elementwise and op.arity == count:
            found += [Recognised(op, order) for order in orders]
        elif op.elementwise and op.arity == 2 and count == 1:
            found += [Recognised(op, (0, float(written)))] if written else []
            found += [] if name and not named else [Recognised(op, (0, 0))]
    return tuple(found)


def linearised(name: str, inputs: Sequence[Value], data: float, slopes: Sequence[float]) -> Value:
    """Return a computed number of an operation that the table does not have, with the slopes that were measured.

    Args:
        name: what the learner calls the operation.
        inputs: what it was computed from.
        data: its number.
        slopes: its derivatives by the inputs.
    """
    shown = visible(name.strip(), 20) or "?"
    if len(inputs) > 2:
        op = own_op(shown, len(inputs))
        value = node(data, op, tuple(inputs))

        def pull() -> None:
            for source, slope in zip(inputs, slopes, strict=True):
                source.grad = source.grad + slope * value.grad

        value.op = with_rule(op, pull)
        return value
    letters = "x" if len(inputs) == 1 else "ab"
    terms = [f"{slope!r} * {letter}" for slope, letter in zip(slopes, letters, strict=True)]
    rest = data - sum(slope * source.data for slope, source in zip(slopes, inputs, strict=True))
    partials = tuple(f"{slope!r} + 0 * {letter}" for slope, letter in zip(slopes, letters, strict=True))
    return node(data, Op(shown, " + ".join([*terms, repr(rest)]), partials, rule=MEASURED), *inputs)


def _arguments(arguments: Sequence[int | float], inputs: Sequence[Value]) -> list[Value]:
    return [inputs[one] if isinstance(one, int) else Constant(one) for one in arguments]


def unlisted_operation(name: str, inputs: Sequence[Value], data: Any) -> Value:
    """Return a number of an operation that is not in the table: drawn, with a derivative only where its name is known.

    Args:
        name: of the operation in the program's own torch, such as `reshape`, or what the learner's class calls it.
        inputs: what it was computed from, one or more.
        data: its number.
    """
    shown, datas = visible(name, 20) or "?", [value.data for value in inputs]
    if name in ARRAY_OPERATIONS or any(each.__class__ is not float for each in (data, *datas)):
        op = array_operation(shown, name, datas, data, _UNKNOWN)
        return node(data, op, *inputs) if len(inputs) < 3 else node(data, op, tuple(inputs))
    number = repr(float(data)) if data.__class__ is float and math.isfinite(data) else "0.0"
    op = _foreign_operation(shown, number, len(inputs))
    return node(data, op, *inputs) if op.arity else node(data, op, tuple(inputs))


def is_unknown(value: Value) -> bool:
    """Return True for a number of an operation whose derivatives are not known."""
    return value.op is not None and value.op.rule == _UNKNOWN


@lru_cache(KEPT)
def _foreign_operation(shown: str, number: str, count: int) -> Op:
    if count == 1:
        return Op(shown, f"0 * x + {number}", ("0 * x",), rule=_UNKNOWN)
    if count == 2:
        return Op(shown, f"0 * a + {number}", ("0 * a", "0 * b"), rule=_UNKNOWN)
    return Op(shown, f"0 * logsumexp(x) + {number}", ("0 * x",), variadic=True, rule=_UNKNOWN)


def formula_text(text: str, letters: Mapping[str, str]) -> str:
    """Return a formula of the table in the learner's words: `1 - out.data**2`."""
    return with_texts(text, letters).replace(" ** ", "**")


def partial_text(operation: Recognised, position: int, letters: Mapping[str, str]) -> str:
    """Return the right gradient of an input in the learner's words: `y.data * out.grad`."""
    op = operation.op
    places = [at for at, one in enumerate(operation.arguments) if one.__class__ is int and one == position]
    if not op.elementwise or not places or op.name not in OPS:
        return f"the slope of {op.name} * {letters['g']}"
    texts = [_times_gradient(op.partials[at], letters) for at in places]
    return " + ".join(texts)


def _times_gradient(text: str, letters: Mapping[str, str]) -> str:
    if text in ("1", "-1"):
        return text.removesuffix("1") + letters["g"]
    body = ast.parse(text, mode="eval").body
    loose = (isinstance(body, ast.BinOp) and isinstance(body.op, (ast.Add, ast.Sub))) or isinstance(body, ast.Call)
    formula = formula_text(text, letters)
    loose = loose and (" if " in formula or isinstance(body, ast.BinOp))
    return f"({formula}) * {letters['g']}" if loose else f"{formula} * {letters['g']}"
