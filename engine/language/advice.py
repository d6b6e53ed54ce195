"""Notes on a program that ran and likely does something else than it seems to.

A method that is named and not called, `==` for `=`, `=-` for `-=`, a misspelt attribute, and updates of a training loop
that climb, move nothing, do not reach the loss, or give a name to another value.
"""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise

import numpy as np

from engine.autograd import Constant, Value, short, topological_order
from engine.autograd.notation import counted
from engine.autograd.ops import OPS
from engine.autograd.replay import is_outdated
from engine.language.notes import Note
from engine.language.results import BackwardCall

Update = ast.Assign | ast.AugAssign

MOST_VALUES = 20_000
"""Limit of nodes of a graph that is examined."""
MOST_LOOKED_AT = 3
"""Number of moments examined, from the first one: each needs its graph."""
_METHODS = frozenset({"backward", "zero_grad", "step"}) | frozenset(OPS)
_ATTRIBUTES = frozenset({"data", "grad", "label", "_prev", "_op", "_backward"})

ADDS = "Adding the gradient climbs: {root} rises from {first} to {last} in {steps}. To lower it, write {mended}"
MOVES = (
    "This moves the data along their gradients: {root} rises from {first} to {last} in {steps}. "
    "The rate has the wrong sign"
)
NOTHING = (
    "This changes nothing that {root} is computed from: gradients or rate are 0 here, or {root} is made of other values"
)
REPLACED = "This replaces {name} by a multiple of the gradient. To move it, write {mended}"
STALE = (
    "After this, {root} stays {last}: some of its values were computed before the loop, with the old data. "
    "Compute them in the loop"
)
RENAMES = "This gives the name {name} to a new value and leaves the old one unchanged. Write {mended}"
SIGNED = "This assigns {value} to {name}. Write {mended}"
NOT_CALLED = "This does not call the method. Write {text}()"
EQUALS = "== compares and changes nothing. Write {target} = {text}"
COMPARES = "The result of this comparison is not used"
UNUSED = "This value is not used: give it a name to use it"
MISSPELT = "Nothing reads .{wrong}: did you mean .{right}?"


def advice(text: str, tree: ast.Module, moments: Sequence[BackwardCall]) -> list[Note]:
    """Return the notes on a program that ran.

    Args:
        text: the program.
        tree: its syntax tree.
        moments: of its run.
    """
    found: dict[ast.AST, str] = dict(_idle(tree))
    found |= dict(_misspelt(tree)) | dict(_replaced(tree)) | dict(_signed(tree, text))
    if "no_grad" not in text and "__isub__" not in text:
        found |= {update: message for update, message in _renamed(tree) if update not in found}
    updates = [update for update in _updates(tree) if update not in found]
    if updates and len(moments) > 1:
        found |= dict(_loops(tree, updates, moments))
    lines = text.split("\n")
    return [
        Note(message, node.lineno, len(lines[node.lineno - 1].encode()[: node.col_offset].decode()) + 1)  # type: ignore[attr-defined]
        for node, message in found.items()
    ]


# Statements that do nothing


def _idle(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    own = {
        part.name
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef)
        for part in each.body
        if isinstance(part, ast.FunctionDef) and not part.decorator_list
    }
    last = tree.body[-1] if tree.body else None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr):
            continue
        value = node.value
        if isinstance(value, ast.Attribute) and value.attr in _METHODS | own:
            yield node, NOT_CALLED.format(text=ast.unparse(value))
        elif node is last:
            continue  # its value is shown
        elif isinstance(value, ast.Compare):
            may_be_target = isinstance(value.left, (ast.Name, ast.Attribute, ast.Subscript))
            if may_be_target and len(value.ops) == 1 and isinstance(value.ops[0], ast.Eq):
                right = ast.unparse(value.comparators[0])
                yield node, EQUALS.format(target=ast.unparse(value.left), text=right)
            else:
                yield node, COMPARES
        elif isinstance(value, ast.BinOp) and not isinstance(value.op, (ast.LShift, ast.RShift, ast.BitOr)):
            yield node, UNUSED


