"""Lessons in the window: what is shown, pointing at controls, leaving, closing and the next start."""

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMessageBox

from engine.lessons.controls import CONTROLS
from gui.arrangement import LESSON_PLACES, PANELS
from gui.lesson_view import PANEL_OF, PARTS
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.programs import Programs

BY_HAND, MOONS = "01_a_slope_by_nudging", "16_moons_with_the_max_margin_loss"


def shown_panels(window):
    return {name for name, dock in window.docks.items() if not dock.isHidden()}


@pytest.fixture
def lesson_window(make_window, tmp_path):
    window = make_window(workspace="understand", size=(1440, 870))
    window.session.lessons_folder = tmp_path / "lessons"
    return window


def test_every_control_that_a_lesson_can_name_is_in_the_window():
    assert set(PANEL_OF) | set(PARTS) == set(CONTROLS)
    assert set(LESSON_PLACES) <= set(PANELS)
    for name in CONTROLS:
        part = name.partition(".")[0]
        assert part in CONTROLS


def test_each_control_can_be_pointed_at(lesson_window, qtbot):
    window = lesson_window
    window.course.open(BY_HAND)
    for name in CONTROLS:
        widget = PARTS[name](window) if name in PARTS else window.docks[PANEL_OF[name]]
        assert widget is not None
    window.session.control_pointed.emit("nudge.h")
    field = window.docks["NudgePanel"].panel.h
    qtbot.waitUntil(window.lessons.pointer.isVisible)
    assert window.lessons.pointer.geometry().contains(
        window.lessons.pointer.parent().mapFromGlobal(field.mapToGlobal(field.rect().center()))
    )


def test_only_what_the_lesson_names_is_shown_until_everything_is_asked_for(lesson_window, qtbot):
    window = lesson_window
    window.course.open(BY_HAND)
    assert window.workspace == "lesson"
    assert shown_panels(window) == {"LessonPanel", "ExpressionPanel", "NudgePanel", "LensPanel"}
    assert not window.graph_panel.stepper.isVisible()
    qtbot.waitUntil(lambda: not window.main_bar.item("next").isVisible())
    window.action("lesson everything").trigger()
    assert {"ExplainPanel", "OutputPanel", "PredictPanel"} <= shown_panels(window)
    assert window.graph_panel.stepper.isVisible()
    qtbot.waitUntil(lambda: window.main_bar.item("next").isVisible())
    window.action("lesson everything").trigger()
    assert "ExplainPanel" not in shown_panels(window)


def test_another_workspace_leaves_the_lesson_and_the_lesson_workspace_shows_the_list(lesson_window, qtbot):
    window = lesson_window
    text = window.session.document.expression.text
    window.course.open(BY_HAND)
    assert window.session.document.expression.text != text
    window.action("workspace train").trigger()
    assert window.session.document.expression.text == text and window.workspace == "train"
    window.action("workspace lesson").trigger()
    assert window.workspace == "lesson" and window.course.lesson is None
    qtbot.waitUntil(window.docks["LessonPanel"].panel.list.isVisible)


def test_what_was_said_of_other_work_is_gone_when_a_lesson_opens(lesson_window):
    window = lesson_window
    window.show_message("Stopped at the step limit: 200.")
    window.course.open(BY_HAND)
    assert window.message.message == ""


def test_the_program_has_room_for_the_longest_one_of_the_lesson(lesson_window):
    window = lesson_window
    window.course.open("06_why_plus_equals")
    longest = max(text.count("\n") for text in window.course.lesson.programs)
    assert longest > window.session.document.expression.text.count("\n")
    assert window.workspaces.program_lines == longest


def test_training_in_a_lesson_stays_in_it(lesson_window, qtbot):
    window = lesson_window
    window.course.open(MOONS)
    qtbot.waitUntil(lambda: window.action("step").isEnabled())
    window.action("step").trigger()
    qtbot.waitUntil(lambda: window.session.newest is not None and window.session.newest.snapshot.step == 1)
    assert window.workspace == "lesson training" and window.course.lesson.name == MOONS


def test_leave_lesson_goes_back_to_the_workspace_before_it(lesson_window):
    window = lesson_window
    window.show_workspace("train")
    window.course.open(BY_HAND)
    window.action("leave lesson").trigger()
    assert window.workspace == "train" and not window.session.is_aside
    assert not window.action("leave lesson").isEnabled()


def test_opening_a_file_from_a_lesson_replaces_the_users_work_not_the_lesson(lesson_window, tmp_path, qtbot):
    window = lesson_window
    path = tmp_path / "mine.txt"
    path.write_text("m = 3.0\nn = m*m\n")
    window.course.open(BY_HAND)
    window.files.open_path(path)
    qtbot.waitUntil(lambda: window.session.document.expression.text.startswith("m = 3.0"))
    assert not window.session.is_aside
    window.course.open(BY_HAND)
    assert window.session.document.expression.text == window.course.lesson.document.expression.text


def test_new_and_examples_leave_the_lesson(lesson_window, qtbot):
    window = lesson_window
    for act in (window.files.new, window.action("example A24").trigger):
        window.course.open(BY_HAND)
        act()
        qtbot.waitUntil(lambda: not window.session.is_aside)


def test_the_title_names_the_lesson_and_then_the_users_file_again(lesson_window):
    window = lesson_window
    before = window.windowTitle()
    window.course.open(BY_HAND)
    assert "A slope by nudging" in window.windowTitle()
    window.leave_lesson()
    assert window.windowTitle() == before


def opened(tmp_path, qtbot):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    session = Session(programs=Programs())
    session.lessons_folder = tmp_path / "lessons"
    window = MainWindow(session, theme="light", settings=settings)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    return window


def test_a_window_that_is_closed_in_a_lesson_opens_in_it(tmp_path, qtbot):
    window = opened(tmp_path, qtbot)
    window.course.open(BY_HAND)
    window.course.go_to(3)
    window.session.edit("mine", expression={"text": "x = 7.0\nf = x*x\n"})
    assert window.close()
    again = opened(tmp_path, qtbot)
    qtbot.waitUntil(lambda: again.session.is_aside)
    assert again.course.lesson.name == BY_HAND and again.course.index == 3
    assert again.session.document.expression.text == "x = 7.0\nf = x*x\n"
    assert again.close()


def test_closing_in_a_lesson_asks_about_the_users_own_work(lesson_window, qtbot):
    window = lesson_window
    window.session.edit("mine", expression={"text": "q = 1.0\n"})
    window.course.open(BY_HAND)
    assert not window.close()
    (box,) = window.findChildren(QMessageBox)
    assert box.isVisible()
    box.reject()
    assert window.session.document.expression.text == "q = 1.0\n"


def test_larger_text_keeps_everything_of_a_lesson_reachable(lesson_window, qtbot):
    window = lesson_window
    window.course.open(BY_HAND)
    window.set_text_size(150)
    try:
        panel = window.docks["LessonPanel"].panel
        for button in (panel.main_button, panel.skip_button, panel.solution_button):
            if button.isVisible():
                assert not button.visibleRegion().isEmpty()
    finally:
        window.set_text_size(100)


def test_the_solution_of_a_comparison_trains_both_runs_side_by_side(lesson_window, qtbot):
    window = lesson_window
    window.course.open("19_momentum_and_adam")
    goals = [step.goal.kind if step.goal is not None else "" for step in window.course.lesson.steps]
    window.course.go_to(goals.index("compared"))
    qtbot.waitUntil(lambda: not window.course.player.busy)
    window.course.show_solution()
    qtbot.waitUntil(lambda: window.course.is_step_done)
    assert window.docks["SideBySidePanel"].panel.running
