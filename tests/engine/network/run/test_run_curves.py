import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.autograd import Value
from engine.network import LOSSES, MLP, Trainer, encode
from engine.network.run.curves import gradient_norm_name, gradient_norms
from engine.network.run.training_run import TrainingRun


def make_trainer(data="moons", sizes=(3, 1), loss="hinge", **settings):
    train, test = make_dataset(data, n_samples=24, seed=1), make_dataset(data, n_samples=12, seed=2)
    model = MLP(train.n_features, list(sizes), activation="tanh", rng=random.Random(1))
    options = {"loss": loss, "learning_rate": 0.05, "X_test": test.X, "y_test": test.y, **settings}
    return Trainer(model, X=train.X, y=train.y, **options)


def trained(trainer, steps, **options):
    """What a run reports after so many steps; it looks at its figures after every slice of them."""
    run = TrainingRun(1, trainer, clock=lambda: 0.0, **options)
    run.step(steps)
    while run.busy:
        run.advance(0.001)
    return run


@pytest.mark.parametrize(
    ("data", "loss", "sizes", "name"),
    [
        ("moons", "hinge", (3, 1), "accuracy"),
        ("yin_yang", "softmax_cross_entropy", (3, 3), "accuracy"),
        ("curve", "mean_squared_error", (3, 1), "r_squared"),
    ],
)
def test_the_points_of_a_score_are_what_the_network_gave_at_those_steps(data, loss, sizes, name):
    progress = trained(make_trainer(data, sizes, loss, optimizer="adam"), 40).describe(None)
    again = make_trainer(data, sizes, loss, optimizer="adam")
    for curve, X, y in (
        (name, again.data.X, again.data.y),
        (f"test_{name}", again.data.X_test, again.data.y_test),
    ):
        steps, numbers = progress.curves[curve]
        assert steps[0] == 0
        assert steps[-1] == 40
        assert len(steps) > 4
        other = make_trainer(data, sizes, loss, optimizer="adam")
        for step, number in zip(steps, numbers, strict=True):
            while other.step_count < step:
                other.step()
            outputs = np.array([np.ravel([v.data for v in np.ravel(other.model(list(x)))]) for x in X])
            assert number == pytest.approx(expected_score(outputs, y, loss))
    assert not {"accuracy", "r_squared"} - {name} & progress.curves.keys()


def expected_score(outputs, y, loss):
    """Accuracy by asking sample by sample; R² by its definition."""
    if loss == "mean_squared_error":
        return 1 - sum((t - o) ** 2 for t, o in zip(y, outputs[:, 0], strict=True)) / sum(
            (t - np.mean(y)) ** 2 for t in y
        )
    decided = [int(row.argmax()) if len(row) > 1 else int(row[0] > 0) for row in outputs]
    truth = (np.asarray(y) > 0).astype(int) if outputs.shape[1] == 1 else np.asarray(y).astype(int)
    return sum(a == b for a, b in zip(decided, truth, strict=True)) / len(y)


def test_gradient_norms_are_those_of_the_scalar_graph():
    trainer = make_trainer(sizes=(4, 3, 1), l2=0.01)
    progress = trained(trainer, 9).describe(None)
    other = make_trainer(sizes=(4, 3, 1), l2=0.01)
    steps, _ = progress.curves[gradient_norm_name(1)]
    assert steps[0] > 0
    for step in steps.astype(int):
        while other.step_count < step - 1:
            other.step()
        expected = norms_of_scalar_graph(other, 0.01)
        obtained = [progress.curves[gradient_norm_name(i)][1][steps == step].item() for i in (1, 2, 3)]
        assert obtained == pytest.approx(expected, rel=1e-9)


def norms_of_scalar_graph(trainer, l2):
    """The length of each layer's gradient, from the graph of single numbers of all samples, at the present weights."""
    model, targets = trainer.model.copy(), encode(LOSSES["hinge"], trainer.data.y, 1).values
    terms = [LOSSES["hinge"].of_sample([model(list(x))], t) for x, t in zip(trainer.data.X, targets, strict=True)]
    loss = sum(terms, Value(0.0)) / len(terms) + l2 * sum((p * p for p in model.parameters()), Value(0.0))
    model.zero_grad()
    loss.backward()
    return [sum(p.grad**2 for p in layer.parameters()) ** 0.5 for layer in model.layers]


def test_the_length_of_a_gradient_beyond_all_floats_is_infinite_and_not_an_error():
    shape = MLP(1, [1], rng=random.Random(1)).shape
    assert gradient_norms(shape, np.array([3.0, 4.0])) == [5.0]
    assert gradient_norms(shape, np.array([1e300, 1e300])) == [np.inf]


def test_curves_of_a_saved_run_go_on_where_it_was_saved():
    saved = trained(make_trainer(), 6).describe(None)
    trainer = make_trainer()
    trainer.restore(saved.savable)
    resumed = trained(trainer, 5, curves=saved.curves).describe(None)
    for name, (steps, numbers) in saved.curves.items():
        again = resumed.curves[name]
        assert again[0][: len(steps)].tolist() == steps.tolist()
        assert again[1][: len(steps)].tolist() == numbers.tolist()
        assert again[0][-1] == 11


def test_what_comes_after_a_step_that_is_gone_on_from_is_forgotten():
    run = trained(make_trainer(), 30)
    run.continue_from(7)
    assert all(steps.max() <= 7 for steps, _ in run.describe(None).curves.values())


def test_looking_at_figures_takes_a_small_share_of_the_time():
    times = iter(np.arange(0.0, 1e3, 0.005))
    run = TrainingRun(1, make_trainer(), clock=lambda: next(times))
    run.run()
    run.advance(1.0)
    progress = run.describe(None)
    steps, _ = progress.curves["accuracy"]
    early = np.log(steps[-1]) / np.log(1.1) + 1
    assert 2 <= len(steps) <= 2 + early + 1.0 / (0.005 / 0.02)
    assert np.diff(steps[steps < 20]).max() <= 5  # the beginning of a run is seen
