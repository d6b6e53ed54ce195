"""The history of edits: fields of the document before and after each, and the training that an edit ends.

An edit of the network or the data restarts the training. The earlier training is kept with the
edit, so that undo brings weights, step, curve, the optimizer's memory and the past steps back, and redo what was
trained later.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from engine.document import Document, Trained, replace_section
from engine.document.document import SECTIONS
from engine.experiment.carried import carried, kept_note
from engine.experiment.consistency import check_consistent
from engine.experiment.fitted import fitted_to_data
from gui.runner import SavedHistory
from gui.session.change import Changes
from gui.unexpected import report

MOST_UNDO_STEPS = 1000
MOST_UNDO_BYTES = 100_000_000
"""Limit of the trained numbers that undo steps keep; the oldest steps forget theirs first."""

MOST_PASTS = 8
"""Number of undo steps that keep a run's history, the nearest to the present; MOST_HISTORY_BYTES each."""

LONG_TEXT = 20_000
"""Length from which an undo step compresses a text, in characters."""

Fields = Mapping[str, Mapping[str, Any]]
Tell = Callable[[str, str], object]
NOT_TRAINED = Trained()


class Editable(Protocol):
    """Interface of a session for edits."""

    document: Document

    @property
    def trained_so_far(self) -> Trained:
        """The moment that training has reached."""
        ...

    def set_document(self, document: Document, restart: bool = False, saved: SavedHistory | None = None) -> None:
        """Set the current document."""
        ...

    def restore_document(self, document: Document, restart: bool, saved: SavedHistory | None) -> None:
        """Restore the document from before a failed edit."""
        ...

    def save_history(self) -> SavedHistory:
        """Save the history of the present run."""
        ...


class UndoStep:
    """A step that can be undone; one that fails is reported, and raises nothing into Qt.

    Subclasses implement `make` and `take_back`, which leave everything as it was when they raise.

    Attributes:
        label: as the undo menu calls it.
        is_merged: the step before it in the history has taken it in.
    """

    def __init__(self, label: str) -> None:
        self.label, self.is_merged = label, False

    def make(self) -> None:
        """Make the change."""
        raise NotImplementedError

    def take_back(self) -> None:
        """Revert the change."""
        raise NotImplementedError


class Edit(UndoStep):
    """An edit of the document.

    Attributes:
        before, after: by section the fields that differ, as they were and as the edit has them, long texts compressed.
        restarts: True if it restarts the training; then both directions keep what the other had trained.
        saved: of the run that comes back with the next undo, or redo; None: it comes back without.
    """

    def __init__(
        self,
        session: Editable,
        label: str,
        after: Document,
        merge: str = "",
        restarts: bool = False,
        make: Callable[[], None] | None = None,
    ) -> None:
        """Prepare the edit; the stack makes it.

        Args:
            session: whose document.
            label: as the undo menu calls it.
            after: the document with the edit.
            merge: edits in a row with the same non-empty key become one.
            restarts: see the attribute.
            make: what makes the edit the first time, where that is not to put the document in.
        """
        super().__init__(label)
        self._session = session
        self._merge = merge
        self._make = make
        self.restarts = restarts
        self.saved_history: SavedHistory | None = None
        self.before = changed_fields(after, session.document)
        self.after = changed_fields(session.document, after)
        if restarts:
            self.after["trained"] = all_fields(after.trained)

    def make(self) -> None:
        if self.restarts:
            self.before["trained"] = all_fields(self._session.trained_so_far)
        make, self._make = self._make, None
        if make is None:
            self._put_in(self.after)
        else:
            self.saved_history = self._session.save_history()
            make()

    def take_back(self) -> None:
        """Restore the old values; later changes of other fields, such as the view, stay."""
        if self.restarts:
            self.after["trained"] = all_fields(self._session.trained_so_far)
        self._put_in(self.before)

    def _put_in(self, changes: Fields) -> None:
        session, before = self._session, self._session.document
        saved: SavedHistory | None = None
        if self.restarts:
            before, saved = dataclasses.replace(before, trained=session.trained_so_far), session.save_history()
        try:
            session.set_document(with_fields(session.document, changes), self.restarts, self.saved_history)
        except BaseException:
            session.restore_document(before, self.restarts, saved)
            raise
        self.saved_history = saved

    @property
    def is_of_view(self) -> bool:
        """True when it changes only the view: it can be undone, but does not count as unsaved work."""
        return self.after.keys() <= {"view"}

    def take_in(self, other: UndoStep) -> bool:
        """Become both edits, where they have the same non-empty key; return True then."""
        if not (self._merge and isinstance(other, Edit) and other._merge == self._merge):
            return False
        if not other.after.keys() <= self.after.keys():
            return False
        for section, fields in other.after.items():
            self.before[section] = {**other.before[section], **self.before[section]}
            self.after[section] = {**self.after[section], **fields}
        return True

    @property
    def size(self) -> int:
        """Bytes of the trained numbers it keeps."""
        kept = (fields.get("trained", {}) for fields in (self.before, self.after))
        return sum(_bytes(value) for fields in kept for value in fields.values())

    def forget_training(self) -> None:
        """Drop the training, keep the fields: undo and redo then start from the first weights."""
        if self.restarts:
            self.before["trained"] = self.after["trained"] = all_fields(Trained())
            self.restarts, self.saved_history = False, None


