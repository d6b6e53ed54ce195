"""The readers of files from elsewhere: what may come of any bytes, bytes to begin with, and how to change them.

`guided` hands these checks to atheris, which keeps whatever reaches new code; as a target of a campaign, and in the
suite, inputs are drawn from the same seeds and words. A reader has one check: a result that can be used, or the
reader's own error in one line.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from datasets import DATASETS, make_dataset, table_text
from datasets.importing import ImportChoices, TableImport
from datasets.text_file import DELIMITERS, TableFormat
from engine.document import Document, DocumentError, replace_section
from engine.examples.examples import examples
from engine.experiment.consistency import check_consistent
from engine.file_access import FileProblem
from engine.lessons.controls import CONTROLS
from engine.lessons.goals import GOALS
from engine.lessons.lesson_file import OWN_LESSONS, LessonError, examine_file
from engine.lessons.lesson_text import with_live_numbers
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS, SCHEDULES
from engine.session_file import from_json, to_json
from engine.session_file.files import read_document
from engine.session_file.pasted import session_of_text, text_of_session
from engine.session_file.salvage import salvage
from tests.fuzz import lessons, sessions, tables


@dataclass(frozen=True)
class Reader:
    """A reader of files.

    Attributes:
        check: raises AssertionError, or whatever the reader raised, for bytes with which it does not do what it should.
        good: whole files of its kind.
        seeds: those, damaged ones and foreign ones.
        words: pieces of its grammar.
        changed: a file of its kind with something else in it, by its structure; the bytes stay when they have none.
    """

    check: Callable[[bytes], None]
    good: Callable[[], Iterator[bytes]]
    seeds: Callable[[], Iterator[bytes]]
    words: Callable[[], Iterator[str]]
    changed: Callable[[bytes, random.Random], bytes]


FIRST = {"reader": "session", "content": "{}"}


def make(chance: random.Random) -> dict[str, str]:
    """A reader and a file for it, as text in which bytes that are none stand as surrogates."""
    name = chance.choice([*READERS])
    return {"reader": name, "content": content_for(name, chance).decode("utf-8", "surrogateescape")}


def check(case: dict[str, str]) -> dict[str, float]:
    """Hands the file to the reader."""
    READERS[case["reader"]].check(case["content"].encode("utf-8", "surrogateescape"))
    return {}


def content_for(name: str, chance: random.Random) -> bytes:
    """A seed, changed a few times by its structure and then by words of the grammar; perhaps cut off."""
    reader = READERS[name]
    content = chance.choice(_known(reader.good if chance.random() < 0.8 else reader.seeds))
    for _ in range(chance.choice((0, 0, 1, 1, 3))):
        content = reader.changed(content, chance)
    for _ in range(chance.choice((0, 0, 0, 1, 1, 3))):
        start = chance.randrange(len(content) + 1)
        piece = chance.choice((*_known(reader.words), "", "\x00", "\ufeff", "\udcff")) * chance.choice((1, 1, 1, 2, 50))
        end = start + chance.choice((0, 0, 1, len(piece), 60))
        content = content[:start] + piece.encode("utf-8", "surrogateescape") + content[end:]
    return content[: chance.choice((*[None] * 9, chance.randrange(len(content) + 1)))]


@cache
def _known(make: Callable[[], Iterator[Any]]) -> tuple[Any, ...]:
    return tuple(make())


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return the folder of the files that are read; it is deleted with the process."""
    return tempfile.TemporaryDirectory(prefix="gradstep-readers-")


def is_one_line(text: str) -> None:
    assert text.isprintable(), text
    assert 0 < len(text) <= 700, text


