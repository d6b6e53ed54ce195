"""The course: all lessons, the open one with its step, what was found of its goal, and the learner's progress.

Which examples were opened belongs to that progress.

A lesson has a document of its own: the user's work is set aside while a lesson is open, and comes back as it was. The
lesson's document is kept in a file of the application's data folder, so that a learner finds it as it was left.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile, QObject, QSignalBlocker

from engine.autograd import name_of
from engine.document import Document
from engine.file_access import FileProblem, make_private_folder, reason_of
from engine.lessons.goals import OF_NUMBERS, Finding
from engine.lessons.lesson_file import OWN_LESSONS, Lesson, LessonError, Step, lesson_called, read_folder
from engine.lessons.progress import LessonProgress, progress_in, read_opened, read_progress, write_progress
from engine.lessons.rehearsal import defined_names, document_at, judged_rules, position_at, shown_nodes
from engine.lessons.state import LessonState, TrainingFigures, WalkPosition
from engine.session_file.files import read_document
from engine.teaching.quiz import Score, read_answer
from engine.views.shown_walk import ALL
from gui.background import DRIVE_SECONDS, SOON_SECONDS, Job, once
from gui.scheduling import Throttle
from gui.session.change import Change
from gui.session.lesson_player import LessonPlayer
from gui.session.session import Session
from gui.session.unsaved import write

_log = logging.getLogger(__name__)
PROGRESS = "progress.json"
LOCK_MILLISECONDS = 500
LOOK_SECONDS = 0.1
"""Least interval between two looks at the goal while numbers change."""
KEEP_SECONDS = 5.0
"""Least interval between two writes of the lesson's document."""
CONCERNS = frozenset(
    {"expression", "data", "network", "training", "view", "program", "model", "moment", "graph", "numbers"}
) | {"selection", "nudge", "run", "recorded"}
"""Changes after which a goal may be met."""


def course_of(session: Session) -> Course:
    """Return the course of a session, made when it is first asked for."""
    found = session.findChild(Course)
    return found if isinstance(found, Course) else Course(session)


def _read_folders(folders: Sequence[Path]) -> tuple[list[Lesson], list[LessonError]]:
    """Return the lessons of a teacher's folders, named after them, and what is wrong with their files."""
    lessons: list[Lesson] = []
    errors: list[LessonError] = []
    names: set[str] = set()
    for folder in folders:
        name = folder.name if folder.name not in names else "/".join(folder.parts[-2:])
        names.add(name)
        found, wrong = read_folder(folder)
        lessons += [dataclasses.replace(each, name=f"{name}/{each.name}") for each in found]
        errors += wrong
    return lessons, errors


