"""Where a program raised what the sandbox places elsewhere: a call that does not fit is placed at the function, and a
local variable without a value at the statement before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from engine.language.nodes import last_name, walk
from engine.language.reading import Reading

_MISFIT = re.compile(r"(\w+)\(\) (?:missing|takes) ")
_UNBOUND = re.compile(r"local variable '(\w+)'")


def unfit_call(reading: Reading, message: str, start: int) -> tuple[ast.Call, str] | None:
    """The one call of the program that gives a function too few or too many inputs, and what it calls.

    Args:
        reading: of the program.
        message: what was raised: a TypeError.
        start: offset of the name of the function where it is defined.

    Returns:
        None where it was something else, or where it may have been another call.
    """
    found = _MISFIT.match(message)
    if found is None:
        return None
    owners = {id(item): each for each in walk(reading.tree) if isinstance(each, ast.ClassDef) for item in each.body}
    functions = [each for each in walk(reading.tree) if isinstance(each, ast.FunctionDef) and each.name == found[1]
                 and _holds(reading, each, start)]  # fmt: skip
    if len(functions) != 1:
        return None
    function, owner = functions[0], owners.get(id(functions[0]))
    name = owner.name if owner is not None and function.name == "__init__" else function.name
    if owner is not None and not function.args.args:
        return None  # `self` is missing where it is defined
    called = [each for each in walk(reading.tree) if isinstance(each, ast.Call) and last_name(each.func) == name]
    unfit = [each for each in called if not _fits(each, function.args, skipped=owner is not None)]
    return (unfit[0], name) if len(unfit) == 1 else None


def unbound_use(reading: Reading, message: str, function: str) -> ast.expr | None:
    """The first use of a local variable that had no value.

    Args:
        reading: of the program.
        message: what was raised: an UnboundLocalError.
        function: the name of the function in which it was.
    """
    found = _UNBOUND.search(message)
    functions = [each for each in walk(reading.tree) if isinstance(each, ast.FunctionDef) and each.name == function]
    if found is None or len(functions) != 1:
        return None
    uses = list(_uses(functions[0], found[1]))
    return min(uses, key=lambda each: (each.lineno, each.col_offset), default=None)


def _uses(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    for each in walk(function):
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name) and each.target.id == name:
            yield each.target
        elif isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load):
            yield each


def _holds(reading: Reading, function: ast.FunctionDef, start: int) -> bool:
    places = reading.places
    return places.offset(function) <= start < places.offset(function.body[0])


def _fits(call: ast.Call, inputs: ast.arguments, skipped: bool) -> bool:
    """Whether a call may give what a function asks for; of a method the object itself is given by Python."""
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        return True
    names = [each.arg for each in (*inputs.posonlyargs, *inputs.args)][skipped:]
    needed = names[: len(names) - len(inputs.defaults)]
    given = {each.arg for each in call.keywords} | set(names[: len(call.args)])
    alone = [each.arg for each, default in zip(inputs.kwonlyargs, inputs.kw_defaults, strict=True) if default is None]
    few = any(name not in given for name in (*needed, *alone))
    return not few and (inputs.vararg is not None or len(call.args) <= len(names))
