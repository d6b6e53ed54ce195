"""Gradstep's command line: open the window, or export, check, train, show the gallery and make the tour without one.

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
from typing import TYPE_CHECKING, NoReturn

from engine import __version__
from engine.messages import did_you_mean, visible
from engine.terminal import (
    OutputLost,
    Stopped,
    StopRequest,
    complain,
    flush_output,
    forget_output,
    say,
    say_text,
    stopped_by_signals,
)

if TYPE_CHECKING:
    from engine.document import Document, View
    from engine.document.files import DocumentFile
    from engine.document.graph_view import GraphView
    from engine.language import Evaluation, Note, Problem

MOST_STEPS = 10**12
CLOSED_OUTPUT = 141
"""What a shell says of a command whose output nobody reads any more (128 + SIGPIPE)."""


class WrongUse(Exception):
    """Something the user can mend, said in one line."""


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
        complain(f"stopped by {stopped.words}")
        return stopped.code
    except OutputLost as lost:
        forget_output()
        if lost.is_closed:
            return CLOSED_OUTPUT
        complain(f"what was said could not be written: {lost.reason}")
        return 2


def _command(arguments: list[str]) -> int:
    """Runs what was typed; what can be mended by typing something else is one line."""
    try:
        options = _parser(arguments).parse_args(_with_window(arguments))
        code: int = options.command(options)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        code = 2
    except ImportError as error:
        complain(f"a library that this needs cannot be loaded: {error}")
        code = 2
    except (WrongUse, ValueError) as error:
        complain(str(error))
        code = 2
    flush_output()
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        complain(f"{message} (--help shows what there is)")
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
        complain(f"there is no command and no file {named[0]!r}{hint}")
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


def _read(path: Path) -> DocumentFile:
    """What a session file, in which everything fits together, or a program holds."""
    from engine.document.consistency import check_consistent
    from engine.document.files import read_document, reason_of

    try:
        read = read_document(path)
        check_consistent(read.document)
    except (OSError, ValueError) as error:
        raise WrongUse(f"{path}: {reason_of(error)}") from None
    return read


def _shown(document: Document) -> GraphView:
    """What the canvas would show for the document."""
    from engine.document.consistency import check_consistent
    from engine.document.graph_view import show_expression
    from engine.document.sample import show_network

    view = document.view
    if view.shows == "network":
        dataset = check_consistent(document)
        return show_network(document, dataset.X, dataset.y).graph_view
    return show_expression(_evaluation(document), view.hide_constants, view.expanded, view.collapsed)


def _evaluation(document: Document) -> Evaluation:
    """What the document's program means."""
    from engine.language import ProgramError, evaluate

    try:
        return evaluate(document.expression.text)
    except ProgramError as error:
        raise WrongUse(f"line {error.line}, column {error.column}: {error.message}") from None


def window(options: argparse.Namespace) -> int:
    """Opens the window."""
    from gui.display import NoDisplay, open_application

    if options.file is not None:
        _read(options.file)
    gc.disable()  # what starting makes stays; gui.app collects from then on
    try:
        application = open_application()
    except NoDisplay as error:
        raise WrongUse(str(error)) from None
    from gui.app import run

    code = run(options.file)
    del application
    return code


