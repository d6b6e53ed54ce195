"""`train` and `sweep`: train a session's network once, or many times with varying settings."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.commands.inputs import WrongUse, named_file, read_file, whole_number
from engine.terminal import StopRequest, say, say_error


def train(options: argparse.Namespace) -> int:
    """Train the session's network without a window."""
    from engine.commands.headless import train_document
    from engine.experiment.advice import slow_step_note
    from engine.session_file.outputs import check_outputs

    named = {"--log": options.log, "-o": options.output}
    outputs = {option: named_file(option, name) for option, name in named.items() if name is not None}
    check_outputs(outputs, {"the session": options.file})
    read = read_file(options.file)
    if read.is_program:
        raise WrongUse(f"{options.file} is a program: train wants a session, as File > Save in the window writes it")
    if note := slow_step_note(read.document):
        say_error(note)
    with StopRequest() as request:
        ending = train_document(
            read.document, options.steps, outputs.get("--log"), outputs.get("-o"), lambda: bool(request.stopped)
        )
    line = "; ".join([ending.summary, *ending.failures])
    if request.stopped is not None:
        say_error(f"stopped by {request.stopped.words} at {line}")
        return request.stopped.code
    if ending.is_good:
        say(line)
        return 0
    say_error(line)
    return 2


def train_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `train`."""
    parser.add_argument("file", type=Path, metavar="SESSION", help="session (.gradstep)")
    parser.add_argument("--steps", type=whole_number, required=True, metavar="N", help="how many updates")
    parser.add_argument("--log", metavar="CSV", help="where to write the loss that each step saw, as training goes on")
    parser.add_argument("-o", "--output", metavar="OUT", help="where to write the trained session")


def sweep(options: argparse.Namespace) -> int:
    """Train the session's network many times with varying settings; write the results as a table."""
    from engine.session_file.files import reason_of, write_atomically
    from engine.session_file.outputs import check_outputs
    from engine.sweeps.sweep import runs_of, sweep
    from engine.sweeps.table import in_order, parsed_variations, table_text
    from engine.sweeps.workers import executor_for

    output = named_file("-o", options.output)
    check_outputs({"-o": output}, {"the session": options.file})
    read = read_file(options.file)
    if read.is_program:
        raise WrongUse(f"{options.file} is a program: sweep wants a session, as File > Save in the window writes it")
    try:
        vary = parsed_variations(options.vary)
        count = len(runs_of(read.document, vary, options.seeds))
        with StopRequest() as request, executor_for(options.workers, options.dask) as executor:
            rows = []
            for row in sweep(
                read.document, vary, options.seeds, options.steps, executor, lambda: bool(request.stopped)
            ):
                rows.append(row)
                if request.stopped is not None:
                    break
    except ValueError as error:
        raise WrongUse(str(error)) from None
    try:
        write_atomically(output, table_text(in_order(rows, vary), list(vary)).encode())
    except OSError as error:
        raise WrongUse(f"-o {output} was not written: {reason_of(error)}") from None
    line = f"{len(rows):,} of {count:,} runs in {output}"
    if request.stopped is not None:
        say_error(f"stopped by {request.stopped.words}; {line}")
        return request.stopped.code
    say(line)
    return 0


def sweep_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `sweep`."""
    parser.add_argument("file", type=Path, metavar="SESSION", help="session (.gradstep)")
    varied = "a setting and its values, such as learning_rate=0.01,0.1 or width=2,4,8; may be given several times"
    parser.add_argument("--vary", action="append", required=True, metavar="NAME=VALUES", help=varied)
    parser.add_argument("--seeds", type=whole_number, default=5, metavar="N", help="runs of each combination (5)")
    parser.add_argument("--steps", type=whole_number, default=2000, metavar="N", help="updates of each run (2000)")
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--workers", type=whole_number, metavar="N", help="processes that train (one for each core)")
    places.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster that trains")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.csv", help="where the table goes")
