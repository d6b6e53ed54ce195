"""`evaluate(text)`: runs a program in the sandbox and returns its values, output and plots.

The program runs in CPython inside WebAssembly (`runtime.py`, `guest/`); its report becomes Values (`decoding.py`) with
names, places and roles (`describing.py`). Blocks until the program ends; any thread may call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.autograd.backward import collector_paused, topological_order
from engine.autograd.value import Value
from engine.language.advice import advice
from engine.language.decoding import (
    UNREADABLE,
    checked,
    data_of_leaves,
    decode,
    decode_graph,
    decode_moments,
    decode_plots,
    decode_series,
    decode_statements,
    whole_places,
)
from engine.language.describing import Description
from engine.language.engine_check import check_engine
from engine.language.engine_rows import EngineCheckRow
from engine.language.errors import ProgramError
from engine.language.limited_runs import report_of_runs, request_limits
from engine.language.limits import Limits
from engine.language.notes import Note
from engine.language.pass_check import Pass, cycle_row
from engine.language.program_errors import error_of
from engine.language.program_notes import program_notes, tree_without_commands
from engine.language.results import BackwardCall, Evaluation, Printed
from engine.language.source import Source
from engine.messages import visible

LONGEST_PIECE = 10_000
"""Characters from which on what one line prints becomes a new piece of the output."""
OnOutput = Callable[[Printed], None]


def evaluate(
    text: str,
    seconds: float | None = None,
    *,
    on_output: OnOutput | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits | None = None,
    record: bool = False,
) -> Evaluation:
    """Run a program and return its values, names and places, output and plots.

    Args:
        text: a program in Python; at most 20,000 characters and 500 lines.
        seconds: time limit; None: of `limits`.
        on_output: receives printed text immediately, in another thread, while this one waits.
        cancelled: called about every 10 ms; True ends the run.
        limits: of time, memory and output.
        record: record what each statement did, for the walk line by line.

    Raises:
        ProgramError: with line and column, when the text is not a program, or it raises, or reaches a limit.
        ProgramCancelled: when `cancelled` returned True.
        RuntimeUnavailableError: a ProgramError, when no program can be run on this machine.
    """
    limits = limits or Limits()
    if seconds is not None:
        limits = replace(limits, seconds=seconds)
    source = Source(text)
    output: list[Printed] = []
    most = 2 * limits.output_bytes  # the guest ends a program before; one that calls the host itself goes on in silence
    taken = 0

    def emit(line: int, printed: str) -> None:
        nonlocal taken
        taken += len(printed)
        if not printed or taken > most:
            return
        piece = Printed(line, printed)
        if output and output[-1].line == line and len(output[-1].text) < LONGEST_PIECE:
            output[-1] = Printed(line, output[-1].text + printed)
        else:
            output.append(piece)
        if on_output is not None:
            on_output(piece)

    request = {"text": source.text, "record": record, **request_limits(limits)}
    report = report_of_runs(request, emit, limits, cancelled)
    try:
        report = checked(report)
        with collector_paused():
            evaluation, local = _evaluation(source, report, tuple(output)) if "graph" in report else (None, {})
    except UNREADABLE:
        message = "the program changed the parts of the interpreter that report its values"
        raise ProgramError(message, 1, 1, output=tuple(output)) from None
    if report["error"] is not None:
        report["error"]["line"] = report["error"]["line"] or (output[-1].line if output else 0)
        raise error_of(source, report["error"], limits).with_run(tuple(output), evaluation, local)
    return evaluation or Evaluation(output=tuple(output))


def _evaluation(
    source: Source, report: Mapping[str, Any], output: tuple[Printed, ...]
) -> tuple[Evaluation, Mapping[str, Any]]:
    """Return the results of a program, and the local variables of the function in which it failed."""
    judged = report.get("judged")
    slopes = {int(number): row for number, row in judged["partials"].items()} if judged else None
    then = data_of_leaves(report["moments"][-1]) if report["moments"] else None
    values = decode_graph(report["graph"], slopes, then)
    for number in judged["forward"] if judged else ():
        values[number].grad = None  # a derivative that was carried forward is not the gradient of the root
    described = Description(source.text, report, values)
    moments = decode_moments(report["moments"], values)
    root = _root(described, moments)
    rows = _engine_rows(report, judged, values, described) if judged else None
    shown = report["displayed"]
    reported = [Note(visible(message, 300), max(line, 1), 1) for message, line in report["notes"]]
    tree = tree_without_commands(source.text)
    notes = [*program_notes(source, tree), *(advice(source.text, tree, moments) if tree is not None else ()), *reported]
    local = {str(name): decode(thing, values) for name, thing in report["local_variables"]}
    evaluation = Evaluation(
        names=described.names,
        root=root,
        problems=described.problems,
        leaves=described.leaves,
        origins=described.origins,
        roles=described.roles,
        notes=sorted(notes, key=lambda note: (note.line, note.column)),
        not_computed=described.not_computed,
        whole_numbers=frozenset(values[place] for place in whole_places(report["graph"]) if place < len(values)),
        output=output,
        displayed=Printed(shown[0], shown[1]) if shown is not None else None,
        plots=decode_plots(report["plots"]),
        moments=moments,
        engine_check=rows,
        own_gradients=_has_gradients(root, moments),
        variables={name: decode(thing, values) for name, thing in report["variables"]},
        loop_series=decode_series(report["series"]),
        statements=decode_statements(report["statements"], values, described.offset),
        n_statements=report["n_statements"],
        has_own_model=bool(report.get("own_model")),
        known_names=report["known_names"],
    )
    return evaluation, local


def _root(described: Description, moments: Sequence[BackwardCall]) -> Value | None:
    """Return the output: the last value; where that is an array, the value whose `backward()` was called last."""
    root = described.root
    if root is None or root.data.__class__ is float or not moments:
        return root
    return moments[-1].root_at_end or root


def _engine_rows(
    report: Mapping[str, Any], judged: Mapping[str, Any], values: Sequence[Value], described: Description
) -> tuple[EngineCheckRow, ...] | None:
    """Return the rows on an engine of the program's own; None where there is none."""
    if judged["cycle"] is not None:
        return (cycle_row(values[judged["cycle"]], judged["backward"]),)
    reported, passes, root = report["moments"], [], described.root
    for moment in [*reported[:1], *(each for each in reported[1:-1] if each["left_over"]), *reported[1:][-1:]]:
        known = {int(place): values[number] for place, number in moment["known"].items()}
        measured = judged["partials"] | judged["chosen"]
        slopes = {place: measured[str(number)] for place, number in moment["known"].items() if str(number) in measured}
        graph = decode_graph(moment["graph"], {int(place): row for place, row in slopes.items()})
        names = {place: value.label for place, value in known.items() if value.label}
        before, left = ({int(place): grad for place, grad in moment[name].items()} for name in ("before", "left_over"))
        sure = not judged["further"] or (
            len(known) == len(graph) and not set(moment["known"].values()) & set(judged["unknown"])
        )
        keeps = judged["keeps_inputs"]
        constants = frozenset(int(place) for place, number in moment["known"].items() if number in judged["constants"])
        passes.append(Pass(graph, moment["number"], before, left, names, sure, _seed(moment["seed"]), constants, keeps))
        root = known.get(len(graph) - 1, root)
    if not judged["cases"] and not any(one.left_over for one in passes):
        return None
    rows = check_engine(judged, values, root, [] if report["error"] and not reported else passes)
    return rows or None


def _has_gradients(root: Value | None, moments: Sequence[BackwardCall]) -> bool:
    """Return True where the program called `backward()` on the root, or values of its graph have gradients."""
    if root is None:
        return False
    if any(np.any(value.known_grad) for value in topological_order(root) if value.known_grad is not None):
        return True
    return bool(moments) and moments[-1].root_at_end is root


def _seed(reported: Any) -> tuple[float, str] | None:
    return (float(reported[0]), str(reported[1])) if reported is not None else None
