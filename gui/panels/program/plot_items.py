"""The series of a program's plot as items of pyqtgraph: lines, points, bars, areas, images, contours, texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from engine.language import Plot, Series
from engine.network.level_line import level_line
from gui.painting import saved
from gui.plots.plot import brightness_table, class_colors, drawable
from gui.theme import LIGHT, Colors, mono_font, text_pixels

Floats = NDArray[Any]
FEW_POINTS = 40
"""A line of so many points or fewer has a mark at each."""
MARK_SIZE = 6  # pixels
POINT_PIXELS = 1.3
"""Pixels of a point whose size matplotlib gives as 1."""
CYCLE = (1, 0, 2, 4, 3, 5)
"""Order in which series use `class_colors`: blue and orange first, as in matplotlib."""
MARKS = {"o": "o", ".": "o", "s": "s", "^": "t1", "v": "t", "<": "t3", ">": "t2", "*": "star", "d": "d", "D": "d",
         "p": "p", "P": "+", "h": "h", "x": "x", "X": "x", "+": "+"}  # fmt: skip
STYLES = {"--": Qt.PenStyle.DashLine, ":": Qt.PenStyle.DotLine, "-.": Qt.PenStyle.DashDotLine,
          "dashed": Qt.PenStyle.DashLine, "dotted": Qt.PenStyle.DotLine}  # fmt: skip
MAPS = {
    "gray": "#000000 #ffffff", "grey": "#000000 #ffffff", "binary": "#ffffff #000000", "Greys": "#ffffff #000000",
    "Blues": "#f7fbff #6baed6 #08306b", "Reds": "#fff5f0 #fb6a4a #67000d", "Greens": "#f7fcf5 #74c476 #00441b",
    "Oranges": "#fff5eb #fd8d3c #7f2704", "hot": "#0b0000 #ff0000 #ffff00 #ffffff", "bwr": "#0000ff #ffffff #ff0000",
    "RdBu": "#67001f #f7f7f7 #053061", "coolwarm": "#3b4cc0 #dddddd #b40426", "seismic": "#00004c #ffffff #7f0000",
    "Spectral": "#9e0142 #f46d43 #fee08b #e6f598 #66c2a5 #5e4fa2", "RdYlBu": "#a50026 #fdae61 #ffffbf #abd9e9 #313695",
    "RdYlGn": "#a50026 #fdae61 #ffffbf #a6d96a #006837", "PiYG": "#8e0152 #f7f7f7 #276419",
    "jet": "#000080 #0000ff #00ffff #ffff00 #ff0000 #800000", "rainbow": "#8000ff #00b5eb #80ffb4 #ffb360 #ff0000",
    "cool": "#00ffff #ff00ff", "spring": "#ff00ff #ffff00", "summer": "#008066 #ffff66", "winter": "#0000ff #00ff80",
    "autumn": "#ff0000 #ffff00", "brg": "#0000ff #ff0000 #00ff00", "Paired": "#a6cee3 #33a02c #e31a1c #6a3d9a",
    "signs": "#ae4b09 #f0a878 #f2f4f7 #7fa6e3 #1d5fc2",
    "tab10": "#1f77b4 #ff7f0e #2ca02c #d62728", "Set1": "#e41a1c #377eb8 #4daf4a",
}  # fmt: skip
"""matplotlib's maps of colours that pyqtgraph lacks, by colours at equal distances."""
LIBRARY_MAPS = ("viridis", "plasma", "inferno", "magma", "cividis")
FINE = 240
"""Pixels, across and up, of the picture of areas between levels."""
LEVELS = 7
"""About how many levels are chosen."""
LEAST_LETTERS, MOST_LETTERS = 5, 11  # pixels of texts; smaller ones are not drawn


@dataclass(frozen=True)
class Drawing:
    """Properties of a plot that its items need.

    Attributes:
        plot: the plot.
        colors: of the theme.
        counts: how many series of the cycle have got their colours so far, in a list of one.
    """

    plot: Plot
    colors: Colors = LIGHT
    counts: list[int] = field(default_factory=lambda: [0])

    def x(self, numbers: Sequence[float] | Floats) -> Floats:
        """Place on the x axis, logarithms where it is logarithmic; nan where there is none."""
        return on_axis(numbers, self.plot.x_log)

    def y(self, numbers: Sequence[float] | Floats) -> Floats:
        """The same on the y axis."""
        return on_axis(numbers, self.plot.y_log)

    def color(self, name: str) -> QColor:
        """A colour that a program names, readable in the theme; the next of the cycle for ""."""
        if not name:
            name = f"C{self.counts[0]}"
            self.counts[0] += 1
        return readable(name, self.colors)


