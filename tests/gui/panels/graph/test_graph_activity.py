"""What the canvas marks beside the numbers: local derivatives on edges, and the gradient that flows."""

from pathlib import Path

import pytest

import gui.panels.graph.graph_activity


def texts(panel):
    """What stands on the edges, by the labels of their ends."""
    picture = panel.canvas.picture
    names = {key: box.label for key, box in picture.boxes.items()} | {key: c.text for key, c in picture.circles.items()}
    return {
        (names[key[0]], names[key[1]]): decoration.text
        for key, decoration in panel.canvas.decorations.items()
        if isinstance(key, tuple) and decoration.text
    }


def flows(panel):
    return {
        key: decoration.flow
        for key, decoration in panel.canvas.decorations.items()
        if isinstance(key, tuple) and decoration.flow
    }


@pytest.mark.slow
def test_the_edges_around_the_selection_say_the_local_derivatives(panel, session):
    session.select("n")
    said = texts(panel)
    assert said["b", "+"] == "∂ 1"
    assert said["n", "tanh"] == "∂ 0.5"
    session.select(None)
    assert texts(panel) == {}


def test_the_edges_around_the_pointer_say_them_too(panel, session):
    panel.canvas.hover("w1")
    assert texts(panel) == {("w1", "×"): "∂ 2"}
    panel.canvas.hover(None)
    assert texts(panel) == {}


@pytest.mark.slow
def test_both_operands_of_a_square_are_said(panel, session):
    session.edit("text", expression={"text": "a = -3\nb = a * a\n"})
    session.select("a")
    assert list(texts(panel).values()) == ["∂ −3 (1st), −3 (2nd)"]


def test_nothing_is_said_of_what_is_not_computed_yet(panel, session):
    session.presenter.set_position(0)
    session.select("n")
    assert texts(panel) == {}


@pytest.mark.slow
def test_stepping_backward_shows_the_gradient_that_has_flowed(panel, session):
    presenter = session.presenter
    presenter.set_position(presenter.walk.phases["backward"])
    assert flows(panel) == {}
    presenter.next()
    assert set(flows(panel)) == {("n", "o:op"), ("o:op", "o")}
    first = flows(panel)
    presenter.next()
    assert len(flows(panel)) > len(first) and all(flows(panel)[pair] == flow for pair, flow in first.items())
    presenter.back()
    assert flows(panel) == first
    assert ("n", "tanh") in texts(panel)


def test_the_flow_of_the_whole_pass_is_shown_when_wanted(panel, session):
    assert flows(panel) == {}
    panel.action_set["flow"].trigger()
    shown = flows(panel)
    assert shown["o:op", "o"] == pytest.approx(2 / 3)
    assert min(shown.values()) == -1.0 and max(map(abs, shown.values())) == 1.0
    panel.action_set["flow"].trigger()
    assert flows(panel) == {}


@pytest.mark.slow
def test_the_flow_runs_through_closed_groups(panel, session):
    session.set_view(shows="network")
    panel.action_set["flow"].trigger()
    assert flows(panel)


# Header


@pytest.mark.slow
def test_the_flow_is_computed_once_for_the_same_numbers(panel, session, monkeypatch):
    computed, real = [], gui.panels.graph.graph_activity.gradient_flow
    monkeypatch.setattr(
        gui.panels.graph.graph_activity, "gradient_flow", lambda *given: (computed.append(1), real(*given))[1]
    )
    panel.show_flow(True)
    for key in session.presenter.picture.boxes:
        session.select(key)
    assert len(computed) == 1 and flows(panel)
    session.edit("text", expression={"text": "p = 2\nq = p * p"})
    assert len(computed) == 2


@pytest.mark.slow
def test_a_wrong_rule_of_an_own_engine_is_marked_in_the_walk_by_lines(panel, session):
    engine = (Path(__file__).parents[3] / "engine" / "language" / "own_engines" / "closures.py").read_text()
    engine = engine.replace("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")
    uses = "p = Value(2.0, label='p')\nq = Value(5.0, label='q')\ns = p * q\ns.backward()\nz = 3\n"
    session.edit("text", expression={"text": engine + uses})
    session.program.walk_lines(True)
    marked = []
    for position in range(session.program.walk.total - 2, session.program.walk.total + 1):
        session.program.go_to_statement(position)
        marked.append({ends[0] for ends in texts(panel)})
    assert marked == [set(), {"p"}, {"p"}]
