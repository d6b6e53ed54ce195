"""Texts of the stepper: the last step, the progress of the pass, and the update of a network's parameters.

A shown network is computed for the shown samples, while the update uses the gradient of the whole batch. So every
parameter has two gradients; its update is written with the one that makes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.autograd import Value, name_of
from engine.autograd.notation import counted, short, sum_text
from engine.network import OPTIMIZERS, Phase, TrainingSettings, Update
from engine.network.update import fixed
from engine.teaching import SubStep
from engine.teaching.typeset import minus_in_formula, true_minus
from engine.views.graph_view import GraphView
from engine.views.sample import SampleGraph

UPDATE_SENTENCES = {
    "sample": "{name}: this sample {own}, batch {batch}; {step}",
    "samples": "{name}: these samples {own}, batch {batch}; {step}",
    "own gradient": "The gradient of the loss of {samples} is {own}.",
    "batch gradient": "The gradient of the loss of {rows} is {batch}.",
    "step": "The step uses that of {rows}: {name}: {step}",
    "own loss": "The loss of {samples}.",
    "batch loss": "The loss of {rows} is {loss}.",
    "minimised": "With the {names} of {penalty} the step minimises {objective}.",
    "clipped": "It is clipped.",
    "in gradient": "The slope of the {names} is part of it.",
    "not in loss": "The {names} is not part of it.",
}
"""Sentences on a parameter and on the loss."""


class UpdateTexts:
    """Texts for one moment of a network on samples."""

    def __init__(self, sample: SampleGraph, update: Update | None) -> None:
        """Create the texts.

        Args:
            sample: the graph on the canvas.
            update: the step that belongs to the moment; one of other parameters is not looked at.
        """
        self._sample = sample
        passes = sample.passes
        belongs = update is not None and np.array_equal(update.before, passes.forward) and passes.differentiated
        self._update = update if belongs else None

    @property
    def samples(self) -> str:
        """`sample 2`, or `samples 2, 3, 4`."""
        numbers = [row + 1 for row in self._sample.rows]
        return f"sample{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"

    @property
    def batch(self) -> str:
        """`all 4 samples`, or `the batch (10 of 100 samples)`; empty when the step is not known."""
        return batch_text(self._update.rows, self._update.n_samples) if self._update is not None else ""

    def gradients(self, value: Value) -> tuple[float, float] | None:
        """The gradient of the loss of the samples shown, and that of the batch, with respect to a parameter.

        None for what is not a parameter, and where a step is not known: while training runs, before `backward`.
        """
        index = self._sample.index_of(value)
        if index is None or self._update is None:
            return None
        return float(value.grad), float(self._update.gradients[index])

    def line(self, value: Value | None) -> str:
        """Return both gradients of a parameter and its step in one line; empty for anything else."""
        which = "sample" if len(self._sample.rows) == 1 else "samples"
        return "" if value is None else self._sentence(which, value)

    def step(self, value: Value) -> str:
        """The step of a parameter: `0.6949 − 0.1 × 0.8488 = 0.6100`; empty where it is not known."""
        index = self._sample.index_of(value)
        return "" if index is None or self._update is None else minus_in_formula(self._update.line(index))

    def note(self, value: Value | None) -> tuple[str, ...]:
        """Whole sentences on a parameter or on the loss, for a tool-tip or an explanation; empty for other values."""
        update = self._update
        if value is self._sample.root:
            return self._loss_note()
        if value is None or update is None or self.gradients(value) is None:
            return ()
        settings = update.settings
        batch = with_penalty_note(self._sentence("batch gradient", value), settings, "in gradient")
        if settings.clip_norm is not None or settings.clip_value is not None:
            batch = f"{batch} {UPDATE_SENTENCES['clipped']}"
        rule = () if update.is_plain else (f"{settings.optimizer}: {OPTIMIZERS[settings.optimizer].rule}",)
        return self._sentence("own gradient", value), batch, self._sentence("step", value), *rule

    def _sentence(self, which: str, value: Value) -> str:
        """Return a sentence on a parameter; "" for other values, or if the step is not known."""
        both = self.gradients(value)
        if both is None:
            return ""
        own, batch = map(_signed, both)
        words = {"name": value.label, "own": own, "batch": batch, "samples": self.samples, "rows": self.batch}
        return minus_in_formula(UPDATE_SENTENCES[which].format(step=self.step(value), **words))

    def _loss_note(self) -> tuple[str, ...]:
        own = UPDATE_SENTENCES["own loss"].format(samples=self.samples)
        if self._update is None:
            return (own,)
        update = self._update
        batch = UPDATE_SENTENCES["batch loss"].format(rows=self.batch, loss=minus_in_formula(fixed(update.loss)))
        if names := penalty_name(update.settings):
            objective = minus_in_formula(fixed(update.loss + update.penalty))
            minimised = UPDATE_SENTENCES["minimised"].format(
                names=names, penalty=fixed(update.penalty), objective=objective
            )
            batch = f"{batch} {minimised}"
        return own, batch


def batch_text(rows: Sequence[int] | np.ndarray, n_samples: int) -> str:
    """Return the samples that a step uses: `all 4 samples`, or `the batch (10 of 100 samples)`."""
    if len(rows) == n_samples:
        return f"all {counted(n_samples, 'sample')}"
    return f"the batch ({len(rows):,} of {counted(n_samples, 'sample')})"


def penalty_name(settings: TrainingSettings) -> str:
    """Return `L2 penalty` or `L1 and L2 penalty`; "" without penalties."""
    names = " and ".join(name for name, size in (("L1", settings.l1), ("L2", settings.l2)) if size)
    return f"{names} penalty" if names else ""


def with_penalty_note(sentence: str, settings: TrainingSettings, which: str) -> str:
    """Add a sentence on the penalty where there is one.

    Args:
        sentence: on a loss or a gradient.
        settings: of the run.
        which: "in gradient" or "not in loss", a name of UPDATE_SENTENCES.
    """
    names = penalty_name(settings)
    return f"{sentence} {UPDATE_SENTENCES[which].format(names=names)}" if names else sentence


def _signed(number: float) -> str:
    return ("+" if number > 0 else "") + fixed(number)


NOTHING_TO_STEP = "The graph is empty, so there are no steps to go: type an expression, such as y = tanh(2 * 0.5)."
ARRAY_AT_THE_END = "The output is an array, so there are no steps to go: make it one number, such as y = z.sum()."

TOUCHED_BY_PHASE = {
    "forward": {"intermediate", "group", "output"},
    "loss": {"output"},
    "zero_grad": {"parameter", "group"},
    "backward": {"input", "parameter", "intermediate", "group", "output"},
    "update": {"parameter", "group"},
}
"""Roles of the nodes that each phase of a training step changes."""


def touched_by_phase(graph_view: GraphView, phase: Phase | None) -> frozenset[str]:
    """Keys of the values that a phase of a training step has changed."""
    if phase is None:
        return frozenset()
    wanted, nodes = TOUCHED_BY_PHASE[phase.name], graph_view.graph.nodes(data=True)
    return frozenset(key for key, a in nodes if a["kind"] == "value" and a["role"] in wanted)


SENTENCES = {
    "start": "Only the leaves are known: press Next.",
    "others": " Only the graph of {root} is walked; others keep their numbers.",
    "not finite": "Computed as far as possible: the marked values are not finite.",
    "end": "All data and gradients are computed.",
    "computed": "All data are computed. backward() was not called on {root}: Gradstep has computed its gradients.",
    "array": "All data are computed. The output is an array, so there are no gradients: make it one number, such as "
    "y = z.sum().",
    "by hand": "The program sets its gradients itself: {right} of {count} are right.",
    "another pass": "The program has not called backward() on {root}: the gradients are those of another pass.",
    "one wrong": "One gradient of your program is wrong: it is marked, and its box shows the number of your program.",
    "some wrong": "{count} gradients of your program are wrong: they are marked, and their boxes show the numbers of "
    "your program.",
    "wrong gradient": "Your program has the gradient {given} here; {right} is right.",
    "not zeroed": "{name}.grad = {sum}: gradients were not zeroed between passes.",
    "start before": "Only the leaves are known, with the data that they had at backward(): press Next.",
    "start now": "Only the leaves are known, with the data that they have now: press Next.",
    "later before": "Gradients are from before the update. Back and Next walk the pass with the data from before it.",
    "later now": "Gradients are from before the update. Back and Next walk a pass with the current data.",
    "changed": "Some data were changed after other values were computed from them. Back and Next walk a pass with the "
    "current data.",
    "network": "All computed, for the loss of {samples}.",
    "network and step": "All computed, for the loss of {samples}; a step uses {rows}.",
    "forward": "forward: {rows}. {rule}",
    "loss": "loss: loss of {rows} = {loss}. {rule}",
    "loss and penalty": "loss: loss of {rows} {loss} + penalty {penalty} = {objective}. {rule}",
    "zero_grad": "zero_grad: every grad = 0. {rule}",
    "backward": "backward: largest gradient {largest} in size. {rule}",
    "update": "update: learning rate {rate:g}. {rule}",
    "parameter": "{phase}: {line}. {rule}",
}
"""Texts beside the position of the walk; those on a phase by its name."""


PLACES = {"before": "{place}, data of backward()", "now": "{place}, current data"}
"""Texts over the scrubber for a walk over other data than the canvas shows without it."""

LINE_SENTENCES = {
    "nothing": "There is nothing to walk line by line: no statement of the program was run.",
    "running": "The program is running again, for the walk line by line.",
    "start": "Nothing has been run yet: Next runs line {line}.",
    "names": "Line {line}: {names}.",
    "names in function": "Line {line}, in {function}: {names}.",
    "one": "Line {line}: {value} now has the data {data} and the gradient {gradient}.",
    "one in function": "Line {line}, in {function}: {value} now has the data {data} and the gradient {gradient}.",
    "one without gradient": "Line {line}: {value} now has the data {data}; its gradient is not computed yet.",
    "one without gradient in function": "Line {line}, in {function}: {value} now has the data {data}; its gradient is "
    "not computed yet.",
    "made": "Line {line} made {values}.",
    "made in function": "Line {line}, in {function}, made {values}.",
    "gradients": "Line {line} changed the gradient of {values}.",
    "gradients in function": "Line {line}, in {function}, changed the gradient of {values}.",
    "data": "Line {line} changed the data of {values}.",
    "data in function": "Line {line}, in {function}, changed the data of {values}.",
    "numbers": "Line {line} changed data and gradients of {values}.",
    "numbers in function": "Line {line}, in {function}, changed data and gradients of {values}.",
    "run": "Line {line} was run.",
    "run in function": "Line {line}, in {function}, was run.",
    "error": "Line {line} could not be run: {message}",
    "end": "The end of the program. Of its {all:,} statements the first {kept:,} are kept to be walked.",
    "error after more": "Line {line} could not be run: {message}. Of {all:,} statements the first {kept:,} are kept.",
    "place": "statement {position:,} of {total:,}",
    "never": "Line {line} was not run.",
    "never kept": "Line {line} was not run among the first {kept:,} statements, which are kept.",
    "none yet": "No value has been made yet: Next runs line {line}.",
}
"""Texts of the stepper for the walk line by line."""
MOST_NAMES = 4
"""Largest number of names of a statement whose values are in the text."""


def state_text(graph_view: GraphView, at_start: bool, data: str = "") -> str:
    """Return a line of text on a graph before anything is computed, or when everything is.

    Args:
        graph_view: what is shown.
        at_start: of a walk.
        data: which data the walk has, as `data_text` wants it.
    """
    if graph_view.root is None:
        return ""
    if at_start:
        others = any(root.op is not None for root in graph_view.roots[1:])
        more = SENTENCES["others"].format(root=name_of(graph_view.root)) if others else ""
        return SENTENCES[f"start {data}" if data else "start"] + more
    if graph_view.problems:
        return SENTENCES["not finite"]
    if graph_view.root.data.__class__ is not float and graph_view.program_gradients is None:
        return SENTENCES["array"]
    gradients, wrong = graph_view.program_gradients, len(graph_view.right_gradients)
    if gradients is None:
        return SENTENCES["changed" if data else "computed"].format(root=name_of(graph_view.root))
    if gradients.reason == "hand":
        count = len(gradients.overrides)
        return SENTENCES["by hand"].format(right=count - wrong, count=count)
    if not gradients.is_pass and not data:
        return SENTENCES["another pass"].format(root=name_of(graph_view.root))
    if wrong:
        return SENTENCES["one wrong" if wrong == 1 else "some wrong"].format(count=wrong)
    if gradients.reason == "passes":
        return gradients.note
    if gradients.is_pass and gradients.initial:
        return _not_zeroed(graph_view, [*gradients.initial][-1])
    return SENTENCES[f"later {data}" if data else "end"]


def _not_zeroed(graph_view: GraphView, value: Value) -> str:
    """The gradient of a value as the sum of what was there before the pass and of what the pass has added."""
    assert graph_view.program is not None and graph_view.program_gradients is not None
    held, total = graph_view.program_gradients.initial[value], graph_view.program.gradient_of_pass(value)
    written = " ".join(sum_text((held, total - held), total)) if total.__class__ is float else short(total)
    return SENTENCES["not zeroed"].format(name=name_of(value), sum=minus_in_formula(written))


def gradient_notes(graph_view: GraphView, key: str) -> tuple[str, ...]:
    """Return notes on a gradient of the program that differs from that of a single pass; () if both are equal."""
    gradients, value = graph_view.program_gradients, graph_view.graph.nodes.get(key, {}).get("value")
    if key in graph_view.right_gradients:
        assert value is not None
        words = {"given": value.known_grad, "right": graph_view.right_gradients[key]}
        numbers = {name: minus_in_formula(short(number)) for name, number in words.items()}
        return (SENTENCES["wrong gradient"].format(**numbers),)
    if gradients is not None and gradients.reason == "passes" and value in gradients.overrides:
        return (gradients.note,)
    if gradients is None or not gradients.is_pass or value not in gradients.initial:
        return ()
    return (_not_zeroed(graph_view, value),)


def data_text(place: str, data: str) -> str:
    """Return the position of a walk, and its data where they differ from those shown without it: `before`, `now`."""
    return PLACES[data].format(place=place) if data else place


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Number of steps of a walk in each phase.

    Attributes:
        forward: operations.
        backward: the seed and the contributions.
        updates: parameters that are updated; None where no update is known, and no zero_grad either.
        has_zero_grad: gradients are set to 0 before the pass, where an update is known.
        later: gradients that the program sets after it.
        is_pass: a pass is gone through backward; False: gradients that the program has set are put in.
    """

    forward: int
    backward: int
    updates: int | None = None
    has_zero_grad: bool = True
    later: int = 0
    is_pass: bool = True

    @property
    def _zeroed(self) -> bool:
        return self.updates is not None and self.has_zero_grad

    @property
    def all_computed(self) -> int:
        """The position after backward."""
        return self.forward + (self._zeroed if self.backward else 0) + self.backward

    @property
    def total(self) -> int:
        """All steps; 0 for an empty graph."""
        return self.all_computed + (self.updates or 0) + self.later

    @property
    def phases(self) -> dict[str, int]:
        """Positions at which the phases begin, by name."""
        seed = self.forward + self._zeroed
        begins = {"forward": 0, **({"zero_grad": self.forward} if self._zeroed else {})}
        begins |= {"seed": seed, "backward": seed + 1} if self.is_pass else {"set": seed} if self.backward else {}
        begins |= {"update": self.all_computed} if self.updates is not None else {}
        return begins | ({"set": self.total - self.later} if self.later else {})

    @property
    def ends(self) -> list[int]:
        """The start, and the positions at which a phase is over."""
        zeroed = [self.forward + 1] if self._zeroed else []
        return sorted({0, self.forward, *zeroed, self.all_computed, self.total})


