"""Results of a run: values with names, places and roles, output, plots, moments, statements."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.autograd.value import Value
from engine.language.notes import Note


@dataclass(frozen=True, slots=True)
class Problem:
    """A mathematical problem at the node that caused it.

    Attributes:
        message: one sentence, such as `division by zero`.
        line: from 1.
        column: from 1, where the operation stands.
        value: the node.
    """

    message: str
    line: int
    column: int
    value: Value


@dataclass(frozen=True, slots=True)
class Leaf:
    """A name whose number stands in the text, so that a slider can change it.

    Attributes:
        name: the name it is bound to.
        key: the same for one leaf while other lines are edited (see `Origin`): `a`, `a#2` for the second `a`.
        title: what a slider is called: the name, with its line where the name has other values, too.
        value: the leaf.
        number: its data.
        line: from 1.
        column: from 1, where the number (with its sign) begins.
        start: offset of the number in the text.
        end: offset behind it.
        is_whole: it is written as a whole number, which the program may count with.
    """

    name: str
    key: str
    title: str
    value: Value
    number: float
    line: int
    column: int
    start: int
    end: int
    is_whole: bool = False


class Origin(NamedTuple):
    """Origin of a value in the text.

    Attributes:
        key: a name for the node that stays the same while other lines are edited: `n`, `n#2` for the second `n`,
            `n.0` for the first unnamed part of the statement that makes `n`.
        line: line of its statement, from 1.
        column: column of its statement, from 1.
        start: offset of the value's own expression in the text; of its statement where that is unknown.
        end: offset behind it.
    """

    key: str
    line: int
    column: int
    start: int
    end: int


class Printed(NamedTuple):
    """A piece of what a program printed.

    Attributes:
        line: of the statement that printed it, from 1; 0 where it is unknown.
        text: as printed, ends of lines included.
    """

    line: int
    text: str


class Series(NamedTuple):
    """One series of a plot.

    Attributes:
        kind: `line`, `points`, `bars`, `area`, `image`, `contour`, `filled contour`, `text`, or `level` and `upright`
            for lines across all of the plot.
        x: a number for each point; not finite ones included. Of contours the places of the columns.
        y: the same, as many. Of contours the places of the rows.
        label: may be empty.
        z: of images and contours the rows of their numbers, the lowest first; of points numbers that colour them.
        names: of texts what they say.
        levels: of contours; empty: to be chosen.
        n_levels: to be chosen; 0: as many as look well.
        extent: of an image: left, right, and y of the first and the last row's outer edge.
        color: of all of it: `C0` to `C9`, #rrggbb or a name; "" to be chosen.
        colors: the same of each point, bar or text.
        marker: letter of matplotlib; "" to be chosen.
        style: of a line: `-`, `--`, `:` or `-.`; "" for a plain one.
        sizes: of points their diameters, of bars their widths: one for all, or one each.
        base: where bars or areas begin, as many as there are points; empty: at 0.
        map: name of the map of colours for z; may be empty.
        ends: of that map: lowest and highest number, None: to be chosen.
        anchors: of texts which of their points stands there, across and down from 0 to 1.
    """

    kind: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    label: str = ""
    z: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()
    n_levels: int = 0
    extent: tuple[float, ...] = ()
    color: str = ""
    colors: tuple[str, ...] = ()
    marker: str = ""
    style: str = ""
    sizes: tuple[float, ...] = ()
    base: tuple[float, ...] = ()
    map: str = ""
    ends: tuple[float | None, float | None] = (None, None)
    anchors: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """One pair of axes that a program plotted on.

    Attributes:
        title: may be empty.
        x_label: may be empty.
        y_label: may be empty.
        series: in the order in which they were drawn.
        figure: number of the figure, from 0.
        row: in the grid of the figure, from 0.
        column: the same.
        page: title of the figure.
        x_range: ends of the axis that the program set; None for one that it left open.
        y_range: the same.
        x_log: the axis is logarithmic.
        y_log: the same.
        legend: the program asked for one.
        equal: both axes have one unit.
        bare: no axes are drawn.
        upside_down: y grows downwards.
        x_ticks: places and what stands at them; empty: to be chosen.
        y_ticks: the same.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    figure: int = 0
    row: int = 0
    column: int = 0
    page: str = ""
    x_range: tuple[float | None, float | None] = (None, None)
    y_range: tuple[float | None, float | None] = (None, None)
    x_log: bool = False
    y_log: bool = False
    legend: bool = False
    equal: bool = False
    bare: bool = False
    upside_down: bool = False
    x_ticks: tuple[tuple[float, str], ...] = ()
    y_ticks: tuple[tuple[float, str], ...] = ()


