"""Numbers that stand in the texts of all lessons, computed here once more: with numpy and math, and no engine.

`NetworkByHand` knows nothing of `engine.network`: its derivatives and update rules are written out. Its points are
those of the lesson's document.
"""

import csv
import math
import random
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.document import replace_section
from engine.experiment.prepared import prepare
from engine.lessons import read_folder
from tests.engine.network.plain_optimizers import PLAIN

ROOT = Path(__file__).parents[3]
LESSONS = {lesson.name[:2]: lesson for lesson in read_folder(ROOT / "resources" / "lessons")[0]}
PUBLISHED = ROOT / "resources" / "examples" / "demo_log.csv"


class NetworkByHand:
    """A network of tanh, ReLU or linear layers, trained on all points at once."""

    def __init__(self, document):
        network, self.training, data = document.network, document.training, prepare(document.data)
        self.points = [data.train] if data.test is None else [data.train, data.test]
        self.bends = [*network.activations, network.output_activation]
        rng, self.layers = random.Random(network.seed), []
        sizes = network.layer_sizes
        for n_in, n_out in pairwise(sizes):
            bound = math.sqrt(6.0 / (n_in + n_out))
            is_he = network.initialiser == "he" or ("relu" in self.bends and n_out != sizes[-1])
            draw = {
                "zeros": lambda: 0.0,
                "equal": lambda: 0.5,
                "tiny": lambda: rng.gauss(0.0, 0.001),
                "huge": lambda: rng.gauss(0.0, 20.0),
                "uniform": lambda: rng.uniform(-1.0, 1.0),
                "by_activation": lambda bound=bound, n_in=n_in, is_he=is_he: (
                    rng.gauss(0.0, math.sqrt(2.0 / n_in)) if is_he else rng.uniform(-bound, bound)
                ),
            }[network.initialiser]
            self.layers += [np.array([[draw() for _ in range(n_in)] for _ in range(n_out)]), np.zeros(n_out)]
        self.memory = [np.full(each.shape, None) for each in self.layers]
        self.steps = 0

    def outputs(self, X):
        """Outputs of every layer, the inputs first."""
        found = [X]
        for number, (W, b) in enumerate(zip(self.layers[::2], self.layers[1::2], strict=True)):
            sums = found[-1] @ W.T + b
            bend = self.bends[number]
            found.append({"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "linear": lambda x: x}[bend](sums))
        return found

    def loss_and_slopes(self, data):
        """The mean loss, and its derivative with respect to each output."""
        out, c, n = self.outputs(data.X)[-1], data.classes, len(data.classes)
        if self.training.loss == "softmax_cross_entropy":
            shares = np.exp(out) / np.exp(out).sum(axis=1, keepdims=True)
            return -np.log(shares[np.arange(n), c]).mean(), (shares - np.eye(out.shape[1])[c]) / n
        o = out[:, 0]
        if self.training.loss == "hinge":
            t = np.where(c == 1, 1.0, -1.0)
            return np.maximum(0, 1 - t * o).mean(), (np.where(t * o < 1, -t, 0.0) / n)[:, None]
        if self.training.loss in ("mean_squared_error", "sum_squared_error"):
            scale = n if self.training.loss == "mean_squared_error" else 1
            return ((o - data.y) ** 2).sum() / scale, (2 * (o - data.y) / scale)[:, None]
        p = 0.5 * (1 + np.tanh(o / 2))
        return np.logaddexp(0.0, np.where(c == 1, -o, o)).mean(), ((p - c) / n)[:, None]

    def right(self, data):
        """Number of points that are decided right."""
        out = self.outputs(data.X)[-1]
        decided = out.argmax(axis=1) if out.shape[1] > 1 else (out[:, 0] > 0).astype(int)
        return int((decided == data.classes).sum())

    @property
    def losses(self):
        return [self.loss_and_slopes(data)[0] for data in self.points]

    @property
    def penalty(self):
        return self.training.l2 * sum((each**2).sum() for each in self.layers)

    def gradients(self):
        train = self.points[0]
        outputs, (_, back) = self.outputs(train.X), self.loss_and_slopes(train)
        found = []
        slopes = {"tanh": lambda h: 1 - h**2, "relu": lambda h: h > 0, "linear": np.ones_like}
        for number in reversed(range(len(self.layers) // 2)):
            back = back * slopes[self.bends[number]](outputs[number + 1])
            found = [back.T @ outputs[number], back.sum(axis=0), *found]
            back = back @ self.layers[2 * number]
        return [g + 2 * self.training.l2 * p for g, p in zip(found, self.layers, strict=True)]

    def train(self, steps):
        schedule = dict(self.training.schedule_settings)
        for _ in range(steps):
            rate = self.training.learning_rate
            if schedule:
                rate *= 1 - (1 - schedule["end"]) * self.steps / schedule["steps"]
            self.steps += 1
            for p, g, memory in zip(self.layers, self.gradients(), self.memory, strict=True):
                for place in np.ndindex(p.shape):
                    kept = memory[place] = memory[place] or {}
                    p[place] = PLAIN[self.training.optimizer](p[place], g[place], kept, self.steps, rate)
        return self


def network_of(lesson, **changes):
    document = LESSONS[lesson].document
    for section, fields in changes.items():
        document = replace_section(document, section, **fields)
    return NetworkByHand(document)


# For each lesson the numbers as they are written, and what they are.


@cache
def pushes():
    def f(x):
        return 3 * x**2 - 4 * x + 5

    slopes = {h: (f(3 + h) - f(3)) / h for h in (0.1, 0.01, 1e-3, 1e-4, 1e-8, 1e-14, 1e-16)}
    assert f"{slopes[1e-8]:.6f}" == "14.000000" and slopes[1e-16] == 0.0
    assert f(3.0) == 20.0 and f(2 / 3 + 0.01) > f(2 / 3) < f(2 / 3 - 0.01)
    return {
        "1.43": 0.1 * slopes[0.1],
        "14.3": slopes[0.1],
        "14.03": slopes[0.01],
        "14.003": slopes[1e-3],
        "14.0003": slopes[1e-4],
        "14.2": slopes[1e-14],
        "21.43": f(3.1),
        "0.0001": 1e-4,
        "0.00000001": 1e-8,
        "0.14": 0.01 * (6 * 3 - 4),
        "20.14": f(3.0) + 0.01 * (6 * 3 - 4),
        "0.00000000000001": 1e-14,
    }


@cache
def ways():
    def output(a, b, c, f):
        return (a * b + c) * f

    leaves, slopes = np.array([2.0, -3.0, 10.0, -2.0]), np.array([6.0, -4.0, -2.0, 4.0])
    assert output(*(leaves + slopes)) == -96.0 and slopes @ slopes == 72.0
    up = leaves + 0.01 * slopes
    return {
        "2.06": up[0], "-3.04": up[1], "9.98": up[2], "-1.96": up[3],
        "-7.2865": output(*up), "3.7176": output(*up) / up[3], "0.72": 0.01 * slopes @ slopes,
        "-8.726304": output(*(leaves - 0.01 * slopes)), "1.94": (leaves - 0.01 * slopes)[0],
    }  # fmt: skip


@cache
def neuron():
    n = 2 * -3 + 0 * 1 + 6.8813735870195432
    o = math.tanh(n)
    return {"0.88": n, "0.8814": n, "0.7071": o, "0.2232": 1 - n * n, "0.2929": 1 - o, "12.88": 12 + n, "1.88": 1 + n}


@cache
def tanh_apart():
    e = math.exp(2 * (2 * -3 + 6.8813735870195432))
    assert (e - 1) / (e + 1) == pytest.approx(math.tanh(0.8813735870195432), abs=1e-15)
    return {"5.8284": e, "2.414213562373095": math.sqrt(e), "0.1464": 1 / (e + 1), "-0.1036": -(e - 1) / (e + 1) ** 2}


@cache
def four_points():
    network = network_of("10")
    assert [each.size for each in network.layers] == [12, 4, 16, 4, 4, 1]
    assert sum(each.size for each in network.layers) == 41
    train = network.points[0]
    assert train.X[2:].tolist() == [[0.5, 1.0, 1.0], [1.0, 1.0, -1.0]] and train.y.tolist() == [1, -1, -1, 1]
    first, second = network.losses[0], network.train(1).losses[0]
    network.train(99)
    outputs = network.outputs(train.X)[-1][:, 0]
    without = network_of("10", data={"features": ("x2",)}, network={"layer_sizes": (1, 4, 4, 1)})
    return {
        "4.4570": first,
        "4.4070": first - 0.05,
        "2.5607": second,
        "0.0070": network.losses[0],
        "0.9655": outputs[0],
        "-0.9553": outputs[1],
        "-0.9575": outputs[2],
        "0.9558": outputs[3],
        "0.7616": math.tanh(1),
        "2.0879": without.train(100).losses[0],
    }


def straight_line(n_steps, zeroed=True, with_b=True):
    """Losses, slope, height and first gradients of the loop of lesson 11."""
    points = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]
    w = b = w_grad = b_grad = 0.0
    losses, grads = [], []
    for _ in range(n_steps):
        losses.append(sum((w * x + b - y) ** 2 for x, y in points))
        if zeroed:
            w_grad = b_grad = 0.0
        w_grad += sum(2 * (w * x + b - y) * x for x, y in points)
        b_grad += sum(2 * (w * x + b - y) for x, y in points)
        grads.append((w_grad, b_grad))
        w, b = w - 0.05 * w_grad, b - 0.05 * b_grad * with_b
    return losses, w, b, grads[0]


def sigmoid_neuron(with_slope):
    """Losses of the neuron of lesson 11 that is trained with gradients by hand."""
    x, t = np.array([-1.0, 0.5, 1.0, 2.0]), np.array([0, 0, 1, 1])
    w = b = 0.0
    losses = []
    for _ in range(100):
        s = 1 / (1 + np.exp(-w * x - b))
        losses.append(((s - t) ** 2).sum())
        back = 2 * (s - t) * (s * (1 - s) if with_slope else 1)
        w, b = w - 0.1 * (back * x).sum(), b - 0.1 * back.sum()
    return losses


@cache
def loop():
    losses, w, b, grads = straight_line(100)
    assert losses[0] == 35.0 and (round(w, 3), round(b, 3)) == (2.0, 1.0) and grads == (-26.0, -18.0)
    assert straight_line(1)[1] == pytest.approx(1.3)
    without_b, slope, _, _ = straight_line(100, with_b=False)
    piled_up = straight_line(10_000, zeroed=False)[0]
    assert max(piled_up) < 43 and max(piled_up[-20:]) > 35, "it neither diverges nor comes to rest"
    wrong, right = sigmoid_neuron(False), sigmoid_neuron(True)
    assert wrong[0] == 1.0 and all(after < before for before, after in pairwise(wrong))
    return {
        "1.2": without_b[-1],
        "2.6": slope,
        "1.9636": straight_line(20)[1],
        "42.2402": piled_up[3],
        "11.6667": 35 / 3,
        "0.1542": wrong[-1],
        "0.3305": right[-1],
    }


@cache
def rates():
    slow, good = network_of("12"), network_of("12", training={"learning_rate": 0.1})
    first = slow.losses[0]
    fast = network_of("12", training={"learning_rate": 1.0})
    losses = [fast.train(1).losses[0] for _ in range(2)]
    with np.errstate(over="ignore"):
        assert math.isfinite(fast.train(131).losses[0]) and not math.isfinite(fast.train(1).losses[0])
        assert network_of("12", training={"learning_rate": 0.5}).train(190).losses[0] > 1e100
    for rate, right in ((0.2, 95), (0.3, 95), (0.45, 91)):
        assert network_of("12", training={"learning_rate": rate}).train(200).right(slow.points[0]) >= right
    slow.train(200)
    assert round(max(np.abs(each).max() for each in slow.gradients()), 1) == 0.2, "it is not in a minimum"
    return {
        "0.6767": first,
        "0.4215": slow.losses[0],
        "0.1953": good.train(200).losses[0],
        "5.6065": losses[0],
        "8.8810": losses[1],
        "0.001": LESSONS["12"].document.training.learning_rate,
    }


@cache
def xor():
    alone = network_of("13")
    (train,) = alone.points
    assert train.X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]] and train.classes.tolist() == [0, 1, 1, 0]
    assert alone.right(train) == 3
    alone.train(300)
    found = {}
    for activation, n_hidden in [("tanh", 1), ("tanh", 2), ("linear", 4), ("relu", 2), ("relu", 5)]:
        layers = {"layer_sizes": (2, n_hidden, 1), "activations": (activation,)}
        network = network_of("13", network=layers).train(300)
        found[activation, n_hidden] = network.right(train), network.losses[0]
    assert found["tanh", 2][0] == 4 and found["tanh", 1][0] < 4
    assert found["linear", 4][1] == pytest.approx(math.log(2), abs=5e-5)
    assert found["relu", 2][0] < 4 == found["relu", 5][0]
    return {"0.6931": alone.losses[0]}


@cache
def circles():
    alone = network_of("14").train(300)
    (train,) = alone.points
    assert sorted(train.classes.tolist()) == [0] * 50 + [1] * 50 and 40 < alone.right(train) < 60
    squares = network_of("14", data={"features": ("x1^2", "x2^2")})
    assert squares.layers[0][0, 0] != pytest.approx(squares.layers[0][0, 1], rel=0.1)
    squares.train(300)
    (train,) = squares.points
    assert squares.right(train) == 99 and sum(each.size for each in squares.layers) == 3
    radius = np.sqrt(train.X.sum(axis=1))
    assert radius[train.classes == 1].mean() < radius[train.classes == 0].mean()
    assert squares.layers[0] == pytest.approx(-11.5, abs=0.05)
    spiral = {"name": "spiral", "n_samples": 100, "noise": 0.0}
    seven = ("x1", "x2", "x1^2", "x2^2", "x1x2", "sin x1", "sin x2")
    right = {}
    for features, hidden in ((seven, ()), (seven, (8,)), (seven, (4,)), (seven[:2], (8,)), (seven[:2], (7,))):
        network = {"layer_sizes": (len(features), *hidden, 1), "activations": ("tanh",) * len(hidden)}
        made = network_of("14", data={**spiral, "features": features}, network=network).train(300)
        right[len(features), hidden] = made.right(made.points[0])
    assert right[7, ()] == 58
    assert right[7, (8,)] == right[7, (4,)] == right[2, (8,)] == 100 > right[2, (7,)]
    return {"0.6931": alone.losses[0], "-11.5": squares.layers[0].mean()}


@cache
def first_weights():
    zeros = network_of("15")
    assert not any(each.any() for each in zeros.gradients()[:-1])
    assert zeros.gradients()[-1] == pytest.approx(0.0)
    zeros.train(200)
    good = network_of("15", network={"initialiser": "by_activation"}).train(200)
    (train,) = good.points
    assert good.right(train) == 99
    equal = network_of("15", network={"initialiser": "equal"})
    first_equal = equal.losses[0]
    equal.train(200)
    assert np.ptp(equal.layers[0], axis=0) == pytest.approx(0.0), "the neurons stay equal"
    tiny = network_of("15", network={"initialiser": "tiny"}).train(200)
    assert tiny.losses[0] == pytest.approx(math.log(2), abs=5e-5) and np.abs(tiny.gradients()[0]).max() < 1e-5
    huge = network_of("15", network={"initialiser": "huge"})
    begin = huge.losses[0]
    outputs = np.concatenate([each.ravel() for each in huge.outputs(train.X)[1:3]])
    assert (np.abs(outputs) > 0.9).mean() > 0.5, "most are saturated"
    relu = {"activations": ("relu", "relu"), "initialiser": "by_activation"}
    dead = network_of("15", network=relu, training={"learning_rate": 7.0}).train(200)
    assert dead.losses[0] == pytest.approx(math.log(2), abs=5e-5)
    assert not dead.outputs(train.X)[2].any(), "no output of the second hidden layer is above 0"
    assert network_of("15", network=relu).train(200).right(train) == 100
    return {
        "0.6931": zeros.losses[0],
        "1.4184": first_equal,
        "0.2777": equal.losses[0],
        "4.5704": begin,
        "2.3": huge.train(200).losses[0],
        "0.0002": 1 - math.tanh(5) ** 2,
    }


@cache
def moons():
    with PUBLISHED.open(encoding="utf-8") as file:
        published = [float(row["loss"]) for row in csv.DictReader(list(file)[1:])]
    network = network_of("16")
    first, n_first = network.losses[0], network.right(network.points[0])
    network.train(1)
    loss, penalty = network.losses[0], network.penalty
    assert (n_first, network.right(network.points[0])) == (50, 81)
    network.train(98)
    assert network.right(network.points[0]) == 100
    assert network.losses[0] == 0.0, "what is left at the end is the penalty"
    assert network.penalty == pytest.approx(published[99], abs=1e-9)
    assert sum(each.size for each in network.layers) == 337
    return {
        "0.8863": first,
        "0.8958": published[0],
        "1.7236": loss + penalty,
        "1.7132": loss,
        "0.0104": penalty,
        "1.7027": loss - penalty,
        "1.7235905336972": published[1],
        "0.010978370135": published[99],
        "0.010978": published[99],
        "0.0000": network.losses[0],
        "0.0001": network.training.l2,
    }


@cache
def classes():
    shares = [math.exp(s) / sum(map(math.exp, (2, 1, 0))) for s in (2, 1, 0)]
    network = network_of("17")
    first = network.losses[0]
    network.train(200)
    assert network.right(network.points[0]) == 150
    return {
        "-1.5032": -1 / shares[0],
        "0.3348": 1 - shares[0],
        "-0.3348": shares[0] - 1,
        "0.6652": shares[0],
        "0.4076": -math.log(shares[0]),
        "0.2447": shares[1],
        "-0.2447": -shares[1],
        "-0.7553": shares[1] - 1,
        "1.0986": math.log(3),
        "-1.0986": -math.log(3),
        "0.3333": 1 / 3,
        "0.4771": math.log10(3),
        "0.6931": math.log(2),
        "1.1168": first,
        "0.0313": network.losses[0],
    }


@cache
def overfitting():
    network = network_of("18")
    assert [len(data.classes) for data in network.points] == [20, 20]
    tests = {}
    for step in range(1, 201):
        network.train(1)
        tests[step] = network.losses[1], network.right(network.points[1])
    assert min(tests, key=tests.get) == 7
    assert tests[7][1] == 18
    assert [network.right(data) for data in network.points] == [20, 12]
    strong = network_of("18", training={"l2": 1.0}).train(200)
    more = network_of("18", data={"n_samples": 400}).train(200)
    assert network_of("18", training={"l2": 0.005}).train(200).losses[1] < 0.6
    return {
        "0.2856": tests[7][0],
        "1.7084": network.losses[1],
        "0.6978": strong.losses[1],
        "0.6931": math.log(2),
        "0.1772": more.losses[0],
        "0.2589": more.losses[1],
        "0.0001": 1e-4,  # one of three factors to try
    }


@cache
def optimizers():
    sgd, adam = (network_of("19", training={"optimizer": name}) for name in ("sgd", "adam"))
    sizes = np.abs(np.concatenate([each.ravel() for each in adam.gradients()]))
    assert (round(sizes.min(), 4), round(sizes.max(), 2)) == (0.0003, 0.06)
    before = np.concatenate([each.ravel() for each in adam.layers])
    after = np.concatenate([each.ravel() for each in adam.train(1).layers])
    np.testing.assert_allclose(np.abs(after - before), 0.05, rtol=1e-4)
    assert len(before) == 25
    return {
        "0.0632": 0.02 * 0.1 / math.sqrt(0.001),
        "0.6961": sgd.train(100).losses[0],
        "0.0702": adam.train(99).losses[0],
        "0.0003": sizes.min(),
        "0.001": 0.001,  # a gradient that is given, and a share: 1 - 0.999
        "0.999": 0.999,
    }


@cache
def arrays():
    X, t = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([[1.0], [0.0], [1.0]])
    d_out = 2 * (X @ np.array([[0.5], [-0.5]]) + 0.1 - t)
    weights = 2 * 16 + 16 * 16 + 16
    assert network_of("20").train(400).right(prepare(LESSONS["20"].document.data).train) == 100
    return {
        "-6.4": d_out.sum(),
        "-6.4000": d_out.sum(),
        "304": weights,
        "30400": 100 * weights,
        "33700": 100 * (weights + 33),
    }


@cache
def rules():
    o = math.tanh(2 * -3 + 6.5)
    slope = 1 - o**2
    return {
        "0.4621": o,
        "0.7864": slope,
        "0.5379": 1 - o,
        "0.2136": o**2,
        "-2.3593": -3 * slope,
        "1.5729": 2 * slope,
    }


@cache
def order():
    n, slope = 2 * 0.25, 1 - math.tanh(0.5 + 0.5**2) ** 2
    once = slope * (1 + 2 * n)
    return {
        "0.5966": slope,
        "1.1932": once,
        "0.8949": 0.25 * 3 * once,
        "0.2983": 0.25 * once,
        "1.3423": 0.25 * twice_without_zeroing(n, slope),
    }


def twice_without_zeroing(n, slope):
    """What n hands to a and b in two passes, if q, p and n keep the gradients of the first one."""
    handed, q, p, n_grad = 0.0, 0.0, 0.0, 0.0
    for _ in range(2):
        q += slope  # o is set to 1, and hands on its slope
        n_grad += q
        p += q
        n_grad += 2 * n * p
        handed += n_grad
    return handed


@cache
def own_network():
    rng = random.Random(1)
    hidden = [[rng.uniform(-1, 1), rng.uniform(-1, 1), 0.0] for _ in range(4)]
    weights = [np.array(hidden), np.array([[*(rng.uniform(-1, 1) for _ in range(4)), 0.0]])]
    X, t = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])[:, None]
    losses = []
    for _ in range(21):
        inputs = np.column_stack([X, np.ones(4)])
        h = np.column_stack([np.tanh(inputs @ weights[0].T), np.ones(4)])
        out = np.tanh(h @ weights[1].T)
        losses.append(((out - t) ** 2).sum())
        back = 2 * (out - t) * (1 - out**2)
        inner = (back @ weights[1])[:, :4] * (1 - h[:, :4] ** 2)
        weights[1] -= 0.1 * back.T @ h
        weights[0] -= 0.1 * inner.T @ inputs
    assert sum(each.size for each in weights) == 17
    return {"4.1022": losses[0], "2.2341": losses[20]}