def step_text(step: SubStep, hides_gradients: bool = False) -> str:
    """Return a step as an equation, and below it in names with the rule that it follows.

    Args:
        step: of a walk.
        hides_gradients: the line that has gradients in it is left out: they are to be predicted.
    """
    line, names = minus_in_formula(step.sum_line), minus_in_formula(step.names)
    if step.kind in ("forward", "seed", "zero_grad"):
        return line
    if step.kind == "set":
        return step.note if hides_gradients else f"{line}\n{step.note}"
    if step.contribution is not None and step.contribution.node.op is not None:
        names = f"{names}. {true_minus(step.contribution.node.op.rule)}"
    if step.update is not None and step.update.origin:
        names = f"{names}. {step.update.origin}"
    return names if hides_gradients else f"{line}\n{names}"


def place_text(phase: Phase | None, position: int, counts: StepCounts) -> str:
    """Return the position of the walk: "part 2 of 5" of a training step, else "forward 3 of 8" or "backward 2 of 14".

    Args:
        phase: of training, when the canvas shows one.
        position: steps done; below 0 all of them up to the update.
        counts: steps of each phase.
    """
    if not counts.total:
        return ""
    if phase is not None:
        return f"part {list(TOUCHED_BY_PHASE).index(phase.name) + 1} of {len(TOUCHED_BY_PHASE)}"
    at = position if position >= 0 else counts.all_computed
    if at <= counts.forward:
        return f"forward {at:,} of {counts.forward:,}"
    if at > counts.total - counts.later:
        return f"set {at - counts.total + counts.later:,} of {counts.later:,}"
    if at > counts.all_computed:
        return f"update {at - counts.all_computed:,} of {counts.updates:,}"
    if not counts.is_pass:
        return f"set {at - counts.forward:,} of {counts.backward:,}"
    done = at - counts.all_computed + counts.backward
    return f"backward {done:,} of {counts.backward:,}" if done else "zero_grad"


