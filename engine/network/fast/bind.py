"""Recorded numpy calls bound to memory: buffers allocated once, and straight-line functions that run the calls.

In a large program a buffer takes over the memory of one whose last reader has run; an element-by-element call may write
over its own input. Where parameters are those of many networks, (n_runs, n_parameters), every buffer has that axis in
front, too, and the same calls train all of them.

In small batches the overhead of a numpy call exceeds its computation, so equal backward calls on different layers are
merged: the derivatives of all activations, for one, can be computed together as soon as the forward pass is done. The
buffers of such calls get a common home, a larger buffer in which they lie below one another, and one call goes over all
of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd.formula import define
from engine.network.fast.forward_backward import ForwardBackward
from engine.network.fast.tape import Buffer, BufferView, Call, Term

Floats = NDArray[Any]
FOREVER = 10**9
SMALL = 20_000
"""Numbers computed in a forward pass below which the overhead of calls exceeds their computation."""
_NOT_IN_PLACE = {"dot", "dot_added", "where", "copy", "largest_row", "sum_of_rows", "sum_of_samples"}


@dataclass(frozen=True, eq=False)
class Bound:
    """A program for one number of samples.

    Attributes:
        forward: called with the views of a batch; the sum over samples of the last output times `upstream`, for many
            networks an array (n_runs,), or None for passes without backward.
        backward: called with the same views after forward; writes the gradients.
        outputs: matrices (n_rows, n_samples) that forward fills, the loss's not included; for many networks
            (n_runs, n_rows, n_samples).
        batch_views: views of a batch's inputs and targets that `views` binds.
    """

    forward: Callable[..., Any]
    backward: Callable[..., None]
    outputs: list[Floats]
    batch_views: list[BufferView]

    def views(self, inputs: Floats, targets: Floats) -> tuple[Floats, ...]:
        """Return the arguments of forward and backward for a batch.

        Args:
            inputs: (n_inputs + 1, n_samples), the last row ones; for many networks (n_runs, n_inputs + 1, n_samples)
                where each has samples of its own.
            targets: (n_outputs, n_samples), or (n_runs, n_outputs, n_samples).
        """
        sources = {"input": inputs, "target": targets}
        return tuple(_seen(sources[view.buffer.source], view) for view in self.batch_views)


def bind(
    passes: ForwardBackward, n_samples: int, parameters: Floats, gradients: Floats, upstream: float | None = None
) -> Bound:
    """Return buffers and functions for these passes.

    Args:
        passes: recorded calls.
        n_samples: in a batch.
        parameters: (n_parameters,) or (n_runs, n_parameters), read in place; its dtype is that of all buffers.
        gradients: of the same shape, written in place.
        upstream: factor of the sum of the last output.
    """
    return _Binder(passes, n_samples, parameters, gradients).bound(upstream)


class _Binder:
    def __init__(self, passes: ForwardBackward, n_samples: int, parameters: Floats, gradients: Floats) -> None:
        self._passes, self._n_samples, self._dtype = passes, n_samples, parameters.dtype
        self._runs = parameters.shape[:-1]
        self._arrays: dict[Buffer, Floats] = {passes.parameters: parameters, passes.gradients: gradients}
        self._names: dict[str, Any] = {}
        self._known: dict[object, str] = {}
        self._batch_views: list[BufferView] = []
        n_numbers = n_samples * sum(call.output.rows for call in passes.forward_calls) * math.prod(self._runs)
        self._small = n_numbers < SMALL
        self._backward = merged(passes.forward_calls, passes.backward_calls) if self._small else passes.backward_calls
        self._allocate([*passes.forward_calls, *self._backward])

    def bound(self, upstream: float | None) -> Bound:
        forward = [self._line(call) for call in self._passes.forward_calls]
        backward = [self._line(call) for call in self._backward]
        forward.append(self._total(self._passes.outputs[-1], upstream))
        wanted = self._passes.outputs if upstream is None else self._passes.outputs[:-1]
        outputs = [self._output(term) for term in wanted]
        arguments = ", ".join(f"i{k}" for k in range(len(self._batch_views)))
        functions = [self._function(arguments, lines) for lines in (forward, backward or ["pass"])]
        return Bound(functions[0], functions[1], outputs, self._batch_views)

    def _function(self, arguments: str, lines: Sequence[str]) -> Callable[..., Any]:
        return define(f"def run({arguments}):\n    " + "\n    ".join(lines) + "\n", self._names, "run")

    def _allocate(self, calls: Sequence[Call]) -> None:
        last_use = {view.buffer: i for i, call in enumerate(calls) for view in (*_views(call), call.output)}
        kept = [term.view for term in self._passes.outputs] + list(self._passes.total or ())
        last_use.update({view.buffer: FOREVER for view in kept if view is not None})
        free: dict[tuple[int, bool, bool], list[Floats]] = defaultdict(list)
        for i, call in enumerate(calls):
            dying = {view.buffer for view in _views(call) if last_use[view.buffer] == i and self._reusable(view.buffer)}
            dying.discard(call.output.buffer)
            if call.function not in _NOT_IN_PLACE:
                self._free(dying, free)
                dying = set()
            self._give_memory(call.output.buffer, free)
            self._free(dying, free)

    def _reusable(self, buffer: Buffer) -> bool:
        """Return True when the buffer's own memory can be reused; a home and its contents stay.

        In a small program every buffer has its own: that is up to 9 % faster, and of a large one 15 % slower.
        """
        return not (self._small or buffer.source or buffer.home or buffer.shared)

    def _free(self, buffers: set[Buffer], free: dict[tuple[int, bool, bool], list[Floats]]) -> None:
        for buffer in buffers:
            free[_kind(buffer)].append(self._arrays[buffer])

    def _give_memory(self, buffer: Buffer, free: dict[tuple[int, bool, bool], list[Floats]]) -> None:
        if buffer.source or buffer in self._arrays:
            return
        if buffer.home is not None:
            home, start = buffer.home
            if home not in self._arrays:
                self._arrays[home] = self._fresh(home)
            self._arrays[buffer] = self._arrays[home][..., start : start + buffer.rows + buffer.ones, :]
            return
        pool = [] if buffer.shared else free[_kind(buffer)]
        self._arrays[buffer] = pool.pop() if pool else self._fresh(buffer)

    def _fresh(self, buffer: Buffer) -> Floats:
        shape = (*self._runs, buffer.rows + buffer.ones, self._n_samples)
        return np.ones(shape, dtype=bool if buffer.boolean else self._dtype)

    def _output(self, term: Term) -> Floats:
        assert term.view is not None
        return _seen(self._arrays[term.view.buffer], term.view)

    def _total(self, term: Term, upstream: float | None) -> str:
        """Return the line that returns the sum over samples."""
        if upstream is None:
            return "return None"
        if term.view is None:
            return f"return {self._named(np.full(self._runs, term.factor * upstream * self._n_samples)[()])}"
        if self._passes.total is None:
            left, right = self._row(term.view), self._named(np.ones(self._n_samples, self._dtype))
        else:
            left, right = map(self._row, self._passes.total)
        if self._runs:
            return f"return {self._named(np.einsum)}('...i,...i', {left}, {right}) * {term.factor * upstream!r}"
        return f"return float({self._attribute(left, 'dot')}({right})) * {term.factor * upstream!r}"

    def _row(self, view: BufferView) -> str:
        """Return the name of a view's only row as a vector."""
        name = self._operand(view)
        return self._named(self._names[name][..., 0, :]) if name in self._names else f"{name}[..., 0, :]"

    def _line(self, call: Call) -> str:
        function, inputs = call.function, [self._operand(operand) for operand in call.inputs]
        out = self._operand(call.output)
        if function == "dot" and self._runs:
            return f"{self._named(np.matmul)}({inputs[0]}, {inputs[1]}, {out})"
        if function == "dot":
            return f"{self._attribute(inputs[0], 'dot')}({inputs[1]}, {out})"
        if function == "where":
            return f"{self._named(np.copyto)}({out}, {self._named(np.where)}({', '.join(inputs)}))"
        if function == "copy":
            return f"{self._named(np.copyto)}({out}, {inputs[0]})"
        if function in _REDUCTIONS:
            reduce, axis = _REDUCTIONS[function]
            return f"{self._named(reduce)}({inputs[0]}, {axis}, None, {out}, True)"
        if function.endswith("_added"):
            expression = _ADDED[function].format(*inputs)
            return f"{self._named(np.add)}({out}, {expression}, {out})"
        keyword = "out=" if function in ("maximum", "minimum") else ""  # numpy requires both arguments
        return f"{self._named(getattr(np, function))}({', '.join(inputs)}, {keyword}{out})"

    def _operand(self, operand: BufferView | float) -> str:
        """Return the name of an operand in the generated source."""
        if not isinstance(operand, BufferView):
            return self._named(np.array(operand, dtype=self._dtype), key=("number", operand))
        if operand in self._known:
            return self._known[operand]
        if operand.buffer.source in ("input", "target"):
            self._batch_views.append(operand)
            self._known[operand] = f"i{len(self._batch_views) - 1}"
            return self._known[operand]
        if operand.buffer.home is not None:
            self._give_memory(operand.buffer, {})
        return self._named(_seen(self._arrays[operand.buffer], operand), key=operand)

    def _attribute(self, name: str, attribute: str) -> str:
        """Return the source of a method: bound once, or looked up in the call for an argument."""
        return self._named(getattr(self._names[name], attribute)) if name in self._names else f"{name}.{attribute}"

    def _named(self, thing: Any, key: object = None) -> str:
        key = id(thing) if key is None else key
        if key not in self._known:
            self._known[key] = f"v{len(self._names)}"
            self._names[self._known[key]] = thing
        return self._known[key]


_REDUCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "largest_row": (np.maximum.reduce, -2),
    "sum_of_rows": (np.add.reduce, -2),
    "sum_of_samples": (np.add.reduce, -1),
}
_ADDED = {"dot_added": "{0} @ {1}", "sum_of_samples_added": "{0}.sum(-1, keepdims=True)"}


def _views(call: Call) -> list[BufferView]:
    return [operand for operand in call.inputs if isinstance(operand, BufferView)]


def _kind(buffer: Buffer) -> tuple[int, bool, bool]:
    """Return the kind of a buffer; buffers of one kind can share memory."""
    return buffer.rows, buffer.ones, buffer.boolean


def _seen(array: Floats, view: BufferView) -> Floats:
    """Return the part of a buffer's array that a view shows."""
    if view.shape is not None:
        matrix = array[..., view.start : view.stop].reshape(*array.shape[:-1], *view.shape)
        return matrix.swapaxes(-1, -2) if view.form == "transposed" else matrix
    if view.form:
        whole = array[..., : view.buffer.rows + 1, :]
        return whole.swapaxes(-1, -2) if view.form == "transposed" else whole
    return array[..., view.start : view.stop, :]


def merged(forward: Sequence[Call], backward: Sequence[Call]) -> list[Call]:
    """Return the backward calls with equal ones merged; set `home` of their buffers."""
    known = {call.output.buffer for call in forward}
    calls = list(backward)
    position = 0
    while position < len(calls):
        group = [call for call in calls[position:] if _alike(call, calls[position]) and _ready(call, known)]
        one = _joined(group) if len(group) > 1 else None
        if one is not None:
            calls = [*calls[:position], one, *(call for call in calls[position:] if call not in group)]
            known.update(call.output.buffer for call in group)
        known.add(calls[position].output.buffer)
        position += 1
    return calls


