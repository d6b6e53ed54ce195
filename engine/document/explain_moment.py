"""Why this number, of a network that is being trained: what the explanation of a graph does not know of the moment.

Between the phases of a training step a parameter can hold the gradient of the step before, a gradient that was set to
0, or data that the update has just changed, while all else is as it was computed before.
"""

from __future__ import annotations

from dataclasses import replace

from engine.autograd import Constant, Explainer, Explanation, Value, short
from engine.autograd.explanation import Lines, heading, plain
from engine.autograd.naming import grouped_name
from engine.document.sample import SampleGraph

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
"""Every sentence of this module."""


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
