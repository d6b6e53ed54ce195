"""Making the graph that the canvas shows: a small one at once, a large one in a thread, so that the window goes on.

A graph is handed over when it is whole; nobody looks at its values while they are made.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any, NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from datasets import Dataset
from engine.document import Document
from engine.document.graph_view import GraphView, show_expression
from engine.document.sample import SampleGraph, count_values, show_network
from engine.language import Evaluation, ProgramError
from engine.network.progress import Progress
from gui.jobs import Job

AT_ONCE = 1_000
"""Graphs of up to about this many values are made in the GUI thread: it takes less than a blink."""

WORK_OF_A_NAME = 10
"""A group that is opened or closed by name counts as so many values."""

_log = logging.getLogger(__name__)


class Subject(Protocol):
    """What a graph is made of and follows; the session is one."""

    @property
    def document(self) -> Document:
        """Says what is shown."""

    @property
    def dataset(self) -> Dataset:
        """What the network is trained on."""

    @property
    def evaluation(self) -> Evaluation | None:
        """The last program that worked."""

    @property
    def error(self) -> ProgramError | None:
        """What is wrong with the program's text."""

    @property
    def progress(self) -> Progress | None:
        """The newest moment of training."""

    @property
    def selection(self) -> str | None:
        """Key of the selected node."""

    @property
    def document_changed(self) -> SignalInstance:
        """(frozenset[str]): names of the sections that differ."""

    @property
    def expression_evaluated(self) -> SignalInstance:
        """(): `evaluation` or `error` is new."""

    @property
    def model_replaced(self) -> SignalInstance:
        """(): data set, network or start weights are new."""

    @property
    def progressed(self) -> SignalInstance:
        """(Progress): the newest moment of training."""

    @property
    def message_posted(self) -> SignalInstance:
        """(str, str): takes a line for the user and its kind, "note" or "error"."""

    def set_view(self, **changes: Any) -> None:
        """Changes fields of the document's view."""


class _Made(NamedTuple):
    """A graph, the network's sample it is of, and why there is none."""

    graph_view: GraphView
    sample: SampleGraph | None = None
    reason: str = ""


class GraphSource(QObject):
    """Makes graphs of what the session holds.

    Attributes:
        sample: the network on the sample that is shown; None for an expression.
        reason: why the graph that was made last is empty, in a sentence; "" for no reason.
        awaited: about how many values the graph has that is being made in the background; 0 for none.

    Signals:
        made(GraphView, bool): a graph, and whether it was asked for with the stepper kept in its place.
        ended(): nothing is being made any more.
    """

    made = Signal(object, bool)
    ended = Signal()

    def __init__(self, session: Subject, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.sample: SampleGraph | None = None
        self.reason = ""
        self._size = 0
        self._subject: object = None
        self._job = Job("graph", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda token, error: self._take(token, _failed(error)))
        self._job.ended.connect(self.ended)

    @property
    def awaited(self) -> int:
        """See the class."""
        return self._size if self._job.busy else 0

    def forget_sample(self) -> None:
        """The network is another one: what is shown next is made anew."""
        self.sample = None
        self._subject = None

    def request(self, keep_cursor: bool) -> None:
        """Makes a graph of what the document shows now; `made` comes at once for small ones."""
        document, progress = self._session.document, self._session.progress
        subject, make = self._plan(document, progress)
        token = (keep_cursor, subject[0], progress)
        if self._size <= AT_ONCE:
            self._job.cancel()
            try:
                made = make()
            except Exception as error:
                _log.exception("making a graph failed")
                made = _failed(error)
            self._take(token, made)
            return
        same, self._subject = subject == self._subject, subject
        self._job.start(token, lambda _cancelled: _one(make), patient=same)

    def _plan(self, document: Document, progress: Progress | None) -> tuple[tuple[object, ...], Callable[[], _Made]]:
        """What the graph is of, and what makes it."""
        view = document.view
        self._size = WORK_OF_A_NAME * (len(view.expanded) + len(view.collapsed))
        if view.shows == "network":
            self._size += count_values(document)
            dataset, before = self._session.dataset, self.sample
            return ("network", view, document.network), lambda: _network(document, dataset, before, progress)
        evaluation = self._session.evaluation
        if evaluation is None:
            return ("expression", view), lambda: _Made(GraphView())
        self._size += len(evaluation.origins)
        return ("expression", view), lambda: _whole(
            _Made(show_expression(evaluation, view.hide_constants, view.expanded, view.collapsed))
        )

    def _take(self, token: tuple[bool, object, Progress | None], made: _Made) -> None:
        keep_cursor, shows, progress = token
        if shows != self._session.document.view.shows:
            return
        self.sample, self.reason = made.sample, made.reason
        if made.reason:
            self._session.message_posted.emit(made.reason, "error")
        newest = self._session.progress
        if newest is not None and newest is not progress:
            self.follow(newest)
        self.made.emit(made.graph_view, keep_cursor)

    def follow(self, progress: Progress) -> bool:
        """Puts the numbers of a moment of training into the sample; whether there is one."""
        if self.sample is not None:
            _follow(self.sample, progress)
        return self.sample is not None

    def stop(self) -> list[Thread]:
        """Stops what is under way; the thread that is still to be waited for, if there is one."""
        return self._job.stop()


def _one(make: Callable[[], _Made]) -> Iterator[_Made]:
    yield make()


def _network(document: Document, dataset: Dataset, before: SampleGraph | None, progress: Progress | None) -> _Made:
    """The network on its sample, at the moment of training that was shown before or is newest."""
    if before is not None and before.regroup(document.view):
        return _whole(_Made(before.graph_view, before))
    try:
        sample = show_network(document, dataset.X, dataset.y)
    except ValueError as error:
        return _Made(GraphView(), reason=str(error))
    if before is not None and len(before.parameters) == len(sample.parameters):
        sample.show(before.moment)
    elif progress is not None:
        _follow(sample, progress)
    return _whole(_Made(sample.graph_view, sample))


def _follow(sample: SampleGraph, progress: Progress) -> None:
    if progress.phase is None:
        sample.refresh(progress.snapshot.parameters)
    else:
        sample.enter_phase(progress.phase.name, progress.phase.parameters)


def _whole(made: _Made) -> _Made:
    """The same with everything computed that the canvas asks for at once."""
    shown = made.graph_view
    _ = shown.graph, shown.structure, shown.note, shown.step_counts
    return made


def _failed(error: Exception) -> _Made:
    reason = str(error) or type(error).__name__
    return _Made(
        GraphView(), reason=f"This graph could not be made ({reason}): undo the last change, or make it smaller."
    )
