"""The numbers of a program at its end, compared with a correct pass over its graph.

Gradients that a program has computed or set are displayed unchanged; only where it has none, the
engine computes them. A pass is walked and explained with the leaf data of the last `backward()`. Errors before
it (gradients that were not set to 0) and changes after it (an update) belong to the walk.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.autograd import Value, gradients_of, recompute, topological_order
from engine.autograd.naming import is_constant
from engine.autograd.replay import is_outdated
from engine.graph import GraphNames
from engine.graph.expanded import ExpandedGraph, copied_graph, expand_operations
from engine.language import Evaluation
from engine.teaching.walk import ProgramGradients

SAME = 1e-6
"""Relative difference up to which two numbers count as the same."""
ROUND_OFF = 1e-12
"""Absolute difference of two gradients up to which they count as the same: larger contributions cancel inexactly."""


@dataclass(frozen=True, eq=False)
class ProgramNumbers:
    """Differences between a program's numbers and a pass over its graph.

    Attributes:
        gradients: the program's and the pass's; None where the engine has computed them.
        data: the program's present data by value, where the pass has other data.
        is_before: the pass has the data of the program's last `backward()`; False: present data.
        right: the right gradient of each value whose gradient in the program is wrong.
        at_end: gradients at the end of the pass, of values whose gradient the program set later.
    """

    gradients: ProgramGradients | None = None
    data: Mapping[Value, Any] = field(default_factory=dict)
    is_before: bool = False
    right: Mapping[Value, Any] = field(default_factory=dict)
    at_end: Mapping[Value, Any] = field(default_factory=dict)

    @property
    def updated(self) -> Mapping[Value, Any]:
        """The data of each leaf that the program updated after the pass."""
        return self.data if self.is_before else {}

    def gradient_of_pass(self, value: Value) -> Any:
        """Return the gradient that the program had at the end of its pass."""
        return self.at_end.get(value, value.known_grad)


@dataclass(frozen=True, eq=False)
class _LastPass:
    """The last call of `backward()`: its root was the output or not, and all data and gradients after it."""

    is_of_root: bool
    numbers: Mapping[Value, tuple[Any, Any]] = field(default_factory=dict)
    count: int = 1


def program_numbers(
    evaluation: Evaluation, roots: Sequence[Value], names: GraphNames, opened: Collection[str]
) -> tuple[ExpandedGraph, ProgramNumbers | None]:
    """Return a program's graph with gradients, and the differences between its numbers and a pass over the graph.

    Args:
        evaluation: of the program.
        roots: the output first; only gradients that the engine computes are written to them.
        names: of all values below the roots.
        opened: composite operations shown in primitives, such as "op:o".

    Returns:
        None for the differences where the engine has computed the gradients, and no data were changed.
    """
    shown, now, is_before, last = None, {}, False, _last_pass(evaluation)
    if is_outdated(roots[0]):
        shown = copied_graph(ExpandedGraph(tuple(roots), names, {}, {}))
        now = _with_data_before(shown, last)
        is_before = bool(now)
    shown = expand_operations(roots, names, opened, shown) or shown or ExpandedGraph(tuple(roots), names, {}, {})
    order = topological_order(*shown.roots)
    now = {shown.now.get(value, value): data for value, data in now.items()}
    if is_outdated(shown.roots[0]):
        before = {value: value.data for value in order}
        recompute(order)
        now = {value: data for value, data in before.items() if not same(data, value.data, relative=0.0, absolute=0.0)}
    if not evaluation.own_gradients:
        differentiate(shown.roots[0])
        return shown, ProgramNumbers(data=now) if now else None
    root = shown.roots[0]
    right = gradients_of(root) if root.data.__class__ is float else {}
    if shown.now:
        _give_gradients(shown, roots, right)
    if evaluation.in_progress or not right:
        return shown, ProgramNumbers(ProgramGradients(), now, is_before)
    at_end = {value: value.known_grad for value in topological_order(root)}
    if last is not None and last.is_of_root:
        at_end |= {shown.now.get(value, value): grad for value, (_data, grad) in last.numbers.items()}
    known = {v: at_end[v] for v in right if at_end[v] is not None and not is_constant(v)}
    gradients = _compared(evaluation, last, known, right, has_outdated_data=bool(now) and not is_before)
    is_wrong = gradients.reason in ("hand", "rules")
    wrong = {v: right[v] for v, number in gradients.overrides.items() if is_wrong and not same(number, right[v])}
    return shown, ProgramNumbers(gradients, now, is_before, wrong, {v: at_end[v] for v in gradients.later})


def _last_pass(evaluation: Evaluation) -> _LastPass | None:
    if not evaluation.moments:
        return None
    moment = evaluation.moments[-1]
    if moment.root is evaluation.root:
        return _LastPass(True, count=len(evaluation.moments))
    numbers = {end: (then.data, then.known_grad) for then, end in moment.known.items()}
    return _LastPass(moment.root_at_end is evaluation.root, numbers, len(evaluation.moments))


def _with_data_before(shown: ExpandedGraph, last: _LastPass | None) -> dict[Value, Any]:
    """Restore the leaf data of the last pass, if everything is consistent with them.

    Returns:
        The present data by original leaf; empty where it is not.
    """
    then = {leaf: data for leaf, (data, _grad) in (last.numbers.items() if last else ()) if leaf in shown.now}
    now = {leaf: leaf.data for leaf, data in then.items() if leaf.op is None and not same(leaf.data, data)}
    for leaf in now:
        shown.now[leaf].data = then[leaf]
    if now and is_outdated(shown.roots[0]):
        for leaf, data in now.items():
            shown.now[leaf].data = data
        return {}
    return now


def _give_gradients(shown: ExpandedGraph, roots: Sequence[Value], right: Mapping[Value, Any]) -> None:
    """Copy the program's gradients to the shown graph; parts of an operation get theirs in proportion."""
    for value in topological_order(*roots):
        shown.now.get(value, value).grad = value.known_grad
    for parts in shown.parts.values():
        owner = parts[-1]
        for part in parts[:-1]:
            known = owner.known_grad is not None and part in right
            part.grad = (right[part] * owner.grad / right[owner] if right[owner] else 0.0) if known else None