_LOCK = Lock()
"""Held while the graph of a moment is built, which two threads may ask for."""


class BackwardCall:
    """The graph right after a call of `backward()`, with the numbers it had then.

    Attributes:
        line: of the call, from 1; 0 where it is unknown.
        label: such as `k = 3`.
        number: of the call, from 1.
    """

    __slots__ = ("_known", "_make", "_values", "_whole", "label", "line", "number")

    def __init__(
        self,
        line: int,
        label: str,
        make: Callable[[], Sequence[Value]],
        known: Mapping[int, Value] | None = None,
        number: int = 0,
        whole: Callable[[], Collection[int]] = frozenset,
    ) -> None:
        """Describe a call.

        Args:
            line: of the call.
            label: such as `k = 3`.
            make: builds the values of the graph when it is looked at, the root last.
            number: of the call, from 1; 0 where it is not known.
            known: which of them, by their places, are objects that the program still has at its end, and these there.
            whole: the places of those whose data are whole numbers in the program.
        """
        self.line = line
        self.label = label
        self.number = number
        self._make: Callable[[], Sequence[Value]] | None = make
        self._values: Sequence[Value] = ()
        self._known = known or {}
        self._whole = whole

    @property
    def root(self) -> Value:
        """Value whose `backward()` was called; its graph has values of its own, shared with no other moment."""
        return self._made()[-1]

    @property
    def root_at_end(self) -> Value | None:
        """The root's counterpart at the program's end; None where the program no longer has it."""
        return self.known.get(self.root)

    @property
    def known(self) -> Mapping[Value, Value]:
        """Values that the program still has at its end, each with its value there."""
        values = self._made()
        return {values[place]: value for place, value in self._known.items() if place < len(values)}

    @property
    def whole_numbers(self) -> frozenset[Value]:
        """Values whose data are whole numbers in the program."""
        values = self._made()
        return frozenset(values[place] for place in self._whole() if place < len(values))

    def _made(self) -> Sequence[Value]:
        with _LOCK:
            if self._make is not None:
                self._values, self._make = self._make(), None
            return self._values

    def __repr__(self) -> str:
        return f"BackwardCall(line={self.line}, label={self.label!r})"


@dataclass(frozen=True, slots=True)
class LoopSeries:
    """Numbers of a variable in the iterations of a loop.

    Attributes:
        name: of the variable.
        line: where the loop begins, from 1.
        counter: the loop's own variable; "" of a `while` loop.
        iterations: from 0; of a long loop not every one.
        numbers: as many; nan where the variable was not a number.
    """

    name: str
    line: int
    counter: str
    iterations: tuple[int, ...]
    numbers: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StatementStep:
    """One statement as it was run.

    Attributes:
        line: from 1.
        changed: for each name that it gave a value what that is; Values are those of `Evaluation`.
        numbers: for names of numbers and Values the number then, which later lines may have changed.
        start: offset of the statement in the text; of a loop or an `if` that of its first line.
        end: offset behind it.
        function: that it stands in, such as `Neuron.__call__`; "" outside of functions.
        call: the number of the call of that function, from 1; 0 outside.
        elsewhere: what it changed in other calls, or outside: call, name and value of each.
        values: data and gradient of the values that it made, or whose numbers it changed.
        printed: how many characters had been printed after it.
        whole_numbers: those of `values` whose data are whole numbers (`int`) in the program after it.
    """

    line: int
    changed: Mapping[str, Any]
    numbers: Mapping[str, float]
    start: int = 0
    end: int = 0
    function: str = ""
    call: int = 0
    elsewhere: tuple[tuple[int, str, Any], ...] = ()
    values: Mapping[Value, tuple[Any, Any]] = field(default_factory=dict)
    printed: int = 0
    whole_numbers: frozenset[Value] = frozenset()


