"""Sweeps: the same network trained many times with varying settings; results arrive as runs finish.

Runs of one shape go through one batched program (`engine/network/run_group.py`). Shapes, and shares of many runs, are
tasks for any `concurrent.futures.Executor`: processes, threads, or a cluster. A task consists of text and numbers, so
it can run anywhere with the same result.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

from engine.document.data_section import FOLLOWING_FIELDS, Data
from engine.document.document import LARGEST_LAYER, STOP_FIELDS, Document, Network, Trained, Training, replace_section
from engine.document.errors import DocumentError
from engine.experiment.assemble import make_model, make_trainer, trained_at, trainer_settings, weights_of
from engine.experiment.consistency import batch_of, check_consistent
from engine.experiment.prepared import PreparedData, prepare
from engine.messages import quoted, unknown_name, wrong_integer
from engine.network import TrainingDiverged, TrainingSettings
from engine.network.errors import UntranslatableError
from engine.network.run.curves import LossCurve
from engine.network.run_group import OWN, RunGroup, most_together
from engine.session_file.format import from_json, to_json
from engine.sweeps.workers import count_steps, is_stopped

MOST_RUNS, MOST_SEEDS = 100_000, 1_000
MOST_TOGETHER = 1024
"""Limit of runs that train together: a larger group is slower for each run."""
MOST_STEPS = 10**9
STEPS_BETWEEN_QUESTIONS, SECONDS_BETWEEN_QUESTIONS = 50, 0.2
"""Interval between two calls of `cancelled`, in this process: while it trains, and while others train."""
MEASURED_TASKS, MEASURED_STEPS = 6, 20

Row = dict[str, Any]
Task = tuple[str, list[dict[str, Any]], int]
"""The common document, the settings of each run, steps."""
FIGURES = ("train_loss", "train_accuracy", "test_loss", "test_accuracy")
"""Columns of a row: data loss, without penalties, and accuracy after the last step."""
Result = tuple[tuple[float | None, ...], int | None]
"""A number for each of FIGURES, and the step at which the run diverged."""


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep: its row without results, and its document."""

    settings: Row
    document: Document


def sweep(
    document: Document,
    vary: Mapping[str, Sequence[Any]],
    seeds: int = 5,
    steps: int = 2000,
    executor: Executor | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    shares: int = 1,
) -> Iterator[Row]:
    """Train the document's network from its first weights, once for each combination of settings and each seed.

    Args:
        document: defines everything that does not vary; its trained weights are ignored.
        vary: values for each name of `variable_names()`.
        seeds: runs of each combination. Seed k is the document's own seed plus k, for the first weights and
            for the order of the samples.
        steps: updates of each run.
        executor: runs the tasks; None: here, one after another. A task whose worker has died is run here.
        cancelled: called often; True ends the rows after those that are finished.
        shares: least number of tasks, to split runs of one shape among workers.

    Returns:
        Rows in the order in which they finish: the varied settings, `seed`, the figures named in
        FIGURES, and `diverged_at`, the step whose loss was not finite, else None. A run that diverged has the training
        loss nan and no other figure. A regression has no accuracies, and without test data there are no test figures.

    Raises:
        DocumentError: for an invalid name or value, settings that do not fit together, too many runs; before
            any training.
    """
    runs = runs_of(document, vary, seeds)
    if message := wrong_integer(steps, 1, MOST_STEPS):
        raise DocumentError("steps", f"must be {message}, not {quoted(steps)}")
    return _rows(runs, _tasks(runs, steps, shares), executor, cancelled)


def variable_names() -> tuple[str, ...]:
    """Return the settings that can vary: those of the hidden layers, and a document's numbers and choices."""
    return (*SHAPES, EVERY_ACTIVATION, *_SECTION_OF)


