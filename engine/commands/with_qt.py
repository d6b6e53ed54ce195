"""Arguments of the commands that need Qt, without Qt, so that help and completion do not load it.

The commands themselves are in `main.py`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from engine.commands.command import (
    LESSON,
    PROGRAM,
    SESSION,
    TABLE,
    Completion,
    completed_by,
)
from engine.commands.inputs import add_file, whole_number
from engine.commands.lessons import lesson_names

PICTURES = ("png", "svg", "pdf", "gif", "html")
"""Extensions of pictures and of the page to step through; the text formats are in `engine.graph.formats`."""


def scale(text: str) -> float:
    """Parse the scale of a picture; ArgumentTypeError for anything but a number from 0.01 to 20."""
    number = float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,18})?|\.[0-9]{1,18}", text) else 0.0
    if not 0.01 <= number <= 20:
        raise argparse.ArgumentTypeError("a scale is a number from 0.01 to 20")
    return number


def window_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `window`."""
    add_file(parser, SESSION, PROGRAM, TABLE, optional=True)
    lessons = parser.add_argument(
        "--lessons", type=Path, action="append", default=[], metavar="FOLDER", help="a folder of lessons of your own"
    )
    completed_by(lessons, Completion(folders=True))
    lesson = parser.add_argument("--lesson", metavar="NAME", help="open a lesson: number, name or title")
    completed_by(lesson, Completion(words=lesson_names))


def export_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `export`."""
    from engine.graph.formats import FORMATS
    from engine.graph.forms import FORMS
    from engine.graph.legibility import AUTO, DIRECTIONS
    from engine.layout import LAYOUTS

    formats = (*PICTURES, *FORMATS)
    add_file(parser, SESSION, PROGRAM)
    output = parser.add_argument(
        "-o", "--output", required=True, metavar="OUT",
        help=f"file to write; its extension is the format: {', '.join(formats)} (gif: the backward pass; html: a page "
        "to step through)",
    )  # fmt: skip
    completed_by(output, Completion(extensions=tuple(f".{extension}" for extension in formats)))
    parser.add_argument(
        "--frames", action="store_true", help="write the backward pass as frame_001.png, ... into the folder OUT"
    )
    parser.add_argument(
        "--training", action="store_true", help="write the session's training from its first weights as a GIF"
    )
    words = "of that training (default: as many as the session has, or 1000)"
    parser.add_argument("--steps", type=whole_number, metavar="N", help=words)
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="colours (default: light)")
    for option, choices, meaning in (
        ("--direction", (AUTO, *DIRECTIONS), "direction of the graph; auto: the one with the largest texts"),
        ("--form", (AUTO, *FORMS), "arrangement of name and numbers in a box"),
        ("--layout", tuple(LAYOUTS), "algorithm that places the nodes"),
    ):
        parser.add_argument(option, choices=choices, help=f"{meaning} (default: that of the session)")
    parser.add_argument("--scale", type=scale, help="pixels per scene pixel of a PNG (default 2), GIF or frames (1)")
    parser.add_argument("--transparent", action="store_true", help="no background (PNG, SVG, PDF)")


def print_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lessons print`."""
    words = "a file (.md), or a lesson of Gradstep's own: number, name or title of `lessons list`"
    lesson = parser.add_argument("lesson", metavar="LESSON", help=words)
    completed_by(lesson, Completion((LESSON,), words=lesson_names))
    output = parser.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="a page .html, or a document .pdf"
    )
    completed_by(output, Completion(extensions=(".html", ".pdf")))
    parser.add_argument("--hints", action="store_true", help="add the hints at the end")
    parser.add_argument("--solutions", action="store_true", help="add solutions and wrong answers at the end")


def tour_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `tour`."""
    folder = parser.add_argument("folder", type=Path, metavar="DIR", help="folder for the pictures")
    completed_by(folder, Completion(folders=True))
