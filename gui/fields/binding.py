"""Widgets bound to a field of the document: entries go to the session, changes of the document are shown.

An edit, an undo, a redo and an opened file reach the widget by the same path, `Session.changed`. An invalid
entry stays in the field with a note, while the document keeps the old value. To bind another kind of
widget, give it a `FieldBinding` and write `show_value`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItemModel
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from engine.document import DocumentError, replace_section
from engine.experiment.setting_words import choice_title
from gui.number_texts import EntryError, entry_text, parse_integer, parse_number
from gui.session import Change, Session
from gui.theme import mono_font, set_style_property, set_text_sized
from gui.widgets.choices import NarrowCombo
from gui.widgets.labels import literal_tip, muted_label
from gui.widgets.layouts import add_widgets

LONGEST_ENTRY = 1000
NARROWEST_CHOICE, NARROWEST_ENTRY = 58, 34  # pixels
NOTE_GAP = 2  # pixels between a field and its note
NOTE_MARGIN = 8  # pixels, right of a note that is wider than its row


@dataclass(frozen=True)
class FieldBinding:
    """Binding of a widget to one field of the document.

    Attributes:
        session: whose document.
        section: of the document, such as "training".
        name: of the field, such as "learning_rate".
        label: as the widget, the undo menu and screen readers call it.
    """

    session: Session
    section: str
    name: str
    label: str

    @property
    def path(self) -> str:
        """Section and name, such as "training.learning_rate"."""
        return f"{self.section}.{self.name}"

    @property
    def value(self) -> Any:
        """Value in the document."""
        return getattr(getattr(self.session.document, self.section), self.name)

    def problem(self, value: Any) -> str:
        """Return the reason why the document refuses `value`; empty for an allowed value."""
        try:
            replace_section(self.session.document, self.section, **{self.name: self.field_with(value)})
        except DocumentError as error:
            return error.reason
        return ""

    def edit(self, value: Any, merge: str = "") -> bool:
        """Set `value` in the document as one undo step; return True if the session allowed it.

        Edits in a row with the same `merge` that is not empty are one step.
        """
        return self.session.edit(self.label, merge, **{self.section: {self.name: self.field_with(value)}})

    def field_with(self, value: Any) -> Any:
        """Return the content of the field when the widget shows `value`."""
        return value


@dataclass(frozen=True)
class Choice:
    """An entry of a ChoiceField: value, name and description."""

    value: Any
    title: str
    tip: str = ""


def choices_of(registry: Mapping[str, Any]) -> list[Choice]:
    """The entries of a registry as choices, with the titles and descriptions that they have."""
    choices = []
    for name, entry in registry.items():
        title = choice_title(name, registry)
        words = (getattr(entry, attribute, "") for attribute in ("description", "trains_on"))
        choices.append(Choice(name, title, " ".join(filter(None, words))))
    return choices


class ChoiceField(NarrowCombo):
    """A combo box on a field with a fixed set of values."""

    def __init__(self, binding: FieldBinding, choices: Sequence[Choice]) -> None:
        super().__init__(binding.label, "", letters=3)
        self._binding = binding
        for index, choice in enumerate(choices):
            self.addItem(choice.title, choice.value)
            self.setItemData(index, choice.tip, Qt.ItemDataRole.ToolTipRole)
        self._tips = [choice.tip for choice in choices]
        self._hint = ""
        set_text_sized(self, setMinimumWidth=NARROWEST_CHOICE)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._choose)
        binding.session.changed.connect(self._follow)
        self.show_value()

    @property
    def document_field(self) -> str:
        """Name of the document's field that it sets, such as "training.loss"."""
        return self._binding.path

    def show_value(self) -> None:
        """Show the document's value."""
        index = self.findData(self._binding.value)
        self.setCurrentIndex(index)
        tip = f"{self.itemText(index)}. {self._tips[index]}" if index >= 0 else ""
        self.setToolTip("\n".join(filter(None, [tip, self._hint])))

    def set_hint(self, hint: str) -> None:
        """Add a sentence about the present value to the tooltip; "" for none."""
        self._hint = hint
        self.show_value()

    def allow(self, reasons: dict[Any, str]) -> None:
        """Disable the values that are keys of `reasons`, with the reason as tooltip; enable all others."""
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for index, tip in enumerate(self._tips):
            reason = reasons.get(self.itemData(index), "")
            item = model.item(index)
            item.setEnabled(not reason)
            item.setToolTip(reason or tip)

    def wheelEvent(self, event: Any) -> None:
        """Ignore the wheel, so that scrolling past a field does not change it."""
        event.ignore()

    def _follow(self, change: Change) -> None:
        if self._binding.section in change:
            self.show_value()

    def _choose(self, index: int) -> None:
        value = self.itemData(index)
        if value != self._binding.value:
            self.commit(value)
        self.show_value()

    def commit(self, value: Any) -> None:
        """Set the user's choice in the document; a subclass may change other fields with it."""
        self._binding.edit(value)


