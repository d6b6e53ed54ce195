"""`matplotlib.pyplot`: notes what is plotted, as data; the window draws it.

Lines, points, bars, histograms, images, contours, labels, limits, legends, logarithmic axes, several axes and figures
are kept. Whatever else is asked for is accepted and named in `NOT_DRAWN`, so that the window can say it once. Colours
and styles are the window's own.
"""

import math
from itertools import pairwise

MOST_FIGURES, MOST_SERIES, MOST_POINTS = 20, 60, 20_000
FIGURES = []
"""All figures of the program, in the order in which they were made."""
NOT_DRAWN = {}
"""Names of functions that were asked for and are not drawn; the values mean nothing."""

_QUIET = frozenset([
    "grid", "tight_layout", "tick_params", "set_aspect", "margins", "spines", "axis", "minorticks_on",
    "set_facecolor", "subplots_adjust", "autoscale", "set_size_inches", "ion", "ioff", "pause", "draw", "clf",
    "cla", "style", "set_axis_off", "colorbar", "get_legend", "set_dpi", "set_box_aspect", "set_xticks",
    "set_yticks", "xticks", "yticks", "set_xticklabels", "set_yticklabels", "savefig", "constrained_layout",
    "set_alpha",
])  # fmt: skip
"""Functions that change nothing that is drawn here."""


def _floats(data):
    """Return data as a list of floats; Values and tensors by their numbers."""
    if hasattr(data, "ravel"):
        data = data.ravel()
    data = data.tolist() if hasattr(data, "tolist") else data
    if isinstance(data, (int, float)):
        data = [data]
    found = []
    for each in data:
        each = getattr(each, "data", each)
        found.append(float(each.item() if hasattr(each, "item") else each))
    return found


def _rows(data):
    """Return data of two dimensions as lists of floats."""
    data = data.tolist() if hasattr(data, "tolist") else data
    return [_floats(row) for row in data]


