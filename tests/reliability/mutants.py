"""Mutation testing of derivatives and of the judge: do the tests notice small faults that are put into the code?

    python -m tests.reliability.mutants [--module PATH ...] [--sample N] [--seed N] [--marked EXPRESSION] [--tests N]

A mutant changes one place: a comparison, an operator, a number, `and`, `not`, a returned value, `+=`, a statement. The
tests are imported and collected once; then each mutant lives in a forked process that replaces the code of one function
and runs, until one fails, the tests that call this function. Modules that write functions when they are imported are
imported again for each mutant. The judge runs inside WebAssembly: a component built for this command takes the changed
function with each request, and has told before which tests reach which of its lines.

Mutants that no user can notice stand in `mutants_explained.txt`; all other survivors are listed, and end the command
with 1.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPLAINED = Path(__file__).with_name("mutants_explained.txt")
AUTOGRAD = ("ops", "backward", "check", "kernels", "contributions", "data", "expand", "formula", "op_check")
AUTOGRAD += ("replay", "second_opinion", "value", "vocabulary", "naming", "notation", "printer", "problems", "copies")
GUEST = tuple(f"engine/language/guest/{name}.py" for name in ("judge", "operators", "rules", "replay", "slopes"))
CHECKS = ("engine/language/engine_check.py", "engine/language/pass_check.py")
MODULES = (*(f"engine/autograd/{name}.py" for name in AUTOGRAD), *GUEST, *CHECKS)
IMPORTED_AGAIN = frozenset(f"engine/autograd/{name}.py" for name in ("ops", "kernels", "formula", "vocabulary"))
"""They write functions, or hold the table of operations, when they are imported."""
TESTS = {"engine/autograd": ["tests/engine/autograd"], "engine/language": ["tests/engine/language/own_engine"]}
MARKED = {"engine/autograd": "not long", "engine/language": ""}
"""Value of pytest's -m for the tests that are tried: of the judge all, as the long ones wait for endless rules."""
MOST_BYTES = 4_000_000_000
"""Memory of a mutant, which may append to a list for ever."""

# Mutants

COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
DROPPED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Mutant:
    """One changed place.

    Attributes:
        path: of the module, from the repository's root.
        line: from 1.
        function: name with its class; "" or `Class.` outside of functions.
        change: the place before and after.
        put: changes the syntax tree; called in the process of the mutant alone.
        whole: the module.
        part: the statement of the module that has the place; of a class the class with this one method.
        lines: of the statement that has the place; of a compound statement its head.
    """

    path: str
    line: int
    function: str
    change: str
    put: Callable[[], None]
    whole: ast.Module
    part: ast.Module
    lines: range

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def is_imported(self) -> bool:
        """True when its module has to be imported again."""
        return self.path in IMPORTED_AGAIN or (self.path not in GUEST and self.function[-1:] in ("", "."))

    @property
    def key(self) -> str:
        return f"{self.path} {self.function or 'module'}: {self.change}"


def mutants_of(path: str, text: str) -> list[Mutant]:
    """Return every mutant of a module in the order of its places."""
    tree, found = ast.parse(text), []
    future = ast.parse("from __future__ import annotations").body
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.If)):  # at the top level: imports for the types
            continue
        for part in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
            alone, function = part, part.name if isinstance(part, ast.FunctionDef) else ""
            if isinstance(statement, ast.ClassDef):
                alone = ast.ClassDef(statement.name, [], [], [part], [])
                ast.copy_location(alone, statement)
                function = f"{statement.name}.{function}"
            for line, change, put in _changes(part, formulas=path.endswith("/ops.py")):
                module, lines = ast.Module([*future, alone], []), _lines_around(line, part)
                found.append(Mutant(path, line, function, change, put, tree, module, lines))
    return found


def _lines_around(line: int, part: ast.AST) -> range:
    """Return the lines of the innermost statement around a line; of a compound one those of its head."""
    found = range(line, line + 1)
    for node in ast.walk(part):  # inner ones come later
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            body = getattr(node, "body", None)
            end = body[0].lineno if body else (node.end_lineno or line) + 1
            found = range(node.lineno, max(end, line + 1))
    return found