class Course(QObject):
    """Lessons, progress, and the open lesson.

    Attributes:
        lesson: the open one; None while the user's own work is shown.
        index: of its step, from 0.
        finding: the last look at the goal of the step; None for a step without a goal, or one that is met.
        feedback: a sentence on what is still missing, asked for or known as a misconception; "" for none.
        n_hints: number of hints of the step that are shown.
        is_solution_shown: the solution of the step was done in the learner's place.
        opened: names of the examples that were opened, now or at an earlier start.
        shows_everything: all panels and controls are shown, not only those that the lesson names.
    """

    def __init__(self, session: Session) -> None:
        """Create the course of a session without an open lesson."""
        super().__init__(session)
        self._session = session
        self.lesson: Lesson | None = None
        self.index = 0
        self.finding: Finding | None = None
        self.feedback = ""
        self.n_hints = 0
        self.is_solution_shown = self.shows_everything = False
        self._folders = [*session.lesson_folders, OWN_LESSONS]
        self._lessons: tuple[Lesson, ...] | None = None
        self._errors: tuple[LessonError, ...] = ()
        self._reading = Job("reading lessons", self)
        self._reading.delivered.connect(self._take_lessons)
        self._folder = session.lessons_folder
        self._progress = {} if self._folder is None else read_progress(self._folder / PROGRESS)
        self.opened = frozenset() if self._folder is None else read_opened(self._folder / PROGRESS)
        self._kept: Document | None = None
        self._begun: set[int] = set()
        self._is_checked = self._is_stopped = False
        self._first_finding: Finding | None = None
        self._forget_facts()
        self.player = LessonPlayer(session, self)
        self.player.ended.connect(self.look)
        self.player.answered.connect(self.give_answer)
        self._looks = Throttle(self.look, lambda: LOOK_SECONDS, self)
        self._keeps = Throttle(self.keep, lambda: KEEP_SECONDS, self)
        session.changed.connect(self._follow)
        session.stopping.connect(self.stop)
        session.runs_compared.connect(self._note_compared)

    def _forget_facts(self) -> None:
        self._predicted: dict[str, float] = {}
        self._nudged: dict[str, float] = {}
        self._compared: set[str] = set()
        self._has_chosen_h = False
        self.answer: str | float | None = None

    # Lessons

    def set_folders(self, folders: Sequence[Path]) -> None:
        """Take lessons from these folders, before our own; a lesson that is open stays."""
        if (wanted := [*folders, OWN_LESSONS]) != self._folders:
            self._folders, self._lessons = wanted, None
            self._reading.stop()
            self._session.announce("lesson")

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons in their order, those of a teacher's folders first; read from disk when first asked for.

        A folder with many lessons, or on a drive that does not answer, is not waited for; its lessons come later.
        """
        if self._lessons is None:
            self._lessons, self._errors = read_folder(OWN_LESSONS)
            if others := tuple(folder for folder in self._folders if folder != OWN_LESSONS):
                self._reading.start(others, once(lambda: _read_folders(others)))
                with QSignalBlocker(self._session):
                    self._reading.finish(time.monotonic() + SOON_SECONDS)
        return self._lessons

    def _take_lessons(self, folders: Sequence[Path], found: tuple[list[Lesson], list[LessonError]]) -> None:
        if self._lessons is None or folders != tuple(self._folders[:-1]):
            return
        lessons, errors = found
        self._lessons, self._errors = (*lessons, *self._lessons), (*errors, *self._errors)
        self._session.announce("lesson")

    def finish_reading(self) -> None:
        """Wait a moment for a teacher's lessons, as one of them may be wanted."""
        if self.lessons:
            self._reading.finish(time.monotonic() + DRIVE_SECONDS)

    @property
    def errors(self) -> tuple[LessonError, ...]:
        """Files of the folders that are no lessons, each with its line and reason."""
        return self._errors if self.lessons or self._errors else ()

    def progress(self, lesson: Lesson) -> LessonProgress:
        """Return the learner's progress in a lesson."""
        return progress_in(lesson, self._progress)

    def has_begun(self, lesson: Lesson) -> bool:
        """Return True when a lesson was opened before."""
        return lesson.name in self._progress

    @property
    def next_lesson(self) -> Lesson | None:
        """The lesson after the open one; without one the first that is not done; None when there is none."""
        lessons = self.lessons
        if self.lesson is not None:
            names = [each.name for each in lessons]
            later = names.index(self.lesson.name) + 1 if self.lesson.name in names else len(lessons)
            return lessons[later] if later < len(lessons) else None
        return next((each for each in lessons if not self.progress(each).is_done(each)), None)

    # The open lesson

    @property
    def step(self) -> Step | None:
        """The open step."""
        return None if self.lesson is None else self.lesson.steps[self.index]

    def is_met(self, index: int) -> bool:
        """Return True when a step of the open lesson has a goal that was met."""
        return self.lesson is not None and index in self.progress(self.lesson).met

    @property
    def is_step_done(self) -> bool:
        """True when the goal of the open step was met, or it has none."""
        return self.step is not None and (self.step.goal is None or self.is_met(self.index))

    def open(self, name: str) -> bool:
        """Open a lesson where it was left; return False with a message when there is none.

        Args:
            name: of the lesson, its title, or its number in the list.
        """
        lesson = lesson_called(name, self.lessons)
        if lesson is None and self._reading.busy:
            self.finish_reading()
            lesson = lesson_called(name, self.lessons)
        if lesson is None:
            self._session.message_posted.emit(f"There is no lesson {name}.", "error")
            return False
        with self._session.one_change():
            if self.lesson is not None:
                self.keep()
            elif not self._session.is_aside:
                self._session.set_aside()
            self.player.stop()
            document = self._kept_document(lesson)
            progress = self.progress(lesson)
            is_changed = document is not None and progress.beginning not in ("", lesson.beginning)
            self.lesson, self._kept = lesson, document
            self._forget_facts()
            self._session.nudge.begin()
            self._session.presenter.prediction.score = Score()
            self._begun = set(range(progress.step + 1)) if document is not None and not is_changed else set()
            try:
                self._session.reset_document(document or lesson.document)
            except ValueError:  # the kept document does not fit together
                self._begun.clear()
                self._session.reset_document(lesson.document)
            else:
                if is_changed and document is not None:
                    self._begin_changed(lesson, document)
            self._note(dataclasses.replace(progress, beginning=lesson.beginning))
            self._enter(progress.step)
        self._session.lesson_opened.emit()
        return True

    def _begin_changed(self, lesson: Lesson, document: Document) -> None:
        """Begin a lesson whose program or settings have changed; keep the document that the learner had left in it."""
        if (path := self._kept_file(lesson)) is not None:
            self._write_kept(path.with_suffix(".before.gradstep"), document)  # Undo ends with the session
        if self._begin_with(lesson.document, "begin the changed lesson"):
            told = f"“{lesson.title}” has been changed and begins again; Undo brings back what you left in it."
            self._session.message_posted.emit(told, "note")

    def leave(self, keep_program: bool = False) -> None:
        """Leave the open lesson: the user's own work comes back as it was.

        Args:
            keep_program: put the lesson's program into the user's own document, as an edit that undo takes back.
        """
        if self.lesson is None:
            return
        with self._session.one_change():
            self.keep()
            self._looks.cancel()
            self._keeps.cancel()
            self.player.stop()
            program = self._session.document.expression.text
            self.lesson = self.finding = self._kept = None
            self._session.take_back()
            if keep_program:
                self._session.edit("program of the lesson", expression={"text": program})
            self._session.announce("lesson")
        self._session.lesson_opened.emit()

    def start_over(self) -> None:
        """Begin the open lesson again, its document included; undo restores the learner's document."""
        if self.lesson is None:  # it was left while the menu was open
            return
        with self._session.one_change():
            self._begin_with(self.lesson.document, "start the lesson over")
            self._begun.clear()
            self._note(LessonProgress(self.lesson.digest, beginning=self.lesson.beginning))
            self._enter(0)

    def start_step_over(self) -> None:
        """Begin the open step again with the program and the settings that it is about; undo restores the learner's."""
        if self.lesson is None:  # it was left while the menu was open
            return
        progress = self.progress(self.lesson)
        with self._session.one_change():
            self._begin_with(document_at(self.lesson, self.index), "start the step over")
            self._begun = set(range(self.index))
            self._note(dataclasses.replace(progress, met=progress.met - {self.index}))
            self._enter(self.index)

    def _begin_with(self, document: Document, words: str) -> bool:
        """Put a document in the place of the learner's, and forget what was done; return True when it differs."""
        sections: dict[str, Any] = {
            name: {each.name: getattr(section, each.name) for each in dataclasses.fields(section)}
            for name in ("expression", "data", "network", "training", "view", "trained")
            if (section := getattr(document, name)) is not None
        }
        self.player.stop()
        before = self._session.document
        self._session.edit(words, **sections)
        self._session.presenter.prediction.end()
        self._session.select(None)
        self._forget_facts()
        return self._session.document != before

    def go_to(self, index: int) -> None:
        """Go to another step; a goal that is not met is skipped."""
        lesson = self.lesson
        if lesson is None or not 0 <= index < len(lesson.steps):
            return
        progress = self.progress(lesson)
        if index > self.index and not self.is_step_done:
            progress = dataclasses.replace(progress, skipped=progress.skipped | {self.index})
        with self._session.one_change():
            self._note(dataclasses.replace(progress, step=index))
            self._enter(index)
        self.keep()

    def _enter(self, index: int) -> None:
        assert self.lesson is not None
        self.index, self.n_hints, self.is_solution_shown = index, 0, False
        self.finding, self.feedback, self.answer, self._is_checked = None, "", None, False
        step = self.lesson.steps[index]
        for number in sorted(set(range(index + 1)) - self._begun):  # who skips steps finds what they set up
            self._begun.add(number)
            start = self.lesson.steps[number].start
            self.player.do(tuple(each for each in start if number == index or not each[0].startswith("walk")))
        self._first_finding = None
        presenter = self._session.presenter
        presenter.prediction.end()
        self.player.drop("hide")
        if step.goal is not None and step.goal.kind in OF_NUMBERS and presenter.position != ALL:
            presenter.set_position(ALL)  # a walk that was left half done would hide them
        self._hide_what_is_asked()
        self._session.announce("lesson")
        self._looks.request()

    def _hide_what_is_asked(self) -> None:
        """Hide the gradients that the step asks for, or the step after a text that is only read."""
        assert self.lesson is not None
        steps = self.lesson.steps
        index = next((number for number in range(self.index, len(steps)) if steps[number].goal is not None), None)
        if index is None or self.is_met(index) or (goal := steps[index].goal) is None or goal.kind != "predicted":
            return

        def asked(some: Sequence[Step]) -> tuple[str, ...]:
            goals = [each.goal for each in some if each.goal is not None and each.goal.kind == "predicted"]
            return tuple(goal.fields["node"] for goal in goals if "node" in goal.fields)

        self.player.do((("hide", (asked(steps[index:]), asked(steps[:index])) if "node" in goal.fields else ((), ())),))

    def show_everything(self, everything: bool) -> None:
        """Show all panels and controls, or those that the lesson names."""
        self.shows_everything = everything
        self._session.lesson_opened.emit()

    # What the learner does

    def give_answer(self, answer: str | float) -> None:
        """Answer the question of the step: with the text of a choice, or a number."""
        self.answer = answer
        self.check()

    def show_hint(self) -> None:
        """Show one more hint."""
        if self.step is not None and self.n_hints < len(self.step.hints):
            self.n_hints += 1
            self._session.announce("lesson")

    def show_solution(self) -> None:
        """Do the solution of the step in the learner's place."""
        if self.step is not None:
            self.is_solution_shown = True
            self.player.do(self.step.solution)
            self._session.announce("lesson")

    def check(self) -> None:
        """Look at the goal now, and say what is missing.

        Questions that an edit of the program has ended are asked again: the learner is told to answer them.
        """
        self._is_checked = True
        if self.lesson is not None and not self._session.presenter.prediction.questions:
            self._hide_what_is_asked()
        self._looks.call()

    def _note_compared(self, setting: str) -> None:
        if self.lesson is not None:
            self._compared.add(setting)
            self._looks.request()

    # Looking at the goal

    def _follow(self, change: Change) -> None:
        if self.lesson is None or self._is_stopped:
            return
        session = self._session
        self._has_chosen_h |= "nudge" in change
        is_nudged = bool(change & {"nudge", "selection"}) and self._has_chosen_h and session.nudge.h != 0.0
        if is_nudged and (value := session.presenter.value(session.selection)) is not None:
            name = name_of(value)
            self._nudged[name] = min(abs(session.nudge.h), self._nudged.get(name, math.inf))
        if "numbers" in change:
            for asked in session.presenter.prediction.questions:
                typed = read_answer(asked.text)
                if asked.verdict is not None and asked.verdict.is_number and typed is not None:
                    self._predicted[name_of(asked.value)] = typed
        if change & CONCERNS:
            self._looks.request()
            self._keeps.request()

    def look(self) -> None:
        """Look at the goal of the open step."""
        step = self.step
        if step is None or step.goal is None or self.is_met(self.index) or self.lesson is None:
            return
        finding = step.goal.look(self.state())
        feedback = "" if finding.met else step.goal.feedback(finding)
        if self._first_finding is None and not self.player.busy:
            self._first_finding = finding  # nothing is said of what the learner has not done
        is_known = any(sentence == feedback for _, sentence in step.goal.wrong) and finding != self._first_finding
        shown = feedback if is_known or self._is_checked else ""
        if self._is_checked and not finding.met and not shown:
            shown = "Nothing has been done for this goal yet."
        if finding.met:
            progress = self.progress(self.lesson)
            self._note(dataclasses.replace(progress, met=progress.met | {self.index}))
        if (finding, shown) != (self.finding, self.feedback):
            self.finding, self.feedback = finding, shown
            self._session.announce("lesson")
        if finding.met:
            self.keep()

    def state(self) -> LessonState:
        """Return the state that goals read."""
        session = self._session
        presenter, program = session.presenter, session.program
        ran = program.evaluation if session.error is None else session.error.evaluation
        chosen = (presenter.value(key) for key in (session.selection, session.compared))
        return LessonState(
            document=session.document,
            is_running=program.busy or presenter.busy or self.player.busy,
            error=session.error.message if session.error is not None else "",
            nodes=shown_nodes(presenter.graph_view),
            names=frozenset(program.variables) | defined_names(session.document.expression.text),
            output="\n".join(line.text for line in program.printed.lines),
            rules=judged_rules(ran) if ran is not None else None,
            predicted=dict(self._predicted),
            selected=tuple(name_of(value) for value in chosen if value is not None),
            position=self._position(),
            nudged=dict(self._nudged),
            answer=self.answer,
            training=self._figures(),
            compared=frozenset(self._compared),
        )

    def _position(self) -> WalkPosition:
        session = self._session
        presenter, lines = session.presenter, session.program.walk
        if lines.is_walking and not presenter.shows_network:
            if lines.done is not None and lines.position < lines.total:
                return WalkPosition("forward", "", lines.position, lines.done.line)
            return WalkPosition("end" if lines.position else "start", "", lines.position, lines.line or 0)
        if presenter.position == ALL or presenter.walk is None:
            return WalkPosition("end")
        return position_at(presenter.walk, presenter.position)

    def _figures(self) -> TrainingFigures:
        session, newest = self._session, self._session.newest
        seed = session.document.network.seed
        if newest is None:
            return TrainingFigures(seed)
        snapshot = newest.snapshot
        return TrainingFigures(
            seed=seed,
            steps=snapshot.step,
            loss=snapshot.loss,
            test_loss=snapshot.test_loss,
            accuracy=snapshot.accuracy,
            test_accuracy=snapshot.test_accuracy,
            diverged_at=newest.diverged_at,
        )

    # Keeping

    def _note(self, progress: LessonProgress) -> None:
        """Set the progress in the open lesson, and keep it."""
        assert self.lesson is not None
        name = self.lesson.name
        self._change_progress(lambda: self._progress.update({name: progress}))

    def note_opened(self, example: str) -> None:
        """Count an example, by its name, as opened."""

        def note() -> None:
            self.opened |= {example}

        if example not in self.opened:
            self._change_progress(note)

    def _change_progress(self, change: Callable[[], None]) -> None:
        """Change what the file has by now, and write it, under a lock, so that no window loses what another has."""
        if self._folder is None:
            change()
        else:
            file = self._folder / PROGRESS
            lock = QLockFile(f"{file}.lock")
            with suppress(OSError):  # writing says what is wrong
                make_private_folder(self._folder)
            lock.tryLock(LOCK_MILLISECONDS)  # without it the newest progress still is a good one
            try:
                self._progress |= read_progress(file)
                self.opened |= read_opened(file)
                change()
                write_progress(file, self._progress, self.opened)
            except OSError as error:
                self._session.message_posted.emit(f"Progress in lessons is not kept: {reason_of(error)}.", "error")
            finally:
                lock.unlock()
        self._session.announce("lesson")

    def _kept_file(self, lesson: Lesson) -> Path | None:
        return None if self._folder is None else self._folder / "kept" / f"{lesson.name}.gradstep"

    def _kept_document(self, lesson: Lesson) -> Document | None:
        """Return the document in which the learner has left a lesson; None where there is none that can be read."""
        path = self._kept_file(lesson)
        if path is None or not path.exists():
            return None
        try:
            return read_document(path).document
        except (OSError, FileProblem, ValueError) as error:
            _log.warning("%s cannot be read: %s", path.name, reason_of(error))
            return None

    def keep(self) -> None:
        """Write the document of the open lesson, unless it is written already."""
        if self.lesson is None or (path := self._kept_file(self.lesson)) is None:
            return
        document = dataclasses.replace(self._session.document, trained=self._session.trained_so_far)
        if document != self._kept:
            self._kept = document
            self._write_kept(path, document)

    def _write_kept(self, path: Path, document: Document) -> None:
        try:
            make_private_folder(path.parent)
            outcome: Any = write(path, document)
        except OSError as error:
            outcome = error
        if isinstance(outcome, Exception):
            _log.warning("%s was not kept: %s", path.name, reason_of(outcome))

    def stop(self) -> None:
        """Write what is to be kept, and stop for good."""
        self.keep()
        self._is_stopped = True  # what changes while the session closes is not looked at
        self._looks.cancel()
        self._keeps.cancel()
        self._reading.stop()
        self.player.stop()
