"""Placement of the texts on edges: near their edge, and never on text that can be read.

Between two columns of a dense graph there is less room than a text takes. So each text tries its edge first, and then
the free strips above and below the boxes at the two ends. A text that has no place at all is left out: the explanation
says the same number, and a covered label says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from PySide6.QtCore import QPointF, QRectF

from engine.graph.forms import FORMS
from gui.canvas.decorations import EdgeKey
from gui.canvas.geometry import EdgeGeometry
from gui.canvas.level_of_detail import FULL_DETAIL, LevelOfDetail

Occupied = Callable[[QRectF], Iterable[QRectF]]
"""The rectangles of the nodes that reach into an area."""

TEXT_MARGIN, TEXT_STEP, TEXT_HEIGHT = 8.0, 6.8, 14.0
"""Room for a text on an edge: around it, for a letter, and its height, scene pixels."""
BESIDE = tuple(sorted({form.size("")[1] / 2 + 0.25 for form in FORMS.values()}))
"""Half the height of a box of each form and a little: a text above or below one begins that far from its middle."""
LARGE_LABEL = 1.25
"""Scale of the text where captions could not be read."""
MAX_IN_THE_MIDDLE = 2
"""Texts on edges into or out of one node that stand in the middle of their edges."""
LONG = 16
"""Characters; longer texts are placed first, as they fit in fewer places."""
MAX_PLACED = 60
"""Limit of texts; above it none is written, as they could not be read."""


def place_labels(
    texts: Mapping[EdgeKey, str],
    geometry_of: Callable[[EdgeKey], EdgeGeometry],
    occupied: Occupied = lambda _area: (),
    detail: LevelOfDetail = FULL_DETAIL,
    page: QRectF | None = None,
) -> dict[EdgeKey, QRectF]:
    """Return the rectangles of the texts on edges, scene pixels; none covers another, or a node.

    Edges that come together in one node are apart at their other ends: where many do, their texts stand there in a
    column. Otherwise a text stands in the middle of its edge, or as close as there is room, if it can inside `page`.
    """
    if len(texts) > MAX_PLACED:
        return {}
    leaving, arriving = Counter(pair[0] for pair in texts), Counter(pair[1] for pair in texts)
    placed: dict[EdgeKey, QRectF] = {}
    for pair, text in sorted(texts.items(), key=lambda item: len(item[1]) <= LONG):
        middle, after_source, before_target, *beside = _label_places(geometry_of(pair), text, detail)
        if arriving[pair[1]] > MAX_IN_THE_MIDDLE:
            places = (after_source, *beside, middle, before_target)
        elif leaving[pair[0]] > MAX_IN_THE_MIDDLE:
            places = (before_target, *reversed(beside), middle, after_source)
        else:
            places = (middle, after_source, before_target, *beside)
        if page is not None:
            inside = [area for area in places if page.contains(area)]
            places = (*inside, *(_moved_into(area, page) for area in places if area not in inside), *places)
        found = next((area for area in places if _is_free(area, placed.values(), occupied)), None)
        if found is not None:
            placed[pair] = found
    return placed


def _moved_into(area: QRectF, page: QRectF) -> QRectF:
    """Return an area moved sideways into the page, or about its middle where the page is narrower."""
    left = min(max(area.left(), page.left()), page.right() - area.width())
    if area.width() > page.width():
        left = page.center().x() - area.width() / 2
    return QRectF(left, area.top(), area.width(), area.height())


def _is_free(area: QRectF, taken: Iterable[QRectF], occupied: Occupied) -> bool:
    return not any(map(area.intersects, taken)) and not any(map(area.intersects, occupied(area)))


def _label_places(geometry: EdgeGeometry, text: str, detail: LevelOfDetail = FULL_DETAIL) -> list[QRectF]:
    """Return candidate rectangles for a text: the middle of the edge, after its source, before its target; then above
    or below the middle and the two ends, those at the source first.
    """
    size = 1.0 if detail.captions else LARGE_LABEL
    width, height = size * (TEXT_MARGIN + TEXT_STEP * len(text)), size * TEXT_HEIGHT
    tangent = geometry.lines.elementAt(1)
    level = abs(tangent.x - geometry.start.x()) >= abs(tangent.y - geometry.start.y())  # type: ignore[attr-defined]
    aside = QPointF(width / 2 + TEXT_MARGIN, 0) if level else QPointF(0, height / 2 + TEXT_MARGIN)
    centres = [geometry.middle, geometry.start + aside, geometry.end - aside, *_beside(geometry, width, height, level)]
    half = QPointF(width / 2, height / 2)
    return [QRectF(centre - half, centre + half) for centre in centres]


def _beside(geometry: EdgeGeometry, width: float, height: float, level: bool) -> Iterator[QPointF]:
    """Middles of the free strips around an edge, the nearest to its source first."""
    if not level:
        across = QPointF(width / 2 + TEXT_MARGIN, 0)
        for centre in (geometry.start, geometry.middle, geometry.end):
            yield centre + across
            yield centre - across
        return
    start, middle, end = geometry.start, geometry.middle, geometry.end
    along = QPointF(width / 2, 0)
    for beside in BESIDE:
        across = QPointF(0, beside + height / 2)
        for centre in (start - along, start + along, middle, end - along, end + along):
            yield centre - across
            yield centre + across


def label_bounds(geometry: EdgeGeometry, text: str) -> QRectF:
    """Everything that may be painted of a text on an edge; nothing when there is none."""
    bounds = QRectF()
    for area in _label_places(geometry, text, LevelOfDetail(captions=False)) if text else ():
        bounds |= area.adjusted(-1.0, -1.0, 1.0, 1.0)
    return bounds