def short_place(place: str) -> str:
    """The same in fewer words: `backward 25/25, now`."""
    for which, words in (("before", "data of backward()"), ("now", "current data")):
        place = place.replace(words, which)
    return place.replace(" of ", "/")


def moment_text(texts: UpdateTexts, phase: Phase | None, value: Value | None, n_samples: int) -> str:
    """Return a line of text on a network that is computed completely, or on the result of a phase of training.

    Args:
        texts: on the graph that is shown.
        phase: done last, when the canvas shows one.
        value: the value that is selected: for a parameter its own numbers are in the text.
        n_samples: of the training data.
    """
    line = texts.line(value)
    if phase is None:
        sentence = SENTENCES["network and step" if texts.batch else "network"]
        return line or sentence.format(samples=texts.samples, rows=texts.batch)
    which: str = "parameter" if line and phase.name in ("backward", "update") else phase.name
    if phase.name == "loss" and phase.penalty:
        which = "loss and penalty"
    return SENTENCES[which].format(
        phase=phase.name,
        line=line,
        rows=batch_text(phase.rows, n_samples),
        loss=minus_in_formula(fixed(phase.loss or 0.0)),
        penalty=fixed(phase.penalty or 0.0),
        objective=minus_in_formula(fixed((phase.loss or 0.0) + (phase.penalty or 0.0))),
        largest=minus_in_formula(fixed(abs(phase.gradients).max())),
        rate=phase.learning_rate,
        rule=phase.description,
    )
