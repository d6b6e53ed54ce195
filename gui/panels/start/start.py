"""The Welcome page: a live example, four doors, and lists of lessons, examples and published results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSlider,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.autograd.notation import counted
from engine.document import Document, replace_section
from engine.lessons.lesson_file import Lesson
from engine.messages import visible
from gui.canvas.graph_canvas import GraphCanvas
from gui.panels.panel import Panel
from gui.panels.start.example_cards import ExampleCards
from gui.panels.start.gallery import Gallery
from gui.panels.start.lists import PageList, PageScrolling, show_top_in_page
from gui.panels.start.recent_cards import RecentCards
from gui.session import Change, Session
from gui.session.change import EVERYTHING
from gui.session.course import course_of
from gui.session.programs import BackgroundPrograms
from gui.session.recent import recent_of
from gui.theme import Colors, text_pixels
from gui.unexpected import contained
from gui.widgets.buttons import push_button
from gui.widgets.choices import Segments
from gui.widgets.labels import literal_tip, muted_label, small_letters
from gui.widgets.layouts import add_layout, add_widgets, scrolled

PROGRAM = "x = 2.0\nw = {w:.2f}\nb = 6.8813735870195432\no = tanh(x*w + b)\n"
FIRST_W, LEAST_W, LARGEST_W, TICKS = -3.0, -5.0, -2.0, 100
PREPARING = "Python is being prepared. This happens once."
TITLE, SUBTITLE = "See how a program learns", "Drag w: the graph and every gradient follow."
LIVE_HEIGHT, NARROW_HEIGHT, SIDE_WIDTH, NARROW = 210, 150, 210, 860
"""Height of the graph, and in a narrow page; width of its slider; below which a page is narrow. Pixels at 100 %."""
RECENT, LESSONS, EXAMPLES, PUBLISHED = range(4)
LISTS = (
    ("Recent files", "Sessions and programs that were opened or saved last"),
    ("Lessons", "From the first slope to an engine of your own"),
    ("Examples", "Programs and networks that are ready to run"),
    ("Published results", "Numbers that others have published, and what is obtained here"),
)
NEW, BEGUN, DONE = "○", "●", "✓"
SUMMARY, MINUTES, STATE = 1, 2, 3
"""Columns of the lessons."""


class LiveExample(QFrame):
    """A small program with its graph and a slider; it has a session of its own, so the user's is not touched.

    Attributes:
        session: its own.
        canvas, slider: the graph, and the number that can be changed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("liveExample")
        document = replace_section(Document(), "expression", text=PROGRAM.format(w=FIRST_W))
        document = replace_section(document, "view", direction="right", hide_constants=True)
        self.session = Session(document, BackgroundPrograms())
        self.session.setParent(self)
        self.session.changed.connect(self._follow)
        self.canvas = GraphCanvas()
        self.canvas.setFrameShape(QFrame.Shape.NoFrame)
        self.canvas.notes = self.session.presenter.notes
        self.canvas.node_selected.connect(self.session.select)
        self.canvas.resized.connect(lambda: self.session.presenter.placement.set_room(self.canvas.room, True))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(LEAST_W * TICKS), round(LARGEST_W * TICKS))
        self.slider.setValue(round(FIRST_W * TICKS))
        self.slider.setPageStep(20)
        self.slider.setAccessibleName("w, a number of the example")
        self.slider.valueChanged.connect(self._move)
        self._number = small_letters(QLabel(), 12)
        for widget in (self.canvas.viewport(), self.slider):
            PageScrolling(widget)
        self._side = QWidget()
        line = add_widgets(QHBoxLayout(), QLabel("w"), self._number)
        line.insertStretch(1, 1)
        column = add_widgets(QVBoxLayout(self._side), line, self.slider, margins=(16, 8, 20, 12), spacing=4)
        column.insertStretch(0, 1)
        column.addStretch(1)
        self._row = add_widgets(QHBoxLayout(self), self.canvas, 1, self._side, margins=(3, 3, 3, 3), spacing=0)
        self._follow(EVERYTHING)
        self._move(self.slider.value())

    def _follow(self, change: Change) -> None:
        presenter = self.session.presenter
        with contained(self):
            if "graph" in change:
                self.canvas.show_picture(presenter.prepared)
                self.canvas.show_readings(presenter.readings)
            elif "numbers" in change:
                self.canvas.show_readings(presenter.readings)
            if "selection" in change:
                self.canvas.select(self.session.selection)
            if "program" in change:
                program = self.session.program
                hint = PREPARING if program.is_preparing else program.trouble
                self.canvas.set_hint("" if presenter.picture.boxes else hint)

    def set_narrow(self, narrow: bool) -> None:
        """Set the slider below the graph, or to the right of it."""
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._row.setDirection(direction)
        self.canvas.setFixedHeight(text_pixels(NARROW_HEIGHT if narrow else LIVE_HEIGHT))
        self._side.setFixedWidth(self.width() - 2 if narrow else text_pixels(SIDE_WIDTH))

    def _move(self, tick: int) -> None:
        w = tick / TICKS
        self._number.setText(f"{w:.2f}".replace("-", "−"))
        self.session.edit("w", merge="w", expression={"text": PROGRAM.format(w=w)})


