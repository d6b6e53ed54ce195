"""The gradients that a program has are the ones that are shown; a walk begins and ends in them."""

import math
import random

import pytest

from engine.autograd.notation import short
from engine.language import after_statements, evaluate
from engine.teaching import Explainer, Walk
from engine.teaching.walk import OVERRIDE_NOTES, SET_LATER
from engine.views.graph_view import show_expression
from engine.views.questions import Question, QuestionExplainer
from engine.views.shown_walk import ShownWalk
from engine.views.update_rule import update_rule
from engine.views.walk_texts import gradient_notes, place_text, state_text
from tests.engine.language.own_engine.own_engine_cases import engine
from tests.equations import assert_walk_adds_up

OWN = engine("closures") + "\n"
TWICE = "a = Value(3.0)\nb = a * 2\nb.backward()\nb = a * 2\nb.backward()\n"
BY_HAND = "a = Value(2.0)\nb = Value(-3.0)\nc = a * b\nd = c + a\n"


def shown(text):
    return show_expression(evaluate(text))


def gradients(graph_view):
    """By name, as the canvas shows them."""
    nodes = (attributes for _key, attributes in graph_view.graph.nodes(data=True) if attributes["kind"] == "value")
    return {each["label"]: graph_view.numbers(each["value"])[1] for each in nodes}


def value_of(graph_view, name):
    return next(value for value in graph_view.leaves if value.label == name)


def explained(graph_view, name):
    explainer = Explainer(graph_view.root, graph_view.program_gradients)
    return "\n".join(line.text for line in explainer.explain(value_of(graph_view, name)).why_grad)


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_gradients_that_were_not_zeroed_between_passes_are_seen_and_explained(before):
    graph_view = shown(before + TWICE)
    assert gradients(graph_view)["a"] == 4.0
    assert "2 + 2 = 4" in state_text(graph_view, False) and "2 + 2 = 4" in explained(graph_view, "a")
    assert "2 + 2 = 4" in gradient_notes(graph_view, "a")[0]
    walk = assert_walk_adds_up(graph_view)
    a = value_of(graph_view, "a")
    assert "zero_grad" not in walk.phases
    assert (walk.gradient(a, 0), walk.gradient(a, walk.all_computed)) == (2.0, 4.0)


def test_gradients_that_were_zeroed_are_those_of_the_last_pass():
    graph_view = shown(TWICE.replace("b = a * 2\nb.backward()\n", "b = a * 2\na.grad = 0.0\nb.backward()\n"))
    assert gradients(graph_view)["a"] == 2.0 and not graph_view.program_gradients.initial
    assert "zeroed" not in state_text(graph_view, False)


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_gradients_of_a_pass_from_an_infinite_result_are_explained_as_the_program_has_them(before):
    graph_view = shown(before + "a = Value(1e200)\nw = Value(2.0)\ny = a*a*w\ny.backward()\n")
    assert gradients(graph_view)["a"] == 4e200 and gradients(graph_view)["w"] == math.inf
    told = explained(graph_view, "a")
    assert told.startswith("Why is a.grad = 4e200?") and "= 2e200 + 2e200 = 4e200" in told
    assert told.endswith("overflow: number too large (over 1.8e308).") and "slope to compare" not in told
    assert explained(graph_view, "w").startswith("Why is w.grad = ∞?")


def test_gradients_of_an_infinite_result_that_were_not_zeroed_add_up():
    passes = "for k in range(2):\n    b = a * a\n    b.backward()\n"
    assert "2e200 + 2e200 = 4e200" in explained(shown(f"a = Value(1e200)\n{passes}"), "a")


EARLIER = "a = Value(2.0)\nb = Value(-3.0)\nc = a * b\nc.backward()\n"
LATER = "x = Value(1.0)\no = x * 2 + x\n"


def why_beyond(graph_view, name):
    """Return the question and the rest of the explanation of a gradient."""
    value = next(value for value in graph_view.values if value.label == name)
    first, *others = QuestionExplainer().explain(Question(value, graph_view)).why_grad
    return first.text, " ".join(line.text for line in others)


