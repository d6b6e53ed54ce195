"""A program text, read before it is run: its statements and their places, imports, loops, and what is written into it.

Python's own parser reads it (`ast.parse`, which runs nothing), guarded: limits of size and depth come before any walk.
What the sandbox is given is the same text with small pieces put in: which line is being run, what a statement bound,
where a loop begins another time. Every place in that text leads back to one in the text as typed.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.language import imports
from engine.language.bridges import Bridges
from engine.language.edits import Edits, Patched
from engine.language.errors import ProgramError
from engine.language.notes import Note
from engine.language.own_engine_probe import hook_text
from engine.language.own_engine_reading import OwnEngine, read_own_engine
from engine.language.source import MAX_NAME, Source
from engine.language.words import CONSTANTS, FUNCTION_NAMES, MODULES, OWN

_WARNED_OF = re.compile(r"\\| is |[0-9.][a-z]")
MAX_PARTS = 60_000
MAX_DEPTH = 150
MOST_ARGUMENTS = 200
LONGEST_CHAIN = 120
"""Operators side by side that the sandbox reads in one go."""

Statement = ast.stmt
Expression = ast.expr


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement that gives names a value, or that is an expression.

    Attributes:
        number: by which its value is found after the run.
        names: the names it gives a value; none for an expression by itself.
        node: the statement.
        value: the expression it is made of; None where there is not one for all of the names.
        start: offset of the statement in the text as typed.
        end: offset behind it.
        outside: whether it stands outside of functions and classes.
        in_loop: whether it may run more than once.
    """

    number: int
    names: tuple[str, ...]
    node: Statement
    value: Expression | None
    start: int
    end: int
    outside: bool
    in_loop: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop outside of functions.

    Attributes:
        number: by which its iterations are found after the run.
        name: the variable that is counted, or "".
        line: where it begins, from 1.
        start: offset where it begins.
        end: offset behind it.
        statements: numbers of the statements in it whose values are noted, one for each name.
        names: these names.
    """

    number: int
    name: str
    line: int
    start: int
    end: int
    statements: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """What is known of a program before it runs.

    Attributes:
        source: the text as typed.
        tree: its statements.
        patched: the text for the sandbox, and the way back from places in it.
        bound: statements that give names values, in the order of the text.
        loops: loops outside of functions, in the order of the text.
        names: every name that the program gives a value outside of functions.
        notes: what was set aside.
        tracked: whether its numbers are values of the graph (a program of formulas).
        own_engine: what is known of a class of its own whose objects are values; None where there is none.
    """

    source: Source
    tree: ast.Module
    patched: Patched
    bound: Sequence[Bound]
    loops: Sequence[Loop]
    names: Sequence[str]
    notes: list[Note] = field(default_factory=list)
    tracked: bool = False

    @property
    def last_statement(self) -> Statement | None:
        """The statement at the end of the text, if it stands outside of everything."""
        body = self.tree.body[0].body if self.shift and isinstance(self.tree.body[0], ast.If) else self.tree.body
        return body[-1] if body else None

    @property
    def places(self) -> Places:
        """The places of the tree's parts."""
        return Places(self.source, self.shift)

    shift: int = 0
    own_engine: OwnEngine | None = None


