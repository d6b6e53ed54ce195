"""Random programs and random graphs: laws that hold for all of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import OPS, Value, apply, check_gradients, contributions, expand, gradients_of, topological_order
from engine.language import ProgramError, evaluate
from engine.teaching import Walk

pytestmark = pytest.mark.slow

SMOOTH = ["tanh", "sigmoid", "sin", "cos", "softplus", "swish", "gelu"]
numbers = st.floats(-2, 2, allow_nan=False).map(lambda x: round(x, 3))


def function(name):
    return OPS[name].scalar


FORMS = {
    "{a} + {b}": lambda a, b, f, k: a + b,
    "{a} - {b}": lambda a, b, f, k: a - b,
    "{a}*{b}": lambda a, b, f, k: a * b,
    "{f}({a})": lambda a, b, f, k: function(f)(a),
    "{a}.{f}() * {k}": lambda a, b, f, k: function(f)(a) * k,
    "-{a} + {k}": lambda a, b, f, k: -a + k,
    "{a}**2": lambda a, b, f, k: a**2.0,
    "({a} + {k})/(2 + {b}*{b})": lambda a, b, f, k: (a + k) / (2 + b * b),
}
"""Texts of the language, and the same in Python's own floats."""


@st.composite
def programs_and_results(draw):
    """Assignments over earlier names only; some names are used often, some never, operands repeat."""
    data = {f"x{i}": draw(numbers) for i in range(draw(st.integers(1, 3)))}
    lines = [f"{name} = {number!r}" for name, number in data.items()]
    for index in range(draw(st.integers(1, 8))):
        a, b, last = (draw(st.sampled_from(list(data))) for _ in range(3))
        form, f, k = draw(st.sampled_from(list(FORMS))), draw(st.sampled_from(SMOOTH)), draw(numbers)
        name = draw(st.sampled_from([f"v{index}", last]))
        lines.append(f"{name} = " + form.format(a=a, b=b, f=f, k=k))
        data[name] = result = FORMS[form](data[a], data[b], f, k)
    return "\n".join(lines), result


programs = programs_and_results().map(lambda pair: pair[0])


@st.composite
def graphs(draw):
    """A root over shared nodes, with leaves that it may not use at all."""
    values = [Value(draw(numbers)) for _ in range(draw(st.integers(1, 4)))]
    for _ in range(draw(st.integers(1, 12))):
        op = OPS[draw(st.sampled_from(["add", "sub", "mul", "tanh", "sin", "sigmoid"]))]
        values.append(apply(op, *[draw(st.sampled_from(values)) for _ in op.arguments]))
    return values[-1]


@pytest.mark.long
@given(programs_and_results())
def test_data_are_those_of_plain_floats(program):
    text, result = program
    assert evaluate(text).root.data == pytest.approx(result, rel=1e-12)  # tanh of another mathematical library


@given(programs)
def test_every_gradient_agrees_with_finite_differences_and_complex_step(text):
    for row in check_gradients(evaluate(text).root):
        assert row.ok or not math.isfinite(row.central_difference), (text, row)


@pytest.mark.long
@given(programs)
def test_expansion_keeps_every_gradient(text):
    result = evaluate(text)
    expansion = expand(result.root)
    result.root.backward()
    expansion.root.backward()
    size = max(1.0, *(abs(value.grad) for value in topological_order(result.root) if value.grad == value.grad))
    for value in topological_order(result.root):
        expanded = expansion.mapping[value].grad
        assert abs(value.grad - expanded) <= 1e-11 * size or (math.isnan(value.grad) and math.isnan(expanded))


@pytest.mark.long
@given(programs)
def test_blank_lines_and_comments_change_nothing(text):
    spaced = "# first\n\n" + text.replace("\n", "  # note\n\n").replace(" = ", "  =  ")
    assert evaluate(spaced).root.data == evaluate(text).root.data


@given(graphs())
def test_contributions_sum_to_backward(root):
    totals = gradients_of(root)
    root.backward()
    for value in topological_order(root):
        assert value.grad == totals.get(value, 0.0)


@given(graphs())
def test_the_script_ends_where_backward_ends(root):
    steps = Walk(root)
    grads = steps.state(len(steps)).grads
    root.backward()
    assert all(value.grad == grads[value] for value in topological_order(root))


@given(graphs())
def test_one_record_for_every_edge(root):
    order = topological_order(root)
    assert len(list(contributions(root))) == sum(len(value.inputs) for value in order)


@given(graphs(), numbers)
def test_gradients_are_linear_in_the_root(root, factor):
    single, scaled = gradients_of(root), gradients_of(root * factor)
    for value in topological_order(root):
        assert math.isclose(scaled[value], factor * single[value], rel_tol=1e-12, abs_tol=1e-12)


@given(graphs())
def test_a_second_backward_doubles_leaves_only(root):
    root.backward()
    first = {value: value.grad for value in topological_order(root)}
    root.backward()
    for value, grad in first.items():
        expected = grad * 2 if value.op is None else grad
        assert math.isclose(value.grad, expected, rel_tol=1e-12, abs_tol=1e-300)


@pytest.mark.long
@given(st.lists(numbers, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_unrelated_lines_does_not_matter(data, chance):
    leaves = [f"x{i} = {number!r}" for i, number in enumerate(data)]
    total = "y = tanh(" + " + ".join(f"x{i}*x{(i + 1) % len(data)}" for i in range(len(data))) + ")"
    shuffled = chance.sample(leaves, len(leaves))
    results = [evaluate("\n".join([*lines, total])) for lines in (leaves, shuffled)]
    for result in results:
        result.root.backward()
    for i in range(len(data)):
        assert results[0].names[f"x{i}"].grad == results[1].names[f"x{i}"].grad


@pytest.mark.long
@given(st.text(max_size=300))
def test_any_text_gives_a_graph_or_an_error_with_a_place(text):
    try:
        evaluate(text)
    except ProgramError as error:
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + text.count("\u2028") + text.count("\u2029") + 1
        assert error.column >= 1
        assert error.message


LANGUAGE = st.sampled_from(
    [*"abx=+-*/(),.;\n1[]#'²√", "**", "2.5", "tanh", "max", "relu", "Value", "sum", "label", "print", "if", "+=", "=="]
)


@given(st.lists(LANGUAGE, max_size=40).map(" ".join))
def test_any_sequence_of_words_gives_a_graph_or_an_error(text):
    try:
        result = evaluate(text)
    except ProgramError as error:
        assert len(error.message) < 150
        if error.fix is not None:
            assert error.fix.apply(text) != text
    else:
        assert result.root is None or result.root in result.origins
