"""What can be done with the program in the editor."""
# ruff: noqa: D102 - what the methods of the panel do is said there

from __future__ import annotations

from typing import Protocol

from gui.actions.action_set import Action
from gui.session import Session

FIX_KEYS = "Ctrl+."
"""As in editors that people know."""


class Program(Protocol):
    """What actions use of the panel of the program."""

    def apply_first_fix(self) -> None: ...
    @property
    def session(self) -> Session: ...
    @property
    def can_set_up_network(self) -> bool: ...
    def set_up_network(self) -> None: ...
    def find_text(self) -> None: ...
    def indent(self) -> None: ...
    def dedent(self) -> None: ...
    def toggle_comment(self) -> None: ...
    def run_to_line(self) -> None: ...


def _toggle(program: Program) -> None:
    run = program.session.program
    run.stop() if run.busy else run.run_again()


PROGRAM_ACTIONS: tuple[Action[Program], ...] = (
    Action(
        "fix", "Apply first &fix", lambda program: program.apply_first_fix(),
        "Mend the error as the first button under it does", FIX_KEYS, places=(("Edit", 20),),
    ),
    Action(
        "run program", "&Run the program again", _toggle, "Run the program from its beginning, or end it while it runs",
        "Ctrl+Return", places=(("Edit", 40),),
        live_text=lambda program: "&Stop the program" if program.session.program.busy else "&Run the program again",
    ),
    Action(
        "set up network", "Set up as &network", lambda program: program.set_up_network(),
        "Put sizes, data, first weights, loss and rate of the program into the network builder",
        places=(("Edit", 42),), enabled=lambda program: program.can_set_up_network,
    ),
    Action(
        "run to line", "Run to this &line", lambda program: program.run_to_line(),
        "Walk the program line by line to where the line of the caret was run next", "Ctrl+Shift+F11",
        places=(("Edit", 41),),
    ),
    Action(
        "replace", "Find and &replace…", lambda program: program.find_text(),
        "Find a text in the program, and replace it", "Ctrl+H", places=(("Edit", 30),),
    ),
    Action(
        "comment", "&Comment lines", lambda program: program.toggle_comment(),
        "Make comments of the selected lines, or code again", "Ctrl+/", places=(("Edit", 31),),
    ),
    Action(
        "indent", "&Indent lines", lambda program: program.indent(), "Move the selected lines in by four spaces",
        "Ctrl+]", places=(("Edit", 32),),
    ),
    Action(
        "dedent", "&Dedent lines", lambda program: program.dedent(), "Move the selected lines out by four spaces",
        "Ctrl+[", places=(("Edit", 33),),
    ),
)  # fmt: skip
