"""Every panel of the real window: one refresh at most for what a user does once, and none while it is hidden."""

from collections import Counter
from itertools import permutations

import pytest

from engine.document import Data, Document, Expression, Network, Training, View
from engine.views.sample import pass_parameters
from gui.panels.explanations.bug_lab import BugLabPanel
from gui.panels.explanations.nudging import NudgePanel
from gui.panels.panel import Panel
from gui.scheduling import idle_tasks
from gui.theme import DARK


@pytest.fixture
def window(make_window, qtbot):
    window = make_window()
    for dock in window.docks.values():
        assert dock.panel
    window.docks["BoundaryPanel"].raise_()
    qtbot.waitUntil(lambda: window.session.newest is not None and not window.session.presenter.busy)
    window.arrange()
    qtbot.waitUntil(lambda: not idle_tasks().busy)
    return window


@pytest.fixture
def refreshed(window, monkeypatch):
    """How often each panel was refreshed, by the name of its class, and how often one that was not seen."""
    counts = Counter()

    def count(panel, refresh, change):
        counts[type(panel).__name__] += 1
        counts["hidden"] += not panel.is_seen
        refresh(change)

    for panel in window.findChildren(Panel):
        monkeypatch.setattr(
            panel, "refresh", lambda change, panel=panel, real=panel.refresh: count(panel, real, change)
        )
    return counts


def seen(window):
    return {type(panel).__name__ for panel in window.findChildren(Panel) if panel.is_seen}


def assert_some_panels_are_seen_and_some_are_behind_tabs(window):
    names = {type(panel).__name__ for panel in window.findChildren(Panel)}
    assert {"ExpressionPanel", "NetworkPanel", "DataPanel", "BoundaryPanel", "TrainingPanel"} <= names
    assert {"PredictionsPanel", "ExplainPanel", "ChecksPanel", "StepperBar"} <= names
    assert {"ExplainPanel", "StepperBar", "NetworkPanel"} <= seen(window)
    assert not {"ChecksPanel", "DataPanel", "PredictionsPanel"} & seen(window)


ACTS = {
    "next": lambda session: session.presenter.next(),
    "select": lambda session: session.select("w1"),
    "program": lambda session: session.edit("typing", expression={"text": "a = 2.0\nb = a*a\n"}),
    "rate": lambda session: session.edit("rate", training={"learning_rate": 0.2}),
    "loss": lambda session: session.edit("loss", training={"loss": "hinge"}),
    "layers": lambda session: session.edit("layers", network={"layer_sizes": (2, 3, 1)}),
    "data": lambda session: session.edit("data", data={"name": "circles"}),
    "network": lambda session: session.set_view(shows="network"),
}
EDITS = ("program", "rate", "loss", "layers", "data")


@pytest.mark.long
def test_what_is_done_once_is_one_refresh_of_each_panel_that_is_seen_and_undo_and_redo_are_too(
    window, refreshed, subtests
):
    assert_some_panels_are_seen_and_some_are_behind_tabs(window)
    for name, act in ACTS.items():
        with subtests.test(done=name):
            refreshed.clear()
            act(window.session)
            assert refreshed.pop("hidden", 0) == 0
            assert set(refreshed) <= seen(window)
            assert set(refreshed.values()) <= {1}
            assert name == "network" or refreshed
    window.session.reset_document(Document())
    for name in EDITS:
        ACTS[name](window.session)
        for again in ("undo", "redo"):
            with subtests.test(again, of=name):
                refreshed.clear()
                getattr(window.session.undo_stack, f"{again}_edit")()
                assert refreshed.pop("hidden", 0) == 0
                assert set(refreshed.values()) == {1}


@pytest.mark.long
def test_a_report_of_training_is_one_refresh_of_what_shows_it(window, refreshed, qtbot):
    changes = []
    window.session.train("step")
    refreshed.clear()
    window.session.changed.connect(changes.append)
    qtbot.waitUntil(lambda: any("moment" in change for change in changes))
    assert refreshed.pop("hidden", 0) == 0
    assert refreshed.total() and set(refreshed.values()) <= {len(changes)}
    assert not {"ExpressionPanel", "DataPanel", "ExplainPanel"} & set(refreshed)


