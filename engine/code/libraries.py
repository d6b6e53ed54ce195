"""The libraries that exported programs are written for, and how each writes an operation.

A library is an entry of LIBRARIES: the spelling of the functions in the table's formulas, its own version of an
operation where that differs at a kink or is more stable, and the helper functions that a program defines when it calls
them. Everything else comes from the table of operations: an operation that is added there is exported, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.autograd.ops import ALL_ELEMENTS, OPS, Op
from engine.code.formulas import rewritten

LONGEST_LINE = 110
INDENT = "    "


class CodeError(ValueError):
    """A graph or network that cannot be written as a program, with the reason."""


@dataclass(frozen=True)
class Library:
    """One target of the code export.

    Attributes:
        name: its key in LIBRARIES, and its name on the command line.
        title: as a menu writes it.
        package: name for pip; empty when nothing has to be installed.
        imports: line of a program that imports it.
        setup: lines that follow the imports.
        words: expression for each function of the formulas; others get the prefix.
        prefix: such as `np.`.
        own: expression for an operation instead of the table's formula.
        definitions: helper functions by name; written when something calls them.
        leaf: pattern of a leaf that holds a number or a nested list.
        everything: text for all axes in a reduction.
        index_array: function that makes an array used as an index; empty: no arrays.
        comparison: source of the function that compares found with expected numbers.
    """

    name: str
    title: str
    imports: str = ""
    package: str = ""
    setup: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    prefix: str = "math."
    own: Mapping[str, str] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)
    leaf: str = "Value({})"
    everything: str = "None"
    index_array: str = ""
    comparison: str = ""

    @property
    def has_arrays(self) -> bool:
        return bool(self.index_array)

    def rewritten(self, formula: str, operands: Mapping[str, str]) -> str:
        """Return a formula of the table as an expression of this library."""
        return rewritten(formula, operands, self.words, self.prefix, choices=not self.has_arrays)

    def call(self, op: Op, operands: Sequence[str], constant: Sequence[bool]) -> str:
        """Return the expression that computes an operation.

        Args:
            op: of the table.
            operands: an expression for each input.
            constant: True for inputs that are written as plain numbers.

        Raises:
            CodeError: when the library cannot compute it.
        """
        if "index" in dict(op.settings):
            return f"{operands[0]}[{self.index_source(dict(op.settings)['index'])}]"
        if op.paired:
            pairs = zip(operands[0:-1:2], operands[1:-1:2], strict=True)
            return " + ".join([*(f"{w} * {x}" for w, x in pairs), operands[-1]])
        arguments = {"x": f"[{', '.join(operands)}]"} if op.variadic else dict(zip(op.arguments, operands, strict=True))
        arguments |= self._settings(op)
        if op.name in self.own:
            formula = self.own[op.name]
            if dict(op.settings) == dict(ALL_ELEMENTS):
                formula = re.sub(r", (axis|dim)=axis, keepdims?=keepdims", "", formula)
            return rewritten(formula, arguments, {}, "", choices=False)
        if self.has_arrays:
            return self.rewritten(op.value, arguments)
        if op.infix and (op.infix != "**" or constant[1]):
            return self.rewritten(op.value, arguments)
        return f"{function_name(op)}({', '.join(arguments.values())})"

    def name_of(self, op: Op) -> str:
        """Return an operation on one number as a function, which may be passed on."""
        return f"lambda x: {self.own[op.name]}" if op.name in self.own else function_name(op)

    def vjp(self, op: Op, index: int, operands: Sequence[str], result: str, upstream: str) -> str:
        """Return the expression of the gradient that an operation hands to one of its inputs."""
        if "index" in dict(op.settings):
            return f"scatter({upstream}, {operands[0]}, np.s_[{self.index_source(dict(op.settings)['index'])}])"
        if op.paired:
            return upstream if index == len(operands) - 1 else f"{upstream} * {operands[index ^ 1]}"
        arguments = {"x": operands[index]} if op.variadic else dict(zip(op.arguments, operands, strict=True))
        formula = op.vjps[index] if op.vjps else ""
        if not op.vjps:
            partial = op.partials[0 if op.variadic else index]
            formula = {"1": "g", "-1": "-g"}.get(partial, f"g * ({partial})")
        return self.rewritten(formula, arguments | {"y": result, "g": upstream} | self._settings(op))

    def _settings(self, op: Op) -> dict[str, str]:
        settings = {name: repr(value) for name, value in op.settings if name != "index"}
        return settings | ({"axis": self.everything} if settings.get("axis") == "None" else {})

    def index_source(self, index: Any) -> str:
        """Return an index as source text between brackets."""
        if isinstance(index, tuple):
            return ", ".join(map(self.index_source, index)) + ("," if len(index) == 1 else "") if index else "()"
        if isinstance(index, slice):
            if index.step is not None and index.step < 0 and self.name == "pytorch":
                raise CodeError("PyTorch has no slices with a negative step; choose NumPy or JAX")
            start, stop, step = ("" if part is None else repr(part) for part in (index.start, index.stop, index.step))
            return f"{start}:{stop}" + (f":{step}" if step else "")
        if isinstance(index, np.ndarray) and index.ndim:
            return f"{self.index_array}({index.tolist()})"
        return "..." if index is ... else repr(index.item() if isinstance(index, np.generic | np.ndarray) else index)

    def definitions_for(self, body: str) -> str:
        """Return the helper functions that a text calls, and those that these call, in the order of their need."""
        found: dict[str, str] = {}
        available = self.definitions if self.has_arrays else _scalar_definitions(self)
        waiting = body
        while missing := [
            name for name in available if name not in found and re.search(rf"(?<![.\w]){name}[(,\]]", waiting)
        ]:
            found |= {name: available[name] for name in missing}
            waiting = "\n".join(available[name] for name in missing)
        return "".join(f"\n\n{available[name].strip()}\n" for name in available if name in found)


def function_name(op: Op) -> str:
    """Name of an operation as a function of an exported program, without hiding one of Python's own."""
    return {"max": "maximum", "min": "minimum", "abs": "absolute", "pow": "power"}.get(op.name, op.name)