class KnownNames(NamedTuple):
    """Names that completion offers.

    Attributes:
        attributes: of modules by their names, and of variables by paths such as `model.layers[].neurons`; a name with a
            bracket behind it can be called.
        importable: modules.
    """

    attributes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    importable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evaluation:
    """Outcome of a run of a program.

    Attributes:
        names: the value each name stands for at the end, of the names that stand for one.
        root: value of the last assignment or expression that gives one; where that is an array, the value whose
            `backward()` was called last, if the program still has it; None for a text without a value.
        notes: lines that were set aside, values that are not part of the result, characters that cannot be seen.
        problems: mathematical problems, in the order of the text.
        leaves: the names bound to a finite number in the text, in its order.
        origins: where every value comes from; its order is that of creation.
        roles: for every leaf that is not a constant, `input` or `parameter`.
        not_computed: values that depend on a problem without a finite result: their data mean nothing.
        whole_numbers: values whose data are whole numbers (`int`) in the program.
        output: what was printed; the texts together are the whole output.
        displayed: the value of a bare last line, as a notebook shows it; None without one.
        plots: what was plotted.
        moments: the graphs after calls of `backward()`; of many not every one.
        variables: what every name of the program stands for at the end, functions, classes and modules left out.
        engine_check: None, or for values of the program's own class one row per node.
        loop_series: what variables were in the iterations of loops outside of functions.
        statements: the statements in the order in which they were run, where that was asked for; the first 2,000, or
            fewer where they change very many numbers.
        n_statements: how many were run in all, where that was asked for.
        has_own_model: it left a model of its own with data, see `own_model.py`.
        own_gradients: the program has computed or set gradients in the graph of the root; False: it has none there.
        in_progress: the program stands between two of its statements.
        known_names: for completion.
    """

    names: Mapping[str, Value] = field(default_factory=dict)
    root: Value | None = None
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    origins: Mapping[Value, Origin] = field(default_factory=dict)
    roles: Mapping[Value, str] = field(default_factory=dict)
    not_computed: frozenset[Value] = frozenset()
    whole_numbers: frozenset[Value] = frozenset()
    output: tuple[Printed, ...] = ()
    displayed: Printed | None = None
    plots: tuple[Plot, ...] = ()
    moments: tuple[BackwardCall, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    engine_check: tuple[Any, ...] | None = None
    loop_series: tuple[LoopSeries, ...] = ()
    statements: tuple[StatementStep, ...] = ()
    n_statements: int = 0
    has_own_model: bool = False
    own_gradients: bool = False
    in_progress: bool = False
    known_names: KnownNames = KnownNames()


EXACT = 2.0**53
"""Bound below which a float holds a whole number exactly."""


def as_in_program(data: Any, is_whole: bool) -> Any:
    """Return the data of a value, as an `int` where the program has one (`Evaluation.whole_numbers`)."""
    return int(data) if is_whole and data.__class__ is float and abs(data) < EXACT and data.is_integer() else data


def replace_number(text: str, leaf: Leaf, number: float) -> str:
    """Return a text with the number of `leaf` replaced by the shortest decimal that means `number`.

    A whole number stays one, as long as `number` is.

    Raises:
        ValueError: when `number` is not finite, or the text has changed under the leaf.
    """
    if not math.isfinite(number):
        raise ValueError(f"a program holds finite numbers only, not {number}")
    if not re.search(r"[0-9]|pi|e", text[leaf.start : leaf.end]):
        raise ValueError(f"the text no longer has a number for {leaf.name} in line {leaf.line}")
    is_whole = float(number).is_integer() and re.fullmatch(r"[-+]?\d[\d_]*", text[leaf.start : leaf.end])
    return text[: leaf.start] + repr(int(number) if is_whole else float(number)) + text[leaf.end :]
