"""Questions about a value of the shown graph, answered in a worker thread on a copy of the graph.

The values of a program never change after its run and are shared; a network on samples is built again, and its numbers
are computed with the parameters of the question. Analysing the structure of a large graph takes most of a second and an
explanation a tenth.

The explanation of a network's graph has to be corrected between the phases of a training step: a parameter may have
the gradient of the step before, a gradient that was set to 0, or data that the update has just changed, while all
other values are from earlier.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.autograd import Constant, Value, ValueDataError, short, topological_order
from engine.autograd.naming import grouped_name
from engine.document.document import Document
from engine.teaching import Explainer, Explanation, Walk
from engine.teaching.explain import data_lines
from engine.teaching.explanation import heading, plain, sentence
from engine.teaching.paths import Paths, paths_between
from engine.views.gradient_sources import GradientSource
from engine.views.graph_view import GraphView
from engine.views.program_numbers import same
from engine.views.sample import PassParameters, SampleGraph, make_sample_graph

WORDS = {
    "loss phase": "The next phase, loss, computes it: so far this training step has only run the samples through "
    "the network.",
    "grad before": "This gradient is from the previous training step: zero_grad has not set it to 0 yet, and the "
    "backward pass of this step comes later.",
    "grad to come": "The backward pass of this training step has not run yet: it comes after loss and zero_grad.",
    "set to 0": "zero_grad has set it to 0, because backward adds to it.",
    "updated": "The update has just moved it from {before} to {now}; the explanation of its gradient is for {before}.",
    "pass in line": "It is of the backward() in line {line}, with the numbers that were there.",
    "data before": "It was computed before the update, with the old parameters.",
}
"""Sentences on a phase of training, and on a pass of a program."""


@dataclass(frozen=True, eq=False)
class Question:
    """A question about a value, with everything that the answer depends on.

    Attributes:
        value: of the shown graph; for a network only its name is used.
        graph_view: the shown graph.
        position: completed steps of forward and backward; below 0: all.
        zeroed: the walk has set the gradient of the value to 0.
        updated: data of the value after the update of the walk; None: not moved.
        passes: parameters of the shown numbers; None for a program.
        document: defines the network and the samples.
        X, y: the training data; None for a program.
        other: another value of the graph, for a question about every path between the two; None: no paths.
    """

    value: Value
    graph_view: GraphView
    position: int = -1
    passes: PassParameters | None = None
    document: Document | None = None
    X: Any = None
    y: Any = None
    other: Value | None = None
    zeroed: bool = False
    updated: float | None = None

    @property
    def subject(self) -> tuple[object, ...]:
        """Key of the graph's structure: equal for questions that can share a graph."""
        if self.passes is None or self.document is None:
            return self.graph_view.roots
        document, view = self.document, self.document.view
        return document.network, document.data, document.training.loss, view.sample, view.n_samples, view.expanded


class GraphCopy:
    """A copy of the shown graph, reused from question to question while it fits; for one thread at a time.

    Attributes:
        root: the value to differentiate.
        sample: of a network; None for a program.
    """

    root: Value

    def __init__(self) -> None:
        self.sample: SampleGraph | None = None
        self._subject: tuple[object, ...] | None = None
        self._passes: PassParameters | None = None
        self._named: dict[str, Value] = {}

    def go_to(self, question: Question) -> tuple[bool, bool]:
        """Set the copy to the structure and the numbers that a question is about.

        Returns:
            Two flags: the graph was replaced; its numbers have changed.

        Raises:
            ValueError: when the graph is empty, or its output an array.
        """
        is_new = question.subject != self._subject
        if is_new:
            self._subject = self.sample = self._passes = None
            root = question.graph_view.root
            if question.passes is not None:
                assert question.document is not None
                self.sample = make_sample_graph(question.document, question.X, question.y)
                root, names = self.sample.root, self.sample.graph_view.names.keys
                self._named = {names[id(value)]: value for value in topological_order(root) if id(value) in names}
            if root is None:
                raise ValueError("the graph is empty")
            if root.data.__class__ is not float:
                raise ValueDataError(f"a gradient is that of a single number; the output has the shape {root.shape}")
            self.root, self._subject = root, question.subject
        moved = self.sample is not None and question.passes is not None and question.passes is not self._passes
        if moved and self.sample is not None and question.passes is not None:
            self._passes = question.passes
            self.sample.show(question.passes)
        return is_new, is_new or moved

    def find(self, value: Value, question: Question) -> Value:
        """Return this graph's counterpart of a value of the shown graph.

        Raises:
            KeyError: when there is none: the shown graph is another one.
        """
        return self._named[question.graph_view.names.keys[id(value)]] if self.sample else value