class EntryField(QLineEdit):
    """A text field on a field of the document; Return or leaving it commits the entry, Escape gives it up.

    Signals:
        problem_changed(str): problem of the entry; "" for none.
    """

    problem_changed = Signal(str)

    def __init__(
        self, binding: FieldBinding, parse: Callable[[str], Any], write: Callable[[Any], str], tip: str = ""
    ) -> None:
        """Bind a text field.

        Args:
            binding: the field.
            parse: text -> value, or EntryError.
            write: value -> text.
            tip: purpose of the number.
        """
        super().__init__()
        self._binding, self._parse, self._write, self._tip = binding, parse, write, tip
        self._shown: Any = None
        self.problem = ""
        self.setAccessibleName(binding.label)
        self.setToolTip(tip)
        self.setFont(mono_font(12))
        self.setMaxLength(LONGEST_ENTRY)
        set_text_sized(self, setMinimumWidth=NARROWEST_ENTRY)
        self.textEdited.connect(self._look)
        self.returnPressed.connect(self.selectAll)  # the next key begins another entry
        self.editingFinished.connect(self._commit)
        binding.session.commit_requested.connect(self._commit)
        binding.session.changed.connect(self._follow)
        self.show_value()

    @property
    def document_field(self) -> str:
        """Name of the document's field that it sets, such as "training.loss"."""
        return self._binding.path

    def show_value(self) -> None:
        """Show the document's value; drop an entry that was not accepted."""
        self._shown = self._binding.value
        is_chosen = self.hasSelectedText() and self.selectedText() == self.text()
        self.setText(self._write(self._shown))
        self.setSelection(
            0, len(self.text()) if is_chosen else 0
        )  # the next typed character replaces a selected number
        self._tell("")
        self._binding.session.note_typing(self._binding.label, False)

    def set_tip(self, tip: str) -> None:
        """Set the tooltip: the meaning of the number, or why it cannot be changed now."""
        self._tip = tip
        self.setToolTip(literal_tip(self.problem or tip))

    def enter(self, text: str) -> None:
        """Commit `text` as if it had been typed."""
        self.setText(text)
        self.setModified(True)
        self._commit()

    def _follow(self, change: Change) -> None:
        if self._binding.section in change and self._binding.value != self._shown:
            self.show_value()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.show_value()
        else:
            super().keyPressEvent(event)

    def _look(self, text: str) -> None:
        """Show a problem while the user types, but none for a field that has just been emptied."""
        value, problem = self._read(text)
        self._tell(problem if text.strip() else "")
        self._binding.session.note_typing(self._binding.label, not problem and value != self._binding.value)

    def _read(self, text: str) -> tuple[Any, str]:
        try:
            value = self._parse(text)
        except EntryError as error:
            text = str(error)
            return None, text if text[:1].isupper() else _sentence(f"{self._binding.label} must be {text}")
        problem = self._binding.problem(value)
        return value, _sentence(f"{self._binding.label} {problem}") if problem else ""

    def _commit(self) -> None:
        if not self.isModified():
            return
        value, problem = self._read(self.text())
        self._tell(problem)
        self._binding.session.note_typing(self._binding.label, False)
        if problem:
            return
        self.setModified(False)
        if value != self._binding.value and not self._binding.edit(value):
            self._tell("Conflicts with other settings (see the status bar)")
            return
        self.show_value()

    def _tell(self, problem: str) -> None:
        if problem == self.problem:
            return
        self.problem = problem
        self.setToolTip(literal_tip(problem or self._tip))
        set_style_property(self, "invalid", bool(problem))
        self.problem_changed.emit(problem)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def integer_field(binding: FieldBinding, tip: str = "") -> EntryField:
    """A text field for a whole number."""
    return EntryField(binding, parse_integer, str, tip)