def why_data(graph_view, name):
    value = next(value for value in graph_view.values if value.label == name)
    return QuestionExplainer().explain(Question(value, graph_view)).why_data[0].text


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
@pytest.mark.parametrize("after", [LATER, LATER + "o.backward()\n"], ids=["alone", "then another"])
def test_a_gradient_of_an_earlier_result_is_explained_by_that_result(before, after):
    graph_view = shown(before + EARLIER + after)
    assert graph_view.root.label == "o" and gradients(graph_view)["a"] == -3.0
    question, answer = why_beyond(graph_view, "a")
    assert question == "Why is a.grad = -3?" and "dc/da = dc/dc × ∂c/∂a" in answer
    assert "x" not in why_beyond(graph_view, "c")[1].split() and why_beyond(graph_view, "x")[0] == "Why is x.grad = 3?"
    told = state_text(graph_view, False)
    assert ("backward() was not called on o" in told) is (after == LATER)


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_gradients_of_an_earlier_result_that_were_not_zeroed_say_so(before):
    question, answer = why_beyond(shown(before + EARLIER + "c = a * b\nc.backward()\n" + LATER), "b")
    assert question == "Why is b.grad = 4?" and "2 + 2 = 4" in answer


def test_a_gradient_is_explained_by_a_result_that_was_used_further_or_lives_in_a_function_no_more():
    question, answer = why_beyond(shown(EARLIER + "d = c * 2\n" + LATER), "a")
    assert question == "Why is a.grad = -3?" and "dc/da = dc/dc × ∂c/∂a" in answer
    inside = "a = Value(2.0)\ndef train():\n    loss = a * a * a\n    loss.backward()\ntrain()\n"
    question, answer = why_beyond(shown(inside + LATER), "a")
    assert question == "Why is a.grad = 12?" and "line 4" in answer and "does not depend" not in answer


def test_what_no_pass_has_reached_has_no_gradient_and_a_zero_of_the_program_is_one():
    unused = "u = Value(5.0)\n"
    built_in, own = shown(unused + LATER), shown(OWN + unused + LATER + "o.backward()\n")
    assert gradients(built_in)["u"] is None and why_beyond(built_in, "u")[0] == "Why does u have no grad?"
    assert gradients(own)["u"] == 0.0 and why_beyond(own, "u")[0] == "Why is u.grad = 0?"
    assert all("o does not depend on u" in why_beyond(view, "u")[1] for view in (built_in, own))


def test_a_gradient_of_an_earlier_result_whose_data_have_changed_is_that_from_before():
    graph_view = shown(EARLIER + "b.data -= 0.1 * b.grad\n" + LATER)
    question, answer = why_beyond(graph_view, "a")
    assert question == "Why is a.grad = -3?" and "line 4" in answer and "∂c/∂a = b = -3 " in answer
    assert why_data(graph_view, "b") == "Why is b.data = -3.2?"


def test_the_gradients_of_a_training_loop_are_explained_after_a_prediction():
    step = "loss = (w * 3 - 6) ** 2\n    w.grad = 0\n    loss.backward()\n    w.data -= 0.01 * w.grad\n"
    loop = f"for k in range(3):\n    {step}"
    graph_view = shown("w = Value(0.5)\n" + loop + "pred = w * 4\n")
    assert graph_view.root.label == "pred"
    question, answer = why_beyond(graph_view, "w")
    assert question == f"Why is w.grad = {short(gradients(graph_view)['w'])}?" and "line 5" in answer
    assert why_beyond(graph_view, "pred")[0] == "Why does pred have no grad?"


def test_a_gradient_that_was_zeroed_after_the_pass_of_an_earlier_result_says_so():
    question, answer = why_beyond(shown(EARLIER + "b.grad = 0.0\n" + LATER), "b")
    assert question == "Why is b.grad = 0?" and SET_LATER in answer and "is 2:" in answer


def test_a_gradient_that_was_set_where_no_pass_has_been_is_the_programs():
    question, answer = why_beyond(shown("u = Value(5.0)\nu.grad = 7.0\n" + LATER), "u")
    assert question == "Why is u.grad = 7?" and OVERRIDE_NOTES["hand"] in answer


