"""Goals: every kind is met by the state it wants and by no other, and says what it found and what it wants."""

from dataclasses import replace

import pytest

from engine.document import Document, replace_section
from engine.lessons import GOALS, Goal, LessonState
from engine.lessons.goals import GoalError
from engine.lessons.state import Shown, TrainingFigures, WalkPosition

EMPTY = LessonState()
NODES = replace(EMPTY, nodes={"a": Shown(3.0, 2.0), "b": Shown(6.0, 1.0), "c": Shown(1.0)})
TRAINED = replace(EMPTY, training=TrainingFigures(seed=1, steps=200, loss=0.02, accuracy=1.0))


def with_network(**changes):
    return replace(EMPTY, document=replace_section(Document(), "network", **changes))


def with_training(**changes):
    return replace(EMPTY, document=replace_section(Document(), "training", **changes))


CASES = [
    # kind, fields, a state that meets it, states that do not and a word of what is then found
    ("value", {"node": "b", "is": 6.0}, NODES, [(EMPTY, "no b"), (replace(EMPTY, nodes={"b": Shown(5.0)}), "5")]),
    ("value", {"node": "b", "above": 5.0, "below": 7.0}, NODES, [(replace(EMPTY, nodes={"b": Shown(7.0)}), "7")]),
    (
        "gradient",
        {"node": "a", "is": 2.0, "within": 0.1},
        NODES,
        [(replace(EMPTY, nodes={"a": Shown(3.0)}), "no grad"), (EMPTY, "no a")],
    ),
    ("predicted", {"node": "a"}, replace(NODES, predicted={"a": 2.001}), [(replace(NODES, predicted={"a": 1.0}), "1")]),
    (
        "predicted",
        {"count": 2},
        replace(NODES, predicted={"a": 2.0, "b": 1.0}),
        [(replace(NODES, predicted={"a": 2.0, "b": 2.0}), "1 of 2")],
    ),
    (
        "selected",
        {"node": "a"},
        replace(EMPTY, selected=("a",)),
        [(EMPTY, "Nothing"), (replace(EMPTY, selected=("b",)), "b")],
    ),
    (
        "selected",
        {"paths": ("a", "b")},
        replace(EMPTY, selected=("b", "a")),
        [(replace(EMPTY, selected=("a",)), "Shift")],
    ),
    (
        "step",
        {"phase": "backward", "node": "a"},
        replace(EMPTY, position=WalkPosition("backward", "a", 4)),
        [(replace(EMPTY, position=WalkPosition("forward", "b", 1)), "forward, b")],
    ),
    ("step", {"line": 3}, replace(EMPTY, position=WalkPosition("forward", line=3)), [(EMPTY, "end")]),
    ("step", {"at_least": 2}, replace(EMPTY, position=WalkPosition("forward", "b", 2)), [(EMPTY, "end")]),
    (
        "nudged",
        {"node": "a", "at_most": 0.01},
        replace(EMPTY, nudged={"a": 0.001}),
        [(replace(EMPTY, nudged={"a": 0.1}), "0.1")],
    ),
    (
        "output",
        {"contains": "loss"},
        replace(EMPTY, output="loss 0.5\n"),
        [(EMPTY, "loss"), (replace(EMPTY, error="no x"), "no x")],
    ),
    (
        "output",
        {"is": 0.5},
        replace(EMPTY, output="loss 0.5\n"),
        [(replace(EMPTY, output="loss 1.5"), "1.5"), (EMPTY, "no number")],
    ),
    ("output", {"defines": "Value"}, replace(EMPTY, names=frozenset({"Value"})), [(EMPTY, "Value")]),
    (
        "engine",
        {"rules": ("add",)},
        replace(EMPTY, rules={"add": ""}),
        [
            (EMPTY, "class"),
            (replace(EMPTY, rules={"add": "line 9: no"}), "line 9"),
            (replace(EMPTY, rules={"mul": ""}), "not used add"),
        ],
    ),
    (
        "engine",
        {"all": True},
        replace(EMPTY, rules={"add": "", "mul": ""}),
        [(replace(EMPTY, rules={"add": "", "mul": "wrong"}), "wrong"), (replace(EMPTY, rules={}), "class")],
    ),
    ("network", {"layer_sizes": (2, 3, 1)}, with_network(layer_sizes=(2, 3, 1)), [(EMPTY, "2, 3, 1")]),
    ("network", {"hidden_layers": 0}, with_network(layer_sizes=(2, 1)), [(EMPTY, "0 hidden layers")]),
    ("network", {"hidden_units_at_most": 4}, with_network(layer_sizes=(2, 4, 1)), [(EMPTY, "4 hidden neurons")]),
    ("network", {"activation": "relu"}, with_network(activations=("relu", "relu")), [(EMPTY, "ReLU")]),
    ("network", {"initialiser": "zeros"}, with_network(initialiser="zeros"), [(EMPTY, "Zeros")]),
    (
        "network",
        {"data": "spiral"},
        replace(EMPTY, document=replace_section(Document(), "data", name="spiral")),
        [(EMPTY, "Two spirals")],
    ),
    ("network", {"loss": "hinge"}, with_training(loss="hinge"), [(EMPTY, "hinge")]),
    ("network", {"optimizer": "adam"}, with_training(optimizer="adam"), [(EMPTY, "Adam")]),
    ("network", {"learning_rate": (0.1, 1.0)}, with_training(learning_rate=0.5), [(EMPTY, "0.1 to 1")]),
    ("network", {"l2_above": 0.0}, with_training(l2=0.01), [(EMPTY, "L2")]),
    (
        "network",
        {"features": ("x1", "x1^2")},
        replace(EMPTY, document=replace_section(Document(), "data", features=("x1", "x1^2"))),
        [(EMPTY, "x1²")],
    ),
    (
        "trained",
        {"figure": "loss", "below": 0.05, "steps_at_most": 300, "seed": 1},
        TRAINED,
        [
            (EMPTY, "not been trained"),
            (replace(EMPTY, training=TrainingFigures(1, 200, 0.5)), "0.5"),
            (replace(EMPTY, training=TrainingFigures(1, 500, 0.02)), "500"),
            (replace(EMPTY, training=TrainingFigures(2, 200, 0.02)), "seed 2"),
        ],
    ),
    (
        "trained",
        {"figure": "loss", "below": 0.05, "steps_at_least": 100},
        TRAINED,
        [(replace(EMPTY, training=TrainingFigures(1, 50, 0.02)), "50 steps of 100")],
    ),
    (
        "trained",
        {"figure": "accuracy", "is": 1.0, "network": {"hidden_units_at_most": 2, "activation": "tanh"}},
        replace(with_network(layer_sizes=(2, 2, 1), activations=("tanh",)), training=TRAINED.training),
        [
            (replace(with_network(layer_sizes=(2, 3, 1), activations=("tanh",)), training=TRAINED.training), "2 hidd"),
            (replace(with_network(layer_sizes=(2, 2, 1), activations=("relu",)), training=TRAINED.training), "tanh"),
            (with_network(layer_sizes=(2, 2, 1), activations=("tanh",)), "not been trained"),
        ],
    ),
    ("diverged", {}, replace(EMPTY, training=TrainingFigures(diverged_at=7)), [(TRAINED, "finite")]),
    (
        "compared",
        {"setting": "learning_rate"},
        replace(EMPTY, compared=frozenset({"learning_rate"})),
        [(EMPTY, "learning rate")],
    ),
    (
        "answer",
        {"question": "Why?", "choices": [{"text": "so", "right": True}, {"text": "no", "says": "Look again."}]},
        replace(EMPTY, answer="so"),
        [(EMPTY, ""), (replace(EMPTY, answer="no"), "Look again.")],
    ),
    (
        "answer",
        {"question": "How much?", "is": 2.0, "wrong": [{"is": 1.0, "says": "One edge brings 1."}]},
        replace(EMPTY, answer=2.0),
        [(replace(EMPTY, answer=1.0), "One edge"), (replace(EMPTY, answer=5.0), "5")],
    ),
]