def _scalar_definitions(library: Library) -> dict[str, str]:
    """Return the operations on numbers as functions of Values, from the table's formulas."""
    found = dict(library.definitions)
    for op in OPS.values():
        if not op.vjps and not op.paired and op.infix not in ("+", "-", "*", "/"):
            found[function_name(op)] = _scalar_definition(library, op)
    return found


def _scalar_definition(library: Library, op: Op) -> str:
    """Return an operation on numbers as a function of Values: data, then partials for the engine that there is."""
    takes = ("value",) if op.arity == 1 else ("left", "right")
    value, inputs = library.rewritten(op.value, {name: name for name in op.arguments}), f"({', '.join(takes)},)"
    head = [f"def {function_name(op)}({', '.join(takes)}):", f'{INDENT}"""{op.rule}"""']
    datas = f"{', '.join(op.arguments)} = {', '.join(f'{name}.data' for name in takes)}"
    if op.variadic:
        head = [f"def {function_name(op)}(values):", f'{INDENT}"""{op.rule}"""']
        inputs, datas = "values", "x = [value.data for value in values]"
    operands = {"x": "value.data"} if op.variadic else {name: name for name in op.arguments}
    partials = [library.rewritten(partial, operands | {"y": "y"}) for partial in op.partials]
    body = [datas, f"y = {value}"]
    if library.name == "python":
        if any(len(partial) > LONGEST_LINE - 50 for partial in partials):
            body += [line for i, p in enumerate(partials) for line in wrapped(f"partial_{i + 1} = ", p)]
            partials = [f"partial_{i + 1}" for i in range(len(partials))]
        derivatives = f"[{partials[0]} for value in values]" if op.variadic else f"({', '.join(partials)},)"
        body += [f"return Value(y, {inputs}, {derivatives})"]
    else:
        body += [f"out = Value(y, {inputs}, {op.name!r})", "", "def backward():"]
        if op.variadic:
            body += [f"{INDENT}for value in values:", f"{INDENT * 2}value.grad += {partials[0]} * out.grad"]
        for taken, partial in zip(() if op.variadic else takes, partials, strict=not op.variadic):
            body += [INDENT + line for line in wrapped(f"{taken}.grad += ", f"({partial}) * out.grad")]
        body += ["", "out._backward = backward", "return out"]
    return "\n".join([*head, *(f"{INDENT}{line}".rstrip() for line in body)])


