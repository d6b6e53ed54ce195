"""The fast program: the scalar graph, the array graph and the numpy calls are one and the same function."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.autograd import OPS, Op, Value, add_operation, apply, logsumexp, weighted_sum
from engine.network import ACTIVATIONS, LOSSES, MLP, Trainer, encode, scalar_objective
from engine.network.errors import UntranslatableError
from engine.network.fast import bind as bind_module
from engine.network.fast.bind import bind, merged
from engine.network.fast.fast_program import KEPT_EVALUATORS, ArrayProgram, FastProgram, make_program, trace
from engine.network.fast.forward_backward import ForwardBackward
from engine.network.fast.recognise import Recognised, Trace
from engine.network.fast.tape import Tape
from engine.network.run.training_run import TrainingRun

OUTPUTS = {"signed": 1, "one_hot": 3, "zero_one": 1, "raw": 2}


def problem(loss, n_samples=7, seed=0):
    """X and encoded targets that fit the loss."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(n_samples, 3))
    raw = rng.normal(size=(n_samples, 2))
    labels = raw if loss.encoding == "raw" else rng.randint(0, 2, n_samples)
    return X, encode(loss, labels, OUTPUTS[loss.encoding]).values


def network(loss, activation="tanh", hidden=(5, 4)):
    return MLP(3, [*hidden, OUTPUTS[loss.encoding]], activation=activation, rng=random.Random(3))


def only_batch(program, X, targets):
    return program.batches(X, targets, np.arange(len(X)), len(X))[0]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_scalar_graph_array_graph_and_fast_program_agree(name, activation):
    loss = LOSSES[name]
    X, targets = problem(loss)
    model = network(loss, activation)
    scalar = scalar_objective(model, loss, X, targets)
    scalar.backward()
    expected = np.array([scalar.data, *(p.grad for p in model.parameters())])
    for program in (FastProgram(model, loss), ArrayProgram(model, loss)):
        batch = only_batch(program, X, targets)
        found = batch.forward()
        batch.backward()
        assert np.append(found, program.flat.gradients) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert batch.outputs() == pytest.approx(program.evaluate(X), abs=1e-14)


@pytest.mark.parametrize("name", LOSSES)
def test_float32_is_the_same_to_its_precision(name):
    loss = LOSSES[name]
    X, targets = problem(loss)
    exact, fast = FastProgram(network(loss), loss), FastProgram(network(loss), loss, "float32")
    results = []
    for program in (exact, fast):
        batch = only_batch(program, X, targets)
        results.append(batch.forward())
        batch.backward()
    assert fast.flat.gradients.dtype == np.float32
    assert results[1] == pytest.approx(results[0], rel=1e-5)
    assert fast.flat.gradients == pytest.approx(exact.flat.gradients, abs=1e-5)
    assert exact.evaluate(X, "float32") == pytest.approx(exact.evaluate(X), abs=1e-5)


def test_a_network_is_recognised_as_its_layers():
    loss = LOSSES["hinge"]
    blocks = Recognised(trace(MLP(2, [16, 16, 1]), loss)).blocks
    assert [block.n_rows for block in blocks if block.kind == "layer"] == [16, 16, 1]
    assert [block.op.name for block in blocks if block.n_rows == 16 and block.op] == ["relu", "relu"]


def test_a_tanh_network_takes_few_calls():
    traced = trace(MLP(2, [4, 4, 1], activation="tanh"), LOSSES["mean_squared_error"])
    found = Recognised(traced)
    passes = ForwardBackward(found, [found.rows([traced.roots[-1]])], 0.25)
    assert len(passes.forward_calls) == 6
    assert len(passes.backward_calls) == 12
    together = merged(passes.forward_calls, passes.backward_calls)
    assert [call.function for call in together].count("square") == 1  # both layers' derivatives at once
    assert len(together) == 10


