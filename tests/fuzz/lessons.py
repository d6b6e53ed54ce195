"""Lessons: whatever the text, errors with their lines, or a lesson that can be played, and begun at any step."""

from __future__ import annotations

import tempfile
import tomllib
from functools import cache, partial
from pathlib import Path
from unittest.mock import patch

from datasets import DATASETS, FEATURES
from engine.experiment.consistency import check_consistent
from engine.lessons import rehearsal
from engine.lessons.goals import GOALS
from engine.lessons.lesson_file import OWN_LESSONS, LessonError, examine_lesson, read_folder, read_lesson
from engine.lessons.rehearsal import ActionError, document_at, rehearse
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS
from engine.session_file import from_json, to_json
from tests.fuzz import programs

MOST_STEPS = 300_000
"""Steps of training up to which a lesson is played: a case has no time for more."""
RUN_SECONDS = 2.0
"""Limit of one run of a program: some have no end, and a lesson may run one at each of its steps."""

SMALLEST = """+++
format = 1
title = "Small"
order = 1
minutes = 1
program = "a = 2.0\\nb = a*a"
+++
The gradient of `a` is {a.grad}; see [the graph](show:graph).

## Change it
```start
select = "a"
```
```goal
kind = "value"
node = "b"
is = 9.0
wrong = [{ is = 6.0, says = "That is the sum." }]
```
```hint
Try 3.
```
```solution
edit = { find = "2.0", replace = "3.0" }
```
```mistake
sliders = { a = 4.0 }
```
"""
FIRST = SMALLEST
ACTIONS = (
    *(
        'select = "b"',
        'paths = ["a", "b"]',
        "predict = { a = 4.0 }",
        "walk = 3",
        'walk_to = "backward"',
        "walk_lines = 1",
    ),
    *("nudge = { a = 0.001 }", 'data = { name = "xor" }', "network = { layer_sizes = [2, 256, 1] }", "train = 3"),
    *("training = { learning_rate = 1e9 }", "new_weights = true", 'compare = "learning_rate"', "answer = 4.0"),
    *('program = "a = 1/0"', 'program = "while True: pass"', 'program = "class Value: pass"', "sliders = { q = 1 }"),
    *('edit = { find = "a", replace = "" }', 'data = { source = "formula", formula = "log(x1)" }', "train = 1_000_000"),
)
VALUES = (
    *('"a"', '"b"', "3", "0.5", "4.0", "[0.001, 1.0]", '["a", "b"]', "true", "1e-9", "1_000_000", '"learning_rate"'),
    *('"loss"', '"accuracy"', '"backward"', '"end"', "[2, 3, 1]", '["mul", "tanh"]', "{ layer_sizes = [2, 1] }"),
    *(f'"{names[0]}"' for names in map(list, (DATASETS, ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS))),
    f'["{next(iter(FEATURES))}"]',
    '[{ text = "x", right = true }, { text = "y", says = "No." }]',
)
"""Values for the fields of goals, as a lesson writes them; those that fit most come first."""
WRONG = 'wrong = [{ is = 6.0, says = "That is the sum." }]'
WORDS = (
    *("+++\n", "## ", "```\n", "```start\n", "```goal\n", "```hint\n", "```solution\n", "```mistake\n", "```python\n"),
    *("{a.grad}", "{b.data}", "{x", "`", "``", "|", "~~~", "---", "<b>", "&amp;", "![", "](", "]:", "http://", "a@b"),
    *(
        "> ",
        "- ",
        "1. ",
        "\\",
        "'",
        '"',
        '"""',
        "'''",
        "[[",
        "]]",
        "{",
        "}",
        " = ",
        "nan",
        "inf",
        "-1",
        "1e400",
        "true",
    ),
    *("1979-05-27", "0x", "1__0", "\u2028", "\x00", "\ufffc", "\ufeff", "\u202e", "a.b.c", "[data]\n", "[network]\n"),
    *("[training]\n", "[view]\n", "[[data]]\n", 'show = ["graph"]\n', "### ", "# ", "\r\n", "\t", "9" * 30, "x" * 300),
)


@cache
def own() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(OWN_LESSONS.glob("[0-9]*.md")))


def make(chance):
    """A lesson in which some lines stand elsewhere, are gone, or are something else; perhaps cut off."""
    text = chance.choice((SMALLEST, SMALLEST, *own()))
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        text = changed(text, chance)
    return text[: chance.choice((*[None] * 9, chance.randrange(len(text) + 1)))]