class EditStack(QObject):
    """The edits that can be undone and redone, in bounded memory: its oldest steps forget what was trained first.

    It is Python's own list, not Qt's QUndoStack: Qt deletes steps that are objects of Python, too, and has ended the
    process doing so.

    Attributes:
        steps: those that are made, the oldest first, and behind them those that were undone.
        index: how many of them are made.
        clean_index: how many were made when the document was saved; None where no undo or redo leads there.

    Signals:
        moved(): steps or one of both indices have changed.
    """

    moved = Signal()

    def __init__(self, parent: QObject, changes: Changes) -> None:
        """Args: parent, and the changes to announce: one for each edit, undo and redo."""
        super().__init__(parent)
        self._changes = changes
        self.steps: list[UndoStep] = []
        self.index = 0
        self.clean_index: int | None = 0
        self._restarts: deque[Edit] = deque()

    @property
    def can_undo(self) -> bool:
        return self.index > 0

    @property
    def can_redo(self) -> bool:
        return self.index < len(self.steps)

    @property
    def undo_label(self) -> str:
        """Label of the edit that undo takes back; "" for none."""
        return self.steps[self.index - 1].label if self.can_undo else ""

    @property
    def redo_label(self) -> str:
        """Label of the edit that redo makes again; "" for none."""
        return self.steps[self.index].label if self.can_redo else ""

    @property
    def is_edited(self) -> bool:
        """True when the document differs from the last save in more than the view."""
        if self.clean_index is None:
            return True
        between = self.steps[min(self.clean_index, self.index) : max(self.clean_index, self.index)]
        return not all(isinstance(step, Edit) and step.is_of_view for step in between)

    def set_clean(self, is_clean: bool = True) -> None:
        """Note that the document was saved as it is now; False: that it is in no file as it was saved."""
        self.clean_index = self.index if is_clean else None
        self.moved.emit()

    def make(self, step: UndoStep) -> bool:
        """Make a step and add it, unless it fails; return True when it was made."""
        with self._changes.gathered():
            if not _succeeds(step.make):
                return False
            is_last = self.index == len(self.steps) != self.clean_index
            last = self.steps[-1] if is_last and self.steps else None
            step.is_merged = isinstance(last, Edit) and last.take_in(step)
            if not step.is_merged:
                self._add(step)
            self.moved.emit()
        if isinstance(step, Edit) and step.restarts and not step.is_merged:
            self._restarts.append(step)
            while len(self._restarts) > 1 and sum(kept.size for kept in self._restarts) > MOST_UNDO_BYTES:
                self._restarts.popleft().forget_training()
            self._drop_far_histories()
        return True

    def _add(self, step: UndoStep) -> None:
        """Put a step in the place of those that were undone, and drop the oldest beyond the limit."""
        if self.clean_index is not None and self.clean_index > self.index:
            self.clean_index = None
        self.steps[self.index :] = [step]
        too_many = max(len(self.steps) - MOST_UNDO_STEPS, 0)
        del self.steps[:too_many]
        self.index = len(self.steps)
        if self.clean_index is not None:
            self.clean_index = self.clean_index - too_many if self.clean_index >= too_many else None

    def undo_edit(self) -> None:
        """Undo the last edit, announced as one change."""
        self.go_to(self.index - 1)

    def redo_edit(self) -> None:
        """Redo the last undone edit, announced as one change."""
        self.go_to(self.index + 1)

    def go_to(self, index: int) -> None:
        """Undo or redo edits until `index` of them are made, announced as one change; stop at one that fails."""
        with self._changes.gathered():
            wanted = min(max(index, 0), len(self.steps))
            while self.index != wanted and self._move(-1 if wanted < self.index else 1):
                pass
        self._drop_far_histories()

    def _move(self, by: int) -> bool:
        """Undo (-1) or redo (1) one step; one that fails leaves the history, and False is returned."""
        place = self.index + min(by, 0)
        step = self.steps[place]
        is_done = _succeeds(step.take_back if by < 0 else step.make)
        if self.steps[place : place + 1] != [step]:
            return False  # another document was opened meanwhile
        if is_done or by < 0:
            self.index = place + max(by, 0)
        if not is_done:
            del self.steps[place]
            if self.clean_index is not None and self.clean_index > place:
                self.clean_index = None
        self.moved.emit()
        return is_done

    def _drop_far_histories(self) -> None:
        with_history = [
            (abs(place + 0.5 - self.index), step)
            for place, step in enumerate(self.steps)
            if isinstance(step, Edit) and step.saved_history is not None
        ]
        for _distance, step in sorted(with_history, key=lambda entry: entry[0])[MOST_PASTS:]:
            step.saved_history = None

    def end(self) -> None:
        """Drop every edit for good, and say nothing any more."""
        self.blockSignals(True)
        self.clear()

    def clear(self) -> None:
        """Drop every edit."""
        self.steps, self.index, self.clean_index = [], 0, 0
        self._restarts.clear()
        self.moved.emit()


