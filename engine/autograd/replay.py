"""A graph computed once more with some data changed, while the graph itself stays as it is.

Gradient checks, nudges and the derivative lens ask "what would the root be if this value were a little larger?".
Only what lies downstream of the change is computed again, without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.autograd.ops import Op
from engine.autograd.recompute import computed
from engine.autograd.value import Value, topological_order

PROBES = 32
AT_ONCE = 256

Compute = Callable[[Sequence[Any]], Any]


class Replay:
    """The past of one root, ready to be computed again.

    Attributes:
        order: every value, inputs before what they feed; the root last.
    """

    def __init__(self, root: Value) -> None:
        self.order = topological_order(root)
        self._index = {value: index for index, value in enumerate(self.order)}
        self._inputs = [tuple(self._index[source] for source in value.inputs) for value in self.order]
        self.read()
        self._real = [_real(value) for value in self.order]
        self._complex = [_complex(value) for value in self.order]
        self._consumers: list[list[int]] = [[] for _ in self.order]
        for index, sources in enumerate(self._inputs):
            for source in sources:
                self._consumers[source].append(index)

    def read(self) -> None:
        """Takes the data from the graph as they are now."""
        self._data = [value.data for value in self.order]

    def data_of(self, changes: Mapping[Value, Any], path: Sequence[int]) -> Iterator[tuple[Value, list[Any], Any]]:
        """Computes the values along `path` anew and gives each with the data of its inputs and its own."""
        new = {self._index[value]: changed for value, changed in changes.items()}
        for index in path:
            datas = [new[i] if i in new else self._data[i] for i in self._inputs[index]]
            new[index] = self._real[index](datas)
            yield self.order[index], datas, new[index]

    def downstream(self, values: Iterable[Value]) -> list[int]:
        """Places in `order` of what is computed from `values`, themselves left out, in the order of computation."""
        stack = [self._index[value] for value in values if value in self._index]
        changed = set(stack)
        found: set[int] = set()
        while stack:
            for consumer in self._consumers[stack.pop()]:
                if consumer not in found:
                    found.add(consumer)
                    stack.append(consumer)
        return sorted(found - changed)

    def root_data(self, changes: Mapping[Value, Any], path: Sequence[int] | None = None) -> Any:
        """The root's data if the values in `changes` had these data instead.

        Args:
            changes: new data by value; values outside the graph are ignored.
            path: `downstream(changes)`, where it is already known.
        """
        return self._run(changes, self.downstream(changes) if path is None else path, self._real)

    def complex_root(self, value: Value, data: complex, path: Sequence[int]) -> complex:
        """The root's data if the float `value` were the complex number `data`.

        Raises:
            ArithmeticError, ValueError: where an operation has no complex value.
        """
        return complex(self._run({value: data}, path, self._complex))

    def estimated_work(self) -> int:
        """About how many operations are computed anew when every value is changed once; 0 where arrays are involved.

        What lies downstream is counted for a few values only, always the same ones.
        """
        if any(value.data.__class__ is not float for value in self.order):
            return 0
        probed = self.order[:: max(1, len(self.order) // PROBES)]
        return sum(len(self.downstream([value])) for value in probed) * len(self.order) // len(probed)

    def sides(self, steps: Sequence[float]) -> Iterator[tuple[float, float]]:
        """The root's data below and above each value of a scalar graph, many values at a time.

        Args:
            steps: for each value of `order` how far it is moved to either side.

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
                new[index] = _many(self.order[index], columns)
            if index < block.stop:
                column = np.array(np.broadcast_to(new.get(index, data[index]), 2 * len(block)))
                place = 2 * (index - block.start)
                column[place : place + 2] = data[index] - steps[index], data[index] + steps[index]
                new[index] = column
        return new[len(data) - 1]

    def _run(self, changes: Mapping[Value, Any], path: Sequence[int], functions: Sequence[Compute]) -> Any:
        data, inputs = self._data, self._inputs
        new = {self._index[value]: changed for value, changed in changes.items() if value in self._index}
        for index in path:
            new[index] = functions[index]([new[i] if i in new else data[i] for i in inputs[index]])
        return new.get(len(data) - 1, data[-1])


def what_if(root: Value, changes: Mapping[Value, Any]) -> Any:
    """The root's data if the values in `changes` had these data instead; the graph is left as it is."""
    return Replay(root).root_data(changes)


def _real(value: Value) -> Compute:
    op = value.op
    if op is None:
        return _leaf
    if op.elementwise and all(source.data.__class__ is float for source in value.inputs):
        return lambda datas: op.scalar(*datas)
    return lambda datas: computed(op, datas)


def _complex(value: Value) -> Compute:
    op = value.op
    if op is None or not (op.elementwise or op.variadic):
        return _leaf
    if op.variadic:
        return lambda datas: _complex_variadic(op, datas)
    return lambda datas: op.complex(*datas)


def _leaf(datas: Sequence[Any]) -> Any:
    raise ValueError("a leaf is not computed, and a complex step needs single numbers")


def _many(value: Value, datas: Sequence[Any]) -> np.ndarray:
    """The operation of a scalar node for columns of data at once; floats stay the same in every row."""
    op = value.op
    assert op is not None
    if op.paired:
        total = sum(w * x for w, x in zip(datas[0:-1:2], datas[1:-1:2], strict=True))
        return np.asarray(total + datas[-1])
    if op.variadic:
        return np.asarray(op.array(np.stack(np.broadcast_arrays(*datas), axis=-1)))
    return np.asarray(op.array(*datas))


def _complex_variadic(op: Op, datas: Sequence[Any]) -> Any:
    if op.paired:
        return op.complex(datas[0:-1:2], datas[1:-1:2], datas[-1])
    return op.complex(datas)