def _misspelt(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield attributes that are given values and never read, and are nearly called like another one."""
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    read = {node.attr for node in attributes if isinstance(node.ctx, ast.Load)}
    if "getattr" in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}:
        return
    for node in attributes:
        if isinstance(node.ctx, ast.Load) or node.attr in read | _ATTRIBUTES or len(node.attr) < 4:
            continue
        known = [name for name in read | _ATTRIBUTES if sorted(name) == sorted(node.attr)]
        if known := known or difflib.get_close_matches(node.attr, [*_ATTRIBUTES], 1, 0.85):
            yield node, MISSPELT.format(wrong=node.attr, right=known[0])


# Updates of a training loop


def _uses_of_gradients(tree: ast.Module) -> Iterator[tuple[Update, list[ast.Attribute]]]:
    """Yield the statements that give something a number made of other objects' attributes, with these."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            read = [each for each in ast.walk(node.value) if isinstance(each, ast.Attribute)]
            if read:
                yield node, read


def _target(update: Update) -> ast.expr:
    return update.targets[0] if isinstance(update, ast.Assign) else update.target


def _updates(tree: ast.Module) -> list[Update]:
    """Return statements such as `p.data -= lr * p.grad`: an attribute made of another one of the same object."""
    found = []
    for update, read in _uses_of_gradients(tree):
        target = _target(update)
        if isinstance(target, ast.Attribute):
            owner = ast.dump(target.value)
            others = [each.attr for each in read if each.attr != target.attr and ast.dump(each.value) == owner]
            if others:
                found.append((update, any("grad" in name for name in others)))
    return [update for update, of_gradient in found if of_gradient] or [update for update, _ in found]


def _signed(tree: ast.Module, text: str) -> Iterator[tuple[Update, str]]:
    """Yield `p.data =- lr * p.grad`: the sign stands right behind the equals sign."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.UnaryOp, ast.BinOp)):
            continue
        line = text.split("\n")[node.lineno - 1].encode()
        before = line[: node.value.col_offset] if node.value.lineno == node.lineno else b""
        written = line[node.value.col_offset :]
        if before.endswith(b"=") and written[:1] in (b"+", b"-") and written[1:2] == b" ":
            value, name = ast.unparse(node.value), ast.unparse(node.targets[0])
            yield node, SIGNED.format(value=value, name=name, mended=f"{name} {value[0]}= {value[1:].strip()}")


def _renamed(tree: ast.Module) -> Iterator[tuple[Update, str]]:
    """Yield `p -= lr * p.grad` instead of `p.data -= ...`."""
    for update, read in _uses_of_gradients(tree):
        target = _target(update)
        is_sum = isinstance(update, ast.AugAssign) or isinstance(update.value, ast.BinOp)
        owners = {each.value.id for each in read if isinstance(each.value, ast.Name) and "grad" in each.attr}
        if is_sum and isinstance(target, ast.Name) and target.id in owners:
            mended = f"{target.id}.data{ast.unparse(update)[len(target.id) :]}"
            if isinstance(update, ast.Assign):
                mended = f"{target.id}.data -= lr * {target.id}.grad"
            yield update, RENAMES.format(name=target.id, mended=mended)


def _replaced(tree: ast.Module) -> Iterator[tuple[Update, str]]:
    """Yield `p.data = -lr * p.grad` in a loop, where `p.data -= lr * p.grad` is meant."""
    loops = [each for each in ast.walk(tree) if isinstance(each, (ast.For, ast.While))]
    inside = {part for loop in loops for part in ast.walk(loop)}
    for update, read in _uses_of_gradients(tree):
        target = _target(update)
        if not isinstance(update, ast.Assign) or not isinstance(target, ast.Attribute) or update not in inside:
            continue
        is_product = isinstance(update.value, ast.UnaryOp) or (
            isinstance(update.value, ast.BinOp) and isinstance(update.value.op, (ast.Mult, ast.Div))
        )
        owner = ast.dump(target.value)
        if (
            target.attr == "data"
            and is_product
            and all("grad" in each.attr and ast.dump(each.value) == owner for each in read)
        ):
            name = ast.unparse(target)
            yield update, REPLACED.format(name=name, mended=f"{name} -= {ast.unparse(update.value).removeprefix('-')}")


def _loops(tree: ast.Module, updates: list[Update], moments: Sequence[BackwardCall]) -> Iterator[tuple[Update, str]]:
    """Yield updates after which the output rises along the gradients, or nothing is another than before."""
    for line, group in groupby(moments, key=lambda moment: moment.line):
        roots = [moment.root for moment in _consecutive(list(islice(group, MOST_LOOKED_AT)))]
        if len(roots) < 2 or any(root.data.__class__ is not float for root in roots):
            continue
        others = _in_loop_around(tree, line, updates)
        moves = [_moves(before, after) for before, after in pairwise(roots)]
        if all(after.data > before.data for before, after in pairwise(roots)) and all(
            rises and all(rise > 0.0 for rise in rises) for rises in moves
        ):
            update = min(others or updates, key=lambda each: abs(each.lineno - line))
            first, last = short(roots[0].data), short(roots[-1].data)
            words = {"root": _name_of_root(tree, line), "first": first, "last": last}
            yield (
                update,
                _climbing(update).format(**words, steps=counted(len(roots) - 1, "step"), mended=_mended(update)),
            )
        elif others and any(moves) and len({root.data for root in roots}) == 1 and is_outdated(roots[-1]):
            yield others[0], STALE.format(root=_name_of_root(tree, line), last=short(roots[-1].data))
        elif others and all(rises == [] for rises in moves):
            yield others[0], NOTHING.format(root=_name_of_root(tree, line))


def _consecutive(moments: Sequence[BackwardCall]) -> Sequence[BackwardCall]:
    """Return the moments at the start with no call of `backward()` between them: of a long loop some are not kept."""
    gaps = (place for place, (before, after) in enumerate(pairwise(moments), 1) if after.number != before.number + 1)
    return moments[: next(gaps, len(moments))]


def _in_loop_around(tree: ast.Module, line: int, updates: Sequence[Update]) -> list[Update]:
    """Return the updates in the innermost loop around a line."""
    loops = [
        each
        for each in ast.walk(tree)
        if isinstance(each, (ast.For, ast.While)) and each.lineno <= line <= (each.end_lineno or each.lineno)
    ]
    inner = max(loops, key=lambda each: each.lineno, default=None)
    return [each for each in updates if inner and inner.lineno <= each.lineno <= (inner.end_lineno or inner.lineno)]


def _moves(before: Value, after: Value) -> list[float] | None:
    """Return for the leaves whose data changed between two passes by how much that raised the output, to first order.

    It is inferred from the loop's numbers, not from a plus sign: `p.data += -0.1 * p.grad` is right. None where passes
    cannot be compared, or no gradient shows the direction.
    """
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return None
    pairs = list(zip(*orders, strict=True))
    if any(np.ndim(old.data) and not old.inputs and not np.array_equal(old.data, new.data) for old, new in pairs):
        return None  # arrays were trained
    leaves = [pair for pair in pairs if _is_leaf(*pair)]
    if not any(old.grad for old, _ in leaves):
        return None
    rises = [(new.data - old.data) * old.grad for old, new in leaves if new.data != old.data]
    return [rise for rise in rises if rise != 0.0 and math.isfinite(rise)]


def _is_leaf(old: Value, new: Value) -> bool:
    is_number = old.data.__class__ is new.data.__class__ is float and old.grad.__class__ is float
    return is_number and not old.inputs and not new.inputs and not isinstance(old, Constant)


def _climbing(update: Update) -> str:
    return ADDS if isinstance(update, ast.AugAssign) and isinstance(update.op, ast.Add) else MOVES


def _mended(update: Update) -> str:
    return f"{ast.unparse(_target(update))} -= {ast.unparse(update.value)}"


def _name_of_root(tree: ast.Module, line: int) -> str:
    """Return the name of the variable whose `backward()` is called in a line."""
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == line]
    methods = [each for each in called if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)]
    methods.sort(key=lambda each: each.attr != "backward")  # an engine of one's own may call it otherwise
    return ast.unparse(methods[0].value) if methods else "the output"
