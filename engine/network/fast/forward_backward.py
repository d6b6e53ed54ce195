"""The forward and the backward pass of recognised blocks, written down as numpy calls over all samples.

Forward evaluates each block's formula, backward goes through the blocks in reverse and hands `g * partial` of the same
table to their operands: the chain rule with matrices (n_rows, n_samples) instead of numbers. A layer is one
matrix product in forward and two in backward; a row of ones below its inputs makes the biases weights like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.network.fast.recognise import Recognised, RowBlock, Rows
from engine.network.fast.tape import ZERO, Buffer, BufferView, Call, Tape, Term

RowsTerm = tuple[int, int, Term]


class ForwardBackward:
    """Calls for one number of samples.

    Attributes:
        forward_calls: from inputs to the wanted rows.
        backward_calls: from the last block's one row to the gradients of the parameters; empty unless asked for.
        outputs: the wanted rows, in order.
        total: two rows whose dot product is the sum of the last output over samples, which is not computed itself then;
            None when that output is to be added up.
        parameters: the buffer that stands for the flat parameters.
    """

    def __init__(self, recognised: Recognised, wanted: Sequence[Rows], upstream: float | None = None) -> None:
        """Record the passes.

        Args:
            recognised: the blocks.
            wanted: rows to compute; backward starts from the last.
            upstream: gradient of the objective with respect to each sample's entry of that row; None: no backward.
        """
        self._blocks = recognised.blocks
        self._tape = Tape()
        self.inputs = Buffer(recognised.blocks[0].n_rows, source="input")
        self.targets = Buffer(recognised.blocks[1].n_rows, source="target")
        self.parameters = Buffer(1, source="parameters")
        self.gradients = Buffer(1, source="gradients")
        self._terms: dict[int, Term] = {}
        self._layer_inputs: dict[int, BufferView] = {}
        for index in _needed(self._blocks, wanted):
            self._terms[index] = self._value(index, self._blocks[index])
        self.outputs = [self._operand(rows) for rows in wanted]
        plain = self.outputs if upstream is None else self.outputs[:-1]
        self.outputs[: len(plain)] = [Term(1.0, self._tape.rows_of(term)) for term in plain]
        n_forward = len(self._tape.calls)
        self._received: dict[int, list[RowsTerm]] = {}
        self._written: set[int] = set()
        if upstream is not None:
            self._backward(wanted[-1], upstream)
        self.forward_calls: list[Call] = self._tape.calls[:n_forward]
        self.backward_calls: list[Call] = self._tape.calls[n_forward:]
        self.total: tuple[BufferView, BufferView] | None = None if upstream is None else self._dot_product_total()

    def _dot_product_total(self) -> tuple[BufferView, BufferView] | None:
        """Return the two rows whose dot product is the total loss, if the last row is a product used only there."""
        view = self.outputs[-1].view
        last = self.forward_calls[-1] if self.forward_calls else None
        if last is None or last.output != view or last.function not in ("square", "multiply"):
            return None
        left, right = last.inputs[0], last.inputs[-1]
        if any(view in call.inputs for call in self.backward_calls):
            return None
        if not (isinstance(left, BufferView) and isinstance(right, BufferView)) or {left.shape, right.shape} != {None}:
            return None
        del self.forward_calls[-1]
        return left, right

    def _operand(self, operand: Rows | float) -> Term:
        """Return the rows of an earlier block as a term."""
        if not isinstance(operand, Rows):
            return Term(operand)
        term = self._terms[operand.block]
        if term.view is None or (operand.start, operand.stop) == (0, term.view.rows):
            return term
        start = term.view.start
        return Term(term.factor, BufferView(term.view.buffer, start + operand.start, start + operand.stop))

    def _value(self, index: int, block: RowBlock) -> Term:
        if block.kind in ("input", "target"):
            return Term(1.0, BufferView(self.inputs if block.kind == "input" else self.targets, 0, block.n_rows))
        if block.kind == "parameter":
            return Term(1.0, BufferView(self.parameters, block.first, block.first + 1, shape=(1, 1)))
        if block.kind == "layer":
            return Term(1.0, self._layer(index, block))
        assert block.op is not None
        term = self._tape.evaluate(block.op.value, self._names(block))
        return Term(1.0, self._tape.rows_of(term)) if term.view and term.view.buffer.boolean else term

    def _names(self, block: RowBlock) -> dict[str, Term]:
        """Return the names of the inputs in the block's formulas."""
        assert block.op is not None
        return dict(zip(block.op.arguments, map(self._operand, block.operands), strict=True))

    def _layer(self, index: int, block: RowBlock) -> BufferView:
        x = self._whole(self._operand(block.operands[0]))
        x.buffer.ones = True
        self._layer_inputs[index] = x
        matrix = BufferView(self.parameters, *self._place(block, x), shape=(block.n_rows, x.rows + 1))
        return self._tape.call("dot", matrix, x._replace(form="augmented"), rows=block.n_rows)

    def _whole(self, term: Term) -> BufferView:
        """Return a term as a buffer of its own, below which a row of ones may lie."""
        assert term.view is not None
        rows = self._tape.rows_of(term)
        if (rows.start, rows.stop) == (0, rows.buffer.rows) and rows.buffer.source in ("", "input"):
            return rows
        return self._tape.call("copy", rows, rows=rows.rows)

    def _place(self, block: RowBlock, x: BufferView) -> tuple[int, int]:
        """Return the position of the layer's numbers in the flat parameters."""
        return block.first, block.first + block.n_rows * (x.rows + 1)

    def _backward(self, root: Rows, upstream: float) -> None:
        active = _active(self._blocks)
        if root.block in active:
            self._receive(root, Term(upstream))
        for index in sorted(self._terms, reverse=True):
            if index not in self._received:
                continue
            block, g = self._blocks[index], self._gradient(index)
            if block.kind == "layer":
                self._pull_layer(index, block, g, active)
            elif block.kind == "parameter":
                self._pull_parameter(block, g)
            else:
                self._pull_operation(index, block, g, active)

    def _receive(self, operand: Rows, amount: Term) -> None:
        self._received.setdefault(operand.block, []).append((operand.start, operand.stop, amount))

    def _pull_operation(self, index: int, block: RowBlock, g: Term, active: set[int]) -> None:
        assert block.op is not None
        names = {**self._names(block), "y": self._terms[index]}
        partials = block.op.partials * (len(block.operands) if block.op.variadic else 1)
        for operand, partial in zip(block.operands, partials, strict=True):
            if isinstance(operand, Rows) and operand.block in active:
                self._receive(operand, self._tape.multiply(g, self._tape.evaluate(partial, names)))

    def _pull_layer(self, index: int, block: RowBlock, g: Term, active: set[int]) -> None:
        x, gz = self._layer_inputs[index], self._as_matrix(g, block.n_rows)
        first, stop = self._place(block, x)
        shape = (block.n_rows, x.rows + 1)
        output = BufferView(self.gradients, first, stop, shape=shape)
        self._add_gradient("dot", gz, x._replace(form="transposed"), output=output)
        source = block.operands[0]
        if isinstance(source, Rows) and source.block in active:
            matrix = BufferView(self.parameters, first, stop, "transposed", shape)
            amount = self._tape.call("dot", matrix, gz, rows=x.rows + 1)  # the last row, that of the ones, goes nowhere
            self._receive(source, Term(1.0, amount._replace(stop=x.rows)))

    def _pull_parameter(self, block: RowBlock, g: Term) -> None:
        output = BufferView(self.gradients, block.first, block.first + 1, shape=(1, 1))
        self._add_gradient("sum_of_samples", self._as_matrix(g, 1), output=output)

    def _add_gradient(self, function: str, *inputs: BufferView, output: BufferView) -> None:
        """Write gradients of parameters; for parameters used before, add to theirs."""
        if output.start in self._written:
            function = f"{function}_added"
        self._written.add(output.start)
        self._tape.write(function, *inputs, output=output)

    def _as_matrix(self, term: Term, rows: int) -> BufferView:
        """Return a term as a full matrix with this number of rows."""
        if term.view is None:
            return self._tape.call("copy", term.factor, rows=rows)
        view = self._tape.rows_of(term)
        narrow = view.buffer.source == "parameters"
        return view if view.rows == rows and not narrow else self._tape.call("copy", view, rows=rows)

    def _gradient(self, index: int) -> Term:
        """Return the sum of all contributions that a block has received."""
        rows, received = self._blocks[index].n_rows, self._received[index]
        if all((start, stop) == (0, rows) for start, stop, _ in received):
            total = ZERO
            for _, _, amount in received:
                total = self._tape.add(total, amount)
            return total
        if _same_number_everywhere(received, rows):
            return received[0][2]
        return Term(1.0, self._assembled(received, rows))

    def _assembled(self, received: Sequence[RowsTerm], rows: int) -> BufferView:
        """Amounts for some of the rows each, put into one buffer."""
        buffer = Buffer(rows)
        self._tape.write("copy", 0.0, output=BufferView(buffer, 0, rows))
        for start, stop, amount in received:
            part = BufferView(buffer, start, stop)
            self._tape.write("add", part, self._tape.operand(amount), output=part)
        return BufferView(buffer, 0, rows)


def _needed(blocks: Sequence[RowBlock], wanted: Iterable[Rows]) -> list[int]:
    """Return the blocks that the wanted rows depend on, in order."""
    needed: set[int] = set()
    stack = [rows.block for rows in wanted]
    while stack:
        index = stack.pop()
        if index not in needed:
            needed.add(index)
            stack += [operand.block for operand in blocks[index].operands if isinstance(operand, Rows)]
    return sorted(needed)


def _active(blocks: Sequence[RowBlock]) -> set[int]:
    """Return the blocks that depend on a parameter."""
    active: set[int] = set()
    for index, block in enumerate(blocks):
        sources = {operand.block for operand in block.operands if isinstance(operand, Rows)}
        if block.kind in ("layer", "parameter") or sources & active:
            active.add(index)
    return active


def _same_number_everywhere(received: Sequence[RowsTerm], rows: int) -> bool:
    """Return True when each row received one and the same number, once."""
    covered = sorted(row for start, stop, _ in received for row in range(start, stop))
    return covered == list(range(rows)) and len({amount for _, _, amount in received}) == 1 and received[0][2].number
