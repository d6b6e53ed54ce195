"""`matplotlib.pyplot`: notes what is plotted, as data; the window draws it.

Lines, points, bars, histograms, images, contours, areas, texts, labels, limits, legends, ticks, logarithmic axes,
several axes and figures are kept. Whatever else is asked for is accepted, and a note at its line says that it is not
drawn. What is larger than a screen can show is thinned, which is said, too.
"""

import math
from bisect import bisect_right
from itertools import pairwise

from engine.language.guest import notes

MOST_FIGURES, MOST_SERIES, MOST_TEXTS = 20, 500, 3_000
MOST_POINTS, MOST_SIDE, MOST_NUMBERS = 5_000, 300, 600_000
"""Points of a series, rows and columns of an image, and numbers of all plots together that are kept."""
FIGURES = []
"""All figures of the program, in the order in which they were made."""
_state = {"figure": None, "numbers": 0}


def _words(text):
    return text.split()


_QUIET = frozenset(
    _words(
        "grid tight_layout tick_params margins spines minorticks_on minorticks_off set_facecolor subplots_adjust draw "
        "autoscale autoscale_view relim set_size_inches ion ioff pause clf cla clim set_axisbelow set_dpi rc "
        "set_visible set_box_aspect constrained_layout set_alpha colorbar locator_params ticklabel_format set_position"
    )
)
"""Functions that change nothing that is drawn here; colours that stand for numbers always have their scale."""
_LETTERS = {"b": "C0", "g": "green", "r": "red", "c": "darkcyan", "m": "magenta", "y": "goldenrod"}
_LETTERS |= {"k": "black", "w": "white"}
_TABLEAU = _words("blue orange green red purple brown pink gray olive cyan")
_LINES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-.", "-": "-", "--": "--", ":": ":", "-.": "-."}
_MARKERS = "ov^<>sdDpPh*xX+.,1234|_"
builtins_range = range


def _say(text):
    """Say something once, at the line of the program that is run."""
    from engine.language.guest.output import current_line  # it loads this module

    notes.note(text, current_line())


def _plain(data):
    """Return arrays, tensors, ranges and other series as lists."""
    data = data.tolist() if hasattr(data, "tolist") else data
    if isinstance(data, (list, tuple)):
        return data
    return list(data) if hasattr(data, "__iter__") and not isinstance(data, str) else [data]


def _floats(data):
    """Return data as a list of floats; Values and tensors by their numbers."""
    data = _plain(data)
    if set(map(type, data)) <= {float, int, bool}:
        return list(map(float, data))
    return [number for each in data for number in _number(each)]


def _number(each):
    if isinstance(each, (list, tuple)):
        return _floats(each)
    each = getattr(each, "data", each) if not hasattr(each, "tolist") else each
    if hasattr(each, "tolist"):
        each = each.tolist()
        return _floats(each) if isinstance(each, list) else [float(each)]
    return [math.nan if each is None else float(each)]


