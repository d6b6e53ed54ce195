import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPushButton

from engine.document import Document
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.language import Limits, Printed, ProgramError, evaluate
from gui.panels.expression import ExpressionPanel
from gui.panels.outdated import outdated
from gui.session import Session
from gui.session.programs import ProgramsAtOnce
from gui.theme import DARK, LIGHT
from tests.engine.document.network_programs import TUTORIAL

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(shown, session):
    panel = shown(ExpressionPanel)
    panel.set_colors(LIGHT)
    panel.activateWindow()
    return panel


@pytest.fixture
def told(session):
    lines = []
    session.message_posted.connect(lambda text, _kind: lines.append(text))
    return lines


def put(panel, text, replace=True):
    """Pastes a text over all that stands there, and waits for nothing."""
    if replace:
        panel.editor.selectAll()
    data = QMimeData()
    data.setText(text)
    panel.editor.insertFromMimeData(data)
    panel.editor.flush()


def program(session):
    return session.document.expression.text


def test_a_program_too_long_to_be_evaluated_is_in_the_document_and_the_graph_stays(panel, session):
    evaluation, text = session.evaluation, "a = " + "1+" * 10_000 + "1"
    put(panel, text)
    assert program(session) == text
    assert panel.message.text() == ("Line 1, column 20001: the text is too long: 20,005 characters, at most 20,000")
    assert panel.message.property("error") and panel.message.isVisible()
    assert session.evaluation is evaluation


@pytest.mark.parametrize("text", ["a = 1\n" * 19_999, "x" * 199_600, "a = 1 # ü\n" * 19_000])
def test_undo_brings_back_the_text_before_a_huge_paste_and_redo_the_paste(panel, session, qtbot, text):
    before = program(session)
    put(panel, text)
    assert program(session) == text
    qtbot.keyClick(panel.editor, Qt.Key.Key_Z, CONTROL)
    assert program(session) == panel.editor.toPlainText() == before
    assert session.error is None
    qtbot.keyClick(panel.editor, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert program(session) == panel.editor.toPlainText() == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x" * (LONGEST_PROGRAM + 1), "200,001 characters; at most 200,000"),
        ("\n" * MOST_PROGRAM_LINES, "20,001 lines; at most 20,000"),
        ("\r\n" * MOST_PROGRAM_LINES, "20,001 lines; at most 20,000"),
        ("x" * 1_000_000, "1,000,000 characters"),
    ],
)
def test_a_paste_beyond_what_a_document_holds_is_refused_in_words_and_the_text_before_is_kept(
    panel, session, told, text, words
):
    before = program(session)
    put(panel, text)
    assert words in panel.message.text()
    assert words in told[0]
    assert program(session) == panel.editor.toPlainText() == before


@pytest.mark.slow
def test_typing_beyond_what_a_document_holds_is_taken_back(panel, session, qtbot):
    put(panel, "x" * LONGEST_PROGRAM)
    qtbot.keyClicks(panel.editor, "yz")
    panel.editor.flush()
    assert "200,002 characters" in panel.message.text()
    assert panel.editor.toPlainText() == program(session) == "x" * LONGEST_PROGRAM


def test_a_text_longer_than_a_program_is_neither_coloured_nor_searched_line_by_line(panel, session, monkeypatch):
    coloured = []
    monkeypatch.setattr("gui.panels.highlighting.highlight", lambda text: coloured.append(text) or [])
    put(panel, "a = 1 # \u202e\n" * 15_000)
    assert coloured == []
    put(panel, "a = 1")
    QApplication.processEvents()
    assert "a = 1" in coloured
    coloured.clear()
    panel.set_colors(DARK)
    assert coloured == []


def test_what_is_typed_is_in_the_document_as_soon_as_it_is_asked_for(panel, session, qtbot):
    panel.editor.selectAll()
    qtbot.keyClicks(panel.editor, "a = tahn(")
    session.commit_requested.emit()
    assert program(session) == "a = tahn("
    assert session.modified
    assert "( was never closed" in panel.message.text()


