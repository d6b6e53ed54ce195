"""What a program's own class lacks where an operation on its objects fails: the method to write, or its `self`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from engine.language.nodes import walk

_OPERANDS = re.compile(r"unsupported operand type\(s\) for (.+?): '(.+?)' and '(.+?)'")
_UNARY = re.compile(r"bad operand type for unary -: '(.+?)'")
_TOO_MANY = re.compile(r"(\w+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")
_METHODS: Mapping[str, str] = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "** or pow()": "pow", "**": "pow", "@": "matmul",
    "//": "floordiv", "%": "mod",
}  # fmt: skip

SENTENCES = {
    "method": "{sign} is not defined for {left} and {right}: write a method {method}(self, other) in class {name}",
    "first zero": "+ is not defined for a whole number and {right}, and sum begins with 0: write a method "
    "__radd__(self, other) in class {name}",
    "minus": "- is not defined before a {name}: write a method __neg__(self) in class {name}",
    "self": "{name}() takes {takes} and was given {given}: the first one of a method is the object itself, write "
    "def {name}({inputs})",
}


def lacking_in_class(tree: ast.Module, message: str, line: str) -> str | None:
    """A sentence for an exception that a class of the program is the reason of; None for any other.

    Args:
        tree: the program.
        message: of a TypeError.
        line: the text of the line that raised.
    """
    classes = {node.name: node for node in walk(tree) if isinstance(node, ast.ClassDef)}
    if (found := _OPERANDS.search(message)) is not None:
        return _missing_operator(classes, found[1], found[2], found[3], line)
    found = _UNARY.search(message)
    if found is not None and found[1] in classes:
        return SENTENCES["minus"].format(name=found[1])
    found = _TOO_MANY.search(message)
    return None if found is None else _missing_self(classes, found[1], int(found[2]), int(found[3]))


def _missing_operator(classes: Mapping[str, ast.ClassDef], sign: str, left: str, right: str, line: str) -> str | None:
    owner, turned = (left, "") if left in classes else (right, "r")
    if owner not in classes or sign not in _METHODS or "NoneType" in (left, right):
        return None
    method = f"__{turned}{_METHODS[sign]}__"
    if method in (item.name for item in classes[owner].body if isinstance(item, ast.FunctionDef)):
        return None
    kind = {"int": "a whole number", "float": "a number", "str": "text"}
    if method == "__radd__" and left == "int" and "sum(" in line:
        return SENTENCES["first zero"].format(right=f"a {owner}", name=owner)
    names = [kind.get(name, f"a {name}") for name in (left, right)]
    shown = sign.partition(" ")[0]
    return SENTENCES["method"].format(sign=shown, left=names[0], right=names[1], method=method, name=owner)


def _missing_self(classes: Mapping[str, ast.ClassDef], name: str, takes: int, given: int) -> str | None:
    if given != takes + 1:
        return None
    for owner in classes.values():
        for item in owner.body:
            if isinstance(item, ast.FunctionDef) and item.name == name and not item.decorator_list:
                inputs = [argument.arg for argument in item.args.args]
                if len(inputs) == takes and inputs[:1] != ["self"]:
                    said = [f"{n} input" if n == 1 else f"{n} inputs" for n in (takes, given)]
                    written = ", ".join(["self", *inputs])
                    return SENTENCES["self"].format(name=name, takes=said[0], given=said[1], inputs=written)
    return None