def _spread(numbers, most=MOST_POINTS):
    """Return every k-th of numbers, so that there are at most so many."""
    return numbers[:: -(-len(numbers) // most)] if len(numbers) > most else numbers


def _thin_line(x, y):
    """Return a line of fewer points: of each stretch the lowest and the highest."""
    stretch = -(-len(x) // (MOST_POINTS // 2))
    places = []
    for begin in builtins_range(0, len(y), stretch):
        part = y[begin : begin + stretch]
        places += sorted({begin + part.index(min(part)), begin + part.index(max(part))})
    return [x[place] for place in places], [y[place] for place in places]


def _matrix(data):
    """Return a matrix as rows of floats, of a large one every k-th row and column; of colours their brightness."""
    if hasattr(data, "shape"):
        if len(data.shape) == 3:
            _say("A picture in colours is drawn here by its brightness")
            data = data.mean(2)
        if len(data.shape) != 2:
            raise TypeError(f"Invalid shape {tuple(data.shape)} for image data")
        n_rows, n_columns = data.shape
    else:
        data = list(data)
        n_rows, n_columns = len(data), len(data[0]) if len(data) else 0
    across, down = max(1, -(-n_columns // MOST_SIDE)), max(1, -(-n_rows // MOST_SIDE))
    if across > 1 or down > 1:
        _say(f"Of {n_rows:,} × {n_columns:,} numbers every {down}th row and every {across}th column are drawn")
    rows = (
        data[::down, ::across].tolist() if hasattr(data, "shape") else [_plain(row)[::across] for row in data[::down]]
    )
    return [_floats(row) for row in rows], (n_rows, n_columns), (down, across)


def _color(given):
    """Return a colour as `C0` to `C9`, #rrggbb or a name; "" to be chosen."""
    if (
        isinstance(given, (list, tuple))
        and len(given) in (3, 4)
        and all(isinstance(each, (int, float)) for each in given)
    ):
        return "#" + "".join(f"{round(255 * min(max(each, 0), 1)):02x}" for each in given[:3])
    if not isinstance(given, str):
        return ""
    if given.startswith("tab:"):
        return f"C{_TABLEAU.index(given[4:])}" if given[4:] in _TABLEAU else ""
    if given.replace(".", "", 1).isdigit():
        return _color([float(given)] * 3)
    return _LETTERS.get(given, given)[:20]


def _style(text):
    """Return colour, marker and line style of a format such as `ro--`."""
    color, marker, line, rest = "", "", "", text
    for each in ("--", "-.", "-", ":"):
        if each in rest:
            line, rest = each, rest.replace(each, "", 1)
            break
    if rest[:1] == "C" and rest[1:2].isdigit():
        color, rest = rest[:2], rest[2:]
    elif len(rest) > 2 and rest.isalpha():
        color, rest = rest, ""
    for letter in rest:
        if letter in _LETTERS and not color:
            color = _LETTERS[letter]
        elif letter in _MARKERS:
            marker = letter
    return color, marker, line


class Artist:
    """Something that was plotted; what is asked of it afterwards changes nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_arguments, **_keywords: Artist()

    def __iter__(self):
        return iter(())


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
            _say(f"Of {len(x):,} points about {MOST_POINTS:,} are drawn: of each stretch the lowest and the highest")
            x, y = _thin_line(x, y)
        elif len(x) > MOST_POINTS:
            _say(f"Of {len(x):,} points every {-(-len(x) // MOST_POINTS)}th is drawn")
            for name in ("z", "colors", "sizes", "base"):
                if len(more.get(name, ())) == len(x):
                    more[name] = _spread(more[name])
            x, y = _spread(x), _spread(y)
        _state["numbers"] += (
            len(x) + len(y) + sum(len(row) if isinstance(row, list) else 1 for row in more.get("z", ()))
        )
        if len(self.series) >= MOST_SERIES or _state["numbers"] > MOST_NUMBERS:
            _say(f"More than {MOST_SERIES} series in a plot, or {MOST_NUMBERS:,} numbers in all plots, are not drawn")
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
        x, y = _floats(x), _floats(y)
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
            chosen, mark, line = _style(arguments.pop(0) if arguments and isinstance(arguments[0], str) else "")
            written = ls if linestyle is None else linestyle
            line = line if written is None else _LINES.get(written, written)
            is_line = line in _LINES.values() or (line == "" and written is None and not mark)
            mark = marker or mark
            chosen = _color(c if color is None else color) or chosen
            for y in _columns(first if second is None else second):
                x = list(map(float, builtins_range(len(y)))) if second is None else first
                x, y = self._pair(_categories(self, "x", x), y)
                made.append(
                    self._add("line" if is_line else "points", x, y, label, color=chosen, marker=mark, style=line)
                )
        return made

    def scatter(
        self, x, y, s=None, c=None, label="", color=None, marker="", cmap=None, vmin=None, vmax=None, **_keywords
    ):
        """Draw points; numbers or names in `c` colour them, `s` are their areas."""
        x, y = self._pair(_categories(self, "x", x), y)
        numbers, names, c = [], [], color if c is None else c
        one, given = _color(c), [] if c is None or isinstance(c, str) else _plain(c)
        if len(given) == len(x) and all(isinstance(each, str) for each in given):
            names, one = [_color(each) for each in given], ""
        elif len(given) == len(x) and len(_floats(given)) == len(x):
            numbers, one = _floats(given), ""
        areas = [] if s is None else _floats(s)
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
            map=_map_name(cmap),
            ends=_ends(vmin, vmax),
        )

    def bar(self, x, height, width=0.8, bottom=None, label="", color=None, align="center", **_keywords):
        """Draw bars upwards; names instead of numbers stand for 0, 1, 2, ..."""
        places, heights = _floats(_categories(self, "x", x)), _floats(height)
        heights = heights * len(places) if len(heights) == 1 else heights
        places, heights = self._pair(places, heights)
        widths = _floats(width)
        if align == "edge":
            places = [place + widths[index % len(widths)] / 2 for index, place in enumerate(places)]
        base = [] if bottom is None else _floats(bottom)
        base = base * len(places) if len(base) == 1 else base
        several = not isinstance(color, str) and color is not None and not _color(color)
        return self._add(
            "bars",
            places,
            heights,
            label,
            sizes=widths,
            base=base,
            color=_color(color),
            colors=[_color(each) for each in color] if several and len(color) == len(places) else [],
        )

    def hist(self, x, bins=10, range=None, density=False, label="", color=None, **_keywords):
        """Draw a histogram; returns counts, edges and what was drawn, as matplotlib does."""
        x = _plain(x)
        if x and not isinstance(x[0], (int, float)) and len(_plain(getattr(x[0], "data", x[0]))) > 1:
            labels = label if isinstance(label, (list, tuple)) else [label] * len(x)
            return [self.hist(each, bins, range, density, name) for each, name in zip(x, labels, strict=False)][-1]
        x = [number for number in _floats(x) if math.isfinite(number)]
        if isinstance(bins, (int, float, str)):
            low, high = range or (min(x, default=0.0), max(x, default=1.0))
            low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
            count = max(1, min(int(bins), 1_000)) if not isinstance(bins, str) else 10
            edges = [low + (high - low) * index / count for index in builtins_range(count + 1)]
        else:
            edges = _floats(bins)
        counts = [0.0] * (len(edges) - 1)
        for number in x:
            if edges[0] <= number <= edges[-1]:
                counts[min(bisect_right(edges, number), len(counts)) - 1] += 1.0
        if density and sum(counts):
            counts = [n / (sum(counts) * (edges[i + 1] - edges[i])) for i, n in enumerate(counts)]
        middles = [(a + b) / 2 for a, b in pairwise(edges)]
        drawn = self._add(
            "bars", middles, counts, label, sizes=[b - a for a, b in pairwise(edges)], color=_color(color)
        )
        return _array(counts), _array(edges), drawn

    def fill_between(self, x, y1, y2=0, label="", color=None, **_keywords):
        """Draw the area between two lines."""
        x, upper, lower = _floats(x), _floats(y1), _floats(y2)
        upper, lower = (numbers * len(x) if len(numbers) == 1 else numbers for numbers in (upper, lower))
        self._pair(x, lower)
        return self._add("area", *self._pair(x, upper), label, base=lower, color=_color(color))

    def errorbar(self, x, y, *arguments, label="", color=None, **_keywords):
        """Draw the line without its error bars."""
        _say("plt.errorbar draws its line here, without the bars")
        return self._add("line", *self._pair(x, y), label, color=_color(color))

    def step(self, x, y, *_arguments, label="", color=None, **_keywords):
        """Draw a line of steps, each reached at its point."""
        x, y = self._pair(x, y)
        corners = [each for pair in pairwise(x) for each in (pair[0], pair[0])] + x[-1:]
        heights = [each for pair in pairwise(y) for each in pair] + y[-1:]
        return self._add("line", corners, heights, label, color=_color(color))

    def axhline(self, y=0, *_arguments, label="", color=None, c=None, linestyle="", ls="", **_keywords):
        """Draw a level line."""
        return self._add("level", y=_floats(y), label=label, color=_color(c or color), style=linestyle or ls)

    def axvline(self, x=0, *_arguments, label="", color=None, c=None, linestyle="", ls="", **_keywords):
        """Draw an upright line."""
        return self._add("upright", x=_floats(x), label=label, color=_color(c or color), style=linestyle or ls)

    def hlines(self, y, xmin, xmax, colors=None, linestyles="", label="", **_keywords):
        """Draw level lines between two places."""
        for each in _floats(y):
            self._add("line", [*_floats(xmin), *_floats(xmax)], [each, each], label, color=_color(colors))

    def vlines(self, x, ymin, ymax, colors=None, linestyles="", label="", **_keywords):
        """Draw upright lines between two places."""
        for each in _floats(x):
            self._add("line", [each, each], [*_floats(ymin), *_floats(ymax)], label, color=_color(colors))

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
        _say("A second y axis (twinx) is not drawn here: both curves share one")
        return self

    # Matrices

    def imshow(self, data, cmap=None, aspect=None, vmin=None, vmax=None, extent=None, origin="upper", **_keywords):
        """Draw a matrix as an image."""
        rows, (n_rows, n_columns), _ = _matrix(data)
        if origin == "lower":
            extent = _floats(extent) if extent is not None else [-0.5, n_columns - 0.5, -0.5, n_rows - 0.5]
        else:
            self.upside_down = self.upside_down or extent is None
            extent = _floats(extent) if extent is not None else [-0.5, n_columns - 0.5, n_rows - 0.5, -0.5]
            rows = rows[::-1]
        self.equal = self.equal or aspect != "auto"
        return self._add("image", z=rows, extent=extent, map=_map_name(cmap), ends=_ends(vmin, vmax))

    def matshow(self, data, **keywords):
        """Draw a matrix as an image."""
        return self.imshow(data, **keywords)

    def pcolormesh(self, *arguments, cmap=None, vmin=None, vmax=None, **_keywords):
        """Draw a matrix as an image, its first row below."""
        rows, (n_rows, n_columns), _ = _matrix(arguments[-1])
        extent = [0.0, float(n_columns), 0.0, float(n_rows)]
        if len(arguments) == 3:
            x, y = _axis(arguments[0], 1), _axis(arguments[1], 0)
            extent = [x[0], x[-1], y[0], y[-1]]
        return self._add("image", z=rows, extent=extent, map=_map_name(cmap), ends=_ends(vmin, vmax))

    pcolor = pcolormesh

    def contour(self, *arguments, levels=None, filled=False, cmap=None, colors=None, vmin=None, vmax=None, **_keywords):
        """Draw lines of equal height: `contour(Z)`, `contour(X, Y, Z)`, `contour(X, Y, Z, levels)`."""
        arguments = list(arguments)
        if len(arguments) in (2, 4):
            levels = arguments.pop()
        rows, (n_rows, n_columns), (down, across) = _matrix(arguments[-1])
        if n_rows < 2 or n_columns < 2:
            raise TypeError(f"Input z must be at least a (2, 2) shaped array, but has shape ({n_rows}, {n_columns})")
        x = _axis(arguments[0], 1) if len(arguments) == 3 else list(map(float, builtins_range(n_columns)))
        y = _axis(arguments[1], 0) if len(arguments) == 3 else list(map(float, builtins_range(n_rows)))
        if (len(x), len(y)) != (n_columns, n_rows):
            raise TypeError(f"Shapes of x {len(x)}, y {len(y)} and z ({n_rows}, {n_columns}) do not match")
        chosen = [] if levels is None or isinstance(levels, int) else _floats(levels)[:50]
        count = min(levels, 50) if isinstance(levels, int) else 0
        one = _color(colors if isinstance(colors, str) else colors[0] if colors and len(colors) == 1 else None)
        several = (
            [_color(each) for each in colors] if colors and not isinstance(colors, str) and len(colors) > 1 else []
        )
        return self._add(
            "filled contour" if filled else "contour",
            x[::across],
            y[::down],
            z=rows,
            levels=chosen,
            count=count,
            map=_map_name(cmap),
            color=one,
            colors=several,
            ends=_ends(vmin, vmax),
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
            _say(f"More than {MOST_TEXTS:,} texts in a plot are not drawn")
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
        written["x"] += _floats(x)[:1]
        written["y"] += _floats(y)[:1]
        written["names"].append(str(s)[:64])
        written["colors"].append(_color(color))
        written["anchors"].append(
            [places.get(horizontalalignment or ha, 0.0), places.get(verticalalignment or va, 1.0)]
        )
        return Artist()

    def annotate(self, text, xy, xytext=None, **_keywords):
        """Draw a text at a point, without its arrow."""
        return self.text(*(xy if xytext is None else xytext), text)

    def bar_label(self, *_arguments, **_keywords):
        """Do nothing but say so."""
        _say("plt.bar_label is not drawn here: the heights are read under the pointer")

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
        if isinstance(low, (list, tuple)) or (hasattr(low, "tolist") and len(_plain(low)) == 2):
            low, high = _plain(low)
        before = self.ranges[axis] or [None, None]
        given = [before[0] if low is None else _floats(low)[0], before[1] if high is None else _floats(high)[0]]
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
            left, right, bottom, top = _floats(given)
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
        """Set the ticks of the x axis, and what stands at them."""
        self._tick("x", ticks, labels)

    def set_yticks(self, ticks=(), labels=None, **_keywords):
        """Set the ticks of the y axis, and what stands at them."""
        self._tick("y", ticks, labels)

    def set_xticklabels(self, labels, **_keywords):
        """Set what stands at the ticks of the x axis."""
        self._tick("x", [place for place, _ in self.tick_labels["x"]] or builtins_range(len(labels)), labels)

    def set_yticklabels(self, labels, **_keywords):
        """Set what stands at the ticks of the y axis."""
        self._tick("y", [place for place, _ in self.tick_labels["y"]] or builtins_range(len(labels)), labels)

    def _tick(self, axis, ticks, labels):
        places = _floats(ticks)[:200]
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
        return _not_drawn(name)


class Figure:
    """A page of one or several axes."""

    def __init__(self, number=None):
        self.number = number
        self.axes = []
        self.current = None
        self.title = ""
        if len(FIGURES) < MOST_FIGURES:
            FIGURES.append(self)
        else:
            _say(f"More than {MOST_FIGURES} figures are not drawn")

    def add_subplot(self, rows=1, columns=1, index=1, projection=None, **_keywords):
        """Add axes at a place of a grid, such as `add_subplot(1, 2, 1)` or `add_subplot(121)`."""
        if projection not in (None, "rectilinear"):
            _say(f"Axes with projection={projection!r} are not drawn here")
            return Artist()
        if isinstance(rows, int) and rows > 99:
            rows, columns, index = rows // 100, rows // 10 % 10, rows % 10
        index = index[0] if isinstance(index, (tuple, list)) else index
        row, column = divmod(index - 1, columns)
        for axes in self.axes:
            if (axes.row, axes.column) == (row, column):
                self.current = axes
                return axes
        self.current = Axes(self, row, column)
        self.axes.append(self.current)
        return self.current

    def add_axes(self, *_arguments, **keywords):
        """Add axes that fill the figure."""
        return self.add_subplot(**keywords)

    def gca(self, **_keywords):
        """Return the current axes."""
        return self.current or self.add_subplot()

    def suptitle(self, text, **_keywords):
        """Set the title of the page."""
        self.title = str(text)[:200]

    def subplots(self, nrows=1, ncols=1, squeeze=True, **_keywords):
        """Add a grid of axes and return it."""
        grid = [[self.add_subplot(nrows, ncols, row * ncols + column + 1) for column in builtins_range(ncols)]
                for row in builtins_range(nrows)]  # fmt: skip
        self.current = grid[0][0]
        return _Grid(grid).squeezed() if squeeze else _Grid(grid)

    def savefig(self, *_arguments, **_keywords):
        """Say how a picture is written here."""
        _say("plt.savefig writes no file here: File > Export writes the plot")

    def __getattr__(self, name):
        return _not_drawn(name)


class _Grid(list):
    """Axes in rows; indexed like an array."""

    def __getitem__(self, index):
        if isinstance(index, tuple):
            row, column = index
            if isinstance(row, slice):
                return _Grid(each[column] for each in list.__getitem__(self, row))
            return list.__getitem__(self, row)[column]
        found = list.__getitem__(self, index)
        return _Grid(found) if isinstance(found, list) else found

    @property
    def flat(self):
        return [axes for row in self for axes in (row if isinstance(row, list) else [row])]

    @property
    def shape(self):
        first = list.__getitem__(self, 0)
        return (len(self), len(first)) if isinstance(first, list) else (len(self),)

    def ravel(self):
        return _Grid(self.flat)

    flatten = ravel

    def squeezed(self):
        """Return what matplotlib returns: one axes, a row, a column or the grid."""
        if len(self) == 1:
            row = list.__getitem__(self, 0)
            return row[0] if len(row) == 1 else _Grid(row)
        return _Grid([row[0] for row in self]) if len(list.__getitem__(self, 0)) == 1 else self


def _columns(data):
    """Return one or several series of a plot's y."""
    data = _plain(data)
    if data and isinstance(data[0], (list, tuple)):
        return [_floats(column) for column in zip(*data, strict=False)]
    return [_floats(data)]


def _categories(axes, name, places):
    """Return places as numbers: texts stand for 0, 1, 2, ... and at the ticks."""
    places = _plain(places)
    if not any(isinstance(each, str) for each in places):
        return places
    known = {text: place for place, text in axes.tick_labels[name]}
    for each in places:
        known.setdefault(str(each), float(len(known)))
    axes.tick_labels[name] = [[place, text[:40]] for text, place in [*known.items()][:200]]
    return [known[str(each)] for each in places]


def _axis(data, along):
    """Return the places of a grid's columns (along 1) or rows (along 0), of a vector or of meshgrid's matrix."""
    if len(getattr(data, "shape", ())) == 2:
        data = data[0] if along else data[:, 0]
    data = _plain(data)
    if data and isinstance(data[0], (list, tuple)):
        data = data[0] if along else [row[0] for row in data]
    return _floats(data)


def _ends(low, high):
    return None if low is None and high is None else [None if end is None else _floats(end)[0] for end in (low, high)]


def _map_name(given):
    return given if isinstance(given, str) else getattr(given, "name", "")


def _array(numbers):
    import numpy

    return numpy.array(numbers)


def _not_drawn(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def accepted(*_arguments, **_keywords):
        if name not in _QUIET and not name.startswith("get_"):
            _say(f"plt.{name} is not drawn here")
        return Artist()

    return accepted


def figure(num=None, *_arguments, **_keywords):
    """Begin a new figure, or go on with one that has this number or name."""
    found = next((each for each in FIGURES if num is not None and each.number == num), None)
    _state["figure"] = found or Figure(num)
    return _state["figure"]


def gcf():
    """Return the current figure."""
    return _state["figure"] or figure()


def gca(**_keywords):
    """Return the current axes."""
    return gcf().gca()


def axes(*_arguments, **keywords):
    """Return the current axes, or add them."""
    return gcf().add_subplot(**keywords) if "projection" in keywords else gca()


def sca(chosen):
    """Make axes the current ones."""
    _state["figure"] = chosen.figure
    chosen.figure.current = chosen


def subplots(nrows=1, ncols=1, squeeze=True, **_keywords):
    """Begin a new figure with a grid of axes."""
    made = figure()
    return made, made.subplots(nrows, ncols, squeeze=squeeze)


def subplot(*arguments, **keywords):
    """Choose axes of the current figure, or add them."""
    return gcf().add_subplot(*arguments, **keywords)


def show(*_arguments, **_keywords):
    """End the current figure."""
    _state["figure"] = None


close = show


def suptitle(text, **_keywords):
    """Set the title of the current figure."""
    gcf().suptitle(text)


def savefig(*_arguments, **_keywords):
    """Say how a picture is written here."""
    gcf().savefig()


def _of_axes(name):
    def function(*arguments, **keywords):
        return getattr(gca(), name)(*arguments, **keywords)

    function.__name__ = function.__qualname__ = name
    return function


for _name in _words(
    "plot scatter bar hist imshow matshow pcolormesh pcolor contour contourf fill_between errorbar step axhline "
    "axvline hlines vlines text annotate semilogy semilogx loglog legend axis bar_label twinx"
):
    globals()[_name] = _of_axes(_name)
for _name in ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale", "xticks", "yticks"):
    globals()[_name] = _of_axes(f"set_{_name}")


def __getattr__(name):
    return _not_drawn(name)


class ColorMap(str):
    """The name of a map of colours; the window has the map."""

    @property
    def name(self):
        """Return the name."""
        return str(self)

    def __call__(self, *_arguments, **_keywords):
        """Return no colour: the window chooses."""


class _ColorMaps:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return ColorMap(name)

    def __getitem__(self, name):
        return ColorMap(name)

    def get_cmap(self, name="viridis", *_arguments):
        """Return a map of colours."""
        return ColorMap(name)


cm = colormaps = _ColorMaps()
get_cmap = cm.get_cmap


class _Style:
    def use(self, *_arguments, **_keywords):
        """Do nothing: the window has its own style."""

    available = ()


style = _Style()


def report():
    """Return all axes that something was plotted on, as plain data for the window."""
    return [
        {"figure": number, "row": axes.row, "column": axes.column, "title": axes.names["title"], "page": made.title,
         "x": axes.names["x"], "y": axes.names["y"], "x_range": axes.ranges["x"], "y_range": axes.ranges["y"],
         "x_log": axes.log["x"], "y_log": axes.log["y"], "legend": axes.has_legend, "equal": axes.equal,
         "bare": axes.bare, "upside_down": axes.upside_down, "x_ticks": axes.tick_labels["x"],
         "y_ticks": axes.tick_labels["y"], "series": axes.series + ([axes.written] if axes.written["x"] else [])}
        for number, made in enumerate(FIGURES)
        for axes in made.axes
        if axes.series or axes.written["x"]
    ]  # fmt: skip
