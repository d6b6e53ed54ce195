"""A slider for each leaf of the program: its number is changed in the text by dragging, or by typing over it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from sys import float_info

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from engine.language import Leaf
from gui.number_texts import parse_number
from gui.scheduling import idle_tasks
from gui.theme import mono_font, set_style_property, text_pixels
from gui.widgets.buttons import menu_button
from gui.widgets.labels import literal_tip
from gui.widgets.layouts import add_widgets
from gui.widgets.number_entry import NumberEntry, problem_of_number


class EndsForm(QWidget):
    """Fields for the range of a slider, with the error of an invalid entry below.

    Attributes:
        ends: the two fields.
        problem: says why; hidden while there is nothing to say.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        grid = QGridLayout(self)
        self.ends = (QLineEdit(), QLineEdit())
        for row, (title, field) in enumerate(zip(("from", "to"), self.ends, strict=True)):
            field.setAccessibleName(f"slider of {name}, {title}")
            field.setMaximumWidth(90)
            grid.addWidget(QLabel(title), row, 0)
            grid.addWidget(field, row, 1)
        self.problem = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.problem.setProperty("error", True)
        self.problem.hide()
        grid.addWidget(self.problem, 2, 0, 1, 2)


VARY = "Vary this number…"
POSITIONS = 1000
MOST_SLIDERS = 40
FIRST_SLIDERS = 8
"""Are there at once, about as many as are seen without scrolling; the others follow in turns of their own."""
LONGEST_NAME = 110
"""Pixels; a longer name is shortened, and whole in its tip."""


def default_range(number: float) -> tuple[float, float]:
    """A range around `number` with room on both sides, with round ends."""
    reach = max(2 * abs(number), 4.0)
    if reach > float_info.max / 10:
        return (-float_info.max, float_info.max)
    size = 10.0 ** math.floor(math.log10(reach))
    reach = math.ceil(reach / size) * size
    return (-reach, reach)


def rounded(number: float, low: float, high: float) -> float:
    """`number` rounded to what a slider between `low` and `high` can tell apart, so that the text stays short."""
    digits = 2 - math.floor(math.log10(max(high / 2 - low / 2, 1e-12)))
    if digits < 0:
        number = float(f"{number:.3g}")
    return round(number, max(0, digits)) + 0.0