class Places:
    """Offsets of the parts of a tree in the text as typed."""

    def __init__(self, source: Source, shift: int) -> None:
        """`shift`: characters that the text has more than what was parsed, negative when fewer."""
        self._source = source
        self._shift = shift
        self._lines: list[int] = []

    def offset(self, node: ast.AST, end: bool = False) -> int:
        """Where a part begins, or ends."""
        line = getattr(node, "end_lineno" if end else "lineno")
        column = getattr(node, "end_col_offset" if end else "col_offset")
        return self.at(line, column)

    def at(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes, both of what was parsed."""
        text, lead = self._source.text, self._lead
        if lead:
            line -= 1
        start = self._source.start_of_line(line)
        skipped = 1 if line == 1 and text[:1] == "\ufeff" else 0
        start += skipped
        piece = text[start : start + column]
        if not piece.isascii():
            piece = text[start : start + column].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
        return start + len(piece)

    @property
    def _lead(self) -> bool:
        return self._shift < 0


_LEAD = "if 1:\n"


def parse(source: Source, text: str) -> tuple[ast.Module, int]:
    """The tree of a text, and the shift of its places.

    Raises:
        SyntaxError: with places of the text as typed, when Python refuses it.
        ProgramError: when it is too large or nested too deeply.
    """
    body = text.removeprefix("\ufeff")
    indented = _is_indented(body)
    try:
        with _silently(text):
            tree = ast.parse((_LEAD if indented else "") + body)
    except SyntaxError as error:
        if indented and error.lineno is not None:
            error.lineno -= 1
        raise
    except (RecursionError, MemoryError):
        raise source.error("this formula is too long: give parts of it names", _longest_line(source)) from None
    except (ValueError, UnicodeError):
        raise source.error("this text holds characters that no program can hold", 0) from None
    return tree, -1 if indented else 0


def _longest_line(source: Source) -> int:
    """Offset of the line that has the most letters."""
    lines = source.text.split("\n")
    return source.start_of_line(max(range(len(lines)), key=lambda index: len(lines[index])) + 1)


def _is_indented(text: str) -> bool:
    for line in text.split("\n"):
        stripped = line.strip(" \t\\")
        if stripped and not stripped.startswith("#"):
            return line[:1] in (" ", "\t")
    return False


@contextmanager
def _silently(text: str) -> Iterator[None]:
    """Python warns of escapes such as `\\d` and of `1else` while it reads; that is for nobody here."""
    if not _WARNED_OF.search(text):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def check_size(tree: ast.Module, source: Source, places: Places) -> None:
    """Refuses what is too large or too deep, before anything walks it.

    Raises:
        ProgramError: at the first part that is nested too deeply, or at the start.
    """
    stack: list[tuple[ast.AST, int, int]] = [(tree, 0, 0)]
    parts = 0
    while stack:
        node, depth, blocks = stack.pop()
        parts += 1
        if parts > MAX_PARTS:
            raise source.error(f"the program has too many parts, at most {MAX_PARTS:,}", 0)
        if depth > MAX_DEPTH or blocks > 20:
            place = places.offset(node) if hasattr(node, "lineno") else 0
            raise source.error(f"nested too deeply ({MAX_DEPTH})", place)
        for name, child in ast.iter_fields(node):
            chained = isinstance(node, ast.BinOp) and name == "left" and isinstance(child, ast.BinOp)
            for each in child if isinstance(child, list) else (child,):
                if isinstance(each, ast.stmt):
                    stack.append((each, 0, blocks + 1))
                elif isinstance(each, ast.AST):
                    stack.append((each, depth if chained else depth + 1, blocks))


def read(
    source: Source,
    text: str,
    tracked: bool,
    notes: list[Note],
    tree: ast.Module,
    shift: int,
    recorded: bool = False,
) -> Reading:
    """The program, ready to be run.

    Args:
        source: the text as typed.
        text: the same, with what was set aside blanked out.
        tracked: whether its numbers are to be values of the graph.
        notes: what was set aside.
        tree: what `parse` made of the text.
        shift: what `parse` gave with it.
        recorded: whether each statement outside of functions is to say when it was run.

    Raises:
        ProgramError: for what cannot be run here.
    """
    places = Places(source, shift)
    check_size(tree, source, places)
    reader = _Reader(source, text, places, tracked, recorded)
    reader.read(tree)
    lead = (f"math = {OWN}MODULES['tracked_math']\n" if tracked else "") + (_LEAD if shift else "")
    patched = reader.edits.applied(text, lead, 1 if text[:1] == "\ufeff" else 0)
    names, engine = list(reader.names), reader.own_engine
    return Reading(source, tree, patched, reader.bound, reader.loops, names, notes, tracked, shift, engine)


ENGINE_METHODS = frozenset({"__add__", "__mul__", "backward"})


def is_engine(node: ast.ClassDef) -> bool:
    """Whether a class is a learner's own Value, or part of one."""
    return any(isinstance(item, ast.FunctionDef) and item.name in ENGINE_METHODS for item in node.body)


class _Reader:
    """Walks the statements once and notes what is put into the text."""

    def __init__(self, source: Source, text: str, places: Places, tracked: bool, recorded: bool) -> None:
        self.source = source
        self.text = text
        self.recorded = recorded
        self.places = places
        self.tracked = tracked
        self.edits = Edits()
        self.bound: list[Bound] = []
        self.loops: list[Loop] = []
        self.names: dict[str, None] = {}
        self._loop_names: list[dict[str, int]] = []
        self._rebinds_print = False
        self._has_engine = False
        self.own_engine: OwnEngine | None = None

    def read(self, tree: ast.Module) -> None:
        self._look_for_names(tree)
        self._look_for_engine(tree)
        bridges = Bridges(self.source, self.text, self.places, self.edits)
        bridges.build(tree)
        self._block(tree.body, outside=True, first_level=True)

    def _look_for_names(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and len(node.args) > MOST_ARGUMENTS and not node.keywords:
                self._list_arguments(node)
            name = ""
            if isinstance(node, ast.Name):
                name = node.id
                self._rebinds_print |= name == "print" and isinstance(node.ctx, ast.Store)
                if not self.text.isascii():
                    self._normalise(node)
            elif isinstance(node, ast.Attribute):
                name = node.attr
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                name = node.name
                self._rebinds_print |= name == "print"
                self._has_engine |= isinstance(node, ast.ClassDef) and is_engine(node)
            elif isinstance(node, ast.arg):
                name = node.arg
            if name.startswith(OWN):
                raise self.error(f"names that begin with {OWN} are Gradstep's own: choose another name", node)
            if len(name) > MAX_NAME:
                raise self.error(f"name too long ({len(name):,} letters, at most {MAX_NAME})", node)

    def _look_for_engine(self, tree: ast.Module) -> None:
        """Has the passes of the learner's engine recorded from where its class stands on."""
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.own_engine = read_own_engine(tree) if classes else None
        if self.own_engine is not None and (text := hook_text(self.own_engine)):
            base = classes.get(self.own_engine.classes[0])
            if base is not None:
                self._behind(base, text)

    def _list_arguments(self, call: ast.Call) -> None:
        """`f(a, b, ...)` of very many arguments is called as `f(*[a, b, ...])`."""
        opening = self.text.index("(", self.places.offset(call.func, end=True))
        self.edits.insert(opening + 1, "*[")
        self.edits.insert(self.places.offset(call, end=True) - 1, "]", last=True)

    def _normalise(self, node: ast.Name) -> None:
        """Python compares names in their NFKC form; the sandbox is given that."""
        start, end = self.places.offset(node), self.places.offset(node, end=True)
        if self.text[start:end] != node.id:
            self.edits.replace(start, end, node.id)

    def error(self, message: str, node: ast.AST) -> ProgramError:
        start = self.places.offset(node) if hasattr(node, "lineno") else 0
        same_line = getattr(node, "lineno", 0) == getattr(node, "end_lineno", 0)
        end = self.places.offset(node, end=True) if same_line and hasattr(node, "lineno") else start + 1
        return self.source.error(message, start, end)

    # Statements

    def _block(
        self, body: Sequence[Statement], outside: bool, first_level: bool = False, in_loop: bool = False
    ) -> None:
        for node in body:
            if isinstance(node, ast.If) and first_level and isinstance(node.test, ast.Constant) and node.lineno == 1:
                self._block(node.body, outside, first_level=True)  # the line that holds an indented text
                continue
            if first_level and outside and _may_take_long(node):
                self._before(node, f"{OWN}at({self.source.place(self.places.offset(node))[0]})")
            self._statement(node, outside, in_loop)

    def _statement(self, node: Statement, outside: bool, in_loop: bool) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, outside)
        elif isinstance(node, ast.ClassDef):
            self._name(node.name, outside)
            if not is_engine(node):
                self._block([item for item in node.body if isinstance(item, ast.FunctionDef)], outside=False)
            else:
                self._prints(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._name(node.name, outside)
            self._block(node.body, outside=False)
        elif isinstance(node, (ast.For, ast.While)):
            self._loop(node, outside)
        elif isinstance(node, (ast.If, ast.With, ast.Try)):
            self._prints_of_header(node)
            for block in _blocks(node):
                self._block(block, outside, in_loop=in_loop)
            self._name_targets(node, outside)
        else:
            self._simple(node, outside, in_loop)

    def _record(self, node: Statement) -> None:
        """Lets a statement outside of functions say that it was run, and what it gave its names."""
        if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)):
            return
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        names = [name for target in targets if target is not None for name in _target_names(target)]
        listed = "".join(f"{name}, " for name in names)
        line = self.source.place(self.places.offset(node))[0]
        text = f"; {OWN}step({line}, {tuple(names)!r}, ({listed}))"
        self.edits.insert(self.places.offset(node, end=True), text, last=True)

    def _simple(self, node: Statement, outside: bool, in_loop: bool) -> None:
        if self.recorded and outside:
            self._record(node)
        if outside and isinstance(node, ast.Return):
            raise self.error("return stands outside of a function: nothing is there that it could return to", node)
        self._prints(node)
        self._break_chain(node)
        if isinstance(node, ast.Assign):
            names = [name for target in node.targets for name in _target_names(target)]
            whole = all(isinstance(target, ast.Name) for target in node.targets)
            self._bind(node, names, node.value if whole else None, outside, in_loop)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and isinstance(node.target, ast.Name):
            if node.value is not None:
                self._bind(node, [node.target.id], node.value, outside, in_loop)
        elif isinstance(node, ast.Expr):
            self._expression(node, outside, in_loop)
        if self.tracked and outside:
            self._track(node)

    def _bind(
        self, node: Statement, names: Sequence[str], value: Expression | None, outside: bool, in_loop: bool
    ) -> None:
        for name in names:
            self._name(name, outside)
        if not names or (not outside and not _computes(node)):
            return
        number = len(self.bound)
        start, end = self.places.offset(node), self.places.offset(node, end=True)
        self.bound.append(Bound(number, tuple(names), node, value, start, end, outside, in_loop))
        told = names[0] if value is not None else "(" + ", ".join(dict.fromkeys(names)) + ",)"
        self.edits.insert(end, f"; {OWN}BOUND[{number}] = {told}")
        for loop in self._loop_names if outside else []:
            for name in names[:1] if value is not None else ():
                loop[name] = number

    def _expression(self, node: ast.Expr, outside: bool, in_loop: bool) -> None:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return
        call = value if isinstance(value, ast.Call) else None
        if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
            line = self.source.place(self.places.offset(node))[0]
            self.edits.insert(self.places.offset(node), f"{OWN}LINE[0] = {line}; ")
            if self._has_engine and outside and _is_plain_place(call.func.value):
                at, end = self.places.offset(call.func.value), self.places.offset(call.func.value, end=True)
                self.edits.insert(self.places.offset(node, end=True), f"; {OWN}own_moment({self.text[at:end]})")
            return
        if not outside or (call is not None and isinstance(call.func, ast.Name) and call.func.id == "print"):
            return
        number = len(self.bound)
        start, end = self.places.offset(node), self.places.offset(node, end=True)
        self.bound.append(Bound(number, (), node, value, start, end, outside, in_loop))
        self.edits.insert(start, f"{OWN}BOUND[{number}] = (", after=True)
        self.edits.insert(end, ")", first=True)

    def _loop(self, node: ast.For | ast.While, outside: bool) -> None:
        self._prints_of_header(node)
        if not outside:
            self._block([*node.body, *node.orelse], outside, in_loop=True)
            return
        names: dict[str, int] = {}
        self._loop_names.append(names)
        counted = node.target.id if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else ""
        for name in _target_names(node.target) if isinstance(node, ast.For) else []:
            self._name(name, outside)
        number = len(self.loops)
        start, end = self.places.offset(node), self.places.offset(node, end=True)
        line = self.source.place(start)[0]
        self.loops.append(Loop(number, counted, line, start, end, (), ()))
        self._block(node.body, outside, in_loop=True)
        self._block(node.orelse, outside, in_loop=True)
        self._loop_names.pop()
        worth = not self._loop_names or _calls_backward(node)
        if worth:
            shown = dict(list(names.items())[:12]) if not self._loop_names else {}
            self.loops[number] = Loop(number, counted, line, start, end, tuple(shown.values()), tuple(shown))
            numbers = "(" + "".join(f"{each}, " for each in shown.values()) + ")"
            self._before(node.body[0], f"{OWN}lap({number}, {counted or None}, {numbers})")
            self._behind(node, f"{OWN}laps_end({number}, {numbers})")

    def _import(self, node: ast.Import | ast.ImportFrom, outside: bool) -> None:
        start, end = self.places.offset(node), self.places.offset(node, end=True)
        try:
            text, names = imports.rewritten(node, self.tracked)
        except imports.NotAvailable as error:
            raise self.source.error(str(error), start, min(end, self.source.line_end(start))) from None
        for name in names:
            self._name(name, outside, listed=False)
        if text is not None:
            self.edits.replace(start, end, text)

    # Names and prints

    def _name(self, name: str, outside: bool, listed: bool = True) -> None:
        if outside and listed:
            self.names[name] = None

    def _name_targets(self, node: Statement, outside: bool) -> None:
        if isinstance(node, ast.With):
            for item in node.items:
                for name in _target_names(item.optional_vars) if item.optional_vars is not None else []:
                    self._name(name, outside)

    def _prints_of_header(self, node: Statement) -> None:
        for name, child in ast.iter_fields(node):
            if isinstance(child, ast.expr) and name != "target":
                self._prints(child)

    def _prints(self, node: ast.AST) -> None:
        """Lets every print(...) say its line."""
        if self._rebinds_print:
            return
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "print":
                start, end = self.places.offset(each.func), self.places.offset(each.func, end=True)
                if self.text[start:end] != "print":
                    continue  # inside an f-string Python 3.11 does not say where things stand
                line = self.source.place(self.places.offset(each))[0]
                opening = self.text.index("(", end)
                comma = ", " if each.args or each.keywords else ""
                self.edits.replace(start, opening + 1, f"{OWN}shown({line}{comma}")

    # Numbers of a program of formulas

    def _track(self, node: Statement) -> None:
        if isinstance(node, ast.Expr) and _shows(node.value):
            self._plain_arguments(node.value)
            return
        value = getattr(node, "value", None)
        if not isinstance(value, ast.expr) or any(not isinstance(t, ast.Name) for t in getattr(node, "targets", ())):
            return
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
            return
        if isinstance(node, ast.Assign) and number_of(value) is not None:
            self._wrap(value, "named")
        else:
            self._track_parts(value)

    def _track_parts(self, node: ast.expr) -> None:
        stack: list[ast.AST] = [node]
        while stack:
            each = stack.pop()
            if isinstance(each, ast.expr) and (number_of(each) is not None or self._is_constant(each)):
                self._wrap(each, "tracked")
            elif isinstance(each, ast.Call) and imports.makes_leaf(each.func):
                if imports.makes_array(each.func):
                    self._wrap(each, "named")
            elif isinstance(each, ast.Call) and not _is_operation(each.func):
                stack.append(each.func)
            elif not isinstance(each, (ast.JoinedStr, ast.Lambda)):
                stack.extend(ast.iter_child_nodes(each))

    def _is_constant(self, node: ast.expr) -> bool:
        """Whether it is a number that has a name: `pi`, `math.e`."""
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id in MODULES and node.attr in CONSTANTS
        return isinstance(node, ast.Name) and node.id == "pi" and "pi" not in self.names

    def _wrap(self, node: ast.expr, function: str) -> None:
        self.edits.insert(self.places.offset(node), f"{OWN}{function}(", inner=True)
        self.edits.insert(self.places.offset(node, end=True), ")", first=True)

    def _plain_arguments(self, node: ast.expr) -> None:
        """In `print(...)` numbers with a format are printed as numbers."""
        for each in ast.walk(node):
            if isinstance(each, ast.JoinedStr) and any(
                isinstance(part, ast.FormattedValue) and part.format_spec is not None for part in each.values
            ):
                start, end = self.places.offset(each), self.places.offset(each, end=True)
                self.edits.replace(start, end, ast.unparse(_PlainNumbers().visit(each)))
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "format":
                for argument in each.args:
                    self._wrap(argument, "plain")

    # Pieces

    def _before(self, node: Statement, text: str) -> None:
        start = self.places.offset(node)
        line_start = self.source.line_start(start)
        blanks = self.text[line_start:start]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if _is_compound(node) and not blanks.strip(" \t\ufeff"):
            decorators = [self.places.offset(each) - 1 for each in getattr(node, "decorator_list", [])]
            start = min([start, *decorators])
            self.edits.insert(start, f"{text}\n{blanks.replace(chr(0xFEFF), '')}")
        elif not _is_compound(node):
            self.edits.insert(start, f"{text}; ")

    def _behind(self, node: Statement, text: str) -> None:
        start, end = self.places.offset(node), self.places.offset(node, end=True)
        blanks = self.text[self.source.line_start(start) : start].replace("\ufeff", "")
        rest = self.text[end:].lstrip(" \t")
        if not blanks.strip(" \t") and not rest.startswith(";"):
            self.edits.insert(end, f"\n{blanks}{text}", last=True)

    def _break_chain(self, node: Statement) -> None:
        """`a + b + c + ...` of many terms is computed in pieces, the first terms before the statement."""
        value = getattr(node, "value", None)
        chain: list[ast.BinOp] = []
        while isinstance(value, ast.BinOp):
            chain.append(value)
            value = value.left
        if len(chain) <= LONGEST_CHAIN:
            return
        statement = self.places.offset(node)
        chain.reverse()
        begin = self.places.offset(chain[0])
        cuts = [self.places.offset(chain[i], end=True) for i in range(LONGEST_CHAIN, len(chain) - 1, LONGEST_CHAIN)]
        self.edits.hoist(statement, begin, cuts, f"{OWN}terms_before")


