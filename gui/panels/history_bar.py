"""The bar for the past of a run: which of its steps is viewed, back to the newest, and going on from a past one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QVBoxLayout, QWidget

from engine.network.progress import Progress
from gui.session import Change, Session
from gui.theme import mono_font
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import filled

TEXTS = {
    "newest": "step {step:,}, the newest",
    "tip": "Drag to see the network as it was after an earlier step. Training goes on meanwhile. "
    "A file holds the newest step only.",
    "show newest": "Newest",
    "show newest tip": "Show the newest step of the run again",
    "continue": "Continue",
    "continue tip": "Train on from the step that is shown; the later steps are forgotten, and undo brings them back",
}
"""Every sentence of the bar."""
PAST = ("step {step:,} of {last:,}", "{step:,} of {last:,}", "{step:,}/{last:,}")
"""Which past step is viewed, for less and less room."""

PAGES = 20
"""Clicks beside the handle, or presses of Page Up, from one end of the run to the other."""


class HistoryBar(QWidget):
    """A slider over the steps of the run; hidden while there is no past to look at.

    Not a `Panel`, which does nothing while it is hidden: this shows itself when there is a past.

    While a past step is viewed there is a line above the slider that says which, with the two buttons.

    Attributes:
        slider: the step that is viewed.
        newest, go_on: the buttons "Newest" and "Continue".
        words: which step it is.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("viewed step of the run")
        self.slider.setToolTip(TEXTS["tip"])
        self.slider.valueChanged.connect(self._view)
        self.words = ElidedLabel()
        self.words.setFont(mono_font(11))
        self.newest = self._button("show newest", session.view_newest)
        self.go_on = self._button("continue", session.continue_here)
        self._past = QWidget()
        filled(QHBoxLayout(self._past), self.words, 1, self.newest, self.go_on, margins=(0, 0, 0, 0), spacing=4)
        self._past.hide()
        # above: the slider stays under the pointer when it appears
        filled(QVBoxLayout(self), self._past, self.slider, margins=(4, 0, 2, 0), spacing=2)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the plot keeps its height when the run begins
        self.setSizePolicy(policy)
        session.changed.connect(self._follow)
        self._show()

    def _button(self, name: str, action: object) -> QToolButton:
        button = QToolButton()
        button.setText(TEXTS[name])
        button.setToolTip(TEXTS[f"{name} tip"])
        button.setStyleSheet("padding: 1px 8px;")
        button.clicked.connect(action)
        return button

    def _view(self, step: int) -> None:
        progress = self._session.newest
        if progress is None:
            return
        if step == progress.steps[-1]:
            self._session.view_newest()
        else:
            self._session.view_step(step)

    def _follow(self, change: Change) -> None:
        if change.moment:
            self._show()

    def _show(self) -> None:
        progress = self._session.newest
        if progress is None or len(progress.steps) < 2:
            self.hide()
            return
        self._show_steps(progress)
        self.show()

    def _show_steps(self, progress: Progress) -> None:
        first, last = progress.steps[0], progress.steps[-1]
        viewed = self._session.viewed.step
        step = last if viewed is None else viewed
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setRange(first, last)
                self.slider.setPageStep(max((last - first) // PAGES, 1))
                self.slider.setValue(step)
        texts = PAST if viewed is not None else (TEXTS["newest"],)
        self.words.set_texts(*(text.format(step=step, last=last) for text in texts))
        self._past.setVisible(viewed is not None)
