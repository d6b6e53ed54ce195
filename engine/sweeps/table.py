"""Sweeps on the command line: parsing of the varied settings, and the table of results."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.csv_text import rows_text
from engine.messages import quoted
from engine.sweeps.sweep import FIGURES, Row

MOST_VALUES = 1_000
"""Limit of values of one setting."""
EXAMPLE = "0.01, 0.1 or 0.001..1 *10"
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"


def parsed_variations(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Parse texts such as `learning_rate=0.01,0.1` and `optimizer=sgd,adam` into names and values; `all` is no limit.

    Raises:
        ValueError: for a text of another form, a name or a value given twice.
    """
    vary: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not all(value.strip() for value in values.split(",")):
            raise ValueError(f"write a name and its values, such as learning_rate=0.01,0.1, not {quoted(text)}")
        name = name.strip()
        if name in vary:
            raise ValueError(f"{name} is given twice: write all its values behind one --vary")
        vary[name] = parsed_values(name, values)
    return vary


def parsed_values(name: str, text: str) -> list[Any]:
    """Parse values such as `0.01, 0.1`, `2..16 *2` (2, 4, 8, 16), `1..5` or `0..0.4 +0.1`; `all` is no limit.

    Raises:
        ValueError: for an empty place, an endless range, a value given twice, too many values.
    """
    values: list[Any] = []
    for part in text.split(","):
        if not part.strip():
            raise ValueError(f"write the values of {name} with a comma between them, such as {EXAMPLE}")
        values += _range(part.strip()) if ".." in part else [_value(part.strip())]
    if len(values) > MOST_VALUES:
        raise ValueError(f"{name} has {len(values):,} values and more: {MOST_VALUES:,} are allowed")
    if len(set(values)) < len(values):
        raise ValueError(f"a value of {name} is given twice: {text}")
    return values


def _range(text: str) -> list[Any]:
    """Return the numbers of `low..high`, `low..high +step` or `low..high *factor`, both ends included."""
    found = re.fullmatch(rf"({_NUMBER})\s*\.\.\s*({_NUMBER})(?:\s*([*+])\s*({_NUMBER}))?", text)
    if not found:
        raise ValueError(f"write a range as 1..5, 0..0.4 +0.1 or 0.001..1 *10, not {quoted(text)}")
    low, high, sign, by = _value(found[1]), _value(found[2]), found[3] or "+", _value(found[4] or "1")
    grows = by > 1 and low > 0 if sign == "*" else by > 0
    if not grows or high < low:
        raise ValueError(f"the range {text} never ends: its end is above its beginning, + above 0 and * above 1")
    numbers: list[float] = []
    place = low
    while place <= high * (1 + 1e-9) and len(numbers) <= MOST_VALUES:
        numbers.append(place if isinstance(place, int) else float(f"{place:.12g}"))
        place = place * by if sign == "*" else place + by
    return numbers


def _value(text: str) -> Any:
    if text == "all":
        return None
    if re.fullmatch(r"[-+]?[0-9]{1,18}", text):
        return int(text)
    number = float(text) if re.fullmatch(_NUMBER, text) else math.nan
    return number if math.isfinite(number) else text


def table_text(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Return CSV with a line for each row; full digits, and empty cells for missing numbers.

    Args:
        rows: of a sweep.
        names: the varied settings, in the order of the columns.
    """
    columns = [*names, "seed", *FIGURES, "diverged_at"]
    return rows_text(columns, ([row[name] for name in columns] for row in rows))


@dataclass(frozen=True)
class Cell:
    """Results of the runs of one pair of settings; a run that diverged counts as an infinite loss.

    Attributes:
        count: runs, one for each seed.
        diverged: number of runs that diverged.
        seed: of the run with the median training loss.
        low, high: the lowest and the highest training loss.
        train_loss, test_loss: the medians; of an even number of runs the lower of the two in the middle, so that it is
            the loss of a run. The test loss is None without test data, and where every run diverged.
        train_accuracy, test_accuracy: the medians, 0 to 1; None for a regression, without test data, and where every
            run diverged.
    """

    count: int
    diverged: int
    seed: int
    low: float
    high: float
    train_loss: float
    train_accuracy: float | None = None
    test_loss: float | None = None
    test_accuracy: float | None = None

    @property
    def is_finite(self) -> bool:
        """True when at least half of the runs reached a finite loss."""
        return math.isfinite(self.train_loss)


def cells_of(rows: Iterable[Row], vary: Mapping[str, Sequence[Any]]) -> dict[tuple[int, int], Cell]:
    """Return the results so far of a sweep over two settings, by the indices of their values."""
    across, up = vary
    places = {name: {value: place for place, value in enumerate(values)} for name, values in vary.items()}
    gathered: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        gathered[places[across][row[across]], places[up][row[up]]].append(row)
    return {place: _cell(found) for place, found in gathered.items()}


def _cell(rows: Sequence[Row]) -> Cell:
    losses = [row["train_loss"] if math.isfinite(row["train_loss"]) else math.inf for row in rows]
    ordered = sorted(zip(losses, (row["seed"] for row in rows), strict=True))
    loss, seed = ordered[(len(rows) - 1) // 2]
    medians = (_median([row[name] for row in rows if row[name] is not None]) for name in FIGURES[1:])
    return Cell(len(rows), losses.count(math.inf), seed, min(losses), max(losses), loss, *medians)


def _median(numbers: list[float]) -> float | None:
    """Return the lower median; None for no numbers."""
    return sorted(numbers)[(len(numbers) - 1) // 2] if numbers else None


def in_order(rows: Iterable[Row], vary: Mapping[str, Sequence[Any]]) -> list[Row]:
    """Return the rows ordered by the index of each setting's value, then by the seed."""
    return sorted(rows, key=lambda row: [*(list(vary[name]).index(row[name]) for name in vary), row["seed"]])
