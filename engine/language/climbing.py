"""Whether the updates of a training loop climb: they move the data along the gradient, so that what is to fall rises.

It is seen from what the loop did, not from a plus sign: `p.data += -0.1 * p.grad` is right, and `p.data -= lr * p.grad`
is not where the rate is negative.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from engine.autograd import Constant, Value, short, topological_order
from engine.autograd.notation import counted

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


def climbs(before: Value, after: Value) -> bool:
    """Whether the output is larger, and the leaves have moved along the gradients that they had before."""
    if before.data.__class__ is not float or after.data.__class__ is not float or not after.data > before.data:
        return False
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]) or len(orders[0]) > MOST_VALUES:
        return False
    rises = [(new.data - old.data) * old.grad for old, new in zip(*orders, strict=True) if is_leaf(old, new)]
    moved = [rise for rise in rises if rise != 0.0 and math.isfinite(rise)]
    return bool(moved) and all(rise > 0.0 for rise in moved)


def is_leaf(old: Value, new: Value) -> bool:
    """Whether both are leaves of numbers whose gradient is known."""
    is_number = old.data.__class__ is new.data.__class__ is float and old.grad.__class__ is float
    return is_number and not old.inputs and not new.inputs and not isinstance(old, Constant)


def climbing_text(update: Update, root: str, roots: Sequence[Value]) -> str:
    """What is said of an update that climbs.

    Args:
        update: the statement.
        root: what the program calls the value that rises.
        roots: that value at some backward passes in a row.
    """
    first, last = (short(each.data) for each in (roots[0], roots[-1]))
    return _message(update).format(root=root, first=first, last=last, steps=counted(len(roots) - 1, "step"))


def _message(update: Update) -> str:
    if isinstance(update, ast.AugAssign) and isinstance(update.op, ast.Add):
        mended = f"{ast.unparse(update.target)} -= {ast.unparse(update.value)}"
        return ADDS.replace("{mended}", mended.replace("{", "{{").replace("}", "}}"))
    return MOVES
