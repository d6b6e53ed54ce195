"""What is said beside the step cursor: what has just happened, and how far the pass has come."""

from __future__ import annotations

from engine.autograd import Step, short
from engine.autograd.notation import counted
from engine.document.shown import Shown
from engine.network import Phase

NOTHING_TO_STEP = "The graph is empty, so there are no steps to go: type an expression, such as y = tanh(2 * 0.5)."

TOUCHED_BY_PHASE = {
    "forward": {"intermediate", "group", "output"},
    "loss": {"output"},
    "zero_grad": {"parameter", "group"},
    "backward": {"input", "parameter", "intermediate", "group", "output"},
    "update": {"parameter", "group"},
}
"""Roles of the nodes that each phase of a training step changes."""


def state_words(shown: Shown, at_start: bool) -> str:
    """One line on a graph of which nothing has been computed yet, or everything."""
    if shown.root is None:
        return ""
    if at_start:
        return "Only the leaves are known: press Next."
    if shown.problems:
        return "Computed as far as it goes: the marked values are not finite."
    return "All data and gradients are computed."


def step_words(step: Step) -> str:
    """One line on a step; where it adds to what was there, with what it is now: "x.grad += 1 × 3 = 3, now 4"."""
    return f"{step.numbers}, now {short(step.total)}" if step.accumulation else step.numbers


def step_place(cursor: int, counts: tuple[int, int]) -> str:
    """Where the cursor stands: "forward 3 of 8", "backward 2 of 14".

    Args:
        cursor: steps done; below 0 all of them.
        counts: steps of the forward and of the backward pass.
    """
    forward, backward = counts
    at = cursor if cursor >= 0 else forward + backward
    return f"forward {at} of {forward}" if at <= forward else f"backward {at - forward} of {backward}"


def phase_place(phase: Phase) -> str:
    """Which of the phases of a training step it is: "phase 2 of 5"."""
    return f"phase {list(TOUCHED_BY_PHASE).index(phase.name) + 1} of {len(TOUCHED_BY_PHASE)}"


def phase_words(phase: Phase) -> str:
    """One line on a phase of training: the number it came to, and what it does."""
    numbers = {
        "forward": counted(len(phase.rows), "output"),
        "loss": f"loss = {phase.loss:.6g}" if phase.loss is not None else "",
        "zero_grad": "every grad = 0",
        "backward": f"steepest slope {abs(phase.gradients).max():.4g}",
        "update": f"learning rate {phase.learning_rate:g}",
    }
    return f"{phase.name}: {numbers[phase.name]}. {phase.description}"
