"""Exceptions of a program as a report: CPython's own words and suggestions, the place, the calls."""

from __future__ import annotations

import difflib
import traceback
import types
import warnings
from typing import Any

from engine.autograd.ops import OPS
from engine.language.guest import packages_for_programs
from engine.language.guest.known_names import names_of
from engine.language.guest.program import PROGRAM
from engine.language.guest.standard_library import AVAILABLE


def describe(raised: BaseException) -> dict[str, Any]:
    """Return kind, message, place and calls of an exception.

    The message is CPython's, with what it suggests and the exception's notes. A missing module comes with those that
    there are (`modules`).
    """
    told: dict[str, Any] = {"kind": type(raised).__name__, "message": _message(raised), "calls": []}
    place = {"line": 0, "column": 0, "end_line": 0, "end_column": 0}
    if isinstance(raised, SyntaxError) and raised.filename == PROGRAM:
        ends = raised.end_lineno or raised.lineno or 0, raised.end_offset or 0
        place = {"line": raised.lineno or 0, "column": raised.offset or 0, "end_line": ends[0], "end_column": ends[1]}
        return told | place
    for frame, instruction in _frames(raised):
        code = frame.f_code
        positions = list(code.co_positions())[instruction // 2]
        line, end_line, column, end_column = (0 if number is None else number for number in positions)
        place = {"line": line, "column": column + 1, "end_line": end_line, "end_column": end_column + 1}
        told["calls"].append((code.co_qualname, line))
    if isinstance(raised, ModuleNotFoundError):
        packages = {
            name.partition(".")[0] for name in packages_for_programs.MODULES if packages_for_programs.module(name)
        }
        told |= {"module": raised.name or "", "modules": sorted(AVAILABLE), "packages": sorted(packages, key=str.lower)}
    return told | place


def local_variables(raised: BaseException) -> dict[str, Any]:
    """Return the local variables of the innermost function of the program in which an exception came up."""
    frames = _frames(raised)
    if not frames or frames[-1][0].f_locals is frames[-1][0].f_globals:
        return {}
    return dict(frames[-1][0].f_locals)


def _frames(raised: BaseException) -> list[tuple[types.FrameType, int]]:
    """Return the program's frames on the way to an exception, the outermost first, each with its instruction."""
    found, step = [], raised.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == PROGRAM:
            found.append((step.tb_frame, step.tb_lasti))
        step = step.tb_next
    return found


def _message(raised: BaseException) -> str:
    """Return what CPython prints behind the name of the exception's class."""
    try:
        with warnings.catch_warnings(action="ignore"):  # to look for a mistyped keyword it compiles the text once more
            told = traceback.TracebackException(type(raised), raised, raised.__traceback__, lookup_lines=False)
            lines = "".join(told.format_exception_only()).rstrip("\n").split("\n")
    except Exception:  # whatever a program's own __str__ raises
        return ""
    if isinstance(raised, SyntaxError):
        return lines[-1].partition(": ")[2]
    message = "\n".join(lines).partition(": ")[2]
    if "in Gradstep's programs" in message:  # its own words say what may be meant
        return str(raised)
    if isinstance(raised, AttributeError) and isinstance(raised.obj, (int, float)) and raised.name in OPS:
        return f"{message}: write {raised.name}(...), or make the number a Value"
    if "Did you mean" not in message and (nearest := _nearest(raised)):
        message += f". Did you mean: '{nearest}'?"
    return message


def _nearest(raised: BaseException) -> str:
    """Return a name that exists and is written nearly as one that does not, where CPython suggests none."""
    wrong = getattr(raised, "name", None)
    if not isinstance(wrong, str) or len(wrong) < 4:
        return ""
    known: list[str] = []
    if isinstance(raised, NameError):
        for frame, _instruction in _frames(raised)[-1:]:
            known = [*frame.f_locals, *frame.f_globals, *frame.f_builtins]
    elif isinstance(raised, AttributeError):
        known = [name.rstrip("(") for name in names_of(raised.obj)]
        if isinstance(raised.obj, (int, float)):  # a number becomes a Value where the program asks it for gradients
            known += ["backward", "grad", *OPS]
    return next(iter(difflib.get_close_matches(wrong, [name for name in known if name != wrong], 1, 0.74)), "")
