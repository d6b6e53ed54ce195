"""The picture of a graph, as data: every box, text, colour role and edge that is drawn, without a drawing library.

A `Picture` holds what changes when the graph changes (places, labels, routes); a `BoxNumbers` holds what changes while
training or stepping (the numbers in one box). The canvas and every export draw the same two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import networkx as nx
import numpy as np

from engine.autograd import Value
from engine.graph.elements import elements_of
from engine.graph.forms import FIRST_FORM, Role, sized
from engine.layout import Layout
from engine.teaching.typeset import minus_in_formula

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
State = Literal["unknown", "zero", "positive", "negative", "size", "bad"]
"""Visible state of a number; "size" has no sign, such as a norm."""


@dataclass(frozen=True, slots=True)
class Box:
    """A value: label | data | grad.

    Attributes:
        key: name of the node in the graph.
        x, y: centre, scene pixels.
        width, height: scene pixels.
        label: what names it; may be empty.
        role: which tint and shape it gets.
        members: number of values in a collapsed group, 0 for a plain value.
        note: content of a collapsed group: `4 neurons · 20 values`.
        form: how name and numbers stand in it, a name of `engine.graph.forms.FORMS`.
    """

    key: str
    x: float
    y: float
    width: float
    height: float
    label: str
    role: Role
    members: int = 0
    note: str = ""
    form: str = FIRST_FORM


@dataclass(frozen=True, slots=True)
class Circle:
    """An operation: its symbol in a circle around (x, y), in scene pixels; `name` is its name in the table."""

    key: str
    x: float
    y: float
    radius: float
    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one node to another.

    Attributes:
        source, target: node keys.
        curves: cubic Bézier pieces from the source's side to the target's, scene pixels.
        multiplicity: how many operands run along it; drawn as that many parallel lines.
        operands: which operands of the operation it leads to they are, counted from 0; () for a closed group.
    """

    source: str
    target: str
    curves: tuple[Curve, ...]
    multiplicity: int = 1
    operands: tuple[int, ...] = ()


@dataclass(frozen=True)
class Picture:
    """Everything that is drawn for one graph.

    Attributes:
        boxes, circles, edges: by key, and for edges by (source key, target key).
        bounds: (left, top, right, bottom), scene pixels.
    """

    boxes: Mapping[str, Box] = field(default_factory=dict)
    circles: Mapping[str, Circle] = field(default_factory=dict)
    edges: Mapping[tuple[str, str], Edge] = field(default_factory=dict)
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class BoxNumbers:
    """The numbers of one box at one moment.

    Attributes:
        data, grad: short texts of fixed width; "" for a grad that a constant never gets.
        data_state, grad_state: how to colour and mark them; "unknown" is "not computed yet".
        full: all digits, for tool-tips.
        problem: what went wrong here, in words; "" for nothing.
    """

    data: str
    grad: str
    data_state: State
    grad_state: State
    full: str = ""
    problem: str = ""


EMPTY_PICTURE = Picture()
LARGEST_WHOLE = 10**9
"""Bound of the whole numbers that are written with all their digits in a box."""


def make_picture(graph: nx.DiGraph, placed: Layout, form: str = FIRST_FORM) -> Picture:
    """Return the picture of a graph: its boxes, circles and edges at the places of a layout.

    Args:
        graph: as `build_graph` makes it.
        placed: its layout, or the layout of the graph in another form (`forms.sized`).
        form: of its boxes.
    """
    sizes = sized(graph, form).nodes
    boxes: dict[str, Box] = {}
    circles: dict[str, Circle] = {}
    for key, attributes in graph.nodes(data=True):
        x, y = placed.positions[key]
        if attributes["kind"] == "op":
            circles[key] = Circle(key, x, y, attributes["width"] / 2, attributes["text"], attributes["op"].name)
        else:
            boxes[key] = Box(
                key, x, y, sizes[key]["width"], sizes[key]["height"],
                minus_in_formula(attributes["label"]), attributes["role"], attributes["members"],
                attributes.get("note", ""), form,
            )  # fmt: skip
    edges = {}
    for u, v in placed.curves:
        about = graph.edges[u, v]
        several, operands = about.get("multiplicity", 1), about.get("operands", ())
        edges[str(u), str(v)] = Edge(str(u), str(v), tuple(placed.curves[u, v]), several, operands)
    return Picture(boxes, circles, edges, placed.bounds)


