"""Why this number, worked out beside the window: on a graph of its own, for the one that is shown changes meanwhile.

Looking at the structure of a large graph takes most of a second and an explanation a tenth, so both are done in a
thread. The values of a program never change once it has run and are shared; a network on samples is built once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.autograd import Explainer, Explanation, Value, Walk, topological_order
from engine.document.document import Document
from engine.document.explain_moment import explain_at_moment
from engine.document.graph_view import GraphView
from engine.document.moment import Moment
from engine.document.sample import SampleGraph, show_network


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be explained, and everything that the answer depends on, as it stands when it is asked.

    Attributes:
        value: of the graph that is shown; only what it is called is looked at where the graph is a network.
        view: the graph that is shown.
        position: steps of the walk that are done; below 0 all of them.
        moment: of training; None for a program.
        document: which network it is, and on which samples.
        X, y: the data that the network is trained on; None for a program.
    """

    value: Value
    view: GraphView
    position: int = -1
    moment: Moment | None = None
    document: Document | None = None
    X: Any = None
    y: Any = None

    @property
    def subject(self) -> tuple[object, ...]:
        """Questions of equal subjects are about graphs of equal structure."""
        if self.moment is None or self.document is None:
            return self.view.roots
        document, view = self.document, self.document.view
        return document.network, document.data, document.training.loss, view.sample, view.n_samples, view.expanded


class MomentExplainer:
    """Answers one question after the other, about the same graph as long as it can; for one thread at a time."""

    def __init__(self) -> None:
        self._subject: tuple[object, ...] | None = None
        self._sample: SampleGraph | None = None
        self._moment: Moment | None = None
        self._walk: Walk | None = None

    def explain(self, question: Question) -> Explanation:
        """Why the value has its numbers, at the step of the walk or at the moment of training.

        Raises:
            KeyError: when the document's graph has no such value: it is another one than the graph that is shown.
            ValueError: when the graph is empty.
        """
        if question.subject != self._subject:
            self._look_at(question)
        if self._sample is not None and question.moment is not None and question.moment is not self._moment:
            self._moment, self._walk = question.moment, None
            self._sample.show(question.moment)
        value = self._named[question.view.names.keys[id(question.value)]] if self._sample else question.value
        if question.position >= 0:
            self._walk = self._walk or Walk(self._explainer.root)
            return self._explainer.explain(value, self._walk, question.position)
        return (
            explain_at_moment(self._sample, self._explainer, value) if self._sample else self._explainer.explain(value)
        )

    def _look_at(self, question: Question) -> None:
        self._subject = self._sample = self._moment = self._walk = None
        root = question.view.root
        if question.moment is not None:
            assert question.document is not None
            self._sample = show_network(question.document, question.X, question.y)
            root, names = self._sample.root, self._sample.graph_view.names.keys
            self._named = {names[id(value)]: value for value in topological_order(root) if id(value) in names}
        if root is None:
            raise ValueError("there is nothing to explain: the graph is empty")
        self._explainer = Explainer(root)
        self._subject = question.subject
