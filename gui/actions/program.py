"""What can be done with the program in the editor."""
# ruff: noqa: D102 - what the methods of the panel do is said there

from __future__ import annotations

from typing import Protocol

from gui.actions.action_set import Action

FIX_KEYS = "Ctrl+."
"""As in editors that people know."""


class Program(Protocol):
    """What actions use of the panel of the program."""

    def apply_first_fix(self) -> None: ...


PROGRAM_ACTIONS: tuple[Action[Program], ...] = (
    Action(
        "fix", "Apply first &fix", lambda program: program.apply_first_fix(),
        "Mend the error as the first button under it does", FIX_KEYS, places=(("Edit", 20),),
    ),
)  # fmt: skip