class LeafSlider(QWidget):
    """Name, slider and number of one leaf, and a button for the ends of the slider.

    Attributes:
        key: which leaf it moves.
        name: what it is called: the leaf's name, with its line where the name has several values.
        number: the field in which the number is typed.
        ends_button: opens a menu with the fields `ends`, from and to, which are made when they are first asked for.

    Signals:
        number_chosen(str, float, int): key, new number, and a count that is the same during one drag and another one
            for each number that is typed.
        range_chosen(str, float, float): key and the new ends.
        refused(str): why a number or ends that were typed cannot be.
        vary_requested(str): its key: the program is to run with several values of the number.
    """

    vary_requested = Signal(str)
    number_chosen = Signal(str, float, int)
    range_chosen = Signal(str, float, float)
    refused = Signal(str)

    def __init__(self, key: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self.name = name
        self._range = (-1.0, 1.0)
        self._is_whole = False
        self._drag = 0
        self._form: EndsForm | None = None
        metrics = QFontMetrics(mono_font(13))
        self._label = QLabel(
            metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, text_pixels(LONGEST_NAME)),
            textFormat=Qt.TextFormat.PlainText,
        )
        self._label.setFont(mono_font(12))
        self._label.setToolTip(literal_tip(name))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, POSITIONS)
        self.slider.setAccessibleName(f"value of {name}")
        self.slider.setMinimumWidth(60)
        self.number = NumberEntry(f"number of {name}", committed=True)
        self.number.setFixedWidth(max(72, metrics.horizontalAdvance("-8.888e+88") + 4))
        self.ends_button = self._make_ends_button()
        vary = QAction(VARY, self)
        vary.triggered.connect(lambda _checked: self.vary_requested.emit(self.key))
        self.addAction(vary)
        self.slider.addAction(vary)
        self.ends_button.menu().addAction(vary)
        for widget in (self, self.slider):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.set_outdated("")
        row = add_widgets(QHBoxLayout(self), self._label, self.slider, 1, self.number, self.ends_button, spacing=6)
        row.setContentsMargins(0, 0, 0, 0)
        self._label.setMinimumWidth(34)
        self.slider.sliderPressed.connect(self._begin_drag)
        self.slider.valueChanged.connect(self._moved)
        self.number.number_changed.connect(self._typed)
        self.number.refused.connect(lambda why: self.refused.emit(f"{self.name} keeps its number. {why}"))

    def _make_ends_button(self) -> QToolButton:
        button = menu_button("↔", "", f"ends of the slider of {self.name}", "3px 4px")
        menu = QMenu(self)
        menu.aboutToShow.connect(self._show_ends)
        button.setMenu(menu)
        return button

    @property
    def ends(self) -> tuple[QLineEdit, QLineEdit]:
        """The fields in which the ends are typed."""
        return self._made_form().ends

    @property
    def problem(self) -> QLabel:
        """Label with the problem of typed ends."""
        return self._made_form().problem

    def _made_form(self) -> EndsForm:
        """The form in the menu; few are ever opened, and to make one takes as long as all else of a slider."""
        if self._form is None:
            self._form = EndsForm(self.name)
            menu = self.ends_button.menu()
            action = QWidgetAction(menu)
            action.setDefaultWidget(self._form)
            menu.insertAction(menu.actions()[0], action)
            self._show_ends()
            for field in self._form.ends:
                field.editingFinished.connect(self._choose_range)
        return self._form

    def show_number(self, number: float, ends: tuple[float, float], is_whole: bool = False) -> None:
        """Show the leaf's number, which is dragged to whole numbers only where it is one; nothing is announced."""
        self._is_whole = is_whole
        low, high = min(ends[0], number), max(ends[1], number)
        self._range = (low, high)
        self.number.set_number(number)
        if self._form is not None and not any(field.hasFocus() for field in self._form.ends):
            self._show_ends()
        if not self.slider.isSliderDown():
            share = (number / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.0  # halves: no overflow
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(share * POSITIONS))

    def set_outdated(self, reason: str) -> None:
        """Disable the slider and say why in its tip; "" enables it."""
        self.setEnabled(not reason)
        self.slider.setToolTip(reason or f"Drag to change {self.name}")
        self.number.setToolTip(reason or f"Type another number for {self.name}, and press Return")
        self.ends_button.setToolTip(reason or "Range of the slider")

    def commit(self) -> None:
        """Commit a number or ends that are still being typed."""
        self.number.commit()
        if self._form is not None and any(field.isModified() for field in self._form.ends):
            self._choose_range()

    def _show_ends(self) -> None:
        """The ends as they are; what was typed in vain is gone."""
        for field, end in zip(self.ends, self._range, strict=True):
            field.setText(f"{end:g}")
        self._show_problem("")

    def _show_problem(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        for field in self.ends:
            set_style_property(field, "invalid", bool(problem))

    def _begin_drag(self) -> None:
        self._drag += 1

    def _typed(self, number: float) -> None:
        self._drag += 1
        self.number_chosen.emit(self.key, number, self._drag)
        self._drag += 1

    def _moved(self, position: int) -> None:
        low, high = self._range
        if not self.slider.isSliderDown():
            self._drag += 1
        share = position / POSITIONS
        number = low * (1 - share) + high * share
        number = float(round(number)) if self._is_whole else rounded(number, low, high)
        self.number_chosen.emit(self.key, min(max(number, low), high), self._drag)

    def _choose_range(self) -> None:
        """Apply the typed ends, or show their problem."""
        typed = [field.text().strip() for field in self.ends]
        for field in self.ends:
            field.setModified(False)
        if typed == [f"{end:g}" for end in self._range]:
            self._show_problem("")
            return
        problem = _problem_of_ends(typed)
        self._show_problem(problem)
        if problem:
            self.refused.emit(f"The slider of {self.name} keeps its ends. {problem}")
        else:
            low, high = map(float, typed)
            self.range_chosen.emit(self.key, low, high)


def _problem_of_ends(typed: Sequence[str]) -> str:
    """Return the problem of two typed slider ends; "" for none."""
    for text in typed:
        if problem := problem_of_number(text):
            return problem
    if parse_number(typed[0]) >= parse_number(typed[1]):
        return f"'from' must be less than 'to': {typed[0][:20]} is not less than {typed[1][:20]}."
    return ""


class LeafSliders(QWidget):
    """Sliders of all leaves, one below the other.

    Signals:
        number_chosen, range_chosen, refused, vary_requested: those of each `LeafSlider`.
    """

    vary_requested = Signal(str)
    number_chosen = Signal(str, float, int)
    range_chosen = Signal(str, float, float)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.by_key: dict[str, LeafSlider] = {}
        self._leaves: Sequence[Leaf] = ()
        self._ranges: Mapping[str, tuple[float, float]] = {}
        self._outdated = ""
        self._rows = add_widgets(QVBoxLayout(self), margins=(8, 4, 8, 4), spacing=2)
        self.rest = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.rest.setProperty("muted", True)
        self.rest.hide()
        add_widgets(self._rows, self.rest).addStretch(1)

    def show_leaves(self, leaves: Sequence[Leaf], ranges: Mapping[str, tuple[float, float]]) -> None:
        """Show the first 40 leaves; `ranges` are the ends that were chosen, by key."""
        before = [(leaf.key, leaf.title) for leaf in self._leaves]
        self._leaves, self._ranges = leaves[:MOST_SLIDERS], ranges
        if [(leaf.key, leaf.title) for leaf in self._leaves] != before:
            for slider in self.by_key.values():
                slider.hide()
                self._rows.removeWidget(slider)
                slider.deleteLater()
            self.by_key = {}
            for index in range(len(self._leaves)):
                if index < FIRST_SLIDERS:
                    self._make_slider(index)
                else:  # not seen yet
                    idle_tasks().add(self, partial(self._make_slider, index), index)
        for leaf in self._leaves:
            self._show_number(leaf)
        more = len(leaves) - len(self._leaves)
        self.rest.setText(f"{more:,} more numbers have no slider: change them in the text.")
        self.rest.setVisible(more > 0)

    def commit(self) -> None:
        """Commit numbers and ends that are still being typed."""
        for slider in list(self.by_key.values()):
            slider.commit()

    def set_outdated(self, reason: str) -> None:
        """Disable every slider and say why; "" enables them."""
        self._outdated = reason
        for slider in self.by_key.values():
            slider.set_outdated(reason)

    def _show_number(self, leaf: Leaf) -> None:
        if leaf.key in self.by_key:
            ends = self._ranges.get(leaf.key, default_range(leaf.number))
            self.by_key[leaf.key].show_number(leaf.number, ends, leaf.is_whole)

    def _make_slider(self, index: int) -> None:
        """Add the slider of one of the leaves below the others, unless there are fewer leaves by now."""
        if index >= len(self._leaves):
            return
        leaf = self._leaves[index]
        self.by_key[leaf.key] = slider = LeafSlider(leaf.key, leaf.title)
        slider.number_chosen.connect(self.number_chosen)
        slider.range_chosen.connect(self.range_chosen)
        slider.refused.connect(self.refused)
        slider.vary_requested.connect(self.vary_requested)
        slider.set_outdated(self._outdated)
        self._show_number(leaf)
        self._rows.insertWidget(index, slider)
