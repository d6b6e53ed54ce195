"""What a program finds defined before its first line, as the text that the sandbox runs first.

The texts in `sandboxed/` hold Value, arrays, neurons, plots and what fetches results; the operations are written into
them (`prelude_operations.py`). A program may use any name for itself: everything in these texts that is not meant for
it, and every builtin they call, is renamed to begin with `_gs_`, and names that begin so are refused in programs
(`reader.py`).
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from hashlib import sha256
from pathlib import Path

from engine.autograd.ops import OPS
from engine.language.nodes import argument_names
from engine.language.prelude_operations import function_names, functions_text, methods_text, table_text
from engine.language.words import OWN

_TEXTS = ("values", "arrays", "network", "plots", "modules", "records", "steps")
_FOLDER = Path(__file__).with_name("sandboxed")
READY = _FOLDER / "ready" / "prelude.txt"
"""The whole text as `scripts.write_operators` has written it."""

_EXPORTS: Mapping[str, str] = {
    **{
        name: name
        for name in ("Value", "Neuron", "Layer", "MLP", "Digraph", "draw_dot", "display", "sum", "max", "min")
    },
    "round": "_rounded",
    "pi": "_pi",
    "print": "_print_anywhere",
    **{
        name: f"_MODULES[{module!r}]"
        for name, module in (
            ("np", "numpy"),
            ("numpy", "numpy"),
            ("jnp", "numpy"),
            ("torch", "torch"),
            ("matplotlib", "matplotlib"),
        )
    },
    "plt": "_MODULES['matplotlib'].pyplot",
    "nn": "_MODULES['torch'].nn",
    "F": "_MODULES['torch'].nn.functional",
    "functional": "_MODULES['torch'].nn.functional",
    "tensor": "_tensor",
    "math": "math",
    "random": "random",
}
"""Names that programs find defined besides the operations, and what they are called in the texts."""

_REFUSED = ("eval", "exec", "compile", "open", "input", "breakpoint", "exit", "quit", "help", "globals", "vars", "dir")
"""Builtins that are not there for programs, whatever the sandbox has."""


@cache
def prelude_text() -> str:
    """The whole text; the same for a whole process unless an operation is added to the table.

    Writing and naming everything takes longer than the first program: as long as texts and table are those that the
    file was made of, the file is taken.
    """
    head, _, ready = READY.read_text(encoding="utf-8").partition("\n") if READY.is_file() else ("", "", "")
    return ready if head == _mark() else _renamed(_written())


def ready_text() -> str:
    """What the file `READY` holds: which texts and table it is made of, and the whole text."""
    return f"{_mark()}\n{_renamed(_written())}"


def _mark() -> str:
    """Which texts and table: another one for every other table, whatever is changed in it."""
    table = [[getattr(op, field.name) for field in fields(op)] for op in OPS.values()]
    made_of = f"{_texts()}\n{table}"
    return f"# Written by python -m scripts.write_operators from {sha256(made_of.encode()).hexdigest()}"


def _texts() -> str:
    return "\n\n".join((_FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in _TEXTS)


@cache
def network_classes() -> Mapping[str, ast.ClassDef]:
    """The ready-made Neuron, Layer and MLP, as they are written."""
    tree = ast.parse((_FOLDER / "network.txt").read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def exported_names() -> frozenset[str]:
    """The names that programs find defined besides Python's own."""
    return frozenset(_exports())


def _exports() -> dict[str, str]:
    """For each name that programs find defined the one in the texts."""
    own = {name: value for name, value in function_names().items() if not hasattr(builtins, name)}
    return {**own, **{op.name: f"_op_{op.name}" for op in OPS.values() if op.variadic}, **_EXPORTS}


def _written() -> str:
    """The texts, with the operations in their places."""
    operations = [op for op in OPS.values() if not op.vjps]
    text = _texts()
    for name in ("Value", "Number"):
        text = text.replace(f"    # METHODS OF {name}\n", "".join(methods_text(op, name) for op in OPS.values()))
    text = text.replace("# OPERATIONS\n", "".join(map(functions_text, operations)))
    return text.replace("# TABLE OF OPERATIONS\n", table_text(operations))


# Names


def _defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Import):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def _renamed(text: str) -> str:
    """The text with names that no program can reach, and those for programs given at its end."""
    tree = ast.parse(text)
    exports = _exports()
    defined = _defined(tree)
    used_builtins = {name for name in dir(builtins) if not name.startswith("__")} - defined
    own_names = {name: OWN + name.removeprefix(OWN).lstrip("_") for name in defined}
    if len(set(own_names.values())) < len(own_names):
        raise LookupError("two names of the prelude differ by a low line only")
    renaming = _Renaming(own_names | {name: f"{OWN}py_{name}" for name in used_builtins})
    body = renaming.visit(tree).body
    aliases = [f"{OWN}python_{name} = {name}" for name in ("sum", "max", "min", "locals")]
    aliases += [f"{OWN}py_{name} = {name}" for name in sorted(renaming.used) if name in used_builtins]
    given = [f"{name} = {_own(own, own_names)}" for name, own in exports.items() if name not in renaming.classes]
    refused = [f"{name} = {OWN}refuse({name!r})" for name in _REFUSED]
    return "\n".join([*aliases, ast.unparse(ast.Module(body, [])), *given, *refused]) + "\n"


def _own(text: str, names: Mapping[str, str]) -> str:
    """A name of the texts, with what is asked of it, as it is called in the end."""
    name = re.match(r"\w+", text)
    assert name is not None
    return names[name[0]] + text[name.end() :]


class _Renaming(ast.NodeTransformer):
    """Renames what is not local to a function."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._local: list[set[str]] = []
        self.used: set[str] = set()
        self.classes: set[str] = set()

    def _new_name(self, name: str) -> str:
        if any(name in local for local in self._local) or name not in self._names:
            return name
        self.used.add(name)
        return self._names[name]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self._new_name(node.id), node.ctx), node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        names = [ast.alias(alias.name, self._names[alias.asname or alias.name]) for alias in node.names]
        return ast.copy_location(ast.Import(names), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        at_top = not self._local
        node.decorator_list = []
        arguments = node.args
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and self.visit(default) for default in arguments.kw_defaults]
        self._local.append(_locals_of(node))
        node.body = [self.visit(statement) for statement in node.body]
        self._local.pop()
        if at_top and node.name in self._names:
            node.name = self._names[node.name]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | list[ast.stmt]:
        """A class for programs keeps its name, which is shown, and gets a second one."""
        self._local.append(set())
        node.body = [self.visit(statement) for statement in node.body]
        self._local.pop()
        if node.name not in _EXPORTS:
            node.name = self._names[node.name]
            return node
        self.classes.add(node.name)
        alias = ast.Assign([ast.Name(self._names[node.name], ast.Store())], ast.Name(node.name, ast.Load()))
        return [node, ast.fix_missing_locations(ast.copy_location(alias, node))]


def _locals_of(function: ast.FunctionDef) -> set[str]:
    names = {*argument_names(function)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef) and node is not function:
            names.add(node.name)
    return names
