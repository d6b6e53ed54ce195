"""Engines of learners: right ones get no complaint, and what is wrong with the others is named at its line."""

import ast

import pydantic_monty
import pytest

from engine.language.own_engine import check_own_engine
from engine.language.own_engine_probe import PREFIX, Probe, hook_text, prelude_text
from engine.language.own_engine_reading import read_own_engine
from tests.engine.language.own_engine_cases import FURTHER, PUBLISHED, USES, right_program

LIMITS = {"max_feed_duration_secs": 5, "max_memory": 200_000_000, "max_recursion_depth": 500}


@pytest.fixture(scope="module")
def pool():
    with pydantic_monty.Monty() as pool:
        yield pool


@pytest.fixture
def rows_of(pool):
    def run(program):
        return check_own_engine(fetched(pool, program), program)

    return run


def fetched(pool, program):
    tree = ast.parse(program)
    engine, lines = read_own_engine(tree), program.split("\n")
    with pool.checkout(limits=LIMITS, assert_message_annotations=False) as session:
        session.feed_run(prelude_text(engine))
        end = engine.definitions[engine.classes[0]]
        session.feed_run("\n".join(lines[:end]))
        session.feed_run(hook_text(engine))
        session.feed_run("\n" * end + "\n".join(lines[end:]))
        names = [
            part.id
            for top in tree.body
            if isinstance(top, ast.Assign)
            for part in ast.walk(top)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        probe = Probe(session.feed_run, (pydantic_monty.MontyError,))
        root = f"{PREFIX}last_root()" if probe.last_root() else names[-1]
        return probe.records(root, names, 200_000)


@pytest.mark.parametrize("style", USES)
def test_a_right_engine_gets_no_complaint(style, rows_of):
    rows = rows_of(right_program(style))
    assert len(rows) >= 4
    assert [row.message for row in rows if row.message] == []
    assert all(row.ok and row.given == pytest.approx(row.expected) for row in rows)


@pytest.mark.parametrize("case", [*PUBLISHED, *FURTHER], ids=lambda case: case.name)
def test_a_mistake_is_named_where_it_stands(case, rows_of):
    rows = rows_of(case.program)
    wrong = [row for row in rows if not row.ok]
    assert wrong, rows
    row = wrong[0]
    for words in case.words:
        assert words in row.message, row.message
    if case.method:
        assert f"`{case.method}`, line" in row.message, row.message
    if case.line:
        assert case.line in case.program.split("\n")[row.line - 1], (row, case.program.split("\n")[row.line - 1])
    if case.expected is not None:
        assert (row.expected, row.given) == pytest.approx((case.expected, case.given), rel=1e-5)
