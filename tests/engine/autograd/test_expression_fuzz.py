"""A seeded fuzz of `evaluate`: whatever the text, a graph within the bounds or an ExpressionError with its place."""

import random
import unicodedata

import pytest

from engine.autograd import ExpressionError, completions, evaluate, highlight, replace_number
from tests.programs import README_OF_MICROGRAD

TEXTS = 250
"""Texts of each kind and seed: about half a second in all."""

VALID = [
    README_OF_MICROGRAD,
    "x1 = 2.0;  w1 = -3.0\nb = 6.88\nn = x1*w1 + b\no = tanh(n)\n",
    "import torch\nx = torch.tensor([2.0], requires_grad=True)\ny = x.exp() # why\ny.backward()\nprint(x.grad)",
    "a = Value(1.0, label='a')\nb = sum([a, a**2, 3])\nb.label = 'b'\nc = weighted_sum(a, b, 1)\nmax(c, 1e-3)",
    "a = 1.0\nb = (a +\n  2) / -a\na += 1\nexp = 3\nL = (b - exp)**2 / a.tanh()",
]
WORDS = [
    *"abxy=+-*/(),.;:\n\n[]{}#'\"²₁√\\@^~<>!%&|\t ", "**", "==", "+=", "2.5", "1,000", "1e400", "0x1F", "1e-400",
    "3,14", "tanh", "sum", "max", "relu", "Value", "label", "print", "torch", "np", "math", "import", "lambda", "None",
    ".data", ".backward()", ".item()", "\r\n", "\u2028", "\ufeff", "\u202e", "\u200b", "\u3164", "\x1b[31m", "\0",
    "\ud800", "µ", "ｅｘｐ", "−", "“", "😀", "é", "e\u0301",
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


@pytest.mark.parametrize("make", [mutated, of_words, of_any_characters, repeated])
@pytest.mark.parametrize("seed", range(4))
def test_any_text_gives_a_graph_or_an_error_that_can_be_shown(make, seed):
    chance = random.Random(f"{make.__name__} {seed}")
    for _ in range(TEXTS if make is not repeated else TEXTS // 10):
        text = make(chance)
        try:
            result = evaluate(text)
        except ExpressionError as error:
            check_error(error, text)
        else:
            check_result(result, text)
        highlight(text)
        completions(text, chance.randrange(len(text) + 1))


def check_error(error, text):
    lines = text.replace("\r\n", " \n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n").split("\n")
    assert 1 <= error.line <= len(lines), text
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1, (text, error)
    assert error.end_column > error.column
    assert error.message.isprintable(), (text, error)
    assert len(error.message) <= 150, error
    for fix in error.fixes:
        assert fix.title.isprintable()
        assert 0 <= fix.start <= fix.end <= len(text)
        assert fix.apply(text) != text, (text, fix)


def check_result(result, text):
    assert len(result.origins) <= 5_000
    assert result.root is None or result.root in result.origins
    for value in result.origins:
        assert value.label.isprintable(), text
    for leaf in result.leaves:
        moved = evaluate(replace_number(text, leaf, 0.5))
        assert [other.number for other in moved.leaves if other.key == leaf.key] == [0.5], (text, leaf)
    for note in result.notes:
        assert note.message.isprintable()
        assert len(note.message) <= 200
