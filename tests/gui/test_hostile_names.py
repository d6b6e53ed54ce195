"""Names that a table, a session, a program, a lesson or a file gives are shown as they are: Qt takes a text with a tag
in it for HTML, and loads the pictures that it names from the disk.

The name is short, so its tag stays where it is shortened. Its tag is `<u>`: what was taken for HTML is underlined.
"""

from dataclasses import dataclass
from itertools import product

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractListModel, QAbstractTableModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QGraphicsTextItem,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QMenu,
    QMessageBox,
    QTabBar,
    QTextEdit,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from gui.command_palette.command_palette import CommandPalette
from gui.damaged_file import DamagedFileDialog
from gui.importing.import_dialog import ImportDialog
from gui.plots.plot import Plot
from gui.session.recent import recent_of
from gui.session.training_edits import rename_run
from gui.widgets.labels import ElidedLabel, PaintedLabel, literal_tip

NAME = "<u>x"
PROGRAM = f"""import matplotlib.pyplot as plt
note = '{NAME}'
a, b = Value(2.0, label='{NAME}'), Value(3.0)
c = a * b
c.backward()
plt.plot([1, 2], [1, 2], label='{NAME}')
plt.title('{NAME}'); plt.xlabel('{NAME}'); plt.ylabel('{NAME}'); plt.legend(); plt.show()
print('{NAME}')
"""
COLUMNS = tuple(f"{NAME} & {number}" for number in range(7))
MOST_ROWS, MOST_COLUMNS, MOST_DEPTH = 40, 8, 3
PLACES = [(across / 4, down / 4) for across, down in product(range(1, 4), repeat=2)]
"""Places in a widget of our own that are asked for a tooltip, as parts of its size."""
LESSON = f"""+++
format = 1
title = "`{NAME}` title"
summary = "`{NAME}` summary"
order = 1
minutes = 1
program = "a = 2.0\\nb = a*a"
+++
The gradient of `a` is {{a.grad}}.

## `{NAME}` step
Change it.
```goal
kind = "value"
node = "b"
is = 9.0
wrong = [{{ is = 6.0, says = "`{NAME}` is the sum." }}]
```
```hint
`{NAME}` hint
```
```solution
edit = {{ find = "2.0", replace = "3.0" }}
```
"""
"""A tag is allowed in code alone."""


def is_html(text):
    """True when Qt takes a text with the name for HTML, so that its tag is not seen."""
    return NAME[:3] in text and QtGui.Qt.mightBeRichText(text)


