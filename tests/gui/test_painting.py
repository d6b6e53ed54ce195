"""Painters end with their block, and are opened in one way everywhere."""

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from gui.painting import painting

GUI = Path(__file__).parents[2] / "gui"
OPENERS = {"QPainter", "QStylePainter"}


def image():
    return QImage(8, 8, QImage.Format.Format_RGB32)


def test_a_painter_ends_with_its_block(qapp):
    device = image()
    with painting(device) as painter:
        assert painter.isActive()
    assert not painter.isActive()
    assert not device.paintingActive()


def test_a_painter_ends_when_an_exception_leaves_its_block(qapp):
    device = image()
    with pytest.raises(ZeroDivisionError), painting(device) as painter:
        _ = 1 / 0
    assert not painter.isActive()
    assert not device.paintingActive()


def test_a_painter_can_be_used_again_on_another_device(qapp):
    with painting(image()) as painter:
        pass
    second = image()
    with painting(second, painter) as same:
        assert same is painter
        assert painter.device() is second


@pytest.mark.slow
def test_painters_are_opened_and_saved_in_one_way_and_nothing_is_repainted_at_once():
    found = []
    for path in GUI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                empty = name == "QPainter" and not node.args and not node.keywords  # opens nothing
                saves = name == "save" and getattr(getattr(node.func, "value", None), "id", "") == "painter"
                if (name in OPENERS and not empty) or name == "repaint" or (saves and path.name != "painting.py"):
                    found.append(f"{path.relative_to(GUI)}:{node.lineno} {name}")
    assert not found
