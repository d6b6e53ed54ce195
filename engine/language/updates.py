"""What is wrong with the updates of a training loop: they climb, move nothing, or give a name to another value.

Whether they climb is seen from what the loop did, not from a plus sign: `p.data += -0.1 * p.grad` is right, and
`p.data -= lr * p.grad` is not where the rate is negative.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from itertools import groupby, islice, pairwise

from engine.autograd import Constant, Value, short, topological_order
from engine.autograd.notation import counted
from engine.language.nodes import walk
from engine.language.notes import Note
from engine.language.reading import Reading
from engine.language.results import Moment

Update = ast.Assign | ast.AugAssign

MOST_LOOKED_AT = 3
"""Moments, the first ones: their graphs have to be made for it."""
MOST_VALUES = 20_000
"""Of a graph that is looked at."""
ADDS = (
    "adding the gradient climbs: {root} rises from {first} to {last} in {steps}; to make it fall, subtract it: {mended}"
)
MOVES = (
    "this moves the data along their gradients, so {root} rises from {first} to {last} in {steps}; to make it fall, "
    "move them the other way: the rate has the wrong sign"
)


NOTHING = "this moves nothing: after backward() the gradients are set to 0 before they are used here, or the rate is 0"
RENAMES = (
    "{name} is now the name of a new value that is computed from the old one, which stays as it was: write {mended}"
)


def update_notes(reading: Reading, moments: Sequence[Moment]) -> list[Note]:
    """A note at each update that does not do what an update is for.

    Args:
        reading: of the program.
        moments: of its run.
    """
    found = {update: _renamed_text(update) for update in _renamings(reading)}
    updates = _updates(reading) if len(moments) > 1 else []
    for line, group in groupby(moments, key=lambda moment: moment.line) if updates else ():
        roots = [moment.root for moment in islice(group, MOST_LOOKED_AT)]
        beside = _in_loop_of(reading, line, updates)
        if len(roots) > 1 and all(_climbs(before, after) for before, after in pairwise(roots)):
            update = min(beside or updates, key=lambda each: abs(each.lineno - line))
            found[update] = _message(update).format(
                root=_name_of_root(reading, line), first=short(roots[0].data), last=short(roots[-1].data),
                steps=counted(len(roots) - 1, "step"),
            )  # fmt: skip
        elif len(roots) > 1 and beside and all(_stays(before, after) for before, after in pairwise(roots)):
            found[beside[0]] = NOTHING
    places, place = reading.places, reading.source.place
    return [Note(message, *place(places.offset(update))) for update, message in found.items()]


def _in_loop_of(reading: Reading, line: int, updates: Sequence[Update]) -> list[Update]:
    """The updates in the innermost loop around a line of the text."""
    place, offset = reading.source.place, reading.places.offset
    loops = [each for each in walk(reading.tree) if isinstance(each, (ast.For, ast.While))
             and place(offset(each))[0] <= line <= place(offset(each, end=True))[0]]  # fmt: skip
    if not loops:
        return []
    inner = max(loops, key=lambda each: each.lineno)
    return [each for each in updates if inner.lineno <= each.lineno <= (inner.end_lineno or inner.lineno)]


def _renamings(reading: Reading) -> list[Update]:
    """`p -= lr * p.grad` instead of `p.data -= ...`; not where torch is told to keep no gradients."""
    if "no_grad" in reading.source.text or "__isub__" in reading.source.text:
        return []
    grad = reading.own_engine.grad if reading.own_engine is not None else ("grad",)
    found: list[Update] = []
    for node in walk(reading.tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            owners = [each.value for each in walk(node.value) if isinstance(each, ast.Attribute) and each.attr in grad]
            is_sum = isinstance(node, ast.AugAssign) or isinstance(node.value, ast.BinOp)
            names = {owner.id for owner in owners if isinstance(owner, ast.Name)}
            if is_sum and isinstance(target, ast.Name) and target.id in names:
                found.append(node)
    return found


def _renamed_text(update: Update) -> str:
    target = update.targets[0] if isinstance(update, ast.Assign) else update.target
    assert isinstance(target, ast.Name)
    mended = f"{target.id}.data{ast.unparse(update)[len(target.id) :]}"
    if isinstance(update, ast.Assign):
        mended = f"{target.id}.data -= lr * {target.id}.grad"
    return RENAMES.format(name=target.id, mended=mended)


def _updates(reading: Reading) -> list[Update]:
    """The statements that give data a new number made of a gradient."""
    engine = reading.own_engine
    data, grad = (engine.data, engine.grad) if engine is not None else (("data",), ("grad",))
    found: list[Update] = []
    for node in walk(reading.tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            uses = any(isinstance(each, ast.Attribute) and each.attr in grad for each in walk(node.value))
            if uses and isinstance(target, ast.Attribute) and target.attr in data:
                found.append(node)
    return found


def _name_of_root(reading: Reading, line: int) -> str:
    """What the program calls the value whose `backward()` is called in a line."""
    places, place = reading.places, reading.source.place
    for node in walk(reading.tree):
        if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Attribute):
            continue
        if isinstance(node.func.value, ast.Name) and place(places.offset(node))[0] == line:
            return node.func.value.id
    return "the output"


def _climbs(before: Value, after: Value) -> bool:
    """Whether the output is larger, and the leaves have moved along the gradients that they had before."""
    if before.data.__class__ is not float or after.data.__class__ is not float or not after.data > before.data:
        return False
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return False
    rises = [(new.data - old.data) * old.grad for old, new in zip(*orders, strict=True) if _is_leaf(old, new)]
    moved = [rise for rise in rises if rise != 0.0 and math.isfinite(rise)]
    return bool(moved) and all(rise > 0.0 for rise in moved)


def _stays(before: Value, after: Value) -> bool:
    """Whether every number is what it was, although there were gradients to go along."""
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return False
    leaves = [pair for pair in zip(*orders, strict=True) if _is_leaf(*pair)]
    return any(old.grad for old, _ in leaves) and all(old.data == new.data for old, new in leaves)


def _is_leaf(old: Value, new: Value) -> bool:
    """Whether both are leaves of numbers whose gradient is known."""
    is_number = old.data.__class__ is new.data.__class__ is float and old.grad.__class__ is float
    return is_number and not old.inputs and not new.inputs and not isinstance(old, Constant)


def _message(update: Update) -> str:
    if isinstance(update, ast.AugAssign) and isinstance(update.op, ast.Add):
        mended = f"{ast.unparse(update.target)} -= {ast.unparse(update.value)}"
        return ADDS.replace("{mended}", mended.replace("{", "{{").replace("}", "}}"))
    return MOVES
