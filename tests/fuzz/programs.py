"""Programs: whatever the text, an ProgramError with its place, or a graph that is shown, explained and exported."""

import json
import random
import time
import unicodedata
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.autograd import OPS, ValueDataError, check_gradients, topological_order
from engine.autograd.check import summary
from engine.graph import make_picture, progressive_layout, read_numbers
from engine.graph.formats import FORMATS, write_graph
from engine.language import Limits, ProgramError, cells, completions, evaluate, highlight, replace_number
from engine.layout import LayoutCancelled
from engine.teaching import Explainer, Walk
from engine.views.graph_view import show_expression
from tests.programs import README_OF_MICROGRAD

FEW_VALUES = 150
"""Values up to which every gradient is checked and every step looked at."""
RUN_SECONDS = 4.0
"""Limit of a program, so that one that never ends takes no longer than a case may, with the run that finds its line."""
LAYOUT_SECONDS = 4.0
"""Processor time after which a layout is no longer waited for."""
LONGEST = 19_000
"""Letters of a made program; the editor takes a few more."""

VALID = [
    README_OF_MICROGRAD,
    "x1 = 2.0;  w1 = -3.0\nb = 6.88\nn = x1*w1 + b\no = tanh(n)\n",
    "import torch\nx = torch.tensor([2.0], requires_grad=True)\ny = x.exp() # why\ny.backward()\nprint(x.grad)",
    "a = Value(1.0, label='a')\nb = sum([a, a**2, 3])\nb.label = 'b'\nc = weighted_sum(a, b, 1)\nrelu(c)",
    "a = 1.0\nb = (a +\n  2) / -a\na += 1\nexp = 3\nL = (b - exp)**2 / a.tanh()",
]
WORDS = [
    *"abxy=+-*/(),.;:\n\n[]{}#'\"²₁√\\@^~<>!%&|\t ", "**", "==", "+=", "2.5", "1,000", "1e400", "0x1F", "1e-400",
    "3,14", "tanh", "sum", "max", "relu", "Value", "label", "print", "torch", "np", "math", "import", "lambda", "None",
    ".data", ".backward()", ".item()", "\r\n", "\u2028", "\ufeff", "\u202e", "\u200b", "\u3164", "\x1b[31m", "\0",
    "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x85", "# %%\n", ">>> ", "```\n", "\ud800", "µ",
    "ｅｘｐ", "−", "“", "😀", "é", "e\u0301",
]  # fmt: skip


def mutated(chance):
    text = chance.choice(VALID)
    for _ in range(chance.randint(1, 6)):
        at, to = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        word = chance.choice(WORDS)
        cut, doubled = text[:at] + text[to:], text[:at] + text[at:to] * 2 + text[to:]
        put_in, replaced = text[:at] + word + text[at:], text[:at] + word + text[at + 1 :]
        turned_around = text[to:] + text[at:to] + text[:at]
        text = chance.choice([cut, doubled, put_in, replaced, turned_around])
    return text


def of_words(chance):
    return chance.choice(["", " "]).join(chance.choices(WORDS, k=chance.randint(1, 60)))


def of_any_characters(chance):
    letters = [chr(chance.randrange(0x110000)) for _ in range(8)]
    kinds = [letter for letter in letters if unicodedata.category(letter) != "Cn"]
    return "".join(chance.choices([*"ab=1+( \n", *kinds], k=chance.randint(1, 80)))


def repeated(chance):
    return chance.choice(["", "a = 1\n"]) + chance.choice(WORDS) * chance.randint(1, 3000) + chance.choice(WORDS)


FIRST = VALID[0]


@cache
def calls():
    """Calls of the operations that the language allows for a Value, as functions and as methods.

    `{0}` stands for the first argument. Tried when the first program is made, and not by everyone who collects tests.
    """
    found = []
    for name, op in OPS.items():
        arguments = [f"{{{place}}}" for place in range(len(op.arguments))]
        found += [f"{name}({', '.join(arguments)})", f"{arguments[0]}.{name}({', '.join(arguments[1:])})"]
    return [call for call in found if is_possible(call)]


