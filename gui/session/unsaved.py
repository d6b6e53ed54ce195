"""Unsaved work of a session: the training moment last saved, fields with uncommitted entries, and saves under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.document import Document, Trained
from engine.experiment.assemble import stands_at
from engine.file_access import check_regular, write_atomically
from engine.network import Snapshot
from engine.session_file.files import FileStamp
from engine.session_file.saved_runs import session_text


@dataclass(frozen=True, eq=False)
class Saving:
    """Save in progress.

    Attributes:
        document: what is written; what is edited meanwhile is not in it.
        was_modified: whether anything was unsaved when it began; until it has ended that is so.
    """

    document: Document
    was_modified: bool


class FileReplaced(ValueError):
    """Another program has changed the file that was to be written."""

    def __init__(self) -> None:
        super().__init__("another program has changed it")


def write(
    path: Path,
    document: Document,
    stamp: FileStamp | None = None,
    is_dropped: Callable[[], bool] = lambda: False,
) -> FileStamp | OSError | ValueError:
    """Write a document as a session's file; any thread may call.

    Args:
        path: of the file.
        document: its new content.
        stamp: of what the file is to hold before, unless it is gone; None for anything.
        is_dropped: asked before the file is replaced.

    Returns:
        Stamp of the written file, or why it could not be written; it is unchanged then.
    """
    try:
        check_regular(path)
        if stamp is not None and stamp.is_replaced(path):
            return FileReplaced()
        content = session_text(document).encode("utf-8")
        write_atomically(path, content, is_dropped=is_dropped)
        return FileStamp.of(content)
    except (OSError, ValueError) as error:
        return error.with_traceback(None)


class UnsavedWork:
    """Unsaved work that the undo stack does not know."""

    def __init__(self, saved: Trained) -> None:
        """Args: the training moment that is saved, or not worth saving."""
        self._saved = saved
        self._is_copy = False
        self._typing: set[str] = set()
        self._savings: list[Saving] = []

    def count_as_saved(self, trained: Trained, is_copy: bool = False) -> None:
        """Count the present state as saved.

        Args:
            trained: the moment of training that was.
            is_copy: it was recovered after a crash, so it is in no file as it is.
        """
        self._saved, self._is_copy, self._savings = trained, is_copy, []

    def begin_saving(self, document: Document, was_modified: bool) -> Saving:
        """Begin a save, or queue it; saves end in the order in which they began."""
        self._savings.append(Saving(document, was_modified))
        return self._savings[-1]

    def is_of_this_document(self, saving: Saving) -> bool:
        """Return True when the document is still the one whose saving began."""
        return saving in self._savings

    def end_saving(self, saving: Saving, is_written: bool) -> bool:
        """End a save of this document; return True if it is the newest one."""
        del self._savings[: self._savings.index(saving) + 1]
        is_newest = not self._savings
        if is_newest and is_written:
            self.count_as_saved(saving.document.trained)
        return is_newest

    def note_typing(self, field: str, is_entry: bool) -> bool:
        """Note that a named field holds an allowed entry that the document does not have yet, or no longer does.

        Returns:
            True when this differs from before.
        """
        is_new = is_entry != (field in self._typing)
        (self._typing.add if is_entry else self._typing.discard)(field)
        return is_new

    def forget_typing(self) -> None:
        """Discard the uncommitted entries."""
        self._typing.clear()

    def is_there(self, trained: Trained, newest: Snapshot | None) -> bool:
        """Return True if any training is unsaved, given the document's moment of training and the newest one."""
        is_being_saved = any(saving.was_modified for saving in self._savings)
        if self._is_copy or self._typing or is_being_saved:
            return True
        if newest is None:
            return (trained.step, trained.parameters) != (self._saved.step, self._saved.parameters)
        return not stands_at(self._saved, newest)