NUMBERS: dict[str, Callable[[], dict[str, float]]] = {
    "01": pushes,
    "02": dict,
    "03": dict,
    "04": ways,
    "05": neuron,
    "06": dict,
    "07": tanh_apart,
    "08": dict,
    "09": dict,
    "10": four_points,
    "11": loop,
    "12": rates,
    "13": xor,
    "14": circles,
    "15": first_weights,
    "16": moons,
    "17": classes,
    "18": overfitting,
    "19": optimizers,
    "20": arrays,
    "21": dict,
    "22": dict,
    "23": rules,
    "24": order,
    "25": own_network,
}


def texts_of(lesson):
    """Everything that a learner reads in a lesson, with the numbers that answers are compared with."""
    for step in lesson.steps:
        yield step.text
        yield from step.hints
        if step.goal is not None:
            fields = step.goal.fields
            yield str(fields.get("question", ""))
            yield from (choice["text"] for choice in fields.get("choices", ()))
            yield str(fields.get("is", ""))
            yield str(fields.get("contains", ""))
            for wrong, says in step.goal.wrong:
                yield f"{wrong}\n{says}"


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_in_texts_are_right(name):
    text = "\n".join(texts_of(LESSONS[name])).replace("30,400", "30400").replace("−", "-")
    for written, number in NUMBERS[name]().items():
        digits = len(written.partition(".")[2])
        assert float(written) == pytest.approx(number, abs=0.5000001 * 10.0**-digits), written
        assert re.search(rf"(?<![\d.]){re.escape(written)}(?!\d)", text), f"{written} is not there"


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_with_four_digits_is_computed_here(name):
    known = {written.lstrip("-") for written in NUMBERS[name]()}
    found = set(re.findall(r"(?<![\d.])\d+\.\d{4,}", "\n".join(texts_of(LESSONS[name]))))
    assert found <= known


