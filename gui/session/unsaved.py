"""What of a session is in no file: which moment of training was saved, which fields are being typed in."""

from __future__ import annotations

from dataclasses import dataclass

from engine.document import Document, Trained
from engine.document.saved_run import is_moment_of
from engine.network.progress import Progress


@dataclass(frozen=True, eq=False)
class Saving:
    """A save that is under way.

    Attributes:
        document: what is written; what is edited meanwhile is not in it.
        was_modified: whether anything was unsaved when it began; until it has ended that is so.
    """

    document: Document
    was_modified: bool


class UnsavedWork:
    """Everything unsaved that the undo stack does not know of."""

    def __init__(self, saved: Trained) -> None:
        """Takes the moment of training that is saved, or is not worth saving."""
        self._saved = saved
        self._is_copy = False
        self._typing: set[str] = set()
        self._saving: Saving | None = None

    def count_as_saved(self, trained: Trained, is_copy: bool = False) -> None:
        """Whatever there is now is saved.

        Args:
            trained: the moment of training that was.
            is_copy: it was recovered after a crash, so it is in no file as it is.
        """
        self._saved, self._is_copy, self._saving = trained, is_copy, None

    def begin_saving(self, document: Document, was_modified: bool) -> Saving:
        """A save begins."""
        self._saving = Saving(document, was_modified)
        return self._saving

    def end_saving(self, saving: Saving, is_written: bool) -> bool:
        """A save has ended; whether it is of what there is now: no other document came, no other save began."""
        is_newest = saving is self._saving
        if is_newest and is_written:
            self.count_as_saved(saving.document.trained)
        elif is_newest:
            self._saving = None
        return is_newest

    def note_typing(self, field: str, is_entry: bool) -> None:
        """Whether the field of that name holds an allowed entry that the document does not have yet."""
        (self._typing.add if is_entry else self._typing.discard)(field)

    def forget_typing(self) -> None:
        """What is being typed is not wanted."""
        self._typing.clear()

    def is_there(self, trained: Trained, progress: Progress | None) -> bool:
        """Whether there is any, given the document's moment of training and the newest one."""
        is_being_saved = self._saving is not None and self._saving.was_modified
        if self._is_copy or self._typing or is_being_saved:
            return True
        if progress is None:
            return (trained.step, trained.parameters) != (self._saved.step, self._saved.parameters)
        return not is_moment_of(self._saved, progress.keep)
