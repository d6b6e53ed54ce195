"""The moments of a program: the graph right after each backward(), scrubbed, and gone with the program."""

from functools import partial

import pytest

from engine.autograd import topological_order
from engine.document.document import SECTIONS
from engine.language import BackwardCall, ProgramError, evaluate
from gui.panels.graph.graph import GraphPanel
from gui.panels.graph.stepper import LEAST_SLIDER, TEXTS
from gui.session import Session, program_run
from gui.session.programs import Programs

LOOP = "w = 4.0\nx = 2.0\nloss = (w * x) ** 2\n"
"""What is left of a loop that halves w three times."""


def with_moments(text, **_settings):
    """An evaluation with three moments, as a sandbox gives them: graphs of their own."""
    evaluation = evaluate(text)
    made = []
    for k in range(3):
        root = evaluate(text.replace("4.0", str(4.0 / 2**k))).root
        root.backward()
        made.append(BackwardCall(3, f"k = {k}", partial(topological_order, root), number=k + 1))
    object.__setattr__(evaluation, "moments", tuple(made) if "w" in text else ())
    return evaluation


@pytest.fixture
def looped(qapp):
    session = Session(programs=Programs(with_moments))
    session.edit("text", expression={"text": LOOP})
    yield session
    session.close()
    session.discard_changes()


@pytest.mark.slow
def test_each_moment_shows_the_graph_as_it_was_then_in_the_same_places(looped):
    places = {key: (box.x, box.y) for key, box in looped.presenter.picture.boxes.items()}
    data = []
    for index in range(3):
        looped.program.view_backward_call(index)
        data.append((looped.presenter.readings["w"].data, looped.presenter.readings["w"].grad))
    assert data == [("4.0000", "+32.0000"), ("2.0000", "+16.0000"), ("1.0000", "+8.0000")]
    assert {key: (box.x, box.y) for key, box in looped.presenter.picture.boxes.items()} == places
    looped.program.view_backward_call(None)
    assert looped.presenter.readings["w"].data == "4.0000"


@pytest.mark.slow
def test_a_moment_is_stepped_and_selected_like_any_other_graph(looped):
    looped.program.view_backward_call(1)
    looped.select("w")
    looped.presenter.set_position(0)
    looped.presenter.next()
    assert looped.presenter.readings["w"].data == "2.0000" and looped.selection == "w"


@pytest.mark.slow
def test_viewing_a_moment_is_one_change_and_no_edit(looped):
    changes = []
    looped.changed.connect(changes.append)
    looped.program.view_backward_call(1)
    [change] = changes
    assert change >= {"program", "numbers"} and not change & {*SECTIONS}
    assert len(looped.undo_stack.steps) == 1


@pytest.mark.slow
def test_the_viewed_moment_stays_while_numbers_change_and_ends_with_the_program(looped):
    looped.program.view_backward_call(1)
    looped.edit("text", expression={"text": LOOP.replace("x = 2.0", "x = 3.0")})
    assert looped.program.view.index == 1 and looped.presenter.readings["x"].data == "3.0000"
    looped.edit("text", expression={"text": "a = 1.0\nb = a * 2\n"})
    assert looped.program.view.index is None and looped.presenter.readings["b"].data == "2.0000"


@pytest.mark.slow
def test_moments_of_a_large_program_are_made_beside_the_window_and_the_newest_wins(looped, qtbot, monkeypatch):
    monkeypatch.setattr(program_run, "AT_ONCE", 1)
    for index in (0, 1, 2):
        looped.program.view_backward_call(index)
    qtbot.waitUntil(lambda: looped.presenter.readings["w"].data == "1.0000")
    assert looped.program.view.index == 2


@pytest.mark.slow
def test_the_bar_says_which_moment_is_viewed_and_goes_where_there_are_none(looped, qtbot):
    panel = GraphPanel(looped)
    qtbot.addWidget(panel)
    panel.resize(700, 600)
    panel.show()
    bar = panel.backward_calls
    assert bar.isVisible() and bar.words.text() == "the end of the program"
    bar.slider.setValue(1)
    assert bar.words.text() == "k = 1, line 3: 2 of 3" and looped.presenter.readings["w"].data == "2.0000"
    bar.slider.setValue(bar.slider.maximum())
    assert looped.program.view.index is None
    looped.set_view(shows="network")
    assert not bar.isVisible()
    looped.set_view(shows="expression")
    looped.edit("text", expression={"text": "a = 1.0\n"})
    assert not bar.isVisible()


@pytest.mark.slow
def test_the_bar_of_a_program_with_an_error_says_that_it_came_to_it(qapp, qtbot):
    def failing(text, **_settings):
        error = ProgramError("it stops here", 3, 1).with_run((), with_moments(text))
        error.at_limit = True
        raise error

    session = Session(programs=Programs(failing))
    session.edit("text", expression={"text": LOOP})
    panel = GraphPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.backward_calls.isVisible() and panel.backward_calls.words.text() == TEXTS["error"]
    session.close()
    session.discard_changes()


@pytest.mark.slow
def test_in_a_narrow_panel_the_slider_can_still_be_dragged(looped, qtbot):
    panel = GraphPanel(looped)
    qtbot.addWidget(panel)
    panel.resize(panel.minimumSizeHint().width(), 600)
    panel.show()
    qtbot.waitExposed(panel)
    assert panel.backward_calls.slider.width() >= LEAST_SLIDER and panel.backward_calls.minimumSizeHint().width() < 300


@pytest.mark.slow
def test_the_variables_are_those_of_the_moment_that_is_viewed(qapp):
    session = Session(programs=Programs())
    session.edit("text", expression={"text": "a = Value(3.0)\nb = a * 2\nb.backward()\nb = a * 2\nb.backward()\n"})
    told = []
    for index in (0, 1, None):
        session.program.view_backward_call(index)
        told.append((session.program.shown_gradients["a"], session.presenter.readings["a"].grad))
    session.close()
    session.discard_changes()
    assert told == [(2.0, "+2.0000"), (4.0, "+4.0000"), (4.0, "+4.0000")]
