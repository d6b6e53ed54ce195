from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt

from engine.autograd import OPS
from engine.views.walk_texts import StepCounts, place_text, short_place
from gui.actions.graph import PLAY_TEXTS
from gui.bars.speed_control import WalkSpeed
from gui.panels.graph.stepper import StepperBar
from gui.theme import style_sheet

NARROW = 360  # pixels: the bar in a window of 1024


def press(bar, qtbot, name):
    """Clicks a button beside the slider, or does what one of the window's tool bar does."""
    if name in bar.buttons:
        qtbot.mouseClick(bar.buttons[name], Qt.MouseButton.LeftButton)
    else:
        bar.action_set[name].trigger()


def test_playing_ends_with_the_last_step_and_says_so(shown, session, qtbot, monkeypatch):
    monkeypatch.setattr("gui.panels.graph.stepper.PLAY_MILLISECONDS", 1)
    bar = shown(StepperBar)
    session.presenter.set_position(session.presenter.n_steps - 2)
    press(bar, qtbot, "play")
    assert bar.action_set["play"].text() == PLAY_TEXTS[True]
    qtbot.waitUntil(lambda: session.presenter.position == session.presenter.n_steps)
    qtbot.waitUntil(lambda: bar.action_set["play"].text() == PLAY_TEXTS[False])


def test_a_second_press_stops_playing_where_it_is(shown, session, qtbot):
    bar = shown(StepperBar)
    session.presenter.set_position(2)
    press(bar, qtbot, "play")
    press(bar, qtbot, "play")
    assert bar.action_set["play"].text() == PLAY_TEXTS[False] and session.presenter.position == 2


def test_the_buttons_go_through_the_passes_and_are_enabled_where_they_lead_somewhere(shown, session, qtbot):
    bar, n_steps = shown(StepperBar), session.presenter.n_steps

    def enabled():
        return bar.action_set["back"].isEnabled(), bar.action_set["next"].isEnabled()

    press(bar, qtbot, "start")
    assert session.presenter.position == 0 and enabled() == (False, True)
    assert bar.words.text() == "Only the leaves are known: press Next."
    press(bar, qtbot, "next")
    press(bar, qtbot, "next")
    press(bar, qtbot, "back")
    assert session.presenter.position == 1 and enabled() == (True, True)
    session.presenter.set_position(n_steps)
    assert enabled() == (True, False)
    press(bar, qtbot, "all")
    assert session.presenter.position == -1 and enabled() == (True, True)
    assert bar.words.text().startswith("All data are computed. backward() was not called")


def test_the_slider_is_the_position_of_the_walk_and_both_follow_each_other(shown, session):
    bar, n_steps = shown(StepperBar), session.presenter.n_steps
    assert (bar.slider.maximum(), bar.slider.value()) == (n_steps, n_steps - 3)  # before the three updates
    bar.slider.setValue(3)
    assert session.presenter.position == 3 and bar.place.toolTip() == f"forward 3 of {sum_forward(session)}"
    session.presenter.set_position(5)
    assert bar.slider.value() == 5


def test_a_walk_says_which_data_it_has_where_they_are_not_those_shown_without_it(shown, session, qtbot):
    """After an update of a program the pass before it is walked; what no pass explains is computed anew."""
    updated = "w = Value(3.0)\ny = w * w\ny.backward()\nw.data -= 0.1 * w.grad\n"
    bar = shown(StepperBar)
    for text, data in ((updated, "data of backward()"), (updated + "z = y + w\n", "current data")):
        session.edit("text", expression={"text": text})
        assert "walk" in bar.words.text()
        press(bar, qtbot, "back")
        assert bar.place.toolTip().endswith(data)
        assert short_place(bar.place.toolTip()).endswith("/3, before" if "()" in data else "/2, now")
        press(bar, qtbot, "start")
        assert bar.words.text().startswith("Only the leaves are known, with the data that they ha")
        press(bar, qtbot, "all")
        assert session.presenter.look_up()(session.presenter.value("w"))[0] == pytest.approx(2.4)


def test_the_speed_of_playing_has_keys_and_entries_of_the_menu_too(shown, session, qtbot):
    bar, told = shown(StepperBar, 300), []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    for _ in range(9):
        bar.action_set["play faster"].trigger()
    assert "16 times" in told[-1] and not bar.action_set["play faster"].isEnabled()
    bar.action_set["play slower"].trigger()
    assert "8 times" in told[-1] and bar.action_set["play faster"].isEnabled()


def test_a_press_beside_the_handle_of_the_scrubber_goes_there_and_the_handle_follows(shown, session, qtbot):
    bar = shown(StepperBar)
    slider, total = bar.slider, session.presenter.n_steps
    middle = slider.rect().center()
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=middle)
    assert abs(session.presenter.position - total / 2) <= 1
    qtbot.mouseMove(slider, QPoint(slider.width() - 1, middle.y()))
    assert session.presenter.position == total
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=middle)


def sum_forward(session):
    return session.presenter.graph_view.step_counts[0]


