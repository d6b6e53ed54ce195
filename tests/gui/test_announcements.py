"""A screen reader says one step at a time, and nothing is computed for it while none runs."""

import pytest
from PySide6.QtGui import QAccessible

from gui import announcements


@pytest.fixture
def said(reused_window, monkeypatch):
    """The texts that are announced to a screen reader that runs."""
    monkeypatch.setattr(announcements.QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(announcements, "PAUSE_MILLISECONDS", 5)
    texts = []
    reused_window.announcer.announced.connect(texts.append)
    yield texts
    reused_window.announcer.announced.disconnect(texts.append)


def test_several_steps_in_a_moment_are_one_announcement(reused_window, said, qtbot):
    window = reused_window
    for position in (1, 2, 3):
        window.session.presenter.set_position(position)
    qtbot.waitUntil(lambda: bool(said))
    assert said == [window.graph_panel.stepper.words.text()]
    window.session.presenter.set_position(4)
    qtbot.waitUntil(lambda: len(said) == 2)


def test_messages_are_announced(reused_window, said):
    reused_window.session.message_posted.emit("Copied 4.0", "note")
    assert said == ["Copied 4.0"]


def test_without_a_screen_reader_nothing_is_said(reused_window):
    texts = []
    reused_window.announcer.announced.connect(texts.append)
    if not QAccessible.isActive():
        reused_window.session.presenter.set_position(1)
        reused_window.session.message_posted.emit("Copied 4.0", "note")
        assert texts == [] and not reused_window.announcer._timer.isActive()
    reused_window.announcer.announced.disconnect(texts.append)
