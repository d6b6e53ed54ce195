"""What a program changes while it goes through what a function yields: that function cannot have read it ahead.

Names, and attributes with a point before them (".w"), stand for what they hold; what is passed to such a function
counts as read by it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from engine.language.nodes import last_name, walk

_CHANGING = frozenset({
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse", "add", "update", "discard",
    "setdefault",
})  # fmt: skip
"""Methods that change what they are called on."""


def changed_meanwhile(tree: ast.Module, generators: Collection[str]) -> set[str]:
    """Names and attributes of all that is changed in place between two parts of functions that yield.

    Args:
        tree: the program.
        generators: names of its functions that yield.
    """
    parts = _between(tree, generators)
    bodies = {each.name: each for each in walk(tree) if isinstance(each, ast.FunctionDef)}
    seen = set(generators) | {"__init__"}  # which changes an object that nobody has read yet
    found: set[str] = set()
    while parts:
        part = parts.pop()
        nodes = list(_without(part, seen))
        found |= {name for node in nodes for name in changed_by(node)}
        called = {last_name(node.func) for node in nodes if isinstance(node, ast.Call)} - seen
        seen |= called
        parts += [bodies[name] for name in called if name in bodies]
    return found


def passed_to(tree: ast.Module, name: str) -> set[str]:
    """Names and attributes in what is given to the calls of a function."""
    calls = [node for node in walk(tree) if isinstance(node, ast.Call) and last_name(node.func) == name]
    inputs = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    return {word for each in inputs for node in walk(each) for word in _words(node)}


def changed_by(node: ast.AST) -> list[str]:
    """Names and attributes of what a statement or a call changes in place."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        return _words(_container(node.func.value))
    if isinstance(node, ast.AugAssign) and makes_list(node.value):
        return _words(_container(node.target))
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return _words(_container(node))
    return []


def makes_list(value: ast.expr | None) -> bool:
    """Whether an expression is a new list: `xs += [1]` changes the list there is."""
    is_call = isinstance(value, ast.Call) and last_name(value.func) == "list"
    return is_call or isinstance(value, (ast.List, ast.ListComp))


def _between(tree: ast.Module, generators: Collection[str]) -> list[ast.AST]:
    """What may run between two parts: loops over them; with `next` all from where the first of them is called."""

    def makes(node: ast.AST) -> bool:
        return any(isinstance(each, ast.Call) and last_name(each.func) in generators for each in walk(node))

    nodes = walk(tree)
    if any(isinstance(node, ast.Call) and last_name(node.func) == "next" for node in nodes):
        return list[ast.AST](_from_first(tree.body, [makes(statement) for statement in tree.body]))
    kept = {word for node in nodes if isinstance(node, ast.Assign) and makes(node.value)
            for target in node.targets for word in _words(target)}  # fmt: skip
    given = {last_name(node.func) for node in nodes if isinstance(node, ast.Call) and any(map(makes, node.args))}
    kept |= {each.arg for node in nodes if isinstance(node, ast.FunctionDef) and node.name in given
             for each in node.args.args}  # fmt: skip
    loops = [node for node in nodes if isinstance(node, ast.For)]
    return [
        loop
        for loop in loops
        if "__iter__" in generators
        or makes(loop.iter)
        or any(word in kept for node in walk(loop.iter) for word in _words(node))
    ]


def _from_first(body: Sequence[ast.stmt], makes: Sequence[bool]) -> Sequence[ast.stmt]:
    for place, statement in enumerate(body):
        if makes[place] and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return body[place:]
    return body


def _without(part: ast.AST, names: Collection[str]) -> Iterator[ast.AST]:
    """A part and everything in it but functions of some names."""
    stack = [part]
    while stack:
        node = stack.pop()
        yield node
        stack += [each for each in ast.iter_child_nodes(node)
                  if not (isinstance(each, ast.FunctionDef) and each.name in names)]  # fmt: skip


def _container(node: ast.expr) -> ast.expr:
    """`w` of `w[1][2]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _words(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    return [f".{node.attr}"] if isinstance(node, ast.Attribute) else []
