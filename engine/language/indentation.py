"""`restore_indentation`: the indentation that a pasted program has lost.

Every statement may stand in any block that is still open. A beam search goes through the statements and adds up costs
of what programmers do not write: names used where they are not bound, statements behind a `return`, a loop that does
the same in each iteration, a local variable that nobody reads, a nested function that nobody uses. States that agree in
their open blocks and bound names go on as one, and remember by how much the better one was better. Where that margin is
small the text could be several programs, and none is proposed.
"""

from __future__ import annotations

import ast
import builtins
import io
import itertools
import textwrap
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.autograd.ops import OPS
from engine.language.flat_statements import Statement, read_flat

MAX_LINES = 500
MARGIN = 1.75
"""A second program that costs less than this more than the best one is as likely."""
SLACK = 9.0
"""States that cost this much more than the best one are given up."""
UNIT = "    "

_NEVER = float("inf")
_CLAUSES = {
    "elif": {"if": 0.0, "elif": 0.0},
    "else": {"if": 0.0, "elif": 0.0, "for": 5.0, "while": 5.0, "except": 2.5},
    "except": {"try": 0.0, "except": 0.0},
    "finally": {"try": 0.0, "except": 0.0, "else": 1.0},
}
"""Clauses, the heads that they may follow, and what each pair costs."""
_LOOPS = ("for", "while")
_SCOPES = ("module", "class", "def")
_JUMPS = ("return", "raise", "break", "continue")
_KNOWN = frozenset(dir(builtins)) | frozenset(OPS) | {"Value", "Neuron", "Layer", "MLP", "math", "random", "np", "plt"}
_PRINTING = frozenset({"print", "display"})


