"""The dialog of an import: how a file is written, which of its columns are used, and what would come of it.

Everything it shows is one `ImportPreview`, made in a thread from one `ImportChoices`; the controls change the choices
and ask for another preview. It says nothing of its own about a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from datasets import Dataset, ImportChoices, ImportPreview, Table, TableFormat, TableImport
from engine.autograd.notation import counted
from gui.background import Job, once
from gui.file_dialogs import FileDialog
from gui.importing.import_tables import ClassModel, ColumnModel, TableModel, made_view, number_text
from gui.theme import Colors, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets

TITLE = "Import data"
OPENED = "Tables (*.csv *.tsv *.tab *.dat *.data *.txt);;All files (*)"
WIDTH, HEIGHT = 820, 620  # pixels
WIDEST_COLUMN, TICK_ROOM = 220, 10  # pixels
SIZED_ROWS, SIZED_COLUMNS = 30, 25
"""Cells that the widths of columns are measured with: those of the first rows, in the columns that a window shows."""
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "blank"}
DECIMAL_NAMES = {".": "point", ",": "comma"}
HEADER_NAMES = {True: "names", False: "data"}
ENCODING_NAMES = {"utf-8": "UTF-8", "latin-1": "Latin-1"}
TASK_NAMES = {"classification": "classes", "regression": "numbers"}
TEXTS = {
    "reading": "Reading {name} …",
    "size": "{name}: {rows}, {columns}",
    "recognised": "{what} (recognised)",
    "recognise": "recognise it",
    "leave out": "Leave &out {rows} of {n:,}: a cell is missing or not a number",
    "nothing to leave out": "Leave out rows with a cell that is missing or not a number: there are none",
    "scale": "&Standardise the inputs",
    "scaled one-hot": "Inputs of 0 or 1 become two other numbers, too, so that their mean is 0 and their standard "
    "deviation 1.",
    "scale tip": "Every input is shifted and stretched to mean 0 and standard deviation 1; the Data panel says so",
    "range": "Numbers from {low} to {high}, predicted as they are.",
    "ready": "{rows} with {inputs} would be imported.",
    "all": "A&ll",
    "none": "&None",
    "all tip": "Every column of numbers is an input. A column of text can be ticked by itself: it becomes an input for "
    "each of its different texts, 20 at most",
    "none tip": "No column is an input. Tick the columns to use; Space ticks all selected ones.",
}
"""Sentences and captions of the dialog, except the tooltips of its fields."""
FIELD_TIPS = {
    "delimiter": "The character between the cells of a row",
    "decimal": "The character before the decimals of a number: point as in 1.5, comma as in 1,5",
    "header": "The first row: names of the columns, or data",
    "encoding": "The encoding of the file's letters; older programs write Latin-1",
    "target": "The column that the network is to predict",
    "task": "Classes: each different entry is a class, ten at most. Numbers: predicted as they are",
}


class ImportDialog(QDialog):
    """Dialog for the use of a file's columns; deletes itself when closed.

    Attributes:
        preview: result of the present choices; None while it is computed.
    """

    def __init__(
        self,
        parent: QWidget,
        path: Path,
        colors: Colors,
        use: Callable[[ImportPreview, bool], bool],
        check: Callable[[Dataset], None] = lambda dataset: None,
    ) -> None:
        """Begins to read a file.

        Args:
            parent: the window.
            path: of the file.
            colors: of the theme.
            use: puts a preview's dataset into the document, its inputs scaled or not; returns False when refused.
            check: raises ValueError for a dataset that could not be used; called in a thread.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(TITLE)
        self.preview: ImportPreview | None = None
        self._choices, self._use, self._check = ImportChoices(), use, check
        self.job = Job("importing", self)
        self.job.delivered.connect(self._take)
        self.job.failed.connect(lambda _token, error: self._fail(str(error)))
        self._make_fields()
        self._make_lists(colors)
        self._lay_out()
        room = self.screen().availableGeometry().size()
        self.resize(min(text_pixels(WIDTH), room.width() - 40), min(text_pixels(HEIGHT), room.height() - 60))
        self.row_view.setFocus()
        self.open_path(path)

    def _make_fields(self) -> None:
        self.delimiter, self.decimal, self.header = QComboBox(), QComboBox(), QComboBox()
        self.encoding, self.target, self.task = QComboBox(), QComboBox(), QComboBox()
        for name, tip in FIELD_TIPS.items():
            box: QComboBox = getattr(self, name)
            box.setAccessibleName(name)
            box.setToolTip(tip)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(8)
        for value, text in ENCODING_NAMES.items():
            self.encoding.addItem(text, value)
        for value, text in TASK_NAMES.items():
            self.task.addItem(text, value)
        for box in (self.delimiter, self.decimal, self.header, self.encoding):
            box.activated.connect(lambda _index: self._choose_form())
        self.target.activated.connect(lambda _index: self._ask(self._choices.with_target(self.target.currentData())))
        self.task.activated.connect(lambda _index: self._choose(task=self.task.currentData()))
        self.skip = QCheckBox()
        self.skip.clicked.connect(lambda ticked: self._choose(skip_bad_rows=ticked))
        self.scaling = QCheckBox(TEXTS["scale"])
        self.scaling.setToolTip(TEXTS["scale tip"])
        self.scaling.clicked.connect(self._follow_scaling)

    def _make_lists(self, colors: Colors) -> None:
        self.rows, self.columns, self.classes = TableModel(colors), ColumnModel(), ClassModel(colors)
        self.columns.chosen.connect(lambda inputs: self._choose(inputs=inputs))
        self.row_view, self.column_view, self.class_view = (
            made_view(model, name)
            for model, name in ((self.rows, "rows"), (self.columns, "columns"), (self.classes, "classes"))
        )
        self.row_view.horizontalHeader().setMaximumSectionSize(text_pixels(WIDEST_COLUMN))
        for view in (self.row_view, self.column_view, self.class_view):
            view.horizontalHeader().setResizeContentsPrecision(SIZED_ROWS)
        for view in (self.column_view, self.class_view):
            view.verticalHeader().hide()
        self.column_view.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.class_view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def _lay_out(self) -> None:
        self.file = ElidedLabel()
        self.other = _button("Other fil&e…", self.choose_file)
        top = add_widgets(QHBoxLayout(), self.file, 1, self.other)
        self.problem, self.notes, self.range = QLabel(wordWrap=True), muted_label(wrap=True), muted_label(wrap=True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setProperty("error", True)
        self.latin_1 = _button(
            "&Read as Latin-1", lambda: self._ask(self._choices.with_form(self._choices.form, "latin-1"))
        )
        middle = QGridLayout()
        middle.addLayout(add_widgets(QVBoxLayout(), self.column_view, 1, self._make_all_row(), spacing=4), 0, 0, 2, 1)
        goal = QGridLayout()
        for column, (text, box) in enumerate((("&Target", self.target), ("Predict &as", self.task))):
            goal.addLayout(_captioned(text, box), 0, column)
        middle.addLayout(goal, 0, 1)
        under = add_widgets(QVBoxLayout(), self.range, self.class_view, 1)
        under.addStretch(0)
        middle.addLayout(under, 1, 1)
        middle.setColumnStretch(0, 3)
        middle.setColumnStretch(1, 2)
        said = add_widgets(QHBoxLayout(), self.problem, 1, self.latin_1)
        ticks = add_widgets(QHBoxLayout(), self.skip, self.scaling)
        ticks.addStretch(1)
        add_widgets(
            QVBoxLayout(self), top, self._form_row(), self.row_view, 2, middle, 3, ticks, said, self.notes,
            self._make_buttons(), spacing=8,
        )  # fmt: skip

    def _make_all_row(self) -> QHBoxLayout:
        self.all_columns = _button(TEXTS["all"], lambda: self.columns.tick_all(True), TEXTS["all tip"])
        self.no_column = _button(TEXTS["none"], lambda: self.columns.tick_all(False), TEXTS["none tip"])
        row = add_widgets(QHBoxLayout(), self.all_columns, self.no_column)
        row.addStretch(1)
        return row

    def _form_row(self) -> QHBoxLayout:
        fields = {
            "&Between cells": self.delimiter,
            "&Decimal mark": self.decimal,
            "&First row": self.header,
            "En&coding": self.encoding,
        }
        row = QHBoxLayout()
        for text, box in fields.items():
            row.addLayout(_captioned(text, box), 1)
        return row

    def _make_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        cancel = buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setAutoDefault(False)
        cancel.setIcon(QIcon())  # the others have none
        self.import_button = buttons.addButton("&Import", QDialogButtonBox.ButtonRole.AcceptRole)
        self.import_button.setDefault(True)
        self.import_button.setProperty("primary", True)
        buttons.accepted.connect(self._finish)
        buttons.rejected.connect(self.reject)
        return buttons

    # Choices

    def choose_file(self) -> None:
        """Ask for another file."""
        dialog = FileDialog(self, TITLE, OPENED, self._import.path.parent)
        dialog.fileSelected.connect(lambda name: self.open_path(Path(name)))
        dialog.open()

    def open_path(self, path: Path) -> None:
        """Shows another file, everything as it seems."""
        self._import, self._is_scaling_chosen = TableImport(path, self._check), False
        self._ask(ImportChoices())

    def _choose(self, **changes: Any) -> None:
        self._ask(replace(self._choices, **changes))

    def _choose_form(self) -> None:
        header = self.header.currentData()
        form = TableFormat(self.delimiter.currentData(), self.decimal.currentData(), header)
        self._ask(self._choices.with_form(form, self.encoding.currentData()))

    def _ask(self, choices: ImportChoices) -> None:
        """Request a preview; importing is disabled until it is there."""
        self._choices, self.preview = choices, None
        self.import_button.setEnabled(False)
        self.problem.setText("")
        self.latin_1.hide()
        self.notes.setText(TEXTS["reading"].format(name=self._import.path.name))
        asked = self._import
        self.job.start(choices, once(lambda: asked.preview(choices)))

    def _take(self, _choices: ImportChoices, preview: ImportPreview) -> None:
        self.preview = preview
        self._show(preview)

    def _fail(self, reason: str) -> None:
        """Show an unexpected error."""
        self._show(ImportPreview(self._import.path.name, self._choices, problem=reason))

    # Preview

    def _show(self, preview: ImportPreview) -> None:
        table = preview.table
        self._show_size(preview)
        self._show_form(preview.choices, table)
        self._show_goal(preview.choices, table)
        for model in (self.rows, self.columns, self.classes):
            model.show_preview(preview)
        for column in range(min(self.rows.columnCount(), SIZED_COLUMNS)):
            self.row_view.resizeColumnToContents(column)
        for view in (self.column_view, self.class_view):
            view.resizeColumnToContents(2)
        self.column_view.resizeColumnToContents(0)
        self.column_view.setColumnWidth(0, self.column_view.columnWidth(0) + text_pixels(TICK_ROOM))
        self.class_view.setVisible(bool(preview.classes))
        self._show_range(preview)
        self._show_skip(preview)
        self.problem.setText(preview.problem)
        self.problem.setVisible(bool(preview.problem))
        self.latin_1.setVisible(preview.try_latin_1)
        self._show_notes(preview)
        self.import_button.setEnabled(preview.dataset is not None)
        if preview.bad_cell is not None and preview.problem:
            self.row_view.scrollTo(self.rows.index(*preview.bad_cell))

    def _show_size(self, preview: ImportPreview) -> None:
        table, text = preview.table, preview.name
        if table is not None:
            rows, columns = counted(table.n_rows, "row"), counted(len(table.columns), "column")
            text = TEXTS["size"].format(name=preview.name, rows=rows, columns=columns)
        self.file.setText(text)
        self.file.setToolTip(str(self._import.path))

    def _show_form(self, choices: ImportChoices, table: Table | None) -> None:
        """Show the detected form first; it stays selected until the user chooses another."""
        form = choices.form
        found = (None, None, None) if table is None else (table.delimiter, table.decimal, table.has_header)
        boxes = (self.delimiter, self.decimal, self.header)
        chosen = (form.delimiter, form.decimal, form.has_header)
        kinds: tuple[dict[Any, str], ...] = (DELIMITER_NAMES, DECIMAL_NAMES, HEADER_NAMES)
        for box, names, seen, wanted in zip(boxes, kinds, found, chosen, strict=True):
            box.clear()
            if wanted is None:
                box.addItem("" if seen is None else TEXTS["recognised"].format(what=names[seen]), None)
            else:
                box.addItem(TEXTS["recognise"], None)
            for value, text in names.items():
                box.addItem(text, value)
            box.setCurrentIndex(box.findData(wanted))
        self.encoding.setCurrentIndex(self.encoding.findData(choices.encoding))

    def _show_goal(self, choices: ImportChoices, table: Table | None) -> None:
        self.target.clear()
        for column in () if table is None else table.columns:
            self.target.addItem(column.name, column.name)
        self.target.setCurrentIndex(self.target.findData(choices.target))
        self.task.setCurrentIndex(self.task.findData(choices.task))
        for widget in (self.target, self.task, self.column_view, self.row_view):
            widget.setEnabled(table is not None)

    def _show_range(self, preview: ImportPreview) -> None:
        data, text = preview.dataset, ""
        if data is not None and not data.n_classes:
            text = TEXTS["range"].format(low=number_text(data.y.min()), high=number_text(data.y.max()))
        self.range.setText(text)
        self.range.setVisible(bool(text))

    def _show_notes(self, preview: ImportPreview) -> None:
        notes = list(preview.notes) if preview.problem else [_ready(preview), *preview.notes]
        if preview.dataset is not None and preview.dataset.categories and self.scaling.isChecked():
            notes.append(TEXTS["scaled one-hot"])
        self.notes.setText("\n".join(notes))

    def _follow_scaling(self) -> None:
        self._is_scaling_chosen = True
        if self.preview is not None:
            self._show_notes(self.preview)

    def _show_skip(self, preview: ImportPreview) -> None:
        n_bad, table = preview.n_bad_rows, preview.table
        text = TEXTS["nothing to leave out"]
        if n_bad and table is not None:
            text = TEXTS["leave out"].format(rows=counted(n_bad, "row"), n=table.n_rows)
        self.skip.setText(text)
        self.skip.setVisible(table is not None)
        self.scaling.setVisible(table is not None)
        if not self._is_scaling_chosen:
            self.scaling.setChecked(bool(preview.scaling_advice))
        self.skip.setEnabled(bool(n_bad))
        self.skip.setChecked(bool(n_bad) and preview.choices.skip_bad_rows)

    # The end

    def _finish(self) -> None:
        if (
            self.preview is not None
            and self.preview.dataset is not None
            and self._use(self.preview, self.scaling.isChecked())
        ):
            self.accept()

    def done(self, result: int) -> None:
        """Stops reading."""
        self.job.cancel()
        super().done(result)


def _ready(preview: ImportPreview) -> str:
    data = preview.dataset
    assert data is not None
    return TEXTS["ready"].format(rows=counted(data.n_samples, "row"), inputs=counted(data.n_features, "input"))


def _button(text: str, do: Callable[[], object], tip: str = "") -> QPushButton:
    """A button that Return in a field does not press."""
    button = push_button(text, tip, do)
    button.setAutoDefault(False)
    return button


def _captioned(text: str, box: QWidget) -> QVBoxLayout:
    """A field under its caption, whose letter leads to it."""
    caption = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    caption.setProperty("muted", True)
    caption.setBuddy(box)
    return add_widgets(QVBoxLayout(), caption, box, spacing=2)
