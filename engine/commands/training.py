"""`train` and `sweep`: train a session's network once, or many times with varying settings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engine.commands.command import DONE, FAILED, SESSION, WRONG_USE, Command, Completion, WrongUse, completed_by
from engine.commands.inputs import add_file, named_file, read_file, whole_number
from engine.commands.json_output import REASONS, error_object, finite, keys, say_json
from engine.terminal import Progress, StopRequest, say, say_error

if TYPE_CHECKING:
    from engine.network import Snapshot


def train(options: argparse.Namespace) -> int:
    """Train the session's network without a window."""
    from engine.commands.headless import train_document
    from engine.experiment.advice import slow_step_note
    from engine.session_file.outputs import check_outputs

    named = {"--log": options.log, "-o": options.output}
    outputs = {option: named_file(option, name) for option, name in named.items() if name is not None}
    check_outputs(outputs, {"the session": options.file})
    document = read_file(options.file, SESSION).document
    if note := slow_step_note(document):
        say_error(note)
    with StopRequest() as request, Progress("Training") as progress:
        ending = train_document(
            document,
            options.steps,
            outputs.get("--log"),
            outputs.get("-o"),
            lambda: bool(request.stopped),
            lambda done: progress.show(done / options.steps, f"{done:,} of {options.steps:,} steps"),
            not options.json,
        )
    line = "; ".join([ending.summary, *ending.failures])
    code = FAILED if ending.has_diverged else WRONG_USE if ending.failures else DONE
    if request.stopped is not None:
        code, line = request.stopped.code, f"stopped by {request.stopped.words} at {line}"
    if options.json:
        say_json(code == DONE, error_object(line) if code else None, **_trained_object(ending.snapshot))
    if code:
        say_error(line)
    elif not options.json:
        say(line)
    return code


def _trained_object(snapshot: Snapshot) -> dict[str, Any]:
    numbers = {
        "loss": snapshot.loss,
        "accuracy": snapshot.accuracy,
        "penalty": snapshot.penalty,
        "test_loss": snapshot.test_loss,
        "test_accuracy": snapshot.test_accuracy,
    }
    return {"step": snapshot.step, "epoch": snapshot.epoch, **finite(numbers)}


