"""The bug lab: classic mistakes compared with the correct way, on the same graph from the same start.

A mistake is another rule, applied to copies of the graph or to gradients in a dictionary (`wrong_passes.py`). The
engine's own rule
never changes and is the reference. To add a mistake, add an entry to `BUGS`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from engine.autograd import Constant, Value, gradients_of, name_of, recompute, short, topological_order
from engine.autograd.notation import counted
from engine.graph import GraphNames
from engine.teaching.wrong_passes import not_reversed, not_zeroed, overwritten, piled_up, without_topological_order
from engine.views.graph_view import GraphView

N_STEPS = 20
"""Training steps in which a learning rate is judged."""
FAR = 100.0
"""Factor by which a learning rate is too high or too low."""
MOST_WAYS = 50_000
"""Limit of paths through a graph for the pass without topological order, which follows each of them."""

FLAT = 1e-3
"""Gradients below this fraction of those at the start count as nearly 0."""

Numbers = Mapping[int, tuple[float, float]]
"""Data and gradient by `id(value)`."""


class Ways(NamedTuple):
    """Results of the correct way and of the mistake on one graph.

    Attributes:
        right, wrong: data and gradients of every value.
        outcome: a sentence on the effect of the mistake; "" where the differences say it all.
    """

    right: Numbers
    wrong: Numbers
    outcome: str = ""


Run = Callable[[Value, float], Ways]
"""Runs both ways on a graph with a learning rate."""


@dataclass(frozen=True)
class Difference:
    """A number that differs because of the mistake.

    Attributes:
        value: the node of the graph.
        kind: "data" or "grad".
        right, wrong: both numbers.
    """

    value: Value
    kind: str
    right: float
    wrong: float

    @property
    def text(self) -> str:
        return f"{name_of(self.value)}.{self.kind} is {short(self.wrong)}; right is {short(self.right)}."


@dataclass(frozen=True, eq=False)
class Comparison:
    """A graph after the correct way and after the mistake.

    Attributes:
        right, wrong: data and gradients of every value.
        differences: where they differ, inputs before their consumers.
        outcome: a sentence on the effect of the mistake; may be "".
    """

    right: Numbers
    wrong: Numbers
    differences: tuple[Difference, ...]
    outcome: str


@dataclass(frozen=True)
class Bug:
    """A classic mistake.

    Attributes:
        title: menu text.
        wrong_code, right_code: the line of Python with the mistake, and the corrected one.
        why: the general consequence, in a sentence or two.
        none: the message when the mistake changes nothing on this graph.
        run: runs both ways.
    """

    title: str
    wrong_code: str
    right_code: str
    why: str
    none: str
    run: Run


EXAMPLE = "a = 2.0\nb = -3.0\nc = a * b\nd = c + a\ne = d * c"
"""Program in which every mistake of `BUGS` shows."""


def example() -> GraphView:
    """Return the graph of `EXAMPLE`, built at each call."""
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c = a * b
    d = c + a
    e = d * c
    named = {"a": a, "b": b, "c": c, "d": d, "e": e}
    for name, value in named.items():
        value.label = name
    e.backward()
    return GraphView((e,), GraphNames({id(value): name for name, value in named.items()}))


def compare(bug: Bug, root: Value, learning_rate: float) -> Comparison:
    """Run the correct way and the mistake on one graph, which is not changed.

    Raises:
        ValueError: when the graph has arrays, or is too large for this mistake, with the reason.
    """
    order = topological_order(root)
    if any(value.data.__class__ is not float for value in order):
        raise ValueError("the lab works on single numbers, and this graph has arrays")
    right, wrong, outcome = bug.run(root, learning_rate)
    found = []
    for value in order:
        for place, one, other in zip(("data", "grad"), right[id(value)], wrong[id(value)], strict=True):
            if not (isinstance(value, Constant) or _is_same(one, other)):
                found.append(Difference(value, place, one, other))
    return Comparison(right, wrong, tuple(found), outcome)


def _is_same(one: float, other: float) -> bool:
    if not (math.isfinite(one) and math.isfinite(other)):
        return one == other or (math.isnan(one) and math.isnan(other))
    return abs(one - other) <= 1e-12 * max(abs(one), abs(other))


# The two ways


def _with(root: Value, gradients: Mapping[int, float]) -> Numbers:
    return {id(value): (value.data, gradients.get(id(value), 0.0)) for value in topological_order(root)}


def _gradients(wrong: Callable[[Value], Mapping[int, float]]) -> Run:
    """Return a run of one correct backward pass and a wrong one."""

    def run(root: Value, _rate: float) -> Ways:
        right = {id(value): float(grad) for value, grad in gradients_of(root).items()}
        return Ways(_with(root, right), _with(root, wrong(root)))

    return run


def _depth_first(root: Value) -> Mapping[int, float]:
    ways: dict[int, int] = {}
    for value in topological_order(root):
        ways[id(value)] = 1 + sum(ways[id(source)] for source in value.inputs)
    if ways[id(root)] > MOST_WAYS:
        raise ValueError(f"this pass follows every path through the graph, and there are {ways[id(root)]:,}")
    return without_topological_order(root)


class _Copy:
    """Trainable copy of a graph; its numbers are returned by the ids of the original values."""

    def __init__(self, root: Value) -> None:
        self._memo: dict[int, Value] = {}
        self.root = copy.deepcopy(root, self._memo)
        self._originals = topological_order(root)
        self.order = topological_order(self.root)
        self.leaves = [value for value in self.order if value.op is None and not isinstance(value, Constant)]

    def descend(self, learning_rate: float) -> None:
        """Update every leaf once by gradient descent."""
        for leaf, gradient in zip(self.leaves, self.slope, strict=True):
            leaf.data -= learning_rate * gradient

    @property
    def slope(self) -> list[float]:
        gradients = gradients_of(self.root)
        return [float(gradients.get(leaf, 0.0)) for leaf in self.leaves]

    @property
    def numbers(self) -> Numbers:
        gradients = gradients_of(self.root)
        copies = ((original, self._memo[id(original)]) for original in self._originals)
        return {id(original): (twin.data, float(gradients.get(twin, 0.0))) for original, twin in copies}


def _stale(root: Value, learning_rate: float) -> Ways:
    """Compare after an update: a new forward pass against the old graph."""
    right, wrong = _Copy(root), _Copy(root)
    for graph in (right, wrong):
        graph.descend(learning_rate)
    recompute(right.order)
    return Ways(right.numbers, wrong.numbers)


@dataclass(frozen=True)
class _Course:
    """Result of some training steps.

    Attributes:
        numbers: data and gradients of every value after the last step.
        outputs: the output's data before the first step and after each.
        n_turned: number of steps that went past a lowest point: the slope along them changed its sign.
        is_flat: the gradients are nearly 0 after the last step.
    """

    numbers: Numbers
    outputs: tuple[float, ...]
    n_turned: int
    is_flat: bool


def _trained(root: Value, learning_rate: float) -> _Course:
    graph = _Copy(root)
    outputs, slopes = [graph.root.data], [graph.slope]
    for _ in range(N_STEPS):
        graph.descend(learning_rate)
        recompute(graph.order)
        outputs.append(graph.root.data)
        slopes.append(graph.slope)
        if not math.isfinite(graph.root.data):
            break
    turned = sum(_product(before, after) < 0 for before, after in pairwise(slopes))
    is_flat = _product(slopes[-1], slopes[-1]) < FLAT**2 * _product(slopes[0], slopes[0])
    return _Course(graph.numbers, tuple(outputs), turned, is_flat)


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _at_another_rate(factor: float, outcome: Callable[[_Course], str]) -> Run:
    """Return a run that trains with the learning rate and with `factor` times it, with the outcome of the latter."""

    def run(root: Value, rate: float) -> Ways:
        right, wrong = _trained(root, rate), _trained(root, rate * factor)
        first, last, aim = (short(number) for number in (wrong.outputs[0], wrong.outputs[-1], right.outputs[-1]))
        n = counted(len(wrong.outputs) - 1, "step")
        return Ways(right.numbers, wrong.numbers, outcome(wrong).format(first=first, last=last, aim=aim, steps=n))

    return run


def _outcome_of_far(course: _Course) -> str:
    """Return the key in `OUTCOMES` for steps that are far too long."""
    n_steps = len(course.outputs) - 1
    if not math.isfinite(course.outputs[-1]):
        return OUTCOMES["overflow past" if 2 * course.n_turned >= n_steps else "overflow"]
    if 2 * course.n_turned >= n_steps and course.outputs[-1] > course.outputs[0]:
        return OUTCOMES["further"]
    if course.n_turned:
        return OUTCOMES["past"]
    return OUTCOMES["flat" if course.is_flat else "no lowest point"]


OUTCOMES = {
    "overflow past": "Each step goes past the lowest point, further each time: after {steps} the output is {last}.",
    "overflow": "After {steps} the output is {last}.",
    "further": "Each step goes past the lowest point, further each time: the output rises from {first} to {last}.",
    "past": "Steps go past the lowest point, to and fro: the output ends at {last}; with the learning rate at {aim}.",
    "flat": "The steps jump to a flat region: the gradients are nearly 0 there, and the values stop changing. "
    "The output ends at {last}; with the learning rate at {aim}.",
    "no lowest point": "No step goes past a lowest point here: the output goes from {first} to {last}; "
    "with the learning rate to {aim}.",
    "moves": "The output goes from {first} to {last}; with the learning rate to {aim}.",
    "climbs": "The output goes from {first} to {last}; with the right sign to {aim}.",
}
"""Outcomes of training with another learning rate: the output before and after, and after training with the right one.
"""


BUGS: Mapping[str, Bug] = MappingProxyType({
    "overwrite": Bug(
        "= instead of +=", "self.grad = other.data * out.grad", "self.grad += other.data * out.grad",
        "A value that is used several times gets a contribution from each consumer. With = the last one overwrites "
        "those before it.",
        "No value is used twice here, so = and += give the same result. Use one twice to see the difference.",
        _gradients(overwritten),
    ),
    "no zero_grad": Bug(
        "No zero_grad", "loss.backward()  # a second time", "p.grad = 0.0; loss.backward()",
        "backward() adds to the gradients of the leaves. Unless they are set to 0 between two passes, the gradients of "
        "both add up: this is the second pass.",
        "Every gradient is 0 here, so two passes give the same result as one.",
        _gradients(lambda root: not_zeroed(root, 2)),
    ),
    "depth first": Bug(
        "Depth first, without topological order", "for v in inputs: v.backward()  # recursion",
        "for v in reversed(topological_order): v._backward()",
        "A value passes its gradient on as soon as the first contribution has arrived, and once more with each later "
        "one: the first contributions are counted again.",
        "Every value is used once here, so its gradient is complete when it is passed on.",
        _gradients(_depth_first),
    ),
    "not reversed": Bug(
        "The order is not reversed", "for v in topological_order: v._backward()",
        "for v in reversed(topological_order): v._backward()",
        "Inputs come before their consumers, so each value passes its gradient on before any has arrived: 0.",
        "There is only one operation, so the order cannot be wrong.",
        _gradients(not_reversed),
    ),
    "second backward": Bug(
        "A second backward pass as in micrograd", "out.grad += ...  # of the pass before",
        "intermediate gradients start at 0 in each pass",
        "The right way here is a second pass as in PyTorch: only the gradients of leaves accumulate. In micrograd "
        "those of intermediate values accumulate as well, and the sums are passed on.",
        "There are no intermediate values here, so both give the same result.",
        lambda root, _rate: Ways(_with(root, not_zeroed(root, 2)), _with(root, piled_up(root, 2))),
    ),
    "stale graph": Bug(
        "A graph reused after an update", "p.data -= lr * p.grad; loss.backward()",
        "p.data -= lr * p.grad; loss = forward(); loss.backward()",
        "After the update the leaves have new data, but all values computed from them are old, so the "
        "gradients are wrong for the old data and for the new.",
        "The update changes nothing here: every gradient, or the learning rate, is 0.",
        _stale,
    ),
    "rate too high": Bug(
        "A learning rate far too high", f"p.data -= {FAR:g} * lr * p.grad", "p.data -= lr * p.grad",
        f"{N_STEPS} steps with the learning rate, and with {FAR:g} times as much. A gradient is valid "
        "only nearby: a step that is too long ends where the slope is different.",
        "The steps change nothing here: every gradient, or the learning rate, is 0.",
        _at_another_rate(FAR, _outcome_of_far),
    ),
    "rate too low": Bug(
        "A learning rate far too low", f"p.data -= lr / {FAR:g} * p.grad", "p.data -= lr * p.grad",
        f"{N_STEPS} steps with the learning rate, and with 1/{FAR:g} of it, which gets less far.",
        "The steps change nothing here: every gradient, or the learning rate, is 0.",
        _at_another_rate(1 / FAR, lambda _course: OUTCOMES["moves"]),
    ),
    "rate of the wrong sign": Bug(
        "A learning rate of the wrong sign", "p.data += lr * p.grad", "p.data -= lr * p.grad",
        f"{N_STEPS} steps with the learning rate, and with its negative. The gradient points uphill: "
        "adding it raises the output, and so does subtracting it with a negative learning rate.",
        "The steps change nothing here: every gradient, or the learning rate, is 0.",
        _at_another_rate(-1.0, lambda _course: OUTCOMES["climbs"]),
    ),
})  # fmt: skip
"""Mistakes by name, in menu order."""


def differing_values(differences: Sequence[Difference]) -> list[Value]:
    """Return the values that differ, each once."""
    return list(dict.fromkeys(each.value for each in differences))
