"""`matplotlib.pyplot`: records plots as data; the window draws them.

Lines, points, bars, histograms, images, contours, areas, texts, labels, limits, legends, ticks, logarithmic axes,
several axes and figures are kept. All other calls are accepted, with a note at their line that it is not
drawn. Series larger than a screen can show are thinned, with a note.
"""

from ._axes import Axes
from ._series import Artist, not_drawn, say, words

MOST_FIGURES = 20
FIGURES = []
"""All figures of the program, in the order in which they were made."""
_state = {"figure": None}
builtins_range = range


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
            say(f"More than {MOST_FIGURES} figures are not drawn")

    def add_subplot(self, rows=1, columns=1, index=1, projection=None, **_keywords):
        """Add axes at a place of a grid, such as `add_subplot(1, 2, 1)` or `add_subplot(121)`."""
        if projection not in (None, "rectilinear"):
            say(f"Axes with projection={projection!r} are not drawn here")
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
        say("plt.savefig writes no file here: File > Export writes the plot")

    def __getattr__(self, name):
        return not_drawn(name)


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


for _name in words(
    "plot scatter bar hist imshow matshow pcolormesh pcolor contour contourf fill_between errorbar step axhline "
    "axvline hlines vlines text annotate semilogy semilogx loglog legend axis bar_label twinx"
):
    globals()[_name] = _of_axes(_name)
for _name in ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale", "xticks", "yticks"):
    globals()[_name] = _of_axes(f"set_{_name}")


def __getattr__(name):
    return not_drawn(name)


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
