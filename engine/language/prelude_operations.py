"""What the prelude says of each operation, written from the table (`engine/autograd/ops.py`).

Value, partials, what pulls the gradient back, methods, operators and the function for programs, as texts in the words
of `sandboxed/values.txt`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from engine.autograd import formula
from engine.autograd.kernels import methods_of
from engine.autograd.ops import OPS, Op
from engine.autograd.vocabulary import scalar_named
from engine.language.words import OWN

HOST_FUNCTION = f"{OWN}numpy"
"""What computes functions of formulas that the sandbox does not have: a call out of it, slow, and of numbers alone."""

_VOCABULARY = frozenset(
    {"exp", "log", "log1p", "sqrt", "sin", "cos", "tanh", "power", "max", "min", "where", "abs", "logsumexp", "sigmoid"}
)
"""The functions of formulas that `values.txt` defines, with a low line in front."""

_SPOKEN: Mapping[str, str] = {"max": "_larger", "min": "_smaller", "pi": "_pi", "_sum": f"{OWN}python_sum"}
"""Names of formulas that are called otherwise in `values.txt`."""

_OF_MATH: Mapping[str, str] = {
    "arctan": "atan", "arcsin": "asin", "arccos": "acos", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "absolute": "fabs",
}  # fmt: skip
"""numpy's names of functions that math calls otherwise."""

_ARRAY_PULLS = (
    "'matmul': _pull_matmul, 'transpose': _pull_transposed, 'sum': _pull_reduced, 'mean': _pull_reduced, "
    "'getitem': _pull_element"
)
"""What pulls the gradient of the operations that mix the elements of arrays."""


def functions_text(op: Op) -> str:
    """The functions of one operation: value, partials, what pulls its gradient back, and the one for programs."""
    if op.variadic:
        return _paired(op) if op.paired else _variadic(op)
    arguments = ", ".join(op.arguments)
    parts = [f"def _f_{op.name}({arguments}):\n    return {_careful(op.value)}\n"]
    for index, partial in enumerate(op.partials):
        parts.append(f"def _p_{op.name}_{index}({arguments}, y):\n    return {_careful(partial)}\n")
    return "\n\n".join([*parts, _puller(op), _function(op)]) + "\n\n"


def _paired(op: Op) -> str:
    """A weighted sum: its inputs are held as all weights, all inputs, and the number more."""
    of_weight, of_input, of_bias = map(_careful, op.partials)
    return f'''
def _op_{op.name}(*inputs):
    if len(inputs) < 3 or len(inputs) % 2 == 0:
        given = str(len(inputs)) + " given"
        raise TypeError("{op.name} takes 3, 5, 7, … (weight, input, …, bias) inputs, " + given)
    return _weighted(inputs[0:-1:2], inputs[1:-1:2], inputs[-1])


def _pull_{op.name}(value, inputs, g):
    n = len(inputs) // 2
    b = inputs[2 * n].data
    y = value.data
    for i in range(n):
        weight = inputs[i]
        source = inputs[n + i]
        w = weight.data
        x = source.data
        weight.grad += g * ({of_weight})
        source.grad += g * ({of_input})
    inputs[2 * n].grad += g * ({of_bias})


def _paired_value(w, x, b):
    return {_careful(op.value)}


_PAIRED = {op.name!r}
'''


def _variadic(op: Op) -> str:
    return f'''
def _op_{op.name}(*inputs):
    if len(inputs) == 1 and type(inputs[0]) in (list, tuple):
        inputs = inputs[0]
    if not inputs:
        raise TypeError("{op.name} takes at least 1 input, 0 given")
    held = tuple([value if _is_value(value) else _single(value) for value in inputs])
    x = [value.data for value in held]
    return _made({_careful(op.value)}, held, {op.name!r})


def _pull_{op.name}(value, inputs, g):
    y = value.data
    for source in inputs:
        x = source.data
        source.grad += g * ({_careful(op.partials[0])})
'''


def _puller(op: Op) -> str:
    """Adds upstream gradient times partial to the gradient of each input."""
    letters = formula.letters(*op.partials)
    lines = [
        f"def _pull_{op.name}(value, inputs, g):",
        "    if type(g) is not float or type(value.data) is Array:",
        f"        return _pull_each(value, inputs, g, _PARTIALS[{op.name!r}])",
    ]
    lines += [f"    i{index} = inputs[{index}]" for index in range(len(op.partials))]
    lines += [f"    {name} = i{index}.data" for index, name in enumerate(op.arguments) if name in letters]
    lines += ["    y = value.data"] if "y" in letters else []
    for index, partial in enumerate(op.partials):
        if partial in ("1", "-1"):
            lines.append(f"    i{index}.grad {'+' if partial == '1' else '-'}= g")
        else:
            lines.append(f"    i{index}.grad += g * ({_careful(partial)})")
    return "\n".join(lines) + "\n"


def _function(op: Op) -> str:
    """The operation as a function for programs: of numbers, arrays and Values."""
    count = len(op.arguments)
    names = ", ".join(op.arguments)
    result = f"x.{op.name}()" if count == 1 else _written_out(op)
    plain = f"_each(_f_{op.name}, x)" if count == 1 else f"_combined(_f_{op.name}, a, b)"
    arrays = " or ".join(f"type({name}) is Array" for name in op.arguments)
    return (
        f"def _op_{op.name}(*inputs):\n"
        f"    if len(inputs) != {count}:\n"
        f"        raise TypeError('{op.name} takes {_counted(count)}, ' + str(len(inputs)) + ' given')\n"
        f"    {names}{',' if count == 1 else ''} = inputs\n"
        f"    if {' or '.join(f'_is_value({name})' for name in op.arguments)}:\n"
        f"        return {'-x' if op.infix and count == 1 else result}\n"
        f"    if {arrays}:\n"
        f"        return {plain}\n"
        f"    for number in inputs:\n"
        f"        if type(number) not in _REAL:\n"
        f"            raise TypeError({op.name!r} + ' takes numbers and Values, not ' + _described(number))\n"
        f"    return _f_{op.name}({names})\n"
    )


