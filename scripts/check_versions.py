"""Run the tests with the lowest and the newest packages that pyproject.toml allows: `make test-versions`.

Each row of the table that `rows` gives is one Python with one choice of packages: the oldest Python with the lowest
version of everything, and every Python that is found here with the newest. Each has a clone of the last commit and an
environment of its own in `build/versions`, made by `scripts/set_up.py` as anybody makes one; the lowest versions are
the lower bounds of pyproject.toml, given to pip as constraints.

    python scripts/check_versions.py                              # all rows, every test that is not long
    python scripts/check_versions.py 3.11-lowest -- tests/engine  # one row, and what pytest is to do there

Ends with 0 when every row passes.
"""

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "versions"
MINORS = range(11, 15)
"""Python 3.11 to 3.14."""

WHAT = "import json, importlib.metadata as m, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


def main(arguments: list[str]) -> int:
    """Run the rows whose names are given, or all; the process's exit code."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    wanted, tests = arguments[:cut], arguments[cut + 1 :] or ["-n", "auto", "--dist", "worksteal", "-m", "not long"]
    found = rows()
    if unknown := set(wanted) - found.keys():
        print(f"There is no {', '.join(sorted(unknown))} here; there are {', '.join(found)}.", file=sys.stderr)
        return 1
    results = {name: check(name, *found[name], tests) for name in wanted or found}
    print(*(f"{name}: {result}" for name, result in results.items()), sep="\n")
    return int(any("failed" in result for result in results.values()))


def rows() -> dict[str, tuple[Path, bool]]:
    """Return (Python, lowest versions) of each row by its name."""
    pythons = {f"3.{minor}": python for minor in MINORS if (python := python_of(minor)) is not None}
    oldest = next(iter(pythons))
    newest = {f"{version}-newest": (python, False) for version, python in pythons.items()}
    return {f"{oldest}-lowest": (pythons[oldest], True), **newest}


def python_of(minor: int) -> Path | None:
    """Return a Python 3.minor of this machine that runs: one on the path, or one that pyenv or uv has installed."""
    name, home = f"python3.{minor}", Path.home()
    installed = [*home.glob(f".pyenv/versions/3.{minor}.*/bin/{name}")]
    installed += home.glob(f".local/share/uv/python/cpython-3.{minor}.*/bin/{name}")
    on_path = shutil.which(name)
    for python in ([Path(on_path)] if on_path else []) + installed:
        if subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            return python
    return None


def check(name: str, python: Path, lowest: bool, tests: list[str]) -> str:
    """Set a clone up and run the tests in it; return the last line of pytest and the versions of the packages."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    constraints = folder / "build" / "constraints.txt"
    constraints.parent.mkdir()
    constraints.write_text("\n".join(lower_bounds(requirements)) + "\n" if lowest else "", encoding="utf-8")
    environment = dict(os.environ, PIP_CONSTRAINT=str(constraints), GRADSTEP_CACHE=str(folder / "build" / "cache"))
    if subprocess.call([python, "scripts/set_up.py"], cwd=folder, env=environment) != 0:
        return "failed: its packages cannot be installed together; the lines above say why"
    started = time.monotonic()
    ours = folder / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    lines = []
    with subprocess.Popen(
        [ours, "-m", "pytest", *tests], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.strip(" =\n"))
    names = [re.split(r"[<>=]", requirement)[0] for requirement in project["dependencies"]]
    versions = subprocess.run([ours, "-c", WHAT, *names], capture_output=True, text=True).stdout.strip()
    verdict = "passed" if process.returncode == 0 else "failed"
    return f"{verdict} in {time.monotonic() - started:.0f} s: {lines[-1] if lines else 'no output'} {versions}"


def lower_bounds(requirements: list[str]) -> list[str]:
    """Return `name==version` for each requirement that has a lower bound."""
    found = [re.fullmatch(r"([\w.-]+)>=([\d.]+)(,.*)?", requirement) for requirement in requirements]
    return [f"{match[1]}=={match[2]}" for match in found if match]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
