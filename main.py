"""Gradstep's command line: open the window, or run, export, check, train, show the gallery and more without one.

Everything but the window works without a display. Exit code 0; 1 when a check fails; 2 with one line for wrong use or
an output that cannot be written; 128 and the signal's number when a signal ended the command.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from engine import __version__
from engine.commands import lessons, programs, training
from engine.commands.inputs import WrongUse, check_opened, named_file, read_file, shown, whole_number
from engine.messages import did_you_mean
from engine.terminal import (
    OutputLost,
    Stopped,
    flush_output,
    forget_output,
    say,
    say_error,
    say_text,
    stopped_by_signals,
)

CLOSED_OUTPUT = 141
"""What a shell says of a command whose output nobody reads any more (128 + SIGPIPE)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: as typed; those of the process when None.

    Returns:
        The exit code.
    """
    try:
        with stopped_by_signals():
            return _command(sys.argv[1:] if arguments is None else list(arguments))
    except Stopped as stopped:
        say_error(f"stopped by {stopped.words}")
        return stopped.code
    except OutputLost as lost:
        forget_output()
        if lost.is_closed:
            return CLOSED_OUTPUT
        say_error(f"what was said could not be written: {lost.reason}")
        return 2


def _command(arguments: list[str]) -> int:
    """Runs what was typed; what can be mended by typing something else is one line."""
    try:
        options = _parser(arguments).parse_args(_with_window(arguments))
        code: int = options.command(options)
    except OSError as error:
        say_error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        code = 2
    except ImportError as error:
        say_error(f"a library that this needs cannot be loaded: {error}")
        code = 2
    except (WrongUse, ValueError) as error:
        say_error(str(error))
        code = 2
    flush_output()
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        say_error(f"{message} (--help shows what there is)")
        raise SystemExit(2)

    def _print_message(self, message: str, file: object = None) -> None:
        say_text(message)
        flush_output()


def _with_window(arguments: list[str]) -> list[str]:
    """`window` is the command when none is named; a word that is nearly a command and not a file is a mistake."""
    named = [word for word in arguments if not word.startswith("-")]
    helps = {"-h", "--help", "--version"} & set(arguments)
    if (named and named[0] in COMMANDS) or helps:
        return arguments
    hint = did_you_mean(named[0], COMMANDS) if named and not os.path.lexists(named[0]) else ""
    if hint:
        say_error(f"there is no command and no file {named[0]!r}{hint}")
        raise SystemExit(2)
    return ["window", *arguments]


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Knows all commands, and the options of those that are named: for some of them a library has to be loaded."""
    parser = _Parser(prog="gradstep", description="See how autograd and neural networks work.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for name, (run, words, add_options) in COMMANDS.items():
        sub = commands.add_parser(name, help=words, description=words)
        sub.set_defaults(command=run)
        if name in (*arguments, "window"):
            add_options(sub)
    return parser


def window(options: argparse.Namespace) -> int:
    """Opens the window."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # with two, the window and the training wait for each other
    from gui.display import NoDisplay, open_application

    if options.file is not None:
        check_opened(options.file)
    gc.disable()  # what starting makes stays; gui.app collects from then on
    try:
        application = open_application()
    except NoDisplay as error:
        raise WrongUse(str(error)) from None
    from gui.app import run

    code = run(options.file, options.lessons, options.lesson)
    del application
    return code


def _without_display() -> None:
    """Lets Qt draw in memory: no window is wanted."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")


def export(options: argparse.Namespace) -> int:
    """Writes the graph as a picture or a text format, or its backward pass or the training as a moving one."""
    output = named_file("-o", options.output, options.frames)
    _without_display()
    if options.training:
        return _export_training(options, output)
    from gui.app import make_application
    from gui.export.exports import export_frames, export_graph
    from gui.export.target import target
    from gui.theme import THEMES

    output = output if options.frames else target(output)
    _check_export(output, options.file)
    document = read_file(options.file).document
    graph = shown(document)
    if not graph.roots:
        raise WrongUse("nothing to export: the program is empty")
    application = make_application()
    view = document.view.redrawn(direction=options.direction, form=options.form, layout=options.layout)
    colors = THEMES[options.theme]
    if options.frames:
        written = export_frames(graph, output, colors, view, options.scale)
    else:
        written = export_graph(graph, output, colors, view, options.scale, options.transparent)
    say(written.note or f"wrote {written.path}")
    del application
    return 0


def _export_training(options: argparse.Namespace, output: Path) -> int:
    """Trains the session's network from its first weights, and writes that as a moving picture."""
    from dataclasses import replace

    from engine.document import Trained
    from engine.terminal import share_line
    from gui.app import make_application
    from gui.export.animation import write_animation
    from gui.export.target import extension_of, naming
    from gui.export.training_film import DEFAULT_STEPS, TrainingFilm, filmed_new_run
    from gui.theme import THEMES

    if extension_of(output) != "gif" or options.frames:
        raise WrongUse(f"--training writes a GIF: name a file such as {output.with_suffix('.gif')}")
    _check_export(output, options.file)
    read = read_file(options.file)
    if read.is_program:
        raise WrongUse(f"{options.file} is a program: --training wants a session")
    application = make_application()
    document = replace(read.document, trained=Trained())
    steps = options.steps or read.document.trained.step or DEFAULT_STEPS
    with naming(output), share_line(f"{output.name}") as report:
        filmed = filmed_new_run(document, steps, lambda share: report(share / 2))
        film = TrainingFilm(document, filmed, THEMES[options.theme], options.scale)
        written = write_animation(film, output, lambda share: report((1 + share) / 2))
    say(written.note or f"wrote {written.path}: {film.words(film.frame_count - 1)}")
    del application
    return 0