@pytest.mark.parametrize(
    ("kind", "given", "right", "wrong"), CASES, ids=lambda case: case if isinstance(case, str) else ""
)
def test_a_goal_is_met_by_the_state_it_wants_alone(kind, given, right, wrong):
    goal = Goal.checked({"kind": kind, **given})
    assert goal.look(right).met
    for state, word in wrong:
        finding = goal.look(state)
        assert not finding.met
        assert word in goal.feedback(finding)
    assert goal.wanted.endswith((".", "?")), goal.wanted


def test_a_number_of_steps_that_is_wanted_exactly_is_said_once():
    goal = Goal.checked({"kind": "trained", "figure": "loss", "below": 1, "steps_at_least": 20, "steps_at_most": 20})
    assert "after 20 steps" in goal.wanted and "within" not in goal.wanted


def test_a_program_that_fails_is_named_although_its_last_graph_is_still_there():
    goal = Goal.checked({"kind": "value", "node": "b", "is": 6.0})
    finding = goal.look(replace(NODES, error="line 2: no x"))
    assert not finding.met and "line 2: no x" in finding.found


def test_an_answer_that_is_no_number_is_quoted():
    goal = Goal.checked({"kind": "answer", "question": "How much?", "is": 2.06})
    assert "2,06" in goal.look(replace(EMPTY, answer="2,06")).found


