"""Kinds of goals: one entry of `GOALS` for each, with its fields, its sentence, and how it is read from the state.

A goal reads the state of the program and nothing else: it does not depend on what is on the screen, or on the way in
which the state came about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

from datasets import DATASETS, FEATURES, feature_title
from engine.autograd import OPS
from engine.autograd.notation import counted, short
from engine.document import fields
from engine.document.fields import Rule
from engine.experiment.prepared import prepare
from engine.experiment.setting_words import choice_title, setting_title
from engine.lessons.state import LessonState, Shown
from engine.messages import did_you_mean, quoted, unknown_name, visible
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS
from engine.sweeps.comparison import comparable_settings

LONGEST_TEXT, MOST_CHOICES = 1000, 8
OF_NUMBERS = ("value", "gradient", "predicted", "nudged", "selected")
"""Kinds of goals that are read from the computed graph: their steps begin without a walk, unless they set one up."""
Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """Result of looking at the state for a goal.

    Attributes:
        met: the goal is met.
        found: what was found, one sentence for a learner; "" where there is nothing to say yet.
        number: what was found as a number, which known wrong answers are compared with; None where there is none.
        choice: the choice that was taken, likewise.
    """

    met: bool
    found: str = ""
    number: float | None = None
    choice: str | None = None


@dataclass(frozen=True)
class GoalKind:
    """A kind of goal.

    Attributes:
        fields: rule of each field that a lesson may give.
        required: those that it must give; a tuple within stands for "one of these".
        wanted: the goal as a sentence for the learner.
        look: reads the state.
        takes_wrong: a lesson can name wrong numbers, each with a sentence on the misconception behind it.
    """

    fields: Mapping[str, Rule]
    required: tuple[str | tuple[str, ...], ...]
    wanted: Callable[[Fields], str]
    look: Callable[[Fields, LessonState], Finding]
    takes_wrong: bool = False


@dataclass(frozen=True)
class Goal:
    """A goal of a lesson's step.

    Attributes:
        kind: key of `GOALS`.
        fields: as the lesson gives them, checked.
        wrong: wrong numbers or choices, each with its sentence.
    """

    kind: str
    fields: Fields
    wrong: tuple[tuple[float | str, str], ...] = field(default=())

    @property
    def wanted(self) -> str:
        """The goal as a sentence for the learner."""
        return visible(GOALS[self.kind].wanted(self.fields))

    def look(self, state: LessonState) -> Finding:
        """Look at the state; a program that runs or has failed meets no goal but that of an answer."""
        if self.kind != "answer" and state.is_running:
            return Finding(False, "The program is still running.")
        finding = GOALS[self.kind].look(self.fields, state)
        return replace(finding, found=visible(finding.found, 800))

    def feedback(self, finding: Finding) -> str:
        """Return the sentence for a finding that does not meet the goal: on the misconception, where it is known."""
        for wrong, sentence in self.wrong:
            if wrong == finding.choice:
                return sentence
            if isinstance(wrong, float) and finding.number is not None and _agrees(finding.number, wrong, self.fields):
                return sentence
        return finding.found

    @classmethod
    def checked(cls, content: Mapping[str, Any]) -> Goal:
        """Return the goal that a block of a lesson describes.

        Raises:
            GoalError: with the key that is wrong.
        """
        kind = content.get("kind")
        if kind is None:
            raise GoalError("kind", f"is missing; it is one of {', '.join(GOALS)}")
        if not isinstance(kind, str) or kind not in GOALS:
            raise GoalError("kind", unknown_name("kind of goal", str(kind), GOALS))
        entry = GOALS[kind]
        rules = {**entry.fields, **({"wrong": _wrong_numbers} if entry.takes_wrong else {})}
        checked: dict[str, Any] = {}
        for key, value in content.items():
            if key == "kind":
                continue
            if key not in rules:
                raise GoalError(key, f"is not a field of the goal {kind!r}; it has {', '.join(rules)}")
            try:
                checked[key] = rules[key](value)
            except ValueError as error:
                raise GoalError(key, str(error)) from None
        for needed in entry.required:
            one_of = (needed,) if isinstance(needed, str) else needed
            if not any(key in checked for key in one_of):
                raise GoalError("kind", f"the goal {kind!r} needs {' or '.join(one_of)}")
        wrong = checked.pop("wrong", ())
        if "choices" in checked:
            if sum(choice["right"] for choice in checked["choices"]) != 1:
                raise GoalError("choices", "must have exactly one with right = true")
            wrong = tuple((item["text"], item["says"]) for item in checked["choices"] if not item["right"])
        return cls(kind, checked, wrong)


class GoalError(ValueError):
    """A goal that a lesson states wrongly.

    Attributes:
        key: the field; `kind` where one is missing.
    """

    def __init__(self, key: str, reason: str) -> None:
        self.key = key
        super().__init__(f"{key} {reason}" if not reason.startswith("the goal") else reason)


# Rules of fields.

_short_text = fields.text(LONGEST_TEXT)
_count = fields.integer(0, 10**12)


def _name(value: Any) -> str:
    """A name of at least one character."""
    name: str = _short_text(value)
    if not name.strip():
        raise ValueError("must be a name")
    return name


def _table(rules: Mapping[str, tuple[Rule, Any]]) -> Rule:
    """A table with these keys; each has its rule and a default, REQUIRED for none."""

    def rule(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError(f"must be a table, not {quoted(value)}")
        for key in value:
            if key not in rules:
                raise ValueError(f"has no key {key!r}{did_you_mean(key, rules)}; there are {', '.join(rules)}")
        checked = {}
        for key, (inner, default) in rules.items():
            if key not in value and default is REQUIRED:
                raise ValueError(f"needs the key {key!r}")
            try:
                checked[key] = inner(value[key]) if key in value else default
            except ValueError as error:
                raise ValueError(f"{key} {error}") from None
        return checked

    return rule


REQUIRED = object()
"""Default of a key that a table must have."""


def _choices(value: Any) -> tuple[dict[str, Any], ...]:
    """The choices of a question; each wrong one says which misconception it comes from.

    They come in an order of their own, the same everywhere: a place in the file, such as the first, tells nothing.
    """
    choice = _table({"text": (_name, REQUIRED), "right": (fields.boolean, False), "says": (_short_text, "")})
    checked: tuple[dict[str, Any], ...] = fields.sequence(choice, 2, MOST_CHOICES)(value)
    for number, item in enumerate(checked, start=1):
        if not item["right"] and not item["says"].strip():
            raise ValueError(f'entry {number} is a wrong choice and needs says = "...", why it is wrong')
    if len({item["text"] for item in checked}) < len(checked):
        raise ValueError("must have different texts")
    return tuple(sorted(checked, key=lambda item: crc32(item["text"].encode())))


def _wrong_numbers(value: Any) -> tuple[tuple[float, str], ...]:
    """Wrong numbers, each with what is said of it."""
    entry = _table({"is": (fields.any_number, REQUIRED), "says": (_name, REQUIRED)})
    return tuple((item["is"], item["says"]) for item in fields.sequence(entry, 1, 20)(value))


_NUMBER: Mapping[str, Rule] = {
    "is": fields.any_number,
    "within": fields.number(0.0, 1e300),
    "above": fields.any_number,
    "below": fields.any_number,
}
_RANGE = ("is", "above", "below")


def _agrees(number: float, wanted: float, goal: Fields) -> bool:
    """True when two numbers agree as the goal wants it, by default to what four digits after the point show."""
    within: float = goal.get("within", 5e-5 * max(1.0, abs(wanted)))
    return abs(number - wanted) <= within * (1 + 1e-9)


def _in_range(number: float | None, goal: Fields) -> bool:
    """True when a number is what the fields `is`, `within`, `above` and `below` want."""
    if number is None or not math.isfinite(number):
        return False
    if "is" in goal and not _agrees(number, goal["is"], goal):
        return False
    return bool(goal.get("above", -math.inf) < number < goal.get("below", math.inf))


def _range_words(goal: Fields) -> str:
    """Return the range of a goal in words: "2 (within 0.01)", "above 3 and below 4"."""
    words = []
    if "is" in goal:
        words.append(f"{goal['is']:.10g}" + (f" (within {goal['within']:g})" if goal.get("within") else ""))
    words += [f"{key} {goal[key]:.10g}" for key in ("above", "below") if key in goal]
    return " and ".join(words).replace("-", "−")


def _said(number: float) -> str:
    """Return a number as the boxes of the graph write it."""
    return short(number).replace("-", "−")


def _lines_words(text: str) -> str:
    """Return lines of output in words: “2.0”, then “4.0”."""
    return ", then ".join(f"“{visible(line, 200)}”" for line in text.splitlines())


# How each kind is looked at.


def _node(goal: Fields, state: LessonState) -> Shown | str:
    """Return the node of a goal, or a sentence that says why there is none."""
    if state.error:
        return f"The program stops with an error: {state.error}"
    if goal["node"] in state.nodes:
        return state.nodes[goal["node"]]
    return f"The graph has no {goal['node']}{did_you_mean(goal['node'], state.nodes)}."


def _look_at_value(goal: Fields, state: LessonState) -> Finding:
    node = _node(goal, state)
    if isinstance(node, str):
        return Finding(False, node)
    return Finding(_in_range(node.data, goal), f"{goal['node']} is {_said(node.data)}.", node.data)


def _look_at_gradient(goal: Fields, state: LessonState) -> Finding:
    node = _node(goal, state)
    if isinstance(node, str):
        return Finding(False, node)
    if node.grad is None:
        return Finding(False, f"{goal['node']} has no gradient yet.")
    return Finding(_in_range(node.grad, goal), f"The gradient of {goal['node']} is {_said(node.grad)}.", node.grad)


def _look_at_predicted(goal: Fields, state: LessonState) -> Finding:
    within = {"within": goal.get("within", 0.01)}
    right = {
        name: name in state.nodes and (grad := state.nodes[name].grad) is not None and _agrees(typed, grad, within)
        for name, typed in state.predicted.items()
    }
    if "node" not in goal:
        n_right, count = sum(right.values()), goal["count"]
        return Finding(n_right >= count, f"{n_right} of {count} predicted gradients are right.")
    node = goal["node"]
    if node not in state.predicted:
        return Finding(False, f"Nothing is typed for {node} yet: click the ? in its box, type a number, press Return.")
    typed = state.predicted[node]
    return Finding(right[node], f"{_said(typed)} is not the gradient of {node}.", typed)


def _look_at_selected(goal: Fields, state: LessonState) -> Finding:
    if "paths" in goal:
        met = set(goal["paths"]) == set(state.selected)
        first, second = goal["paths"]
        return Finding(met, "" if met else f"Click {first}, then Shift+click {second}.")
    found = f"{state.selected[0]} is selected." if state.selected else "Nothing is selected."
    return Finding(state.selected == (goal["node"],), found)


def _look_at_step(goal: Fields, state: LessonState) -> Finding:
    position = state.position
    met = all(getattr(position, key) == value for key, value in goal.items() if key != "at_least")
    if position.line:
        return Finding(met, f"The walk stands after line {position.line}.")
    where = f"{position.phase}, {position.node}" if position.node else position.phase
    if position.steps:
        where += f", after {counted(position.steps, 'step')}"
    return Finding(met and position.steps >= goal.get("at_least", 0), f"The walk stands at: {where}.")


def _look_at_nudged(goal: Fields, state: LessonState) -> Finding:
    h = state.nudged.get(goal["node"])
    if h is None:
        found = f"{goal['node']} has not been nudged yet: click its box, then type a number into the field h of Nudge."
        return Finding(False, found)
    found = f"The smallest nudge of {goal['node']} so far is {_said(h)}."
    return Finding(0 < h <= goal.get("at_most", math.inf), found, h)


_NUMBER_IN_TEXT = re.compile(r"(?<![\w.])[-−+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")


def _look_at_output(goal: Fields, state: LessonState) -> Finding:
    if state.error:
        return Finding(False, f"The program stops with an error: {state.error}")
    if "defines" in goal and goal["defines"] not in state.names:
        return Finding(False, f"The program does not define {goal['defines']}.")
    if "contains" in goal and goal["contains"] not in state.output:
        last = state.output.splitlines()[-1:]
        found = f"Its last line is {_lines_words(last[0])}." if last else "It prints nothing."
        return Finding(False, f"The program does not print {_lines_words(goal['contains'])}. {found}")
    if not any(key in goal for key in _RANGE):
        return Finding(True)
    numbers = [float(found.replace("−", "-")) for found in _NUMBER_IN_TEXT.findall(state.output)]
    if any(_in_range(number, goal) for number in numbers):
        return Finding(True)
    if not numbers:
        return Finding(False, "The program has printed no number.")
    return Finding(False, f"The program printed {_said(numbers[-1])} last.", numbers[-1])


def _look_at_engine(goal: Fields, state: LessonState) -> Finding:
    if state.error:
        return Finding(False, f"The program stops with an error: {state.error}")
    if not state.rules:
        return Finding(False, "The program computes no gradients with a class of its own yet.")
    for rule in goal.get("rules", tuple(state.rules)):
        if rule not in state.rules:
            return Finding(False, f"The program has not used {rule} in a backward pass yet.")
        if state.rules[rule]:
            return Finding(False, state.rules[rule])
    return Finding(True)


_NETWORK: Mapping[str, tuple[Rule, Callable[[Any], str], Callable[[Any, LessonState], bool]]] = {
    "layer_sizes": (
        fields.sequence(fields.integer(1, 256), 2, 22),
        lambda sizes: f"layers {', '.join(map(str, sizes))}",
        lambda sizes, state: state.document.network.layer_sizes == sizes,
    ),
    "hidden_layers": (
        fields.integer(0, 20),
        lambda count: counted(count, "hidden layer"),
        lambda count, state: len(state.document.network.layer_sizes) - 2 == count,
    ),
    "hidden_units_at_most": (
        fields.integer(0, 10_000),
        lambda most: f"at most {counted(most, 'hidden neuron')}",
        lambda most, state: sum(state.document.network.layer_sizes[1:-1]) <= most,
    ),
    "data": (
        fields.one_of(lambda: DATASETS),
        lambda name: f"the data set {DATASETS[name].title}",
        lambda name, state: state.document.data.name == name,
    ),
    "features": (
        fields.sequence(fields.one_of(lambda: FEATURES), 1, 100),
        lambda names: f"the inputs {', '.join(map(feature_title, names))}",
        lambda names, state: set(prepare(state.document.data).features) == set(names),
    ),
    "activation": (
        fields.one_of(lambda: ACTIVATIONS),
        lambda name: f"{choice_title(name, ACTIVATIONS)} in the hidden layers",
        lambda name, state: set(state.document.network.activations) == {name},
    ),
    "initialiser": (
        fields.one_of(lambda: INITIALISERS),
        lambda name: f"first weights: {INITIALISERS[name].title}",
        lambda name, state: state.document.network.initialiser == name,
    ),
    "loss": (
        fields.one_of(lambda: LOSSES),
        lambda name: f"the loss {choice_title(name, LOSSES)}",
        lambda name, state: state.document.training.loss == name,
    ),
    "optimizer": (
        fields.one_of(lambda: OPTIMIZERS),
        lambda name: f"the optimizer {choice_title(name, OPTIMIZERS)}",
        lambda name, state: state.document.training.optimizer == name,
    ),
    "learning_rate": (
        fields.sequence(fields.number(0.0, 1e9), 2, 2),
        lambda ends: f"a learning rate from {ends[0]:g} to {ends[1]:g}",
        lambda ends, state: ends[0] <= state.document.training.learning_rate <= ends[1],
    ),
    "l2_above": (
        fields.number(0.0, 1e9),
        lambda low: f"L2 above {low:g}",
        lambda low, state: state.document.training.l2 > low,
    ),
}
"""Settings of a network that a goal can want: rule, words, and whether the document has it."""


def _network_words(goal: Fields) -> str:
    return "; ".join(_NETWORK[key][1](value) for key, value in goal.items())


def _network_settings(value: Any) -> dict[str, Any]:
    """Settings as the goal `network` takes them."""
    checked = _table({key: (entry[0], None) for key, entry in _NETWORK.items()})(value)
    if not value:
        raise ValueError(f"must have one of {', '.join(_NETWORK)}")
    return {key: checked[key] for key in value}


def _look_at_network(goal: Fields, state: LessonState) -> Finding:
    missing = [_NETWORK[key][1](value) for key, value in goal.items() if not _NETWORK[key][2](value, state)]
    return Finding(not missing, f"Not yet: {'; '.join(missing)}." if missing else "")


_FIGURES = {
    "loss": "the loss",
    "test_loss": "the test loss",
    "accuracy": "the accuracy",
    "test_accuracy": "the accuracy on the test data",
}


def _look_at_trained(goal: Fields, state: LessonState) -> Finding:
    training = state.training
    number = getattr(training, goal["figure"])
    if not training.steps or number is None:
        return Finding(False, "The network has not been trained yet.")
    settings = _look_at_network(goal.get("network", {}), state)
    if not settings.met:
        return settings
    if "seed" in goal and training.seed != goal["seed"]:
        return Finding(False, f"The first weights are those of seed {training.seed}, not {goal['seed']}.")
    if "steps_at_most" in goal and training.steps > goal["steps_at_most"]:
        return Finding(False, f"That took {training.steps:,} steps; start again with new weights.")
    if training.steps < goal.get("steps_at_least", 0):
        return Finding(False, f"The network has made {counted(training.steps, 'step')} of {goal['steps_at_least']:,}.")
    shown = f"{_FIGURES[goal['figure']].capitalize()} is {short(number)} after {counted(training.steps, 'step')}."
    return Finding(_in_range(number, goal), shown, number)


def _look_at_diverged(goal: Fields, state: LessonState) -> Finding:
    step = state.training.diverged_at
    return Finding(step is not None, "" if step is not None else "The loss is still a finite number.")


def _look_at_compared(goal: Fields, state: LessonState) -> Finding:
    met = goal["setting"] in state.compared
    return Finding(
        met, "" if met else f"No two runs that differ in the {setting_title(goal['setting'])} stand side by side."
    )


def _look_at_answer(goal: Fields, state: LessonState) -> Finding:
    if state.answer is None:
        return Finding(False, "Choose an answer." if "choices" in goal else "Type a number into the field.")
    if "choices" in goal:
        right = next(choice["text"] for choice in goal["choices"] if choice["right"])
        texts = [choice["text"] for choice in goal["choices"]]
        if state.answer not in texts:  # in a lesson's solution
            return Finding(False, f"{quoted(state.answer)} is none of the choices{did_you_mean(state.answer, texts)}.")
        return Finding(state.answer == right, "That is not the answer.", choice=str(state.answer))
    if not isinstance(state.answer, float):
        return Finding(False, f"“{state.answer}” is no number. Numbers are written like 2.5, -3 or 1e-6.")
    return Finding(_in_range(state.answer, goal), f"{_said(state.answer)} is not the answer.", state.answer)


def _wanted_predicted(goal: Fields) -> str:
    if "node" in goal:
        return f"Your prediction for the gradient of {goal['node']} is right (within {goal.get('within', 0.01):g})."
    return f"{counted(goal['count'], 'prediction')} of gradients right."


def _wanted_step(goal: Fields) -> str:
    if "line" in goal:
        return f"The walk stands after line {goal['line']}."
    at = " at ".join(goal[key] for key in ("phase", "node") if key in goal)
    steps = f"{counted(goal['at_least'], 'step')} or more" if "at_least" in goal else ""
    if not at:
        return f"The walk has made {steps}."
    return f"The walk stands in {at}{', after ' * bool(steps)}{steps}."


def _wanted_output(goal: Fields) -> str:
    parts = []
    if "defines" in goal:
        parts.append(f"defines {goal['defines']}")
    if "contains" in goal:
        parts.append(f"prints {_lines_words(goal['contains'])}")
    if _range_words(goal):
        parts.append(f"prints a number: {_range_words(goal)}")
    return f"The program {' and '.join(parts)}."


def _wanted_trained(goal: Fields) -> str:
    least, most = goal.get("steps_at_least"), goal.get("steps_at_most")
    if least is not None and least == most:
        limit = f" after {counted(least, 'step')}"
    else:
        limit = "" if least is None else f" after {counted(least, 'step')} or more"
        limit += "" if most is None else f" within {counted(most, 'step')}"
    settings = f", with {_network_words(goal['network'])}" if "network" in goal else ""
    return f"{_FIGURES[goal['figure']].capitalize()} is {_range_words(goal)}{limit}{settings}."


_PHASES = ("start", "forward", "loss", "zero_grad", "seed", "backward", "update", "end")

GOALS: Mapping[str, GoalKind] = {
    "value": GoalKind(
        {"node": _name, **_NUMBER},
        ("node", _RANGE),
        lambda goal: f"{goal['node']} is {_range_words(goal)}.",
        _look_at_value,
        takes_wrong=True,
    ),
    "gradient": GoalKind(
        {"node": _name, **_NUMBER},
        ("node", _RANGE),
        lambda goal: f"The gradient of {goal['node']} is {_range_words(goal)}.",
        _look_at_gradient,
        takes_wrong=True,
    ),
    "predicted": GoalKind(
        {"node": _name, "count": fields.integer(1, 60), "within": _NUMBER["within"]},
        (("node", "count"),),
        _wanted_predicted,
        _look_at_predicted,
        takes_wrong=True,
    ),
    "selected": GoalKind(
        {"node": _name, "paths": fields.sequence(_name, 2, 2)},
        (("node", "paths"),),
        lambda goal: (
            f"The paths from {goal['paths'][0]} to {goal['paths'][1]} are shown."
            if "paths" in goal
            else f"{goal['node']} is selected."
        ),
        _look_at_selected,
    ),
    "step": GoalKind(
        {"phase": fields.one_of(lambda: _PHASES), "node": _name, "line": _count, "at_least": _count},
        (("phase", "node", "line", "at_least"),),
        _wanted_step,
        _look_at_step,
    ),
    "nudged": GoalKind(
        {"node": _name, "at_most": fields.number(0.0, 1e300)},
        ("node",),
        lambda goal: f"{goal['node']} was nudged" + (f" by {goal['at_most']:g} or less." if "at_most" in goal else "."),
        _look_at_nudged,
    ),
    "output": GoalKind(
        {"contains": _name, "defines": _name, **_NUMBER},
        (("contains", "defines", *_RANGE),),
        _wanted_output,
        _look_at_output,
        takes_wrong=True,
    ),
    "engine": GoalKind(
        {"rules": fields.sequence(fields.one_of(lambda: OPS), 1, 30), "all": fields.boolean},
        (("rules", "all"),),
        lambda goal: (
            f"Your engine's gradients are right for {', '.join(goal['rules'])}."
            if "rules" in goal
            else "All rules of your engine are right."
        ),
        _look_at_engine,
    ),
    "network": GoalKind(
        {key: entry[0] for key, entry in _NETWORK.items()},
        (tuple(_NETWORK),),
        lambda goal: f"The network has {_network_words(goal)}.",
        _look_at_network,
    ),
    "trained": GoalKind(
        {
            "figure": fields.one_of(lambda: _FIGURES),
            "seed": fields.integer(0, 2**64 - 1),
            "steps_at_least": _count,
            "steps_at_most": _count,
            "network": _network_settings,
            **_NUMBER,
        },
        ("figure", _RANGE),
        _wanted_trained,
        _look_at_trained,
        takes_wrong=True,
    ),
    "diverged": GoalKind({}, (), lambda goal: "The loss is no longer a finite number.", _look_at_diverged),
    "compared": GoalKind(
        {"setting": fields.one_of(comparable_settings)},
        ("setting",),
        lambda goal: f"Two runs that differ in the {setting_title(goal['setting'])} stand side by side.",
        _look_at_compared,
    ),
    "answer": GoalKind(
        {"question": _name, "choices": _choices, **_NUMBER},
        ("question", ("choices", *_RANGE)),
        lambda goal: goal["question"],
        _look_at_answer,
        takes_wrong=True,
    ),
}
