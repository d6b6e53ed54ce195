"""A window that is used at random for half an hour while it trains, and looked at afterwards.

    python -m tests.reliability.soak --minutes 30 --seed 1

A monkey (tests/fuzz/user.py) does everything that a user can do, in any order, in a real event loop. Looked for are:

- crashes, exceptions, warnings of Python and Qt, errors in the log;
- holds: more than 100 ms between two beats of a timer of the event loop, in which the window's thread had a processor
  for more than 100 ms, or in which nothing of the process ran or waited for a processor for so long ("waited": for a
  lock, the disk, a sleep), or in which the thread waited for more than a second while others worked (on a busy machine
  it waits for other threads, which wait for a processor). A hold is told with what was being done, and with the lines
  of the program that were seen then;
- growth: now and then the window is brought back to how it opens, and everything alive is counted (census.py);
- what goes on at the end, when nothing should: timers, threads, use of the processor;
- how long Stop and closing the window take, and what a hundred windows leave behind.

The window is in a child process, which writes each action to a log before it does it. `--replay LOG` does the same
actions again, `--last N` only so many of them; a finding among the last of them is shrunk to the actions it needs.
`--again N` repeats one round of actions: what still grows then is no first use.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QSize, QTimer
from PySide6.QtWidgets import QApplication, QMenu

from engine.document import Document
from engine.language.machine_code import cache_folder
from engine.network.run.progress import RunState
from gui.arrangement import WORKSPACES
from gui.loading import load_later
from gui.main_window import MainWindow
from gui.scheduling import idle_tasks
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from gui.session.recovery import Recovery
from gui.settings import SETTINGS
from tests.fuzz.campaign import readable
from tests.fuzz.shrinking import shrunk
from tests.fuzz.user import User
from tests.fuzz.watch import Trouble, Watch
from tests.fuzz.window import make, opened
from tests.fuzz.worker import place_of
from tests.gui.reuse import is_busy
from tests.reliability.census import (
    HEAP,
    MEMORY,
    active_timers,
    census,
    foreign_item_wrappers,
    grown,
    lineage,
    running_jobs,
    thread_times,
)
from tests.reliability.heartbeat import LONGEST_HOLD, LONGEST_WAIT, SAMPLER, Heartbeat, Hold

LONGEST_STOP, LONGEST_CLOSE = 0.2, 2.0
KNOWN_HOLD = ("_dress", "_follow_letters", "set_text_size")
"""Functions of the window that apply another size of text: Qt styles and lays out every widget again."""
ROUND, TRAIN_EVERY, TAIL = 120, 4, 40
"""Actions between two looks at what is alive; training goes on after so many; actions shown with a finding."""
PATIENCE = 300.0
QUIET_SECONDS, LARGEST_SHARE = 2.0, 0.01
"""How long the window is watched at the end, and how much of a processor it may take."""
PIXMAP_CACHE = "QPMCache"
"""Qt's own timer, which ends once unused pictures have left its cache."""
WARM_UP, FEWEST_LOOKS = 0.3, 6
"""Share of the looks that comes before those that are compared; fewer than these tell nothing about growth."""
KINDS_OF_STATE = ("hold", "waited", "growth", "growth by windows", "stop", "close", "processor")
"""Findings that do not belong to a few actions."""


def actions_of(seed: int) -> Iterator[list[Any]]:
    """Yield rounds of random actions without end."""
    chance = random.Random(f"soak {seed}")
    while True:
        yield from round_of(chance)


def round_of(chance: random.Random) -> list[list[Any]]:
    """Return random actions, a start of the training before every fourth, and a look at what is alive at the end."""
    actions: list[list[Any]] = []
    for number, action in enumerate(make(chance, ROUND)):
        if number % TRAIN_EVERY == 0:
            actions.append(["train", 0, 0, 0, ""])
        actions.append(action)
    return [*actions, ["rest", 0, 0, 0, ""]]