def stored_numbers(value: Value) -> tuple[Any, Any]:
    """Return (data, grad) stored in a value."""
    return value.data, value.known_grad


def read_numbers(
    graph: nx.DiGraph,
    look_up: Callable[[Value], tuple[Any, Any]] = stored_numbers,
    problems: Mapping[int, str] | None = None,
) -> dict[str, BoxNumbers]:
    """The reading of every box; of numbers that stand alone the texts are made when they are looked at.

    Args:
        graph: as `build_graph` makes it; a collapsed group reads as its output, one with several as their norms.
        look_up: returns the present (data, grad) of a value, None where not computed yet.
        problems: words about values that went wrong, by `id(value)`.
    """
    return {
        key: _reading_of(attributes, look_up, problems or {})
        for key, attributes in graph.nodes(data=True)
        if attributes["kind"] == "value"
    }


def without_gradients(readings: dict[str, BoxNumbers], hidden: Collection[str]) -> dict[str, BoxNumbers]:
    """The readings with a question mark for the gradients of the boxes that are named."""
    return {key: _hidden(reading) if key in hidden else reading for key, reading in readings.items()}


def _hidden(reading: BoxNumbers) -> BoxNumbers:
    full = "\n".join(line for line in reading.full.splitlines() if not line.startswith("grad "))
    return replace(reading, grad="?", grad_state="unknown", full=f"{full}\ngrad hidden: predict it")


def _reading_of(
    attributes: Mapping[str, Any], look_up: Callable[[Value], tuple[Any, Any]], problems: Mapping[int, str]
) -> BoxNumbers:
    value, problem = attributes["value"], ""
    if problems:
        inside = attributes.get("inside", ())
        problem = problems.get(id(value), "") or next((problems[id(v)] for v in inside if id(v) in problems), "")
    if len(attributes.get("outputs", ())) < 2:
        return reading(*look_up(value), attributes["role"], problem)
    datas, grads = zip(*map(look_up, attributes["outputs"]), strict=True)
    size, slope = norm(datas), norm(grads)
    full = f"data {spread_text(datas, size)}\ngrad {spread_text(grads, slope)}"
    return BoxNumbers(norm_text(size), norm_text(slope), norm_state(size), norm_state(slope), full, problem)


def norm(numbers: Sequence[Any]) -> float | None:
    """The length of several numbers as a vector, √(Σ x²): how a group with several outputs is summed up; None when one
    is not computed.
    """
    if any(number is None for number in numbers):
        return None
    return math.hypot(*(n if n.__class__ is float else float(np.linalg.norm(n)) for n in numbers))


def norm_text(size: float | None) -> str:
    """A norm in at most ten characters, between double bars."""
    if size is None:
        return cell_text(None)
    fits = size == 0 or 0.5 / 10**_decimals <= size < 10 ** (7 - _decimals) - 0.5
    text = f"{size:.{_decimals}f}" if fits else f"{size:.2e}"
    return f"‖{text}‖" if math.isfinite(size) else cell_text(size)


def norm_state(size: float | None) -> State:
    """The state of a norm: it is above 0 whichever way the gradients point, and must not look like a positive one."""
    state = state_of(size)
    return "size" if state == "positive" else state


def spread_text(numbers: Sequence[Any], size: float | None) -> str:
    """Several numbers in words, for tool-tips: how many, from where to where, and with all digits their norm `size`."""
    if size is None:
        return f"of {len(numbers)} outputs not computed yet"
    if any(number.__class__ is not float and isinstance(number, np.ndarray) for number in numbers):
        return f"of {len(numbers)} outputs: norm ‖·‖ = {size!r}"
    return f"of {len(numbers)} outputs from {min(numbers):.6g} to {max(numbers):.6g}, norm ‖·‖ = {size!r}"


def reading(data: Any, grad: Any, role: Role, problem: str = "") -> BoxNumbers:
    """The texts and states of one pair of numbers."""
    if data.__class__ is float and (grad is None or grad.__class__ is float):
        return _FloatNumbers.of(data, grad, role == "constant", problem)
    return _written(data, grad, role == "constant", problem)


