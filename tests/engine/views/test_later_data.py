"""After an update no fresh gradient would be of a pass that there was: those of the program are shown, and the pass
that they come from is walked.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.document import Document
from engine.language import evaluate
from engine.page.page import stepper_page
from engine.views.graph_view import show_expression
from engine.views.questions import Question, QuestionExplainer
from engine.views.shown_walk import ShownWalk
from engine.views.update_rule import program_update
from tests.engine.language.own_engine.own_engine_cases import engine
from tests.equations import assert_walk_adds_up

UPDATE = (
    "w = Value(3.0)\nx = Value(2.0)\ny = w * x\ny.backward()\nw.data -= 0.5 * w.grad\nprint(x.grad, w.grad, w.data)\n"
)
OWN = engine("closures") + "\n"


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_the_gradients_are_those_that_the_program_prints(before):
    """The canvas showed 2.0 beside x where the program printed 3.0: new weights times old outputs."""
    evaluation = evaluate(before + UPDATE)
    graph_view = show_expression(evaluation)
    shown = {name: graph_view.numbers(evaluation.names[name]) for name in "wxy"}
    assert shown == {"w": (2.0, 2.0), "x": (2.0, 3.0), "y": (6.0, 1.0)}
    assert evaluation.output[0].text == "3.0 2.0 2.0\n"


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_before_an_update_and_without_a_backward_pass_they_are_computed(before):
    unchanged = show_expression(evaluate(before + UPDATE.replace("w.data -= 0.5 * w.grad", "")))
    assert not unchanged.program.data and numbers_of(unchanged)["x"] == (2.0, 3.0)
    without = show_expression(evaluate(before + "w = Value(3.0)\nx = Value(2.0)\ny = w * x\nw.data = 5.0\n"))
    assert without.program_gradients is None and numbers_of(without)["x"] == (2.0, 5.0)


def numbers_of(graph_view):
    return {key: graph_view.numbers(a["value"]) for key, a in graph_view.graph.nodes(data=True) if a["kind"] == "value"}


def at_the_end(walk, graph_view):
    """Data and gradient of each box after the last step."""
    look_up = walk.numbers_at(len(walk), graph_view.numbers_of_pass)
    return {key: look_up(a["value"]) for key, a in graph_view.graph.nodes(data=True) if a["kind"] == "value"}


@pytest.mark.parametrize("opened", [(), ("op:y",)], ids=["as written", "tanh expanded"])
@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_the_walk_goes_through_the_pass_before_the_update_and_ends_in_what_the_program_has(before, opened):
    program = before + UPDATE.replace("w * x", "(w * x * 0.1).tanh()")
    graph_view = show_expression(evaluate(program), expanded=opened)
    walk = assert_walk_adds_up(graph_view)
    assert [step.sum_line for step in walk.script if step.kind == "update"] == ["w.data = 3 - 0.5 × 0.14232 = 2.92884"]
    ended, shown = at_the_end(walk, graph_view), numbers_of(graph_view)
    assert ended.keys() == shown.keys() and len(ended) == (13 if opened else 6)
    for key, (data, grad) in shown.items():
        assert ended[key][0] == pytest.approx(data) and (grad is None or ended[key][1] in (None, pytest.approx(grad)))


def test_of_a_change_without_a_learning_rate_the_walk_says_by_how_much():
    graph_view = show_expression(evaluate(UPDATE.replace("w.data -= 0.5 * w.grad", "w.data = 7\nx.data = -1")))
    assert program_update(graph_view).learning_rate is None
    lines = [step.sum_line for step in assert_walk_adds_up(graph_view).script if step.kind == "update"]
    assert lines == ["w.data = 3 + 4 = 7", "x.data = 2 + (-3) = -1"]


@pytest.mark.parametrize("change", ["w.data -= 0.1 * w.grad + 1", "w.data = w.data"])
def test_a_gradient_of_0_gives_no_learning_rate(change):
    graph_view = show_expression(evaluate(f"w = Value(-3.0)\ny = relu(w) + w * 0\ny.backward()\n{change}\n"))
    rule = program_update(graph_view)
    assert rule is None or rule.learning_rate is None
    assert_walk_adds_up(graph_view)


ARRAY = "import torch\nW = torch.tensor([1.0, 2.0], requires_grad=True)\noptimizer = torch.optim.SGD([W], lr=0.1)\n"
OTHER_SHAPE = "W = Value([1.0, 2.0])\ny = sum(W * W)\ny.backward()\nW.data = [1, 2, 3]\n"
ARRAY += "y = (W * W).sum()\ny.backward()\noptimizer.step()\n"
NUMBER = "x = Value(2.0)\ny = x * 3\ny.backward()\n"


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (ARRAY, ["W.data = [2]"]),
        (ARRAY + "optimizer.zero_grad()\n", ["W.data = [2]", "W.grad = None"]),
        ("W = Value([1.0, 2.0])\ny = sum(W * 3)\ny.backward()\nW.data = W.data - 0.1 * W.grad\n", ["W.data = [2]"]),
        (
            "W = Value([1.0, 2.0])\ny = sum(W * W)\ny.backward()\nW.data = [1, 2, 3]\n",
            ["W.data = [3]", "W.grad = None"],
        ),
        (NUMBER + "x.data = [1.0, 2.0]\n", ["x.data = [2]", "x.grad = [2]"]),
        (NUMBER + "x.data -= 0.1 * x.grad\nx.grad = None\n", ["x.data = 2 - 0.1 × 3 = 1.7", "x.grad = None"]),
        (
            NUMBER + "for v in y._prev:\n    v.data -= 0.1 * v.grad\n",
            ["x.data = 2 - 0.1 × 3 = 1.7", "3.data = 3 - 0.1 × 2 = 2.8"],
        ),
    ],
    ids=["optimizer", "zero_grad at the end", "array", "other shape", "number to array", "None", "constant"],
)
def test_the_walk_goes_to_the_end_of_whatever_a_program_does_after_its_pass(text, ending):
    """Its texts are those of the page, on which every step stands."""
    graph_view = show_expression(evaluate(text))
    walk = ShownWalk(graph_view, learning_rate=None)
    assert [step.sum_line for step in walk.walk.script if step.kind in ("update", "set")] == ending
    assert stepper_page(walk, Document().view)
    for key, (data, grad) in numbers_of(graph_view).items():
        ended = at_the_end(walk.walk, graph_view)[key]
        np.testing.assert_allclose(ended[0], data)
        assert grad is None or ended[1] is None or np.allclose(ended[1], grad)


def test_a_step_of_a_constant_that_is_not_drawn_touches_nothing():
    graph_view = show_expression(
        evaluate(NUMBER + "for v in y._prev:\n    v.data -= 0.1 * v.grad\n"), hide_constants=True
    )
    walk = ShownWalk(graph_view, learning_rate=None)
    assert [walk.touched(position)[0] for position in (len(walk.walk) - 1, len(walk.walk))] == [{"x"}, set()]


def test_gradients_of_earlier_passes_are_told_from_those_of_the_pass_that_is_walked():
    steps = "w = Value(3.0)\nfor k in range(2):\n    y = w * w\n    {zero}y.backward()\n    w.data -= 0.1 * w.grad\n"
    kept, zeroed = (show_expression(evaluate(steps.format(zero=zero))) for zero in ("", "w.grad = 0.0\n    "))
    assert (
        list(kept.program_gradients.initial.values()) == [pytest.approx(6.0)] and not zeroed.program_gradients.initial
    )
    assert numbers_of(kept)["w"] == pytest.approx((1.32, 10.8))  # 3 - 0.6, and 2.4 - 0.1 * (6 + 4.8)
    assert assert_walk_adds_up(kept).script[-1].sum_line == "w.data = 2.4 - 0.1 × 10.8 = 1.32"


def test_what_no_pass_of_the_program_explains_is_computed_anew():
    """z is made of an output from before the update and of a weight from after it."""
    graph_view = show_expression(evaluate(UPDATE + "z = y + w\n"))
    assert numbers_of(graph_view)["z"][0] == 8.0 and not graph_view.program.updated
    walk = assert_walk_adds_up(graph_view)
    assert walk.script[1].numbers == "z = y + w = 4 + 2 = 6"


def test_of_very_many_passes_the_last_one_is_walked():
    steps = "w = Value(3.0)\nfor k in range(199):\n    y = w * w\n    w.grad = 0.0\n    y.backward()\n"
    graph_view = show_expression(evaluate(steps + "    w.data -= 0.001 * w.grad\n"))
    assert graph_view.program.updated
    last = assert_walk_adds_up(graph_view).script[-1]
    assert last.names == "w.data -= learning rate × w.grad" and "0.001" in last.update.origin


TERMS = ["{a}*{b}", "{a} - {b}/3", "tanh({a}) + {b}", "({a} + {b})**2", "softplus({a}) - {b}", "sigmoid({a}*{b})"]


@given(st.lists(st.tuples(st.sampled_from(TERMS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4),
       st.lists(st.floats(-2, 2), min_size=2, max_size=2), st.sampled_from((1, 3)), st.sampled_from((0.1, 0.7)),
       st.booleans())  # fmt: skip
@pytest.mark.slow
@settings(max_examples=15, deadline=None)
def test_every_line_of_the_walk_adds_up_after_any_loop_of_updates(terms, numbers, steps, rate, opened):
    names, lines = ["a", "b"], []
    for index, (term, *which) in enumerate(terms):
        one, other = (names[-1 - place % len(names)] for place in which)
        lines.append(f"    v{index} = " + term.format(a=one, b=other))
        names.append(f"v{index}")
    head = "".join(f"{name} = Value({number!r})\n" for name, number in zip("ab", numbers, strict=True))
    loop = (
        f"for k in range({steps}):\n" + "\n".join(lines) + f"\n    a.grad = b.grad = 0.0\n    {names[-1]}.backward()\n"
    )
    evaluation = evaluate(f"{head}{loop}    a.data -= {rate} * a.grad\n    b.data -= {rate} * b.grad\n")
    expanded = [f"op:{origin.key}" for origin in evaluation.origins.values()] if opened else ()
    graph_view = show_expression(evaluation, expanded=expanded)
    ended = at_the_end(assert_walk_adds_up(graph_view), graph_view)
    shown = numbers_of(graph_view)
    assert {key: data for key, (data, _grad) in ended.items()} == pytest.approx(
        {key: data for key, (data, _grad) in shown.items()}, rel=1e-9, abs=1e-12
    )
    assert all(shown[key][1] == pytest.approx(ended[key][1] or 0.0, abs=1e-9) for key in "ab" if key in ended)


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_what_is_older_than_its_inputs_is_not_worked_out_with_their_new_data(before):
    program = before + "a = Value(2.0)\nb = Value(3.0)\nc = a * b\nd = b + 1\nd.backward()\nb.data = 7.0\ne = a + 1\n"
    evaluation = evaluate(program)
    explanation = QuestionExplainer().explain(Question(evaluation.names["c"], show_expression(evaluation)))
    question, formula, *reason = (line.text for line in explanation.why_data)
    assert question.endswith("= 6?") and formula == "c = a × b" and len(reason) == 1 and "7" not in reason[0]


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_a_leaf_of_an_earlier_result_is_asked_about_with_the_data_that_it_has_now(before):
    program = "a = Value(2.0)\nb = Value(3.0)\nc = a * b\nc.backward()\nd = b.tanh()\na.data = 7.0\nb.data = 5.0\n"
    evaluation = evaluate(before + program)
    view = show_expression(evaluation)
    a = next(value for value in view.values if value.label == "a")
    assert view.numbers(a) == (7.0, 3.0)
    assert QuestionExplainer().explain(Question(a, view)).why_data[0].text == "Why is a.data = 7?"


@pytest.mark.parametrize("count", [1, 3, 6])
def test_the_walk_ends_after_the_update_of_every_leaf(count):
    names = [f"w{number}" for number in range(count)]
    leaves = "".join(f"{name} = Value({number}.5)\n" for number, name in enumerate(names))
    total = " + ".join(f"{name} * 2" for name in names)
    updates = "".join(f"{name}.data -= 0.5 * {name}.grad\n" for name in names)
    view = show_expression(evaluate(f"{leaves}y = {total}\ny.backward()\n{updates}"))
    walk = assert_walk_adds_up(view)
    assert sorted(step.node.label for step in walk.script if step.kind == "update") == names
    assert {name: at_the_end(walk, view)[name] for name in names} == {name: numbers_of(view)[name] for name in names}
