"""The Lesson panel: text, question, goal and hints of the open step; without an open lesson the list of all."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QTextBlockFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStackedLayout,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.autograd.notation import short
from engine.lessons.goals import Goal
from engine.lessons.lesson_file import Lesson, Step
from engine.lessons.lesson_text import LIVE_NUMBER, POINTER, with_live_numbers
from engine.lessons.rehearsal import shown_nodes
from engine.lessons.state import Shown
from engine.teaching.quiz import read_answer
from gui.number_texts import with_minus
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.session.course import course_of
from gui.theme import Colors, mono_font, set_style_property, set_text_sized, text_pixels
from gui.widgets.buttons import menu_button, push_button, set_words, tool_button
from gui.widgets.labels import ElidedLabel, literal_tip, muted_label
from gui.widgets.layouts import add_widgets, scrolled

TEXTS = {
    "empty": "Choose a lesson and press Return. A lesson has a program of its own; yours waits until you leave it.",
    "open tip": "Open the chosen lesson where you left it",
    "back": "◀ Previous",
    "back tip": "Go to the step before",
    "next": "Continue ▶",
    "next tip": "Go to the next step",
    "finish": "Next lesson ▶",
    "finish tip": "Open the lesson after this one",
    "last": "All lessons",
    "last tip": "Leave the lesson and choose another one",
    "check": "Check",
    "check tip": "Look at the goal, and say what is missing",
    "skip": "Skip",
    "skip tip": "Go on without having reached the goal",
    "hint": "Hint {number}/{count}",
    "hint tip": "Show a hint; each one is stronger than the one before",
    "solution": "Solution",
    "solution tip": "Have the solution done for you, and look at it",
    "more": "⋯",
    "more tip": "Start over, take the program along, all lessons",
    "start step over": "Start this step over",
    "start over": "Start this lesson over",
    "take along": "Leave, and put this program into my own work",
    "leave": "Leave the lesson",
    "answer": "your answer",
    "goal": "Goal",
    "done": "Done",
    "not yet": "Not yet",
    "solved": "This is the solution. Look at what it has changed, then go on.",
    "caption": "step {number} of {count}",
}
"""Texts of the panel."""
TEXT_PIXELS, DOT_PIXELS, LIST_INDENT = 15, 9, 18
NARROW = 500
"""Width in pixels of the designed size below which the buttons stand in two rows."""
DONE, BEGUN, NEW = "✓", "●", "○"


class LessonText(QTextBrowser):
    """Markdown of a lesson, as high as its text. It loads nothing: no picture, no style, no file, no address.

    Signals:
        pointed(str): the name of a control whose link was followed.
    """

    pointed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__(openLinks=False)
        self._markdown = ""
        self.setAccessibleName(name)
        self.setObjectName("lessonText")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.anchorClicked.connect(self._follow_link)
        self.document().setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(LIST_INDENT)

    def show_markdown(self, text: str) -> None:
        """Show a text, unless it is shown already."""
        if text != self._markdown:
            self._markdown = text
            features = QTextDocument.MarkdownFeature
            flags = features.MarkdownDialectGitHub | features.MarkdownNoHTML
            self.document().setMarkdown(text, flags)
            self._space_lines()
            self._fit()

    def _space_lines(self) -> None:
        """Give lines and paragraphs more room, but none between the lines of code."""
        cursor = QTextCursor(self.document())
        block = self.document().begin()
        while block.isValid():
            cursor.setPosition(block.position())
            form, following = block.blockFormat(), block.next()
            goes_on = form.nonBreakableLines() and following.isValid() and following.blockFormat().nonBreakableLines()
            form.setLineHeight(125.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            form.setTopMargin(0)
            form.setNonBreakableLines(False)  # a long line of code goes on below
            form.setBottomMargin(0 if goes_on else text_pixels(8))
            cursor.setBlockFormat(form)
            block = following

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Load nothing, whatever a text asks for."""
        return None

    def _follow_link(self, link: QUrl) -> None:
        if found := POINTER.fullmatch(link.toString()):
            self.pointed.emit(found[1])

    def _fit(self) -> None:
        self.document().setTextWidth(max(self.viewport().width(), 1))
        height = math.ceil(self.document().size().height()) + 2
        if height != self.height():
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def restyle(self) -> None:
        """Follow another size of letters."""
        text, self._markdown = self._markdown, ""
        self.show_markdown(text)


