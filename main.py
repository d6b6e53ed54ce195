"""Gradstep's command line: open the window, or export, check, train, show the gallery and make the tour without one.

Everything but the window works without a display. Exit code 0; 1 when a check fails; 2 with one line for wrong use.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from engine import __version__

if TYPE_CHECKING:
    from engine.document import Document, View
    from engine.document.shown import Shown
    from engine.network import Trainer

NO_DISPLAY = (
    "no display: a window needs DISPLAY or WAYLAND_DISPLAY; export, check, train, gallery and tour work without"
)


class WrongUse(Exception):
    """Something the user can mend, said in one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: as typed; those of the process when None.

    Returns:
        The exit code.
    """
    options = _parser().parse_args(_with_window(sys.argv[1:] if arguments is None else list(arguments)))
    try:
        code: int = options.command(options)
        return code
    except (WrongUse, OSError, ValueError) as error:
        print(f"gradstep: {error}", file=sys.stderr)
        return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"gradstep: {message} (--help shows what there is)", file=sys.stderr)
        raise SystemExit(2)


def _with_window(arguments: list[str]) -> list[str]:
    """`window` is the command when none is named."""
    named = [word for word in arguments if not word.startswith("-")]
    helps = {"-h", "--help", "--version"} & set(arguments)
    return arguments if (named and named[0] in COMMANDS) or helps else ["window", *arguments]


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="gradstep", description="See how autograd and neural networks work.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for name, (run, words, add_options) in COMMANDS.items():
        sub = commands.add_parser(name, help=words, description=words)
        sub.set_defaults(command=run)
        add_options(sub)
    return parser


def _read(path: Path) -> Document:
    """The document of a session file, or a default one around a program text."""
    from engine.document import Document, from_json, replace_section
    from engine.document.files import read_text

    try:
        text = read_text(path)
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise WrongUse(f"{path}: {error}") from None
    if path.suffix in (".txt", ".py"):
        return replace_section(Document(), "expression", text=text)
    try:
        return from_json(text)
    except ValueError as error:
        raise WrongUse(f"{path}: {error}") from None


def _dataset(document: Document):  # type: ignore[no-untyped-def]  # a datasets.Dataset, imported only when needed
    from datasets import make_dataset

    data = document.data
    return make_dataset(data.name, data.n_samples, data.noise, data.seed)


def _shown(document: Document) -> Shown:
    """What the canvas would show for the document."""
    from engine.autograd import ExpressionError, evaluate
    from engine.document.sample import show_network
    from engine.document.shown import show_expression

    view = document.view
    if view.shows == "network":
        dataset = _dataset(document)
        return show_network(document, dataset.X, dataset.y).shown
    try:
        evaluation = evaluate(document.expression.text)
        return show_expression(evaluation, view.hide_constants, view.expanded, view.collapsed)
    except ExpressionError as error:
        raise WrongUse(f"line {error.line}, column {error.column}: {error.message}") from None


def window(options: argparse.Namespace) -> int:
    """Opens the window."""
    if not _has_display():
        raise WrongUse(NO_DISPLAY)
    gc.disable()  # what starting makes stays; gui.app collects from then on
    from gui.app import run

    return run(options.file)


def _has_display() -> bool:
    if sys.platform.startswith(("win", "darwin")) or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _without_display() -> None:
    """Lets Qt draw in memory: no window is wanted."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")


def export(options: argparse.Namespace) -> int:
    """Writes the graph as a picture or a text format, or its backward pass as a moving one."""
    output = _output(options)
    document = _read(options.file)
    shown = _shown(document)
    if not shown.roots:
        raise WrongUse("nothing to export: the program is empty")
    _without_display()
    from gui.app import make_application
    from gui.exports import export_frames, export_shown
    from gui.theme import THEMES

    application = make_application()
    view, colors = _view(document, options.direction), THEMES[options.theme]
    if options.frames:
        written = export_frames(shown, output, colors, view, options.scale)
    else:
        written = export_shown(shown, output, colors, view, options.scale, options.transparent)
    print(written.note or f"wrote {written.path}")
    del application
    return 0


def _output(options: argparse.Namespace) -> Path:
    """Where an export goes; a folder only for frames."""
    text: str = options.output
    if not text:
        raise WrongUse("the name after -o is empty")
    if text.endswith(("/", os.sep)) and not options.frames:
        raise WrongUse(
            f"{text} is a folder: name a file in it, or ask with --frames for the frames of the backward pass"
        )
    path = Path(text)
    if options.frames and path.suffix and not path.is_dir() and not text.endswith(("/", os.sep)):
        raise WrongUse(f"--frames wants a folder, not {text}; a folder of that name is written {text}/")
    return path


def _view(document: Document, direction: str | None) -> View:
    """The document's view, turned where asked; nodes dragged by hand keep their places only in its own direction."""
    import dataclasses

    view = document.view
    if direction in (None, view.direction):
        return view
    return dataclasses.replace(view, direction=direction, moved=())