def on_axis(numbers: Sequence[float] | Floats, logarithmic: bool) -> Floats:
    """Return the places of numbers on an axis; nan where there is none."""
    array = np.asarray(numbers, dtype=float)
    if not logarithmic:
        return np.where(np.isfinite(array), drawable(array), np.nan)
    return np.log10(array, out=np.full(array.shape, np.nan), where=np.isfinite(array) & (array > 0.0))


def readable(name: str, colors: Colors) -> QColor:
    """Return a colour by name, mixed with the text colour where the contrast to the panel is too low."""
    cycle = class_colors(colors)
    if name[:1] == "C" and name[1:].isdigit():
        return QColor(cycle[CYCLE[int(name[1:]) % len(CYCLE)]])
    color = QColor(name) if QColor.isValidColorName(name) else QColor(colors.text)
    text = QColor(colors.text)
    if abs(color.lightnessF() - QColor(colors.panel).lightnessF()) < 0.2:
        return QColor(*((own + other) // 2 for own, other in zip(_rgb(color), _rgb(text), strict=True)))
    return color


def _rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


def table_of(name: str) -> Floats:
    """A table (256, 3) of the colours of a map by its name; viridis for one that is not known."""
    name, reverse = (name[:-2], -1) if name.endswith("_r") else (name, 1)
    if name.startswith("listed:"):
        named = [each for each in name[7:].split(",") if QColor.isValidColorName(each)]
        if named:
            return np.repeat([_rgb(QColor(each)) for each in named], -(-256 // len(named)), axis=0)[:256]
    if name in LIBRARY_MAPS:
        return pg.colormap.get(name).getLookupTable(nPts=256, alpha=False)[::reverse]
    if name not in MAPS:
        return brightness_table()[::reverse]
    anchors = np.array([_rgb(QColor(each)) for each in MAPS[name].split()], dtype=np.float64)
    places = np.linspace(0.0, len(anchors) - 1.0, 256)
    channels = [np.interp(places, np.arange(len(anchors)), anchors[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).astype(np.uint8)[::reverse]


def ends_of(series: Series) -> tuple[float, float]:
    """The numbers that have the first and the last colour of a series' map."""
    z = np.asarray(series.z, dtype=float)
    z = drawable(z[np.isfinite(z)])
    low, high = series.ends
    low = float(z.min()) if low is None and z.size else low or 0.0
    high = float(z.max()) if high is None and z.size else high or 0.0
    return low, high


def shades(z: Floats, series: Series) -> NDArray[np.uint8]:
    """The colours of numbers, (..., 3) bytes."""
    low, high = ends_of(series)
    span = high - low or 1.0
    share = np.clip((np.nan_to_num(drawable(z)) - low) / span, 0.0, 1.0)
    colored: NDArray[np.uint8] = table_of(series.map)[(share * 255).astype(int)]
    return colored


def levels_of(series: Series) -> list[float]:
    """The levels of contours: those that the program set, or round numbers."""
    if series.levels:
        return sorted(series.levels)
    low, high = ends_of(series)
    if not low < high:
        return []
    step = (high - low) / max(series.n_levels or LEVELS, 1)
    size = 10.0 ** math.floor(math.log10(step))
    step = size * next(each for each in (1.0, 2.0, 2.5, 5.0, 10.0) if each * size >= step * (1 - 1e-9))
    return [step * number for number in range(math.floor(low / step), math.ceil(high / step) + 1)]


MANY = 24
"""From this number of series on, similar ones are drawn as one item: each item takes pyqtgraph some milliseconds."""


def merged(shown: Sequence[Series]) -> list[Series]:
    """Return the series of a plot; of very many, those that look alike as one, in the place of the first."""
    if len(shown) < MANY:
        return list(shown)
    number = 0
    groups: dict[object, list[Series]] = {}
    for index, series in enumerate(shown):
        if series.kind not in ("line", "points", "bars") or series.z or series.colors:
            groups[index] = [series]
            continue
        if not series.color:
            series, number = series._replace(color=f"C{number % len(CYCLE)}"), number + 1
        alike = series.kind, series.color, series.style, series.marker, series.label or None
        groups.setdefault(alike, []).append(series)
    return [group[0] if len(group) == 1 else _joined(group) for group in groups.values()]


def _joined(group: Sequence[Series]) -> Series:
    """Return series of one kind as one, with a gap between lines."""
    first, gap = group[0], ((math.nan,) if group[0].kind == "line" else ())
    x, y = (tuple(n for each in group for n in (*getattr(each, name), *gap)) for name in ("x", "y"))
    if first.kind == "line":
        return first._replace(x=x, y=y)
    usual = 0.8 if first.kind == "bars" else (MARK_SIZE + 1) / POINT_PIXELS
    sizes = tuple(float(n) for each in group for n in np.resize(np.array(each.sizes or (usual,)), len(each.x)))
    base = tuple(n for each in group for n in (each.base or (0.0,) * len(each.x)))
    return first._replace(x=x, y=y, sizes=sizes, base=base if first.kind == "bars" else ())


# Kinds of series


def items_of(series: Series, drawing: Drawing) -> Iterator[Any]:
    """The items that draw a series; nothing for a kind that is not known."""
    if series.kind in MAKERS:
        yield from MAKERS[series.kind](series, drawing)


def _line(series: Series, drawing: Drawing) -> Iterator[Any]:
    x, y = drawing.x(series.x), drawing.y(series.y)
    kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    joined = np.append(np.diff(kept) == 1, False).astype(np.int32)  # no line across what is not there
    color = drawing.color(series.color)
    mark = MARKS.get(series.marker, "o" if len(x) <= FEW_POINTS and not series.style else None)
    yield pg.PlotDataItem(
        x[kept],
        y[kept],
        connect=joined,
        pen=pg.mkPen(color, width=1.5, style=STYLES.get(series.style, Qt.PenStyle.SolidLine)),
        symbol=mark,
        symbolSize=MARK_SIZE,
        symbolPen=pg.mkPen(color),
        symbolBrush=pg.mkBrush(color),
        name=series.label or None,
    )


def _points(series: Series, drawing: Drawing) -> Iterator[Any]:
    x, y = drawing.x(series.x), drawing.y(series.y)
    kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    sizes = np.clip(np.asarray(series.sizes, dtype=float) * POINT_PIXELS, 2.0, 40.0)
    size: Any = MARK_SIZE + 1 if not len(sizes) else sizes[kept] if len(sizes) == len(x) else float(sizes[0])
    pen, brush = pg.mkPen(drawing.colors.text, width=0.6), None
    if len(series.z) == len(x) and len(x):
        rows = [tuple(each) for each in shades(np.asarray(series.z), series)[kept].tolist()]
        made = {row: pg.mkBrush(*row) for row in set(rows)}
        brush = [made[row] for row in rows]
    elif len(series.colors) == len(x) and len(x):
        named = {name: pg.mkBrush(readable(name or "C0", drawing.colors)) for name in set(series.colors)}
        brush = [named[series.colors[place]] for place in kept]
    else:
        color = drawing.color(series.color)
        pen, brush = pg.mkPen(color), pg.mkBrush(color)
    yield pg.ScatterPlotItem(
        x[kept],
        y[kept],
        size=size,
        pen=pen,
        brush=brush,
        symbol=MARKS.get(series.marker, "o"),
        name=series.label or None,
    )


def bar_bounds(series: Series, drawing: Drawing) -> tuple[Floats, Floats, Floats, Floats]:
    """Left, right, lower and upper edges of bars, on the axes."""
    x = np.asarray(series.x, dtype=float)
    half = np.resize(np.asarray(series.sizes or (0.8,), dtype=float), len(x)) / 2
    base = np.asarray(series.base, dtype=float) if len(series.base) == len(x) else np.zeros(len(x))
    top = drawing.y(base + np.asarray(series.y, dtype=float)[: len(x)])
    bottom = drawing.y(base)
    if drawing.plot.y_log and np.isfinite(top).any():
        bottom = np.where(np.isfinite(bottom), bottom, np.floor(np.nanmin(top)) - 1.0)
    return drawing.x(x - half), drawing.x(x + half), bottom, top


def _bars(series: Series, drawing: Drawing) -> Iterator[Any]:
    left, right, bottom, top = bar_bounds(series, drawing)
    kept = np.isfinite(left) & np.isfinite(right) & np.isfinite(bottom) & np.isfinite(top)
    one = drawing.color(series.color) if not series.colors else QColor(drawing.colors.text)
    brushes = None
    if len(series.colors) == len(kept):
        brushes = [
            pg.mkBrush(readable(name or "C0", drawing.colors))
            for name, is_kept in zip(series.colors, kept, strict=True)
            if is_kept
        ]
    yield pg.BarGraphItem(
        x0=left[kept],
        x1=right[kept],
        y0=bottom[kept],
        y1=top[kept],
        brush=pg.mkBrush(one),
        brushes=brushes,
        pen=pg.mkPen(drawing.colors.panel, width=0.5),
        name=series.label or None,
    )


def _area(series: Series, drawing: Drawing) -> Iterator[Any]:
    x, upper, lower = drawing.x(series.x), drawing.y(series.y), drawing.y(series.base or (0.0,) * len(series.x))
    kept = np.isfinite(x) & np.isfinite(upper) & np.isfinite(lower)
    color = drawing.color(series.color)
    fill = QColor(color)
    fill.setAlpha(80)
    yield pg.PlotCurveItem(
        np.concatenate([x[kept], x[kept][::-1]]),
        np.concatenate([upper[kept], lower[kept][::-1]]),
        pen=pg.mkPen(color, width=0.5),
        brush=fill,
        fillLevel="enclosed",
        name=series.label or None,
    )


def _ruled(series: Series, drawing: Drawing) -> Iterator[Any]:
    level = series.kind == "level"
    places = drawing.y(series.y) if level else drawing.x(series.x)
    color = drawing.color(series.color or "C5")
    for place in places[np.isfinite(places)]:
        pen = pg.mkPen(color, width=1.2, style=STYLES.get(series.style, Qt.PenStyle.SolidLine))
        yield pg.InfiniteLine(float(place), angle=0 if level else 90, pen=pen)


def _picture(pixels: NDArray[np.uint8], rect: tuple[float, float, float, float]) -> Any:
    """An image of (rows, columns, 4) bytes, the first row below, over left, right, bottom and top."""
    left, right, bottom, top = rect
    if left > right:
        left, right, pixels = right, left, pixels[:, ::-1]
    if bottom > top:
        bottom, top, pixels = top, bottom, pixels[::-1]
    item = pg.ImageItem(np.ascontiguousarray(pixels), axisOrder="row-major", levels=None)
    item.setRect(QRectF(left, bottom, right - left or 1.0, top - bottom or 1.0))
    item.setZValue(-10)
    return item


def _image(series: Series, drawing: Drawing) -> Iterator[Any]:
    z = np.asarray(series.z, dtype=float)
    pixels = np.dstack([shades(z, series), np.where(np.isfinite(z), 255, 0).astype(np.uint8)])
    left, right, bottom, top = series.extent if len(series.extent) == 4 else (0.0, 1.0, 0.0, 1.0)
    yield _picture(pixels, (left, right, bottom, top))


def _fine(series: Series, count: int = FINE) -> tuple[Floats, tuple[float, float, float, float]]:
    """The heights of contours on a fine grid of equal cells, and what it spans: left, right, bottom, top."""
    z = drawable(np.asarray(series.z, dtype=float))
    x, y = np.asarray(series.x, dtype=float), np.asarray(series.y, dtype=float)
    if x[0] > x[-1]:
        x, z = x[::-1], z[:, ::-1]
    if y[0] > y[-1]:
        y, z = y[::-1], z[::-1]
    column = np.interp(np.linspace(x[0], x[-1], count), x, np.arange(len(x)))
    row = np.interp(np.linspace(y[0], y[-1], count), y, np.arange(len(y)))
    left, down = (np.minimum(places.astype(int), most - 2) for places, most in ((column, len(x)), (row, len(y))))
    across, up = column - left, (row - down)[:, None]
    below = z[down][:, left] * (1 - across) + z[down][:, left + 1] * across
    above = z[down + 1][:, left] * (1 - across) + z[down + 1][:, left + 1] * across
    return below * (1 - up) + above * up, (float(x[0]), float(x[-1]), float(y[0]), float(y[-1]))


def _filled(series: Series, drawing: Drawing) -> Iterator[Any]:
    heights, rect = _fine(series)
    levels = np.asarray(levels_of(series))
    if len(levels) < 2:
        return
    band = np.digitize(heights, levels) - 1
    band[heights == levels[-1]] = len(levels) - 2
    inside = (band >= 0) & (band < len(levels) - 1)
    band = np.clip(band, 0, len(levels) - 2)
    if series.colors:
        rgb = np.array([_rgb(readable(name or "C0", drawing.colors)) for name in series.colors])
        pixels = rgb[band % len(rgb)]
    else:
        spread = series.ends if None not in series.ends else (levels[0], levels[-1])
        pixels = shades((levels[:-1] + levels[1:]) / 2, series._replace(ends=spread))[band]
    panel = np.array(_rgb(QColor(drawing.colors.panel)))
    mixed = (0.65 * pixels + 0.35 * panel).astype(np.uint8)  # points in the same colours are seen on it
    yield _picture(np.dstack([mixed, np.where(inside, 255, 0).astype(np.uint8)]), rect)


def _contour(series: Series, drawing: Drawing) -> Iterator[Any]:
    levels = levels_of(series)
    heights, rect = _fine(series, FINE if len(levels) < MANY else FINE // 2)
    one = drawing.color(series.color) if series.color else None
    for number, level in enumerate(levels):
        x, y = level_line(heights, rect, level)
        color = one or QColor(*shades(np.asarray([level]), series)[0].tolist())
        if series.colors:
            color = readable(series.colors[number % len(series.colors)] or "C0", drawing.colors)
        if len(x):
            yield pg.PlotCurveItem(x, y, connect="pairs", pen=pg.mkPen(color, width=1.4))


def _texts(series: Series, drawing: Drawing) -> Iterator[Any]:
    yield Texts(series, drawing)


MATRICES = frozenset({"image", "filled contour", "contour"})
"""Kinds whose `z` is a matrix."""
MAKERS: Mapping[str, Callable[[Series, Drawing], Iterator[Any]]] = {
    "line": _line,
    "points": _points,
    "bars": _bars,
    "area": _area,
    "level": _ruled,
    "upright": _ruled,
    "image": _image,
    "filled contour": _filled,
    "contour": _contour,
    "text": _texts,
}
"""Function that draws each kind of series."""


class Texts(pg.GraphicsObject):
    """Texts at places of a plot, as large as fits between them; all in one item."""

    def __init__(self, series: Series, drawing: Drawing) -> None:
        super().__init__()
        x, y = drawing.x(series.x), drawing.y(series.y)
        kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        self._places = [QPointF(float(x[place]), float(y[place])) for place in kept]
        self._texts = [series.names[place] for place in kept]
        self._anchors = [series.anchors[place] for place in kept]
        self._colors = [
            readable(series.colors[place], drawing.colors) if series.colors[place] else QColor(drawing.colors.text)
            for place in kept
        ]
        self._gap = min(np.diff(np.unique(x[kept])), default=0.0) if len(kept) > 1 else 0.0
        self._longest = max(map(len, self._texts), default=1)
        across, up = x[kept], y[kept]
        self._bounds = QRectF(across.min(), up.min(), np.ptp(across), np.ptp(up)) if len(kept) else QRectF()

    def boundingRect(self) -> QRectF:
        return self._bounds.adjusted(-1e-9, -1e-9, 1e-9, 1e-9)

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw the texts in pixels of the screen, if they can be read."""
        transform = painter.transform()
        letters = float(text_pixels(MOST_LETTERS))
        if len(self._texts) > 1 and self._gap:
            width = abs(transform.map(QPointF(self._gap, 0.0)).x() - transform.map(QPointF(0.0, 0.0)).x())
            letters = min(letters, 1.5 * width / max(self._longest, 2))
        if letters < LEAST_LETTERS:
            return
        font = mono_font(11)
        font.setPixelSize(round(letters))
        metrics = QFontMetricsF(font)
        with saved(painter):
            painter.resetTransform()
            painter.setFont(font)
            for place, text, (across, down), color in zip(
                self._places, self._texts, self._anchors, self._colors, strict=True
            ):
                at = transform.map(place)
                painter.setPen(QPen(color))
                left = at.x() - across * metrics.horizontalAdvance(text)
                painter.drawText(QPointF(left, at.y() - down * metrics.height() + metrics.ascent()), text)


def scale_table(series: Series) -> NDArray[np.uint8]:
    """The colours of a series' map from its lowest to its highest number, (n, 3) bytes."""
    return np.ascontiguousarray(table_of(series.map))