@dataclass(frozen=True)
class Seen:
    """Texts with the name, by where they are.

    Attributes:
        wrong: those that Qt takes for HTML.
        places: kinds of all places in which the name is.
    """

    wrong: set[tuple[str, str]]
    places: set[str]

    def look(self, where, text):
        if "<u" in text or "&lt;u" in text:
            self.places.add(where)
        if is_html(text):
            self.wrong.add((where, text))

    def look_at_document(self, where, document):
        """Look at a text that may be HTML by intention: the name is underlined where its tag was taken for one."""
        block = document.begin()
        while block.isValid():
            for each in block:
                fragment = each.fragment()
                form = fragment.charFormat()
                if form.fontUnderline() and not form.isAnchor():
                    self.wrong.add((where, fragment.text()))
            block = block.next()
        if NAME in document.toPlainText():
            self.places.add(where)

    def look_at_model(self, where, model, parent, depth=0):
        rows = model.rowCount(parent)
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
        for row, column in product(range(min(rows, MOST_ROWS)), range(min(columns, MOST_COLUMNS))):
            index = model.index(row, column, parent)
            self.look(f"tip of a row of {where}", str(index.data(Qt.ItemDataRole.ToolTipRole) or ""))
            if NAME in str(index.data() or ""):
                self.places.add(f"row of {where}")
            if column == 0 and depth < MOST_DEPTH and not isinstance(model, QAbstractListModel | QAbstractTableModel):
                self.look_at_model(where, model, index, depth + 1)

    def look_at_widget(self, widget):
        kind = type(widget).__name__
        self.look(f"help of {kind}", widget.whatsThis())
        if not isinstance(widget, PaintedLabel):  # which shows its tip as it is written; see `ask_for_tips`
            self.look(f"tip of {kind}", widget.toolTip())
        if isinstance(widget, QLabel):
            if widget.textFormat() != Qt.TextFormat.PlainText:
                self.look(f"text of {kind}", widget.text())
            elif NAME in widget.text():
                self.places.add(f"text of {kind}")
        if isinstance(widget, QTextEdit):
            self.look_at_document(f"text of {kind}", widget.document())
        if isinstance(widget, QGraphicsView) and widget.scene() is not None:
            for item in widget.scene().items():
                self.look(f"tip of an item of {kind}", item.toolTip())
                if isinstance(item, QGraphicsTextItem):
                    self.look_at_document(f"text in {kind}", item.document())
        if isinstance(widget, QTabBar):
            for index in range(widget.count()):
                self.look(f"tip of a tab of {kind}", widget.tabToolTip(index))
        if isinstance(widget, QHeaderView) and widget.model() is not None:
            for section in range(min(widget.count(), MOST_ROWS)):
                tip = widget.model().headerData(section, widget.orientation(), Qt.ItemDataRole.ToolTipRole)
                self.look(f"header of {type(widget.parent()).__name__}", str(tip or ""))
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            self.look_at_model(type(widget.parent()).__name__ + "." + kind, widget.model(), QModelIndex())
        if isinstance(widget, QComboBox):
            self.look_at_model(f"choices of {kind}", widget.model(), QModelIndex())

    def ask_for_tips(self, widget):
        """Point at some places of a visible widget, and look at the tooltips that it makes."""
        target = widget.viewport() if hasattr(widget, "viewport") else widget
        places = [QPoint(int(target.width() * x), int(target.height() * y)) for x, y in PLACES]
        is_small = target.width() < 40 or target.height() < 40
        for place in [target.rect().center()] if is_small else places:
            QToolTip.hideText()
            QApplication.sendEvent(target, QHelpEvent(QEvent.Type.ToolTip, place, target.mapToGlobal(place)))
            self.look(f"tip asked of {type(widget).__name__}", QToolTip.text())
        QToolTip.hideText()

    def look_at_all(self, window):
        """Look at every text of the window, of its dialogs and menus, and of their entries."""
        for menu in window.findChildren(QMenu):
            for action in menu.actions():
                if NAME in action.text():
                    self.places.add("entry of a menu")
        for action in window.findChildren(QAction):
            tip_is_shown = any(not isinstance(each, QMenu) or each.toolTipsVisible() for each in shown_by(action))
            if tip_is_shown:
                self.look("tip of an action", action.toolTip())
            self.look("help of an action", action.whatsThis())
        self.look_at(QApplication.allWidgets())
        return self

    def look_at(self, widgets):
        widgets = [each for each in widgets if isinstance(each, QWidget)]  # Qt lists what is being deleted, too
        for widget in widgets:
            self.look_at_widget(widget)
        for widget in widgets:  # a tooltip that is asked for may remove others
            if isValid(widget) and widget.isVisible() and not widget.visibleRegion().isEmpty():
                self.ask_for_tips(widget)


def shown_by(action):
    """Return the widgets that show an action."""
    return [each for each in action.associatedObjects() if isinstance(each, QWidget)]


def look(window):
    return Seen(set(), set()).look_at_all(window)


def show_all(window, qtbot):
    """Look at each panel while it is in front, then at everything."""
    seen = Seen(set(), set())
    for name, dock in window.docks.items():
        window.show_panel(name)
        qtbot.wait(1)
        seen.look_at([dock, *dock.findChildren(QWidget)])
    return seen.look_at_all(window)


@pytest.fixture
def hostile_table(reused_window, qtbot, tmp_path):
    """The window with a table whose columns and classes have the name, and a run that has it."""
    window, path = reused_window, tmp_path / f"{NAME}.csv"
    rows = [",".join([*(str(x % (3 + each)) for each in range(len(COLUMNS))), f"{NAME}{x % 2}"]) for x in range(30)]
    path.write_text("\n".join([",".join([*COLUMNS, "class"]), *rows]), encoding="utf-8")
    window.show_workspace("train")
    window.files.open_path(path)
    qtbot.waitUntil(lambda: any(dialog.import_button.isEnabled() for dialog in window.findChildren(ImportDialog)))
    seen = look(window)
    assert not seen.wrong and {"row of ImportDialog.QTableView", "header of QTableView"} <= seen.places
    window.findChild(ImportDialog).import_button.click()
    qtbot.waitUntil(lambda: window.session.data.raw.feature_names == COLUMNS)
    window.session.train("step")
    qtbot.waitUntil(lambda: window.session.newest is not None)
    rename_run(window.session, window.session.runs.all[-1], NAME)
    return window


@pytest.mark.long
def test_names_that_a_program_gives_are_never_taken_for_html(reused_window, qtbot):
    window = reused_window
    window.session.edit("program", expression={"text": PROGRAM})
    qtbot.waitUntil(lambda: not window.session.program.busy and not window.session.presenter.busy)
    assert window.session.program.plots and NAME in window.session.program.printed.lines[0].text
    assert not show_all(window, qtbot).wrong
    window.session.select(next(iter(window.session.presenter.readings)))
    assert not look(window).wrong
    window.session.edit("program", expression={"text": f"raise ValueError('{NAME}')"})
    qtbot.waitUntil(lambda: window.session.error is not None)
    window.show_panel("ExpressionPanel")
    assert NAME in window.docks["ExpressionPanel"].panel.message.text()
    assert not look(window).wrong


