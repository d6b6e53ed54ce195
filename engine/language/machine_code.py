"""The Python component as machine code: taken from the user's cache folder, or compiled, which takes some seconds.

Hides where the component comes from, wasmtime's configuration and the files in the cache. Wasmtime is imported when the
first program runs, not before. All functions may be called from any thread.

Machine code is trusted: whoever can write it can run anything. It is read only from a folder that belongs to the user
and to nobody else, and only as it was written there.

Modules that only a program needs are imported in functions: the window starts without them.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import stat
import sys
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from engine.file_access import make_private_folder, read_regular, remove_abandoned, write_atomically
from engine.language.errors import RuntimeUnavailableError

if TYPE_CHECKING:
    import wasmtime
    import wasmtime.component

COMPONENT = Path(__file__).with_name("python.wasm")
BUILD_SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_runtime.py"
"""Exists in a checkout only."""
STACK_BYTES = 48 << 20
"""Native stack of a run: a chain of 100,000 objects is freed by calls inside each other."""
THREAD_STACK_BYTES = 64 << 20
"""Stack of the thread of a run; only the used part takes memory."""
KEPT_OTHERS = 2
"""Files of other versions, used last, that stay in the cache: other installations may share it."""
BUILD_SECONDS = 600
"""A build that takes longer has failed."""

LARGEST_NOTE = 10_000
"""Bytes of the note beside a file in the cache."""
MOST_SPARE = 2


class State:
    """Machine code of this process; guarded by `lock` while it is found or made.

    Attributes:
        spare: engines with the component in them that no run uses; append and pop are atomic.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.code: Path | bytes | None = None
        self.spare: list[tuple[wasmtime.Engine, wasmtime.component.Component]] = []
        self.began: float | None = None
        self.spent = 0.0
        self.notice = ""


state = State()
atexit.register(lambda: state.spare.clear())  # while the functions that free them still exist


def load() -> tuple[wasmtime.Engine, wasmtime.component.Component]:
    """Return an engine that nobody else uses, with the component in it; the first call may take some seconds.

    Raises:
        RuntimeUnavailableError: when there is no component, or wasmtime cannot be loaded or cannot compile it.
    """
    with contextlib.suppress(IndexError):
        return state.spare.pop()
    module, _ = wasmtime_modules()
    engine = make_engine()
    with state.lock:
        if state.code is None:
            state.code = _find_or_make(engine)
        code = state.code
    try:
        return engine, _deserialize(engine, code)
    except (module.WasmtimeError, OSError):  # removed or damaged since this process found it
        with state.lock:
            if state.code is code:  # pragma: no branch - another thread may have made it meanwhile
                state.code = _make(engine)
            code = state.code
        return engine, _deserialize(engine, code)


def give_back(engine: wasmtime.Engine, component: wasmtime.component.Component) -> None:
    """Keep an engine whose run ended by itself for the next run: loading another takes longer than a short program."""
    if len(state.spare) < MOST_SPARE:
        state.spare.append((engine, component))


def machine_code_file() -> Path | None:
    """Return the file with the machine code, made where it is missing; None where no file can be written.

    Raises:
        RuntimeUnavailableError: see `load`.
    """
    load()
    return state.code if isinstance(state.code, Path) else None


def is_preparing() -> bool:
    """Return True while the component is being built or compiled."""
    return state.began is not None


def seconds_preparing() -> float:
    """Return the seconds that this process has spent on building and compiling."""
    began = state.began
    return state.spent + (monotonic() - began if began is not None else 0.0)


def take_notice() -> str:
    """Return, once, a sentence for the user about the preparation; usually empty."""
    notice, state.notice = state.notice, ""
    return notice


