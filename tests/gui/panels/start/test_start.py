"""The Welcome page: its live example, doors, lists and published results; and what the window does at a start."""

import math

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from engine.document import Document
from engine.examples import gallery as published
from engine.examples.examples import examples
from engine.examples.gallery import run_gallery
from engine.examples.row import GalleryRow
from engine.lessons.lesson_file import OWN_LESSONS, read_folder
from engine.lessons.progress import LessonProgress, write_progress
from gui.main_window import MainWindow
from gui.panels.start import example_cards, gallery, start
from gui.session import Session
from gui.session.course import course_of
from gui.session.programs import Programs
from gui.theme import DARK, set_text_size, style_sheet


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Programs of the example run at once, and no pictures are drawn beside the tests."""
    monkeypatch.setattr(start, "BackgroundPrograms", Programs)
    monkeypatch.setattr(example_cards, "picture_of_example", lambda *_args: example_cards.QImage())


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


@pytest.fixture
def in_front(page, qtbot):
    """The page in the active window, so that its parts can have the focus."""
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    return page


def in_sight(page, widget, area):
    """Whether an area of a widget is inside the visible part of the page, from top to bottom."""
    viewport = page._area.viewport()
    top, bottom = (widget.mapTo(viewport, corner).y() for corner in (area.topLeft(), area.bottomLeft()))
    return top >= 0 and bottom <= viewport.height()


def texts_of_lessons(page, column):
    return [page.lessons.topLevelItem(row).text(column) for row in range(page.lessons.topLevelItemCount())]


# The live example and the doors


def test_the_live_example_follows_its_slider_and_leaves_the_users_document_alone(page, session):
    page.live.slider.setValue(-310)
    assert page.live.session.evaluation.variables["w"] == -3.1
    assert session.document == Document() and not session.modified


def test_the_live_graph_shows_the_numbers_of_the_slider(page):
    def numbers(name):
        boxes = {box.label: key for key, box in page.live.canvas.picture.boxes.items()}
        return page.live.canvas.readings[boxes[name]]

    page.live.slider.setValue(-400)
    output = f"{math.tanh(2.0 * -4.0 + 6.8813735870195432):.4f}".replace("-", "−")
    assert [numbers(name).data for name in ("w", "xw", "o")] == ["−4.0000", "−8.0000", output]
    before = numbers("w").grad
    page.live.slider.setValue(-200)
    assert numbers("w").data == "−2.0000" and numbers("w").grad != before


def test_shortcuts_of_the_window_are_its_own_on_the_page(make_window, qtbot):
    window = make_window(workspace="welcome")
    dock = window.docks["StartPanel"]
    qtbot.waitUntil(lambda: dock.is_made)
    keys = [keys for action in dock.panel.findChildren(QAction) for keys in action.shortcuts()]
    assert keys == []


def test_the_first_door_opens_the_next_lesson(page, session):
    assert page.doors[0].title.text() == "Start lesson 1"
    page.doors[0].button.click()
    course = course_of(session)
    assert course.lesson is course.lessons[0]


def test_the_other_doors_paste_train_and_browse(page, acted, qtbot):
    page.doors[1].button.click()
    qtbot.mouseClick(page.doors[2].title, Qt.MouseButton.LeftButton)
    assert acted == ["paste program", "workspace train"]
    page.doors[3].button.click()
    assert page.examples.isVisible() and not page.lessons.isVisible()
    qtbot.waitUntil(lambda: 0 <= page.choice.mapTo(page._area.viewport(), QPoint(0, 0)).y() <= 20)


def test_doors_stand_in_two_rows_in_a_narrow_window(page, qtbot):
    page.resize(600, 700)
    qtbot.waitUntil(lambda: len({door.y() for door in page.doors}) == 2)
    assert all(door.geometry().right() <= page.width() for door in page.doors)
    assert page.lessons.isColumnHidden(start.SUMMARY)


def test_the_wheel_over_the_graph_and_the_slider_scrolls_the_page(page, qtbot):
    page.resize(1000, 400)
    bar, w = page._area.verticalScrollBar(), page.live.slider.value()
    qtbot.waitUntil(lambda: bar.maximum() > 100)
    for widget in (page.live.canvas.viewport(), page.live.slider):
        before = bar.value()
        QTest.wheelEvent(page.windowHandle(), QPointF(widget.mapTo(page, widget.rect().center())), QPoint(0, -120))
        assert bar.value() > before
    assert page.live.canvas.mode != "free" and page.live.slider.value() == w


@pytest.mark.parametrize("percent", [100, 150])
@pytest.mark.parametrize("size", [(1400, 780), (1000, 580)])
def test_nothing_is_cut_off(page, qtbot, percent, size):
    try:
        set_text_size(percent)
        page.setStyleSheet(style_sheet())
        page.resize(*size)
        content = page._area.widget()
        qtbot.waitUntil(lambda: content.width() == page._area.viewport().width())
        for index in range(len(start.LISTS)):
            page.choice.buttons[index].click()
            for label in content.findChildren(QLabel):
                if label.isVisibleTo(content) and not label.wordWrap():
                    qtbot.waitUntil(lambda label=label: label.width() >= label.minimumSizeHint().width())
            right = content.rect().right()
            for part in (page.live, *page.doors, page.choice, page.lessons, page.examples, page.gallery):
                assert part.mapTo(content, part.rect().topRight()).x() <= right
    finally:
        set_text_size(100)


# The last session


def test_the_session_that_was_opened_is_offered_with_its_step(page, session, acted, tmp_path):
    assert not page.continue_button.isVisible()
    assert session.save(tmp_path / "mine.gradstep")
    assert page.last.text() == "Last session: mine.gradstep" and page.continue_button.isVisible()
    page.continue_button.click()
    assert acted == ["workspace understand"]


def test_beside_a_lesson_it_is_still_the_users_own_session_that_is_offered(page, session, acted, tmp_path):
    assert session.save(tmp_path / "mine.gradstep")
    course_of(session).open("1")
    assert page.last.text() == "Last session: mine.gradstep"
    page.continue_button.click()
    assert course_of(session).lesson is None and acted == ["workspace understand"]


# Lessons


def test_all_lessons_are_listed_with_their_minutes_and_opened_with_the_keyboard(page, session):
    course = course_of(session)
    assert texts_of_lessons(page, start.MINUTES) == [str(lesson.minutes) for lesson in course.lessons]
    page.lessons.setCurrentItem(page.lessons.topLevelItem(3))
    QTest.keyClick(page.lessons, Qt.Key.Key_Return)
    assert course.lesson is course.lessons[3]


def test_a_lesson_is_opened_by_one_click(page, session, qtbot):
    place = page.lessons.visualItemRect(page.lessons.topLevelItem(1)).center()
    qtbot.mouseClick(page.lessons.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert course_of(session).lesson is course_of(session).lessons[1]


def test_a_lesson_that_was_begun_is_continued_and_marked(page, session):
    course = course_of(session)
    course.open(course.lessons[0].name)
    course.leave()
    assert page.doors[0].button.text() == "Continue" and page.doors[0].title.text() == "Continue lesson 1"
    assert texts_of_lessons(page, start.STATE)[:2] == [f"at step 1 of {len(course.lessons[0].steps)}", ""]
    assert [text[0] for text in texts_of_lessons(page, 0)[:2]] == [start.BEGUN, start.NEW]


def test_a_lesson_whose_goals_are_met_is_done_and_the_next_one_is_offered(shown, session, tmp_path):
    first = read_folder(OWN_LESSONS)[0][0]
    progress = LessonProgress(first.digest, met=frozenset(range(len(first.steps))))
    write_progress(tmp_path / "progress.json", {first.name: progress})
    session.lessons_folder = tmp_path
    page = shown(start.StartPanel, 1000, 800)
    assert texts_of_lessons(page, start.STATE)[:2] == ["done", ""]
    assert page.doors[0].title.text() == "Start lesson 2"
    page.stop()


def test_without_lessons_the_page_says_so(page, session, monkeypatch):
    course = course_of(session)
    monkeypatch.setattr(course, "_lessons", ())
    session.announce("lesson")
    assert not page.lessons.isVisible() and page._no_lessons.isVisible()
    page.doors[0].button.click()
    assert course.lesson is None


# Examples


def test_all_examples_have_a_card_in_their_group(page):
    page.choice.buttons[start.EXAMPLES].click()
    assert [example for grid in page.examples.grids for example in grid.examples] == list(examples())
    for grid in page.examples.grids:
        last = grid.visualItemRect(grid.item(grid.count() - 1))
        assert grid.viewport().rect().contains(last)


def test_examples_are_opened_with_the_keyboard_and_kept_in_sight(in_front, acted, qtbot):
    page = in_front
    page.doors[3].button.click()
    first = page.examples.grids[0]
    assert first.hasFocus() and first.currentRow() == 0
    QTest.keyClick(first, Qt.Key.Key_Right)
    QTest.keyClick(first, Qt.Key.Key_Space)
    assert acted == [f"example {examples()[1].name}"]
    last = page.examples.grids[-1]
    qtbot.waitUntil(lambda: page._area.widget().height() > last.mapTo(page._area.widget(), QPoint(0, 0)).y() > 1000)
    last.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: in_sight(page, last.viewport(), last.visualItemRect(last.item(0))))


def test_an_example_that_was_opened_is_marked(page, session):
    course_of(session).note_opened(examples()[2].name)
    texts = [
        page.examples.grids[0].item(row).data(Qt.ItemDataRole.AccessibleTextRole)
        for row in range(page.examples.grids[0].count())
    ]
    assert ["opened" in text for text in texts[:4]] == [False, False, True, False]


def test_pictures_are_drawn_when_examples_are_first_shown_and_once_for_each_theme(page, qtbot, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        example_cards,
        "picture_of_example",
        lambda example, colors, _room: drawn.append((example.name, colors.name)) or example_cards.QImage(),
    )
    assert drawn == []
    page.choice.buttons[start.EXAMPLES].click()
    names = [example.name for example in examples()]
    qtbot.waitUntil(lambda: len(page.examples.grids[0].pictures) == len(names))
    page.choice.buttons[start.LESSONS].click()
    page.choice.buttons[start.EXAMPLES].click()
    assert drawn == [(name, "light") for name in names]
    page.set_colors(DARK)
    qtbot.waitUntil(lambda: len(page.examples.grids[0].pictures) == len(names))
    assert drawn[len(names) :] == [(name, "dark") for name in names]


# Published results


def rows_of(table):
    model = table.model()
    return [
        tuple(model.index(row, column).data() for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


def test_published_results_are_those_of_the_command_line(page, qtbot, acted):
    page.choice.buttons[start.PUBLISHED].click()
    rows = run_gallery()
    qtbot.waitUntil(lambda: not page.gallery.progress.isVisible())
    assert [row[2:] for row in rows_of(page.gallery.table)] == [
        (row.expected, row.obtained, row.difference, gallery.PASS) for row in rows
    ]
    assert page.gallery.summary.text() == f"{len(rows)} of {len(rows)} published numbers reproduced"
    page.gallery.table.setCurrentIndex(page.gallery.model.index(0, 0))
    QTest.keyClick(page.gallery.table, Qt.Key.Key_Return)
    assert acted == [f"example {rows[0].example}"]


def test_every_case_of_the_gallery_can_be_opened():
    cases = {case["id"] for kind in published.published_examples().values() for case in kind}
    assert cases <= {example.name for example in examples()}


def test_a_number_that_is_not_reproduced_is_marked(page, qtbot, monkeypatch):
    rows = [GalleryRow("A5", "One", "d", "4.0", "4.0", True), GalleryRow("A5", "One", "a.grad", "2.0", "3.0", False)]
    monkeypatch.setattr(gallery, "run_examples", lambda _cases: iter(rows))
    page.choice.buttons[start.PUBLISHED].click()
    qtbot.waitUntil(lambda: not page.gallery.progress.isVisible())
    assert [row[-1] for row in rows_of(page.gallery.table)] == [gallery.PASS, gallery.FAIL]
    colors = [page.gallery.model.index(row, 0).data(Qt.ItemDataRole.ForegroundRole) for row in range(2)]
    assert colors[0] is None and colors[1].name().upper() == page.colors.error
    assert page.gallery.summary.text() == "1 of 2 published numbers reproduced"


def test_page_keys_in_a_list_scroll_the_page(in_front, qtbot):
    page, bar = in_front, in_front._area.verticalScrollBar()
    page.resize(1000, 400)
    qtbot.waitUntil(lambda: bar.maximum() > 100)
    page.lessons.setFocus()
    page.lessons.setCurrentItem(page.lessons.topLevelItem(0))
    before = bar.value()
    QTest.keyClick(page.lessons, Qt.Key.Key_PageDown)
    assert bar.value() > before and page.lessons.currentIndex().row() == 0


# The window


def test_an_example_opened_from_any_place_counts_as_opened(make_window):
    window = make_window(workspace="welcome")
    window.action("example A5").trigger()
    assert course_of(window.session).opened == {"A5"}


def test_opened_examples_are_remembered(tmp_path):
    for expected in (frozenset(), {"A5"}):
        session = Session(programs=Programs())
        session.lessons_folder = tmp_path
        assert course_of(session).opened == expected
        course_of(session).note_opened("A5")
        session.close()


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


def test_the_menu_help_leads_to_the_published_results(make_window, qtbot):
    window = make_window(workspace="understand")
    window.action("published").trigger()
    page = window.docks["StartPanel"].panel
    assert window.workspace == "welcome"
    qtbot.waitUntil(lambda: page.gallery.table.isVisible())
