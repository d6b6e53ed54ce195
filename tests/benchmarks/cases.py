"""The six training problems of the benchmark, the same weights and data for everybody."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets import Dataset, make_dataset
from engine.network import MLP


@dataclass(frozen=True, eq=False)
class Case:
    """One problem and what to reach on it.

    Attributes:
        name: what the table calls it.
        layer_sizes: of the network with two inputs.
        X: (n_samples, 2).
        labels: (n_samples, 1) numbers, or class indices for softmax.
        reach: least ratio against PyTorch float64, PyTorch float32, JAX float32.
    """

    name: str
    layer_sizes: tuple[int, ...]
    X: Any
    labels: Any
    reach: tuple[float, float, float]
    activation: str = "tanh"
    loss: str = "mean_squared_error"
    l2: float = 0.0
    batch_size: int | None = None
    learning_rate: float = 0.01

    def model(self) -> MLP:
        """A network with always the same weights."""
        return MLP(2, self.layer_sizes, self.activation, rng=random.Random(1))


def signs(data: Dataset) -> NDArray[np.float64]:
    """The classes as -1.0 and 1.0, (n_samples, 1)."""
    return data.y[:, None].astype(np.float64)


def cases() -> list[Case]:
    """All six."""
    xor, moons = make_dataset("xor"), make_dataset("moons", n_samples=100, noise=0.1, seed=1)
    circle = make_dataset("circles", n_samples=500, noise=0.1, seed=1)
    spiral = make_dataset("spiral3", n_samples=300, noise=0.03, seed=1)
    many = make_dataset("moons", n_samples=1000, noise=0.1, seed=1)
    ring = signs(circle)
    classes = spiral.y[:, None]
    return [
        Case("XOR, 4 points, 2-[4,4]-1", (4, 4, 1), xor.X, xor.y[:, None].astype(float), (25, 24, 1.0)),
        Case(
            "moons 100, 2-[16,16]-1",
            (16, 16, 1),
            moons.X,
            signs(moons),
            (14, 15, 1.0),
            "relu",
            "hinge",
            1e-4,
        ),
        Case("circle, batch 10, 2-[8,8]-1", (8, 8, 1), circle.X, ring, (20, 20, 1.0), batch_size=10),
        Case("circle 500, 2-[8,8]-1", (8, 8, 1), circle.X, ring, (3.5, 6, 0.8)),
        Case("spiral 300, 2-[16,16]-3", (16, 16, 3), spiral.X, classes, (2.7, 5.5, 0.8), loss="softmax_cross_entropy"),
        Case("1,000 points, 2-[64,64]-1", (64, 64, 1), many.X, signs(many), (1.15, 1.6, 0.8)),
    ]