NOTHING_TO_MERGE = {"linear", "elu"}
"""Activations whose derivative is there after the forward pass."""


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", LOSSES)
def test_merging_calls_changes_neither_loss_nor_gradient(name, activation, monkeypatch):
    """The same batch twice, so small that calls are merged and with merging forbidden, beside the scalar graph."""
    loss = LOSSES[name]
    X, targets = problem(loss, 5)
    model = network(loss, activation, hidden=(4, 4, 3))
    figures, calls = [], []
    for limit in (10**9, 0):
        monkeypatch.setattr(bind_module, "SMALL", limit)
        monkeypatch.setattr(bind_module, "merged", lambda *args: calls.append(merged(*args)) or calls[-1])
        program = FastProgram(model, loss)
        batch = only_batch(program, X, targets)
        for factor in (0.5, 2.0):  # the second pass finds other numbers in the buffers
            program.flat.parameters *= factor
            total = batch.forward()
            batch.backward()
        figures.append(np.append(total, program.flat.gradients))
    assert len(calls) == 1
    assert activation in NOTHING_TO_MERGE or any(call.output.buffer.shared for call in calls[0])
    assert figures[0] == pytest.approx(figures[1], rel=1e-13, abs=1e-15)
    scalar = scalar_objective(model, loss, X, targets)
    scalar.backward()
    expected = [scalar.data, *(parameter.grad for parameter in model.parameters())]
    assert figures[0] == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_a_batch_too_large_to_merge_calls_has_the_gradient_of_its_parts():
    loss = LOSSES["binary_cross_entropy"]
    X, targets = problem(loss, 3000)
    program = FastProgram(network(loss), loss)

    def figures(start, stop):
        batch = program.batches(X, targets, np.arange(start, stop), stop - start)[0]
        total = batch.forward()
        batch.backward()
        return np.append(total, program.flat.gradients)

    parts = [figures(start, start + 100) for start in range(0, 3000, 100)]
    assert figures(0, 3000) == pytest.approx(np.mean(parts, axis=0), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("hidden", [(), (1,), (1, 1), (7,), (2, 3, 4)])
def test_any_number_of_layers_and_neurons(hidden):
    loss = LOSSES["binary_cross_entropy"]
    X, targets = problem(loss)
    program = FastProgram(network(loss, hidden=hidden), loss)
    assert program.difference(X, targets) < 1e-13
    assert program.evaluate(X).shape == (len(X), 1)


@pytest.mark.parametrize("n_samples", [1, 2, 2047, 2048, 2049, 5000])
def test_evaluation_in_chunks_gives_every_sample_its_own_output(n_samples):
    loss = LOSSES["softmax_cross_entropy"]
    model = network(loss)
    X = np.random.RandomState(2).normal(size=(n_samples, 3))
    assert FastProgram(model, loss).evaluate(X) == pytest.approx(model(X).data, abs=1e-13)


@pytest.mark.parametrize("batch_size", [1, 3, 7, 10])
def test_batches_hold_the_rows_in_the_order_given(batch_size):
    loss = LOSSES["mean_squared_error"]
    X, targets = problem(loss, 10)
    model = network(loss)
    program = FastProgram(model, loss)
    for seed in (0, 1):  # the second time uses the memory of the first
        order = np.random.RandomState(seed).permutation(10)
        batches = program.batches(X, targets, order, batch_size)
        outputs = []
        for batch in batches:
            batch.forward()
            outputs.append(batch.outputs())
        assert np.concatenate(outputs) == pytest.approx(model(X[order]).data, abs=1e-13)


@pytest.mark.parametrize("difference, words", [(1e-6, "differs by 1.0e-06"), (float("nan"), "differs by nan")])
def test_where_the_fast_program_differs_the_array_graph_takes_over_and_says_so(monkeypatch, difference, words):
    monkeypatch.setattr(FastProgram, "difference", lambda *_: difference)
    loss = LOSSES["mean_squared_error"]
    program = make_program(network(loss), loss, *problem(loss), "float64")
    assert isinstance(program, ArrayProgram)
    assert words in program.note
    trainer = Trainer(network(loss), X=[[1.0, 2.0, 3.0]], y=[[0.5, 0.1]], batch_size=1)
    assert words in trainer.notes[0]
    first = trainer.step()
    for _ in range(20):
        list(trainer.phases())
    assert trainer.losses[-1] < first
    assert trainer.predict([[1.0, 2.0, 3.0]]) == pytest.approx(trainer.model([[1.0, 2.0, 3.0]]).data)


def test_a_wrong_derivative_in_the_fast_program_is_noticed(monkeypatch):
    loss = LOSSES["mean_squared_error"]
    write = Tape.write

    def wrong(tape, function, *inputs, output):
        if function == "dot":  # the gradient of a layer's weights
            inputs = tape.call("multiply", inputs[0], 1.0005, rows=inputs[0].rows), *inputs[1:]
        write(tape, function, *inputs, output=output)

    monkeypatch.setattr(Tape, "write", wrong)
    assert FastProgram(network(loss), loss).difference(*problem(loss)) > 1e-5


def run_traced(root, inputs, targets, parameters, X, T):
    """Loss (summed over samples) and gradient of a traced graph through numpy calls."""
    found = Recognised(Trace([root], inputs, targets, parameters))
    flat, gradients = np.array([p.data for p in parameters]), np.zeros(len(parameters))
    bound = bind(ForwardBackward(found, [found.rows([root])], 1.0), len(X), flat, gradients, 1.0)
    views = bound.views(np.vstack([X.T, np.ones(len(X))]), T.T.copy())
    with np.errstate(all="ignore"):
        loss = bound.forward(*views)
        bound.backward(*views)
    return loss, gradients


def run_scalar(build, parameters, X, T):
    """The same, sample by sample with Values."""
    for parameter in parameters:
        parameter.grad = 0.0
    total = 0.0
    for x, t in zip(X.tolist(), T.tolist(), strict=True):
        root = build([Value(v) for v in x], [Value(v) for v in t], parameters)
        root.backward()
        total += root.data
    return total, np.array([p.grad for p in parameters])


def compare(build, n_parameters, seed=0, n_samples=5):
    rng = np.random.RandomState(seed)
    X, T = rng.uniform(0.3, 1.5, (n_samples, 2)), rng.uniform(0.3, 1.5, (n_samples, 1))
    parameters = [Value(v) for v in rng.uniform(0.4, 1.4, n_parameters)]
    inputs, targets = [Value(0.5), Value(0.7)], [Value(0.6)]
    loss, gradients = run_traced(build(inputs, targets, parameters), inputs, targets, parameters, X, T)
    expected, slopes = run_scalar(build, parameters, X, T)
    assert loss == pytest.approx(expected, rel=1e-12)
    assert gradients == pytest.approx(slopes, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", [op.name for op in OPS.values() if op.elementwise])
def test_every_operation_runs_node_by_node(name):
    op = OPS[name]

    def build(x, t, p):
        z = x[0] * p[0] + p[1]
        y = apply(op, z) if op.arity == 1 else apply(op, z, p[2] * x[1])
        return (y - t[0]) * y

    compare(build, 3)


def test_what_is_no_layered_network_runs_node_by_node():
    def build(x, t, p):
        shared = weighted_sum([p[0], p[1]], x, p[2]).tanh()
        again = weighted_sum([p[0], p[1]], [shared, x[1]], p[3])  # weights used twice
        mixed = weighted_sum([x[0], p[4]], [p[5], shared], Value(0.25))  # no neuron at all
        return (again * mixed).sigmoid() + p[6] * p[6] + t[0] * again

    compare(build, 7)


def test_a_layer_used_twice_collects_both_gradients():
    def build(x, t, p):
        first = weighted_sum([p[0], p[1]], x, p[2]).tanh()
        second = weighted_sum([p[0], p[1]], x, p[2]).exp()
        return first * second - t[0]

    compare(build, 3)


FORMULAS = [
    ("(x > 0.2) * (x > 0.8) * x", "(x > 0.2) * (x > 0.8)"), ("x + 1 / (x / 0)", "1 + 0 / x"),
    ("2**0.5 * x", "2**0.5"), ("x**0 + x", "x**0"), ("x * x", "2 * y / x"), ("0 * x", "0 * x"), ("3 - 0 * x", "0 / x"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "partial"), FORMULAS)
def test_formulas_with_numbers_alone_and_with_results_are_those_of_the_scalar_engine(value, partial):
    op = Op("own", value, (partial,))
    compare(lambda x, t, p: apply(op, x[0] * p[0] + p[1]), 2)
    compare(lambda x, t, p: apply(op, x[0] * p[0]) * t[0] + p[1] * x[1], 2)


def test_numbers_alone_divide_as_ieee_754_says():
    compare(lambda x, t, p: x[0] * p[0] + Value(1.0) / (Value(1.0) / Value(0.0)), 1)


def test_a_formula_with_a_choice_of_python_is_not_translated():
    with pytest.raises(UntranslatableError, match="no numpy calls"):
        compare(lambda x, t, p: apply(Op("own", "x or 1.0", ("1",)), x[0] * p[0]), 1)


def test_parts_of_a_layer_go_different_ways():
    def build(x, t, p):
        first, second, third = (weighted_sum(p[i : i + 2], x, p[i + 2]) for i in (0, 3, 6))
        later = weighted_sum([p[9], p[10]], [first, second], p[11]).tanh()
        other = weighted_sum([p[12], p[13]], [second, third], p[14]).tanh()
        return later * 2.0 + third * 3.0 + second * t[0] - other * weighted_sum([p[15]], t, p[16])

    compare(build, 17)


@pytest.mark.parametrize(
    "build", [lambda x, t, p: x[0] * t[0], lambda x, t, p: p[0] * p[1], lambda x, t, p: p[0] * x[0]]
)
def test_a_loss_may_be_a_product_of_data_or_of_parameters(build):
    compare(build, 2)


def test_points_in_many_numbers_are_evaluated_again_and_again():
    loss = LOSSES["mean_squared_error"]
    program = FastProgram(network(loss), loss)
    X, _targets = problem(loss, 2 * KEPT_EVALUATORS)
    outputs = program.evaluate(X)
    for n in (*range(1, len(X)), 1):
        assert program.evaluate(X[:n]) == pytest.approx(outputs[:n], rel=1e-12)


def test_a_logsumexp_of_scattered_values_is_not_recognised():
    x, p = [Value(1.0), Value(2.0)], [Value(0.5)]
    root = logsumexp([x[0] * p[0], x[1].exp(), x[0]])
    with pytest.raises(UntranslatableError, match="not neighbours"):
        Recognised(Trace([root], x, [], p))


def test_arrays_are_not_recognised():
    with pytest.raises(UntranslatableError, match="works on arrays"):
        Recognised(Trace([Value([1.0, 2.0]).sum()], [], [], []))


SINC = Op("sinc", "sinc(x)", ("where(x == 0, 0.0, (cos(pi * x) - sinc(x)) / x)",), activation=True)
ERF = Op("erf", "erf(x)", ("2 / sqrt(pi) * exp(-x**2)",), activation=True)
ARCTAN = Op("arctan", "arctan(x)", ("1 / (1 + x**2)",), activation=True)
WHOLE = Op("whole", "x // 1 + x", ("1",), activation=True)


@pytest.fixture
def own(request):
    """An operation of one's own, in the table while a test runs."""
    add_operation(request.param)
    yield request.param
    del OPS[request.param.name]
    delattr(Value, request.param.name)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("own, words", [
    (SINC, "sinc is not one of numpy's universal functions"),
    (ERF, "erf is not one of numpy's universal functions"),
    (WHOLE, "FloorDiv of a formula has no numpy call"),
    (ARCTAN, ""),
], indirect=["own"], ids=str)  # fmt: skip
def test_an_activation_of_ones_own_trains_fast_or_slower_and_says_so(own, words, dtype):
    loss = LOSSES["mean_squared_error"]
    X, y = problem(loss)
    trainer = Trainer(network(loss, own.name), X=X, y=y, batch_size=3, learning_rate=0.02, dtype=dtype)
    assert [words in note for note in trainer.notes] == ([True] if words else [])
    assert all("which is slower" in note for note in trainer.notes)
    first = trainer.epoch()
    for _ in range(30):
        list(trainer.phases())
    assert np.mean(trainer.losses[-3:]) < first
    scalar = [[out.data for out in trainer.model(row)] for row in X.tolist()]
    assert trainer.predict(X) == pytest.approx(np.array(scalar), abs=1e-5)
    trainer.change(loss="huber")
    trainer.step()
    assert trainer.snapshot().loss is not None


@pytest.mark.parametrize("own", [SINC], indirect=True, ids=str)
def test_a_run_on_the_slower_path_tells_the_user_once(own):
    loss = LOSSES["mean_squared_error"]
    X, y = problem(loss)
    run = TrainingRun(1, Trainer(network(loss, own.name), X=X, y=y))
    assert "sinc is not one of numpy's universal functions" in run.describe(None).message
    assert run.describe(None).message == ""


@pytest.mark.parametrize("own", [SINC], indirect=True, ids=str)
def test_the_slower_path_learns_what_the_scalar_graph_says(own):
    loss = LOSSES["mean_squared_error"]
    X, y = problem(loss)
    model = network(loss, own.name)
    twin = model.copy()
    Trainer(model, X=X, y=y, learning_rate=0.1).step()
    root = scalar_objective(twin, loss, X, encode(loss, y, 2).values)
    root.backward()
    assert model.weights == pytest.approx([p.data - 0.1 * p.grad for p in twin.parameters()], abs=1e-13)


RULES = (
    lambda a, b, p: a + b,
    lambda a, b, p: a - b,
    lambda a, b, p: (a * b).tanh(),
    lambda a, b, p: a.tanh(),
    lambda a, b, p: a.sigmoid(),
    lambda a, b, p: (a - b).relu(),
    lambda a, b, p: 2.0 * a - 0.5,
    lambda a, b, p: a.sin() * 3,
    lambda a, b, p: (a * 0.1) ** 2,
    lambda a, b, p: weighted_sum(p[:2], [a, b], p[2]).tanh(),
)
STEPS = st.lists(st.tuples(st.sampled_from(RULES), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_random_graphs_agree_with_the_scalar_engine(steps):
    def build(x, t, p):
        values = [*x, *p, t[0]]
        for rule, i, j in steps:
            values.append(rule(values[i % len(values)], values[j % len(values)], p))
        return values[-1] * p[3] + values[-1 - len(steps) // 2]

    compare(build, 4)


def test_recognising_a_network_looks_at_its_values_a_bounded_number_of_times(monkeypatch):
    looks, real = [], Value.inputs
    traced = trace(MLP(2, [40, 40, 40, 1], rng=random.Random(0)), LOSSES["mean_squared_error"])

    def counted(value):
        looks.append(value)
        return real.__get__(value)

    monkeypatch.setattr(Value, "inputs", property(counted))
    Recognised(traced)
    assert len(looks) < 12 * len(traced.parameters)  # once more for every neuron would be 120 times
