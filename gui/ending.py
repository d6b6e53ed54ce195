"""The end of the program when something else than its window asks for it: a signal, or the end of the desktop session.

Nobody is asked anything then. What is not saved goes into the recovery copy and is offered at the next start.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QSessionManager
from PySide6.QtWidgets import QApplication

USED = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.TouchBegin, QEvent.Type.Wheel)
"""Events that tell that the user is still there."""
ENDINGS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
"""Signals that ask a program to end."""


class Ending(QObject):
    """Context manager around the event loop, which it leaves when the program is to end without questions.

    Python runs the handler of a signal between two of its instructions, and an idle window executes none. So a byte
    in a pipe wakes the event loop, as Qt's page "Calling Qt functions from Unix signal handlers" has it.

    Attributes:
        number: the signal that asked; None for none.
    """

    def __init__(self, application: QApplication, keep: Callable[[], object]) -> None:
        """Listen to nothing yet.

        Args:
            application: whose event loop is left.
            keep: writes what is not saved into the recovery copy: the desktop session may end at any moment.
        """
        super().__init__(application)
        self.number: int | None = None
        self._application, self._keep = application, keep
        self._is_session_over = False

    def __enter__(self) -> Ending:
        self._wakes, self._woken = socket.socketpair()
        for end in (self._wakes, self._woken):
            end.setblocking(False)
        self._before_fd = signal.set_wakeup_fd(self._woken.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._wakes.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(lambda *_: self._wakes.recv(64))
        self._before = {number: signal.getsignal(number) for number in ENDINGS}
        for number, handler in self._before.items():
            if handler != signal.SIG_IGN:  # as under nohup
                signal.signal(number, self._follow_signal)
        direct = Qt.ConnectionType.DirectConnection  # the desktop waits for the return
        self._application.commitDataRequest.connect(self.commit, direct)
        self._application.saveStateRequest.connect(name_command, direct)
        self._application.installEventFilter(self)
        return self

    def __exit__(self, _kind: type | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._application.removeEventFilter(self)
        self.setParent(None)
        self._application.commitDataRequest.disconnect(self.commit)
        self._application.saveStateRequest.disconnect(name_command)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._before_fd)
        self._notifier.setEnabled(False)
        self._wakes.close()
        self._woken.close()

    def _follow_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.number is None:  # a closing terminal sends its signal twice
            self.number = number
            QTimer.singleShot(0, self._leave)  # the event loop may not run yet

    def _leave(self) -> None:
        self._application.exit(0 if self.number is None else 128 + self.number)

    def commit(self, _manager: QSessionManager) -> None:
        """Keep what is not saved, as the desktop session is about to end; where the user stays, the window goes on."""
        self._is_session_over = True
        self._keep()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave without questions when the desktop session ends the program, unless the window was used again."""
        if not self._is_session_over:
            return False
        if event.type() in USED:
            self._is_session_over = False  # the logout was cancelled, which Qt does not report
        elif watched is self._application and event.type() == QEvent.Type.Quit:
            self._leave()
            return True
        return False


def name_command(manager: QSessionManager) -> None:
    """Tell the desktop how to start Gradstep again; Qt's own proposal has an option that Gradstep does not know."""
    script = [] if getattr(sys, "frozen", False) else [str(Path(sys.argv[0]).absolute())]
    manager.setRestartCommand([sys.executable, *script])
