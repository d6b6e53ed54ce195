"""What a teacher would point at in the network that trains: one quiet line, with "Why?" and "Not again"."""

from __future__ import annotations

from threading import Thread
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSettings, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.document.assemble import network_shape
from engine.network.layer_figures import layer_figures
from engine.network.notices import NOTICES, Look, Notice, notices
from engine.network.shape import NetworkShape
from engine.network.snapshot import Snapshot
from gui.jobs import Job, once
from gui.session import Change, Session
from gui.theme import text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import filled

TEXTS = {
    "first": "The first {n:,} of {samples:,} training samples were looked at.",
    "why": "Why?",
    "why tip": "What this means, and what to try",
    "hide": "Not again",
    "hide tip": "Do not show notices of this kind any more; Help > Show all notices brings them back",
    "more": "{text}  +{more}",
}
"""Sentences of the line."""
REST_MILLISECONDS = 1500
"""Between two looks at the network at least."""
MOST_SAMPLES = 1000
"""That are looked at, the first ones."""
SETTING = "hidden notices"
PAGE_PIXELS = 340


class NoticeLine(QWidget):
    """Looks at the moment that is shown now and then, in a thread, and says what stands out; hidden when nothing does.

    Attributes:
        words: the notice.
        why, hide_kind: the buttons.
        page: what the notice means and what to try, while it is open.
        found: all notices of the newest look, those of hidden kinds left out.
        hidden_kinds: names of NOTICES that the user does not want to see.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.found: list[Notice] = []
        self.hidden_kinds: set[str] = set()
        self._is_wanted = False
        self.words = ElidedLabel()
        self.why = tool_button(TEXTS["why"], TEXTS["why tip"], self._open_page, padding="0 6px")
        self.hide_kind = tool_button(TEXTS["hide"], TEXTS["hide tip"], self._hide_kind, padding="0 6px")
        filled(QHBoxLayout(self), self.words, 1, self.why, self.hide_kind, margins=(6, 0, 6, 0), spacing=4)
        self.page = self._make_page()
        self._job = Job("notices", self)
        self._job.delivered.connect(self._take)
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self._look)
        session.changed.connect(self._follow)
        self.hide()

    def _make_page(self) -> QFrame:
        page = QFrame(self, Qt.WindowType.Popup)
        page.setObjectName("card")
        self._page_text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._page_text.setFixedWidth(text_pixels(PAGE_PIXELS))
        filled(QVBoxLayout(page), self._page_text, margins=(12, 10, 12, 10))
        return page

    # Looking

    def set_wanted(self, wanted: bool) -> None:
        """Whether there is training to be seen, of which to speak."""
        if wanted != self._is_wanted:
            self._is_wanted = wanted
            self._rest.start() if wanted else self._show([])

    def _follow(self, change: Change) -> None:
        if change.model:
            self._job.cancel()
            self._show([])
        if (change.moment or change.model) and self._is_wanted and not self._rest.isActive():
            self._rest.start()

    def _look(self) -> None:
        shown = self._session.shown
        if self._is_wanted and shown is not None and shown.diverged_at is None and not self._job.busy:
            network, X = self._session.document.network, self._session.dataset.X[:MOST_SAMPLES]
            self._job.start(shown.run, once(lambda: _found(network_shape(network), shown.snapshot, X)))

    def _take(self, run: int, found: list[Notice]) -> None:
        newest = self._session.newest
        if self._is_wanted and newest is not None and newest.run == run:
            self._show(found)

    def _show(self, found: list[Notice]) -> None:
        self.found = [notice for notice in found if notice.name not in self.hidden_kinds]
        self.setVisible(bool(self.found))
        if not self.found:
            self.page.hide()
            return
        text, more = self.found[0].text, len(self.found) - 1
        self.words.set_texts(TEXTS["more"].format(text=text, more=more) if more else text, text)
        self.words.setToolTip("\n".join(notice.text for notice in self.found))

    # What the user does

    def _open_page(self) -> None:
        texts = [f"{notice.text} {notice.why} {notice.advice}" for notice in self.found]
        if (n_samples := self._session.dataset.n_samples) > MOST_SAMPLES:
            texts.append(TEXTS["first"].format(n=MOST_SAMPLES, samples=n_samples))
        self._page_text.setText("\n\n".join(texts))
        self.page.adjustSize()
        corner = self.mapToGlobal(QPoint(self.width() - self.page.width(), -self.page.height() - 4))
        self.page.move(corner)
        self.page.show()

    def _hide_kind(self) -> None:
        if self.found:
            self.hidden_kinds.add(self.found[0].name)
            self._show(self.found)

    def show_all_kinds(self) -> None:
        """Shows notices of every kind again."""
        self.hidden_kinds.clear()
        self._look()

    # Life

    def restore(self, settings: QSettings) -> None:
        """Takes the kinds that were hidden the last time."""
        kept = settings.value(SETTING)
        self.hidden_kinds = set(kept.split(", ")) & set(NOTICES) if isinstance(kept, str) else set()

    def remember(self, settings: QSettings) -> None:
        """Writes down the kinds that are hidden."""
        settings.setValue(SETTING, ", ".join(sorted(self.hidden_kinds)))

    def stop(self) -> list[Thread]:
        """Looks no more; the thread that is still to be waited for, if there is one."""
        self._rest.stop()
        return self._job.stop()


def _found(shape: NetworkShape, moment: Snapshot, X: NDArray[Any]) -> list[Notice]:
    """In a thread."""
    layers = layer_figures(shape, moment.parameters, moment.gradients, X)
    return notices(Look(layers, moment.settings, moment.loss, moment.learning_rate, moment.step))