class QuestionExplainer:
    """Answers questions one after the other and reuses the graph while it fits; for one thread at a time."""

    def __init__(self) -> None:
        self._graph = GraphCopy()
        self._walk: Walk | None = None

    def explain(self, question: Question) -> Explanation:
        """Explain a value's numbers at the step of the walk, or at the phase of training.

        Raises:
            KeyError: when the document's graph has no such value: the shown graph is another one.
            ValueError: when the graph is empty, or the output an array.
        """
        source = question.graph_view.source_of(question.value, is_walked=question.position >= 0)
        if source is not None:
            return _by_source(question, source)
        self._go_to(question)
        graph, explainer = self._graph, self._explainer
        value = graph.find(question.value, question)
        if question.position >= 0:
            self._walk = self._walk or Walk(graph.root, None, question.graph_view.program_gradients)
            return _on_walk(question, explainer.explain(value, self._walk, question.position))
        return explain_sample_value(graph.sample, explainer, value) if graph.sample else explainer.explain(value)

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


def _by_source(question: Question, source: GradientSource) -> Explanation:
    """Explain a value by the pass that gave its gradient, and say so where its data are not those of the pass."""
    explanation, value = Explainer(source.root, source.gradients).explain(source.value), question.value
    first, *others = explanation.why_grad
    which_pass = [plain(WORDS["pass in line"].format(line=source.line))] if source.line else []
    why_data, data = explanation.why_data, question.graph_view.numbers(value)[0]
    if data is not None:
        question_of_data = heading(f"Why is {grouped_name(value)}.data = ", short(data), "?")
        if value.op is None:
            why_data = question_of_data, *data_lines(value)[1:]
        elif not same(data, source.value.data, relative=0.0, absolute=0.0):
            why_data = question_of_data, sentence("data changed")
    return replace(explanation, why_data=why_data, why_grad=(first, *which_pass, *others))


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


def explain_sample_value(sample: SampleGraph, explainer: Explainer, value: Value) -> Explanation:
    """Explain a value of a network on samples at the phase of training that its graph shows.

    Args:
        sample: the graph.
        explainer: of the graph's root.
        value: of the graph.
    """
    passes = sample.passes
    with sample.as_computed():
        explanation, seen = explainer.explain(value), value.data
    data, gradient = sample.numbers(value)
    is_parameter = any(value is parameter for parameter in sample.parameters)
    name = grouped_name(value)
    if data is None:
        question = heading(f"Why does {name} have no data yet?")
        explanation = replace(explanation, why_data=(question, plain(WORDS["loss phase"])))
    elif passes.phase == "update" and is_parameter:
        question = heading(f"Why is {name}.data = ", short(value.data), "?")
        words = WORDS["updated"].format(before=short(seen), now=short(value.data))
        explanation = replace(explanation, why_data=(question, plain(words)))
    elif passes.phase == "update" and value.op is not None:
        explanation = replace(explanation, why_data=(*explanation.why_data, plain(WORDS["data before"])))
    if passes.differentiated or isinstance(value, Constant):
        return explanation
    if gradient is None or not is_parameter:
        question, words = heading(f"Why does {name} have no grad yet?"), WORDS["grad to come"]
    else:
        question = heading(f"Why is {name}.grad = ", short(gradient), "?")
        words = WORDS["set to 0" if passes.backward is None else "grad before"]
    return replace(explanation, why_grad=(question, plain(words)), gradient=gradient, check=None)
