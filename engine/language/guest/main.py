"""Entry point of the component: runs one program and reports what became of it.

The request (JSON) has the arguments of `run`. The report (JSON) has `error`, None or a mapping with `kind` (name of the
exception's class), `message`, `line`, `column`, `end_line`, `end_column` (all from 1, 0 where unknown) and `calls`, a
list of (function, line), the outermost first (`errors.py`); the parts that `_Session.report` lists; `judged`, the
report of the judge (`judge.py`), None without an engine of the program's own; and `notes`. A program that does not
compile has `error` alone, and a run that asks for a model `own_model` (`own_model.py`).
"""

import ast
import contextlib
import functools
import gc
import json
import random
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

import engine.autograd  # noqa: F401
from engine.autograd import kernels
from engine.autograd.value import Value
from engine.language.guest import (
    deadline,
    known_names,
    notes,
    own_model,
    packages_for_programs,
    process,
    recording,
    standard_library,  # noqa: F401
)
from engine.language.guest.calls import Calls
from engine.language.guest.engines import ClassWatch
from engine.language.guest.errors import describe, local_variables
from engine.language.guest.graphs import Graph, Nodes, TooManyValues, encode
from engine.language.guest.judge import Judge
from engine.language.guest.loops import Loops
from engine.language.guest.moments import MomentReached, Moments
from engine.language.guest.output import make_output
from engine.language.guest.program import PROGRAM, Program
from engine.language.guest.recording import MOST_NODES, Recorder
from engine.language.guest.walk import LineRecorder

try:
    from wit_world import WitWorld as _World  # type: ignore[import-not-found]
except ImportError:
    _World = object
else:
    kernels.NOTES_PLACES = True
    process.install()
    _make_value = Value.__init__

    def _make_value_with_place(value: Value, *arguments: Any, **keywords: Any) -> None:
        _make_value(value, *arguments, **keywords)
        frame = sys._getframe(1)
        value._place = frame.f_code, frame.f_lasti

    functools.update_wrapper(_make_value_with_place, _make_value)
    Value.__init__ = _make_value_with_place  # type: ignore[assignment, method-assign]
    gc.collect()
    gc.freeze()  # objects of the component are no garbage in any run


class WitWorld(_World):  # type: ignore[misc]
    """Exports of `world.wit`."""

    def run(self, request: str) -> str:
        """Run the program of a request and return the report; an exception here would end the interpreter."""
        report: dict[str, Any] = {}
        try:
            report = run(**json.loads(request))
            return json.dumps(report)
        except MemoryError as raised:
            error = report.get("error") or describe(raised)
            report.clear()
            return json.dumps({"error": error})
        except Exception as raised:  # of a report that cannot be made
            return json.dumps({"error": {"kind": "ReportFailed", "message": repr(raised), "calls": [], "line": 0}})


def run(
    text: str,
    output_bytes: int,
    recursion: int,
    record: bool = False,
    seconds: float = 20.0,
    values: int = 200_000,
    watched: bool = False,
    model: bool = False,
    moment: int = 0,
) -> dict[str, Any]:
    """Run a program as `__main__` and report its end and its objects.

    The kind of the error is `NestedTooDeeply` where the parser or the compiler had no room for the text.

    With `model` only a model of the program's own is reported, as it is after the call of `backward()` with the number
    `moment`, from 1; 0: at the end.
    """
    began, error, displayed = time.monotonic(), None, None
    local: dict[str, Any] = {}
    session: _Session | None = None
    notes.clear()
    random.seed(UNSEEDED)  # a slider or a second run, line by line, finds the same numbers
    nodes = Nodes(ClassWatch(), values)
    Recorder.left = most_recorded = min(values, MOST_NODES)
    sys.setrecursionlimit(10_000)
    with _output_to_window(output_bytes) as output:
        try:
            session = _Session(Program(text, nodes.watch), nodes, output, record)
            session.moments.last = moment
            sys.setrecursionlimit(recursion)
            deadline.begin(seconds, session.program.codes, watched)
            try:
                displayed = session.run()
            finally:
                deadline.end()
        except SystemExit as ended:
            _note_exit(ended)
        except MomentReached:
            pass
        except BaseException as raised:
            _reserve.clear()
            error, local = describe(raised), local_variables(raised)
            if session is None and isinstance(raised, (MemoryError, RecursionError)):
                error["kind"] = "NestedTooDeeply"
            raised.__traceback__ = raised.__context__ = raised.__cause__ = None
        finally:
            _reserve.clear()
            sys.setrecursionlimit(10_000)
    if session is None:
        return {"error": error}
    if model:
        nodes.watch.learn(session.program.namespace.values())
        left = seconds - (time.monotonic() - began)
        return {"error": None, "own_model": own_model.report(session.program.namespace, nodes, left)}
    gc.disable()  # nothing of the report is garbage
    try:
        report = session.whole_report(error, displayed, local, seconds - (time.monotonic() - began))
    finally:
        gc.enable()
    if Recorder.left <= 0:
        notes.note(f"The graph ends after {most_recorded:,} computed numbers")
    return report | {"notes": [*report.get("notes", ()), *notes.report()]}


