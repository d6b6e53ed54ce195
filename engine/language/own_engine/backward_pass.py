"""The backward pass of a learner's engine as a whole: its seed, its order, and what was left over from the last one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine.language.own_engine.formulas import number_text
from engine.language.own_engine.graph import EngineCheckRow, OwnGraph
from engine.language.own_engine.operations import close
from engine.language.own_engine.probe import OwnPass, OwnRecords

_NO_SEED = "`{0}`, line {1}, never gives the output its own gradient of 1.0: every gradient stays 0.0"
_WRONG_SEED = (
    "`{0}`, line {1}, gives the output the gradient {2}; the gradient of a value with respect to itself is 1.0"
)
_NOT_ZEROED = (
    "the gradients of step {0} are still there in step {1}: {2}.grad was {3} before `{4}` ran again; set every "
    "gradient to 0.0 before each backward pass"
)
_ORDER = (
    "`{0}`, line {1}: every rule is right, the order is not: a value passes its gradient on before it has received all "
    "of it ({2}.grad is {3} and should be {4})"
)
_REVERSED = "; the order has to be reversed: from the output back to the inputs"


def pass_rows(records: OwnRecords, final: OwnGraph, rules_right: bool) -> Iterator[EngineCheckRow]:
    """What is wrong with the backward passes that were recorded; of several of a kind the first."""
    passes, engine = records.passes, final.engine
    if not passes and engine.runs_backward and not engine.changes_data and records.nodes:
        passes = (OwnPass(records.nodes[0].key, {}, records.nodes),)
    for number, one in enumerate(passes):
        found = list(_problems_of(one, passes[:number], records, final, rules_right))
        if found:
            yield from found
            return


def _problems_of(
    one: OwnPass, earlier: Sequence[OwnPass], records: OwnRecords, final: OwnGraph, rules_right: bool
) -> Iterator[EngineCheckRow]:
    engine = final.engine
    graph = OwnGraph(one.after, engine)
    graph.chosen.update(final.chosen if one.root == final.root else {})
    if graph.cycle or one.root != graph.root:
        return
    root, name = graph.nodes[one.root], engine.run or engine.recursive or "backward"
    row = EngineCheckRow(name, engine.run_line, None, None, False, of_pass=True)
    before = {key: grad or 0.0 for key, (_, grad) in one.before.items()}
    after = {key: node.grad or 0.0 for key, node in graph.nodes.items()}
    if earlier and (left := _left_over(one, earlier[-1])):
        key, grad = left
        called = graph.nodes[key].label or records.names.get(key, "a parameter")
        message = _NOT_ZEROED.format(len(earlier), len(earlier) + 1, called, number_text(grad), name)
        yield replace(row, expected=0.0, given=grad, message=message, input=called)
        return
    if not root.inputs or any(before.get(node.key, 0.0) for node in graph.ordered if node.key != one.root):
        return
    changed = any(after[node.key] for node in graph.ordered if node.key != one.root)
    if not changed and not after[one.root]:
        if any(graph.gradients[node.key] for node in graph.ordered if node.key != one.root):
            message = _NO_SEED.format(name, engine.run_line)
            yield replace(row, expected=1.0, given=0.0, message=message)
        return
    if rules_right:
        yield from _order_rows(row, graph, after, records)


def _left_over(one: OwnPass, last: OwnPass) -> tuple[int, float] | None:
    """A value that was updated since the last pass and kept its gradient."""
    for node in last.after:
        data, grad = one.before.get(node.key, (None, None))
        if not node.inputs and grad and data != node.data and node.grad == grad:
            return node.key, grad
    return None


def _order_rows(
    row: EngineCheckRow, graph: OwnGraph, after: Mapping[int, float], records: OwnRecords
) -> Iterator[EngineCheckRow]:
    right = graph.gradients
    wrong = [
        node for node in graph.ordered
        if math.isfinite(right[node.key]) and not close(after[node.key], right[node.key], 1e3)
    ]  # fmt: skip
    if not wrong or any(not math.isfinite(value) for value in right.values()):
        return
    seed = after[graph.root]
    if seed and not close(seed, 1.0) and all(close(after[key], seed * right[key], 1e3) for key in right):
        message = _WRONG_SEED.format(row.op, row.line, number_text(seed))
        yield replace(row, expected=1.0, given=seed, message=message)
        return
    node = next((one for one in wrong if one.label or one.key in records.names), wrong[0])
    called = node.label or records.names.get(node.key, "a value")
    amounts = after[node.key], right[node.key]
    message = _ORDER.format(row.op, row.line, called, *map(number_text, amounts))
    if _is_not_reversed(graph, after):
        message += _REVERSED
    yield replace(row, expected=amounts[1], given=amounts[0], message=message, input=called, key=node.key)


def _is_not_reversed(graph: OwnGraph, after: Mapping[int, float]) -> bool:
    """Whether only the root passed anything on: the values before it had their turn when nothing had arrived."""
    found = dict.fromkeys(graph.nodes, 0.0)
    found[graph.root] = 1.0
    root = graph.nodes[graph.root]
    for key, partial in zip(root.inputs, graph.partials(root), strict=True):
        if key in found:
            found[key] += partial
    return all(close(after[key], found[key]) for key in found)
