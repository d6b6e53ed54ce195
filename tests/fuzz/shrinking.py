"""Makes a case smaller by halving as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def shrunk(case: Any, fails: Callable[[Any], bool], has_to_stop: Callable[[], bool]) -> Any:
    """The smallest case found that still fails.

    Args:
        case: text, bytes, or a list or dict of such and numbers.
        fails: whether a smaller case has the same finding.
        has_to_stop: asked before each try.
    """
    goes_on = True
    while goes_on:
        goes_on = False
        for smaller in _smaller(case):
            if has_to_stop():
                return case
            if fails(smaller):
                case, goes_on = smaller, True
                break
    return case


def _smaller(case: Any) -> Iterator[Any]:
    """Cases with all, a half, a quarter, ... left out, large pieces first; then smaller parts."""
    if isinstance(case, str | bytes | list):
        size = len(case)
        while size:
            for start in range(0, len(case), size):
                yield case[:start] + case[start + size :]
            size //= 2
    if isinstance(case, dict):
        for key, part in case.items():
            for smaller in _smaller(part):
                yield {**case, key: smaller}