@pytest.mark.long
def test_names_of_columns_and_classes_are_never_taken_for_html(hostile_table, qtbot):
    seen = show_all(hostile_table, qtbot)
    assert not seen.wrong
    assert {"row of PredictionsPanel.SortedView", "tip of a row of QWidget._RunsList", "tip of Plot"} <= seen.places


@pytest.mark.long
def test_names_in_a_session_and_of_its_file_are_never_taken_for_html(hostile_table, qtbot, tmp_path):
    window, path = hostile_table, tmp_path / f"{NAME}.gradstep"
    window.session.edit("program", expression={"text": PROGRAM})
    assert window.session.save(path)
    text = path.read_text(encoding="utf-8")
    window.session.discard_changes()
    window.files.new()
    qtbot.waitUntil(lambda: window.session.path is None)
    window.files.open_path(path)
    qtbot.waitUntil(lambda: window.session.path == path and not window.session.program.busy)
    assert window.session.data.raw.feature_names == COLUMNS and window.session.runs.all[-1].name == NAME
    seen = show_all(window, qtbot)
    assert not seen.wrong
    damaged = tmp_path / f"{NAME} damaged.gradstep"
    damaged.write_text(text.replace('"layer_sizes"', f'"{NAME}"'), encoding="utf-8")
    assert not seen_in(window, qtbot, lambda: window.files.open_path(damaged), DamagedFileDialog).wrong
    window.files.open_path(tmp_path / f"{NAME} missing.gradstep")
    qtbot.waitUntil(lambda: not window.files.reading.busy)
    assert NAME in window.message.message and not look(window).wrong
    assert not seen_in(window, qtbot, window.show_code, QDialog).wrong
    path.unlink()
    window.session.edit("program", expression={"text": f"{PROGRAM}d = 1.0"})
    seen = seen_in(window, qtbot, window.files.new, QMessageBox)  # which names the file, as it has gone
    assert not seen.wrong and "text of QLabel" in seen.places


def seen_in(window, qtbot, ask, kind):
    """Look at everything while a dialog is open, then close it."""
    ask()
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(kind)))
    seen = look(window)
    for dialog in window.findChildren(kind):
        dialog.reject()
    return seen


@pytest.mark.long
def test_names_of_recent_files_are_never_taken_for_html(reused_window, qtbot, tmp_path):
    window, path = reused_window, tmp_path / f"{NAME}.gradstep"
    recent = recent_of(window.session)
    recent.use(tmp_path / "recent_files.json")
    recent.note(path)
    menus = [each for each in window.findChildren(QMenu) if each.toolTipsVisible()]
    for menu in menus:
        menu.aboutToShow.emit()
    qtbot.waitUntil(lambda: bool(recent.reasons))  # the file is missing
    for menu in menus:
        menu.aboutToShow.emit()
    seen = show_all(window, qtbot)
    assert not seen.wrong and "entry of a menu" in seen.places and "tip of an action" in seen.places
    recent.clear()


@pytest.mark.long
def test_the_title_of_a_lesson_is_never_taken_for_html(reused_window, qtbot, tmp_path):
    window, folder = reused_window, tmp_path / NAME
    folder.mkdir()
    (folder / "own.md").write_text(LESSON, encoding="utf-8")
    (folder / f"{NAME}.md").write_text(LESSON.replace("`", ""), encoding="utf-8")
    window.session.lessons_folder = tmp_path / "progress"
    window.course.set_folders([folder])
    window.course.finish_reading()
    assert window.course.errors and NAME in window.course.lessons[0].title
    assert not show_all(window, qtbot).wrong
    window.show_workspace("welcome")
    assert not look(window).wrong
    palette = open_palette(window)
    palette.field.setText("title")
    seen = look(window)
    assert not seen.wrong
    palette.close()
    assert window.course.open(window.course.lessons[0].name)
    window.course.show_hint()
    window.session.edit("wrong", expression={"text": "a = 2.0\nb = a*3"})
    qtbot.waitUntil(lambda: not window.session.program.busy)
    window.course.check()
    seen = show_all(window, qtbot)
    assert not seen.wrong
    window.leave_lesson()
    window.course.set_folders([])


def open_palette(window):
    window.show_command_palette()
    return next(each for each in window.findChildren(CommandPalette) if each.isVisible())


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
