"""Equal calls on different layers made one: for small batches a numpy call costs more than what it computes.

The derivatives of all activations, for one, can be computed together as soon as the forward pass is done. The buffers
of such calls get a common home, a larger buffer in which they lie below one another, and one call goes over all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from engine.network.tape import Buffer, Call, View


def merged(forward: Sequence[Call], backward: Sequence[Call]) -> list[Call]:
    """The backward calls with equal ones made one; sets `home` of the buffers concerned."""
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
    """Whether both apply the same function to the same constants, and otherwise to whole buffers of their own."""
    if call.function != other.function or len(call.inputs) != len(other.inputs) or call.function == "dot":
        return False
    pairs = zip((*call.inputs, call.output), (*other.inputs, other.output), strict=True)
    return all(_whole(a, b) if isinstance(a, View) and isinstance(b, View) else a == b for a, b in pairs)


def _whole(*views: View) -> bool:
    """Whether each view is all of a buffer with memory of its own, and all hold the same kind of numbers."""
    plain = all(not v.buffer.source and not v.form and (v.start, v.stop) == (0, v.buffer.rows) for v in views)
    return plain and len({view.buffer.boolean for view in views}) == 1


def _ready(call: Call, known: set[Buffer]) -> bool:
    """Whether everything it reads has been computed."""
    views = [operand for operand in call.inputs if isinstance(operand, View)]
    rows = {view.rows for view in views} | {call.output.rows}
    return bool(views) and len(rows) == 1 and all(view.buffer in known for view in views)


def _joined(group: Sequence[Call]) -> Call | None:
    """One call for all; None when their buffers cannot lie side by side."""
    columns = [*zip(*(call.inputs for call in group), strict=True), tuple(call.output for call in group)]
    views = [[view.buffer for view in column if isinstance(view, View)] for column in columns]
    if len({buffer for column in views for buffer in column}) < sum(map(len, views)):
        return None
    heights = [
        max(buffer.rows + buffer.ones for buffer in buffers) for buffers in zip(*filter(None, views), strict=True)
    ]
    offsets = [0, *accumulate(heights)]
    homes = [_home(buffers, offsets) if buffers else None for buffers in views]
    if any(home is None for home, buffers in zip(homes, views, strict=True) if buffers):
        return None
    for home, buffers in zip(homes, views, strict=True):
        for buffer, offset in zip(buffers, offsets, strict=False):
            buffer.home = (home, offset) if home else None
    whole = [View(home, 0, home.rows) if home else column[0] for home, column in zip(homes, columns, strict=True)]
    return Call(group[0].function, tuple(whole[:-1]), whole[-1])


def _home(buffers: Sequence[Buffer], offsets: Sequence[int]) -> Buffer | None:
    """The buffer that holds all of these at these offsets: the one they live in already, or a new one."""
    places = [buffer.home for buffer in buffers]
    if not any(places):
        home = Buffer(offsets[-1], buffers[0].boolean)
        home.shared = True
        return home
    first = places[0][0] if places[0] else None
    fits = places == [(first, offset) for offset in offsets[: len(places)]] and first and first.rows == offsets[-1]
    return first if fits else None
