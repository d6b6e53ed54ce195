"""Names that a table, a session or a program gives are shown as they are: Qt takes a text with a tag in it for HTML,
and loads the pictures that it names from the disk.
"""

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QGraphicsTextItem,
    QGraphicsView,
    QLabel,
    QTextEdit,
    QToolTip,
)

from gui.importing.import_dialog import ImportDialog
from gui.plots.plot import Plot
from gui.widgets.labels import ElidedLabel, PaintedLabel, literal_tip

NAME = "<img src=/nowhere/picture.png>"
PROGRAM = f"""import matplotlib.pyplot as plt
a, b = Value(2.0, label='{NAME}'), Value(3.0)
c = a * b
c.backward()
plt.plot([1, 2], [1, 2], label='{NAME}')
plt.title('{NAME}'); plt.xlabel('{NAME}'); plt.ylabel('{NAME}'); plt.legend(); plt.show()
print('{NAME}')
"""
COLUMNS = tuple(f"{NAME} & {number}" for number in range(2))


def as_html(window):
    """Texts with the name that Qt would take for HTML: labels, tooltips, rows of lists and tables, parts of plots."""
    found = set()

    def look(where, text):
        if NAME in text and QtGui.Qt.mightBeRichText(text):
            found.add((where, text))

    for widget in [*QApplication.allWidgets()]:
        kind = type(widget).__name__
        if not isinstance(widget, PaintedLabel):  # which shows its tip as it is written
            look(f"tip of {kind}", widget.toolTip())
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            look(f"text of {kind}", widget.text())
        if isinstance(widget, QTextEdit) and "<img" in widget.toHtml():
            found.add((kind, widget.toHtml()))
        if isinstance(widget, QGraphicsView) and widget.scene() is not None:
            texts = [item for item in widget.scene().items() if isinstance(item, QGraphicsTextItem)]
            found |= {(kind, text.toHtml()) for text in texts if "<img" in text.toHtml()}
        if (
            isinstance(widget, QAbstractItemView)
            and (model := widget.model()) is not None
            and window.isAncestorOf(widget)
        ):
            places = [model.index(row, column) for row in range(min(model.rowCount(), 9)) for column in range(3)]
            for place in filter(lambda each: each.isValid(), places):
                look(f"row of {kind}", str(place.data(Qt.ItemDataRole.ToolTipRole) or ""))
    return found


def show_all(window, qtbot):
    found = set()
    for name in window.docks:
        window.show_panel(name)
        qtbot.wait(1)
        found |= as_html(window)
    return found


@pytest.mark.long
def test_names_that_a_program_gives_are_never_taken_for_html(reused_window, qtbot):
    window = reused_window
    window.session.edit("program", expression={"text": PROGRAM})
    qtbot.waitUntil(lambda: not window.session.program.busy and not window.session.presenter.busy)
    assert window.session.program.plots and NAME in window.session.program.printed.lines[0].text
    assert not show_all(window, qtbot)
    window.session.select(next(iter(window.session.presenter.readings)))
    assert not as_html(window)
    window.session.edit("program", expression={"text": f"raise ValueError('{NAME}')"})
    qtbot.waitUntil(lambda: window.session.error is not None)
    window.show_panel("ExpressionPanel")
    assert NAME in window.docks["ExpressionPanel"].panel.message.text()
    assert not as_html(window)


@pytest.mark.long
def test_names_of_columns_and_classes_are_never_taken_for_html(reused_window, qtbot, tmp_path):
    window, path = reused_window, tmp_path / "table.csv"
    rows = [f"{x},{x % 3},{NAME}{x % 2}" for x in range(30)]
    path.write_text("\n".join([",".join([*COLUMNS, "class"]), *rows]), encoding="utf-8")
    window.show_workspace("train")
    window.files.open_path(path)
    qtbot.waitUntil(lambda: any(dialog.import_button.isEnabled() for dialog in window.findChildren(ImportDialog)))
    window.findChild(ImportDialog).import_button.click()
    qtbot.waitUntil(lambda: window.session.data.raw.feature_names == COLUMNS)
    window.session.train("step")
    qtbot.waitUntil(lambda: window.session.newest is not None)
    assert not show_all(window, qtbot)


def test_the_name_of_an_axis_is_written_as_it_is(qtbot):
    plot = Plot("a plot")
    qtbot.addWidget(plot)
    plot.setLabel("bottom", NAME)
    assert plot.axes["bottom"].label.toPlainText().strip() == NAME


def test_the_tooltip_of_a_label_is_shown_as_it_is(qtbot):
    label = ElidedLabel("a label")
    qtbot.addWidget(label)
    label.setToolTip(NAME)
    label.show()
    place = label.rect().center()
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, place, label.mapToGlobal(place)))
    assert QToolTip.text() == literal_tip(NAME)
    QToolTip.hideText()


@pytest.mark.parametrize("text", ["plain", "two\nlines", "1 < 2"])
def test_a_tooltip_without_a_tag_stays_as_it_is(text):
    assert literal_tip(text) == text


def test_a_tooltip_with_a_tag_shows_the_tag():
    assert literal_tip("<b>x</b>\ny") == "<qt>&lt;b&gt;x&lt;/b&gt;<br>y</qt>"