def _without_display() -> None:
    """Lets Qt draw in memory: no window is wanted."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")


def export(options: argparse.Namespace) -> int:
    """Writes the graph as a picture or a text format, or its backward pass as a moving one."""
    output = _named_file("-o", options.output, options.frames)
    _without_display()
    from gui.app import make_application
    from gui.export.exports import export_frames, export_graph
    from gui.export.target import target
    from gui.theme import THEMES

    output = output if options.frames else target(output)
    _check_export(output, options.file)
    document = _read(options.file).document
    shown = _shown(document)
    if not shown.roots:
        raise WrongUse("nothing to export: the program is empty")
    application = make_application()
    view, colors = _view(document, options.direction), THEMES[options.theme]
    if options.frames:
        written = export_frames(shown, output, colors, view, options.scale)
    else:
        written = export_graph(shown, output, colors, view, options.scale, options.transparent)
    say(written.note or f"wrote {written.path}")
    del application
    return 0


def _named_file(option: str, text: str, frames: bool = False) -> Path:
    """Where an output goes; a folder only for frames."""
    if not text:
        raise WrongUse(f"the name after {option} is empty")
    path, is_folder = Path(text), text.endswith(("/", os.sep))
    if is_folder and not frames:
        hint = ", or ask with --frames for the frames of the backward pass" if option == "-o" else ""
        raise WrongUse(f"{text} is a folder: name a file in it{hint}")
    if frames and path.suffix and not path.is_dir() and not is_folder:
        raise WrongUse(f"--frames wants a folder, not {text}; a folder of that name is written {text}/")
    return path


def _check_export(output: Path, source: Path) -> None:
    """Refuses an output that is what is read or cannot be written; frames go into a folder that may be new."""
    from engine.document.outputs import check_outputs

    check_outputs({"-o": output / "frame_001.png" if output.is_dir() else output}, {"the file": source})


def _view(document: Document, direction: str | None) -> View:
    """The document's view, turned where asked; nodes dragged by hand keep their places only in its own direction."""
    import dataclasses

    view = document.view
    if direction in (None, view.direction):
        return view
    return dataclasses.replace(view, direction=direction, moved=(), moved_in_network=())


def check(options: argparse.Namespace) -> int:
    """Compares every node's gradient with a central difference and a complex step."""
    from engine.autograd import check_gradients
    from engine.autograd.check import summary
    from engine.autograd.notation import counted

    document = _read(options.file).document
    shown = _shown(document)
    if document.view.shows == "expression":
        _tell_notes(_evaluation(document))
    if shown.root is None:
        raise WrongUse("nothing to check: the program is empty")
    rows = check_gradients(shown.root)
    labels = [visible(row.label) for row in rows]
    width = max(map(len, labels))
    for row, label in zip(rows, labels, strict=True):
        complex_step = "–" if row.complex_step is None else f"{row.complex_step:.12g}"
        figures = f"{row.backward:>18.12g} {row.central_difference:>18.12g} {complex_step:>18}"
        digits = counted(row.agreeing_digits, "digit") if row.defined else ""
        say(f"{row.mark} {label:<{width}} {figures}  {digits:>9}  {row.note}".rstrip())
    say(f"{summary(rows)} (backward, central difference, complex step)")
    return 0 if all(row.ok for row in rows) else 1


def _tell_notes(evaluation: Evaluation) -> None:
    """Says what the window writes under a program: a line for each problem and note."""
    remarks: list[Problem | Note] = [*evaluation.problems, *evaluation.notes]
    for remark in remarks:
        complain(f"line {remark.line}: {remark.message}")


def train(options: argparse.Namespace) -> int:
    """Trains the session's network without a window."""
    from engine.document.advice import slow_step_note
    from engine.document.headless import train_document
    from engine.document.outputs import check_outputs
    from engine.document.saved_run import curve_of
    from engine.network.loss_curve import LossCurve

    named = {"--log": options.log, "-o": options.output}
    outputs = {option: _named_file(option, name) for option, name in named.items() if name is not None}
    check_outputs(outputs, {"the session": options.file})
    read = _read(options.file)
    if read.is_program:
        raise WrongUse(f"{options.file} is a program: train wants a session, as File > Save in the window writes it")
    if note := slow_step_note(read.document):
        complain(note)
    trained = read.document.trained
    curve = LossCurve(trained.step, *curve_of(trained.curve))
    with StopRequest() as request:
        ending = train_document(
            read.document, options.steps, curve, outputs.get("--log"), outputs.get("-o"), lambda: bool(request.stopped)
        )
    line = "; ".join([ending.moment, *ending.failures])
    if request.stopped is not None:
        complain(f"stopped by {request.stopped.words} at {line}")
        return request.stopped.code
    if ending.is_good:
        say(line)
        return 0
    complain(line)
    return 2


def sweep(options: argparse.Namespace) -> int:
    """Trains the session's network many times with settings that vary, and writes what came out as a table."""
    from engine.document.files import reason_of, write_atomically
    from engine.document.outputs import check_outputs
    from engine.document.sweep import executor_for, runs_of, sweep
    from engine.document.sweep_table import in_order, parsed_variations, table_text

    output = _named_file("-o", options.output)
    check_outputs({"-o": output}, {"the session": options.file})
    read = _read(options.file)
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
        complain(f"stopped by {request.stopped.words}; {line}")
        return request.stopped.code
    say(line)
    return 0


