"""What can be read of damaged sessions: cut off anywhere, changed in one place, newer, or no sessions at all."""

import json
import pickle
import random
from dataclasses import replace

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.document.runs_section import MOST_RUNS, Runs
from engine.experiment.consistency import check_consistent
from engine.session_file import from_json, to_json
from engine.session_file.salvage import MOST_UNKNOWN, salvage
from engine.session_file.saved_runs import SavedRun, run_texts

PROGRAM = 'a = 2.0\nb = "x"  # "text": 5\nc = a * a\n'
SESSION = replace_section(Document(), "expression", text=PROGRAM)
SESSION = replace_section(SESSION, "network", layer_sizes=(2, 3, 1))
SESSION = replace_section(SESSION, "training", learning_rate=0.25)
SESSION = replace_section(SESSION, "trained", step=3, epoch=3, parameters=[0.5] * 13)
RUN = replace(SESSION, expression=Document().expression)
SESSION = replace(SESSION, runs=Runs(run_texts([SavedRun(n, "", 0.5, None, None, RUN) for n in (1, 2, 3)], SESSION)))
TEXT = to_json(SESSION)


def read(text):
    found = salvage(text.encode("utf-8"))
    assert found.document is not None
    check_consistent(found.document)
    assert from_json(to_json(found.document)) == found.document
    return found


def problems(found):
    return {problem.path: problem for problem in found.problems}


def test_a_session_without_damage_is_read_completely():
    found = read(TEXT)
    assert (found.document, found.problems, found.version) == (SESSION, (), 5)
    assert all(part.is_whole and part.summary for part in found.parts)
    assert found.program == PROGRAM


def test_a_session_whose_version_is_gone_is_read_and_says_so():
    content = json.loads(TEXT)
    del content["gradstep"]
    found = read(json.dumps(content))
    assert found.document == SESSION and set(problems(found)) == {"gradstep"}


@pytest.mark.parametrize("length", range(40, len(TEXT) - 2, 149))
def test_what_comes_before_the_cut_is_read(length):
    found = read(TEXT[:length])
    assert found.problems and found.problems[0].line
    for section, mark in {"data": '"network": {', "network": '"training": {', "training": '"view": {'}.items():
        if TEXT.index(mark) < length:
            assert getattr(found.document, section) == getattr(SESSION, section)
    assert SESSION.expression.text.startswith(found.program.rstrip("\n"))


def test_the_complete_lines_of_a_program_that_is_cut_off_are_kept():
    cut = TEXT.index("c = a * a") + 4
    assert read(TEXT[:cut]).program == "\n".join(PROGRAM.split("\n")[:2])
    old = json.dumps({"gradstep": 4, "expression": {"text": PROGRAM}, "data": {}})
    assert read(old[: old.index("c = a") + 5]).program == PROGRAM[: PROGRAM.index("c = a") + 5]
    assert read(old[: old.index("\\nc = a") + 1]).program == PROGRAM[: PROGRAM.index("\nc = a")]
    assert read(old[: old.index("b = ")] + "\\q is no letter of JSON").program == ""


def test_the_complete_runs_of_a_list_that_is_cut_off_are_kept():
    cut = TEXT.index('"number": 3')
    assert read(TEXT[:cut]).document.runs.kept == SESSION.runs.kept[:2]
    runs = run_texts([SavedRun(n, "", 0.5, None, None, RUN) for n in range(1, MOST_RUNS + 1)], SESSION)
    full = to_json(replace(SESSION, runs=Runs(runs)))
    assert read(full[: full.rindex("]")]).document.runs.kept == runs


def test_a_table_that_is_missing_is_noted_and_the_rest_of_the_session_read():
    content = json.loads(TEXT)
    content["data"]["source"] = "table"
    found = read(json.dumps(content))
    assert set(problems(found)) >= {"data.table"} and found.program == PROGRAM
    assert found.document.data.source == "generator"


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ('"learning_rate": 0.25', '"learning_rate": "fast"', "training.learning_rate"),
        ('"learning_rate": 0.25', '"learning_rate": NaN', "training.learning_rate"),
        ('"learning_rate": 0.25', '"learning_rate": 0.2.5', "training.learning_rate"),
        ('"learning_rate": 0.25', '"learning_rat": 0.25', "training.learning_rat"),
        ('"layer_sizes": [2, 3, 1]', '"layer_sizes": [2, 3, 1', "network.layer_sizes"),
        ('"layer_sizes": [2, 3, 1]', '"layer_sizes": [5, 3, 1]', "network.layer_sizes"),
        ('"activations": ["tanh"]', '"activations": ["tanh", "tanh"]', "network.activations"),
        ('"name": "moons"', '"name": "mons"', "data.name"),
        ('"parameters": [0.5,', '"parameters": ["x",', "trained.parameters"),
        ('"parameters": [0.5, 0.5,', '"parameters": [0.5,', "trained.parameters"),
        ('"number": 2', '"number": "two"', "runs.kept.2.number"),
        ('"number": 2', '"number": 1', "runs.kept.2.number"),
        ('"gradstep": 5', '"gradstep": 12', "gradstep"),
        ('"gradstep": 5', '"gradstep": "five"', "gradstep"),
        ('"view": {', '"view": 7, "vew": {', "view"),
    ],
)
def test_one_broken_field_costs_no_more_than_what_depends_on_it(old, new, path):
    assert TEXT.count(old) >= 1
    at = TEXT.index(old)
    found = read(TEXT[:at] + new + TEXT[at + len(old) :])
    problem = problems(found)[path]
    assert problem.line == TEXT.count("\n", 0, at) + 1 and problem.column > 0
    for section in {"expression", "data", "network", "training"} - {path.partition(".")[0]}:
        assert getattr(found.document, section) == getattr(SESSION, section)


