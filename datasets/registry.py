"""The registry of datasets: a description of each, and the function that draws it.

The random stream is numpy's RandomState, which is frozen for good, so that a seed means the same points on every
version of numpy, and the same as scikit-learn's where a set comes from there. (Between machines, the last bit of a sine
may differ.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from numpy.random import RandomState
from numpy.typing import NDArray

from datasets.dataset import Dataset, Floats, Task, labels_at
from datasets.limits import N_SAMPLES_LIMITS, NOISE_LIMITS, SEED_LIMITS, check_integer, check_number, unknown_name

Arrays = tuple[Floats, NDArray[Any]]
Draw = Callable[[int, float, RandomState], Arrays]


@dataclass(frozen=True)
class Suited:
    """A network and settings with which a dataset is learnt, by the names that `engine.network` knows.

    Attributes:
        hidden: neurons in each hidden layer.
        activation: of the hidden layers.
        output_activation: of the last layer.
        loss, optimizer, learning_rate, batch_size: as in the training's settings; no batch size: all points in a step.
        steps: number after which it is learnt (to 97 % of the points, or R^2 0.97), from most first weights.
    """

    hidden: tuple[int, ...] = ()
    activation: str = "tanh"
    output_activation: str = "linear"
    loss: str = "hinge"
    optimizer: str = "adam"
    learning_rate: float = 0.02
    batch_size: int | None = None
    steps: int = 1000


@dataclass(frozen=True)
class DatasetEntry:
    """One named dataset, for menus and for `make_dataset`.

    Attributes:
        name: its key in DATASETS.
        title: as a menu writes it.
        short: the same in at most 10 characters, for under its picture.
        description: one sentence on its lesson.
        task: "classification" or "regression".
        class_names: one name for each class; empty for regression.
        n_features: number of inputs.
        n_samples: default number of rows.
        noise: default standard deviation of the normal noise, in the units of the data.
        fixed: True for a handful of given points; their number cannot be changed.
        suits: a network and settings that learn it.
        draw: (n_samples, noise, rng) -> (X, y).
        n_samples_limits: smallest and largest number of rows.
        noise_limits: smallest and largest noise.
    """

    name: str
    title: str
    short: str
    description: str
    task: Task
    class_names: tuple[str, ...]
    n_features: int
    n_samples: int
    noise: float
    fixed: bool
    suits: Suited
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
    short: str,
    description: str,
    *,
    suits: Suited,
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
            name, title, short, description, task, classes, n_features, n_samples, noise, fixed, suits, draw
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
        rng: a random stream to draw from (and advance) instead of one made from `seed`. `RandomState(1337)` draws what
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
