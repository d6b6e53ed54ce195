"""An operation written for a learner: in the names of its inputs, then with the numbers put in."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.autograd.naming import derivative, name_of
from engine.autograd.notation import DECIMALS, enough_decimals, equality, factor, ordinal, short, shown
from engine.autograd.ops import Op
from engine.autograd.printer import ATOM, LINE, formula, part_of
from engine.autograd.replay import computed
from engine.autograd.value import Value

_CLOSED_NUMBER = re.compile(r"\(-[0-9.e-]+\)")
_NEEDLESS = re.compile(r"(^|\()\((-[0-9.e-]+)\)(?=\)| [-+] )")
_MINUS_ZERO = re.compile(r"(?<![\w.)])-0(?![\w.])")
_CALLED = re.compile(r"[a-z_]\w*\(")
_LOWERED = re.compile(r"\^\((\d+) - 1\)")


def in_names(value: Value) -> str:
    """Computation of a computed value in the names of its inputs: `x1w1 + x2w2`, `tanh(n)`."""
    assert value.op is not None
    return _written(value.op, [name_of(source) for source in value.inputs])


def in_numbers(value: Value, decimals: int = DECIMALS) -> str:
    """Computation of a computed value with the numbers put in: `-6 + 0`, `tanh(0.8814)`."""
    assert value.op is not None
    return _written(value.op, [short(source.data, decimals) for source in value.inputs])


def numbers_and_result(value: Value) -> tuple[str, str]:
    """Numbers and result of a computed value, with enough digits: `-6 + 0` and `= -6`."""
    decimals = enough_decimals(lambda d: result_of_shown(value, d), value.data)
    return in_numbers(value, decimals), equality(result_of_shown(value, decimals), value.data, decimals)


def partial_name(node: Value, index: int) -> str:
    """The local derivative by one input, `∂b/∂a`; with the operand for repeated inputs: `∂b/∂a (2nd operand)`."""
    name, which = derivative(node, node.inputs[index]), operand_name(node, index)
    return f"{name} ({which})" if which else name


def operand_name(node: Value, index: int) -> str:
    """Position of an operand, `2nd operand`, when the same value is several operands; empty otherwise."""
    several = sum(other is node.inputs[index] for other in node.inputs) > 1
    return f"{ordinal(index + 1)} operand" if several else ""


def in_both(value: Value) -> str:
    """Names, numbers and result of a computed value: `x1w1 + x2w2 = -6 + 0 = -6`; identical parts appear once."""
    names, (numbers, result) = in_names(value), numbers_and_result(value)
    differs = names != numbers and not all(map(is_nameless, map(name_of, value.inputs)))
    return f"{names} = {numbers} {result}" if differs else f"{numbers} {result}"


def is_nameless(name: str) -> bool:
    """True for a name made of numbers alone: in an equation it would read as numbers, with fewer digits."""
    return not any(character.isalpha() for character in _CALLED.sub("(", name))


def statement(value: Value, right: str) -> str:
    """`n = right`, or `right` alone when the name of the value is its formula in short."""
    name = name_of(value)
    written, formed = (text.replace("·", "×").replace(" ", "") for text in (name, in_names(value)))
    same = is_nameless(name) or written == formed or not value.label
    return right if same else f"{name} = {right}"


def result_of_shown(value: Value, decimals: int = DECIMALS) -> float:
    """Result of the operation for its inputs as displayed; nan if there is none."""
    op, datas = value.op, [source.data for source in value.inputs]
    if op is None or any(data.__class__ is not float for data in (*datas, value.data)):
        return float("nan")
    numbers = [shown(data, decimals) for data in datas]
    if op.vjps:  # of arrays, such as the sum of a single number
        return float(computed(op, numbers))
    if op.paired:
        return float(op.scalar(numbers[0:-1:2], numbers[1:-1:2], numbers[-1]))
    return float(op.scalar(numbers) if op.variadic else op.scalar(*numbers))


def _written(op: Op, operands: Sequence[str]) -> str:
    return formula(op, list(map(part_of, operands)), LINE).text


def partial_in_words(value: Value, index: int, decimals: int = DECIMALS) -> tuple[str, str, float]:
    """The local derivative of a scalar node with respect to input `index`.

    Returns:
        The formula with names, the formula with the numbers put in, and its result for the displayed numbers.
    """
    op = value.op
    assert op is not None
    place, letters = _letters(value, index)
    named = letters | {"y": value}
    names = {letter: _operand(name_of(node)) for letter, node in named.items()}
    numbers = {letter: factor(node.data, decimals) for letter, node in named.items()}
    text = op.partials[place]
    given = float(op.scalar_partials[place](*_shown_letters(named, (*op.arguments, "y"), decimals)))
    truth = {letter: node.data for letter, node in named.items()}
    return _put_in(text, names, truth), _put_in(text, numbers, truth), given


def _letters(value: Value, index: int) -> tuple[int, dict[str, Value]]:
    """Index of the table's partial for input `index`, and the inputs it may contain by their letters."""
    op, inputs = value.op, value.inputs
    assert op is not None
    if op.paired and index < len(inputs) - 1:
        first = index - index % 2
        return index % 2, {"w": inputs[first], "x": inputs[first + 1], "b": inputs[-1]}
    if op.paired:
        return 2, {"b": inputs[-1]}
    return (0, {"x": inputs[index]}) if op.variadic else (index, dict(zip(op.arguments, inputs, strict=True)))


