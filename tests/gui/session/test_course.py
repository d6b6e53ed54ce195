"""Lessons in a session: every step of every lesson, the user's own work, progress and what is kept on disk."""

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer

from engine.document import Document, replace_section
from engine.lessons import read_folder
from engine.network.run.progress import RunState
from gui.session import Session
from gui.session import course as course_module
from gui.session.course import OWN_LESSONS, Course, course_of
from gui.session.programs import BackgroundPrograms, Programs
from gui.session.recovery import Recovery, find_copies

LESSONS = read_folder(OWN_LESSONS)[0]
BY_HAND = "01_a_slope_by_nudging"


@pytest.fixture
def course(session, tmp_path):
    session.lessons_folder = tmp_path / "lessons"
    return course_of(session)


def at_rest(course, session):
    return not (course.player.busy or session.program.busy or session.presenter.busy)


def enter(course, session, qtbot, index):
    course.go_to(index)
    qtbot.waitUntil(lambda: at_rest(course, session))
    course.look()


OF_EACH_KIND = (BY_HAND, "12_too_slow_too_fast", "25_your_engine_trains_a_network")
"""A graph by hand, a training, a program: `make test` plays these; all are played without a session, too."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(lesson.name, marks=[] if lesson.name in OF_EACH_KIND else pytest.mark.long) for lesson in LESSONS],
)
def test_the_goal_of_each_step_is_not_met_by_its_start_nor_by_a_mistake_and_is_met_by_its_solution(
    course, session, qtbot, name
):
    session.compare_requested.connect(session.runs_compared)  # in the window a panel trains both
    assert course.open(name)
    for index, step in enumerate(course.lesson.steps):
        enter(course, session, qtbot, index)
        if step.goal is None:
            assert course.is_step_done
            continue
        assert not course.is_met(index), step.title
        for wrong, sentence in step.goal.wrong:
            if step.goal.kind == "answer":
                course.give_answer(wrong)
                assert course.feedback == sentence and not course.is_met(index)
        course.show_solution()
        qtbot.waitUntil(lambda index=index: course.is_met(index), timeout=20_000)
        assert course.feedback == ""
    assert course.progress(course.lesson).is_done(course.lesson)


def test_the_users_own_work_comes_back_with_its_undo_history_and_its_mark(course, session, qtbot):
    session.edit("program", expression={"text": "q = 4.0\nz = q*q\n"})
    session.edit("rate", training={"learning_rate": 0.25})
    course.open(BY_HAND)
    assert not session.modified and not session.undo_stack.can_undo and session.is_aside
    session.edit("in the lesson", expression={"text": "x = 9.0\ny = x*x\n"})
    course.leave()
    assert session.document.expression.text == "q = 4.0\nz = q*q\n"
    assert session.document.training.learning_rate == 0.25 and session.modified and not session.is_aside
    session.undo_stack.undo_edit()
    session.undo_stack.undo_edit()
    assert session.document == Document()
    assert not session.modified


def test_a_trained_network_and_its_history_come_back(course, session, qtbot):
    session.training.make_steps(30)
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 30)
    before = session.trained_so_far
    course.open(BY_HAND)
    assert session.trained_so_far.step == 0
    course.leave()
    session.training.runner.report()
    qtbot.waitUntil(lambda: session.newest is not None)
    assert session.trained_so_far.parameters == before.parameters and session.modified
    session.training.view_step(12)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 12)


def test_a_training_that_runs_is_paused_when_a_lesson_is_opened(course, session, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 2)
    course.open(BY_HAND)
    assert session.run_state is not RunState.RUNNING
    course.leave()
    assert session.trained_so_far.step > 2


@pytest.mark.parametrize("end", ["close", "leave"])
def test_a_lesson_whose_training_runs_leaves_nothing_to_be_done_later(course, session, qtbot, end):
    course.open(BY_HAND)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    (session.close if end == "close" else course.leave)()
    session.discard_changes()  # pauses, which is a change
    assert not [timer for timer in course.findChildren(QTimer) if timer.isActive()]


def test_a_lesson_is_found_as_it_was_left_also_after_a_new_start(course, session, qtbot, tmp_path):
    course.open(BY_HAND)
    enter(course, session, qtbot, 2)
    session.edit("mine", expression={"text": "x = 5.0\nf = 3*x**2 - 4*x + 5\n"})
    course.leave()
    again = Session(programs=Programs())
    again.lessons_folder = tmp_path / "lessons"
    other = course_of(again)
    assert other.has_begun(other.lessons[0]) and not other.has_begun(other.lessons[1])
    assert other.open(BY_HAND)
    assert other.index == 2 and again.document.expression.text.startswith("x = 5.0")
    again.close()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"format": 99}'])
def test_a_damaged_file_of_a_lesson_begins_it_from_its_start(course, session, content, tmp_path):
    course.open(BY_HAND)
    session.edit("mine", expression={"text": "x = 5.0\n"})
    course.leave()
    (tmp_path / "lessons" / "kept" / f"{BY_HAND}.gradstep").write_bytes(content)
    assert course.open(BY_HAND)
    assert session.document.expression.text == course.lesson.document.expression.text


def test_start_over_can_be_undone(course, session, qtbot):
    course.open(BY_HAND)
    enter(course, session, qtbot, 1)
    course.give_answer(20.0)
    assert course.is_met(1)
    session.edit("mine", expression={"text": "x = 5.0\nf = x\n"})
    course.start_over()
    assert course.index == 0 and not course.is_met(1)
    assert session.document.expression.text == course.lesson.document.expression.text
    session.undo_stack.undo_edit()
    assert session.document.expression.text == "x = 5.0\nf = x\n"


def test_the_program_of_a_lesson_is_taken_along_as_an_edit(course, session):
    session.edit("mine", expression={"text": "q = 4.0\n"})
    course.open(BY_HAND)
    program = session.document.expression.text
    course.leave(keep_program=True)
    assert session.document.expression.text == program
    session.undo_stack.undo_edit()
    assert session.document.expression.text == "q = 4.0\n"


def test_a_goal_that_was_met_stays_met_when_the_state_moves_on(course, session, qtbot):
    course.open("06_why_plus_equals")
    enter(course, session, qtbot, 1)
    course.show_solution()
    qtbot.waitUntil(lambda: course.is_met(1))
    session.edit("other", expression={"text": "a = 1.0\n"})
    course.look()
    assert course.is_met(1)


def test_a_step_can_be_skipped_and_come_back_to(course, session, qtbot):
    course.open(BY_HAND)
    enter(course, session, qtbot, 1)
    course.go_to(2)
    progress = course.progress(course.lesson)
    assert progress.skipped == {1} and not progress.met
    course.go_to(1)
    course.give_answer(20.0)
    assert course.progress(course.lesson).met == {1}


def test_what_is_missing_is_said_when_it_is_asked_for(course, session, qtbot):
    course.open(BY_HAND)
    enter(course, session, qtbot, 2)
    assert course.feedback == ""
    course.check()
    assert "x" in course.feedback
    session.select(session.presenter.graph_view.box_of(session.presenter.graph_view.values[0]))


def test_a_gradient_that_is_to_be_predicted_is_hidden_and_shown_again_when_the_step_is_left(course, session, qtbot):
    course.open("06_why_plus_equals")
    enter(course, session, qtbot, 1)
    prediction = session.presenter.prediction
    assert prediction.hidden
    (asked,) = prediction.questions
    prediction.type(asked, "1")
    prediction.check(asked)
    qtbot.waitUntil(lambda: course.feedback != "")
    assert course.feedback in [says for _, says in course.step.goal.wrong]
    course.go_to(2)
    assert not prediction.hidden


def test_check_asks_again_for_a_gradient_that_an_edit_of_the_program_has_shown(course, session, qtbot):
    course.open("03_backpropagation_by_hand")
    enter(course, session, qtbot, 1)
    prediction, text = session.presenter.prediction, session.document.expression.text
    hidden = prediction.hidden
    session.edit("one", expression={"text": text.replace("10.0", "10.01")})
    qtbot.waitUntil(lambda: not prediction.hidden)
    session.edit("back", expression={"text": text})
    qtbot.waitUntil(lambda: at_rest(course, session))
    course.check()
    qtbot.waitUntil(lambda: prediction.hidden == hidden)


def test_recovery_keeps_the_users_own_work_while_a_lesson_is_open(course, session, tmp_path, qtbot):
    recovery = Recovery(session, tmp_path / "recovery")
    session.edit("mine", expression={"text": "q = 4.0\n"})
    course.open(BY_HAND)
    session.edit("in the lesson", expression={"text": "x = 9.0\n"})
    assert recovery.keep_now()
    recovery.lock.unlock()
    (copy,) = find_copies(tmp_path / "recovery")
    assert copy.document.expression.text == "q = 4.0\n"
    recovery.close()


def test_progress_that_cannot_be_written_is_told_and_the_lesson_goes_on(session, tmp_path):
    (tmp_path / "file").write_text("no folder")
    session.lessons_folder = tmp_path / "file"
    told = []
    session.message_posted.connect(lambda text, kind: told.append(kind))
    course = course_of(session)
    assert course.open(BY_HAND) and "error" in told
    course.go_to(1)
    course.give_answer(20.0)
    assert course.is_met(1)


def test_two_windows_lose_no_progress_of_each_other(course, session, tmp_path):
    other = Session()
    other.lessons_folder = tmp_path / "lessons"
    later = course_of(other)  # begins with what is written now: nothing
    course.note_opened("one")
    course.open(LESSONS[0].name)
    later.note_opened("two")
    later.open(LESSONS[1].name)
    read = Course(other)
    assert read.opened >= {"one", "two"}
    assert read.has_begun(LESSONS[0]) and read.has_begun(LESSONS[1])
    read.stop()
    other.close()


def test_lessons_of_a_teachers_folder_come_first_and_bad_files_are_named_with_their_line(session, tmp_path, qtbot):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "01_mine.md").write_text((OWN_LESSONS / f"{BY_HAND}.md").read_text())
    (folder / "02_bad.md").write_text("no lesson")
    session.lesson_folders = [folder]
    course = course_of(session)
    qtbot.waitUntil(lambda: course.lessons[0].name == "class/01_mine")
    assert len(course.lessons) == len(LESSONS) + 1
    assert [(error.file, error.line) for error in course.errors] == [("02_bad.md", 1)]
    assert course.open("class/01_mine")


def test_folders_of_one_name_each_have_their_lessons(session, tmp_path, qtbot):
    text = (OWN_LESSONS / f"{BY_HAND}.md").read_text()
    session.lesson_folders = [tmp_path / "a" / "lessons", tmp_path / "b" / "lessons"]
    for number, folder in enumerate(session.lesson_folders):
        folder.mkdir(parents=True)
        (folder / "one.md").write_text(text.replace('title = "', f'title = "{number} ', 1))
    course = course_of(session)
    qtbot.waitUntil(lambda: len(course.lessons) == len(LESSONS) + 2)
    for lesson, number in zip(course.lessons, "01", strict=False):
        assert course.open(lesson.name) and course.lesson.title.startswith(f"{number} ")


def test_a_lesson_that_its_teacher_has_changed_begins_with_its_new_program_and_undo_brings_the_old_one(
    session, tmp_path, qtbot
):
    file = tmp_path / "class" / "mine.md"
    file.parent.mkdir()
    session.lessons_folder, session.lesson_folders = tmp_path / "kept", [file.parent]
    file.write_text((OWN_LESSONS / f"{BY_HAND}.md").read_text())
    course = course_of(session)
    qtbot.waitUntil(lambda: len(course.lessons) > len(LESSONS))
    course.open("class/mine")
    program = course.lesson.document.expression.text
    mine = program + "# mine\n"
    session.edit("text", expression={"text": mine})
    course.leave()
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    for changed in (program, program.replace("3.0", "7.0", 1)):
        file.write_text(file.read_text().replace(program, changed))
        course.set_folders([])
        course.set_folders([file.parent])
        qtbot.waitUntil(lambda: len(course.lessons) > len(LESSONS))
        course.open("class/mine")
        assert session.document.expression.text == (mine if changed == program else changed)
        assert bool(told) is (changed != program)
        if changed == program:
            course.leave()
    session.undo_stack.undo_edit()
    assert session.document.expression.text == mine
    course.leave()
    assert "# mine" in (tmp_path / "kept" / "kept" / "class" / "mine.before.gradstep").read_text()


def test_words_of_a_lesson_that_change_leave_the_program_of_its_learner(session, tmp_path):
    session.lessons_folder = tmp_path
    course = course_of(session)
    course.open(BY_HAND)
    session.edit("text", expression={"text": "a = 1.0\n"})
    course.leave()
    changed = replace(course.lessons[0], digest="other", title="Another title")
    course._lessons = (changed, *course.lessons[1:])
    course.open(BY_HAND)
    assert session.document.expression.text == "a = 1.0\n"


def test_a_folder_that_is_read_slowly_is_not_waited_for(session, tmp_path, qtbot, monkeypatch):
    go_on, read = threading.Event(), course_module.read_folder

    def read_slowly(folder):
        if folder != OWN_LESSONS:
            go_on.wait()
        return read(folder)

    monkeypatch.setattr(course_module, "read_folder", read_slowly)
    monkeypatch.setattr(course_module, "SOON_SECONDS", 0.0)
    (tmp_path / "mine.md").write_text((OWN_LESSONS / f"{BY_HAND}.md").read_text())
    session.lesson_folders = [tmp_path]
    course = course_of(session)
    assert len(course.lessons) == len(LESSONS)
    go_on.set()
    qtbot.waitUntil(lambda: len(course.lessons) == len(LESSONS) + 1)


def test_a_lesson_whose_folder_is_taken_away_stays_open_and_none_follows_it(session, tmp_path, qtbot):
    (tmp_path / "mine.md").write_text((OWN_LESSONS / f"{BY_HAND}.md").read_text())
    session.lesson_folders = [tmp_path]
    course = course_of(session)
    qtbot.waitUntil(lambda: len(course.lessons) == len(LESSONS) + 1)
    course.open(course.lessons[0].name)
    course.set_folders([])
    assert len(course.lessons) == len(LESSONS)
    assert course.lesson is not None and course.next_lesson is None
    course.leave()


def test_without_a_lesson_nothing_starts_over(course, session):
    document = session.document
    course.start_over()
    course.start_step_over()
    assert course.lesson is None and session.document is document


def test_a_lesson_that_does_not_exist_changes_nothing(course, session):
    assert not course.open("99_missing") and not session.is_aside


def test_a_step_of_another_text_of_the_lesson_is_begun_from_the_first(course, session, qtbot):
    course.open(BY_HAND)
    course.go_to(3)
    lesson = course.lesson
    changed = replace(lesson, digest="other")
    assert course.progress(changed).step == 0


def test_a_document_that_trains_is_set_up_as_the_lesson_says(session, tmp_path):
    lesson = replace(LESSONS[0], document=replace_section(LESSONS[0].document, "network", layer_sizes=(2, 3, 1)))
    course = course_of(session)
    course._lessons = (lesson,)
    assert isinstance(course, Course) and course.open(lesson.name)
    assert session.document.network.layer_sizes == (2, 3, 1)


def test_a_solution_waits_for_each_run_of_a_program_that_runs_in_the_background(qapp, qtbot):
    session = Session(programs=BackgroundPrograms())
    course = course_of(session)
    course.open("04_follow_the_gradient")
    index = next(n for n, step in enumerate(course.lesson.steps) if dict(step.solution).keys() == {"sliders"})
    course.go_to(index)
    qtbot.waitUntil(lambda: at_rest(course, session))
    course.show_solution()
    qtbot.waitUntil(lambda: course.is_met(index))
    session.close()


def test_a_solution_by_sliders_says_that_the_program_has_an_error(course, session, qtbot):
    course.open("04_follow_the_gradient")
    index = next(n for n, step in enumerate(course.lesson.steps) if dict(step.solution).keys() == {"sliders"})
    enter(course, session, qtbot, index)
    messages = []
    session.message_posted.connect(lambda text, _kind: messages.append(text))
    broken = "\n\n)" + session.document.expression.text
    session.edit("break it", expression={"text": broken})
    qtbot.waitUntil(lambda: session.error is not None)
    course.show_solution()
    qtbot.waitUntil(lambda: any("error in line 3" in message for message in messages))
    assert session.document.expression.text == broken


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (("edit", ("a number that is not there", "1")), "0 times"),
        (("sliders", {"nothing": 1.0}), "no slider 'nothing'"),
        (("select", "nothing"), "no node 'nothing'"),
        (("paths", ("nothing", "less")), "no node 'nothing'"),
    ],
)
def test_a_step_that_the_learners_program_has_no_place_for_says_so_and_changes_nothing(
    course, session, qtbot, action, reason
):
    course.open(BY_HAND)
    enter(course, session, qtbot, 0)
    messages, before = [], session.document
    session.message_posted.connect(lambda text, _kind: messages.append(text))
    course.player.do((action, ("program", "a = Value(9.0)\n")))
    qtbot.waitUntil(lambda: at_rest(course, session) and bool(messages))
    assert reason in messages[0] and session.document == before


def test_a_program_without_a_graph_has_no_phase_to_walk_to(course, session, qtbot):
    messages = []
    session.message_posted.connect(lambda text, _kind: messages.append(text))
    course.player.do((("program", "print(1)\n"), ("walk_to", "backward")))
    qtbot.waitUntil(lambda: at_rest(course, session) and bool(messages))
    assert "no graph" in messages[0]


def test_what_would_give_a_prediction_away_is_hidden_with_it(course, session, qtbot):
    course.open("03_backpropagation_by_hand")
    index = next(n for n, step in enumerate(course.lesson.steps) if step.goal and step.goal.fields.get("node") == "d")
    enter(course, session, qtbot, index)
    hidden = {asked.value.label for asked in session.presenter.prediction.questions}
    assert hidden == {"a", "b", "c", "d", "e", "f"}


def test_a_step_that_is_started_over_has_its_program_and_its_goal_again(course, session, qtbot):
    course.open(BY_HAND)
    goals = [step.goal.kind if step.goal else "" for step in course.lesson.steps]
    last = goals.index("gradient")
    enter(course, session, qtbot, last)
    course.show_solution()
    qtbot.waitUntil(lambda: course.is_met(last))
    mended = session.document.expression.text
    enter(course, session, qtbot, last - 1)
    assert session.document.expression.text == mended  # what was done is not taken away without being asked
    course.go_to(last)
    course.start_step_over()
    qtbot.waitUntil(lambda: at_rest(course, session))
    assert "x = 3.0" in session.document.expression.text and not course.is_met(last)
    session.undo_stack.undo_edit()
    assert session.document.expression.text == mended


@pytest.mark.parametrize("name", ["06_why_plus_equals", "12_too_slow_too_fast"])
def test_each_step_can_be_started_over(course, session, qtbot, name):
    course.open(name)
    for index in range(len(course.lesson.steps)):
        enter(course, session, qtbot, index)
        course.start_step_over()
        qtbot.waitUntil(lambda: at_rest(course, session))
        assert course.index == index and session.error is None


def hidden_in(session):
    return {asked.value.label for asked in session.presenter.prediction.questions if not asked.found}


def test_what_later_steps_ask_for_is_hidden_while_the_introduction_is_read(course, session, qtbot):
    course.open("03_backpropagation_by_hand")
    qtbot.waitUntil(lambda: at_rest(course, session))
    assert course.step.goal is None and hidden_in(session) == {"a", "b", "c", "d", "e", "f", "L"}


def test_what_was_asked_for_before_and_what_lies_on_the_way_to_the_output_is_shown(course, session, qtbot):
    course.open("03_backpropagation_by_hand")
    goals = [step.goal for step in course.lesson.steps]
    asked = {goal.fields["node"]: n for n, goal in enumerate(goals) if goal is not None and goal.kind == "predicted"}
    enter(course, session, qtbot, asked["c"])
    assert hidden_in(session) == {"a", "b", "c", "e"}
    enter(course, session, qtbot, asked["a"])
    assert hidden_in(session) == {"a", "b"}


def test_who_skips_steps_does_not_find_the_walk_of_one_of_them(course, session, qtbot):
    course.open(BY_HAND)
    goals = [step.goal.kind if step.goal else "" for step in course.lesson.steps]
    enter(course, session, qtbot, goals.index("selected"))
    assert course.state().position.phase == "end"


def test_a_lesson_begins_with_the_first_distance_of_a_nudge_and_no_score(course, session):
    session.nudge.choose(1e-16)
    session.presenter.prediction.score.first = 3
    course.open(BY_HAND)
    assert session.nudge.h == session.nudge.first and session.presenter.prediction.score.first == 0


def test_a_known_mistake_that_the_step_begins_with_is_not_held_against_the_learner(course, session, qtbot):
    course.open("04_follow_the_gradient")
    index = next(n for n, step in enumerate(course.lesson.steps) if step.title == "Move all four")
    enter(course, session, qtbot, index)
    assert course.feedback == ""
    course.check()
    assert course.feedback in [says for _, says in course.step.goal.wrong]


def test_a_nudge_counts_whether_its_size_or_the_box_was_chosen_first(course, session, qtbot):
    course.open(BY_HAND)
    enter(course, session, qtbot, 2)
    view = session.presenter.graph_view
    key = next(view.box_of(value) for value in view.values if value.label == "x")
    session.select(key)
    course.look()
    assert not course.is_met(2)
    session.select(None)
    session.nudge.choose(0.1)
    course.look()
    assert not course.is_met(2)
    session.select(key)
    course.look()
    assert course.is_met(2)
