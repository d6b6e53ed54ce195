"""CPython inside WebAssembly: the component, its machine code in the cache, and runs with limits.

Hides wasmtime. Every run has an interpreter of its own, made from a snapshot in a few milliseconds, and an engine of
its own, so that it can be interrupted alone. A run that was interrupted or that trapped is never used again. Any thread
may run programs; while one computes, other threads go on.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import wasmtime

COMPONENT = Path(__file__).with_name("python.wasm")
STACK_BYTES = 2 << 20
"""Above it wasmtime panics and ends the process (50.0)."""
INTERPRETER_BYTES = 60_000_000
"""Memory of the interpreter itself, which the limit of a program does not count."""
CANCEL_SECONDS = 0.01
"""Between two questions whether a run is still wanted."""


class RuntimeUnavailableError(RuntimeError):
    """Programs cannot be run here; the message says why and what to do."""


class RunInterrupted(Exception):
    """The run was stopped because its time was up or somebody cancelled it.

    Attributes:
        cancelled: True when it was cancelled.
    """

    def __init__(self, cancelled: bool) -> None:
        super().__init__("cancelled" if cancelled else "out of time")
        self.cancelled = cancelled


class RunTrapped(Exception):
    """The interpreter itself stopped, for instance because its native stack overflowed."""


@dataclass(frozen=True)
class HostFunctions:
    """Functions that the guest may call; they run in the thread of the run.

    Attributes:
        emit: takes a line of the program and printed text.
        array: takes a request to NumPy and returns its answer, both JSON.
    """

    emit: Callable[[int, str], None]
    array: Callable[[str], str]


def run_guest(
    request: str,
    functions: HostFunctions,
    *,
    seconds: float,
    memory_bytes: int,
    cancelled: Callable[[], bool] | None = None,
) -> str:
    """Run one request in a fresh interpreter and return its report.

    Args:
        request: JSON, see `guest/main.py`.
        functions: what the guest may call.
        seconds: time after which it is interrupted; > 0.
        memory_bytes: of everything the program holds at once; > 0.
        cancelled: is asked from another thread, about every 10 ms.

    Raises:
        RunInterrupted: when the time is up, or `cancelled` returned True.
        RunTrapped: when the interpreter failed.
        RuntimeUnavailableError: when there is no runtime.
    """
    wasmtime, component_api = _wasmtime()
    engine = _make_engine()
    component = component_api.Component.deserialize_file(engine, str(machine_code()))
    store = wasmtime.Store(engine)
    store.set_limits(memory_size=INTERPRETER_BYTES + memory_bytes)
    store.set_epoch_deadline(1)
    store.set_wasi(wasmtime.WasiConfig())
    linker = component_api.Linker(engine)
    linker.add_wasip2()
    with linker.root() as root:
        root.add_func("emit", lambda _store, line, text: functions.emit(line, text))
        root.add_func("array", lambda _store, request: functions.array(request))
    watchdog = _Watchdog(engine, seconds, cancelled)
    try:
        guest_run = linker.instantiate(store, component).get_func(store, "run")
        return str(guest_run(store, request))
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        if watchdog.reason is not None:
            raise RunInterrupted(watchdog.reason == "cancelled") from None
        raise RunTrapped(str(error).splitlines()[0]) from None
    finally:
        watchdog.end()
        store.close()


class _Watchdog:
    """A thread that interrupts an engine when the time is up or the run is cancelled."""

    def __init__(self, engine: wasmtime.Engine, seconds: float, cancelled: Callable[[], bool] | None) -> None:
        self.reason: str | None = None
        self._engine = engine
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(seconds, cancelled), name="watchdog", daemon=True)
        self._thread.start()

    def _watch(self, seconds: float, cancelled: Callable[[], bool] | None) -> None:
        if cancelled is None:
            if not self._ended.wait(seconds):
                self._interrupt("time")
            return
        for _ in range(max(1, round(seconds / CANCEL_SECONDS))):
            if self._ended.wait(CANCEL_SECONDS):
                return
            if cancelled():
                return self._interrupt("cancelled")
        self._interrupt("time")

    def _interrupt(self, reason: str) -> None:
        self.reason = reason
        self._engine.increment_epoch()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


@cache
def machine_code() -> Path:
    """Return the file with the component compiled for this machine, and make it when there is none (some seconds).

    Raises:
        RuntimeUnavailableError: when the component is missing or cannot be compiled.
    """
    wasmtime, component_api = _wasmtime()
    try:
        component = COMPONENT.read_bytes()
    except OSError as error:
        raise RuntimeUnavailableError(
            f"programs cannot be run: {COMPONENT.name} is missing ({error.strerror}); run scripts/set_up.py"
        ) from None
    key = hashlib.sha256(component + importlib.metadata.version("wasmtime").encode()).hexdigest()[:16]
    path = cache_folder() / f"python-{key}.cwasm"
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        compiled = component_api.Component(_make_engine(), component).serialize()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(compiled)
        os.replace(temporary, path)
    return path


def cache_folder() -> Path:
    """Return the user's folder for files that can be made again."""
    if folder := os.environ.get("GRADSTEP_CACHE"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"), "Gradstep", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/Gradstep"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "gradstep")


def _make_engine() -> wasmtime.Engine:
    wasmtime, _ = _wasmtime()
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.max_wasm_stack = STACK_BYTES
    return wasmtime.Engine(config)


@cache
def _wasmtime():  # type: ignore[no-untyped-def]
    try:
        import wasmtime
        import wasmtime.component
    except (ImportError, OSError) as error:
        raise RuntimeUnavailableError(f"programs cannot be run: wasmtime cannot be loaded ({error})") from None
    return wasmtime, wasmtime.component
