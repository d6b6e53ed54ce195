"""Explanations of a number at a moment, made in a worker thread on a graph of their own.

Analysing the structure of a large graph takes most of a second and an explanation a tenth, so both are done in a
thread, on the graph of `moment_graph.py`.

The explanation of a network's graph has to be corrected between the phases of a training step: a parameter may hold
the gradient of the step before, a gradient that was set to 0, or data that the update has just changed, while all
other values are from earlier.
"""

from __future__ import annotations

from dataclasses import replace

from engine.autograd import Constant, Value, short
from engine.autograd.naming import grouped_name
from engine.teaching import Explainer, Explanation, Walk
from engine.teaching.explanation import Lines, heading, plain
from engine.teaching.paths import Paths, paths_between
from engine.views.moment_graph import MomentGraph, Question
from engine.views.sample import SampleGraph

WORDS = {
    "loss phase": "The next phase, loss, computes it: so far this training step has only run the samples through "
    "the network.",
    "grad before": "This gradient is from the previous training step: zero_grad has not set it to 0 yet, and the "
    "backward pass of this step comes later.",
    "grad to come": "The backward pass of this training step has not run yet: it comes after loss and zero_grad.",
    "set to 0": "zero_grad has set it to 0, because backward adds to it.",
    "updated": "The update has just moved it from {before} to {now}; the explanation of its gradient is for {before}.",
    "data before": "It was computed before the update, with the old parameters.",
}
"""Every sentence on a phase of training."""


class MomentExplainer:
    """Answers questions one after the other and reuses the graph while it fits; for one thread at a time."""

    def __init__(self) -> None:
        self._graph = MomentGraph()
        self._walk: Walk | None = None

    def explain(self, question: Question) -> Explanation:
        """Explain a value's numbers at the step of the walk or at the moment of training.

        Raises:
            KeyError: when the document's graph has no such value: the shown graph is another one.
            ValueError: when the graph is empty.
        """
        self._go_to(question)
        graph, explainer = self._graph, self._explainer
        value = graph.find(question.value, question)
        if question.position >= 0:
            self._walk = self._walk or Walk(graph.root, None, question.graph_view.program_gradients)
            return _on_walk(question, explainer.explain(value, self._walk, question.position))
        return explain_at_moment(graph.sample, explainer, value) if graph.sample else explainer.explain(value)

    def paths(self, question: Question) -> Paths | None:
        """Return every path between the two values of a question; None for a question about one value.

        Raises:
            KeyError: as in `explain`.
        """
        if question.other is None:
            return None
        self._go_to(question)
        return paths_between(*(self._graph.find(value, question) for value in (question.other, question.value)))

    def _go_to(self, question: Question) -> None:
        is_new, has_moved = self._graph.go_to(question)
        self._walk = None if has_moved else self._walk
        if is_new:
            self._explainer = Explainer(self._graph.root, question.graph_view.program_gradients)


def _on_walk(question: Question, explanation: Explanation) -> Explanation:
    """Add the effect of zero_grad and of the update of a walk on the value."""
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
    """Explain a value of a network on samples at its moment of training.

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
        explanation = replace(explanation, why_data=_why("Why does {} have no data yet?", value, "loss phase"))
    elif moment.phase == "update":
        explanation = replace(explanation, why_data=_after_update(explanation, value, seen, is_parameter))
    if moment.differentiated or isinstance(value, Constant):
        return explanation
    why_grad = _why_grad(sample, value, gradient, is_parameter)
    return replace(explanation, why_grad=why_grad, gradient=gradient, check=None)


def _after_update(explanation: Explanation, value: Value, before: float, is_parameter: bool) -> Lines:
    if not is_parameter:
        return (*explanation.why_data, plain(WORDS["data before"])) if value.op is not None else explanation.why_data
    words = WORDS["updated"].format(before=short(before), now=short(value.data))
    return heading(f"Why is {grouped_name(value)}.data = ", short(value.data), "?"), plain(words)


def _why_grad(sample: SampleGraph, value: Value, gradient: float | None, is_parameter: bool) -> Lines:
    """Explain a gradient at a moment at which backward has not run since the forward pass."""
    if gradient is None or not is_parameter:
        return _why("Why does {} have no grad yet?", value, "grad to come")
    which = "set to 0" if sample.moment.learned is None else "grad before"
    return heading(f"Why is {grouped_name(value)}.grad = ", short(gradient), "?"), plain(WORDS[which])


def _why(question: str, value: Value, which: str) -> Lines:
    return heading(question.format(grouped_name(value))), plain(WORDS[which])