def wrapped(start: str, text: str, end: str = "") -> list[str]:
    """Return `start text end` in lines of a readable length, broken after commas or before plus signs."""
    if len(start) + len(text) + len(end) <= LONGEST_LINE:
        return [f"{start}{text}{end}"]
    bracketed = start.endswith(("(", "["))
    parts = re.split(r"(?<=,) " if bracketed else r" (?=[+] )", text)
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > LONGEST_LINE - 8:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + part
    opening, closing = ("", end) if bracketed else ("(", ")")
    return [f"{start}{opening}".rstrip(" "), *(f"{INDENT}{line}" for line in lines), f"{closing}"]


ENGINE = '''

class Value:
    """A number that remembers how it was computed.

    Attributes:
        data: the number.
        grad: derivative of the value that `backward` was called on with respect to this one.
        inputs: the values it was computed from.
        partials: its derivative with respect to each of them.
    """

    def __init__(self, data, inputs=(), partials=()):
        self.data, self.grad = float(data), 0.0
        self.inputs, self.partials = inputs, partials

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data / other.data, (self, other), (1 / other.data, -self.data / other.data**2))

    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, (self, other), (1.0, -1.0))

    def __pow__(self, exponent):
        slope = exponent * self.data ** (exponent - 1) if exponent else 0.0
        return Value(self.data**exponent, (self,), (slope,))

    def __neg__(self):
        return Value(-self.data, (self,), (-1.0,))

    def __radd__(self, other):
        return Value(other) + self

    def __rsub__(self, other):
        return Value(other) - self

    __rmul__ = __mul__

    def __rtruediv__(self, other):
        return Value(other) / self

    def backward(self):
        """Add the derivative of this value to the gradient of everything it was computed from."""
        order, seen, stack = [], set(), [(self, False)]
        while stack:  # inputs before the values that use them, without recursion
            value, done = stack.pop()
            if done:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                stack.append((value, True))
                stack.extend((each, False) for each in reversed(value.inputs))
        self.grad = 1.0
        for value in reversed(order):
            for each, partial in zip(value.inputs, value.partials):
                each.grad += value.grad * partial
'''

