"""The line at the bottom of the window: messages end, and tips take turns with them."""

import pytest

from gui.bars import message_label
from gui.bars.message_label import MessageLabel


@pytest.fixture
def label(qtbot, monkeypatch):
    monkeypatch.setattr(message_label, "MESSAGE_MILLISECONDS", 1)
    label = MessageLabel()
    qtbot.addWidget(label)
    return label


def test_a_note_goes_away_for_good(label, qtbot):
    label.show_message("Saved moons")
    assert "moons" in label.toolTip()
    qtbot.waitUntil(lambda: label.toolTip() == "")
    label.show_tip("Make one step")
    label.show_tip("")
    assert label.toolTip() == ""


def test_a_message_comes_back_when_a_tip_ends(label):
    label.show_message("3 rows cannot be read", "error")
    label.show_tip("Make one step")
    assert "step" in label.toolTip()
    label.show_tip("")
    assert "rows" in label.toolTip()


def test_a_tip_does_not_have_the_color_of_an_error(label):
    label.show_message("3 rows cannot be read", "error")
    assert label.property("error")
    label.show_tip("Make one step")
    assert not label.property("error")
    label.show_tip("")
    assert label.property("error")
    label.end_error(at_once=True)
    assert not label.property("error") and label.message == ""
