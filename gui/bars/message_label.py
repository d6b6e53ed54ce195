"""The line at the bottom of the window: notes for a while, errors until the user goes on.

A note on the state of the training ends with that state, which is the next step.
"""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QStatusTipEvent

from engine.messages import visible
from gui.theme import set_style_property
from gui.widgets.labels import ElidedLabel

MESSAGE_MILLISECONDS = 8000
ERROR_SECONDS = 1.0
"""An error stays at least so long, and until the user does something."""
STATE_SECONDS = 1.0
"""Shortest display of a note on the state of training, even when training continues immediately."""


class MessageLabel(ElidedLabel):
    """Shows the newest message, or the tip of the action under the pointer.

    Attributes:
        message: the newest message, also while a tip is shown; "" where it has gone.
    """

    def __init__(self) -> None:
        super().__init__()
        self._error_since: float | None = None
        self._state_since: float | None = None
        self.message, self._tip = "", ""
        self._timer = QTimer(self, singleShot=True, interval=MESSAGE_MILLISECONDS)
        self._timer.timeout.connect(self.clear_message)

    def show_message(self, text: str, kind: str = "note") -> None:
        """Show a message.

        Args:
            text: a sentence or several.
            kind: "note" for one that goes away by itself, "state" for one that ends with the next step of training,
                too, "error" for one that waits.
        """
        is_error = kind == "error"
        shown = "\n".join(map(visible, text.split("\n")))  # names of files are in it
        self.message, self._tip = shown, ""
        self._error_since = monotonic() if is_error else None
        self._state_since = monotonic() if kind == "state" else None
        self._show()
        if is_error:
            self._timer.stop()
        else:
            self._timer.start()

    def show_tip(self, tip: str) -> None:
        """Show the tip of the action under the pointer; an empty one brings the message back.

        The status bar's own temporary message would be painted over this label after a new layout of the bar.
        """
        self._tip = tip
        self._show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show tips of the window's actions; the window has this label filter its events."""
        if isinstance(event, QStatusTipEvent):
            self.show_tip(event.tip())
            return True
        return super().eventFilter(watched, event)

    def clear_message(self) -> None:
        """Remove the message."""
        self.message = ""
        self._show()

    def _show(self) -> None:
        self.setText(self._tip or self.message)
        self.setToolTip(self._tip or self.message)
        set_style_property(self, "error", self._error_since is not None and not self._tip)

    def end_error(self, at_once: bool = False) -> None:
        """Remove an error after the user did something.

        Args:
            at_once: also an error that is younger than `ERROR_SECONDS`. For a younger one what changed is otherwise
                taken for a consequence of the error.
        """
        if self._error_since is not None and (at_once or monotonic() - self._error_since > ERROR_SECONDS):
            self._error_since = None
            self.clear_message()

    def end_state(self) -> None:
        """Remove a note on the state of the training that another one follows."""
        if self._state_since is not None and monotonic() - self._state_since > STATE_SECONDS:
            self._state_since = None
            self.clear_message()
