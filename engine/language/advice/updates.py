"""What is wrong with the updates of a training loop: they climb, move nothing, or give a name to another value."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice, pairwise

from engine.autograd import Constant, Value, short, topological_order
from engine.autograd.notation import counted
from engine.language.advice.notes import Note
from engine.language.nodes import walk
from engine.language.reading import Reading
from engine.language.results import Moment

Update = ast.Assign | ast.AugAssign

MOST_VALUES = 20_000
"""Of a graph that is looked at."""
ADDS = (
    "adding the gradient climbs: {root} rises from {first} to {last} in {steps}; to make it fall, subtract it: {mended}"
)
MOVES = (
    "this moves the data along their gradients, so {root} rises from {first} to {last} in {steps}; to make it fall, "
    "move them the other way: the rate has the wrong sign"
)
MOST_LOOKED_AT = 3
"""Moments, the first ones: their graphs have to be made for it."""
NOTHING = "this moves nothing: after backward() the gradients are set to 0 before they are used here, or the rate is 0"
SIGNED = "={sign} puts {value} in {name}, it takes nothing from what was there: write {mended}"
ADDED = "={sign} puts {value} in {name}, it adds nothing to what was there: write {mended}"
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
    found |= {update: _signed_text(update) for update in _signed(reading)}
    updates = [each for each in _updates(reading) if each not in found] if len(moments) > 1 else []
    for line, group in groupby(moments, key=lambda moment: moment.line) if updates else ():
        roots = [moment.root for moment in islice(group, MOST_LOOKED_AT)]
        beside = _in_loop_of(reading, line, updates)
        if len(roots) > 1 and all(_climbs(before, after) for before, after in pairwise(roots)):
            update = min(beside or updates, key=lambda each: abs(each.lineno - line))
            found[update] = _climbing_text(update, _name_of_root(reading, line), roots)
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
    found: list[Update] = []
    for update, owners in _uses_of_gradients(reading):
        target = _target(update)
        is_sum = isinstance(update, ast.AugAssign) or isinstance(update.value, ast.BinOp)
        names = {owner.id for owner in owners if isinstance(owner, ast.Name)}
        if is_sum and isinstance(target, ast.Name) and target.id in names:
            found.append(update)
    return found


def _signed(reading: Reading) -> list[ast.Assign]:
    """`p.data =- lr * p.grad` instead of `p.data -= ...`: the sign stands right behind the equals sign."""
    text, offset = reading.source.text, reading.places.offset
    return [
        update
        for update, _owners in _uses_of_gradients(reading)
        if isinstance(update, ast.Assign)
        and isinstance(update.targets[0], (ast.Name, ast.Attribute, ast.Subscript))
        and text[offset(update.value) - 1 : offset(update.value) + 1] in ("=-", "=+")
    ]


def _signed_text(update: ast.Assign) -> str:
    name, value = ast.unparse(update.targets[0]), ast.unparse(update.value)
    sign, rest = value[0], value[1:]
    said = SIGNED if sign == "-" else ADDED
    return said.format(sign=sign, value=value, name=name, mended=f"{name} {sign}= {rest}")


def _attributes(reading: Reading) -> tuple[Collection[str], Collection[str]]:
    """What data and gradient of a value are called."""
    engine = reading.own_engine
    return (engine.data, engine.grad) if engine is not None else (("data",), ("grad",))


def _renamed_text(update: Update) -> str:
    target = _target(update)
    assert isinstance(target, ast.Name)
    mended = f"{target.id}.data{ast.unparse(update)[len(target.id) :]}"
    if isinstance(update, ast.Assign):
        mended = f"{target.id}.data -= lr * {target.id}.grad"
    return RENAMES.format(name=target.id, mended=mended)


def _updates(reading: Reading) -> list[Update]:
    """The statements that give data a new number made of a gradient."""
    data, _grad = _attributes(reading)
    targets = ((update, _target(update)) for update, _owners in _uses_of_gradients(reading))
    return [update for update, target in targets if isinstance(target, ast.Attribute) and target.attr in data]


def _uses_of_gradients(reading: Reading) -> Iterator[tuple[Update, list[ast.expr]]]:
    """The statements that give something a number made of gradients, with the values whose gradients these are."""
    _data, grad = _attributes(reading)
    for node in walk(reading.tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            owners = [each.value for each in walk(node.value) if isinstance(each, ast.Attribute) and each.attr in grad]
            if owners:
                yield node, owners


def _target(update: Update) -> ast.expr:
    return update.targets[0] if isinstance(update, ast.Assign) else update.target


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
    """Whether the output is larger, and the leaves have moved along the gradients that they had before.

    That is seen from what the loop did, not from a plus sign: `p.data += -0.1 * p.grad` is right, and `p.data -= lr *
    p.grad` is not where the rate is negative.
    """
    if before.data.__class__ is not float or after.data.__class__ is not float or not after.data > before.data:
        return False
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return False
    rises = [(new.data - old.data) * old.grad for old, new in zip(*orders, strict=True) if _is_leaf(old, new)]
    moved = [rise for rise in rises if rise != 0.0 and math.isfinite(rise)]
    return bool(moved) and all(rise > 0.0 for rise in moved)


def _is_leaf(old: Value, new: Value) -> bool:
    """Whether both are leaves of numbers whose gradient is known."""
    is_number = old.data.__class__ is new.data.__class__ is float and old.grad.__class__ is float
    return is_number and not old.inputs and not new.inputs and not isinstance(old, Constant)


def _climbing_text(update: Update, root: str, roots: Sequence[Value]) -> str:
    """What is said of an update that climbs; `root` is the name of what rises, `roots` are its values, pass by pass."""
    first, last = (short(each.data) for each in (roots[0], roots[-1]))
    return _climbing_message(update).format(root=root, first=first, last=last, steps=counted(len(roots) - 1, "step"))


def _climbing_message(update: Update) -> str:
    if isinstance(update, ast.AugAssign) and isinstance(update.op, ast.Add):
        mended = f"{ast.unparse(update.target)} -= {ast.unparse(update.value)}"
        return ADDS.replace("{mended}", mended.replace("{", "{{").replace("}", "}}"))
    return MOVES


def _stays(before: Value, after: Value) -> bool:
    """Whether every number is what it was, although there were gradients to go along."""
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return False
    leaves = [pair for pair in zip(*orders, strict=True) if _is_leaf(*pair)]
    return any(old.grad for old, _ in leaves) and all(old.data == new.data for old, new in leaves)
