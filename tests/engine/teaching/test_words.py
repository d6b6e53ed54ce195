"""The formulas, names and words of explanations are those of the values that they are about."""

import math
import re
from collections import Counter

import pytest

from engine.autograd import OPS, Constant, Value, name_of, topological_order, what_if
from engine.language import evaluate
from engine.teaching import Explainer
from engine.teaching.operation_lines import expanded_lines, operation_lines

SIGNS = str.maketrans({"×": "*", "·": "*", "^": "**", "²": "**2", "³": "**3", "√": "sqrt"})
FUNCTIONS = {op.name: op.scalar for op in OPS.values() if op.elementwise}
VARIADIC = {"logsumexp": lambda *x: OPS["logsumexp"].scalar(x), "pi": math.pi, "σ": OPS["sigmoid"].scalar}
NUMBERS = {"p": 0.7, "q": 1.3, "r": -0.4}
LEAVES = "".join(f"{name} = {number}\n" for name, number in NUMBERS.items())
OF_NUMBERS = [op for op in OPS.values() if op.elementwise or op.variadic]


def read(formula, names):
    """The value of a formula in names for the numbers of these names."""
    return eval(formula.translate(SIGNS), FUNCTIONS | VARIADIC | {"__builtins__": {}, **names})


def texts(lines):
    return [line.text for line in lines]


@pytest.mark.parametrize("op", OF_NUMBERS, ids=lambda op: op.name)
def test_the_formulas_in_names_give_the_value_and_its_slopes(op):
    operands = list(NUMBERS)[: op.arity or 3]
    result = evaluate(f"{LEAVES}o = {op.name}({', '.join(operands)})")
    root, names = result.root, result.names
    known = {**NUMBERS, "o": root.data}
    assert read(texts(Explainer(root).explain(root).why_data)[1].removeprefix("o = "), known) == pytest.approx(
        root.data
    )
    for name in operands:
        left, formula = re.split(" [=≈] ", texts(Explainer(root).explain(names[name]).why_grad)[1])[:2]
        above, below = (what_if(root, {names[name]: NUMBERS[name] + nudge}) for nudge in (1e-6, -1e-6))
        assert left == f"∂o/∂{name}" and read(formula, known) == pytest.approx((above - below) / 2e-6, rel=1e-5)


@pytest.mark.parametrize("op", [op for op in OPS.values() if len(op.partials) == 1], ids=lambda op: op.name)
def test_the_factor_that_the_rule_of_an_operation_names_is_its_derivative(op):
    found = re.search(r"the upstream gradient by ([^:]*?\d?\)?)(?:[.:,]|$)", op.rule)
    factor = found and found[1].replace("(2·√x)", "(2·√(x))")
    if factor in (None, "the sign of x"):
        return
    for x in (0.3, 1.7):
        y = op.scalar([x]) if op.variadic else op.scalar(x)
        slope = op.scalar_partials[0](x, y)
        assert read(factor, {"x": x, "y": y}) == pytest.approx(slope), op.rule


@pytest.mark.parametrize(
    ("name", "words", "gradients"),
    [
        ("max", "larger input alone", (0.0, 1.0)),
        ("min", "smaller input alone", (1.0, 0.0)),
        ("add", "unchanged to both inputs", (1.0, 1.0)),
        ("sub", "to the first input and the negative of it to the second", (1.0, -1.0)),
        ("mul", "times the other input", (1.3, 0.7)),
        ("div", "1/b for the numerator and by -a/b² for the denominator", (1 / 1.3, -0.7 / 1.3**2)),
    ],
)
def test_the_rule_of_an_operation_with_two_inputs_says_what_each_gets(name, words, gradients):
    op = OPS[name]
    slopes = [partial(0.7, 1.3, op.scalar(0.7, 1.3)) for partial in op.scalar_partials]
    assert words in op.rule and slopes == pytest.approx(gradients)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.kink and op.arity == 1], ids=lambda op: op.name)
def test_the_value_that_is_said_to_be_used_at_a_kink_is_used_there(op):
    used, place = re.fullmatch(r"(\S+) at x = (\S+)", op.at_kink).groups()
    assert op.scalar_partials[0](float(place), op.scalar(float(place))) == float(used)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.infinite_at], ids=lambda op: op.name)
def test_a_derivative_is_infinite_where_it_is_said_to_be(op):
    place = float(op.infinite_at.removeprefix("x = "))
    assert op.scalar_partials[0](place, op.scalar(place)) == math.inf


@pytest.mark.parametrize(("text", "side"), [("y = sqrt(x)", "smaller"), ("y = sqrt(-x)", "larger")])
def test_the_side_on_which_an_operation_is_undefined_is_named(text, side):
    result = evaluate(f"x = 0.0\n{text}")
    assert f"when x is a little {side}, sqrt(" in Explainer(result.root).explain(result.names["x"]).text


PROGRAMS = [
    "a = 2.0\nb = -3.0\nc = a*b\nd = a - c\ne = tanh(d/b)\nf = e*a + c",
    "a = 0.5\nb = 1.5\nc = a/b\nd = c*c\ne = max(d, b)\nf = e - d*a",
    "a = 2.0\nb = a + a\nc = b*a\nd = c*b\ne = d - 1.0\nf = weighted_sum(a, b, c, d, e)",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_consumers_and_the_path_that_are_told_are_those_of_the_graph(text):
    root = evaluate(text).root
    order = topological_order(root)
    for value in (each for each in order if not isinstance(each, Constant)):
        lines = texts(Explainer(root).explain(value).why_grad)
        uses = [node for node in order for source in node.inputs if source is value]
        told = [line.partition(":")[0].removeprefix("from ").strip("()") for line in lines if line.startswith("from ")]
        assert Counter(told) == Counter(map(name_of, uses)) or len(uses) < 2
        assert len(uses) < 2 or f"is used {len(uses)} times" in "".join(lines)
        paths = list(paths_to(root, value, order))
        line = next((line for line in lines if " to the output: " in line), None)
        assert (line is None) == (value is root)
        if line is not None:
            words, _, way = line.partition(" to the output: ")
            assert words == ("Path" if len(paths) == 1 else f"The shortest of {len(paths)} paths")
            written = {" → ".join([name_of(value), *(f"{n.op.text} → {name_of(n)}" for n in path)]) for path in paths
                       if len(path) == min(map(len, paths))}  # fmt: skip
            assert way in written


def paths_to(root, value, order):
    """Yield every path from a value to the root, as the values along it."""
    if value is root:
        yield []
    for node in order:
        for source in node.inputs:
            if source is value:
                yield from ([node, *rest] for rest in paths_to(root, node, order))


@pytest.mark.parametrize(("name", "word"), [("amax", "largest"), ("amin", "smallest")])
def test_the_rule_of_the_largest_and_the_smallest_names_its_element(name, word):
    assert OPS[name].rule.startswith(f"The {word} element gets the whole gradient")


@pytest.mark.parametrize("op", [op for op in OPS.values() if len(op.partials) == 2], ids=lambda op: op.name)
def test_each_derivative_of_an_operation_is_told_with_its_input(op):
    lead = "derivative with respect to "
    told = [line.text for line in operation_lines(op) if line.text.startswith(lead)]
    assert [line[len(lead)] for line in told] == ["a", "b"]


def test_the_gradient_by_the_parts_and_the_one_in_one_piece_are_told_apart():
    n = Value(0.5, "n")
    assert expanded_lines(n.tanh(), [(n, 1.0, 2.0)], "E")[1].text == "n.grad is 2 this way and 1 in one piece."