def is_possible(call):
    """True for a call that a program can make with a Value; operations of arrays are for the library."""
    try:
        evaluate(f"x = Value(0.5)\ny = {call.format('x', 'x', 'x')}")
    except ProgramError:
        return False
    return True


def structured(chance):
    """A program that works, but for one in ten: operations on values that earlier lines made, half with a backward."""
    leaf, names = chance.choice(("Value({})", "Value({})", "{}")), [f"x{i}" for i in range(chance.randint(1, 4))]
    lines = [f"{name} = {leaf.format(number(chance))}" for name in names]
    for index in range(chance.choice((1, 3, 8, 8, 30, 120, 400))):
        lines.append(f"v{index} = {operation(chance, names)}")
        names.append(f"v{index}")
    if chance.random() < 0.1:
        lines.insert(chance.randint(1, len(lines)), "v = max(x0, Value(1.0))")  # Values have no order
    while sum(map(len, lines)) + len(lines) > LONGEST:
        lines.pop()
    if chance.random() < 0.5:
        lines.append(f"{lines[-1].partition(' ')[0]}.backward()")
    return "\n".join(lines)


def number(chance):
    sizes = [str(chance.randint(-3, 3)), f"{chance.uniform(-3, 3):.3f}", f"{chance.uniform(-1, 1):.3g}"]
    return chance.choice([*sizes * 4, "1e308", "-1e-308", "5e-324", "710", "-0.0", "1e16"])


def operation(chance, names):
    """An operation on a name at least, most often one of the last few; many by tanh, so that numbers stay finite."""
    name = lambda: chance.choice([chance.choice(names), chance.choice(names[-3:]), names[-1]])  # noqa: E731
    of = lambda: name() if chance.random() < 0.75 else number(chance)  # noqa: E731
    forms = [f"{name()} {sign} {of()}" for sign in "+-*/"] + [f"{of()} {sign} {name()}" for sign in "+-*/"]
    called = chance.choice(calls()).format(name(), of(), of())
    some = ", ".join(of() for _ in range(chance.choice((1, 2, 3, 40))))
    forms += [f"{name()}**{of()}", f"-{name()}", f"sum([{some}])"]
    return chance.choice([*forms, *[called] * 6, *[f"tanh({name()} * {of()})"] * 4])


def large(chance):
    """As many values as fit: chains, products of one leaf, sums of all that there is, layers that use each other."""
    forms = [f"v = {chance.choice(('v*x', 'v + x', 'x - v', 'tanh(v)', 'v*v', 'max(v, x)', 'exp(-v)'))}\n"]
    forms += [" + ".join([chance.choice(("x*x", "x", "v", "2*x", "tanh(x)"))] * chance.randint(2, 60)) + "\n"]
    forms += [f"a{i} = x*{i}; b{i} = a{i} + {chance.choice(('v', 'x', 'a0', f'a{i // 2}'))}\n" for i in range(1500)]
    kind = chance.randrange(3)
    lines = forms[2:] if kind == 2 else [f"y = {forms[1]}" if kind else forms[0]] * 5000
    size = chance.choice((500, 4_000, LONGEST))
    return "x = 0.5\nv = x\na0 = v\n" + "".join(lines)[:size].rpartition("\n")[0]


def make(chance):
    """Any of these texts."""
    if chance.random() < 0.05:
        return large(chance)
    return chance.choice([mutated, mutated, of_words, of_any_characters, repeated, structured, structured])(chance)


def check(text):
    """Everything that the window does with a text."""
    result = check_text(text)
    if result is not None and result.root is not None:
        check_shown(result, random.Random(repr(text)))
    return {}