def _written(data: Any, grad: Any, is_constant: bool, problem: str) -> BoxNumbers:
    if is_constant:
        text = cell_text(data) if isinstance(data, np.ndarray) else "–" if data is None else f"{data:g}"
        text = text.replace("-", "−")
        return BoxNumbers(text, "", state_of(data), "unknown", f"constant {data!r}", problem)
    full = f"data {full_text(data)}\ngrad {full_text(grad)}"
    return BoxNumbers(cell_text(data), cell_text(grad, signed=True), state_of(data), state_of(grad), full, problem)


class _FloatNumbers(BoxNumbers):
    """Those of two floats, or of one whose gradient is not computed: written down when they are first looked at. Of
    the thousands of boxes of a large graph few are seen.
    """

    __slots__ = ("_numbers", "_text")
    _numbers: tuple[float, float | None, bool, str]
    _text: BoxNumbers | None

    def __new__(cls, *args: Any, **fields: Any) -> Any:
        """A copy with other texts (`dataclasses.replace`) is a plain one."""
        return BoxNumbers(*args, **fields)

    @classmethod
    def of(cls, data: float, grad: float | None, is_constant: bool, problem: str) -> BoxNumbers:
        """Takes the numbers."""
        made = object.__new__(cls)
        object.__setattr__(made, "_numbers", (data, grad, is_constant, problem))
        object.__setattr__(made, "_text", None)
        return made

    @property
    def _whole(self) -> BoxNumbers:
        text = self._text
        if text is None:
            text = _written(*self._numbers)
            object.__setattr__(self, "_text", text)
        return text

    data = property(lambda self: self._whole.data)
    grad = property(lambda self: self._whole.grad)
    data_state = property(lambda self: state_of(self._numbers[0]))
    grad_state = property(lambda self: "unknown" if self._numbers[2] else state_of(self._numbers[1]))
    full = property(lambda self: self._whole.full)
    problem = property(lambda self: self._numbers[3])

    def __eq__(self, other: object) -> bool:
        if other.__class__ is _FloatNumbers and self._numbers == other._numbers:
            return True
        return self._whole == (other._whole if isinstance(other, _FloatNumbers) else other)


def state_of(number: Any) -> State:
    """Not computed, zero, positive, negative, or not finite."""
    if number is None:
        return "unknown"
    if isinstance(number, np.ndarray):
        number = float(number.sum()) if number.size else 0.0
    if not math.isfinite(number):
        return "bad"
    return "zero" if number == 0 else "positive" if number > 0 else "negative"


DECIMALS, MOST_DECIMALS = 4, 6
"""Digits after the point of a shown number, at first and at most."""
_decimals = DECIMALS


def set_decimals(decimals: int) -> None:
    """Choose the digits after the point, 1 to `MOST_DECIMALS`, of all numbers that are written from now on."""
    global _decimals
    if not 1 <= decimals <= MOST_DECIMALS:
        raise ValueError(f"between 1 and {MOST_DECIMALS} decimals can be shown, not {decimals}")
    _decimals = decimals


def shown_decimals() -> int:
    """Return the digits after the point that numbers are written with."""
    return _decimals


def cell_text(number: Any, signed: bool = False) -> str:
    """A number in at most ten characters: with `shown_decimals`, or a power of ten where those would not show it; an
    `int` without decimals. Its minus is a real one, −, as wide as a digit.

    Args:
        number: float, int, array (its shape is shown) or None (a dash: not computed).
        signed: writes + before positive numbers.
    """
    if number is None:
        return "–"
    if isinstance(number, np.ndarray):
        shape = "×".join(map(str, number.shape))
        return f"[{shape}]" if number.ndim == 1 else shape  # a 3 alone would be a number
    sign = "+" if signed else ""
    if number.__class__ is int and abs(number) < LARGEST_WHOLE:
        return f"{number:{sign}d}".replace("-", "−")
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return ("+" if number > 0 and signed else "−" if number < 0 else "") + "∞"
    size, number = abs(number), number + 0.0  # a zero below 0 is 0
    fits = size == 0 or 0.5 / 10**_decimals <= size < 10 ** (8 - _decimals) - 0.5
    text = f"{number:{sign}.{_decimals}f}" if fits else f"{number:{sign}.2e}"
    return text.replace("-", "−")


def full_text(number: Any) -> str:
    """Return a number with all digits, an array as a table of its elements; words where nothing is computed."""
    if number is None:
        return "not computed yet"
    elements = elements_of(number)
    if elements is None:
        return repr(number if number.__class__ is int else float(number))
    return "\n".join([f"array {number.shape}", *elements.lines()])