def _check_export(output: Path, source: Path) -> None:
    """Refuses an output that is what is read or cannot be written; frames go into a folder that may be new."""
    from engine.session_file.outputs import check_outputs

    check_outputs({"-o": output / "frame_001.png" if output.is_dir() else output}, {"the file": source})


def tour(options: argparse.Namespace) -> int:
    """Makes pictures of the whole program at work."""
    if options.folder.exists() and not options.folder.is_dir():
        raise WrongUse(f"{options.folder} is a file; the pictures go into a folder")
    _without_display()
    from gui.tour import make_tour

    for path in make_tour(options.folder):
        say(f"wrote {path}")
    return 0


def print_lesson(options: argparse.Namespace) -> int:
    """Writes a lesson as a handout."""
    from engine.session_file.outputs import check_outputs

    output = named_file("-o", options.output)
    lesson, source = lessons.chosen_lesson(options.lesson)
    check_outputs({"-o": output}, {"the lesson": source})
    _without_display()
    from gui.app import make_application
    from gui.export.handout import write_handout

    application = make_application()
    write_handout(lesson, output, hints=options.hints, solutions=options.solutions)
    say(f"wrote {output}")
    del application
    return 0


def _scale(text: str) -> float:
    scale = float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,18})?|\.[0-9]{1,18}", text) else 0.0
    if not 0.01 <= scale <= 20:
        raise argparse.ArgumentTypeError("a scale is a number from 0.01 to 20")
    return scale


def _window_options(parser: argparse.ArgumentParser) -> None:
    words = "session (.gradstep), program (.txt, .py), or table to import (.csv)"
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help=words)
    parser.add_argument(
        "--lessons", type=Path, action="append", default=[], metavar="FOLDER", help="a folder of lessons of your own"
    )
    parser.add_argument("--lesson", metavar="NAME", help="open a lesson: a number, name or title of `lessons list`")


def _export_options(parser: argparse.ArgumentParser) -> None:
    from engine.graph.formats import FORMATS
    from engine.graph.forms import FORMS
    from engine.graph.legibility import AUTO, DIRECTIONS
    from engine.layout import LAYOUTS

    formats = ", ".join(FORMATS)
    with contextlib.suppress(ImportError):  # without Qt nothing is drawn, but help is given
        from gui.export.target import FORMAT_NAMES

        formats = ", ".join(FORMAT_NAMES)
    parser.add_argument("file", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT",
        help=f"its extension says the format: {formats} (gif is the backward pass)",
    )  # fmt: skip
    parser.add_argument(
        "--frames", action="store_true", help="write the backward pass as frame_001.png, ... into the folder OUT"
    )
    parser.add_argument(
        "--training", action="store_true", help="write the session's training from its first weights as a GIF"
    )
    parser.add_argument(
        "--steps",
        type=whole_number,
        metavar="N",
        help="of that training (default: as many as the session has, or 1000)",
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    for option, choices, words in (
        ("--direction", (AUTO, *DIRECTIONS), "how the graph runs; auto: so that texts are largest on a page"),
        ("--form", (AUTO, *FORMS), "how name and numbers stand in a box"),
        ("--layout", tuple(LAYOUTS), "what places the nodes"),
    ):
        parser.add_argument(option, choices=choices, help=f"{words} (default: as the session says)")
    parser.add_argument("--scale", type=_scale, help="pixels per scene pixel of a PNG (default 2), GIF or frames (1)")
    parser.add_argument("--transparent", action="store_true", help="no background (PNG, SVG, PDF)")


def _lessons_options(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(metavar="list|check|print", required=True)
    for name, (run, words, add_options) in LESSON_COMMANDS.items():
        part = parts.add_parser(name, help=words, description=words)
        part.set_defaults(command=run)
        add_options(part)


def _print_options(parser: argparse.ArgumentParser) -> None:
    words = "a file (.md); or a lesson of Gradstep's own: number, name or title of `lessons list`"
    parser.add_argument("lesson", metavar="LESSON", help=words)
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="a page .html, or a document .pdf")
    parser.add_argument("--hints", action="store_true", help="add the hints at the end")
    parser.add_argument("--solutions", action="store_true", help="add solutions and wrong answers at the end")


def _tour_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the pictures go")


COMMANDS = {
    "window": (window, "open the window (the default)", _window_options),
    "run": (programs.run, "run a program and print what it prints", programs.run_options),
    "export": (export, "write the graph as a picture or text", _export_options),
    "check": (programs.check, "compare every gradient three ways", programs.check_options),
    "train": (training.train, "train the session's network", training.train_options),
    "sweep": (training.sweep, "train it many times with settings that vary", training.sweep_options),
    "lessons": (window, "list, check or print lessons", _lessons_options),
    "gallery": (programs.gallery, "published examples: expected, obtained, pass or fail", lambda parser: None),
    "tour": (tour, "pictures of the whole program at work", _tour_options),
}
LESSON_COMMANDS = {
    "list": (lessons.list_lessons, "number, title and minutes of each lesson of a folder", lessons.list_options),
    "check": (lessons.check_lessons, "read lessons and play every step of them", lessons.check_options),
    "print": (print_lesson, "write a lesson as a handout", _print_options),
}

if __name__ == "__main__":
    if getattr(sys, "frozen", False):  # made by PyInstaller: worker processes start this very file
        from multiprocessing import freeze_support

        freeze_support()
    sys.exit(main())
