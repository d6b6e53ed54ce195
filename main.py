"""Gradstep's command line: open the window, or run, export, check, train, show the gallery and more without one.

Everything but the window works without a display. The table of all commands is at the end; exit codes, help, completion
and the commands that need no Qt are in `engine/commands`.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.commands import code, comparing, completion, lessons, programs, training, with_qt
from engine.commands.command import DONE, SESSION, UNREAD, WRONG_USE, Command, CommandError, WrongKind, WrongUse
from engine.commands.inputs import check_opened, named_file, read_file, shown
from engine.commands.json_output import error_object, say_json
from engine.commands.parser import commands_for, make_parser, with_command
from engine.terminal import (
    OutputLost,
    Progress,
    Stopped,
    end_by_signals_from_now_on,
    ended_by_signals,
    flush_output,
    forget_output,
    say,
    say_error,
    stopped_by_signals,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: as typed; those of the process when None.

    Returns:
        The exit code, see `EXIT_CODES`.
    """
    if arguments is None:
        end_by_signals_from_now_on()
    typed = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _command(typed)
    except OutputLost as lost:
        forget_output()
        if lost.is_closed:
            return UNREAD
        say_error(f"the output could not be written: {lost.reason}")
        return WRONG_USE


def _command(typed: list[str]) -> int:
    """Run what was typed; report an error in one line, and as JSON where that is asked for."""
    try:
        with stopped_by_signals():
            words = with_command(typed, COMMANDS)
            options = make_parser(COMMANDS, words).parse_args(words)
            code: int = options.command(options)
            flush_output()
            return code
    except Stopped as stopped:
        return _ended(typed, f"stopped by {stopped.words}", stopped.code)
    except SystemExit as end:  # of argparse, after help and the version
        return DONE if end.code is None else int(end.code)
    except WrongKind as error:
        others = ", ".join(commands_for(error.kind, COMMANDS))
        hint = f"commands for {error.kind.name}: {others}" if others else "no command reads it"
        return _ended(typed, WrongUse(f"{error.message} ({hint})"))
    except CommandError as error:
        return _ended(typed, error)
    except OSError as error:
        return _ended(typed, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except ImportError as error:
        return _ended(typed, f"a library that this needs cannot be loaded: {error}")
    except ValueError as error:
        return _ended(typed, str(error))


def _ended(typed: Sequence[str], error: CommandError | str, code: int = WRONG_USE) -> int:
    """Report an error that ended a command; return the exit code."""
    if "--json" in typed:
        say_json(False, error_object(error))
        flush_output()
    say_error(str(error))
    return error.code if isinstance(error, CommandError) else code


def window(options: argparse.Namespace) -> int:
    """Open the window."""
    with ended_by_signals():  # while it starts there is nothing to save
        return _window(options)


def _window(options: argparse.Namespace) -> int:
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
    """Make Qt draw in memory: no window is wanted."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")


def export(options: argparse.Namespace) -> int:
    """Write the graph as a picture or text, or its backward pass or the training as a moving picture."""
    output = named_file("-o", options.output, options.frames)
    _without_display()
    if options.training:
        return _export_training(options, output)
    from dataclasses import replace
    from functools import partial

    from engine.page import page_of_document
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
        page = partial(page_of_document, replace(document, view=view), graph)
        written = export_graph(graph, output, colors, view, options.scale, options.transparent, page)
    say(written.note or f"wrote {written.path}")
    del application
    return 0


def _export_training(options: argparse.Namespace, output: Path) -> int:
    """Train the session's network from its first weights, and write that as a moving picture."""
    from dataclasses import replace

    from engine.document import Trained
    from gui.app import make_application
    from gui.export.animation import write_animation
    from gui.export.target import extension_of, naming
    from gui.export.training_film import DEFAULT_STEPS, TrainingFilm, filmed_new_run
    from gui.theme import THEMES

    if extension_of(output) != "gif" or options.frames:
        raise WrongUse(f"--training writes a GIF: name a file such as {output.with_suffix('.gif')}")
    _check_export(output, options.file)
    read = read_file(options.file, SESSION)
    application = make_application()
    document = replace(read.document, trained=Trained())
    steps = options.steps or read.document.trained.step or DEFAULT_STEPS
    with naming(output), Progress(f"Writing {output.name}") as progress:
        filmed = filmed_new_run(document, steps, lambda share: progress.show(share / 2))
        film = TrainingFilm(document, filmed, THEMES[options.theme], options.scale)
        written = write_animation(film, output, lambda share: progress.show((1 + share) / 2))
    say(written.note or f"wrote {written.path}: {film.words(film.frame_count - 1)}")
    del application
    return 0


def _check_export(output: Path, source: Path) -> None:
    """Refuse an output that is what is read or cannot be written; frames go into a folder that may be new."""
    from engine.session_file.outputs import check_outputs

    check_outputs({"-o": output / "frame_001.png" if output.is_dir() else output}, {"the file": source})


def tour(options: argparse.Namespace) -> int:
    """Make pictures of the whole program at work."""
    if options.folder.exists() and not options.folder.is_dir():
        raise WrongUse(f"{options.folder} is a file; the pictures go into a folder")
    _without_display()
    from gui.tour import make_tour

    for path in make_tour(options.folder):
        say(f"wrote {path}")
    return 0


def print_lesson(options: argparse.Namespace) -> int:
    """Write a lesson as a handout."""
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


WINDOW = Command(
    window,
    "open the window (the default)",
    "open",
    with_qt.window_options,
    examples=(
        ("neuron.py", "open the window with a program, a session, or a table to import"),
        ("window moons.gradstep", "the same, written out"),
        ("--lesson 1", "open the first lesson; `lessons list` shows all"),
    ),
)
EXPORT = Command(
    export,
    "write the graph as a picture or text",
    "take away",
    with_qt.export_options,
    examples=(
        ("export neuron.py -o neuron.png", "the graph as a picture"),
        ("export neuron.py -o neuron.svg --theme dark --direction down", "dark, from top to bottom, for a page"),
        ("export moons.gradstep -o moons.dot", "as text for Graphviz"),
        ("export neuron.py -o neuron.html", "as a page to step through, for a blog or a handout"),
        ("export moons.gradstep -o run.gif --training --steps 100", "the training as a moving picture"),
    ),
    failed="the program stopped with an error",
)
PRINT = Command(
    print_lesson,
    "write a lesson as a handout",
    "take away",
    with_qt.print_options,
    examples=(
        ("lessons print 1 -o lesson.html", "the first lesson as a page"),
        ("lessons print course/first.md -o first.pdf --solutions", "a lesson of your own, with solutions"),
    ),
)
TOUR = Command(
    tour,
    "pictures of the whole program at work, when there is no display",
    "open",
    with_qt.tour_options,
    examples=(("tour pictures", "write the pictures into the folder `pictures`"),),
)
COMMANDS: dict[str, Command] = {
    "window": WINDOW,
    "run": programs.RUN,
    "check": programs.CHECK,
    "compare": comparing.COMPARE,
    "train": training.TRAIN,
    "sweep": training.SWEEP,
    "export": EXPORT,
    "code": code.CODE,
    "lessons": Command(
        window,
        "list, check or print lessons",
        "learn",
        failed="a lesson has an error",
        parts={"list": lessons.LIST, "check": lessons.CHECK, "print": PRINT},
    ),
    "gallery": programs.GALLERY,
    "tour": TOUR,
    "completion": Command(
        lambda options: completion.print_script(options, make_parser(COMMANDS)),
        "completion of commands and options for your shell",
        "shell",
        completion.options,
        examples=completion.EXAMPLES,
    ),
}
"""All commands; help, completion and the contract tests are made from this table."""

if __name__ == "__main__":
    if getattr(sys, "frozen", False):  # made by PyInstaller: worker processes start this very file
        from multiprocessing import freeze_support

        freeze_support()
    sys.exit(main())
