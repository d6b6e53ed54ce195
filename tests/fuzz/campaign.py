"""A campaign: workers one after the other, and what they find, confirmed alone, shrunk and printed once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from tests.fuzz.shrinking import shrunk
from tests.fuzz.worker import made

SHRINK_SECONDS = 60.0
LONGEST_SHOWN = 4000


def run(name: str, seed: int, seconds: float, cases: int) -> int:
    """Fuzzes one target.

    Args:
        name: of the target.
        seed: of the first case.
        seconds: how long; looking at findings comes on top.
        cases: at most so many.

    Returns:
        How many different findings there were.
    """
    known: dict[tuple[str, str], int] = {}
    next_seed, spent, end = seed, 0.0, seed + cases
    while spent < seconds and next_seed < end:
        began = time.monotonic()
        last, found = _run_worker(name, next_seed, seconds - spent, end - next_seed)
        spent += time.monotonic() - began
        for number, finding in found:
            key = (finding["kind"], finding["place"])
            if key in known or _is_confirmed(name, number, finding):
                known[key] = known.get(key, 0) + 1
                if known[key] == 1:
                    _report(name, number, finding)
        next_seed = last + 1
    print(f"{name}: {next_seed - seed} cases in {spent:.0f} s, {len(known)} findings", flush=True)
    for (kind, place), count in known.items():
        print(f"  {count:>4} times {kind} {place}", flush=True)
    return len(known)


def _run_worker(name: str, seed: int, seconds: float, cases: int) -> tuple[int, list[tuple[int, dict[str, str]]]]:
    """The last seed of a worker and what it found."""
    options = ["--worker", "--seed", str(seed), "--seconds", str(seconds), "--cases", str(cases)]
    last, found = None, []
    for line in _lines_of(name, options, None):
        last = line.get("seed", last)
        if "finding" in line:
            if last is None:
                raise RuntimeError(f"{name} cannot begin: {line['finding']['words']}")
            found.append((last, line["finding"]))
    return seed if last is None else last, found


def _lines_of(name: str, options: list[str], case: Any) -> Iterator[dict[str, Any]]:
    """What a worker says; a last finding when it did not come to its end."""
    with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryFile("w+") as given:
        given.write(json.dumps(case))
        given.seek(0)
        command = [sys.executable, "-m", "tests.fuzz", "--target", name, *options]
        worker = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=errors, text=True)
        done = False
        assert worker.stdout is not None
        for line in worker.stdout:
            if line.startswith("{"):
                done = done or "done" in line
                yield json.loads(line)
        if worker.wait() or not done:
            errors.seek(0)
            words = errors.read()
            never_ends = "Timeout" in words or worker.returncode == -signal.SIGPROF
            kind = "never ends" if never_ends else f"ended by {worker.returncode}"
            yield {"finding": {"kind": kind, "place": _where(words), "words": words[-6000:]}}


def _where(words: str) -> str:
    """The first line of the program in what faulthandler wrote."""
    ours = [line.strip() for line in words.splitlines() if "/tests/" in line or "/gui/" in line or "/engine/" in line]
    return ours[0][-80:] if ours else ""


def _is_confirmed(name: str, seed: int, finding: dict[str, str]) -> bool:
    """Whether what was slow is so whenever it is done: the machine may have been busy."""
    if finding["kind"] not in ("slow", "time"):
        return True
    confirmed = all(_again(name, made(name, seed), finding) for _ in range(2))
    if not confirmed:
        print(f"{name} seed {seed}: {finding['place']} took {finding['words']} once", flush=True)
    return confirmed


def _report(name: str, seed: int, finding: dict[str, str]) -> None:
    try:
        case = made(name, seed)
    except Exception:  # what it is made with is at fault
        print(f"\nFINDING {name} seed {seed} while it was made: {finding['words']}", flush=True)
        return
    alone = _again(name, case, finding)
    print(f"\nFINDING {name} seed {seed}: {finding['kind']} {finding['place']}")
    print(f"{finding['words'][-LONGEST_SHOWN:]}")
    if alone:
        give_up = time.monotonic() + SHRINK_SECONDS
        case = shrunk(case, lambda smaller: _again(name, smaller, finding), lambda: time.monotonic() > give_up)
    print(f"alone: {'the same' if alone else 'NOT the same'}")
    print(f"reproduce: python -m tests.fuzz --target {name} --seed {seed} --cases 1")
    print(readable(case)[:LONGEST_SHOWN], flush=True)


def readable(case: Any) -> str:
    """A case as one reads it: a line for each action or argument, texts with their line ends."""
    if isinstance(case, str):
        return "\n".join(f"    {line!r}" for line in case.splitlines(keepends=True)) or "    (an empty text)"
    if isinstance(case, dict):
        return "\n".join(f"  {name}:\n{readable(part)}" for name, part in case.items())
    if isinstance(case, list):
        return "\n".join(f"    {' '.join(map(repr, part)) if isinstance(part, list) else repr(part)}" for part in case)
    return f"    {case!r}"


def _again(name: str, case: Any, finding: dict[str, str]) -> bool:
    """Whether a case, run alone in a new process, has the same finding."""
    found = [line["finding"] for line in _lines_of(name, ["--replay"], case) if "finding" in line]
    return any((other["kind"], other["place"]) == (finding["kind"], finding["place"]) for other in found)
