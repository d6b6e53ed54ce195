"""Coverage-guided fuzzing of a reader of files: `python -m tests.fuzz.guided {session,table,lesson} --seconds N`.

atheris (`pip install atheris`, the extra `fuzz`) sees which places of the reader an input reaches, keeps the inputs
that reach new ones, and changes those further; half of the changes follow the structure of the file. Seconds are those
of the processor. A finding is printed once, shrunk, and kept as a file that `--input FILE` runs alone. Exit code 1 when
there is one.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.fuzz.shrinking import shrunk
from tests.fuzz.worker import place_of

LONGEST_SECONDS, LARGEST_GROWTH = 2.0, 250_000_000
"""Limits for one input: seconds of the processor, bytes of memory."""
LONGEST_INPUT = 30_000
RESTART_GROWTH = 400_000_000
"""Bytes after which a new worker goes on: what atheris remembers of each input adds up."""
STANDS_STILL_SECONDS = 120
PROGRESS_SECONDS = 60.0
SHRINK_SECONDS = 60.0


def findings_of(reader: Any, content: bytes) -> list[dict[str, str]]:
    """Kind, place and words of each thing that does not hold for an input."""
    began, before = time.process_time(), _peak()
    found = []
    try:
        reader.check(content)
    except Exception as error:
        words = "".join(traceback.format_exception(error))
        found.append({"kind": type(error).__name__, "place": place_of(error), "words": words[-3000:]})
    if (took := time.process_time() - began) > LONGEST_SECONDS:
        found.append({"kind": "time", "place": "", "words": f"{took:.1f} s"})
    if (grown := _peak() - before) > LARGEST_GROWTH:
        found.append({"kind": "memory", "place": "", "words": f"{grown / 1e6:.0f} MB"})
    return found


def work(name: str, seconds: float, folder: Path, seed: int) -> None:
    """In a process of its own: let atheris find inputs until so many seconds of the processor are spent."""
    import atheris

    faulthandler.enable()
    with atheris.instrument_imports(include=["engine", "datasets", "tomllib"]):
        reader = import_module("tests.fuzz.readers").READERS[name]
    known: set[tuple[str, str]] = set()
    count, shown, largest = 0, time.monotonic(), _peak() + RESTART_GROWTH

    def look_at(content: bytes) -> None:
        nonlocal count, shown
        count += 1
        (folder / "last").write_bytes(content)
        for finding in findings_of(reader, content):
            key = (finding["kind"], finding["place"])
            if key not in known:
                known.add(key)
                digest = hashlib.sha256(content).hexdigest()[:12]
                (folder / "findings" / digest).write_bytes(content)
                _say(finding=finding, input=digest)
        is_over = time.process_time() > seconds or _peak() > largest
        if is_over or time.monotonic() - shown > PROGRESS_SECONDS / 2:
            shown = time.monotonic()
            _say(executions=count, seconds=time.process_time(), resident=_peak() // 10**6)
        if is_over:
            sys.stdout.flush()
            os._exit(0)

    def change(content: bytes, largest: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.5:
            for _ in range(chance.choice((1, 1, 2, 4))):
                content = reader.changed(content, chance)
            return content[:largest]
        return atheris.Mutate(content, min(largest, len(content) + 1000))

    words = folder / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in dict.fromkeys(reader.words()) if word))
    options = [f"-dict={words}", f"-seed={seed}", f"-timeout={STANDS_STILL_SECONDS}", "-rss_limit_mb=0", "-reload=0"]
    options += [
        f"-max_len={LONGEST_INPUT}",
        "-len_control=0",
        f"-artifact_prefix={folder}/ended_",
        "-print_final_stats=0",
    ]
    atheris.Setup(["guided", *options, str(folder / "corpus")], look_at, custom_mutator=change)
    atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogatepass")[:64])


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _say(**words: Any) -> None:
    print(json.dumps(words), flush=True)


def campaign(name: str, seconds: float, folder: Path, seed: int) -> int:
    """Fill the corpus with the seeds, fuzz in child processes, print progress; return the number of findings."""
    for part in ("corpus", "findings"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for content in import_module("tests.fuzz.readers").READERS[name].seeds():
        (folder / "corpus" / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content[:LONGEST_INPUT])
    n_seeds = len([*(folder / "corpus").iterdir()])
    known: dict[tuple[str, str], int] = {}
    spent, executions, run = 0.0, 0, 0
    while spent < seconds - 1:
        command = [sys.executable, "-m", "tests.fuzz.guided", name, "--seconds", str(seconds - spent)]
        command += ["--folder", str(folder), "--seed", str(seed + run), "--worker"]
        last, n_worker = 0.0, 0
        with (folder / f"log_{run}").open("w") as log:
            worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
            assert worker.stdout is not None
            shown = 0.0
            for line in (json.loads(line) for line in worker.stdout if line.startswith("{")):
                if "finding" in line:
                    _report(name, line["finding"], folder / "findings" / line["input"], known)
                    continue
                last, n_worker = line["seconds"], line["executions"]
                if time.monotonic() - shown > PROGRESS_SECONDS:
                    shown = time.monotonic()
                    reached = _reached(folder / f"log_{run}")
                    print(f"{name}: {spent + last:,.0f} s, {executions + n_worker:,} executions, {reached}, "
                          f"{line['resident']} MB", flush=True)  # fmt: skip
        if code := worker.wait():
            kept = folder / "findings" / f"ended_{run}"
            kept.write_bytes((folder / "last").read_bytes())
            words = (folder / f"log_{run}").read_text(errors="replace")[-3000:]
            _report(name, {"kind": f"ended by {code}", "place": "", "words": words}, kept, known)
            last += 10.0  # what it did since it last said so
        spent, executions, run = spent + last, executions + n_worker, run + 1
    kept = len([*(folder / "corpus").iterdir()]) - n_seeds
    reached = _reached(folder / f"log_{run - 1}")
    print(f"{name}: {executions:,} executions in {spent:.0f} s of the processor, {reached}; "
          f"{n_seeds} inputs at first, {kept} more kept, {len(known)} findings", flush=True)  # fmt: skip
    return len(known)


def _reached(log: Path) -> str:
    """Return the number of places that atheris has reached, from its last line."""
    lines = [line for line in log.read_text(errors="replace").splitlines() if "cov: " in line]
    return f"{lines[-1].partition('cov: ')[2].split()[0]} places reached" if lines else "starting"


def _report(name: str, finding: dict[str, str], path: Path, known: dict[tuple[str, str], int]) -> None:
    """Print a finding that is new, with the smallest input that has it alone."""
    key = (finding["kind"], finding["place"])
    known[key] = known.get(key, 0) + 1
    if known[key] > 1:
        return
    reader = import_module("tests.fuzz.readers").READERS[name]

    def fails(content: bytes) -> bool:
        return key in [(found["kind"], found["place"]) for found in findings_of(reader, content)]

    content = path.read_bytes()
    is_same = not finding["kind"].startswith("ended") and fails(content)
    if is_same:
        give_up = time.monotonic() + SHRINK_SECONDS
        content = shrunk(content, fails, lambda: time.monotonic() > give_up)
        path.write_bytes(content)
    print(f"\nFINDING {name}: {finding['kind']} {finding['place']}\n{finding['words']}")
    print(f"alone: {'the same' if is_same else 'NOT the same'}")
    print(f"reproduce: python -m tests.fuzz.guided {name} --input {path}")
    print(f"    {content[:1500]!r}\n", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("reader", choices=("session", "table", "lesson"))
    parser.add_argument("--seconds", type=float, default=1800.0, help="of the processor")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="keeps corpus, findings and logs (default: a temporary folder)")
    parser.add_argument("--input", type=Path, help="run one input alone")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.reader, options.seconds, options.folder, options.seed)
        return 0
    if options.input:
        reader = import_module("tests.fuzz.readers").READERS[options.reader]
        found = findings_of(reader, options.input.read_bytes())
        for finding in found:
            print(finding["kind"], finding["place"], finding["words"], sep="\n")
        print("nothing found" if not found else f"{len(found)} found")
        return int(bool(found))
    folder = options.folder or Path(tempfile.mkdtemp(prefix="gradstep-guided-"))
    print(f"{options.reader}: corpus, findings and logs in {folder}", flush=True)
    return int(campaign(options.reader, options.seconds, folder, options.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