class _PlainNumbers(ast.NodeTransformer):
    """In an f-string with formats, numbers instead of what stands for them."""

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        if node.format_spec is not None:
            node.value = ast.Call(ast.Name(f"{OWN}plain", ast.Load()), [node.value], [])
        return node


# Looking at nodes


def number_of(node: ast.AST) -> float | int | None:
    """The number that an expression is, its sign included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.UnaryOp) and not isinstance(inner.op, ast.USub):
            return None
        number = number_of(inner)
        return None if number is None else -number
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return number_of(node.operand)
    if isinstance(node, ast.Constant) and node.value.__class__ in (int, float):
        return node.value
    return None


def _is_operation(function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name in FUNCTION_NAMES


def _target_names(target: ast.AST) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for each in target.elts for name in _target_names(each)]
    return _target_names(target.value) if isinstance(target, ast.Starred) else []


def _blocks(node: ast.If | ast.With | ast.Try) -> list[list[Statement]]:
    handlers = [handler.body for handler in getattr(node, "handlers", [])]
    return [node.body, *handlers, getattr(node, "orelse", []), getattr(node, "finalbody", [])]


def _is_compound(node: Statement) -> bool:
    return hasattr(node, "body")


def _may_take_long(node: Statement) -> bool:
    if isinstance(node, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
        return True
    return not _is_compound(node) and any(
        isinstance(each, (ast.Call, ast.ListComp, ast.Pow, ast.Mult)) for each in ast.walk(node)
    )


def _computes(node: Statement) -> bool:
    return any(isinstance(each, (ast.BinOp, ast.Call)) for each in ast.walk(node))


def _calls_backward(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr == "backward" for each in ast.walk(node))


def _is_plain_place(node: ast.AST) -> bool:
    return all(isinstance(each, (ast.Name, ast.Attribute, ast.expr_context)) for each in ast.walk(node))


def _shows(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def line_of(starts: Sequence[int], offset: int) -> int:
    """The line of an offset, from 1."""
    return bisect_right(starts, offset)
