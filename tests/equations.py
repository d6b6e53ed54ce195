"""Lines with numbers, worked out again from their own text: what is shown adds up."""

import ast
import math
import operator
import re

from engine.autograd import OPS
from engine.teaching import Walk
from engine.views.update_rule import update_rule

PYTHON_SIGNS = str.maketrans({"×": "*", "·": "*", "^": "**", "²": "**2", "³": "**3", "−": "-", "∞": "inf"})
PARTS = re.compile(r"\s*([=≈])\s+")
HALF_A_DIGIT, POWERS_FROM = 0.5001e-4, 1e9
"""Numbers are shown with four decimals; from 1e9 on as powers of ten with three."""
INFIX = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
         ast.Pow: operator.pow}  # fmt: skip


def computed(text):
    """What a formula gives that holds numbers only; None for one with names, or without a value."""
    try:
        return float(_value(ast.parse(text.strip().translate(PYTHON_SIGNS), mode="eval").body))
    except (SyntaxError, KeyError, ArithmeticError, ValueError, TypeError):
        return None


def _value(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return {"inf": math.inf}[node.id]
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp):
        return INFIX[type(node.op)](_value(node.left), _value(node.right))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise KeyError(ast.dump(node))
    op, given = OPS[node.func.id], [_value(argument) for argument in node.args]
    if op.paired:
        return op.scalar(given[0:-1:2], given[1:-1:2], given[-1])
    return op.scalar(given) if op.variadic else op.scalar(*given)


def equalities(line):
    """Left side, sign and right side of each equation between numbers in a line."""
    parts = PARTS.split(line.rpartition(": ")[2].partition(", the part")[0])
    numbers = [computed(part) if part.strip() else None for part in parts[0::2]]
    for left, sign, right in zip(numbers, parts[1::2], numbers[1:], strict=False):
        if left is not None and right is not None and math.isfinite(left):
            yield left, sign, right


def assert_true(text):
    """Every equation between numbers in a text is true to the digits shown; gives how many there are."""
    assert not [*untrue(text)]
    return sum(1 for line in text.split("\n") for _ in equalities(line))


def untrue(text):
    """The lines of a text with an equation between numbers that is not true to the digits shown."""
    for line in text.split("\n"):
        for left, sign, right in equalities(line):
            room = 1e-12 if sign == "=" else HALF_A_DIGIT * (10 if abs(right) >= POWERS_FROM else 1)
            room *= max(1.0, abs(right))
            if not (abs(left - right) <= room or math.isinf(right)):
                yield line


def assert_walk_adds_up(graph_view, rule=None):
    """Each line of the walk through a program is true, and its state after the last step is what the lines say."""
    rule = rule or update_rule(graph_view, None, None, 0.1)
    walk = Walk(graph_view.root, rule, graph_view.program_gradients)
    told = [assert_true(line) for step in walk.script for line in (step.sum_line, step.numbers, step.accumulation)]
    assert sum(told) or len(walk) < 4
    return walk
