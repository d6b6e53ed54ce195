"""Strip above the canvas that says why the graph is not that of the present program."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout

from gui.canvas import GraphCanvas
from gui.session import Change, Session
from gui.theme import Colors

MARGIN = 4


TEXTS = {
    "error": "This is the graph of the last program that worked, before the error in line {line}",
    "part": "This is the part of the graph computed before the error in line {line}",
    "earlier part": "This is the graph of an earlier program; the present one has an error in line {line}",
    "running": "This is the graph of the last program that worked: the one in the editor is running",
    "stopped": "This is the graph of the last program that worked: the one in the editor did not finish",
}


def outdated(session: Session) -> str:
    """Why the graph is not that of the text, as a sentence without its full stop; "" when it is, or there is none."""
    shown = session.evaluation
    if shown is None or shown.root is None or session.presenter.shows_network:
        return ""
    if session.program.view.position is not None and not session.program.busy:
        return ""  # what is walked line by line is the newest program, its error included
    if session.program.is_slow:
        return TEXTS["running"]
    if session.program.trouble:
        return TEXTS["stopped"]
    if session.error is None:
        return ""
    part = "part" if session.error.evaluation is shown else "earlier part"
    return TEXTS[part if session.program.is_part else "error"].format(line=session.error.line)


class OutdatedMark(QLabel):
    """Strip at the top of the canvas, shown while the graph is that of an earlier text."""

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._session, self._canvas = session, canvas
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        over = QVBoxLayout(canvas)
        over.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        over.addWidget(self, 0, Qt.AlignmentFlag.AlignTop)
        session.changed.connect(self._follow)
        canvas.resized.connect(self._show)
        self._show()

    def set_colors(self, colors: Colors) -> None:
        self.setStyleSheet(
            f"QLabel {{ background: {colors.warning}; color: {colors.text}; border: 1px solid {colors.error};"
            " border-radius: 6px; padding: 2px 10px; }"
        )

    def _follow(self, change: Change) -> None:
        if change & {"program", "view"}:
            self._show()

    def _show(self) -> None:
        self.setText(outdated(self._session))
        self.setVisible(bool(self.text()))
        across = self._canvas.width() - 2 * MARGIN
        self._canvas.leave_above(self.heightForWidth(across) + MARGIN if self.text() else 0)
        self._canvas.set_pale(self.text() == TEXTS["stopped"])
