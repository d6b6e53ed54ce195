"""Actions of any canvas."""

from __future__ import annotations

from typing import Literal, Protocol, get_args

from engine.graph.picture import Picture
from gui.actions.action_set import Action

ZOOM_STEP = 1.25
Direction = Literal["left", "right", "up", "down"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


class Canvas(Protocol):
    """Interface of a canvas for actions."""

    @property
    def picture(self) -> Picture: ...
    @property
    def selected(self) -> str | None: ...
    @property
    def minimap_wanted(self) -> bool: ...
    def fit(self) -> None: ...
    def fit_selection(self) -> None: ...
    def set_zoom(self, zoom: float) -> None: ...
    def zoom_by(self, factor: float) -> None: ...
    def navigate(self, direction: Direction) -> None: ...
    def choose(self, key: str | None) -> None: ...
    def activate(self, key: str) -> None: ...
    def compare(self, key: str | None) -> None: ...
    def show_minimap(self, wanted: bool) -> None: ...


def _is_drawn(canvas: Canvas) -> bool:
    return bool(canvas.picture.boxes)


def _is_selected(canvas: Canvas) -> bool:
    return canvas.selected is not None


def _navigation(direction: Direction, words: str) -> Action[Canvas]:
    return Action(
        f"navigate {direction}", f"Go {direction}", lambda canvas: canvas.navigate(direction),
        f"Select the next value {words}", keys=(direction.capitalize(),), enabled=_is_drawn,
    )  # fmt: skip


def _activate(canvas: Canvas) -> None:
    if canvas.selected is not None:
        canvas.activate(canvas.selected)


CANVAS_ACTIONS: tuple[Action[Canvas], ...] = (
    Action(
        "fit", "&Fit graph", lambda canvas: canvas.fit(), "Show the whole graph", keys=("Home",), button="Fit",
        places=(("Graph", 20), ("header", 31), ("background", 10)), enabled=_is_drawn,
    ),
    Action(
        "fit selection", "Fit &selection", lambda canvas: canvas.fit_selection(),
        "Show the selected value with its way to the output", places=(("header", 32), ("node", 40)), enabled=_is_drawn,
    ),
    Action(
        "natural size", "&100 %", lambda canvas: canvas.set_zoom(1.0), "Show the graph in its natural size",
        places=(("header", 33),), enabled=_is_drawn,
    ),
    Action(
        "zoom in", "Zoom in", lambda canvas: canvas.zoom_by(ZOOM_STEP), "Show the graph larger", keys=("+", "="),
        enabled=_is_drawn,
    ),
    Action(
        "zoom out", "Zoom out", lambda canvas: canvas.zoom_by(1 / ZOOM_STEP), "Show the graph smaller", keys=("-",),
        enabled=_is_drawn,
    ),
    *map(_navigation, DIRECTIONS, ("to the left", "to the right", "above", "below")),
    Action(
        "activate", "Open or explain", _activate, "Open the selected group, or explain the selected value",
        keys=("Return", "Enter"), enabled=_is_selected,
    ),
    Action(
        "paths from", "Paths from &here", lambda canvas: canvas.compare(canvas.selected),
        "Remember the selected value: Why? then shows every path between it and the value selected next",
        keys=("Shift+Return", "Shift+Enter"), places=(("node", 12),), enabled=_is_selected,
    ),
    Action(
        "deselect", "Deselect", lambda canvas: canvas.choose(None), "Select nothing", keys=("Esc",),
        enabled=_is_selected,
    ),
    Action(
        "minimap", "&Overview map", lambda canvas: canvas.show_minimap(not canvas.minimap_wanted),
        "A small map in a corner, where the graph is not all in view", places=(("header", 22),),
        checked=lambda canvas: canvas.minimap_wanted,
    ),
)  # fmt: skip
