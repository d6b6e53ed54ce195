"""The bug lab shows the same graph twice, with the values marked that a mistake makes others."""

import pytest

from engine.document.document import FIRST_PROGRAM
from engine.views.bug_lab import BUGS, EXAMPLE
from gui.panels.explanations.bug_lab import SENTENCES, BugLabPanel
from gui.theme import DARK

TEXT = "a = 1.0\nb = 2*a\nc = 3*b\nd = 4*b\ne = c + d"


@pytest.fixture
def panel(shown, session):
    session.edit("text", expression={"text": TEXT})
    return shown(BugLabPanel, 900, 360)


def grads(panel, side):
    return {key: reading.grad for key, reading in panel.canvases[side].readings.items() if reading.grad}


@pytest.mark.slow
def test_both_graphs_stand_side_by_side_with_their_numbers_and_marks(panel):
    panel.choose("depth first")
    assert grads(panel, "right")["a"] == "+14.0000" and grads(panel, "wrong")["a"] == "+20.0000"
    for canvas in panel.canvases.values():
        marked = {key for key, decoration in canvas.decorations.items() if decoration.differing}
        assert marked == {"a"} and canvas.notes("a") == ("a.grad is 20; right is 14.",)
    assert panel.caption == "1 differs"


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_each_mistake_says_in_words_what_goes_wrong(panel, name):
    panel.choose(name)
    text = panel.page.plain_text()
    assert BUGS[name].why in text and BUGS[name].wrong_code in text and BUGS[name].right_code in text
    assert panel.comparison.differences and panel.comparison.outcome in text
    assert all(each.text in text for each in panel.comparison.differences)


@pytest.mark.slow
@pytest.mark.parametrize("program", [FIRST_PROGRAM, "a = 2.0\nb = tanh(a)\n", "", "x = [1.0, 2.0]\ny = sum(x)\n"])
def test_every_mistake_opens_on_a_graph_in_which_it_shows(panel, session, program, qtbot):
    session.edit("text", expression={"text": program})
    qtbot.waitUntil(lambda: session.program.is_evaluated)
    for name in BUGS:
        panel.choose(name)
        assert panel.comparison is not None and panel.comparison.differences, name
        is_example = panel.graph_view is not session.presenter.graph_view
        assert (EXAMPLE in panel.page.plain_text()) == is_example
        assert set(panel.canvases["wrong"].picture.boxes) == set(panel.canvases["right"].picture.boxes)


def test_a_mistake_that_changes_nothing_says_why_and_is_shown_on_an_example(panel, session):
    session.edit("text", expression={"text": "a = 2.0\nb = tanh(a)\n"})
    panel.choose("overwrite")
    assert BUGS["overwrite"].none in panel.page.plain_text() and "d" in panel.canvases["wrong"].picture.boxes
    # e = (a·b + a)·a·b, so de/da = 2a·b² + 2a·b = 36 - 12
    assert grads(panel, "right")["a"] == "+24.0000"
    panel.canvases["wrong"].choose("d")
    assert session.selection != "d"


@pytest.mark.slow
def test_it_follows_the_program_the_learning_rate_and_the_selection(panel, session):
    panel.choose("rate too low")
    before = panel.page.plain_text()
    session.edit("rate", training={"learning_rate": 0.001})
    assert panel.page.plain_text() != before
    session.select("b")
    assert {canvas.selected for canvas in panel.canvases.values()} == {"b"}
    panel.canvases["wrong"].choose("c")
    assert session.selection == "c"
    session.presenter.prediction.ask_one(session.presenter.value("b"), session.presenter.graph_view)
    assert panel.page.plain_text() == SENTENCES["hidden"] and panel.comparison is None
    assert not panel.canvases["right"].isVisible()
    session.presenter.prediction.end()
    assert panel.comparison is not None and panel.canvases["right"].isVisible()
    session.edit("text", expression={"text": ""})
    assert SENTENCES["empty"] in panel.page.plain_text() and EXAMPLE in panel.page.plain_text()


@pytest.mark.slow
def test_it_is_seen_in_the_dark_and_in_a_narrow_column(panel):
    panel.set_colors(DARK)
    panel.resize(300, 800)
    assert panel.canvases["right"].grab().toImage() != panel.canvases["wrong"].grab().toImage()
    assert panel.canvases["wrong"].y() == panel.canvases["right"].y()


@pytest.mark.slow
def test_a_network_on_a_sample_can_be_put_into_the_lab(panel, session, qtbot):
    session.edit("network", network={"layer_sizes": (2, 2, 1)})
    session.set_view(shows="network", expanded=["*"])
    qtbot.waitUntil(lambda: "L1N1.w1" in session.presenter.picture.boxes)
    panel.choose("not reversed")
    assert panel.comparison is not None and grads(panel, "wrong")["L1N1.w1"] == "+0.0000"
