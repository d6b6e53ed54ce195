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

from datasets.quoting import quoted, visible

N_SAMPLES_LIMITS = (1, 100_000)
NOISE_LIMITS = (0.0, 10.0)
SEED_LIMITS = (0, 2**32 - 1)  # what numpy.random.RandomState takes
MAX_CLASSES = 10
LONGEST_MESSAGE, LONGEST_NAME = 500, 40


class DatasetError(ValueError):
    """A name, number, array or file that is not a dataset; the message is a sentence for the person who gave it.

    Whatever is put into the message, it stays on one line of at most 500 characters, all of them visible.
    """

    def __init__(self, message: str) -> None:
        super().__init__(visible(message, LONGEST_MESSAGE))


def check_integer(name: str, given: object, limits: tuple[int, int]) -> int:
    """`given` as an int; DatasetError when it is no whole number (`True` is none) or outside `limits` (inclusive)."""
    low, high = limits
    if isinstance(given, bool) or not isinstance(given, numbers.Integral):
        raise DatasetError(f"{name} must be a whole number from {low:,} to {high:,}, not {quoted(given)}")
    number = operator.index(given)
    if not low <= number <= high:
        raise DatasetError(f"{name} must be from {low:,} to {high:,}, not {quoted(number)}")
    return number


def check_number(name: str, given: Any, limits: tuple[float, float]) -> float:
    """`given` as a float; DatasetError when it is no finite number or outside `limits` (inclusive)."""
    low, high = limits
    if isinstance(given, bool) or not isinstance(given, int | float | np.integer | np.floating):
        raise DatasetError(f"{name} must be a number from {low:g} to {high:g}, not {quoted(given)}")
    if not low <= given <= high:  # nan is not, and an integer too large for a float is compared all the same
        raise DatasetError(f"{name} must be a finite number from {low:g} to {high:g}, not {quoted(given)}")
    return float(given)


def unknown_name(kind: str, given: object, known: Iterable[str]) -> DatasetError:
    """The error for a name that is not in `known`, with the nearest match when there is one."""
    names = list(known)
    short = isinstance(given, str) and len(given) <= LONGEST_NAME
    close = difflib.get_close_matches(str(given).lower(), names, n=1) if short else []
    hint = f"did you mean {close[0]!r}? " if close else ""
    return DatasetError(f"no {kind} {quoted(given)}: {hint}there are {', '.join(names)}")
