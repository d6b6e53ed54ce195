"""The forms that a value's box can take, and where its name and its numbers stand in it.

A form defines the size of a box and the places of its parts; `gui/canvas` paints them. Sizes are scene
pixels. One more form is one more entry of `FORMS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx

Role = Literal["input", "parameter", "output", "constant", "intermediate", "group"]
Rectangle = tuple[float, float, float, float]
"""left, top, width, height, around the centre of a box"""

CONSTANT_SIZE = (54.0, 24.0)
POINT = 13.0
"""Distance by which the point of an output extends to the right of its box."""
NOTE_HEIGHT, NOTE_CHARACTER_WIDTH = 10.0, 6.0


@dataclass(frozen=True)
class BoxForm:
    """Arrangement of name, data and grad in a box.

    Attributes:
        title: for a menu.
        tip: the same in a sentence.
        name_above: the name stands above the numbers; else at their left.
        stacked: grad stands under data; else to its right.
        cell: width and height of the room for a number.
        name_height: of a name above the numbers; 0 for a name to their left.
        name_widths: least and most width for the name, and how much of it is for a letter and for the margins.
        number_room, number_pixels: width for the digits of a number, and the height of its letters where they fit.
    """

    title: str
    tip: str
    name_above: bool
    stacked: bool
    cell: tuple[float, float]
    name_height: float
    name_widths: tuple[float, float, float, float]
    number_room: float
    number_pixels: int

    @property
    def cells_size(self) -> tuple[float, float]:
        """Width and height of both cells together."""
        width, height = self.cell
        return (width, 2 * height) if self.stacked else (2 * width, height)

    def size(self, label: str, role: str = "intermediate", note: str = "") -> tuple[float, float]:
        """Width and height of a box.

        Args:
            label: its name.
            role: a constant has a size of its own.
            note: a line in small letters under the name, as a closed group has it.
        """
        if role == "constant":
            return CONSTANT_SIZE
        least, most, letter, margins = self.name_widths
        name = max(least, min(most, margins + letter * len(label)), NOTE_CHARACTER_WIDTH * len(note) + 12 * bool(note))
        across, down = self.cells_size
        if not self.name_above:
            return name + across, down
        point = POINT if role == "output" else 0.0
        return max(name, across) + point, self.name_height + NOTE_HEIGHT * bool(note) + down

    def name_cell(self, width: float, height: float) -> Rectangle:
        """The room for the name in a box of that size."""
        across, down = self.cells_size
        shares = (width, height - down) if self.name_above else (width - across, height)
        return -width / 2, -height / 2, *shares

    def number_cells(self, width: float, height: float, role: str = "intermediate") -> tuple[Rectangle, Rectangle]:
        """The rooms for data and grad in a box of that size."""
        across, down = self.cells_size
        top, left = height / 2 - down, width / 2 - across
        if self.name_above:
            left, across = -width / 2, width - (POINT if role == "output" else 0.0)
        if self.stacked:
            return (left, top, across, down / 2), (left, top + down / 2, across, down / 2)
        return (left, top, across / 2, down), (left + across / 2, top, across / 2, down)


FORMS: Mapping[str, BoxForm] = {
    "row": BoxForm(
        "Name beside the numbers", "Name, data and gradient in a row",
        name_above=False, stacked=False, cell=(74.0, 34.0), name_height=0.0, name_widths=(44.0, 170.0, 10.5, 16.0),
        number_room=64.0, number_pixels=15,
    ),
    "above": BoxForm(
        "Name above the numbers", "The name above, data and gradient side by side under it",
        name_above=True, stacked=False, cell=(80.0, 25.0), name_height=21.0, name_widths=(0.0, 230.0, 9.0, 16.0),
        number_room=72.0, number_pixels=17,
    ),
    "compact": BoxForm(
        "Compact", "Name, data and gradient in three lines under one another",
        name_above=True, stacked=True, cell=(80.0, 19.5), name_height=19.0, name_widths=(0.0, 130.0, 7.2, 12.0),
        number_room=72.0, number_pixels=17,
    ),
}  # fmt: skip
"""All forms by name."""
FIRST_FORM = "row"


def sized(graph: nx.DiGraph, form: str) -> nx.DiGraph:
    """The graph with boxes of another form: nodes with `kind`, `width` and `height`, edges with `multiplicity`.

    Args:
        graph: of `build_graph`; not changed.
        form: a name of `FORMS`.
    """
    if form == FIRST_FORM:
        return graph
    other = nx.DiGraph()
    size = FORMS[form].size
    for key, a in graph.nodes(data=True):
        width, height = (a["width"], a["height"]) if a["kind"] == "op" else size(a["label"], a["role"], note_of(a))
        other.add_node(key, kind=a["kind"], width=width, height=height)
    other.add_edges_from((u, v, {"multiplicity": n}) for u, v, n in graph.edges(data="multiplicity", default=1))
    return other


def note_of(attributes: Mapping[str, Any]) -> str:
    """The note of a node of the graph, "" for a single value."""
    note: str = attributes.get("note", "") if attributes.get("members") else ""
    return note
