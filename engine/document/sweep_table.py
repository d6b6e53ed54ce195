"""A sweep on the command line: what varies, as it is typed, and the table that comes out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.document.csv_text import rows_text
from engine.document.sweep import Row
from engine.messages import quoted


def parsed_variations(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Names and values of texts such as `learning_rate=0.01,0.1` and `optimizer=sgd,adam`; `all` is no limit.

    Raises:
        ValueError: a text of another form, a name or a value given twice.
    """
    vary: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not all(value.strip() for value in values.split(",")):
            raise ValueError(f"write a name and its values, such as learning_rate=0.01,0.1, not {quoted(text)}")
        name = name.strip()
        if name in vary:
            raise ValueError(f"{name} is given twice: write all its values behind one --vary")
        vary[name] = [_value(value.strip()) for value in values.split(",")]
        if len(set(vary[name])) < len(vary[name]):
            raise ValueError(f"a value of {name} is given twice: {values}")
    return vary


def _value(text: str) -> Any:
    if text == "all":
        return None
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if not math.isfinite(number):
            break
        return number
    return text


def table_text(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    """CSV with a line for each row; full digits, and nothing where there is no number.

    Args:
        rows: of a sweep.
        names: the varied settings, in the order of the columns.
    """
    columns = [*names, "seed", "loss", "accuracy", "diverged_at"]
    return rows_text(columns, ([row[name] for name in columns] for row in rows))


def in_order(rows: Iterable[Row], vary: Mapping[str, Sequence[Any]]) -> list[Row]:
    """The rows by the place of each setting's value among those that were given, then by the seed."""
    return sorted(rows, key=lambda row: [*(list(vary[name]).index(row[name]) for name in vary), row["seed"]])
