"""The whole of lesson 3 by what the window says of itself: names and roles alone, as a screen reader has them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from gui.main_window import MainWindow
from gui.session import Session

LESSON = "03_backpropagation_by_hand"
PREDICTIONS = (("L", "1"), ("d", "-2"), ("f", "4"), ("c", "-2"), ("a", "6"))
STEPS = (
    "Backpropagation by hand", "The output", "One product back", "The other factor", "Through the sum",
    "And further back", "Check one with a push", "Watch the machine do it", "Why multiply?", "Break it",
    "What you found",
)  # fmt: skip
Role, Key = QAccessible.Role, Qt.Key


def everything(part):
    """The visible parts under one, depth first."""
    if part is not None and part.isValid() and not part.state().invisible:
        yield part
        for place in range(part.childCount()):
            yield from everything(part.child(place))


def name_of(part):
    return part.text(QAccessible.Text.Name)


class Reader:
    """Finds parts of the window by role and name, and acts on them with keys or as Qt's buttons offer it."""

    def __init__(self, window, qtbot):
        self._window, self._qtbot = window, qtbot

    def look(self, role, name):
        """The first part of this role whose name is this, or begins with it and a comma; None while there is none."""
        parts = everything(QAccessible.queryAccessibleInterface(self._window))
        fits = (each for each in parts if each.role() == role and (name_of(each) + ",").startswith(name + ","))
        return next(fits, None)

    def find(self, role, name):
        self._qtbot.waitUntil(lambda: self.look(role, name) is not None)
        return self.look(role, name)

    def press(self, name, role=Role.Button):
        """Press a button, a choice or a tab when it can be pressed."""
        self._qtbot.waitUntil(lambda: not self.find(role, name).state().disabled)
        self.find(role, name).actionInterface().doAction("Press" if role != Role.RadioButton else "Toggle")

    def type(self, name, text):
        """Replace what stands in a field."""
        field = self.find(Role.EditableText, name).object()
        field.setFocus()
        QTest.keyClick(field, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Key.Key_Return)

    def select(self, label):
        """Select a node with the search, and give the keyboard to the list of nodes."""
        self.press("Find")
        self.type("find a node by name", label)
        QTest.keyClick(self.find(Role.EditableText, "find a node by name").object(), Key.Key_Escape)
        nodes = self.find(Role.List, "computation graph").object()
        nodes.setFocus()
        self._qtbot.waitUntil(lambda: self.look(Role.ListItem, label).state().selected)
        return nodes

    def show(self, title):
        """Choose the tab of a panel that stands behind others."""
        tab = self.look(Role.PageTab, title)
        if tab is not None:
            tab.actionInterface().doAction("Press")

    def go_on(self, step):
        """Wait until a step counts as done, and continue."""
        self.show("Lesson")
        self.find(Role.Button, f"Step {step + 1}: {STEPS[step]}, done")
        self.press("Continue")


@pytest.fixture
def reader(qtbot, tmp_path):
    session = Session()
    session.lessons_folder = tmp_path / "lessons"
    window = MainWindow(session, theme="light", workspace="understand")
    qtbot.addWidget(window)
    window.show()
    window.resize(1440, 870)  # the offscreen screen is small
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.course.open(LESSON)
    yield Reader(window, qtbot)
    session.discard_changes()
    window.close()


@pytest.mark.long
def test_the_whole_of_lesson_3_is_done_by_names_and_roles(reader, qtbot):
    reader.press("Continue")
    for step, (label, gradient) in enumerate(PREDICTIONS, start=1):
        qtbot.waitUntil(lambda label=label: "gradient hidden" in name_of(reader.find(Role.ListItem, label)))
        QTest.keyClick(reader.select(label), Key.Key_Return)
        reader.type(f"gradient of {label}", gradient)
        reader.go_on(step)

    reader.select("a")
    reader.show("Nudge")
    reader.type("h", "0.001")
    reader.go_on(6)

    qtbot.waitUntil(lambda: "gradient not computed" in name_of(reader.find(Role.ListItem, "b")))
    while "gradient −4" not in name_of(reader.find(Role.ListItem, "b")):
        reader.press("Next")
    reader.go_on(7)

    reader.press("6 times as fast", Role.RadioButton)
    reader.go_on(8)

    reader.show("Program")
    reader.type("number of f", "0")
    reader.go_on(9)

    reader.show("Lesson")
    reader.press("Those of f and L", Role.RadioButton)
    reader.find(Role.Button, f"Step 11: {STEPS[10]}, done")
