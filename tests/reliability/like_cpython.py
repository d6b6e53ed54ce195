"""Generated programs in the sandbox beside CPython: the same output, values, and kind, message and line of an error.

    python -m tests.reliability.like_cpython [PROGRAMS] [--python PYTHON]

The reference is any CPython; its messages are those of the sandbox where it is of the same version, 3.14. Of another
version kind and line of an error are compared, and the message where both have it. Texts that are no programs are made
from programs by a letter too much or too little.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from engine.language import Evaluation, ProgramError, evaluate
from tests.engine.language.python_programs import formula_programs, programs, where_they_differ
from tests.reliability.python_texts import program

HERE = Path(__file__).parent
BROKEN = [*"():='],+$", "if", "\n", "    ", "def", "1a", "else:", "return", "in", "."]


_ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")


class Reference:
    """A process of CPython that runs program after program."""

    def __init__(self, python: str) -> None:
        self.version = version_of(python)
        self._process = subprocess.Popen(
            [python, "-X", "utf8", str(HERE / "plain_python.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8",
        )  # fmt: skip

    def run(self, text: str) -> tuple[str, list[Any] | None, dict[str, Any]]:
        """Return output, error (kind, message, line) and plain variables of a program."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(text) + "\n")
        self._process.stdin.flush()
        output, error, values = json.loads(self._process.stdout.readline())
        return output, error, values

    def close(self) -> None:
        self._process.communicate()


def version_of(python: str) -> str:
    """Return major and minor version of a Python, such as 3.14."""
    done = subprocess.run([python, "--version"], capture_output=True, text=True, check=True)
    return ".".join(done.stdout.split()[1].split(".")[:2])


def difference(text: str, reference: Reference) -> str:
    """Return how the sandbox differs from CPython for one program; "" where it does not."""
    error: ProgramError | None = None
    evaluation: Evaluation | None
    try:
        evaluation = evaluate(text)
        output = evaluation.output
    except ProgramError as raised:
        error, evaluation, output = raised, raised.evaluation, raised.output
    theirs, their_error, values = reference.run(text)
    printed, theirs = (_ADDRESS.sub("at 0x", each) for each in ("".join(piece.text for piece in output), theirs))
    if printed != theirs:
        return where_they_differ(printed, theirs)
    if (error is None) != (their_error is None):
        return f"{error.message if error else 'no error'} here, {their_error} by CPython"
    if error is not None and their_error is not None:
        found = difference_of_errors(error, *their_error, reference.version)
        if found:
            return found
    for name, theirs_value in values.items() if evaluation is not None else ():
        ours = evaluation.variables.get(name, "nothing")
        if as_list(ours) != theirs_value or type(as_list(ours)) is not type(theirs_value):
            return f"{name} is {ours!r} here, {theirs_value!r} by CPython"
    return ""


def as_list(thing: Any) -> Any:
    return list(map(as_list, thing)) if isinstance(thing, (list, tuple)) else thing


def difference_of_errors(error: ProgramError, kind: str, message: str, line: int, version: str) -> str:
    """Return how two errors differ; hints behind CPython's message are Gradstep's own."""
    if error.at_limit and kind == "RecursionError":
        return ""
    if not error.message.startswith(kind):
        return f"{error.message!r} here, {kind}: {message} by CPython"
    if error.line != line and f"of line {line}," not in error.message:  # the other of two brackets that do not fit
        return f"{error.message!r} in line {error.line} here, {line} by CPython"
    if version == "3.14" and not error.message.startswith(f"{kind}: {message}" if message else kind):
        return f"{error.message!r} here, {kind}: {message!r} by CPython"
    return ""


def generated(strategy: Any, count: int) -> list[str]:
    """Return programs of a strategy, the same at every call."""
    found: list[str] = []

    @settings(
        max_examples=count, derandomize=True, deadline=None, phases=[Phase.generate], database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found


def broken(text: str, rng: random.Random) -> str:
    """Return a text with one letter or word exchanged or put in."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    column = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:column] + rng.choice(BROKEN) + lines[at][column + rng.choice((0, 1)) :]
    return "\n".join(lines)


def all_programs(count: int) -> dict[str, list[str]]:
    """Return so many programs, by their kind."""
    some = count // 5
    return {
        "written parts": [program(seed) for seed in range(count - 3 * some)],
        "expressions": generated(programs(), some),
        "named numbers": generated(formula_programs(), some),
        "broken": [broken(program(seed), random.Random(seed)) for seed in range(some)],
    }


def main(arguments: list[str]) -> int:
    """Compare the programs; return 1 when one differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="?", type=int, default=2000)
    parser.add_argument("--python", default=sys.executable, help="the CPython to compare with")
    options = parser.parse_args(arguments)
    reference = Reference(options.python)
    counts: Counter[str] = Counter()
    n_wrong = 0
    for kind, texts in all_programs(options.programs).items():
        for number, text in enumerate(texts):
            counts[kind] += 1
            if found := difference(text, reference):
                n_wrong += 1
                print(f"{kind} {number}: {found}", flush=True)
    reference.close()
    print(f"{sum(counts.values())} programs beside CPython {reference.version}: {n_wrong} differ "
          f"({', '.join(f'{count} of {kind}' for kind, count in counts.items())})")  # fmt: skip
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