def test_asking_for_what_is_typed_changes_nothing_when_nothing_was(panel, session):
    session.edit("text", expression={"text": "a = 1\r\nb =\u00a02"})
    session.undo_stack.setClean()
    panel.set_colors(DARK)
    session.commit_requested.emit()
    assert program(session) == "a = 1\r\nb =\u00a02"
    assert not session.modified


def test_moving_a_slider_right_after_typing_keeps_what_was_typed(panel, session, qtbot):
    put(panel, "a = 1.0\nb = a * 2")
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(panel.editor, " + 3")
    panel.sliders.by_key["a"].slider.setValue(1000)
    assert program(session) == "a = 4.0\nb = a * 2 + 3"


# Errors


def test_a_click_on_the_message_goes_to_the_place(panel, qtbot):
    put(panel, "a = 1.0\n# 😀 note\nb = '😀' tahn(a)\n")
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.mouseClick(panel.message, Qt.MouseButton.LeftButton, pos=QPoint(10, 8))
    cursor = panel.editor.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (2, 9)
    assert panel.editor.hasFocus()


def test_enter_on_the_message_goes_to_the_place(panel, qtbot):
    put(panel, "a = 1.0\n\n\nb = # 😀\nc = 2")
    panel.message.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.message.focusPolicy() == Qt.FocusPolicy.StrongFocus
    qtbot.keyClick(panel.message, Qt.Key.Key_Return)
    cursor = panel.editor.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (3, 4)


def test_each_note_goes_to_its_own_line(panel, qtbot):
    panel.resize(700, 400)
    put(panel, "!pip install torch\nx = 1.0\n%time\ny = 1/0\nx*2\n" + "y\n!pip install torch\n" * 20)
    message = panel.message
    lines = message.text().split("\n")
    qtbot.waitUntil(lambda: message.height() >= len(lines) * message.fontMetrics().lineSpacing(), timeout=2000)
    places = []
    message.place_chosen.connect(lambda line, _column: places.append(line))
    row = message.contentsRect().height() / len(lines)
    for number in range(len(lines)):
        qtbot.mouseClick(message, Qt.MouseButton.LeftButton, pos=QPoint(12, round(row * (number + 0.5))))
    assert places[:3] == [4, 1, 3]  # what went wrong first
    assert len(places) == len(lines) - 1  # "and … more" goes nowhere


def test_notes_take_no_more_than_their_share_of_the_panel_and_all_stand_in_the_tip(panel):
    put(panel, "x = 1.0\n" + "!pip install torch\n" * 9)
    shown = panel.message.text().count("set aside")
    assert 1 <= shown < 9
    assert panel.message.text().endswith(f"\n… and {9 - shown} more")
    assert panel.message.toolTip().count("set aside") == 9
    assert panel.message.sizeHint().height() < panel.height() / 3
    panel.resize(700, 900)
    assert panel.message.text().count("set aside") == 9


def test_every_unused_name_counts_in_what_is_not_shown(panel):
    put(panel, "\n".join(f"a{number} = {number}.0" for number in range(1, 20)))
    shown = panel.message.text().count("is not part of the result")
    assert 1 <= shown < 18
    assert panel.message.text().endswith(f"\n… and {18 - shown} more")


@pytest.mark.parametrize("count", [2, 3])
def test_two_or_three_notes_are_all_shown_in_however_low_a_panel(panel, count):
    panel.resize(240, 200)
    put(panel, "x = 1.0\n" + "!pip install torch\n" * count)
    assert panel.message.text().count("set aside") == count
    assert "more" not in panel.message.text()


