"""The graph of a moment, for whoever works on it beside the window while the graph that is shown goes on.

The values of a program never change once it has run and are shared; a network on samples is built once more, and put to
the moment that a question is about.
"""

from __future__ import annotations

from typing import Any

from engine.autograd import Value, topological_order
from engine.document.document import Document
from engine.document.graph_view import GraphView
from engine.document.moments.moment import TrainingMoment
from engine.document.sample import SampleGraph, make_sample_graph
from engine.quick_dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of a value, and everything that the answer depends on, as it stands when it is asked.

    Attributes:
        value: of the graph that is shown; only what it is called is looked at where the graph is a network.
        graph_view: the graph that is shown.
        position: steps of forward and backward that are done; below 0 all of them.
        zeroed: whether the walk has set the gradient of the value to 0.
        updated: the data that the update of the walk has given the value; None: it has not moved it.
        moment: of training; None for a program.
        document: which network it is, and on which samples.
        X, y: the data that the network is trained on; None for a program.
        other: another value of the graph: every path between the two is asked for as well; None: no paths.
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
        """Questions of equal subjects are about graphs of equal structure."""
        if self.moment is None or self.document is None:
            return self.graph_view.roots
        document, view = self.document, self.document.view
        return document.network, document.data, document.training.loss, view.sample, view.n_samples, view.expanded


class MomentGraph:
    """A graph of its own at one moment after the other, the same one as long as it can be; for one thread at a time.

    Attributes:
        root: what is differentiated.
        sample: of a network; None for a program.
    """

    root: Value

    def __init__(self) -> None:
        self.sample: SampleGraph | None = None
        self._subject: tuple[object, ...] | None = None
        self._moment: TrainingMoment | None = None
        self._named: dict[str, Value] = {}

    def go_to(self, question: Question) -> tuple[bool, bool]:
        """Puts the graph to the moment that a question is about.

        Returns:
            Whether the graph is another one than before, and whether its numbers are.

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
        """A value of the graph that is shown, in this one.

        Raises:
            KeyError: when there is none: the graph that is shown is another one.
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
