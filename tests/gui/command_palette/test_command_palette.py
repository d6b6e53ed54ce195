"""The command palette in the window: what it lists, what it does, and where the keyboard is then."""

import time

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog

from engine.document import Document, replace_section
from engine.session_file.pasted import text_of_session
from gui.command_palette.command_palette import CommandPalette, PaletteModel
from gui.command_palette.sources import SOURCES, Entry, Source

SMALL = "a = 2.0\nb = -3.0\nc = a * b\nd = tanh(c + a)\n"


@pytest.fixture
def window(reused_window, qtbot):
    """The window on a small program."""
    reused_window.session.reset_document(replace_section(Document(), "expression", text=SMALL))
    qtbot.waitUntil(lambda: not reused_window.session.presenter.busy)
    yield reused_window
    QGuiApplication.clipboard().clear()


def open_palette(window):
    window.show_command_palette()
    return window.findChildren(CommandPalette)[-1]


def titles(palette):
    return [row.entry.title for row in palette.model.rows]


def row_of(palette, name):
    return next(row for row in palette.model.rows if row.entry.id == name)


def test_a_few_letters_and_return_do_an_action(window, qtbot):
    window.session.edit("one", expression={"text": "x = 1.0\n"})
    palette = open_palette(window)
    qtbot.keyClicks(palette.field, "und")
    assert titles(palette)[0] == "Undo one"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.session.document.expression.text == SMALL
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette))


@pytest.mark.parametrize("typed", ["workspace understand", "understand workspace", "work under"])
def test_a_workspace_is_found_by_that_word_and_its_title_in_any_order(window, typed):
    palette = open_palette(window)
    palette.field.setText(typed)
    assert palette.model.rows[0].entry.id == "workspace understand"


def test_arrow_keys_choose_and_escape_returns_the_keyboard(window, qtbot):
    editor = window.docks["ExpressionPanel"].panel.editor
    window.activateWindow()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    palette = open_palette(window)
    first = palette.list.currentIndex().row()
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_PageDown)
    assert palette.list.currentIndex().row() > first + 2
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette) and editor.hasFocus())


def test_every_action_of_the_window_is_listed_once(window):
    palette = open_palette(window)
    listed = {row.entry.id for row in palette.model.rows}
    assert {name for actions in window.action_sets for name in actions.entries} - listed == {"command palette"}
    names = [row.entry.id for row in palette.model.rows]
    assert len(names) == len(set(names))


def test_an_action_that_is_not_possible_is_listed_with_the_reason_and_not_done(window, qtbot):
    palette = open_palette(window)
    palette.field.setText("explain value")
    row = palette.model.rows[0]
    assert row.entry.id == "explain" and "elect a value" in palette.model.reason(row)
    assert "elect a value" in palette.about.text()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert palette.model.reason(row_of_all(window, "export TrainingPanel")).startswith("There is no curve")


def row_of_all(window, name):
    return next(row for row in PaletteModel(window).rows if row.entry.id == name)


def test_reasons_follow_the_program_while_the_palette_is_open(window, qtbot):
    window.session.edit("empty", expression={"text": ""})
    qtbot.waitUntil(lambda: not window.session.presenter.picture.boxes)
    palette = open_palette(window)
    row = row_of(palette, "export png")
    assert palette.model.reason(row)
    window.session.edit("program", expression={"text": SMALL})
    qtbot.waitUntil(lambda: not palette.model.reason(row))
    palette.close()


def test_every_reason_is_a_sentence_without_a_full_stop_and_agrees_with_the_button(window):
    model = PaletteModel(window)
    names = {name: actions for actions in window.action_sets for name in actions.entries}
    for row in model.rows:
        reason = model.reason(row)
        assert not reason or (reason[0].isupper() and not reason.endswith(".")), row.entry.id
        entry = names[row.entry.id].entries[row.entry.id] if row.entry.id in names else None
        if entry is not None and entry.enabled is not None and entry.reason is None:
            assert bool(reason) != names[row.entry.id][row.entry.id].isEnabled(), row.entry.id


def test_a_path_names_the_menus_that_lead_there(window):
    palette = open_palette(window)
    assert row_of(palette, "export png").entry.path == ("File", "Export", "Graph")
    assert row_of(palette, "undo").entry.path == ("Edit",)
    assert row_of(palette, "zoom in").entry.path == ("Canvas",)
    assert row_of(palette, "run program").entry.keys == "Ctrl+Return"


def test_choosing_a_value_selects_it_and_brings_it_to_the_middle(window, qtbot):
    palette = open_palette(window)
    assert "d" not in titles(palette)  # values wait for a letter
    palette.field.setText("d")
    row = next(at for at, row in enumerate(palette.model.rows) if row.entry.id == "node d")
    palette.choose(row)
    canvas = window.graph_panel.canvas
    assert window.session.selection == "d"
    middle = canvas.mapFromScene(canvas.centre_of("d")) - canvas.viewport().rect().center()
    assert middle.manhattanLength() < canvas.viewport().height() / 2