UNSEEDED = 1
"""Seed of the module `random` at the start of every run."""
RESERVE = 4_000_000
"""Bytes that are kept for the report of a program that has used up its memory."""
_reserve = [bytearray(RESERVE)]
"""Made when the component is built: a run that has memory left never touches it."""


@contextlib.contextmanager
def _output_to_window(most_bytes: int) -> Iterator[Any]:
    """Context in which everything that is printed goes to the window."""
    outputs = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = output = make_output(most_bytes)
    try:
        yield output
    finally:
        output.flush()
        output.buffer.flush()
        sys.stdout, sys.stderr = outputs


def _note_exit(ended: SystemExit) -> None:
    """Report where a program exited, and print its message as Python does."""
    place = describe(ended)
    if ended.code is not None and not isinstance(ended.code, int):
        with contextlib.suppress(BaseException):
            print(ended.code)
    code = f" with code {ended.code}" if isinstance(ended.code, int) and ended.code else ""
    notes.note(f"The program ended itself here{code}", place["line"])


class _Session:
    """One run of a program that was compiled."""

    def __init__(self, program: Program, nodes: Nodes, output: Any, record: bool) -> None:
        self.program, self.nodes = program, nodes
        self.recorder = LineRecorder(program.tree, nodes, lambda: output.buffer.characters) if record else None
        self.loops = Loops(program.tree, nodes)
        self.moments = Moments(nodes, self.loops.label)
        self.calls = Calls(nodes.watch)
        nodes.watch.made = self._watch_backward
        nodes.watch.first_made = self.calls.begin

    def _watch_backward(self, made: type) -> None:
        for name in ("backward", "backprop"):
            method = vars(made).get(name)
            if isinstance(method, types.FunctionType):
                setattr(made, name, self.moments.watched(method))

    def run(self) -> Any:
        Value.backward = self.moments.watched(_VALUE_BACKWARD)  # type: ignore[method-assign]
        self.loops.watch(self.program.code, self.program.namespace)
        self.moments.watch_functions(self.program.code)
        if self.recorder is not None:
            sys.settrace(self.recorder.trace)
        try:
            return self.program.run()
        finally:
            sys.settrace(None)
            self.loops.end()
            self.moments.end()
            self.calls.end()

    def whole_report(self, error: Any, displayed: Any, local: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return error, graph, variables and judgement, as far as memory and time allow."""
        try:
            return {"error": error, **self.report(displayed, local), "judged": self.judged(seconds / 2)}
        except TooManyValues:
            return {"error": error or {"kind": "TooManyValues", "message": "", "calls": []}}
        except RecursionError as raised:
            return {"error": error or describe(raised)}
        except MemoryError as raised:
            self.free()
            error = error or describe(raised)
            try:
                return {"error": error, **self.report(None, {})}
            except MemoryError:
                return {"error": error}

    def report(self, displayed: Any, local: dict[str, Any]) -> dict[str, Any]:
        """Return the program's objects at its end."""
        graph = self.graph = Graph(self.nodes) if self.recorder is None else self.recorder.graph
        self.nodes.watch.learn(self.program.namespace.values())
        variables = [
            (name, encode(thing, graph))
            for name, thing in [*self.program.namespace.items()]
            if not name.startswith("__") and not isinstance(thing, (types.ModuleType, types.FunctionType, type))
        ]
        local_rows = [
            (name, encode(thing, graph))
            for name, thing in local.items()
            if not isinstance(thing, (types.ModuleType, types.FunctionType, type))
        ]
        last_node = graph.number_of(displayed) if self.nodes.is_node(displayed) else None
        pyplot = packages_for_programs.module("matplotlib.pyplot")
        return {
            "graph": graph.columns(),
            "places": [place_of(node) for node in graph.order],
            "variables": variables,
            "local_variables": local_rows,
            "known_names": known_names.report(self.program.namespace),
            "bindings": self.program.bindings,
            "last_node": last_node,
            "displayed": None if displayed is None else (self.program.last_line, repr(displayed)),
            "moments": self.moments.report(graph.numbers),
            "notes": why_not_drawn(self.nodes.watch, self.program.tree) if not graph.order else [],
            "plots": pyplot.report() if pyplot is not None else [],
            "own_model": own_model.find(self.program.namespace, self.nodes) is not None,
            "series": self.loops.report(),
            "statements": self.recorder.report() if self.recorder is not None else [],
            "n_statements": self.recorder.count if self.recorder is not None else 0,
        }

    def free(self) -> None:
        """Free the program's large objects."""
        for name, thing in [*self.program.namespace.items()]:
            if isinstance(thing, (str, bytes, bytearray, list, dict, set)) and sys.getsizeof(thing) > 1_000_000:
                del self.program.namespace[name]

    def judged(self, seconds: float) -> dict[str, Any] | None:
        """Return the judgement of the learner's own engine; None where there is none."""
        watch = self.nodes.watch
        if not self.calls.of or seconds <= 0.0:
            return None
        graph = self.graph
        judged = Judge(watch, self.calls, self.program.namespace, graph).report(seconds)
        cycle = next((graph.numbers[id(node)] for node in graph.cycles if watch.is_node(node)), None)
        return judged | {"cycle": cycle}


_VALUE_BACKWARD = Value.backward


def why_not_drawn(watch: ClassWatch, tree: ast.Module) -> list[tuple[str, int]]:
    """Return why the objects of the program's own classes are no graph, with the lines of the classes."""
    lines = {node.name: node.lineno for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return [(reason, lines.get(kind.__name__, 1)) for kind, reason in watch.reasons().items()]


def place_of(node: Any) -> tuple[int, ...] | None:
    """Return where in the program a node was computed: line, column, end line, end column, from 1."""
    place: Any = None
    if isinstance(node, Value):
        place = getattr(node, "_place", None)
    elif recording.is_recorded(node):
        place = node._gradstep_place
    if place is None:
        return None
    if len(place) == 4:
        line, column, end_line, end_column = place
    else:
        code, instruction = place
        if code.co_filename != PROGRAM:
            return None
        line, end_line, column, end_column = position(code, instruction)
    return line, column + 1, end_line, end_column + 1


def position(code: types.CodeType, instruction: int) -> tuple[int, int, int, int]:
    """Return line, end line, column and end column (from 0) of an instruction."""
    if code not in _POSITIONS:
        _POSITIONS[code] = [tuple(number or 0 for number in numbers) for numbers in code.co_positions()]
    found: tuple[int, int, int, int] = _POSITIONS[code][instruction // 2]
    return found


_POSITIONS: dict[types.CodeType, Any] = {}


COLLECTED_AFTER = 20_000
"""New objects after which garbage is looked for; Python's own 2,000 cost programs that make many lists a third."""

if sys.platform == "wasi":
    gc.collect()
    gc.freeze()  # what every program finds is never garbage
    gc.set_threshold(COLLECTED_AFTER)
