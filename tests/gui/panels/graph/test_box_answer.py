"""A hidden gradient is typed over its box, by mouse and by keys, at every zoom; the panel has the same answer."""

import pytest
from PySide6.QtCore import QPoint, Qt

from gui.panels.explanations.predict import PredictPanel
from gui.theme import text_pixels

TEXT = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e\n"


@pytest.fixture
def asked(panel, session, qtbot):
    """The graph panel with every gradient hidden."""
    qtbot.waitExposed(panel)
    panel.activateWindow()
    session.edit("text", expression={"text": TEXT})
    session.presenter.prediction.ask_all(session.presenter.graph_view)
    return panel


def click_gradient(panel, qtbot, key):
    at = panel.canvas.gradient_area(key).center().toPoint()
    qtbot.mouseClick(panel.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)


def answer(panel, qtbot, text):
    qtbot.keyClicks(panel.answer, text)
    qtbot.keyClick(panel.answer, Qt.Key.Key_Return)


@pytest.mark.slow
def test_a_click_on_a_question_mark_opens_a_field_over_it(asked, session, qtbot):
    click_gradient(asked, qtbot, "e")
    assert asked.answer.isVisible() and asked.answer.hasFocus() and session.selection == "e"
    assert asked.answer.accessibleName() == "gradient of e"
    assert asked.answer.geometry().contains(asked.canvas.gradient_area("e").center().toPoint())
    answer(asked, qtbot, "6")
    assert asked.answer.isVisible() and "the sign is not" in asked.answer.accessibleDescription()
    asked.answer.clear()
    answer(asked, qtbot, "-6")
    assert session.presenter.readings["e"].grad == "−6.0000"
    assert asked.answer.accessibleName() == "gradient of d"  # the next one that is hidden


@pytest.mark.slow
def test_what_is_wrong_with_an_answer_is_not_said_beside_another_box(asked, session, qtbot):
    click_gradient(asked, qtbot, "e")
    answer(asked, qtbot, "6")
    qtbot.keyClick(asked.answer, Qt.Key.Key_Tab)
    assert session.selection != "e" and "the sign is not" not in asked.answer.accessibleDescription()


@pytest.mark.slow
def test_a_click_elsewhere_on_a_box_only_selects_it(asked, session, qtbot):
    place = asked.canvas.mapFromScene(asked.canvas.centre_of("e"))
    box = asked.canvas.picture.boxes["e"]
    qtbot.mouseClick(asked.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place - QPoint(round(0.3 * box.width), 0))
    assert session.selection == "e" and not asked.answer.isVisible()


@pytest.mark.slow
def test_return_opens_the_field_tab_goes_on_and_escape_leaves(asked, session, qtbot):
    asked.canvas.setFocus()
    session.select("f")
    qtbot.keyClick(asked.canvas, Qt.Key.Key_Return)
    visited = [session.selection]
    for _ in range(5):
        qtbot.keyClick(asked.answer, Qt.Key.Key_Tab)
        visited.append(session.selection)
    assert sorted(visited[:5]) == ["a", "b", "d", "e", "f"] and visited[5] == "f"
    qtbot.keyClick(asked.answer, Qt.Key.Key_Backtab)
    assert session.selection == visited[4]
    qtbot.keyClick(asked.answer, Qt.Key.Key_Escape)
    assert not asked.answer.isVisible() and asked.canvas.hasFocus() and session.presenter.prediction.hidden


@pytest.mark.slow
def test_the_last_right_answer_closes_the_field_and_says_the_score(asked, session, qtbot):
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    asked.answer.open("f")
    rights = {"f": "1", "e": "-6", "d": "1", "b": "-8", "a": "-3"}
    while asked.answer.isVisible():
        answer(asked, qtbot, rights[session.selection])
    assert told == ["All are found: 5 at once, 0 later, 0 with a hint."]
    assert asked.canvas.hasFocus() and not session.presenter.prediction.hidden


@pytest.mark.slow
def test_a_question_mark_gives_the_hint(asked, session, qtbot):
    asked.answer.open("b")
    qtbot.keyClicks(asked.answer, "?-8")
    assert asked.answer.text() == "-8" and asked.answer.note.isVisible()
    assert "Hint for b.grad" in asked.answer.accessibleDescription()
    qtbot.keyClick(asked.answer, Qt.Key.Key_Return)
    assert session.presenter.prediction.score.hinted == 1


@pytest.mark.slow
def test_the_field_follows_pan_and_zoom_and_stays_legible(asked):
    asked.answer.open("e")
    for zoom in (2.0, 1.0, 0.3, 0.05):
        asked.canvas.set_zoom(zoom)
        asked.canvas.center_on("e")
        middle = asked.canvas.gradient_area("e").center().toPoint()
        assert (asked.answer.geometry().center() - middle).manhattanLength() <= 2
        assert asked.answer.font().pixelSize() >= text_pixels(13)
    asked.canvas.set_zoom(1.0)
    before = asked.answer.pos()
    asked.canvas.pan(40, 25)
    assert asked.answer.pos() == before + QPoint(40, 25)


@pytest.mark.slow
def test_the_panel_and_the_field_show_the_same_answer(asked, shown, session, qtbot):
    rows = shown(PredictPanel, 420, 420)
    asked.activateWindow()
    asked.answer.open("d")
    row = [question.key for question in session.presenter.prediction.questions].index("d")
    qtbot.keyClicks(asked.answer, "7")
    assert rows.answers[row].text() == "7"
    qtbot.keyClick(asked.answer, Qt.Key.Key_Return)
    assert rows.table.item(row, 3).text() == "✗" and "7 is not d.grad" in rows.page.plain_text()
    qtbot.keyClick(rows.answers[row], Qt.Key.Key_Backspace)
    qtbot.keyClicks(rows.answers[row], "1")
    qtbot.keyClick(rows.answers[row], Qt.Key.Key_Return)
    assert session.presenter.readings["d"].grad == "+1.0000" and rows.answers[row].isReadOnly()


@pytest.mark.slow
def test_another_program_closes_the_field(asked, session):
    asked.answer.open("d")
    session.edit("text", expression={"text": "a = 1.0\nb = a * 2"})
    assert not asked.answer.isVisible() and not asked.answer.note.isVisible()


@pytest.mark.slow
def test_a_gradient_is_hidden_and_asked_for_from_the_menu(panel, session, qtbot):
    qtbot.waitExposed(panel)
    panel.activateWindow()
    session.edit("text", expression={"text": TEXT})
    session.select("e")
    panel.action_set["predict one"].trigger()
    assert session.presenter.prediction.hidden == {"e"} and panel.answer.isVisible()
