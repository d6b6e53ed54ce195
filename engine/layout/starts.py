"""Different orders to begin with; the search that follows keeps the character of its start."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout.layers import Layered
from engine.layout.ordering import Orders

Waves = NDArray[np.float64]

_CENTRED = 5


def from_results(layered: Layered) -> Orders:
    """A depth-first walk from the results to their operands, in the order of the operands."""
    roots = [vertex for vertex in range(len(layered.graph)) if not layered.after[vertex]]
    return _walk(layered, roots[::-1], layered.before)


def from_leaves(layered: Layered) -> Orders:
    """A depth-first walk from the leaves to their consumers."""
    roots = [vertex for vertex in range(len(layered.graph)) if not layered.before[vertex]]
    return _walk(layered, roots, layered.after)


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How noise becomes starts.

    Attributes:
        noises: how many noises.
        slow: waves that an average shrinks to no less than this share of what they were are kept.
        rounds: after how many averages, ascending, an order is read off from each.
    """

    noises: int
    slow: float
    rounds: tuple[int, ...]


def smoothed(layered: Layered, smoothing: Smoothing, rng: random.Random) -> list[Orders]:
    """Noise, averaged over neighbours again and again: what remains are the slow waves of the graph.

    Plain averaging needs hundreds of rounds; Chebyshev polynomials of it single out the same waves in a tenth (Zhou,
    Saad, Tiago and Chelikowsky, J. Comput. Phys. 219, 2006, filter the spectrum of a Hamiltonian so). Every mixture of
    slow waves is a start of its own. Sums are taken in a fixed order, nothing depends on how a matrix is factorised.

    Args:
        layered: the graph in layers, connected and with at least one step.
        smoothing: how much of it.
        rng: where the noise comes from.
    """
    averaged = _Averages(layered, smoothing.slow)
    columns = range(smoothing.noises)
    old = averaged.centred(np.array([[rng.random() - 0.5 for _ in columns] for _ in range(len(layered))]))
    waves = averaged(old)
    found = []
    for count in range(2, smoothing.rounds[-1] + 1):
        waves, old = 2 * averaged(waves) - old, waves
        if count % _CENTRED == 0:
            waves, old = averaged.centred(waves), averaged.centred(old)
            largest = np.abs(waves).max(axis=0)
            waves, old = waves / largest, old / largest
        if count in smoothing.rounds:
            heights = np.round(waves / np.abs(waves).max(axis=0), 9).T.tolist()
            found += [[sorted(members, key=height.__getitem__) for members in layered.members] for height in heights]
    return found


class _Averages:
    """The mean of the neighbours of every vertex, scaled so that all but the slow waves stay between -1 and 1."""

    def __init__(self, layered: Layered, slow: float):
        neighbours = [(*layered.before[vertex], *layered.after[vertex]) for vertex in range(len(layered))]
        degree = np.array([len(others) for others in neighbours])
        self._flat = np.array([other for others in neighbours for other in others])
        self._first = np.concatenate(([0], np.cumsum(degree)[:-1]))
        self._scale = 2 / (1 + slow) / degree[:, None]
        self._own = (1 - slow) / (1 + slow)
        self._share = (degree / degree.sum())[:, None]

    def __call__(self, waves: Waves) -> Waves:
        mean: Waves = np.add.reduceat(waves[self._flat], self._first, axis=0) * self._scale
        mean += waves * self._own
        return mean

    def centred(self, waves: Waves) -> Waves:
        """The waves without the one that is the same everywhere."""
        centred: Waves = waves - (waves * self._share).sum(axis=0)
        return centred


def _walk(layered: Layered, roots: Sequence[int], beside: list[list[int]]) -> Orders:
    orders: Orders = [[] for _ in layered.members]
    seen = [False] * len(layered)
    waiting = list(roots[::-1])
    while waiting:
        vertex = waiting.pop()
        if not seen[vertex]:
            seen[vertex] = True
            orders[layered.layer[vertex]].append(vertex)
            waiting.extend(beside[vertex][::-1])
    return orders