def _changes(statement: ast.AST, formulas: bool = False) -> Iterator[tuple[int, str, Callable[[], None]]]:
    """Yield line, words and a function that makes the change, for every change of a statement."""
    for holder, field, at in list(_places(statement)):
        node = getattr(holder, field) if at is None else getattr(holder, field)[at]
        for new in _instead(node, holder, formulas):
            ast.fix_missing_locations(ast.copy_location(new, node))
            before, after = ast.unparse(node).split("\n")[0], ast.unparse(new).split("\n")[0]
            yield node.lineno, f"{before} -> {after}", partial(_put, holder, field, at, new)


def _put(holder: Any, field: str, at: int | None, new: ast.AST) -> None:
    if at is None:
        setattr(holder, field, new)
    else:
        getattr(holder, field)[at] = new


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Yield parent, field and index of every expression and statement that may be changed."""
    for field, held in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
            continue
        if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert)):  # messages
            continue
        for at, child in enumerate(held) if isinstance(held, list) else [(None, held)]:
            if isinstance(child, (ast.expr, ast.stmt)):
                yield node, field, at
            if isinstance(child, ast.AST):
                yield from _places(child)


def _instead(node: Any, parent: ast.AST, formulas: bool) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            yield ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators)
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.Constant(value=str()) if formulas and not isinstance(parent, ast.Expr):
            with suppress(SyntaxError):
                for number in range(len(list(_changes(ast.parse(node.value, mode="eval"))))):
                    formula = ast.parse(node.value, mode="eval")
                    list(_changes(formula))[number][2]()
                    yield ast.Constant(ast.unparse(formula))
        case ast.Return(value=ast.expr()) if not _is_false(node.value):
            yield ast.Return(ast.Constant(None))
        case ast.AugAssign():
            yield ast.Assign([node.target], node.value)
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
    if isinstance(node, DROPPED) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield ast.Pass()


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, False)


# Putting a mutant into a running process, of this Python or inside the component

SWAP = '''
import sys
from types import CodeType

def swap(module, function, source):
    """Replace the code of a function that may be imported anywhere; without one run the statement in the module."""
    module = sys.modules[module]
    found = compile(source, getattr(module, "__file__", None) or module.__name__, "exec", dont_inherit=True)
    if not function:
        return exec(found, vars(module))
    holder = module
    *outer, name = function.split(".")
    for each in outer:
        holder = getattr(holder, each)
    for each in (*outer, name):
        found = next(code for code in found.co_consts if isinstance(code, CodeType) and code.co_name == each)
    thing = vars(holder)[name]
    while not hasattr(thing, "__code__") or hasattr(thing, "__wrapped__"):
        getattr(thing, "cache_clear", int)()
        names = ("__wrapped__", "__func__", "fget", "func")
        thing = next(getattr(thing, each) for each in names if getattr(thing, each, None) is not None)
    thing.__code__ = found
'''
MAIN = """
import json
import sys
from engine.language.guest import main as guest

REACHED = 5
'''Number of a tool of `sys.monitoring` that programs do not use.'''

class WitWorld(guest.WitWorld):
    def run(self, request):
        request = json.loads(request)
        if "mutant" in request:
            swap(*request.pop("mutant"))
        if not request.pop("reached", False):
            return super().run(json.dumps(request))
        lines, watching = set(), sys.monitoring

        def note(code, line):
            if "guest/" in code.co_filename:
                lines.add((code.co_filename.rpartition("/")[2], line))
            return watching.DISABLE

        watching.use_tool_id(REACHED, "reached")
        watching.register_callback(REACHED, watching.events.LINE, note)
        watching.set_events(REACHED, watching.events.LINE)
        report = super().run(json.dumps(request))
        watching.set_events(REACHED, 0)
        return json.dumps([report, sorted(lines)])
