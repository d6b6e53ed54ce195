"""Limits of numbers and names given to this package, and the error message outside them."""

import operator
from collections.abc import Iterable
from typing import Any

from engine import messages
from engine.messages import quoted, visible

N_SAMPLES_LIMITS = (1, 100_000)
NOISE_LIMITS = (0.0, 10.0)
SEED_LIMITS = (0, 2**32 - 1)  # range of numpy.random.RandomState
MAX_CLASSES = 10
MAX_CATEGORIES = 20
"""Maximum number of different texts in an input column; each becomes a separate input."""
LONGEST_MESSAGE, LONGEST_NAME = 500, 40


class DatasetError(ValueError):
    """A name, number, array or file that is not a dataset; the message is a sentence for the person who gave it.

    Whatever is put into the message, it stays on one line of at most 500 characters, all of them visible.
    """

    def __init__(self, message: str) -> None:
        super().__init__(visible(message, LONGEST_MESSAGE))


def check_integer(name: str, given: Any, limits: tuple[int, int]) -> int:
    """`given` as an int; DatasetError when it is not a whole number, or outside `limits` (inclusive)."""
    if wanted := messages.wrong_integer(given, *limits):
        raise DatasetError(f"{name} must be {wanted}, not {quoted(given)}")
    return operator.index(given)


def check_number(name: str, given: Any, limits: tuple[float, float]) -> float:
    """`given` as a float; DatasetError when it is not a finite number or outside `limits` (inclusive)."""
    if wanted := messages.wrong_number(given, *limits):
        raise DatasetError(f"{name} must be {wanted}, not {quoted(given)}")
    return float(given) + 0.0  # -0.0 is within limits that begin at 0, and no spread for NumPy


def unknown_name(kind: str, given: object, known: Iterable[str]) -> DatasetError:
    """Return the error for a name that is not in `known`, with the nearest match when there is one."""
    return DatasetError(messages.unknown_name(kind, given, known))
