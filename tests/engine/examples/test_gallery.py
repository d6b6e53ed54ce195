"""The gallery runs every published example, and an example that is wrong or cannot be run fails."""

import copy

import pytest

from engine.examples.gallery import published_examples, run_examples, run_gallery
from engine.language import evaluate
from engine.teaching.wrong_passes import not_reversed, piled_up, without_topological_order

PROGRAMS = {"A5", "A10", "A13", "A15", "A17", "A18", "A19", "B1", "B2", "B10", "B11", "B12"}
OTHERS = {"A1", "A2", "A3", "A6", "A7", "A8", "A11", "A20", "B9", "A22", "A24", "A26", "B4", "B5-B6"}
REFUTED = {"C1", "C2", "C3"}
EXAMPLES = published_examples()
CASES = [(kind, case["id"]) for kind, cases in EXAMPLES.items() for case in cases]


@pytest.mark.slow
def test_every_published_example_is_run_and_reproduced():
    rows = run_gallery()
    assert {row.example for row in rows} == {name for _, name in CASES} >= PROGRAMS | OTHERS | REFUTED
    assert [row for row in rows if not row.ok] == []


def only(kind, name):
    """The examples with the entries of a kind cut down to one; programs stay, others refer to them."""
    kept = [copy.deepcopy(case) for case in EXAMPLES[kind] if case["id"] == name]
    return ({"programs": EXAMPLES["programs"]} if kind == "nudges" else {}) | {kind: kept}, kept[0]


def falsify(kind, case):
    """Makes every number that was published a little larger, and every limit far smaller."""
    numbers = {"grad", "value", "first", "second", "second_in_micrograd", "wrong_orders", "output", "weights", "median"}
    numbers |= {"data"} if kind == "programs" else set()
    for key in numbers & case.keys():
        case[key] = raised(case[key])
    for key in {"below", "at_most"} & case.keys():
        case[key] = -1.0
    for entry in case.get("sizes", ()):
        entry["parameters"] += 1


def raised(content):
    if isinstance(content, dict):
        return {name: raised(part) for name, part in content.items()}
    if isinstance(content, list):
        return [raised(part) for part in content]
    return content + 0.01 if isinstance(content, float) else content


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), [pair for pair in CASES if pair[1] in ("A10", "A19", "A22", "B4", "B9")])
def test_a_number_that_is_not_reproduced_fails(kind, name):
    examples, case = only(kind, name)
    falsify(kind, case)
    assert [row for row in run_examples(examples) if row.example == name and not row.ok]


def test_a_log_of_other_numbers_and_a_mismatch_that_is_taken_fail():
    examples, case = only("networks", "B5-B6")
    case["network"]["seed"] = 1
    assert not all(row.ok for row in run_examples(examples))
    examples, case = only("published_statements_that_do_not_hold", "C1")
    case["x"] = [0.0, 1.0, 2.0]
    assert not any(row.ok for row in run_examples(examples))


@pytest.mark.parametrize(
    "examples",
    [
        {"mysteries": [{"id": "X1", "title": "Nobody runs this"}]},
        {"networks": [{"id": "X2", "title": "A kind that nobody knows", "kind": "transformer"}]},
        {"networks": [{"id": "X3", "text": "A sentence only"}]},
        {"programs": [{"id": "X4", "title": "No numbers", "program": "a = 1", "data": {}, "grad": {}}]},
        {"programs": [{"id": "X5", "title": "Not a program", "program": "a = (", "data": {"a": 1}, "grad": {}}]},
        {"nudges": [{"id": "X6", "title": "Of a program that is not there", "of": "A99"}]},
    ],
)
def test_what_cannot_be_run_is_a_row_that_fails(examples):
    (row,) = run_examples(examples)
    assert not row.ok
    assert row.example.startswith("X")
    assert row.obtained


def test_wrong_passes_go_wrong_where_values_are_used_twice():
    result = evaluate("a = 2.0\nb = a*a\nc = b + b\nd = c*b")
    result.root.backward()
    right = {name: value.grad for name, value in result.names.items()}
    wrong = without_topological_order(result.root)
    assert right["d"] == wrong[id(result.root)] == 1.0
    assert wrong[id(result.names["a"])] != right["a"]
    assert not_reversed(result.root).get(id(result.names["a"]), 0.0) == 0.0
    once, twice = piled_up(result.root, 1), piled_up(result.root, 2)
    for name, value in result.names.items():
        assert once[id(value)] == right[name]
    assert twice[id(result.names["a"])] > 2 * right["a"]