def restore_indentation(text: str) -> str | None:
    """Return a flat program with the indentation under which it makes sense; None where that cannot be told.

    A program that was pasted with too much indentation is moved to the left. Multi-line strings and brackets keep
    their text. Takes less than a second for 500 lines.
    """
    if text.count("\n") > MAX_LINES or _compiles(text):
        return None
    for moved in (textwrap.dedent(text), _with_first_line_moved(text)):
        if moved != text and _compiles(moved):
            return moved
    try:
        statements, comments = read_flat(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return None
    state = _Search(statements).best() if statements else None
    if state is None or state.margin < MARGIN:
        return None
    restored = _indented(text, statements, comments, state.levels())
    return restored if _compiles(restored) else None


def _compiles(text: str) -> bool:
    try:
        compile(text, "<program>", "exec", flags=ast.PyCF_ONLY_AST)
        compile(text, "<program>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _with_first_line_moved(text: str) -> str:
    """Return a text whose first line alone has lost its indentation, the others moved to the left."""
    first, newline, rest = text.partition("\n")
    return first.lstrip() + newline + textwrap.dedent(rest)


class Block:
    """An open block during the search; copied before it is changed."""

    __slots__ = (
        "accumulated", "acts", "before", "bound", "branches_end", "called", "carried", "collected", "conditional",
        "count", "ended", "exits", "has_def", "head", "jumped", "kind", "last", "needs", "read", "returns", "self_name",
        "targets", "touched", "unused_defs", "used_target", "written",
    )  # fmt: skip

    def __init__(self, kind: str, head: Statement | None, before: frozenset[str] = frozenset()) -> None:
        self.kind = kind
        self.head = head
        self.before = before
        """Names that were bound when a loop or branch began."""
        self.bound: frozenset[str] = frozenset()
        self.needs: frozenset[str] = frozenset()
        self.read: frozenset[str] = frozenset()
        self.written: frozenset[str] = frozenset()
        self.touched: frozenset[str] = frozenset()
        self.targets: frozenset[str] = frozenset()
        self.conditional: frozenset[str] = frozenset()
        self.unused_defs: frozenset[str] = frozenset()
        self.ended: dict[str, float] = {}
        """Targets of loops that have ended, with the cost of using them."""
        self.accumulated: frozenset[str] = frozenset()
        """Names that a loop goes on to add to."""
        self.collected: frozenset[str] = frozenset()
        """Names that began empty and have not been added to."""
        self.count = 0
        self.last: Statement | None = None
        self.jumped = False
        self.branches_end = False
        """True when all branches so far of the last compound statement end in a jump."""
        self.has_def = False
        self.acts = False
        self.called = False
        self.used_target = False
        self.carried = False
        self.exits = False
        self.returns = False
        self.self_name = ""

    def copy(self) -> Block:
        """Return a block that can be changed."""
        new = Block.__new__(Block)
        for name in Block.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def signature(self) -> tuple[object, ...]:
        """Return what the costs of later statements depend on."""
        return (
            id(self.head),
            self.kind,
            self.bound,
            self.needs,
            self.jumped,
            id(self.last),
            self.unused_defs,
            frozenset(self.ended),
        )


@dataclass(eq=False)
class State:
    """A way to indent the statements so far."""

    blocks: tuple[Block, ...]
    cost: float = 0.0
    margin: float = _NEVER
    level: int = 0
    parent: State | None = field(default=None, repr=False)

    def levels(self) -> list[int]:
        """Return the level of each statement."""
        found: list[int] = []
        state: State | None = self
        while state is not None and state.parent is not None:
            found.append(state.level)
            state = state.parent
        return found[::-1]


class _Search:
    """The beam search over one text."""

    def __init__(self, statements: list[Statement]) -> None:
        self.statements = statements
        self.bound_somewhere = frozenset().union(*(s.binds.union(s.parameters) for s in statements))
        self.imported = frozenset().union(*(s.binds for s in statements if s.imports))
        self.functions = frozenset(s.name for s in statements if s.name)
        blanks = [s.blank_lines for s in statements[1:]]
        self.has_blanks = sum(map(bool, blanks)) > 0.03 * len(blanks)
        self.has_double = any(blank >= 2 for blank in blanks)
        defs = [
            s.blank_lines > 0
            for before, s in itertools.pairwise(statements)
            if s.kind in ("def", "class") and not before.opens and before.kind not in ("decorator", "text")
        ]
        self.spaced_defs = len(defs) > 1 - self.has_double and sum(defs) > 0.8 * len(defs)
        for head, first in itertools.pairwise(statements):
            if head.kind == "for" and head.opens and first.changes & head.binds:
                head.changes |= head.uses - self.imported
                head.updates |= head.uses - self.imported
        self.width = max(14, min(80, 8000 // len(statements)))

    def best(self) -> State | None:
        """Return the best way to indent all statements, with its margin; None when there is none."""
        states = [State((Block("module", None),))]
        for statement in self.statements:
            states = self._kept([new for state in states for new in self._placed(state, statement)])
            if not states:
                return None
        ended = [end for state in states if (end := self._ended(state)).cost < _NEVER]
        ended.sort(key=lambda state: state.cost)
        if not ended:
            return None
        best = ended[0]
        if len(ended) > 1:
            best.margin = min(best.margin, ended[1].cost - best.cost)
        return best

    def _ended(self, state: State) -> State:
        blocks = [block.copy() for block in state.blocks]
        cost = _NEVER if blocks[-1].count == 0 and len(blocks) > 1 else 0.0
        while len(blocks) > 1:
            if blocks[-1].kind == "try":
                cost = _NEVER
            cost += self._closed(blocks)
        cost += 6.0 * len(blocks[0].needs)
        if not blocks[0].acts:
            cost += 3.0  # a program that only defines things
        return State(tuple(blocks), state.cost + cost, state.margin, state.level, state.parent)

    def _kept(self, states: list[State]) -> list[State]:
        """Merge states whose future is the same, and give up those that cost much more than the best one."""
        states.sort(key=lambda state: state.cost)
        kept: dict[tuple[object, ...], State] = {}
        for state in states:
            if state.cost > states[0].cost + SLACK:
                break
            signature = tuple(block.signature() for block in state.blocks)
            better = kept.setdefault(signature, state)
            if better is not state:
                better.margin = min(better.margin, state.cost - better.cost)
        every = list(kept.values())
        for given_up in every[self.width : self.width + 1]:
            for state in every[: self.width]:
                state.margin = min(state.margin, given_up.cost - state.cost)
        return every[: self.width]

    def _placed(self, state: State, statement: Statement) -> Iterator[State]:
        """Yield the state with the statement in each of the open blocks where it may stand."""
        top = len(state.blocks) - 1
        if state.blocks[top].count == 0 and top > 0:
            places = [top]
        elif (before := state.blocks[top].last) is not None and before.kind == "decorator":
            places = [top] if statement.kind in ("def", "class", "decorator") else []
        else:
            places = list(range(top, -1, -1))
        for place in places:
            closed = state.blocks[place + 1 :]
            if any(block.kind == "try" for block in closed[1:]):
                continue
            if closed and closed[0].kind == "try" and statement.kind not in ("except", "finally"):
                continue
            cost = self._forbidden(state.blocks, place, statement)
            if statement.parameters[:1] == ("self",) and any(block.kind == "class" for block in closed):
                cost += 8.0
            if cost == _NEVER:
                continue
            if len(places) > 1:
                cost += self._blank_cost(state.blocks, place, statement)
                cost += self._leaving_cost(state.blocks, place, statement)
            blocks = [block.copy() for block in state.blocks]
            while len(blocks) > place + 1:
                cost += 0.3 + self._closed(blocks, statement)
            cost += self._staying_cost(blocks, statement, forced=len(places) == 1)
            cost += self._bound_and_used(blocks, statement)
            yield State(tuple(blocks), state.cost + cost, state.margin, place, state)

    def _forbidden(self, blocks: tuple[Block, ...], place: int, statement: Statement) -> float:
        """Return infinity where the grammar does not allow the statement, else a cost."""
        block, kind = blocks[place], statement.kind
        cost = 0.0
        if kind in _CLAUSES:
            head = block.last.kind if block.last is not None else ""
            if head not in _CLAUSES[kind] or (place == len(blocks) - 1 and block.last.opens):  # type: ignore[union-attr]
                return _NEVER
            cost += _CLAUSES[kind][head]
            branch = blocks[place + 1].last if place + 1 < len(blocks) else None
            if kind == "else" and head == "if" and branch is not None and branch.kind == "break":
                cost += 4.0  # `for ...: if ...: break`, `else: ...` is the loop's more often
        elif block.jumped:
            cost += 8.0
        if (kind == "case") != (block.kind == "match"):
            return _NEVER
        kinds = [each.kind for each in blocks[: place + 1]]
        inner = kinds[max((i for i, each in enumerate(kinds) if each in _SCOPES), default=0) :]
        if kind in ("break", "continue") and not any(each in _LOOPS for each in inner):
            return _NEVER
        if (kind in ("return", "nonlocal") or statement.yields) and inner[0] != "def":
            return _NEVER
        return cost

    def _blank_cost(self, blocks: tuple[Block, ...], place: int, statement: Statement) -> float:
        """Return what the blank lines above a statement say against a place."""
        kind = blocks[place].kind
        leaves_scope = any(block.kind in ("def", "class") for block in blocks[place + 1 :])
        is_def = statement.kind in ("def", "class", "decorator")
        if statement.blank_lines >= 2 and self.has_double:
            return 0.0 if place == 0 else 2.0 if kind == "class" and is_def else 5.0
        if statement.blank_lines:
            cost = 2.0 if self.has_double and leaves_scope and place == 0 else 0.0
            if kind in _SCOPES:
                return cost + (0.0 if place == 0 or kind == "class" else 0.4)
            return cost + (0.8 if place == len(blocks) - 1 else 0.4)
        if self.spaced_defs and leaves_scope:
            return 3.5 if self.has_double and place == 0 else 2.5
        return 0.0

    def _leaving_cost(self, blocks: tuple[Block, ...], place: int, statement: Statement) -> float:
        """Return what speaks against a statement standing after the blocks that end there."""
        cost = 0.0
        for block in blocks[place + 1 :]:
            if block.kind in ("def", "class"):
                break
            if block.head is not None and block.head.is_main_guard:
                cost += 4.0 if block.count > 1 else 1.0
            if block.kind in _LOOPS:
                if statement.kind != "for" and self._collects(blocks[: place + 1], statement):
                    cost += 2.5
                if statement.uses & block.bound - block.before - block.targets:
                    cost += 2.5 if statement.changes - block.bound - self.imported else 1.0
                if isinstance(statement.node, ast.AugAssign) and isinstance(statement.node.value, ast.Constant):
                    cost += 3.0  # a count
            elif block.kind == "except" and block.head is not None:
                cost += 6.0 if statement.uses & block.head.binds else 0.0
            elif block.head is not None and block.head.seen_guard:
                seen = set(block.head.seen_guard)
                if seen & block.touched and seen & statement.uses:
                    cost += 3.0
        return cost

    def _staying_cost(self, blocks: list[Block], statement: Statement, forced: bool) -> float:
        """Return what speaks against a statement standing directly in the innermost of the blocks."""
        block, kind = blocks[-1], statement.kind
        cost = 0.0 if forced else self._relation_cost(blocks, statement)
        if kind == "def":
            cost += self._def_cost(blocks, statement)
        elif kind == "class":
            cost += {"module": 0.0, "def": 3.0}.get(block.kind, 4.0)
        elif block.kind == "class" and kind not in ("decorator", "pass"):
            if kind == "text":
                cost += 0.0 if block.count == 0 else 3.0
            elif kind == "assign" and not statement.imports:
                cost += 4.0 if block.has_def and not statement.uses & block.bound else 0.0
            else:
                cost += 6.0
        elif kind == "text" and block.count:
            cost += 1.5
        if statement.imports and block.kind != "module" and not forced:
            cost += 0.0 if block.last is not None and block.last.imports else 2.0
        if statement.is_idle and block.kind != "module" and not forced:
            cost += 6.0
        if statement.is_main_guard and len(blocks) > 1:
            cost += 8.0
        empty = statement.uses & block.collected | statement.plain_uses & self.functions
        if kind == "for" and block.kind == "module" and not block.called and empty:
            cost += 2.5  # over something that nothing has been put in
        if kind == "pass" and block.count:
            cost += 3.0
        if block.last is not None and block.last.kind == "pass":
            cost += 5.0
        if kind in ("return", "break", "raise") and block.kind in _LOOPS:
            cost += 5.0
        if kind in ("global", "nonlocal") and block.count:
            cost += 2.0
        return cost

    def _variables(self, names: frozenset[str]) -> frozenset[str]:
        return (names & self.bound_somewhere) - self.imported - self.functions

    def _relation_cost(self, blocks: list[Block], statement: Statement) -> float:
        """Return how little a statement has to do with the blocks around it."""
        cost = 0.0
        uses = self._variables(statement.uses | statement.changes)
        if statement.kind in (*_CLAUSES, "decorator", "case") or statement.kind in _JUMPS:
            return 0.0
        for block in reversed(blocks):
            if block.kind == "module":
                break
            if block.kind in _LOOPS:
                fresh = block.bound - block.accumulated | block.targets
                if uses & fresh or statement.updates & self._variables(block.read):
                    return cost
                shares = uses & block.read or (statement.binds & self._variables(block.read))
                if block.kind == "for" and self._collects(blocks[: blocks.index(block)], statement):
                    return cost + 0.5
                if uses & (block.touched | block.accumulated):
                    cost += 2.0
                elif shares:
                    cost += 1.0
                elif not uses and not statement.binds:
                    return cost + 1.2
                else:
                    cost += 3.0 if block.kind == "while" or block.read & block.targets else 1.2
            elif block.kind == "def":
                local = frozenset().union(*(each.bound for each in blocks if each.kind == "def"))
                if uses & local:
                    return cost
                if not block.head.parameters:  # type: ignore[union-attr]
                    return cost + (0.3 if uses & block.read else 0.8)
                return cost + (2.0 if statement.uses or statement.binds else 0.7)
            elif block.kind == "class" or (block.head is not None and block.head.is_main_guard):
                return cost
            else:
                related = uses & (
                    block.bound | block.read | self._variables(block.head.uses if block.head else frozenset())
                )
                cost += 0.4 if related else 1.3
                if uses & block.bound - block.before:
                    return cost - 0.4
        return cost

    def _collects(self, blocks: Sequence[Block], statement: Statement) -> bool:
        """Return True when a statement adds to something that began empty there, so that it should be in a loop."""
        at = max(i for i, each in enumerate(blocks) if each.kind in _SCOPES)
        names = statement.changes & blocks[at].collected
        loop = next((each for each in reversed(blocks[at:]) if each.kind in _LOOPS), None)
        return bool(names if loop is None else names & loop.bound - loop.before)

    def _def_cost(self, blocks: list[Block], statement: Statement) -> float:
        block = blocks[-1]
        first = statement.parameters[0] if statement.parameters else ""
        decorated = block.last is not None and block.last.kind == "decorator"
        static = decorated and bool(block.last.uses & {"staticmethod"})  # type: ignore[union-attr]
        in_class = any(each.kind == "class" for each in blocks)
        dunder = statement.name.startswith("__") and statement.name.endswith("__")
        if block.kind == "class":
            is_method = static or first in ("self", "cls", "mcs") or first == block.self_name != ""
            return 0.0 if is_method or (not block.has_def and first) else 5.0
        cost = 8.0 if static else 0.0
        if first in ("self", "cls") or dunder:
            cost += 8.0 if in_class else 1.5
        if block.kind == "def":
            cost += 1.0
        elif block.kind != "module":
            cost += 3.0
        return cost

    def _cost_of_names(self, scope: Block, statement: Statement, visible: frozenset[str]) -> float:
        """Return the cost of names that a statement uses and cannot have in its scope."""
        missing = (statement.uses & self.bound_somewhere) - visible - _KNOWN
        cost = 0.0
        if missing and scope.kind == "def":
            scope.needs |= missing
        elif missing:
            cost += 8.0 + 2.0 * (len(missing) - 1)
        if scope.kind == "class" and scope.head is not None and scope.head.name in statement.uses:
            cost += 8.0
        if scope.kind == "def":
            cost += 6.0 * len(scope.needs & statement.binds - scope.bound)
            name = scope.head.name if scope.head is not None else ""
            if name in statement.plain_uses and name not in scope.bound:
                cost += 5.0
            elif name in statement.uses and not self._variables(statement.uses) & scope.bound:
                cost += 3.0
        late = statement.uses & scope.conditional
        cost += 2.0 * bool(late)
        scope.conditional -= late | statement.binds
        if scope.ended:
            cost += sum(scope.ended.get(name, 0.0) for name in statement.uses)
            gone = statement.uses | statement.binds
            scope.ended = {name: price for name, price in scope.ended.items() if name not in gone}
        if scope.unused_defs - statement.uses and statement.kind not in ("def", "decorator"):
            cost += 2.0  # a nested function is used right after it
        return cost

    def _bound_and_used(self, blocks: list[Block], statement: Statement) -> float:
        """Enter a statement into its blocks; return the cost of names that it cannot have there."""
        block = blocks[-1]
        at = max(i for i, each in enumerate(blocks) if each.kind in _SCOPES)
        scope = blocks[at]
        visible = frozenset().union(*(each.bound for each in blocks[:at] if each.kind != "class"), scope.bound)
        cost = self._cost_of_names(scope, statement, visible)
        for each in blocks[:at]:
            each.unused_defs -= statement.uses
            each.read |= statement.uses
        for each in blocks[at:]:
            if each.kind in _LOOPS:
                printed = statement.kind == "expression" and statement.uses & _PRINTING
                each.used_target = each.used_target or bool(not printed and statement.uses & each.targets)
                changes = statement.changes | (statement.binds & statement.uses) | (statement.binds & each.read)
                each.carried = each.carried or bool(changes - (each.bound - each.before) - self.imported)
                each.carried = each.carried or "random" in statement.uses or statement.yields
            each.accumulated |= statement.binds & statement.uses & each.before
            each.bound |= statement.binds
            each.read |= statement.uses
            each.touched |= statement.changes
            each.unused_defs -= statement.uses
            if statement.kind in ("break", "return", "raise"):
                each.exits = True
        if statement.kind == "return" and getattr(statement.node, "value", None) is not None:
            scope.returns = True
        scope.collected = (scope.collected - statement.changes) | (
            statement.binds if statement.starts_empty else frozenset()
        )
        block.count += 1
        block.called = block.called or statement.kind == "expression" or bool(statement.uses - statement.plain_uses)
        block.acts = block.acts or not (statement.imports or statement.kind in ("def", "class", "decorator", "text"))
        block.jumped = statement.kind in _JUMPS
        if statement.kind == "def":
            if block.kind == "class" and not block.has_def and statement.parameters:
                block.self_name = statement.parameters[0]
            block.has_def = True
            decorated = block.last is not None and block.last.kind == "decorator"
            if scope.kind == "def" and not decorated:
                scope.unused_defs |= {statement.name}
        block.last = statement
        if scope.kind == "module":
            scope.needs -= statement.binds
        if statement.opens:
            new = Block(statement.kind, statement, visible)
            if statement.kind == "def":
                new.bound = frozenset(statement.parameters)
            elif statement.kind == "for":
                new.targets = statement.binds
            blocks.append(new)
        return cost

    def _closed(self, blocks: list[Block], following: Statement | None = None) -> float:
        """Take the innermost block off; return the cost of what it leaves undone."""
        block = blocks.pop()
        cost = 0.0
        if block.kind in _LOOPS:
            scope = next(each for each in reversed(blocks) if each.kind in _SCOPES)
            scope.ended = scope.ended | {name: 2.0 if name in block.before else 6.0 for name in block.targets}
            if block.kind == "for" and not block.used_target and not block.carried and not block.exits:
                cost += 4.0
            lost = block.bound - block.before - block.targets - block.read
            cost += 2.0 * bool(lost) * (not block.exits)
            if block.kind == "while" and block.head is not None and not block.exits:
                test = self._variables(block.head.uses)
                cost += 0.0 if test & (block.bound | block.touched) else 6.0
        ends = block.jumped or (block.branches_end and block.last is not None and block.last.kind in ("else", "with"))
        chained = block.kind in ("elif", "else", "except", "finally")
        blocks[-1].branches_end = (ends and (blocks[-1].branches_end or not chained)) or (
            block.kind == "while" and isinstance(getattr(block.head.node, "test", None), ast.Constant)  # type: ignore[union-attr]
        )
        if block.kind in ("if", "elif", "except"):
            at = max(i for i, each in enumerate(blocks) if each.kind in _SCOPES)
            clause = following is not None and following.kind in _CLAUSES
            if not clause and not block.jumped:
                blocks[at].conditional |= block.bound - block.before
        elif block.kind == "def":
            cost += self._function_closed(blocks, block)
        return cost

    def _function_closed(self, blocks: list[Block], block: Block) -> float:
        head = block.head
        assert head is not None
        dead = block.bound - block.read - frozenset(head.parameters) - {head.name}
        cost = 1.5 * sum(not name.startswith("_") for name in dead)
        unused = [name for name in head.parameters[:4] if name not in block.read and not name.startswith("_")]
        cost += sum(0.3 if name in ("self", "cls") or len(block.read) == 0 else 1.0 for name in unused)
        cost += 5.0 * len(block.unused_defs)
        whole = ("else", "with", "while", "except", "finally")
        ends = block.jumped or (block.branches_end and block.last is not None and block.last.kind in whole)
        if block.returns and not ends:
            cost += 2.0
        outer = [each for each in blocks if each.kind == "def"]
        needs = block.needs - frozenset().union(*(each.bound for each in outer), blocks[0].bound)
        blocks[0].needs |= needs
        return cost


def _indented(text: str, statements: list[Statement], comments: list[int], levels: list[int]) -> str:
    """Return the text with its statements at their levels; comments stand with the statement below them."""
    lines = text.split("\n")
    starts = {statement.first_line: level for statement, level in zip(statements, levels, strict=True)}
    for line, level in starts.items():
        lines[line - 1] = UNIT * level + lines[line - 1]
    ordered = sorted(starts)
    for line in comments:
        below = next((start for start in ordered if start > line), None)
        level = starts[below] if below is not None else levels[-1]
        lines[line - 1] = UNIT * level + lines[line - 1]
    _indent_brackets(lines, statements, levels)
    return "\n".join(lines)


def _indent_brackets(lines: list[str], statements: list[Statement], levels: list[int]) -> None:
    """Indent the further lines of a statement that goes on in brackets, where no string begins on an earlier line."""
    for statement, level in zip(statements, levels, strict=True):
        if statement.last_line == statement.first_line:
            continue
        source = "\n".join(lines[statement.first_line - 1 : statement.last_line]).lstrip()
        inside: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.end[0] > token.start[0] and token.type not in (tokenize.NEWLINE, tokenize.NL):
                inside |= set(range(token.start[0] + 1, token.end[0] + 1))
        for offset in range(2, statement.last_line - statement.first_line + 2):
            line = statement.first_line + offset - 2
            if offset not in inside and lines[line].strip():
                closes = lines[line].lstrip()[0] in ")]}"
                lines[line] = UNIT * (level + (not closes)) + lines[line].lstrip()
