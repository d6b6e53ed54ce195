"""Data a person makes on the spot: points drawn on the plot, and the values of a formula."""

from collections.abc import Callable, Sequence

import numpy as np

from datasets.dataset import Dataset, Floats, Task, from_arrays
from datasets.limits import (
    MAX_CLASSES,
    N_SAMPLES_LIMITS,
    NOISE_LIMITS,
    SEED_LIMITS,
    DatasetError,
    check_integer,
    check_number,
)


def from_points(x1: Sequence[float], x2: Sequence[float], classes: Sequence[int], signed: bool = False) -> Dataset:
    """Return a classification of points drawn by hand.

    Args:
        x1: horizontal coordinates, finite.
        x2: vertical coordinates, as many.
        classes: the class index of each point, 0 .. 9. The data has two classes at least, and as many as the largest
            index asks for.
        signed: two classes are -1 and 1 instead of 0 and 1.

    Raises:
        DatasetError: no points, lists of different lengths, a coordinate or class that is not allowed.
    """
    if not len(x1) == len(x2) == len(classes):
        raise DatasetError(f"every point needs x1, x2 and a class, not {len(x1)}, {len(x2)} and {len(classes)} of them")
    if not len(x1):
        raise DatasetError("there are no points yet: draw one first")
    indices = [check_integer("class", index, (0, MAX_CLASSES - 1)) for index in classes]
    names = tuple(str(index) for index in range(max(2, max(indices) + 1)))
    names = ("-1", "1") if signed and len(names) == 2 else names
    X = np.column_stack([np.asarray(x1, dtype=np.float64), np.asarray(x2, dtype=np.float64)])
    return from_arrays(X, indices, name="points", description="Points drawn by hand.", class_names=names)


def from_function(
    function: Callable[[Floats], Floats],
    n_features: int = 2,
    n_samples: int = 200,
    noise: float = 0.0,
    seed: int = 0,
    *,
    task: Task = "regression",
    span: tuple[float, float] = (-3.0, 3.0),
    description: str = "",
) -> Dataset:
    """Return values of a function at points drawn evenly from a box.

    Args:
        function: takes X (n_samples, n_features) and returns (n_samples,).
        n_features: 1 or 2.
        n_samples: 1 .. 100,000.
        noise: standard deviation, 0 .. 10, added to the values (before their sign is taken).
        seed: 0 .. 2**32 - 1.
        task: "regression", or "classification" into class 1 where the value is above 0 and class 0 elsewhere.
        span: smallest and largest value of each input.
        description: one sentence, the formula for instance.

    Raises:
        DatasetError: a number that is not allowed, or a function that is not finite at one of the points.
    """
    shape = (check_integer("n_samples", n_samples, N_SAMPLES_LIMITS), check_integer("inputs", n_features, (1, 2)))
    spread = check_number("noise", noise, NOISE_LIMITS)
    rng = np.random.RandomState(check_integer("seed", seed, SEED_LIMITS))
    X = rng.uniform(*span, size=shape)
    exact = np.asarray(function(X), dtype=np.float64)
    _check_values(X, exact)
    values = exact + rng.normal(scale=spread, size=shape[0])
    if task == "regression":
        return from_arrays(X, values, task, name="formula", description=description)
    return from_arrays(X, values > 0, name="formula", description=description, class_names=("0", "1"))


def _check_values(X: Floats, values: Floats) -> None:
    if values.shape != X.shape[:1]:
        raise DatasetError(f"the formula must give one value for each of {len(X)} points, not shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        place = ", ".join(f"x{column} = {value:.4g}" for column, value in enumerate(X[bad[0]], start=1))
        place = place.replace("-", "−")
        raise DatasetError(f"the formula has no finite value at {bad.size} of {len(X)} points, one is {place}")
