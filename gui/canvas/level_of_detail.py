"""Level of detail, decided here alone, by the zoom and the number of nodes and edges in view.

Painters, items and the low-detail drawing receive a `LevelOfDetail`; none of them looks at the zoom itself.
"""

from __future__ import annotations

from dataclasses import dataclass

CAPTIONS_FROM = 0.62
"""Zoom from which small words such as "data" can be read."""
DIGITS_FROM = 0.3
"""Zoom from which a digit is five pixels high or more."""
CELLS_FROM = 0.14
"""Zoom from which a cell of a box is more than a pixel or two wide."""
READABLE_FROM = 0.5
"""Zoom from which a box is worth being drawn one by one however many there are."""
MAX_READABLE = 2_000
"""Nodes in view up to which readable ones are drawn one by one."""
MAX_NODES = 640
"""Nodes in view up to which smaller ones are drawn one by one."""
MAX_NODES_AGAIN = 400
"""The same on the way back from low detail: a small pan must not switch back and forth."""
MAX_CURVES = 1_500
"""Edges in one place up to which each is drawn as the curve that it is; more are only a texture."""
MAX_DECORATED_CURVES = 300
"""Limit of highlighted edges in a frame that are drawn as curves."""


@dataclass(frozen=True, slots=True)
class LevelOfDetail:
    """Parts of nodes and edges that are drawn.

    Attributes:
        one_by_one: each node and edge is drawn by itself; else all are rectangles and lines, drawn in a few calls.
        captions: small words are written; without them everything else is written larger, and edges are wider.
        digits: numbers are written; else a bar in its colour stands for each.
        cells: boxes that are rectangles show their cells.
        curves: edges are curves with heads; else straight from bend to bend.
        decorated_curves: the same for highlighted edges.
    """

    one_by_one: bool = True
    captions: bool = True
    digits: bool = True
    cells: bool = True
    curves: bool = True
    decorated_curves: bool = True


FULL_DETAIL = LevelOfDetail()


def level_of_detail(
    zoom: float, nodes: int = 0, edges: int = 0, decorated_edges: int = 0, previous: LevelOfDetail = FULL_DETAIL
) -> LevelOfDetail:
    """Return the level of detail that there is room for.

    Args:
        zoom: viewport pixels for a scene pixel, > 0.
        nodes: how many are in view.
        edges: number painted together in one place.
        decorated_edges: number of highlighted edges painted together.
        previous: the level until now.
    """
    return LevelOfDetail(
        one_by_one=nodes <= _max_nodes(zoom, previous),
        captions=zoom >= CAPTIONS_FROM,
        digits=zoom >= DIGITS_FROM,
        cells=zoom >= CELLS_FROM,
        curves=edges <= MAX_CURVES,
        decorated_curves=decorated_edges <= MAX_DECORATED_CURVES,
    )


def _max_nodes(zoom: float, previous: LevelOfDetail) -> int:
    if zoom >= READABLE_FROM:
        return MAX_READABLE
    return MAX_NODES if previous.one_by_one else MAX_NODES_AGAIN
