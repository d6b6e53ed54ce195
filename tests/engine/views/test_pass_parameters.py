"""Where a session stands, before and after an operation was opened or closed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.experiment.assemble import fitted_network
from engine.language import evaluate
from engine.network import LOSSES
from engine.teaching import Walk
from engine.teaching.walk_position import same_position
from engine.views.graph_view import show_expression
from engine.views.sample import PassParameters, make_sample_graph

PROGRAM = """x = 0.5; w = -1.3; b = 0.2
n = x*w + b
o = tanh(n)
p = gelu(o*x) + n
q = logsumexp(o, p, x) * o
r = q*q - sigmoid(p)"""
OPENED = ["op:o", "op:p.1", "op:q.0", "op:r.1", "op:p.1:9"]


def named_grads(shown, steps, position):
    """What is known after some steps: names of values with data, and gradients by name."""
    state = steps.state(position)
    keys = shown.names.keys
    return {keys[id(v)] for v in state.known}, {keys[id(v)]: grad for v, grad in state.grads.items()}


@pytest.mark.long
@given(st.sets(st.sampled_from(OPENED)), st.sets(st.sampled_from(OPENED)), st.integers(0, 60))
@settings(max_examples=80, deadline=None)
def test_no_number_appears_before_its_time_when_operations_open_and_close(first, second, position):
    shown = [show_expression(evaluate(PROGRAM), expanded=tuple(opened)) for opened in (first, second)]
    before, after = (Walk(one.root) for one in shown)
    position = min(position, len(before))
    there = same_position(before, shown[0].names.keys, position, after, shown[1].names.keys)
    known, grads = named_grads(shown[0], before, position)
    known_there, grads_there = named_grads(shown[1], after, there)
    common = set(shown[0].names.keys.values()) & set(shown[1].names.keys.values())
    assert known_there & common <= known
    for name in grads_there.keys() & grads.keys():
        if position in (0, len(before)):
            assert grads_there[name] == pytest.approx(grads[name], rel=1e-9, abs=1e-12)
    assert (position == len(before)) == (there == len(after))
    if first == second:
        assert there == position


@pytest.mark.parametrize(("name", "exact"), [("op:o", True), ("op:r.1", True), ("op:q.0", False), ("op:p.1", True)])
def test_the_cursor_comes_back_after_opening_and_closing(name, exact):
    plain, opened = (show_expression(evaluate(PROGRAM), expanded=names) for names in ((), (name,)))
    one, other = Walk(plain.root), Walk(opened.root)
    for position in range(len(one) + 1):
        there = same_position(one, plain.names.keys, position, other, opened.names.keys)
        back = same_position(other, opened.names.keys, there, one, plain.names.keys)
        assert back == position if exact else back <= position


def test_phases_say_which_parameters_the_numbers_come_from():
    old, new, newest = (np.full(3, number) for number in (1.0, 2.0, 3.0))
    passes = PassParameters.between_steps(old)
    assert passes.differentiated
    forward = passes.after("forward", new)
    assert (forward.forward is new, forward.backward is old, forward.differentiated) == (True, True, False)
    assert forward.after("loss", new).backward is old
    assert forward.after("zero_grad", new).backward is None
    backward = forward.after("backward", new)
    assert backward.differentiated
    update = backward.after("update", newest)
    assert (update.now is newest, update.forward is new, update.differentiated) == (True, True, True)


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("n_phases", range(6))
def test_another_graph_of_the_network_shows_the_same_numbers(loss, n_phases):
    made = replace_section(replace_section(Document(), "data", name="xor"), "training", loss=loss)
    made = fitted_network(replace_section(made, "network", layer_sizes=(2, 3, 1)), 2, 2)
    data = make_dataset("xor")
    plain = make_sample_graph(replace_section(made, "view", shows="network"), data.X, data.y)
    opened_view = {"shows": "network", "expanded": ("L1N1", "op:L1N1.sum", "op:L1N1", "op:loss")}
    opened = make_sample_graph(replace_section(made, "view", **opened_view), data.X, data.y)
    weights = np.array([parameter.data for parameter in plain.parameters])
    plain.show(PassParameters.between_steps(weights * 0.5))
    for phase in ("forward", "loss", "zero_grad", "backward", "update")[:n_phases]:
        weights = weights * 1.5 if phase in ("forward", "update") else weights
        plain.show(plain.passes.after(phase, weights))
    opened.show(plain.passes)
    by_name = {opened.graph_view.names.keys[id(v)]: v for v in opened.values}
    for value in plain.values:
        name = plain.graph_view.names.keys.get(id(value), "")
        data_there, grad_there = opened.numbers(by_name[name]) if name in by_name else plain.numbers(value)
        data_here, grad_here = plain.numbers(value)
        for here, there in ((data_here, data_there), (grad_here, grad_there)):
            assert there is here if here is None else there == pytest.approx(here, rel=1e-8, abs=1e-12)
