"""Part of the status bar for a run that has diverged: what happened, what to try, and a way back to good weights.

The status bar is always there, so that no panel moves under the pointer when a run diverges.
"""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from engine.network import LOSSES
from engine.network.run.progress import Progress
from gui.number_texts import entry_text, reading_text
from gui.session import Change, Session
from gui.theme import text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets

TEXTS = {
    "diverged": "The run diverged at step {step:,}.",
    "short": "Diverged at step {step:,}.",
    "where": "{place} was the first number that became nan or inf.",
    "kept": "A file keeps step {step:,}, the last one before the loss took off.",
    "rate": "Try a learning rate below {rate:g}.",
    "clip": "Clip the gradient, at a length of 1 for example.",
    "mean": "Take the mean of the errors as the loss: the gradient of their sum grows with the samples.",
    "inputs": "Scale the inputs: they go up to {largest:,.4g}.",
    "back": "Back to step {step:,}{loss}",
    "loss": " (loss {loss})",
    "back tip": "The weights from before the loss took off",
    "slower": "Back, with learning rate {rate}",
    "slower tip": "The weights from before the loss took off, and a tenth of the learning rate from then on; "
    "undo brings the old rate back",
}
"""Every sentence of the bar."""
LEAST_WORDS = 120
"""Width in pixels from which both buttons are shown; below it only the first one."""
LARGE_INPUT = 10.0
"""Inputs that reach further are worth scaling."""


class DivergenceBar(QFrame):
    """Shown while the newest progress belongs to a diverged run.

    Attributes:
        words: what happened and what to try.
        go_back, slower: the buttons.
    """

    def __init__(self, session: Session) -> None:
        """Follows the session; hidden until a run diverges."""
        super().__init__()
        self.setObjectName("divergence bar")
        self._session = session
        self.words = ElidedLabel()  # gives way: the buttons must not leave the bar
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.words.setProperty("error", True)
        self.slower = push_button("", TEXTS["slower tip"], self._go_back_slower)
        self.go_back = push_button("", TEXTS["back tip"], session.training.go_back)
        self.go_back.setProperty("primary", True)
        add_widgets(QHBoxLayout(self), self.words, 1, self.slower, self.go_back, margins=(8, 0, 0, 0), spacing=6)
        self.setStyleSheet("QPushButton { padding: 0px 6px; }")  # no higher than the text next to it
        session.changed.connect(self._follow)
        self.follow()

    def follow(self) -> None:
        """Show or hide the bar according to the session's newest progress; in a lesson it gives no advice."""
        progress, is_lesson = self._session.newest, self._session.is_aside
        self.go_back.setVisible(not is_lesson)
        if progress is None or progress.diverged_at is None:
            self.hide()
        elif is_lesson:
            self.words.set_texts(TEXTS["short"].format(step=progress.diverged_at))
            self.words.setToolTip("")
            self.slower.hide()
            self.show()
        else:
            keep, advice = progress.savable, remedies(progress, self._session)
            sentences = [TEXTS["diverged"].format(step=progress.diverged_at), *advice[:1]]
            sentences.append(TEXTS["kept"].format(step=keep.step))
            sentences += [TEXTS["where"].format(place=progress.diverged_first)] if progress.diverged_first else []
            sentences += advice[1:]
            short = " ".join([TEXTS["short"].format(step=progress.diverged_at), *advice[:1]])
            texts = [" ".join(sentences[:n]) for n in range(len(sentences), 1, -1)]
            self.words.set_texts(*texts, short, *advice[:1], TEXTS["short"].format(step=progress.diverged_at))
            self.words.setToolTip("\n".join(sentences))
            loss = "" if keep.loss is None else TEXTS["loss"].format(loss=reading_text(keep.loss))
            self.go_back.setText(TEXTS["back"].format(step=keep.step, loss=loss))
            self.slower.setText(TEXTS["slower"].format(rate=entry_text(self._slower_rate)))
            self._offer_slower()
            self.show()

    def _follow(self, change: Change) -> None:
        if "moment" in change or "training" in change:
            self.follow()

    def _offer_slower(self) -> None:
        """Show the second button where there is a lower rate and room for both."""
        wanted = self.slower.sizeHint().width() + self.go_back.sizeHint().width() + text_pixels(LEAST_WORDS)
        has_room = self.width() >= wanted or self.isHidden()
        self.slower.setVisible(self._slower_rate > 0.0 and has_room and not self._session.is_aside)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._offer_slower()

    def minimumSizeHint(self) -> QSize:
        """Narrow: the window is no wider for a run that diverges."""
        return QSize(0, super().minimumSizeHint().height())

    @property
    def _slower_rate(self) -> float:
        return float(f"{self._session.document.training.learning_rate / 10:.3g}")

    def _go_back_slower(self) -> None:
        rate = self._slower_rate
        self._session.training.go_back()
        self._session.edit("learning rate", training={"learning_rate": rate})


def remedies(progress: Progress, session: Session) -> list[str]:
    """Return remedies for a divergence, whole sentences, the likeliest first."""
    training = session.document.training
    X = session.dataset.X
    largest = float(abs(X).max()) if X.size else 0.0
    found = [TEXTS["rate"].format(rate=progress.snapshot.learning_rate)] if progress.snapshot.learning_rate else []
    if largest > LARGE_INPUT:
        found.insert(0, TEXTS["inputs"].format(largest=largest))
    if LOSSES[training.loss].reduction == "sum":
        found.append(TEXTS["mean"])
    if training.clip_norm is None and training.clip_value is None:
        found.append(TEXTS["clip"])
    return found
