"""Actions of solutions and mistakes: what a lesson can do in the learner's place, step by step.

The table says which actions there are, what each takes, and what it is called on paper. `rehearsal` does them without
a window and `gui/session/lesson_player.py` in it: "Solution", the tests of the lessons and a learner's own hands
go the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.autograd.notation import counted
from engine.document import fields
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.document.fields import Rule
from engine.experiment.setting_words import setting_title
from engine.messages import quoted, unknown_name
from engine.sweeps.comparison import PRESETS

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


class Action(NamedTuple):
    """An action: the rule of what it takes, and what a learner does, in Markdown."""

    rule: Rule
    words: Callable[[Any], str]


def code(text: str) -> str:
    """Return a text as a span of code."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    mark, room = "`" * (longest + 1), " " if longest else ""
    return f"{mark}{room}{' '.join(text.split())}{room}{mark}"


def code_block(text: str) -> str:
    """Return a text as a block of code."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}\n{text.strip(chr(10))}\n{mark}"


def _each(words: str) -> Callable[[Mapping[str, float]], str]:
    """Return the words for a table from names to numbers: a sentence for each."""
    return lambda numbers: " ".join(words.format(code(name), f"{number:g}") for name, number in numbers.items())


def _settings_words(settings: Mapping[str, Any]) -> str:
    return " ".join(f"Set {code(name)} to {code(str(value))}." for name, value in settings.items())


ACTIONS: Mapping[str, Action] = {
    "program": Action(
        fields.text(LONGEST_PROGRAM, MOST_PROGRAM_LINES), lambda text: f"Write this program:\n\n{code_block(text)}"
    ),
    "edit": Action(
        _replacement,
        lambda change: f"Replace\n\n{code_block(change[0])}\n\nby\n\n{code_block(change[1])}",
    ),
    "sliders": Action(_numbers, _each("Set the slider of {} to {}.")),
    "select": Action(_name, lambda node: f"Click {code(node)}."),
    "paths": Action(
        fields.sequence(_name, 2, 2), lambda nodes: f"Click {code(nodes[0])}, then Shift+click {code(nodes[1])}."
    ),
    "predict": Action(_numbers, _each("The gradient of {} is {}.")),
    "walk": Action(
        fields.integer(0, 10**9),
        lambda steps: f"Walk to step {steps:,} of the passes." if steps else "Go to the beginning of the walk.",
    ),
    "walk_to": Action(_name, lambda phase: f"Walk to the end of the phase {code(phase)}."),
    "walk_lines": Action(
        fields.integer(0, 10**9), lambda count: f"Walk by lines: {counted(count, 'statement')} from the start."
    ),
    "nudge": Action(_numbers, _each("Nudge {} by {}.")),
    "data": Action(_plain_table, _settings_words),
    "network": Action(_plain_table, _settings_words),
    "training": Action(_plain_table, _settings_words),
    "new_weights": Action(fields.boolean, lambda wanted: "Go back to the first weights." if wanted else ""),
    "train": Action(fields.integer(1, 1_000_000), lambda steps: f"Train {counted(steps, 'step')}."),
    "compare": Action(
        fields.one_of(lambda: dict.fromkeys(preset.setting for preset in PRESETS)),
        lambda setting: f"Train two runs side by side that differ in the {setting_title(setting)}.",
    ),
    "answer": Action(_answer, lambda answer: f"Answer: {answer if isinstance(answer, str) else format(answer, 'g')}"),
}
"""Actions by name.

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
            checked.append((name, ACTIONS[name].rule(value)))
        except ValueError as error:
            raise ValueError(f"{name} {error}") from None
    return tuple(checked)
