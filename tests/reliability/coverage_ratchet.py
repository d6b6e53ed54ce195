"""Lines and branches of the program that no test reaches, in a table that may only shrink.

    python -m tests.reliability.coverage_ratchet            run the tests, compare with the table
    python -m tests.reliability.coverage_ratchet --lower    write what has become less into the table
    python -m tests.reliability.coverage_ratchet --measured compare what the last run has measured

`coverage_allowed.txt` holds for each package how many lines and branches may be left. The command prints what is left
of `engine` and `datasets` by file and line, and fails when a package has more than its row allows. What cannot be
reached carries `# pragma: no cover - reason`; without a reason the pragma does not count (see `pyproject.toml`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from coverage import Coverage
from coverage.exceptions import NoDataError

from tests.sources import ROOT

TABLE = Path(__file__).with_name("coverage_allowed.txt")
HEAD = "# package: lines and branches that no test reaches, at most; `make coverage` compares, and only lowers them\n"
TO_THE_LINE = ("engine", "datasets")
TESTS = ("-n", "auto", "--dist", "worksteal", "-q", "-m", "not long")


class Left(NamedTuple):
    """What is not reached of a package, and what it has."""

    lines: int = 0
    branches: int = 0
    all_lines: int = 0
    all_branches: int = 0
    explained: int = 0

    @property
    def percent(self) -> float:
        """Lines and branches that are reached, of a hundred."""
        parts = self.all_lines + self.all_branches
        return 100.0 * (1.0 - (self.lines + self.branches) / parts) if parts else 100.0


def added(first: Left, second: Left) -> Left:
    """Return the sums."""
    return Left(*(a + b for a, b in zip(first, second, strict=True)))


def package(path: str) -> str:
    """Return the first two folders: "gui/panels" for a file anywhere in it."""
    return "/".join(path.split("/")[:-1][:2])


def by_package(files: dict[str, Any]) -> dict[str, Left]:
    """Add up the files of coverage.py's JSON report."""
    found: defaultdict[str, Left] = defaultdict(Left)
    for path, file in files.items():
        about = file["summary"]
        left = Left(
            about["missing_lines"],
            about["missing_branches"],
            about["num_statements"],
            about["num_branches"],
            about["excluded_lines"],
        )
        found[package(path)] = added(found[package(path)], left)
    return dict(sorted(found.items()))


def read_allowed(text: str) -> dict[str, tuple[int, int]]:
    """Read the rows "package lines branches"."""
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: (int(lines), int(branches)) for name, lines, branches in rows}


def written(allowed: dict[str, tuple[int, int]]) -> str:
    """Return the table as it stands in its file."""
    return HEAD + "".join(f"{name} {lines} {branches}\n" for name, (lines, branches) in sorted(allowed.items()))


def risen(found: dict[str, Left], allowed: dict[str, tuple[int, int]]) -> list[str]:
    """Return the packages that have more left than their row allows; one without a row may have nothing left."""
    return [
        name
        for name, left in found.items()
        if left.lines > allowed.get(name, (0, 0))[0] or left.branches > allowed.get(name, (0, 0))[1]
    ]


def lowered(found: dict[str, Left], allowed: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return the table with the smaller number of both; packages without a rest, or that are gone, have no row."""
    rows = {
        name: (min(lines, found[name].lines), min(branches, found[name].branches))
        for name, (lines, branches) in allowed.items()
        if name in found
    }
    return {name: row for name, row in rows.items() if any(row)}


def measure() -> int:
    """Run the tests with coverage.py; their exit code."""
    python = [sys.executable, "-m", "coverage"]
    subprocess.run([*python, "erase"], cwd=ROOT, check=True)
    return subprocess.run([*python, "run", "-m", "pytest", *TESTS], cwd=ROOT, check=False).returncode


def report() -> dict[str, Any]:
    """Combine what the processes have measured; the files of the report by their paths."""
    coverage = Coverage(config_file=str(ROOT / "pyproject.toml"))
    coverage.load()
    with suppress(NoDataError):  # combined already
        coverage.combine()
    target = ROOT / "build" / "coverage" / "report.json"
    coverage.json_report(outfile=str(target))
    return {Path(path).as_posix(): file for path, file in json.loads(target.read_text())["files"].items()}


def main(arguments: list[str] | None = None) -> int:
    """Measure and compare; 1 when a package has more left than it may, or a test fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measured", action="store_true", help="do not run the tests again")
    parser.add_argument("--lower", action="store_true", help="write smaller numbers into the table")
    options = parser.parse_args(arguments)
    code = 0 if options.measured else measure()
    files = report()
    found, allowed = by_package(files), read_allowed(TABLE.read_text(encoding="utf-8"))
    for path, file in files.items():
        if path.startswith(TO_THE_LINE) and (file["missing_lines"] or file["missing_branches"]):
            branches = [f"{first}->{last}" if last > 0 else f"{first}->end" for first, last in file["missing_branches"]]
            print(f"{path}: lines {file['missing_lines']}, branches {', '.join(branches)}")
    print(f"{'package':28}{'reached':>9}{'lines left':>12}{'branches left':>15}{'allowed':>10}{'explained':>11}")
    for name, left in [*found.items(), *totals(found).items()]:
        may = " ".join(map(str, allowed.get(name, (0, 0)))) if name in found else ""
        print(f"{name:28}{left.percent:8.2f}%{left.lines:12}{left.branches:15}{may:>10}{left.explained:11}")
    if options.lower:
        TABLE.write_text(written(lowered(found, allowed)), encoding="utf-8", newline="\n")
    for name in (worse := risen(found, allowed)):
        print(f"{name}: more lines or branches are reached by no test than coverage_allowed.txt says")
    return 1 if worse or code else 0


def totals(found: dict[str, Left]) -> dict[str, Left]:
    """Return the sums of `engine`, `datasets` and `gui`."""
    sums: defaultdict[str, Left] = defaultdict(Left)
    for name, left in found.items():
        top = f"all of {name.partition('/')[0]}"
        sums[top] = added(sums[top], left)
    return dict(sums)


if __name__ == "__main__":
    sys.exit(main())
