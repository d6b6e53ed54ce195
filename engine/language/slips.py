"""Usual slips with Values and engines of one's own, found in the syntax tree of a program that failed.

A number asked for the gradient of its Value, a method without its brackets, a rule that is called where it should be
kept, a method that returns nothing, and an operator that a class does not have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from engine.autograd.ops import OPS
from engine.language.errors import Fix
from engine.language.source import Source, offsets, parse
from engine.messages import visible

GRADIENT_OF_NUMBER = re.compile(r"'(?:int|float)' object has no attribute '(backward|grad)'")
_UNCALLED = re.compile(r"'(method|function)' object is not (iterable|subscriptable)")
_OPERANDS = re.compile(r"for (\*\*|[-+*/@])=?(?: or \*\*=| or pow\(\))?: '(\w+)' and '(\w+)'")
_NEGATED = re.compile(r"bad operand type for unary -: '(\w+)'")
_OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow", "@": "matmul"}
_ARITHMETIC = re.compile(r"__(?:r?(?:add|sub|mul|truediv|pow|matmul)|neg)__")


class _Program:
    """A program with an error, and what is underlined in it."""

    def __init__(self, source: Source, tree: ast.Module, start: int, end: int) -> None:
        self.text, self.tree, self.start, self.end = source.text, tree, start, end
        self._offset = offsets(source.text)

    def begin_of(self, node: Any) -> int:
        """Return the offset at which a node begins."""
        return self._offset(node.lineno, node.col_offset)

    def end_of(self, node: Any) -> int:
        """Return the offset behind a node."""
        return self._offset(node.end_lineno, node.end_col_offset)

    def underlined(self) -> list[ast.expr]:
        """Return the expressions that begin with what is underlined and end within it, the longest first."""
        inside = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.expr) and self.begin_of(node) == self.start and self.end_of(node) <= self.end
        ]
        return sorted(inside, key=self.end_of, reverse=True)

    def classes(self) -> dict[str, ast.ClassDef]:
        """Return the classes of the program by their names."""
        return {node.name: node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)}


def slip(source: Source, message: str, start: int, end: int) -> tuple[str, list[Fix]]:
    """Return the addition to a message, and edits; "" and none where no slip is known.

    Args:
        source: the program.
        message: of Python.
        start: offset of what is underlined.
        end: offset behind it.
    """
    tree = parse(source.text)
    if tree is None:
        return "", []
    program = _Program(source, tree, start, end)
    return next(filter(None, (look(program, message) for look in _LOOKS)), ("", []))


_Found = tuple[str, list[Fix]] | None
"""The addition to the message, and edits; None where it is not this slip."""


def _gradient_of_data(program: _Program, message: str) -> _Found:
    """Look for `loss.data.backward()`."""
    if not (asked := GRADIENT_OF_NUMBER.search(message)):
        return None
    for node in program.underlined():
        held = node.value if isinstance(node, ast.Attribute) and node.attr == asked[1] else None
        number = held.func if isinstance(held, ast.Call) else held
        if held is not None and isinstance(number, ast.Attribute) and number.attr in ("data", "grad", "item"):
            fix = Fix("remove ." + number.attr, program.end_of(number.value), program.end_of(held), "")
            name = visible(ast.unparse(number.value), 40)
            return f". {visible(ast.unparse(held), 50)} is only a number: {name} has the gradient", [fix]
    return None


def _not_called(program: _Program, message: str) -> _Found:
    """Look for `for p in model.parameters`, `model.parameters[0]`, and `f[x]` where f is a function."""
    found = _UNCALLED.search(message)
    node = next(iter(program.underlined()), None) if found else None
    if found is None or node is None:
        return None
    named = node.value if found[2] == "subscriptable" and isinstance(node, ast.Subscript) else node
    if not isinstance(named, (ast.Name, ast.Attribute)):
        return None
    if isinstance(node, ast.Subscript) and found[1] == "function":
        called = f"{ast.unparse(named)}({ast.unparse(node.slice)})"
        fix = Fix(f"write {visible(called, 40)}", program.start, program.end_of(node), called)
        return f". A function is called with round brackets: {visible(called, 40)}", [fix]
    behind = program.end_of(named)
    return f". Write {visible(ast.unparse(named), 40)}() to call it", [Fix("write ()", behind, behind, "()")]


def _rule_called(program: _Program, message: str) -> _Found:
    """Look for `out._backward = _backward()` and `tape.append(back())`, which keep the None that the rule returns."""
    if "'NoneType' object is not callable" not in message:
        return None
    for function in [node for node in ast.walk(program.tree) if isinstance(node, ast.FunctionDef)]:
        rules = {each.name for each in function.body if isinstance(each, ast.FunctionDef) and not _returns(each)}
        kept = [
            each.value
            for each in function.body
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Attribute)
        ]
        given = [
            each.value for each in function.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
        ]
        for call in [*kept, *(argument for each in given for argument in each.args)]:
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in rules
                and not call.args
            ):
                fix = Fix("remove ()", program.end_of(call.func), program.end_of(call), "")
                return f". Line {call.lineno} calls {visible(call.func.id, 40)} instead of keeping it for later", [fix]
    return None


def _nothing_returned(program: _Program, message: str) -> _Found:
    """Look for an operation of a class with arithmetic that ends without `return out`."""
    if "'NoneType'" not in message:
        return None
    for kind in program.classes().values():
        methods = [each for each in kind.body if isinstance(each, ast.FunctionDef)]
        if not any(_ARITHMETIC.fullmatch(each.name) for each in methods):
            continue
        for method in methods:
            is_operation = _ARITHMETIC.fullmatch(method.name) or method.name in OPS
            if is_operation and not _is_stub(method) and not _returns(method):
                return f". {method.name} in line {method.lineno} returns nothing", []
    return None


def _no_operator(program: _Program, message: str) -> _Found:
    """Look for an operator that a class of the program does not have: `2 * value` needs `__rmul__`."""
    wanted: list[tuple[str, str]] = []
    if found := _OPERANDS.search(message):
        wanted = [(found[2], f"__{_OPERATORS[found[1]]}__"), (found[3], f"__r{_OPERATORS[found[1]]}__")]
    elif found := _NEGATED.search(message):
        wanted = [(found[1], "__neg__")]
    if any(kind == "NoneType" for kind, _ in wanted):
        return None
    classes = program.classes()
    kind, method = next((each for each in wanted if each[0] in classes), ("", ""))
    if not kind or classes[kind].bases or method in program.text:
        return None
    return f". {visible(kind, 40)} has no {method}", []


_LOOKS: tuple[Callable[[_Program, str], _Found], ...] = (
    _gradient_of_data, _not_called, _rule_called, _nothing_returned, _no_operator
)  # fmt: skip


def _returns(function: ast.FunctionDef) -> bool:
    """Return True for a function with a return, raise or yield of its own."""
    inner = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef) and each is not function]
    nested = {part for each in inner for part in ast.walk(each)}
    ends = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
    return any(isinstance(each, ends) and each not in nested for each in ast.walk(function))


def _is_stub(function: ast.FunctionDef) -> bool:
    """Return True for a function that is not written yet: `pass`, `...` or a docstring."""
    return all(
        isinstance(each, ast.Pass) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in function.body
    )
