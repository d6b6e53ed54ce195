"""Actions of the program in the editor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtGui import QTextCursor

from gui.actions import text_edits
from gui.actions.targets import FindBar
from gui.session import Session
from gui.widgets.action_set import Action

FIX_KEYS = "Ctrl+."
"""As in editors that people know."""


class NetworkSetup(Protocol):
    """Interface of *Set up as network*."""

    @property
    def is_possible(self) -> bool: ...
    def set_up(self) -> None: ...


class Program(Protocol):
    """Interface of the program's panel for actions."""

    session: Session
    replace_bar: FindBar
    network_setup: NetworkSetup

    def apply_first_fix(self) -> None: ...
    def edit_lines(self, edit: Callable[[QTextCursor], object]) -> None: ...
    def run_to_line(self) -> None: ...
    def run_up_to_cell(self) -> None: ...
    def vary_number(self) -> None: ...


def _toggle(program: Program) -> None:
    run = program.session.program
    run.stop() if run.busy else run.run_up_to(None)


PROGRAM_ACTIONS: tuple[Action[Program], ...] = (
    Action(
        "fix", "Apply first &fix", lambda program: program.apply_first_fix(),
        "Apply the first suggested fix", FIX_KEYS, places=(("Edit", 20),),
    ),
    Action(
        "run program", "&Run the program again", _toggle, "Run the program from its beginning, or end it while it runs",
        "Ctrl+Return", places=(("Edit", 40), ("editor", 12)),
        live_text=lambda program: "&Stop the program" if program.session.program.busy else "&Run the program again",
    ),
    Action(
        "set up network", "Set up as &network", lambda program: program.network_setup.set_up(),
        "Put sizes, data, first weights, loss and rate of the program into the network builder",
        places=(("Edit", 43),), enabled=lambda program: program.network_setup.is_possible,
        needs="The program trains no network with layers, such as MLP(2, [4, 1])",
    ),
    Action(
        "run to line", "Run to this &line", lambda program: program.run_to_line(),
        "Run to the current line", "Ctrl+Shift+F11",
        places=(("Edit", 42), ("editor", 11)),
    ),
    Action(
        "run up to cell", "Run &up to this cell", lambda program: program.run_up_to_cell(),
        "Run the program to the end of the cell with the caret: lines with # %%, or blank lines, part cells",
        "Ctrl+Shift+Return", places=(("Edit", 41), ("editor", 10)),
    ),
    Action(
        "vary", "&Vary this number…", lambda program: program.vary_number(),
        "Run the program with several values of the number at the caret, and compare what its loops did",
        places=(("Edit", 44), ("editor", 13)),
    ),
    Action(
        "replace", "Find and &replace…", lambda program: program.replace_bar.start(),
        "Find a text in the program, and replace it", "Ctrl+H", places=(("Edit", 30),),
    ),
    Action(
        "comment", "&Comment lines", lambda program: program.edit_lines(text_edits.toggle_comment),
        "Make comments of the selected lines, or code again", "Ctrl+/", places=(("Edit", 31), ("editor", 20)),
    ),
    Action(
        "indent", "&Indent lines", lambda program: program.edit_lines(text_edits.indent),
        "Move the selected lines in by four spaces", "Ctrl+]", places=(("Edit", 32),),
    ),
    Action(
        "dedent", "&Dedent lines", lambda program: program.edit_lines(text_edits.dedent),
        "Move the selected lines out by four spaces", "Ctrl+[", places=(("Edit", 33),),
    ),
)  # fmt: skip
