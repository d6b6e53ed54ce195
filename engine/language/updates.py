"""What is wrong with the updates of a training loop: they climb, move nothing, or give a name to another value."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice, pairwise

from engine.autograd import Value, topological_order
from engine.language.climbing import MOST_VALUES, Update, climbing_text, climbs, is_leaf
from engine.language.nodes import walk
from engine.language.notes import Note
from engine.language.reading import Reading
from engine.language.results import Moment

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
        if len(roots) > 1 and all(climbs(before, after) for before, after in pairwise(roots)):
            update = min(beside or updates, key=lambda each: abs(each.lineno - line))
            found[update] = climbing_text(update, _name_of_root(reading, line), roots)
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


def _stays(before: Value, after: Value) -> bool:
    """Whether every number is what it was, although there were gradients to go along."""
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return False
    leaves = [pair for pair in zip(*orders, strict=True) if is_leaf(*pair)]
    return any(old.grad for old, _ in leaves) and all(old.data == new.data for old, new in leaves)
