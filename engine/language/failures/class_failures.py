"""What a program's own class lacks where an operation on its objects fails: the method to write, or its `self`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from engine.language.nodes import last_name, target_attributes, walk
from engine.language.prelude import network_classes
from engine.language.words import OWN
from engine.messages import did_you_mean

_OPERANDS = re.compile(r"unsupported operand type\(s\) for (.+?): '(.+?)' and '(.+?)'")
_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
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
    "minus": "- is not defined before {kind}: write a method __neg__(self) in class {name}",
    "return": "{sentence}: `{method}`, line {line}, gives nothing back, write return {made} at its end",
    "called": "None is called here: line {line} calls {function}, and keeps what it gives, None; write {target} = "
    "{function} without brackets",
    "each": "{kind} has no attribute '{attribute}': only some get one, give it to each in __init__: "
    "self.{attribute} = {first}",
    "attribute": "{kind} has no attribute '{attribute}'{hint}",
    "self": "{name}() takes {takes} and was given {given}: the first one of a method is the object itself, write "
    "def {name}({inputs})",
}


def lacking_in_class(tree: ast.Module, message: str, line: str) -> str | None:
    """A sentence for an exception that a class of the program is the reason of; None for any other.

    Args:
        tree: the program.
        message: of a TypeError or an AttributeError.
        line: the text of the line that raised.
    """
    classes = {node.name: node for node in walk(tree) if isinstance(node, ast.ClassDef)}
    if "NoneType" in message and (sentence := _of_none(classes, message)) is not None:
        return sentence
    if (found := _ATTRIBUTE.search(message)) is not None:
        name = found[1].removeprefix(OWN)
        return _not_given(classes, name, found[2]) or _no_attribute({**network_classes(), **classes}, name, found[2])
    if (found := _OPERANDS.search(message)) is not None:
        return _missing_operator(classes, found[1], found[2], found[3], line)
    found = _UNARY.search(message)
    if found is not None and found[1] in classes:
        return SENTENCES["minus"].format(kind=of_kind(found[1]), name=found[1])
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
        return SENTENCES["first zero"].format(right=of_kind(owner), name=owner)
    names = [kind.get(name, of_kind(name)) for name in (left, right)]
    shown = sign.partition(" ")[0]
    return SENTENCES["method"].format(sign=shown, left=names[0], right=names[1], method=method, name=owner)


def _of_none(classes: Mapping[str, ast.ClassDef], message: str) -> str | None:
    """What is None because a method gives nothing back, or because a function was called and not kept."""
    methods = [item for owner in classes.values() for item in owner.body if isinstance(item, ast.FunctionDef)]
    if "object is not callable" in message:
        for method in methods:
            inner = {each.name for each in method.body if isinstance(each, ast.FunctionDef)}
            for each in (node for node in method.body if isinstance(node, ast.Assign)):
                function = each.value.func if isinstance(each.value, ast.Call) else None
                if isinstance(function, ast.Name) and function.id in inner:
                    target = ast.unparse(each.targets[0])
                    return SENTENCES["called"].format(line=each.lineno, function=function.id, target=target)
        return None
    for method in methods:
        made = [each.targets[0].id for each in method.body if isinstance(each, ast.Assign)
                and isinstance(each.targets[0], ast.Name) and isinstance(each.value, ast.Call)
                and getattr(each.value.func, "id", "") in classes]  # fmt: skip
        if made and method.name != "__init__" and not any(map(_gives, method.body)):
            sentence = message[0].lower() + message[1:] if not message.startswith("'NoneType'") else "None is used here"
            found = _OPERANDS.search(message)
            sentence = f"{found[1]} is not defined for None" if found is not None else sentence
            return SENTENCES["return"].format(sentence=sentence, method=method.name, line=method.lineno, made=made[-1])
    return None


def _gives(statement: ast.stmt) -> bool:
    """Whether a statement of a method gives anything back; what stands in a function inside of it does not."""
    if isinstance(statement, ast.FunctionDef):
        return False
    return any(isinstance(node, ast.Return) and node.value is not None for node in walk(statement))


def _not_given(classes: Mapping[str, ast.ClassDef], name: str, attribute: str) -> str | None:
    """An attribute that methods set, and `__init__` does not."""
    if name not in classes:
        return None
    first = {item.name: item for item in classes[name].body if isinstance(item, ast.FunctionDef)}.get("__init__")
    stored = [target for node in walk(classes[name]) if isinstance(node, ast.Assign) for target in node.targets
              if isinstance(target, ast.Attribute) and target.attr == attribute]  # fmt: skip
    in_first = {id(node) for node in walk(first)} if first is not None else set()
    if first is None or not stored or any(id(node) in in_first for node in stored):
        return None
    value = "lambda: None" if attribute.lstrip("_") in ("backward", "rule") else "None"
    return SENTENCES["each"].format(kind=of_kind(name), attribute=attribute, first=value)


def of_kind(name: str) -> str:
    """`a Layer`, `an MLP`: the name of a class with its article; capital letters are spelt, m is said "em"."""
    vowels = "AEFHILMNORSX" if name.isupper() else "AEIOaeio"
    return f"{'an' if name[:1] and name[0] in vowels else 'a'} {name}"


def _no_attribute(classes: Mapping[str, ast.ClassDef], name: str, attribute: str) -> str | None:
    """An attribute that a class of the program, or a ready-made one of a network, has not; with the nearest it has."""
    if name not in classes:
        return None
    hint = did_you_mean(attribute, _attributes(classes, name))
    return SENTENCES["attribute"].format(kind=of_kind(name), attribute=attribute, hint=hint)


def _attributes(classes: Mapping[str, ast.ClassDef], name: str) -> list[str]:
    """What objects of a class have: its methods, what they store in `self`, and what the classes before it have."""
    found: dict[str, None] = {}
    waiting, seen = [name], set()
    while waiting:
        owner = waiting.pop()
        if owner not in classes or owner in seen:
            continue
        seen.add(owner)
        for node in walk(classes[owner]):
            if isinstance(node, ast.Assign):
                found |= dict.fromkeys(name for target in node.targets for name in target_attributes(target))
        found |= dict.fromkeys(item.name for item in classes[owner].body if isinstance(item, ast.FunctionDef))
        waiting += [last_name(base) for base in classes[owner].bases]
    return list(found)


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
