"""Save my work: the session under a new name, even after something in the program has failed.

An ordinary save asks every part of the window for what is being typed, and takes the newest step of the training. Where
one of these fails, this goes on with less: the document as it was edited last. It changes nothing in the session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog

from engine.file_access import reason_of, write_atomically
from engine.session_file.saved_runs import session_text
from gui.file_dialogs import FileDialog
from gui.session import Session
from gui.session.files import SAVED, session_path
from gui.unexpected import report

NAME = "my work.gradstep"


@dataclass(frozen=True)
class Attempt:
    """One way to get the text of a session.

    Attributes:
        what: what is in it, for the message.
        text: makes it.
    """

    what: str
    text: Callable[[Session], str]


ATTEMPTS = (
    Attempt("everything", lambda session: session_text(session.current_document())),
    Attempt("all edits, without the newest steps of training", lambda session: session_text(session.document)),
)
"""From all to the least."""


def save_work(window: Any) -> None:
    """Ask for a new name, and save the session there."""
    dialog = FileDialog(window, "Save my work", SAVED, None, NAME)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("gradstep")
    dialog.fileSelected.connect(lambda name: _write(window, session_path(Path(name))))
    dialog.open()


def _write(window: Any, path: Path) -> None:
    text, what = rescued(window.session)
    try:
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        window.show_message(f"{path.name} was not saved: {reason_of(error)}", "error")
    else:
        window.show_message(f"Saved {what} as {path.name}")


def rescued(session: Session) -> tuple[str, str]:
    """Return the text of a session file, and what is in it; the first attempt that succeeds."""
    failure: Exception = RuntimeError("nothing was attempted")
    for attempt in ATTEMPTS:
        try:
            return attempt.text(session), attempt.what
        except Exception as error:
            failure = error
            report(error)
    raise failure
