"""Fonts, pens and brushes of one theme, made once: painting a node only picks them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPen

from engine.graph.forms import CONSTANT_SIZE, FORMS
from engine.graph.picture import State
from gui.theme import Colors, drawn_mono_font, text_font, text_pixels

Tone = Literal["quiet", "faint", "positive", "negative", "bad"]
"""Meaning of a bar that replaces a number."""
USUAL_NUMBER, LONGEST_NUMBER = 7, 10
"""Characters of a number such as +1.0000, and at most."""
CONSTANT_MARGIN, LARGEST_CONSTANT = 8.0, 15
FLOW_LEVELS = 20
WIDE_EDGE_WIDTH = 1.6
"""At the zooms it is used at not more than a pixel on the screen: up to there lines are drawn three times as fast."""


def blend(front: str, back: str, share: float) -> QColor:
    """`share` (0 to 1) of one colour over another, opaque: looks the same in every export format."""
    a, b = QColor(front), QColor(back)
    pairs = ((a.redF(), b.redF()), (a.greenF(), b.greenF()), (a.blueF(), b.blueF()))
    return QColor.fromRgbF(*(share * x + (1 - share) * y for x, y in pairs))


def clear(color: str, alpha: float) -> QColor:
    """The colour, `alpha` (0 to 1) opaque."""
    see_through = QColor(color)
    see_through.setAlphaF(alpha)
    return see_through


def drawn_font(font: QFont) -> QFont:
    """A font whose letters keep their proportions at every zoom."""
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def fitting(font: QFont, text: str, width: float) -> QFont:
    """The font, smaller where `text` would be wider than `width` pixels; never under 6 pixels."""
    while font.pixelSize() > 6 and QFontMetricsF(font).horizontalAdvance(text) > width:
        font.setPixelSize(font.pixelSize() - 1)
    return font


def line(color: QColor | str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen with round corners and flat ends."""
    return QPen(QColor(color), width, style, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)


class NumberFont(NamedTuple):
    """A font for numbers, and the width of its digits in scene pixels."""

    font: QFont
    digit: float