def check_session(content: bytes) -> None:
    """Read a text as a session: as File > Open, as the dialog of a damaged file, and as a paste."""
    path = Path(_folder().name, "s.gradstep")
    path.write_bytes(content)
    found = salvage(content)  # never raises
    try:
        document = read_document(path).document
        check_consistent(document)
    except (DocumentError, FileProblem) as error:
        is_one_line(str(error))
        document = None
    else:
        assert from_json(to_json(document)) == document
        assert found.document == document, "what is read of a whole file is not all of it"
        assert not found.problems, found.problems
    if found.document is not None:
        check_consistent(found.document)
        assert from_json(to_json(found.document)) == found.document
    assert document is not None or found.document is None or found.problems, "damaged, but not said where"
    for problem in found.problems:
        assert f"{problem.path}{problem.reason}".isprintable(), problem
        assert problem.line <= found.text.count("\n") + 1
    assert found.readable.isprintable()
    try:
        pasted = session_of_text(content.decode("utf-8", "replace"))
    except DocumentError as error:
        is_one_line(str(error))
    else:
        assert from_json(to_json(pasted)) == pasted


def sessions_to_read() -> Iterator[bytes]:
    """Sessions of every example, of every section and of other settings, and one as it is pasted."""
    for example in examples():
        yield to_json(replace_sections(example.sections)).encode()
    for number in range(12):
        yield to_json(sessions.document_of(random.Random(number))).encode()
    document = replace_section(Document(), "network", layer_sizes=(2, 2, 1))
    yield text_of_session(document).encode()
    content = json.loads(to_json(document))
    for name in sorted(content.keys() - {"gradstep"}):
        yield json.dumps({"gradstep": content["gradstep"], name: content[name]}).encode()


def session_seeds() -> Iterator[bytes]:
    """Sessions, those of every version, damaged and foreign files."""
    yield from sessions_to_read()
    content = json.loads(to_json(replace_section(Document(), "network", layer_sizes=(2, 2, 1))))
    for version in (1, 2, 3, 4, 5, 6, 0, -1, "1", None, 1.5):
        yield json.dumps({**content, "gradstep": version}).encode()
    old = {"gradstep": 2, "network": {"layer_sizes": [2, 3, 1], "activation": "tanh"}, "training": {"l1": 0.1}}
    yield json.dumps({**old, "trained": {"step": 1, "curve": [1.0], "parameters": [0.5] * 13}}).encode()
    for text in (
        "",
        "{}",
        "[]",
        "true",
        "null",
        '"x"',
        "NaN",
        "1e999",
        "[" * 3000,
        '{"a":' * 3000,
        "\x00",
        '"\\ud800"',
    ):
        yield text.encode()
        yield f'{{"gradstep": 5, "training": {{"learning_rate": {text}}}}}'.encode()
    yield b'{"gradstep": 5, "view": {}, "view": {}}'
    yield b"\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
    yield b"PK\x03\x04"
    yield b"\xff\xfe{\x00}\x00"
    yield b"gradstep: 5\ntraining:\n  learning_rate: 0.1\n"


def replace_sections(sections_of: Any) -> Document:
    document = Document()
    for name, settings in sections_of.items():
        document = replace_section(document, name, **settings)
    return document


def session_words() -> Iterator[str]:
    for name, section in json.loads(to_json(Document())).items():
        yield f'"{name}": '
        if isinstance(section, dict):
            yield from (f'"{field}": ' for field in section)
    for table in (DATASETS, ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS, SCHEDULES):
        yield from (f'"{name}"' for name in table)
    yield from ("true", "false", "null", "NaN", "Infinity", "-Infinity", "1e999", "-1", "0.5", "1e308", "5e-324", "[]")
    yield from ("{}", "[[]]", '""', "[Gradstep session]", "[end of session]", '"\\ud800"', '"\\u0000"', "> ", "“", "”")
    yield from ("9" * 20, ", ", ": ", '"number": 1', '"kept": [', '"kind": "points"', "\n", "[2, 3, 1]", "\u202e")