def _alike(call: Call, other: Call) -> bool:
    """Return True when both apply the same function to the same constants, and otherwise to whole separate buffers."""
    if call.function != other.function or len(call.inputs) != len(other.inputs) or call.function == "dot":
        return False
    pairs = zip((*call.inputs, call.output), (*other.inputs, other.output), strict=True)
    return all(_whole(a, b) if isinstance(a, BufferView) and isinstance(b, BufferView) else a == b for a, b in pairs)


def _whole(*views: BufferView) -> bool:
    """Return True when each view covers a buffer with its own memory, and all hold the same kind of numbers."""
    plain = all(not v.buffer.source and not v.form and (v.start, v.stop) == (0, v.buffer.rows) for v in views)
    return plain and len({view.buffer.boolean for view in views}) == 1


def _ready(call: Call, known: set[Buffer]) -> bool:
    """Return True when all operands have been computed."""
    views = [operand for operand in call.inputs if isinstance(operand, BufferView)]
    rows = {view.rows for view in views} | {call.output.rows}
    return bool(views) and len(rows) == 1 and all(view.buffer in known for view in views)


def _joined(group: Sequence[Call]) -> Call | None:
    """Return one call for a group; None when their buffers cannot lie side by side."""
    columns = [*zip(*(call.inputs for call in group), strict=True), tuple(call.output for call in group)]
    views = [[view.buffer for view in column if isinstance(view, BufferView)] for column in columns]
    buffers = [column for column in views if column]
    if len({buffer for column in buffers for buffer in column}) < sum(map(len, buffers)):
        return None
    offsets = _layout(buffers)
    if offsets is None or not all(_can_live(column, offsets) for column in buffers):
        return None
    homes = [_settled(column, offsets) if column else None for column in views]
    whole = [BufferView(home, 0, home.rows) if home else column[0] for home, column in zip(homes, columns, strict=True)]
    return Call(group[0].function, tuple(whole[:-1]), whole[-1])


def _layout(columns: Sequence[Sequence[Buffer]]) -> list[int] | None:
    """Return the start row of each call in a home, and the end of the last; None when an old home is too small."""
    heights = [max(buffer.rows + buffer.ones for buffer in rows) for rows in zip(*columns, strict=True)]
    homes = [[buffer.home for buffer in column if buffer.home] for column in columns]
    known = next(filter(None, homes), None)
    if known is None:
        return [0, *accumulate(heights)]
    offsets = [start for _, start in known] + [known[0][0].rows]
    fits = len(known) == len(heights) and all(b - a >= h for (a, b), h in zip(pairwise(offsets), heights, strict=True))
    return offsets if fits else None


def _can_live(column: Sequence[Buffer], offsets: Sequence[int]) -> bool:
    """Return True when all the buffers are separate, or share one home at exactly these places."""
    places = [buffer.home for buffer in column]
    if places[0] is None:
        return not any(places)
    return places == [(places[0][0], start) for start in offsets[:-1]] and places[0][0].rows == offsets[-1]


def _settled(column: Sequence[Buffer], offsets: Sequence[int]) -> Buffer:
    """Return the home of the buffers, a new one where they have none."""
    if column[0].home is not None:
        return column[0].home[0]
    home = Buffer(offsets[-1], column[0].boolean)
    home.shared = True
    for buffer, start in zip(column, offsets, strict=False):
        buffer.home = (home, start)
    return home