@pytest.mark.long
def test_a_panel_behind_a_tab_catches_up_once_when_it_is_raised(window, refreshed, qtbot):
    noise = 0.3
    for name in ("ChecksPanel", "DataPanel", "LearningPanel", "PredictionsPanel", "TrainingPanel"):
        for front in ("ExpressionPanel", "NetworkPanel", "ExplainPanel"):
            window.docks[front].raise_()
        if name in seen(window):
            window.tabifiedDockWidgets(window.docks[name])[0].raise_()
        qtbot.waitUntil(lambda name=name: name not in seen(window))
        refreshed.clear()
        for _ in range(3):
            noise += 0.01
            assert window.session.edit("noise", data={"noise": noise})
            assert window.session.edit("program", expression={"text": f"a = {noise}\nb = a*a\n"})
        assert refreshed[name] == 0
        window.docks[name].raise_()
        assert refreshed[name] == 1, name
        assert refreshed["hidden"] == 0, name


@pytest.mark.slow
@pytest.mark.parametrize("kind", [NudgePanel, BugLabPanel])
def test_a_panel_that_is_seen_again_has_the_numbers_computed_that_waited_while_nobody_saw_them(
    session, shown, qtbot, kind
):
    session.set_view(shows="network")
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.presenter.sample is not None)
    panel = shown(kind)
    panel.catch_up()
    panel.hide()
    session.presenter.is_watched = lambda: False
    session.presenter.show_moment(session.newest, pass_parameters(session.newest), may_wait=True)
    with qtbot.waitSignal(session.presenter.readings_changed):
        panel.show()


DOCUMENTS = {
    "classes": Document(
        expression=Expression(text="a = 2.0\nb = a*a\nfor _ in range(20):\n    b = (b + a).tanh()\n"),
        data=Data(name="spiral3", n_samples=200, test_share=0.4, features=("x1", "x2", "x1x2", "sin x1")),
        network=Network(layer_sizes=(4, 8, 5, 3), activations=("tanh", "relu")),
        training=Training(loss="softmax_cross_entropy"),
        view=View(shows="network", sample=100),
    ),
    "one sample": Document(
        expression=Expression(text="y = 1.0\n"),
        data=Data(source="points", points=((0.5, -0.5, 0),)),
        network=Network(layer_sizes=(2, 1), activations=()),
        view=View(shows="network"),
    ),
    "numbers": Document(
        expression=Expression(text="x = 1 +"),
        data=Data(name="curve", n_samples=7, features=("x1",)),
        network=Network(layer_sizes=(1, 4, 1), activations=("tanh",)),
        training=Training(loss="mean_squared_error"),
        view=View(shows="network", sample=6),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize(("first", "then"), list(permutations(DOCUMENTS, 2)))
def test_a_hidden_panel_takes_other_colours_and_another_size_before_it_catches_up(
    window, qtbot, unexpected, first, then
):
    panels = window.findChildren(Panel)
    window.session.reset_document(DOCUMENTS[first])
    qtbot.waitUntil(lambda: window.session.newest is not None and not window.session.presenter.busy)
    window.session.run()
    qtbot.waitUntil(lambda: window.session.trained_so_far.step > 0)
    window.session.pause()
    qtbot.waitUntil(lambda: not idle_tasks().busy)
    for panel in panels:
        panel.catch_up()
    predictions = window.docks["PredictionsPanel"].panel
    rows = predictions.table.rowCount()
    window.show_workspace("welcome")
    window.session.reset_document(DOCUMENTS[then])
    assert predictions.table.rowCount() == rows and not predictions.is_seen
    for panel in panels:
        if not panel.is_seen:
            panel.set_colors(DARK)
            panel.resize(panel.width() + 40, panel.height() + 40)
            panel.grab()
    assert unexpected == []
