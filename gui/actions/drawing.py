"""Actions for drawing points on the plot."""

from __future__ import annotations

from typing import Protocol

from datasets import MAX_CLASSES
from gui.widgets.action_set import Action

BRUSH_STEP = 20  # pixels
FAR, NEAR = 0.05, 0.005
"""A key press: share of the view that the cross moves by, without and with Shift."""
WAYS = {"left": (-1, 0), "right": (1, 0), "down": (0, -1), "up": (0, 1)}


class Editing(Protocol):
    """Interface of drawing for actions."""

    @property
    def active(self) -> bool: ...
    @property
    def kind(self) -> int: ...
    @property
    def offered(self) -> range: ...
    @property
    def brush(self) -> int: ...
    def set_active(self, active: bool) -> None: ...
    def clear(self) -> None: ...
    def resize_brush(self, pixels: int) -> None: ...
    def choose(self, kind: int) -> None: ...
    def move_cursor(self, across: float, up: float) -> None: ...
    def act_at_cursor(self) -> None: ...
    def delete_at_cursor(self) -> None: ...
    def go_to_next(self) -> None: ...


def _is_on(editing: Editing) -> bool:
    return editing.active


def _kind(kind: int) -> Action[Editing]:
    return Action(
        f"draw class {kind}", f"Class {kind}", lambda editing: editing.choose(kind), f"Draw points of class {kind}",
        keys=(str(kind),), button=str(kind), enabled=_is_on, checked=lambda editing: editing.kind == kind,
        choice="class",
    )  # fmt: skip


def _move(name: str, prefix: str = "", how: str = "", share: float = FAR) -> Action[Editing]:
    across, up = WAYS[name]
    return Action(
        f"move cross {name}{how}", f"Move the cross {name}{how}",
        lambda editing: editing.move_cursor(share * across, share * up),
        f"Move the cross {name}{how}, and the point that it holds", keys=(prefix + name.capitalize(),), enabled=_is_on,
    )  # fmt: skip


DRAWING_ACTIONS: tuple[Action[Editing], ...] = (
    *map(_kind, range(MAX_CLASSES)),
    Action(
        "put point", "Put point", lambda editing: editing.act_at_cursor(),
        "Put a point at the cross, take up the one that is there, or put it down again", keys=("Space", "Return"),
        enabled=_is_on,
    ),
    Action(
        "delete point", "Delete point", lambda editing: editing.delete_at_cursor(), "Delete the point at the cross",
        keys=("Del", "Backspace"), enabled=_is_on,
    ),
    Action(
        "next point", "Next point", lambda editing: editing.go_to_next(), "Move the cross to the next point",
        keys=("N",), enabled=_is_on,
    ),
    *(_move(name, *how) for name in WAYS for how in ((), ("Shift+", " a little", NEAR))),
    Action(
        "smaller brush", "Smaller brush", lambda editing: editing.resize_brush(editing.brush - BRUSH_STEP),
        "Make the brush smaller; the smallest draws single points", keys=("[",), enabled=_is_on,
    ),
    Action(
        "larger brush", "Larger brush", lambda editing: editing.resize_brush(editing.brush + BRUSH_STEP),
        "Make the brush larger", keys=("]",), enabled=_is_on,
    ),
    Action(
        "clear points", "Clear", lambda editing: editing.clear(), "Show an empty plot to draw on from nothing",
        keys=("Ctrl+Del",), enabled=_is_on,
    ),
    Action(
        "end drawing", "Done", lambda editing: editing.set_active(False), "End drawing: dragging moves the plot again",
        keys=("Esc",), enabled=_is_on,
    ),
)  # fmt: skip
