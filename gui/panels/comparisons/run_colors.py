"""The colour of each recorded run, the same in the list of runs and beside the present curve in the loss plot."""

from __future__ import annotations

from gui.theme import Colors

EARLIER = ("#009E73", "#CC79A7", "#B58900", "#56B4E9", "#8A94A6", "#D55E00")
"""Of runs that training does not go on with: of the palette of Okabe and Ito, which colour-blind people can read."""


def run_color(colors: Colors, number: int, current: int | None) -> str:
    """Colour of the run with this number; the one that training goes on with has that of the present curve."""
    return colors.positive if number == current else EARLIER[(number - 1) % len(EARLIER)]
