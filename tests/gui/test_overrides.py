"""Every override of a virtual function of Qt is guarded: a new one, too."""

import importlib
import pkgutil
import sys
from types import FunctionType

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QGraphicsItem, QStyledItemDelegate, QWidget
from shiboken6 import delete

import gui
from tests.gui.faults import classes

OF_PYTHON_ONLY = {
    *(f"SettingsFile.{name}" for name in ("value", "contains", "setValue", "remove", "status", "sync")),
    "NoSettings.sync",
}
"""Functions that are not virtual, of objects that Qt itself never asks: only the program calls them."""


def test_every_override_of_a_virtual_function_is_guarded_and_no_other_function_of_qt_is_overridden():
    for module in pkgutil.walk_packages(gui.__path__, "gui."):
        importlib.import_module(module.name)
    unguarded = set()
    for kind in classes():
        bases = [base for base in kind.__mro__ if base.__module__.startswith("PySide6")]
        for name, function in vars(kind).items():
            is_override = isinstance(function, FunctionType) and any(name in vars(base) for base in bases)
            if is_override and not name.startswith("__") and not hasattr(function, "__wrapped__"):
                unguarded.add(f"{kind.__name__}.{name}" if kind.__module__.startswith("gui.") else "")
    assert unguarded - OF_PYTHON_ONLY <= {""}


def test_an_override_that_fails_is_reported_and_gives_the_answer_of_its_kind(qtbot, monkeypatch):
    class Failing(QWidget):
        def minimumSizeHint(self):
            raise ValueError("planted")

    class FailingItem(QGraphicsItem):
        def itemChange(self, change, value):
            raise ValueError("planted")

    class FailingDelegate(QStyledItemDelegate):
        def helpEvent(self, event, view, option, index):
            raise ValueError("planted")

    found = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(error))
    widget = Failing()
    qtbot.addWidget(widget)
    assert widget.minimumSizeHint() == QSize(0, 0)
    assert FailingItem().itemChange(QGraphicsItem.GraphicsItemChange.ItemPositionChange, 5) == 5
    assert FailingDelegate().helpEvent(None, None, None, None) is False
    assert len(found) == 3


def test_an_override_that_fails_after_its_widget_was_deleted_is_reported_too(qtbot, monkeypatch):
    class Failing(QWidget):
        def sizeHint(self):
            delete(self)
            raise ValueError("planted")

    found = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(error))
    parent = QWidget()
    qtbot.addWidget(parent)
    assert Failing(parent).sizeHint() == QSize()
    assert [str(error) for error in found] == ["planted"]
