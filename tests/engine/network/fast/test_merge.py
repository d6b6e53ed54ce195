"""Equal calls of a backward pass become one where what they read and write can lie side by side."""

import pytest

from engine.network.fast.bind import merged
from engine.network.fast.tape import Buffer, BufferView, Call


def call(function, *buffers):
    views = [BufferView(buffer, 0, buffer.rows) for buffer in buffers]
    return Call(function, tuple(views[:-1]), views[-1])


@pytest.mark.parametrize("places", [(1, 0), (0, 1), (0, 3), (3, 0)], ids=["swapped", "longer", "one", "the other"])
def test_calls_are_merged_only_where_all_they_read_lies_side_by_side_alike(places):
    two, three, alone = [Buffer(2) for _ in range(2)], [Buffer(2) for _ in range(3)], Buffer(2)
    forward = [call("copy", buffer) for buffer in (*two, *three, alone)]
    settled = [call(f, x, Buffer(2)) for f, column in (("tanh", two), ("exp", three)) for x in column]
    others = [(*three, alone)[place] for place in places]
    apart = [call("multiply", x, y, Buffer(2)) for x, y in zip(two, others, strict=True)]
    calls = merged(forward, [*settled, *apart])
    assert [each.function for each in calls] == ["tanh", "exp", "multiply", "multiply"]


def test_calls_are_merged_again_where_they_lie_in_the_same_order():
    a, b, *outputs = [Buffer(2) for _ in range(6)]
    forward = [call("copy", a), call("copy", b)]
    calls = merged(forward, [call(f, x, outputs.pop()) for f in ("tanh", "exp") for x in (a, b)])
    assert [each.function for each in calls] == ["tanh", "exp"]