def test_every_step_says_what_it_has_just_computed(shown, session, qtbot):
    session.edit("text", expression={"text": "a = 2.0\nb = a*a\n"})
    bar, said = shown(StepperBar, width=690), []
    press(bar, qtbot, "start")
    height = bar.words.height()
    for _ in range(session.presenter.n_steps):
        press(bar, qtbot, "next")
        said.append(bar.words.text())
        assert not bar.words.lines()[-1].endswith("…") and bar.words.height() == height
    rule = OPS["mul"].rule
    assert said == [
        "b = a × a = 2 × 2 = 4",
        "every grad = 0",
        "b.grad = 1",
        f"a.grad = 0 + 1 × 2 = 2\na.grad += b.grad × ∂b/∂a (1st operand). {rule}",
        f"a.grad = 2 + 1 × 2 = 4\na.grad += b.grad × ∂b/∂a (2nd operand). {rule}",
        "a.data = 2 − 0.05 × 4 = 1.8\na.data -= learning rate × a.grad. The learning rate 0.05 is set in the stepper.",
    ]


def test_an_empty_program_has_nothing_to_step(shown, session):
    session.edit("text", expression={"text": ""})
    bar = shown(StepperBar)
    assert not any(button.isEnabled() for button in bar.buttons.values())
    assert bar.words.text() == "" and bar.place.text() == ""


def test_a_hidden_bar_is_not_renewed_and_catches_up(shown, session):
    bar = shown(StepperBar)
    bar.hide()
    before = bar.place.toolTip()
    session.presenter.set_position(3)
    assert bar.place.toolTip() == before
    bar.show()
    assert bar.place.toolTip().startswith("forward 3 of ")


def test_playing_from_the_end_begins_anew(shown, session):
    bar = shown(StepperBar)
    session.presenter.set_position(session.presenter.n_steps)
    bar.action_set["play"].trigger()
    assert session.presenter.position == 0 and bar.action_set["play"].text() == PLAY_TEXTS[True]


def select_a_parameter(session, qtbot):
    """The network with a parameter selected, whose line is as long as any but for its sentence at the end."""
    session.set_view(shows="network", expanded=["*"])
    qtbot.waitUntil(lambda: session.presenter.value("L2N2.w1") is not None)
    session.select("L2N2.w1")


@pytest.mark.slow
@pytest.mark.parametrize("width", [NARROW, 740])
def test_the_line_that_adds_up_is_whole_in_every_phase(shown, session, qtbot, width):
    bar = shown(StepperBar, width=width)
    select_a_parameter(session, qtbot)
    for name in ("forward", "loss", "zero_grad", "backward", "update"):
        with qtbot.waitSignal(session.changed, timeout=5000, check_params_cb=lambda change: "moment" in change):
            session.train("phase")
        qtbot.waitUntil(lambda name=name: bar.words.text().startswith(name))
        seen = " ".join(bar.words.lines())
        assert bar.words.toolTip() == bar.words.text()
        if name in ("backward", "update"):
            whole = bar.words.text().split(". ")[0]
            assert " = " in whole and seen.startswith(whole)


def test_within_a_step_of_training_next_goes_on_from_its_phase_and_all_computes_the_rest(shown, session, qtbot):
    session.set_view(shows="network")
    bar, presenter = shown(StepperBar), session.presenter
    qtbot.waitUntil(lambda: presenter.sample is not None and not presenter.busy)
    for name in ("forward", "loss", "zero_grad", "backward", "update"):
        session.train("phase")
        qtbot.waitUntil(lambda name=name: presenter.phase is not None and presenter.phase.name == name)
        is_over, phases = name == "update", presenter.walk.phases
        next_of = {"forward": "loss", "loss": "zero_grad", "zero_grad": "seed", "backward": "update"}
        at = phases[next_of.get(name, "end")]
        assert bar.slider.value() == at
        press(bar, qtbot, "next")
        assert presenter.position == (1 if is_over else at + 1)  # after the update another pass begins
        press(bar, qtbot, "all")
        assert presenter.position == (-1 if is_over else phases["update"])
        readings = presenter.readings.values()
        assert all("unknown" not in (reading.data_state, reading.grad_state) for reading in readings)


def test_a_longer_line_moves_nothing(shown):
    bar = shown(StepperBar)
    before = bar.sizeHint().height(), bar.slider.y()
    bar.show_awaited("one two three " * 40)
    assert (bar.sizeHint().height(), bar.slider.y()) == before
    assert len(bar.words.lines()) == 3 and bar.words.lines()[-1].endswith("…")


def test_the_place_takes_no_room_from_the_words(shown, session, qtbot):
    bar = shown(StepperBar, width=NARROW)
    bar.setStyleSheet(style_sheet())
    session.presenter.set_position(session.presenter.n_steps - 3)
    assert bar.words.width() >= bar.width() - 20
    assert bar.place.text() == "backward 10/10" and bar.place.toolTip() == "backward 10 of 10"
    needed = bar.place.fontMetrics().horizontalAdvance(bar.place.text())
    qtbot.waitUntil(lambda: bar.place.width() >= needed)