def runs_of(document: Document, vary: Mapping[str, Sequence[Any]], seeds: int) -> list[SweepRun]:
    """Return the runs of a sweep in the order of the settings' values, with consecutive seeds of a combination.

    Raises:
        DocumentError: see `sweep`.
    """
    if message := wrong_integer(seeds, 1, MOST_SEEDS):
        raise DocumentError("seeds", f"must be {message}, not {quoted(seeds)}")
    names = list(vary)
    count = seeds * math.prod(len(values) for values in vary.values())
    if not 1 <= count <= MOST_RUNS:
        raise DocumentError("vary", f"must make 1 to {MOST_RUNS:,} runs, not {count:,}")
    fresh = replace(document, trained=Trained())
    runs = []
    for values in itertools.product(*vary.values()):
        varied = fresh
        for name, value in sorted(zip(names, values, strict=True), key=lambda setting: setting[0] not in SHAPES):
            varied = with_setting(varied, name, value)
        check_consistent(varied)
        for seed in range(seeds):
            runs.append(SweepRun({**dict(zip(names, values, strict=True)), "seed": seed}, _with_seed(varied, seed)))
    return runs


def with_setting(document: Document, name: str, value: Any) -> Document:
    """Return the document with one varied setting.

    Raises:
        DocumentError: for an unknown name or an invalid value.
    """
    if name in SHAPES:
        if message := wrong_integer(value, 1, LARGEST_LAYER):
            raise DocumentError(name, f"must be {message}, not {quoted(value)}")
        return replace_section(document, "network", layer_sizes=SHAPES[name](document.network.layer_sizes, value))
    if name == EVERY_ACTIVATION:
        return replace_section(document, "network", activations=(value,) * (len(document.network.layer_sizes) - 2))
    if name not in _SECTION_OF:
        raise DocumentError("", unknown_name("setting to vary", name, variable_names()))
    return replace_section(document, _SECTION_OF[name], **{name: value})


def _of_width(sizes: tuple[int, ...], width: int) -> tuple[int, ...]:
    """Return layer sizes with all hidden layers of this width, at least one."""
    return (sizes[0], *[width] * max(len(sizes) - 2, 1), sizes[-1])


def _of_depth(sizes: tuple[int, ...], depth: int) -> tuple[int, ...]:
    """Return layer sizes with this many hidden layers, each as wide as the first was."""
    width = sizes[1] if len(sizes) > 2 else DEFAULT_WIDTH
    return (sizes[0], *[width] * depth, sizes[-1])


DEFAULT_WIDTH = 4
SHAPES: Mapping[str, Callable[[tuple[int, ...], int], tuple[int, ...]]] = {"width": _of_width, "depth": _of_depth}
"""Settings that compute the layer sizes from the present ones: width of the hidden layers, number of hidden layers."""
EVERY_ACTIVATION = "activation"
"""Setting of one activation for all hidden layers."""
NOT_VARIED = {"name", "seed", "split_seed", "source", "formula", "points", "features", "scaling", *FOLLOWING_FIELDS}
NOT_VARIED |= {"layer_sizes", "activations", *STOP_FIELDS}
_SECTION_OF = {
    entry.name: section
    for section, kind in (("training", Training), ("network", Network), ("data", Data))
    for entry in fields(kind)
    if entry.name not in NOT_VARIED and not entry.name.startswith("table") and not entry.name.endswith("_settings")
}


def _with_seed(document: Document, seed: int) -> Document:
    """Return the document with the seeds of first weights and sample order increased by `seed`."""
    for section in ("network", "training"):
        own = getattr(document, section).seed
        document = replace_section(document, section, seed=(own + seed) % 2**64)
    return document


def _tasks(runs: Sequence[SweepRun], steps: int, shares: int = 1) -> dict[tuple[int, ...], Task]:
    """Group runs that can train together: the numbers of the runs, and the task for them."""
    alike: dict[Document, list[int]] = defaultdict(list)
    defaults = _own(Document())  # the runs of a group share all other settings
    for number, run in enumerate(runs):
        alike[_with_own(run.document, defaults)].append(number)
    tasks = {}
    for document, numbers in alike.items():
        batch = batch_of(document, prepare(document.data).train.n_samples)
        together = min(MOST_TOGETHER, most_together(batch, document.network.layer_sizes[1:]))
        size = min(together, math.ceil(len(numbers) * len(alike) / max(shares, len(alike))))
        for start in range(0, len(numbers), size):
            share = tuple(numbers[start : start + size])
            tasks[share] = (to_json(document), [_own(runs[number].document) for number in share], steps)
    return tasks


