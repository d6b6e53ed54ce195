"""Different orders to begin with; the search that follows keeps the character of its start."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from engine.graph.layout.layers import Layered
from engine.graph.layout.ordering import Orders


def from_results(layered: Layered, shuffle: random.Random | None = None) -> Orders:
    """A depth-first walk from the results to their operands, in the order of the operands or a shuffled one."""
    roots = [vertex for vertex in range(len(layered.graph)) if not layered.after[vertex]]
    return _walk(layered, roots[::-1], layered.before, shuffle)


def from_leaves(layered: Layered, shuffle: random.Random | None = None) -> Orders:
    """A depth-first walk from the leaves to their consumers."""
    roots = [vertex for vertex in range(len(layered.graph)) if not layered.before[vertex]]
    return _walk(layered, roots, layered.after, shuffle)


def smoothed(layered: Layered, columns: int, rounds: Sequence[int], rng: random.Random) -> list[Orders]:
    """Noise, averaged over neighbours again and again: what remains are the slow waves of the graph.

    That is a power iteration towards the first eigenvectors of the Laplacian, stopped long before they are
    reached, and every mixture of them is a start of its own. Sums are taken in a fixed order, nothing depends on how a
    matrix is factorised.

    Args:
        layered: the graph in layers, connected and with at least one step.
        columns: how many noises.
        rounds: after how many averages, ascending, to read off an order from each.
        rng: where the noise comes from.
    """
    neighbours = [(*layered.before[vertex], *layered.after[vertex]) for vertex in range(len(layered))]
    flat = np.array([other for others in neighbours for other in others])
    degree = np.array([len(others) for others in neighbours])
    first = np.concatenate(([0], np.cumsum(degree)[:-1]))
    waves = np.array([[rng.random() - 0.5 for _ in range(columns)] for _ in neighbours])
    found = []
    for count in range(1, rounds[-1] + 1):
        waves = (waves + np.add.reduceat(waves[flat], first, axis=0) / degree[:, None]) / 2
        if count % 10 == 0:
            waves -= (waves * degree[:, None]).sum(axis=0) / degree.sum()
            waves /= np.abs(waves).max(axis=0)
        if count in rounds:
            heights = np.round(waves, 9).T.tolist()
            found += [[sorted(members, key=height.__getitem__) for members in layered.members] for height in heights]
    return found


def _walk(layered: Layered, roots: Sequence[int], beside: list[list[int]], shuffle: random.Random | None) -> Orders:
    orders: Orders = [[] for _ in layered.members]
    seen = [False] * len(layered)
    waiting = _mixed(roots, shuffle)[::-1]
    while waiting:
        vertex = waiting.pop()
        if not seen[vertex]:
            seen[vertex] = True
            orders[layered.layer[vertex]].append(vertex)
            waiting.extend(_mixed(beside[vertex], shuffle)[::-1])
    return orders


def _mixed(vertices: Sequence[int], shuffle: random.Random | None) -> list[int]:
    mixed = list(vertices)
    if shuffle is not None:
        shuffle.shuffle(mixed)
    return mixed
