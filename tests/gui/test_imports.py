"""A file with a table is chosen, dropped or opened, looked at, and becomes the document's data (bad_inputs, F)."""

import gc
import os
import socket
import weakref
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from datasets import table_text
from engine.session_file import from_json, to_json
from gui.background import join_stopped
from gui.importing.import_dialog import ImportDialog
from gui.importing.imports import TableImports
from gui.panels.planes.boundary import BoundaryPanel
from gui.theme import LIGHT, set_text_size
from tests.gui.test_file_drops import drop, files

SELECT_ROWS = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
PLAIN = "x1,x2,label\n1,2,0\n3,4,1\n5,6,1\n"


@pytest.fixture
def asked(session, qtbot, tmp_path):
    """Opens a file with some content, or one that is there, and waits for what the dialog says."""
    parent = QWidget()
    imports = TableImports(parent, session, lambda: LIGHT)

    def ask(content, name="mine.csv"):
        path = content
        if not isinstance(content, Path):
            path = tmp_path / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        imports.open_path(path)
        return answered(open_dialog(parent), qtbot)

    yield ask
    closed(parent, qtbot)
    imports.stop()
    join_stopped()
    parent.deleteLater()


def test_a_closed_dialog_and_its_file_are_freed(session, qtbot, tmp_path):
    parent, path = QWidget(), tmp_path / "mine.csv"
    path.write_text(PLAIN, encoding="utf-8")
    imports = TableImports(parent, session, lambda: LIGHT)
    imports.open_path(path)
    dialog = answered(open_dialog(parent), qtbot)
    alive = [weakref.ref(dialog), weakref.ref(dialog.preview)]
    del dialog
    closed(parent, qtbot)
    join_stopped()
    gc.collect()
    assert [each() for each in alive] == [None, None]


def open_dialog(parent):
    return next(dialog for dialog in parent.findChildren(ImportDialog) if dialog.isVisible())


def closed(parent, qtbot):
    for dialog in parent.findChildren(ImportDialog):
        dialog.reject()
    qtbot.waitUntil(lambda: parent.findChild(ImportDialog) is None)


def answered(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.preview is not None)
    return dialog


def choose(dialog, qtbot, field, value):
    box = getattr(dialog, field)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())
    return answered(dialog, qtbot)


