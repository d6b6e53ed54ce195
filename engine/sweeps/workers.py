"""Executors of a sweep: this process, processes of this machine, or a cluster; and the end of their workers.

A worker process checks every few steps that its results are still wanted, reports how many steps it has made, and
ends with its parent process, however that one ends.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from operator import attrgetter
from typing import Any, NamedTuple

CLUSTER_SECONDS = 5.0
ENDING_SECONDS = 5.0
"""Time after which worker processes that do not end by themselves are killed."""


def default_count() -> int:
    """Return the number of processes for a sweep: one for each core."""
    return os.cpu_count() or 1


_orders: tuple[Any, Any] | None = None
"""State of a worker process: the event that ends its work, and the number of steps made by all workers together."""
_steps_here = 0
"""Steps made by this process, outside of a worker."""


TERMINAL_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name))
"""Signals that a terminal sends to all processes of a command: the parent process decides what becomes of the work."""


@contextmanager
def _signals_for_parent() -> Iterator[None]:
    """Context in which new processes start deaf to the terminal's signals."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - on Windows alone
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(SpawnProcess):
    """Worker process; Ctrl+C would end it with a traceback, while it is still importing too."""

    def start(self) -> None:
        with _signals_for_parent():
            super().start()


class _Context(SpawnContext):
    """Makes worker processes, and remembers them."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[_Worker] = []

    def Process(self, *arguments: Any, **options: Any) -> _Worker:  # type: ignore[override]  # typed as a class
        self.made.append(_Worker(*arguments, **options))
        return self.made[-1]


class SweepWorkers:
    """Processes that train.

    Attributes:
        executor: runs tasks.
        count: number of processes.
    """

    def __init__(self, count: int | None = None) -> None:
        """Start no process yet; each is started when there is work. `count` None: one for each core."""
        self._context = _Context()
        self.count = count or default_count()
        with _signals_for_parent():  # the first of these starts multiprocessing's resource tracker
            self._stop, self._steps = self._context.Event(), self._context.Value("q", 0)
        self.executor = ProcessPoolExecutor(self.count, self._context, _begin, (self._stop, self._steps))

    @property
    def steps(self) -> int:
        return int(self._steps.value)

    def stop(self) -> None:
        """End the work, tasks under way within some steps; the processes end by themselves. Any thread may call."""
        self._stop.set()
        self.executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """End the work and wait until the processes have ended."""
        self._stop.set()
        # An executor that starts a process while another one is killed misses it, and would wait for its end for ever.
        killer = threading.Timer(ENDING_SECONDS, self._kill)
        killer.start()
        self.executor.shutdown(wait=True, cancel_futures=True)  # a second shutdown would not wait any more
        killer.cancel()

    def _kill(self) -> None:
        for process in filter(attrgetter("pid"), self._context.made):  # others could not be started
            process.kill()


def _begin(stop: Any, steps: Any) -> None:
    """Initialise a worker process."""
    global _orders
    _orders = stop, steps
    for number in TERMINAL_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end with parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)  # pragma: no cover - the process that would receive results is gone, as in a long test


def is_stopped() -> bool:
    """Return True in a worker process whose results are not wanted any more."""
    return _orders is not None and bool(_orders[0].is_set())


def count_steps(number: int) -> None:
    """Report steps to the parent process, or count them in this one when it is no worker."""
    global _steps_here
    if _orders is not None:
        with _orders[1].get_lock():
            _orders[1].value += number
    else:
        _steps_here += number


def _check_cluster(client: Any, address: str) -> None:
    """Have a worker of a Dask cluster run a function of Gradstep.

    Raises:
        ValueError: when there is no worker, or none that has Gradstep.
    """
    try:
        client.submit(is_stopped, pure=False).result(timeout=CLUSTER_SECONDS)
    except TimeoutError:
        raise ValueError(f"no worker of the Dask cluster at {address} answers") from None
    except Exception as error:  # any error of the library for a module that is missing there
        first = (str(error).splitlines() or [""])[0].partition(". ")[0]
        raise ValueError(
            f"the workers of the Dask cluster at {address} cannot run Gradstep: install this version there "
            f"({type(error).__name__}: {first})"
        ) from None


class Place(NamedTuple):
    """Executor of a sweep.

    Attributes:
        executor: runs the tasks; None: this process does.
        steps: returns how many steps all runs have made; None where that is not known.
    """

    executor: Executor | None
    steps: Callable[[], int] | None


@contextmanager
def executor_for(workers: int | None, dask: str | None) -> Iterator[Place]:
    """Context with the place of a sweep: processes, the cluster at this address, or this process.

    Args:
        workers: number of processes; None: one for each core; 1: this one.
        dask: such as tcp://10.0.0.5:8786, needs the library `distributed`; its workers need Gradstep.

    Raises:
        ValueError: a cluster that does not answer, or whose workers lack Gradstep; ImportError: no library.
    """
    if dask is not None:
        distributed: Any = import_module("distributed")  # an optional library without types
        try:
            client = distributed.Client(dask, timeout=CLUSTER_SECONDS)
        except (OSError, ValueError) as error:
            raise ValueError(f"no Dask scheduler answers at {dask}: {error}") from None
        with client:
            _check_cluster(client, dask)
            yield Place(client.get_executor(), None)
        return
    if workers == 1:
        before = _steps_here
        yield Place(None, lambda: _steps_here - before)
        return
    processes = SweepWorkers(workers)
    try:
        yield Place(processes.executor, lambda: processes.steps)
    finally:
        processes.close()