@pytest.mark.parametrize("seed", range(60))
def test_no_damage_raises_and_what_is_read_can_be_saved(seed):
    chance = random.Random(seed)
    content = bytearray(TEXT.encode())
    for _ in range(chance.choice([1, 3, 20])):
        place = chance.randrange(len(content))
        if seed % 3 == 0:
            content[place] = chance.randrange(256)
        elif seed % 3 == 1:
            del content[place : place + chance.randrange(1, 200)]
        else:
            content[place:place] = chance.choice([b'"', b"[" * 3000, b"{}", b"\xff", b"1e999", b","])
    found = salvage(bytes(content))
    if found.document is not None:
        check_consistent(found.document)
        assert from_json(to_json(found.document)) == found.document
    else:
        assert found.problems


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"",
            b"{}",
            b"[]",
            b"null",
            b"\x89PNG\r\n\x1a\n\xff\x00",
            pickle.dumps(Document()),
            b"a = 1\n",
            b"x,y\n1,2\n",
        ),
        *(b"\0" * 1000, b'{"a":' * 100_000, b'{"data": {"name": "of another program"}}', TEXT.encode("utf-16")),
    ],
)
def test_what_is_no_session_has_nothing_to_be_opened(content):
    found = salvage(content)
    assert found.document is None and found.problems and found.program == ""


@pytest.mark.parametrize("end", ["}", ""], ids=["whole", "cut off"])
def test_of_thousands_of_unknown_fields_some_are_noted(end):
    unknown = "".join(f'"k{number}": 1,\n' for number in range(3 * MOST_UNKNOWN))
    found = read(TEXT.rstrip().removesuffix("}").replace('"data": {', f'"data": {{{unknown}', 1) + end)
    assert sum(problem.path.startswith("data.k") for problem in found.problems) == MOST_UNKNOWN
    assert found.document.data == SESSION.data


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ('{"gradstep": 5, "runs": {"kept": ["run"]}}', "runs.kept"),  # said nothing, and called the runs whole
        ('{"gradstep": 5, "training": {"learning_rat!e": NaN}}', ""),
        ('{"gradstep": 5, "data": {"size": 3}}', "data.size"),
        ('{"gradstep": 2, "network": {"layer_sizes": 7, "activation": "tanh"}}', "network.layer_sizes"),
        ('{"gradstep": 2, "network": {"layer_sizes": [2, 3, 1], "activation": "tan"}}', "network.activation"),
        ('{"gradstep": 5, "training": {"seed": 3}, "\u202e": 1}', r"\u202e"),  # a path that turned the line around
    ],
)
def test_what_makes_a_file_be_refused_is_said(content, path):
    with pytest.raises(DocumentError):
        from_json(content)
    found = read(content)
    assert [problem.path for problem in found.problems] == [path]
    assert found.problems[0].place.isprintable()


def test_a_file_of_an_earlier_version_is_read_as_when_it_is_whole():
    content = {"gradstep": 2, "training": {"l1": 0.1}, "network": {"layer_sizes": [2, 3, 1], "activation": "tanh"}}
    text = json.dumps({**content, "trained": {"step": 1, "curve": [1.5], "parameters": [0.5] * 13}})
    found = read(text)
    assert (found.document, found.problems) == (from_json(text), ())  # without a curve that contains the penalty


def test_an_empty_section_of_an_earlier_version_has_the_defaults_of_that_version():
    text = json.dumps(json.loads(TEXT) | {"gradstep": 2, "network": {}, "trained": {}, "runs": {}})
    assert read(text).document == from_json(text) and from_json(text).network.initialiser == "uniform"


def test_a_name_with_control_characters_is_shown_by_its_escapes():
    table = {"x": [1.0, 2.0], "y": [3.0, 4.0]}
    data = {"source": "table", "table": table, "table_name": "\x1b[0m"}
    found = salvage(json.dumps({"gradstep": 5, "data": data, "network": 1}).encode())
    assert found.readable.isprintable() and r"\x1b[0m" in found.readable


def test_what_is_damaged_costs_no_section_but_its_own():
    session = replace_section(SESSION, "view", shows="network")
    found = read(to_json(session).replace('"learning_rate": 0.25', '"learning_rate": 0.2.5', 1))
    assert replace(found.document, training=session.training) == session
    assert {part.title for part in found.parts if not part.is_whole} == {"Training settings"}


def test_a_section_that_is_left_out_for_another_ones_damage_is_named():
    found = read(TEXT.replace('"layer_sizes": [2, 3, 1]', '"layer_sizes": [5, 3, 1]', 1))
    assert not len(found.document.trained.parameters)
    assert problems(found)["trained"].reason == "Trained weights left out, to fit what was read of the rest"


def test_a_field_that_stands_twice_is_named_and_the_first_one_taken():
    found = read(TEXT.replace('"learning_rate": 0.25', '"learning_rate": 0.25, "learning_rate": 0.5', 1))
    assert found.document.training.learning_rate == 0.25
    assert "stands twice" in problems(found)["training.learning_rate"].reason
