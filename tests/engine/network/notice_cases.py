"""Networks trained to a known state, for the precision and recall of notices.

The state of a case is known by how it was made, not by the rules that are tested: a rate that is a hundredth of one
that learns the same data, a network without hidden layers at the optimum that a least-squares solver finds, weights
that were made large, test points that no smaller training loss can help.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from datasets import make_dataset
from engine.network import MLP, Trainer, TrainingDiverged
from engine.network.layer_figures import layer_figures
from engine.network.notices import Look
from engine.network.trials import Trials

LOW, HIGH, OPTIMUM = "low learning rate", "high learning rate", "optimum reached"
PENALTY, HELPFUL_L2 = "strong penalty", "L2 that lowers the test loss"
OVERFIT, DEAD, SATURATED = "overfitting", "dead neurons", "saturation"
VANISHING, EXPLODING, EQUAL, BOUNDED = "vanishing gradient", "exploding gradient", "equal neurons", "bounded output"


@dataclass(frozen=True)
class Case:
    """One network.

    Attributes:
        name: of the case.
        state: notices that are right; empty: all is well.
        dataset, n_samples, noise, test: data, and the share that only tests.
        sizes: of hidden layers and output layer.
        steps: of training.
        also: notices that are true, too, but need not be given.
        weights: changes the first weights.
        features: whether squares and product of the inputs are inputs.
        y: changes the labels.
    """

    name: str
    state: frozenset[str]
    dataset: str = "moons"
    sizes: tuple[int, ...] = (8, 8, 1)
    steps: int = 300
    n_samples: int = 100
    noise: float = 0.1
    test: float = 0.0
    seed: int = 1
    activation: str = "tanh"
    output: str = "linear"
    initialiser: str = "by_activation"
    also: frozenset[str] = frozenset()
    weights: object = None
    features: bool = False
    settings: dict = field(default_factory=dict)


def trained(case):
    """The trainer at the end of a case, its first loss and the curve of its test loss."""
    data = make_dataset(case.dataset, n_samples=case.n_samples, noise=case.noise, seed=case.seed)
    X, y = np.asarray(data.X), np.asarray(data.y)
    if case.features:
        X = np.column_stack([X, X**2, X[:, 0] * X[:, 1]])
    rows = np.random.RandomState(case.seed).permutation(len(X))
    n_test = round(case.test * len(X))
    test, train = rows[:n_test], rows[n_test:]
    model = MLP(
        X.shape[1], list(case.sizes), activation=case.activation, output_activation=case.output,
        initialiser=case.initialiser, rng=random.Random(case.seed),
    )  # fmt: skip
    if case.weights is not None:
        model.weights = case.weights(model.weights)
    of_test = {"X_test": X[test], "y_test": y[test]} if n_test else {}
    trainer = Trainer(model, X=X[train], y=y[train], **of_test, **{"learning_rate": 0.1, **case.settings})
    steps, losses = [0], [trainer.snapshot().test_loss]
    first = trainer.snapshot().loss
    try:
        for step in range(1, case.steps + 1):
            trainer.step()
            if step % 10 == 0 and n_test:
                steps.append(step)
                losses.append(trainer.snapshot().test_loss)
    except TrainingDiverged:
        trainer.restore(trainer.last_good())
    curve = (np.array(steps), np.array(losses)) if n_test else (np.empty(0), np.empty(0))
    return trainer, first, curve


def look_of(case):
    """Input of the notices."""
    trainer, first, curve = trained(case)
    moment, data = trainer.snapshot(), trainer.data
    layers = layer_figures(trainer.model.shape, moment.parameters, moment.gradients, data.X)
    n_test = 0 if data.test_targets is None else len(data.test_targets.values)
    return Look(layers, moment, data.n_samples, n_test, first, curve, Trials(trainer))


def of(*names):
    return frozenset(names)


def times(factor):
    return lambda weights: factor * weights


def kill(weights):
    """Large negative biases of the first layer of 2-8-...: no sample reaches a positive sum."""
    weights = weights.copy()
    weights[2:24:3] = -100.0
    return weights


def kill_half(weights):
    weights = weights.copy()
    weights[2:12:3] = -100.0
    return weights


def _cases():
    bce, ce, hinge = ({"loss": n} for n in ("binary_cross_entropy", "softmax_cross_entropy", "hinge"))
    for rate, steps in ((0.001, 300), (0.0003, 300), (1e-5, 100), (0.001, 100)):
        yield Case(f"moons tanh rate {rate} {steps}", of(LOW), steps=steps, settings={"learning_rate": rate, **bce})
    yield Case("moons mse rate 0.001", of(LOW), settings={"learning_rate": 0.001})
    for seed in (1, 2, 3):
        slow = {"learning_rate": 0.001}
        yield Case(f"moons far start {seed}", of(LOW), "moons", (4, 4, 1), 300, 100, 0.1, 0.0, seed, settings=slow)
    yield Case("moons mse rate 1e-7", of(LOW), steps=150, settings={"learning_rate": 1e-7})
    yield Case("moons relu rate 0.001", of(LOW), activation="relu", settings={"learning_rate": 0.001}, also=of(DEAD))
    yield Case("circles rate 0.001", of(LOW), "circles", settings={"learning_rate": 0.001, **hinge})
    yield Case(
        "circles momentum rate 1e-4", of(LOW), "circles", settings={"learning_rate": 1e-4, "optimizer": "momentum"}
    )
    yield Case("spiral3 rate 0.001", of(LOW), "spiral3", (16, 16, 3), settings={"learning_rate": 0.001, **ce})
    yield Case("moons adam rate 1e-5", of(LOW), settings={"learning_rate": 1e-5, "optimizer": "adam", **bce})
    yield Case("curve rate 1e-4", of(LOW), "curve", (8, 1), settings={"learning_rate": 1e-4})
    yield Case("batches rate 3e-4", of(LOW), settings={"learning_rate": 3e-4, "batch_size": 10, **bce})
    yield Case(
        "gaussians linear rate 1e-4", of(LOW), "gaussians", (1,), noise=0.5, settings={"learning_rate": 1e-4, **bce}
    )

    for rate in (3.0, 10.0):
        yield Case(f"moons mse rate {rate}", of(HIGH), steps=60, settings={"learning_rate": rate}, also=of(SATURATED))
    yield Case(
        "moons hinge rate 20", of(HIGH), steps=60, settings={"learning_rate": 20.0, **hinge}, also=of(SATURATED, DEAD)
    )
    yield Case("linear mse diverges", of(HIGH), "circles", (1,), steps=20, settings={"learning_rate": 1.5})
    yield Case(
        "xor diverges",
        of(HIGH),
        "xor",
        (16, 16, 1),
        n_samples=4,
        noise=0.0,
        steps=60,
        initialiser="uniform",
        settings={"learning_rate": 0.6},
        also=of(SATURATED),
    )
    yield Case(
        "curve rate 1.5", of(HIGH), "curve", (8, 1), steps=100, settings={"learning_rate": 1.5}, also=of(SATURATED)
    )
    yield Case(
        "spiral3 relu rate 5",
        of(DEAD),
        "spiral3",
        (16, 16, 3),
        activation="relu",
        steps=100,
        settings={"learning_rate": 5.0, **ce},
        also=of(HIGH),
    )
    yield Case(
        "adam rate 2",
        of(SATURATED),
        "spiral",
        (8, 8, 1),
        steps=150,
        settings={"learning_rate": 2.0, "optimizer": "adam", **bce},
        also=of(HIGH, VANISHING),
    )
    yield Case(
        "momentum rate 1",
        of(HIGH),
        "spiral",
        (8, 8, 1),
        steps=100,
        settings={"learning_rate": 1.0, "optimizer": "momentum"},
        also=of(SATURATED),
    )
    yield Case(
        "step as long as the weights",
        of(HIGH),
        steps=1,
        weights=times(6.0),
        settings={"learning_rate": 50.0},
        also=of(SATURATED),
    )

    yield Case("moons tanh bounces, but learns", of(), steps=100, settings={"learning_rate": 8.0, **bce}, also=of(HIGH))
    yield Case(
        "logistic bounces", of(HIGH), "gaussians", (1,), steps=100, noise=1.5, settings={"learning_rate": 100.0, **bce}
    )
    yield Case(
        "softmax bounces",
        of(HIGH),
        "spiral3",
        (16, 3),
        steps=100,
        settings={"learning_rate": 8.0, **ce},
        also=of(SATURATED),
    )
    yield Case(
        "batches bounce",
        of(HIGH),
        "circles",
        (8, 1),
        steps=200,
        settings={"learning_rate": 8.0, "batch_size": 10, **bce},
        also=of(SATURATED),
    )
    yield Case(
        "circles momentum bounces, but learns",
        of(),
        "circles",
        (8, 1),
        steps=100,
        settings={"learning_rate": 2.0, "optimizer": "momentum", **bce},
        also=of(HIGH),
    )
    yield Case(
        "spiral mse rate 0.6",
        of(HIGH),
        "spiral",
        (16, 16, 1),
        steps=100,
        settings={"learning_rate": 0.6},
        also=of(SATURATED),
    )

    yield Case("xor without hidden layers", of(OPTIMUM), "xor", (1,), 500, 4, 0.0, settings={"learning_rate": 0.1})
    yield Case(
        "xor without hidden layers long", of(OPTIMUM), "xor", (1,), 5000, 4, 0.0, settings={"learning_rate": 0.05}
    )
    yield Case(
        "xor cross-entropy without hidden layers",
        of(OPTIMUM),
        "xor",
        (1,),
        2000,
        4,
        0.0,
        settings={"learning_rate": 0.5, **bce},
    )
    yield Case("circles without hidden layers", of(OPTIMUM), "circles", (1,), 1000)
    yield Case(
        "circles linear hidden layers",
        of(OPTIMUM),
        "circles",
        (4, 1),
        1500,
        activation="linear",
        settings={"learning_rate": 0.1},
    )
    yield Case("spiral without hidden layers", of(OPTIMUM), "spiral", (1,), 1000)
    yield Case(
        "spiral3 softmax without hidden layers",
        of(OPTIMUM),
        "spiral3",
        (3,),
        3000,
        settings={"learning_rate": 0.5, **ce},
    )
    yield Case("curve without hidden layers", of(OPTIMUM), "curve", (1,), 1000)
    yield Case("hills without hidden layers", of(OPTIMUM), "hills", (1,), 3000, settings={"learning_rate": 0.2})
    yield Case("checkerboard without hidden layers", of(OPTIMUM), "checkerboard", (1,), 1000)
    yield Case(
        "noisy gaussians at the optimum",
        of(OPTIMUM),
        "gaussians",
        (1,),
        3000,
        200,
        1.5,
        settings={"learning_rate": 0.5, **bce},
    )
    yield Case("strong L2", of(PENALTY), "moons", (8, 8, 1), 3000, settings={"learning_rate": 0.1, "l2": 0.2})
    adam = {"optimizer": "adam", "learning_rate": 0.02}
    yield Case(
        "L2 holds the hinge loss up",
        of(PENALTY),
        "moons",
        (16, 16, 1),
        726,
        30,
        0.35,
        settings={**hinge, **adam, "l2": 0.05},
    )
    yield Case(
        "L2 pulls all weights to 0", of(PENALTY), "circles", (8, 8, 1), 1500, settings={**bce, **adam, "l2": 0.03}
    )
    yield Case("L1 holds the loss up", of(PENALTY), "moons", (12, 1), 1500, settings={**bce, **adam, "l1": 0.03})
    yield Case(
        "a small L2 is not why a network without hidden layers rests",
        of(OPTIMUM),
        "circles",
        (1,),
        1000,
        settings={"l2": 0.001},
    )

    for name, noise, sizes, l2 in (
        ("moons", 0.5, (32, 32, 1), 0.01),
        ("moons", 0.5, (32, 32, 1), 0.1),
        ("moons", 0.4, (24, 24, 1), 0.03),
        ("circles", 0.4, (32, 32, 1), 0.03),
        ("gaussians", 1.8, (24, 24, 1), 0.03),
        ("gaussians", 1.8, (24, 24, 1), 0.1),
    ):
        yield Case(
            f"{HELPFUL_L2} {name} {noise} {l2}",
            of(),
            name,
            sizes,
            1500,
            60,
            noise,
            0.5,
            settings={**bce, **adam, "l2": l2},
            also=of(OVERFIT),
        )
    yield Case(
        "too much L2 for the test data, too", of(PENALTY), "moons", (8, 8, 1), 1500, 100, 0.1, 0.3,
        settings={**bce, **adam, "l2": 0.03},
    )  # fmt: skip

    for name, noise, sizes in (
        ("moons", 0.5, (32, 32, 1)),
        ("circles", 0.4, (32, 32, 1)),
        ("moons", 0.4, (24, 24, 1)),
        ("gaussians", 1.8, (24, 24, 1)),
    ):
        for seed in (1, 2):
            yield Case(
                f"overfit {name} {noise} seed {seed}",
                of(OVERFIT),
                name,
                sizes,
                1500,
                60,
                noise,
                0.5,
                seed,
                settings={"learning_rate": 0.03, "optimizer": "adam", **bce},
            )
    yield Case(
        "overfit curve",
        of(OVERFIT),
        "curve",
        (32, 32, 1),
        3000,
        40,
        0.6,
        0.5,
        settings={"learning_rate": 0.02, "optimizer": "adam"},
    )

    yield Case("all dead", of(DEAD), activation="relu", weights=kill)
    yield Case("half dead", of(DEAD), "spiral", activation="relu", weights=kill_half, steps=100)
    yield Case(
        "dead by a high rate", of(HIGH), activation="relu", settings={"learning_rate": 3.0}, steps=30, also=of(DEAD)
    )
    yield Case(
        "dead at the start",
        of(DEAD),
        "spiral3",
        (8, 3),
        0,
        activation="relu",
        weights=_bias,
        settings=ce,
    )

    yield Case("saturated weights x50", of(SATURATED), weights=times(50.0), steps=0)
    yield Case(
        "saturated sigmoid x100",
        of(SATURATED),
        activation="sigmoid",
        weights=times(100.0),
        steps=20,
        also=of(HIGH, VANISHING, LOW, OPTIMUM),
    )
    yield Case(
        "saturated spiral x40",
        of(SATURATED),
        "spiral",
        weights=times(40.0),
        steps=20,
        settings={"learning_rate": 0.001},
        also=of(LOW, HIGH, EXPLODING),
    )
    yield Case("saturated circles x400", of(SATURATED), "circles", (12, 1), weights=times(400.0), steps=0)

    for depth in (7, 9):
        yield Case(
            f"sigmoid depth {depth}",
            of(VANISHING),
            sizes=(4,) * depth + (1,),
            activation="sigmoid",
            steps=100,
            also=of(OPTIMUM, LOW),
        )
    yield Case("sigmoid depth 8 start", of(VANISHING), sizes=(6,) * 8 + (1,), activation="sigmoid", steps=1)
    yield Case(
        "small weights depth 6",
        of(VANISHING),
        sizes=(6,) * 6 + (1,),
        weights=times(0.2),
        steps=50,
        also=of(LOW, OPTIMUM),
    )

    yield Case(
        "linear depth 8 normal",
        of(EXPLODING),
        sizes=(16,) * 8 + (1,),
        activation="linear",
        initialiser="normal",
        steps=0,
    )
    yield Case(
        "relu depth 8 normal",
        of(EXPLODING),
        sizes=(16,) * 8 + (1,),
        activation="relu",
        initialiser="normal",
        steps=0,
        also=of(DEAD),
    )
    yield Case(
        "relu depth 8 normal 1 step",
        of(EXPLODING),
        "spiral",
        sizes=(20,) * 8 + (1,),
        activation="relu",
        initialiser="normal",
        steps=1,
        settings={"learning_rate": 1e-12},
        also=of(DEAD, HIGH, LOW),
    )

    yield Case("zeros", of(EQUAL), weights=np.zeros_like, steps=20)
    yield Case("zeros after steps", of(EQUAL), initialiser="zeros", activation="sigmoid", steps=200)
    yield Case("all weights equal", of(EQUAL), "spiral", weights=lambda w: np.full_like(w, 0.3), steps=50)

    yield Case(
        "tanh output softmax",
        of(BOUNDED),
        "spiral3",
        (16, 3),
        100,
        output="tanh",
        settings={**ce, "learning_rate": 0.5},
    )
    yield Case(
        "sigmoid output bce",
        of(BOUNDED),
        "spiral",
        (8, 1),
        50,
        output="sigmoid",
        settings={**bce, "learning_rate": 0.5},
    )

    # all is well
    for name, sizes, more in (
        ("moons", (8, 8, 1), bce), ("moons", (16, 1), hinge), ("circles", (8, 1), bce), ("gaussians", (1,), bce),
        ("spiral3", (16, 16, 3), ce), ("yin_yang", (16, 16, 3), ce), ("curve", (8, 1), {}), ("plane", (1,), {}),
    ):  # fmt: skip
        rate = 0.3 if more else 0.1
        for steps in (0, 1, 40, 300, 2000):
            is_least = name == "plane" and steps >= 300  # noise is what is left
            yield Case(
                f"well {name} {sizes} {steps}",
                of(OPTIMUM) if is_least else of(),
                name,
                sizes,
                steps,
                settings={**more, "learning_rate": rate},
            )
    for optimizer, rate in (("adam", 0.01), ("momentum", 0.03), ("rmsprop", 0.01), ("nesterov", 0.03)):
        for steps in (20, 200):
            yield Case(
                f"well {optimizer} {steps}",
                of(),
                "circles",
                (8, 8, 1),
                steps,
                settings={**bce, "optimizer": optimizer, "learning_rate": rate},
            )
    yield Case("well batches", of(), "moons", (8, 8, 1), 200, settings={**bce, "batch_size": 10, "learning_rate": 0.2})
    yield Case("well circles with squares", of(), "circles", (1,), 1000, features=True, settings={"learning_rate": 0.3})
    yield Case("well xor", of(), "xor", (4, 1), 500, 4, 0.0, settings={"learning_rate": 0.3})
    yield Case("well test data", of(), "moons", (8, 8, 1), 300, 200, 0.1, 0.3, settings={**bce, "learning_rate": 0.3})
    yield Case(
        "well test data relu",
        of(),
        "circles",
        (8, 8, 1),
        300,
        200,
        0.05,
        0.3,
        activation="relu",
        settings={**bce, "learning_rate": 0.3},
    )
    yield Case(
        "well noisy with test data",
        of(),
        "gaussians",
        (4, 1),
        300,
        400,
        1.0,
        0.5,
        settings={**bce, "learning_rate": 0.3},
    )


def _bias(weights):
    """Large negative biases of every neuron of the first layer of 2-8-3."""
    weights = weights.copy()
    weights[2:24:3] = -50.0
    return weights


CASES = tuple(_cases())
