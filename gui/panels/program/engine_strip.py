"""The strip under a program that builds an engine of its own: which of its rules are wrong, one at a time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.language.engine_check import EngineCheckRow
from engine.teaching.typeset import true_minus
from gui.panels.program.message_line import LeadingLabel
from gui.theme import set_style_property
from gui.widgets.buttons import tool_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TEXTS = {
    "wrong": "✗ {message}",
    "right": "✓ All rules agree with Gradstep's.",
    "right but": "✓ All rules agree with Gradstep's. {message}.",
    "right but loss rises": "All rules agree with Gradstep's, but the loss rises over the loop.",
    "some right": "{right:,} of {count:,} rules agree with Gradstep's engine.",
    "pass wrong": "All {count:,} rules agree; the backward pass does not.",
    "tip": "Click, or press Enter, to go to the line",
    "next": "next",
    "next tip": "Next problem",
}
"""Texts of the strip besides the messages of the check."""


def wrong_rows(rows: Sequence[EngineCheckRow]) -> list[EngineCheckRow]:
    """Return the rows to be shown: the first of several with the same message."""
    rows_by_place: dict[tuple[int, str], EngineCheckRow] = {}
    for row in rows:
        if not row.ok and row.message:
            rows_by_place.setdefault((row.line, row.message), row)
    return list(rows_by_place.values())


class EngineStrip(QWidget):
    """Hidden where the program uses the built-in engine.

    Attributes:
        words: what is wrong, or that nothing is; a click goes to its line.
        count: how many rules are right.
        next: shows the next thing that is wrong.

    Signals:
        line_chosen(int): a line that the user wants to see.
    """

    line_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[EngineCheckRow] = []
        self._checked: tuple[EngineCheckRow, ...] | None = None
        self._loss_rises = False
        self._index = 0
        self.words = LeadingLabel("check of your own engine")
        self.words.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words.setToolTip(TEXTS["tip"])
        self.words.chosen.connect(lambda _y: self._go())
        self.count = muted_label()
        self.next = tool_button(TEXTS["next"], TEXTS["next tip"], self._show_next, padding="0 8px")
        below = add_widgets(QHBoxLayout(), self.count, 1, self.next, margins=(0, 0, 0, 0))
        add_widgets(QVBoxLayout(self), self.words, below, margins=(0, 0, 0, 0), spacing=2)
        self.hide()

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines of the program in which something is wrong."""
        return tuple(sorted({row.line for row in self._rows}))

    def show_rows(self, rows: tuple[EngineCheckRow, ...] | None, loss_rises: bool = False) -> None:
        """Show what a check has found; None where there was nothing to check.

        Args:
            rows: of the check.
            loss_rises: the program's own loop makes its loss larger: no tick then, however right the rules are.
        """
        if (rows, loss_rises) == (self._checked, self._loss_rises):
            return
        self._checked, self._loss_rises = rows, loss_rises
        self._rows = wrong_rows(rows or ())
        self._index = 0
        self.setVisible(bool(rows))
        self._show()

    def _show(self) -> None:
        checked = self._checked or ()
        wrong = self._rows[self._index] if self._rows else None
        remark = next((row.message for row in checked if row.ok and row.message), "")
        kind, message = ("wrong", wrong.message) if wrong is not None else ("right but" if remark else "right", remark)
        kind = "right but loss rises" if kind == "right" and self._loss_rises else kind
        self.words.setText(TEXTS[kind].format(message=true_minus(message)))
        set_style_property(self.words, "error", wrong is not None)
        self.count.setText("" if wrong is None else _count_text([row for row in checked if not row.of_pass]))
        self.count.setVisible(wrong is not None)
        self.next.setVisible(len(self._rows) > 1)

    def _show_next(self) -> None:
        self._index = (self._index + 1) % len(self._rows)
        self._show()
        self._go()

    def _go(self) -> None:
        if self._rows:
            self.line_chosen.emit(self._rows[self._index].line)


def _count_text(rules: Sequence[EngineCheckRow]) -> str:
    """Return the number of correct rules as text; if all are correct, the mistake is in the pass."""
    right = sum(row.ok for row in rules)
    return TEXTS["some right" if right < len(rules) else "pass wrong"].format(right=right, count=len(rules))