class CanvasStyle:
    """Everything to draw with in one theme; the fonts of numbers and the lines of gradients when they are first used.

    Attributes:
        colors: the theme.
        tints: fill of the label cell, by role.
        data_pens, grad_pens: pen of a number, by its state: gradients are coloured by sign, data are not.
    """

    def __init__(self, colors: Colors) -> None:
        self.colors = colors
        self._make_fonts()
        self._make_pens(colors)
        self._make_fills(colors)

    def _make_fonts(self) -> None:
        self._number_fonts: dict[tuple[int, int, float], NumberFont] = {}
        self.label_fonts = [drawn_font(text_font(pixels, bold=True)) for pixels in (16, 15, 14, 13, 12, 11, 10)]
        self.caption_font = drawn_font(text_font(8))
        self.edge_font, self.large_edge_font = drawn_font(drawn_mono_font(11)), drawn_font(drawn_mono_font(14))
        self.large_symbol_font = drawn_font(text_font(20))
        self.symbol_font = drawn_font(text_font(14))
        self.mark_font = drawn_font(text_font(10, bold=True))

    @property
    def hint_font(self) -> QFont:
        """Font of sentences over the graph: they are as large as the text in panels, whatever the zoom is."""
        return drawn_font(text_font(text_pixels(14)))

    def _make_pens(self, colors: Colors) -> None:
        strong = colors.has_high_contrast
        self.border = line(blend(colors.muted, colors.line, 0.25))
        self.thick_border = line(blend(colors.muted, colors.line, 0.75), 2.0)
        self.faint = line(colors.line)
        self.dashed = line(blend(colors.muted, colors.panel, 0.8 if strong else 0.6), 1.0, Qt.PenStyle.DashLine)
        self.hatch = line(blend(colors.muted, colors.panel, 0.28), 1.0)
        self.selected_border = line(colors.accent, 2.0)
        self.path_border = line(colors.accent, 1.4)
        self.error_border = line(colors.error, 1.6)
        self.differing_border = line(colors.error, 2.0, Qt.PenStyle.DashLine)
        self.badge_border = line(colors.panel)
        self.halo = line(clear(colors.accent, 0.30), 7.0)
        self.focus = line(clear(colors.accent, 1.0 if strong else 0.55), 2.0 if strong else 1.0, Qt.PenStyle.DotLine)
        self.text, self.muted = QPen(QColor(colors.text)), QPen(QColor(colors.muted))
        self.on_error = QPen(QColor(colors.panel))
        text, muted, bad = self.text, self.muted, QPen(QColor(colors.error))
        self.data_pens: Mapping[State, QPen] = {
            "unknown": muted, "zero": text, "bad": bad, "positive": text, "negative": text, "size": text,
        }  # fmt: skip
        self.grad_pens: Mapping[State, QPen] = {
            "unknown": muted, "zero": muted, "bad": bad, "size": text,
            "positive": QPen(QColor(colors.positive)), "negative": QPen(QColor(colors.negative)),
        }  # fmt: skip
        self.edge = line(blend(colors.muted, colors.canvas, 0.85 if strong else 0.55), 1.2)
        self.wide_edge = line(blend(colors.muted, colors.canvas, 0.85 if strong else 0.6), WIDE_EDGE_WIDTH)
        self.path_edge = line(colors.accent, 2.2)
        self.touched_edge = line(colors.accent, 3.4)

    def _make_fills(self, colors: Colors) -> None:
        self.panel, self.canvas = QBrush(QColor(colors.panel)), QBrush(QColor(colors.canvas))
        self.neutral = QBrush(QColor(colors.neutral))
        self.error_fill = QBrush(QColor(colors.error))
        self.tints: Mapping[str, QBrush] = {
            "input": QBrush(QColor(colors.input)), "parameter": QBrush(QColor(colors.parameter)),
            "output": QBrush(QColor(colors.output)), "intermediate": self.neutral, "group": self.neutral,
            "constant": QBrush(blend(colors.neutral, colors.canvas, 0.6)),
        }  # fmt: skip
        shares = {"quiet": (colors.text, 0.5), "faint": (colors.muted, 0.35), "bad": (colors.error, 0.9)}
        shares |= {"positive": (colors.positive, 0.75), "negative": (colors.negative, 0.75)}
        self.bars: Mapping[str, QBrush] = {
            tone: QBrush(blend(color, colors.panel, share)) for tone, (color, share) in shares.items()
        }
        self.seen_fill = QBrush(clear(colors.accent, 0.12))
        self.veil = QBrush(clear(colors.canvas, 0.8))
        self.path_fill = QBrush(blend(colors.accent, colors.panel, 0.55))
        self.touched_fill = QBrush(blend(colors.accent, colors.panel, 0.85))
        self.touched_circle = QBrush(blend(colors.accent, colors.panel, 0.18))

    @cached_property
    def _flow_pens(self) -> list[QPen]:
        """Lines for a gradient from -1 to 1: the sign gives the colour, the size the width."""
        pens, colors = [], self.colors
        faintest = 0.75 if colors.has_high_contrast else 0.35
        for level in range(-FLOW_LEVELS, FLOW_LEVELS + 1):
            size = abs(level) / FLOW_LEVELS
            color = blend(
                colors.positive if level > 0 else colors.negative, colors.canvas, faintest + (1 - faintest) * size
            )
            pens.append(line(color if level else self.edge.color(), 1.0 + 3.5 * size))
        return pens

    def number_font(self, form: str, data: str = "", grad: str = "") -> NumberFont:
        """The font of both numbers of a box of a form, the same for boxes of every role."""
        length = max(USUAL_NUMBER, len(data), len(grad))
        about = FORMS[form]
        return self._number_font(about.number_pixels, min(length, LONGEST_NUMBER), about.number_room)

    def constant_font(self, text: str) -> QFont:
        room = CONSTANT_SIZE[0] - CONSTANT_MARGIN
        return self._number_font(LARGEST_CONSTANT, min(len(text), LONGEST_NUMBER + 2), room).font

    def _number_font(self, pixels: int, length: int, room: float) -> NumberFont:
        """The largest font, up to `pixels`, in which so many digits fit into `room` pixels; made once."""
        wanted = pixels, length, room
        if wanted not in self._number_fonts:
            font = fitting(drawn_font(drawn_mono_font(pixels)), "0" * length, room)
            self._number_fonts[wanted] = NumberFont(font, QFontMetricsF(font).horizontalAdvance("0"))
        return self._number_fonts[wanted]

    def flow_pen(self, flow: float) -> QPen:
        """The line of an edge along which a gradient flows: width and strength by the root of its size.

        So a hundredth of the largest gradient still differs visibly from 0.

        Args:
            flow: -1 to 1; larger ones are drawn like 1, nan like 0.
        """
        return self.level_pen(self.flow_level(flow))

    @staticmethod
    def flow_level(flow: float) -> int:
        """The level, -20 to 20, at which a flow is drawn; 0 is like an edge without."""
        size = math.sqrt(min(1.0, abs(flow))) if not math.isnan(flow) else 0.0
        return round(math.copysign(size, flow) * FLOW_LEVELS)

    def level_pen(self, level: int) -> QPen:
        """The line of that level."""
        return self._flow_pens[level + FLOW_LEVELS]
