"""A sweep gives every run once, and each is what training it alone gives."""

import itertools
import math
import multiprocessing
import multiprocessing.connection
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from engine.document import Document, DocumentError, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.network.errors import UntranslatableError
from engine.sweeps.sweep import (
    FIGURES,
    SweepCancelled,
    runs_of,
    seconds_for,
    sweep,
    train_together,
    trained_alone,
    variable_names,
    with_setting,
)
from engine.sweeps.table import parsed_values
from engine.sweeps.workers import SweepWorkers

VARY = {"learning_rate": [0.01, 0.1], "width": [2, 3]}
STEPS = 20


def small():
    return replace_section(Document(), "data", name="xor", n_samples=4, noise=0.0)


def key(row):
    return tuple((name, row[name]) for name in ("learning_rate", "width", "seed"))


def rows_of(*arguments, **more):
    return sorted(sweep(*arguments, **more), key=key)


def test_every_combination_and_seed_comes_once_with_what_it_came_to():
    rows = rows_of(small(), VARY, seeds=3, steps=STEPS)
    assert [key(row) for row in rows] == sorted(key(run.settings) for run in runs_of(small(), VARY, 3))
    assert len({row["train_loss"] for row in rows}) == 12
    assert all(set(row) == {"learning_rate", "width", "seed", *FIGURES, "diverged_at"} for row in rows)


@pytest.mark.slow
def test_a_row_is_what_training_that_document_alone_gives():
    by_settings = {key(row): row for row in sweep(small(), VARY, seeds=2, steps=STEPS)}
    for run in runs_of(small(), VARY, seeds=2):
        dataset = check_consistent(run.document)
        trainer = make_trainer(run.document, make_model(run.document), dataset)
        for _ in range(STEPS):
            trainer.step()
        row, snapshot = by_settings[key(run.settings)], trainer.snapshot()
        assert row["train_loss"] == pytest.approx(snapshot.loss, rel=1e-12)
        assert row["train_accuracy"] == snapshot.accuracy


def test_a_row_has_the_data_losses_and_accuracies_of_training_and_test_data():
    document = replace_section(small(), "data", name="moons", n_samples=60, noise=0.3, test_share=0.3)
    document = replace_section(document, "training", l2=0.02)
    [run] = runs_of(document, {}, seeds=1)
    data = prepare(run.document.data)
    trainer = make_trainer(run.document, make_model(run.document), data)
    for _ in range(STEPS):
        trainer.step()
    shape = trainer.model.shape
    [row] = sweep(document, {}, seeds=1, steps=STEPS)
    for which, part in (("train", data.train), ("test", data.test)):
        outputs = shape.outputs(trainer.model.weights, part.X)[:, 0]
        targets = trainer.data.targets if which == "train" else trainer.data.test_targets
        squares = np.mean((outputs - targets.values[:, 0]) ** 2)
        assert trainer.settings.loss == "mean_squared_error"
        assert row[f"{which}_loss"] == pytest.approx(squares, rel=1e-9), "without the penalty"
        assert row[f"{which}_accuracy"] == targets.accuracy(outputs[:, None])


def test_the_seed_draws_first_weights_and_the_order_of_samples():
    document = replace_section(small(), "training", batch_size=2)
    first, second = runs_of(document, {}, seeds=2)
    assert (second.document.network.seed, second.document.training.seed) == (
        first.document.network.seed + 1,
        first.document.training.seed + 1,
    )
    losses = [row["train_loss"] for row in sweep(document, {}, seeds=2, steps=STEPS)]
    assert losses[0] != losses[1]


def test_a_run_that_diverges_says_at_which_step():
    wild, tame = rows_of(small(), {"learning_rate": [0.1, 1e6], "width": [4]}, seeds=1, steps=200)[::-1]
    assert math.isnan(wild["train_loss"])
    assert all(wild[name] is None for name in FIGURES[1:])
    assert wild["diverged_at"] > 0
    assert tame["diverged_at"] is None
    assert math.isfinite(tame["train_loss"])