def check(options: argparse.Namespace) -> int:
    """Compares every node's gradient with a central difference and a complex step."""
    from engine.autograd import check_gradients
    from engine.autograd.notation import counted

    shown = _shown(_read(options.file))
    if shown.root is None:
        raise WrongUse("nothing to check: the program is empty")
    rows = check_gradients(shown.root)
    width = max(len(row.label) for row in rows)
    for row in rows:
        complex_step = "–" if row.complex_step is None else f"{row.complex_step:.12g}"
        mark = "✓" if row.ok else "✗"
        figures = f"{row.backward:>18.12g} {row.central_difference:>18.12g} {complex_step:>18}"
        print(f"{mark} {row.label:<{width}} {figures}  {counted(row.agreeing_digits, 'digit'):>9}  {row.note}".rstrip())
    wrong = sum(not row.ok for row in rows)
    agree = "agrees" if len(rows) - wrong == 1 else "agree"
    gradients = counted(len(rows), "gradient")
    print(f"{len(rows) - wrong} of {gradients} {agree} (backward, central difference, complex step)")
    return 1 if wrong else 0


def train(options: argparse.Namespace) -> int:
    """Trains the session's network without a window."""
    import dataclasses

    from engine.document import to_json
    from engine.document.assemble import make_model, make_trainer
    from engine.document.files import write_atomically
    from engine.document.saved_run import trained_at

    if options.steps < 1:
        raise WrongUse(f"--steps is 1 or more, not {options.steps}")
    document = _read(options.file)
    dataset = _dataset(document)
    trainer = make_trainer(document, make_model(document), dataset.X, dataset.y)
    stopped = _run(trainer, options.steps)
    if options.log is not None:
        rows = "".join(f"{step},{loss!r}\n" for step, loss in enumerate(trainer.losses))
        write_atomically(options.log, f"step,loss\n{rows}".encode())
    if stopped:
        raise WrongUse(stopped)
    snapshot = trainer.snapshot()
    if options.output is not None:
        trained = trained_at(snapshot)
        write_atomically(options.output, to_json(dataclasses.replace(document, trained=trained)).encode())
    accuracy = "" if snapshot.accuracy is None else f", accuracy {snapshot.accuracy:.1%}"
    print(f"step {snapshot.step}: loss {snapshot.loss:.6g}{accuracy}")
    return 0


def _run(trainer: Trainer, steps: int) -> str:
    """Trains; why it could not go on, "" when it could."""
    from engine.network import TrainingDiverged

    try:
        trainer.run(steps)
    except TrainingDiverged as error:
        return str(error)
    return ""


def gallery(options: argparse.Namespace) -> int:
    """Shows the published worked examples: expected, obtained, pass or fail."""
    from engine.document.gallery import run_gallery

    rows = run_gallery()
    for row in rows:
        mark = "pass" if row.ok else "FAIL"
        print(f"{mark}  {row.example:<5} {row.title:<44} {row.quantity:<10} {row.expected:>22}  {row.obtained:>22}")
    failed = sum(not row.ok for row in rows)
    print(f"{len(rows) - failed} of {len(rows)} published numbers reproduced")
    return 1 if failed else 0


def tour(options: argparse.Namespace) -> int:
    """Makes pictures of the whole program at work."""
    _without_display()
    from gui.tour import make_tour

    for path in make_tour(options.folder):
        print(f"wrote {path}")
    return 0


def _positive(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.01 <= scale <= 20:
        raise argparse.ArgumentTypeError("a scale is a number from 0.01 to 20")
    return scale


def _window_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")


def _export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT",
        help="its extension says the format: png, svg, pdf, gif (the backward pass), dot, graphml, json, txt, tex",
    )  # fmt: skip
    parser.add_argument(
        "--frames", action="store_true", help="write the backward pass as frame_001.png, ... into the folder OUT"
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument(
        "--direction", choices=("right", "down"), help="how the graph runs (default: as the session says)"
    )
    parser.add_argument(
        "--scale", type=_positive, help="pixels per scene pixel of a PNG (default 2), GIF or frames (1)"
    )
    parser.add_argument("--transparent", action="store_true", help="no background (PNG, SVG, PDF)")


def _check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="session (.gradstep) or program (.txt, .py)")


def _train_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="SESSION", help="session (.gradstep)")
    parser.add_argument("--steps", type=int, required=True, metavar="N", help="how many updates")
    parser.add_argument("--log", type=Path, metavar="CSV", help="where to write the loss that each step saw")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="where to write the trained session")


def _tour_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the pictures go")


COMMANDS = {
    "window": (window, "open the window (the default)", _window_options),
    "export": (export, "write the graph as a picture or text", _export_options),
    "check": (check, "compare every gradient three ways", _check_options),
    "train": (train, "train the session's network", _train_options),
    "gallery": (gallery, "published examples: expected, obtained, pass or fail", lambda parser: None),
    "tour": (tour, "pictures of the whole program at work", _tour_options),
}

if __name__ == "__main__":
    sys.exit(main())
