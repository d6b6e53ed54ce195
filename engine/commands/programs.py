"""`run`, `check` and `gallery`: a program's output, its gradients compared three ways, and the published examples."""

from __future__ import annotations

import argparse
import contextlib
from typing import TYPE_CHECKING

from engine.commands.command import DONE, FAILED, PROGRAM, SESSION, Command, CommandError, WrongUse
from engine.commands.inputs import add_file, evaluated, failure_of, preparing_shown, read_file, shown
from engine.commands.json_output import REASONS, error_object, finite, keys, say_json
from engine.messages import visible
from engine.terminal import Progress, flush_output, say, say_error, say_printed

if TYPE_CHECKING:
    from engine.autograd.check import GradientCheck
    from engine.examples.row import GalleryRow
    from engine.language import Note, Printed, Problem


def file_options(parser: argparse.ArgumentParser) -> None:
    """Add the file of a program or session."""
    add_file(parser, PROGRAM, SESSION)


def run(options: argparse.Namespace) -> int:
    """Run a program in the sandbox; return 0, or 1 after an error, which is printed with its line and calls.

    A terminal shows control characters of the output as escapes such as `\\x1b`, because a program could change the
    terminal's title or colours with them. A file or a pipe gets the output unchanged.
    """
    from engine.language import ProgramError, evaluate
    from engine.language.machine_code import take_notice

    text = read_file(options.file).document.expression.text
    printed: list[str] = []
    failure: CommandError | None = None
    try:
        with preparing_shown() as progress:

            def write(piece: Printed) -> None:
                progress.clear()
                printed.append(piece.text) if options.json else say_printed(piece.text)

            evaluate(text, on_output=write)
    except ProgramError as error:
        failure = failure_of(error)
    finally:
        if notice := take_notice():
            say_error(notice)
    if options.json:
        calls = list(failure.calls) if failure else []
        say_json(failure is None, error_object(failure) if failure else None, output="".join(printed), calls=calls)
    flush_output()
    if failure is None:
        return DONE
    say_error(str(failure))
    for call in failure.calls:
        say_error(f"  {call}")
    return failure.code


def check(options: argparse.Namespace) -> int:
    """Compare every node's gradient with a central difference and a complex step."""
    from engine.autograd.check import iterate_checks, summary
    from engine.autograd.notation import counted

    document = read_file(options.file).document
    graph = shown(document)
    remarks: list[Problem | Note] = []
    if document.view.shows == "expression":
        evaluation = evaluated(document)
        remarks = [*evaluation.problems, *evaluation.notes]
    for remark in remarks:
        say_error(f"line {remark.line}: {remark.message}")
    if graph.root is None:
        raise WrongUse("nothing to check: the program is empty")
    rows: list[GradientCheck] = []
    with Progress("Checking gradients") as progress:
        for row in iterate_checks(graph.root):
            rows.append(row)
            progress.show(None, counted(len(rows), "gradient"))
    ok = all(row.ok or not row.is_compared for row in rows)
    if options.json:
        gradients = [_gradient_object(row) for row in rows]
        notes = [{"line": remark.line, "message": remark.message} for remark in remarks]
        say_json(ok, None if ok else error_object(summary(rows)), gradients=gradients, notes=notes)
        return DONE if ok else FAILED
    labels = [visible(row.label) for row in rows]
    width = max(map(len, labels))
    for row, label in zip(rows, labels, strict=True):
        complex_step = "–" if row.complex_step is None else f"{row.complex_step:.12g}"
        figures = f"{row.backward:>18.12g} {row.central_difference:>18.12g} {complex_step:>18}"
        digits = counted(row.agreeing_digits, "digit") if row.defined else ""
        say(f"{row.mark} {label:<{width}} {figures}  {digits:>9}  {row.note}".rstrip())
    say(f"{summary(rows)} (backward, central difference, complex step)")
    return DONE if ok else FAILED


def _gradient_object(row: GradientCheck) -> dict[str, object]:
    status = "agrees" if row.ok else "differs" if row.defined else "undefined" if row.is_compared else "not compared"
    numbers = {
        "backward": row.backward,
        "central_difference": row.central_difference,
        "complex_step": row.complex_step,
    }
    why = "an operation on the way does not allow one, or it was not needed"
    rest = {"agreeing_digits": row.agreeing_digits, "note": row.note}
    return {"name": row.label, "status": status, **finite(numbers, complex_step=why), **rest}


