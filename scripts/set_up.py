"""Make `.venv` with everything Gradstep needs in it, and see whether Qt can start: `python3 scripts/set_up.py`.

Needs nothing but Python's standard library, on Linux, macOS and Windows, and does only what is not done yet: packages
are installed again when the requirements in pyproject.toml have changed. On Debian and its relatives root gets the
system libraries that Qt lacks; everybody else gets the line that installs them. Ends with 0 when the program can be run
or only libraries of the system are missing, with 1 when Python itself will not do.

It has to be understood by Pythons too old for Gradstep (3.7 and later), so that they can say what is missing.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
STAMP = VENV / "gradstep-installed.txt"
BUILD_SCRIPT = ROOT / "scripts" / "build_runtime.py"

START_PACKAGES = "libgl1 libegl1 libdbus-1-3 libfontconfig1 libglib2.0-0 libxkbcommon0"
WINDOW_PACKAGES = "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xkb1 libxkbcommon-x11-0"

# Without a screen an application starts for good; of a window's libraries it is enough that they can be loaded.
START_QT = "from PySide6 import QtPrintSupport, QtSvg, QtWidgets; import pyqtgraph; QtWidgets.QApplication([])"
LOAD_WINDOW_PLUGIN = (
    "import ctypes, pathlib, PySide6; "
    "plugins = pathlib.Path(PySide6.__file__).parent / 'Qt' / 'plugins' / 'platforms'; "
    "ctypes.CDLL(str(plugins / 'libqxcb.so'))"
)


class SetUpError(Exception):
    """Something a person has to do first; the message is the sentence that says what."""


def main() -> int:
    """Make the environment, fill it, prepare programs, look at Qt; the process's exit code."""
    try:
        use_a_python_that_is_new_enough()
        make_environment()
        install_requirements()
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    prepare_programs()
    look_at_qt()
    return 0


def use_a_python_that_is_new_enough() -> None:
    """Go on in a newer Python when this one is too old and the machine has one; else say what to install."""
    if sys.version_info >= OLDEST:
        return
    for minor in range(20, OLDEST[1] - 1, -1):
        newer = shutil.which(f"python3.{minor}")
        if newer:
            os.execv(newer, [newer, __file__])
    raise SetUpError(
        f"Gradstep needs Python 3.11 or newer and this is {sys.version.split()[0]}: "
        "install a newer one, for instance the package python3.11."
    )


def make_environment() -> None:
    """`.venv`, unless there is one whose Python runs."""
    if PYTHON.exists() and runs(PYTHON, "import sys; sys.exit(sys.version_info < (3, 11))") is None:
        return
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        raise SetUpError(f"This Python cannot make environments: install its venv module (on Debian: {package}).")
    print("Making .venv with Python", sys.version.split()[0])
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(VENV)]) != 0:
        raise SetUpError("The environment .venv could not be made; the lines above say why.")


def install_requirements() -> None:
    """What pyproject.toml asks for, with the tools for tests, unless just that is installed."""
    wanted = requirements()
    text = "\n".join(wanted) + "\n"
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == text:
        return
    print("Installing into .venv (about 500 MB, once):", ", ".join(wanted))
    sys.stdout.flush()
    if runs(PYTHON, "import pip"):  # an environment that another tool made
        subprocess.call([str(PYTHON), "-m", "ensurepip"], stdout=subprocess.DEVNULL)
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *quiet, *wanted]
    if subprocess.call(command) != 0:
        raise SetUpError("pip could not install everything; the lines above say why. Run 'make setup' again after.")
    STAMP.write_text(text, encoding="utf-8")


def requirements() -> list[str]:
    """The requirements of the program and of its tests, as pyproject.toml has them."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["dev"]]


def prepare_programs() -> None:
    """Build the Python that runs learners' programs and its machine code, unless both are up to date.

    Without it everything but running programs works, so a failure is said and does not end the set-up.
    """
    marker = VENV / "gradstep-programs-ok"
    if are_prepared(marker):
        return
    command = [str(PYTHON), str(BUILD_SCRIPT), "--compile", str(marker)]
    if subprocess.call(command, stdin=subprocess.DEVNULL) != 0:
        print("Until that is put right Gradstep runs no programs; all else works. 'make setup' tries again.")


def are_prepared(marker: Path) -> bool:
    """Whether the file that the marker names is there and nothing has changed since."""
    import runpy

    try:
        machine_code, prepared = Path(marker.read_text(encoding="utf-8")), marker.stat().st_mtime
        is_older = runpy.run_path(str(BUILD_SCRIPT))["is_older_than_sources"]()
        return prepared >= STAMP.stat().st_mtime and machine_code.is_file() and not is_older
    except OSError:
        return False


def look_at_qt() -> None:
    """On Linux: say, or mend, what keeps Qt from starting; a marker beside the stamp remembers that all is well."""
    if not sys.platform.startswith("linux"):
        return
    screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    marker = VENV / ("gradstep-window-ok" if screen else "gradstep-qt-ok")
    if marker.exists() and marker.stat().st_mtime >= STAMP.stat().st_mtime:
        return
    missing, reason = missing_packages(screen)
    if missing and install_system_packages(missing):
        missing, reason = missing_packages(screen)
    if missing:
        print(f"Qt cannot start yet ({reason}). On Debian or Ubuntu this installs what it lacks:")
        print("  sudo apt-get update && sudo apt-get install -y --no-install-recommends", " ".join(missing))
    else:
        marker.touch()


def missing_packages(screen: bool) -> tuple[list[str], str | None]:
    """The Debian packages Qt may lack, and the reason it gave; ([], None) when it starts and could open a window."""
    reason = runs(PYTHON, START_QT)
    window_reason = runs(PYTHON, LOAD_WINDOW_PLUGIN) if screen else None
    packages = START_PACKAGES.split() if reason else []
    if window_reason:
        packages += WINDOW_PACKAGES.split()
    return packages, reason or window_reason


def install_system_packages(packages: list[str]) -> bool:
    """True when apt-get was there to be used by root, and has been used."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print("Installing the system libraries that Qt lacks:", " ".join(packages))
    sys.stdout.flush()
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
        subprocess.call(["apt-get", *command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return True


def runs(python: Path, program: str) -> str | None:
    """None when that Python runs the program to its end without a screen, else the last line it wrote."""
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    try:
        done = subprocess.run(
            [str(python), "-c", program],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=120,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"


if __name__ == "__main__":
    sys.exit(main())
