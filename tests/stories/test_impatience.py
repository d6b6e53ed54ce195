"""An impatient beginner: anything clicked, typed and dragged in any order; nothing may break."""

import random

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QSlider, QToolButton

from gui.main_window import MainWindow
from gui.session import Session

PROGRAMS = [
    "a = 2\n", "b = a*a + 1\n", "c = tanh(b)", "d = log(-1)\n", "e = 1/0\n", "(((", "∂µ", "9**9**9", "import os\n",
    "sum([1, 2, 3])\n", "w1*x1", "1e308*10\n", "f = relu(-3)**2\n", "# nothing\n", "a.backward()\n", "x=3;y=x**x\n",
]  # fmt: skip
ENTRIES = ["", "0", "-1", "1e9", "nan", "0.1", "1e-9", "abc", "2,8,8,1", "2,0,1", "9" * 12, "3", "64", "0,1", "١", "5"]
KEYS = [Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Home, Qt.Key.Key_Escape]
LEFT_ALONE = {"quit", "open", "save", "save_as", "about"}
"""Actions that ask with a dialog."""


class Beginner:
    """Does something at random to a window."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window = window
        self.random = random.Random(seed)
        self.habits = [
            self.act,
            self.type,
            self.choose,
            self.enter,
            self.press,
            self.point,
            self.drag,
            self.key,
            self.slide,
        ]

    def do_something(self) -> None:
        """One thing."""
        self.random.choice(self.habits)()

    def one_of(self, kind):
        """A control of that kind that can be used now."""
        found = [w for w in self.window.findChildren(kind) if w.isVisible() and w.isEnabled()]
        return self.random.choice(found)

    def act(self) -> None:
        """A menu entry."""
        names = [name for name in self.window.actions_by_name if name not in LEFT_ALONE]
        self.window.actions_by_name[self.random.choice(names)].trigger()

    def type(self) -> None:
        """Into the editor."""
        editor = self.window.docks["ExpressionPanel"].panel.editor
        if self.random.random() < 0.4:
            editor.selectAll()
        editor.insertPlainText(self.random.choice(PROGRAMS))
        if self.random.random() < 0.6:
            editor.flush()

    def choose(self) -> None:
        """From a list."""
        combo = self.one_of(QComboBox)
        index = self.random.randrange(combo.count())
        combo.setCurrentIndex(index)
        combo.activated.emit(index)

    def enter(self) -> None:
        """Into a field."""
        field = self.one_of(QLineEdit)
        field.setFocus()
        field.selectAll()
        field.insert(self.random.choice(ENTRIES))
        QTest.keyClick(field, Qt.Key.Key_Return)

    def press(self) -> None:
        """A button without a menu."""
        button = self.one_of(QAbstractButton)
        if not (isinstance(button, QToolButton) and button.menu()):
            button.click()

    def _somewhere(self) -> QPoint:
        viewport = self.window.graph.canvas.viewport()
        return QPoint(self.random.randrange(viewport.width()), self.random.randrange(viewport.height()))

    def point(self) -> None:
        """At the canvas."""
        click = self.random.choice([QTest.mouseClick, QTest.mouseDClick])
        viewport = self.window.graph.canvas.viewport()
        click(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, self._somewhere())

    def drag(self) -> None:
        """Over the canvas."""
        viewport, none = self.window.graph.canvas.viewport(), Qt.KeyboardModifier.NoModifier
        QTest.mousePress(viewport, Qt.MouseButton.LeftButton, none, self._somewhere())
        QTest.mouseMove(viewport, self._somewhere())
        QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, none, self._somewhere())

    def key(self) -> None:
        """On the canvas."""
        QTest.keyClick(self.window.graph.canvas, self.random.choice(KEYS))

    def slide(self) -> None:
        """Any slider."""
        slider = self.one_of(QSlider)
        slider.setValue(self.random.randint(slider.minimum(), slider.maximum()))


@pytest.mark.parametrize("seed", [1, 2])
def test_an_impatient_beginner_breaks_nothing(seed, qtbot):
    window = MainWindow(Session(), theme="light")
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    beginner = Beginner(window, seed)
    for _ in range(100):
        beginner.do_something()
        QApplication.processEvents()
    window.session.edit("text", expression={"text": "a = 3.0\nb = a * a"})
    window.session.set_view(shows="expression")
    qtbot.waitUntil(lambda: not window.session.graph.busy, timeout=10_000)
    assert window.session.graph.readings["b"].data == "9.0000"
    assert window.session.graph.readings["a"].grad == "+6.0000"
    window.session.discard_changes()
    assert window.close()