def test_a_gradient_of_an_earlier_result_that_the_program_has_taken_away_is_none():
    earlier = "import torch\na = torch.tensor(2.0, requires_grad=True)\nc = a * a\nc.backward()\na.grad = None\n"
    question, answer = why_beyond(shown(earlier + "x = torch.tensor(2.0, requires_grad=True)\no = x * 3\n"), "a")
    assert question == "Why is a.grad = None?" and SET_LATER in answer


def test_a_gradient_in_which_infinities_have_met_is_the_programs_own():
    program = "v = Value(1.0)\nw = Value(0.0)\nk = Value(1e160)\np = k * w\nq = p * v\nr = q + p * k\n"
    graph_view = shown(program + "r.backward()\nw.data -= 1e-150 * w.grad\nq = p * v\nq.backward()\n")
    for name in ("k", "v"):
        told, number = explained(graph_view, name), gradients(graph_view)[name]
        assert told.startswith(f"Why is {name}.grad = {short(number)}?")


@pytest.mark.parametrize("own", ["", OWN], ids=["built in", "own"])
def test_nothing_is_said_of_a_gradient_before_an_infinite_one_was_added(own):
    passes = "b = a * k * k\nb.backward()\nc = a * k * -k\nc.backward()\n"
    told = explained(shown(f"{own}a = Value(1.0)\nk = Value(1e200)\n{passes}"), "a")
    assert told.startswith("Why is a.grad = undefined?") and "-∞" in told and "before the last pass" not in told


@pytest.mark.parametrize("own", ["", OWN], ids=["built in", "own"])
def test_a_pass_over_data_that_were_not_computed_again_is_told_and_nothing_is_made_up_of_zeroing(own):
    steps = "for k in range(3):\n    w.grad = 0.0\n    loss.backward()\n    w.data -= 0.01 * w.grad\n"
    graph_view = shown(f"{own}w = Value(1.0)\nx = Value(3.0)\nloss = w * x * x\n{steps}")
    told = explained(graph_view, "x")
    assert told.startswith(f"Why is x.grad = {short(gradients(graph_view)['x'])}?")
    assert OVERRIDE_NOTES["changed"] in told and "not zeroed" not in told


def test_a_small_gradient_that_was_not_zeroed_is_explained_as_it_is():
    passes = "b = a.tanh()\nb.backward()\nb.grad = 0.0\nb.backward()\n"
    graph_view = shown(f"{OWN}a = Value(12.0)\n{passes}")
    assert explained(graph_view, "a").startswith(f"Why is a.grad = {short(gradients(graph_view)['a'])}?")


@pytest.mark.parametrize("own", ["", OWN], ids=["built in", "own"])
def test_on_a_walk_a_gradient_that_was_not_zeroed_is_there_from_the_start_and_grows(own):
    graph_view = shown(own + TWICE.replace("b = a * 2\nb.backward()\n", "", 1) + "b = a * 4 + a\nb.backward()\n")
    walk, value = Walk(graph_view.root, None, graph_view.program_gradients), value_of(graph_view, "a")
    for position in range(len(walk) + 1):
        number = walk.gradient(value, position)
        question = Question(value, graph_view, position=position, zeroed=number is not None)
        first, second = QuestionExplainer().explain(question).why_grad[:2]
        assert first.text.startswith(f"Why is a.grad = {short(number)}")
        assert "left from an earlier pass" in second.text if number == 2.0 else "a.grad was 2 before" in second.text


def test_gradients_of_an_earlier_result_with_many_numbers_are_of_its_pass():
    arrays = "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\nv = w * 3\nv.backward(torch.ones(2))\n"
    graph_view = shown(arrays + "x = torch.tensor(2.0, requires_grad=True)\no = x * x\no.backward()\n")
    question, answer = why_beyond(graph_view, "w")
    assert question == "Why is w.grad = [2]?" and "line 4" in answer