def number_field(binding: FieldBinding, tip: str = "") -> EntryField:
    """A text field for a number."""
    return EntryField(binding, parse_number, entry_text, tip)


def optional_field(
    binding: FieldBinding, tip: str, nothing: str, parse: Callable[[str], Any], write: Callable[[Any], str], wanted: str
) -> EntryField:
    """A text field for a value or a word that stands for None.

    Args:
        binding: the field.
        tip: its purpose.
        nothing: the word.
        parse: text -> value, or EntryError.
        write: value -> text.
        wanted: what `parse` takes, with an example.
    """

    def parse_entry(text: str) -> Any:
        if text.strip().lower() == nothing:
            return None
        try:
            return parse(text)
        except EntryError:
            raise EntryError(f"{nothing}, or {wanted}") from None

    return EntryField(binding, parse_entry, lambda value: nothing if value is None else write(value), tip)


class FormRow(QWidget):
    """Widgets side by side; a problem of one of them is written over the row below, so that nothing moves."""

    def __init__(self, *parts: QWidget | str, over: QWidget | None = None) -> None:
        """Make a row.

        Args:
            *parts: widgets; text becomes a small label before the next one.
            over: parent of the note; None: the row's parent.
        """
        super().__init__()
        self._over = over
        self._problems: dict[EntryField, str] = {}
        self._note = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._note.setObjectName("problem")
        self._note.setProperty("error", True)
        self._note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._note.hide()
        if over is not None:
            self.destroyed.connect(self._note.deleteLater)
        row = add_widgets(QHBoxLayout(self), margins=(0, 0, 0, 0), spacing=6)
        for part in parts:
            row.addWidget(muted_label(part) if isinstance(part, str) else part)
            if isinstance(part, EntryField):
                part.problem_changed.connect(lambda problem, field=part: self._tell(field, problem))

    @property
    def problem(self) -> str:
        """Problem of the typed text."""
        return self._note.text()

    def _tell(self, field: EntryField, problem: str) -> None:
        self._problems[field] = problem
        self._note.setText("\n".join(filter(None, self._problems.values())))
        self._place_note()

    def _place_note(self) -> None:
        """Below the row, or above it at the lower end of the form."""
        form = self._over or self.parentWidget()
        if form is None or not self.problem or not self.isVisible():
            self._note.hide()
            return
        self._note.setParent(form)
        at = self.mapTo(form, QPoint(0, 0))
        width = self.width() if self._over is None else max(self.width(), form.width() - at.x() - NOTE_MARGIN)
        height = self._note.heightForWidth(width)
        below = at.y() + self.height() + NOTE_GAP
        top = below if below + height <= form.height() else at.y() - height - NOTE_GAP
        self._note.setGeometry(at.x(), top, width, height)
        self._note.show()
        self._note.raise_()

    def event(self, event: QEvent) -> bool:
        """Keep the note with the row."""
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide):
            self._place_note()
        return super().event(event)


def make_form() -> QFormLayout:
    """A form as narrow as a dock may be: labels on the left, fields as wide as there is room."""
    form = QFormLayout()
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(8)
    form.setVerticalSpacing(6)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    return form


def add_row(form: QFormLayout, label: str, *parts: QWidget | str) -> FormRow:
    """A labelled row of a form; the label goes with the first widget."""
    row = FormRow(*parts)
    words = muted_label(label)
    words.setBuddy(next(part for part in parts if isinstance(part, QWidget)))
    form.addRow(words, row)
    return row
