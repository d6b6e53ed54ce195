"""Random programs in Gradstep beside the same programs in PyTorch's float64: data and every gradient agree.

    python -m tests.reliability.beside_torch [PROGRAMS] [--python PYTHON_WITH_TORCH]

The programs (`torch_programs.py`) run in the sandbox, as those of a user, and in PyTorch (`torch_values.py`). What they
print of data and gradients has to agree, and what the window shows of each variable has to be what the program printed.
A part of their graphs is also written by the code export, for NumPy and for PyTorch, and run: a second opinion.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.autograd import Value
from engine.code import TARGETS, CodeError
from engine.document import Document
from engine.language import Evaluation, ProgramError, evaluate
from engine.views.graph_view import show_expression
from tests.reliability.torch_programs import program

LIMIT = 1e-10
"""Largest difference, relative to the number where that is above 1."""
LARGEST = 1e4
"""Programs with larger numbers are left out: rounding is then larger than the limit, in both."""
EXPORTED_EVERY = 10
HERE = Path(__file__).parent


class Torch:
    """A process of a Python that has torch, which runs program after program."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE / "torch_values.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, text: str) -> tuple[str, str | None]:
        """Return what a program prints, and its error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        output, error = json.loads(self._process.stdout.readline())
        return output, error

    def close(self) -> None:
        self._process.communicate()


def has_torch(python: str) -> bool:
    """Return True where torch can be imported."""
    command = [python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@contextlib.contextmanager
def torch_of(python: str) -> Iterator[Torch]:
    """Context with such a process."""
    torch = Torch(python)
    try:
        yield torch
    finally:
        torch.close()


@dataclass
class Findings:
    """Result of a comparison of programs.

    Attributes:
        compared, numbers, gradients: how many programs, numbers, and gradients among these.
        left_out: programs that were not compared, by the reason.
        largest: largest difference.
        wrong: a line on each program that differs.
        exported: exported programs that were run, by target; refused: those that the target cannot express.
    """

    compared: int = 0
    numbers: int = 0
    gradients: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    largest: float = 0.0
    wrong: list[str] = field(default_factory=list)
    exported: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    largest_exported: float = 0.0


def compare(seed: int, torch: Torch, findings: Findings) -> Evaluation | None:
    """Run one program in both and add what they showed; return its evaluation where it was compared."""
    kind, text = program(seed)
    theirs, refused = torch.run(text)
    lines = [json.loads(line) for line in theirs.splitlines()]
    if refused is not None and "modified by an inplace operation" in refused:
        findings.left_out["PyTorch refuses a change in place"] += 1
        return None
    if not all(math.isfinite(number) and abs(number) < LARGEST for _, *parts in lines for number in flat(parts)):
        findings.left_out["its numbers are too large to compare"] += 1
        return None
    try:
        evaluation = evaluate(text)
    except ProgramError as error:
        if refused is None:
            findings.wrong.append(f"{seed}, {kind}: line {error.line}: {error.message}")
        else:
            findings.wrong.append(f"{seed}, {kind}: no program in either: {error.message} / {refused}")
        return None
    ours = [json.loads(line) for line in "".join(piece.text for piece in evaluation.output).splitlines()]
    if refused is not None:
        findings.wrong.append(f"{seed}, {kind}: PyTorch refuses it: {refused}")
        return None
    findings.compared += 1
    difference, where = largest_difference(ours, lines)
    findings.numbers += sum(1 for _, *parts in ours for _ in flat(parts))
    findings.gradients += sum(1 for _, _, grad in ours for _ in flat(grad))
    findings.largest = max(findings.largest, difference)
    if difference > LIMIT:
        findings.wrong.append(f"{seed}, {kind}: {where}")
    elif (differs := shown_otherwise(evaluation, ours)) is not None:
        findings.wrong.append(f"{seed}, {kind}: the window shows another number for {differs}")
    try:
        show_expression(evaluation)
    except Exception as raised:
        findings.wrong.append(f"{seed}, {kind}: its graph cannot be shown: {raised!r}")
    return evaluation


def flat(parts: Any) -> Iterator[float]:
    """Yield the numbers of nested lists; None has none."""
    if isinstance(parts, list):
        for part in parts:
            yield from flat(part)
    elif parts is not None:
        yield parts


def largest_difference(ours: list[Any], theirs: list[Any]) -> tuple[float, str]:
    """Return the largest relative difference of two outputs, and where it is."""
    if len(ours) != len(theirs):
        return math.inf, f"{len(ours)} lines here, {len(theirs)} in PyTorch"
    worst, where = 0.0, ""
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), start=1):
        for what, here, there in zip(("name", "data", "gradient"), one, other, strict=True):
            if what == "name" or here is None or there is None:
                difference = 0.0 if here == there else math.inf
            elif np.shape(here) != np.shape(there):
                difference = math.inf
            else:
                a, b = np.asarray(here), np.asarray(there)
                difference = float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b))))
            if not difference <= worst:
                worst, where = difference, f"line {number}, {what} of {one[0]}: {here} here, {there} in PyTorch"
    return worst, where


def shown_otherwise(evaluation: Evaluation, ours: list[Any]) -> str | None:
    """Return a variable whose data or gradient in the window is not what the program printed last."""
    last = {name: (data, grad) for name, data, grad in ours}
    for name, (data, grad) in last.items():
        value = evaluation.variables.get(name)
        if not isinstance(value, Value):
            return name
        if not np.array_equal(np.ravel(value.data), np.ravel(data)):
            return f"{name}.data: {value.data} and {data}"
        if grad is not None and not np.array_equal(np.ravel(value.grad), np.ravel(grad)):
            return f"{name}.grad: {value.grad} and {grad}"
    return None


RUN_ALL = """
import json, runpy, sys
from contextlib import redirect_stdout
with redirect_stdout(sys.stderr):
    largest = {path: runpy.run_path(path)["largest"] for path in sys.argv[1:]}
