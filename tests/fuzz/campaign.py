"""A campaign: workers one after the other, and what they find, confirmed alone, shrunk and printed once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.shrinking import shrunk
from tests.fuzz.worker import made

SLICE_SECONDS = 90.0
"""Time for which a target runs before the next one has its turn."""
SHRINK_SECONDS = 60.0
LONGEST_SHOWN = 4000


@dataclass
class Target:
    """Figures of one target of a campaign.

    Attributes:
        name: of the module.
        next_seed: of the next case.
        cases: that were run.
        seconds: that its workers took.
        largest: growth of a worker, in MB.
        known: how often each finding came, by kind and place.
        slow: seconds, exact place and seed of each thing that took too long, by the first words of the place.
    """

    name: str
    next_seed: int
    cases: int = 0
    seconds: float = 0.0
    largest: int = 0
    known: dict[tuple[str, str], int] = field(default_factory=dict)
    slow: dict[str, list[tuple[float, str, int]]] = field(default_factory=dict)

    def run(self, seconds: float, cases: int) -> None:
        """Run a worker for so many seconds or cases; confirm, shrink and print what it finds for the first time."""
        began = time.monotonic()
        last, grown, found = _run_worker(self.name, self.next_seed, seconds, cases)
        self.seconds += time.monotonic() - began
        self.largest = max(self.largest, grown)
        for number, finding in found:
            if finding["kind"] == "slow":
                place = finding["place"]
                self.slow.setdefault(place.split(":")[0], []).append((float(finding["words"]), place, number))
                continue
            key = (finding["kind"], finding["place"])
            if key in self.known or _is_confirmed(self.name, number, finding):
                self.known[key] = self.known.get(key, 0) + 1
                if self.known[key] == 1:
                    _report(self.name, number, finding)
        self.cases += last + 1 - self.next_seed
        self.next_seed = last + 1

    def line(self) -> str:
        grown = f"workers grew by {self.largest} MB at most"
        found = f"{len(self.known)} findings, {sum(map(len, self.slow.values()))} too slow"
        return f"{self.name:<9} {self.cases:>9,} cases in {self.seconds:>6,.0f} s, {grown}, {found}"

    def lines_of_slow(self) -> Iterator[str]:
        """Yield a line for each kind of thing that took too long, the longest of them last."""
        for kind, times in sorted(self.slow.items(), key=lambda item: max(item[1])):
            longest, place, number = max(times)
            yield f"{kind}: {len(times)} times, {longest:.3f} s at most (seed {number}, {place})"


def run(names: Sequence[str], seed: int, seconds: float, cases: int) -> int:
    """Fuzz targets in turn, so that a campaign that is stopped has tried all of them.

    Args:
        names: of the targets.
        seed: of the first case of each.
        seconds: for all together; looking at findings comes on top.
        cases: at most so many of each target.

    Returns:
        The number of different findings, of kinds of things that took too long, and of targets without any case.
    """
    began = time.monotonic()
    targets = [Target(name, seed) for name in names]
    while left := [target for target in targets if target.cases < cases]:
        remaining = seconds - sum(target.seconds for target in targets)
        if remaining <= 0:
            break
        target = min(left, key=lambda target: target.seconds)
        target.run(min(SLICE_SECONDS, seconds / len(targets), remaining), cases - target.cases)
        print(f"{time.monotonic() - began:>7,.0f} s  {target.line()}", flush=True)
    print(f"\n{sum(t.cases for t in targets):,} cases in {time.monotonic() - began:,.0f} s", flush=True)
    for target in targets:
        print(target.line() if target.cases else f"{target.name:<9} no case was run: there was no time for it")
        for (kind, place), count in target.known.items():
            print(f"  {count:>4} times {kind} {place}")
        for line in target.lines_of_slow():
            print(f"  slow {line}", flush=True)
    return sum(len(target.known) + len(target.slow) + (target.cases == 0) for target in targets)


def _run_worker(name: str, seed: int, seconds: float, cases: int) -> tuple[int, int, list[tuple[int, dict[str, str]]]]:
    """The last seed of a worker, by how many MB it has grown, and what it found."""
    options = ["--worker", "--seed", str(seed), "--seconds", str(seconds), "--cases", str(cases)]
    last, grown, found = None, 0, []
    for line in _lines_of(name, options, None):
        last, grown = line.get("seed", last), max(grown, line.get("resident", 0))
        if "finding" in line:
            found.append((seed if last is None else last, line["finding"]))  # None: it could not begin
    return seed - 1 if last is None else last, grown, found


def _lines_of(name: str, options: list[str], case: Any) -> Iterator[dict[str, Any]]:
    """What a worker says; a last finding when it did not come to its end."""
    with (
        tempfile.TemporaryDirectory(prefix="gradstep-fuzz-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile("w+") as errors,
        tempfile.TemporaryFile("w+") as given,
    ):
        given.write(json.dumps(case))
        given.seek(0)
        command = [sys.executable, "-m", "tests.fuzz", "--target", name, *options]
        environment = {**os.environ, "TMPDIR": folder}
        worker = subprocess.Popen(
            command, stdin=given, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        )
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
    """Return False for a case that takes too long only now and then: the machine may have been busy."""
    if finding["kind"] != "time":
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
