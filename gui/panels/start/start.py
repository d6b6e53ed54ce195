"""The Welcome page: a live example, four doors, and lists of lessons, examples and published results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSlider,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.document import Document, DocumentError, replace_section
from engine.examples.examples import examples
from engine.examples.gallery import published_examples, run_examples
from engine.examples.row import GalleryRow
from engine.messages import visible
from gui.background import Job
from gui.panels.graph.graph import GraphPanel
from gui.panels.panel import Panel
from gui.panels.start.thumbnails import picture_of
from gui.session import Change, Session
from gui.session.course import course_of
from gui.session.programs import BackgroundPrograms
from gui.theme import Colors, set_text_sized, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.choices import Segments
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets, scrolled

PROGRAM = "x = 2.0\nw = {w:.2f}\nb = 6.8813735870195432\no = tanh(x*w + b)\n"
FIRST_W, LEAST_W, LARGEST_W, TICKS = -3.0, -5.0, -2.0, 100
TITLE, SUBTITLE = "See how a program learns", "Drag w: the graph and every gradient follow."
LIVE_HEIGHT, LIST_HEIGHT, NARROW = 210, 420, 860
THUMBNAIL = QSize(96, 54)
DONE, BEGUN, NEW = "✓ done", "● begun", ""
PASS, FAIL = "✓ pass", "✗ fail"
RUNNING, OBTAINED = "Computing …", "{passed:,} of {count:,} published numbers reproduced"


@dataclass(frozen=True)
class Door:
    """A way to begin: its title, one line, the word on its button, and what the button does."""

    title: str
    line: str
    word: str
    do: Callable[[], object]


class LiveExample(QFrame):
    """A small program with its graph and a slider; it has a session of its own, so the user's is not touched."""

    def __init__(self) -> None:
        super().__init__()
        document = replace_section(Document(), "expression", text=PROGRAM.format(w=FIRST_W))
        document = replace_section(document, "view", direction="right", hide_constants=True)
        self.session = Session(document, BackgroundPrograms())
        self.session.setParent(self)
        self.graph = GraphPanel(self.session)
        for part in (self.graph.header, self.graph.stepper):
            part.hide()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(LEAST_W * TICKS), round(LARGEST_W * TICKS))
        self.slider.setValue(round(FIRST_W * TICKS))
        self.slider.setAccessibleName("w, a number of the example")
        self.slider.valueChanged.connect(self._move)
        self._number = QLabel()
        set_text_sized(self._number, setMinimumWidth=64)
        set_text_sized(self.graph, setFixedHeight=LIVE_HEIGHT)
        row = add_widgets(QHBoxLayout(), QLabel("w"), self.slider, 1, self._number, margins=(12, 0, 12, 8), spacing=10)
        add_widgets(QVBoxLayout(self), self.graph, 1, row, margins=(0, 0, 0, 0), spacing=4)
        self._move(self.slider.value())

    def _move(self, tick: int) -> None:
        w = tick / TICKS
        self._number.setText(f"{w:.2f}".replace("-", "−"))
        self.session.edit("w", merge="w", expression={"text": PROGRAM.format(w=w)})


