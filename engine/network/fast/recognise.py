"""Recognises the layers in the scalar graph of one sample.

A traced graph has a node for every neuron. Here nodes that can be computed together become one block: weighted sums
over the same inputs whose parameters lie in a row become a layer, equal operations on neighbouring rows of one block
become one operation on all of them. A value that fits no pattern is a block of one row. Over samples, a block is a
matrix (n_rows, n_samples).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.autograd import Op, Value, topological_order
from engine.autograd.ops import INFIX
from engine.network.errors import UntranslatableError

Kind = Literal["input", "target", "parameter", "layer", "op"]


@dataclass(frozen=True, eq=False)
class Trace:
    """The scalar graph of one sample with the roles of its leaves.

    Attributes:
        roots: values to compute: the network's outputs, and last the sample's loss.
        inputs: leaves with the sample.
        targets: leaves with its target.
        parameters: all parameters in flat order.
    """

    roots: Sequence[Value]
    inputs: Sequence[Value]
    targets: Sequence[Value]
    parameters: Sequence[Value]


@dataclass(frozen=True)
class Rows:
    """Neighbouring rows `start` to `stop` (not included) of a block."""

    block: int
    start: int
    stop: int


@dataclass(frozen=True)
class RowBlock:
    """Rows computed together.

    Attributes:
        kind: input, target, parameter, layer or op.
        n_rows: how many.
        op: operation of a block of kind "op".
        operands: its inputs: rows of earlier blocks, or a constant.
        first: position of a layer's (or parameter's) first number among the flat parameters.
    """

    kind: Kind
    n_rows: int
    op: Op | None = None
    operands: tuple[Rows | float, ...] = ()
    first: int = 0


class Recognised:
    """The blocks of a traced graph, operands before their consumers, and the place of each value.

    Attributes:
        blocks: in order of computation.
    """

    def __init__(self, trace: Trace) -> None:
        """Recognise the blocks.

        Raises:
            UntranslatableError: for operations on arrays, or a logsumexp of scattered rows.
        """
        self.blocks: list[RowBlock] = []
        self._places: dict[int, tuple[int, int]] = {}
        self._parameters = {id(value): index for index, value in enumerate(trace.parameters)}
        self._add(RowBlock("input", len(trace.inputs)), trace.inputs)
        self._add(RowBlock("target", len(trace.targets)), trace.targets)
        level: dict[int, int] = {}
        levels: dict[int, list[Value]] = defaultdict(list)  # computed values by their distance from the leaves
        for value in topological_order(*trace.roots):
            if value.op is not None:
                level[id(value)] = 1 + max(level.get(id(source), 0) for source in value.inputs)
                levels[level[id(value)]].append(value)
        for _, nodes in sorted(levels.items()):
            self._place_neurons([node for node in nodes if _is_paired(node)])
            self._place_operations([node for node in nodes if not _is_paired(node)])

    def rows(self, values: Sequence[Value]) -> Rows | None:
        """Return the values as neighbouring rows of one block in this order; None when they are not."""
        places = [self._places.get(id(value)) for value in values]
        if None in places or not places:
            return None
        block, start = places[0]  # type: ignore[misc]
        if places != [(block, start + i) for i in range(len(places))]:
            return None
        return Rows(block, start, start + len(places))

    def _add(self, block: RowBlock, values: Iterable[Value] = ()) -> int:
        """Append a block whose rows are these values; return its index."""
        index = len(self.blocks)
        self.blocks.append(block)
        self._places.update({id(value): (index, row) for row, value in enumerate(values)})
        return index

    def _place_neurons(self, nodes: Sequence[Value]) -> None:
        groups: dict[tuple[int, ...], list[Value]] = defaultdict(list)
        for node in nodes:
            if node.op is not None and not node.op.affine:
                raise UntranslatableError(f"{node.op.name} is {node.op.value}, not dot(w, x) + b")
            groups[tuple(map(id, node.inputs[1:-1:2]))].append(node)
        for neurons in groups.values():
            if not self._place_layer(neurons):
                for neuron in neurons:
                    self._place_taken_apart(neuron)

    def _place_layer(self, neurons: Sequence[Value]) -> bool:
        """Place neurons with the same inputs as one layer, if their parameters lie in a row."""
        inputs = self.rows(neurons[0].inputs[1:-1:2])
        if inputs is None or inputs.stop != self.blocks[inputs.block].n_rows or inputs.start != 0:
            return False
        own = [
            self._parameters.get(id(p), -1) for neuron in neurons for p in (*neuron.inputs[0:-1:2], neuron.inputs[-1])
        ]
        if own[0] < 0 or own != list(range(own[0], own[0] + len(own))):
            return False
        self._add(RowBlock("layer", len(neurons), None, (inputs,), own[0]), neurons)
        return True

    def _place_taken_apart(self, neuron: Value) -> None:
        """Place a weighted sum as products and sums, one row each."""
        *pairs, bias = neuron.inputs
        total = self._operand(bias)
        for weight, x in zip(pairs[0::2], pairs[1::2], strict=True):
            product = self._add(RowBlock("op", 1, INFIX["*"], (self._operand(weight), self._operand(x))))
            index = self._add(RowBlock("op", 1, INFIX["+"], (total, Rows(product, 0, 1))))
            total = Rows(index, 0, 1)
        assert isinstance(total, Rows)
        self._places[id(neuron)] = (total.block, 0)

    def _place_operations(self, nodes: Sequence[Value]) -> None:
        groups: dict[tuple[object, ...], list[tuple[tuple[Rows | float, ...], Value]]] = defaultdict(list)
        for node in nodes:
            assert node.op is not None
            operands = self._operands(node)
            where = tuple(("rows", o.block) if isinstance(o, Rows) else ("constant", o) for o in operands)
            groups[(node.op, *where)].append((operands, node))
        for group in groups.values():
            group.sort(key=lambda entry: [o.start if isinstance(o, Rows) else 0 for o in entry[0]])
            runs = [[group[0]]]
            for entry in group[1:]:  # cut where the operands stop being neighbours; constants are equal in a group
                pairs = zip(runs[-1][-1][0], entry[0], strict=True)
                rows = [(a, b) for a, b in pairs if isinstance(a, Rows) and isinstance(b, Rows)]
                follows = bool(rows) and all(b.start == a.stop for a, b in rows)
                if follows and not (entry[1].op and entry[1].op.variadic):
                    runs[-1].append(entry)
                else:
                    runs.append([entry])
            for run in runs:
                (first, node), (last, _) = run[0], run[-1]
                joined = tuple(
                    Rows(a.block, a.start, b.stop) if isinstance(a, Rows) and isinstance(b, Rows) else a
                    for a, b in zip(first, last, strict=True)
                )
                self._add(RowBlock("op", len(run), node.op, joined), [value for _, value in run])

    def _operands(self, node: Value) -> tuple[Rows | float, ...]:
        assert node.op is not None
        if node.op.variadic:
            rows = self.rows(node.inputs)
            if rows is None:
                raise UntranslatableError(f"{node.op.name} of values that are not neighbours")
            return (rows,)
        if not node.op.elementwise:
            raise UntranslatableError(f"{node.op.name} works on arrays")
        return tuple(self._operand(source) for source in node.inputs)

    def _operand(self, value: Value) -> Rows | float:
        """Return the location of a value; a leaf that is not an input, target or parameter is a constant."""
        if id(value) not in self._places:
            index = self._parameters.get(id(value))
            if index is None:
                return float(value.data)
            self._add(RowBlock("parameter", 1, first=index), [value])
        block, row = self._places[id(value)]
        return Rows(block, row, row + 1)


def _is_paired(node: Value) -> bool:
    return node.op is not None and node.op.paired
