"""`restore_indentation`: the indentation that a pasted program has lost.

Every statement may stand in any block that is still open. Most places are ruled out for certain: by the grammar, by
names that are not bound there, by `self`, by a jump above. The rest is weighed: a search adds up how odd each program
is that remains (a loop that does the same in each iteration, a local variable that nobody reads, a blank line in a
block). Programs that agree in their open blocks go on as one, which remembers by how much the second one was odder.
Where that is little, the text could be several programs, and none is proposed.
"""

from __future__ import annotations

import ast
import builtins
import io
import itertools
import textwrap
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.autograd.ops import OPS
from engine.language.flat_statements import Statement, read_flat

MAX_LINES = 500
MARGIN = 1.75
"""A second program that is odder by less than this is as likely."""
SLACK = 9.0
"""Programs that are odder by this much than the best one are given up."""
UNIT = "    "

_NEVER = float("inf")
_CLAUSES = {
    "elif": {"if": 0.0, "elif": 0.0},
    "else": {"if": 0.0, "elif": 0.0, "for": 0.5, "while": 0.5, "except": 2.0},
    "except": {"try": 0.0, "except": 0.0},
    "finally": {"try": 0.0, "except": 0.0, "else": 1.0},
}
"""Clauses, the heads that they may follow, and the cost of each pair."""
_LOOPS = ("for", "while")
_SCOPES = ("module", "class", "def")
_JUMPS = ("return", "raise", "break", "continue")
_NONE: frozenset[str] = frozenset()
_KNOWN = frozenset(dir(builtins)) | frozenset(OPS) | {"Value", "Neuron", "Layer", "MLP", "math", "random", "np", "plt"}


