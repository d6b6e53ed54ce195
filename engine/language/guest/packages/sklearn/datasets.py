"""`sklearn.datasets`: made-up data sets, number for number as scikit-learn makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._random import shuffled, stream


def make_moons(n_samples: Any = 100, *, shuffle: bool = True, noise: Any = None, random_state: Any = None) -> Any:
    """Return points of two half circles that reach into each other, and their classes."""
    n_outer, n_inner = _halves(n_samples)
    outer, inner = np.linspace(0, np.pi, n_outer), np.linspace(0, np.pi, n_inner)
    x = np.append(np.cos(outer), 1 - np.cos(inner))
    y = np.append(np.sin(outer), 1 - np.sin(inner) - 0.5)
    return _two_classes(np.vstack([x, y]).T, n_outer, n_inner, shuffle, noise, stream(random_state))


def make_circles(
    n_samples: Any = 100, *, shuffle: bool = True, noise: Any = None, random_state: Any = None, factor: float = 0.8
) -> Any:
    """Return points of a circle inside another, `factor` as large, and their classes."""
    n_outer, n_inner = _halves(n_samples)
    outer, inner = (np.linspace(0, 2 * np.pi, count, endpoint=False) for count in (n_outer, n_inner))
    x = np.append(np.cos(outer), np.cos(inner) * factor)
    y = np.append(np.sin(outer), np.sin(inner) * factor)
    return _two_classes(np.vstack([x, y]).T, n_outer, n_inner, shuffle, noise, stream(random_state))


def _halves(n_samples: Any) -> tuple[int, int]:
    if isinstance(n_samples, (tuple, list)):
        first, second = n_samples
        return first, second
    return n_samples // 2, n_samples - n_samples // 2


def _two_classes(points: Any, first: int, second: int, shuffle: bool, noise: Any, generator: Any) -> Any:
    classes = np.hstack([np.zeros(first, dtype=int), np.ones(second, dtype=int)])
    if shuffle:
        points, classes = shuffled(generator, points, classes)
    if noise is not None:
        points = points + generator.normal(scale=noise, size=points.shape)
    return points, classes


def make_blobs(
    n_samples: Any = 100,
    n_features: int = 2,
    *,
    centers: Any = None,
    cluster_std: Any = 1.0,
    center_box: Any = (-10.0, 10.0),
    shuffle: bool = True,
    random_state: Any = None,
    return_centers: bool = False,
) -> Any:
    """Return points around centers, normally distributed, and the numbers of their centers."""
    generator = stream(random_state)
    counts = list(n_samples) if hasattr(n_samples, "__len__") else None
    if centers is None or isinstance(centers, int):
        n_centers = len(counts) if counts is not None else 3 if centers is None else centers
        centers = generator.uniform(center_box[0], center_box[1], size=(n_centers, n_features))
    centers = np.asarray(centers, dtype=float)
    n_centers, n_features = centers.shape
    if counts is None:
        counts = [n_samples // n_centers + (index < n_samples % n_centers) for index in range(n_centers)]
    if len(counts) != n_centers:
        raise ValueError(
            f"Length of `n_samples` not consistent with number of centers. Got {len(counts)} and {n_centers}"
        )
    deviations = list(cluster_std) if hasattr(cluster_std, "__len__") else [cluster_std] * n_centers
    if len(deviations) != n_centers:
        raise ValueError("Length of `clusters_std` not consistent with number of centers.")
    parts = [
        generator.normal(loc=centers[index], scale=deviations[index], size=(counts[index], n_features))
        for index in range(n_centers)
    ]
    points, classes = np.concatenate(parts), np.repeat(np.arange(n_centers), counts)
    if shuffle:
        points, classes = shuffled(generator, points, classes)
    return (points, classes, centers) if return_centers else (points, classes)
