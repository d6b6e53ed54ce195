"""A graph seen from its values towards the root: their users, their contributions, and "what if".

Gradient checks, nudges and the derivative lens need the root's data for a slightly larger value; an explanation needs
the contributions to one value. Only the values downstream of it are computed again, without recursion, and the graph
itself does not change.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.autograd import kernels
from engine.autograd.backward import topological_order
from engine.autograd.contributions import Contribution, contributions_within
from engine.autograd.ops import Op
from engine.autograd.value import Value

PROBES = 32
AT_ONCE = 256
SAME = 1e-9  # relative: a program's own engine may round differently

Compute = Callable[[Op | None, Sequence[Any]], Any]
Use = tuple[Value, int]
"""A node and the position of one of its inputs."""


class Replay:
    """The ancestors of one root: the users of each value, and the root's data for other inputs.

    The structure is analysed once; `read` takes in new data.

    Attributes:
        order: every value, inputs before the values that use them; the root last.
    """

    def __init__(self, root: Value) -> None:
        self.order = topological_order(root)
        self._index = index = {value: place for place, value in enumerate(self.order)}
        self._inputs = [[index[source] for source in value.inputs] for value in self.order]
        self._uses: list[list[tuple[int, int]]] = [[] for _ in self.order]
        for place, sources in enumerate(self._inputs):
            for operand, source in enumerate(sources):
                self._uses[source].append((place, operand))
        self.read()

    def read(self) -> None:
        """Read the current data of the graph."""
        self._data = [value.data for value in self.order]

    # Who uses what

    def uses(self, value: Value) -> list[Use]:
        """The nodes that use a value, each with the operand's position, in the order of the backward pass."""
        place = self._index.get(value)
        uses = [] if place is None else sorted(self._uses[place], key=lambda use: (-use[0], use[1]))
        return [(self.order[consumer], operand) for consumer, operand in uses]

    def data_of(self, changes: Mapping[Value, Any], path: Sequence[int]) -> Iterator[tuple[Value, list[Any], Any]]:
        """Compute the values along `path` again; yield each with the data of its inputs and its own."""
        new = {self._index[value]: changed for value, changed in changes.items()}
        for index in path:
            datas = [new[i] if i in new else self._data[i] for i in self._inputs[index]]
            new[index] = computed(self.order[index].op, datas)
            yield self.order[index], datas, new[index]

    def first_outdated(self, value: Value, path: Sequence[int]) -> Value | None:
        """The first node along `downstream([value])` whose data differ from what its inputs give."""
        computed = self.data_of({value: value.data}, path)
        return next((node for node, _datas, data in computed if not _is_same(node.data, data)), None)

    def first_unmoved(self, value: Value, nudged: float, path: Sequence[int]) -> Value | None:
        """The first node along `path` whose data stay the same although the partial by a changed input is not 0.

        Rounding loses the whole change there, as in x + 1e308.

        Args:
            value: a scalar value.
            nudged: other data of it.
            path: from `downstream([value])`.
        """
        for node, datas, data in self.data_of({value: nudged}, path):
            before: list[Any] = [source.data for source in node.inputs]
            if node.op is None or not all(each.__class__ is float for each in (*before, data)):
                continue
            if _is_same(node.data, data):
                partials = kernels.partials_of(node.op, before, data)
                if any(partial and old != new for partial, old, new in zip(partials, before, datas, strict=True)):
                    return node
        return None

    def first_too_rounded(self, path: Sequence[int], most: float) -> Value | None:
        """The first node along `path` with a partial that the rounding of its own result changes by more than `most`.

        So exp(x - y), the partial of logsumexp, at y = 1e23, where the next float is 2e7 away.
        """
        nodes = (self.order[index] for index in path)
        return next((node for node in nodes if not all(off <= most for off in rounding_of_partials(node))), None)

    def downstream(self, values: Iterable[Value]) -> list[int]:
        """Indices in `order` of the values computed from `values`, excluding these, in the order of computation."""
        stack = [self._index[value] for value in values if value in self._index]
        changed = set(stack)
        found: set[int] = set()
        while stack:
            for consumer, _operand in self._uses[stack.pop()]:
                if consumer not in found:
                    found.add(consumer)
                    stack.append(consumer)
        return sorted(found - changed)

    def contributions_to(self, value: Value, path: Sequence[int]) -> list[Contribution]:
        """The contributions to one value in the backward pass, in its order; computes only the values downstream.

        Args:
            value: any value.
            path: `downstream([value])`, with the root last.
        """
        between = [self.order[place] for place in path]
        terms = contributions_within(between, {value, *between}) if between else ()
        return [term for term in terms if term.input is value]

    def shortest_path(self, value: Value) -> list[Use]:
        """The path to the root over the fewest operations, as the uses along it; [] when there is none."""
        target, start = len(self.order) - 1, self._index.get(value, -1)
        came: dict[int, tuple[int, int]] = {}
        queue = deque([start] if start >= 0 else [])
        while queue and target not in came:
            source = queue.popleft()
            for consumer, operand in sorted(self._uses[source], key=lambda use: (-use[0], use[1])):
                if consumer not in came:
                    came[consumer] = (source, operand)
                    queue.append(consumer)
        path = []
        while target in came:
            source, operand = came.pop(target)
            path.append((self.order[target], operand))
            target = source
        return path[::-1]

    def number_of_paths(self, value: Value, path: Sequence[int]) -> int:
        """Number of paths from a value to the root; `path`: `downstream([value])`."""
        if not path:
            return 0
        counts = dict.fromkeys(path[-1:], 1)
        for place in (*reversed(path[:-1]), self._index[value]):
            counts[place] = sum(counts[consumer] for consumer, _operand in self._uses[place])
        return counts[self._index[value]]

    # What it would be

    def root_data(self, changes: Mapping[Value, Any], path: Sequence[int] | None = None) -> Any:
        """Return the root's data if the values in `changes` had these data instead.

        Args:
            changes: new data by value; values outside the graph are ignored.
            path: `downstream(changes)`, if already known.
        """
        return self._run(changes, self.downstream(changes) if path is None else path, computed)

    def complex_root(self, value: Value, data: complex, path: Sequence[int]) -> complex:
        """The root's data if the float `value` were the complex number `data`.

        Raises:
            ArithmeticError, ValueError: where an operation has no complex value.
        """
        return complex(self._run({value: data}, path, _complex))

    def estimated_work(self) -> int:
        """Estimate the number of operations computed when every value is changed once; 0 when arrays are involved.

        Counts the values downstream of a few sampled values only, always the same ones.
        """
        if any(value.data.__class__ is not float for value in self.order):
            return 0
        probed = self.order[:: max(1, len(self.order) // PROBES)]
        return sum(len(self.downstream([value])) for value in probed) * len(self.order) // len(probed)

    def sides(self, steps: Sequence[float]) -> Iterator[tuple[float, float]]:
        """Yield the root's data below and above each value of a scalar graph, computed in blocks.

        Args:
            steps: for each value of `order` its change to either side.

        Yields:
            For each value of `order` the root's data for value - step and for value + step.
        """
        for start in range(0, len(self.order), AT_ONCE):
            block = range(start, min(start + AT_ONCE, len(self.order)))
            with np.errstate(all="ignore"):
                root = self._root_for_block(block, steps)
            yield from zip(root[0::2].tolist(), root[1::2].tolist(), strict=True)

    def _root_for_block(self, block: range, steps: Sequence[float]) -> np.ndarray:
        """The root's data, (2 x block size,): below and above the first value of the block, the second, ..."""
        data, inputs = self._data, self._inputs
        new: dict[int, np.ndarray] = {}
        for index in range(block.start, len(data)):
            if any(source in new for source in inputs[index]):
                columns = [new[source] if source in new else data[source] for source in inputs[index]]
                new[index] = computed_columns(_op_of(self.order[index]), columns)
            if index < block.stop:
                column = np.array(np.broadcast_to(new.get(index, data[index]), 2 * len(block)))
                place = 2 * (index - block.start)
                column[place : place + 2] = data[index] - steps[index], data[index] + steps[index]
                new[index] = column
        return new[len(data) - 1]

    def _run(self, changes: Mapping[Value, Any], path: Sequence[int], compute: Compute) -> Any:
        data, inputs, order = self._data, self._inputs, self.order
        new = {self._index[value]: changed for value, changed in changes.items() if value in self._index}
        for index in path:
            new[index] = compute(order[index].op, [new[i] if i in new else data[i] for i in inputs[index]])
        return new.get(len(data) - 1, data[-1])


def rounding_of_partials(node: Value) -> list[float]:
    """Return how far each partial moves when the node's own result is the next float.

    Relative to the size of the partial, or to 1 where it is smaller. Empty for a leaf and for arrays.
    """
    datas: list[Any] = [source.data for source in node.inputs]
    y: Any = node.data
    if node.op is None or not all(data.__class__ is float for data in (*datas, y)):
        return []
    sides = (kernels.partials_of(node.op, datas, math.nextafter(y, end)) for end in (-math.inf, math.inf))
    return [abs(above - below) / max(1.0, abs(above)) for below, above in zip(*sides, strict=True)]


def _is_same(a: Any, b: Any) -> bool:
    if a.__class__ is float and b.__class__ is float:
        return a == b or math.isclose(a, b, rel_tol=SAME) or (a != a and b != b)
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=SAME, atol=0.0, equal_nan=True))