class _Choice(QWidget):
    """A choice of a question, whose text is wrapped; a click anywhere on it chooses it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.button = QRadioButton()
        self.button.setAccessibleName(text)
        self.label = QLabel(_with_code(text), wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.label.setObjectName("lessonText")
        row = add_widgets(QHBoxLayout(self), self.button, self.label, 1, margins=(0, 2, 0, 2), spacing=6)
        row.setAlignment(self.button, Qt.AlignmentFlag.AlignTop)

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.button.click()
        self.button.setFocus()


class _MainButton(QPushButton):
    """The button that leads on; Return presses it, as in a dialog."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class _Notice(QFrame):
    """A framed text: a goal, feedback, or a hint; `pointed` is called with the control whose link is followed."""

    def __init__(self, name: str, pointed: Callable[[str], object]) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._title.setProperty("title", True)
        self._text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self._text.setObjectName("lessonText")
        self._text.setAccessibleName(name)
        self._text.linkActivated.connect(pointed)
        add_widgets(QVBoxLayout(self), self._title, self._text, margins=(12, 8, 12, 8), spacing=3)
        self.hide()

    def show_text(self, title: str, text: str, kind: str) -> None:
        """Show a text under a title.

        Args:
            title: one or two words.
            text: of the lesson or the program; Markdown's code and emphasis are shown, nothing else is.
            kind: "good", "bad" or "plain".
        """
        self._title.setText(title)
        self._text.setText(_with_code(text))
        self._text.setVisible(bool(text))
        if self.property("kind") != kind:
            for each in (self, self._title):
                set_style_property(each, "kind", kind)
        self.show()

    @property
    def text(self) -> str:
        """Title and text without their faces."""
        document = QTextDocument()
        document.setHtml(self._text.text())
        return f"{self._title.text()} {document.toPlainText()}".strip()


def _with_code(text: str) -> str:
    """Return a text as HTML in which nothing is markup but `code`, **strong**, *emphasis* and links to controls."""
    shown = re.sub(rf"\[([^\]]+)\]\({POINTER.pattern}\)", r'<a href="\2">\1</a>', escape(text))
    shown = re.sub(r"`([^`]+)`", r'<span style="font-family: monospace">\1</span>', shown)
    shown = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", shown)
    shown = re.sub(r"(?<![*\w])\*([^*\s][^*]*)\*(?![*\w])", r"<i>\1</i>", shown)
    return shown.replace("\n", " ")


class Question(QWidget):
    """The question of a step: radio buttons for its choices, or a field for a number.

    Signals:
        answered(object): the text of a choice, or a number.
    """

    answered = Signal(object)

    def __init__(self, goal: Goal) -> None:
        super().__init__()
        self.choices = [_Choice(choice["text"]) for choice in goal.fields.get("choices", ())]
        self.field = QLineEdit(self)
        self.field.setVisible(not self.choices)
        asked = QLabel(_with_code(goal.fields["question"]), wordWrap=True, textFormat=Qt.TextFormat.RichText)
        asked.setObjectName("lessonText")
        asked.setProperty("title", True)
        column = add_widgets(QVBoxLayout(self), asked, *self.choices, margins=(0, 0, 0, 0), spacing=4)
        self._group = QButtonGroup(self)
        self._is_shown_only = False
        for choice in self.choices:
            self._group.addButton(choice.button)
            choice.button.clicked.connect(lambda _checked=False, choice=choice: self._choose(choice, True))
            # a screen reader toggles, without a click
            choice.button.toggled.connect(lambda on, choice=choice: self._choose(choice, on))
        if not self.choices:
            self.field.setAccessibleName(TEXTS["answer"])
            self.field.setPlaceholderText(TEXTS["answer"])
            self.field.setFont(mono_font(TEXT_PIXELS))
            self.field.setMaxLength(40)
            set_text_sized(self.field, setMaximumWidth=180)
            self.field.returnPressed.connect(self.give)
            column.addWidget(self.field)

    def _choose(self, choice: _Choice, is_chosen: bool) -> None:
        if is_chosen and not self._is_shown_only:
            self.answered.emit(choice.text)

    def give(self) -> bool:
        """Answer with what is typed or chosen; return False where there is nothing yet."""
        chosen = next((choice.text for choice in self.choices if choice.button.isChecked()), None)
        number = read_answer(self.field.text())
        set_style_property(self.field, "invalid", bool(self.field.text().strip()) and number is None)
        answer = chosen if chosen is not None else number if number is not None else self.field.text().strip()
        if not answer and answer != 0.0:
            self.field.setFocus()
            return False
        self.answered.emit(answer)
        if number is not None:
            self.field.selectAll()  # the next number that is typed replaces this one
        return True

    def show_answer(self, answer: str | float | None) -> None:
        """Show the answer that was given."""
        self._is_shown_only = True
        for choice in self.choices:
            choice.button.setChecked(choice.text == answer)
        self._is_shown_only = False
        if isinstance(answer, float) and read_answer(self.field.text()) != answer:
            self.field.setText(f"{answer:g}")


