"""Errors in a document, a file or an edit: the field and the reason, worded for the user."""

from __future__ import annotations

from engine.messages import visible

LONGEST_PATH, LONGEST_REASON = 100, 500


class DocumentError(ValueError):
    """An invalid value in a document.

    Attributes:
        path: the field, such as `training.learning_rate`; "" for the file as a whole.
        reason: the allowed and the given value, on one line of at most 500 visible characters.
    """

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = visible(path, LONGEST_PATH), visible(reason, LONGEST_REASON)
        super().__init__(f"{self.path} {self.reason}" if path else self.reason)

    @property
    def sentence(self) -> str:
        """The error with the field's title instead of its path: "The batch size must be ..."."""
        name = self.path.rpartition(".")[2].replace("_", " ")
        return f"The {name} {self.reason}" if name else self.reason


def sentence_of(error: ValueError) -> str:
    """Return the message for a refused edit, without paths of a file."""
    return error.sentence if isinstance(error, DocumentError) else str(error)
