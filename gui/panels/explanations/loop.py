"""The loop panel: a step of training as the few lines of Python that it is, the line under way highlighted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from engine.teaching.loop_code import LoopLine, network_loop, program_loop
from engine.views.shown_walk import ALL
from engine.views.update_rule import program_update
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import mono_font
from gui.widgets.labels import literal_tip, muted_label
from gui.widgets.layouts import add_widgets, scrolled

SENTENCES = {
    "empty": "The training loop is shown here once there is a graph: type an expression, or show the network.",
    "hint": "Point at a line to read what it does; click it to go there.",
}
"""Texts of the panel; a line's own explanation is stored with the line."""
_BREAK_BEHIND = re.compile(r"[(_.]")
"""Characters after which a long line may be wrapped, besides blanks."""


class _CodeLine(QLabel):
    """A line of the loop, which goes on below at its indentation where it is longer than the panel is wide.

    Signals:
        pointed(str): what it does, when it is pointed at or reached with the keyboard; "" when it is left.
        pressed(str): the phase that it begins.
    """

    pointed = Signal(str)
    pressed = Signal(str)

    def __init__(self, line: LoopLine) -> None:
        code = line.code.lstrip()
        super().__init__(_BREAK_BEHIND.sub("\\g<0>\u200b", code), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.line = line
        self.setFont(mono_font(12))
        self.setToolTip(literal_tip(line.about))
        self.setAccessibleDescription(line.about)
        indented = self.fontMetrics().horizontalAdvance(" " * (len(line.code) - len(code)))
        self.setContentsMargins(8 + indented, 1, 8, 1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.pointed.emit(self.line.about)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit("")

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.pointed.emit(self.line.about)

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self._press()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._press()
        else:
            super().keyPressEvent(event)

    def _press(self) -> None:
        if self.line.phases:
            self.pressed.emit(self.line.phases[0])


class LoopPanel(Panel):
    """The lines, what the one that is pointed at does, and which of them is under way."""

    depends_on = frozenset({"numbers", "moment", "training"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.lines: list[_CodeLine] = []
        self.about = muted_label(wrap=True)
        self._column = add_widgets(QVBoxLayout(), spacing=0)
        inside = QWidget()
        add_widgets(QVBoxLayout(inside), self._column, margins=(4, 4, 4, 4)).addStretch(1)
        self.about.setContentsMargins(6, 0, 6, 4)
        add_widgets(QVBoxLayout(self), scrolled(inside), 1, self.about, margins=(2, 0, 2, 2), spacing=4)

    def refresh(self, change: Change) -> None:
        wanted = self._wanted()
        if [line.line for line in self.lines] != list(wanted):
            for line in self.lines:
                self._column.removeWidget(line)
                line.deleteLater()
            self.lines = [_CodeLine(line) for line in wanted]
            for line in self.lines:
                self._column.addWidget(line)
                line.pointed.connect(self._show_about)
                line.pressed.connect(self._go)
            self._show_about("")
        phase = self.phase
        for line in self.lines:
            active = bool(phase) and phase in line.line.phases
            color = self.colors.warning if active else "transparent"
            line.setStyleSheet(f"_CodeLine {{ background: {color}; border-radius: 4px; }}")
            line.setAccessibleName(f"{line.line.code.strip()}{', under way' if active else ''}")
        self.set_caption(phase)

    @property
    def phase(self) -> str:
        """The phase whose line is highlighted; "" when nothing is under way."""
        presenter = self.session.presenter
        if presenter.phase is not None:
            return presenter.phase.name
        walk = presenter.walk if presenter.position not in (ALL, 0) else None
        return "" if walk is None else walk.phase_at(presenter.position)

    def _wanted(self) -> Sequence[LoopLine]:
        presenter, training = self.session.presenter, self.session.document.training
        view = presenter.graph_view
        if view.root is None:
            return ()
        if presenter.shows_network:
            progress = self.session.shown
            rate = training.learning_rate if progress is None else progress.snapshot.learning_rate
            return network_loop(training.loss, training.optimizer, rate)
        own = program_update(view)
        if own is not None:
            return program_loop(view.root, own.parameters, own.learning_rate)
        return program_loop(view.root, view.parameters, training.learning_rate)

    def _show_about(self, about: str) -> None:
        self.about.setText(about or SENTENCES["hint" if self.lines else "empty"])

    def _go(self, phase: str) -> None:
        """Go to the first step of a phase."""
        walk = self.session.presenter.walk
        if walk is not None and phase in walk.phases:
            self.session.presenter.set_position(walk.phases[phase] + 1)
