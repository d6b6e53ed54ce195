"""The gradients that an engine of the program's own has left, where they are to be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.autograd.value import Constant, Value
from engine.language.fetching import Fetched
from engine.language.own_engine_graph import EngineCheckRow
from engine.language.own_values import is_foreign


def given_gradients(fetched: Fetched, rows: Sequence[EngineCheckRow] | None) -> Mapping[Value, float]:
    """The gradients that the program has given its values.

    Args:
        fetched: what was found after the run.
        rows: what is said of its engine; None for a program without one.

    Returns:
        Empty where nothing is wrong with the engine, where no backward pass was run, where the gradients were changed
        after the last one, and where an operation is none of the table's: the right ones are not known then.
    """
    if not fetched.moments or all(row.ok for row in rows or ()) or any(map(is_foreign, fetched.values)):
        return {}
    last = fetched.moments[-1]
    if any(last.gradients.get(then) != now.grad for then, now in last.known.items()):
        return {}
    return {
        value: value.grad
        for value in fetched.values
        if value.grad.__class__ is float and not isinstance(value, Constant)
    }