_SCALAR_WORDS = {
    "max": "max",
    "min": "min",
    "abs": "abs",
    "exp": "exp_of",
    "sigmoid": "sigmoid_of",
    "logsumexp": "logsumexp_of",
}
_SCALAR_DEFINITIONS = {
    "exp_of": "def exp_of(x):\n    return math.exp(x) if x < 709 else math.inf",
    "sigmoid_of": "def sigmoid_of(x):\n    return 1 / (1 + exp_of(-x))",
    "logsumexp_of": (
        "def logsumexp_of(numbers):\n    largest = max(numbers)\n"
        "    return largest + math.log(sum(math.exp(x - largest) for x in numbers))"
    ),
}
_COMPARISON = '''
largest = 0.0  # difference so far


def compare(name, found, expected):
    """Stop if a number is not Gradstep's; differences are relative to numbers larger than 1."""
    global largest
    difference = {difference}
    assert difference < 1e-9, f"{{name}} is {{found}}, in Gradstep {{expected}}"
    largest = max(largest, difference)
'''
_SCALAR_COMPARISON = _COMPARISON.format(difference="abs(found - expected) / max(1.0, abs(expected))")
_ARRAY_COMPARISON = _COMPARISON.format(
    difference="float(np.max(abs(found - expected) / np.maximum(1.0, abs(expected)), initial=0.0))"
).replace(
    "    difference =",
    "    found, expected = np.asarray(found), np.asarray(expected)\n"
    '    assert found.shape == expected.shape, f"{name} has the shape {found.shape}"\n'
    "    difference =",
)
_TORCH_COMPARISON = _COMPARISON.format(
    difference="float(torch.max(abs(found - expected) / abs(expected).clamp(min=1.0))) if found.numel() else 0.0"
).replace(
    "    difference =",
    "    found, expected = torch.as_tensor(found).detach(), torch.as_tensor(expected, dtype=torch.float64)\n"
    '    assert found.shape == expected.shape, f"{name} has the shape {tuple(found.shape)}"\n'
    "    difference =",
)
_NUMPY_DEFINITIONS = {
    "sigmoid": """
def sigmoid(x):
    return np.where(x >= 0, 1.0, np.exp(np.minimum(x, 0.0))) / (1 + np.exp(-np.abs(x)))
""",
    "logsumexp": '''
def logsumexp(x):
    """log(sum(exp(x))) along the last axis, without overflow."""
    x = np.asarray(x)
    largest = np.max(x, axis=-1, keepdims=True)
    return np.log(np.sum(np.exp(x - largest), axis=-1)) + largest[..., 0]
''',
    "spread": '''
def spread(g, x, axis, keepdims):
    """Repeat the gradient of a sum for every element of x that was added."""
    return np.broadcast_to(g if axis is None or keepdims else np.expand_dims(g, axis), np.shape(x))
''',
    "share": '''
def share(g, x, y, axis, keepdims):
    """Share the gradient of a largest element y equally among the elements of x that equal it."""
    chosen = (x == spread(y, x, axis, keepdims)).astype(float)
    return spread(g, x, axis, keepdims) * chosen / np.sum(chosen, axis=axis, keepdims=True)
''',
    "count": '''
def count(x, axis):
    """Number of elements that a sum along an axis adds up."""
    return x.size // max(1, np.sum(x, axis=axis).size)
''',
    "scatter": '''
def scatter(g, x, index):
    """Gradient of x[index] with respect to x: an element taken twice gets both gradients."""
    gradient = np.zeros(np.shape(x))
    np.add.at(gradient, index, g)
    return gradient
''',
    "column": """
def column(v):
    return np.expand_dims(v, -1)
""",
    "matmul_left": '''
def matmul_left(g, a, b):
    """Gradient of a @ b with respect to a."""
    if b.ndim == 1:
        return g * b if a.ndim == 1 else g[..., None] * b
    return (b @ g[..., None])[..., 0] if a.ndim == 1 else g @ np.swapaxes(b, -1, -2)
''',
    "matmul_right": '''
def matmul_right(g, a, b):
    """Gradient of a @ b with respect to b."""
    if a.ndim == 1:
        return g * a if b.ndim == 1 else a[:, None] * g[..., None, :]
    return (np.swapaxes(a, -1, -2) @ g[..., None])[..., 0] if b.ndim == 1 else np.swapaxes(a, -1, -2) @ g
''',
    "summed_like": '''
def summed_like(g, x):
    """Undo broadcasting: add up the gradient along the axes that x was repeated along."""
    g = np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(x))))
    axes = tuple(i for i, length in enumerate(np.shape(x)) if length == 1 and g.shape[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g
''',
}
_TORCH_DEFINITIONS = {
    "transpose": """
def transpose(x):
    return x.permute(*reversed(range(x.ndim)))
"""
}
_ARRAY_WORDS = {"max": "{}.maximum", "min": "{}.minimum", "where": "{}.where", "transpose": "{}.transpose"}


