"""Equal calls on different layers made one: for small batches a numpy call costs more than what it computes.

The derivatives of all activations, for one, can be computed together as soon as the forward pass is done. The buffers
of such calls get a common home, a larger buffer in which they lie below one another, and one call goes over all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from engine.network.fast.tape import Buffer, BufferView, Call


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
    """True when both apply the same function to the same constants, and otherwise to whole separate buffers."""
    if call.function != other.function or len(call.inputs) != len(other.inputs) or call.function == "dot":
        return False
    pairs = zip((*call.inputs, call.output), (*other.inputs, other.output), strict=True)
    return all(_whole(a, b) if isinstance(a, BufferView) and isinstance(b, BufferView) else a == b for a, b in pairs)


def _whole(*views: BufferView) -> bool:
    """True when each view covers a buffer with its own memory, and all hold the same kind of numbers."""
    plain = all(not v.buffer.source and not v.form and (v.start, v.stop) == (0, v.buffer.rows) for v in views)
    return plain and len({view.buffer.boolean for view in views}) == 1


def _ready(call: Call, known: set[Buffer]) -> bool:
    """True when all operands have been computed."""
    views = [operand for operand in call.inputs if isinstance(operand, BufferView)]
    rows = {view.rows for view in views} | {call.output.rows}
    return bool(views) and len(rows) == 1 and all(view.buffer in known for view in views)


def _joined(group: Sequence[Call]) -> Call | None:
    """One call for all; None when their buffers cannot lie side by side."""
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
    """Start row of each call in a home, and the end of the last; None when an old home is too small."""
    heights = [max(buffer.rows + buffer.ones for buffer in rows) for rows in zip(*columns, strict=True)]
    homes = [[buffer.home for buffer in column if buffer.home] for column in columns]
    known = next(filter(None, homes), None)
    if known is None:
        return [0, *accumulate(heights)]
    offsets = [start for _, start in known] + [known[0][0].rows]
    fits = len(known) == len(heights) and all(b - a >= h for (a, b), h in zip(pairwise(offsets), heights, strict=True))
    return offsets if fits else None


def _can_live(column: Sequence[Buffer], offsets: Sequence[int]) -> bool:
    """True when all the buffers are separate, or share one home at exactly these places."""
    places = [buffer.home for buffer in column]
    if places[0] is None:
        return not any(places)
    return places == [(places[0][0], start) for start in offsets[:-1]] and places[0][0].rows == offsets[-1]


def _settled(column: Sequence[Buffer], offsets: Sequence[int]) -> Buffer:
    """The home of the buffers, a new one where they have none."""
    if column[0].home is not None:
        return column[0].home[0]
    home = Buffer(offsets[-1], column[0].boolean)
    home.shared = True
    for buffer, start in zip(column, offsets, strict=False):
        buffer.home = (home, start)
    return home
