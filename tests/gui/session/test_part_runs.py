"""Runs of the first cells of a program."""

import pytest

from gui.session.programs import end_of_cell, line_after_edit

CELLS = "a = 2.0\n# %%\nb = a * 3\n# %% last\nc = b + 1\n"
BLOCKS = "a = 2.0\n\nb = a * 3\nd = b\n\n\nc = b + 1\n"


@pytest.mark.parametrize(
    ("text", "line", "end"),
    [(CELLS, 1, 1), (CELLS, 3, 3), (CELLS, 5, None), (BLOCKS, 1, 2), (BLOCKS, 4, 6), ("", 1, None)],
)
def test_a_cell_ends_before_the_next_one(text, line, end):
    assert end_of_cell(text, line) == end


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_lines_with_the_ends_of_other_systems_are_lines(end):
    assert end_of_cell(BLOCKS.replace("\n", end), 4) == 6
    assert line_after_edit(3, CELLS.replace("\n", end), CELLS.replace("2.0", "20.0")) == 3


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (CELLS.replace("2.0", "20.0"), 3),
        (CELLS.replace("a = 2.0\n", "a = 2.0\na = 3.0\n"), 4),
        (CELLS + "e = 1\n", 3),
        (CELLS.replace("c = b + 1", "x\ny"), 3),
        ("z = 1\n", None),
        ("a = 2.0\n# %%\nb = a * 3\n", None),
    ],
)
def test_the_end_of_what_is_run_stays_where_it_is_in_the_text(after, line):
    assert line_after_edit(3, CELLS, after) == line


def test_a_program_is_run_up_to_a_cell_and_wholly_again(session):
    session.edit("text", expression={"text": CELLS})
    program = session.program
    program.run_up_to(2)
    assert set(program.variables) == {"a", "b"} and program.last_line == 3 and program.is_evaluated
    session.edit("text", expression={"text": CELLS.replace("2.0", "5.0")})
    assert program.variables["b"].data == 15.0 and "c" not in program.variables
    program.run_up_to(5)
    assert program.variables["c"].data == 16.0 and program.last_line is None


def test_an_error_behind_the_cell_is_none_yet(session):
    session.edit("text", expression={"text": "a = 2.0\n\nb = nothing\n"})
    assert session.error is not None
    session.program.run_up_to(1)
    assert session.error is None and set(session.program.variables) == {"a"}


def test_of_another_program_that_fails_what_it_had_computed_is_shown(session):
    session.edit("text", expression={"text": "a = 2.0\nb = a * 3\n"})
    session.edit("text", expression={"text": "a = 2.0\nb = a * 4\nc = nothing\n"})
    assert session.program.evaluation.names["b"].data == 6.0  # the last that worked, while one types
    session.edit("text", expression={"text": "p = 2.0\nq = p * 3\nr = nothing\n"})
    assert set(session.program.evaluation.names) == {"p", "q"} and session.program.is_part
    session.edit("text", expression={"text": "p = 5.0\nq = p * 3\nr = nothing\n"})
    assert session.program.evaluation.names["q"].data == 15.0
    session.edit("text", expression={"text": "p = 5.0\nq = p * \n"})
    assert session.program.evaluation.names["q"].data == 15.0 and session.program.is_part
    session.edit("text", expression={"text": "p = 5.0\nq = p * 2\n"})
    assert not session.program.is_part