def changed_session(content: bytes, chance: random.Random) -> bytes:
    """Some value of the session exchanged, added or taken away."""
    try:
        session = json.loads(content)
        if isinstance(session, dict) and session:
            sessions.exchange(session, chance)
        return json.dumps(session, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return content


def check_table(content: bytes) -> None:
    """Read a text as a table, with what the table suggests and with every other choice of the import dialog."""
    path = Path(_folder().name, "t.csv")
    path.write_bytes(content)
    table_import = TableImport(path)
    preview = table_import.preview(ImportChoices())
    _check_preview(preview)
    chance = random.Random(content)
    form = TableFormat(*(chance.choice((None, *values)) for values in (DELIMITERS, ".,", (True, False))))
    _check_preview(table_import.preview(ImportChoices(chance.choice(("utf-8", "latin-1")), form)))
    if preview.table is not None:
        names = [column.name for column in preview.table.columns]
        target = chance.choice(names)
        for task in ("classification", "regression"):
            inputs = tuple(name for name in names if chance.random() < 0.7)
            choices = ImportChoices(target=target, inputs=inputs, task=task, skip_bad_rows=chance.random() < 0.5)
            _check_preview(table_import.preview(choices))
            _check_preview(table_import.preview(choices.with_target(chance.choice(names))))


def _check_preview(preview: Any) -> None:
    if preview.dataset is None:
        is_one_line(preview.problem)
    else:
        assert not preview.problem
        tables.check_data(preview.dataset, random.Random(0))
    if preview.table is not None:
        names = [column.name for column in preview.table.columns]
        assert len(set(names)) == len(names)
        assert all(len(column.cells) == preview.table.n_rows for column in preview.table.columns)
        if preview.bad_cell is not None:
            row, column = preview.bad_cell
            assert preview.n_bad_rows
            assert preview.table.columns[column].problem(row).isprintable()
    for note in (*preview.notes, preview.scaling_advice, *(name for name, *_ in preview.classes)):
        assert note.isprintable(), note


PLAIN = "a,b,label\n1,2,0\n3,4,1\n5,6,0\n"


def tables_to_read() -> Iterator[bytes]:
    """Tables of every dialect."""
    for name in ("moons", "spiral3"):
        yield table_text(make_dataset(name, 12, 0.1, 0)).encode()
    for delimiter in DELIMITERS:
        yield PLAIN.replace(",", delimiter).encode()
    yield PLAIN.replace(",", ";").replace("2", "2,5").replace("\n", "\r\n").encode("utf-8-sig")
    yield PLAIN.encode("utf-16")
    yield ("x,label\n" + "".join(f"{i},{i % 12}\n" for i in range(24))).encode()
    for text in ("kind,y\nred,1\nblue,2\n", "x,label\n1,yes\n2,no\n", '"1","2"\n"3","4"\n', "1,5,2,25\n3,5,4,75\n"):
        yield text.encode()


def table_seeds() -> Iterator[bytes]:
    """Tables, damaged ones, and files that are none."""
    yield from tables_to_read()
    yield from (tables.make(random.Random(number)).encode("utf-8", "replace")[:4000] for number in range(30))
    for text in (
        *(
            "",
            "\n",
            "a,b,label\n",
            "1,2,0\n3,4,1\n",
            "1,,0\n",
            "a,b\n1,NA\n2,?\n",
            "1,2,\n3,4,\n",
        ),
        *(
            'a,b\n"1\n2",3\n',
            'a,b\n"1,2\n3,4\n',
            "1\n2\n3\n",
            "x,x,,<b>x</b>\n1,2,3,4\n",
            "=1+1,0\n",
        ),
        *(
            "x,label\n1,-1\n2,+1\n",
            "x,label\n1e30,0\n1e-30,1\n",
            "x,y\n'1,'=2\n3,4\n",
            "−1;2\n3;−4\n",
        ),
        "١,1_0\n0x1F,1e\n",
    ):
        yield text.encode()
    yield "é,b\n1,2\n".encode("latin-1")
    yield b"\x89PNG\r\n\x1a\n\x00"
    yield b"1,2\x00,3\n"


def table_words() -> Iterator[str]:
    yield from (
        ",",
        ";",
        "\t",
        "|",
        " ",
        "\n",
        "\r\n",
        "\r",
        '"',
        '""',
        "'",
        "''",
        ".",
        "-",
        "+",
        "−",
        "e",
        "e9",
        "label",
    )
    yield from (
        "1,5",
        "1.5",
        "1e999",
        "-1e308",
        "5e-324",
        "nan",
        "NA",
        "?",
        "null",
        "#",
        "=1",
        "@",
        "\u2028",
        "\x85",
        "x (2)",
    )
    yield from (
        "class",
        "target",
        "y",
        "yes",
        "no",
        "1_0",
        "0",
        "1",
        "00",
        "1.",
        ".5",
        "\u202e",
        "\x1b",
        "'1",
        "1e5,2",
        "\n\n",
    )


def changed_table(content: bytes, chance: random.Random) -> bytes:
    """A cell, a row or a column that stands elsewhere, too, or is gone."""
    delimiter = chance.choice(DELIMITERS).encode()
    rows = [line.split(delimiter) for line in content.split(b"\n")]
    kind, row, other = chance.randrange(4), chance.choice(rows), chance.choice(rows)
    if kind == 0:
        row[chance.randrange(len(row))] = chance.choice([chance.choice(other), *(w.encode() for w in table_words())])
    elif kind == 1:
        rows.insert(chance.randrange(len(rows) + 1), [*other])
    elif kind == 2:
        number = chance.randrange(len(row))
        for each in rows:
            each[number:number] = each[number : number + 1] if chance.random() < 0.97 else [b""]
    else:
        del row[chance.randrange(len(row)) :]
    return b"\n".join(delimiter.join(each) for each in rows)


def check_lesson(content: bytes) -> None:
    """Read a text as a lesson; its steps are not played."""
    path = Path(_folder().name, "l.md")
    path.write_bytes(content)
    lesson, errors = examine_file(path)
    assert (lesson is None) == bool(errors)
    for error in errors:
        assert isinstance(error, LessonError)
        is_one_line(str(error))
        assert 1 <= error.line <= content.count(b"\n") + content.count(b"\r") + 1, error
    if lesson is not None:
        check_consistent(lesson.document)
        assert from_json(to_json(lesson.document)) == lesson.document
        assert lesson.title.isprintable()
        for step in lesson.steps:
            for text in (step.text, *step.hints):
                assert with_live_numbers(text, lambda node, which: f"{{{node}.{which}}}") == text
            if step.goal is not None:
                assert step.goal.wanted


def lessons_to_read() -> Iterator[bytes]:
    """Every lesson, and a small one with each kind of goal."""
    yield from (path.read_bytes() for path in sorted(OWN_LESSONS.glob("[0-9]*.md")))
    yield lessons.SMALLEST.replace("\n", "\r\n").encode("utf-8-sig")
    for kind in GOALS:
        yield "\n".join((lessons.SMALLEST, *lessons.step(random.Random(kind), kind))).encode()


def lesson_seeds() -> Iterator[bytes]:
    """Lessons, damaged ones, and files that are none."""
    yield from lessons_to_read()
    yield from (lessons.make(random.Random(number)).encode("utf-8", "replace") for number in range(20))
    yield from (b"", b"+++", b"+++\n+++\n", b"\xff\xfe+++", b"+++\nformat = 1\na = " + b"[" * 3000 + b"\n+++\n")


def lesson_words() -> Iterator[str]:
    yield from lessons.WORDS
    yield from (f"show:{name}" for name in CONTROLS)
    for name, kind in GOALS.items():
        yield f'kind = "{name}"\n'
        yield from (f"{field} = " for field in kind.fields)


def changed_lesson(content: bytes, chance: random.Random) -> bytes:
    return lessons.changed(content.decode("utf-8", "replace"), chance).encode("utf-8", "replace")


READERS = {
    "session": Reader(check_session, sessions_to_read, session_seeds, session_words, changed_session),
    "table": Reader(check_table, tables_to_read, table_seeds, table_words, changed_table),
    "lesson": Reader(check_lesson, lessons_to_read, lesson_seeds, lesson_words, changed_lesson),
}