def gallery(options: argparse.Namespace) -> int:
    """Shows the published worked examples: expected, obtained, pass or fail."""
    from engine.document.gallery import run_gallery

    rows = run_gallery()
    title, quantity = (max(len(getattr(row, name)) for row in rows) for name in ("title", "quantity"))
    for row in rows:
        mark, names = "pass" if row.ok else "FAIL", f"{row.title:<{title}} {row.quantity:<{quantity}}"
        say(f"{mark}  {row.example:<5} {names} {row.expected:>22}  {row.obtained:>22}")
    failed = sum(not row.ok for row in rows)
    say(f"{len(rows) - failed} of {len(rows)} published numbers reproduced")
    return 1 if failed else 0


def tour(options: argparse.Namespace) -> int:
    """Makes pictures of the whole program at work."""
    if options.folder.exists() and not options.folder.is_dir():
        raise WrongUse(f"{options.folder} is a file; the pictures go into a folder")
    _without_display()
    from gui.tour import make_tour

    for path in make_tour(options.folder):
        say(f"wrote {path}")
    return 0


def _scale(text: str) -> float:
    scale = float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,18})?|\.[0-9]{1,18}", text) else 0.0
    if not 0.01 <= scale <= 20:
        raise argparse.ArgumentTypeError("a scale is a number from 0.01 to 20")
    return scale


def _steps(text: str) -> int:
    steps = int(text) if re.fullmatch(r"[0-9]{1,13}", text) else 0
    if not 1 <= steps <= MOST_STEPS:
        raise argparse.ArgumentTypeError(f"the steps are a whole number from 1 to {MOST_STEPS:,}, not {text[:40]!r}")
    return steps


def _window_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")


def _export_options(parser: argparse.ArgumentParser) -> None:
    from engine.graph.formats import FORMATS

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
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument(
        "--direction", choices=("right", "down"), help="how the graph runs (default: as the session says)"
    )
    parser.add_argument("--scale", type=_scale, help="pixels per scene pixel of a PNG (default 2), GIF or frames (1)")
    parser.add_argument("--transparent", action="store_true", help="no background (PNG, SVG, PDF)")


def _check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")


def _train_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="SESSION", help="session (.gradstep)")
    parser.add_argument("--steps", type=_steps, required=True, metavar="N", help="how many updates")
    parser.add_argument("--log", metavar="CSV", help="where to write the loss that each step saw, as training goes on")
    parser.add_argument("-o", "--output", metavar="OUT", help="where to write the trained session")


def _sweep_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="SESSION", help="session (.gradstep)")
    varied = "a setting and its values, such as learning_rate=0.01,0.1 or width=2,4,8; may be given several times"
    parser.add_argument("--vary", action="append", required=True, metavar="NAME=VALUES", help=varied)
    parser.add_argument("--seeds", type=_steps, default=5, metavar="N", help="runs of each combination (5)")
    parser.add_argument("--steps", type=_steps, default=2000, metavar="N", help="updates of each run (2000)")
    places = parser.add_mutually_exclusive_group()
    places.add_argument("--workers", type=_steps, metavar="N", help="how many processes train (one for each core)")
    places.add_argument("--dask", metavar="ADDRESS", help="scheduler of a Dask cluster that trains")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.csv", help="where the table goes")


def _tour_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the pictures go")


COMMANDS = {
    "window": (window, "open the window (the default)", _window_options),
    "export": (export, "write the graph as a picture or text", _export_options),
    "check": (check, "compare every gradient three ways", _check_options),
    "train": (train, "train the session's network", _train_options),
    "sweep": (sweep, "train it many times with settings that vary", _sweep_options),
    "gallery": (gallery, "published examples: expected, obtained, pass or fail", lambda parser: None),
    "tour": (tour, "pictures of the whole program at work", _tour_options),
}

if __name__ == "__main__":
    sys.exit(main())
