"""Work of the GUI thread in parts: order, newest wins, and the window keeps its picture while what is seen changes."""

import pytest
from PySide6.QtWidgets import QWidget

from gui.turns import Turns


@pytest.fixture
def shown(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def test_what_is_seen_comes_first_and_the_newest_part_of_a_key_is_the_one_that_is_done(shown, qtbot):
    turns, done = Turns(shown), []
    for key, word in (("a", "old"), ("b", "hidden"), ("a", "new")):
        turns.add(key, lambda word=word: done.append(word))
    turns.add("c", lambda: done.append("seen"), is_seen=True)
    assert turns.busy and done == []
    qtbot.waitUntil(lambda: not turns.busy)
    assert done == ["seen", "hidden", "new"]


def test_the_window_keeps_its_picture_until_every_part_that_is_seen_was_done(shown, qtbot):
    turns, updates = Turns(shown), []
    for key in "ab":
        turns.redraw(key, lambda: updates.append(shown.updatesEnabled()))
    assert not shown.updatesEnabled()
    qtbot.waitUntil(shown.updatesEnabled)
    assert updates == [False, False]
