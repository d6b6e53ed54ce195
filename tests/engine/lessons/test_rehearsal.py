"""Rehearsals: the faults that a teacher is told of a lesson that cannot be played, and the state after its actions."""

import pytest

from engine.document import Document, replace_section
from engine.lessons.lesson_file import parse_lesson
from engine.lessons.rehearsal import ActionError, Rehearsal, rehearse
from tests.engine.lessons.lesson_texts import LESSON

PROGRAM = "a = 3.0\nb = a * 2\nc = b + a\n"


def rehearsal(text=PROGRAM, **view):
    document = replace_section(Document(), "expression", text=text)
    return Rehearsal(replace_section(document, "view", **view) if view else document)


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        (
            "## Predict\n",
            '## Predict\n```start\nedit = { find = "nowhere", replace = "" }\n```\n',
            "edit = ",
            "0 times, not once",
        ),
        ("a = 4.0", "q = 4.0", "sliders = ", "there is no slider 'q'"),
        (
            '{ is = 1.0, says = "One edge brings 1." }',
            '{ is = 1.0, says = "One edge." }, { is = 1.0, says = "Both." }',
            "wrong = ",
            "does not bring its sentence, but: One edge.",
        ),
        ('answer = "Both edges', 'answer = "No, both edges', "```solution\nanswer", "does not meet the goal"),
        ('answer = "Both edges', 'answer = "Both egdes', "```solution\nanswer", "is none of the choices, did you mean"),
        (
            "## A question\n",
            "## A question\n```start\nnetwork = { layer_sizes = [3, 4, 1] }\n```\n",
            "network = ",
            "must begin with 2",
        ),
        (
            "## A question\n",
            '## A question\n```start\nprogram = "a = = 2"\n```\n',
            "## A question",
            "cannot be read",
        ),
    ],
    ids=["start", "slider", "sentence", "solution", "misspelt", "layers", "syntax"],
)
def test_what_does_not_work_is_said_with_its_line(old, new, at, words):
    assert LESSON.count(old) == 1
    text = LESSON.replace(old, new)
    faults = list(rehearse(parse_lesson(text, "x.md")))
    assert [line for line, reason in faults if words in reason] == [text.count("\n", 0, text.index(at)) + 1]


@pytest.mark.parametrize(
    ("actions", "position"),
    [
        ({"walk": 0}, ("start", "", 0)),
        ({"walk": 1}, ("forward", "b", 1)),
        ({"walk": 10**9}, ("end", "", 0)),
        ({"walk_to": "forward"}, ("forward", "c", 2)),
        ({"walk_lines": 0}, ("start", "", 0)),
        ({"walk_lines": 2}, ("forward", "", 2)),
        ({"walk_lines": 99}, ("end", "", 0)),
        ({}, ("end", "", 0)),
    ],
)
def test_a_walk_stands_where_the_action_went(actions, position):
    played = rehearsal()
    played.do(tuple(actions.items()))
    at = played.state.position
    assert (at.phase, at.node, 0 if at.phase == "end" else at.steps) == position


def test_a_walk_by_lines_says_the_line():
    played = rehearsal("a = 3.0\n\nb = a * 2\n")
    played.do((("walk_lines", 2),))
    assert played.state.position.line == 3


def test_paths_select_both_nodes_and_refuse_one_that_is_not_there():
    played = rehearsal()
    played.do((("paths", ("a", "c")),))
    assert played.state.selected == ("a", "c")
    with pytest.raises(ActionError, match="no node 'q'"):
        played.do((("paths", ("a", "q")),))


@pytest.mark.parametrize(
    ("text", "action"),
    [("a = 1 / 0", ("walk_lines", 1)), (PROGRAM, ("walk_to", "updaet")), (PROGRAM, ("training", {"loss": "hing"}))],
)
def test_an_action_that_cannot_be_done_is_refused(text, action):
    with pytest.raises(ActionError):
        rehearsal(text).do((action,))


def test_the_walk_of_an_empty_program_is_at_its_end():
    played = rehearsal("")
    played.do((("walk_to", "forward"),))
    assert played.state.position.phase == "end" and played.shown_numbers is not None


def test_new_weights_that_are_not_wanted_keep_those_that_are_trained():
    played = rehearsal()
    played.do((("train", 3), ("new_weights", False)))
    assert played.state.training.steps == 3
    played.do((("new_weights", True),))
    assert played.state.training.steps == 0


def test_the_nodes_of_a_network_are_those_of_its_graph():
    nodes = rehearsal(shows="network").state.nodes
    assert "loss" in nodes and "a" not in nodes
