"""What is asked of the nodes of a program's tree: numbers, names that are given a value, what a statement may do."""

from __future__ import annotations

import ast

ENGINE_METHODS = frozenset({"__add__", "__mul__", "backward"})


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and everything in it, as `ast.walk` gives it but for contexts (Load, Store), in half of its time."""
    found = [node]
    for each in found:
        for part in each.__dict__.values():
            kind = part.__class__
            if kind is list:
                found += [one for one in part if one.__class__ not in _NO_PARTS]
            elif kind not in _NO_PARTS:
                found.append(part)
    return found


_NO_PARTS = frozenset({int, str, type(None), float, bool, complex, bytes, type(...), ast.Load, ast.Store, ast.Del})


def is_engine(node: ast.ClassDef) -> bool:
    """Whether a class is a learner's own Value, or part of one."""
    return any(isinstance(item, ast.FunctionDef) and item.name in ENGINE_METHODS for item in node.body)


def number_of(node: ast.AST) -> float | int | None:
    """The number that an expression is, its sign included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.UnaryOp) and not isinstance(inner.op, ast.USub):
            return None
        number = number_of(inner)
        return None if number is None else -number
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return number_of(node.operand)
    if isinstance(node, ast.Constant) and node.value.__class__ in (int, float):
        return node.value
    return None


def argument_names(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    """The names of a function's arguments of every kind, in the order of the text."""
    inputs = function.args
    named = [*inputs.posonlyargs, *inputs.args, inputs.vararg, *inputs.kwonlyargs, inputs.kwarg]
    return [each.arg for each in named if each is not None]


def last_name(node: ast.expr) -> str:
    """A name, or an attribute without what it belongs to: `tanh` of `torch.tanh`; "" for anything else."""
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def target_names(target: ast.AST) -> list[str]:
    """The names that a target of an assignment gives a value."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for each in target.elts for name in target_names(each)]
    return target_names(target.value) if isinstance(target, ast.Starred) else []


def assigned_parts(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Each target beside the expression written for it: three pairs in `(a, b), c = (1, 2), 3`.

    What has no expression of its own is left out, such as `a, b = f()` and `a, *b = 1, 2, 3`.
    """
    shaped = [each for each in getattr(node, "targets", ()) if isinstance(each, (ast.Tuple, ast.List))]
    if not isinstance(node, ast.Assign) or len(shaped) != 1:
        return []
    return _pairs(shaped[0], node.value)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, value)]
    if not isinstance(value, (ast.Tuple, ast.List)) or len(target.elts) != len(value.elts):
        return []
    if any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)):
        return []
    return [pair for two in zip(target.elts, value.elts, strict=True) for pair in _pairs(*two)]


def target_attributes(target: ast.AST) -> list[str]:
    """The attributes that a target of an assignment gives a value, in `self.w, self.b = ...` both."""
    if isinstance(target, ast.Attribute):
        return [target.attr]
    return [name for each in getattr(target, "elts", ()) for name in target_attributes(each)]


def blocks(node: ast.If | ast.With | ast.Try) -> list[list[ast.stmt]]:
    """The blocks of a statement, in the order of the text."""
    handlers = [handler.body for handler in getattr(node, "handlers", [])]
    return [node.body, *handlers, getattr(node, "orelse", []), getattr(node, "finalbody", [])]


def is_compound(node: ast.stmt) -> bool:
    """Whether a statement holds others."""
    return hasattr(node, "body") or isinstance(node, ast.Match)


def may_take_long(node: ast.stmt) -> bool:
    """Whether a statement may run long enough that its line is worth telling."""
    if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)):
        return True
    return not is_compound(node) and any(
        isinstance(each, (ast.Call, ast.ListComp, ast.Pow, ast.Mult)) for each in walk(node)
    )


def computes(node: ast.stmt) -> bool:
    """Whether a statement computes or calls something."""
    return any(isinstance(each, (ast.BinOp, ast.Call)) for each in walk(node))


def calls_backward(node: ast.AST) -> bool:
    """Whether `backward` is asked for somewhere in it."""
    return any(isinstance(each, ast.Attribute) and each.attr == "backward" for each in walk(node))


def is_plain_place(node: ast.AST) -> bool:
    """Whether it is a name, or an attribute of one."""
    return all(isinstance(each, (ast.Name, ast.Attribute, ast.expr_context)) for each in walk(node))
