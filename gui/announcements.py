"""Announcements to screen readers: the step that Next has made, and messages of the status bar."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from gui.panels.graph.stepper import StepperBar
from gui.session import Change, Session

PAUSE_MILLISECONDS, PLAYING_MILLISECONDS = 150, 4000
"""Time in which steps are gathered into one announcement: of the user, and of a walk that plays."""


class Announcer(QObject):
    """Announces the newest step politely, and nothing while no screen reader runs.

    Signals:
        announced(str): a text was handed to the screen reader.
    """

    announced = Signal(str)

    def __init__(self, session: Session, stepper: StepperBar) -> None:
        super().__init__(stepper)
        self._session, self._stepper = session, stepper
        self._position = session.presenter.position
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(lambda: self.announce(stepper.words.text()))
        session.changed.connect(self._follow)
        session.message_posted.connect(lambda text, _kind: self.announce(text))

    def _follow(self, change: Change) -> None:
        if "numbers" not in change or self._session.presenter.position == self._position:
            return
        self._position = self._session.presenter.position
        if QAccessible.isActive() and not self._timer.isActive():
            self._timer.start(PLAYING_MILLISECONDS if self._stepper.is_playing else PAUSE_MILLISECONDS)

    def announce(self, text: str) -> None:
        """Ask the screen reader to speak a text when it is silent."""
        if text and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._stepper, text))
            self.announced.emit(text)
