"""The parser of the command line, made from the table of commands: help with examples, and errors with a suggestion.

It is argparse with three additions: the help of a command ends in its examples, exit codes and the keys of its JSON
object; wrong words get the nearest match; an error is raised as `WrongUse`, so that `main` reports all errors alike.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from engine import __version__
from engine.commands.command import (
    DONE,
    EXIT_CODES,
    FAILED,
    GROUPS,
    INTERRUPTED,
    WRONG_USE,
    Command,
    FileKind,
    WrongUse,
    completion_of,
)
from engine.messages import did_you_mean, quoted
from engine.terminal import flush_output, say_text

Commands = Mapping[str, Command]


def program_name() -> str:
    """Return the words with which the program was started, for help and examples."""
    return "python main.py" if Path(sys.argv[0]).name == "main.py" else "gradstep"


class Parser(argparse.ArgumentParser):
    """Parser of the program or of one command."""

    overview: Callable[[], str] | None = None
    """Writes the whole help in place of argparse."""
    _typed: Sequence[str] = ()

    def format_help(self) -> str:
        return self.overview() if self.overview is not None else super().format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; unknown words are an error of the command that has them, which knows its options."""
        self._typed = list(args or ())
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unexpected: {' '.join(unknown)}")
        return known, []

    def error(self, message: str) -> NoReturn:
        """Raise WrongUse; an unknown option is the reason of many other errors, so it is looked for first."""
        options = ["--version", *(option for option in self._option_string_actions if option.startswith("--"))]
        for word in self._typed:
            if word == "--":
                break
            name = word.partition("=")[0]
            if name.startswith("--") and not any(option.startswith(name) for option in options):
                hint = did_you_mean(name, options, str)
                raise WrongUse(f"there is no option {name}{hint} ({self.prog} --help shows all)")
        raise WrongUse(f"{message} ({self.prog} --help shows what there is)")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            message = f"invalid choice: {quoted(value)}{did_you_mean(value, known)} (there are: {', '.join(known)})"
            raise argparse.ArgumentError(action, message)

    def _print_message(self, message: str, file: object = None) -> None:
        say_text(message)
        flush_output()


def make_parser(commands: Commands, typed: Sequence[str] | None = None) -> Parser:
    """Return a parser of all commands.

    Args:
        commands: by name.
        typed: the arguments; a command that is not among them gets no options, as some of them load a library.
            None: all commands get their options.
    """
    parser = Parser(prog=program_name())
    parser.overview = lambda: overview(commands, parser.prog)
    parser.add_argument("--version", action="version", version=__version__)
    _add_commands(parser, commands, typed)
    return parser


def _add_commands(parser: Parser, commands: Commands, typed: Sequence[str] | None) -> None:
    parts = parser.add_subparsers(metavar="|".join(commands), required=True, parser_class=Parser)
    for name, command in commands.items():
        sub = parts.add_parser(
            name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub._positionals.title = "arguments"
        sub.set_defaults(command=command.run, json=False)
        if typed is not None and name not in typed:
            continue
        if command.parts:
            _add_commands(sub, command.parts, None)
        command.add_options(sub)
        if command.json:
            sub.add_argument("--json", action="store_true", help="print one JSON object, described below")
        sub.epilog = "\n".join(_epilog(command, parser.prog if not command.parts else sub.prog))


def _epilog(command: Command, prog: str) -> Iterator[str]:
    """Yield the lines below the options: examples, exit codes, keys of the JSON object."""
    start = program_name()
    examples = [*command.examples, *(example for part in command.parts.values() for example in part.examples)]
    yield "examples:"
    yield from _examples(examples, start)
    yield ""
    yield "exit codes:"
    yield f"  {DONE:>3}  {EXIT_CODES[DONE]}"
    if command.failed:
        yield f"  {FAILED:>3}  {command.failed}"
    yield f"  {WRONG_USE:>3}  wrong use, or a file that cannot be read or written"
    yield f"  {INTERRUPTED:>3}  stopped with Ctrl+C"
    if command.json:
        yield ""
        yield "JSON object of --json (a number that is not finite is null, and `reasons` says why):"
        width = max(map(len, command.json))
        for key, meaning in command.json.items():
            yield f"  {key:<{width}}  {meaning}"


def _examples(examples: Sequence[tuple[str, str]], start: str) -> Iterator[str]:
    for typed, meaning in examples:
        yield f"  {start} {typed}".rstrip()
        yield f"      {meaning}"


def overview(commands: Commands, prog: str) -> str:
    """Return the help of the whole program: the commands, grouped by what one wants to do."""
    lines = [
        f"usage: {prog} [FILE]",
        f"       {prog} COMMAND ...",
        f"       {prog} COMMAND --help      options and examples of a command",
        "",
        "See how autograd and neural networks work.",
    ]
    flat = dict(_flat(commands))
    width = max(map(len, flat))
    for group, heading in GROUPS.items():
        lines += ["", f"{heading}:"]
        lines += [f"  {name:<{width}}  {c.summary}" for name, c in flat.items() if c.group == group]
    first = [example for name in ("window", "run", "train") for example in commands[name].examples[:1]]
    lines += ["", "Examples:", *_examples(first, prog), "", "Exit codes:"]
    lines += [f"  {code:>3}  {meaning}" for code, meaning in EXIT_CODES.items()]
    lines += ["", "Everything but the window works without a display. --version prints the version.", ""]
    return "\n".join(lines)


def _flat(commands: Commands, before: str = "") -> Iterator[tuple[str, Command]]:
    """Yield all commands with their whole names; those of a group in its place."""
    for name, command in commands.items():
        if command.parts:
            yield from _flat(command.parts, f"{before}{name} ")
        else:
            yield before + name, command


def with_command(typed: Sequence[str], commands: Commands) -> list[str]:
    """Return the arguments with `window` in front when they name no command; `help run` is `run --help`.

    Raises:
        WrongUse: for a first word that is neither a command nor a file, and does not look like the name of one.
    """
    if typed[:1] == ["help"] and not os.path.lexists("help"):
        return [*typed[1:], "--help"]
    words = [word for word in typed if not word.startswith("-")]
    if (words and words[0] in commands) or {"-h", "--help", "--version"} & set(typed):
        return list(typed)
    first = words[0] if words and words[0] == typed[0] else ""
    if first and Path(first).name == first and not Path(first).suffix and not os.path.lexists(first):
        hint = did_you_mean(first, commands) or f" ({program_name()} --help shows the commands)"
        raise WrongUse(f"there is no command and no file {first!r}{hint}")
    return ["window", *typed]


def commands_for(kind: FileKind, commands: Commands) -> list[str]:
    """Return the commands that take a file of a kind, in the order of the table."""
    found = []
    for name, command in _flat(commands):
        parser = Parser(add_help=False)
        command.add_options(parser)
        if any(kind in completion_of(action).kinds for action in parser._actions):
            found.append(name)
    return found
