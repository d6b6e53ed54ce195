"""Where values stand in the text, found by laying the tree of a statement beside the graph of what it bound.

Where operator and operation agree they are one, and so on with their operands.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from typing import NamedTuple

from engine.autograd.ops import INFIX
from engine.autograd.value import Value
from engine.language import words
from engine.language.imports import makes_leaf
from engine.language.nodes import last_name, number_of
from engine.language.reading import Reading


class Span(NamedTuple):
    """Where a value stands in the text: offsets, and the one to point at."""

    start: int
    end: int
    at: int


class ValuePlaces:
    """The places of the values that stand in the text themselves.

    Attributes:
        spans: where the expression stands that made a value.
        literals: where the number stands that a leaf was made of.
    """

    def __init__(self, reading: Reading) -> None:
        self.spans: dict[Value, Span] = {}
        self.literals: dict[Value, Span] = {}
        self._source = reading.source
        self._places = reading.places

    def match(self, expression: ast.expr, value: Value, known: Container[Value]) -> None:
        """Notes the places of a value and of what it was computed from, up to values that are known already."""
        stack: list[tuple[ast.expr, Value]] = [(expression, value)]
        while stack:
            part, here = stack.pop()
            if here in known or here in self.spans:
                continue
            stack += self._matched(part, here)

    def _matched(self, part: ast.expr, value: Value) -> list[tuple[ast.expr, Value]]:
        """Notes the place of a value if the part made it; gives the parts that made its inputs."""
        op = value.op
        if op is None:
            return self._matched_leaf(part, value)
        if isinstance(part, ast.BinOp) and INFIX.get(_SYMBOLS.get(type(part.op), "")) is op:
            self._place(value, part, self._operator(part))
            return list(zip((part.left, part.right), value.inputs, strict=True))
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) and op.infix and op.arity == 1:
            self._place(value, part, self._places.offset(part))
            return [(part.operand, value.inputs[0])]
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.UAdd):
            return [(part.operand, value)]
        return self._matched_call(part, value) if isinstance(part, ast.Call) else []

    def _matched_call(self, part: ast.Call, value: Value) -> list[tuple[ast.expr, Value]]:
        op = value.op
        assert op is not None
        function = part.func
        name = words.SYNONYMS.get(last_name(function), last_name(function))
        arguments = list(part.args)
        if isinstance(function, ast.Attribute) and not _is_module(function.value):
            if name in words.UNCHANGED or name == "requires_grad_":
                return [(function.value, value)]
            arguments.insert(0, function.value)
        if name == "sum" and op is INFIX["+"]:
            return self._matched_sum(part, arguments, value)
        if name != op.name.partition("_rows")[0] or any(isinstance(each, ast.Starred) for each in arguments):
            return []
        self._place(value, part, self._name_of_function(function))
        if op.variadic and len(arguments) == 1 and isinstance(arguments[0], (ast.List, ast.Tuple)):
            arguments = arguments[0].elts
        return list(zip(arguments, value.inputs, strict=False)) if len(arguments) == len(value.inputs) else []

    def _matched_sum(self, part: ast.Call, arguments: list[ast.expr], value: Value) -> list[tuple[ast.expr, Value]]:
        """`sum([a, b, c])` is a chain of additions."""
        if len(arguments) == 1 and isinstance(arguments[0], (ast.List, ast.Tuple)):
            arguments = arguments[0].elts
        found: list[tuple[ast.expr, Value]] = []
        while len(arguments) > 1 and value.op is INFIX["+"]:
            self._place(value, part, self._places.offset(part))
            found.append((arguments.pop(), value.inputs[1]))
            value = value.inputs[0]
        return [*found, (arguments[0], value)] if len(arguments) == 1 else found

    def _matched_leaf(self, part: ast.expr, value: Value) -> list[tuple[ast.expr, Value]]:
        if number_of(part) is not None:
            self._place(value, part, self._places.offset(part))
            self.literals[value] = self.spans[value]
        elif isinstance(part, ast.Call) and (literal := _literal_of_maker(part)) is not None:
            self._place(value, part, self._places.offset(part))
            self.literals[value] = Span(*self._places.span(literal), self._places.offset(literal))
        elif isinstance(part, (ast.Call, ast.Attribute)) or (isinstance(part, ast.Name) and part.id == "pi"):
            self._place(value, part, self._places.offset(part))
        return []

    def _place(self, value: Value, part: ast.expr, at: int) -> None:
        self.spans[value] = Span(*self._places.span(part), at)

    def _operator(self, part: ast.BinOp) -> int:
        """Where the sign of an operator stands between its operands."""
        symbol = _SYMBOLS[type(part.op)]
        start, end = self._places.offset(part.left, end=True), self._places.offset(part.right)
        found = self._source.text.find(symbol, start, end)
        return found if found >= 0 else start

    def _name_of_function(self, function: ast.expr) -> int:
        if isinstance(function, ast.Attribute):
            if _is_module(function.value):
                return self._places.offset(function)
            return self._places.offset(function, end=True) - len(function.attr)
        return self._places.offset(function)


_SYMBOLS: Mapping[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@",
}  # fmt: skip


def _is_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in words.MODULES


def _literal_of_maker(call: ast.Call) -> ast.expr | None:
    """The number in `Value(2.0)`, `torch.tensor([2.0]).double()` and the like."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
        return _literal_of_maker(function.value)
    if not makes_leaf(function):
        return None
    given = [keyword.value for keyword in call.keywords if keyword.arg == "data"]
    first = call.args[0] if call.args else given[0] if given else None
    if isinstance(first, (ast.List, ast.Tuple)) and len(first.elts) == 1:
        first = first.elts[0]
    return first if first is not None and number_of(first) is not None else None