def train_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`."""
    add_file(parser, SESSION)
    parser.add_argument("--steps", type=whole_number, required=True, metavar="N", help="how many updates")
    words = "where to write the loss of each step, while training goes on"
    log = parser.add_argument("--log", metavar="CSV", help=words)
    completed_by(log, Completion(extensions=(".csv",)))
    output = parser.add_argument("-o", "--output", metavar="OUT", help="where to write the trained session")
    completed_by(output, Completion(extensions=(".gradstep",)))


def sweep(options: argparse.Namespace) -> int:
    """Train the session's network many times with varying settings; write the results as a table."""
    from engine.commands.outputs import write_result
    from engine.session_file.outputs import check_outputs
    from engine.sweeps.sweep import runs_of, sweep
    from engine.sweeps.table import in_order, parsed_variations, table_text
    from engine.sweeps.workers import executor_for

    output = named_file("-o", options.output)
    check_outputs({"-o": output}, {"the session": options.file})
    document = read_file(options.file, SESSION).document
    rows: list[dict[str, Any]] = []
    try:
        vary = parsed_variations(options.vary)
        count = len(runs_of(document, vary, options.seeds))
        with StopRequest() as request, executor_for(options.workers, options.dask) as place:

            def look() -> tuple[float, str]:
                """Return progress in steps, as many runs train together and end together; on a cluster in runs."""
                if place.steps is None:
                    return len(rows) / count, f"{len(rows):,} of {count:,} runs"
                made, total = max(place.steps(), len(rows) * options.steps), count * options.steps
                return made / total, f"{count:,} runs, {made:,} of {total:,} steps"

            with Progress("Training") as progress, progress.watching(look):
                for row in sweep(
                    document, vary, options.seeds, options.steps, place.executor, lambda: bool(request.stopped)
                ):
                    rows.append(row)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    ordered = in_order(rows, vary)
    failure = write_result("-o", output, table_text(ordered, list(vary)).encode(), not options.json)
    line, code = failure or f"{len(rows):,} of {count:,} runs in {output}", WRONG_USE if failure else DONE
    if request.stopped is not None:
        line, code = f"stopped by {request.stopped.words}; {line}", request.stopped.code
    if options.json:
        objects = [_run_object(row, list(vary)) for row in ordered]
        say_json(code == DONE, error_object(line) if code else None, count=count, rows=objects)
    if code:
        say_error(line)
    elif not options.json:
        say(line)
    return code


def _run_object(row: Mapping[str, Any], varied: list[str]) -> dict[str, Any]:
    from engine.sweeps.sweep import FIGURES

    settings = {name: row[name] for name in varied}
    rest = {"seed": row["seed"], "diverged_at": row["diverged_at"]}
    return {"settings": settings, **rest, **finite({name: row[name] for name in FIGURES})}


def sweep_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `sweep`."""
    add_file(parser, SESSION)
    varied = "a setting and its values, such as learning_rate=0.01,0.1 or width=2,4,8; may be given several times"
    parser.add_argument("--vary", action="append", required=True, metavar="NAME=VALUES", help=varied)
    parser.add_argument("--seeds", type=whole_number, default=5, metavar="N", help="runs of each combination (5)")
    parser.add_argument("--steps", type=whole_number, default=2000, metavar="N", help="updates of each run (2000)")
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--workers", type=whole_number, metavar="N", help="processes that train (one for each core)")
    places.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster that trains")
    output = parser.add_argument("-o", "--output", required=True, metavar="OUT.csv", help="where the table goes")
    completed_by(output, Completion(extensions=(".csv",)))


TRAIN = Command(
    train,
    "train the network of a session",
    "network",
    train_options,
    examples=(
        ("train moons.gradstep --steps 500", "print the loss and accuracy after 500 steps"),
        ("train moons.gradstep --steps 500 -o trained.gradstep", "save the trained session, to open or train on"),
        ("train moons.gradstep --steps 500 --log loss.csv --json", "write every loss, and print the result as JSON"),
    ),
    failed="training diverged",
    json=keys(
        step="integer: updates made, those of the session included",
        epoch="integer: passes over the data completed",
        loss="number or null: data loss of the training data",
        accuracy="number or null: of the training data, 0 to 1; null for a regression",
        penalty="number or null: L1 and L2 penalty of the parameters",
        test_loss="number or null: null without test data",
        test_accuracy="number or null: null without test data and for a regression",
        reasons=REASONS,
    ),
)
SWEEP = Command(
    sweep,
    "train it many times with settings that vary, and write a table",
    "network",
    sweep_options,
    examples=(
        (
            "sweep moons.gradstep --vary learning_rate=0.01,0.1 --steps 200 -o rates.csv",
            "five runs with each learning rate; a line of the table for each run",
        ),
        (
            "sweep moons.gradstep --vary width=2,4,8 --vary optimizer=sgd,adam --seeds 2 --steps 100 -o table.csv",
            "every combination of three widths and two optimizers, twice",
        ),
    ),
    json=keys(
        count="integer: runs that were asked for",
        rows="array: one object for each run that was made, in the order of the table",
        rows__settings="object: the varied settings and their values",
        rows__seed="integer: from 0",
        rows__diverged_at="integer or null: the step at which the run diverged",
        rows__train_loss="number or null: after the last step",
        rows__train_accuracy="number or null: 0 to 1; null for a regression",
        rows__test_loss="number or null: null without test data",
        rows__test_accuracy="number or null: null without test data and for a regression",
        rows__reasons=REASONS,
    ),
)