@pytest.mark.parametrize(
    ("text", "button", "repaired"),
    [
        ("a = 1,000", "Write 1000", "a = 1000"),
        ("a = 1,000", "Write 1.000", "a = 1.000"),
        ("w₁ = 1", "Write w1", "w1 = 1"),
        ("y = x + 1\nx = 2.0", "Move line 2 above", "x = 2.0\ny = x + 1"),
    ],
)
def test_a_fix_is_a_button_and_one_step_of_undo(panel, session, qtbot, text, button, repaired):
    put(panel, text)
    steps = session.undo_stack.count()
    chosen = next(b for b in panel.fixes.findChildren(QPushButton) if b.text() == button)
    assert chosen.isVisible()
    qtbot.mouseClick(chosen, Qt.MouseButton.LeftButton)
    assert program(session) == panel.editor.toPlainText() == repaired
    assert session.error is None and not panel.fixes.isVisible()
    assert panel.editor.hasFocus()
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert panel.editor.toPlainText() == text


def test_the_first_fix_is_taken_by_keyboard_right_after_typing(panel, session, qtbot):
    panel.editor.setFocus()
    panel.editor.selectAll()
    qtbot.keyClicks(panel.editor, "x = 2; y = tahn(x)")
    qtbot.keyClick(panel.editor, Qt.Key.Key_Period, CONTROL)
    assert program(session) == "x = 2; y = tanh(x)"
    assert panel.editor.textCursor().position() == len("x = 2; y = tanh")


def test_a_fix_of_a_text_that_has_changed_since_does_nothing(panel, session):
    put(panel, "a = 3,14")
    fix = session.error.fix
    session.edit("text", expression={"text": "b = 1"})
    panel.apply_fix(fix)
    assert program(session) == "b = 1"


def test_an_error_at_a_character_that_cannot_be_seen_underlines_what_stands_beside_it(panel):
    put(panel, "x = 1\nab\u200bc = 2")
    assert "b\u200bc" in [mark.cursor.selectedText() for mark in panel.editor.extraSelections()]


def test_a_hidden_character_in_a_comment_is_marked_and_said(panel):
    put(panel, "x = 1 # 😀a\u202eb")
    assert "a\u202eb" in [mark.cursor.selectedText() for mark in panel.editor.extraSelections()]
    assert "right-to-left override" in panel.message.text()
    panel.editor.clear()  # marks in text that is gone ask for no places outside of it
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)


# Sliders


def move(panel, key, position):
    panel.sliders.by_key[key].slider.setValue(position)


@pytest.mark.parametrize("number", ["1e308", "-1e308", "1.7e308", "1e-320", "-3e300", "5e8", "0", "0x" + "f" * 200])
def test_a_slider_of_any_number_moves_over_all_its_range(panel, session, number):
    put(panel, f"a = {number}\nb = a*2")
    for position in (0, 1, 500, 999, 1000, 250):
        move(panel, "a", position)
        low, high = dict(session.document.expression.ranges)["a"]
        assert session.error is None
        assert low <= session.evaluation.leaves[0].number <= high


@pytest.mark.parametrize("number", ["1e400", "-1e400", "0x" + "f" * 300])
def test_a_number_that_is_too_large_has_no_slider_and_edits_go_on(panel, session, number):
    put(panel, f"a = {number}\nb = 2.0\nc = a*b")
    assert list(panel.sliders.by_key) == ["b"]
    move(panel, "b", 1000)
    assert "b = 4.0" in program(session)


def test_each_binding_of_a_name_has_the_slider_that_moves_it(panel, session):
    put(panel, "a = 1.0\nb = a*2\na = 3.0\ny = a*b")
    assert [slider.name for slider in panel.sliders.by_key.values()] == ["a (line 1)", "a (line 3)"]
    move(panel, "a#2", 1000)
    assert program(session) == "a = 1.0\nb = a*2\na = 6.0\ny = a*b"
    move(panel, "a", 0)
    assert program(session) == "a = -4.0\nb = a*2\na = 6.0\ny = a*b"


