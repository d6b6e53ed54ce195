"""Runs panel: every run of training with a step, with its settings, its loss and what it has learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from engine.experiment.setting_words import differences
from engine.network.run.progress import RunState
from engine.session_file.saved_runs import LONGEST_NAME, MOST_KEPT_PARAMETERS
from gui.background import Job
from gui.number_texts import reading_text
from gui.painting import saved
from gui.panels.curves.curves_panel import change_marks
from gui.panels.panel import Panel
from gui.plots.boundary_figure import thumbnail
from gui.plots.step_plot import run_color
from gui.session import Change, Session
from gui.session.recorded_runs import RecordedRun
from gui.session.training_edits import clear_runs, open_run, remove_run, rename_run, set_run_hidden
from gui.theme import Colors, mono_font, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel, literal_tip, muted_label, small_letters
from gui.widgets.layouts import add_widgets

TEXTS = {
    "empty": "Nothing has been trained yet. Runs of training are listed here for comparison. Click a run to restore "
    "its settings and weights back.",
    "title": "{number}  {words}",
    "running": "loss {loss} · step {step:,} · running",
    "stands": "loss {loss} · step {step:,}",
    "accuracy": "{stands} · {percent:.3g} %",
    "diverged": "diverged at step {step:,}",
    "tip": "Run {number}: {words}\n{figures}\n{differences}\nClick to restore its settings and weights; "
    "undo restores the present ones.",
    "no picture": "No small picture: it can show one or two inputs, and this data has {n}.",
    "same settings": "It has the present settings.",
    "other settings": "Different from the present settings: {list}.",
    "changed": "Changed at step {step:,}: {text}",
    "difference": "{name} {first} instead of {second}",
    "open": "&Open",
    "rename": "Re&name",
    "remove": "&Remove",
    "show": "&Show its curve",
    "hide": "&Hide its curve",
    "clear": "Clear",
    "clear tip": "Remove all runs except the current one. Undo restores them.",
    "shown tip": "Tick to show the curve in the loss plot. Runs on other data are shown only if ticked.",
    "ticks": "Ticked: shown in Loss",
    "caption": "{count} kept",
    "caption tip": "Runs of networks with up to {most:,} parameters are saved in the file; runs of larger ones are "
    "lost when the window is closed.",
}
"""Texts of the panel."""
MOST_PICTURED = 2
"""Inputs of data whose runs have a picture of the boundary."""
MOST_CHANGES = 5
"""Limit of the changes of settings that the tip of a row lists, the last ones."""
ROW_HEIGHT, PICTURE, MARK, GAP = 40, 32, 12, 8  # pixels
NUMBER = Qt.ItemDataRole.UserRole
"""Role of an item's run number."""

Pictures = dict[tuple[int, int], QImage]
"""Pictures by number and step of a run."""


LEAST_HEIGHT = 76
"""Pixels, in the designed size of text, in which one run can be read."""


