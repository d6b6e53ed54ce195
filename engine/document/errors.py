"""What is wrong with a document, a file or an edit: the field and the reason, in words for the user."""

from __future__ import annotations

from engine.messages import visible

LONGEST_PATH, LONGEST_REASON = 100, 500


class DocumentError(ValueError):
    """Something a document cannot hold.

    Attributes:
        path: which field, such as `training.learning_rate`; "" for the file as a whole.
        reason: what is allowed and what was given, on one line of at most 500 characters that can all be seen.
    """

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = visible(path, LONGEST_PATH), visible(reason, LONGEST_REASON)
        super().__init__(f"{self.path} {self.reason}" if path else self.reason)

    @property
    def sentence(self) -> str:
        """The same for somebody who does not think of a file: "The batch size must be ..."."""
        name = self.path.rpartition(".")[2].replace("_", " ")
        return f"The {name} {self.reason}" if name else self.reason


def sentence_of(error: ValueError) -> str:
    """What an edit is refused with, for somebody who does not think of a file."""
    return error.sentence if isinstance(error, DocumentError) else str(error)
