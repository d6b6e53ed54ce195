"""What one letter typed into the program sets going in the window's thread: calls of our functions, and refreshes.

Run by `window_bench` in a process of its own, because it counts every call. The letter is typed into the first program
of a new session, with all panels made; what is counted ends when the new graph stands on the canvas. Two changes are
announced: the text is another one, and its run in the sandbox has ended. A panel may refresh once for each.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.app import make_application
from gui.main_window import MainWindow
from gui.panels.panel import Panel
from gui.scheduling import idle_tasks
from gui.session import Session
from gui.session.programs import BackgroundPrograms

OURS = tuple(str(Path(__file__).resolve().parents[2] / folder) for folder in ("gui", "engine", "datasets"))


class CallCount:
    """Counts the calls of functions that stand in our files, by file, in the thread that starts it."""

    def __init__(self) -> None:
        self.calls = Counter[str]()

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        """As `sys.setprofile` calls it."""
        if event == "call" and (name := frame.f_code.co_filename).startswith(OURS):
            self.calls[name] += 1


def count_refreshes(window: MainWindow) -> Counter[str]:
    """How often each panel is refreshed from now on, by the name of its class."""
    counts = Counter[str]()

    def counted(panel: Panel, refresh: Callable[..., None]) -> Callable[..., None]:
        def refresh_and_count(change: Any) -> None:
            counts[type(panel).__name__] += 1
            refresh(change)

        return refresh_and_count

    for panel in window.findChildren(Panel):
        panel.refresh = counted(panel, panel.refresh)  # type: ignore[method-assign]
    return counts


def wait(application: QApplication, done: Callable[[], bool], count: CallCount | None = None) -> None:
    """Lets the event loop turn until it is done; counts what is called meanwhile."""
    while not done():
        sys.setprofile(count)
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 10)
        sys.setprofile(None)


def main() -> None:
    """Prints the figures as JSON."""
    application = make_application()
    window = MainWindow(Session(programs=BackgroundPrograms()), theme="light", workspace="both")
    session = window.session
    window.resize(1440, 900)
    window.show()
    for dock in window.docks.values():
        assert dock.panel
    window.arrange()

    def settled() -> bool:
        return not session.program.busy and not session.presenter.busy and not idle_tasks().busy

    wait(application, lambda: settled() and session.newest is not None)
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    editor.moveCursor(QTextCursor.MoveOperation.End)
    text = session.document.expression.text
    refreshes, count, changes = count_refreshes(window), CallCount(), list[object]()
    session.changed.connect(changes.append)
    sys.setprofile(count)
    QTest.keyClick(editor, Qt.Key.Key_1)
    sys.setprofile(None)
    wait(application, lambda: session.document.expression.text != text and settled(), count)
    print(json.dumps({
        "calls": sum(count.calls.values()), "files": len(count.calls), "panels_refreshed": len(refreshes),
        "most_refreshes_of_a_panel": max(refreshes.values()), "changes": len(changes),
    }))  # fmt: skip
    session.discard_changes()
    session.close()


if __name__ == "__main__":
    main()
