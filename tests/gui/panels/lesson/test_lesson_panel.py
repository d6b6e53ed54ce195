"""The Lesson panel as a learner uses it: list, text, question, feedback, hints, solution, keyboard."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from engine.lessons.goals import Goal
from engine.lessons.lesson_file import Step
from engine.lessons.state import Shown
from gui.panels.lesson.lesson import LessonPanel, LessonText, with_numbers
from gui.session.course import course_of

BY_HAND = "01_a_slope_by_nudging"


@pytest.fixture
def panel(shown):
    return shown(LessonPanel, 430, 700)


@pytest.fixture
def open_step(panel, session, qtbot):
    """Opens a step of a lesson."""

    def open_at(index, name=BY_HAND):
        course = course_of(session)
        course.open(name)
        course.go_to(index % len(course.lesson.steps))
        qtbot.waitUntil(lambda: not (course.player.busy or session.presenter.busy))
        return course

    return open_at


def test_a_lesson_is_chosen_with_the_keyboard(panel, session):
    panel.list.setCurrentRow(2)
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    course = course_of(session)
    assert course.lesson is course.lessons[2] and course.lesson.title in panel.lesson_title.text()


def test_the_list_says_which_lessons_are_done_begun_and_new_and_offers_the_next_one(panel, session, open_step):
    course = open_step(1)
    course.leave()
    marks = [panel.list.item(row).text()[0] for row in range(3)]
    assert marks[0] != marks[1] == marks[2]
    assert course.lessons[0].title in panel.open_button.text()


def test_a_number_is_answered_with_return_and_a_wrong_one_brings_its_sentence(panel, open_step):
    course = open_step(1)
    QTest.keyClicks(panel.question.field, "44")
    QTest.keyClick(panel.question.field, Qt.Key.Key_Return)
    assert "minus sign" in panel.feedback.text and not course.is_step_done
    panel.question.field.selectAll()
    QTest.keyClicks(panel.question.field, "40/2")
    panel.main_button.click()
    assert course.is_step_done and panel.main_button.text() == "Continue ▶"


def test_a_text_that_is_no_number_is_marked_and_named(panel, open_step):
    course = open_step(1)
    QTest.keyClicks(panel.question.field, "2,06")
    QTest.keyClick(panel.question.field, Qt.Key.Key_Return)
    assert panel.question.field.property("invalid") and "2,06" in course.feedback
    assert panel.question.field.text() == "2,06" and not course.is_step_done


def test_a_click_on_the_text_of_a_choice_chooses_it(panel, session, open_step):
    course = open_step(-1)
    wrong = panel.question.choices[1]
    QTest.mouseClick(wrong.label, Qt.MouseButton.LeftButton)
    assert course.answer == wrong.text and course.feedback == dict(course.step.goal.wrong)[wrong.text]
    assert panel.feedback.isVisible()


def test_hints_come_one_by_one_and_the_solution_is_marked_as_one(panel, open_step, qtbot):
    course = open_step(1)
    assert not panel.hints[0].isVisible()
    panel.hint_button.click()
    assert panel.hints[0].isVisible() and not panel.hints[1].isVisible()
    panel.hint_button.click()
    assert panel.hints[1].isVisible() and not panel.hint_button.isEnabled()
    panel.solution_button.click()
    qtbot.waitUntil(lambda: course.is_step_done)
    assert "solution" in panel.feedback.text and panel.question.field.text() == "20"


def test_check_says_what_is_missing_where_nothing_was_done(panel, open_step):
    open_step(2)
    panel.main_button.click()
    assert panel.feedback.isVisible() and "x" in panel.feedback.text


def test_steps_are_reached_by_their_marks_which_say_what_is_done(panel, open_step):
    course = open_step(1)
    course.give_answer(20.0)
    panel.dots[4].click()
    assert course.index == 4
    assert panel.dots[1].property("state") == "done" and panel.dots[4].property("state") == "here"
    assert "done" in panel.dots[1].accessibleName()


def test_after_the_last_step_the_next_lesson_opens(panel, session, open_step, qtbot):
    course = open_step(-1)
    course.give_answer("0.14")
    assert panel.main_button.text() == "Next lesson ▶"
    panel.main_button.click()
    assert course.lesson is course.lessons[1] and course.index == 0


def test_a_link_points_at_a_control(panel, session, open_step):
    open_step(2)
    pointed = []
    session.control_pointed.connect(pointed.append)
    cursor = panel.text.document().find("field of h")
    cursor.setPosition(cursor.position() - 3)  # in the middle of the link
    rect = panel.text.cursorRect(cursor)
    QTest.mouseMove(panel.text.viewport(), rect.center())
    QTest.mouseClick(panel.text.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert pointed == ["nudge.h"]


def test_live_numbers_follow_the_program(panel, session, open_step, qtbot):
    open_step(6)
    qtbot.waitUntil(lambda: "grad: 14" in panel.text.toPlainText())
    session.edit("x", expression={"text": "x = 4.0\nf = 3*x**2 - 4*x + 5\n"})
    qtbot.waitUntil(lambda: "grad: 20" in panel.text.toPlainText())


@pytest.mark.parametrize(
    ("nodes", "hidden", "expected"),
    [
        ({"a": Shown(3.0, 2.0)}, (), "**2** of **3**"),
        ({"a": Shown(3.0, 2.0)}, ("a",), "**?** of **3**"),
        ({"a": Shown(3.0)}, (), "**?** of **3**"),
        ({}, (), "**?** of **?**"),
        ({"a": Shown(-0.5, float("nan"))}, (), "**undefined** of **−0.5**"),
    ],
)
def test_a_live_number_is_a_question_mark_where_it_may_not_be_seen(nodes, hidden, expected):
    assert with_numbers("{a.grad} of {a.data}", nodes, hidden) == expected


def test_the_page_is_as_wide_as_the_panel_and_nothing_is_cut(panel, open_step):
    open_step(-1)
    for width in (240, 430):
        panel.resize(width, 500)
        buttons = (panel.back_button, panel.hint_button, panel.solution_button, panel.skip_button, panel.main_button)
        for widget in [*buttons, *(choice.label for choice in panel.question.choices)]:
            if widget.isVisible():
                assert widget.mapTo(panel, widget.rect().bottomRight()).x() <= panel.width()
                assert widget.width() >= widget.minimumSizeHint().width()


def test_a_lesson_is_worked_through_with_the_keyboard_alone(panel, open_step, qtbot):
    course = open_step(0)
    panel.activateWindow()
    panel.main_button.setFocus()
    qtbot.waitUntil(panel.main_button.hasFocus)
    QTest.keyClick(panel.main_button, Qt.Key.Key_Return)
    assert course.index == 1
    qtbot.waitUntil(panel.question.field.hasFocus)
    QTest.keyClicks(panel.question.field, "20")
    QTest.keyClick(panel.question.field, Qt.Key.Key_Return)
    assert course.is_step_done and panel.main_button.hasFocus()
    QTest.keyClick(panel.main_button, Qt.Key.Key_Return)
    assert course.index == 2


HOSTILE = [
    "<img src='file:///etc/passwd'>",
    "![x](file:///etc/passwd)",
    "<script>alert(1)</script>",
    "[a](file:///etc/passwd) <a href='https://example.org'>x</a>",
    "https://example.org <https://example.org>",
    "<style>body { background: url(file:///etc/passwd) }</style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_of_any_kind_loads_nothing_and_its_links_lead_nowhere(qtbot, text, monkeypatch):
    page = LessonText("text")
    qtbot.addWidget(page)
    asked, pointed = [], []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda *url: asked.append(url))
    page.pointed.connect(pointed.append)
    page.show_markdown(text)
    page.show()
    block = page.document().begin()
    while block.isValid():
        for fragment in block:
            if href := fragment.fragment().charFormat().anchorHref():
                page.anchorClicked.emit(href)
        block = block.next()
    assert asked == [] and pointed == []


@pytest.mark.parametrize("text", HOSTILE)
def test_questions_choices_and_feedback_show_markup_as_text(panel, session, open_step, text):
    course = open_step(1)
    choices = [{"text": text, "right": True}, {"text": "b", "says": text}]
    goal = Goal.checked({"kind": "answer", "question": text, "choices": choices})
    step = Step("title", "", 1, goal=goal, hints=(text,))
    course.lesson = replace(course.lesson, steps=(step,) * len(course.lesson.steps))
    panel._shown = None
    session.announce("lesson")
    course.show_hint()
    course.give_answer("b")
    labels = [label for label in panel.findChildren(QLabel) if label.textFormat() == Qt.TextFormat.RichText]
    shown = [label.text() for label in labels if label.text()]
    assert shown and not any("<img" in each or "<script" in each or "<a " in each or "<style" in each for each in shown)
