"""Entry point of the component: runs one program and reports what became of it.

Request (JSON): `text`, `output_bytes`, `recursion`. Report (JSON): `error`, None or a mapping with `kind` (name of the
exception's class), `message`, `line`, `column`, `end_line`, `end_column` (all from 1, 0 where unknown) and `calls`, a
list of (function, line), the outermost first.
"""

import json
import sys
import types
from typing import Any

import numpy  # noqa: F401  (in the component it is `packages/numpy`; here so that the snapshot holds it)

import engine.autograd  # noqa: F401
from engine.language.guest import standard_library  # noqa: F401  (so that the component holds it)
from engine.language.guest.output import PROGRAM, OutputLimitReached, make_output

try:
    from wit_world import WitWorld as _World  # type: ignore[import-not-found]
except ImportError:
    _World = object


class WitWorld(_World):  # type: ignore[misc]
    """The exports of `world.wit`."""

    def run(self, request: str) -> str:
        """Run the program of a request and return the report."""
        return json.dumps(run(**json.loads(request)))


def run(text: str, output_bytes: int, recursion: int) -> dict[str, Any]:
    """Run a program as `__main__` and report how it ended."""
    error = None
    sys.setrecursionlimit(recursion)
    outputs = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = output = make_output(output_bytes)
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        exec(compile(text, PROGRAM, "exec"), vars(module))
    except OutputLimitReached:
        error = {"kind": "OutputLimitReached", "message": "", "calls": []}
    except SystemExit:
        pass
    except BaseException as raised:
        error = describe(raised)
    finally:
        output.flush()
        output.buffer.flush()
        sys.stdout, sys.stderr = outputs
    return {"error": error}


def describe(raised: BaseException) -> dict[str, Any]:
    """Return kind, message, place and calls of an exception."""
    place = {"line": 0, "column": 0, "end_line": 0, "end_column": 0}
    calls: list[tuple[str, int]] = []
    if isinstance(raised, SyntaxError) and raised.filename == PROGRAM:
        ends = raised.end_lineno or raised.lineno or 0, raised.end_offset or 0
        place = {"line": raised.lineno or 0, "column": raised.offset or 0, "end_line": ends[0], "end_column": ends[1]}
        return {"kind": type(raised).__name__, "message": raised.msg, "calls": [], **place}
    traceback = raised.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == PROGRAM:
            positions = list(code.co_positions())[traceback.tb_lasti // 2]
            line, end_line, column, end_column = (0 if number is None else number for number in positions)
            place = {"line": line, "column": column + 1, "end_line": end_line, "end_column": end_column + 1}
            calls.append((code.co_qualname, line))
        traceback = traceback.tb_next
    try:
        message = str(raised)
    except Exception:
        message = ""
    return {"kind": type(raised).__name__, "message": message, "calls": calls, **place}