class LessonPanel(Panel):
    """The open step with everything that belongs to it, or the list of lessons."""

    depends_on = frozenset({"lesson", "numbers", "graph", "program"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.course = course_of(session)
        self._shown: tuple[str, int] | None = None
        self.question: Question | None = None
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._make_list())
        self._pages.addWidget(self._make_page(session))

    def _make_list(self) -> QWidget:
        page = QWidget()
        self.list = QListWidget()
        self.list.setAccessibleName("lessons")
        self.list.setWordWrap(True)
        self.list.setSpacing(2)
        self.list.itemActivated.connect(self._open_item)
        self.open_button = push_button("", TEXTS["open tip"], lambda: self._open_item(self.list.currentItem()))
        self.open_button.setProperty("primary", True)
        self.problems = muted_label(wrap=True)
        intro = muted_label(TEXTS["empty"], wrap=True)
        add_widgets(
            QVBoxLayout(page), intro, self.list, 1, self.problems, self.open_button, margins=(12, 10, 12, 10), spacing=8
        )
        self.list.currentItemChanged.connect(lambda *_items: self._name_open_button())
        return page

    def _make_page(self, session: Session) -> QWidget:
        page = QWidget()
        self.dots: list[QToolButton] = []
        self._dots = QHBoxLayout()
        self._dots.setSpacing(6)
        self.lesson_title = ElidedLabel()
        self.lesson_title.setProperty("muted", True)
        self.heading = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.heading.setObjectName("lessonHeading")
        self.text = LessonText("text of the lesson")
        self.text.pointed.connect(session.control_pointed)
        point = session.control_pointed.emit
        self.feedback, self.goal = _Notice("feedback", point), _Notice("goal", point)
        self.hints = [_Notice(f"hint {number}", point) for number in (1, 2, 3)]
        self._question_place = QVBoxLayout()
        inside = QWidget()
        column = add_widgets(
            QVBoxLayout(inside), self.lesson_title, self._dots, self.heading, self.text, self._question_place,
            self.feedback, self.goal, *self.hints, margins=(18, 12, 18, 12), spacing=10,
        )  # fmt: skip
        column.addStretch(1)
        self._area = scrolled(inside, downwards_only=True)
        course = self.course
        self.back_button = push_button(TEXTS["back"], TEXTS["back tip"], lambda: course.go_to(course.index - 1))
        self.hint_button = push_button("", TEXTS["hint tip"], course.show_hint)
        self.solution_button = push_button(TEXTS["solution"], TEXTS["solution tip"], course.show_solution)
        self.skip_button = push_button(TEXTS["skip"], TEXTS["skip tip"], self._go_on)
        self.main_button = _MainButton()
        self.main_button.clicked.connect(lambda: self._do_main())
        self.main_button.setProperty("primary", True)
        self.more = menu_button(TEXTS["more"], TEXTS["more tip"], "more about this lesson")
        menu = QMenu(self.more)
        menu.addAction(TEXTS["start step over"], course.start_step_over)
        menu.addAction(TEXTS["start over"], course.start_over)
        menu.addAction(TEXTS["take along"], lambda: course.leave(keep_program=True))
        menu.addAction(TEXTS["leave"], course.leave)
        self.more.setMenu(menu)
        helps = add_widgets(QHBoxLayout(), self.hint_button, self.solution_button, self.more, spacing=6)
        ways = add_widgets(QHBoxLayout(), self.back_button, self.skip_button, self.main_button, spacing=6)
        helps.addStretch(1)
        ways.insertStretch(0, 1)
        self._bar = add_widgets(QHBoxLayout(), helps, 1, ways, 1, margins=(12, 8, 12, 10), spacing=6)
        add_widgets(QVBoxLayout(page), self._area, 1, self._bar, margins=(0, 0, 0, 0), spacing=0)
        return page

    def minimumSizeHint(self) -> QSize:
        return QSize(text_pixels(220), text_pixels(200))

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_narrow = self.width() < text_pixels(NARROW)
        self._bar.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.text.restyle()

    # Following the session

    def refresh(self, change: Change) -> None:
        lesson, step = self.course.lesson, self.course.step
        if lesson is None or step is None:
            if "lesson" in change:
                self._shown = None
                self._pages.setCurrentIndex(0)
                self._show_list()
            return
        self._pages.setCurrentIndex(1)
        is_new = self._shown != (lesson.name, self.course.index)
        if is_new:
            self._show_step(lesson, step)
            self.text.setVisible(bool(step.text))
        self.text.show_markdown(with_numbers(step.text, self._nodes(step), self._hidden()))
        if "lesson" in change or is_new:
            self._show_goal(lesson, step)

    def _nodes(self, step: Step) -> Mapping[str, Shown]:
        return shown_nodes(self.session.presenter.graph_view) if LIVE_NUMBER.search(step.text) else {}

    def _hidden(self) -> frozenset[str]:
        """Names of the values whose gradient is to be predicted."""
        questions = self.session.presenter.prediction.questions
        return frozenset(asked.value.label for asked in questions if not asked.found)

    def _show_list(self) -> None:
        course, chosen = self.course, self.list.currentRow()
        self.list.clear()
        for number, lesson in enumerate(course.lessons, start=1):
            done = course.progress(lesson).is_done(lesson)
            mark = DONE if done else BEGUN if course.has_begun(lesson) else NEW
            item = QListWidgetItem(f"{mark}  {number} · {lesson.title}")
            item.setToolTip(literal_tip(f"{lesson.summary} ({lesson.minutes} minutes)"))
            item.setData(Qt.ItemDataRole.UserRole, lesson.name)
            self.list.addItem(item)
        following = course.next_lesson
        names = [lesson.name for lesson in course.lessons]
        if chosen < 0:
            chosen = names.index(following.name) if following is not None else 0
        self.list.setCurrentRow(chosen)
        self.problems.setText("\n".join(f"{each.file}, line {each.line}: {each.reason}" for each in course.errors))
        self.problems.setVisible(bool(course.errors))
        self._name_open_button()
        self.set_caption("")

    def _name_open_button(self) -> None:
        names = {lesson.name: lesson for lesson in self.course.lessons}
        item = self.list.currentItem()
        lesson = names.get(item.data(Qt.ItemDataRole.UserRole)) if item is not None else None
        self.open_button.setEnabled(lesson is not None)
        if lesson is not None:
            word = "Continue" if self.course.has_begun(lesson) else "Start"
            self.open_button.setText(f"{word} “{lesson.title}”")

    def _open_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.course.open(item.data(Qt.ItemDataRole.UserRole))

    def _show_step(self, lesson: Lesson, step: Step) -> None:
        """Show another step from its beginning."""
        self._shown = lesson.name, self.course.index
        names = [each.name for each in self.course.lessons]
        number = f"{1 + names.index(lesson.name)} · " if lesson.name in names else ""  # its folder may be gone, or late
        self.lesson_title.setText(f"{number}{lesson.title}")
        self.heading.setText(_with_code(step.title))
        self.heading.setVisible(step.title != lesson.title)
        if len(self.dots) != len(lesson.steps):
            for dot in self.dots:
                dot.deleteLater()
            self.dots = [self._make_dot(index) for index in range(len(lesson.steps))]
        if self.question is not None:
            self.question.deleteLater()
            self.question = None
        if step.goal is not None and step.goal.kind == "answer":
            self.question = Question(step.goal)
            self.question.answered.connect(self.course.give_answer)
            self._question_place.addWidget(self.question)
        self._area.verticalScrollBar().setValue(0)
        self._focus_next()

    def _focus_next(self) -> None:
        """Give the keyboard to what comes next, where it is in the panel already."""
        focus = self.focusWidget()
        if focus is not None and focus.hasFocus():
            self.take_focus()

    def take_focus(self) -> None:
        """Give the keyboard to the list of lessons, to the question, or to the main button."""
        if self.course.lesson is None:
            self.list.setFocus()
        elif self.question is None or self.course.is_step_done:
            self.main_button.setFocus()
        elif self.question.choices:
            self.question.choices[0].button.setFocus()
        else:
            self.question.field.setFocus()

    def _make_dot(self, index: int) -> QToolButton:
        dot = tool_button("", "", lambda: self.course.go_to(index))
        dot.setObjectName("dot")
        dot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        set_text_sized(dot, setFixedHeight=DOT_PIXELS)
        self._dots.addWidget(dot)
        return dot

    def _show_goal(self, lesson: Lesson, step: Step) -> None:
        """Show what was found of the goal, the hints, and the buttons that can be used now."""
        course, goal = self.course, step.goal
        for index, (dot, each) in enumerate(zip(self.dots, lesson.steps, strict=True)):
            here, met = index == course.index, course.is_met(index)
            state = "here" if here else "done" if met else "todo"
            spoken = f"Step {index + 1}: {each.title}" + (", done" if met else "")
            dot.setToolTip(literal_tip(spoken))
            dot.setAccessibleName(spoken)
            if dot.property("state") != state:
                set_style_property(dot, "state", state)
        is_done, is_last = course.is_step_done, course.index + 1 == len(lesson.steps)
        if self.question is not None:
            self.question.show_answer(course.answer)
        if goal is not None and is_done:
            self.feedback.show_text(TEXTS["done"], TEXTS["solved"] if course.is_solution_shown else "", "good")
        elif course.feedback:
            self.feedback.show_text(TEXTS["not yet"], course.feedback, "bad")
        else:
            self.feedback.hide()
        if self.feedback.isVisible():  # below a long question it would not be seen
            QTimer.singleShot(0, self, lambda: self._area.ensureWidgetVisible(self.feedback, 0, 8))
        if goal is None or goal.kind == "answer":
            self.goal.hide()
        else:
            self.goal.show_text(TEXTS["goal"], goal.wanted, "plain")
        for number, notice in enumerate(self.hints, start=1):
            if number <= min(course.n_hints, len(step.hints)):
                notice.show_text(TEXTS["hint"].format(number=number, count=len(step.hints)), step.hints[number - 1],
                                 "plain")  # fmt: skip
            else:
                notice.hide()
        self.back_button.setEnabled(course.index > 0)
        self.hint_button.setVisible(bool(step.hints))
        following = min(course.n_hints + 1, len(step.hints))
        self.hint_button.setText(TEXTS["hint"].format(number=following, count=len(step.hints)))
        self.hint_button.setEnabled(course.n_hints < len(step.hints) and not is_done)
        self.solution_button.setVisible(goal is not None)
        self.solution_button.setEnabled(not is_done)
        self.skip_button.setVisible(goal is not None and not is_done)
        if is_done and self.question is not None:
            self._focus_next()
        name = "check" if not is_done else "next" if not is_last else "finish" if course.next_lesson else "last"
        set_words(self.main_button, TEXTS[name])
        self.main_button.setToolTip(TEXTS[f"{name} tip"])
        self.set_caption(TEXTS["caption"].format(number=course.index + 1, count=len(lesson.steps)))

    # User actions

    def _do_main(self) -> None:
        if self.course.is_step_done:
            self._go_on()
        elif self.question is None or not self.question.give():
            self.course.check()

    def _go_on(self) -> None:
        """Go to the next step; after the last one to the next lesson, or to the list."""
        course = self.course
        if course.lesson is not None and course.index + 1 < len(course.lesson.steps):
            course.go_to(course.index + 1)
        elif course.next_lesson is not None:
            course.open(course.next_lesson.name)
        else:
            course.leave()


def with_numbers(text: str, nodes: Mapping[str, Shown], hidden: Sequence[str] | frozenset[str]) -> str:
    """Return a text with its live numbers: "?" for one that is not computed, or is to be predicted."""

    def number(node: str, which: str) -> str:
        shown = nodes.get(node)
        if shown is None or (which == "grad" and (shown.grad is None or node in hidden)):
            return "**?**"
        value = shown.data if which == "data" else shown.grad
        assert value is not None
        return f"**{with_minus(short(value))}**"

    return with_live_numbers(text, number)