def _counted(count: int) -> str:
    return f"{count} input" + ("s" if count > 1 else "")


def _written_out(op: Op) -> str:
    return f"a {op.infix} b" if op.infix else f"(a if _is_value(a) else _operand(a)).{op.name}(b)"


def methods_text(op: Op, owner: str) -> str:
    """The methods of Value or Number that apply an operation."""
    if op.vjps:
        return _matrix_methods(op, owner) if op.infix else ""
    if op.variadic:
        return ""
    if len(op.arguments) == 2:
        names = methods_of(op) or [(op.name, False)]
        names += [(op.name, False)] if op.infix else []
        return "".join(_binary_method(op, owner, name, reflected) for name, reflected in names)
    return "".join(_unary_method(op, owner, name) for name, _ in methods_of(op))


def _unary_method(op: Op, owner: str, name: str) -> str:
    value = "-x" if op.infix else f"_f_{op.name}(x) if type(x) is not Array else _each(_f_{op.name}, x)"
    return f"    def {name}(self):\n        x = self.data\n        return {owner}({value}, (self,), {op.name!r})\n\n"


def _binary_method(op: Op, owner: str, name: str, reflected: bool) -> str:
    other = "Value" if owner == "Number" else "Number"
    left, right = ("b", "a") if reflected else ("a", "b")
    inline = set(op.value) <= set("ab+-* ") and "**" not in op.value
    value = op.value if inline else (
        f"_f_{op.name}(a, b) if type(a) is not Array and type(b) is not Array else _combined(_f_{op.name}, a, b)"
    )  # fmt: skip
    pair = "(other, self)" if reflected else "(self, other)"
    wrap = "_operand" if owner == "Value" else "_number"
    lines = [
        f"    def {name}(self, other):",
        f"        if not isinstance(other, {owner}):",
        f"            if isinstance(other, {other}):",
        f"                {left} = self.data",
        f"                {right} = other.data",
        f"                return Value({value}, {pair}, {op.name!r})",
        f"            other = {wrap}(other)",
        "            if other is None:",
        "                return NotImplemented",
        f"        {left} = self.data",
        f"        {right} = other.data",
        f"        return {owner}({value}, {pair}, {op.name!r})",
    ]
    return "\n".join(lines) + "\n\n"


def _matrix_methods(op: Op, owner: str) -> str:
    wrap = "_operand" if owner == "Value" else "_number"
    return (
        "    def __matmul__(self, other):\n"
        "        if not _is_value(other):\n"
        f"            other = {wrap}(other)\n"
        "            if other is None:\n"
        "                return NotImplemented\n"
        f"        return _made(matmul_of(self.data, other.data), (self, other), {op.name!r})\n\n"
    )


def table_text(operations: Iterable[Op]) -> str:
    """What the backward pass looks up by the name of an operation."""
    operations = list(operations)
    elementwise = [op for op in operations if not op.variadic]
    partials = ", ".join(
        f"{op.name!r}: [{', '.join(f'_p_{op.name}_{i}' for i in range(len(op.partials)))}]" for op in elementwise
    )
    pulls = ", ".join(f"{op.name!r}: _pull_{op.name}" for op in operations)
    functions = ", ".join(f"{name!r}: {function}" for name, function in function_names().items())
    return f"_PARTIALS = {{{partials}}}\n_PULL = {{{pulls}, {_ARRAY_PULLS}}}\n_OPERATIONS = {{{functions}}}\n"


def function_names() -> dict[str, str]:
    """For the names of operations of numbers, those of other libraries among them, their functions in the texts."""
    return {name: f"_op_{op.name}" for op in OPS.values() if op.elementwise for name in (op.name, *op.synonyms)}


@cache
def _careful(text: str) -> str:
    """A formula as an expression in which nothing raises."""
    tree = ast.parse(formula.scalar_source(text), mode="eval")
    return ast.unparse(ast.fix_missing_locations(_Careful().visit(tree)))


def host_function(name: str, *numbers: Any) -> float:
    """A function of numpy for the formulas of an operation, nan where it is not defined."""
    if name not in {node for op in OPS.values() for text in (op.value, *op.partials) for node in formula.letters(text)}:
        return math.nan
    return float(scalar_named(name)(*map(float, numbers)))


class _Careful(ast.NodeTransformer):
    """Calls the functions of `values.txt`, and divides by one of them."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Div, ast.Pow)) and not _is_number(node.right):
            name = "_divided" if isinstance(node.op, ast.Div) else "_power"
            return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _VOCABULARY or node.id in _SPOKEN:
            return ast.Name(_SPOKEN.get(node.id, f"_{node.id}"), ast.Load())
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "id", "")
        self.generic_visit(node)
        if getattr(node.func, "id", "").startswith("_"):
            return node
        of_math = _OF_MATH.get(name, name)
        if not hasattr(math, of_math):
            return ast.Call(ast.Name(HOST_FUNCTION, ast.Load()), [ast.Constant(name), *node.args], [])
        function = ast.Attribute(ast.Name("math", ast.Load()), of_math, ast.Load())
        return ast.Call(ast.Name("_safely", ast.Load()), [function, *node.args], [])


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)
