"""Session files made to take the machine: read, or refused in one short line."""

import json
import tracemalloc

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.document.document import MOST_PARAMETERS
from engine.experiment.consistency import check_consistent
from engine.session_file import from_json, to_json
from engine.session_file.strict_json import LARGEST_TEXT

HEAVY = {
    "empty lists": lambda: "[" + "[]," * (LARGEST_TEXT // 3 - 2) + "[]]",
    "empty tables": lambda: "[" + "{}," * 330_000 + "{}]",
    "small tables": lambda: "[" + '{"":0},' * 240_000 + "0]",
    "names": lambda: '{"gradstep": 2, "view": {"moved": {' + ",".join(f'"{n}": 0' for n in range(400_000)) + "}}}",
    "numbers": lambda: '{"gradstep": 2, "trained": {"parameters": [' + "1.5," * 990_000 + "0]}}",
    "texts": lambda: '{"gradstep": 2, "view": {"expanded": [' + '"ab",' * 990_000 + '""]}}',
    "wide letters": lambda: '{"gradstep": 2, "a\U0001f600' + "x" * (LARGEST_TEXT - 30) + '": 1}',
    "one number": lambda: '{"gradstep": ' + "1" * (LARGEST_TEXT - 20) + "}",
    "one fraction": lambda: '{"gradstep": 2.' + "1" * (LARGEST_TEXT - 20) + "}",
    "deep lists": lambda: "[" * 900_000,
    "deep tables": lambda: '{"a":' * 490_000,
    "blanks": lambda: " " * LARGEST_TEXT,
    "too long": lambda: " " * (LARGEST_TEXT + 1),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HEAVY)
def test_no_file_takes_more_than_200_megabytes(name):
    text = HEAVY[name]()
    tracemalloc.start()
    with pytest.raises(DocumentError) as raised:
        from_json(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 130_000_000  # the text itself, 80 MB at most, comes on top
    assert len(str(raised.value)) < 300


@pytest.mark.long
def test_the_largest_session_that_can_be_made_is_saved_and_read_again():
    array = [-1.2345678901234567e-300] * MOST_PARAMETERS
    document = replace_section(
        Document(),
        "trained",
        parameters=array,
        gradients=array,
        optimizer_state={"average": array, "square_average": array},
        curve=array[:10_000],
        test_curve=array[:10_000],
    )
    names = tuple(f"s{n}.L20N256" for n in range(10_000))
    document = replace_section(
        document, "view", expanded=names, collapsed=names, moved=dict.fromkeys(names, (-123456.78901234567,) * 2)
    )
    table = {f"column {n}": [*array[:3000]] for n in range(100)}
    document = replace_section(document, "data", source="table", table=table)
    assert from_json(to_json(document)) == document


@pytest.mark.slow
def test_a_name_that_stands_twice_is_found_in_one_pass():
    names = ", ".join(f'"{n}": [0, 1]' for n in (*range(100_000), 77_777))
    with pytest.raises(DocumentError, match="the name '77777' stands twice"):
        from_json('{"gradstep": 1, "expression": {"ranges": {' + names + "}}}")


@pytest.mark.parametrize("letter", ["x", "\\u001b", "\\u202e", "é"])
@pytest.mark.parametrize(
    "text",
    [
        '{{"gradstep": 1, "{0}": {{}}}}',
        '{{"gradstep": 1, "data": {{"{0}": 1}}}}',
        '{{"gradstep": 1, "data": {{"name": "{0}"}}}}',
        '{{"gradstep": 1, "data": {{"n_samples": "{0}"}}}}',
        '{{"gradstep": 1, "network": {{"activation": "{0}"}}}}',
        '{{"gradstep": 1, "view": {{"moved": {{"{0}": 1}}}}}}',
        '{{"gradstep": 1, "{0}": 1, "{0}": 1}}',
        '{{"gradstep": "{0}"}}',
    ],
)
def test_a_message_on_a_foreign_name_or_value_is_one_short_visible_line(text, letter):
    with pytest.raises(DocumentError) as raised:
        check_consistent(from_json(text.format(letter * 200_000)))
    assert len(str(raised.value)) < 400
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    "value", [[1, 2], [[1, [0, 1]]], [[[1], [0, 1]]], [[None, [0, 1]]], [["a", [0, 1]]], 1, "a", None]
)
@pytest.mark.parametrize("field", [("expression", "ranges"), ("view", "moved"), ("trained", "optimizer_state")])
def test_a_table_is_a_table_and_no_list_of_pairs(field, value):
    section, name = field
    with pytest.raises(DocumentError, match="must be a table of names") as caught:
        from_json(json.dumps({"gradstep": 1, section: {name: value}}))
    assert caught.value.path == f"{section}.{name}"


@pytest.mark.parametrize(
    "pairs", [(1, 2), ((1, (0.0, 1.0)),), ((("a",), (0.0, 1.0)),), ((None, (0.0, 1.0)),), (("a",),)]
)
def test_an_edit_with_keys_that_are_no_names_is_refused(pairs):
    with pytest.raises(DocumentError, match=r"must be a table|must be text"):
        replace_section(Document(), "view", moved=pairs)