print(json.dumps(largest))
"""
"""Each exported program compares all of its numbers with those that Gradstep wrote into it."""


def second_opinion(evaluations: dict[int, Evaluation], targets: dict[str, str], findings: Findings) -> None:
    """Export graphs as code of targets, run each with the Python given for it, and add how far its numbers differ."""
    with tempfile.TemporaryDirectory() as folder:
        for target, python in targets.items():
            paths = []
            for seed, evaluation in evaluations.items():
                try:
                    text = TARGETS[target].function(Document(), show_expression(evaluation))
                except CodeError:
                    findings.refused[target] += 1
                    continue
                path = Path(folder) / f"{target}_{seed}.py"
                path.write_text(text, encoding="utf-8")
                paths.append(str(path))
            for start in range(0, len(paths), 50):
                command = [python, "-c", RUN_ALL, *paths[start : start + 50]]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    findings.wrong.append(f"exported for {target}: {done.stderr[-1500:]}")
                    continue
                for path, largest in json.loads(done.stdout.splitlines()[-1]).items():
                    findings.exported[target] += 1
                    findings.largest_exported = max(findings.largest_exported, largest)
                    if not largest <= LIMIT:
                        findings.wrong.append(f"{Path(path).stem}: the exported code differs by {largest:.1e}")


def run_programs(n_programs: int, python: str, first: int = 0) -> Findings:
    """Compare so many programs, and export a part of them."""
    findings, sample, seed = Findings(), {}, first
    with torch_of(python) as torch:
        while findings.compared < n_programs and len(findings.wrong) < 200:
            evaluation = compare(seed, torch, findings)
            if evaluation is not None and evaluation.root is not None and seed % EXPORTED_EVERY == 0:
                sample[seed] = evaluation
            seed += 1
    second_opinion(sample, {"numpy": sys.executable, "python": sys.executable, "pytorch": python}, findings)
    return findings


def main(arguments: list[str]) -> int:
    """Compare the programs; return 1 when one differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="?", type=int, default=2000)
    parser.add_argument("--python", default=sys.executable, help="a Python that has torch")
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    options = parser.parse_args(arguments)
    if not has_torch(options.python):
        print(f"torch is not installed for {options.python}: nothing was compared; name another Python with --python")
        return 2
    found = run_programs(options.programs, options.python, options.first)
    for line in found.wrong:
        print(line)
    for reason, count in found.left_out.items():
        print(f"{count} programs left out: {reason}")
    print(f"{found.compared} programs, {found.numbers} numbers, {found.gradients} of them gradients: "
          f"largest difference {found.largest:.1e}")  # fmt: skip
    exported = ", ".join(f"{count} for {target}" for target, count in found.exported.items())
    refused = ", ".join(f"{count} by {target}" for target, count in found.refused.items()) or "none"
    print(f"exported and run: {exported}; largest difference {found.largest_exported:.1e}; refused: {refused}")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
