"""Writes what CPython prints for each of `programs/` beside it: `python -m tests.engine.language.make_outputs`.

Lines of a notebook (`%matplotlib inline`) are left out for CPython, and matplotlib is replaced by nothing at all.
"""

import re
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
NO_MATPLOTLIB = """
import sys, types
class _Nothing(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **named: None
for _name in ("matplotlib", "matplotlib.pyplot"):
    sys.modules[_name] = _Nothing(_name)
sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
"""


def for_python(text: str) -> str:
    """The program without lines that only a notebook takes."""
    return re.sub(r"^%.*$", "", text, flags=re.MULTILINE)


def printed_by_python(text: str) -> str:
    """What CPython prints for a program."""
    command = [sys.executable, "-c", f"{NO_MATPLOTLIB}\n{for_python(text)}"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True)
    return done.stdout


def main() -> None:
    """Writes all of them."""
    for path in sorted(PROGRAMS.glob("*.py")):
        path.with_suffix(".out").write_text(printed_by_python(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
