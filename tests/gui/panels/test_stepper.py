import pytest

from gui.panels.stepper import StepperBar
from gui.theme import LIGHT, style_sheet
from gui.walk_texts import place_text

NARROW = 360  # pixels: the bar in a window of 1024


def test_playing_ends_with_the_last_step_and_says_so(shown, session):
    bar = shown(StepperBar)
    session.graph.set_position(session.graph.n_steps - 1)
    bar.buttons["play"].click()
    assert bar.buttons["play"].text() == "Stop"
    bar._play_on()
    assert session.graph.position == session.graph.n_steps
    assert bar.buttons["play"].text() == "Play"


def test_playing_from_the_end_begins_anew(shown, session):
    bar = shown(StepperBar)
    session.graph.set_position(session.graph.n_steps)
    bar.buttons["play"].click()
    assert session.graph.position == 0 and bar.buttons["play"].text() == "Stop"


def select_a_parameter(session, qtbot):
    """The network with a parameter selected, whose line is as long as any but for its sentence at the end."""
    session.set_view(shows="network", expanded=["*"])
    qtbot.waitUntil(lambda: session.graph.value("L2N2.w1") is not None)
    session.select("L2N2.w1")


@pytest.mark.parametrize("width", [NARROW, 740])
def test_the_line_that_adds_up_is_whole_in_every_phase(shown, session, qtbot, width):
    bar = shown(StepperBar, width=width)
    select_a_parameter(session, qtbot)
    for name in ("forward", "loss", "zero_grad", "backward", "update"):
        with qtbot.waitSignal(session.changed, timeout=5000, check_params_cb=lambda change: change.moment):
            session.train("phase")
        qtbot.waitUntil(lambda name=name: bar.words.text().startswith(name))
        seen = " ".join(bar.words.lines())
        assert bar.words.toolTip() == bar.words.text()
        if name in ("backward", "update"):
            whole = bar.words.text().split(". ")[0]
            assert " = " in whole and seen.startswith(whole)


def test_a_longer_line_moves_nothing(shown):
    bar = shown(StepperBar)
    before = bar.sizeHint().height(), bar.slider.y()
    bar.tell_awaited("one two three " * 40)
    assert (bar.sizeHint().height(), bar.slider.y()) == before
    assert len(bar.words.lines()) == 3 and bar.words.lines()[-1].endswith("…")


def test_the_place_takes_no_room_from_the_words(shown, session, qtbot):
    bar = shown(StepperBar, width=NARROW)
    bar.setStyleSheet(style_sheet(LIGHT))
    session.graph.set_position(session.graph.n_steps)
    assert bar.words.width() >= bar.width() - 20
    assert bar.place.text() == "backward 10/10" and bar.place.toolTip() == "backward 10 of 10"
    needed = bar.place.fontMetrics().horizontalAdvance(bar.place.text())
    qtbot.waitUntil(lambda: bar.place.width() >= needed)


def test_large_counts_have_thousands_commas():
    assert place_text(None, -1, (1234, 534555)) == "backward 534,555 of 534,555"
    assert place_text(None, 1200, (1234, 534555)) == "forward 1,200 of 1,234"
