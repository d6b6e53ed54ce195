"""The same input gives the same bytes: training, tables, exports, code and pages, and the pictures of the tour.

    python -m tests.reliability.reproducibility [--tour]

Every command runs twice, in processes that differ in what must not matter: the seed of hashes, the number of threads
that linear algebra may use, the folder, the language, the time zone. PDF files carry the time of
their making, and Qt puts their fonts into an order of its own: they are compared by what PDFium draws of them. It takes
two minutes of a processor, with `--tour` six.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pypdfium2

from engine.code import TARGETS
from engine.document import Document, replace_section
from engine.graph.formats import FORMATS
from engine.session_file import to_json
from gui.export.target import STILL
from tests.sources import ROOT

NEURON = "x1 = 2.0\nx2 = 0.0\nw1 = -3.0\nw2 = 1.0\nb = 6.88\nn = x1*w1 + x2*w2 + b\no = tanh(n)\no.backward()\n"
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "OPENBLAS_NUM_THREADS": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "2", "OPENBLAS_NUM_THREADS": "2", "TZ": "Asia/Kolkata", "LC_ALL": "de_DE.UTF-8"},
)


def inputs(folder: Path) -> None:
    """Write a program and two sessions into a folder."""
    (folder / "neuron.py").write_text(NEURON, encoding="utf-8")
    document = replace_section(Document(), "training", optimizer="adam", batch_size=16)
    (folder / "moons.gradstep").write_text(to_json(document), encoding="utf-8")
    single = replace_section(document, "training", dtype="float32", optimizer="momentum", batch_size=None)
    single = replace_section(single, "network", layer_sizes=(2, 64, 64, 1), activations=("relu", "tanh"))
    (folder / "wide.gradstep").write_text(to_json(single), encoding="utf-8")


def commands(tour: bool) -> Iterator[str]:
    """Return the commands in the order in which they are run: later ones may read what earlier ones wrote."""
    yield "train moons.gradstep --steps 300 --log losses.csv -o trained.gradstep"
    yield "train wide.gradstep --steps 100 --log wide.csv -o wide_trained.gradstep"
    yield "sweep moons.gradstep --vary learning_rate=0.01,0.1 --seeds 2 --steps 100 --workers 1 -o sweep.csv"
    yield "sweep moons.gradstep --vary learning_rate=0.01,0.1 --seeds 2 --steps 100 --workers 2 -o sweep2.csv"
    yield "export trained.gradstep --training --steps 20 -o run.gif"
    yield "export neuron.py --frames -o frames"
    for extension in (*STILL, "gif"):
        yield f"export neuron.py -o neuron.{extension}"
    for extension in FORMATS:
        yield f"export trained.gradstep -o trained.{extension}"
    for target, kind in TARGETS.items():
        yield f"code trained.gradstep --target {target} -o trained_{target}.{kind.extension}"
    yield "lessons print 1 -o lesson.html"
    yield "lessons print 1 -o lesson.pdf"
    if tour:
        yield "tour tour"


def run_all(folder: Path, surroundings: dict[str, str], lines: Sequence[str]) -> dict[str, bytes]:
    """Run the commands in a folder; return the content of each file by its name, and what each command printed."""
    folder.mkdir()
    inputs(folder)
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", **surroundings}
    found = {}
    for line in lines:
        command = [sys.executable, str(ROOT / "main.py"), *line.split()]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{line}: {done.stderr.decode()}")
        found[line] = done.stdout
    return found | {
        path.relative_to(folder).as_posix(): drawn(path) if path.suffix == ".pdf" else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def drawn(path: Path) -> bytes:
    """Return the pixels of all pages of a PDF file."""
    return b"".join(page.render(scale=2).to_numpy().tobytes() for page in pypdfium2.PdfDocument(path))


def differences(lines: Sequence[str]) -> tuple[int, list[str]]:
    """Run commands twice; return how many files and outputs there are, and those that differ."""
    with tempfile.TemporaryDirectory() as kept, ThreadPoolExecutor() as pool:
        folders = [Path(kept, f"run {number}") for number in range(len(SURROUNDINGS))]
        first, second = pool.map(lambda folder, other: run_all(folder, other, lines), folders, SURROUNDINGS)
    if first.keys() != second.keys():
        return len(first), sorted(first.keys() ^ second.keys())
    found = [name for name in first if first[name] != second[name]]
    if first.get("sweep.csv") != first.get("sweep2.csv"):
        found.append("sweep.csv with one worker and with two")
    return len(first), found


def main() -> int:
    """Compare two runs; return 1 when something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tour", action="store_true", help="the pictures of the tour, too")
    count, found = differences(list(commands(parser.parse_args().tour)))
    for name in found:
        print(f"differs: {name}")
    print(f"{count} files and outputs of two runs: {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