def _shown_letters(named: Mapping[str, Value], letters: Sequence[str], decimals: int) -> list[float]:
    """The displayed numbers for the letters of a formula in this order; nan for letters it does not contain."""
    return [shown(named[letter].data, decimals) if letter in named else math.nan for letter in letters]


def with_texts(formula: str, texts: Mapping[str, str]) -> str:
    """A formula of the table as Python, with texts for its letters: `1 - out.data ** 2`."""
    return ast.unparse(_PutIn(texts).visit(ast.parse(formula, mode="eval")))


class _PutIn(ast.NodeTransformer):
    """Puts texts for the letters of a formula of the table, and `a if c else b` for `where(c, a, b)`.

    Omits a guard against a special case, `where(b == 0, 0.0, ...)`, if the case does not occur: for letters whose
    numbers in `truth` differ, or are unknown.
    """

    def __init__(self, texts: Mapping[str, str], truth: Mapping[str, float] = MappingProxyType({})) -> None:
        self.texts = texts
        self.truth = truth

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.texts.get(node.id, node.id), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "where":
            condition, yes, no = node.args
            if (
                isinstance(yes, ast.Constant)
                and not isinstance(no, (ast.Constant, ast.Call))
                and self._guards(condition)
            ):
                return self.visit(no)  # type: ignore[no-any-return]
            return ast.IfExp(self.visit(condition), self.visit(yes), self.visit(no))
        self.generic_visit(node)
        return node

    def _guards(self, condition: ast.expr) -> bool:
        """True for a comparison of a letter with 0 for equality that is false."""
        if not isinstance(condition, ast.Compare) or not isinstance(condition.ops[0], ast.Eq):
            return False
        left = condition.left
        return isinstance(left, ast.Name) and self.truth.get(left.id) != 0.0


class _PutInBriefly(_PutIn):
    """The same with the numbers of the formula in few characters."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Name(f"{node.value!s:.6}".removesuffix(".0"), ast.Load())


def _put_in(formula: str, texts: Mapping[str, str], truth: Mapping[str, float]) -> str:
    """A formula of the table in the notation of a learner: `1 - o²`, `0.5·2`."""
    tree = _PutInBriefly(texts, truth).visit(ast.parse(formula, mode="eval"))
    text = ast.unparse(tree).replace(" ** 2", "²").replace(" ** 3", "³").replace(" ** ", "^").replace(" * ", "·")
    text = _NEEDLESS.sub(r"\1\2", _MINUS_ZERO.sub("0", text))
    text = _LOWERED.sub(lambda found: _power(int(found[1]) - 1), text)
    return text[1:-1] if _CLOSED_NUMBER.fullmatch(text) else text


def _power(exponent: int) -> str:
    return {1: "", 2: "²", 3: "³"}.get(exponent, f"^{exponent}")


def _operand(text: str) -> str:
    """Text as a part of a formula of the table: in parentheses unless it is one word or a number without a sign."""
    part = part_of(text)
    return f"({text})" if part.binding < ATOM or text.startswith("-") else text
