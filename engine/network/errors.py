"""What can be wrong with a network's settings or data, said so that one can put it right."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any

from datasets.quoting import quoted

LONGEST_NAME = 60


class SettingError(ValueError):
    """A setting that cannot be used.

    Attributes:
        thing: what was set, such as "learning rate".
        allowed: what it may be, in words.
        given: what it was set to.
    """

    def __init__(self, thing: str, allowed: str, given: Any, message: str = "") -> None:
        super().__init__(message or f"{thing} must be {allowed}, not {quoted(given)}")
        self.thing, self.allowed, self.given = thing, allowed, given


class SizeError(SettingError):
    """Sizes that do not fit together: layers, samples, arrays."""


class LossError(SettingError):
    """A loss that does not fit the labels or the number of outputs."""


class UnknownNameError(SettingError):
    """A name that no registry entry has."""


class UntranslatableError(ValueError):
    """A graph or a formula that the fast program has no rule for; training takes the array graph then."""


def checked_name(kind: str, name: Any, names: Iterable[str]) -> str:
    """`name` when it is one of `names`; else UnknownNameError with the nearest match."""
    known = list(names)
    if isinstance(name, str) and name in known:
        return name
    short = isinstance(name, str) and len(name) <= LONGEST_NAME
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4) if short else []
    hint = f", did you mean {near[0]!r}?" if near else ""
    allowed = ", ".join(known)
    raise UnknownNameError(kind, f"one of {allowed}", name, f"no {kind} {quoted(name)}{hint} (there are: {allowed})")


def checked_number(
    thing: str, given: Any, low: float = -math.inf, high: float = math.inf, *, above: bool = False, below: bool = False
) -> float:
    """`given` as a finite float between `low` and `high`; `above` and `below` leave the bound itself out."""
    allowed = _range_words(low, high, above, below)
    try:
        number = math.nan if isinstance(given, (str, bytes, bool)) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    inside = (low < number if above else low <= number) and (number < high if below else number <= high)
    if not (math.isfinite(number) and inside):
        raise SettingError(thing, allowed, given)
    return number


def checked_integer(thing: str, given: Any, low: int, high: int) -> int:
    """`given` as an int from `low` to `high`."""
    whole = not isinstance(given, (str, bytes, bool)) and hasattr(given, "__index__")
    if not whole or not low <= given.__index__() <= high:
        raise SettingError(thing, f"a whole number from {low:,} to {high:,}", given)
    return int(given.__index__())


def _range_words(low: float, high: float, above: bool, below: bool) -> str:
    lower = "" if low == -math.inf else f"{'above' if above else 'at least'} {low:g}"
    upper = "" if high == math.inf else f"{'below' if below else 'at most'} {high:g}"
    return "a finite number" + (" " + " and ".join(filter(None, (lower, upper))) if lower or upper else "")