def text_of(model):
    return [
        [model.data(model.index(row, column)) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


@pytest.mark.slow
def test_a_dropped_table_is_shown_chosen_from_and_imported_and_undo_brings_the_old_data_back(session, asked):
    before = session.document
    dialog = asked(PLAIN)
    assert dialog.file.text() == "mine.csv: 3 rows, 3 columns"
    assert text_of(dialog.rows) == [["1", "2", "0"], ["3", "4", "1"], ["5", "6", "1"]]
    assert [dialog.delimiter.currentText(), dialog.decimal.currentText(), dialog.header.currentText()] == [
        "comma (recognised)",
        "point (recognised)",
        "names (recognised)",
    ]
    dialog.import_button.click()
    assert session.document.data.source == "table"
    assert session.dataset.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert session.dataset.y.tolist() == [0, 1, 1]
    assert session.undo_stack.undo_label == "import of mine.csv"
    session.undo_stack.undo_edit()
    assert session.document.data == before.data


@pytest.mark.parametrize("percent", [100, 150])
def test_the_list_of_columns_has_room_for_three_rows_and_more(asked, percent):
    try:
        set_text_size(percent)
        view = asked("a,b,c,d,e,kind\n" + "1,2,3,4,5,x\n6,7,8,9,10,y\n" * 5).column_view
        assert view.viewport().height() >= 3 * view.rowHeight(0)
    finally:
        set_text_size(100)


@pytest.mark.slow
def test_what_is_imported_comes_back_from_the_session_file(session, asked):
    asked("size;price\n1,5;10\n2,5;20,5\n").import_button.click()
    again = from_json(to_json(session.document))
    assert again.data == session.document.data
    assert session.dataset.y.tolist() == [10.0, 20.5]
    assert session.dataset.task == "regression"


@pytest.mark.slow
def test_columns_target_and_task_are_chosen(session, asked, qtbot):
    dialog = asked("a,b,c,kind\n1,2,0,yes\n3,4,1,no\n5,6,1,no\n")
    assert text_of(dialog.classes) == [["no", "0", "2"], ["yes", "1", "1"]]
    dialog.columns.setData(dialog.columns.index(1, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    answered(dialog, qtbot)
    dialog.import_button.click()
    assert session.dataset.X.tolist() == [[1, 0], [3, 1], [5, 1]]
    assert session.dataset.feature_names == ("a", "c")
    dialog = choose(asked("a,b,c\n1,2,0\n3,4,1\n5,6,2\n"), qtbot, "target", "a")
    assert dialog.task.currentData() == "classification"
    choose(dialog, qtbot, "task", "regression").import_button.click()
    assert session.dataset.y.tolist() == [1.0, 3.0, 5.0]
    assert session.dataset.feature_names == ("b", "c")


@pytest.mark.slow
def test_labels_of_numbers_keep_their_numbers(session, asked):
    asked("a,label\n1,-1\n2,1\n3,-1\n").import_button.click()
    assert session.dataset.y.tolist() == [-1, 1, -1]
    rows = "".join(f"{n},{label}\n" for n, label in enumerate([10, 2, 1, 2]))
    asked("a,label\n" + rows).import_button.click()
    assert session.dataset.class_names == ("1", "2", "10")
    assert session.dataset.y.tolist() == [2, 1, 0, 1]


@pytest.mark.slow
def test_rows_with_missing_values_are_left_out_when_the_user_says_so(session, asked, qtbot):
    dialog = asked("a,b,label\n1,2,0\n3,,1\nNA,4,0\n5,6,1\n")
    assert dialog.problem.text() == "row 3, column 'b': the cell is empty"
    assert not dialog.import_button.isEnabled()
    assert dialog.skip.text() == "Leave &out 2 rows of 4: a cell is missing or not a number"
    dialog.skip.click()
    answered(dialog, qtbot).import_button.click()
    assert session.dataset.X.tolist() == [[1, 2], [5, 6]]


@pytest.mark.slow
def test_what_was_recognised_can_be_changed(session, asked, qtbot):
    dialog = choose(asked("1;2\n3;4\n"), qtbot, "header", True)
    assert [column.name for column in dialog.preview.table.columns] == ["column 1", "column 2"]
    dialog = choose(dialog, qtbot, "delimiter", ",")
    assert len(dialog.preview.table.columns) == 1
    dialog = choose(dialog, qtbot, "delimiter", None)
    assert len(dialog.preview.table.columns) == 2


@pytest.mark.slow
def test_latin_1_is_offered_with_one_click(session, asked, qtbot):
    dialog = asked("a,label\n1,café\n2,thé\n".encode("latin-1"))
    assert "not UTF-8 text" in dialog.problem.text()
    dialog.latin_1.click()
    answered(dialog, qtbot)
    assert [row[0] for row in text_of(dialog.classes)] == ["café", "thé"]
    assert dialog.encoding.currentData() == "latin-1"


REFUSED = {
    "F001": (b"", "the file is empty"),
    "F002": ("x1,x2,label\n", "there are no rows below the header"),
    "F007": ("a,b,label\n1,,0\n1,2,1\n", "row 2, column 'b': the cell is empty"),
    "F008": ("a,label\n1,0\nred,1\n2,0\n", "row 3, column 'a': 'red' is not a number"),
    "F014 UTF-16": ("1,2\n".encode("utf-16"), "this is UTF-16 text: save it as UTF-8"),
    "F014 picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "this is not a text file: it holds zero bytes"),
    "F017": ('a,label\n1,"0\n2,1\n', "a quote opened in row 2 never closes"),
    "F022": ("a\n1\n2\n", "there is no column of numbers to predict 'a' from"),
    "F023": (
        "a,label\n" + "".join(f"{n},n{n}\n" for n in range(1_000)),
        "column 'label' has 1000 different labels; 10 are allowed",
    ),
    "rows of two lengths": ("a,b\n1,2\n3\n", "row 3 has 1 cells where 2 are expected"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_imported_is_said_and_the_old_data_stay(session, asked, case):
    before, (content, message) = session.document, REFUSED[case]
    dialog = asked(content)
    assert message in dialog.problem.text()
    assert not dialog.import_button.isEnabled()
    assert session.document == before


def odd_paths(folder):
    os.mkfifo(folder / "pipe.csv")
    (folder / "folder.csv").mkdir()
    (folder / "link.csv").symlink_to(folder / "nowhere")
    (folder / "zero.csv").symlink_to("/dev/zero")
    with (folder / "large.csv").open("wb") as stream:
        stream.truncate(500_000_000)
    (folder / "closed.csv").write_text("1,2\n")
    (folder / "closed.csv").chmod(0)
    return ["pipe", "folder", "link", "zero", "large", "gone"]


@pytest.mark.slow
def test_what_is_not_a_file_to_read_is_refused_and_the_window_lives(session, asked, tmp_path):
    """F019, F020; a socket's path has to be short."""
    messages = {name: asked(tmp_path / f"{name}.csv").problem.text() for name in odd_paths(tmp_path)}
    assert all("not a regular file" in messages[name] for name in ("pipe", "folder", "zero"))
    assert "16,000,000 bytes, not 500,000,000" in messages["large"]
    assert all("cannot be read: No such file" in messages[name] for name in ("link", "gone"))


@pytest.mark.slow
def test_a_socket_is_refused(session, asked, tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            listener.bind("s.csv")
        finally:
            os.chdir(here)
        assert "not a regular file" in asked(tmp_path / "s.csv").problem.text()


TAKEN = {
    "F004": "1,2,0\n3,4,1\n",
    "F005": "a,b,label\n1,2,0\n3,4,1\n",
    "F010": "a,b,label,\n1,2,0,\n3,4,1,\n",
    "F011 semicolons": "a;b;label\n1;2;0\n3;4;1\n",
    "F011 tabs": "a\tb\tlabel\n1\t2\t0\n3\t4\t1\n",
    "F013": "\ufeffa,b,label\n1,2,0\n3,4,1\n",
    "F016": '"a","b","label"\n"1","2","0"\n"3","4","1"\n',
    "F016 newline": '"a\nb",b,label\n1,2,0\n3,4,1\n',
    "F029": "<b>x</b>,<b>x</b>,label\n1,2,0\n3,4,1\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", TAKEN)
def test_other_spellings_of_a_table_are_imported_as_it_is(session, asked, case):
    dialog = asked(TAKEN[case])
    dialog.import_button.click()
    assert session.dataset.X.tolist() == [[1, 2], [3, 4]]
    assert session.dataset.y.tolist() == [0, 1]


@pytest.mark.slow
def test_one_input_is_too_few_for_a_map_and_enough_to_learn_from(session, asked, qtbot):
    dialog = asked("x,y\n0.5,1.5\n1,2.5\n2,4.5\n")
    dialog.import_button.click()
    assert (session.dataset.n_features, session.dataset.task) == (1, "regression")


@pytest.mark.slow
def test_five_hundred_columns_are_listed_and_some_of_them_chosen(session, asked, qtbot):
    rows = [",".join(str((row + 1) * (column % 7)) for column in range(500)) for row in range(3)]
    dialog = asked("\n".join(rows))
    assert dialog.columns.rowCount() == 499
    assert dialog.problem.text() == "a network takes at most 256 inputs, not 499: choose fewer columns"
    dialog.no_column.click()
    assert "choose one column or more" in answered(dialog, qtbot).problem.text()
    rows = QItemSelection(dialog.columns.index(0, 0), dialog.columns.index(249, 0))
    dialog.column_view.selectionModel().select(rows, SELECT_ROWS)
    qtbot.keyClick(dialog.column_view, Qt.Key.Key_Space)
    answered(dialog, qtbot).import_button.click()
    assert session.dataset.n_features == 250


@pytest.mark.slow
def test_numbers_of_any_size_are_imported_and_drawn(session, asked, qtbot, shown):
    """F025, F026: said, not refused."""
    dialog = asked("a,b,label\n1e30,1e-30,0\n2e30,2e-30,1\n2e30,2e-30,0\n")
    assert "standardise the inputs" in dialog.notes.text()
    assert "appears with different classes" in dialog.notes.text()
    dialog.import_button.click()
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert np.isfinite(panel.bounds).all()


@pytest.mark.slow
def test_standardising_is_ticked_where_it_is_advised_and_stays_as_the_user_wants_it(session, asked, qtbot):
    """F025."""
    text = "a,b,label\n1e30,5,0\n2e30,6,1\n4e30,7,0\n"
    assert not asked("a,b,label\n-1,0.5,0\n1,-0.5,1\n").scaling.isChecked()
    dialog = asked(text)
    assert dialog.scaling.isChecked()
    dialog.scaling.click()
    dialog.columns.tick_all(True)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    assert not dialog.scaling.isChecked()
    dialog.import_button.click()
    assert session.data.scaling is None and any("standardise" in note for note in session.data.notes)
    asked(text).import_button.click()
    assert not any("standardise" in note for note in session.data.notes)
    assert session.dataset.feature_names == ("a, standardised", "b, standardised")
    assert np.allclose(session.dataset.X.mean(axis=0), 0.0) and np.allclose(session.dataset.X.std(axis=0), 1.0)
    assert session.data.raw.X[:, 0].tolist() == [1e30, 2e30, 4e30]


@pytest.mark.slow
def test_that_standardised_columns_of_text_are_not_0_or_1_is_said_while_they_are_to_be_standardised(
    session, asked, qtbot
):
    dialog = asked("colour,size,kind\nred,1,a\nblue,2,b\nred,3,a\ngreen,1,b\nblue,2,a\ngreen,4,b\n")
    dialog.columns.tick([[column.name for column in dialog.columns.rows].index("colour")], True)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    plain = dialog.notes.text()
    dialog.scaling.click()
    assert dialog.notes.text().startswith(plain) and "mean is 0" in dialog.notes.text()
    dialog.scaling.click()
    assert dialog.notes.text() == plain
    dialog.scaling.click()
    dialog.import_button.click()
    assert session.data.scaling is not None and not set(np.unique(session.dataset.X)) & {0.0, 1.0}


@pytest.mark.slow
def test_labels_that_a_spreadsheet_would_run_stay_text(session, asked):
    """F028."""
    labels = ["=1+1", "+cmd|' /C calc'!A0", "@SUM"]
    dialog = asked("a,label\n" + "".join(f"{n},{label}\n" for n, label in enumerate(labels)))
    assert [row[0] for row in text_of(dialog.classes)] == sorted(labels)
    dialog.import_button.click()
    assert set(session.dataset.class_names) == set(labels)


@pytest.mark.slow
def test_yes_and_no_are_mapped_in_a_table_and_fractions_are_predicted_as_numbers(session, asked):
    """F023."""
    dialog = asked("a,ok\n1,yes\n2,no\n")
    assert text_of(dialog.classes) == [["no", "0", "1"], ["yes", "1", "1"]]
    dialog.reject()
    dialog = asked("a,half\n1,0.5\n2,1.5\n", "half.csv")
    assert dialog.task.currentData() == "regression"
    assert dialog.range.text() == "Numbers from 0.5 to 1.5, predicted as they are."


@pytest.mark.slow
def test_names_of_columns_are_plain_text(session, asked):
    """F029."""
    dialog = asked('<b>x</b>,"x\ny",' + "n" * 10_000 + ",,label\n1,2,3,4,0\n5,6,7,8,1\n")
    names = [row[0] for row in text_of(dialog.columns)]
    assert names == ["<b>x</b>", "x y", "n" * 37 + "...", "column 4"]
    assert dialog.row_view.horizontalHeader().length() < 5_000


@pytest.mark.slow
def test_a_table_written_by_the_program_is_imported_bit_for_bit(session, asked):
    data = session.dataset
    asked(table_text(data)).import_button.click()
    assert session.dataset.X.tobytes() == data.X.tobytes()
    assert session.dataset.y.tolist() == data.y.tolist()


@pytest.fixture
def window(reused_window, qtbot):
    """For tests that do not close it."""
    yield reused_window
    closed(reused_window, qtbot)


def test_a_table_that_is_dropped_on_the_window_is_shown_in_the_dialog(window, qtbot, tmp_path):
    (tmp_path / "mine.csv").write_text(PLAIN)
    drop(window.graph_panel.canvas.viewport(), files(tmp_path / "mine.csv"))
    dialog = answered(open_dialog(window), qtbot)
    assert dialog.file.text() == "mine.csv: 3 rows, 3 columns"
    dialog.import_button.click()
    assert window.session.document.data.source == "table"
    assert window.message.message == "Imported mine.csv: 3 points with 2 inputs"


@pytest.mark.slow
def test_every_button_can_be_pressed_while_there_is_nothing_to_choose_from(session, asked):
    before = session.document
    dialog = asked("")
    for button in (dialog.all_columns, dialog.no_column, dialog.skip, dialog.import_button):
        button.click()
    assert dialog.problem.text() == "the file is empty"
    assert session.document == before


def test_open_takes_a_table_to_the_import_too(window, qtbot, tmp_path):
    path = tmp_path / "mine.CSV"
    path.write_text(PLAIN)
    window.action("open").trigger()
    window.findChild(QFileDialog).fileSelected.emit(str(path))
    assert answered(open_dialog(window), qtbot).preview.dataset is not None


def test_import_data_asks_for_a_file_and_another_one_can_be_chosen_in_the_dialog(window, qtbot, tmp_path):
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(PLAIN)
    window.session.action_requested.emit("import data")
    window.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "one.csv"))
    dialog = answered(open_dialog(window), qtbot)
    dialog.other.click()
    dialog.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "two.csv"))
    assert answered(dialog, qtbot).file.text().startswith("two.csv")


def test_closing_the_window_while_a_file_is_read_leaves_nothing_behind(make_window, tmp_path):
    window = make_window()
    path = tmp_path / "long.csv"
    path.write_text("a,b,label\n" + "1.5,2.5,0\n" * 40_000)
    drop(window.graph_panel.canvas.viewport(), files(path))
    window.session.discard_changes()
    window.close()
    assert not window.isVisible()


@pytest.mark.slow
def test_a_column_of_text_that_is_ticked_becomes_an_input_for_each_text(session, asked, qtbot, tmp_path):
    dialog = asked("colour,size,kind\nred,1,a\nblue,2,b\nred,3,a\ngreen,1,b\nblue,2,a\ngreen,4,b\n")
    assert "usable as categories: column 'colour'" in dialog.notes.text()
    row = [column.name for column in dialog.columns.rows].index("colour")
    dialog.columns.tick([row], True)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    assert "colour=blue, colour=green, colour=red" in dialog.notes.text()
    dialog.import_button.click()
    names = ("colour=blue", "colour=green", "colour=red", "size")
    assert session.dataset.feature_names == names and session.document.network.layer_sizes[0] == 4
    assert session.dataset.X.tolist()[:2] == [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 2.0]]
    assert dict(session.document.data.table)["colour"] == ("red", "blue", "red", "green", "blue", "green")
    assert any("one-hot" in note for note in session.data.notes)
    assert session.save(tmp_path / "colours.gradstep")
    X = session.dataset.X
    session.edit("other data", data={"source": "generator"})
    assert session.open(tmp_path / "colours.gradstep")
    assert np.array_equal(session.dataset.X, X) and session.dataset.feature_names == names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,label\n1,0\n", "Only one row"),
        ("a,label\n1,x\n2,x\n3,y\n", "Class 'y' has a single row"),
        ("x,y\n1,5,2,25\n3,0,4,75\n", "Commas stand between the cells and in the numbers"),
        ("1,5,2,25\n3,0,4,75\n", "choose the comma as decimal mark"),
    ],
)
def test_what_is_odd_about_a_table_is_said_before_it_is_imported(asked, text, said):
    dialog = asked(text)
    assert said in dialog.notes.text() and dialog.import_button.isEnabled()
