"""`gradstep run FILE`: print a program's output as it runs, and its error with the line."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.commands.inputs import read_file
from engine.terminal import flush_output, say_error, say_printed


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
