"""What a number given to this package may be, and the sentence that says so when it is something else.

Hides the traps of checking a number in Python: `True` is an int, numpy has integers of its own, and nan passes every
comparison written the wrong way round.
"""

import difflib
import numbers
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

N_SAMPLES_LIMITS = (1, 100_000)
NOISE_LIMITS = (0.0, 10.0)
SEED_LIMITS = (0, 2**32 - 1)  # what numpy.random.RandomState takes
MAX_CLASSES = 10


class DatasetError(ValueError):
    """A name, number, array or file that is no dataset; the message is one sentence for the person who gave it."""


def check_integer(name: str, given: object, limits: tuple[int, int]) -> int:
    """`given` as an int; DatasetError when it is no whole number (`True` is none) or outside `limits` (inclusive)."""
    low, high = limits
    if isinstance(given, bool) or not isinstance(given, numbers.Integral):
        raise DatasetError(f"{name} must be a whole number from {low:,} to {high:,}, not {_shown(given)}")
    number = operator.index(given)
    if not low <= number <= high:
        raise DatasetError(f"{name} must be from {low:,} to {high:,}, not {_shown(number)}")
    return number


def check_number(name: str, given: Any, limits: tuple[float, float]) -> float:
    """`given` as a float; DatasetError when it is no finite number or outside `limits` (inclusive)."""
    low, high = limits
    if isinstance(given, bool) or not isinstance(given, int | float | np.integer | np.floating):
        raise DatasetError(f"{name} must be a number from {low:g} to {high:g}, not {_shown(given)}")
    if not low <= given <= high:  # nan is not, and an integer too large for a float is compared all the same
        raise DatasetError(f"{name} must be a finite number from {low:g} to {high:g}, not {_shown(given)}")
    return float(given)


def unknown_name(kind: str, given: object, known: Iterable[str]) -> DatasetError:
    """The error for a name that is not in `known`, with the nearest match when there is one."""
    names = list(known)
    close = difflib.get_close_matches(str(given).lower(), names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return DatasetError(f"no {kind} {_shown(given)}: {hint}there are {', '.join(names)}")


def elided(text: str, longest: int = 40) -> str:
    """The text, cut with three dots when it has more than `longest` characters."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _shown(given: object) -> str:
    """`given` as a message shows it: never longer than a line, whatever it is."""
    if isinstance(given, int) and abs(given) > 10**30:
        return "a number of more than 30 digits"
    return elided(repr(given), 60)