def gallery(options: argparse.Namespace) -> int:
    """Print the published worked examples: expected, obtained, pass or fail."""
    from engine.examples.gallery import published_examples, reproduced, run_examples

    examples = published_examples()
    count = len({case["id"] for cases in examples.values() for case in cases})
    rows: list[GalleryRow] = []
    with Progress("Running the published examples") as progress:
        for row in run_examples(examples):
            rows.append(row)
            progress.show(min(1.0, len({row.example for row in rows}) / count))
    ok = all(row.ok for row in rows)
    if options.json:
        objects = [_row_object(row) for row in rows]
        reproduced_count = sum(row.ok for row in rows)
        error = None if ok else error_object(reproduced(rows))
        say_json(ok, error, count=len(rows), reproduced=reproduced_count, rows=objects)
        return DONE if ok else FAILED
    title, quantity = (max(len(getattr(row, name)) for row in rows) for name in ("title", "quantity"))
    for row in rows:
        mark, names = "pass" if row.ok else "FAIL", f"{row.title:<{title}} {row.quantity:<{quantity}}"
        say(f"{mark}  {row.example:<5} {names} {row.expected:>22}  {row.obtained:>22}  {row.difference:>8}".rstrip())
    say(reproduced(rows))
    return DONE if ok else FAILED


def _row_object(row: GalleryRow) -> dict[str, object]:
    numbers: dict[str, float | None] = {"expected": None, "obtained": None, "difference": None}
    for key in numbers:
        with contextlib.suppress(ValueError):  # a limit such as "at most 0.1", or the words of an error
            numbers[key] = float(getattr(row, key))
    words = {key: getattr(row, key) or "one of the two is not a number" for key in numbers}
    names = {"example": row.example, "title": row.title, "quantity": row.quantity, "ok": row.ok}
    return {**names, **finite(numbers, **words)}


RUN = Command(
    run,
    "run a program and print what it prints",
    "program",
    file_options,
    examples=(
        ("run neuron.py", "print what the program prints; an error is shown with its line"),
        ("run neuron.py --json", "the same as JSON, for scripts and graders"),
    ),
    failed="the program stopped with an error",
    json=keys(
        output="string: everything that was printed, up to an error",
        calls="array of strings: how the program came to the error, the outermost call first",
    ),
)
CHECK = Command(
    check,
    "compare every gradient with two independent ways to compute it",
    "program",
    file_options,
    examples=(
        ("check neuron.py", "one line for each value: backward pass, central difference, complex step"),
        ("check moons.gradstep", "the same for what the session shows, such as the network's loss"),
        ("check neuron.py --json", "the same as JSON"),
    ),
    failed="a gradient is wrong or undefined, or the program stopped with an error",
    json=keys(
        gradients="array: one object for each value",
        gradients__name="string: the value",
        gradients__status="string: agrees, differs, undefined or not compared",
        gradients__backward="number or null: by the chain rule",
        gradients__central_difference="number or null: (f(x + h) - f(x - h)) / 2h",
        gradients__complex_step="number or null: Im f(x + ih) / h",
        gradients__agreeing_digits="integer: digits in which they agree, 0 to 16",
        gradients__note="string: a remark, or empty",
        gradients__reasons=REASONS,
        notes="array: remarks on the program",
        notes__line="integer: from 1",
        notes__message="string: the remark",
    ),
)
GALLERY = Command(
    gallery,
    "published examples computed again: expected, obtained, pass or fail",
    "learn",
    examples=(
        ("gallery", "one line for each published number"),
        ("gallery --json", "the same as JSON"),
    ),
    failed="a published number is not reproduced",
    json=keys(
        count="integer: published numbers",
        reproduced="integer: those that were obtained",
        rows="array: one object for each number",
        rows__example="string: identifier of the example",
        rows__title="string: of the example",
        rows__quantity="string: what was computed, such as a.grad",
        rows__ok="boolean: the numbers agree within the example's tolerance",
        rows__expected="number or null: as published",
        rows__obtained="number or null: by Gradstep",
        rows__difference="number or null: distance of the two",
        rows__reasons="object: for each of these that is null, its words, such as a limit",
    ),
)
