"""The colour and the line of each recorded run in the loss plot; the list of runs has the same colours."""

from __future__ import annotations

from PySide6.QtCore import Qt

from gui.theme import Colors

EARLIER = ("#009E73", "#CC79A7", "#B58900", "#56B4E9", "#8A94A6", "#D55E00")
"""Colours of earlier runs, from the palette of Okabe and Ito, which colour-blind people can tell apart."""

LINES = {
    Qt.PenStyle.SolidLine: "—",
    Qt.PenStyle.DashLine: "╌",
    Qt.PenStyle.DotLine: "⋯",
    Qt.PenStyle.DashDotLine: "-·",
}
"""Lines of the runs that have the same colour, each with how a legend writes it."""


def run_line(number: int) -> Qt.PenStyle:
    """Return the line of the run with this number: another one each time that the colours begin again."""
    return list(LINES)[(number - 1) // len(EARLIER) % len(LINES)]


def run_color(colors: Colors, number: int, current: int | None) -> str:
    """Colour of the run with this number; the one that training goes on with has that of the present curve."""
    return colors.positive if number == current else EARLIER[(number - 1) % len(EARLIER)]
