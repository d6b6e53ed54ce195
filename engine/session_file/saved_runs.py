"""Conversion between a recorded run and its form in a session file: settings, weights, and thinned curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from engine.document import fields
from engine.document.document import Document
from engine.document.errors import DocumentError
from engine.document.frozen_floats import FrozenFloats
from engine.document.runs_section import MOST_LETTERS, MOST_RUNS, Runs
from engine.experiment.assemble import curve_of
from engine.experiment.consistency import check_consistent
from engine.messages import quoted
from engine.network.run.curves import thinned
from engine.session_file.format import VERSION, from_json, to_json
from engine.session_file.strict_json import check_size

MOST_KEPT_PARAMETERS = 1_000
"""Limit of parameters of a run in a file: one is written in milliseconds, and twenty take 1.3 MB at most."""
CURVE_POINTS = 600
"""Points of each curve of a run in a file: about the pixels of the plot."""
KEPT_SECTIONS = ("data", "network", "training", "trained")
LONGEST_NAME, LARGEST_COUNT = 60, 2**53
FIELDS: Mapping[str, fields.Rule] = {
    "number": fields.integer(1, LARGEST_COUNT),
    "name": fields.text(LONGEST_NAME),
    "loss": fields.optional(fields.any_number),
    "accuracy": fields.optional(fields.any_number),
    "diverged_at": fields.optional(fields.integer(0, LARGEST_COUNT)),
    "is_hidden": fields.optional(fields.boolean),
}
"""Fields besides the sections, and their rules."""


@dataclass(frozen=True)
class SavedRun:
    """A run in a file.

    Attributes:
        number: counted from 1 in its session.
        name: given by the user, or "".
        loss, accuracy: of the training data at its moment; None when unknown.
        diverged_at: the step whose loss was not finite; None when it did not diverge.
        document: data, network, training and the moment reached.
        is_hidden: the user's choice to hide its curve in the loss plot; None without a choice.
    """

    number: int
    name: str
    loss: float | None
    accuracy: float | None
    diverged_at: int | None
    document: Document
    is_hidden: bool | None = None


def run_texts(runs: Sequence[SavedRun], session: Document) -> tuple[str, ...]:
    """Return the runs in the form of a file.

    Data shared with the session are not repeated; the oldest runs are dropped when all need too much room.
    """
    texts: list[str] = []
    room = MOST_LETTERS
    for run in reversed(runs[-MOST_RUNS:]):
        text = _text(run, run.document.data == session.data)
        room -= len(text)
        if room < 0:
            break
        texts.append(text)
    return tuple(reversed(texts))


@lru_cache(MOST_RUNS)
def _text(run: SavedRun, same_data: bool) -> str:
    trained = run.document.trained
    curve, test_curve = _thinned(trained.curve), _thinned(trained.test_curve)
    thin = replace(trained, gradients=FrozenFloats(), curves=(), curve=curve, test_curve=test_curve)
    content = json.loads(to_json(replace(run.document, trained=thin)))
    sections = {name: content[name] for name in KEPT_SECTIONS}
    if same_data:
        del sections["data"]
    return json.dumps({**{name: getattr(run, name) for name in FIELDS}, **sections}, ensure_ascii=False)


def session_text(session: Document) -> str:
    """Return the text of a session's file; old runs are dropped where the file has no room for them.

    Raises:
        ValueError: when the rest alone is too large for a file.
    """
    while True:
        text, kept = to_json(session), session.runs.kept
        try:
            check_size(text)
            return text
        except ValueError:
            if not kept:
                raise
        session = replace(session, runs=Runs(kept[(len(kept) + 1) // 2 :]))


def _thinned(numbers: FrozenFloats) -> FrozenFloats:
    steps, losses = curve_of(numbers)
    if len(steps) <= CURVE_POINTS:
        return numbers
    return FrozenFloats(np.concatenate(thinned(steps, losses, CURVE_POINTS)))


def saved_runs(session: Document) -> list[SavedRun]:
    """Return the runs in a session file, the oldest first.

    Raises:
        DocumentError: with the first invalid field.
    """
    runs = [_run(f"runs.kept.{place}", text, session) for place, text in enumerate(session.runs.kept, start=1)]
    numbers = [run.number for run in runs]
    if sorted(set(numbers)) != numbers:
        raise DocumentError("runs.kept", "must have ascending numbers")
    return runs


def _run(path: str, text: str, session: Document) -> SavedRun:
    content = json.loads(text)
    sections = {name: content.pop(name) for name in KEPT_SECTIONS if name in content}
    if wrong := set(content) - set(FIELDS):
        raise DocumentError(path, f"has no field {quoted(min(wrong))}")
    try:
        document = from_json(json.dumps({"gradstep": VERSION, **sections}))
        document = document if "data" in sections else replace(document, data=session.data)
        check_consistent(document)
    except DocumentError as error:
        raise DocumentError(f"{path}.{error.path}", error.reason) from None
    checked = {name: _checked(path, name, content.get(name)) for name in FIELDS}
    return SavedRun(**checked, document=document)


def _checked(path: str, name: str, value: Any) -> Any:
    try:
        return FIELDS[name](value)
    except ValueError as error:
        raise DocumentError(f"{path}.{name}", str(error)) from None
