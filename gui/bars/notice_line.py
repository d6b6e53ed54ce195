"""Advice on the network that trains: one quiet line, with "Why?" and "Not again"."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QPoint, QSettings, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.document import Document
from engine.experiment.assemble import make_model, make_trainer, network_shape
from engine.experiment.prepared import PreparedData
from engine.network.layer_figures import layer_figures
from engine.network.notices import NOTICES, Look, Notice, notices
from engine.network.run.progress import Progress, RunState
from engine.network.trials import Trials, can_be_tried
from gui.background import Job
from gui.session import Change, Session
from gui.theme import set_text_sized
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets

TEXTS = {
    "some": "{n:,} of {samples:,} training samples were looked at.",
    "why": "Why?",
    "why tip": "What this means, and what to try",
    "hide": "Not again",
    "hide tip": "Do not show notices of this kind any more; Help > Show all notices brings them back",
    "more": "{text}  +{more}",
}
"""Sentences of the line."""
REST_MILLISECONDS, SOON_MILLISECONDS = 1500, 150
"""Between two looks at the network at least, and before a look at a step that the user has gone to."""
MOST_BUSY = 0.1
"""Share of the time that looks at a network may take."""
MOST_SAMPLES = 1000
"""Largest number of samples, drawn at random, with which the layers are examined."""
SETTING = "hidden notices"
PAGE_PIXELS = 340


class NoticeLine(QWidget):
    """Line that looks at the moment that is shown now and then, in a thread; hidden when there is no advice.

    Attributes:
        words: the notice.
        why, hide_kind: the buttons.
        page: explanation of the notice and advice, while it is open.
        found: all notices of the newest look, without hidden kinds.
        hidden_kinds: names of NOTICES that the user does not want to see.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.found: list[Notice] = []
        self.hidden_kinds: set[str] = set()
        self._is_wanted = False
        self._shown_step: int | None = None
        self._pause = REST_MILLISECONDS
        self.words = ElidedLabel()
        self.why = tool_button(TEXTS["why"], TEXTS["why tip"], self._open_page, padding="0 6px")
        self.hide_kind = tool_button(TEXTS["hide"], TEXTS["hide tip"], self._hide_kind, padding="0 6px")
        add_widgets(QHBoxLayout(self), self.words, 1, self.why, self.hide_kind, margins=(6, 0, 6, 0), spacing=4)
        self.page = page = QFrame(self, Qt.WindowType.Popup)
        page.setObjectName("card")
        self._page_text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        set_text_sized(self._page_text, setFixedWidth=PAGE_PIXELS)
        add_widgets(QVBoxLayout(page), self._page_text, margins=(12, 10, 12, 10))
        self._job = Job("notices", self)
        self._job.delivered.connect(self._take)
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self._look)
        session.changed.connect(self._follow)
        self.hide()

    # Looking

    def set_wanted(self, wanted: bool) -> None:
        """Look at the network, or not: there is no training to be seen."""
        if wanted != self._is_wanted:
            self._is_wanted = wanted
            self._rest.start(REST_MILLISECONDS) if wanted else self._show([])

    def _follow(self, change: Change) -> None:
        shown = self._session.shown
        step = None if shown is None else shown.snapshot.step
        if shown is not None and shown.diverged_at is not None and step is not None and step >= shown.diverged_at:
            self._forget()  # the divergence bar takes the room and has the advice
            self._shown_step = step
            return
        jumped = (
            self._shown_step is not None
            and step is not None
            and (step < self._shown_step or self._session.training.viewed_step is not None)
        )
        if "model" in change or ("moment" in change and jumped and step != self._shown_step):
            self._forget()
        self._shown_step = step
        if jumped and "moment" in change:
            self._look_later(SOON_MILLISECONDS)
        elif "run" in change and not self._is_training:
            self._look_later(REST_MILLISECONDS, even_if_waiting=True)  # not after the pause between looks of a run
        elif "moment" in change or "model" in change:
            self._look_later(self._pause if self._is_training else REST_MILLISECONDS)

    @property
    def is_waiting(self) -> bool:
        """True while the next look is planned and has not begun."""
        return self._rest.isActive()

    @property
    def _is_training(self) -> bool:
        return self._session.run_state is RunState.RUNNING

    def _look_later(self, milliseconds: int, even_if_waiting: bool = False) -> None:
        if self._is_wanted and (even_if_waiting or not self._rest.isActive()):
            self._rest.start(milliseconds)

    def _forget(self) -> None:
        """Drop the notices: they belong to another moment."""
        self._job.cancel()
        self._rest.stop()
        self._pause = REST_MILLISECONDS
        self._show([])

    def _look(self) -> None:
        shown, session = self._session.shown, self._session
        if not self._is_wanted or shown is None or self._job.busy:
            return
        if shown.diverged_at is not None and shown.snapshot.step >= shown.diverged_at:
            return  # the divergence bar has the advice
        asked = shown.run, shown.snapshot.step
        document, data = session.document, session.data
        self._job.start(asked, lambda cancelled: _found(document, data, shown, cancelled))

    def _take(self, asked: tuple[int, int], result: tuple[list[Notice], float]) -> None:
        newest, viewed, shown = self._session.newest, self._session.training.viewed_step, self._session.shown
        found, seconds = result
        self._pause = max(REST_MILLISECONDS, round(1000 * seconds / MOST_BUSY))
        if shown is not None and (shown.run, shown.snapshot.step) != asked:  # the run has gone on meanwhile
            self._look_later(self._pause if self._is_training else REST_MILLISECONDS, even_if_waiting=True)
        if self._is_wanted and newest is not None and newest.run == asked[0] and viewed in (None, asked[1]):
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

    # Actions of the user

    def _open_page(self) -> None:
        texts = [f"{notice.text} {notice.why} {notice.advice}" for notice in self.found]
        if (n_samples := self._session.dataset.n_samples) > MOST_SAMPLES:
            texts.append(TEXTS["some"].format(n=MOST_SAMPLES, samples=n_samples))
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
        """Set the dismissed kinds, as they were saved at the last exit."""
        kept = settings.value(SETTING)
        self.hidden_kinds = set(kept.split(", ")) & set(NOTICES) if isinstance(kept, str) else set()

    def remember(self, settings: QSettings) -> None:
        """Save the dismissed kinds of notices in the settings."""
        settings.setValue(SETTING, ", ".join(sorted(self.hidden_kinds)))

    def stop(self) -> None:
        """Stop looking for good."""
        self._rest.stop()
        self._job.stop()