class Artist:
    """Something that was plotted; what is asked of it afterwards changes nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_arguments, **_keywords: None


class Axes:
    """One plot: series, texts and ranges."""

    def __init__(self, figure, row=0, column=0):
        self.figure = figure
        self.row, self.column = row, column
        self.texts = {"title": "", "x": "", "y": ""}
        self.ranges = {"x": None, "y": None}
        self.log = {"x": False, "y": False}
        self.series = []
        self.has_legend = False

    def _add(self, kind, x=(), y=(), label="", **more):
        if len(self.series) >= MOST_SERIES:
            raise MemoryError(f"a plot here has at most {MOST_SERIES} series")
        label = "" if label is None or str(label).startswith("_") else str(label)[:64]
        self.series.append({"kind": kind, "x": x[:MOST_POINTS], "y": y[:MOST_POINTS], "label": label, **more})
        return Artist()

    def _pair(self, x, y):
        x, y = _floats(x), _floats(y)
        if len(x) != len(y):
            raise ValueError(f"x and y must have same first dimension, but have shapes ({len(x)},) and ({len(y)},)")
        return x, y

    def plot(self, *arguments, label="", **keywords):
        """Draw lines: `plot(y)`, `plot(x, y)`, `plot(x, y, "o")`, several pairs at once."""
        made, arguments = [], list(arguments)
        while arguments:
            first = arguments.pop(0)
            second = arguments.pop(0) if arguments and not isinstance(arguments[0], str) else None
            style = arguments.pop(0) if arguments and isinstance(arguments[0], str) else ""
            columns = _columns(first if second is None else second)
            for y in columns:
                x = list(map(float, range(len(y)))) if second is None else first
                style = style or keywords.get("marker", "") * (
                    keywords.get("linestyle", keywords.get("ls")) in ("", "None")
                )
                is_line = not style or any(sign in style for sign in "-:") or (style.isalpha() and style not in "ovsx")
                made.append(self._add("line" if is_line else "points", *self._pair(x, y), label))
        return made

    def scatter(self, x, y, s=None, c=None, label="", **_keywords):
        """Draw points; numbers in `c` colour them."""
        colors = []
        if c is not None and not isinstance(c, str):
            try:
                colors = _floats(c)
            except (TypeError, ValueError):
                colors = []
        x, y = self._pair(x, y)
        return self._add("points", x, y, label, z=colors if len(colors) == len(x) else [])

    def bar(self, x, height, width=0.8, label="", **_keywords):
        """Draw bars upwards; names instead of numbers stand for 0, 1, 2, ..."""
        x = list(x) if not isinstance(x, (int, float)) else [x]
        names = [each for each in x if isinstance(each, str)]
        heights = _floats(height)
        if len(heights) == 1 and len(x) > 1:
            heights *= len(x)
        places = list(map(float, range(len(x)))) if names else _floats(x)
        return self._add("bars", places, heights, label, width=float(width), names=names[:200])

    def hist(self, x, bins=10, range=None, density=False, label="", **_keywords):
        """Draw a histogram; returns counts, edges and what was drawn, as matplotlib does."""
        x = [number for number in _floats(x) if math.isfinite(number)]
        if isinstance(bins, (int, float)):
            low, high = range or (min(x, default=0.0), max(x, default=1.0))
            low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
            count = max(1, min(int(bins), 1_000))
            edges = [low + (high - low) * index / count for index in builtins_range(count + 1)]
        else:
            edges = _floats(bins)
        counts = [0.0] * (len(edges) - 1)
        for number in x:
            if edges[0] <= number <= edges[-1]:
                place = max((i for i in builtins_range(len(counts)) if edges[i] <= number), default=0)
                counts[place] += 1.0
        if density and x:
            counts = [n / (len(x) * (edges[i + 1] - edges[i])) for i, n in enumerate(counts)]
        middles = [(a + b) / 2 for a, b in pairwise(edges)]
        width = edges[1] - edges[0]
        return counts, edges, self._add("bars", middles, counts, label, width=width, names=[])

    def imshow(self, data, extent=None, origin="upper", **_keywords):
        """Draw a matrix as an image."""
        rows = _rows(data)
        extent = list(map(float, extent)) if extent is not None else [-0.5, len(rows[0]) - 0.5, len(rows) - 0.5, -0.5]
        return self._add("image", z=rows, extent=extent, upper=origin == "upper")

    matshow = pcolormesh = lambda self, *arguments, **keywords: self.imshow(arguments[-1], **keywords)

    def contour(self, *arguments, levels=None, filled=False, **_keywords):
        """Draw lines of equal height: `contour(Z)`, `contour(X, Y, Z)`, `contour(X, Y, Z, levels)`."""
        arguments = list(arguments)
        if len(arguments) in (2, 4):
            levels = arguments.pop()
        rows = _rows(arguments[-1])
        x = _axis(arguments[0], 1, len(rows[0])) if len(arguments) == 3 else list(map(float, range(len(rows[0]))))
        y = _axis(arguments[1], 0, len(rows)) if len(arguments) == 3 else list(map(float, range(len(rows))))
        kept = [] if levels is None or isinstance(levels, int) else _floats(levels)[:50]
        return self._add("filled contour" if filled else "contour", x, y, z=rows, levels=kept)

    def contourf(self, *arguments, **keywords):
        """Draw areas between lines of equal height."""
        return self.contour(*arguments, filled=True, **keywords)

    def fill_between(self, x, y1, y2=0, label="", **_keywords):
        """Draw the edges of an area as two lines."""
        x = _floats(x)
        for y in (y1, y2):
            numbers = _floats(y)
            self._add("line", x, numbers * len(x) if len(numbers) == 1 else numbers, label if y is y1 else "")
        return Artist()

    def errorbar(self, x, y, *_arguments, label="", **_keywords):
        """Draw the line without its error bars."""
        NOT_DRAWN["errorbar (bars)"] = True
        return self._add("line", *self._pair(x, y), label)

    def step(self, x, y, *_arguments, label="", **_keywords):
        """Draw a line as `plot` does."""
        return self._add("line", *self._pair(x, y), label)

    def axhline(self, y=0, *_arguments, label="", **_keywords):
        """Draw a level line."""
        return self._add("level", y=[float(y)], label=label)

    def axvline(self, x=0, *_arguments, label="", **_keywords):
        """Draw an upright line."""
        return self._add("upright", x=[float(x)], label=label)

    def text(self, x, y, s, *_arguments, **_keywords):
        """Draw a text at a point."""
        return self._add("text", [float(x)], [float(y)], s)

    def annotate(self, text, xy, *_arguments, **_keywords):
        """Draw a text at a point, without its arrow."""
        return self.text(xy[0], xy[1], text)

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

    def set_title(self, text, *_arguments, **_keywords):
        """Set the title."""
        self.texts["title"] = str(text)[:200]

    def set_xlabel(self, text, *_arguments, **_keywords):
        """Set the name of the x axis."""
        self.texts["x"] = str(text)[:200]

    def set_ylabel(self, text, *_arguments, **_keywords):
        """Set the name of the y axis."""
        self.texts["y"] = str(text)[:200]

    def set_xlim(self, low=None, high=None, **_keywords):
        """Set the ends of the x axis."""
        return self._limit("x", low, high)

    def set_ylim(self, low=None, high=None, **_keywords):
        """Set the ends of the y axis."""
        return self._limit("y", low, high)

    def _limit(self, axis, low, high):
        if isinstance(low, (list, tuple)):
            low, high = low
        if low is not None and high is not None:
            self.ranges[axis] = [float(low), float(high)]
        return tuple(self.ranges[axis] or (0.0, 1.0))

    def set_xscale(self, name, **_keywords):
        """Make the x axis "log" or "linear"."""
        self.log["x"] = name in ("log", "symlog")

    def set_yscale(self, name, **_keywords):
        """Make the y axis "log" or "linear"."""
        self.log["y"] = name in ("log", "symlog")

    def set(self, **texts):
        """Set several properties at once, such as `title="loss"`."""
        for name, value in texts.items():
            getattr(self, f"set_{name}")(value)

    def legend(self, labels=None, *_arguments, **_keywords):
        """Show the labels; a list names the series in their order."""
        self.has_legend = True
        if isinstance(labels, (list, tuple)) and all(isinstance(each, str) for each in labels):
            for series, label in zip(self.series, labels, strict=False):
                series["label"] = label[:64]

    def __getattr__(self, name):
        return _not_drawn(name)


class Figure:
    """A page of one or several axes."""

    def __init__(self):
        if len(FIGURES) >= MOST_FIGURES:
            raise MemoryError(f"a program here makes at most {MOST_FIGURES} figures")
        FIGURES.append(self)
        self.axes = []
        self.current = None
        self.title = ""

    def add_subplot(self, rows=1, columns=1, index=1, **_keywords):
        """Add axes at a place of a grid, such as `add_subplot(1, 2, 1)` or `add_subplot(121)`."""
        if isinstance(rows, int) and rows > 99:
            rows, columns, index = rows // 100, rows // 10 % 10, rows % 10
        row, column = divmod(index - 1, columns)
        for axes in self.axes:
            if (axes.row, axes.column) == (row, column):
                self.current = axes
                return axes
        self.current = Axes(self, row, column)
        self.axes.append(self.current)
        return self.current

    def gca(self):
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

    def __getattr__(self, name):
        return _not_drawn(name)


class _Grid(list):
    """Axes in rows; indexed like an array."""

    def __getitem__(self, index):
        if isinstance(index, tuple):
            return list.__getitem__(self, index[0])[index[1]]
        return list.__getitem__(self, index)

    @property
    def flat(self):
        return [axes for row in self for axes in (row if isinstance(row, list) else [row])]

    def ravel(self):
        return _Grid(self.flat)

    flatten = ravel

    def squeezed(self):
        """Return what matplotlib returns: one axes, a row, a column or the grid."""
        if len(self) == 1:
            row = list.__getitem__(self, 0)
            return row[0] if len(row) == 1 else _Grid(row)
        return _Grid([row[0] for row in self]) if len(list.__getitem__(self, 0)) == 1 else self


builtins_range = range
_state = {"figure": None}


def _columns(data):
    """Return one or several series of a plot's y."""
    data = data.tolist() if hasattr(data, "tolist") else data
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], (list, tuple)):
        return [_floats(column) for column in zip(*data, strict=False)]
    return [_floats(data)]


