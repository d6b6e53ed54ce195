import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtWidgets import QWidget

from gui.export.dialog import VISIBLE, PictureDialog
from gui.export.drawing import Drawing, ExportError, at_most
from gui.export.exports import PictureChoices


@pytest.fixture
def asked(qtbot):
    """An open dialog on a picture of 3,000 x 1,000 pixels, and what its buttons were pressed for."""
    parent, used = QWidget(), []
    qtbot.addWidget(parent)

    def draw(choices):
        size = QSizeF(800, 600) if choices.visible_only else QSizeF(3_000, 1_000)
        return Drawing(size, lambda painter: None, "title", choices.scale)

    dialog = PictureDialog(parent, draw, lambda c: used.append(("save", c)), lambda c: used.append(("copy", c)))
    dialog.open()
    yield dialog, used


def test_it_shows_how_large_the_picture_gets(asked):
    dialog, _used = asked
    assert dialog.size_label.text() == "6,000 × 2,000 pixels"
    dialog.scale.setValue(1.5)
    assert dialog.size_label.text() == "4,500 × 1,500 pixels"
    dialog.part.setCurrentText(VISIBLE)
    assert dialog.size_label.text() == "1,200 × 900 pixels"


def test_too_large_a_picture_is_refused_with_the_largest_scale_which_then_can_be_saved(asked):
    dialog, _used = asked
    dialog.scale.setValue(20)
    assert not dialog.save_button.isEnabled() and not dialog.copy_button.isEnabled()
    assert dialog.size_label.text() == "60,000 × 20,000 pixels is too large: the scale is at most 3.64"
    dialog.scale.setValue(3.64)
    assert dialog.save_button.isEnabled() and dialog.copy_button.isEnabled()


def test_the_longest_sentence_has_room(asked, qtbot):
    dialog, _used = asked
    dialog.scale.setValue(20)
    label = dialog.size_label
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()), timeout=1000)


def test_an_svg_has_no_scale_and_a_pdf_is_not_copied(asked):
    dialog, _used = asked
    dialog.scale.setValue(20)
    dialog.format.setCurrentIndex(dialog.format.findData("svg"))
    assert not dialog.scale.isEnabled() and dialog.save_button.isEnabled() and dialog.copy_button.isEnabled()
    dialog.format.setCurrentIndex(dialog.format.findData("pdf"))
    assert dialog.save_button.isEnabled() and not dialog.copy_button.isEnabled()


def test_the_buttons_hand_over_what_was_chosen_and_close(asked, qtbot):
    dialog, used = asked
    dialog.transparent.setChecked(True)
    dialog.scale.setValue(3)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert used == [("save", PictureChoices("png", visible_only=False, scale=3.0, transparent=True))]
    assert not dialog.isVisible()


def test_copying_hands_over_what_was_chosen(asked, qtbot):
    dialog, used = asked
    dialog.part.setCurrentText(VISIBLE)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert used == [("copy", PictureChoices(visible_only=True))]


def test_with_nothing_to_draw_it_says_so(qtbot):
    def draw(_choices):
        raise ExportError("nothing to export: the graph is empty")

    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PictureDialog(parent, draw, lambda c: None, lambda c: None)
    assert dialog.size_label.text() == "nothing to export: the graph is empty"
    assert not dialog.save_button.isEnabled() and not dialog.copy_button.isEnabled()


def test_a_picture_can_be_made_as_large_as_possible():
    assert at_most(Drawing(QSizeF(30_000, 100), lambda painter: None, "t", 2.0)).scale == pytest.approx(1.06)
    assert at_most(Drawing(QSizeF(300, 100), lambda painter: None, "t", 2.0)).scale == 2.0