@pytest.mark.long
def test_other_processes_give_the_same_rows_and_tell_how_many_steps_they_have_made():
    workers = SweepWorkers(2)
    rows = rows_of(small(), VARY, seeds=2, steps=STEPS, executor=workers.executor, shares=4)
    assert rows == rows_of(small(), VARY, 2, STEPS)
    assert workers.steps == len(rows) * STEPS
    workers.close()


@pytest.mark.long
def test_stopped_workers_end_in_the_middle_of_a_task_and_the_rows_end():
    workers, rows, finished = SweepWorkers(1), [], threading.Event()

    def collect():
        rows.extend(sweep(small(), VARY, seeds=2, steps=10**8, executor=workers.executor))
        finished.set()

    thread = threading.Thread(target=collect)
    thread.start()
    while not workers.steps:
        finished.wait(0.01)
    processes = multiprocessing.active_children()
    workers.stop()
    assert finished.wait(60) and rows == []
    thread.join()
    # The executor's thread reaps them; the sentinel tells their end also to somebody who comes too late for that.
    assert processes and all(multiprocessing.connection.wait([process.sentinel], 60) for process in processes)


@pytest.mark.slow
def test_workers_that_do_not_end_by_themselves_are_killed(monkeypatch):
    monkeypatch.setattr("engine.sweeps.workers.ENDING_SECONDS", 0.1)
    workers = SweepWorkers(1)
    asleep = workers.executor.submit(time.sleep, 10_000)
    while not asleep.running():
        threading.Event().wait(0.01)
    workers.close()
    assert isinstance(asleep.exception(), BrokenProcessPool)


@pytest.mark.long
def test_workers_end_with_the_process_that_has_started_them(tmp_path):
    """That process is killed, so nothing of it can tell them."""
    path = tmp_path / "sweeping.py"
    path.write_text(KILLED)
    env = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True, env=env)
    worker = int(process.stdout.readline())
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 60
    while _is_running(worker) and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    assert not _is_running(worker)


KILLED = """
import multiprocessing, threading, time
from engine.document import Document
from engine.sweeps.sweep import sweep
from engine.sweeps.workers import SweepWorkers

if __name__ == "__main__":
    workers = SweepWorkers(1)
    rows = sweep(Document(), {"learning_rate": [0.1]}, steps=10**9, executor=workers.executor)
    threading.Thread(target=lambda: list(rows), daemon=True).start()
    while not workers.steps:
        threading.Event().wait(0.01)
    print(multiprocessing.active_children()[0].pid, flush=True)
    threading.Event().wait(60)
"""


def _is_running(number):
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
def test_a_run_of_a_sweep_trained_alone_comes_to_the_same_loss():
    runs = runs_of(small(), VARY, 2)
    for run, row in zip(runs, rows_of(small(), VARY, 2, STEPS), strict=True):
        document, diverged_at = trained_alone(run, STEPS)
        trainer = make_trainer(document, make_model(document), prepare(document.data))
        assert diverged_at is None and document.trained.step == trainer.step_count == STEPS
        assert abs(trainer.snapshot().loss - row["train_loss"]) <= 1e-12
        assert {**run.settings} == {name: row[name] for name in run.settings}
        assert len(document.trained.curve) == 2 * STEPS


def test_a_diverged_run_trained_alone_holds_its_last_good_weights():
    (run,) = runs_of(small(), {"learning_rate": [1e6], "width": [4]}, 1)
    (row,) = rows_of(small(), {"learning_rate": [1e6], "width": [4]}, 1, 200)
    document, diverged_at = trained_alone(run, 200)
    assert diverged_at == row["diverged_at"] and 0 < document.trained.step <= diverged_at
    assert np.isfinite(document.trained.parameters.array).all()


def test_the_estimated_time_of_a_sweep_ignores_a_step_that_was_interrupted():
    """A clock that goes on by a millisecond whenever it is read, and by a minute at some moments."""
    runs = runs_of(small(), VARY, 2)

    def estimate(steps, interruptions=()):
        now = itertools.accumulate(60.0 if i in interruptions else 0.001 for i in itertools.count())
        return seconds_for(runs, steps, 1, clock=lambda: next(now))

    assert 0.0 < estimate(10) < estimate(1000) < estimate(100_000)
    for interruptions in [(8,), (5, 6, 7), (12, 31)]:
        growth = estimate(2000, interruptions) - estimate(1000, interruptions)
        assert growth == pytest.approx(estimate(2000) - estimate(1000))


