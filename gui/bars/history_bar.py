"""The bar for the past of a run: which of its steps is viewed, playing them, and going on from a past one."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from engine.network.run.progress import Progress
from gui.number_texts import reading_text
from gui.session import Change, Session
from gui.theme import mono_font
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.scrubber import Scrubber

TEXTS = {
    "name": "history",
    "none": "no step yet",
    "tip": "Drag to see the network as it was after an earlier step. Training goes on meanwhile. "
    "A file holds the newest step only.",
    "begins": "The history begins at step {first:,}: the steps before it were made with another network or with other "
    "data, or before the file was saved.",
    "nothing": "The history begins with the first step of training.",
    "back": "◀",
    "none before": "No step before step {first:,} can be viewed: those were made with another network or with other "
    "data, or before the file was saved.",
    "back tip": "One step back through the history",
    "forward": "▶",
    "forward tip": "One step on through the history",
    "play": "Play history",
    "play tip": "Play the steps from the viewed one to the newest, at the speed of training",
    "stop": "Stop",
    "show newest": "Newest",
    "show newest tip": "Show the newest step of the run again",
    "continue": "Continue from here",
    "continue shortly": "Continue",
    "continue tip": "Continue training from the step that is shown; later steps are removed, and undo restores them",
}
"""Sentences of the bar."""
WORDS = {
    "newest": (
        "step {step:,}, the newest · epoch {epoch:,} · loss {loss}",
        "step {step:,}, the newest · loss {loss}",
        "step {step:,}, the newest",
        "step {step:,}",
    ),
    "first": (
        "step {step:,} of {last:,} · the history begins here · loss {loss}",
        "step {step:,} of {last:,} · it begins here",
        "{step:,} of {last:,}, the first",
        "{step:,} of {last:,}",
    ),
    "only": (
        "step {step:,} · the history begins here · loss {loss}",
        "step {step:,} · loss {loss}",
        "step {step:,}",
    ),
    "past": (
        "step {step:,} of {last:,} · epoch {epoch:,} · loss {loss}",
        "step {step:,} of {last:,} · loss {loss}",
        "step {step:,} of {last:,}",
        "{step:,} of {last:,}",
    ),
    "awaited": ("step {step:,} of {last:,} is computed …", "{step:,} of {last:,} …"),
}
"""Texts for the viewed step, each shorter than the one before."""

PAGES = 20
"""Clicks next to the handle, or presses of Page Up, from one end of the run to the other."""
MOST_PLACES = 1_000_000_000
"""Largest number of positions of the slider, which counts up to 2,147,483,647; in longer runs a position is several
steps.
"""
PLAY_MILLISECONDS, PLAY_SECONDS = 33, 8.0
"""Between two steps shown while playing; and how long playing takes at a speed without a limit."""
LEAST_WIDTH, LEAST_SLIDER = 300, 60  # pixels
FORMS = ((52, "continue", True), (24, "continue shortly", True), (13, "continue shortly", False))
"""Characters of the text, text of the last button, and whether the name is shown: the first form that fits is used."""


def _button(text: str, tip: str, do: Callable[[], object]) -> QToolButton:
    """Return a button that screen readers call by its tip: its text may be a sign."""
    return tool_button(text, tip, do, tip)


class HistoryBar(QWidget):
    """A slider over the steps of the run that moves every view, below all of them.

    Attributes:
        slider: the step that is viewed, counted from the first that is kept.
        back, forward, play, newest, go_on: the buttons.
        words: which step it is.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.slider = Scrubber()
        self.slider.setAccessibleName("viewed step of the run")
        self.slider.valueChanged.connect(self._slide)
        self.words = ElidedLabel()
        self.words.setFont(mono_font(12))
        self.words.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.back = _button(TEXTS["back"], TEXTS["back tip"], session.training.back)
        self.forward = _button(TEXTS["forward"], TEXTS["forward tip"], lambda: self._view(self._step + 1))
        self.play = _button(TEXTS["play"], TEXTS["play tip"], self._toggle_play)
        self.newest = _button(TEXTS["show newest"], TEXTS["show newest tip"], lambda: session.training.view_step(None))
        self.go_on = _button(TEXTS["continue"], TEXTS["continue tip"], session.continue_here)
        self._player = QTimer(self, interval=PLAY_MILLISECONDS)
        self._player.timeout.connect(self._play_on)
        self._played_from = 0, 0.0
        parts = self.back, self.play, self.forward, self.slider, 1, self.words, self.newest, self.go_on
        self._name = muted_label(TEXTS["name"])
        self.slider.setMinimumWidth(LEAST_SLIDER)
        add_widgets(QHBoxLayout(self), self._name, *parts, margins=(4, 0, 4, 0), spacing=6)
        session.changed.connect(self._follow)
        self._fit_words()
        self._show()

    # Which step

    @property
    def _step(self) -> int:
        """The step that is viewed or requested."""
        viewed, newest = self._session.training.viewed_step, self._session.newest
        return viewed if viewed is not None else newest.steps[-1] if newest is not None else 0

    def _slide(self, place: int) -> None:
        newest = self._session.newest
        if newest is not None:
            self._stop()
            at_end = place == self.slider.maximum()
            self._view(newest.steps[-1] if at_end else newest.steps[0] + place * _scale(newest))

    def _view(self, step: int) -> None:
        newest = self._session.newest
        if newest is None:
            return
        if step >= newest.steps[-1]:
            self._session.training.view_step(None)
        else:
            self._session.training.view_step(step)

    # Playing

    @property
    def is_playing(self) -> bool:
        """True while it plays."""
        return self._player.isActive()

    def _toggle_play(self) -> None:
        newest = self._session.newest
        if self.is_playing or newest is None:
            self._stop()
            return
        start = newest.steps[0] if self._session.training.viewed_step is None else self._step
        self._played_from = start, time.monotonic()
        self._view(start)
        self._player.start()
        self._show()

    def _play_on(self) -> None:
        """Request the next due step, once the previous one has arrived."""
        newest, shown = self._session.newest, self._session.shown
        if newest is None or shown is None or self._session.training.viewed_step is None:
            self._stop()
        elif shown.snapshot.step == self._step:
            start, began = self._played_from
            speed = self._session.training.speed or len(newest.steps) / PLAY_SECONDS
            self._view(max(self._step, start + int((time.monotonic() - began) * speed)))

    def _stop(self) -> None:
        if self.is_playing:
            self._player.stop()
            self._show()

    # Following the session

    def _follow(self, change: Change) -> None:
        if "run" in change and self.is_playing:
            self._played_from = self._step, time.monotonic()
        if "moment" in change:
            self._show()

    def _show(self) -> None:
        progress = self._session.newest
        has_past = progress is not None and len(progress.steps) > 1
        viewed = self._session.training.viewed_step
        self.slider.setEnabled(has_past)
        first = 0 if progress is None else progress.steps[0]
        begins = "\n" + TEXTS["begins"].format(first=first) if first else ""
        self.slider.setToolTip(TEXTS["tip" if has_past or begins else "nothing"] + begins)
        self.play.setEnabled(has_past)
        self.play.setText(TEXTS["stop" if self.is_playing else "play"])
        self.back.setEnabled(self._session.training.can_go_back)
        at_first = bool(first) and self._step == first
        self.back.setToolTip(TEXTS["none before"].format(first=first) if at_first else TEXTS["back tip"])
        for button in (self.forward, self.newest, self.go_on):
            button.setEnabled(viewed is not None)
        if progress is None:
            self.words.setText(TEXTS["none"])
            self._set_range(0, 0)
        else:
            self._show_steps(progress, viewed)

    def _show_steps(self, progress: Progress, viewed: int | None) -> None:
        first, last = progress.steps[0], progress.steps[-1]
        scale, step = _scale(progress), last if viewed is None else viewed
        if not self.slider.isSliderDown():
            most = (last - first) // scale
            self._set_range(most, most if viewed is None else (step - first) // scale)
        shown = self._session.shown or progress
        name = "newest" if viewed is None else "past" if shown.snapshot.step == step else "awaited"
        if step == first > 0:
            name = {"past": "first", "newest": "only" if last == first else "newest"}.get(name, name)
        loss = shown.snapshot.loss
        reading = "?" if loss is None else reading_text(loss)
        figures = {"step": step, "last": last, "epoch": shown.snapshot.epoch, "loss": reading}
        self.words.set_texts(*(text.format(**figures) for text in WORDS[name]))
        self.words.setToolTip(self.words.text())

    def _set_range(self, most: int, place: int) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, most)
            self.slider.setPageStep(max(most // PAGES, 1))
            self.slider.setValue(place)

    # Room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_words()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_words()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, super().minimumSizeHint().height())

    def _fit_words(self) -> None:
        letter = self.words.fontMetrics().horizontalAdvance("0")
        layout = self.layout()
        assert layout is not None
        for letters, go_on, has_name in FORMS:
            self.words.setFixedWidth(letter * letters)
            self.go_on.setText(TEXTS[go_on])
            self._name.setVisible(has_name)
            layout.invalidate()
            if layout.minimumSize().width() <= self.width():
                break


def _scale(progress: Progress) -> int:
    """Steps for each place of the slider."""
    return 1 + (progress.steps[-1] - progress.steps[0]) // MOST_PLACES