def test_where_the_output_is_an_array_there_is_nothing_to_step_through(shown, session, qtbot):
    bar = shown(StepperBar)
    session.edit("text", expression={"text": "w = Value([1.0, 2.0])\nz = w * 3\n"})
    session.select("z")
    posted: list[str] = []
    session.presenter.message_posted.connect(lambda text, _kind: posted.append(text))
    press(bar, qtbot, "next")
    assert "array" in posted[0]
    assert session.presenter.position == -1 and session.presenter.n_steps == 0


def test_large_counts_have_thousands_commas():
    counts = StepCounts(1234, 534555, 2000)
    assert place_text(None, -1, counts) == "backward 534,555 of 534,555"
    assert place_text(None, 1200, counts) == "forward 1,200 of 1,234"
    assert place_text(None, counts.total, counts) == "update 2,000 of 2,000"
    assert place_text(None, 1235, counts) == "zero_grad"


def test_the_phases_are_marked_under_the_slider_where_they_begin_and_a_click_goes_there(shown, session, qtbot):
    bar = shown(StepperBar, width=900)
    marks = bar.marks.places()
    places = sorted(marks.values(), key=lambda place: place.left())
    assert {"forward", "update"} <= set(marks) and "seed" not in marks  # which has no room beside zero_grad
    assert all(one.right() < other.left() for one, other in pairwise(places))
    qtbot.mouseClick(bar.marks, Qt.MouseButton.LeftButton, pos=marks["update"].center().toPoint())
    assert session.presenter.position == session.presenter.n_steps - 3
    assert session.presenter.walk.phases == {
        "forward": 0,
        "zero_grad": 5,
        "seed": 6,
        "backward": 7,
        "update": 16,
        "end": 19,
    }


def test_phases_are_gone_through_by_one_key_each_way(shown, session):
    bar = shown(StepperBar)
    bar.action_set["start"].trigger()
    ends = []
    for _ in range(6):
        bar.action_set["phase on"].trigger()
        ends.append(session.presenter.position)
    assert ends == [5, 6, 16, 19, 19, 19]
    bar.action_set["back"].trigger()
    back = []
    for _ in range(5):
        bar.action_set["phase back"].trigger()
        back.append(session.presenter.position)
    assert back == [16, 6, 5, 0, 0]


@pytest.mark.slow
def test_the_speed_of_playing_can_be_chosen(shown, session, qtbot, monkeypatch):
    monkeypatch.setattr("gui.panels.graph.stepper.PLAY_MILLISECONDS", 100_000)
    bar = shown(StepperBar, width=900)
    control = WalkSpeed(bar)
    qtbot.addWidget(control)
    monkeypatch.setattr("gui.panels.graph.stepper.PLAY_MILLISECONDS", 16)
    control.slider.setValue(control.slider.maximum())
    assert control.words.text() == "16×" and not bar.can_change_speed(1)
    session.presenter.set_position(0)
    press(bar, qtbot, "play")
    qtbot.waitUntil(lambda: session.presenter.position == session.presenter.n_steps)


def of_network(session, qtbot):
    session.set_view(shows="network")
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.update is not None)
    return session.presenter


@pytest.mark.slow
def test_after_the_last_update_next_makes_the_training_step_and_back_views_the_one_before(shown, session, qtbot):
    bar, graph = shown(StepperBar), of_network(session, qtbot)
    parameters = session.newest.snapshot.parameters
    graph.set_position(graph.n_steps)
    moved = [graph.look_up()(value)[0] for value in graph.sample.parameters]
    assert list(session.newest.update.after) == moved and moved != list(parameters)
    bar.next()
    qtbot.waitUntil(lambda: graph.position == 0 and session.newest.snapshot.step == 2)
    assert list(session.newest.snapshot.parameters) == moved
    bar.back()
    qtbot.waitUntil(lambda: session.training.viewed_step == 1 and graph.position == graph.n_steps)
    assert [graph.look_up()(value)[0] for value in graph.sample.parameters] == moved
    graph.set_position(0)
    assert [graph.look_up()(value)[0] for value in graph.sample.parameters] == list(parameters)
    bar.back()
    qtbot.waitUntil(lambda: session.training.viewed_step == 0 and graph.position == graph.n_steps)


@pytest.mark.slow
def test_run_to_here_stops_where_the_selected_value_is_computed_and_then_where_its_gradient_is(panel, session):
    session.presenter.set_position(0)
    session.select("n")
    for number, known in (("data", "grad"), ("grad", "")):
        panel.action_set["run to"].trigger()
        state = getattr(session.presenter.readings["n"], f"{number}_state")
        assert state != "unknown"
        assert not known or session.presenter.readings["n"].grad_state == "unknown"
        session.presenter.set_position(session.presenter.position - 1)
        assert getattr(session.presenter.readings["n"], f"{number}_state") == "unknown"
        session.presenter.set_position(session.presenter.position + 1)
