"""The training loop as a few lines of Python, each with its phases and an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.autograd import Value, name_of

MOST_NAMES = 5
"""Limit of leaf names that are written out."""

OWN_RULE = "p.data = ...  # as the program does"

SENTENCES = {
    "loop": "Each pass through the loop is one step of training.",
    "forward": "Forward: every operation is computed from its inputs.",
    "loss": "Loss: one number for the distance between outputs and targets.",
    "zero_grad": "zero_grad: every gradient is set to 0, because backward adds to it.",
    "backward": "Backward: the gradient of the output is 1; then the operations are visited, the last one first, and "
    "each adds a contribution to the gradients of its inputs.",
    "update": "Update: every parameter is moved a little against its gradient, which lowers the output.",
}
"""Explanations of the lines, by phase."""


@dataclass(frozen=True, slots=True)
class LoopLine:
    """One line of the loop.

    Attributes:
        code: Python, with its indentation.
        phases: the phases of a step that this line performs; none for the head of the loop.
        about: an explanation in a sentence.
    """

    code: str
    phases: tuple[str, ...]
    about: str


def program_loop(root: Value, parameters: Sequence[Value], learning_rate: float | None) -> tuple[LoopLine, ...]:
    """Return the loop that minimises a program's output; `learning_rate` None: not gradient descent."""
    output, names = name_of(root), [name_of(value) for value in parameters[:MOST_NAMES]]
    listed = ", ".join([*names, "..."] if len(parameters) > MOST_NAMES else names)
    leaves = f"({listed},)" if len(parameters) == 1 else f"({listed})"
    lines = (_line(f"    {output} = program({listed})", "forward"),)
    rule = OWN_RULE if learning_rate is None else f"p.data -= {learning_rate:.12g} * p.grad"
    return _loop(lines, f"for p in {leaves}:", output, rule)


def network_loop(loss: str, optimizer: str, learning_rate: float) -> tuple[LoopLine, ...]:
    """Return the loop that trains a network.

    Args:
        loss: name of the loss.
        optimizer: name of the update rule; "sgd" is written out.
        learning_rate: of the next step.
    """
    lines = _line("    scores = model(X)", "forward"), _line(f"    loss = {loss}(scores, y)", "loss")
    is_plain = optimizer == "sgd"
    rule = f"p.data -= {learning_rate:.12g} * p.grad" if is_plain else f"p.data -= {optimizer}_step(p.grad)"
    return _loop(lines, "for p in model.parameters():", "loss", rule)


def _loop(first: Sequence[LoopLine], over: str, output: str, update: str) -> tuple[LoopLine, ...]:
    return (
        LoopLine("for step in range(steps):", (), SENTENCES["loop"]),
        *first,
        _line(f"    {over}", "zero_grad"),
        _line("        p.grad = 0.0", "zero_grad"),
        LoopLine(f"    {output}.backward()", ("seed", "backward"), SENTENCES["backward"]),
        _line(f"    {over}", "update"),
        _line(f"        {update}", "update"),
    )


def _line(code: str, phase: str) -> LoopLine:
    return LoopLine(code, (phase,), SENTENCES[phase])
