"""The predictions of lesson 3 with keys alone: no pointer, and no call into the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from gui.main_window import MainWindow
from gui.session import Session
from tests.gui.keyboard import name_of, press_tab, walk, where

LESSON = "03_backpropagation_by_hand"
PREDICTIONS = (("L", "1"), ("d", "-2"), ("f", "4"), ("c", "-2"), ("a", "6"))
Key = Qt.Key


@pytest.fixture
def learner(qtbot, tmp_path):
    """The window in its lesson, when its graph is there."""
    session = Session()
    session.lessons_folder = tmp_path / "lessons"
    window = MainWindow(session, theme="light", workspace="understand")
    qtbot.addWidget(window)
    window.resize(1440, 870)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.course.open(LESSON)
    qtbot.waitUntil(lambda: bool(session.presenter.picture.boxes) and window.docks["LessonPanel"].is_made)
    yield window
    session.discard_changes()
    window.close()


def tab_to(window, matches):
    """Tab until the control that has the keyboard is the one."""
    for _ in range(200):
        now = window.focusWidget()
        if now is not None and matches(now):
            return now
        press_tab(window)
    raise AssertionError("not reached: " + "; ".join(map(where, walk(window))))


def find(window, label):
    """Select a node with the search field, and go to the canvas."""
    QTest.keyClick(window, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window.focusWidget(), Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(window.focusWidget(), label)
    QTest.keyClick(window.focusWidget(), Key.Key_Escape)


def go_on(window, qtbot, step):
    """Wait until the step is done, and press the button that goes on."""
    qtbot.waitUntil(lambda: window.course.is_step_done)
    panel = window.docks["LessonPanel"].panel
    qtbot.waitUntil(panel.main_button.isVisible)
    tab_to(window, lambda widget: widget is panel.main_button)
    QTest.keyClick(window.focusWidget(), Key.Key_Space)
    qtbot.waitUntil(lambda: window.course.index == step)


@pytest.mark.long
def test_every_gradient_of_lesson_3_is_predicted_by_keyboard(learner, qtbot):
    window = learner
    go_on(window, qtbot, 1)  # the introduction
    for step, (label, gradient) in enumerate(PREDICTIONS, start=1):
        qtbot.waitUntil(lambda label=label: label in window.session.presenter.prediction.hidden)
        find(window, label)
        QTest.keyClick(window.focusWidget(), Key.Key_Return)
        field = window.focusWidget()
        assert name_of(field) == f"gradient of {label}"
        QTest.keyClicks(field, gradient)
        QTest.keyClick(field, Key.Key_Return)
        qtbot.waitUntil(lambda: window.course.is_step_done)
        if isinstance(window.focusWidget(), QLineEdit):  # the next question has come up
            QTest.keyClick(window.focusWidget(), Key.Key_Escape)
        go_on(window, qtbot, step + 1)