def _succeeds(action: Callable[[], None]) -> bool:
    """Do an action; return True, or report the error and return False."""
    try:
        action()
    except BaseException as error:  # PySide ends the process when something raises into Qt
        report(error)
        return False
    return True


def _bytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_bytes(entry) for _, entry in value)
    array = getattr(value, "array", None)
    return 0 if array is None else int(array.nbytes)


def all_fields(section: Any) -> dict[str, Any]:
    """Return the fields of a section of the document by name."""
    return {item.name: getattr(section, item.name) for item in dataclasses.fields(section)}


def edited(
    document: Document, sections: Fields, trained: Trained = NOT_TRAINED, tell: Tell = lambda _text, _kind: None
) -> Document:
    """Return the document with some fields changed, by section and name, and everything that follows from that.

    Args:
        document: stays as it is.
        sections: the fields.
        trained: the moment that training has reached; it goes on from there unless `sections` has another moment.
        tell: takes a note on what became of the weights and of what was chosen, and its kind.

    Raises:
        DocumentError: when a value is not allowed, or parts of the document do not fit together.
    """
    after = document
    for section, changes in sections.items():
        after = replace_section(after, section, **changes)
    return completed(document, after, after.trained if "trained" in sections else trained, tell)


def completed(before: Document, after: Document, trained: Trained, tell: Tell) -> Document:
    """An edited document with what follows from the edit: inputs that other data do not have are left out, the
    network's ends are adapted to the data, and trained weights go on where they have a place.

    Args:
        before: the document before the edit.
        after: the document with the edit.
        trained: the moment that training has reached.
        tell: takes a note on what became of the weights and of what was chosen, and its kind.

    Raises:
        DocumentError: when parts of the document do not fit together.
    """
    notes: list[str] = []
    kind = "note"
    if after.data != before.data or after.training.loss != before.training.loss:
        after, notes = fitted_to_data(after, with_features=after.data.features == before.data.features)
    if restarts_training(before, after) and after.trained == before.trained:
        after = dataclasses.replace(after, trained=carried(before, trained, after))
        if after.trained != Trained() or (trained.step and after.data.has_other_points(before.data)):
            notes.append(kept_note(before, after))
            kind = "state" if after.data.has_other_points(before.data) else kind
    if changed_sections(before, after) & {"data", "network", "training", "trained"}:
        check_consistent(after)
    if text := " ".join(filter(None, notes)):
        tell(text, kind)
    return after


def restarts_training(before: Document, after: Document) -> bool:
    """Return True when training has to be loaded again for other data, another network, or another moment."""
    same_data = before.data is after.data or before.data.trains_like(after.data)
    return not same_data or before.network != after.network or before.trained != after.trained


def changed_sections(before: Document, after: Document) -> frozenset[str]:
    """Names of the sections that differ."""
    return frozenset(name for name in SECTIONS if getattr(before, name) != getattr(after, name))


def changed_fields(before: Document, after: Document) -> dict[str, dict[str, Any]]:
    """Return the fields that differ, by section, with their values in `after`."""
    changed: dict[str, dict[str, Any]] = {}
    for section in changed_sections(before, after):
        old, new = getattr(before, section), getattr(after, section)
        names = (item.name for item in dataclasses.fields(new))
        changed[section] = {
            name: _packed(getattr(new, name)) for name in names if getattr(old, name) != getattr(new, name)
        }
    return changed


@dataclass(frozen=True)
class _Packed:
    """A long text as an undo step keeps it: a thousand steps of the largest program would take 200 MB."""

    content: bytes

    @property
    def text(self) -> str:
        return zlib.decompress(self.content).decode("utf-8")


def _packed(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONG_TEXT:
        return _Packed(zlib.compress(value.encode("utf-8"), 1))
    return value


def _unpacked(value: Any) -> Any:
    return value.text if isinstance(value, _Packed) else value


def with_fields(document: Document, changes: Fields) -> Document:
    """The document with some fields of some sections changed; they are known to be allowed."""
    sections = {
        name: dataclasses.replace(getattr(document, name), **{key: _unpacked(value) for key, value in fields.items()})
        for name, fields in changes.items()
    }
    return dataclasses.replace(document, **sections)