def _own(document: Document) -> dict[str, Any]:
    """Return the settings that may differ in a group."""
    own = {name: getattr(document.training, name) for name in OWN}
    return {**own, "network_seed": document.network.seed}


def _rows(
    runs: Sequence[SweepRun],
    tasks: Mapping[tuple[int, ...], Task],
    executor: Executor | None,
    cancelled: Callable[[], bool],
) -> Iterator[Row]:
    for numbers, results in _finished(tasks, executor, cancelled):
        for number, (figures, diverged_at) in zip(numbers, results, strict=True):
            outcome = dict(zip(FIGURES, figures, strict=True))
            yield {**runs[number].settings, **outcome, "diverged_at": diverged_at}


def _finished(
    tasks: Mapping[tuple[int, ...], Task], executor: Executor | None, cancelled: Callable[[], bool]
) -> Iterator[tuple[tuple[int, ...], list[Result]]]:
    """Yield the results of the tasks as they finish; closing the generator cancels tasks that have not begun."""
    left = dict(tasks)
    if executor is not None:
        futures: dict[Future[list[Result]], tuple[int, ...]] = {}
        try:
            # A worker may die before the last task has been handed out, also while the next worker is started.
            with suppress(BrokenExecutor, OSError):
                for numbers, task in tasks.items():
                    futures[executor.submit(train_together, *task)] = numbers
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, SECONDS_BETWEEN_QUESTIONS, FIRST_COMPLETED)
                for future in done:
                    with suppress(BrokenExecutor):
                        yield futures[future], future.result()
                        del left[futures[future]]
                if cancelled():
                    return
        except (SweepCancelled, CancelledError):
            return
        finally:
            for future in futures:
                future.cancel()
    for numbers, task in left.items():
        try:
            yield numbers, train_together(*task, cancelled=cancelled)
        except SweepCancelled:
            return


def train_together(
    text: str, own: Sequence[Mapping[str, Any]], steps: int, cancelled: Callable[[], bool] = lambda: False
) -> list[Result]:
    """Train runs of one shape; return the figures and the step of divergence of each.

    Args:
        text: the shared document, in the form of a file.
        own: settings of each run: those named in `OWN`, and `network_seed` for its first weights.
        steps: updates of each.
        cancelled: called often.

    Raises:
        SweepCancelled: when `cancelled` returned True.
    """

    def is_over() -> bool:
        return cancelled() or is_stopped()

    return _trained(text, own, lambda n_runs: _counted(steps, is_over, n_runs))


def _trained(text: str, own: Sequence[Mapping[str, Any]], steps_of: Callable[[int], Iterable[int]]) -> list[Result]:
    """Train runs of one shape, together where that is possible; `steps_of` returns the steps for a number of runs."""
    document = from_json(text)
    data = check_consistent(document)
    documents = [_with_own(document, each) for each in own]
    try:
        return _in_a_group(documents, data, steps_of(len(documents)))
    except UntranslatableError:
        return [_alone(each, data, steps_of(1)) for each in documents]


class SweepCancelled(Exception):
    """The results are not wanted any more."""


def _counted(steps: int, cancelled: Callable[[], bool], runs: int) -> Iterator[int]:
    """Yield and count the steps of runs that train together; raise SweepCancelled when `cancelled` returns True."""
    for step in range(steps):
        if step % STEPS_BETWEEN_QUESTIONS == 0 and cancelled():
            raise SweepCancelled
        yield step
        if (step + 1) % STEPS_BETWEEN_QUESTIONS == 0:
            count_steps(runs * STEPS_BETWEEN_QUESTIONS)
    count_steps(runs * (steps % STEPS_BETWEEN_QUESTIONS))


