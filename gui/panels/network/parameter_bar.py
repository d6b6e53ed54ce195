"""The line below the drawn network: a text on the pointed neuron, or fields for the numbers of the chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QWidget

from engine.document.document import LARGEST_WEIGHT
from gui.fields.binding import EntryField, FieldBinding, FormRow
from gui.number_texts import parse_number
from gui.panels.network.network_diagram import small_button
from gui.panels.network.network_geometry import ParameterPlace
from gui.session import Session
from gui.session.training_edits import set_parameter, shown_parameters
from gui.theme import mono_font, set_style_property, set_text_sized, text_font, text_pixels
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets

MOST_FIELDS = 4
"""Weights of a neuron that have a field at the same time where there is room; arrows lead to the others."""
FIELD_WIDTH, LABEL_WIDTH, BUTTON_WIDTH, NAMED = 70, 26, 24, 380
"""Pixels across in the designed size of text: a field with four digits of a number, its label and gaps, a button, and
the bar that has room for the neuron's name, too."""
TEXTS = {
    "weight": "{name}: press Return to set the number at the viewed step; undo restores the old one",
    "range": "a number from −{most:,.0f} to {most:,.0f}",
    "back": "Previous weights",
    "on": "Next weights",
    "close": "Close without changes (Esc)",
}
"""Texts of the line."""


@dataclass(frozen=True)
class ParameterBinding(FieldBinding):
    """Binding of a field to one weight or bias at the viewed moment.

    Attributes:
        index: in the flat array of all parameters.
    """

    index: int

    @property
    def value(self) -> Any:
        """The number; nan of a network that has so many parameters no longer, whose fields are about to close."""
        parameters = shown_parameters(self.session)
        return float(parameters[self.index]) if self.index < len(parameters) else float("nan")

    def problem(self, value: Any) -> str:
        """Return the reason why the network refuses `value`; empty for an allowed value."""
        return "" if abs(value) <= LARGEST_WEIGHT else f"must be {TEXTS['range'].format(most=LARGEST_WEIGHT)}"

    def edit(self, value: Any, merge: str = "") -> bool:
        """Set `value` in the network as one undo step."""
        return set_parameter(self.session, self.index, value, self.label)


class ParameterBar(QStackedWidget):
    """Text on the pointed neuron or weight, or the fields of a neuron.

    Attributes:
        place: the parameter that was chosen, or None.
        fields: by name, such as `L1N2.w3`.

    Signals:
        place_changed(object): another ParameterPlace, or None when the fields are left.
        escaped(): Escape has closed the fields; nothing was changed.
    """

    place_changed = Signal(object)
    escaped = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.place: ParameterPlace | None = None
        self.fields: dict[str, EntryField] = {}
        self.words = LinesLabel(2)
        self.words.setProperty("muted", True)
        self._is_reading = True
        self.addWidget(self.words)
        set_text_sized(self, setFixedHeight=34)

    def show_words(self, reading: str, legend: str) -> None:
        """Show the neuron or parameter under the pointer, or the legend if there is none."""
        if bool(reading) != self._is_reading:
            self._is_reading = bool(reading)
            self.words.setFont(mono_font(12) if reading else text_font(text_pixels(11)))
            set_style_property(self.words, "letters", "" if reading else "11")
        self.words.setText(reading or legend)
        self.words.setToolTip(legend)

    def show_place(self, place: ParameterPlace) -> None:
        """Show the fields of a neuron, and focus the field of one parameter.

        Where the drawing is not the newest there may be one that the network has no more: nothing is shown of it.
        """
        if not place.is_in(self._session.document.network.layer_sizes):
            return
        self.place = place
        self._make_fields(place)
        field = self.fields[place.name]
        field.setFocus()
        field.selectAll()
        self.place_changed.emit(place)

    def close_fields(self) -> None:
        """Show words again."""
        if self.place is not None:
            self.place, self.fields = None, {}
            self._drop_fields()
            self.place_changed.emit(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close the fields on Escape, before the field brings its own number back."""
        is_key = event.type() == QEvent.Type.KeyPress
        if is_key and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]
            self._escape()
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.place is not None:
            self._escape()
        else:
            super().keyPressEvent(event)

    def _escape(self) -> None:
        for field in self.fields.values():
            field.show_value()  # a field that loses focus would commit its text
        self.close_fields()
        self.escaped.emit()

    def show_numbers(self) -> None:
        """Show the numbers of the viewed moment in all fields that are not being edited."""
        for field in self.fields.values():
            if not field.isModified():
                field.show_value()

    def _drop_fields(self) -> None:
        while self.count() > 1:
            if (row := self.widget(1)) is not None:
                row.hide()  # and its messages with it
                self.removeWidget(row)
                row.deleteLater()

    def _make_fields(self, place: ParameterPlace) -> None:
        self._drop_fields()
        n_in = self._session.document.network.layer_sizes[place.layer - 1]
        most = self._most_fields(n_in)
        first = max(0, min(place.weight - 1, n_in - most))
        shown = range(first + 1, min(first + most, n_in) + 1)
        self.fields = {}
        parts: list[QWidget | str] = []
        for weight in (*shown, 0):
            other = ParameterPlace(place.layer, place.neuron, weight)
            index = other.index(self._session.document.network.layer_sizes)
            binding = ParameterBinding(self._session, "trained", "parameters", other.name, index)
            tip = TEXTS["weight"].format(name=other.name)
            field = EntryField(binding, parse_number, lambda number: f"{number:.4g}", tip)
            set_text_sized(field, setMinimumWidth=FIELD_WIDTH)
            field.installEventFilter(self)
            self.fields[other.name] = field
            parts += [f"w{weight}" if weight else "b", field]
        name = muted_label(f"L{place.layer}N{place.neuron}")
        name.setFont(mono_font(12))
        name.setVisible(self.width() >= text_pixels(NAMED))
        close = small_button("×", TEXTS["close"], self.close_fields)
        row = QWidget()
        arrows = [self._arrow(place, first, -most), self._arrow(place, first, most)] if n_in > most else []
        content = FormRow(*parts, over=self.parentWidget())
        add_widgets(QHBoxLayout(row), name, *arrows, content, 1, close, margins=(4, 2, 4, 2), spacing=4)
        self.setCurrentIndex(self.addWidget(row))

    def _most_fields(self, n_in: int) -> int:
        """Return the number of weights with a field: as many as fit next to the field of the bias."""
        room = self.width() - text_pixels(BUTTON_WIDTH + (NAMED // 8 if self.width() >= text_pixels(NAMED) else 0))
        each = text_pixels(FIELD_WIDTH + LABEL_WIDTH)
        most = min(MOST_FIELDS, room // each - 1)
        return max(1, most if n_in <= most else min(MOST_FIELDS, (room - text_pixels(2 * BUTTON_WIDTH)) // each - 1))

    def _arrow(self, place: ParameterPlace, first: int, change: int) -> QToolButton:
        n_in = self._session.document.network.layer_sizes[place.layer - 1]
        to = ParameterPlace(place.layer, place.neuron, min(max(first + 1 + change, 1), n_in))
        sign, tip = ("◂", "back") if change < 0 else ("▸", "on")
        button = small_button(sign, TEXTS[tip], lambda: self.show_place(to))
        button.setEnabled(first > 0 if change < 0 else first + change < n_in)
        return button