def test_a_rate_of_ten_kills_the_second_layer_of_the_moons():
    network = network_of("16", training={"learning_rate": 10.0})
    losses = []
    for _ in range(99):
        losses.append(network.losses[0])
        network.train(1)
    assert 100_000 < max(losses) < 1_000_000
    assert network.losses[0] == pytest.approx(1.0)
    assert not network.outputs(network.points[0].X)[2].any()


def test_a_loop_that_forgets_to_zero_gradients_learns_xor_all_the_same():
    """Lesson 25: the loss is 0.0 after 20 steps, although each step uses the sum of all gradients so far."""
    rng = random.Random(1)
    hidden = np.array([[rng.uniform(-1, 1), rng.uniform(-1, 1), 0.0] for _ in range(4)])
    output = np.array([*(rng.uniform(-1, 1) for _ in range(4)), 0.0])
    sums = [np.zeros_like(hidden), np.zeros_like(output)]
    X, t = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]), np.array([-1, 1, 1, -1])
    for _ in range(20):
        h = np.column_stack([np.tanh(X @ hidden.T), np.ones(4)])
        out = np.tanh(h @ output)
        back = 2 * (out - t) * (1 - out**2)
        sums[0] += (np.outer(back, output[:4]) * (1 - h[:, :4] ** 2)).T @ X
        sums[1] += back @ h
        hidden, output = hidden - 0.1 * sums[0], output - 0.1 * sums[1]
    out = np.tanh(np.column_stack([np.tanh(X @ hidden.T), np.ones(4)]) @ output)
    assert round(float(((out - t) ** 2).sum()), 4) == 0.0
