"""The whole of lesson 3 with keys alone: no pointer, and no call into the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTabBar

from gui.main_window import MainWindow
from gui.session import Session
from tests.gui.keyboard import name_of, press_tab, walk, where

LESSON = "03_backpropagation_by_hand"
PREDICTIONS = (("L", "1"), ("d", "-2"), ("f", "4"), ("c", "-2"), ("a", "6"))
SIZES = {"columns": (1440, 870), "tabs": (800, 770)}
"""In a small window all panels are tabs of one column."""
Key = Qt.Key


@pytest.fixture(params=SIZES)
def learner(request, qtbot, tmp_path):
    """The window in its lesson, when its graph is there."""
    session = Session()
    session.lessons_folder = tmp_path / "lessons"
    window = MainWindow(session, theme="light", workspace="understand")
    qtbot.addWidget(window)
    window.show()
    window.resize(*SIZES[request.param])  # the offscreen screen is small
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.course.open(LESSON)
    qtbot.waitUntil(lambda: bool(session.presenter.picture.boxes) and window.docks["LessonPanel"].is_made)
    yield window
    session.discard_changes()
    window.close()


def press(window, key, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(window.focusWidget(), key, modifiers)


def write(window, text):
    """Replace what the field with the keyboard holds."""
    press(window, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(window.focusWidget(), text)
    press(window, Key.Key_Return)


def tab_to(window, matches):
    """Tab until the control that has the keyboard is the one."""
    for _ in range(200):
        now = window.focusWidget()
        if now is not None and matches(now):
            return now
        press_tab(window)
    raise AssertionError("not reached: " + "; ".join(map(where, walk(window))))


def tab_to_name(window, name):
    return tab_to(window, lambda widget: name_of(widget) == name)


def titles(bar):
    return [bar.tabText(index) for index in range(bar.count())] if isinstance(bar, QTabBar) else []


def show_panel(window, qtbot, title):
    """Choose a panel that stands behind others with its tab."""
    dock = next(dock for dock in window.docks.values() if dock.windowTitle() == title)
    if dock.visibleRegion().isEmpty():
        bar = tab_to(window, lambda widget: title in titles(widget))
        way = titles(bar).index(title) - bar.currentIndex()
        for _ in range(abs(way)):
            press(window, Key.Key_Right if way > 0 else Key.Key_Left)
    qtbot.waitUntil(lambda: dock.is_made and dock.panel.isVisible() and not dock.visibleRegion().isEmpty())


def find(window, label):
    """Select a node with the search field, and go to the canvas."""
    press(window, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    press(window, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(window.focusWidget(), label)
    press(window, Key.Key_Escape)


def go_on(window, qtbot, step):
    """Wait until the step is done, and press the button that goes on."""
    qtbot.waitUntil(lambda: window.course.is_step_done)
    show_panel(window, qtbot, "Lesson")
    panel = window.docks["LessonPanel"].panel
    qtbot.waitUntil(panel.main_button.isVisible)
    tab_to(window, lambda widget: widget is panel.main_button)
    press(window, Key.Key_Space)
    qtbot.waitUntil(lambda: window.course.index == step)


def gradient_state(presenter, label):
    key = next(key for key, box in presenter.picture.boxes.items() if box.label == label)
    return presenter.readings[key].grad_state


def answer(window, qtbot, text):
    show_panel(window, qtbot, "Lesson")
    panel = window.docks["LessonPanel"].panel
    qtbot.waitUntil(lambda: panel.question is not None and panel.question.isVisible())
    choices = [choice.text for choice in panel.question.choices]
    now = choices.index(name_of(tab_to(window, lambda widget: name_of(widget) in choices)))
    for _ in range(abs(choices.index(text) - now)):  # the choices are one stop, with the arrow keys inside
        press(window, Key.Key_Down if choices.index(text) > now else Key.Key_Up)
    assert name_of(window.focusWidget()) == text
    press(window, Key.Key_Space)


@pytest.mark.long
def test_the_whole_of_lesson_3_is_done_by_keyboard(learner, qtbot):
    window = learner
    go_on(window, qtbot, 1)  # the introduction
    for step, (label, gradient) in enumerate(PREDICTIONS, start=1):
        qtbot.waitUntil(lambda label=label: label in window.session.presenter.prediction.hidden)
        find(window, label)
        press(window, Key.Key_Return)
        field = window.focusWidget()
        assert name_of(field) == f"gradient of {label}"
        QTest.keyClicks(field, gradient)
        press(window, Key.Key_Return)
        qtbot.waitUntil(lambda: window.course.is_step_done)
        if isinstance(window.focusWidget(), QLineEdit):  # the next question has come up
            press(window, Key.Key_Escape)
        go_on(window, qtbot, step + 1)

    find(window, "a")
    show_panel(window, qtbot, "Nudge")
    tab_to_name(window, "h")
    write(window, "0.001")
    go_on(window, qtbot, 7)

    presenter = window.session.presenter
    qtbot.waitUntil(lambda: gradient_state(presenter, "b") == "unknown")
    tab_to_name(window, "Next")
    while gradient_state(presenter, "b") in ("unknown", "zero"):
        press(window, Key.Key_Space)
    go_on(window, qtbot, 8)

    answer(window, qtbot, "6 times as fast")
    go_on(window, qtbot, 9)

    show_panel(window, qtbot, "Program")
    tab_to_name(window, "number of f")
    write(window, "0")
    go_on(window, qtbot, 10)

    answer(window, qtbot, "Those of f and L")
    qtbot.waitUntil(lambda: window.course.is_step_done)
    assert all(window.course.is_met(step) for step in range(11) if window.course.lesson.steps[step].goal is not None)
