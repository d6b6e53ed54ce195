"""Every dataset that has a name: how it is drawn, what it is called, what it teaches.

To add one, write a function below that takes (n_samples, noise, rng) and returns X (n_samples, n_features) and y
(n_samples,), class indices from 0 or numbers to predict, and put `@dataset(...)` over it. The menus, the command line
and the contract test read DATASETS.

The random stream is numpy's RandomState, which is frozen for good, so that a seed means the same points on every
version of numpy, and the same as scikit-learn's where a set comes from there. (Between machines, the last bit of a sine
may differ.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from datasets.dataset import Dataset, Floats, Task, labels_at
from datasets.limits import N_SAMPLES_LIMITS, NOISE_LIMITS, SEED_LIMITS, check_integer, check_number, unknown_name

Arrays = tuple[Floats, NDArray[Any]]
Draw = Callable[[int, float, RandomState], Arrays]


@dataclass(frozen=True)
class DatasetEntry:
    """One named dataset: what a menu needs to offer it and `make_dataset` to draw it.

    Attributes:
        name: its key in DATASETS.
        title: as a menu writes it.
        description: one sentence on what it teaches.
        task: "classification" or "regression".
        class_names: one name for each class; empty for regression.
        n_features: number of inputs.
        n_samples: rows drawn when nothing else is asked for.
        noise: standard deviation of the normal noise when nothing else is asked for, in the units of the data.
        fixed: True for a handful of given points; their number cannot be changed.
        draw: (n_samples, noise, rng) -> (X, y).
        n_samples_limits: smallest and largest number of rows.
        noise_limits: smallest and largest noise.
    """

    name: str
    title: str
    description: str
    task: Task
    class_names: tuple[str, ...]
    n_features: int
    n_samples: int
    noise: float
    fixed: bool
    draw: Draw
    n_samples_limits: tuple[int, int] = N_SAMPLES_LIMITS
    noise_limits: tuple[float, float] = NOISE_LIMITS

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.class_names)


_entries: dict[str, DatasetEntry] = {}
DATASETS = MappingProxyType(_entries)


def dataset(
    name: str,
    title: str,
    description: str,
    *,
    classes: tuple[str, ...] = ("-1", "1"),
    n_features: int = 2,
    n_samples: int = 100,
    noise: float = 0.0,
    fixed: bool = False,
) -> Callable[[Draw], Draw]:
    """Enter the function below it into DATASETS; no `classes` makes it a regression.

    Classes called -1 and 1 have these numbers in the dataset's y (`class_labels`), as the tutorials number them.
    """
    task: Task = "classification" if classes else "regression"

    def enter(draw: Draw) -> Draw:
        _entries[name] = DatasetEntry(
            name, title, description, task, classes, n_features, n_samples, noise, fixed, draw
        )
        return draw

    return enter


def make_dataset(
    name: str,
    n_samples: int | None = None,
    noise: float | None = None,
    seed: int = 0,
    *,
    rng: RandomState | None = None,
) -> Dataset:
    """Draw the dataset of that name.

    Args:
        name: a key of DATASETS.
        n_samples: 1 .. 100,000; None for the entry's own number. A fixed dataset always has its own points.
        noise: standard deviation, 0 .. 10; None for the entry's own.
        seed: 0 .. 2**32 - 1; the same seed draws the same points, bit for bit on the same machine.
        rng: a random stream to draw from (and advance) instead of one made from `seed`. `RandomState(1337)` gives what
            a script gets after `np.random.seed(1337)`.

    Raises:
        DatasetError: an unknown name, or a number that is not allowed.
    """
    entry = DATASETS.get(name) if isinstance(name, str) else None
    if entry is None:
        raise unknown_name("dataset", name, DATASETS)
    n_rows = check_integer("n_samples", entry.n_samples if n_samples is None else n_samples, entry.n_samples_limits)
    spread = check_number("noise", entry.noise if noise is None else noise, entry.noise_limits)
    stream = RandomState(check_integer("seed", seed, SEED_LIMITS)) if rng is None else rng
    X, y = entry.draw(entry.n_samples if entry.fixed else n_rows, spread, stream)
    y = labels_at(y, entry.class_names) if entry.class_names else y
    return Dataset(name, X, y, entry.task, entry.description, entry.class_names)


def _half(n_samples: int) -> tuple[int, int]:
    """Rows of the first and of the second class; the second has the odd one."""
    return n_samples // 2, n_samples - n_samples // 2


def _shuffled(X: Floats, y: NDArray[Any], noise: float, rng: RandomState) -> Arrays:
    """Rows in random order, then noise on the inputs: the order in which scikit-learn draws the two."""
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
    "One or the other but not both: no single line parts these four points, so a hidden layer is needed.",
    classes=("0", "1"),
    n_samples=4,
    fixed=True,
)
def _xor(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _given_points(SQUARE, [0, 1, 1, 0], noise, rng)


@dataset(
    "and",
    "AND",
    "True only when both inputs are: one line parts the points, so a single neuron is enough.",
    classes=("0", "1"),
    n_samples=4,
    fixed=True,
)
def _and(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _given_points(SQUARE, [0, 0, 0, 1], noise, rng)


@dataset(
    "or",
    "OR",
    "True when either input is: one line parts the points, so a single neuron is enough.",
    classes=("0", "1"),
    n_samples=4,
    fixed=True,
)
def _or(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _given_points(SQUARE, [0, 1, 1, 1], noise, rng)


@dataset(
    "tutorial",
    "Tutorial, 4 points",
    "The four rows of three inputs with targets 1, -1, -1, 1 on which the micrograd tutorial trains its first net.",
    n_features=3,
    n_samples=4,
    fixed=True,
)
def _tutorial(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    points = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    return _given_points(points, [1, 0, 0, 1], noise, rng)


@dataset(
    "moons",
    "Two moons",
    "Two half circles that reach into each other: the boundary has to bend twice.",
    noise=0.1,
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
    "A ring around a ring of half its size: a closed boundary, or one more input, x1^2 + x2^2, and a line is enough.",
    noise=0.1,
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
    "Two round clouds, the noise being their width: a line is the best boundary, and wide clouds leave errors.",
    noise=0.5,
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
    "Two arms wound around each other: hard for a small network, and a good reason for more neurons or other inputs.",
    n_samples=200,
    noise=0.03,
)
def _spiral(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _spiral_arms(n_samples, 2, 1.25, noise, rng)


@dataset(
    "spiral3",
    "Three spirals",
    "Three arms and three classes: one output for each class and a softmax turn scores into probabilities.",
    classes=("0", "1", "2"),
    n_samples=300,
    noise=0.03,
)
def _spiral3(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    return _spiral_arms(n_samples, 3, 0.75, noise, rng)


@dataset(
    "checkerboard",
    "Checkerboard",
    "Sixteen fields in two colours: each one more corner for the boundary to turn.",
    n_samples=400,
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
    "Two halves that curl into each other and a dot in each as third class: small regions among large ones.",
    classes=("yin", "yang", "dot"),
    n_samples=300,
)
def _yin_yang(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    """The figure of Kriener, Goeltz & Petrovici 2022, arXiv:2102.08211, on the unit disc, all classes equally often."""
    y = np.arange(n_samples) % 3
    X = np.zeros((n_samples, 2))
    missing = np.arange(n_samples)
    while missing.size:  # draw again every point that fell into another class than its own
        X[missing] = rng.uniform(-1, 1, size=(missing.size, 2))
        missing = missing[_yin_yang_class(X[missing]) != y[missing]]
    return _shuffled(X, y, noise, rng)


def _yin_yang_class(X: Floats) -> NDArray[np.int64]:
    """0 yin, 1 yang, 2 dot for points (n, 2) of the unit disc; -1 outside of it."""
    left, right = np.hypot(X[:, 0] + 0.5, X[:, 1]), np.hypot(X[:, 0] - 0.5, X[:, 1])
    yin = (left <= 0.5) | ((X[:, 1] > 0) & (right > 0.5))
    parts = np.where(np.minimum(left, right) <= 0.2, 2, np.where(yin, 0, 1))
    return np.where(np.hypot(X[:, 0], X[:, 1]) <= 1, parts, -1)


@dataset(
    "curve",
    "A curve",
    "One input and a noisy sine to follow: watch the network bend its line piece by piece.",
    classes=(),
    n_features=1,
    noise=0.1,
)
def _curve(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    x = rng.uniform(-3, 3, size=n_samples)
    return x[:, None], np.sin(x) + rng.normal(scale=noise, size=n_samples)


@dataset(
    "surface",
    "A surface",
    "Two inputs and the height of a saddle, x1^2 - x2^2: regression with a map instead of a boundary.",
    classes=(),
    n_samples=200,
    noise=0.05,
)
def _surface(n_samples: int, noise: float, rng: RandomState) -> Arrays:
    X = rng.uniform(-1, 1, size=(n_samples, 2))
    return X, X[:, 0] ** 2 - X[:, 1] ** 2 + rng.normal(scale=noise, size=n_samples)