def _array_words(module: str) -> dict[str, str]:
    return {name: text.format(module) for name, text in _ARRAY_WORDS.items()}


LIBRARIES: Mapping[str, Library] = {
    library.name: library
    for library in (
        Library(
            "python", "Plain Python", words=_SCALAR_WORDS,
            definitions=_SCALAR_DEFINITIONS, comparison=_SCALAR_COMPARISON,
        ),
        Library(
            "micrograd", "micrograd", "from micrograd.engine import Value",
            package="micrograd", words=_SCALAR_WORDS, own={"relu": "x.relu()"},
            definitions=_SCALAR_DEFINITIONS, comparison=_SCALAR_COMPARISON,
        ),
        Library(
            "numpy", "NumPy", "import numpy as np", package="numpy", prefix="np.", leaf="np.array({})",
            words=_array_words("np") | {
                name: name for name in ("sigmoid", "logsumexp", *_NUMPY_DEFINITIONS)
            },
            own={
                "sum": "np.sum(x, axis=axis, keepdims=keepdims)",
                "mean": "np.mean(x, axis=axis, keepdims=keepdims)",
                "amax": "np.amax(x, axis=axis, keepdims=keepdims)",
                "amin": "np.amin(x, axis=axis, keepdims=keepdims)",
            },
            definitions=_NUMPY_DEFINITIONS, index_array="np.array", comparison=_ARRAY_COMPARISON,
        ),
        Library(
            "pytorch", "PyTorch", "import torch", setup="torch.set_default_dtype(torch.float64)", package="torch",
            prefix="torch.", leaf="torch.tensor({}, requires_grad=True)", everything="()",
            words=_array_words("torch"),
            own={
                "relu": "torch.relu(x)",
                "leaky_relu": "torch.nn.functional.leaky_relu(x, 0.01)",
                "elu": "torch.nn.functional.elu(x)",
                "softplus": "-torch.nn.functional.logsigmoid(-x)",
                "sum": "torch.sum(x, dim=axis, keepdim=keepdims)",
                "mean": "torch.mean(x, dim=axis, keepdim=keepdims)",
                "amax": "torch.amax(x, dim=axis, keepdim=keepdims)",
                "amin": "torch.amin(x, dim=axis, keepdim=keepdims)",
                "transpose": "transpose(x)",
                "logsumexp": "torch.logsumexp(torch.stack(x), dim=0)",
                "logsumexp_rows": "torch.logsumexp(x, dim=-1)",
            },
            definitions=_TORCH_DEFINITIONS,
            index_array="torch.tensor", comparison=_TORCH_COMPARISON,
        ),
        Library(
            "jax", "JAX", "import jax\nimport jax.numpy as jnp", setup='jax.config.update("jax_enable_x64", True)',
            package="jax", prefix="jnp.", leaf="jnp.array({})",
            words=_array_words("jnp") | {"sigmoid": "jax.nn.sigmoid"},
            own={
                "abs": "x * jnp.sign(x)",
                "relu": "jax.nn.relu(x)",
                "leaky_relu": "jnp.where(x > 0, x, 0.01 * x)",
                "elu": "jax.nn.elu(x)",
                "softplus": "jax.nn.softplus(x)",
                "sum": "jnp.sum(x, axis=axis, keepdims=keepdims)",
                "mean": "jnp.mean(x, axis=axis, keepdims=keepdims)",
                "amax": "jnp.max(x, axis=axis, keepdims=keepdims)",
                "amin": "jnp.min(x, axis=axis, keepdims=keepdims)",
                "logsumexp": "jax.nn.logsumexp(jnp.stack(x))",
                "logsumexp_rows": "jax.nn.logsumexp(x, axis=-1)",
            },
            index_array="jnp.array", comparison=_ARRAY_COMPARISON,
        ),
    )
}  # fmt: skip
"""Every library by name, in the order of a menu."""
