"""Errors in a network's settings or data, with messages that say how to correct them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

from engine import messages
from engine.messages import quoted


class SettingError(ValueError):
    """A setting that cannot be used.

    Attributes:
        thing: name of the setting, such as "learning rate".
        allowed: allowed values, in words.
        given: the refused value.
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
    allowed = f"one of {', '.join(known)}"
    raise UnknownNameError(kind, allowed, name, messages.unknown_name(kind, name, known))


def checked_number(
    thing: str, given: Any, low: float = -math.inf, high: float = math.inf, *, above: bool = False, below: bool = False
) -> float:
    """`given` as a finite float between `low` and `high`; `above` and `below` leave the bound itself out."""
    if allowed := messages.wrong_number(given, low, high, above=above, below=below):
        raise SettingError(thing, allowed, given)
    return float(given)


def checked_integer(thing: str, given: Any, low: int, high: int) -> int:
    """`given` as an int from `low` to `high`."""
    if allowed := messages.wrong_integer(given, low, high):
        raise SettingError(thing, allowed, given)
    return operator.index(given)