def test_sliders_of_a_program_with_an_error_are_disabled_and_say_why(panel, session):
    put(panel, "a = 1.0\nb = a*2")
    slider = panel.sliders.by_key["a"]
    assert slider.isEnabled()
    put(panel, "a = 1.0\nb = a*")
    assert not slider.isEnabled()
    assert slider.slider.toolTip() == "The program has an error in line 2: mend it to move this slider"
    put(panel, "a = 1.0\nb = a*3")
    assert slider.isEnabled()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ("abc", "4", "'abc' is not a number"),
        ("-4", "", "'' is not a number"),
        ("nan", "4", "'nan' is not a number"),
        ("-4", "1e999", "'1e999' is not a number"),
        ("-4", "1_0", "'1_0' is not a number"),
        ("-4", "١", "is not a number"),
        ("4", "-4", "'from' must be less than 'to'"),
        ("1", "1", "'from' must be less than 'to'"),
    ],
)
def test_ends_of_a_slider_that_cannot_be_are_refused_in_words(panel, session, told, low, high, words):
    put(panel, "a = 1.0\nb = a*2")
    slider = panel.sliders.by_key["a"]
    for field, text in zip(slider.ends, (low, high), strict=True):
        field.setText(text)
    slider.ends[1].editingFinished.emit()
    assert words in slider.problem.text()
    assert words in told[-1] and "slider of a" in told[-1]
    assert slider.ends[0].property("invalid")
    assert session.document.expression.ranges == ()
    slider.number.menu().aboutToShow.emit()
    assert [field.text() for field in slider.ends] == ["-4", "4"]
    assert not slider.problem.text()


def test_numbers_without_a_slider_are_counted(panel):
    put(panel, "\n".join(f"a{i} = {i}.0" for i in range(45)))
    assert len(panel.sliders.by_key) == 40
    assert panel.sliders.rest.text().startswith("5 more numbers have no slider")


# Files


def test_a_file_is_not_text_to_insert(panel, session, told):
    before = panel.editor.toPlainText()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/some/where.gradstep")])
    data.setText("/some/where.gradstep")
    assert not panel.editor.canInsertFromMimeData(data)
    panel.editor.insertFromMimeData(data)
    assert panel.editor.toPlainText() == before
    assert "holds a file" in told[0]


def test_a_clipboard_whose_program_does_not_answer_is_asked_once_and_told(panel, told):
    """Qt waits five seconds for every question."""

    class Silent(QMimeData):
        asked = 0

        def formats(self):
            self.asked += 1
            return []

    before, clipboard = panel.editor.toPlainText(), Silent()
    panel.editor.insertFromMimeData(clipboard)
    assert (clipboard.asked, panel.editor.toPlainText()) == (1, before)
    assert "does not answer" in told[0]


def test_the_editors_font_follows_the_systems(shown, session, qapp):
    plain = qapp.font()
    larger = qapp.font()
    larger.setPixelSize(26)
    qapp.setFont(larger)
    try:
        assert shown(ExpressionPanel).editor.font().pixelSize() == 26
    finally:
        qapp.setFont(plain)


def test_typing_across_the_size_up_to_which_a_text_is_coloured_turns_the_colours_off_and_on(panel, session, qtbot):
    put(panel, "\n" * 19_998 + "a")
    assert panel.editor.highlighter.active
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(panel.editor, " = 1")
    assert not panel.editor.highlighter.active
    for _ in range(4):
        qtbot.keyClick(panel.editor, Qt.Key.Key_Backspace)
    assert panel.editor.highlighter.active


def test_completion_looks_no_further_back_than_a_name_is_long(panel, qtbot):
    put(panel, "😀 " + "x" * 5000)
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    assert len(panel.editor.completion.word_before_caret()) == 65
    put(panel, "a = 1 # 😀😀\nlearning = 2; b = '😀' lear")
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Space, CONTROL)
    assert panel.editor.completion.completer.model().stringList() == ["learning"]
    panel.editor.completion.completer.activated.emit("learning")
    assert panel.editor.toPlainText().endswith("'😀' learning")
    panel.editor.completion.completer.popup().hide()


