"""`python -m tests.benchmarks [NAME ...]`: the benchmarks as a table on the screen and in bench.json.

NAMEs are engine, programs, training, history, layout, canvas, window, legibility, code; all of them when none is given.
Peers take part where they are installed: micrograd, torch, jax.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one thread for everybody, before numpy is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

import dataclasses
import importlib
import importlib.util
import json
import platform
import sys
from pathlib import Path
from typing import Any

NEEDS = {
    "engine": "numpy",
    "programs": "wasmtime",
    "training": "numpy",
    "history": "numpy",
    "layout": "networkx",
    "canvas": "PySide6",
    "window": "PySide6",
    "legibility": "PySide6",
    "code": "numpy",
}
"""The benchmarks, and what has to be installed for each."""


def main(names: list[str]) -> None:
    """Runs the named benchmarks and writes bench.json in the current folder."""
    table: list[Any] = []
    for name in names or NEEDS:
        if name not in NEEDS:
            sys.exit(f"no benchmark {name!r}; there are: {', '.join(NEEDS)}")
        if importlib.util.find_spec(NEEDS[name]) is None:
            print(f"{name}: left out, {NEEDS[name]} is not installed", flush=True)
            continue
        for row in importlib.import_module(f"tests.benchmarks.{name}_bench").rows():
            print(_line(row), flush=True)
            table.append(dataclasses.asdict(row) if dataclasses.is_dataclass(row) else row)
    about = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    Path("bench.json").write_text(json.dumps({"about": about, "rows": table}, indent=1) + "\n", encoding="utf-8")


def _line(row: Any) -> str:
    """A row of the table as text; benchmarks with columns of their own hand over dictionaries."""
    if not isinstance(row, dict):
        return str(row)
    return "  ".join(
        f"{key} {value:,.5g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()
    )


if __name__ == "__main__":
    main(sys.argv[1:])
