"""What is known of a program before it runs: its statements, names and loops, and the text for the sandbox."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from engine.language.advice.notes import Note
from engine.language.own_engine.classes import OwnEngine
from engine.language.program_tree import Places
from engine.language.rewriting.edits import Patched
from engine.language.rewriting.step_recording import StepPlace
from engine.language.source import Source
from engine.quick_dataclass import dataclass


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
    node: ast.stmt
    value: ast.expr | None
    start: int
    end: int
    outside: bool
    in_loop: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop outside of functions.

    Attributes:
        name: the variable that is counted, or "".
        line: where it begins, from 1.
        start: offset where it begins.
        end: offset behind it.
        names: those whose values are noted in each iteration.
    """

    name: str
    line: int
    start: int
    end: int
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
        steps: the places of statements that say when they are run; none unless that was asked for.
    """

    source: Source
    tree: ast.Module
    patched: Patched
    bound: Sequence[Bound]
    loops: Sequence[Loop]
    names: Sequence[str]
    notes: list[Note]
    tracked: bool
    own_engine: OwnEngine | None
    steps: Sequence[StepPlace]

    @property
    def last_statement(self) -> ast.stmt | None:
        """The statement at the end of the text, if it stands outside of everything."""
        return self.tree.body[-1] if self.tree.body else None

    @property
    def places(self) -> Places:
        """The places of the tree's parts."""
        return Places(self.source)
