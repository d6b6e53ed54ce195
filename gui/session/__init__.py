"""The session: the document with its undo stack, what is derived from it, the run, and what a crash leaves behind."""

from gui.session.change import Change
from gui.session.session import Session

__all__ = ["Change", "Session"]