def test_tensors_that_require_no_gradient_have_none_to_be_zeroed():
    graph_view = shown(
        "import torch\nX = torch.tensor([1.0, 2.0])\nw = torch.tensor([0.5, 0.5], requires_grad=True)\n"
        "for k in range(3):\n    w.grad = None\n    loss = (X * w).sum()\n    loss.backward()\n"
    )
    assert graph_view.program_gradients is None or not graph_view.program_gradients.initial
    assert "zeroed" not in state_text(graph_view, False)


def test_gradients_set_by_hand_are_shown_as_set_and_the_right_number_is_told_where_one_asks():
    graph_view = shown(BY_HAND + "d.grad = 1.0\nc.grad = 2.0\n")
    told = gradients(graph_view)
    assert (told["d"], told["c"], told["a"], told["b"]) == (1.0, 2.0, None, None)
    assert set(graph_view.right_gradients) == {"c"} and "1 of 2" in state_text(graph_view, False)
    assert "2" in gradient_notes(graph_view, "c")[0] and "-2" in explained(graph_view, "a")  # b + 1 = -2
    walk = assert_walk_adds_up(graph_view)
    assert [(step.kind, step.node.label) for step in walk.script[-2:]] == [("set", "d"), ("set", "c")]
    assert walk.gradient(value_of(graph_view, "a"), len(walk)) is None


def test_where_the_program_has_no_gradients_they_are_computed_and_that_is_said():
    graph_view = shown(BY_HAND)
    assert graph_view.program_gradients is None and gradients(graph_view)["a"] == -2.0
    assert "backward() was not called" in state_text(graph_view, False)


