"""A program text, read before it is run: its statements and their places, imports, loops, and what is written into it.

What the sandbox is given is the same text with small pieces put in: which line is being run, what a statement bound,
where a loop begins another time. Every place in that text leads back to one in the text as typed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from engine.language import imports
from engine.language.advice.notes import Note
from engine.language.nodes import (
    blocks,
    calls_backward,
    computes,
    is_engine,
    is_plain_place,
    may_take_long,
    target_names,
    walk,
)
from engine.language.own_engine.classes import OwnEngine, read_own_engine
from engine.language.own_engine.probe import hook_text
from engine.language.program_tree import LEAD, Places, check_size, is_indented
from engine.language.reading import Bound, Loop, Reading
from engine.language.rewriting.bridges import Bridges
from engine.language.rewriting.draft import Draft
from engine.language.rewriting.edits import AFTER, FIRST
from engine.language.rewriting.generators import Generators
from engine.language.rewriting.special_methods import SpecialMethods
from engine.language.rewriting.step_recording import Recording
from engine.language.rewriting.tracking import Tracking
from engine.language.rewriting.tried_lines import remember_lines
from engine.language.source import MAX_NAME, Source
from engine.language.words import OWN

MOST_ARGUMENTS = 200


def read(
    source: Source, text: str, tracked: bool, notes: list[Note], tree: ast.Module, recorded: bool = False
) -> Reading:
    """The program, ready to be run.

    Args:
        source: the text as typed.
        text: the same, with what was set aside blanked out.
        tracked: whether its numbers are to be values of the graph.
        notes: what was set aside.
        tree: what `parse` made of the text.
        recorded: whether each statement is to say when it was run.

    Raises:
        ProgramError: for what cannot be run here.
    """
    draft = Draft(source, text, Places(source))
    check_size(tree, source, draft.places)
    recording = Recording(draft, tree) if recorded else None
    reader = _Reader(draft, tracked, recording)
    reader.read(tree)
    lead = (f"math = {OWN}MODULES['tracked_math']\n" if tracked else "") + (LEAD if is_indented(tree) else "")
    patched = draft.edits.applied(text, lead, 1 if text[:1] == "\ufeff" else 0)
    names, engine = list(reader.names), reader.own_engine
    steps = recording.steps if recording is not None else ()
    return Reading(source, tree, patched, reader.bound, reader.loops, names, notes, tracked, engine, steps)


class _Reader:
    """Walks the statements once and notes what is put into the text."""

    def __init__(self, draft: Draft, tracked: bool, recording: Recording | None) -> None:
        self.draft, self.tracked, self.recording = draft, tracked, recording
        self.bound: list[Bound] = []
        self.loops: list[Loop] = []
        self.names: dict[str, None] = {}
        self.tracking = Tracking(draft, self.names)
        self._loop_names: list[dict[str, int]] = []
        self._rebinds_print = False
        self._has_engine = False
        self.own_engine: OwnEngine | None = None

    def read(self, tree: ast.Module) -> None:
        self._look_for_names(tree)
        self._look_for_engine(tree)
        Generators(self.draft).build(tree)
        Bridges(self.draft).build(tree)
        SpecialMethods(self.draft).build(tree)
        remember_lines(tree, self.draft)
        for node in tree.body:
            if may_take_long(node):
                self.draft.before(node, f"{OWN}at({self.draft.line_of(node)})")
        self._block(tree.body, outside=True)

    def _look_for_names(self, tree: ast.Module) -> None:
        for node in walk(tree):
            if isinstance(node, ast.Call) and len(node.args) > MOST_ARGUMENTS and not node.keywords:
                self.draft.list_arguments(node)
            name = ""
            if isinstance(node, ast.Name):
                name = node.id
                self._rebinds_print |= name == "print" and isinstance(node.ctx, ast.Store)
                if not self.draft.text.isascii():
                    self.draft.normalise(node)
            elif isinstance(node, ast.Attribute):
                name = node.attr
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                name = node.name
                self._rebinds_print |= name == "print"
                self._has_engine |= isinstance(node, ast.ClassDef) and is_engine(node)
            elif isinstance(node, ast.arg):
                name = node.arg
            if name.startswith(OWN):
                raise self.draft.error(f"names that begin with {OWN} are Gradstep's own: choose another name", node)
            if len(name) > MAX_NAME:
                raise self.draft.error(f"name too long ({len(name):,} letters, at most {MAX_NAME})", node)

    def _look_for_engine(self, tree: ast.Module) -> None:
        """Has the passes of the learner's engine recorded from where its class stands on."""
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.own_engine = read_own_engine(tree) if classes else None
        if self.own_engine is not None and (text := hook_text(self.own_engine)):
            base = classes.get(self.own_engine.classes[0])
            if base is not None:
                self.draft.behind(base, text)

    # Statements

    def _block(self, body: Sequence[ast.stmt], outside: bool, in_loop: bool = False) -> None:
        for node in body:
            self._statement(node, outside, in_loop)

    def _statement(self, node: ast.stmt, outside: bool, in_loop: bool) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, ast.ClassDef):
            self._name(node.name, outside)
            if not is_engine(node):
                self._scope(node, [item for item in node.body if isinstance(item, ast.FunctionDef)])
            else:
                self._prints(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._name(node.name, outside)
            self._scope(node, node.body)
        elif isinstance(node, (ast.For, ast.While)):
            self._head(node)
            self._loop(node, outside)
        elif isinstance(node, (ast.If, ast.With, ast.Try)):
            self._head(node)
            self._prints_of_header(node)
            for block in blocks(node):
                self._block(block, outside, in_loop=in_loop)
            self._name_targets(node, outside)
        elif isinstance(node, ast.Match):
            self._prints_of_header(node)
            for case in node.cases:
                self._block(case.body, outside, in_loop=in_loop)
        else:
            self._simple(node, outside, in_loop)

    def _scope(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, body: Sequence[ast.stmt]) -> None:
        if self.recording is not None:
            self.recording.enter(node)
        self._block(body, outside=False)
        if self.recording is not None:
            self.recording.leave()

    def _head(self, node: ast.For | ast.While | ast.If | ast.With | ast.Try) -> None:
        if self.recording is not None:
            self.recording.head(node)

    def _simple(self, node: ast.stmt, outside: bool, in_loop: bool) -> None:
        if self.recording is not None:
            self.recording.simple(node)
        if outside and isinstance(node, ast.Return):
            message = "return stands outside of a function: nothing is there that it could return to"
            raise self.draft.error(message, node)
        self._prints(node)
        self.draft.break_chain(node)
        if isinstance(node, ast.Assign):
            names = [name for target in node.targets for name in target_names(target)]
            whole = all(isinstance(target, ast.Name) for target in node.targets)
            self._bind(node, names, node.value if whole else None, outside, in_loop)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and isinstance(node.target, ast.Name):
            if node.value is not None:
                self._bind(node, [node.target.id], node.value, outside, in_loop)
        elif isinstance(node, ast.Expr):
            self._expression(node, outside, in_loop)
        if self.tracked and outside:
            self.tracking.track(node)

    def _bind(self, node: ast.stmt, names: Sequence[str], value: ast.expr | None, outside: bool, in_loop: bool) -> None:
        for name in names:
            self._name(name, outside)
        if not names or (not outside and not computes(node)):
            return
        number = len(self.bound)
        start, end = self.draft.places.span(node)
        self.bound.append(Bound(number, tuple(names), node, value, start, end, outside, in_loop))
        told = names[0] if value is not None else "(" + ", ".join(dict.fromkeys(names)) + ",)"
        self.draft.edits.insert(end, f"; {OWN}BOUND[{number}] = {told}")
        for loop in self._loop_names if outside else []:
            for name in names[:1] if value is not None else ():
                loop[name] = number

    def _expression(self, node: ast.Expr, outside: bool, in_loop: bool) -> None:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return
        call = value if isinstance(value, ast.Call) else None
        if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
            self.draft.edits.insert(self.draft.start(node), f"{OWN}LINE[0] = {self.draft.line_of(node)}; ")
            if self._has_engine and outside and is_plain_place(call.func.value):
                at, end = self.draft.places.span(call.func.value)
                self.draft.edits.insert(self.draft.end(node), f"; {OWN}own_moment({self.draft.text[at:end]})")
            return
        if not outside or (call is not None and isinstance(call.func, ast.Name) and call.func.id == "print"):
            return
        number = len(self.bound)
        start, end = self.draft.places.span(node)
        self.bound.append(Bound(number, (), node, value, start, end, outside, in_loop))
        self.draft.edits.insert(start, f"{OWN}BOUND[{number}] = (", AFTER)
        self.draft.edits.insert(end, ")", FIRST)

    def _loop(self, node: ast.For | ast.While, outside: bool) -> None:
        self._prints_of_header(node)
        if not outside:
            self._block([*node.body, *node.orelse], outside, in_loop=True)
            return
        names: dict[str, int] = {}
        self._loop_names.append(names)
        counted = node.target.id if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else ""
        for name in target_names(node.target) if isinstance(node, ast.For) else []:
            self._name(name, outside)
        number = len(self.loops)
        start, end = self.draft.places.span(node)
        line = self.draft.source.place(start)[0]
        self.loops.append(Loop(counted, line, start, end, ()))
        self._block(node.body, outside, in_loop=True)
        self._block(node.orelse, outside, in_loop=True)
        self._loop_names.pop()
        worth = not self._loop_names or calls_backward(node)
        if worth:
            shown = dict(list(names.items())[:12]) if not self._loop_names else {}
            self.loops[number] = Loop(counted, line, start, end, tuple(shown))
            numbers = "(" + "".join(f"{each}, " for each in shown.values()) + ")"
            self.draft.before(node.body[0], f"{OWN}lap({number}, {counted or None}, {numbers})")
            self.draft.behind(node, f"{OWN}laps_end({number}, {numbers})")

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        start, end = self.draft.places.span(node)
        try:
            text = imports.rewritten(node, self.tracked)
        except imports.NotAvailable as error:
            raise self.draft.source.error(str(error), start, min(end, self.draft.source.line_end(start))) from None
        if text is not None:
            self.draft.edits.replace(start, end, text)

    # Names and prints

    def _name(self, name: str, outside: bool) -> None:
        if outside:
            self.names[name] = None

    def _name_targets(self, node: ast.stmt, outside: bool) -> None:
        if isinstance(node, ast.With):
            for item in node.items:
                for name in target_names(item.optional_vars) if item.optional_vars is not None else []:
                    self._name(name, outside)

    def _prints_of_header(self, node: ast.stmt) -> None:
        for name, child in ast.iter_fields(node):
            if isinstance(child, ast.expr) and name != "target":
                self._prints(child)

    def _prints(self, node: ast.AST) -> None:
        """Lets every print(...) say its line."""
        if self._rebinds_print:
            return
        for each in walk(node):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "print":
                start, end = self.draft.places.span(each.func)
                if self.draft.text[start:end] != "print":
                    continue  # inside an f-string Python 3.11 does not say where things stand
                line, opening = self.draft.line_of(each), self.draft.text.index("(", end)
                comma = ", " if each.args or each.keywords else ""
                self.draft.edits.replace(start, opening + 1, f"{OWN}shown({line}{comma}")