def test_the_estimated_time_of_a_sweep_is_measured():
    assert seconds_for(runs_of(small(), VARY, 2), 10, 1) > 0.0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.001..1 *10", [0.001, 0.01, 0.1, 1.0]),
        ("2..16 *2", [2, 4, 8, 16]),
        ("1..3, 10", [1, 2, 3, 10]),
        ("0..0.4 +0.1", [0, 0.1, 0.2, 0.3, 0.4]),
        ("sgd, adam", ["sgd", "adam"]),
        ("all, 10", [None, 10]),
        ("1e-3, −5", [1e-3, "−5"]),
    ],
)
def test_values_are_listed_or_given_as_ranges(text, values):
    assert parsed_values("x", text) == values


@pytest.mark.parametrize(
    "text", ["", "0.1,", "1..0", "0..1 *2", "1..9 *1", "0..1 +0", "1...", "5..1e9", "1, 1", "a..b"]
)
def test_values_that_cannot_be_are_refused_with_an_example(text):
    with pytest.raises(ValueError, match=r"such as|never ends|write a range|given twice|allowed"):
        parsed_values("x", text)


class _DyingOnce(Executor):
    """An executor whose workers die with the second task, as a pool of processes does when one is killed."""

    def __init__(self):
        self.taken = 0

    def submit(self, function, /, *arguments, **keywords):
        self.taken += 1
        future = Future()
        if self.taken == 2:
            future.set_exception(BrokenProcessPool("a process was killed"))
        else:
            future.set_result(function(*arguments, **keywords))
        return future


def test_what_a_killed_worker_had_is_done_all_the_same_and_nothing_twice():
    assert rows_of(small(), VARY, 2, STEPS, _DyingOnce()) == rows_of(small(), VARY, 2, STEPS)


@pytest.mark.parametrize("error", [BrokenProcessPool("a process was killed"), OSError("handle is closed")])
def test_tasks_that_a_broken_pool_does_not_take_are_done_all_the_same(error):
    class Broken(_DyingOnce):
        def submit(self, function, /, *arguments, **keywords):
            if self.taken == 2:
                raise error
            return super().submit(function, *arguments, **keywords)

    assert rows_of(small(), VARY, 2, STEPS, Broken()) == rows_of(small(), VARY, 2, STEPS)


class _AtOnce(Executor):
    """An executor that runs every task when it is handed over; a worker that is stopped has no result."""

    def __init__(self, stopped=()):
        self.futures, self._stopped = [], stopped

    def submit(self, function, /, *arguments, **keywords):
        future = Future()
        if len(self.futures) in self._stopped:
            future.set_exception(SweepCancelled())
        else:
            future.set_result(function(*arguments, **keywords))
        self.futures.append(future)
        return future


class _Endless(_AtOnce):
    """An executor that finishes the first task alone."""

    def submit(self, function, /, *arguments, **keywords):
        if not self.futures:
            return super().submit(function, *arguments, **keywords)
        self.futures.append(Future())
        return self.futures[-1]


def test_a_cancelled_sweep_has_the_rows_of_finished_tasks_and_waits_for_no_other():
    runs = runs_of(small(), {**VARY, "width": [VARY["width"][0]]}, 2)
    rows = list(sweep(small(), VARY, seeds=2, steps=STEPS, executor=_Endless(), cancelled=lambda: True))
    assert sorted(map(key, rows)) == [key(run.settings) for run in runs]
    assert list(sweep(small(), VARY, seeds=2, steps=STEPS, executor=_AtOnce(stopped=(0, 1)))) == []
    assert list(sweep(small(), VARY, seeds=2, steps=STEPS, cancelled=lambda: True)) == []


def test_width_depth_and_activation_make_the_hidden_layers_that_they_say():
    document = replace_section(Document(), "network", layer_sizes=(2, 5, 3, 1), activations=("tanh", "tanh"))
    assert with_setting(document, "width", 7).network.layer_sizes == (2, 7, 7, 1)
    assert with_setting(document, "depth", 3).network.layer_sizes == (2, 5, 5, 5, 1)
    assert with_setting(document, "activation", "relu").network.activations == ("relu", "relu")