def check_text(text):
    """What the editor does with a text; the evaluation where it works."""
    result = None
    try:
        result = evaluate(text, RUN_SECONDS)
    except ProgramError as error:
        check_error(error, text)
    else:
        check_result(result, text)
    highlight(text)
    assert cells(text)[-1].last_line == cells(text, blank_lines=True)[-1].last_line
    completions(text, random.Random(repr(text)).randrange(len(text) + 1))
    return result


def check_error(error, text):
    lines = text.replace("\r\n", " \n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n").split("\n")
    assert 1 <= error.line <= len(lines), text
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1, (text, error)
    assert error.end_column > error.column
    assert error.message.isprintable(), (text, error)
    assert len(error.message) <= 700, error
    for fix in error.fixes:
        assert fix.title.isprintable()
        assert 0 <= fix.start <= fix.end <= len(text)
        assert fix.apply(text) != text, (text, fix)


def check_result(result, text):
    assert len(result.origins) <= Limits().values
    assert result.root is None or result.root in result.origins
    for value in result.origins:
        assert value.label.isprintable(), text
    for leaf in result.leaves[:: len(result.leaves) // 5 + 1]:
        try:
            moved = evaluate(replace_number(text, leaf, 0.5), RUN_SECONDS)
        except ProgramError:  # as Python's 1e308**v raises for another v
            continue
        assert [other.number for other in moved.leaves if other.key == leaf.key] == [0.5], (text, leaf)
    for note in result.notes:
        assert note.message.isprintable()
        assert len(note.message) <= 200


def check_shown(result, chance):
    """As it stands, and with operations opened and sub-expressions closed that it offers."""
    shown = show_expression(result)
    look_at(shown, chance)
    keys = list(shown.names.keys.values())
    opened = chance.choice([["*"], [], [f"op:{chance.choice(keys)}" for _ in range(3)]])
    closed = [name for name in shown.cones.values() if chance.random() < 0.3]
    look_at(show_expression(result, chance.random() < 0.5, opened, closed), chance)


def look_at(shown, chance):
    placed = lay_out(shown.graph, chance.choice(["right", "down"]))
    if placed is not None:
        picture = make_picture(shown.graph, placed)
        assert np.isfinite([(box.x, box.y, box.width, box.height) for box in picture.boxes.values()]).all()
        assert np.isfinite(picture.bounds).all()
    for reading in read_numbers(shown.graph, shown.numbers, shown.problems).values():
        assert reading.data.isprintable(), reading
    for name in FORMATS if len(shown.graph) else ():
        check_export(name, write_graph(shown.graph, name, shown.numbers, shown.problems))
    order = topological_order(shown.root)
    if len(order) <= FEW_VALUES:
        check_numbers(shown.root, order, chance)


def lay_out(graph, direction):
    """The last layout that is there in time."""
    end, placed = time.process_time() + LAYOUT_SECONDS, None
    try:
        for placed in progressive_layout(
            graph, direction=direction, fold=True, cancelled=lambda: time.process_time() > end
        ):
            assert set(placed.positions) == set(graph)
    except LayoutCancelled:
        pass
    return placed


def check_export(name, text):
    text.encode()
    if name == "json":
        json.loads(text, parse_constant=lambda constant: 1 / 0)
    if name == "graphml":
        ElementTree.fromstring(text)


def check_numbers(root, order, chance):
    """The gradients, the steps and the explanation of some values; an array as the result is refused as one."""
    if root.data.__class__ is not float:
        for asked in (check_gradients, Walk, Explainer):
            with pytest.raises(ValueDataError, match="single number"):
                asked(root)
        return
    rows = check_gradients(root)
    assert summary(rows).isprintable()
    for row in rows:
        assert row.ok or not row.defined or row.note, row
    steps, explainer = Walk(root), Explainer(root)
    positions = {0, len(steps), chance.randrange(len(steps) + 1)}
    for position in positions:
        steps.state(position)
    for step in steps.script:
        assert (step.names + step.numbers + step.sum_line + step.accumulation).isprintable()
    for value in chance.sample(order, min(4, len(order))):
        explainer.explain(value)
        explainer.explain(value, steps, chance.choice([*positions]))
