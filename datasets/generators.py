"""The datasets by name, each with its lesson and its difficulty.

To add one, write a function below that takes (n_samples, noise, rng) and returns X (n_samples, n_features) and y
(n_samples,), class indices from 0 or numbers to predict, and put `@dataset(...)` over it. The pictures in the data
panel, the command line and the contract test read DATASETS.
"""

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from datasets.dataset import Floats
from datasets.registry import DATASETS, Arrays, DatasetEntry, Suited, dataset, make_dataset

__all__ = ["DATASETS", "DatasetEntry", "Suited", "make_dataset"]  # of the registry, which this file fills


def _half(n_samples: int) -> tuple[int, int]:
    """Return the numbers of rows of the first and of the second class; the second has the odd one."""
    return n_samples // 2, n_samples - n_samples // 2


def _shuffled(X: Floats, y: NDArray[Any], noise: float, rng: RandomState) -> Arrays:
    """Return the rows in random order, with noise on the inputs, drawn in scikit-learn's order."""
    rows = np.arange(len(X))
    rng.shuffle(rows)
    return X[rows] + rng.normal(scale=noise, size=X.shape), y[rows]


def _given_points(points: list[list[float]], labels: list[int], noise: float, rng: RandomState) -> Arrays:
    X = np.array(points)
    return X + rng.normal(scale=noise, size=X.shape), np.array(labels)


SQUARE = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


