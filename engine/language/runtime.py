"""CPython inside WebAssembly: runs of programs, with limits.

The component and its machine code come from `machine_code.py`. Every run has an interpreter of its own, made from a
snapshot in a few milliseconds, a thread of its own, and an engine that no other run uses meanwhile: so it can be
interrupted alone. An engine whose run was interrupted or trapped is never used again. Any thread may run programs;
while one computes, other threads go on.

The guest gets the clocks and random numbers of WASI, and no folder, socket or input. It cannot wait in the host but by
`pause`, which an interruption ends: so there is nothing that keeps a thread for longer than one NumPy operation.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.language import machine_code
from engine.language.text_functions import TOO_LONG, add_text_function

INTERPRETER_BYTES = 30_000_000
"""Memory of the interpreter itself, which the limit of a program does not count."""
SIGNAL_SECONDS = 0.2
"""Longest single wait: a Ctrl+C that arrives just before one does not end it."""
CANCEL_SECONDS = 0.01
"""Between two questions whether a run is still wanted."""
LEAVE_SECONDS = 0.05
"""A run that was interrupted is waited for so long; one in a NumPy operation ends by itself, later."""
CLOCK = "wasi:clocks/monotonic-clock@0.2.9"
"""The interface by which a guest of WASI waits; the version is that of componentize-py."""


HAS_FINE_THREAD_TIME = time.get_clock_info("thread_time").resolution <= 1e-6
"""False on Windows, which counts the processor time of a thread in steps of 16 ms."""


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
    """Functions that the guest may call; they run in the thread of the run, and never after `run_guest` has returned.

    Attributes:
        emit: takes a line of the program and printed text.
        array: takes a request to NumPy and returns its answer, both JSON; a call that has begun may end later.
        emit_bytes: of a printed text; a longer one is not emitted.
        array_bytes: of a request; a longer one is answered by an error.
    """

    emit: Callable[[int, str], None]
    array: Callable[[str], str]
    emit_bytes: int = 2_000_000
    array_bytes: int = 100_000_000


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
        cancelled: is asked in the thread of the caller, about every 10 ms.

    Raises:
        RunInterrupted: when the time is up, or `cancelled` returned True.
        RunTrapped: when the interpreter failed.
        RuntimeUnavailableError: when there is no runtime.
    """
    run = _Run(request, functions, memory_bytes)
    run.start()
    until = time.monotonic() + seconds
    try:
        while (left := until - time.monotonic()) > 0 and not (cancelled is not None and cancelled()):
            run.thread.join(min(left, SIGNAL_SECONDS if cancelled is None else CANCEL_SECONDS))
            if not run.thread.is_alive():
                return run.result()
        raise RunInterrupted(cancelled=left > 0)
    finally:
        run.interrupt()


_starting = threading.Lock()


class _Run:
    """A run of the guest in a thread of its own."""

    def __init__(self, request: str, functions: HostFunctions, memory_bytes: int) -> None:
        self._request, self._functions, self._memory_bytes = request, functions, memory_bytes
        self._engine, self._component = machine_code.load()
        self._interrupted = threading.Event()
        self._slept = 0
        self._report = ""
        self._host_functions: object = None
        self._error: BaseException | None = None
        self.thread = threading.Thread(target=self._execute, name="program", daemon=True)

    def start(self) -> None:
        """Start the thread, with a stack that has room for what the interpreter may take of it."""
        with _starting:
            usual = threading.stack_size(machine_code.THREAD_STACK_BYTES)
            try:
                self.thread.start()
            finally:
                threading.stack_size(usual)

    def interrupt(self) -> None:
        """End the run, where it has not ended."""
        if not self.thread.is_alive():
            return
        self._interrupted.set()
        self._engine.increment_epoch()
        self.thread.join(LEAVE_SECONDS)

    def result(self) -> str:
        """Return the report of a run that has ended by itself, and give its engine back.

        Raises:
            RunTrapped: when there is none.
        """
        if self._error is not None:
            raise self._error
        machine_code.give_back(self._engine, self._component)
        return self._report

    def _execute(self) -> None:
        wasmtime, _ = machine_code.wasmtime_modules()
        store = wasmtime.Store(self._engine)
        try:
            store.set_limits(memory_size=INTERPRETER_BYTES + self._memory_bytes)
            store.set_epoch_deadline(1)
            if self._interrupted.is_set():  # pragma: no cover - before there was a deadline that the epoch could pass
                return
            store.set_wasi(wasmtime.WasiConfig())
            guest_run = self._linker().instantiate(store, self._component).get_func(store, "run")
            self._report = str(guest_run(store, self._request))
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            self._error = self._error or RunTrapped(
                str(error).strip().splitlines()[-1].strip()
            )  # the cause stands last
        except BaseException as error:  # of a host function
            self._error = error
        finally:
            store.close()
            self._host_functions = None  # they refer to this run: without them it is freed with its last user

    def _linker(self) -> Any:
        wasmtime, component_api = machine_code.wasmtime_modules()

        def emit(line: int, text: str) -> None:
            if self._interrupted.is_set():  # pragma: no cover - the guest was on its way here when it was interrupted
                return
            try:
                self._functions.emit(line, text)
            except BaseException as error:  # which must not pass through the interpreter
                self._error = error
                self._interrupted.set()
                self._engine.increment_epoch()

        def array(request: str) -> str:
            if request == TOO_LONG:
                return '["m", "the request to NumPy is too long"]'
            return "null" if self._interrupted.is_set() else self._functions.array(request)

        def pause(_store: Any, seconds: float) -> None:
            began = time.monotonic_ns()
            self._interrupted.wait(min(max(seconds, 0.0), threading.TIMEOUT_MAX))
            self._slept += time.monotonic_ns() - began

        def now(_store: Any) -> int:
            """Return the processor time of the program, in ns, and the time it slept.

            On a busy machine a right rule is judged right: the time of others does not count in the guest's limits.
            """
            return time.thread_time_ns() + self._slept if HAS_FINE_THREAD_TIME else time.monotonic_ns()

        def cannot_wait(_store: Any, _duration: int) -> None:
            raise wasmtime.WasmtimeError("the program waits for what cannot come")

        linker = component_api.Linker(self._engine)
        linker.add_wasip2()
        linker.allow_shadowing = True
        with linker.root() as root:
            self._host_functions = (
                add_text_function(root, "emit", emit, self._functions.emit_bytes),
                add_text_function(root, "array", array, self._functions.array_bytes),
            )
            root.add_func("pause", pause)
            with root.add_instance(CLOCK) as clock:
                clock.add_func("now", now)
                clock.add_func("resolution", lambda _store: 1)
                clock.add_func("subscribe-instant", cannot_wait)
                clock.add_func("subscribe-duration", cannot_wait)
        return linker