def test_lines_of_an_output_are_written_without_escapes():
    goal = Goal.checked({"kind": "output", "contains": "2.0\n4.0"})
    for said in (goal.wanted, goal.look(replace(EMPTY, output="2.0\n")).found):
        assert "\n" not in said and "\\" not in said and "“4.0”" in said


def test_hidden_letters_of_an_output_are_seen_and_a_long_line_is_cut():
    goal = Goal.checked({"kind": "output", "contains": "d\u202eb"})
    found = goal.look(replace(EMPTY, output=f"db\x1b[0m{10_000 * 'x'}\n")).found
    assert found.isprintable() and "\\u202e" in found and "\\x1b" in found and len(found) < 500


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("value", {"node": "a\ufeffb", "is": 1.0}), ("output", {"defines": "a\ufeffb"}),
     ("answer", {"question": "a\ufeffb?", "is": 1.0})],
)  # fmt: skip
def test_hidden_letters_of_a_lesson_are_seen_in_what_a_goal_wants_and_finds(kind, fields):
    goal = Goal.checked({"kind": kind, **fields})
    assert "a\\ufeffb" in goal.wanted and goal.wanted.isprintable()
    assert goal.look(replace(EMPTY, answer="x\u202ey")).found.isprintable()


def test_the_order_of_choices_does_not_depend_on_the_order_in_the_file():
    choices = [{"text": "right", "right": True}, *({"text": text, "says": "No."} for text in ("one", "two", "three"))]
    goals = [
        Goal.checked({"kind": "answer", "question": "Which?", "choices": order}) for order in (choices, choices[::-1])
    ]
    assert goals[0].fields == goals[1].fields


def test_runs_are_compared_in_a_setting_that_there_is():
    with pytest.raises(GoalError, match="learning_rate"):
        Goal.checked({"kind": "compared", "setting": "lerning_rate"})


def test_every_kind_and_every_setting_of_a_network_has_a_case():
    assert {kind for kind, *_ in CASES} == set(GOALS)
    assert {key for kind, given, *_ in CASES if kind == "network" for key in given} == set(GOALS["network"].fields)


@pytest.mark.parametrize("kind", GOALS)
def test_a_running_program_meets_no_goal_but_an_answer(kind):
    given, right = next((given, right) for name, given, right, _ in CASES if name == kind)
    goal = Goal.checked({"kind": kind, **given})
    assert goal.look(replace(right, is_running=True)).met == (kind == "answer")


@pytest.mark.parametrize("kind", GOALS)
def test_every_kind_refuses_fields_it_does_not_have_and_wants_those_it_needs(kind):
    given = next(given for name, given, *_ in CASES if name == kind)
    with pytest.raises(GoalError) as caught:
        Goal.checked({"kind": kind, **given, "colour": 1})
    assert caught.value.key == "colour"
    if GOALS[kind].required:
        with pytest.raises(GoalError) as caught:
            Goal.checked({"kind": kind})
        assert caught.value.key == "kind"


@pytest.mark.parametrize("network", [{}, {"activation": "bent"}, {"hidden": 2}, 2])
def test_settings_of_a_training_are_checked(network):
    with pytest.raises(GoalError) as caught:
        Goal.checked({"kind": "trained", "figure": "loss", "is": 1.0, "network": network})
    assert caught.value.key == "network"


@pytest.mark.parametrize(("given", "met"), [(2.0, True), (2.00004, True), (2.0002, False), (float("nan"), False)])
def test_numbers_agree_to_what_is_shown(given, met):
    goal = Goal.checked({"kind": "value", "node": "a", "is": 2.0})
    assert goal.look(replace(EMPTY, nodes={"a": Shown(given)})).met == met


@pytest.mark.parametrize(
    ("text", "met"), [("x = −2.5e-1", True), ("Value(data=-0.25)", True), ("v0.25", False), ("-0.25.1", False)]
)
def test_numbers_are_found_in_what_a_program_prints(text, met):
    assert Goal.checked({"kind": "output", "is": -0.25}).look(replace(EMPTY, output=text)).met == met
