"""Actions of the plot that has the keyboard focus; listed by the window before pyqtgraph is imported for a plot."""

from __future__ import annotations

from typing import Protocol

from gui.widgets.action_set import Action

ZOOM, MOVE = 0.8, 0.1
"""A key press: size of the new view, share of the view that it moves by."""
MOVES = {"left": (-MOVE, 0.0), "right": (MOVE, 0.0), "down": (0.0, -MOVE), "up": (0.0, MOVE)}


class Plot(Protocol):
    """Interface of a plot for actions."""

    def fit(self) -> None: ...
    def zoom(self, factor: float) -> None: ...
    def move_view(self, across: float, up: float) -> None: ...


def _move(direction: str, way: tuple[float, float]) -> Action[Plot]:
    return Action(
        f"move plot {direction}", f"Move plot {direction}", lambda plot: plot.move_view(*way),
        f"Look further {direction}", keys=(direction.capitalize(),),
    )  # fmt: skip


PLOT_ACTIONS: tuple[Action[Plot], ...] = (
    Action(
        "fit plot", "Fit plot", lambda plot: plot.fit(), "Show everything again, as a double click does",
        keys=("0", "Home"), button="Fit",
    ),
    Action(
        "zoom plot in", "Zoom plot in", lambda plot: plot.zoom(ZOOM), "Show less of the plot, larger", keys=("+", "="),
    ),
    Action("zoom plot out", "Zoom plot out", lambda plot: plot.zoom(1 / ZOOM), "Show more of the plot", keys=("-",)),
    *(_move(direction, way) for direction, way in MOVES.items()),
)  # fmt: skip