def _with_own(document: Document, own: Mapping[str, Any]) -> Document:
    document = replace_section(document, "training", **{name: own[name] for name in OWN})
    return replace_section(document, "network", seed=own["network_seed"])


def _in_a_group(documents: Sequence[Document], data: PreparedData, steps: Iterable[int]) -> list[Result]:
    settings = []
    for document in documents:
        values = trainer_settings(document.training)
        values["batch_size"] = None if values["batch_size"] is None else batch_of(document, data.train.n_samples)
        settings.append(TrainingSettings(**values))
    weights = [weights_of(document) for document in documents]
    test = {} if data.test is None else {"X_test": data.test.X, "y_test": data.test.y}
    model, train = make_model(documents[0]), data.train
    group = RunGroup(model, weights, settings, X=train.X, y=train.y, regression=not train.n_classes, **test)
    for _ in steps:
        group.step()
    pairs = zip(group.figures(), group.diverged_at.tolist(), strict=True)
    return [
        ((_number(loss), accuracy, test_loss, test_accuracy), None if step < 0 else step)
        for (loss, accuracy, _, test_loss, test_accuracy, _), step in pairs
    ]


def _alone(document: Document, data: PreparedData, steps: Iterable[int]) -> Result:
    trainer = make_trainer(document, make_model(document), data)
    try:
        for _ in steps:
            trainer.step()
    except TrainingDiverged as error:
        return (math.nan, None, None, None), error.step
    end = trainer.snapshot()
    return (_number(end.loss), end.accuracy, end.test_loss, end.test_accuracy), None


def _number(loss: float | None) -> float:
    return math.nan if loss is None else float(loss)


def trained_alone(
    run: SweepRun, steps: int, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Document, int | None]:
    """Train one run of a sweep alone; return its weights and curve.

    Args:
        run: from `runs_of`.
        steps: updates.
        cancelled: called often.

    Returns:
        Its trained document, and the step at which it diverged; then the document holds the last good weights.

    Raises:
        SweepCancelled: when `cancelled` returned True.
    """
    document, curve = run.document, LossCurve()
    trainer = make_trainer(document, make_model(document), prepare(document.data))
    diverged_at = None
    try:
        for _ in _counted(steps, cancelled, 1):
            curve.extend([trainer.step()])
    except TrainingDiverged as error:
        diverged_at = error.step
    snapshot = trainer.snapshot() if diverged_at is None else trainer.last_good()
    curve.forget_from(snapshot.step)
    return replace(document, trained=trained_at(snapshot, curve.points())), diverged_at


def seconds_for(
    runs: Sequence[SweepRun],
    steps: int,
    workers: int,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Estimate the duration of a sweep from a few measured steps of some of its tasks.

    A step counts with the median of the measured ones: the machine may have been busy during some.

    Args:
        runs: of the sweep, from `runs_of`.
        steps: updates of each run.
        workers: processes that share the tasks.
        cancelled: called often.
        clock: monotonic seconds.

    Raises:
        SweepCancelled: when `cancelled` returned True.
    """
    tasks = list(_tasks(runs, MEASURED_STEPS, workers).items())
    measured = tasks[:: math.ceil(len(tasks) / MEASURED_TASKS)]
    total = 0.0
    for _, (text, own, _steps) in measured:
        durations: list[list[float]] = []

        def timed_steps(n_runs: int, durations: list[list[float]] = durations) -> Iterator[int]:
            durations.append([])
            for step in _counted(MEASURED_STEPS, cancelled, n_runs):
                began = clock()
                yield step
                durations[-1].append(clock() - began)

        began = clock()
        _trained(text, own, timed_steps)
        preparation = clock() - began - sum(map(sum, durations))
        total += preparation + steps * sum(statistics.median(each) for each in durations if each)
    return total * len(tasks) / len(measured) / min(workers, len(tasks))