class RunsPanel(Panel):
    """The list, the newest run first, and above it the button that clears it.

    Attributes:
        clear: the button.
        list: a row for each run; its text is what the row says.
        pictures: what has been drawn of the runs.
    """

    rest_seconds = 0.25
    full_speed_rest_seconds = 1.0
    depends_on = frozenset({"recorded", "run", "model", "training"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._in_view: int | None = None  # the run that the list was scrolled to
        self.pictures: Pictures = {}
        self._job = Job("pictures of runs", self)
        self._job.delivered.connect(self._take_pictures)
        self.list = _RunsList(self._choices, self.mark_room, self._toggle)
        self._rows = _Rows(self)
        self.list.setItemDelegate(self._rows)
        self.list.itemChanged.connect(self._take_name)
        session.commit_requested.connect(self._commit_name)
        self._words = muted_label(TEXTS["empty"], wrap=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setContentsMargins(10, 8, 10, 8)
        self.clear = tool_button(
            TEXTS["clear"], TEXTS["clear tip"], lambda: clear_runs(session), "clear earlier runs", "0px 6px"
        )
        hint = small_letters(ElidedLabel(TEXTS["ticks"]), 11, muted=True)
        page = QWidget()
        header = add_widgets(QHBoxLayout(), hint, 1, self.clear, margins=(6, 0, 4, 0), spacing=6)
        add_widgets(QVBoxLayout(page), header, self.list, 1, margins=(0, 0, 0, 0), spacing=0)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._words)
        self._stack.addWidget(page)
        add_widgets(QVBoxLayout(self), self._stack, margins=(2, 0, 2, 2))

    def minimumSizeHint(self) -> QSize:
        """Return the same size with and without runs: the docks around it stay in their places."""
        return QSize(super().minimumSizeHint().width(), text_pixels(LEAST_HEIGHT))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.pictures.clear()
        self.outdate()

    def refresh(self, change: Change) -> None:
        runs = self.session.runs.all
        self._stack.setCurrentIndex(1 if runs else 0)
        tip = TEXTS["caption tip"].format(most=MOST_KEPT_PARAMETERS)
        self.set_caption(TEXTS["caption"].format(count=len(runs)) if runs else "", tip)
        self.list.blockSignals(True)
        numbers = {run.number for run in runs}
        for row in reversed(range(self.list.count())):
            if self.list.item(row).data(NUMBER) not in numbers:
                self.list.takeItem(row)
        for row, run in enumerate(reversed(runs)):
            item = self.list.item(row)
            if item is None or item.data(NUMBER) != run.number:  # a row stays its run's: its name may be being typed
                self.list.insertItem(row, item := self._new_item())
            self._write(item, run)
            if self.is_current(run) and run.number != self._in_view:
                self.list.scrollToItem(item)
        self._in_view = self.session.runs.current
        self.clear.setEnabled(any(not self.is_current(run) for run in runs))
        self.list.blockSignals(False)
        self._draw_pictures(runs)
        self.list.viewport().update()

    @staticmethod
    def _new_item() -> QListWidgetItem:
        item = QListWidgetItem()
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsUserCheckable)
        return item

    def _write(self, item: QListWidgetItem, run: RecordedRun) -> None:
        words = self.session.runs.words(run)
        title = TEXTS["title"].format(number=run.number, words=words)
        figures = self.figures_text(run)
        item.setData(NUMBER, run.number)
        item.setCheckState(Qt.CheckState.Checked if self.is_drawn(run) else Qt.CheckState.Unchecked)
        item.setText(title)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}, {figures}")
        others = self._differences_text(run)
        tip = TEXTS["tip"].format(number=run.number, words=words, figures=figures.capitalize(), differences=others)
        changes = change_marks(run.settings_since, float(run.step), run.networks_since)[-MOST_CHANGES:]
        if (n_inputs := self.session.data.raw.n_features) > MOST_PICTURED and self.is_current(run):
            tip = "\n".join([tip, TEXTS["no picture"].format(n=n_inputs)])
        lines = [tip, *(TEXTS["changed"].format(step=step, text=text) for step, text, _ in changes)]
        item.setToolTip(literal_tip("\n".join(lines)))

    def is_current(self, run: RecordedRun) -> bool:
        """Return True for the run that training continues."""
        return run.number == self.session.runs.current

    def is_drawn(self, run: RecordedRun) -> bool:
        """True when the loss plot has its curve: always for the present run."""
        return self.session.runs.is_drawn(run)

    def figures_text(self, run: RecordedRun) -> str:
        """Return a run's progress as text: loss of all training data, step, and whether it is running or diverged."""
        if run.diverged_at is not None:
            return TEXTS["diverged"].format(step=run.diverged_at)
        running = self.is_current(run) and self.session.run_state is RunState.RUNNING
        text = TEXTS["running" if running else "stands"].format(loss=reading_text(run.loss), step=run.step)
        if run.accuracy is None or running:
            return text
        return TEXTS["accuracy"].format(stands=text, percent=100.0 * run.accuracy)

    def _differences_text(self, run: RecordedRun) -> str:
        found = differences(run.document, self.session.document)
        if not found:
            return TEXTS["same settings"]
        parts = (TEXTS["difference"].format(name=each.name, first=each.first, second=each.second) for each in found)
        return TEXTS["other settings"].format(list="; ".join(parts))

    # The pictures

    def _draw_pictures(self, runs: tuple[RecordedRun, ...]) -> None:
        wanted = [run for run in reversed(runs) if (run.number, run.step) not in self.pictures]
        if not wanted:
            return
        colors, pixels = self.colors, round(PICTURE * self.devicePixelRatioF())
        questions = [(run.number, run.step, run.document, run.parameters) for run in wanted]

        def work(cancelled: Callable[[], bool]) -> Iterator[Pictures]:
            drawn: Pictures = {}
            for number, step, document, parameters in questions:
                if cancelled():
                    return
                drawn[number, step] = thumbnail(document, parameters, colors, pixels)
            yield drawn

        self._job.start(colors, work, patient=True)

    def _take_pictures(self, colors: Colors, drawn: Pictures) -> None:
        if colors != self.colors:
            return
        numbers = {number for number, _ in drawn}
        steps = {run.number: run.step for run in self.session.runs.all}
        kept = {key: picture for key, picture in self.pictures.items() if key[0] in steps and key[0] not in numbers}
        self.pictures = kept | drawn
        self.list.viewport().update()

    def picture_of(self, run: RecordedRun) -> QImage | None:
        """Its newest picture; a running run's may be of an earlier step."""
        return next((picture for (number, _), picture in self.pictures.items() if number == run.number), None)

    # User actions

    def run_of(self, item: QListWidgetItem) -> RecordedRun | None:
        """The run of a row."""
        return self.session.runs.run(item.data(NUMBER))

    @staticmethod
    def mark_room(room: QRect) -> QRect:
        """The tick of a row, in the row's room."""
        return QRect(room.left() + GAP // 2, room.center().y() - MARK // 2, MARK, MARK)

    def _choices(self, item: QListWidgetItem) -> dict[str, Callable[[], object]]:
        """Actions on a run by the name of their text."""
        choices: dict[str, Callable[[], object]] = {
            "open": partial(self._open, item),
            "rename": partial(self.list.editItem, item),
            "remove": partial(self._remove, item),
        }
        run = self.run_of(item)
        if run is not None and not self.is_current(run):
            choices["hide" if self.is_drawn(run) else "show"] = partial(self._toggle, item)
        return choices

    def _toggle(self, item: QListWidgetItem) -> None:
        run = self.run_of(item)
        if run is not None and not self.is_current(run):
            set_run_hidden(self.session, run, self.is_drawn(run))

    def _open(self, item: QListWidgetItem) -> None:
        run = self.run_of(item)
        if run is not None and not self.is_current(run):
            open_run(self.session, run)

    def _take_name(self, item: QListWidgetItem) -> None:
        run = self.run_of(item)
        if run is not None:
            rename_run(self.session, run, item.text())
            self.refresh(Change({"recorded"}))

    def _commit_name(self) -> None:
        """Commit the name that is being typed, before saving."""
        editor = self.list.findChild(QLineEdit)
        if editor is not None and editor.isModified():
            self._rows.commitData.emit(editor)

    def _remove(self, item: QListWidgetItem) -> None:
        run = self.run_of(item)
        if run is not None:
            remove_run(self.session, run)


class _RunsList(QListWidget):
    """Rows that are opened by a click or Enter, renamed by F2, removed by Delete, and ticked or not by Space."""

    def __init__(
        self,
        choices: Callable[[QListWidgetItem], dict[str, Callable[[], object]]],
        mark_room: Callable[[QRect], QRect],
        toggle: Callable[[QListWidgetItem], object],
    ) -> None:
        super().__init__()
        self._choices, self._mark_room, self._toggle = choices, mark_room, toggle
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("runs of training")
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setMinimumWidth(1)
        self.itemClicked.connect(lambda item: self._choices(item)["open"]())
        self.itemActivated.connect(lambda item: self._choices(item)["open"]())
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)

    def make_menu(self, item: QListWidgetItem) -> QMenu:
        """Make the context menu of a run."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, do in self._choices(item).items():
            menu.addAction(TEXTS[name], do)
        return menu

    def _open_menu(self, place: QPoint) -> None:
        item = self.itemAt(place)
        if item is not None:
            self.make_menu(item).popup(self.viewport().mapToGlobal(place))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if item is not None and event.key() == Qt.Key.Key_Delete:
            self._choices(item)["remove"]()
        elif item is not None and event.key() == Qt.Key.Key_Space:
            self._toggle(item)
        else:
            super().keyPressEvent(event)

    def _marked_at(self, place: QPoint) -> QListWidgetItem | None:
        """The row whose tick, or the margin around it, is at this place of the viewport."""
        item = self.itemAt(place)
        around = GAP // 2
        if item is None or not self._mark_room(self.visualItemRect(item)).adjusted(
            -around, -around, around, around
        ).contains(place):
            return None
        return item

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (item := self._marked_at(event.position().toPoint())):
            self._toggle(item)
            return
        super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self._marked_at(event.pos()):
            QToolTip.showText(event.globalPos(), TEXTS["shown tip"], self)
            return True
        return super().viewportEvent(event)


class _Rows(QStyledItemDelegate):
    """Draws a row: tick in the colour of the curve, picture, settings, and below them how far the run has come."""

    def __init__(self, panel: RunsPanel) -> None:
        super().__init__(panel)
        self._panel = panel

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, max(ROW_HEIGHT, text_pixels(ROW_HEIGHT)))

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        editor = QLineEdit(parent)
        editor.setMaxLength(LONGEST_NAME)
        editor.setFrame(False)
        return editor

    def setEditorData(self, editor: QWidget, index: QModelIndex | QPersistentModelIndex) -> None:
        run = self._panel.session.runs.run(index.data(NUMBER))
        if (
            isinstance(editor, QLineEdit) and run is not None and not editor.isModified()
        ):  # it is asked with every report
            editor.setText(run.name)
            editor.setPlaceholderText(self._panel.session.runs.words(run))

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        left = self._text_left(option.rect)
        editor.setGeometry(option.rect.adjusted(left - option.rect.left(), 2, -4, -2))

    @staticmethod
    def _text_left(room: QRect) -> int:
        return room.left() + GAP + MARK + PICTURE + GAP

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        panel = self._panel
        run = panel.session.runs.run(index.data(NUMBER))
        if run is None:
            return
        colors, room, state = panel.colors, option.rect, option.state
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if panel.is_current(run):
                painter.fillRect(room, QColor(colors.input))
            elif state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected):
                painter.fillRect(room, QColor(colors.neutral))
            self._paint_mark(painter, panel.mark_room(room), run)
            picture = panel.picture_of(run)
            top = room.top() + (room.height() - PICTURE) // 2
            if picture is not None:
                painter.drawImage(QRect(room.left() + GAP + MARK, top, PICTURE, PICTURE), picture)
            self._paint_texts(painter, room, index.data(), run, colors)

    def _paint_mark(self, painter: QPainter, room: QRect, run: RecordedRun) -> None:
        """A box in the run's colour, ticked where its curve is drawn; a dot for the present run, drawn always."""
        panel = self._panel
        color = QColor(run_color(panel.colors, run.number, panel.session.runs.current))
        box = QRectF(room).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(color, 1.4))
        painter.setBrush(color if panel.is_drawn(run) else Qt.BrushStyle.NoBrush)
        if panel.is_current(run):
            painter.drawEllipse(box.center(), MARK / 3, MARK / 3)
            return
        painter.drawRoundedRect(box, 2.5, 2.5)
        if panel.is_drawn(run):
            painter.setPen(QPen(QColor(panel.colors.panel), 1.6))
            left, top, size = box.left(), box.top(), box.width()
            corners = ((0.22, 0.52), (0.42, 0.72), (0.8, 0.28))
            painter.drawPolyline(QPolygonF([QPointF(left + x * size, top + y * size) for x, y in corners]))

    def _paint_texts(self, painter: QPainter, room: QRect, title: str, run: RecordedRun, colors: Colors) -> None:
        place = QRect(self._text_left(room), room.top() + 3, 0, (room.height() - 6) // 2)
        place.setRight(room.right() - GAP)
        title_font = mono_font(12)
        title_font.setBold(self._panel.is_current(run))
        lines = (
            (title, title_font, colors.text),
            (self._panel.figures_text(run), mono_font(11), colors.error if run.diverged_at else colors.muted),
        )
        for text, font, color in lines:
            painter.setFont(font)
            painter.setPen(QColor(color))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
            place.translate(0, place.height())