@np.errstate(all="ignore")  # of a network that is about to diverge
def _found(
    document: Document, data: PreparedData, shown: Progress, cancelled: Callable[[], bool]
) -> Iterator[tuple[list[Notice], float]]:
    """Look at a moment, in a thread; yield the notices and the seconds it took."""
    began = time.perf_counter()
    moment, shape, X = shown.snapshot, network_shape(document.network), data.train.X
    n_train, n_test = data.train.n_samples, 0 if data.test is None else data.test.n_samples
    rows = np.arange(n_train)
    if n_train > MOST_SAMPLES:
        rows = np.sort(np.random.RandomState(0).choice(n_train, MOST_SAMPLES, replace=False))
    layers = layer_figures(shape, moment.parameters, moment.gradients, X[rows])
    trials = None
    if can_be_tried(shape.n_parameters, n_train) and np.isfinite(moment.parameters).all():
        trainer = make_trainer(document, make_model(document), data)
        trainer.restore(moment, with_settings=True)
        trials = Trials(trainer, cancelled)
    first = float(shown.curve_losses[0]) if len(shown.curve_losses) and shown.curve_steps[0] == 0 else None
    test_curve = shown.test_steps, shown.test_losses
    look = Look(layers, moment, n_train, n_test, first, test_curve, trials)
    yield notices(look), time.perf_counter() - began
