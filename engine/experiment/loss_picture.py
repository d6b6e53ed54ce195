"""Slice through the loss: the chosen plane, its losses, level lines, the run's path."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.document import Document
from engine.experiment.assemble import make_model
from engine.experiment.snapshot_network import SnapshotNetwork
from engine.network import Penalty, Snapshot, encode
from engine.network.errors import SettingError
from engine.network.level_line import level_line
from engine.network.loss_surface import (
    Extent,
    LossSurface,
    ManyLosses,
    Plane,
    loss_surface,
    parameter_plane,
    path_plane,
    random_plane,
)

Floats = NDArray[Any]
FEWEST, MOST = 21, 81
"""Points along each side."""
MOST_PRODUCTS = 3e9
"""Limit of weights times samples times points of the finest grid: some seconds of work."""
N_LEVELS = 9
WIDE = 20.0
"""Ratio of the largest to the smallest loss from which colours and level lines are logarithmic."""
SPANS = (1e-6, 1e6)
"""Range of a span: the numbers of a plane have digits to spare for the differences in it, and are no infinities."""
PATH_MARGIN = 0.3
"""Margin around a path, as a share of its extent."""


@dataclass(frozen=True)
class PlaneChoice:
    """Choice of a slice.

    Attributes:
        kind: "path" (along the run's), "random" (directions) or "parameters" (over two of them).
        seed: of the random directions.
        parameters: indices of two parameters, from 0.
        span: within SPANS. Random directions: distance along each, in units of the neurons' own weight norms.
            Parameters: distance to either side of their values. Path: 1 contains all of it.
    """

    kind: str = "path"
    seed: int = 0
    parameters: tuple[int, int] = (0, 1)
    span: float = 1.0

    def __post_init__(self) -> None:
        """Raise SettingError for a span outside of SPANS."""
        if not SPANS[0] <= self.span <= SPANS[1]:
            raise SettingError("the span", f"between {SPANS[0]:g} and {SPANS[1]:,.0f}", self.span)


@dataclass(frozen=True, eq=False)
class LossPicture:
    """Contents of the picture.

    Attributes:
        step: of the snapshot whose parameters define the plane.
        choice: the chosen plane.
        surface: its losses, penalties included; incomplete while `surface.share` is below 1.
        centre_loss: the loss at the snapshot's parameters, computed separately.
        centre: (2,) position of these parameters.
        path_steps: (n,) steps of the run with a stored snapshot.
        path: (n, 2) positions of these snapshots, projected on the plane.
        levels: losses of the level lines, ascending.
        lines: x and y of the ends of their segments, (2 * n_segments,) each.
        logarithmic: colours and levels follow the logarithm of the loss.
    """

    step: int
    choice: PlaneChoice
    surface: LossSurface
    centre_loss: float
    centre: Floats
    path_steps: Floats
    path: Floats
    levels: tuple[float, ...] = ()
    lines: tuple[Floats, Floats] = (np.empty(0), np.empty(0))
    logarithmic: bool = False


def loss_pictures(
    document: Document, network: SnapshotNetwork, penalty: Penalty, path: Sequence[Snapshot], choice: PlaneChoice
) -> Iterator[LossPicture]:
    """Yield the picture as it grows, a coarse one first; random directions replace a path that spans no plane.

    Args:
        document: has the network's shape.
        network: at the snapshot whose parameters define the plane.
        penalty: of that snapshot's settings.
        path: snapshots of the run, in order.
        choice: of the plane.

    Raises:
        SettingError: for indices of missing parameters.
        UntranslatableError: a network that has no fast program.
    """
    inputs, n_outputs = network.data.train.X, network.shape.layer_sizes[-1]
    targets = encode(network.loss, network.data.train.y, n_outputs).values
    walked = np.array([snapshot.parameters for snapshot in path]).reshape(len(path), network.shape.n_parameters)
    plane: Plane | None = None
    if choice.kind == "parameters":
        plane = parameter_plane(network.shape, network.parameters, *choice.parameters)
    elif choice.kind == "path" and len(walked):
        plane = path_plane(network.parameters, walked)
    if plane is None:
        choice = replace(choice, kind="random")
        plane = random_plane(network.shape, network.parameters, choice.seed)
    losses = ManyLosses(make_model(document), network.loss, inputs, targets, penalty)
    centre, placed = plane.coordinates(network.parameters)[0], plane.coordinates(walked)
    loss = float(losses.at(network.parameters[None])[0])
    steps = np.array([snapshot.step for snapshot in path])
    extent = _extent(choice, centre, placed)
    finest = resolution_for(len(inputs) * network.shape.n_parameters)
    whole: LossSurface | None = None
    for resolution in dict.fromkeys((FEWEST, finest)):
        for surface in loss_surface(losses, plane, extent, resolution):
            is_whole = surface.share == 1.0
            if is_whole:
                whole = surface if resolution == finest else replace(surface, share=0.0)
            coarse = whole or replace(surface, share=0.0)  # displayed until the fine one is complete
            seen = coarse if is_whole or whole is None else replace(coarse, share=surface.share)
            yield _with_levels(LossPicture(network.step, choice, seen, loss, centre, steps, placed))


def _extent(choice: PlaneChoice, centre: Floats, placed: Floats) -> Extent:
    low, high = centre - choice.span, centre + choice.span
    if choice.kind == "path":
        least, most = placed.min(axis=0), placed.max(axis=0)
        half = np.maximum(most - least, 0.2 * np.max(most - least)) * (0.5 + PATH_MARGIN) * choice.span
        low, high = (least + most) / 2 - half, (least + most) / 2 + half
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def resolution_for(products_a_point: float) -> int:
    """Return the odd number of points along each side of the grid that fits the time limit, FEWEST to MOST."""
    affordable = math.isqrt(int(MOST_PRODUCTS / max(products_a_point, 1.0)))
    return max(FEWEST, min(MOST, affordable)) // 2 * 2 + 1


def _with_levels(picture: LossPicture) -> LossPicture:
    """Return the picture with its level lines; none where losses are not finite."""
    losses = picture.surface.losses
    finite = losses[np.isfinite(losses)]
    if not len(finite) or finite.max() <= finite.min():
        return picture
    low, high = float(finite.min()), float(finite.max())
    logarithmic = low > 0.0 and high / low > WIDE
    levels = np.geomspace(low, high, N_LEVELS + 2) if logarithmic else np.linspace(low, high, N_LEVELS + 2)
    surface = picture.surface
    bounds = surface.a[0], surface.a[-1], surface.b[0], surface.b[-1]
    heights = np.where(np.isfinite(losses), losses, high)
    found = [level_line(heights, bounds, float(level)) for level in levels[1:-1]]
    lines = np.concatenate([x for x, _ in found]), np.concatenate([y for _, y in found])
    return replace(picture, levels=tuple(map(float, levels[1:-1])), lines=lines, logarithmic=logarithmic)
