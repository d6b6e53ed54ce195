"""Ways through a picture: to the output, along edges by arrow keys, to a name. Pure functions."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from engine.graph.moved import Links
from engine.graph.picture import Box, Circle, Picture

Direction = Literal["left", "right", "up", "down"]
STEPS: dict[Direction, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def place(picture: Picture, key: str) -> Box | Circle:
    """The box or circle of that key."""
    return picture.boxes.get(key) or picture.circles[key]


def value_of(picture: Picture, links: Links, key: str) -> str:
    """The value a node stands for: itself, or what an operation computes."""
    return next(iter(links.after[key]), key) if key in picture.circles else key


def path_to_output(picture: Picture, links: Links, key: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Nodes and edges over which a node reaches the output; all it reaches when it does not reach the output.

    A key without a node gives nothing.
    """
    if key not in links.after:
        return frozenset(), frozenset()
    reached = _reached([key], links.after)
    outputs = [name for name in reached if name in picture.boxes and picture.boxes[name].role == "output"]
    nodes = reached & _reached(outputs, links.before) if outputs else reached
    edges = frozenset((name, target) for name in nodes for target in links.after[name] if target in nodes)
    return frozenset(nodes), edges


def _reached(starts: Iterable[str], neighbours: dict[str, list[str]]) -> set[str]:
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for key in neighbours[waiting.pop()]:
            if key not in seen:
                seen.add(key)
                waiting.append(key)
    return seen


def neighbour(picture: Picture, links: Links, key: str | None, direction: Direction) -> str | None:
    """Return the value that an arrow key leads to: along an edge, or the nearest one of the same column.

    Args:
        key: a box of the picture; from None it leads to the output.
        direction: as seen on the screen.
    """
    if key is None:
        outputs = (name for name, box in picture.boxes.items() if box.role == "output")
        return next(outputs, next(iter(picture.boxes), None))
    flow: tuple[Direction, Direction] = ("up", "down") if links.downwards else ("left", "right")
    if direction in flow:
        candidates = set(_values(picture, links.before if direction == flow[0] else links.after, key))
        return min(candidates, key=lambda name: (_cost(picture, key, name, direction), name), default=None)
    ahead = [name for name in picture.boxes if _cost(picture, key, name, direction) < float("inf")]
    return min(ahead, key=lambda name: (_cost(picture, key, name, direction), name), default=None)


def _values(picture: Picture, neighbours: dict[str, list[str]], key: str) -> Iterator[str]:
    """The values next to one, over the operation between them."""
    for name in neighbours[key]:
        if name in picture.boxes:
            yield name
        else:
            yield from (further for further in neighbours[name] if further in picture.boxes)


def _cost(picture: Picture, start: str, end: str, direction: Direction) -> float:
    """Return the distance: small straight ahead and near, infinite to the side or behind."""
    here, there = picture.boxes[start], picture.boxes[end]
    step_x, step_y = STEPS[direction]
    dx, dy = there.x - here.x, there.y - here.y
    ahead, aside = dx * step_x + dy * step_y, abs(dx * step_y) + abs(dy * step_x)
    return ahead + 3 * aside if ahead > 1.0 else float("inf")


def find(picture: Picture, text: str) -> list[str]:
    """Keys of the values whose label contains the text, in any case: equal names first, then those that begin with it.

    Small digits count as digits: `x12` finds x₁₂. An empty text finds nothing; a text that is the symbol or name of an
    operation finds what it computes.
    """
    wanted = _plain(text.strip())
    if not wanted:
        return []
    labels = ((key, _plain(box.label)) for key, box in picture.boxes.items())
    found = [(key, label) for key, label in labels if wanted in label]
    found.sort(key=lambda pair: (pair[1] != wanted, not pair[1].startswith(wanted)))
    keys = [key for key, _label in found]
    named = {key for key, circle in picture.circles.items() if wanted in (_plain(circle.text), circle.name)}
    return keys + [target for source, target in picture.edges if source in named and target not in keys]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def stays_mostly(before: Picture, after: Picture) -> bool:
    """Return True when most of the values shown before are still shown: only a part of the graph has changed."""
    return 2 * len(before.boxes.keys() & after.boxes.keys()) > len(before.boxes)
