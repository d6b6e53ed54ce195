import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from gui.fields.binding import (
    Choice,
    ChoiceField,
    FieldBinding,
    FormRow,
    add_row,
    integer_field,
    make_form,
    number_field,
)
from gui.number_texts import EntryError, entry_text, parse_integer, parse_number


@pytest.fixture
def rate(qtbot, session):
    field = number_field(FieldBinding(session, "training", "learning_rate", "learning rate"))
    row = FormRow(field)
    row.field = field
    qtbot.addWidget(row)
    row.show()
    return row


def typed(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    if text.isascii():
        qtbot.keyClicks(field, text)
    else:
        field.insert(text)  # there is no key for it
    qtbot.keyClick(field, Qt.Key.Key_Return)


@pytest.mark.parametrize("text", ["nan", "inf", "0,1", "1e", "١", "1_0", "", " ", "1e999", "0x10", "1 2", "--1", "."])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(EntryError):
        parse_number(text)


@pytest.mark.parametrize("text", ["1.0", "1e3", "١", "1_0", "", "½", "0x1"])
def test_what_is_no_whole_number_is_refused(text):
    with pytest.raises(EntryError):
        parse_integer(text)


@pytest.mark.parametrize(("text", "number"), [("1e-9", 1e-9), (" .5", 0.5), ("3.", 3.0), ("+2E2", 200.0)])
def test_numbers_are_read(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("number", "text"), [(1e-9, "1e-9"), (0.05, "0.05"), (3.0, "3"), (1e22, "1e22"), (-2.5e-7, "-2.5e-7")]
)
def test_numbers_are_written_short_and_read_back(number, text):
    assert entry_text(number) == text
    assert parse_number(text) == number


def test_a_typed_number_goes_to_the_document_and_undo_brings_the_old_one_back(qtbot, session, rate):
    typed(qtbot, rate.field, "1e-9")
    assert session.document.training.learning_rate == 1e-9
    assert rate.field.text() == "1e-9"
    session.undo_stack.undo_edit()
    assert rate.field.text() == "0.05"
    session.undo_stack.redo_edit()
    assert rate.field.text() == "1e-9"


@pytest.mark.parametrize("text", ["nan", "inf", "0,1", "1e", "١", "1_0", "-1", "1e10"])
def test_a_bad_entry_is_told_in_place_and_the_document_stays(qtbot, session, rate, text):
    typed(qtbot, rate.field, text)
    assert session.document.training.learning_rate == 0.05
    assert "Learning rate must be" in rate.problem
    assert rate.field.property("invalid") is True
    assert rate.field.text() == text
    assert len(session.undo_stack.steps) == 0


def test_an_empty_field_is_told_when_it_is_left(qtbot, session, rate):
    rate.field.setFocus()
    rate.field.selectAll()
    qtbot.keyClick(rate.field, Qt.Key.Key_Delete)
    assert rate.problem == ""
    qtbot.keyClick(rate.field, Qt.Key.Key_Return)
    assert "Learning rate must be" in rate.problem
    assert session.document.training.learning_rate == 0.05


def test_a_comma_is_answered_with_the_number_that_was_meant(qtbot, rate):
    typed(qtbot, rate.field, "0,1")
    assert "0.1" in rate.problem


def test_escape_gives_a_bad_entry_up(qtbot, rate):
    typed(qtbot, rate.field, "nan")
    qtbot.keyClick(rate.field, Qt.Key.Key_Escape)
    assert rate.field.text() == "0.05"
    assert rate.problem == ""
    assert rate.field.property("invalid") is False


def test_an_edit_elsewhere_leaves_what_is_being_typed(qtbot, session, rate):
    rate.field.setFocus()
    rate.field.selectAll()
    qtbot.keyClicks(rate.field, "0.0")
    session.edit("L2", training={"l2": 0.5})
    assert rate.field.text() == "0.0"


def test_what_is_typed_over_a_chosen_number_replaces_it_although_it_changed_meanwhile(qtbot, session, rate):
    rate.field.setFocus()
    rate.field.selectAll()
    session.edit("rate", training={"learning_rate": 0.25})
    qtbot.keyClicks(rate.field, "3")
    assert rate.field.text() == "3"


def test_after_return_the_next_key_begins_another_number(qtbot, session, rate):
    typed(qtbot, rate.field, "0.5")
    qtbot.keyClicks(rate.field, "2")
    qtbot.keyClick(rate.field, Qt.Key.Key_Return)
    assert session.document.training.learning_rate == 2.0


def test_the_same_number_again_is_no_step_to_undo(qtbot, session, rate):
    typed(qtbot, rate.field, "0.050")
    assert len(session.undo_stack.steps) == 0
    assert rate.field.text() == "0.05"


def test_a_whole_number_beyond_its_range_is_told_with_the_range(qtbot, session):
    field = integer_field(FieldBinding(session, "data", "n_samples", "number of points"))
    row = FormRow(field)
    qtbot.addWidget(row)
    field.enter(str(10**12))
    assert "100,000" in row.problem


def test_a_choice_goes_to_the_document_and_follows_undo(qtbot, session):
    binding = FieldBinding(session, "training", "dtype", "precision")
    field = ChoiceField(binding, [Choice("float64", "exact"), Choice("float32", "fast")])
    qtbot.addWidget(field)
    field.setCurrentIndex(1)
    field.activated.emit(1)
    assert session.document.training.dtype == "float32"
    session.undo_stack.undo_edit()
    assert field.currentData() == "float64"
    assert field.accessibleName() == "precision"


def test_a_choice_that_is_not_possible_is_disabled_with_its_reason(qtbot, session):
    binding = FieldBinding(session, "training", "dtype", "precision")
    field = ChoiceField(binding, [Choice("float64", "exact"), Choice("float32", "fast")])
    qtbot.addWidget(field)
    field.allow({"float32": "not today"})
    assert not field.model().item(1).isEnabled()
    assert field.model().item(1).toolTip() == "not today"
    field.allow({})
    assert field.model().item(1).isEnabled()


def test_what_is_wrong_moves_nothing_and_is_read_whole(qtbot, session):
    form, page = make_form(), QWidget()
    qtbot.addWidget(page)
    page.setLayout(form)
    fields = [number_field(FieldBinding(session, "training", name, name)) for name in ("learning_rate", "l1", "l2")]
    rows = [add_row(form, field.accessibleName(), field) for field in fields]
    page.resize(220, 300)
    page.show()
    qtbot.waitExposed(page)
    before = [(row.geometry(), row.sizeHint()) for row in rows], page.minimumSizeHint()
    for row, field in zip(rows, fields, strict=True):
        field.enter("a number that is none")
        note = next(label for label in page.findChildren(QLabel) if label.text() == row.problem)
        assert note.isVisible() and page.rect().contains(note.geometry())
        assert note.height() >= note.heightForWidth(note.width())
        assert not note.geometry().intersects(row.geometry())
    assert ([(row.geometry(), row.sizeHint()) for row in rows], page.minimumSizeHint()) == before
    page.resize(300, 300)
    qtbot.waitUntil(lambda: note.width() == rows[-1].width())
    fields[-1].enter("0.5")
    assert not note.isVisible()
