"""The bar that offers the recovery copy of a crashed session. Nothing waits for an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolBar, QWidget

from engine.autograd.notation import counted
from gui.session import Session
from gui.session.files import SessionFiles
from gui.session.recovery import Copy
from gui.widgets.buttons import push_button
from gui.widgets.labels import ElidedLabel

TEXTS = {
    "session": "Gradstep ended before “{name}” was saved. This is how it was on {when}.",
    "trained": "Gradstep ended before “{name}” was saved. This is how it was on {when}, trained for {steps}.",
    "more": "{text} ({count} more)",
    "refused": "“{name}” cannot be recovered: {error}",
    "recovered": "“{name}” is as it was; it is not saved yet.",
}
"""Sentences of the bar."""


class RecoveryBar(QToolBar):
    """Offers copies one after the other, newest first, and goes away with the last.

    Signals:
        recovered(): a copy has taken the place of the session.
    """

    recovered = Signal()

    def __init__(
        self,
        session: Session,
        files: SessionFiles,
        copies: Sequence[Copy],
        keep: Callable[[], bool],
        parent: QWidget,
    ) -> None:
        """Shows the first copy.

        Args:
            session: receives the recovered document.
            files: asks about unsaved changes first.
            copies: one or more.
            keep: writes a copy of the present session; returns True when it is written.
            parent: the window.
        """
        super().__init__("Recovery", parent)
        self.setObjectName("recovery bar")
        self.setMovable(False)
        self._session, self._files, self._keep = session, files, keep
        self._copies = list(copies)
        self.words = ElidedLabel()  # gives way: the buttons must not leave the bar
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setContentsMargins(8, 0, 12, 0)
        self.recover = push_button("Recover", do=lambda: files.unless_unsaved(self._take))
        self.recover.setProperty("primary", True)
        self.discard = push_button("Discard", do=self._discard)
        self.later = push_button("Later", "Offer it again at the next start", do=self._end)
        for part in (self.words, self.recover, self.discard, self.later):
            self.addWidget(part)
        self._show_next()

    def _show_next(self) -> None:
        if not self._copies:
            self._end()
            return
        copy, more = self._copies[0], len(self._copies) - 1
        when = datetime.fromtimestamp(copy.written).strftime("%d %B, %H:%M")
        step = copy.document.trained.step
        text = TEXTS["trained" if step else "session"].format(name=copy.name, when=when, steps=counted(step, "step"))
        self.words.setText(TEXTS["more"].format(text=text, count=more) if more else text)

    def _end(self) -> None:
        self.hide()
        self.deleteLater()

    def _take(self) -> None:
        copy = self._copies[0]
        self._files.cancel_reading()
        try:
            self._session.reset_document(copy.document, copy.path, copy.stamp, unsaved_copy=True)
        except ValueError as error:
            self._session.message_posted.emit(TEXTS["refused"].format(name=copy.name, error=error), "error")
            return
        self._session.message_posted.emit(TEXTS["recovered"].format(name=copy.name), "note")
        self.recovered.emit()
        if self._keep():
            self._discard()
        else:
            self._copies.pop(0)
            self._show_next()

    def _discard(self) -> None:
        self._copies.pop(0).discard()
        self._show_next()
        if self._copies:  # the second click of a double click is not about the next one
            had_focus = self.discard.hasFocus()
            self.discard.setEnabled(False)
            QTimer.singleShot(QApplication.doubleClickInterval(), self.discard, lambda: self._allow_discard(had_focus))

    def _allow_discard(self, focus: bool) -> None:
        self.discard.setEnabled(True)
        if focus:  # Qt has passed it on
            self.discard.setFocus()