class Soak(QObject):
    """A window, the monkey that uses it, and what was found.

    Attributes:
        looks: what was alive, each time the window was at rest.
    """

    def __init__(self, window: MainWindow, folder: str, watch: Watch, log: Log) -> None:
        super().__init__()
        self.window, self.watch, self.log = window, watch, log
        self.user = User(window, folder, watch)
        self.recent: deque[str] = deque(maxlen=3)
        self.heartbeat = Heartbeat(lambda: ", after ".join(reversed(self.recent)))
        self.looks: list[Counter[str]] = []
        self.stops: list[tuple[float, float]] = []
        self.n_done = 0
        self._loop = QEventLoop()
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._go_on)
        self._script: Iterator[float] = iter(())

    def run(self, script: Iterator[float]) -> None:
        """Go through a script, which yields how many milliseconds the event loop is left alone."""
        self._script = script
        self._timer.start(0)
        self._loop.exec()

    def _go_on(self) -> None:
        try:
            self._timer.start(round(next(self._script)))
        except StopIteration:
            self._loop.quit()
        except Exception as error:
            self.log.error(error)
            self._timer.start(0)
            self._script = iter(())

    def warm_up(self) -> Iterator[float]:
        """Make all panels and show all workspaces, which happens once; the looks begin after it."""
        self.watch.doing = "warming up"
        self.heartbeat.pause(False)
        for dock in self.window.docks.values():
            dock.make()
            yield 0
        for name in (*WORKSPACES, "welcome"):
            self.window.show_workspace(name)
            yield 20
            yield from self.until(lambda: not is_busy(self.window) and not idle_tasks().busy)
        for lesson in self.window.course.lessons[:2]:
            self.window.course.open(lesson.name)
            yield 20
        yield from self.come_to_rest()
        self.heartbeat.pause(True)

    def use(self, actions: Iterator[list[Any]], seconds: float) -> Iterator[float]:
        """Do the actions, for so long at most."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.heartbeat.pause(False)  # to think up a file takes long
            if (action := next(actions, None)) is None:
                break
            self.heartbeat.pause(True)
            self.log.write(action=action, seconds=round(seconds - end + time.monotonic(), 2))
            if action[0] == "rest":
                yield from self.rest()
                continue
            _name, a, b, c, _text = action
            self._do(lambda action=action: self.user.begin_with_popups(*action), action[0])
            yield 5 + 40 * c
            self._do(lambda a=a, b=b: self.user.answer_popup(a, b), action[0])
            for _ in range(3):
                if QApplication.activeModalWidget() is None:
                    break
                self._do(lambda a=a, b=b, c=c: self.user.answer_dialog(a, b, c), action[0])
                yield 5
                a, b, c = b, c, a
            self.n_done += 1

    def _do(self, what: Callable[[], object], name: str) -> None:
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        try:
            what()
        except Exception as error:
            self.log.error(error)
        self.recent.append(self.watch.doing or name)
        for trouble in self.watch.found:
            self.log.error(trouble)
        self.watch.found.clear()

    def come_to_rest(self) -> Iterator[float]:
        """Bring the window back to how it opens; training stops, dialogs close."""
        window, session = self.window, self.window.session
        self.watch.doing = "coming to rest"
        self.heartbeat.pause(False)  # all at once, as nobody does it
        while popup := QApplication.activePopupWidget():
            popup.close()
            yield 0
        for each in QApplication.topLevelWidgets():
            if each is not window and each.isVisible() and not isinstance(each, QMenu) and each.parent() is not None:
                getattr(each, "reject", each.close)()
        yield 20
        window.leave_lesson()
        window.course.leave()
        session.commit_requested.emit()
        session.pause()
        window.graph_panel.stepper.go(0)
        yield from self.until(lambda: not is_busy(window))
        session.training.set_control(None, 100)
        session.reset_document(Document())
        for name in SETTINGS:
            window.settings.reset(name)
        window.apply_theme("light")
        window.showNormal()
        window.leave_large_view()
        window.show_workspace("both")
        window.arrange()
        window.resize(QSize(1440, 900))
        QApplication.clipboard().clear()
        yield 50
        yield from self.until(lambda: not is_busy(window) and not idle_tasks().busy)
        self.heartbeat.pause(True)

    def until(self, condition: Callable[[], bool]) -> Iterator[float]:
        give_up = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > give_up:
                raise Trouble(f"waited in vain after {self.watch.doing}: {running_jobs()}", "waited in vain")
            yield 5

    def rest(self) -> Iterator[float]:
        """Look at what is alive while nothing is shown but what a new window shows; and how soon training stops."""
        yield from self.stop_training()
        yield from self.come_to_rest()
        yield from self.until(lambda: running_jobs() == [SAMPLER])  # that of a hidden panel still has the old document
        yield 200
        self.heartbeat.pause(False)
        self.looks.append(census())
        self.log.write(look=self.looks[-1])
        look = self.looks[-1]
        self.log.tell(f"{self.n_done} actions, heap {look[HEAP]} of {look[MEMORY]} MB, {sum(look.values())} objects")
        self.heartbeat.pause(True)

    def stop_training(self) -> Iterator[float]:
        """Stop a training that runs, and note how long that takes."""
        session = self.window.session
        session.run()
        yield 50
        if session.run_state is RunState.RUNNING:
            began, (_ran, waited) = time.monotonic(), thread_times()
            session.pause()
            while session.run_state is RunState.RUNNING and time.monotonic() < began + PATIENCE:
                yield 0
            self.stops.append((time.monotonic() - began, thread_times()[1] - waited))

    def idle(self) -> Iterator[float]:
        """Wait until nothing should go on any more, and tell what does."""
        yield from self.come_to_rest()
        focused = QApplication.focusWidget()
        if focused is not None:
            focused.clearFocus()  # a caret blinks as long as somebody could type
        self.heartbeat.stop()
        for _ in range(3):
            yield 15_000  # the collector of garbage looks six times, every two seconds, and ends where there is little
            gc.unfreeze()
            if not (active_timers() or running_jobs()):
                break
        for name in foreign_item_wrappers():
            self.log.find("wrapper", name, f"Python keeps a wrapper of a {name} that Qt created and deletes silently")
        for line in active_timers():
            self.log.find("timer", line, f"active while nothing goes on: {line}")
        for line in running_jobs():
            self.log.find("thread", line, f"runs while nothing goes on: {line}")
        for _ in range(3):  # what Qt does by itself now and then ends, too
            events, began = Events(), time.process_time()
            yield 1000 * QUIET_SECONDS
            share = (time.process_time() - began) / QUIET_SECONDS
            QCoreApplication.instance().removeEventFilter(events)
            if share < LARGEST_SHARE and not any(name.startswith("Timer") for name in events.seen):
                break
        self.log.figure("processor at rest", f"{100 * share:.2f} %", share)
        if share > LARGEST_SHARE:
            self.log.find("processor", "", f"takes {100 * share:.1f} % of a processor at rest: {events.seen}")
        for name, number in events.seen.items():
            if name.startswith("Timer") and PIXMAP_CACHE not in name:
                self.log.find("timer event", name, f"{number} times in {QUIET_SECONDS} s: {name}")


class Events(QObject):
    """Event filter of the application that counts events by kind and receiver, but those of the soak."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Counter[str] = Counter()
        QCoreApplication.instance().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not (isinstance(watched, QTimer) and isinstance(watched.parent(), Soak)):
            self.seen[f"{event.type().name} {lineage(watched)}"] += 1
        return False


