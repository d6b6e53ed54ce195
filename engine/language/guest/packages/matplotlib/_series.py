"""Plotted series as plain data: numbers of any object, colours and styles of formats, and notes given once."""

import math

from engine.language.guest import notes

MOST_POINTS, MOST_SIDE = 5_000, 300
"""Points of a series, and rows and columns of an image, that are kept."""


def words(text):
    return text.split()


_QUIET = frozenset(
    words(
        "grid tight_layout tick_params margins spines minorticks_on minorticks_off set_facecolor subplots_adjust draw "
        "autoscale autoscale_view relim set_size_inches ion ioff pause clf cla clim set_axisbelow set_dpi rc "
        "set_visible set_box_aspect constrained_layout set_alpha colorbar locator_params ticklabel_format set_position"
    )
)
"""Functions that change nothing that is drawn here; colours that stand for numbers always have their scale."""
_LETTERS = {"b": "C0", "g": "green", "r": "red", "c": "darkcyan", "m": "magenta", "y": "goldenrod"}
_LETTERS |= {"k": "black", "w": "white"}
_TABLEAU = words("blue orange green red purple brown pink gray olive cyan")
LINES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-.", "-": "-", "--": "--", ":": ":", "-.": "-."}
_MARKERS = "ov^<>sdDpPh*xX+.,1234|_"


def say(text):
    """Add a note once, at the running line of the program."""
    from engine.language.guest.output import current_line  # it loads this module

    notes.note(text, current_line())


def plain(data):
    """Return arrays, tensors, ranges and other series as lists."""
    data = data.tolist() if hasattr(data, "tolist") else data
    if isinstance(data, (list, tuple)):
        return data
    return list(data) if hasattr(data, "__iter__") and not isinstance(data, str) else [data]


def floats(data):
    """Return data as a list of floats; Values and tensors by their numbers."""
    data = plain(data)
    if set(map(type, data)) <= {float, int, bool}:
        return list(map(float, data))
    return [number for each in data for number in _number(each)]


def _number(each):
    if isinstance(each, (list, tuple)):
        return floats(each)
    each = getattr(each, "data", each) if not hasattr(each, "tolist") else each
    if hasattr(each, "tolist"):
        each = each.tolist()
        return floats(each) if isinstance(each, list) else [float(each)]
    return [math.nan if each is None else float(each)]


def spread(numbers, most=MOST_POINTS):
    """Return every k-th of numbers, so that there are at most so many."""
    return numbers[:: -(-len(numbers) // most)] if len(numbers) > most else numbers


def thin_line(x, y):
    """Return a line of fewer points: of each stretch the lowest and the highest."""
    stretch = -(-len(x) // (MOST_POINTS // 2))
    places = []
    for begin in range(0, len(y), stretch):
        part = y[begin : begin + stretch]
        places += sorted({begin + part.index(min(part)), begin + part.index(max(part))})
    return [x[place] for place in places], [y[place] for place in places]


def is_long(data):
    """Return True for an array that is better thinned outside of the sandbox, where it is."""
    return type(data).__name__ == "ndarray" and len(data.shape) == 1 and data.shape[0] > 4 * MOST_POINTS


def thin_array(x, y):
    """Return of a long array y, and of x or its places, the lowest and the highest number of each stretch."""
    count = y.shape[0]
    say(f"Of {count:,} points about {MOST_POINTS:,} are drawn: of each stretch the lowest and the highest")
    stretch = -(-count // (MOST_POINTS // 2))
    blocks = y[: count // stretch * stretch].reshape(-1, stretch)
    lowest, highest = blocks.argmin(1).tolist(), blocks.argmax(1).tolist()
    places = {index * stretch + place for found in (lowest, highest) for index, place in enumerate(found)}
    places = sorted(places | {0, count - 1})
    return (list(map(float, places)) if x is None else x[places].tolist()), y[places].tolist()


def matrix_of(data):
    """Return a matrix as rows of floats, of a large one every k-th row and column; of colours their brightness."""
    if hasattr(data, "shape"):
        if len(data.shape) == 3:
            say("A picture in colours is drawn here by its brightness")
            data = data.mean(2)
        if len(data.shape) != 2:
            raise TypeError(f"Invalid shape {tuple(data.shape)} for image data")
        n_rows, n_columns = data.shape
    else:
        data = list(data)
        n_rows, n_columns = len(data), len(data[0]) if len(data) else 0
    across, down = max(1, -(-n_columns // MOST_SIDE)), max(1, -(-n_rows // MOST_SIDE))
    if across > 1 or down > 1:
        say(f"Of {n_rows:,} × {n_columns:,} numbers every {down}th row and every {across}th column are drawn")
    rows = data[::down, ::across].tolist() if hasattr(data, "shape") else [plain(row)[::across] for row in data[::down]]
    return [floats(row) for row in rows], (n_rows, n_columns), (down, across)


def color_of(given):
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
        return color_of([float(given)] * 3)
    return _LETTERS.get(given, given)[:20]


def style_of(text):
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
    """A plotted series; later calls on it change nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_arguments, **_keywords: Artist()

    def __iter__(self):
        return iter(())


def columns_of(data):
    """Return one or several series of a plot's y."""
    data = plain(data)
    if data and isinstance(data[0], (list, tuple)):
        return [floats(column) for column in zip(*data, strict=False)]
    return [floats(data)]


def categories(axes, name, places):
    """Return places as numbers: texts stand for 0, 1, 2, ... and at the ticks."""
    places = plain(places)
    if not any(isinstance(each, str) for each in places):
        return places
    known = {text: place for place, text in axes.tick_labels[name]}
    for each in places:
        known.setdefault(str(each), float(len(known)))
    axes.tick_labels[name] = [[place, text[:40]] for text, place in [*known.items()][:200]]
    return [known[str(each)] for each in places]


def places_along(data, along):
    """Return the places of a grid's columns (along 1) or rows (along 0), of a vector or of meshgrid's matrix."""
    if len(getattr(data, "shape", ())) == 2:
        data = data[0] if along else data[:, 0]
    data = plain(data)
    if data and isinstance(data[0], (list, tuple)):
        data = data[0] if along else [row[0] for row in data]
    return floats(data)


def ends_of(low, high):
    return None if low is None and high is None else [None if end is None else floats(end)[0] for end in (low, high)]


def map_name(given):
    return given if isinstance(given, str) else getattr(given, "name", "")


def as_array(numbers):
    import numpy

    return numpy.array(numbers)


def not_drawn(name):
    if name.startswith("__"):
        raise AttributeError(name)

    def accepted(*_arguments, **_keywords):
        if name not in _QUIET and not name.startswith("get_"):
            say(f"plt.{name} is not drawn here")
        return Artist()

    return accepted
