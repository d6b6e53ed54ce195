"""The checks panel: every gradient beside a central difference and a complex step."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.autograd import GradientCheck, iterate_checks
from engine.autograd.notation import counted
from gui.panels.labels import ElidedLabel
from gui.panels.outdated import outdated
from gui.session import Session
from gui.theme import LIGHT, Colors, mono_font

COLUMNS = ("", "node", "backward", "central difference", "complex step", "digits", "")
MOST_ROWS = 2000
SLICE_SECONDS = 0.012


class ChecksPanel(QWidget):
    """A tick for each gradient that agrees, both numbers for one that does not.

    Signals:
        caption_changed(str): how many agree.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._colors = LIGHT
        self._button = QPushButton("Check every gradient")
        self._button.clicked.connect(self.run)
        self._verdict = ElidedLabel()
        self._verdict.setProperty("muted", True)
        self._say("Compares backward() with a nudge of each number.")
        self._table = self._make_table()
        self._keys: list[str | None] = []
        self._rows: list[GradientCheck] = []
        self._checks: Iterator[GradientCheck] | None = None
        self._slices = QTimer(self)
        self._slices.timeout.connect(self._check_on)
        self._outdated = QLabel()
        self._outdated.setWordWrap(True)
        self._outdated.setProperty("error", True)
        top = QHBoxLayout()
        top.addWidget(self._button)
        top.addWidget(self._verdict, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addLayout(top)
        column.addWidget(self._outdated)
        column.addWidget(self._table, 1)
        session.graph.picture_changed.connect(lambda _keep: self._graph_changed())
        session.expression_evaluated.connect(self._show_outdated)
        session.document_changed.connect(lambda _sections: self._show_outdated())
        self._show_outdated()

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setAccessibleName("gradient checks")
        table.setHorizontalHeaderLabels(COLUMNS)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(24)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setMinimumHeight(40)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        table.cellClicked.connect(self._select)
        return table

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        if self._rows and self._checks is None:
            self._show()

    def _say(self, text: str) -> None:
        self._verdict.setText(text)
        self._verdict.setToolTip(text)

    def _show_outdated(self) -> None:
        """Says when what is checked is not the program in the editor."""
        reason = outdated(self._session)
        self._outdated.setText(f"{reason}: its gradients are checked, not those of the text." if reason else "")
        self._outdated.setVisible(bool(reason))
        self._button.setToolTip(self._outdated.text())

    def run(self) -> None:
        """Checks every gradient of the graph that is shown, a slice at a time; the window goes on meanwhile."""
        root = self._session.graph.shown.root
        self._forget()
        if root is None:
            self._say("There is nothing to check: the program is empty.")
            return
        self._checks = iterate_checks(root)
        self._check_on()
        if self._checks is not None:
            self._slices.start()

    def _check_on(self) -> None:
        """One slice of the work."""
        end = monotonic() + SLICE_SECONDS
        while self._checks is not None and monotonic() < end:
            row = next(self._checks, None)
            if row is None:
                self._stop()
                self._show()
            else:
                self._rows.append(row)
        if self._checks is not None:
            self._say(f"{counted(len(self._rows), 'gradient')} compared so far …")

    def _stop(self) -> None:
        self._slices.stop()
        self._checks = None

    def _show(self) -> None:
        wrong = sum(not row.ok for row in self._rows)
        total = len(self._rows)
        agree = "agrees" if total - wrong == 1 else "agree"
        self._say(
            f"{total - wrong:,} of {counted(total, 'gradient')} {agree} with the slope of a nudge"
            + ("." if wrong else ", and with a complex step where there is one.")
        )
        self.caption_changed.emit(
            "✓ all agree" if not wrong else f"✗ {wrong:,} {'differs' if wrong == 1 else 'differ'}"
        )
        rows = sorted(self._rows, key=lambda row: row.ok)[:MOST_ROWS]
        keys = self._session.graph.keys()
        self._keys = [keys.get(id(row.value)) for row in rows]
        self._table.setRowCount(len(rows))
        for index, row in enumerate(rows):
            for column, text in enumerate(_texts(row)):
                self._table.setItem(index, column, self._cell(text, column, row.ok))

    def _cell(self, text: str, column: int, ok: bool) -> QTableWidgetItem:
        cell = QTableWidgetItem(text)
        if column == 0:
            cell.setForeground(QBrush(QColor(self._colors.positive if ok else self._colors.negative)))
        elif 2 <= column <= 5:
            cell.setFont(mono_font(12))
            cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return cell

    def _select(self, row: int, _column: int) -> None:
        self._session.select(self._keys[row])

    def _graph_changed(self) -> None:
        if self._rows or self._checks is not None:
            self._forget()
            self._say("The graph has changed: check again.")

    def _forget(self) -> None:
        self._stop()
        self._rows, self._keys = [], []
        self._table.setRowCount(0)
        self.caption_changed.emit("")


def _texts(row: GradientCheck) -> tuple[str, ...]:
    complex_step = "–" if row.complex_step is None else f"{row.complex_step:.10g}"
    figures = (f"{row.backward:.10g}", f"{row.central_difference:.10g}", complex_step, str(row.agreeing_digits))
    return ("✓" if row.ok else "✗", row.label, *figures, row.note)