class Log:
    """The file of a soak: a line of JSON for each action, finding and figure."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._known: Counter[str] = Counter()

    def write(self, **line: Any) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def find(self, kind: str, place: str, words: str) -> None:
        """Note something that is wrong, once for each kind and place."""
        self._known[f"{kind} {place}"] += 1
        if self._known[f"{kind} {place}"] == 1:
            self.write(finding={"kind": kind, "place": place, "words": words})

    def error(self, error: BaseException) -> None:
        self.find(type(error).__name__, place_of(error), "".join(traceback.format_exception(error)))

    def figure(self, name: str, words: str, value: float) -> None:
        self.write(figure={"name": name, "words": words, "value": value})

    def tell(self, words: str) -> None:
        print(f"  {words}", file=sys.__stdout__, flush=True)


def report_holds(soak: Soak, longest_hold: float) -> None:
    """Write the holds that are longer, the longest of each action first."""
    known: list[Hold] = []
    holds: list[Hold] = []
    for hold in soak.heartbeat.holds:
        is_known = any(name in line for line in hold.lines for name in KNOWN_HOLD)
        (known if is_known else holds).append(hold)
    holds.sort(key=lambda each: -each.stretch.held)
    longest = max((each.stretch.cpu for each in known), default=0.0)
    soak.log.figure("another text size", f"{len(known)} times, at most {1000 * longest:.0f} ms of a processor", longest)
    numbers = Counter(each.what for each in holds)
    for hold in holds:
        gap, cpu, waited, idle = hold.stretch
        if max(cpu, idle) < longest_hold and waited < LONGEST_WAIT * longest_hold / LONGEST_HOLD:
            continue
        seen = "\n".join(f"    {n} x {line}" for line, n in Counter(hold.lines).most_common(4))
        times = (
            f"{1000 * cpu:.0f} ms of a processor, waited {1000 * waited:.0f} ms, {1000 * idle:.0f} ms of them with "
            f"the whole process, gap {1000 * gap:.0f} ms"
        )
        words = f"{times}; {numbers[hold.what]} times; during {hold.doing}\n{seen}"
        soak.log.find(hold.stretch.kind, hold.what, words)
    for name, key in (("longest hold, of a processor", "cpu"), ("longest wait of the whole process", "idle")):
        longest = max((getattr(each.stretch, key) for each in holds), default=0.0)
        soak.log.figure(name, f"{1000 * longest:.0f} ms", longest)
    late = f"{soak.heartbeat.n_late} times, at most {1000 * soak.heartbeat.longest_gap:.0f} ms"
    soak.log.figure("late on the clock", f"{late} (the machine had a load of {os.getloadavg()[0]:.1f})", 0)


def report_growth(soak: Soak) -> None:
    looks = soak.looks[round(WARM_UP * len(soak.looks)) :]
    if len(looks) < FEWEST_LOOKS:
        return
    for name, (before, after) in grown(looks).items():
        soak.log.find("growth", name, f"{name}: {before:g} in the first third of the looks, {after:g} in the last")
    third = len(looks) // 3
    for name in (HEAP, MEMORY):
        first, last = (median(look[name] for look in part) for part in (looks[:third], looks[-third:]))
        soak.log.figure(f"{name}, last third beside first", f"{first:g} to {last:g}", last - first)


def report_stops(soak: Soak) -> None:
    if soak.stops:
        own = sorted(took - waited for took, waited in soak.stops)
        soak.log.figure("stop", f"{1000 * median(own):.0f} ms, at most {1000 * own[-1]:.0f} ms", own[-1])
        if own[-1] > LONGEST_STOP:
            soak.log.find("stop", "", f"stopping took {1000 * own[-1]:.0f} ms")
    else:
        soak.log.find("stop", "", "training never ran, so no stop was measured")


def open_and_close(log: Log, number: int) -> None:
    """Open windows one after the other, train in each, and close it meanwhile."""
    looks, closings = [], []
    loop = QEventLoop()
    for place in range(number):
        window = MainWindow(Session(programs=BackgroundPrograms()), theme="light", workspace="both")
        window.show()
        window.session.run()
        QTimer.singleShot(300, loop.quit)
        loop.exec()
        if window.session.run_state is not RunState.RUNNING:
            log.find("close", "", f"window {place + 1} was closed without training: {window.session.run_state.name}")
        window.session.discard_changes()
        began, (_ran, waited) = time.monotonic(), thread_times()
        window.close()
        closings.append(time.monotonic() - began - (thread_times()[1] - waited))
        window.deleteLater()
        del window
        QTimer.singleShot(20, loop.quit)
        loop.exec()
        if place % max(1, number // 20) == 0:
            looks.append(census())
    log.figure("close while training", f"{1000 * median(closings):.0f} ms, at most {1000 * max(closings):.0f} ms", 0)
    if max(closings) > LONGEST_CLOSE:
        log.find("close", "", f"closing took {max(closings):.1f} s")
    compared = looks[round(WARM_UP * len(looks)) :]
    for name in (HEAP, MEMORY):
        log.figure(f"{name} of windows", f"{compared[0][name]} to {compared[-1][name]} in {number} windows", 0)
    for name, (before, after) in grown(compared).items():
        log.find("growth by windows", name, f"{name}: {before:g} after the first windows, {after:g} after the last")


def inside(log: Log, actions: Iterator[list[Any]], seconds: float, windows: int, longest_hold: float) -> None:
    """Do all of it in this process."""
    faulthandler.enable()
    warnings.simplefilter("default")
    for category in (SyntaxWarning, DeprecationWarning):  # as engine/language/source.py
        warnings.filterwarnings("ignore", category=category, module="<(unknown|program)>")
    logging.captureWarnings(True)
    sys.setswitchinterval(0.0005)
    with Watch() as watch:
        with opened() as (window, folder):
            window.session.lessons_folder = Path(folder, "lessons")
            Recovery(window.session, Path(folder, "recovery"), window)
            loading = load_later(window)
            is_loaded: list[bool] = []
            loading.ended.connect(lambda: is_loaded.append(True))
            soak = Soak(window, folder, watch, log)
            soak.run(soak.until(lambda: bool(is_loaded)))
            soak.run(soak.warm_up())
            soak.run(soak.use(actions, seconds))
            faulthandler.dump_traceback_later(3 * PATIENCE, exit=True)
            soak.run(soak.idle())
            faulthandler.cancel_dump_traceback_later()
            report_holds(soak, longest_hold)
            report_growth(soak)
            report_stops(soak)
            log.figure("actions", f"{soak.n_done}", soak.n_done)
        del window, soak
        if windows:
            open_and_close(log, windows)
        for trouble in watch.found:
            log.error(trouble)
    log.write(done=True)
    log.close()


def run_inside(path: Path, options: list[str]) -> tuple[list[dict[str, str]], list[list[Any]], dict[str, Any]]:
    """Soak in a child process; return what was found, the actions that were done, and the figures by name."""
    with tempfile.TemporaryDirectory(prefix="gradstep-soak-") as home:
        kinds = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
        folders = {kind: str(Path(home, kind.lower())) for kind in kinds}
        for folder in folders.values():
            Path(folder).mkdir()
        variables = {"QT_QPA_PLATFORM": "offscreen", "GRADSTEP_CACHE": str(cache_folder())} | os.environ | folders
        command = [sys.executable, "-m", "tests.reliability.soak", "--inside", str(path), *options]
        child = subprocess.run(command, env=variables, stderr=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [line["finding"] for line in lines if "finding" in line]
    if child.returncode or not any("done" in line for line in lines):
        found.append({"kind": "crash", "place": f"ended by {child.returncode}", "words": child.stderr[-6000:]})
    elif child.stderr:
        found.append({"kind": "words on stderr", "place": "", "words": child.stderr[-6000:]})
    actions = [line["action"] for line in lines if "action" in line]
    return found, actions, {line["figure"]["name"]: line["figure"] for line in lines if "figure" in line}


def shrink(finding: dict[str, str], actions: list[list[Any]], seconds: float) -> list[list[Any]]:
    """Return the fewest of the last actions that have a finding again; none where those alone have not."""
    give_up = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        given, log = Path(folder, "given.jsonl"), Path(folder, "log.jsonl")

        def fails(some: list[list[Any]]) -> bool:
            given.write_text("".join(json.dumps({"action": each}) + "\n" for each in some), encoding="utf-8")
            found, _actions, _figures = run_inside(log, ["--replay", str(given), "--windows", "0"])
            return any((each["kind"], each["place"]) == (finding["kind"], finding["place"]) for each in found)

        tail = actions[-TAIL:]
        return shrunk(tail, fails, lambda: time.monotonic() > give_up) if fails(tail) else []


def main() -> int:
    """Soak, print figures and findings; return 1 when there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--again", type=int, metavar="N", help="repeat one round N times: later rounds use nothing for the first time"
    )
    parser.add_argument("--windows", type=int, default=100, help="opened and closed while they train, afterwards")
    parser.add_argument("--replay", type=Path, metavar="LOG", help="do the actions of a log again")
    parser.add_argument("--last", type=int, default=10**9, help="only so many of them")
    parser.add_argument("--log", type=Path, help="where actions are written; a file in the temporary folder")
    parser.add_argument("--shrink", type=float, default=0.0, metavar="SECONDS", help="for making a finding smaller")
    parser.add_argument("--hold", type=float, default=LONGEST_HOLD, help="seconds of a processor that are a finding")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        actions = actions_of(options.seed)
        if options.again is not None:
            actions = iter(options.again * round_of(random.Random(f"soak {options.seed}")))
        if options.replay is not None:
            lines = map(json.loads, options.replay.read_text(encoding="utf-8").splitlines())
            actions = iter([line["action"] for line in lines if "action" in line][-options.last :])
        inside(Log(options.inside), actions, 60 * options.minutes, options.windows, options.hold)
        sys.stdout.flush()
        os._exit(0)  # what libraries do at their end is not what is looked at
    log = options.log or Path(tempfile.gettempdir(), f"gradstep-soak-{options.seed}.jsonl")
    print(f"seed {options.seed}, {options.minutes:g} minutes, on {os.environ.get('QT_QPA_PLATFORM', 'offscreen')}")
    found, actions, figures = run_inside(log, sys.argv[1:])
    for name, figure in figures.items():
        print(f"{name}: {figure['words']}")
    for finding in found:
        print(f"\nFINDING {finding['kind']} {finding['place']}\n{finding['words']}")
    if found:
        print(f"\nthe last of {len(actions)} actions:\n{readable(actions[-TAIL:])}")
        print(f"again: python -m tests.reliability.soak --replay {log}")
    if options.shrink and (errors := [each for each in found if each["kind"] not in KINDS_OF_STATE]):
        print(f"needed for {errors[-1]['place']}:\n{readable(shrink(errors[-1], actions, options.shrink))}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
