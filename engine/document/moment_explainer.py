"""Why this number, at a moment: worked out beside the window, on a graph of its own, as the one shown goes on.

Looking at the structure of a large graph takes most of a second and an explanation a tenth, so both are done in a
thread. The values of a program never change once it has run and are shared; a network on samples is built once more.

Of a network the explanation of its graph does not know all: between the phases of a training step a parameter can hold
the gradient of the step before, a gradient that was set to 0, or data that the update has just changed, while all else
is as it was computed before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.autograd import Constant, Explainer, Explanation, Value, Walk, short, topological_order
from engine.autograd.explanation import Lines, heading, plain
from engine.autograd.naming import grouped_name
from engine.autograd.paths import Paths, paths_between
from engine.document.document import Document
from engine.document.graph_view import GraphView
from engine.document.moment import Moment
from engine.document.sample import SampleGraph, show_network

WORDS = {
    "loss phase": "The phase loss computes it: this training step has only run every sample through the network "
    "so far.",
    "grad before": "This is the gradient of the training step before: nothing has set it to 0 yet, and backward of "
    "this step comes later.",
    "grad to come": "Backward of this training step has not run yet: it comes after loss and zero_grad.",
    "set to 0": "The phase zero_grad has set it to 0, for backward adds to what is there.",
    "updated": "The update has just moved it from {before} to {now}; what is said of its gradient holds for {before}.",
    "data before": "It was computed before the update, with the parameters as they were then.",
}
"""Every sentence on a phase of training."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be explained, and everything that the answer depends on, as it stands when it is asked.

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
    moment: Moment | None = None
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
        self._go_to(question)
        value = self._found(question.value, question)
        if question.position >= 0:
            self._walk = self._walk or Walk(self._explainer.root)
            return _on_walk(question, self._explainer.explain(value, self._walk, question.position))
        return (
            explain_at_moment(self._sample, self._explainer, value) if self._sample else self._explainer.explain(value)
        )

    def paths(self, question: Question) -> Paths | None:
        """Every path between the two values of a question; None where it is about one.

        Raises:
            KeyError: as `explain` does.
        """
        if question.other is None:
            return None
        self._go_to(question)
        return paths_between(self._found(question.other, question), self._found(question.value, question))

    def _go_to(self, question: Question) -> None:
        """Puts the graph to the moment that a question is about."""
        if question.subject != self._subject:
            self._look_at(question)
        if self._sample is not None and question.moment is not None and question.moment is not self._moment:
            self._moment, self._walk = question.moment, None
            self._sample.show(question.moment)

    def _found(self, value: Value, question: Question) -> Value:
        """A value of the graph that is shown, in the graph that is worked on."""
        return self._named[question.graph_view.names.keys[id(value)]] if self._sample else value

    def _look_at(self, question: Question) -> None:
        self._subject = self._sample = self._moment = self._walk = None
        root = question.graph_view.root
        if question.moment is not None:
            assert question.document is not None
            self._sample = show_network(question.document, question.X, question.y)
            root, names = self._sample.root, self._sample.graph_view.names.keys
            self._named = {names[id(value)]: value for value in topological_order(root) if id(value) in names}
        if root is None:
            raise ValueError("there is nothing to explain: the graph is empty")
        self._explainer = Explainer(root)
        self._subject = question.subject


def _on_walk(question: Question, explanation: Explanation) -> Explanation:
    """What zero_grad and the update of a walk have done to the value besides."""
    value = explanation.value
    if question.updated is not None:
        words = WORDS["updated"].format(before=short(value.data), now=short(question.updated))
        question_of_data = heading(f"Why is {grouped_name(value)}.data = ", short(question.updated), "?")
        return replace(explanation, why_data=(question_of_data, plain(words)))
    if question.zeroed and explanation.gradient is None:
        question_of_grad = heading(f"Why is {grouped_name(value)}.grad = ", "0", "?")
        lines = question_of_grad, plain(WORDS["set to 0"]), *explanation.why_grad[1:]
        return replace(explanation, why_grad=lines, gradient=0.0)
    return explanation


def explain_at_moment(sample: SampleGraph, explainer: Explainer, value: Value) -> Explanation:
    """Explains a value of a network on samples as it stands in its training step.

    Args:
        sample: the graph, with its moment of training.
        explainer: of the graph's root.
        value: of the graph.
    """
    moment = sample.moment
    with sample.as_computed():
        explanation, seen = explainer.explain(value), value.data
    data, gradient = sample.numbers(value)
    is_parameter = any(value is parameter for parameter in sample.parameters)
    if data is None:
        explanation = replace(explanation, why_data=_why("Why has {} no data yet?", value, "loss phase"))
    elif moment.phase == "update":
        explanation = replace(explanation, why_data=_after_update(explanation, value, seen, is_parameter))
    if moment.differentiated or isinstance(value, Constant):
        return explanation
    why_grad = _why_grad(sample, value, gradient, is_parameter)
    return replace(explanation, why_grad=why_grad, gradient=gradient, terms=(), complete=False, check=None)


def _after_update(explanation: Explanation, value: Value, before: float, is_parameter: bool) -> Lines:
    if not is_parameter:
        return (*explanation.why_data, plain(WORDS["data before"])) if value.op is not None else explanation.why_data
    words = WORDS["updated"].format(before=short(before), now=short(value.data))
    return heading(f"Why is {grouped_name(value)}.data = ", short(value.data), "?"), plain(words)


def _why_grad(sample: SampleGraph, value: Value, gradient: float | None, is_parameter: bool) -> Lines:
    """Of a moment at which backward has not run since the data were computed."""
    if gradient is None or not is_parameter:
        return _why("Why has {} no grad yet?", value, "grad to come")
    which = "set to 0" if sample.moment.learned is None else "grad before"
    return heading(f"Why is {grouped_name(value)}.grad = ", short(gradient), "?"), plain(WORDS[which])


def _why(question: str, value: Value, which: str) -> Lines:
    return heading(question.format(grouped_name(value))), plain(WORDS[which])