class StartPanel(Panel):
    """The page. What it opens is opened by actions of the window and by the course.

    Attributes:
        live: the example.
        doors: buttons of the four doors.
        lists: lessons, examples and published results, each a table.
    """

    depends_on = frozenset({"lesson", "file"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.course = course_of(session)
        self.live = LiveExample()
        title = QLabel(TITLE)
        title.setObjectName("startTitle")
        made = [self._make_door(door) for door in self._door_table()]
        self.doors, self._cards = [button for button, _ in made], [card for _, card in made]
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        self.choice = Segments(
            [
                ("Lessons", "From the first slope to an engine of your own"),
                ("Examples", "Programs and networks that are ready to run"),
                ("Published results", "Numbers that others have published, and what is obtained here"),
            ]
        )
        self.lists = [
            self._make_list("lessons", ("Lesson", "What it is about", "Minutes", "")),
            self._make_list("examples", ("Example", "Group")),
            self._make_list("published results", ("", "Case", "Number", "Published", "Obtained", "Difference")),
        ]
        self._pages = QStackedWidget()
        for each in self.lists:
            self._pages.addWidget(each)
        set_text_sized(self._pages, setMinimumHeight=LIST_HEIGHT)
        self.choice.clicked.connect(self._show_page)
        self.last = muted_label()
        self.continue_button = push_button("Continue", "Go on with this session", self._continue)
        last = add_widgets(QHBoxLayout(), self.last, self.continue_button, spacing=10)
        last.addStretch(1)
        self.result = muted_label()
        head = add_widgets(QHBoxLayout(), self.choice, self.result, 1, spacing=12)
        head.addStretch(1)
        inside = QWidget()
        add_widgets(
            QVBoxLayout(inside), title, muted_label(SUBTITLE), self.live, self._grid, last, head, self._pages, 1,
            margins=(28, 18, 28, 18), spacing=10,
        )  # fmt: skip
        self._area = scrolled(inside, downwards_only=True)
        add_widgets(QVBoxLayout(self), self._area, margins=(0, 0, 0, 0))
        self._thumbnails, self._gallery = Job("thumbnails", self), Job("gallery", self)
        self._thumbnails.delivered.connect(self._take_thumbnails)
        self._gallery.delivered.connect(self._take_rows)
        self._fill_lessons()
        self._fill_examples()
        self._place_cards()

    # Parts

    def _door_table(self) -> tuple[Door, ...]:
        act = self.session.action_requested.emit
        return (
            Door("", "", "Start", self._open_next_lesson),
            Door("Paste a program", "A whole tutorial, its own class Value included. It runs as written.", "Paste",
                 partial(act, "paste program")),
            Door("Train a network", "Moons, spirals, your own points: watch the boundary move.", "Open",
                 partial(act, "workspace train")),
            Door("Open an example", "Published results, one mistake each, engines step by step.", "Browse",
                 self._browse),
        )  # fmt: skip

    def _make_door(self, door: Door) -> tuple[QPushButton, QFrame]:
        card = QFrame()
        card.setObjectName("card")
        card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        title = QLabel(door.title, wordWrap=True)
        title.setObjectName("doorTitle")
        line = muted_label(door.line, wrap=True)
        button = push_button(door.word, "", door.do, f"{door.word}: {door.title}")
        if not door.title:
            self._lesson_title, self._lesson_line = title, line
            button.setProperty("primary", True)
        row = add_widgets(QHBoxLayout(), button)
        row.addStretch(1)
        column = add_widgets(QVBoxLayout(card), title, line, margins=(16, 12, 16, 12), spacing=6)
        column.addStretch(1)
        column.addLayout(row)
        return button, card

    def _make_list(self, name: str, columns: tuple[str, ...]) -> QTreeWidget:
        table = QTreeWidget()
        table.setAccessibleName(name)
        table.setHeaderLabels(columns)
        table.setRootIsDecorated(False)
        table.setAlternatingRowColors(True)
        table.setUniformRowHeights(True)
        table.setIconSize(THUMBNAIL)
        table.setFrameShape(QFrame.Shape.NoFrame)
        header = table.header()
        header.setStretchLastSection(False)
        for column in range(len(columns)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        table.itemActivated.connect(self._open_item)
        table.itemClicked.connect(self._open_item)
        return table

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.live.graph.set_colors(colors)
        for table in self.lists[:2]:
            for item in _items(table):
                item.setIcon(0, QIcon())
        self._make_thumbnails()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_cards()

    def _place_cards(self) -> None:
        """Place the doors in a row, or two below two in a narrow window."""
        across = 2 if self.width() < text_pixels(NARROW) else 4
        for place, card in enumerate(self._cards):
            self._grid.addWidget(card, place // across, place % across)
        for column in range(4):
            self._grid.setColumnStretch(column, int(column < across))

    # Lessons, examples and published results

    def refresh(self, change: Change) -> None:
        self._fill_lessons()
        path, step = self.session.path, self.session.trained_so_far.step
        for widget in (self.last, self.continue_button):
            widget.setVisible(path is not None)
        if path is not None:
            self.last.setText(f"Last session: {visible(path.name)}" + (f", step {step:,}" if step else ""))

    def _fill_lessons(self) -> None:
        course, table = self.course, self.lists[0]
        lesson = course.next_lesson
        if lesson is None:
            self._lesson_title.setText("Lessons")
            self._lesson_line.setText("All lessons are done. Open any of them again below.")
            self.doors[0].setText("Browse")
        else:
            number = 1 + course.lessons.index(lesson)
            has_begun = course.has_begun(lesson)
            self._lesson_title.setText(f"{'Continue' if has_begun else 'Start'} lesson {number}")
            self._lesson_line.setText(f"{lesson.title}. {lesson.minutes} minutes.")
            self.doors[0].setText("Continue" if has_begun else "Start")
        is_new = table.topLevelItemCount() != len(course.lessons)
        if is_new:
            table.clear()
        for row, each in enumerate(course.lessons):
            done = course.progress(each).is_done(each)
            state = DONE if done else BEGUN if course.has_begun(each) else NEW
            texts = [f"{row + 1} · {each.title}", each.summary, str(each.minutes), state]
            if is_new:
                table.addTopLevelItem(self._item(texts, each.name))
            else:
                _items(table)[row].setText(3, state)
        if is_new:
            self._make_thumbnails()

    def _fill_examples(self) -> None:
        for example in examples():
            self.lists[1].addTopLevelItem(self._item([example.title, example.group], example.name))

    @staticmethod
    def _item(texts: list[str], name: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(texts)
        item.setData(0, Qt.ItemDataRole.UserRole, name)
        for column, text in enumerate(texts):
            item.setToolTip(column, text)
        return item

    def _make_thumbnails(self) -> None:
        """Draw the pictures of lessons and examples in a worker thread, one after the other."""
        colors = self.colors
        documents: list[tuple[int, int, Document]] = [
            (0, row, lesson.document) for row, lesson in enumerate(self.course.lessons)
        ]
        for row, example in enumerate(examples()):
            document = Document()
            try:
                for section, changes in example.sections.items():
                    document = replace_section(document, section, **changes)
            except DocumentError:
                continue
            documents.append((1, row, document))

        def work(cancelled: Callable[[], bool]) -> Iterator[list[tuple[int, int, QImage]]]:
            drawn = []
            for page, row, document in documents:
                image = None if cancelled() else picture_of(document, colors, THUMBNAIL.width(), THUMBNAIL.height())
                if image is not None:
                    drawn.append((page, row, image))
                    yield list(drawn)

        self._thumbnails.start(None, work)

    def _take_thumbnails(self, _token: object, drawn: list[tuple[int, int, QImage]]) -> None:
        for page, row, image in drawn:
            item = _items(self.lists[page])[row]
            if item.icon(0).isNull():
                item.setIcon(0, QIcon(QPixmap.fromImage(image)))

    def _show_page(self, index: int) -> None:
        self.choice.choose(index)
        self._pages.setCurrentIndex(index)
        if index == 2 and not self.lists[2].topLevelItemCount() and not self._gallery.busy:
            self.result.setText(RUNNING)
            self._gallery.start(None, _gallery_rows)
        self.result.setVisible(index == 2)

    def _take_rows(self, _token: object, rows: list[GalleryRow]) -> None:
        table = self.lists[2]
        for row in rows[table.topLevelItemCount() :]:
            mark, case = PASS if row.ok else FAIL, f"{row.example}: {row.title}"
            texts = [mark, case, row.quantity, row.expected, row.obtained, row.difference]
            table.addTopLevelItem(self._item(texts, row.example))
        self.result.setText(OBTAINED.format(passed=sum(row.ok for row in rows), count=len(rows)))

    # User actions

    def _continue(self) -> None:
        trains = self.session.trained_so_far.step > 0
        self.session.action_requested.emit(f"workspace {'train' if trains else 'understand'}")

    def _open_next_lesson(self) -> None:
        if self.course.next_lesson is not None:
            self.course.open(self.course.next_lesson.name)
        else:
            self._browse(0)

    def _browse(self, page: int = 1) -> None:
        self._show_page(page)
        table = self.lists[page]
        if table.currentItem() is None and (items := _items(table)):
            table.setCurrentItem(items[0])
        table.setFocus()
        self._area.ensureWidgetVisible(table, 0, 0)

    def _open_item(self, item: QTreeWidgetItem) -> None:
        name = item.data(0, Qt.ItemDataRole.UserRole)
        if item.treeWidget() is self.lists[0]:
            self.course.open(name)
        elif any(example.name == name for example in examples()):
            self.session.action_requested.emit(f"example {name}")
        else:
            self.session.message_posted.emit("This case is a table of numbers: there is no program to open", "note")

    def stop(self) -> None:
        super().stop()
        self.live.session.stop()


def _items(table: QTreeWidget) -> list[QTreeWidgetItem]:
    items = (table.topLevelItem(row) for row in range(table.topLevelItemCount()))
    return [item for item in items if item is not None]


def _gallery_rows(cancelled: Callable[[], bool]) -> Iterator[list[GalleryRow]]:
    """Yield the rows that are computed so far, again with each row: a request may miss some results."""
    rows: list[GalleryRow] = []
    for row in run_examples(published_examples()):
        if cancelled():
            return
        rows.append(row)
        yield list(rows)
