"""`run`, `check` and `gallery`: a program's output, its gradients compared three ways, and the published examples."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.inputs import WrongUse, evaluated, read_file, shown
from engine.messages import visible
from engine.terminal import flush_output, say, say_error, say_printed


def run_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a program, or a session with one")


def run(options: argparse.Namespace) -> int:
    """Run a program in the sandbox; return 0, or 1 after an error, which is printed with its line and calls.

    A terminal shows control characters of the output as escapes such as `\\x1b`, because a program could change the
    terminal's title or colours with them. A file or a pipe gets the output unchanged.
    """
    from engine.language import ProgramError, evaluate
    from engine.language.machine_code import take_notice

    text = read_file(options.file).document.expression.text
    try:
        evaluate(text, on_output=lambda printed: say_printed(printed.text))
    except ProgramError as error:
        flush_output()
        say_error(f"line {error.line}, column {error.column}: {error.message}")
        for call in error.calls[:-1][:20]:
            say_error(f"  called from line {call.line}{f' in {call.name}' if call.name else ''}")
        return 1
    finally:
        if notice := take_notice():
            say_error(notice)
    return 0


if TYPE_CHECKING:
    from engine.language import Note, Problem


def check(options: argparse.Namespace) -> int:
    """Compare every node's gradient with a central difference and a complex step."""
    from engine.autograd import check_gradients
    from engine.autograd.check import summary
    from engine.autograd.notation import counted

    document = read_file(options.file).document
    graph = shown(document)
    if document.view.shows == "expression":
        evaluation = evaluated(document)
        remarks: list[Problem | Note] = [*evaluation.problems, *evaluation.notes]
        for remark in remarks:
            say_error(f"line {remark.line}: {remark.message}")
    if graph.root is None:
        raise WrongUse("nothing to check: the program is empty")
    rows = check_gradients(graph.root)
    labels = [visible(row.label) for row in rows]
    width = max(map(len, labels))
    for row, label in zip(rows, labels, strict=True):
        complex_step = "–" if row.complex_step is None else f"{row.complex_step:.12g}"
        figures = f"{row.backward:>18.12g} {row.central_difference:>18.12g} {complex_step:>18}"
        digits = counted(row.agreeing_digits, "digit") if row.defined else ""
        say(f"{row.mark} {label:<{width}} {figures}  {digits:>9}  {row.note}".rstrip())
    say(f"{summary(rows)} (backward, central difference, complex step)")
    return 0 if all(row.ok or not row.is_compared for row in rows) else 1


def check_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")


def gallery(options: argparse.Namespace) -> int:
    """Print the published worked examples: expected, obtained, pass or fail."""
    from engine.examples.gallery import reproduced, run_gallery

    rows = run_gallery()
    title, quantity = (max(len(getattr(row, name)) for row in rows) for name in ("title", "quantity"))
    for row in rows:
        mark, names = "pass" if row.ok else "FAIL", f"{row.title:<{title}} {row.quantity:<{quantity}}"
        say(f"{mark}  {row.example:<5} {names} {row.expected:>22}  {row.obtained:>22}  {row.difference:>8}".rstrip())
    say(reproduced(rows))
    return 0 if all(row.ok for row in rows) else 1