def test_lessons_and_panels_are_opened(window, qtbot):
    palette = open_palette(window)
    palette.field.setText("lens")
    palette.choose(next(at for at, row in enumerate(palette.model.rows) if row.entry.id == "panel LensPanel"))
    assert not window.docks["LensPanel"].visibleRegion().isEmpty()
    palette = open_palette(window)
    palette.field.setText("slope by nudging")
    palette.choose(0)
    assert window.course.lesson is not None
    window.leave_lesson()


@pytest.mark.parametrize("number", [1, 2, 3, 23])
def test_a_lesson_is_found_first_by_its_number(window, number):
    palette = open_palette(window)
    palette.field.setText(f"lesson {number}")
    assert palette.model.rows[0].entry.id == f"lesson {window.course.lessons[number - 1].name}"


def test_recently_used_ones_stand_first_the_newest_before_the_others(qtbot, window, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    for name in ("normal text", "arrange"):
        palette = CommandPalette(window, settings)
        palette.choose(next(at for at, row in enumerate(palette.model.rows) if row.entry.id == name))
    settings.setValue("palette recent", settings.value("palette recent") + "\nno longer there")
    palette = CommandPalette(window, settings)
    assert [row.entry.id for row in palette.model.rows[:2]] == ["arrange", "normal text"]
    assert not palette.model.rows[2].is_recent
    palette.close()


def test_the_palette_has_accessible_names_and_texts(window):
    palette = open_palette(window)
    assert palette.accessibleName() and palette.field.accessibleName() and palette.list.accessibleName()
    place = next(at for at, row in enumerate(palette.model.rows) if row.entry.id == "expand")
    text = palette.model.index(place).data(Qt.ItemDataRole.AccessibleTextRole)
    assert text.startswith("Expand or collapse, Graph, Ctrl+E, not now: ")


def test_a_source_is_one_entry_and_one_that_fails_leaves_the_others(qtbot, unexpected):
    done = []
    good = Source("good", lambda window: [Entry("one", "One", lambda: done.append(window))])
    bad = Source("bad", lambda window: 1 / 0)
    model = PaletteModel("a window", sources=(bad, good))
    model.rows[0].entry.do()
    assert done == ["a window"] and isinstance(unexpected[0], ZeroDivisionError)


def test_the_tooltip_of_an_entry_is_what_it_does_as_it_is_written(qtbot):
    source = Source("lessons", lambda _window: [Entry("one", "one", print, tip="<img src=/a.png>")])
    model = PaletteModel(None, sources=(source,))
    assert model.about(model.rows[0]) == "<img src=/a.png>"
    assert "<img" not in model.index(0).data(Qt.ItemDataRole.ToolTipRole)


def test_two_thousand_values_are_searched_at_once(qtbot):
    source = Source("values", lambda _window: [Entry(str(n), f"layers[{n % 7}].w[{n}]", print) for n in range(2_000)])
    model = PaletteModel(None, sources=(source,))
    begun = time.perf_counter()
    for text in ("l", "la", "lay", "laye", "layers 3", "w19", "w 1999"):
        model.search(text)
    assert [row.entry.id for row in model.rows] == ["1999"]
    assert time.perf_counter() - begun < 5.0  # a tenth of it, where nothing else runs


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.title)
def test_entries_of_every_source_can_be_done(window, qtbot, source, caplog, recwarn):
    errors = []
    window.session.message_posted.connect(lambda text, kind: errors.append(text) if kind == "error" else None)
    names = [entry.id for entry in source.entries(window)]
    some = names if len(names) < 20 else [*names[:-1:10], names[-1]]  # tests/gui/actions does every action
    for name in some:
        if name == "quit":
            continue
        if name == "open clipboard":
            QGuiApplication.clipboard().setText(text_of_session(window.session.document))
        palette = open_palette(window)
        palette.field.setText(next(e.title for e in source.entries(window) if e.id == name))
        row = next(at for at, row in enumerate(palette.model.rows) if row.entry.id == name)
        palette.choose(row)
        jobs = window.session.presenter, window.exporter, window.files.clipboard
        qtbot.waitUntil(lambda jobs=jobs: not any(job.busy for job in jobs))
        for dialog in window.findChildren(QDialog):
            dialog.reject()
        qtbot.waitUntil(lambda: not window.findChildren(QDialog))
        assert (errors, caplog.records, list(recwarn)) == ([], [], []), name
    window.session.pause()
    window.leave_lesson()
