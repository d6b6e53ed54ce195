"""Measure for how long ordinary actions hold the window's thread, done several times with everything loaded.

    python -m tests.reliability.holds --times 10
    python -m tests.reliability.holds --only lesson --profile

A timer of the event loop beats as often as it can. Measured is what the window's thread did between two beats: seconds
of a processor, which a busy machine lengthens little, or of waiting with the whole process (for a lock, the disk, a
sleep; see heartbeat.py). Of each time that an action is done the longest such hold counts; a wait is named.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from PySide6.QtCore import QEventLoop, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from engine.document import Document, replace_section
from engine.session_file import to_json
from gui.arrangement import WORKSPACES
from gui.loading import load_later
from gui.main_window import MainWindow
from gui.scheduling import idle_tasks
from tests.fuzz.window import opened
from tests.gui.reuse import is_busy
from tests.reliability.heartbeat import LONGEST_HOLD, LONGEST_WAIT, Clocks

LARGE = "a = 2.0\nb = a\n" + "".join(f"b = tanh(b * {k}.0 + a)\n" for k in range(1, 120))
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
Action = Callable[[int], object]


class Beats(QObject):
    """Timer that notes the longest hold, and profiles it if asked.

    Attributes:
        longest: seconds that the thread was held between two beats, in the last `wait`.
        waited: how many of its holds in that time were waiting.
    """

    def __init__(self, profiles: bool) -> None:
        super().__init__()
        self.longest, self.waited, self.profiles = 0.0, 0, profiles
        self.worst: tuple[float, cProfile.Profile | None] = (0.0, None)
        self._profile: cProfile.Profile | None = None
        self._clocks = Clocks()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._beat)

    def wait(self, condition: Callable[[], bool], seconds: float) -> float:
        """Run the event loop until the condition holds and some time has passed; return the longest hold."""
        loop, end = QEventLoop(), time.monotonic() + seconds
        give_up = end + 60.0

        def look() -> None:
            if (time.monotonic() > end and condition()) or time.monotonic() > give_up:
                loop.quit()

        looks = QTimer(interval=20)
        looks.timeout.connect(look)
        looks.start()
        self.longest, self.waited = 0.0, 0
        self._clocks.look()
        self._timer.start()
        self._begin_profile()
        loop.exec()
        looks.stop()
        self._timer.stop()
        if self._profile is not None:
            self._profile.disable()
            self._profile = None
        return self.longest

    def _beat(self) -> None:
        if self._profile is not None:
            self._profile.disable()
        stretch = self._clocks.look()
        hold = max(stretch.held, stretch.waited if stretch.waited > LONGEST_WAIT else 0.0)
        self.waited += stretch.kind == "waited"
        self.longest = max(self.longest, hold)
        if hold > self.worst[0]:
            self.worst = hold, self._profile
        self._clocks.look()
        self._begin_profile()

    def _begin_profile(self) -> None:
        if self.profiles:
            self._profile = cProfile.Profile(time.thread_time)
            self._profile.enable()


def actions_of(window: MainWindow, folder: str) -> dict[str, tuple[Action, Action]]:
    """Return each action by its name, and what comes before it and is not measured; both get the number of the time."""
    session, files = window.session, window.files
    canvas = window.graph_panel.canvas
    names = list(WORKSPACES)
    paths = [Path(folder, f"{number}.gradstep") for number in range(2)]
    for path, text in zip(paths, ("a = 2.0\nb = tanh(a * 3.0)", LARGE), strict=True):
        path.write_text(to_json(replace_section(Document(), "expression", text=text)), encoding="utf-8")

    def nothing(_n: int) -> None: ...

    def own(_n: int) -> None:
        window.leave_lesson()
        window.course.leave()
        session.reset_document(Document())
        window.show_workspace("both")

    def type_large(_n: int) -> None:
        own(0)
        session.edit("text", expression={"text": LARGE})

    def drag(n: int) -> None:
        viewport = canvas.viewport()
        boxes = [canvas.mapFromScene(QPointF(box.x, box.y)) for box in canvas.picture.boxes.values()]
        inside = [place for place in boxes if viewport.rect().adjusted(60, 60, -60, -60).contains(place)]
        place = inside[n % len(inside)]
        QTest.mousePress(viewport, LEFT, NONE, place)
        QTest.mouseMove(viewport, place + QPoint(20, 15))
        QTest.mouseMove(viewport, place + QPoint(45, 40))
        QTest.mouseRelease(viewport, LEFT, NONE, place + QPoint(45, 40))

    def modify(n: int) -> None:
        own(0)
        session.open(paths[1])
        session.edit("text", expression={"text": f"{LARGE}\nd = {n}.0 * b"})

    def ask(_n: int) -> None:
        files.new()
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        box.button(QMessageBox.StandardButton.Save).click()

    lessons = [lesson.name for lesson in window.course.lessons]
    examples = [name for name in window.action_set.entries if name.startswith("example ")]
    return {
        "open a lesson": (own, lambda n: window.course.open(lessons[n * 5 % len(lessons)])),
        "next lesson": (nothing, lambda n: window.course.open(lessons[n * 5 % len(lessons)])),
        "leave a lesson": (
            lambda n: window.course.open(lessons[n * 5 % len(lessons)]),
            lambda _n: window.leave_lesson(),
        ),
        "open an example": (own, lambda n: window.action_set[examples[n % len(examples)]].trigger()),
        "change the workspace": (nothing, lambda n: window.show_workspace(names[n % len(names)])),
        "open a file": (own, lambda n: files.open_path(paths[n % 2])),
        "drag a box of a large graph": (type_large, drag),
        "save in the question": (modify, ask),
        "new session": (own, lambda _n: session.reset_document(Document())),
        "theme": (own, lambda n: window.apply_theme(("dark", "light")[n % 2])),
        "text size": (own, lambda n: window.set_text_size((125, 100)[n % 2])),
    }


def hold_of(beats: Beats, calm: Callable[[], bool], window: MainWindow, act: Callable[[], object]) -> tuple[float, int]:
    """Do an action in the event loop; return for how long it held the thread at most, and how often by waiting."""
    done: list[bool] = []

    def do() -> None:
        act()
        done.append(True)

    QTimer.singleShot(0, window, do)
    hold = beats.wait(calm, 0.3)
    if not done:
        raise RuntimeError("the action did not come to its end")
    return hold, beats.waited


def measure(times: int, only: str, profiles: bool) -> dict[str, float]:
    """Print a line for each action; return the longest hold of each by its name, in seconds."""
    longest: dict[str, float] = {}
    with opened() as (window, folder):
        beats = Beats(profiles)

        def calm() -> bool:
            return not is_busy(window) and not idle_tasks().busy

        def settle() -> None:
            beats.wait(calm, 0.3)

        loaded: list[bool] = []
        load_later(window).ended.connect(lambda: loaded.append(True))
        beats.wait(lambda: bool(loaded), 0.0)
        for dock in window.docks.values():
            dock.make()
        for name in (*WORKSPACES, "both"):
            window.show_workspace(name)
            settle()
        for name, (before, action) in actions_of(window, folder).items():
            if only not in name:
                continue
            holds: list[tuple[float, int]] = []
            for number in range(-2, times):
                before(number)
                settle()
                if number == 0:
                    beats.worst = 0.0, None
                hold = hold_of(beats, calm, window, partial(action, number))
                if number >= 0:
                    holds.append(hold)
            longest[name] = max(seconds for seconds, _n_waits in holds)
            print_line(name, holds)
            if profiles and beats.worst[1] is not None:
                pstats.Stats(beats.worst[1], stream=sys.stdout).sort_stats("cumulative").print_stats(70)
    return longest


def print_line(name: str, holds: list[tuple[float, int]]) -> None:
    seconds = [hold for hold, _n_waits in holds]
    each = " ".join(f"{1000 * hold:.0f}{' waited' * bool(n_waits)}" for hold, n_waits in holds)
    print(f"{name}: median {1000 * median(seconds):.0f} ms, longest {1000 * max(seconds):.0f} ms ({each})", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.holds", description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", default="", help="actions with these letters in their name")
    parser.add_argument("--profile", action="store_true", help="print where the longest hold of each went")
    options = parser.parse_args()
    longest = measure(options.times, options.only, options.profile)
    return int(any(hold > LONGEST_HOLD for hold in longest.values()))


if __name__ == "__main__":
    sys.exit(main())