def test_runs_that_cannot_train_together_train_one_by_one_to_the_same_rows(monkeypatch):
    wild = {"learning_rate": [0.1, 1e6], "width": [4]}
    together = rows_of(small(), wild, seeds=1, steps=200)
    monkeypatch.setattr("engine.sweeps.sweep.RunGroup", Mock(side_effect=UntranslatableError("no numpy calls")))
    alone = rows_of(small(), wild, seeds=1, steps=200)
    assert [row["diverged_at"] for row in alone] == [row["diverged_at"] for row in together]
    np.testing.assert_allclose([row["train_loss"] for row in alone], [row["train_loss"] for row in together])
    assert [[row[name] for name in FIGURES[1:]] for row in alone] == [
        [row[name] for name in FIGURES[1:]] for row in together
    ]


def test_who_stops_asking_takes_back_what_has_not_begun():
    futures = []

    class Waiting(Executor):
        def submit(self, function, /, *arguments, **keywords):
            future = Future()
            if not futures:
                future.set_result(function(*arguments, **keywords))
            futures.append(future)
            return future

    rows = sweep(small(), VARY, seeds=1, steps=STEPS, executor=Waiting())
    next(rows)
    rows.close()
    assert [future.cancelled() for future in futures] == [False, True]


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({"learning_rat": [0.1]}, "did you mean 'learning_rate'"),
        ({"learning_rate": [-1.0]}, "learning_rate"),
        ({"width": [0]}, "a whole number from 1 to"),
        ({"width": []}, "0"),
        ({"loss": ["hing"]}, "hinge"),
        ({"width": [2] * 1000, "depth": [1] * 100}, "at most|1 to 100,000"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_trained(vary, words):
    with pytest.raises(DocumentError, match=words):
        sweep(small(), vary, seeds=5, steps=10**9)


@pytest.mark.parametrize("number", ["seeds", "steps"])
def test_a_sweep_has_a_seed_and_a_step_at_least(number):
    with pytest.raises(DocumentError, match=f"{number} must be"):
        sweep(small(), {"width": [2]}, **{"seeds": 1, "steps": 1, number: 0})


def varied(name, value):
    try:
        return with_setting(Document(), name, value)
    except DocumentError:
        return Document()


@pytest.mark.parametrize("name", variable_names())
def test_every_setting_that_can_vary_varies(name):
    values = (0.25, 7, "float32", "hinge", "adam", "cosine", "relu", "normal")
    assert any(varied(name, value) != Document() for value in values)


def test_a_task_is_text_and_numbers():
    text = '{"gradstep": 2, "data": {"name": "xor", "n_samples": 4, "noise": 0.0}}'
    own = [{"learning_rate": 0.1, "l1": 0.0, "l2": 0.0, "seed": 0, "network_seed": 1}]
    [((loss, accuracy, test_loss, test_accuracy), diverged_at)] = train_together(text, own, 3)
    assert test_loss is test_accuracy is None
    assert math.isfinite(loss)
    assert 0.0 <= accuracy <= 1.0
    assert diverged_at is None


CLUSTER = """
import os, signal
import distributed
from engine.document import Document, replace_section
from engine.sweeps.sweep import sweep

document = replace_section(Document(), "data", name="xor", n_samples=4, noise=0.0)
vary = {"learning_rate": [0.01, 0.1], "width": [2, 3], "depth": [1, 2]}
if __name__ == "__main__":
    settings = dict(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        rows = sweep(document, vary, 3, 20, client.get_executor())
        got = [next(rows)]
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        got += rows
    key = lambda row: [row[name] for name in (*vary, "seed")]
    print(len(got), sorted(got, key=key) == sorted(sweep(document, vary, 3, 20), key=key))
"""


@pytest.mark.long
def test_on_a_cluster_a_worker_that_is_killed_loses_nothing_and_counts_nothing_twice(tmp_path):
    script = tmp_path / "on_a_cluster.py"
    script.write_text(CLUSTER)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    ended = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=100)
    assert ended.stdout.split() == ["24", "True"], ended.stderr
