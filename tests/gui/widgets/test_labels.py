import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget

from gui.widgets.labels import ElidedLabel, LinesLabel

TEXTS = ("step 1 · epoch 1 · loss 0.5 of all 100", "step 1 · loss 0.5 of all 100", "step 1 · loss 0.5")


class Outer(QWidget):
    """Counts how often it is to be laid out."""

    laid_out = 0

    def event(self, event):
        self.laid_out += event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize)
        return super().event(event)


@pytest.fixture
def label(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_texts(*TEXTS)
    label.show()
    return label


@pytest.mark.parametrize("index", range(3))
def test_the_longest_text_that_fits_is_shown(label, index):
    label.resize(label.fontMetrics().horizontalAdvance(TEXTS[index]) + 1, 20)
    assert label.shown_text() == TEXTS[index]


def test_the_shortest_is_elided_where_none_fits(label):
    label.resize(label.fontMetrics().horizontalAdvance("step 1 · lo"), 20)
    assert label.shown_text().startswith("step 1") and label.shown_text().endswith("…")


@pytest.mark.parametrize("make", [ElidedLabel, lambda: LinesLabel(2)])
def test_another_text_lays_nothing_out_and_is_said_to_a_screen_reader(qtbot, make):
    """With each report of a training the whole window was laid out."""
    outer, label = Outer(), make()
    qtbot.addWidget(outer)
    QVBoxLayout(outer).addWidget(label)
    outer.show()
    qtbot.waitUntil(lambda: outer.laid_out > 0)
    QApplication.processEvents()
    before = outer.laid_out
    label.setText("loss 0.25")
    QApplication.processEvents()
    assert outer.laid_out == before
    assert label.text() == label.accessibleName() == "loss 0.25"
    label.clear()
    assert label.text() == label.accessibleName() == ""


def test_one_text_alone_is_elided(label):
    label.setText("one two three four")
    label.resize(label.fontMetrics().horizontalAdvance("one two th"), 20)
    assert label.shown_text().startswith("one") and label.shown_text().endswith("…")


def test_a_label_that_shows_all_or_nothing_shows_nothing_where_it_does_not_fit(qtbot):
    label = ElidedLabel("38 values, 26 operations", whole=True)
    qtbot.addWidget(label)
    label.resize(20, 20)
    assert label.shown_text() == ""
    label.resize(600, 20)
    assert label.shown_text() == label.text()


def test_lines_take_the_same_room_whatever_is_written_on_them(qtbot):
    label = LinesLabel(2)
    qtbot.addWidget(label)
    label.resize(120, 60)
    empty = label.sizeHint()
    label.setText("one two three four five six seven eight nine ten eleven twelve")
    assert label.sizeHint() == empty
    assert len(label.lines()) == 2 and label.lines()[-1].endswith("…")


def test_a_text_of_two_lines_is_shown_on_two(qtbot):
    label = LinesLabel(3)
    qtbot.addWidget(label)
    label.resize(600, 60)
    label.setText("one\ntwo")
    assert label.lines() == ["one", "two"]


@pytest.mark.parametrize("make", [ElidedLabel, lambda: LinesLabel(1)])
def test_a_click_on_a_text_that_is_cut_off_shows_all_of_it(qtbot, make):
    label = make()
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.setText("A sentence that has no room in this label")
    label.show()
    qtbot.mouseClick(label, Qt.MouseButton.LeftButton)
    assert label.text() in QToolTip.text()
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.mark.slow
@pytest.mark.parametrize("make", [ElidedLabel, lambda: LinesLabel(1)])
def test_a_text_that_is_cut_off_is_whole_in_the_tool_tip(qtbot, make):
    label = make()
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.setText("A sentence that has no room in this label")
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5))))
    assert label.text() in QToolTip.text()
    label.resize(900, 20)
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), label.mapToGlobal(QPoint(5, 5))))
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