MISTAKES = {
    "power": ("n * self.data ** (n - 1)", "n * self.data ** n"),
    "replaced": ("self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
    "order": ("reversed(topo)", "topo"),
}


@pytest.mark.parametrize("right, wrong", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_an_engine_is_not_taken_for_gradients_of_earlier_passes(right, wrong):
    assert OWN.count(right) == 1
    passed = "    y = w ** 3 + w * w * 2 + w * 3\n    w.grad = 0.0\n    y.backward()\n    w.data -= 0.01 * w.grad\n"
    graph_view = shown(f"{OWN.replace(right, wrong)}w = Value(3.0)\nfor k in range(3):\n{passed}")
    assert graph_view.program_gradients.reason == "rules" and not graph_view.program_gradients.initial
    assert "w" in graph_view.right_gradients and "zeroed" not in state_text(graph_view, False, "before")
    walk, w = assert_walk_adds_up(graph_view), value_of(graph_view, "w")
    assert walk.gradient(w, len(walk)) == gradients(graph_view)["w"]
    assert graph_view.right_gradients["w"] == pytest.approx(3 * w.data**2 + 4 * w.data + 3)


def test_gradients_that_pile_up_in_computed_values_are_said_to_be_of_earlier_passes():
    graph_view = shown(OWN + "a = Value(3.0)\nc = a * 2\nd = c * 5\nd.backward()\nd.backward()\n")
    assert gradients(graph_view)["a"] == 30.0  # 10 of the first pass, 2 * (5 + 5) of the second
    assert graph_view.program_gradients.reason == "passes" and not graph_view.right_gradients
    assert "not zeroed" in explained(graph_view, "a") and "10" in explained(graph_view, "a")
    assert "not zeroed" in state_text(graph_view, False) and "not zeroed" in gradient_notes(graph_view, "a")[0]


def test_gradients_that_are_set_to_0_after_the_update_are_the_last_steps_of_the_walk():
    graph_view = shown("w = Value(3.0)\ny = w * w\ny.backward()\nw.data -= 0.5 * w.grad\nw.grad = 0.0\n")
    assert graph_view.numbers(value_of(graph_view, "w")) == (0.0, 0.0)
    walk = assert_walk_adds_up(graph_view)
    assert [step.kind for step in walk.script[-2:]] == ["update", "set"]
    assert walk.script[-2].sum_line == "w.data = 3 - 0.5 × 6 = 0"


def test_the_place_in_the_walk_counts_gradients_that_are_set_at_its_end():
    graph_view = shown("w = Value(3.0)\ny = w * w\ny.backward()\nw.data -= 0.5 * w.grad\nw.grad = 0.0\n")
    counts = ShownWalk(graph_view).counts
    assert place_text(None, counts.total, counts) == "set 1 of 1"
    assert place_text(None, counts.total - 1, counts) == "update 1 of 1"


def test_gradients_of_another_graph_are_not_those_of_this_one():
    graph_view = shown("w = Value(3.0)\ny = w * w\ny.backward()\nz = w * 2\n")
    told = gradients(graph_view)
    assert (told["w"], told["z"]) == (6.0, None)
    assert "not called backward() on z" in state_text(graph_view, False)
    assert not any(step.kind == "backward" for step in assert_walk_adds_up(graph_view).script)


OPERATIONS = {
    "{a} * {b}": lambda a, b: (a * b, b, a),
    "{a} + {b}": lambda a, b: (a + b, 1.0, 1.0),
    "{a} - {b} * 0.5": lambda a, b: (a - b * 0.5, 1.0, -0.5),
    "({a} * {b}).tanh()": lambda a, b: (math.tanh(a * b), (1 - math.tanh(a * b) ** 2) * b,
                                        (1 - math.tanh(a * b) ** 2) * a),
}  # fmt: skip
"""Text, and data with both partial derivatives, written down by hand."""
ZEROING = {"before": "    a.grad = b.grad = 0.0\n", "never": "", "after": "    a.grad = b.grad = 0.0\n"}


def in_plain_python(terms, data, rate, n_steps, zeroing):
    """Data and gradients of the leaves after a loop, by forward accumulation in dual numbers."""
    grads = {"a": 0.0, "b": 0.0}
    for _ in range(n_steps):
        duals = {name: (data[name], {name: 1.0}) for name in "ab"}
        for index, (text, one, other) in enumerate(terms):
            (x, dx), (y, dy) = duals[one], duals[other]
            number, by_x, by_y = OPERATIONS[text](x, y)
            slopes = {name: by_x * dx.get(name, 0.0) + by_y * dy.get(name, 0.0) for name in "ab"}
            duals[f"v{index}"] = number, slopes
        slopes = duals[f"v{len(terms) - 1}"][1]
        kept = 1.0 if zeroing == "never" else 0.0
        grads = {name: kept * grads[name] + slopes.get(name, 0.0) for name in "ab"}
        data = {name: data[name] - rate * grads[name] for name in "ab"}
        grads = dict.fromkeys("ab", 0.0) if zeroing == "after" else grads
    return data, grads


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_the_walk_through_any_loop_ends_in_what_the_program_has(seed):
    draw = random.Random(seed)
    zeroing, n_steps, rate = draw.choice(list(ZEROING)), draw.choice([1, 2, 7, 150]), draw.choice([0.05, 0.01])
    names, terms = ["a", "b"], []
    for index in range(draw.randint(1, 5)):
        terms.append((draw.choice(list(OPERATIONS)), names[-1], draw.choice(names)))
        names.append(f"v{index}")
    start = {name: draw.uniform(-1.5, 1.5) for name in "ab"}
    body = "".join(f"    v{at} = {text.format(a=a, b=b)}\n" for at, (text, a, b) in enumerate(terms))
    update = f"    a.data -= {rate} * a.grad\n    b.data -= {rate} * b.grad\n"
    passed = [ZEROING[zeroing] if zeroing == "before" else "", f"    {names[-1]}.backward()\n", update,
              ZEROING[zeroing] if zeroing == "after" else ""]  # fmt: skip
    head = "".join(f"{name} = Value({number!r})\n" for name, number in start.items())
    graph_view = shown(f"{OWN if seed % 2 else ''}{head}for k in range({n_steps}):\n{body}{''.join(passed)}")
    data, grads = in_plain_python(terms, start, rate, n_steps, zeroing)
    walk = assert_walk_adds_up(graph_view)
    assert isinstance(walk, Walk) and update_rule(graph_view, None, None, 1.0) is not None
    at_end = walk.numbers_at(len(walk), graph_view.numbers_of_pass)
    for leaf in (value_of(graph_view, name) for name in set(data) & {leaf.label for leaf in graph_view.leaves}):
        expected = pytest.approx((data[leaf.label], grads[leaf.label]), rel=1e-9, abs=1e-12)
        assert graph_view.numbers(leaf) == expected
        assert at_end(leaf) == expected


def test_on_the_walk_line_by_line_a_gradient_is_what_the_program_has_there():
    evaluation = evaluate(EARLIER + LATER, record=True)
    before, after = (show_expression(after_statements(evaluation, number)) for number in (3, 4))
    assert why_beyond(before, "a")[0] == "Why is a.grad = None?" and "line" in why_beyond(before, "a")[1]
    assert why_beyond(after, "a")[0] == "Why is a.grad = -3?" and "line" not in why_beyond(after, "a")[1]
    arrays = show_expression(after_statements(evaluate("v = Value([1.0, 2.0])\nz = v * 3\n", record=True), 2))
    assert arrays.source_of(arrays.root) is None


def test_data_that_were_computed_before_their_inputs_changed_say_so():
    program = "v = Value(2.0)\nu = v * v\nw = u * 3\nv.data = 5.0\nw.backward()\n"
    graph_view = shown(program + LATER)
    assert why_data(graph_view, "u") == "Why is u.data = 4?"


def test_of_many_passes_of_two_results_what_is_not_kept_is_not_made_up():
    step = "    l{0} = {1} * {1} * {1}\n    {1}.grad = 0\n    l{0}.backward()\n    {1}.data -= 0.01 * {1}.grad\n"
    loop = "for k in range(100):\n" + step.format(1, "a") + step.format(2, "b")
    graph_view = shown(f"a = Value(1.0)\nb = Value(1.0)\n{loop}{LATER}")
    for name, note in (("a", OVERRIDE_NOTES["not kept"]), ("b", OVERRIDE_NOTES["changed"]), ("l1", "earlier pass")):
        question, answer = why_beyond(graph_view, name)
        assert question == f"Why is {name}.grad = {short(gradients(graph_view)[name])}?" and note in answer
        assert OVERRIDE_NOTES["hand"] not in answer and "not zeroed" not in answer


@pytest.mark.slow
@pytest.mark.parametrize("terms", [1500, 2500], ids=["one pass kept", "no pass kept"])
def test_the_last_pass_over_a_large_graph_is_known(terms):
    loop = f"    for i in range({terms}):\n        d = w * (i / {terms}) - 0.3\n        loss = loss + d * d\n"
    step = "    w.grad = 0\n    loss.backward()\n    w.data -= 1e-5 * w.grad\n"
    graph_view = shown(f"w = Value(0.5)\nfor k in range(2):\n    loss = Value(0.0)\n{loop}{step}")
    assert graph_view.program_gradients.is_pass and not graph_view.program_gradients.overrides
    assert graph_view.program.is_before and list(graph_view.program.updated) == [value_of(graph_view, "w")]


def test_of_gradients_set_by_hand_those_that_are_right_are_counted():
    text = "a = Value(2.0)\nb = Value(3.0)\nc = a * b\nc.grad = 1.0\na.grad = 3.0\nb.grad = 5.0\n"
    assert state_text(shown(text), False).endswith("2 of 3 are right.")


def test_at_a_line_a_value_is_explained_by_the_first_output_that_it_is_used_for():
    text = "a = Value(2.0)\nb = a * 3\nc = a * 5\nd = c + b\n"
    view = show_expression(after_statements(evaluate(text, record=True), 3))
    (a,) = (value for value in view.values if value.label == "a")
    assert view.source_of(a).root is view.root


def test_without_a_backward_pass_gradients_are_computed_also_where_the_last_operation_has_a_number_in_it():
    graph_view = shown(f"{OWN}a = Value(2.0)\nb = a + 1\nc = (a * b)**2\n")
    assert {name: gradients(graph_view)[name] for name in "abc"} == {"a": 60.0, "b": 24.0, "c": 1.0}


def test_the_number_behind_a_sign_is_its_operand_also_where_data_are_infinite():
    graph_view = shown(f"{OWN}a = Value(1e200)\nb = a * a\nc = b**2\nd = c + a\n")
    (c,) = (value for value in graph_view.values if value.label == "c")
    assert [source.data for source in c.inputs] == [math.inf, 2.0] and c.data == math.inf
