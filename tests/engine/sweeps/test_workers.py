"""Workers of a sweep, and the sentences for those that cannot be used."""

import sys
from types import SimpleNamespace

import pytest

from engine.sweeps.workers import executor_for


class Worker:
    """A future of a Dask cluster whose workers cannot do what they are asked for."""

    def __init__(self, error):
        self._error = error

    def result(self, timeout):
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


@pytest.mark.parametrize(("error", "words"), [(Cluster.error, "cannot run Gradstep"), (TimeoutError(), "no worker")])
def test_a_cluster_whose_workers_cannot_do_it_is_told_in_one_line(monkeypatch, error, words):
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Cluster))
    monkeypatch.setattr(Cluster, "error", error)
    with pytest.raises(ValueError, match=words) as told, executor_for(None, "tcp://10.0.0.5:8786"):
        pass
    assert "\n" not in str(told.value) and "10.0.0.5" in str(told.value)
