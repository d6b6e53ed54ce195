"""Where programs run: workers of `pydantic-monty`, an interpreter of Python that reaches no file, network or system.

Hides the pool of worker processes, the state behind the prelude that they begin with, and what becomes of a worker that
died or cannot be started. Every thread may open sessions; what one does is in `sandbox_session.py`.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.metadata
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pydantic_monty as monty

from engine.language.limits import Limits
from engine.language.sandbox_session import SandboxError, SandboxSession
from engine.language.worker_guard import Guard

MOST_WORKERS = 4
MOST_CALLS_OUT = 100_000
MOST_STATES = 8
"""Limits for which the state behind the prelude is kept."""


class Sandbox:
    """The pool of workers of this process, started when it is first needed.

    Args:
        binary_path: the worker's program; None: the one that was installed with the package.
    """

    def __init__(self, binary_path: str | None = None) -> None:
        self._binary_path = binary_path
        self._lock = threading.Lock()
        self._pool: monty.Monty | None = None
        self._guard = Guard()
        self._states: dict[tuple[Limits, str], bytes] = {}

    def start(self) -> None:
        """Starts the pool, unless it runs; takes some ms, and any thread may do it.

        Raises:
            SandboxError: when the worker's program is missing or cannot be run.
        """
        with self._lock:
            if self._pool is not None:
                return
            try:
                self._pool = self._started(self._binary_path)
            except (OSError, RuntimeError, monty.MontyError) as error:
                other = _installed_binary() if self._binary_path is None else None
                if other is None:
                    raise SandboxError(
                        f"programs cannot be run: the worker of pydantic-monty does not start ({error}); "
                        "install it again"
                    ) from None
                self._pool = self._started(other)

    @staticmethod
    def _started(binary_path: str | None) -> monty.Monty:
        pool = monty.Monty(
            binary_path=binary_path,
            max_processes=MOST_WORKERS,
            checkout_timeout=10.0,
            max_checkouts_per_worker=200,
        )
        pool.__enter__()
        return pool

    def close(self) -> None:
        """Ends the workers; the next session starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._states.clear()
            self._guard.close()
        if pool is not None:
            with contextlib.suppress(monty.MontyError, RuntimeError, OSError):
                pool.__exit__(None, None, None)

    @contextmanager
    def session(
        self,
        prelude: str,
        limits: Limits,
        cancelled: Callable[[], bool] | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
    ) -> Iterator[SandboxSession]:
        """A worker in which the prelude has run, as text 0 of its frames.

        Args:
            prelude: what runs before everything else.
            limits: what all that is run may take.
            cancelled: is asked often; the run ends when it gives True.
            functions: functions of this process that may be called from inside, by name; they are not trusted with
                anything but numbers, and each call takes 0.4 ms.

        Raises:
            SandboxError: when no worker can be had.
        """
        with contextlib.ExitStack() as stack:
            session = self._checked_out(stack, prelude, limits)
            watched = SandboxSession(session, self._guard, limits, cancelled, functions or {})
            watched.open()
            try:
                yield watched
            finally:
                watched.close()

    def _checked_out(self, stack: contextlib.ExitStack, prelude: str, limits: Limits) -> monty.MontySession:
        """A worker that is ready; one that died while it waited is replaced by the pool, so it is tried again."""
        for _ in range(MOST_WORKERS + 1):
            with contextlib.ExitStack() as attempt:
                try:
                    session = attempt.enter_context(self._prepared(prelude, limits))
                    self._load(session, prelude, limits)
                except (monty.MontyCrashedError, OSError) as error:
                    reason = str(error)
                    continue
                except TimeoutError:
                    raise SandboxError(
                        "programs cannot be run: every worker is busy; stop one of the programs"
                    ) from None
                stack.push(attempt.pop_all())
                return session
        raise SandboxError(f"programs cannot be run: the worker of pydantic-monty ends at once ({reason})")

    def _prepared(self, prelude: str, limits: Limits) -> monty.MontySession:
        self.start()
        pool = self._pool
        if pool is None:
            raise SandboxError("programs cannot be run: the window is closing")
        return pool.checkout(
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory_bytes,
                "max_recursion_depth": limits.recursion,
                "max_suspensions": MOST_CALLS_OUT,
            },
            assert_message_annotations=False,
            os_policy={"sleep": "zero", "random_start": {"seed": 0}},
        )

    def _load(self, session: monty.MontySession, prelude: str, limits: Limits) -> None:
        """Brings a fresh worker to where the prelude has run; the first time by running it."""
        key = (limits, prelude)
        if key in self._states:
            session.load_session(self._states[key])
            return
        session.feed_run(prelude)
        if len(self._states) > MOST_STATES:
            self._states.clear()
        self._states[key] = session.dump()


def _installed_binary() -> str | None:
    """The worker's program where the package was installed, which may be another environment's folder than ours."""
    try:
        files = importlib.metadata.files("pydantic-monty-runtime") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.name in ("monty", "monty.exe"))
    return next((str(path.resolve()) for path in found if path.is_file()), None)


@cache
def sandbox() -> Sandbox:
    """The pool of this process; it is closed when the process ends."""
    pool = Sandbox()
    atexit.register(pool.close)
    return pool
