"""The checks panel: every gradient beside a central difference and a complex step.

Rows are of the numbers at the moment of the check. When these change, by an edit, a slider or a training step, the rows
stay to be read, greyed out and called outdated, until the next check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout

from engine.autograd import GradientCheck, Value, iterate_checks, topological_order
from engine.autograd.check import refusal_of, summary
from engine.autograd.notation import counted
from gui.background import Job
from gui.number_texts import check_text
from gui.panels.graph.outdated import outdated
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.session.programs import same_but_for_numbers
from gui.theme import LIGHT, Colors, mono_font, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.tables import Index, RowsModel, set_read_only

NUMBERS = range(2, 6)
"""Columns of numbers."""
MOST_ROWS = 2000
NARROW = 420
"""Width in pixels below which the verdict stands under the button."""
REPORT_SECONDS = 0.1
"""Interval at which a long check reports its progress."""

SENTENCES = {
    "ready": "Compares backward() with a nudge of each number.",
    "empty": "There is nothing to check: there is no graph yet.",
    "waiting": "The check begins when the program has finished …",
    "not waiting": "Nothing was checked: the program did not finish.",
    "under way": "{gradients} compared so far …",
    "done": "{summary}: compared with the slope of a nudge, and a complex step where there is one.",
    "other": "The program has changed: its gradients have not been checked yet.",
    "changed": "The numbers have changed since this check: check again.",
    "interrupted": "The numbers changed while they were being checked: pause the training, then check again.",
    "failed": "The check could not be made: {reason}.",
    "hidden": "Gradients are hidden. The check is shown once all of them are answered or revealed.",
    "outdated": "This is the last program that worked, not the present text.",
    "digits tip": "Digits in which backward agrees with the central difference; where rounding hides that, with the "
    "complex step. Of numbers near 0, digits after the point are counted.",
    "outdated tip": "{reason}. The gradients of the graph are checked, not those of the text.",
}
"""Texts of the panel."""


class CheckTable(RowsModel):
    """The first 2,000 rows of a check, wrong ones first."""

    columns = ("", "node", "backward", "central difference", "complex step", "digits", "")
    colors: Colors = LIGHT

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return SENTENCES["digits tip"] if self.columns[section] == "digits" else None
        return super().headerData(section, orientation, role)

    def show_checks(self, checks: Sequence[GradientCheck]) -> None:
        """Show other rows."""
        self.show_rows(sorted(checks, key=lambda check: check.ok)[:MOST_ROWS])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text of a cell, its face, and the colour of the mark."""
        check, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            complex_step = "–" if check.complex_step is None else check_text(check.complex_step)
            digits = str(check.agreeing_digits) if check.defined else "–"
            figures = (check_text(check.backward), check_text(check.central_difference), complex_step, digits)
            return (check.mark, check.label, *figures, check.note)[column]
        if role == Qt.ItemDataRole.ForegroundRole and column == 0:
            return QColor(self.colors.positive if check.ok else self.colors.negative)
        if role == Qt.ItemDataRole.FontRole and column in NUMBERS:
            return mono_font(12)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in NUMBERS:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None


