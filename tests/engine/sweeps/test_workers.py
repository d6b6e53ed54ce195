"""Workers of a sweep, and the sentences for those that cannot be used."""

import signal
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from engine.document import Document, replace_section
from engine.sweeps.sweep import sweep
from engine.sweeps.workers import SweepWorkers, executor_for


class Worker:
    """A future of a Dask cluster whose workers cannot do what they are asked for, or can."""

    def __init__(self, error):
        self._error = error

    def result(self, timeout):
        if self._error is not None:
            raise self._error


class Cluster:
    """A client of such a cluster."""

    error = RuntimeError("Error during deserialization. This\nfrequently occurs")

    def __init__(self, address, timeout):
        self.address = address

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None

    def submit(self, function, **_how):
        return Worker(self.error)

    def get_executor(self):
        return "the cluster"


@pytest.mark.parametrize(("error", "words"), [(Cluster.error, "cannot run Gradstep"), (TimeoutError(), "no worker")])
def test_a_cluster_whose_workers_cannot_do_it_is_told_in_one_line(monkeypatch, error, words):
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Cluster))
    monkeypatch.setattr(Cluster, "error", error)
    with pytest.raises(ValueError, match=words) as told, executor_for(None, "tcp://10.0.0.5:8786"):
        pass
    assert "\n" not in str(told.value) and "10.0.0.5" in str(told.value)


def test_a_cluster_that_does_not_answer_is_told_in_one_line_and_one_that_does_runs_the_tasks(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Cluster))
    monkeypatch.setattr(Cluster, "error", None)
    with executor_for(None, "tcp://10.0.0.5:8786") as place:
        assert place == ("the cluster", None)
    monkeypatch.setattr(Cluster, "__init__", Mock(side_effect=OSError("Timed out")))
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at tcp://10\.0\.0\.5:8786: Timed out"):
        executor_for(None, "tcp://10.0.0.5:8786").__enter__()


@pytest.mark.slow
def test_a_process_of_its_own_trains_and_tells_how_many_steps_it_has_made():
    document = replace_section(Document(), "data", name="xor", n_samples=4, noise=0.0)
    with executor_for(2, None) as place:
        rows = list(sweep(document, {"width": [2]}, seeds=2, steps=3, executor=place.executor))
        assert place.steps() == 6
        assert place.executor.submit(signal.getsignal, signal.SIGINT).result() is signal.SIG_IGN
    assert rows == list(sweep(document, {"width": [2]}, seeds=2, steps=3))
    with pytest.raises(RuntimeError):
        place.executor.submit(signal.getsignal, signal.SIGINT)


def test_workers_that_are_stopped_take_nothing_more():
    workers = SweepWorkers(1)
    workers.stop()
    with pytest.raises(RuntimeError):
        workers.executor.submit(signal.getsignal, signal.SIGINT)