def cache_folder() -> Path:
    """Return the user's folder for files that can be made again; GRADSTEP_CACHE names another one."""
    if folder := os.environ.get("GRADSTEP_CACHE"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "Gradstep", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/Gradstep"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "gradstep")


@cache
def wasmtime_modules() -> tuple[Any, Any]:
    """Import wasmtime and its component interface.

    Raises:
        RuntimeUnavailableError: when that fails.
    """
    try:
        import wasmtime
        import wasmtime.component
    except Exception as error:  # a shared library that does not fit raises what it likes
        raise RuntimeUnavailableError(
            f"Programs cannot be run: wasmtime cannot be loaded ({error or type(error).__name__})"
        ) from None
    return wasmtime, wasmtime.component


def make_engine() -> wasmtime.Engine:
    """Return an engine that can be interrupted."""
    module, _ = wasmtime_modules()
    config = module.Config()
    config.epoch_interruption = True
    # wasmtime has no public name for the size of asynchronous stacks. One that is smaller than the WebAssembly stack
    # makes it panic, which ends the process: without that name, both keep their own sizes, and less can be nested.
    set_async_stack = getattr(getattr(module, "_bindings", None), "wasmtime_config_async_stack_size_set", None)
    if set_async_stack is not None:
        set_async_stack(config.ptr(), THREAD_STACK_BYTES)
        config.max_wasm_stack = STACK_BYTES
    engine: wasmtime.Engine = module.Engine(config)
    return engine


def _deserialize(engine: wasmtime.Engine, code: Path | bytes) -> wasmtime.component.Component:
    _, component_api = wasmtime_modules()
    component: wasmtime.component.Component
    if isinstance(code, bytes):
        component = component_api.Component.deserialize(engine, code)
    else:
        component = component_api.Component.deserialize_file(engine, str(code))
    return component


# Finding and making it


@contextlib.contextmanager
def preparing() -> Iterator[None]:
    """Context in which the component is being built or compiled."""
    state.began = began = monotonic()
    try:
        yield
    finally:
        state.began = None
        state.spent += monotonic() - began


def _find_or_make(engine: wasmtime.Engine) -> Path | bytes:
    module, _ = wasmtime_modules()
    _build_where_needed()
    path = _path()
    if _is_as_written(path):
        with contextlib.suppress(module.WasmtimeError, OSError):  # of a processor with more instructions, for instance
            _deserialize(engine, path)
            with contextlib.suppress(OSError):
                os.utime(path.with_suffix(".json"))  # used now
            return path
    return _make(engine)


def _make(engine: wasmtime.Engine) -> Path | bytes:
    """Compile the component; return its file, or the code itself where no file can be written."""
    with preparing():
        code = compile_component(engine)
        try:
            path = _path()
            _write(path, code)
        except OSError as error:
            state.notice = (
                "Python was prepared for this session only, because nothing can be written into "
                f"{cache_folder()} ({error.strerror or error}). It will be prepared again at the next start."
            )
            return code
        _remove_others(path)
        return path


def compile_component(engine: wasmtime.Engine) -> bytes:
    """Return the component's machine code.

    A process of its own compiles where that is possible: it takes 400 MB, half of which this process would keep.

    Raises:
        RuntimeUnavailableError: when it cannot be compiled.
    """
    import subprocess
    import tempfile

    if not getattr(sys, "frozen", False):
        program = (
            "import sys; sys.path[:] = sys.argv[2:]; from engine.language.machine_code import print_code; print_code()"
        )
        command = [sys.executable, "-c", program, str(COMPONENT), *sys.path]
        with (
            contextlib.suppress(OSError, subprocess.SubprocessError),
            tempfile.TemporaryFile() as file,
            input_that_ends_with_us() as reading,
        ):
            subprocess.run(command, stdin=reading, stdout=file, stderr=subprocess.DEVNULL, check=True,
                           timeout=BUILD_SECONDS)  # fmt: skip
            file.seek(0)
            return file.read()
    return compile_here(engine, COMPONENT)


@contextlib.contextmanager
def input_that_ends_with_us() -> Iterator[int]:
    """Context with a standard input for another process; it ends when this process does, killed perhaps."""
    reading, writing = os.pipe()
    try:
        yield reading
    finally:
        os.close(reading)
        os.close(writing)


def print_code() -> None:  # pragma: no cover - compiles for seconds in a process of its own, which long tests start
    """Write the machine code of the component that the command line names to standard output.

    The process ends when its standard input does, with the process that waits for it.
    """
    import threading

    def end_with_parent() -> None:
        os.read(0, 1)
        os._exit(1)

    threading.Thread(target=end_with_parent, name="end with parent", daemon=True).start()
    sys.stdout.buffer.write(compile_here(make_engine(), Path(sys.argv[1])))


def compile_here(engine: wasmtime.Engine, component: Path) -> bytes:
    """Return a component's machine code, made in this process; see `compile_component`."""
    module, component_api = wasmtime_modules()
    try:
        return bytes(component_api.Component(engine, component.read_bytes()).serialize())
    except OSError as error:
        raise RuntimeUnavailableError(
            f"Programs cannot be run: {component.name} cannot be read ({error.strerror})"
        ) from None
    except (module.WasmtimeError, MemoryError) as error:
        reason = str(error).splitlines()[0] if str(error) else "not enough memory"
        raise RuntimeUnavailableError(f"Programs cannot be run: Python could not be prepared ({reason})") from None


def _path() -> Path:
    """Return the path of the machine code of this component, wasmtime and machine."""
    import hashlib
    import importlib.metadata
    import platform

    parts = _component_digest(), importlib.metadata.version("wasmtime"), sys.platform, platform.machine()
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache_folder() / "python" / f"python-{key}.cwasm"


def _component_digest() -> str:
    """Return the component's hash, from the stamp file when that belongs to a component of this size."""
    try:
        size = COMPONENT.stat().st_size
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            stamp = json.loads(COMPONENT.with_suffix(".stamp").read_text(encoding="utf-8"))
            if stamp["bytes"] == size:
                return str(stamp["sha256"])
        return _digest(COMPONENT.read_bytes())
    except OSError as error:
        raise RuntimeUnavailableError(
            f"Programs cannot be run: {COMPONENT.name} is missing ({error.strerror}). Install Gradstep again, or run "
            "scripts/set_up.py in its folder"
        ) from None


def _build_where_needed() -> None:
    """In a checkout: build the component when it is missing or older than its sources, where that is possible."""
    if not BUILD_SCRIPT.is_file() or getattr(sys, "frozen", False):
        return
    import importlib.util
    import runpy
    import subprocess

    is_missing = not COMPONENT.is_file()
    if not is_missing and not runpy.run_path(str(BUILD_SCRIPT))["is_older_than_sources"]():
        return
    if importlib.util.find_spec("componentize_py") is None:
        if is_missing:
            raise RuntimeUnavailableError(
                f"Programs cannot be run: {COMPONENT.name} has not been built. Run scripts/set_up.py, or install "
                "componentize-py"
            )
        return
    with preparing():
        command = [sys.executable, str(BUILD_SCRIPT), "--end-with-input"]
        try:
            with input_that_ends_with_us() as reading:
                done = subprocess.run(command, stdin=reading, capture_output=True, text=True, timeout=BUILD_SECONDS)
            said, failed = done.stderr.strip().splitlines(), done.returncode != 0
        except (OSError, subprocess.TimeoutExpired) as error:
            said, failed = [str(error)], True
    if failed and is_missing:
        reason = said[-1] if said else "no reason was given"
        raise RuntimeUnavailableError(f"Programs cannot be run: {COMPONENT.name} could not be built ({reason})")


# Files in the cache


def _is_as_written(path: Path) -> bool:
    """Return True for a file that is the user's own and has not changed since it was written."""
    try:
        _check_private(path.parent)
        _check_private(path)
        found = path.stat()
        note = json.loads(read_regular(path.with_suffix(".json"), LARGEST_NOTE))
        if note["bytes"] != found.st_size:
            return False
        if note["modified"] == found.st_mtime_ns:
            return True
        # another process wrote the same code, or a backup brought it back
        return bool(note["sha256"] == _digest(read_regular(path, found.st_size)))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _check_private(path: Path) -> None:
    """Raise PermissionError when somebody else could have written a file or folder."""
    if sys.platform == "win32":  # below the user's profile folder
        return
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{path} belongs to somebody else, or others can write to it")


def _write(path: Path, code: bytes) -> None:
    """Write machine code in one step, so that no other process ever reads a part of it."""
    if not path.parent.exists():
        make_private_folder(path.parent)
    _check_private(path.parent)
    write_atomically(path, code, private=True)
    note = {"bytes": len(code), "modified": path.stat().st_mtime_ns, "sha256": _digest(code)}
    write_atomically(path.with_suffix(".json"), json.dumps(note).encode(), private=True)


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _remove_others(path: Path) -> None:
    """Remove machine code of other versions except those used last, and parts left by processes that were killed."""
    with contextlib.suppress(OSError):
        notes = sorted(path.parent.glob("python-*.json"), key=lambda note: note.stat().st_mtime, reverse=True)
        others = [note.with_suffix(".cwasm") for note in notes if note.stem != path.stem]
        others += [other for other in path.parent.glob("python-*.cwasm") if not other.with_suffix(".json").exists()]
        for other in others[KEPT_OTHERS:]:
            with contextlib.suppress(OSError):
                other.unlink(missing_ok=True)
                other.with_suffix(".json").unlink(missing_ok=True)
    remove_abandoned(path.parent)
