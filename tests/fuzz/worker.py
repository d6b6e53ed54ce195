"""The child process of a campaign: runs case after case and says what it finds, a line of JSON each.

A case that never ends is ended by faulthandler, with the traceback of every thread; the parent knows the seed from the
line before. Memory is the peak of the resident set during a case, above what there was before it.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

CASE_SECONDS, NEVER_SECONDS = 20.0, 90.0
"""Processor time that a case may take; and after which it counts as one that never ends."""
WAITS_SECONDS = 1200.0
"""Time on the clock after which a case counts as one that waits for ever, however busy the machine is."""
LARGEST_GROWTH = 250_000_000
"""Bytes of memory that an input of any kind may take."""
PARENT = Path(__file__).resolve().parents[2]


def work(name: str, seed: int, seconds: float, cases: int) -> int:
    """Runs the cases of the seeds from `seed` on, for so many seconds or until one takes too much memory."""
    target = _prepared(name)
    end, start = time.monotonic() + seconds, _resident()
    for number in range(seed, seed + cases):
        if time.monotonic() > end or _resident() - start > LARGEST_GROWTH:
            break
        _say(seed=number, resident=(_resident() - start) // 10**6)
        for finding in findings_of(lambda n=number: target.check(made(name, n))):
            _say(finding=finding)
    _say(done=True)
    _leave()
    return 0


def replay(name: str, case: str) -> int:
    """Runs one case, given as JSON, alone."""
    target = _prepared(name)
    for finding in findings_of(lambda: target.check(json.loads(case))):
        _say(finding=finding)
    _say(done=True)
    _leave()
    return 0


def made(name: str, seed: int) -> Any:
    """The case of a seed."""
    return import_module(f"tests.fuzz.{name}").make(random.Random(f"{name} {seed}"))


def findings_of(check: Callable[[], dict[str, float]]) -> list[dict[str, str]]:
    """What does not hold for a case: kind, place and words of each."""
    faulthandler.dump_traceback_later(WAITS_SECONDS, exit=True)
    signal.setitimer(signal.ITIMER_PROF, NEVER_SECONDS)
    before, began = _resident(), time.process_time()
    _reset_peak()
    found = []
    try:
        slow = check()
        found = [{"kind": "slow", "place": place, "words": f"{seconds:.3f}"} for place, seconds in slow.items()]
    except Exception as error:
        words = "".join(traceback.format_exception(error))
        found = [{"kind": type(error).__name__, "place": place_of(error), "words": words}]
    took, grown = time.process_time() - began, _peak() - before
    faulthandler.cancel_dump_traceback_later()
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    if took > CASE_SECONDS:
        found.append({"kind": "time", "place": "", "words": f"{took:.1f} s"})
    if grown > LARGEST_GROWTH:
        found.append({"kind": "memory", "place": "", "words": f"{grown / 1e6:.0f} MB"})
    return found


def place_of(error: BaseException) -> str:
    """The innermost line of the program, or of the check, that an error came from; the same for the same fault."""
    if hasattr(error, "place"):
        return str(error.place)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(str(PARENT))] or frames
    if not frames:
        return "nowhere"
    return f"{os.path.relpath(ours[-1].filename, PARENT)}:{ours[-1].lineno}"


def _prepared(name: str) -> Any:
    """The target in a process that has loaded everything and whose files lie in a folder of its own."""
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)  # says where every thread is, and ends the process
    folder = tempfile.mkdtemp(prefix="gradstep-fuzz-")
    for variable in ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = str(Path(folder, variable.lower()))
        Path(os.environ[variable]).mkdir()
    tempfile.tempdir = os.environ["TMPDIR"]
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    target = import_module(f"tests.fuzz.{name}")
    target.check(target.FIRST)
    gc.collect()
    return target


def _leave() -> None:
    sys.stdout.flush()
    os._exit(0)  # what a library does at its end is not what is looked at


def _say(**words: Any) -> None:
    print(json.dumps(words), file=sys.__stdout__, flush=True)


def _memory(line: str) -> int:
    """A number of /proc/self/status in bytes."""
    found = next(row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith(line))
    return int(found.split()[1]) * 1024


def _resident() -> int:
    return _memory("VmRSS:") if Path("/proc/self/status").exists() else _peak()


def _peak() -> int:
    if Path("/proc/self/status").exists():
        return _memory("VmHWM:")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _reset_peak() -> None:
    if os.access("/proc/self/clear_refs", os.W_OK):
        Path("/proc/self/clear_refs").write_text("5")
