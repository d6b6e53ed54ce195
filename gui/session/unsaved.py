"""What of a session is in no file: which moment of training was saved, which fields are being typed in."""

from __future__ import annotations

from engine.document import Trained
from engine.document.saved_run import is_moment_of
from engine.network.progress import Progress


class UnsavedWork:
    """Everything unsaved that the undo stack does not know of."""

    def __init__(self, saved: Trained) -> None:
        """Takes the moment of training that is saved, or is not worth saving."""
        self._saved = saved
        self._is_copy = False
        self._typing: set[str] = set()

    def count_as_saved(self, trained: Trained, is_copy: bool = False) -> None:
        """Whatever there is now is saved.

        Args:
            trained: the moment of training that was.
            is_copy: it was recovered after a crash, so it is in no file as it is.
        """
        self._saved, self._is_copy = trained, is_copy

    def note_typing(self, field: str, is_entry: bool) -> None:
        """Whether the field of that name holds an allowed entry that the document does not have yet."""
        (self._typing.add if is_entry else self._typing.discard)(field)

    def forget_typing(self) -> None:
        """What is being typed is not wanted."""
        self._typing.clear()

    def is_there(self, trained: Trained, progress: Progress | None) -> bool:
        """Whether there is any, given the document's moment of training and the newest one."""
        if self._is_copy or self._typing:
            return True
        if progress is None:
            return (trained.step, trained.parameters) != (self._saved.step, self._saved.parameters)
        return not is_moment_of(self._saved, progress.keep)
