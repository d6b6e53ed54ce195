"""Values of a moment are called like those of the program's end that stand in their place, and never like others."""

from pathlib import Path

from engine.autograd import topological_order
from engine.language import evaluate
from engine.language.moment_names import alike_at_end, at_moment

LOOP = """w, b = Value(0.5), Value(0.1)
for k in range(3):
    loss = (w*2.0 + b - 1.5)**2
    w.grad = b.grad = 0.0
    loss.backward()
    w.data -= 0.05*w.grad
"""


def names_at(evaluation, index):
    """For each value of a moment with a name of the program: that name."""
    alike = alike_at_end(evaluation, evaluation.moments[index])
    return {value: end.label for value, end in alike.items() if end.label}


def test_an_earlier_iteration_of_a_loop_has_the_names_of_the_last_one():
    evaluation = evaluate(LOOP)
    for index, data in ((0, 0.5), (1, 0.58)):
        names = {name: value for value, name in names_at(evaluation, index).items()}
        moment = evaluation.moments[index]
        assert names["loss"] is moment.root
        assert round(names["w"].data, 12) == data and names["b"].data == 0.1
        assert len(alike_at_end(evaluation, moment)) == len(topological_order(moment.root))


def test_an_engine_of_ones_own_that_keeps_its_inputs_in_sets_has_them_too():
    program = Path(__file__).parent / "programs" / "evening_engine.py"
    evaluation = evaluate(program.read_text(encoding="utf-8"))
    assert {"loss", "w0", "w1", "w2"} <= set(names_at(evaluation, 1).values())


def test_two_graphs_of_one_form_keep_their_own_names():
    evaluation = evaluate(
        "a, b, c, d = Value(1.0), Value(2.0), Value(3.0), Value(4.0)\n"
        "y = a * b\ny.backward()\nz = c * d\nz.backward()\n"
    )
    assert [sorted(names_at(evaluation, index).values()) for index in (0, 1)] == [["a", "b", "y"], ["c", "d", "z"]]


def test_a_graph_that_has_another_form_at_the_end_keeps_the_names_of_its_leaves():
    evaluation = evaluate(
        "w = Value(0.5)\nfor k in range(2):\n    loss = w * 2.0 if k == 0 else w ** 2 + w\n    loss.backward()\n"
    )
    assert list(names_at(evaluation, 0).values()) == ["w"]


def test_a_value_that_is_used_twice_does_not_take_the_names_of_two():
    evaluation = evaluate(
        "for k in range(2):\n    p, q = Value(1.0), Value(2.0)\n    y = p * p if k == 0 else p * q\n    y.backward()\n"
    )
    assert (names_at(evaluation, 0), sorted(names_at(evaluation, 1).values())) == ({}, ["p", "q", "y"])


def test_two_values_do_not_take_the_name_of_one():
    evaluation = evaluate("a, b = Value(1.0), Value(2.0)\ny = b * a\ny.backward()\ndel b, y\nz = a * a\n")
    assert list(names_at(evaluation, 0).values()) == ["a"]


def test_a_label_that_no_value_of_the_end_has_is_kept():
    passed = "a = Value(2.0)\nt = Value(3.0, label='speed')\ny = t * a\ny.backward()\n"
    evaluation = evaluate(f"{passed}del t, y\no = a + 1\n")
    then = at_moment(evaluation, evaluation.moments[0])
    labels = {value.label: value for value in topological_order(then.root)}
    assert labels["speed"].data == 3.0 and labels["speed"] not in then.origins
