"""Holds of a window's event loop, by work and by waiting, with the lines of the program that were run.

The window's thread may run for long, or wait: for a lock, the disk, a sleep. The first is seconds of a processor. The
second is told from a busy machine by the whole process: while none of its threads runs or waits for a processor, they
wait for something else. A thread that works meanwhile hides a wait of the window's thread, but for a very long one.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer

from tests.reliability.census import thread_times

LONGEST_HOLD, LONGEST_WAIT = 0.1, 1.0
"""Seconds of a processor, or in which the whole process waits; seconds of waiting while another thread works."""
BEAT_MILLISECONDS, SAMPLE_SECONDS = 10, 0.02
SAMPLER = "samples of the window's thread"
PROGRAM = Path(__file__).resolve().parents[2]
TASKS = Path("/proc/self/task")


class Stretch(NamedTuple):
    """Seconds between two looks at the clocks.

    Attributes:
        gap: on the clock.
        cpu: in which this thread ran.
        waited: in which this thread neither ran nor waited for a processor.
        idle: in which no thread of the process did; 0 where the system does not tell, or a thread has ended, which
            nobody says of how long it waited for a processor.
    """

    gap: float
    cpu: float
    waited: float
    idle: float

    @property
    def kind(self) -> str:
        """Kind of the hold: "hold" by work, "waited", or "" for none."""
        if self.cpu > LONGEST_HOLD:
            return "hold"
        return "waited" if self.idle > LONGEST_HOLD or self.waited > LONGEST_WAIT else ""

    @property
    def held(self) -> float:
        """Seconds of work, or of waiting of the whole process."""
        return max(self.cpu, self.idle)


class Clocks:
    """The clocks of a thread and of its process; `look` tells what they say since the last look."""

    def __init__(self) -> None:
        self.look()

    def look(self) -> Stretch:
        """Return the seconds since the last look, and begin again."""
        now, times, process, queues = time.monotonic(), thread_times(), time.process_time(), queued()
        stretch = Stretch(0.0, 0.0, 0.0, 0.0)
        if hasattr(self, "_now"):
            gap, cpu = now - self._now, times[0] - self._times[0]
            waited = gap - cpu - (times[1] - self._times[1])
            others = sum(max(0.0, seconds - self._queues.get(task, 0.0)) for task, seconds in queues.items())
            is_told = queues and self._queues.keys() <= queues.keys()
            idle = min(waited, gap - (process - self._process) - others) if is_told else 0.0
            stretch = Stretch(gap, cpu, waited, max(0.0, idle))
        self._now, self._times, self._process, self._queues = now, times, process, queues
        return stretch


def queued() -> dict[str, float]:
    """Return how long each thread of this process was kept waiting for a processor; nothing where that is not told."""
    seconds = {}
    with suppress(OSError):
        for task in TASKS.iterdir():
            with suppress(OSError):  # a thread that has just ended
                seconds[task.name] = int((task / "schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return seconds


class Hold(NamedTuple):
    """A time in which the event loop did nothing else.

    Attributes:
        stretch: where its seconds went.
        doing: what was done.
        lines: of the program, seen meanwhile.
    """

    stretch: Stretch
    doing: str
    lines: list[str]

    @property
    def what(self) -> str:
        return self.doing.split(", after ")[0]


class Heartbeat(QObject):
    """Timer in the event loop that notes when it is late, and by whom.

    Attributes:
        doing: gives what is being done.
        holds: each that was long by work or by waiting.
        n_late: times that it was late because the machine was busy.
        longest_gap: seconds between two beats.
    """

    def __init__(self, doing: Callable[[], str]) -> None:
        super().__init__()
        self.doing, self.is_on = doing, True
        self.holds: list[Hold] = []
        self.n_late, self.longest_gap = 0, 0.0
        self._thread = threading.get_ident()
        self._seen: list[str] = []
        self._last, self._clocks = time.monotonic(), Clocks()
        self._timer = QTimer(self, interval=BEAT_MILLISECONDS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._stopped = threading.Event()
        threading.Thread(target=self._sample, name=SAMPLER, daemon=True).start()

    def stop(self) -> None:
        self._timer.stop()
        self._stopped.set()

    def pause(self, is_on: bool) -> None:
        """Stop or start measuring, for what the soak itself does."""
        self.is_on = is_on
        self._clocks.look()
        self._last, self._seen = time.monotonic(), []

    def _beat(self) -> None:
        stretch = self._clocks.look()
        if self.is_on and stretch.gap > LONGEST_HOLD:
            self.longest_gap = max(stretch.gap, self.longest_gap)
            # While the thread waits, the sampler sees it. Where it does not, it waited itself: the machine was busy.
            is_seen = stretch.kind == "hold" or self._seen or stretch.waited > LONGEST_WAIT
            if stretch.kind and is_seen:
                self.holds.append(Hold(stretch, self.doing(), self._seen))
            else:
                self.n_late += 1  # the machine was busy
        self._last, self._seen = time.monotonic(), []

    def _sample(self) -> None:
        """Look where the window's thread is while no beat comes."""
        while not self._stopped.wait(SAMPLE_SECONDS):
            if self.is_on and time.monotonic() - self._last > LONGEST_HOLD / 2 and len(self._seen) < 200:
                self._seen.append(_place(sys._current_frames().get(self._thread)))


def _place(frame: FrameType | None) -> str:
    """Return the innermost lines of the program, and the very innermost."""
    lines: list[str] = []
    while frame is not None and len(lines) < 9:
        name = frame.f_code.co_filename.removeprefix(f"{PROGRAM}/")
        if name.startswith(("gui", "engine", "datasets", "tests")) or not lines:
            lines.append(f"{'/'.join(name.split('/')[-3:])}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(lines)
