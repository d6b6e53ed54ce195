"""Faults of a disk under every writer of Gradstep: the n-th call fails, or the process is killed at it, for every n.

    python -m tests.reliability.file_faults [WRITER ...]

Each writer writes first its old and then its new content, and a fault happens in the second pass. Afterwards every file
has to be wholly the old or wholly the new one; a failure that is reported must have left the old one, and no temporary
file. The next pass, without a fault, has to succeed and to clear away what a killed process has left. Machine code and
pictures are caches: there "not used" counts as old. A log is written in place: whatever it holds has to be
its beginning.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import json
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.reliability.disk import ERRORS, Disk, failing_with
from tests.reliability.writers import IGNORED, WRITERS, Writer, is_temporary

MOST_CALLS = 400
LONG_AGO = 1_500_000_000
OLD, NEW = "old", "new"


def failing(writer: Writer, at: int, code: int) -> tuple[str, bool]:
    """Let the n-th call fail; return what is wrong afterwards, "" for nothing, and whether there were so many calls."""
    with tempfile.TemporaryDirectory() as name:
        folder, before, after = _prepared(writer, Path(name))
        is_interrupted = code == errno.EINTR  # has written nothing, and is repeated by Python
        disk = Disk(folder, at, failing_with(code), partly=not is_interrupted)
        with disk.installed():
            reported = _run(writer, folder, NEW)
        if len(disk.names) < at:
            return "", False
        call = disk.names[at - 1]
        found = writer.read(folder)
        wrong = [f"{file} is damaged" for file in _damaged(found, before, after)]
        is_old = all(found.get(file, IGNORED) in (before.get(file), IGNORED) for file in {*found, *before})
        if reported and not writer.in_place and not is_old:
            wrong.append(f"reported {reported!r}, but not all is old")
        if not reported and found != after and not writer.may_be_silent:
            wrong.append("nothing reported, but not all is new")
        if (left := _leftovers(folder)) and call not in ("unlink", "rmdir", "remove"):
            wrong.append(f"left behind: {left}")
        wrong += _next_pass(writer, folder, after)
        return f"{call} (call {at}): {'; '.join(wrong)}" if wrong else "", True


def killed(writer: Writer, at: int) -> tuple[str, bool]:
    """Kill the process at the n-th call; return what is wrong afterwards, and whether it was killed."""
    with tempfile.TemporaryDirectory() as name:
        folder, before, after = _prepared(writer, Path(name))
        child = os.fork()
        if child == 0:
            with suppress(BaseException), Disk(folder, at, lambda: os.kill(os.getpid(), signal.SIGKILL)).installed():
                _run(writer, folder, NEW)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            return "", False
        found = writer.read(folder)
        wrong = [f"{file} is damaged" for file in _damaged(found, before, after)]
        if wrong and writer.is_overwritten and writer.is_beside(folder):
            wrong = []
        wrong += _next_pass(writer, folder, after)
        return f"killed at call {at}: {'; '.join(wrong)}" if wrong else "", True


def _prepared(writer: Writer, folder: Path) -> tuple[Path, Mapping[str, object], Mapping[str, object]]:
    """Return a folder with the old content, what is read from it, and what is to be read once all is written."""
    with tempfile.TemporaryDirectory() as name:
        model = Path(name, "x")
        model.mkdir(mode=0o700)
        writer.prepare(model)
        _run(writer, model, OLD)
        _run(writer, model, NEW)
        after = writer.read(model)
    folder = folder / "x"
    folder.mkdir(mode=0o700)
    writer.prepare(folder)
    if reported := _run(writer, folder, OLD):
        raise AssertionError(f"{writer.name} does not write: {reported}")
    return folder, writer.read(folder), after


def _run(writer: Writer, folder: Path, content: str) -> str:
    """Write; return the failure that was reported, in words; "" for none."""
    try:
        return writer.write(folder, content)
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__


def _damaged(found: Mapping[str, object], before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    good = {name: {before.get(name, IGNORED), after.get(name, IGNORED), IGNORED} for name in {*before, *after}}
    missing = [name for name in before if name in after and name not in found]
    return missing + [name for name, content in found.items() if content not in good.get(name, set())]


def _leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if is_temporary(path))


def _next_pass(writer: Writer, folder: Path, after: Mapping[str, object]) -> list[str]:
    """Let time pass and write again, as at a later start; return what is wrong then."""
    for path in (*folder.rglob("*"), folder):
        if is_temporary(path):
            os.utime(path, (LONG_AGO, LONG_AGO))
    if reported := _run(writer, folder, NEW):
        return [f"the next pass fails: {reported}"]
    wrong = [] if writer.read(folder) == after else ["the next pass has not written all"]
    return wrong + [f"never removed: {left}" for left in [_leftovers(folder)] if left]


def try_writer(writer: Writer, errors: Sequence[int] = ERRORS, kills: bool = True) -> tuple[int, list[str]]:
    """Let each call of a writer fail; return how many faults there were, and what was wrong."""
    tried, found = 0, []
    for at in range(1, MOST_CALLS):
        outcomes = [failing(writer, at, code) for code in errors] + ([killed(writer, at)] if kills else [])
        reached = [words for words, was_reached in outcomes if was_reached]
        tried += len(reached)
        found += [f"{writer.name}: {words}" for words in dict.fromkeys(reached) if words]
        if not reached:
            return tried, found
    return tried, [*found, f"{writer.name}: more than {MOST_CALLS} calls"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the writers of these names, or all; print a JSON object with what was tried and what was found."""
    parser = argparse.ArgumentParser(description="Let every call of the writers fail, and kill them at it.")
    parser.add_argument("names", nargs="*", metavar="WRITER", help="name of a writer; all when there is none")
    names = parser.parse_args(arguments).names or list(WRITERS)
    for name in names:
        if name not in WRITERS:
            nearest = difflib.get_close_matches(name, WRITERS, 3, 0.4)
            words = ", ".join(map(repr, nearest or WRITERS))
            parser.error(f"no writer is called {name!r}; {'nearest' if nearest else 'known'}: {words}")
    logging.disable()
    tried: dict[str, int] = {}
    found: list[str] = []
    for name in dict.fromkeys(names):
        tried[name], wrong = try_writer(WRITERS[name])
        found += wrong
    print(json.dumps({"tried": sum(tried.values()), "writers": tried, "found": found}, indent=1))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
