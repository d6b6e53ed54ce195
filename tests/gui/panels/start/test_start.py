"""The Welcome page: its live example, doors, lists and published results; and what the window does at a start."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from engine.document import Document, replace_section
from engine.examples.examples import examples
from engine.examples.gallery import run_gallery
from gui.main_window import MainWindow
from gui.panels.start import start
from gui.panels.start.thumbnails import picture_of
from gui.session import Session
from gui.session.course import course_of
from gui.session.programs import Programs
from gui.theme import LIGHT


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Programs of the example run at once, and no pictures are drawn beside the tests."""
    monkeypatch.setattr(start, "BackgroundPrograms", Programs)
    monkeypatch.setattr(start, "picture_of", lambda *_args: None)


@pytest.fixture
def page(shown):
    page = shown(start.StartPanel, 1000, 800)
    yield page
    page.stop()


@pytest.fixture
def acted(session):
    found = []
    session.action_requested.connect(found.append)
    return found


def test_the_live_example_follows_its_slider_and_leaves_the_users_document_alone(page, session):
    page.live.slider.setValue(-310)
    assert page.live.session.evaluation.variables["w"] == -3.1
    assert session.document == Document() and not session.modified


def test_the_first_door_opens_the_next_lesson(page, session):
    page.doors[0].click()
    course = course_of(session)
    assert course.lesson is course.lessons[0]


def test_a_lesson_that_was_begun_is_continued_and_marked(page, session):
    course = course_of(session)
    course.open(course.lessons[0].name)
    course.leave()
    assert page.doors[0].text() == "Continue"
    assert page.lists[0].topLevelItem(0).text(3) == start.BEGUN
    assert page.lists[0].topLevelItem(1).text(3) == start.NEW


def test_the_other_doors_paste_train_and_browse(page, acted):
    for door in page.doors[1:3]:
        door.click()
    assert acted == ["paste program", "workspace train"]
    page.doors[3].click()
    assert page.lists[1].isVisible() and page.lists[1].currentItem() is not None


def test_all_lessons_and_examples_are_listed_and_opened_with_the_keyboard(page, session, acted):
    assert page.lists[0].topLevelItemCount() == len(course_of(session).lessons)
    assert page.lists[1].topLevelItemCount() == len(examples())
    page.doors[3].click()
    QTest.keyClick(page.lists[1], Qt.Key.Key_Down)
    QTest.keyClick(page.lists[1], Qt.Key.Key_Return)
    assert acted == [f"example {examples()[1].name}"]
    page.choice.buttons[0].click()
    page.lists[0].setCurrentItem(page.lists[0].topLevelItem(3))
    QTest.keyClick(page.lists[0], Qt.Key.Key_Return)
    assert course_of(session).lesson is course_of(session).lessons[3]


def test_published_results_are_those_of_the_command_line(page, qtbot, acted):
    page.choice.buttons[2].click()
    rows = run_gallery()
    qtbot.waitUntil(lambda: page.lists[2].topLevelItemCount() == len(rows))
    shown = [page.lists[2].topLevelItem(number) for number in range(len(rows))]
    assert [(item.text(3), item.text(4), item.text(5)) for item in shown] == [
        (row.expected, row.obtained, row.difference) for row in rows
    ]
    assert all(item.text(0) == start.PASS for item in shown)
    page.lists[2].setCurrentItem(shown[0])
    QTest.keyClick(page.lists[2], Qt.Key.Key_Return)
    assert acted == [f"example {rows[0].example}"]


def test_doors_stand_in_two_rows_in_a_narrow_window(page, qtbot):
    page.resize(600, 700)
    qtbot.waitUntil(lambda: len({card.y() for card in page._cards}) == 2)
    assert all(card.geometry().right() <= page.width() for card in page._cards)


@pytest.mark.parametrize("shows", ["expression", "network"])
def test_a_thumbnail_has_the_size_asked_for(qapp, shows):
    image = picture_of(replace_section(Document(), "view", shows=shows), LIGHT, 96, 54)
    assert (image.width(), image.height()) == (96, 54)


def test_a_program_is_pasted_as_an_edit_and_shown(make_window):
    window = make_window(workspace="welcome")
    QGuiApplication.clipboard().setText("k = 3.0\nm = k*k\n")
    before = window.session.document.expression.text
    window.action("paste program").trigger()
    assert window.session.document.expression.text == "k = 3.0\nm = k*k\n" and window.workspace == "understand"
    window.action("undo").trigger()
    assert window.session.document.expression.text == before


def test_without_a_text_on_the_clipboard_nothing_is_replaced(make_window):
    window = make_window(workspace="welcome")
    QGuiApplication.clipboard().clear()
    before = window.session.document
    window.action("paste program").trigger()
    assert window.session.document == before and window.workspace == "understand"


def test_the_page_does_not_come_back_at_the_next_start_and_the_file_is_remembered(tmp_path, qtbot):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    window = MainWindow(Session(programs=Programs()), theme="light", settings=settings, workspace="welcome")
    qtbot.addWidget(window)
    window.show()
    assert window.workspace == "welcome"
    assert window.session.save(tmp_path / "mine.gradstep")
    assert window.close()
    again = MainWindow(Session(programs=Programs()), theme="light", settings=settings, workspace="welcome")
    qtbot.addWidget(again)
    assert again.workspace == "understand"
    assert settings.value("last file") == str(tmp_path / "mine.gradstep")
    assert again.close()