def restore_indentation(text: str) -> str | None:
    """Return a flat program with the only plausible indentation; None where several are plausible.

    A program that was pasted with too much indentation is moved to the left. Multi-line strings and brackets keep
    their text. Takes less than a second for 500 lines.
    """
    if text.count("\n") > MAX_LINES or _compiles(text):
        return None
    first, newline, rest = text.partition("\n")
    for moved in (textwrap.dedent(text), first.lstrip() + newline + textwrap.dedent(rest)):
        if moved != text and _compiles(moved):
            return moved
    try:
        statements, comments = read_flat(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return None
    levels = _Search(statements).levels() if statements else None
    if levels is None:
        return None
    restored = _indented(text, statements, comments, levels)
    return restored if _compiles(restored) else None


def _compiles(text: str) -> bool:
    try:
        compile(text, "<program>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class Block:
    """An open block.

    Attributes:
        kind, head: the keyword of its head, and the head; `module` and None for the whole.
        outer: names that were bound when it began.
        bound, read, changed: names that its statements bind, read, and whose objects they change.
        needs: names that a function reads and must find outside of it.
        maybe: names that are bound in one branch alone.
        left: targets of loops that have ended.
        collected: names that began empty and to which nothing has been added.
        unused: nested functions that have not been used.
        last: its last statement; None in an empty block.
        ends: True when its end cannot be reached.
        varies: True for a loop whose iterations differ.
    """

    __slots__ = (
        "acts", "bound", "branches", "called", "changed", "collected", "ends", "exits", "has_method", "head", "kind",
        "last", "left", "maybe", "needs", "outer", "read", "returns", "self_name", "unused", "varies",
    )  # fmt: skip

    def __init__(self, kind: str, head: Statement | None, outer: frozenset[str] = _NONE) -> None:
        self.kind = kind
        self.head = head
        self.outer = outer
        self.bound = self.read = self.changed = self.needs = self.maybe = _NONE
        self.left = self.collected = self.unused = _NONE
        self.last: Statement | None = None
        self.acts = self.called = self.ends = self.exits = self.branches = False
        self.returns = self.varies = self.has_method = False
        self.self_name = ""
        if head is not None and head.kind == "def":
            self.bound = frozenset(head.parameters)

    @property
    def targets(self) -> frozenset[str]:
        """The names that a loop or `except` binds in its head."""
        return self.head.binds if self.head is not None and self.kind in ("for", "except") else _NONE

    def copy(self) -> Block:
        """Return a block that can be changed."""
        new = Block.__new__(Block)
        for name in Block.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    def signature(self) -> tuple[object, ...]:
        """Return the parts of the block that later statements depend on."""
        return (self.head, self.bound, self.needs, self.ends, self.last, self.unused, self.left)


@dataclass(eq=False)
class State:
    """A way to indent the statements so far."""

    blocks: tuple[Block, ...]
    cost: float = 0.0
    margin: float = _NEVER
    level: int = 0
    parent: State | None = field(default=None, repr=False)


class _Search:
    """The search over one text."""

    def __init__(self, statements: list[Statement]) -> None:
        self.statements = statements
        imported = _NONE.union(*(s.binds for s in statements if s.imports))
        self.functions = functions = frozenset(s.name for s in statements if s.name)
        self.bound_somewhere = _NONE.union(*(s.binds.union(s.parameters) for s in statements)) - _KNOWN
        self.variables = self.bound_somewhere - imported - functions
        self.imported = imported
        self.width = max(16, min(60, 9000 // len(statements)))
        self.has_double = any(s.blank_lines >= 2 for s in statements[1:])
        above = [
            s.blank_lines > 0
            for before, s in itertools.pairwise(statements)
            if s.kind in ("def", "class") and not before.opens and before.kind not in ("decorator", "text")
        ]
        self.spaced = len(above) > 1 - self.has_double and sum(above) > 0.8 * len(above)
        """True when functions and classes have blank lines above them."""
        for head, first in itertools.pairwise(statements):
            if head.kind == "for" and head.opens and first.changes & head.binds:
                head.changes |= head.uses - imported  # the loop changes what it goes over

    def levels(self) -> list[int] | None:
        """Return the level of each statement in the only plausible program; None where several are plausible."""
        states = [State((Block("module", None),))]
        for statement in self.statements:
            states = self._pruned([new for state in states for new in self._placed(state, statement)])
        ended = sorted(filter(None, map(self._ended, states)), key=lambda state: state.cost)
        if not ended:
            return None
        margin = min([ended[0].margin, *(other.cost - ended[0].cost for other in ended[1:2])])
        if margin < MARGIN:
            return None
        found: list[int] = []
        state: State | None = ended[0]
        while state is not None and state.parent is not None:
            found.append(state.level)
            state = state.parent
        return found[::-1]

    def _pruned(self, states: list[State]) -> list[State]:
        """Merge states with the same future, and drop those with a much higher cost than the best one."""
        states.sort(key=lambda state: state.cost)
        kept: dict[tuple[object, ...], State] = {}
        for state in states:
            if state.cost > states[0].cost + SLACK:
                break
            better = kept.setdefault(tuple(block.signature() for block in state.blocks), state)
            if better is not state:
                better.margin = min(better.margin, state.cost - better.cost)
        every = list(kept.values())
        for given_up in every[self.width : self.width + 1]:
            for state in every[: self.width]:
                state.margin = min(state.margin, given_up.cost - state.cost)
        return every[: self.width]

    def _ended(self, state: State) -> State | None:
        blocks = [block.copy() for block in state.blocks]
        cost = state.cost
        if len(blocks) > 1 and (blocks[-1].last is None or any(block.kind == "try" for block in blocks)):
            return None
        while len(blocks) > 1:
            cost += self._close(blocks)
        if blocks[0].needs:
            return None
        cost += 3.0 * (not blocks[0].acts)  # a program that only defines things
        return State(tuple(blocks), cost, state.margin, state.level, state.parent)

    def _placed(self, state: State, statement: Statement) -> Iterator[State]:
        """Yield the state with the statement in each of the open blocks where it may stand."""
        top = len(state.blocks) - 1
        innermost = state.blocks[top]
        follows_decorator = innermost.last is not None and innermost.last.kind == "decorator"
        forced = follows_decorator or (innermost.last is None and top > 0)
        for place in [top] if forced else range(top, -1, -1):
            if not self._allowed(state.blocks, place, statement):
                continue
            cost = state.cost
            if not forced:
                cost += self._blank_cost(state.blocks, place, statement)
                cost += self._leaving_cost(state.blocks, place, statement)
            blocks = [block.copy() for block in state.blocks]
            while len(blocks) > place + 1:
                cost += 0.3 + self._close(blocks, statement)
            if blocks[-1].ends and statement.kind not in _CLAUSES:
                continue
            if not forced:
                cost += self._relation_cost(blocks, statement)
            cost += self._staying_cost(blocks, statement, forced)
            cost += self._name_cost(blocks, statement)
            if cost < _NEVER:
                self._enter(blocks, statement)
                yield State(tuple(blocks), cost, state.margin, place, state)

    def _allowed(self, blocks: tuple[Block, ...], place: int, statement: Statement) -> bool:
        """Return True when the grammar and the customs of classes allow a statement in one of the open blocks."""
        block, closed, kind = blocks[place], blocks[place + 1 :], statement.kind
        last = block.last.kind if block.last is not None else ""
        if any(each.kind == "try" for each in closed[1:]) or (
            closed and closed[0].kind == "try" and kind not in ("except", "finally")
        ):
            return False
        if (kind in _CLAUSES and last not in _CLAUSES[kind]) or (kind == "case") != (block.kind == "match"):
            return False
        if last == "decorator" and kind not in ("def", "class", "decorator"):
            return False
        scope = _scope(blocks[: place + 1])
        in_loop = kind in _LOOPS or any(each.kind in _LOOPS for each in blocks[scope : place + 1])
        if statement.jumps & {"break", "continue"} and not in_loop:
            return False
        if (statement.jumps & {"return", "yield"} or kind == "nonlocal") and blocks[scope].kind != "def":
            return False
        if (statement.is_main_guard and place > 0) or (kind == "raise" and place == 0):
            return False
        if kind == "def":
            is_method = self._is_method(block, statement)
            return is_method == (block.kind == "class")
        if block.kind == "class":
            return kind in ("assign", "text", "pass", "decorator", "class", "expression") and not statement.imports
        return True

    def _is_method(self, block: Block, statement: Statement) -> bool:
        """Return True for a function that can only be a method."""
        first = statement.parameters[0] if statement.parameters else ""
        if block.last is not None and block.last.kind == "decorator" and block.last.uses & {"staticmethod"}:
            return True
        dunder = statement.name.startswith("__") and statement.name.endswith("__")
        return dunder or first in ("self", "cls", "mcs") or (first == block.self_name != "")

    def _blank_cost(self, blocks: tuple[Block, ...], place: int, statement: Statement) -> float:
        """Return the cost of a place for a statement with these blank lines above it."""
        kind = blocks[place].kind
        leaves_scope = any(block.kind in ("def", "class") for block in blocks[place + 1 :])
        if statement.blank_lines >= 2 and self.has_double:
            is_def = statement.kind in ("def", "class", "decorator")
            return 0.0 if place == 0 else 2.0 if kind == "class" and is_def else 5.0
        if statement.blank_lines:
            cost = 2.0 if self.has_double and leaves_scope and place == 0 else 0.0
            if kind in _SCOPES:
                return cost + (0.0 if place == 0 or kind == "class" else 0.4)
            return cost + (0.8 if place == len(blocks) - 1 else 0.4)
        return 2.5 * (self.spaced and leaves_scope)

    def _leaving_cost(self, blocks: tuple[Block, ...], place: int, statement: Statement) -> float:
        """Return the cost of a statement after the blocks that end there."""
        closed = blocks[place + 1 :]
        cost = 0.0
        if statement.kind == "else" and closed and closed[0].last is not None:
            cost += 4.0 * (closed[0].last.kind == "break")  # it is the loop's more often
            cost += 5.0 * (closed[0].kind in _LOOPS and not closed[0].exits)
        for block in closed:
            if block.kind in ("def", "class"):
                break
            if block.head is not None and block.head.is_main_guard:
                cost += 1.0
            if block.kind in _LOOPS:
                if statement.kind != "for" and self._collects(blocks[: place + 1], statement):
                    cost += 2.5
                if statement.uses & block.bound - block.outer - block.targets:
                    cost += 2.5 if statement.changes - block.bound - self.imported else 1.0
                if isinstance(statement.node, ast.AugAssign) and isinstance(statement.node.value, ast.Constant):
                    cost += 3.0  # a count
            elif statement.uses & block.targets:
                cost += 6.0
            elif block.kind in ("if", "elif") and " not in " in _test(block) and block.head is not None:
                done = block.head.uses & block.changed and block.head.uses & statement.uses
                cost += 3.0 * bool(done)  # what is done once for each
        return cost

    def _collects(self, blocks: tuple[Block, ...] | list[Block], statement: Statement) -> bool:
        """Return True when a statement adds to a collection that began empty in the block: a loop is missing."""
        at = _scope(blocks)
        names = statement.changes & blocks[at].collected
        loop = next((each for each in reversed(blocks[at:]) if each.kind in _LOOPS), None)
        return bool(names if loop is None else names & loop.bound - loop.outer)

    def _staying_cost(self, blocks: list[Block], statement: Statement, forced: bool) -> float:
        """Return the cost of a statement directly in the innermost of the blocks, whatever it computes."""
        block, kind = blocks[-1], statement.kind
        cost = _CLAUSES[kind][block.last.kind] if kind in _CLAUSES and block.last is not None else 0.0
        if kind == "def" and block.kind not in ("module", "class"):
            cost += 1.0 if block.kind == "def" else 2.0
        if kind == "class" and block.kind != "module":
            cost += 4.0
        if block.kind == "class" and kind in ("assign", "expression"):
            cost += 6.0 * (kind == "expression") + 4.0 * (block.has_method and not statement.uses & block.bound)
        if statement.imports and block.kind != "module" and not forced:
            cost += 0.0 if block.last is not None and block.last.imports else 2.0
        if statement.is_idle and block.kind != "module" and not forced:
            cost += 6.0
        if kind == "for" and block.kind == "module" and not block.called:
            cost += 5.0 * bool(statement.uses & (block.collected | self.functions))  # over what nothing was put in
        if "pass" in (kind, block.last and block.last.kind) and block.last is not None:
            cost += 4.0
        if kind in ("return", "break", "raise") and block.kind in _LOOPS:
            cost += 5.0
        return cost

    def _relation_cost(self, blocks: list[Block], statement: Statement) -> float:
        """Return the cost of a statement that has little to do with the blocks around it."""
        cost = 0.0
        uses = (statement.uses | statement.changes) & self.variables
        if statement.kind in (*_CLAUSES, "decorator", "case", *_JUMPS):
            return 0.0
        for at in range(len(blocks) - 1, 0, -1):
            block = blocks[at]
            read = block.read & self.variables
            if block.kind in _LOOPS:
                fresh = block.bound - block.outer | block.targets
                if uses & fresh or (statement.changes & read and not isinstance(statement.node, ast.Assign)):
                    return cost
                if block.kind == "for" and self._collects(blocks[:at], statement):
                    return cost + 0.5
                if uses & (block.changed | block.bound):
                    cost += 2.0 if block.kind == "for" else 1.0
                elif uses & block.read or statement.binds & read:
                    cost += 1.0
                elif not uses and not statement.binds:
                    return cost + 1.2
                else:
                    cost += 3.0 if block.kind == "while" or block.read & block.targets else 1.2
            elif block.kind == "def":
                if uses & _NONE.union(*(each.bound for each in blocks if each.kind == "def")):
                    return cost
                if block.head is not None and not block.head.parameters:
                    return cost + (0.3 if uses & block.read else 0.8)
                if blocks[at - 1].kind == "class" and statement.uses | statement.binds:
                    return cost + 3.0
                return cost + (2.0 if statement.binds or statement.uses & self.functions else 1.5)
            elif block.kind == "class" or (block.head is not None and block.head.is_main_guard):
                return cost
            else:
                if statement.uses & block.bound - block.outer:
                    return cost
                head = block.head.uses if block.head is not None else _NONE
                cost += 0.4 if uses & (block.bound | block.read | head) else 1.3
        return cost

    def _name_cost(self, blocks: list[Block], statement: Statement) -> float:
        """Return the cost of the names that a statement uses there; infinity where one cannot be bound."""
        at = _scope(blocks)
        scope = blocks[at]
        missing = (statement.uses & self.bound_somewhere) - _visible(blocks, at)
        if scope.kind == "def":
            scope.needs |= missing
        else:
            blocks[0].needs |= missing & statement.later
            missing -= statement.later
            if missing or (scope.head is not None and scope.head.name in statement.uses - statement.later):
                return _NEVER
        cost = 2.0 * bool(statement.uses & scope.maybe) + 6.0 * bool(scope.needs & statement.binds - scope.bound)
        cost += 4.0 * bool(statement.uses & scope.left)
        if scope.kind == "def" and scope.head is not None and scope.head.name in statement.uses:
            cost += 3.0 * (not statement.uses & scope.bound & self.variables)  # calls itself with nothing of its own
        if scope.unused - statement.uses and statement.kind not in ("def", "decorator"):
            cost += 2.0  # a nested function is used right after it
        return cost

    def _enter(self, blocks: list[Block], statement: Statement) -> None:
        """Enter a statement into its blocks, and open its own."""
        block, at, kind = blocks[-1], _scope(blocks), statement.kind
        scope, visible = blocks[at], _visible(blocks, at)
        own = frozenset(each.head.name for each in blocks if each.head is not None)
        for number, each in enumerate(blocks):
            each.read |= statement.reads
            each.unused -= statement.uses - own
            if number < at:
                continue
            if each.kind in _LOOPS:
                computes = kind != "expression" or not statement.uses & {"print", "display"}
                changes = statement.changes | statement.binds & (statement.uses | each.read)
                each.varies |= bool(computes and statement.uses & each.targets)
                each.varies |= bool(changes - (each.bound - each.outer) - self.imported)
                each.varies |= "random" in statement.uses or "yield" in statement.jumps
            each.bound |= statement.binds
            each.changed |= statement.changes
            each.exits |= bool(statement.jumps & {"break", "return", "raise"})
        gone = statement.uses | statement.binds
        scope.maybe, scope.left = scope.maybe - gone, scope.left - gone
        scope.collected = scope.collected - statement.changes | (statement.binds if statement.starts_empty else _NONE)
        scope.returns |= kind == "return" and getattr(statement.node, "value", None) is not None
        if kind == "def":
            if block.kind == "class" and not block.has_method and statement.parameters:
                block.self_name = statement.parameters[0]
            block.has_method = True
            if scope.kind == "def" and (block.last is None or block.last.kind != "decorator"):
                scope.unused |= {statement.name}
        block.acts |= not (statement.imports or kind in ("def", "class", "decorator", "text"))
        block.called |= kind == "expression" or (kind == "assign" and bool(statement.uses & self.functions))
        block.ends = kind in _JUMPS
        block.last = statement
        blocks[0].needs -= blocks[0].bound
        if statement.opens:
            blocks.append(Block(kind, statement, visible))

    def _close(self, blocks: list[Block], following: Statement | None = None) -> float:
        """Remove the innermost block; return the cost of its end there."""
        block = blocks.pop()
        assert block.head is not None
        cost = 0.0
        at = _scope(blocks)
        if block.kind in _LOOPS:
            blocks[at].left |= block.targets
            if block.kind == "for" and not block.varies and not block.exits:
                cost += 4.0
            if not block.exits and block.bound - block.outer - block.targets - block.read:
                cost += 2.0
            if block.kind == "while" and not block.exits:
                cost += 6.0 * (not block.head.uses & self.variables & (block.bound | block.changed))
        elif block.kind in ("if", "elif", "except"):
            if not block.ends and (following is None or following.kind not in _CLAUSES):
                blocks[at].maybe |= block.bound - block.outer
        elif block.kind == "def":
            cost += self._function_cost(block)
            around = _NONE.union(*(each.bound for each in blocks if each.kind != "class"))
            blocks[0].needs |= block.needs - around
        self._end(blocks[-1], block)
        return cost

    def _end(self, outer: Block, block: Block) -> None:
        """Note whether the end of a block can be reached behind one in it that ends."""
        first = block.kind not in ("elif", "else", "except", "finally")
        forever = block.kind == "while" and _test(block) in ("True", "1") and not block.exits
        outer.branches = block.ends and (first or outer.branches)
        outer.ends = forever or (outer.branches and block.kind in ("else", "with", "finally", "except"))

    def _function_cost(self, block: Block) -> float:
        """Return the cost of a whole function."""
        assert block.head is not None
        dead = block.bound - block.read - frozenset(block.head.parameters) - {block.head.name}
        cost = 1.5 * sum(not name.startswith("_") for name in dead)
        unused = [name for name in block.head.parameters[:4] if name not in block.read and not name.startswith("_")]
        cost += sum(0.3 if name in ("self", "cls") or not block.read else 1.0 for name in unused)
        cost += 5.0 * len(block.unused)
        cost += 2.0 * (block.returns and not block.ends)
        return cost


def _scope(blocks: list[Block] | tuple[Block, ...]) -> int:
    """Return the index of the innermost block that has names of its own."""
    return max(at for at, block in enumerate(blocks) if block.kind in _SCOPES)


def _visible(blocks: list[Block], scope: int) -> frozenset[str]:
    return _NONE.union(*(block.bound for block in blocks[:scope] if block.kind != "class"), blocks[scope].bound)


def _test(block: Block) -> str:
    test = getattr(block.head and block.head.node, "test", None)
    return ast.unparse(test) if test is not None else ""


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
