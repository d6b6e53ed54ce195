"""The table as LaTeX reads it: cells, braces, math; and formulas that say what was computed."""

import re

import pytest

from engine.autograd import Value
from engine.graph import build_graph
from engine.graph.formats import write_graph
from engine.graph.formats.latex import ESCAPES, escaped
from engine.language import evaluate
from engine.views.graph_view import show_expression

ANY_NAME = "\\{}$&#%_^~<>|\"'[]*`-–−…·×÷Σσλᵀ₁²‖∞ éßø 变"


def table(text, hide_constants=False):
    shown = show_expression(evaluate(text), hide_constants)
    return write_graph(shown.graph, "tex", shown.numbers, shown.problems)


def formulas(text, hide_constants=False):
    """What stands in the second column, by the first."""
    rows = [
        line.removesuffix(r" \\").split(" & ") for line in table(text, hide_constants).splitlines() if " & " in line
    ]
    return {row[0]: row[1] for row in rows[1:]}


def read(line):
    """Cells of a row as TeX sees them; fails where braces or math are not closed, or a sign stands outside math."""
    depth, math, cells, at = 0, False, [""], 0
    while at < len(line):
        command = re.compile(r"\\(?:[a-zA-Z]+|.)").match(line, at)
        token = command[0] if command else line[at]
        at += len(token)
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            assert depth >= 0, line
        elif token == "$":
            math = not math
        elif token == "&":
            assert depth == 0 and not math, line
            cells.append("")
            continue
        elif token in "_^":
            assert math, f"{token} outside math: {line}"
        assert token not in "#%~", f"{token} would not be shown: {line}"
        cells[-1] += token
    assert depth == 0 and not math, line
    return cells


@pytest.mark.parametrize(
    "text",
    [
        "a = 2\nb = a ** 3 + a / 7 - (-a)\nc = sigmoid(b) * max(a, b)\n",
        "λ = 2\nc = λ\nc += λ ** 2\nc += 1\nσ1 = sqrt(c)\n",
        "v = -1\nbad = log(v)\nfar = 1e308 * 10\nout = bad * far + 1e-12\n",
    ],
)
def test_every_row_is_four_cells_with_braces_and_math_closed(text):
    rows = [line for line in table(text).splitlines() if not line.startswith((r"\hline", r"\begin", r"\end", "%"))]
    assert len(rows) > 3
    for row in rows:
        assert row.endswith(r" \\") and len(read(row.removesuffix(r"\\"))) == 4


def test_names_may_hold_anything():
    leaf = Value(2.0, ANY_NAME)
    root = leaf * Value(3.0, "[x]")
    root.label = "*y*"
    text = write_graph(build_graph(root), "tex")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert [len(read(row.removesuffix(r"\\"))) for row in rows] == [4] * len(rows)
    assert not any(re.match(r"\s*[\[*]", row) for row in rows)  # it would belong to the \\ of the row before
    assert "{[}x{]}" in text and "{*}y{*}" in text


def test_letters_that_not_every_latex_knows_are_put_into_math_or_named():
    for letter in ESCAPES:
        assert all(c <= "\u017f" for c in escaped(letter)), letter
    assert "%" not in table("größe = 2\nλ = größe ** 2\n").replace(r"\%", "")
    first = table("变量 = 2\nout = 变量 * 2\n").splitlines()[0]
    assert first.startswith("% XeLaTeX") and "变" in first and "量" in first


def test_formulas_say_what_was_computed():
    found = formulas(
        "a = 2\nc = 3\ns = a + c\np = a ** c\nq = s ** 2\nr = q * (a - c)\nt = r - (a + c)\nu = -t\nv = u ** -1\n"
    )
    assert found["p"] == r"a$^{\textrm{c}}$" and found["q"] == "s$^{2}$" and found["v"] == "u$^{-1}$"
    assert found["r"] == r"q $\cdot$ (a-c)" and found["t"] == "r $-$ (a+c)" and found["u"] == "$-$t"
    assert found["s"] == "a $+$ c" and found["a"] == "--"


def test_functions_are_called_by_their_names_and_negative_constants_stand_apart():
    found = formulas("a = 2\nb = relu(a)\nc = abs(b)\nd = leaky_relu(c)\ne = max(d, a)\nf = e + -3\ng = -2 * e\n")
    assert [found[name] for name in "bce"] == ["relu(a)", "abs(b)", "max(d, a)"]
    assert found["d"] == r"leaky\_relu(c)"
    assert found["f"] == "e $+$ (-3)" and found["g"] == r"(-2) $\cdot$ e"


def test_hidden_constants_still_stand_in_the_formulas():
    text = "a = 2\nb = a * 3 - 1\n"
    assert formulas(text, hide_constants=True) == formulas(text)
    assert formulas(text)["b"].endswith("$-$ 1")


def test_the_derivative_by_each_value_is_a_total_one_and_written_with_d():
    head = table("a = 3.0\nb = a + a").splitlines()[2]
    assert head.endswith(r"& $\mathrm{d}\,$b$\,/\,\mathrm{d}\,$value \\")
    assert r"\partial" not in head


def test_a_weighted_sum_is_escaped_once_however_many_terms_it_has():
    text = "w_1 = 1\nx = 2\nw_2 = 3\nb = 4\ny = weighted_sum(w_1, x, w_2, x, w_1, x, b)\n"
    assert formulas(text)["y"] == r"w\_1 $\cdot$ x $+$ w\_2 $\cdot$ x $+$ w\_1 $\cdot$ x $+$ b"
