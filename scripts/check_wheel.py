"""Build the wheel, install it beside other packages of the same names as ours, and run it: `make wheel`.

The dependencies are not downloaded again: the new environment sees those of the Python that runs this script.
Everything happens in a temporary folder; ends with 0 when all is well, with a sentence and 1 when something is not.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STRANGERS = ("datasets", "engine", "gui", "main")
COMMANDS = (["--help"], ["--version"], ["gallery"], ["run", "program.py"])
PARTS = (
    "main.py",
    "launch.py",
    "engine/__init__.py",
    "engine/language/python.wasm",
    "engine/language/python.stamp",
    "datasets/__init__.py",
    "gui/__init__.py",
    "resources/licenses/python.txt",
    "NOTICE",
)
WHOSE = "import {0}; print({0}.__file__)"


class WheelError(Exception):
    """A fault of the wheel, in one sentence."""


def main() -> int:
    """Build, look inside, install, run; the process's exit code."""
    with tempfile.TemporaryDirectory(prefix="gradstep-wheel-") as folder:
        try:
            check(Path(folder))
        except WheelError as error:
            print(error, file=sys.stderr)
            return 1
    print("The wheel holds only gradstep_app, runs, and lives beside other packages of the same names.")
    return 0


def check(folder: Path) -> None:
    """All steps, each in `folder`."""
    run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)])
    wheel = next(folder.glob("gradstep-*.whl"))
    look_inside(wheel)
    if not wheel.name.endswith("-py3-none-any.whl"):
        raise WheelError(f"the wheel is for one platform only: {wheel.name}")
    bin_folder = install(folder, [other_packages(folder), wheel])
    Path(folder, "program.py").write_text("x = 2.0\nprint(x * 3)\n", encoding="utf-8")
    for arguments in COMMANDS:
        run([str(bin_folder / "gradstep"), *arguments], cwd=folder)
    for name in STRANGERS:
        ours = run([str(bin_folder / "python"), "-c", "import gradstep_app.launch; " + WHOSE.format(name)], cwd=folder)
        theirs = run([str(bin_folder / "python"), "-c", WHOSE.format(name)], cwd=folder)
        if "gradstep_app" not in ours or "gradstep_app" in theirs:
            raise WheelError(f"{name} is found at {ours.strip()} by Gradstep and at {theirs.strip()} by others")


def look_inside(wheel: Path) -> None:
    """Nothing but our one package, without leftovers of a run, and with the parts that it needs."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    if {top for top in tops if not top.endswith(".dist-info")} != {"gradstep_app"}:
        raise WheelError(f"the wheel holds more than gradstep_app: {sorted(tops)}")
    if stray := [name for name in names if "__pycache__" in name or name.endswith(".pyc")]:
        raise WheelError(f"the wheel holds {stray[0]}")
    if repeated := {name for name in names if names.count(name) > 1}:
        raise WheelError(f"the wheel holds {min(repeated)} twice")
    for part in PARTS:
        if not any(name.startswith(f"gradstep_app/{part}") for name in names):
            raise WheelError(f"the wheel lacks {part}")


def other_packages(folder: Path) -> Path:
    """A wheel of somebody else's, with top-level packages called like ours."""
    files = {f"{name}/__init__.py": "" for name in STRANGERS}
    about = "stranger-1.0.dist-info/"
    files[about + "METADATA"] = "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n"
    files[about + "WHEEL"] = "Wheel-Version: 1.0\nGenerator: gradstep\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[about + "RECORD"] = "".join(f"{name},,\n" for name in [*files, about + "RECORD"])
    path = folder / "stranger-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def install(folder: Path, wheels: list[Path]) -> Path:
    """A new environment with these wheels; the folder of its programs."""
    environment = folder / "environment"
    run([sys.executable, "-m", "venv", str(environment)])
    bin_folder = environment / ("Scripts" if sys.platform == "win32" else "bin")
    python = str(bin_folder / "python")
    site = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    Path(site, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", *map(str, wheels)])
    return bin_folder


def run(command: list[str], cwd: Path = ROOT) -> str:
    """Return what the command prints; WheelError with its last words when it fails."""
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", PIP_DISABLE_PIP_VERSION_CHECK="1")
    done = subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise WheelError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