class Door(QFrame):
    """A way to begin: a title, one line and a button; a click anywhere on it is one on the button.

    Attributes:
        title, line, button: its parts.
    """

    def __init__(self, title: str, line: str, word: str, do: Callable[[], object]) -> None:
        """Create a door; `word` stands on the button, which calls `do`."""
        super().__init__()
        self.setObjectName("door")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.title, self.line = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), muted_label(wrap=True)
        self.title.setObjectName("doorTitle")
        self.button: QPushButton = push_button(word, "", do)
        row = add_widgets(QHBoxLayout(), self.button)
        row.addStretch(1)
        column = add_widgets(QVBoxLayout(self), self.title, self.line, margins=(16, 12, 16, 14), spacing=6)
        column.addStretch(1)
        add_layout(column, row)
        self.show_texts(title, line, word)

    def show_texts(self, title: str, line: str, word: str) -> None:
        """Show other texts."""
        self.title.setText(title)
        self.line.setText(line)
        self.button.setText(word)
        self.button.setAccessibleName(title)
        self.button.setAccessibleDescription(line)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.button.click()


class StartPanel(Panel):
    """The page. What it opens is opened by actions of the window and by the course.

    Attributes:
        live: the example.
        doors: lesson, program, network, examples.
        last, continue_button: the session that is open, and the button that goes on with it.
        choice: which of the lists is shown.
        recent, lessons, examples, gallery: the lists.
    """

    depends_on = frozenset({"lesson", "file", "run"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.course = course_of(session)
        self.live = LiveExample()
        title = QLabel(TITLE)
        title.setObjectName("startTitle")
        act = session.action_requested.emit
        self.doors = (
            Door("Lessons", "", "Start", self._open_next_lesson),
            Door("Paste a program", "A whole tutorial, its own class Value included. It runs as written.", "Paste",
                 partial(act, "paste program")),
            Door("Train a network", "Moons, spirals, your own points: watch the boundary move.", "Open",
                 partial(act, "workspace train")),
            Door("Open an example", "An engine step by step, one mistake each, published networks.", "Browse",
                 partial(self.show_list, EXAMPLES)),
        )  # fmt: skip
        self.doors[0].setProperty("first", True)
        self.doors[0].button.setProperty("primary", True)
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        for place, door in enumerate(self.doors):
            self._grid.addWidget(door, 0, place)  # before the parts below: the Tab key follows this order
        self.last = muted_label()
        self.continue_button = push_button("Continue", "Go on with this session", self._continue)
        last = add_widgets(QHBoxLayout(), self.last, self.continue_button, spacing=10)
        last.addStretch(1)
        self.choice = Segments(LISTS)
        self.choice.clicked.connect(self._show_list)
        choice = add_widgets(QHBoxLayout(), self.choice)
        choice.addStretch(1)
        self.lessons = self._make_lesson_list()
        self._no_lessons = muted_label("There are no lessons in the folders of lessons.", wrap=True)
        self.examples, self.gallery = ExampleCards(), Gallery()
        self.examples.example_chosen.connect(self._open_example)
        self.gallery.case_chosen.connect(self._open_example)
        self.recent = RecentCards(session)
        self.recent.file_chosen.connect(session.file_requested)
        self._lists: tuple[QWidget, ...] = (self.recent, self.lessons, self.examples, self.gallery)
        page = QWidget()
        page.setObjectName("startPage")
        column = add_widgets(
            QVBoxLayout(page), title, muted_label(SUBTITLE), self.live, self._grid, last, choice, self._no_lessons,
            *self._lists, margins=(28, 18, 28, 24), spacing=12,
        )  # fmt: skip
        column.addStretch(1)
        self._area = scrolled(page, downwards_only=True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        add_widgets(QVBoxLayout(self), self._area, margins=(0, 0, 0, 0))
        self._shown_lessons: tuple[Lesson, ...] | None = None
        self._fill_lessons()
        self._show_list(RECENT if recent_of(session).paths else LESSONS)
        self._place_parts()

    def _make_lesson_list(self) -> QTreeWidget:
        table = QTreeWidget()
        table.setObjectName("lessonList")
        table.setHeaderLabels(["Lesson", "What it is about", "Minutes", "Progress"])
        table.headerItem().setTextAlignment(MINUTES, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        table.setRootIsDecorated(False)
        table.setAlternatingRowColors(True)
        table.setUniformRowHeights(True)
        table.header().setStretchLastSection(False)
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._lesson_rows = PageList(table, "Lessons", self._open_lesson)
        return table

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.live.canvas.set_colors(colors)
        self.examples.set_colors(colors)
        self.recent.set_colors(colors)
        self.gallery.set_colors(colors)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_parts()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # another size of text
            self._place_parts()

    def _place_parts(self) -> None:
        """Place the doors in a row, or two below two in a narrow window, which lists the lessons by title alone."""
        narrow = self.width() < text_pixels(NARROW)
        across = 2 if narrow else 4
        for place, door in enumerate(self.doors):
            self._grid.addWidget(door, place // across, place % across)
        for column in range(4):
            self._grid.setColumnStretch(column, int(column < across))
        self.live.set_narrow(narrow)
        self.lessons.setColumnHidden(SUMMARY, narrow)
        for column, stretches in ((0, narrow), (SUMMARY, not narrow)):
            mode = QHeaderView.ResizeMode.Stretch if stretches else QHeaderView.ResizeMode.ResizeToContents
            self.lessons.header().setSectionResizeMode(column, mode)

    # What is shown

    def refresh(self, change: Change) -> None:
        self._fill_lessons()
        self.examples.show_opened(self.course.opened)
        work = self.session.own_work
        for widget in (self.last, self.continue_button):
            widget.setVisible(work.path is not None)
        if work.path is not None:
            step = work.document.trained.step
            self.last.setText(f"Last session: {visible(work.path.name)}" + (f", step {step:,}" if step else ""))

    def _fill_lessons(self) -> None:
        course, lessons = self.course, self.course.lessons
        if lessons != self._shown_lessons:
            self._shown_lessons = lessons
            self.lessons.clearSelection()
            self.lessons.clear()
            self._lesson_items = [QTreeWidgetItem(["", each.summary, str(each.minutes), ""]) for each in lessons]
            self.lessons.addTopLevelItems(self._lesson_items)
        for row, lesson in enumerate(lessons):
            item, progress = self._lesson_items[row], course.progress(lesson)
            mark, state = NEW, ""
            if progress.is_done(lesson):
                mark, state = DONE, "done"
            elif course.has_begun(lesson):
                mark, state = BEGUN, f"at step {progress.step + 1} of {len(lesson.steps)}"
            item.setTextAlignment(MINUTES, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setToolTip(SUMMARY, literal_tip(lesson.summary))
            item.setText(0, f"{mark}  {row + 1} · {lesson.title}")
            item.setToolTip(0, literal_tip(f"{lesson.title}\n{lesson.summary}"))
            item.setText(STATE, state)
        self._show_next_lesson()
        self._show_list(self.choice.chosen)

    def _show_next_lesson(self) -> None:
        course, lesson = self.course, self.course.next_lesson
        if lesson is None:
            line = "All lessons are done. Open any of them again." if course.lessons else "There are no lessons."
            self.doors[0].show_texts("Lessons", line, "Browse")
            return
        number = 1 + course.lessons.index(lesson)
        word = "Continue" if course.has_begun(lesson) else "Start"
        line = f"{lesson.title}. {counted(lesson.minutes, 'minute')}{', nothing to know before' * (number == 1)}."
        self.doors[0].show_texts(f"{word} lesson {number}", line, word)

    def show_list(self, index: int) -> None:
        """Show one of the lists and go to it: `RECENT`, `LESSONS`, `EXAMPLES` or `PUBLISHED`."""
        self._show_list(index)
        (self.recent.grid, self.lessons, self.examples.grids[0], self.gallery.table)[index].setFocus(
            Qt.FocusReason.OtherFocusReason
        )
        QTimer.singleShot(0, self, lambda: show_top_in_page(self.choice))  # when the list has its height

    def _show_list(self, index: int) -> None:
        self.choice.choose(index)
        for place, each in enumerate(self._lists):
            each.setVisible(place == index and (place != LESSONS or bool(self.course.lessons)))
        self._no_lessons.setVisible(index == LESSONS and not self.course.lessons)

    # User actions

    def _continue(self) -> None:
        if self.course.lesson is not None:
            self.course.leave()
        trains = self.session.trained_so_far.step > 0
        self.session.action_requested.emit(f"workspace {'train' if trains else 'understand'}")

    def _open_next_lesson(self) -> None:
        if self.course.next_lesson is not None:
            self.course.open(self.course.next_lesson.name)
        else:
            self.show_list(LESSONS)

    def _open_lesson(self, index: QModelIndex) -> None:
        self.course.open(self.course.lessons[index.row()].name)

    def _open_example(self, name: str) -> None:
        self.session.action_requested.emit(f"example {name}")

    def stop(self) -> None:
        super().stop()
        self.live.session.stop()
