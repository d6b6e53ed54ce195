"""Actions of solutions and mistakes: what a lesson can do in the learner's place, step by step.

The table says which actions there are and what each takes; `gui/lessons` does them, so that "Show solution", the tests
of the lessons and a learner's own hands go the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.document import fields
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.document.fields import Rule
from engine.messages import quoted, unknown_name

_name = fields.text(1000)


def _numbers(value: Any) -> dict[str, float]:
    """A table from names to numbers."""
    return dict(fields.Table(fields.any_number, 100)(value))


def _plain_table(value: Any) -> dict[str, Any]:
    """A table whose entries are checked when they are used: fields of a section of the document."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a table of settings, not {quoted(value)}")
    return value


def _replacement(value: Any) -> tuple[str, str]:
    """The text to find, which has to stand in the program once, and the text that replaces it."""
    if not isinstance(value, dict) or set(value) != {"find", "replace"}:
        raise ValueError('must be a table with "find" and "replace"')
    return _name(value["find"]), fields.text(LONGEST_PROGRAM)(value["replace"])


def _answer(value: Any) -> str | float:
    """The text of a choice, or a number."""
    if isinstance(value, str):
        text: str = _name(value)
        return text
    number: float = fields.any_number(value)
    return number


ACTIONS: Mapping[str, Rule] = {
    "program": fields.text(LONGEST_PROGRAM, MOST_PROGRAM_LINES),
    "edit": _replacement,
    "sliders": _numbers,
    "select": _name,
    "paths": fields.sequence(_name, 2, 2),
    "predict": _numbers,
    "walk": fields.integer(0, 10**9),
    "walk_to": _name,
    "walk_lines": fields.integer(0, 10**9),
    "nudge": _numbers,
    "data": _plain_table,
    "network": _plain_table,
    "training": _plain_table,
    "new_weights": fields.boolean,
    "train": fields.integer(1, 1_000_000),
    "compare": _name,
    "answer": _answer,
}
"""Actions and the rule of what each takes.

program: the text that replaces the program. edit: a part of it, replaced. sliders: leaves and their numbers. select: a
node. paths: two nodes. predict: gradients by node. walk: number of steps done. walk_to: the phase at whose end the walk
stands. walk_lines: number of statements done. nudge: nodes and the h of each. data, network, training: settings.
new_weights: first weights again, from the same seed. train: number of steps. compare: the setting of a comparison.
answer: of a question.
"""


def checked_actions(content: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the actions of a block, in its order.

    Raises:
        ValueError: with the name of the action that is wrong at the beginning of the message.
    """
    checked = []
    for name, value in content.items():
        if name not in ACTIONS:
            raise ValueError(f"{name} {unknown_name('action', name, ACTIONS)}")
        try:
            checked.append((name, ACTIONS[name](value)))
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
    return tuple(checked)