@dataset(
    "xor",
    "XOR",
    "XOR",
    "One or the other but not both: no single line parts these four points, so a hidden layer is needed.",
    classes=("0", "1"),
    n_samples=4,
    fixed=True,
    suits=Suited((4,), loss="mean_squared_error", optimizer="sgd", learning_rate=0.1, steps=500),
)
def _xor(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _given_points(SQUARE, [0, 1, 1, 0], noise, rng)


@dataset(
    "and",
    "AND",
    "AND",
    "True only when both inputs are: one line parts the points, so a single neuron is enough.",
    classes=("0", "1"),
    n_samples=4,
    fixed=True,
    suits=Suited(loss="binary_cross_entropy", optimizer="sgd", learning_rate=0.5, steps=500),
)
def _and(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _given_points(SQUARE, [0, 0, 0, 1], noise, rng)


@dataset(
    "or",
    "OR",
    "OR",
    "True when either input is: one line parts the points, so a single neuron is enough.",
    classes=("0", "1"),
    n_samples=4,
    fixed=True,
    suits=Suited(loss="binary_cross_entropy", optimizer="sgd", learning_rate=0.5, steps=500),
)
def _or(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _given_points(SQUARE, [0, 1, 1, 1], noise, rng)


@dataset(
    "tutorial",
    "Tutorial, 4 points",
    "4 points",
    "The four rows of three inputs with targets 1, −1, −1, 1 on which the micrograd tutorial trains its first net.",
    n_features=3,
    n_samples=4,
    fixed=True,
    suits=Suited(
        (4, 4), output_activation="tanh", loss="sum_squared_error", optimizer="sgd", learning_rate=0.05, steps=100
    ),
)
def _tutorial(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    points = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    return _given_points(points, [1, 0, 0, 1], noise, rng)


@dataset(
    "moons",
    "Two moons",
    "moons",
    "Two half circles that reach into each other: the boundary has to bend twice.",
    noise=0.1,
    suits=Suited((8, 8), optimizer="momentum", learning_rate=0.03, steps=500),
)
def _moons(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    """Bit for bit scikit-learn's make_moons with the same random stream."""
    n_outer, n_inner = _half(n_samples)
    outer, inner = np.linspace(0, np.pi, n_outer), np.linspace(0, np.pi, n_inner)
    x1 = np.append(np.cos(outer), 1 - np.cos(inner))
    x2 = np.append(np.sin(outer), 1 - np.sin(inner) - 0.5)  # in this order of operations: it decides the last bit
    return _shuffled(np.column_stack([x1, x2]), np.repeat([0, 1], [n_outer, n_inner]), noise, rng)


@dataset(
    "circles",
    "Two circles",
    "circles",
    "A ring around a ring of half its size: a closed boundary, or one more input, x1² + x2², and a line is enough.",
    noise=0.1,
    suits=Suited((6,), optimizer="momentum", learning_rate=0.03, steps=1000),
)
def _circles(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    """Bit for bit scikit-learn's make_circles(factor=0.5) with the same random stream."""
    n_outer, n_inner = _half(n_samples)
    outer = np.linspace(0, 2 * np.pi, n_outer, endpoint=False)
    inner = np.linspace(0, 2 * np.pi, n_inner, endpoint=False)
    x1 = np.append(np.cos(outer), np.cos(inner) * 0.5)
    x2 = np.append(np.sin(outer), np.sin(inner) * 0.5)
    return _shuffled(np.column_stack([x1, x2]), np.repeat([0, 1], [n_outer, n_inner]), noise, rng)


@dataset(
    "gaussians",
    "Two clouds",
    "clouds",
    "Two round clouds, the noise being their width: a line is the best boundary, and wide clouds leave errors.",
    noise=0.5,
    suits=Suited(loss="binary_cross_entropy", optimizer="sgd", learning_rate=0.1, steps=300),
)
def _gaussians(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    y = np.repeat([0, 1], _half(n_samples))
    return _shuffled(np.where(y == 1, 1.0, -1.0)[:, None] * np.ones(2), y, noise, rng)


def _spiral_arms(n_samples: int, arms: int, turns: float, noise: float, rng: RandomState) -> Arrays:
    """`arms` equal spirals around the origin, each `turns` times around, from radius 0.1 to 1."""
    X, y = [], []
    for arm in range(arms):
        along = np.linspace(0, 1, n_samples // arms + (arm < n_samples % arms))
        angle = 2 * np.pi * (turns * along + arm / arms)
        radius = 0.1 + 0.9 * along
        X.append(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]))
        y.append(np.full(len(along), arm))
    return _shuffled(np.concatenate(X), np.concatenate(y), noise, rng)


@dataset(
    "spiral",
    "Two spirals",
    "spirals",
    "Two arms wound around each other: hard for a small network, and a good reason for more neurons or other inputs.",
    n_samples=200,
    noise=0.03,
    suits=Suited((16, 16), steps=500),
)
def _spiral(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _spiral_arms(n_samples, 2, 1.25, noise, rng)


@dataset(
    "spiral3",
    "Three spirals",
    "3 spirals",
    "Three arms and three classes: one output for each class and a softmax turn scores into probabilities.",
    classes=("0", "1", "2"),
    n_samples=300,
    noise=0.03,
    suits=Suited((16, 16), loss="softmax_cross_entropy", steps=500),
)
def _spiral3(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _spiral_arms(n_samples, 3, 0.75, noise, rng)


@dataset(
    "checkerboard",
    "Checkerboard",
    "checkers",
    "Sixteen fields in two colours: each one more corner for the boundary to turn.",
    n_samples=400,
    suits=Suited((16, 16), steps=2000),
)
def _checkerboard(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    y = np.repeat([0, 1], _half(n_samples))
    column, pair = rng.randint(4, size=n_samples), rng.randint(2, size=n_samples)
    row = 2 * pair + (column + y) % 2  # the two fields of this colour in the column
    corners = np.column_stack([column, row])
    return _shuffled((corners + rng.uniform(size=corners.shape)) / 2 - 1, y, noise, rng)


@dataset(
    "yin_yang",
    "Yin and yang",
    "yin-yang",
    "Two halves that curl into each other and a dot in each as third class: small regions among large ones.",
    classes=("yin", "yang", "dot"),
    n_samples=300,
    suits=Suited((16, 16), loss="softmax_cross_entropy", steps=500),
)
def _yin_yang(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    """Draw the figure of Kriener, Goeltz & Petrovici 2022, arXiv:2102.08211, on the unit disc, with equal classes."""
    y = np.arange(n_samples) % 3
    X = np.zeros((n_samples, 2))
    missing = np.arange(n_samples)
    while missing.size:  # draw again every point that fell into another class than its own
        X[missing] = drawn = rng.uniform(-1, 1, size=(missing.size, 2))
        missing = missing[_yin_yang_class(*drawn.T) != y[missing]]
    return _shuffled(X, y, noise, rng)


def _yin_yang_class(x1: Floats, x2: Floats) -> NDArray[np.int64]:
    """0 yin, 1 yang, 2 dot for points of the unit disc; -1 outside of it. Squares of distances: roots take longer."""
    height = x2 * x2
    left, right = (x1 + 0.5) ** 2 + height, (x1 - 0.5) ** 2 + height
    parts = np.where((left <= 0.5**2) | ((x2 > 0) & (right > 0.5**2)), 0, 1)
    parts[np.minimum(left, right) <= 0.2**2] = 2
    parts[x1 * x1 + height > 1] = -1
    return parts


@dataset(
    "curve",
    "A curve",
    "curve",
    "One input and a noisy sine to follow: every bend of the line takes a neuron or two.",
    classes=(),
    n_features=1,
    noise=0.05,
    suits=Suited((8,), loss="mean_squared_error", steps=1000),
)
def _curve(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    x = rng.uniform(-3, 3, size=n_samples)
    return x[:, None], np.sin(x) + rng.normal(scale=noise, size=n_samples)


@dataset(
    "surface",
    "A surface",
    "saddle",
    "Two inputs and the height of a saddle, x1² − x2²: regression with a map instead of a boundary.",
    classes=(),
    n_samples=200,
    noise=0.05,
    suits=Suited((8,), loss="mean_squared_error", steps=1000),
)
def _surface(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    X = rng.uniform(-1, 1, size=(n_samples, 2))
    return X, X[:, 0] ** 2 - X[:, 1] ** 2 + rng.normal(scale=noise, size=n_samples)


@dataset(
    "steps",
    "Steps",
    "steps",
    "One input and a height that jumps: a smooth network has to make its weights large to be so steep.",
    classes=(),
    n_features=1,
    noise=0.05,
    suits=Suited((16, 16), loss="mean_squared_error", steps=1500),
)
def _steps(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    x = rng.uniform(-3, 3, size=n_samples)
    return x[:, None], np.floor((x + 3) / 2) - 1 + rng.normal(scale=noise, size=n_samples)


@dataset(
    "plane",
    "A plane",
    "plane",
    "Two inputs and the height of a tilted plane: linear regression, for which a single linear neuron is enough.",
    classes=(),
    n_samples=200,
    noise=0.05,
    suits=Suited(loss="mean_squared_error", optimizer="sgd", learning_rate=0.1, steps=200),
)
def _plane(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    X = rng.uniform(-1, 1, size=(n_samples, 2))
    return X, (X[:, 0] + X[:, 1]) / 2 + rng.normal(scale=noise, size=n_samples)


HILLS = [[-0.5, 0.5, 1.0], [0.5, 0.5, -1.0], [0.0, -0.5, 1.0]]
"""x1, x2 and height of each summit; below 0 a hollow."""


@dataset(
    "hills",
    "Hills and a hollow",
    "hills",
    "Two inputs and a landscape of two hills and a hollow: every summit has to be put together from several neurons.",
    classes=(),
    n_samples=300,
    noise=0.02,
    suits=Suited((12, 12), loss="mean_squared_error", steps=3000),
)
def _hills(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    X = rng.uniform(-1, 1, size=(n_samples, 2))
    heights = sum(height * np.exp(-8 * ((X[:, 0] - x1) ** 2 + (X[:, 1] - x2) ** 2)) for x1, x2, height in HILLS)
    return X, heights + rng.normal(scale=noise, size=n_samples)
