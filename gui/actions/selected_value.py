"""The value that is selected on the canvas: its key, its name, and its numbers with all their digits."""

from __future__ import annotations

from engine.csv_text import is_number
from gui.session import Session


def selected_key(session: Session) -> str | None:
    """The key of the selected box; None when there is none, or when it is not drawn."""
    key = session.selection
    return key if key in session.presenter.picture.boxes else None


def selected_label(session: Session) -> str:
    """Return the label of the selected value; "value" for one without a name, or for none."""
    key = selected_key(session)
    return session.presenter.picture.boxes[key].label or "value" if key is not None else "value"


def digits_of(session: Session, number: str) -> str:
    """A number of the selected value as it can be pasted elsewhere; "" where none is computed.

    Args:
        session: whose selection.
        number: "data" or "grad".
    """
    key = selected_key(session)
    readings = session.presenter.readings
    return digits(readings[key].full, number) if key is not None and key in readings else ""


def digits(full: str, name: str) -> str:
    """The number that stands after a name in the full text of a reading; "" where none is computed."""
    for line in full.splitlines():
        word, _space, number = line.partition(" ")
        if word in (name, "constant" if name == "data" else name):
            return number if is_number(number) else ""
    return ""
