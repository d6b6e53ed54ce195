"""Build the Python that runs learners' programs: `python scripts/build_runtime.py`.

`componentize-py` compiles CPython with the modules of `engine/language/guest` and `engine/autograd` into one
WebAssembly component, `engine/language/python.wasm` (about 25 MB, the same for every platform). It is made again when
one of those modules or componentize-py has changed, and is never committed. The hatch hook in `hatch_build.py` builds
it into the wheel.

One process builds at a time; others wait for it. With `--end-with-input` the build ends when standard input does, as
when the program that waits for it is killed.

With `--compile` the component is also compiled for this machine, into the user's cache folder, so that the first start
of the program does not wait for it. `--compile FILE` writes the name of the file with that machine code into FILE.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUEST = Path("engine/language/guest")
COMPONENT = ROOT / "engine/language/python.wasm"
STAMP = COMPONENT.with_suffix(".stamp")

COPIED = ("engine/autograd", str(GUEST), "engine/messages.py")
"""What the guest imports, beside the packages for programs (`guest/packages`), which become top-level modules."""


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Context that one process is in at a time; others wait. The lock ends with its process, however that ends."""
    with COMPONENT.with_suffix(".lock").open("ab") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                    break
                except OSError:
                    time.sleep(0.2)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(target: Path = COMPONENT, end_with_input: bool = False) -> None:
    """Build the component into `target`, and beside it a stamp with its hash; each is replaced in one step.

    Args:
        target: the component's file.
        end_with_input: stop when standard input ends.

    Raises:
        subprocess.CalledProcessError: when componentize-py fails; it has printed why.
    """
    wanted = fingerprint()
    with tempfile.TemporaryDirectory(prefix="gradstep-runtime-") as folder:
        stage(Path(folder, "guest"))
        made = Path(folder, "python.wasm")
        world = ROOT / GUEST / "world.wit"
        program = "import sys; from componentize_py import script; sys.exit(script())"
        arguments = ["-q", "-d", str(world), "-w", "sandbox", "componentize", "-p", str(Path(folder, "guest"))]
        environment = {name: text for name, text in os.environ.items() if name != "VIRTUAL_ENV"}
        command = [sys.executable, "-c", program, *arguments, "main", "-o", str(made)]
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL) as process:

            def end() -> None:
                os.read(0, 1)
                process.kill()

            if end_with_input:
                threading.Thread(target=end, name="end with parent", daemon=True).start()
            if code := process.wait():
                raise subprocess.CalledProcessError(code, "componentize-py")
        stamp = {
            "sources": wanted,
            "sha256": hashlib.sha256(made.read_bytes()).hexdigest(),
            "bytes": made.stat().st_size,
        }
        target.with_suffix(".stamp").unlink(missing_ok=True)
        replace(target, made.read_bytes())
        replace(target.with_suffix(".stamp"), json.dumps(stamp, indent=1).encode() + b"\n")


def replace(path: Path, data: bytes) -> None:
    """Write a file in one step; several processes may do so at once."""
    partly = path.with_suffix(f".{os.getpid()}.part")
    try:
        partly.write_bytes(data)
        partly.replace(path)
    finally:
        partly.unlink(missing_ok=True)


def stage(folder: Path) -> None:
    """Lay the modules of the component out as they are imported inside."""
    ignored = shutil.ignore_patterns("__pycache__", "packages")
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
    for package in ("engine", "engine/language"):
        Path(folder, package, "__init__.py").touch()
    skipped = shutil.ignore_patterns("__pycache__")
    for path in (ROOT / GUEST / "packages").iterdir():
        if path.is_dir() and path.name != "__pycache__":
            shutil.copytree(path, folder / path.name, ignore=skipped)
        elif path.name != "__init__.py" and path.suffix == ".py":
            shutil.copy(path, folder)
    Path(folder, "main.py").write_text("from engine.language.guest.main import WitWorld\n", encoding="utf-8")


def sources() -> list[Path]:
    """Return the files that the component is made from."""
    found: list[Path] = []
    for name in COPIED:
        path = ROOT / name
        found += sorted(path.rglob("*")) if path.is_dir() else [path]
    return [file for file in found if file.suffix in (".py", ".wit")]


def is_older_than_sources() -> bool:
    """Return whether a source was changed after the component was found to be up to date; looks at dates only."""
    try:
        built = STAMP.stat().st_mtime_ns
    except OSError:
        return True
    return any(file.stat().st_mtime_ns > built for file in sources())


def fingerprint() -> str:
    """Return a text that changes when the component has to be built again."""
    found = hashlib.sha256(importlib.metadata.version("componentize-py").encode())
    for file in sources():
        found.update(file.relative_to(ROOT).as_posix().encode() + file.read_bytes())
    return found.hexdigest()


def is_up_to_date(wanted: str) -> bool:
    """Return whether the component was built from these sources, see `fingerprint`."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
        return bool(stamp["sources"] == wanted and stamp["bytes"] == COMPONENT.stat().st_size)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def main() -> int:
    """Build what is out of date; the process's exit code."""
    try:
        wanted = fingerprint()
    except importlib.metadata.PackageNotFoundError:
        print("The Python for programs cannot be built: install componentize-py.", file=sys.stderr)
        return 1
    try:
        with only_one() if not is_up_to_date(wanted) else contextlib.nullcontext():
            if is_up_to_date(wanted):  # perhaps built by the process that was waited for
                os.utime(STAMP)
            else:
                print("Building the Python for programs (once, some seconds)")
                sys.stdout.flush()
                build(end_with_input="--end-with-input" in sys.argv[1:])
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The Python for programs could not be built: {error}", file=sys.stderr)
        return 1
    if "--compile" in sys.argv[1:]:
        sys.path.insert(0, str(ROOT))
        from engine.language.errors import RuntimeUnavailableError
        from engine.language.machine_code import machine_code_file, take_notice

        try:
            path = machine_code_file()
        except RuntimeUnavailableError as error:
            print(f"{error.message}.", file=sys.stderr)
            return 1
        if notice := take_notice():
            print(notice)
        if path is not None and sys.argv[2:]:
            Path(sys.argv[2]).write_text(str(path), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