def is_outdated(root: Value) -> bool:
    """True when the data of any value below a root differ from what its inputs give."""
    return any(map(is_older_than_inputs, topological_order(root)))


def is_older_than_inputs(value: Value) -> bool:
    """True when a value's data differ from what its inputs give, because data changed after it was computed."""
    if value.op is None:
        return False
    try:
        return not _is_same(value.data, computed(value.op, [source.data for source in value.inputs]))
    except ValueError:  # arrays whose shapes do not fit together any more
        return True


def what_if(root: Value, changes: Mapping[Value, Any]) -> Any:
    """Return the root's data if the values in `changes` had these data instead; the graph does not change."""
    return Replay(root).root_data(changes)


def computed(op: Op | None, datas: Sequence[Any]) -> Any:
    """Return the result of `op` for inputs with these data: floats or float64 arrays."""
    assert op is not None, "a leaf is not computed"
    if op.variadic or (op.elementwise and all(data.__class__ is float for data in datas)):
        return kernels.scalar_result(op, datas)
    return kernels.array_result(op, *datas)


def recompute(order: Iterable[Value]) -> None:
    """Compute every value of a graph again from its inputs, in place; gradients become "not computed".

    Args:
        order: inputs before the values that use them, as `topological_order` returns them.
    """
    for value in order:
        value.grad = None
        if value.op is not None:
            value.data = computed(value.op, [source.data for source in value.inputs])


def _complex(op: Op | None, datas: Sequence[Any]) -> Any:
    if op is None or op.vjps:
        raise ValueError("a complex step needs single numbers")
    if op.paired:
        return op.complex(datas[0:-1:2], datas[1:-1:2], datas[-1])
    return op.complex(datas) if op.variadic else op.complex(*datas)


def _op_of(value: Value) -> Op:
    assert value.op is not None
    return value.op


def computed_columns(op: Op, datas: Sequence[Any]) -> np.ndarray:
    """An operation on single numbers for columns of them at once, (n,); floats stay the same in every row."""
    if op.paired:
        return np.asarray(op.array(datas[0:-1:2], datas[1:-1:2], datas[-1]))
    if op.variadic:
        return np.asarray(op.array(np.stack(np.broadcast_arrays(*datas), axis=-1)))
    return np.asarray(op.array(*datas))
