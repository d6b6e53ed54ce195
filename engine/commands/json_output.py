"""The one JSON object that a command prints with `--json`, on standard output.

Every object has `ok` (true when the exit code is 0) and `error`: null, or an object with `message`, `line` and
`column`. The other keys are listed with the command (`Command.json`); a command that could not do its work prints
`ok` and `error` alone. Lines on standard error and exit codes are those of the same command without `--json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

from engine.commands.command import CommandError
from engine.terminal import say_text

ALWAYS = {
    "ok": "boolean: the exit code is 0",
    "error": "object or null: why it failed; the other keys may be missing then",
}
"""Keys of every object."""
PLACE = {
    "error.message": "string: one sentence",
    "error.line": "integer or null: in the program, from 1",
    "error.column": "integer or null: from 1",
}
PARTS_AT_ONCE = 10_000
"""Parts of the text, such as a number or a comma, that are joined and printed at once."""
REASONS = "object: for each key that is null because its number is not finite, the reason"


def keys(**own: str) -> dict[str, str]:
    """Return the keys of a command's object with their meanings: its own, and those of all objects.

    Args:
        own: type and meaning by key. Types are those of JSON, such as "number or null"; two underscores lead into the
            objects of an array or object, such as `rows__title`.
    """
    return {**ALWAYS, **PLACE, **{name.replace("__", "."): meaning for name, meaning in own.items()}}


def say_json(ok: bool, error: Mapping[str, Any] | None = None, **values: Any) -> None:
    """Print the object of a command, in ASCII, so that every encoding has its characters.

    It is printed piece by piece: the whole text of a large object takes several times as much memory as the object.
    """
    parts = json.JSONEncoder(allow_nan=False, indent=2).iterencode({"ok": ok, "error": error, **values})
    while piece := "".join(islice(parts, PARTS_AT_ONCE)):
        say_text(piece)
    say_text("\n")


def error_object(error: CommandError | str) -> dict[str, Any]:
    """Return the value of the key `error`."""
    if isinstance(error, str):
        return {"message": error, "line": None, "column": None}
    return {"message": error.message, "line": error.line, "column": error.column}


def finite(numbers: Mapping[str, float | None], **why: str) -> dict[str, Any]:
    """Return numbers for an object: those that are not finite as null, and `reasons` for them.

    Args:
        numbers: by key; None where there is none.
        why: reasons by key; the default is the number itself: "nan", "infinity", "-infinity".
    """
    numbers = {key: None if number is None else float(number) for key, number in numbers.items()}
    bad = {key: number for key, number in numbers.items() if number is not None and not math.isfinite(number)}
    words = {key: str(number).replace("inf", "infinity") for key, number in bad.items()}
    values = {key: None if key in bad else number for key, number in numbers.items()}
    return {**values, "reasons": {**words, **{key: text for key, text in why.items() if values.get(key) is None}}}