def _compared(
    evaluation: Evaluation,
    last: _LastPass | None,
    known: Mapping[Value, Any],
    right: Mapping[Value, Any],
    has_outdated_data: bool,
) -> ProgramGradients:
    """Compare the program's gradients with those of one pass from 0.

    Args:
        evaluation: of the program.
        last: its last pass.
        known: its gradients after it.
        right: those of one pass from 0.
        has_outdated_data: data were changed, and the values that depend on them were not computed again.
    """
    if last is None:
        return ProgramGradients(False, overrides={v: grad for v, grad in known.items() if np.any(grad)}, reason="hand")
    if not last.is_of_root:
        return ProgramGradients(False, initial=known)
    later = {v: v.known_grad for v in known if not same(v.known_grad, known[v], absolute=0.0)}
    given = {v: grad for v, grad in known.items() if not same(grad, right[v], absolute=ROUND_OFF)}
    reason = _reason(evaluation, last, given, has_outdated_data)
    if reason == "zero":
        initial = {leaf: grad - right[leaf] for leaf, grad in given.items()}
        if all(np.isfinite(right[v]).all() and same(initial[v] + right[v], total) for v, total in given.items()):
            return ProgramGradients(True, initial=initial, later=later)
        reason = ""  # several gradients before the pass give this sum, or none does, as with infinities
    return ProgramGradients(True, overrides=given, later=later, reason=reason)


def _reason(evaluation: Evaluation, last: _LastPass, given: Iterable[Value], has_outdated_data: bool) -> str:
    """Return why gradients differ; "zero" when gradients of earlier passes remained at the start of the last one."""
    rows = evaluation.engine_check
    if any(not row.ok and not (row.of_pass and row.expected == 0.0) for row in rows or ()):
        return "rules"
    if has_outdated_data:
        return "changed"
    if rows and last.count == 1:
        return ""
    return "zero" if all(value.op is None for value in given) else "passes" if last.count > 1 else ""


def is_nonzero(gradient: Any) -> bool:
    """True for a gradient that is there, and not 0 in all its elements."""
    return gradient is not None and bool(np.any(gradient))


def same(one: Any, other: Any, relative: float = SAME, absolute: float = 1e-9) -> bool:
    """True for numbers that differ by rounding at most, and where both are missing."""
    if one.__class__ is float and other.__class__ is float:
        return math.isclose(one, other, rel_tol=relative, abs_tol=absolute) or (one != one and other != other)
    if one is None or other is None or np.shape(one) != np.shape(other):
        return one is other
    return bool(np.allclose(one, other, rtol=relative, atol=absolute, equal_nan=True))


def differentiate(root: Value) -> None:
    """Compute fresh gradients of a graph; none where the root is an array or not finite."""
    for value in topological_order(root):
        value.grad = None
    if root.data.__class__ is float and math.isfinite(root.data):
        root.backward()
