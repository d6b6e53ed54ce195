"""Random numbers as scikit-learn takes them from NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def stream(random_state: Any) -> Any:
    """Return the random generator for a `random_state`: NumPy's own one for None."""
    if random_state is None or random_state is np.random:
        return np.random
    return random_state if hasattr(random_state, "normal") else np.random.RandomState(random_state)


def shuffled(generator: Any, *arrays: Any) -> list[Any]:
    """Return arrays in one random order."""
    order = np.arange(len(arrays[0]))
    generator.shuffle(order)
    return [array[order] for array in arrays]
