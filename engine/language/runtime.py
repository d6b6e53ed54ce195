"""CPython inside WebAssembly: runs of programs, with limits.

The component and its machine code come from `machine_code.py`. Every run has an interpreter of its own, made from a
snapshot in a few milliseconds, and an engine of its own, so that it can be interrupted alone. A run that was
interrupted or that trapped is never used again. Any thread may run programs; while one computes, other threads go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.language import machine_code

if TYPE_CHECKING:
    import wasmtime

INTERPRETER_BYTES = 60_000_000
"""Memory of the interpreter itself, which the limit of a program does not count."""
CANCEL_SECONDS = 0.01
"""Between two questions whether a run is still wanted."""


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
    wasmtime, component_api = machine_code.wasmtime_modules()
    engine, component = machine_code.load()
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
        raise RunTrapped(str(error).strip().splitlines()[-1].strip()) from None  # the cause stands last
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
