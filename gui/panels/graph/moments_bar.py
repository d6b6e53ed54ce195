"""The bar for the moments of a program: the graph right after each `backward()`, and as the program left it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gui.session import Change, Session
from gui.theme import mono_font
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.scrubber import Scrubber

TEXTS = {
    "moment": "{label}, line {line}: {number:,} of {count:,}",
    "end": "the end of the program",
    "error": "where the program came to its error",
    "tip": "Drag to see the graph as it was right after each backward() of the program.",
}
"""Texts of the bar."""
WORDS_LETTERS = 34
LEAST_SLIDER = 70  # pixels
PAGES = 20
"""Clicks beside the handle from one end to the other."""


class MomentsBar(QWidget):
    """A slider over the moments; hidden where the canvas shows no program, or one with a moment at most.

    Attributes:
        slider: the moment that is viewed; its last position is the end of the program.
        words: which moment it is.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.slider = Scrubber()
        self.slider.setAccessibleName("viewed moment of the program")
        self.slider.setToolTip(TEXTS["tip"])
        self.slider.valueChanged.connect(self._view)
        self.words = ElidedLabel()
        self.words.setFont(mono_font(11))
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setMaximumWidth(WORDS_LETTERS * self.words.fontMetrics().averageCharWidth())
        self.slider.setMinimumWidth(LEAST_SLIDER)
        parts = muted_label("moments"), self.slider, 1, self.words, 3
        add_widgets(QHBoxLayout(self), *parts, margins=(10, 0, 10, 6), spacing=8)
        session.changed.connect(self._follow)
        self._show()

    def _view(self, index: int) -> None:
        moments = self._session.program.moments
        self._session.program.view_moment(index if index < len(moments) else None)

    def _follow(self, change: Change) -> None:
        if change & {"program", "view"}:
            self._show()

    def _show(self) -> None:
        program = self._session.program
        moments, viewed = program.moments, program.moment.index
        is_of_program = not self._session.presenter.shows_network and program.moment.position is None
        self.setVisible(len(moments) > 1 and is_of_program)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(moments))
            self.slider.setPageStep(max(len(moments) // PAGES, 1))
            self.slider.setValue(len(moments) if viewed is None else viewed)
        text = TEXTS["error" if program.is_part else "end"]
        if viewed is not None:
            moment = moments[viewed]
            text = TEXTS["moment"].format(label=moment.label, line=moment.line, number=viewed + 1, count=len(moments))
        self.words.setText(text)
        self.words.setToolTip(text)
