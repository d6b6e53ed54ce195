from gui.panels.stepper import StepperBar


def test_playing_ends_with_the_last_step_and_says_so(shown, session):
    bar = shown(StepperBar)
    session.graph.set_cursor(session.graph.n_steps - 1)
    bar._buttons["play"].click()
    assert bar._buttons["play"].text() == "Stop"
    bar._play_on()
    assert session.graph.cursor == session.graph.n_steps
    assert bar._buttons["play"].text() == "Play"


def test_playing_from_the_end_begins_anew(shown, session):
    bar = shown(StepperBar)
    session.graph.set_cursor(session.graph.n_steps)
    bar._buttons["play"].click()
    assert session.graph.cursor == 0 and bar._buttons["play"].text() == "Stop"
