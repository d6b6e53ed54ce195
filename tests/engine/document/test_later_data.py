"""After an update no fresh gradient would be of a pass that there was: those of the program are shown."""

import pytest

from engine.document.graph_view import show_expression
from engine.language import evaluate
from tests.engine.language.own_engine_cases import engine

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
    assert evaluation.output[0].text == "3.0 2.0 2.0\n" and graph_view.is_later


@pytest.mark.parametrize("before", ["", OWN], ids=["built in", "own"])
def test_before_an_update_and_without_a_backward_pass_they_are_computed(before):
    unchanged = evaluate(before + UPDATE.replace("w.data -= 0.5 * w.grad", ""))
    assert not show_expression(unchanged).is_later
    assert unchanged.names["x"].grad == 3.0
    without = evaluate(before + "w = Value(3.0)\nx = Value(2.0)\ny = w * x\nw.data = 5.0\n")
    assert not show_expression(without).is_later
    assert without.names["x"].grad == 5.0