"""
_space: dict[str, Any] = {}
exec(SWAP, _space)
swap: Callable[[str, str, Any], None] = _space["swap"]


def build_component(folder: Path) -> None:
    """Build the Python for programs with a `main` that takes a mutant, and let programs of this process run in it."""
    import scripts.build_runtime as build
    from engine.language import machine_code

    stage = build.stage

    def stage_with_mutants(guest: Path) -> None:
        stage(guest)
        Path(guest, "main.py").write_text(MAIN + SWAP)

    build.stage = stage_with_mutants
    machine_code.COMPONENT = folder / "python.wasm"
    if not machine_code.COMPONENT.exists():
        build.build(machine_code.COMPONENT)
    machine_code._build_where_needed = lambda: None
    os.environ["GRADSTEP_CACHE"] = str(folder)
    machine_code.machine_code_file()


def put_in(mutant: Mutant) -> None:
    """Change this process."""
    mutant.put()
    if mutant.path not in GUEST or mutant.module in sys.modules:
        swap(mutant.module, mutant.function, mutant.part)
    if mutant.path not in GUEST:
        return
    from engine.language import limited_runs

    run_guest, changed = limited_runs.run_guest, [mutant.module, mutant.function, ast.unparse(mutant.part)]

    def run_with_mutant(request: str, *arguments: Any, **keywords: Any) -> str:
        return run_guest(json.dumps(json.loads(request) | {"mutant": changed}), *arguments, **keywords)

    limited_runs.run_guest = run_with_mutant


def note_lines(reached: set[tuple[str, str | int]]) -> None:
    """Let this process note, with the path of their module, the lines of the guest that its programs reach."""
    from engine.language import limited_runs, machine_code

    if os.environ.get("GRADSTEP_CACHE") != str(machine_code.COMPONENT.parent):
        return  # no mutant is inside
    run_guest = limited_runs.run_guest

    def run_noted(request: str, *arguments: Any, **keywords: Any) -> str:
        request = json.dumps(json.loads(request) | {"reached": True})
        report, lines = json.loads(run_guest(request, *arguments, **keywords))
        reached.update((f"engine/language/guest/{name}", line) for name, line in lines)
        return report

    limited_runs.run_guest = run_noted


def import_with(mutant: Mutant) -> None:
    """Let this process import the mutant; the module has not been imported yet."""
    get_code = SourceFileLoader.get_code

    def get_mutant(loader: SourceFileLoader, name: str) -> Any:
        if name == mutant.module:
            return compile(mutant.whole, str(ROOT / mutant.path), "exec", dont_inherit=True)
        return get_code(loader, name)

    mutant.put()
    SourceFileLoader.get_code = get_mutant  # type: ignore[method-assign]


# Running the tests


class Forks:
    """Plugin of pytest: after the tests were collected, a process for each mutant runs those that call its function.

    Attributes:
        mutants: in the order in which they are run.
        seconds: of a processor that a mutant may take in addition to what its tests take without it.
        tests: at most so many for each mutant; None: all that reach it.
        note: receives each mutant with the exit status of its tests.
    """

    def __init__(
        self, mutants: list[Mutant], seconds: float, tests: int | None, note: Callable[[Mutant, int], None]
    ) -> None:
        self.mutants, self.seconds, self.tests, self.note = mutants, seconds, tests, note
        self._is_child = False
        self._called: set[tuple[str, str | int]] | None = None
        self._callers: dict[tuple[str, str | int], set[str]] = {}
        self._seconds: dict[str, float] = {}
        self._kills = Counter[str]()
        self._killers: dict[str, list[str]] = {}  # by the mutants' functions

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        items = list(session.items)
        reading, self._pipe = os.pipe()
        if (child := os.fork()) == 0:  # the tests as they are: which functions, and lines inside, does each reach?
            self._is_child, self._called = True, set()
            note_lines(self._called)
            return None
        for line in self._lines_of(child, reading):
            test, seconds, *places = json.loads(line)
            self._seconds[test] = seconds
            for path, place in places:
                self._callers.setdefault((path, place), set()).add(test)
        for mutant in self.mutants:
            session.items[:] = self._chosen(mutant, items)
            seconds = self.seconds + sum(self._seconds.get(item.nodeid, 0.0) for item in session.items)
            if (child := os.fork()) == 0:
                self._is_child = True
                _limit(seconds)
                try:
                    put_in(mutant)
                except Exception as error:
                    sys.__stderr__.write(f"not possible: {mutant.key}: {error!r}\n")
                    os._exit(NOT_POSSIBLE)
                return None
            self.note(mutant, _status(child, seconds))
            os.set_blocking(reading, False)
            with suppress(BlockingIOError):
                killers = self._killers.setdefault(mutant.function, [])
                for test in os.read(reading, 65_536).decode().splitlines():
                    self._kills[test] += 1
                    killers[:] = [test, *(each for each in killers if each != test)]
        return True

    def _lines_of(self, child: int, reading: int) -> Iterator[bytes]:
        """Yield what a child writes until it ends; it has to end well."""
        rest = b""
        os.set_blocking(reading, False)
        ended = 0
        while True:
            if not ended:
                ended, status = os.waitpid(child, os.WNOHANG)
            try:
                rest += os.read(reading, 1 << 20)
            except BlockingIOError:
                if ended:
                    break
                time.sleep(0.005)
            *lines, rest = rest.split(b"\n")
            yield from lines
        if code := os.waitstatus_to_exitcode(status):
            sys.exit(f"The tests fail without a mutant ({code})")

    def _chosen(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        """Return the tests that reach a mutant: first those that noticed others of its function, or many."""
        places: list[str | int] = [mutant.function.rpartition(".")[2]]  # called in this process
        if mutant.path in GUEST:
            places += mutant.lines
        if mutant.function:
            names = {name for place in places for name in self._callers.get((mutant.path, place), ())}
            if not names and mutant.path in GUEST:  # a callback of the monitoring, whose lines it does not report
                names = {name for (path, _), found in self._callers.items() if path == mutant.path for name in found}
            shared = set[Any]().union(*(_module_fixtures(item) for item in items if item.nodeid in names))
            items = [item for item in items if item.nodeid in names or shared & _module_fixtures(item)]
        killers = {test: at for at, test in enumerate(self._killers.get(mutant.function, ()))}

        def order(item: pytest.Item) -> tuple[int, float]:
            seconds, kills = self._seconds.get(item.nodeid, 0.1), self._kills[item.nodeid]
            return killers.get(item.nodeid, len(killers)), seconds / (0.2 + kills)

        return sorted(items, key=order)[: self.tests]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if self._called is None:
            return (yield)
        self._called.clear()
        began = time.process_time()
        sys.setprofile(self._profile)
        threading.setprofile(self._profile)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            row = [item.nodeid, time.process_time() - began, *self._called]
            os.write(self._pipe, json.dumps(row).encode() + b"\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._is_child and self._called is None and report.failed:
            os.write(self._pipe, report.nodeid.encode() + b"\n")

    def _profile(self, frame: Any, event: str, _argument: Any) -> None:
        if event == "call" and "/engine/" in (path := frame.f_code.co_filename):
            name = frame.f_code.co_qualname.split(".<locals>")[0].rpartition(".")[2]
            self._called.add(("engine/" + path.rpartition("/engine/")[2], name))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if self._is_child:
            os._exit(int(exitstatus))


NOT_POSSIBLE = 99


def _module_fixtures(item: Any) -> set[Any]:
    """Return the fixtures that a test has in common with others: only the first of them is seen to reach a mutant."""
    return {each for found in item._fixtureinfo.name2fixturedefs.values() for each in found if each.scope == "module"}


def _limit(seconds: float) -> None:
    """Limit processor time and memory of this process."""
    used = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (used, used))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


def _status(child: int, seconds: float) -> int:
    """Wait for a process, end it after ten times its processor time, and return its exit status, below 0: a signal."""
    until = time.monotonic() + 10 * seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.005)


def run(
    mutants: list[Mutant], seconds: float, marked: str | None, most: int | None, note: Callable[[Mutant, int], None]
) -> None:
    """Run the tests of each mutant; the exit status of pytest is noted: 0 survived, 5 no test reaches it.

    Has to be called in a process that has not imported the engine.
    """
    quiet = os.open(os.devnull, os.O_WRONLY)  # of what pytest prints
    os.dup2(quiet, 1)
    for package, tests in TESTS.items():
        marks = MARKED[package] if marked is None else marked
        options = ["-x", "-q", "-p", "no:cacheprovider", "--show-capture=no", "-m", marks]
        own = [each for each in mutants if each.path.startswith(package)]
        swapped = [each for each in own if not each.is_imported]
        if swapped and (child := os.fork()) == 0:
            with tempfile.TemporaryDirectory() as folder:
                if any(each.path in GUEST for each in swapped):
                    build_component(Path(os.environ.get("MUTANTS_COMPONENT", folder)))
                pytest.main([*options, *tests], plugins=[Forks(swapped, seconds, most, note)])
            os._exit(0)
        if swapped:
            os.waitpid(child, 0)
        for mutant in own:
            if mutant.is_imported:
                if (child := os.fork()) == 0:
                    import_with(mutant)
                    _limit(seconds)
                    os._exit(int(pytest.main([*options, *tests])))
                note(mutant, _status(child, seconds))


def explained() -> dict[str, str]:
    """Return by their keys the mutants that nobody can notice, with the reason."""
    rows = (line.split(" | ") for line in EXPLAINED.read_text(encoding="utf-8").splitlines() if " | " in line)
    return {key.strip(): reason.strip() for key, reason in rows}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", action="append", help="a file; all of engine/autograd and the judge if left out")
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30.0, help="of a processor, that a mutant may take more")
    parser.add_argument("--marked", help="which tests, as pytest's -m; all but long ones of derivatives if left out")
    parser.add_argument("--tests", type=int, help="at most so many for each mutant; all that reach it if left out")
    parser.add_argument("--again", type=Path, help="only the survivors of an earlier report in this file")
    options = parser.parse_args(arguments)
    paths = options.module or MODULES
    mutants = [each for path in paths for each in mutants_of(path, (ROOT / path).read_text(encoding="utf-8"))]
    if options.again:
        earlier = {line.partition(" of ")[2] for line in options.again.read_text(encoding="utf-8").splitlines()}
        mutants = [each for each in mutants if each.key in earlier]
    mutants = [each for each in mutants if not (each.path in GUEST and each.function.endswith("."))]
    mutants = random.Random(options.seed).sample(mutants, min(options.sample, len(mutants)))
    known = explained()
    report = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryFile("w+") as results:  # processes that are forked write to both

        def note(mutant: Mutant, status: int) -> None:
            word = {0: "SURVIVED", 5: "SURVIVED (no test calls it)", NOT_POSSIBLE: "not possible"}.get(status, "killed")
            word = "explained" if word.startswith("SURVIVED") and mutant.key in known else word
            results.write(word + "\n")
            results.flush()
            if word not in ("killed", "explained"):
                print(f"{word}: line {mutant.line} of {mutant.key}", file=report, flush=True)

        run(mutants, options.seconds, options.marked, options.tests, note)
        results.seek(0)
        words = results.read().splitlines()
    killed, equivalent, left_out = (words.count(word) for word in ("killed", "explained", "not possible"))
    survivors, untried = len(words) - left_out - killed - equivalent, len(mutants) - len(words) + left_out
    figures = f"{killed} killed, {equivalent} explained, {survivors} survived, {untried} not tried"
    print(f"{len(mutants)} mutants: {figures}", file=report, flush=True)
    return int(survivors > 0 or len(words) < len(mutants))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