def changed(text, chance):
    """Another line, block, number, word or program in one place."""
    lines = text.split("\n")
    place, kind = chance.randrange(len(lines)), chance.randrange(6)
    if kind == 0:
        lines[place : place + chance.randrange(3)] = [chance.choice([chance.choice(lines), *WORDS])]
    elif kind in (1, 4):
        blocks = [number for number, line in enumerate(lines, 1) if line in ("```start", "```solution", "```mistake")]
        place = chance.choice(blocks or [place])
        program = chance.choice((programs.structured, programs.make))(chance)[:2000]
        lines[place:place] = [chance.choice(ACTIONS) if kind == 1 else f"program = '''\n{program}\n'''"]
    elif kind == 2:
        headings = [number for number, line in enumerate(lines) if line.startswith("## ")]
        place = chance.choice((*headings, len(lines)))
        lines[place:place] = step(chance)
    elif kind == 3 and "=" in lines[place]:
        value = chance.choice((*WORDS, "[]", "{}", "[1, 2]", '"a"', "0", "3", "false", '["a", "b"]', "{ is = 1 }"))
        lines[place] = f"{lines[place].partition('=')[0]}= {value}"
    else:
        start = chance.randrange(len(lines[place]) + 1)
        lines[place] = (
            f"{lines[place][:start]}{chance.choice(WORDS)}{lines[place][start + chance.choice((0, 0, 1, 5)) :]}"
        )
    return "\n".join(lines)


@cache
def allowed(kind):
    """Values for each field of a kind of goal."""
    return {field: [text for text in VALUES if is_allowed(rule, text)] for field, rule in GOALS[kind].fields.items()}


def is_allowed(rule, text):
    try:
        rule(tomllib.loads(f"x = {text}")["x"])
    except ValueError:
        return False
    return True


def goal(kind, chance):
    """The lines of a goal with the fields that its kind needs, and perhaps others and a wrong answer."""
    names = [chance.choice(name) if isinstance(name, tuple) else name for name in GOALS[kind].required]
    names += [name for name in allowed(kind) if name not in names and chance.random() < 0.15]
    values = {name: chance.choice([*allowed(kind)[name][:2], chance.choice(allowed(kind)[name])]) for name in names}
    has_wrong = GOALS[kind].takes_wrong and "choices" not in values and chance.random() < 0.5
    return [f'kind = "{kind}"', *(f"{name} = {value}" for name, value in values.items()), *[WRONG] * has_wrong]


def step(chance, kind=None):
    """The lines of a step, with a goal of that or any kind, whether or not its solution meets it."""
    blocks = {"start": [chance.choice(ACTIONS)]} if chance.random() < 0.3 else {}
    blocks |= {"goal": goal(kind or chance.choice([*GOALS]), chance), "hint": ["Try."]}
    blocks |= {name: [chance.choice(ACTIONS)] for name in ("solution", "mistake")}
    return ["## One more", *(line for name, lines in blocks.items() for line in (f"```{name}", *lines, "```"))]


def check(text):
    """Reading, playing every step, opening at every step, and reading as a file in a folder."""
    lesson, errors = examine_lesson(text, "l.md")
    assert (lesson is None) == bool(errors)
    for error in errors:
        check_fault(text, error.line, error.reason)
    check_folder(text, errors)
    if lesson is None:
        return {}
    check_consistent(lesson.document)
    if not trains_for_long(lesson):
        with programs_cut_short():
            for line, reason in rehearse(lesson):
                check_fault(text, line, reason)
    for number in range(len(lesson.steps)):
        try:
            document = document_at(lesson, number)
        except ActionError:
            break
        assert from_json(to_json(document)) == document
    return {}


def programs_cut_short():
    """A context in which an endless program of a lesson takes two seconds instead of twenty."""
    return patch.object(rehearsal, "evaluate", partial(rehearsal.evaluate, seconds=RUN_SECONDS))


def trains_for_long(lesson):
    actions = [each for step in lesson.steps for each in (*step.start, *step.solution, *step.mistake)]
    return sum(steps for name, steps in actions if name == "train") > MOST_STEPS


def check_fault(text, line, reason):
    assert 1 <= line <= text.count("\n") + text.count("\r") + 1, (line, reason)
    assert reason.isprintable(), reason
    assert 0 < len(reason) <= 1_000, reason


def check_folder(text, errors):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "l.md")
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        found, wrong = read_folder(Path(folder))
        assert len(found) + bool(wrong) == 1
        try:
            assert read_lesson(path).steps
        except LessonError as error:
            assert bool(errors) or "cannot be read" in str(error)
