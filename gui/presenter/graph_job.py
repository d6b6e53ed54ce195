"""Making the graph that a canvas shows: a small one at once, a large one in a thread, so that the window goes on.

A graph is handed over when it is whole; nobody looks at its values while they are made.
"""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from datasets import Dataset
from engine.document import Document
from engine.language import Evaluation
from engine.views.graph_view import GraphView, show_expression
from engine.views.sample import PassParameters, SampleGraph, count_values, make_sample_graph
from gui.background import Job, once

AT_ONCE = 400
"""Graphs of up to about this many values are made in the GUI thread: it takes 15 ms at most."""

VALUES_PER_NAMED_GROUP = 10
"""A group that is opened or closed by name takes as long as so many values."""

_log = logging.getLogger(__name__)


class GraphRequest(NamedTuple):
    """Input of a graph to be made.

    Attributes:
        document: says what is shown.
        evaluation: of its program, the last one that worked; None: there is none.
        dataset: what its network is trained on; needed where the network is shown.
        sample: a graph of the same network and data, of which new groups can be opened; its parameters are used where
            none are given.
        passes: parameters of the numbers; None: the document's weights.
    """

    document: Document
    evaluation: Evaluation | None = None
    dataset: Dataset | None = None
    sample: SampleGraph | None = None
    passes: PassParameters | None = None

    @property
    def size(self) -> int:
        """About how many values the graph has."""
        view = self.document.view
        groups = VALUES_PER_NAMED_GROUP * (len(view.expanded) + len(view.collapsed))
        if view.shows == "network":
            return groups + count_values(self.document)
        return groups + (len(self.evaluation.origins) if self.evaluation is not None else 0)

    @property
    def subject(self) -> tuple[object, ...]:
        """Two requests of equal subjects follow one another: the first result is worth showing."""
        view = self.document.view
        return view, self.document.network if view.shows == "network" else None


class MadeGraph(NamedTuple):
    """A graph.

    Attributes:
        graph_view: roots and names; empty where it could not be made.
        sample: the network's sample graph; None for an expression.
        reason: why it could not be made, in a sentence; "" when it could.
    """

    graph_view: GraphView
    sample: SampleGraph | None = None
    reason: str = ""


class GraphJob(QObject):
    """Makes graphs.

    Signals:
        made(object, MadeGraph): the token of the newest request and its graph.
        ended(): nothing is being made any more.
    """

    made = Signal(object, object)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._size = 0
        self._subject: object = None
        self._job = Job("graph", self)
        self._job.delivered.connect(self.made)
        self._job.failed.connect(lambda token, error: self.made.emit(token, _failed(error)))
        self._job.ended.connect(self.ended)

    @property
    def awaited(self) -> int:
        """Estimated number of values of the graph being made in the background; 0 for none."""
        return self._size if self._job.busy else 0

    def request(self, token: Any, wanted: GraphRequest) -> None:
        """Make a graph; `made` is emitted at once for a small one, later for a large one.

        Args:
            token: comes back with the graph.
            wanted: what it is made of.
        """
        self._size = wanted.size
        same, self._subject = wanted.subject == self._subject, wanted.subject
        if self._size > AT_ONCE:
            self._job.start(token, once(lambda: _make(wanted)), patient=same)
            return
        self._job.cancel()
        try:
            made = _make(wanted)
        except Exception as error:
            _log.exception("making a graph failed")
            made = _failed(error)
        self.made.emit(token, made)

    def stop(self) -> None:
        """Stop all work for good."""
        self._job.stop()


def _make(wanted: GraphRequest) -> MadeGraph:
    """Graph with everything precomputed that the canvas needs at once."""
    shown, evaluation = wanted.document.view, wanted.evaluation
    if shown.shows == "network":
        made = _network(wanted)
    elif evaluation is None:
        made = MadeGraph(GraphView())
    else:
        made = MadeGraph(show_expression(evaluation, shown.hide_constants, shown.expanded, shown.collapsed, folds=True))
    view = made.graph_view
    _ = view.graph, view.structure, view.note, view.step_counts, view.leaves
    return made


def _network(wanted: GraphRequest) -> MadeGraph:
    """Return the graph of the network on its sample, with the parameters of the request."""
    before, document, dataset = wanted.sample, wanted.document, wanted.dataset
    if before is not None and before.regroup(document.view):
        return MadeGraph(before.graph_view, before)
    if dataset is None:
        return MadeGraph(GraphView())
    try:
        sample = make_sample_graph(document, dataset.X, dataset.y)
    except ValueError as error:
        return MadeGraph(GraphView(), reason=str(error))
    passes = wanted.passes
    if passes is not None and len(passes.now) == len(sample.parameters):
        sample.show(passes)
    return MadeGraph(sample.graph_view, sample)


def _failed(error: Exception) -> MadeGraph:
    reason = str(error) or type(error).__name__
    return MadeGraph(
        GraphView(), reason=f"This graph could not be made ({reason}): undo the last change, or make it smaller."
    )
