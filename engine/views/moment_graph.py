"""A copy of the graph at a moment, for work in a thread while the shown graph continues.

The values of a program never change after its run and are shared; a network on samples is built again, and set to
the moment of the question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.autograd import Value, topological_order
from engine.document.document import Document
from engine.experiment.moment import TrainingMoment
from engine.views.graph_view import GraphView
from engine.views.sample import SampleGraph, make_sample_graph


@dataclass(frozen=True, eq=False)
class Question:
    """A question about a value, with everything that the answer depends on.

    Attributes:
        value: of the shown graph; for a network only its name is used.
        graph_view: the shown graph.
        position: completed steps of forward and backward; below 0: all.
        zeroed: the walk has set the gradient of the value to 0.
        updated: data of the value after the update of the walk; None: not moved.
        moment: of training; None for a program.
        document: defines the network and the samples.
        X, y: the training data; None for a program.
        other: another value of the graph, for a question about every path between the two; None: no paths.
    """

    value: Value
    graph_view: GraphView
    position: int = -1
    moment: TrainingMoment | None = None
    document: Document | None = None
    X: Any = None
    y: Any = None
    other: Value | None = None
    zeroed: bool = False
    updated: float | None = None

    @property
    def subject(self) -> tuple[object, ...]:
        """Key of the graph's structure: equal for questions that can share a graph."""
        if self.moment is None or self.document is None:
            return self.graph_view.roots
        document, view = self.document, self.document.view
        return document.network, document.data, document.training.loss, view.sample, view.n_samples, view.expanded


class MomentGraph:
    """A graph set to one moment after the other, reused while it fits; for one thread at a time.

    Attributes:
        root: the value to differentiate.
        sample: of a network; None for a program.
    """

    root: Value

    def __init__(self) -> None:
        self.sample: SampleGraph | None = None
        self._subject: tuple[object, ...] | None = None
        self._moment: TrainingMoment | None = None
        self._named: dict[str, Value] = {}

    def go_to(self, question: Question) -> tuple[bool, bool]:
        """Set the graph to the moment of a question.

        Returns:
            Two flags: the graph was replaced; its numbers have changed.

        Raises:
            ValueError: when the graph is empty.
        """
        is_new = question.subject != self._subject
        if is_new:
            self._look_at(question)
        moved = self.sample is not None and question.moment is not None and question.moment is not self._moment
        if moved and self.sample is not None and question.moment is not None:
            self._moment = question.moment
            self.sample.show(question.moment)
        return is_new, is_new or moved

    def find(self, value: Value, question: Question) -> Value:
        """Return this graph's counterpart of a value of the shown graph.

        Raises:
            KeyError: when there is none: the shown graph is another one.
        """
        return self._named[question.graph_view.names.keys[id(value)]] if self.sample else value

    def _look_at(self, question: Question) -> None:
        self._subject = self.sample = self._moment = None
        root = question.graph_view.root
        if question.moment is not None:
            assert question.document is not None
            self.sample = make_sample_graph(question.document, question.X, question.y)
            root, names = self.sample.root, self.sample.graph_view.names.keys
            self._named = {names[id(value)]: value for value in topological_order(root) if id(value) in names}
        if root is None:
            raise ValueError("the graph is empty")
        self.root, self._subject = root, question.subject
