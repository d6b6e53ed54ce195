"""Which form of the boxes and which direction make the texts of a graph largest when all of it is seen.

The size of a drawing is estimated from its layers, without laying anything out: every node stands in the layer of its
longest way to an end, a layer is as thick as its thickest block and as broad as its blocks and the edges that pass it
beside one another. For the graphs of the tutorials the estimate is mostly that of the layout, and within 15 % of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, product
from math import sqrt
from typing import NamedTuple

import networkx as nx

from engine.graph.build import CIRCLE_SIZE
from engine.graph.forms import FIRST_FORM, FORMS, note_of
from engine.layout.blocks import OP_GAP
from engine.layout.placement import BOX_GAP, DUMMY_GAP
from engine.layout.routing import LAYER_GAP, folded_size

AUTO = "auto"
DIRECTIONS = ("right", "down")
LARGEST_ZOOM = 1.5
"""A small graph is not blown up further than this when it is shown whole."""
WORTH_CHANGING = 1.25
"""By how much the texts must become larger for a graph that is shown already to change its form."""
ABOUT_AS_LARGE = 0.93
PREFERRED = ("above", "row", "compact")
"""Forms in order of preference, among those with texts about as large."""
PAGE = (900.0, 600.0)
"""Room of a picture without a window; only the aspect ratio matters."""
Size = tuple[float, float]


class FormChoice(NamedTuple):
    """Form of the boxes of a graph, a name of `FORMS`, and direction of its edges."""

    form: str
    direction: str


PLAIN_CHOICE = FormChoice(FIRST_FORM, DIRECTIONS[0])


def most_readable(
    graph: nx.DiGraph,
    room: Size,
    form: str = AUTO,
    direction: str = AUTO,
    current: FormChoice | None = None,
    layered: bool = True,
) -> FormChoice:
    """The form and direction in which the texts of a graph are largest when all of it is seen.

    Args:
        graph: as `build_graph` makes it.
        room: width and height of the canvas, pixels.
        form: one of `FORMS`, or "auto" for the best.
        direction: "right", "down", or "auto" for the best.
        current: present style, also of the version before an edit; kept until another choice is clearly better.
        layered: its nodes stand in layers; else anywhere, about as far apart as they are large.

    Returns:
        The requested style where nothing is "auto"; nothing is estimated then.
    """
    forms = PREFERRED if form == AUTO else (form,)
    directions = DIRECTIONS if direction == AUTO else (direction,)
    choices = [FormChoice(*pair) for pair in product(forms, directions)]
    if len(choices) == 1 or not len(graph):
        return choices[0]
    heights = text_heights(graph, room, choices) if layered else _scattered_heights(graph, room, choices)
    best = max(heights.values())
    if current in heights and heights[current] * WORTH_CHANGING >= best:
        return current
    return next(choice for choice in choices if heights[choice] >= ABOUT_AS_LARGE * best)


def text_heights(graph: nx.DiGraph, room: Size, choices: Iterable[FormChoice]) -> dict[FormChoice, float]:
    """Letter height of numbers for each choice when the whole graph is visible, screen pixels."""
    layers = _layers(graph)
    passing = _passing(graph, layers)
    sizes: dict[str, dict[str, Size]] = {}
    heights = {}
    for choice in choices:
        if choice.form not in sizes:
            sizes[choice.form] = _drawn_sizes(graph, layers, passing, choice.form)
        width, height = sizes[choice.form][choice.direction]
        zoom = min(room[0] / width, room[1] / height, LARGEST_ZOOM)
        heights[choice] = FORMS[choice.form].number_pixels * zoom
    return heights


def _scattered_heights(graph: nx.DiGraph, room: Size, choices: Iterable[FormChoice]) -> dict[FormChoice, float]:
    """The same for nodes that stand anywhere: the smaller the blocks, the larger the texts; along the longer side."""
    heights = {}
    for form, direction in choices:
        sizes = [FORMS[form].size(a["label"], a["role"], note_of(a)) for _, a in graph.nodes(data=True) if "label" in a]
        before = (CIRCLE_SIZE + OP_GAP) / 2  # every other value is computed
        extra = (before, 0.0) if direction == "right" else (0.0, before)
        area = sum((width + extra[0] + BOX_GAP) * (height + extra[1] + BOX_GAP) for width, height in sizes)
        along = 1.0 if (direction == "right") == (room[0] >= room[1]) else 0.99
        heights[FormChoice(form, direction)] = along * FORMS[form].number_pixels * sqrt(room[0] * room[1] / area)
    return heights


def _layers(graph: nx.DiGraph) -> dict[str, int]:
    """Return the layer of each node, counted from the end; an operation stands in the layer of its value."""
    layers: dict[str, int] = {}
    for key in reversed(list(nx.topological_sort(graph))):
        step = 0 if graph.nodes[key]["kind"] == "op" else 1
        layers[key] = max((layers[after] + step for after in graph.succ[key]), default=0)
    return layers


def _passing(graph: nx.DiGraph, layers: Mapping[str, int]) -> list[int]:
    """Number of edges that pass each layer."""
    begins = [0] * (max(layers.values()) + 2)
    for source, target in graph.edges:
        if layers[source] - layers[target] > 1:
            begins[layers[target] + 1] += 1
            begins[layers[source]] -= 1
    return list(accumulate(begins))


def _drawn_sizes(graph: nx.DiGraph, layers: Mapping[str, int], passing: Sequence[int], form: str) -> dict[str, Size]:
    """About how large the drawing is, by direction."""
    size_of = FORMS[form].size
    n_layers = max(layers.values()) + 1
    breadths = {direction: [DUMMY_GAP * n for n in passing] for direction in DIRECTIONS}
    lengths = {direction: [0.0] * n_layers for direction in DIRECTIONS}
    for key, a in graph.nodes(data=True):
        if a["kind"] == "op":
            continue
        layer, size = layers[key], size_of(a["label"], a["role"], note_of(a))
        before = CIRCLE_SIZE + OP_GAP if f"{key}:op" in graph else 0.0
        for direction, along, across in (("right", *size), ("down", *size[::-1])):
            breadths[direction][layer] += across + BOX_GAP
            lengths[direction][layer] = max(lengths[direction][layer], along + before)
    found = {}
    for direction in DIRECTIONS:
        length = sum(lengths[direction]) + LAYER_GAP * (n_layers - 1)
        size = folded_size(length, max(breadths[direction]) - BOX_GAP)
        found[direction] = size if direction == "right" else size[::-1]
    return found