class ChecksPanel(Panel):
    """A tick for each gradient that agrees, both numbers for one that does not; the caption says whether all agree."""

    depends_on = frozenset({"program", "numbers", "view", "expression"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.button = push_button("Check every gradient", do=self.run)
        self.verdict = ElidedLabel()
        self.verdict.setProperty("muted", True)
        self._verdict_below = muted_label(wrap=True)
        self._show_summary(SENTENCES["ready"])
        self.model = CheckTable()
        self.table = table = QTableView()
        table.setModel(self.model)
        set_read_only(table, "gradient checks", 24)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setMinimumHeight(40)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        table.clicked.connect(lambda index: self.select_row(index.row()))
        self._idle = SENTENCES["ready"]
        self._root: Value | None = None
        self._text = ""
        self._leaves: list[Value] = []
        self._numbers: list[Any] = []
        self._job = Job("gradient check", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(self._show_failed)
        self.outdated_label = ElidedLabel()
        self.outdated_label.setProperty("error", True)
        self.hidden_label = muted_label(SENTENCES["hidden"], wrap=True)
        top = add_widgets(QHBoxLayout(), self.button, self.verdict, 1)
        self.table.hide()
        below = self._verdict_below, self.outdated_label, self.hidden_label, self.table, 1
        box = add_widgets(QVBoxLayout(self), top, *below, margins=(8, 8, 8, 8))
        box.addStretch(0)  # below the text that is shown without a table

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < text_pixels(NARROW)
        self.verdict.setVisible(not is_narrow)
        self._verdict_below.setVisible(is_narrow)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.model.colors = colors
        self.table.viewport().update()

    def refresh(self, change: Change) -> None:
        reason = outdated(self.session)
        tip = SENTENCES["outdated tip"].format(reason=reason) if reason else ""
        self.outdated_label.setText(SENTENCES["outdated"] if reason else "")
        self.outdated_label.setToolTip(tip)
        self.outdated_label.setVisible(bool(reason))
        self.button.setToolTip(tip)
        self._hide_gradients()
        has_rows = bool(self.model.rows) or self._job.busy
        if has_rows and not same_but_for_numbers(self._text_shown(), self._text):
            self._forget()
            self._show_idle("other")
        elif self._root is None:
            self._show_summary(SENTENCES["changed"] if self.model.rows else self._idle)
        elif self._have_numbers_changed():
            if not self.model.rows:
                self._forget()
                self._show_summary(SENTENCES["interrupted"])
                return
            self._let_go()
            self.table.clearSelection()
            self.table.setEnabled(False)
            self._show_summary(SENTENCES["changed"])
            self.set_caption("outdated")

    def _hide_gradients(self) -> None:
        """No table while gradients are to be predicted: it would give them away. Nor an empty one."""
        is_hidden = bool(self.session.presenter.prediction.hidden)
        self.table.setVisible(bool(self.model.rows) and not is_hidden)
        self.hidden_label.setVisible(is_hidden)

    def _show_summary(self, text: str) -> None:
        self.verdict.setText(text)
        self._verdict_below.setText(text)
        self.verdict.setToolTip(text)

    # The check

    def run(self) -> None:
        """Check every gradient of the graph that is shown, in a thread; the window goes on meanwhile."""
        self._forget()
        if self.session.presenter.shows_network:
            self._begin()
        elif self._idle != SENTENCES["waiting"]:
            self._show_idle("waiting")
            self.session.program.wait(self._begin, lambda: self._show_idle("not waiting"))

    def _show_idle(self, name: str) -> None:
        """Show the text for the time when no check is running."""
        self._idle = SENTENCES[name]
        self._show_summary(self._idle)

    def _begin(self) -> None:
        self._show_idle("ready")
        root = self.session.presenter.graph_view.root
        if root is None:
            self._show_summary(SENTENCES["empty"])
            return
        if refusal := refusal_of(root):
            self._show_summary(SENTENCES["failed"].format(reason=refusal))
            return
        self._root, self._text = root, self._text_shown()
        self._leaves = [value for value in topological_order(root) if not value.inputs]
        self._numbers = [value.data for value in self._leaves]
        self._job.start(root, lambda cancelled: _check(root, cancelled))

    def _take(self, _root: Value, found: int | list[GradientCheck]) -> None:
        """Handle a partial result of a check: the number of rows so far, or in the end the rows themselves."""
        if isinstance(found, int):
            self._show_summary(SENTENCES["under way"].format(gradients=counted(found, "gradient")))
        elif self._have_numbers_changed():
            self._forget()
            self._show_summary(SENTENCES["interrupted"])
        else:
            wrong = sum(check.defined and not check.ok for check in found)
            outdated = sum(not check.is_compared for check in found)
            undefined = sum(not check.defined for check in found) - outdated
            self._show_summary(SENTENCES["done"].format(summary=summary(found)))
            if wrong:
                self.set_caption(f"✗ {wrong:,} {'differs' if wrong == 1 else 'differ'}")
            elif undefined:
                self.set_caption(f"– {undefined:,} undefined")
            else:
                self.set_caption(f"– {outdated:,} not compared" if outdated else "✓ all agree")
            self.table.setEnabled(True)
            self.model.show_checks(found)
            self._hide_gradients()

    def _show_failed(self, _root: Value, error: Exception) -> None:
        self._forget()
        self._show_summary(SENTENCES["failed"].format(reason=error))

    def select_row(self, row: int) -> None:
        """Select the box in which the value of a row is drawn now."""
        if self._root is not None:
            self.session.select(self.session.presenter.keys().get(id(self.model.rows[row].value)))

    # Outdated rows

    def _text_shown(self) -> str:
        """Return the text of the program whose graph is shown; "" of a network."""
        return "" if self.session.presenter.shows_network else self.session.document.expression.text

    def _have_numbers_changed(self) -> bool:
        """Return True when the graph's numbers differ from those that were checked."""
        if self._root is not self.session.presenter.graph_view.root:
            return True
        pairs = zip((value.data for value in self._leaves), self._numbers, strict=True)
        return any(now is not before and not np.array_equal(now, before) for now, before in pairs)

    def _forget(self) -> None:
        self._job.cancel()
        self._let_go()
        self.model.show_checks(())
        self._hide_gradients()
        self.set_caption("")

    def _let_go(self) -> None:
        self._root, self._leaves, self._numbers = None, [], []


def _check(root: Value, cancelled: Callable[[], bool]) -> Iterator[int | list[GradientCheck]]:
    """Check the gradients in a worker thread; yield the number of rows from time to time, in the end all rows."""
    checks: list[GradientCheck] = []
    reported_at = monotonic()
    for check in iterate_checks(root):
        checks.append(check)
        if cancelled():
            return
        if monotonic() - reported_at > REPORT_SECONDS:
            reported_at = monotonic()
            yield len(checks)
    yield checks
