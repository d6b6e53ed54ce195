"""What a test left running or open: threads, timers, widgets and windows, each named with the line that started it.

A thread or timer that outlives its test fails another test, at random, later. `Leftovers` looks before and after; the
fixture in conftest.py wraps it around every test.
"""

import gc
import inspect
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

JOIN_SECONDS = 30.0  # for a thread that was told to stop; on a busy machine only a fault takes so long
TOOLTIP = "QTipLabel"  # one for the process, Qt's own, hidden by a timer of Qt's


class Leftovers:
    """Watches from its construction on; `found()` names what is there then and was not before.

    Args:
        monkeypatch: undoes the wrapping of `Thread.start` and `QTimer.start` when the test ends.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._started: list[tuple[weakref.ref[Any], str]] = []
        self._threads = set(threading.enumerate())
        self._windows = set(map(_address, _open_windows()))
        monkeypatch.setattr(threading.Thread, "start", self._noted(threading.Thread.start))
        if core := sys.modules.get("PySide6.QtCore"):
            monkeypatch.setattr(core.QTimer, "start", self._noted(core.QTimer.start))

    def found(self) -> list[str]:
        """One sentence for each thing left behind; what only waits to be collected or deleted is let go."""
        running = threading.enumerate()
        ended = Counter(thread.name for thread in self._threads.difference(running))
        threads = []
        for thread in running:
            if thread not in self._threads:
                if ended[thread.name]:  # a window that goes on has a thread in place of one that it had
                    ended[thread.name] -= 1
                else:
                    threads.append(thread)
        for thread in threads:
            thread.join(JOIN_SECONDS)
        left = [f"thread {thread.name!r} still runs{self._line(thread)}" for thread in threads if thread.is_alive()]
        if self._timers() or self._new_windows():
            self._let_go()
        left += [f"timer {timer.objectName()!r} is still active{self._line(timer)}" for timer in self._timers()]
        return left + [f"window {_name(window)} still exists" for window in self._new_windows()]

    def _let_go(self) -> None:
        """Do what would happen anyway, now: deferred deletions, and cycles of Python objects that hold widgets.

        First among what was made since the collector last looked, which takes a quarter of a look at everything. What a
        deleted widget held is deleted in another round, where there is still something.
        """
        core = sys.modules["PySide6.QtCore"]
        for generation in (1, 2, 2):
            core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)
            gc.collect(generation)
            if scheduling := sys.modules.get("gui.scheduling"):
                scheduling.idle_tasks().drop_orphans()
            if not (self._timers() or self._new_windows()):
                break

    def _noted(self, start: Callable[..., Any]) -> Callable[..., Any]:
        """`start` that remembers who called it."""

        def noted_start(starter: Any, *arguments: Any) -> Any:
            # a variable with this frame itself would keep all that the caller has
            caller = getattr(inspect.currentframe(), "f_back", None)
            line = "" if caller is None else f"{caller.f_code.co_filename}:{caller.f_lineno}"
            self._started.append((weakref.ref(starter), line))
            return start(starter, *arguments)

        return noted_start

    def _line(self, starter: Any) -> str:
        lines = [line for reference, line in self._started if reference() is starter]
        return f", started at {lines[-1]}" if lines else ""

    def _timers(self) -> list[Any]:
        core = sys.modules.get("PySide6.QtCore")
        if core is None:
            return []
        import shiboken6

        objects = {id(found): found for reference, _ in self._started if (found := reference()) is not None}
        timers = [found for found in objects.values() if isinstance(found, core.QTimer)]
        active = [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]
        return [timer for timer in active if not self._is_of_earlier_window(timer)]

    def _is_of_earlier_window(self, found: Any) -> bool:
        """Return whether a timer or window belongs to a window that existed before: it ends with that.

        The window that tests of a file share goes on while another test is watched, and may start a timer or make the
        list of a combo box meanwhile.
        """
        owner = found.parent()
        while owner is not None and not (owner.isWidgetType() and _address(owner) in self._windows):
            owner = owner.parent()
        return owner is not None

    def _new_windows(self) -> list[Any]:
        new = [window for window in _open_windows() if _address(window) not in self._windows]
        if self._windows:
            new = [window for window in new if not _is_form_of_plot(window)]
        return [window for window in new if not self._is_of_earlier_window(window)]


def _open_windows() -> list[Any]:
    """Top-level widgets, shown or not, and shown windows that belong to no widget."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or not isinstance(widgets.QApplication.instance(), widgets.QApplication):
        return []
    tops = [widget for widget in widgets.QApplication.topLevelWidgets() if _class(widget) != TOOLTIP]
    if tops:
        return tops
    return [window for window in widgets.QApplication.topLevelWindows() if window.isVisible()]


def _address(window: Any) -> int:
    """Where the C++ object is: the Python one around it may be made anew at every look."""
    import shiboken6

    return int(shiboken6.getCppPointer(window)[0])


def _class(window: Any) -> str:
    return str(window.metaObject().className())


def _name(window: Any) -> str:
    title = window.windowTitle() if hasattr(window, "windowTitle") else window.title()
    return " ".join(filter(None, [_class(window), repr(window.objectName() or title or "without a name")]))


def _is_form_of_plot(window: Any) -> bool:
    """Return True for the empty form that pyqtgraph keeps without a parent as long as a plot lives.

    The window that tests of a file share may make a plot while another test is watched.
    """
    return window.metaObject().className() == "QWidget" and not window.children() and not window.isVisible()
