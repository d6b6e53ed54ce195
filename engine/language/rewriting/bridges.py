"""What Python has and the sandbox lacks: written in another way where that is right, refused at its place elsewhere."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from engine.language.nodes import walk
from engine.language.rewriting.draft import Draft
from engine.language.rewriting.edits import INNERMOST, LAST
from engine.language.words import OWN

_NO_DECORATOR = "of methods only @staticmethod, @classmethod and @property are available here"
_NO_EXCEPTION = "Python's exceptions cannot be a base class here: raise one of them itself, such as ValueError(...)"
_ASKED = {"T": "turned_over", "shape": "shape_of", "__name__": "name_of"}
"""Attributes of Values, arrays and functions that the sandbox lacks, and the functions that are asked for them."""
_OF_NUMBERS = {
    "item": "item_of",
    "zero_": "zero",
    "numpy": "same",
    "tolist": "listed",
    "clone": "same",
    "float": "same",
}
"""Methods that tensors have and numbers have not, and the functions that stand for them."""

_KINDS_OF_PYTHON = (str, list, dict, set, tuple)
_METHODS = frozenset(name for kind in _KINDS_OF_PYTHON for name in dir(kind) if not name.startswith("_"))
"""Methods that the sandbox calls, but does not give on as values: `key=table.get`, `key=str.lower`."""


class Bridges:
    """Looks at a tree and puts what is needed into the edits of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._asked_of_objects: set[str] = set()
        self._classes: dict[str, ast.ClassDef] = {}
        self._properties: set[str] = set()
        self._set: set[str] = set()

    def build(self, tree: ast.Module) -> None:
        """Bridges what can be, and refuses the rest.

        Raises:
            ProgramError: at the first part that the sandbox cannot run.
        """
        parts = walk(tree)
        self._classes = {node.name: node for node in parts if isinstance(node, ast.ClassDef)}
        inherits = any(node.bases for node in self._classes.values())
        self._asked_of_objects = {
            node.attr
            for node in parts
            if isinstance(node, ast.Attribute)
            and not (isinstance(node.value, ast.Name) and node.value.id in self._classes)
        }
        for node in parts:
            self._refuse(node)
            if isinstance(node, ast.ClassDef):
                self._class(node)
            elif isinstance(node, ast.Delete):
                self._delete(node)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._method_of_number(node, node.func)
            elif inherits and isinstance(node, ast.Name) and node.id == "isinstance":
                self._draft.replace(node, f"{OWN}is_instance")
        asked = {**dict.fromkeys(self._properties, "got"), **_ASKED}
        self._methods_as_values(parts)
        for node in parts:
            if isinstance(node, ast.Attribute) and node.attr in asked and isinstance(node.ctx, ast.Load):
                self._attribute_read(node, asked[node.attr])
            elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and self._set:
                self._property_written(node)

    def _refuse(self, node: ast.AST) -> None:
        if isinstance(node, (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)):
            raise self._draft.error("async and await are not available here: write a plain function", node)

    def _class(self, node: ast.ClassDef) -> None:
        if node.keywords:
            raise self._draft.error("a metaclass is not available here", node.keywords[0].value)
        if node.bases:
            self._take_out_bases(node)
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                self._method(node, item)
        base = self._base(node)
        if base is not None:
            own = _members(node)
            inherited = [name for name in self._all_members(base) if name not in own]
            self._behind(node, "; ".join(f"{node.name}.{name} = {base.name}.{name}" for name in inherited) or "pass")
            self._behind(node, f"{OWN}BASES[{node.name!r}] = {base.name!r}")
            self._super_calls(node, base)

    def _take_out_bases(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            name = base.id if isinstance(base, ast.Name) else ""
            if name not in self._classes and _is_exception(name):
                raise self._draft.error(_NO_EXCEPTION, base)
            if name not in self._classes and name != "object":
                raise self._draft.error("only a class of this program can be a base class here", base)
        if len(node.bases) > 1:
            raise self._draft.error("one base class at most is available here", node.bases[1])
        opening = self._draft.text.index("(", self._draft.start(node) if not node.decorator_list else 0)
        self._draft.edits.replace(opening, self._draft.text.index(")", opening) + 1, "")

    def _base(self, node: ast.ClassDef) -> ast.ClassDef | None:
        names = [base.id for base in node.bases if isinstance(base, ast.Name)]
        return self._classes.get(names[0]) if names else None

    def _all_members(self, node: ast.ClassDef) -> list[str]:
        """Methods and attributes of a class, those of its base included."""
        names, seen = dict.fromkeys(_members(node)), {node.name}
        base = self._base(node)
        while base is not None and base.name not in seen:
            seen.add(base.name)
            names.update(dict.fromkeys(_members(base)))
            base = self._base(base)
        return list(names)

    def _super_calls(self, node: ast.ClassDef, base: ast.ClassDef) -> None:
        """`super().f(x)` is `Base.f(self, x)`."""
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or not method.args.args:
                continue
            for call in walk(method):
                function = call.func if isinstance(call, ast.Call) else None
                if not isinstance(call, ast.Call) or not isinstance(function, ast.Attribute):
                    continue
                asked = function.value
                if not isinstance(asked, ast.Call) or getattr(asked.func, "id", "") != "super":
                    continue
                start, end = self._draft.start(asked), self._draft.end(function)
                opening = self._draft.text.index("(", end)
                comma = ", " if call.args or call.keywords else ""
                written = f"{base.name}.{function.attr}({method.args.args[0].arg}{comma}"
                if function.attr not in self._all_members(base):
                    written = f"{OWN}nothing({method.args.args[0].arg}{comma}"
                self._draft.edits.replace(start, opening + 1, written)

    def _method(self, owner: ast.ClassDef, method: ast.FunctionDef) -> None:
        for decorator in method.decorator_list:
            name = decorator.id if isinstance(decorator, ast.Name) else "setter" if _is_setter(method) else ""
            if name not in ("staticmethod", "classmethod", "property", "setter") or len(method.decorator_list) > 1:
                raise self._draft.error(_NO_DECORATOR, decorator)
            start, end = self._draft.places.span(decorator)
            self._draft.edits.replace(start - 1, end, "pass")
            if name == "property":
                self._properties.add(method.name)
                self._behind(owner, f"{OWN}PROPERTIES[({owner.name!r}, {method.name!r})] = True")
            elif name == "setter":
                self._set.add(method.name)
                at = self._draft.text.index(method.name, self._draft.text.index("def", end) + len("def"))
                self._draft.edits.replace(at, at + len(method.name), _setter(method.name))
            elif name == "classmethod":
                self._behind(
                    owner, f"{owner.name}.{method.name} = {OWN}static({owner.name}.{method.name}, {owner.name})"
                )
            elif method.name in self._asked_of_objects:  # else it is asked of the class alone: a plain function will do
                self._behind(owner, f"{owner.name}.{method.name} = {OWN}static({owner.name}.{method.name})")

    def _behind(self, node: ast.ClassDef, text: str) -> None:
        """Puts a line behind a class."""
        self._draft.edits.insert(self._draft.end(node), f"\n{self._draft.indentation(node)}{text}", LAST)

    def _attribute_read(self, node: ast.Attribute, function: str) -> None:
        """`x.size` of a property calls it; arrays and functions are asked in another way, too."""
        start, whole = self._draft.places.span(node)
        if self._draft.text[whole - len(node.attr) : whole] == node.attr:
            self._draft.edits.insert(start, f"{OWN}{function}(", INNERMOST)
            self._draft.edits.replace(self._draft.text.rindex(".", start, whole), whole, f", {node.attr!r})")
        elif node.attr in self._properties:
            raise self._draft.error(f"the property {node.attr} cannot be read inside an f-string here", node)

    def _methods_as_values(self, parts: Sequence[ast.AST]) -> None:
        """`table.get` without a call, of a dict, a list or a text: a function that calls it."""
        attributes = [node for node in parts if isinstance(node, ast.Attribute)]
        own = {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}
        own |= {name for node in self._classes.values() for name in _members(node)}
        modules = {(name.asname or name.name).split(".")[0] for node in parts
                   if isinstance(node, (ast.Import, ast.ImportFrom)) for name in node.names}  # fmt: skip
        called = {id(node.func) for node in parts if isinstance(node, ast.Call)}
        kinds = {kind.__name__ for kind in _KINDS_OF_PYTHON}
        for node in attributes:
            held = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in _METHODS - own and id(node) not in called and held not in modules:
                self._method_as_value(node, of_kind=held in kinds)

    def _method_as_value(self, node: ast.Attribute, of_kind: bool) -> None:
        start, end = self._draft.places.span(node)
        if self._draft.text[end - len(node.attr) : end] != node.attr:  # in an f-string: Python 3.11 does not say where
            return
        if of_kind:
            self._draft.edits.replace(start, end, f"(lambda thing, *inputs: thing.{node.attr}(*inputs))")
        else:
            self._draft.edits.insert(start, "(lambda *inputs, thing=(", INNERMOST)
            self._draft.edits.replace(self._draft.text.rindex(".", start, end), end, f"): thing.{node.attr}(*inputs))")

    def _property_written(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
        """`x.size = 3` of a property that can be set calls what sets it."""
        targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
        held = [each for each in walk(ast.Tuple(targets)) if isinstance(each, ast.Attribute) and each.attr in self._set
                and isinstance(each.ctx, ast.Store)]  # fmt: skip
        if not held:
            return
        target, value = targets[0], node.value
        if not isinstance(node, ast.Assign) or len(targets) > 1 or not isinstance(target, ast.Attribute):
            raise self._draft.error(f"a property is set by itself here: write x.{held[0].attr} = ...", held[0])
        assert value is not None
        equals = self._draft.text.index("=", self._draft.end(target)) + 1
        self._draft.wrap(node, f"{OWN}put(")
        self._draft.edits.replace(self._draft.end(target.value), equals, f", {target.attr!r}, ")

    def _delete(self, node: ast.Delete) -> None:
        parts = []
        for target in node.targets:
            start, end = self._draft.places.span(target)
            if isinstance(target, ast.Name):
                parts.append(f"{target.id} = {OWN}GONE")
            elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
                parts.append(f"{self._draft.text[start:end]} = []")
            elif isinstance(target, ast.Subscript):
                held = self._draft.text[start : self._draft.end(target.value)]
                at = self._draft.text[self._draft.start(target.slice) : self._draft.end(target.slice)]
                parts.append(f"{held}.pop({at})")
            else:
                raise self._draft.error("del of an attribute is not available here: give it another value", target)
        self._draft.replace(node, "; ".join(parts))

    def _method_of_number(self, call: ast.Call, method: ast.Attribute) -> None:
        """`x.data.item()`, `x.grad.zero_()`: data and grad are plain numbers here."""
        held = method.value
        function = _OF_NUMBERS.get(method.attr)
        if function is None or not isinstance(held, ast.Attribute) or held.attr not in ("data", "grad") or call.args:
            return
        start, end = self._draft.places.span(held)
        whole = self._draft.end(call)
        if self._draft.text[end : end + 1] != ".":
            return
        owner = self._draft.end(held.value)
        if method.attr == "zero_" and held.attr == "grad":
            self._draft.edits.insert(start, f"{OWN}zero(", INNERMOST)
            self._draft.edits.replace(owner, whole, ")")
        else:
            self._draft.edits.insert(start, f"{OWN}{function}(", INNERMOST)
            self._draft.edits.replace(end, whole, ")")


def _members(node: ast.ClassDef) -> list[str]:
    """Names of the methods and attributes that a class defines itself."""
    names = [
        _setter(item.name) if _is_setter(item) else item.name for item in node.body if isinstance(item, ast.FunctionDef)
    ]
    for item in node.body:
        if isinstance(item, ast.Assign):
            names += [target.id for target in item.targets if isinstance(target, ast.Name)]
    return names


def _setter(name: str) -> str:
    """What the method that sets a property is called in the sandbox."""
    return f"{OWN}set_{name}"


def _is_setter(method: ast.FunctionDef) -> bool:
    """Whether it is decorated as `@size.setter`."""
    decorators = method.decorator_list
    return len(decorators) == 1 and ast.unparse(decorators[0]) == f"{method.name}.setter"


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)