@pytest.mark.parametrize("before", ["a = 1", "x" * 30_000])
def test_typing_goes_on_after_a_paste_that_is_not_coloured(panel, session, qtbot, before):
    """Taking the colours away tells of a change of the text while it is under way; the editor crashed of that."""
    put(panel, before)
    put(panel, "x" * 199_600)
    qtbot.keyClicks(panel.editor, "yz")
    put(panel, "b = 2")
    qtbot.keyClicks(panel.editor, "3")
    panel.editor.flush()
    assert program(session) == "b = 23"
    assert panel.editor.highlighter.active


def test_what_was_typed_before_the_panel_was_hidden_never_comes_over_a_session_opened_afterwards(panel, session, qtbot):
    panel.editor.selectAll()
    qtbot.keyClicks(panel.editor, "a = 1")
    panel.hide()
    assert program(session) == "a = 1"
    session.reset_document(Document())
    panel.editor.flush()
    assert program(session) == Document().expression.text
    panel.show()
    assert panel.editor.toPlainText() == Document().expression.text


# Values and their places


def test_the_selected_value_is_marked_where_it_stands_and_the_caret_selects_the_value_around_it(panel, session, qtbot):
    put(panel, "a = 2.0\r\n# 😀\nb = a * 3\n")
    session.select("b")
    marked = [mark.cursor.selectedText() for mark in panel.editor.extraSelections() if mark.cursor.hasSelection()]
    assert marked == ["a * 3"]
    panel.editor.go_to(1, 1)
    qtbot.keyClick(panel.editor, Qt.Key.Key_End)
    assert session.selection == "a"
    panel.editor.go_to(3, 6)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Right)
    assert session.selection == "b"


# While a program runs


def test_an_error_while_running_is_told_with_the_calls_that_led_there(panel, session, qtbot):
    put(panel, "low = 0\ndef half(x):\n    return x / low\ndef twice(x):\n    return half(x) * 2\nz = twice(4)\n")
    lines = panel.message.text().splitlines()
    assert lines[0].startswith("Line 3, column") and "zero" in lines[0]
    assert lines[1:] == ["There low = 0.", "Called in line 5, in twice.", "Called in line 6."]
    panel.message.place_chosen.emit(5, 1)
    assert panel.editor.textCursor().blockNumber() == 4


def test_at_a_limit_what_was_computed_stays_and_run_on_gives_ten_times_as_much(shown, qapp, qtbot):
    given = []

    def stopped(text, *, limits, **_settings):
        given.append(limits)
        if len(given) > 1:
            return evaluate(text)
        error = ProgramError("stopped after 20 s: this line was still running", 2, 1)
        error.at_limit = True
        raise error.with_run((Printed(1, "so far\n"),), evaluate("a = 2.0\nb = a * 3\n"))

    session = Session(programs=ProgramsAtOnce(stopped))
    panel = ExpressionPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert set(session.graph.readings) >= {"a", "b"} and session.program.printed.lines == [(1, "so far")]
    assert "had computed" in outdated(session) and "stopped after 20 s" in panel.message.text()
    panel.run_line.on.click()
    assert given == [None, Limits().times(10)] and session.error is None
    assert outdated(session) == "" and not panel.run_line.isVisible()
    session.close()


def test_a_program_that_trains_a_network_is_set_up_as_one_undo_step(panel, session, qtbot):
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    put(panel, TUTORIAL)
    assert panel.network_setup.isVisible()
    before = session.document
    panel.network_setup.click()
    qtbot.waitUntil(lambda: bool(told))
    assert "20 steps" in told[0] and "3.14072, 0.677439, 0.325005" in told[0]
    assert session.document.network.layer_sizes == (3, 4, 4, 1) and session.document.network.seed == 1337
    session.undo_stack.undo()
    assert session.document == before
    put(panel, "a = 1.0")
    assert not panel.network_setup.isVisible()
