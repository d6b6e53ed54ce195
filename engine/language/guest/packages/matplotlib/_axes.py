"""One pair of axes: series, texts and ranges."""

import math
from bisect import bisect_right
from itertools import pairwise

from ._series import (
    LINES,
    MOST_POINTS,
    Artist,
    as_array,
    categories,
    color_of,
    columns_of,
    ends_of,
    floats,
    is_long,
    map_name,
    matrix_of,
    not_drawn,
    places_along,
    plain,
    say,
    spread,
    style_of,
    thin_array,
    thin_line,
)

MOST_SERIES, MOST_TEXTS, MOST_NUMBERS = 500, 3_000, 600_000
"""Of one pair of axes, and numbers of all plots together, that are kept."""
_numbers_kept = [0]
builtins_range = range


class Axes:
    """One plot: series, texts and ranges."""

    def __init__(self, figure, row=0, column=0):
        self.figure = figure
        self.row, self.column = row, column
        self.names = {"title": "", "x": "", "y": ""}
        self.ranges = {"x": None, "y": None}
        self.log = {"x": False, "y": False}
        self.tick_labels = {"x": [], "y": []}
        self.series = []
        self.written = {"kind": "text", "x": [], "y": [], "names": [], "colors": [], "anchors": []}
        self.has_legend = self.equal = self.bare = self.upside_down = False

    def _add(self, kind, x=(), y=(), label="", **more):
        label = "" if label is None or str(label).startswith("_") else str(label)[:64]
        more = {name: value for name, value in more.items() if value not in ("", None, [], ())}
        if self._is_more_of_the_last(kind, x, label, more):
            self.series[-1]["x"] += x
            self.series[-1]["y"] += y
            return Artist()
        if len(x) > MOST_POINTS and kind == "line":
            say(f"Of {len(x):,} points about {MOST_POINTS:,} are drawn: of each stretch the lowest and the highest")
            x, y = thin_line(x, y)
        elif len(x) > MOST_POINTS:
            say(f"Of {len(x):,} points every {-(-len(x) // MOST_POINTS)}th is drawn")
            for name in ("z", "colors", "sizes", "base"):
                if len(more.get(name, ())) == len(x):
                    more[name] = spread(more[name])
            x, y = spread(x), spread(y)
        _numbers_kept[0] += len(x) + len(y) + sum(len(row) if isinstance(row, list) else 1 for row in more.get("z", ()))
        if len(self.series) >= MOST_SERIES or _numbers_kept[0] > MOST_NUMBERS:
            say(f"More than {MOST_SERIES} series in a plot, or {MOST_NUMBERS:,} numbers in all plots, are not drawn")
        else:
            self.series.append({"kind": kind, "x": x, "y": y, "label": label, **more})
        return Artist()

    def _is_more_of_the_last(self, kind, x, label, more):
        """Return True for a single point that looks like those of the series before, as a loop draws them."""
        last = self.series[-1] if self.series else {"kind": ""}
        if kind != "points" or last["kind"] != kind or len(x) != 1 or label or len(last["x"]) >= MOST_POINTS:
            return False
        return (
            last | {"x": 0, "y": 0} == {"kind": kind, "x": 0, "y": 0, "label": "", **more}
            and not {"z", "colors"} & more.keys()
        )

    def _pair(self, x, y):
        x, y = floats(x), floats(y)
        if len(x) != len(y):
            raise ValueError(f"x and y must have same first dimension, but have shapes ({len(x)},) and ({len(y)},)")
        return x, y

    # Lines, points, bars

    def plot(self, *arguments, label="", color=None, c=None, marker="", linestyle=None, ls=None, **_keywords):
        """Draw lines: `plot(y)`, `plot(x, y)`, `plot(x, y, "o")`, several pairs at once."""
        made, arguments = [], list(arguments)
        while arguments:
            first = arguments.pop(0)
            second = arguments.pop(0) if arguments and not isinstance(arguments[0], str) else None
            chosen, mark, line = style_of(arguments.pop(0) if arguments and isinstance(arguments[0], str) else "")
            written = ls if linestyle is None else linestyle
            line = line if written is None else LINES.get(written, written)
            is_line = line in LINES.values() or (line == "" and written is None and not mark)
            mark = marker or mark
            chosen = color_of(c if color is None else color) or chosen
            whole = first if second is None else second
            if is_long(whole) and (second is None or (is_long(first) and first.shape == whole.shape)):
                x, y = thin_array(None if second is None else first, whole)
                made.append(
                    self._add("line" if is_line else "points", x, y, label, color=chosen, marker=mark, style=line)
                )
                continue
            for y in columns_of(whole):
                x = list(map(float, builtins_range(len(y)))) if second is None else first
                x, y = self._pair(categories(self, "x", x), y)
                made.append(
                    self._add("line" if is_line else "points", x, y, label, color=chosen, marker=mark, style=line)
                )
        return made

    def scatter(
        self, x, y, s=None, c=None, label="", color=None, marker="", cmap=None, vmin=None, vmax=None, **_keywords
    ):
        """Draw points; numbers or names in `c` colour them, `s` are their areas."""
        if is_long(x) and is_long(y) and x.shape == y.shape:
            step, count = -(-x.shape[0] // MOST_POINTS), x.shape[0]
            say(f"Of {count:,} points every {step}th is drawn")
            c, s = (each[::step] if is_long(each) and each.shape == x.shape else each for each in (c, s))
            x, y = x[::step], y[::step]
        x, y = self._pair(categories(self, "x", x), y)
        numbers, names, c = [], [], color if c is None else c
        one, given = color_of(c), [] if c is None or isinstance(c, str) else plain(c)
        if len(given) == len(x) and all(isinstance(each, str) for each in given):
            names, one = [color_of(each) for each in given], ""
        elif len(given) == len(x) and len(floats(given)) == len(x):
            numbers, one = floats(given), ""
        areas = [] if s is None else floats(s)
        sizes = [math.sqrt(max(area, 0.0)) for area in areas] if len(areas) in (1, len(x)) else []
        return self._add(
            "points",
            x,
            y,
            label,
            z=numbers,
            colors=names,
            color=one,
            marker=str(marker or ""),
            sizes=sizes,
            map=map_name(cmap),
            ends=ends_of(vmin, vmax),
        )

    def bar(self, x, height, width=0.8, bottom=None, label="", color=None, align="center", **_keywords):
        """Draw bars upwards; names instead of numbers stand for 0, 1, 2, ..."""
        places, heights = floats(categories(self, "x", x)), floats(height)
        heights = heights * len(places) if len(heights) == 1 else heights
        places, heights = self._pair(places, heights)
        widths = floats(width)
        if align == "edge":
            places = [place + widths[index % len(widths)] / 2 for index, place in enumerate(places)]
        base = [] if bottom is None else floats(bottom)
        base = base * len(places) if len(base) == 1 else base
        several = not isinstance(color, str) and color is not None and not color_of(color)
        return self._add(
            "bars",
            places,
            heights,
            label,
            sizes=widths,
            base=base,
            color=color_of(color),
            colors=[color_of(each) for each in color] if several and len(color) == len(places) else [],
        )

    def hist(self, x, bins=10, range=None, density=False, label="", color=None, **_keywords):
        """Draw a histogram; returns counts, edges and what was drawn, as matplotlib does."""
        if is_long(x):
            import numpy

            counts, edges = numpy.histogram(x, bins, range, density)
            return counts, edges, self._draw_bins(counts.tolist(), edges.tolist(), label, color)
        x = plain(x)
        if x and not isinstance(x[0], (int, float)) and len(plain(getattr(x[0], "data", x[0]))) > 1:
            labels = label if isinstance(label, (list, tuple)) else [label] * len(x)
            return [self.hist(each, bins, range, density, name) for each, name in zip(x, labels, strict=False)][-1]
        x = [number for number in floats(x) if math.isfinite(number)]
        if isinstance(bins, (int, float, str)):
            low, high = range or (min(x, default=0.0), max(x, default=1.0))
            low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
            count = max(1, min(int(bins), 1_000)) if not isinstance(bins, str) else 10
            edges = [low + (high - low) * index / count for index in builtins_range(count + 1)]
        else:
            edges = floats(bins)
        counts = [0.0] * (len(edges) - 1)
        for number in x:
            if edges[0] <= number <= edges[-1]:
                counts[min(bisect_right(edges, number), len(counts)) - 1] += 1.0
        if density and sum(counts):
            counts = [n / (sum(counts) * (edges[i + 1] - edges[i])) for i, n in enumerate(counts)]
        return as_array(counts), as_array(edges), self._draw_bins(counts, edges, label, color)

    def _draw_bins(self, counts, edges, label, color):
        middles, widths = [(a + b) / 2 for a, b in pairwise(edges)], [b - a for a, b in pairwise(edges)]
        return self._add("bars", middles, counts, label, sizes=widths, color=color_of(color))

    def fill_between(self, x, y1, y2=0, label="", color=None, **_keywords):
        """Draw the area between two lines."""
        x, upper, lower = floats(x), floats(y1), floats(y2)
        upper, lower = (numbers * len(x) if len(numbers) == 1 else numbers for numbers in (upper, lower))
        self._pair(x, lower)
        return self._add("area", *self._pair(x, upper), label, base=lower, color=color_of(color))

    def errorbar(self, x, y, *arguments, label="", color=None, **_keywords):
        """Draw the line without its error bars."""
        say("plt.errorbar draws its line here, without the bars")
        return self._add("line", *self._pair(x, y), label, color=color_of(color))

    def step(self, x, y, *_arguments, label="", color=None, **_keywords):
        """Draw a line of steps, each reached at its point."""
        x, y = self._pair(x, y)
        corners = [each for pair in pairwise(x) for each in (pair[0], pair[0])] + x[-1:]
        heights = [each for pair in pairwise(y) for each in pair] + y[-1:]
        return self._add("line", corners, heights, label, color=color_of(color))

    def axhline(self, y=0, *_arguments, label="", color=None, c=None, linestyle="", ls="", **_keywords):
        """Draw a level line."""
        return self._add("level", y=floats(y), label=label, color=color_of(c or color), style=linestyle or ls)

    def axvline(self, x=0, *_arguments, label="", color=None, c=None, linestyle="", ls="", **_keywords):
        """Draw an upright line."""
        return self._add("upright", x=floats(x), label=label, color=color_of(c or color), style=linestyle or ls)

    def hlines(self, y, xmin, xmax, colors=None, linestyles="", label="", **_keywords):
        """Draw level lines between two places."""
        for each in floats(y):
            self._add("line", [*floats(xmin), *floats(xmax)], [each, each], label, color=color_of(colors))

    def vlines(self, x, ymin, ymax, colors=None, linestyles="", label="", **_keywords):
        """Draw upright lines between two places."""
        for each in floats(x):
            self._add("line", [each, each], [*floats(ymin), *floats(ymax)], label, color=color_of(colors))

    def semilogy(self, *arguments, **keywords):
        """Draw a line over a logarithmic y axis."""
        self.log["y"] = True
        return self.plot(*arguments, **keywords)

    def semilogx(self, *arguments, **keywords):
        """Draw a line over a logarithmic x axis."""
        self.log["x"] = True
        return self.plot(*arguments, **keywords)

    def loglog(self, *arguments, **keywords):
        """Draw a line over two logarithmic axes."""
        self.log.update(x=True, y=True)
        return self.plot(*arguments, **keywords)

    def twinx(self):
        """Return these axes: a second scale is not drawn."""
        say("A second y axis (twinx) is not drawn here: both curves share one")
        return self

    # Matrices

    def imshow(self, data, cmap=None, aspect=None, vmin=None, vmax=None, extent=None, origin="upper", **_keywords):
        """Draw a matrix as an image."""
        rows, (n_rows, n_columns), _ = matrix_of(data)
        if origin == "lower":
            extent = floats(extent) if extent is not None else [-0.5, n_columns - 0.5, -0.5, n_rows - 0.5]
        else:
            self.upside_down = self.upside_down or extent is None
            extent = floats(extent) if extent is not None else [-0.5, n_columns - 0.5, n_rows - 0.5, -0.5]
            rows = rows[::-1]
        self.equal = self.equal or aspect != "auto"
        return self._add("image", z=rows, extent=extent, map=map_name(cmap), ends=ends_of(vmin, vmax))

    def matshow(self, data, **keywords):
        """Draw a matrix as an image."""
        return self.imshow(data, **keywords)

    def pcolormesh(self, *arguments, cmap=None, vmin=None, vmax=None, **_keywords):
        """Draw a matrix as an image, its first row below."""
        rows, (n_rows, n_columns), _ = matrix_of(arguments[-1])
        extent = [0.0, float(n_columns), 0.0, float(n_rows)]
        if len(arguments) == 3:
            x, y = places_along(arguments[0], 1), places_along(arguments[1], 0)
            extent = [x[0], x[-1], y[0], y[-1]]
        return self._add("image", z=rows, extent=extent, map=map_name(cmap), ends=ends_of(vmin, vmax))

    pcolor = pcolormesh

    def contour(self, *arguments, levels=None, filled=False, cmap=None, colors=None, vmin=None, vmax=None, **_keywords):
        """Draw lines of equal height: `contour(Z)`, `contour(X, Y, Z)`, `contour(X, Y, Z, levels)`."""
        arguments = list(arguments)
        if len(arguments) in (2, 4):
            levels = arguments.pop()
        rows, (n_rows, n_columns), (down, across) = matrix_of(arguments[-1])
        if n_rows < 2 or n_columns < 2:
            raise TypeError(f"Input z must be at least a (2, 2) shaped array, but has shape ({n_rows}, {n_columns})")
        x = places_along(arguments[0], 1) if len(arguments) == 3 else list(map(float, builtins_range(n_columns)))
        y = places_along(arguments[1], 0) if len(arguments) == 3 else list(map(float, builtins_range(n_rows)))
        if (len(x), len(y)) != (n_columns, n_rows):
            raise TypeError(f"Shapes of x {len(x)}, y {len(y)} and z ({n_rows}, {n_columns}) do not match")
        chosen = [] if levels is None or isinstance(levels, int) else floats(levels)[:50]
        count = min(levels, 50) if isinstance(levels, int) else 0
        one = color_of(colors if isinstance(colors, str) else colors[0] if colors and len(colors) == 1 else None)
        several = (
            [color_of(each) for each in colors] if colors and not isinstance(colors, str) and len(colors) > 1 else []
        )
        return self._add(
            "filled contour" if filled else "contour",
            x[::across],
            y[::down],
            z=rows,
            levels=chosen,
            count=count,
            map=map_name(cmap),
            color=one,
            colors=several,
            ends=ends_of(vmin, vmax),
        )

    def contourf(self, *arguments, **keywords):
        """Draw areas between lines of equal height."""
        return self.contour(*arguments, filled=True, **keywords)

    # Texts, names, ends

    def text(
        self,
        x,
        y,
        s,
        *_arguments,
        ha="left",
        va="baseline",
        color=None,
        horizontalalignment="",
        verticalalignment="",
        **_keywords,
    ):
        """Draw a text at a point."""
        written = self.written
        if len(written["x"]) >= MOST_TEXTS:
            say(f"More than {MOST_TEXTS:,} texts in a plot are not drawn")
            return Artist()
        places = {
            "left": 0.0,
            "center": 0.5,
            "right": 1.0,
            "top": 0.0,
            "bottom": 1.0,
            "baseline": 1.0,
            "center_baseline": 0.5,
        }
        written["x"] += floats(x)[:1]
        written["y"] += floats(y)[:1]
        written["names"].append(str(s)[:64])
        written["colors"].append(color_of(color))
        written["anchors"].append(
            [places.get(horizontalalignment or ha, 0.0), places.get(verticalalignment or va, 1.0)]
        )
        return Artist()

    def annotate(self, text, xy, xytext=None, **_keywords):
        """Draw a text at a point, without its arrow."""
        return self.text(*(xy if xytext is None else xytext), text)

    def bar_label(self, *_arguments, **_keywords):
        """Do nothing, with a note."""
        say("plt.bar_label is not drawn here: the heights are read under the pointer")

    def set_title(self, text, *_arguments, **_keywords):
        """Set the title."""
        self.names["title"] = str(text)[:200]

    def set_xlabel(self, text, *_arguments, **_keywords):
        """Set the name of the x axis."""
        self.names["x"] = str(text)[:200]

    def set_ylabel(self, text, *_arguments, **_keywords):
        """Set the name of the y axis."""
        self.names["y"] = str(text)[:200]

    def set_xlim(self, low=None, high=None, left=None, right=None, **_keywords):
        """Set the ends of the x axis."""
        return self._limit("x", left if low is None else low, right if high is None else high)

    def set_ylim(self, low=None, high=None, bottom=None, top=None, **_keywords):
        """Set the ends of the y axis."""
        return self._limit("y", bottom if low is None else low, top if high is None else high)

    def _limit(self, axis, low, high):
        if isinstance(low, (list, tuple)) or (hasattr(low, "tolist") and len(plain(low)) == 2):
            low, high = plain(low)
        before = self.ranges[axis] or [None, None]
        given = [before[0] if low is None else floats(low)[0], before[1] if high is None else floats(high)[0]]
        self.ranges[axis] = None if given == [None, None] else given
        known = [number for series in self.series for number in series[axis] if math.isfinite(number)]
        ends = [min(known, default=0.0), max(known, default=1.0)]
        return tuple(end if number is None else number for number, end in zip(given, ends, strict=False))

    def get_xlim(self):
        """Return the ends of the x axis."""
        return self._limit("x", None, None)

    def get_ylim(self):
        """Return the ends of the y axis."""
        return self._limit("y", None, None)

    def invert_yaxis(self):
        """Turn the y axis over."""
        self.upside_down = not self.upside_down

    def axis(self, given=None, **_keywords):
        """Set ends (`[x0, x1, y0, y1]`), or `"equal"` units, or no axes (`"off"`)."""
        if isinstance(given, str):
            self.equal = self.equal or given in ("equal", "scaled", "square", "image")
            self.bare = given == "off"
        elif given is not None and not isinstance(given, bool):
            left, right, bottom, top = floats(given)
            self.ranges = {"x": [left, right], "y": [bottom, top]}
        return (*self.get_xlim(), *self.get_ylim())

    def set_axis_off(self):
        """Draw no axes."""
        self.bare = True

    def set_aspect(self, aspect, *_arguments, **_keywords):
        """Have both axes in one unit, or no longer."""
        self.equal = aspect not in ("auto", None)

    def set_xscale(self, name, **_keywords):
        """Make the x axis "log" or "linear"."""
        self.log["x"] = name in ("log", "symlog")

    def set_yscale(self, name, **_keywords):
        """Make the y axis "log" or "linear"."""
        self.log["y"] = name in ("log", "symlog")

    def set_xticks(self, ticks=(), labels=None, **_keywords):
        """Set the ticks of the x axis, and their labels."""
        self._tick("x", ticks, labels)

    def set_yticks(self, ticks=(), labels=None, **_keywords):
        """Set the ticks of the y axis, and their labels."""
        self._tick("y", ticks, labels)

    def set_xticklabels(self, labels, **_keywords):
        """Set the labels of the ticks of the x axis."""
        self._tick("x", [place for place, _ in self.tick_labels["x"]] or builtins_range(len(labels)), labels)

    def set_yticklabels(self, labels, **_keywords):
        """Set the labels of the ticks of the y axis."""
        self._tick("y", [place for place, _ in self.tick_labels["y"]] or builtins_range(len(labels)), labels)

    def _tick(self, axis, ticks, labels):
        places = floats(ticks)[:200]
        texts = [f"{place:g}" for place in places] if labels is None else [str(each)[:40] for each in labels]
        self.tick_labels[axis] = [list(pair) for pair in zip(places, texts, strict=False)]

    def set(self, **texts):
        """Set several properties at once, such as `title="loss"`."""
        for name, value in texts.items():
            getattr(self, f"set_{name}")(value)

    def legend(self, *arguments, **_keywords):
        """Show the labels; a list names the series in their order."""
        self.has_legend = True
        labels = arguments[-1] if arguments else None
        if isinstance(labels, (list, tuple)) and all(isinstance(each, str) for each in labels):
            for series, label in zip(self.series, labels, strict=False):
                series["label"] = label[:64]

    def __getattr__(self, name):
        return not_drawn(name)