def _axis(data, along, count):
    """Return the places of a grid's columns (along 1) or rows (along 0), of a vector or of meshgrid's matrix."""
    data = data.tolist() if hasattr(data, "tolist") else list(data)
    if isinstance(data[0], (list, tuple)):
        data = data[0] if along else [row[0] for row in data]
    return _floats(data)[:count]


def _not_drawn(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def accepted(*_arguments, **_keywords):
        if name not in _QUIET and not name.startswith("get_"):
            NOT_DRAWN[name] = True
        return Artist()

    return accepted


def figure(*_arguments, **_keywords):
    """Begin a new figure."""
    _state["figure"] = Figure()
    return _state["figure"]


def gcf():
    """Return the current figure."""
    return _state["figure"] or figure()


def gca():
    """Return the current axes."""
    return gcf().gca()


def subplots(nrows=1, ncols=1, squeeze=True, **_keywords):
    """Begin a new figure with a grid of axes."""
    made = figure()
    return made, made.subplots(nrows, ncols, squeeze)


def subplot(*arguments, **_keywords):
    """Choose axes of the current figure, or add them."""
    return gcf().add_subplot(*arguments)


def show(*_arguments, **_keywords):
    """End the current figure."""
    _state["figure"] = None


def close(*_arguments, **_keywords):
    """End the current figure."""
    _state["figure"] = None


def suptitle(text, **_keywords):
    """Set the title of the current figure."""
    gcf().suptitle(text)


def _of_axes(name):
    def function(*arguments, **keywords):
        return getattr(gca(), name)(*arguments, **keywords)

    function.__name__ = function.__qualname__ = name
    return function


_OF_AXES = [
    "plot", "scatter", "bar", "hist", "imshow", "matshow", "pcolormesh", "contour", "contourf", "fill_between",
    "errorbar", "step", "axhline", "axvline", "text", "annotate", "semilogy", "semilogx", "loglog", "legend",
]  # fmt: skip
for _name in _OF_AXES:
    globals()[_name] = _of_axes(_name)
for _name in ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale"):
    globals()[_name] = _of_axes(f"set_{_name}")


def __getattr__(name):
    return _not_drawn(name)


class _Style:
    def use(self, *_arguments, **_keywords):
        """Do nothing: the window has its own style."""

    available = ()


style = _Style()


def report():
    """Return all axes that something was plotted on, as plain data for the window."""
    return [
        {"figure": number, "row": axes.row, "column": axes.column, "title": axes.texts["title"] or made.title,
         "x": axes.texts["x"], "y": axes.texts["y"], "x_range": axes.ranges["x"], "y_range": axes.ranges["y"],
         "x_log": axes.log["x"], "y_log": axes.log["y"], "legend": axes.has_legend, "series": axes.series}
        for number, made in enumerate(FIGURES)
        for axes in made.axes
        if axes.series
    ]  # fmt: skip
