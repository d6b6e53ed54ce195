"""Two documents that differ in one setting, and trainers for them with the same start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engine.document.document import Document, Trained
from engine.document.errors import DocumentError
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.setting_words import setting_title, value_text
from engine.messages import quoted
from engine.network import Trainer
from engine.sweeps.sweep import variable_names, with_setting
from engine.sweeps.table import parsed_values

ZERO_GRAD = "zero_grad"
"""Clear gradients before each step. No document has this setting of the trainer: training without it is a mistake for
demonstration.
"""


class Preset(NamedTuple):
    """An instructive comparison: its title, the setting, and both values as text."""

    title: str
    setting: str
    first: str
    second: str


PRESETS = (
    Preset("Learning rate: 0.05 and 0.001", "learning_rate", "0.05", "0.001"),
    Preset("Learning rate: 0.05 and 1", "learning_rate", "0.05", "1"),
    Preset("zero_grad: at every step and never", ZERO_GRAD, "on", "off"),
    Preset("Optimizer: SGD and Adam", "optimizer", "sgd", "adam"),
    Preset("Optimizer: SGD and momentum", "optimizer", "sgd", "momentum"),
    Preset("Activation: tanh and ReLU", "activation", "tanh", "relu"),
    Preset("Hidden neurons: 8 and 1 in each layer", "width", "8", "1"),
    Preset("Batch: all samples and 10", "batch_size", "all", "10"),
    Preset("L2: none and 0.01", "l2", "0", "0.01"),
    Preset("First weights: suited and all zero", "initialiser", "by_activation", "zeros"),
)


@dataclass(frozen=True)
class Side:
    """One of two runs.

    Attributes:
        document: its settings, untrained.
        zero_grad: gradients are cleared before each step.
        words: its setting as text, such as "learning rate 0.05".
    """

    document: Document
    zero_grad: bool
    words: str


def comparable_settings() -> tuple[str, ...]:
    """Return the settings in which two runs can differ."""
    return (ZERO_GRAD, *variable_names())


def side(document: Document, setting: str, text: str) -> Side:
    """Return an untrained document with one setting replaced.

    Raises:
        ValueError: for an invalid value (DocumentError), or more than one.
    """
    fresh = replace(document, trained=Trained())
    if setting == ZERO_GRAD:
        if text.strip() not in ("on", "off"):
            raise DocumentError(ZERO_GRAD, f"must be on or off, not {quoted(text)}")
        return Side(fresh, text.strip() == "on", f"{ZERO_GRAD} {text.strip()}")
    name = setting_title(setting)
    values = parsed_values(name, text)
    if len(values) != 1:
        raise ValueError(f"give one value of {name}, not {len(values)}")
    varied = with_setting(fresh, setting, values[0])
    check_consistent(varied)
    return Side(varied, True, f"{name} {value_text(setting, values[0])}")


def trainers_of(sides: Sequence[Side]) -> list[Trainer]:
    """Return a trainer for each side, at the first weights of the shared seed."""
    trainers = []
    for each in sides:
        trainer = make_trainer(each.document, make_model(each.document), check_consistent(each.document))
        if not each.zero_grad:
            trainer.change(zero_grad=False)
        trainers.append(trainer)
    return trainers


def have_same_start(sides: Sequence[Side]) -> bool:
    """Return True when all sides have the same first weights: same shape, seed and initialiser of the network."""
    starts: list[Any] = [
        (each.document.network.layer_sizes, each.document.network.seed, each.document.network.initialiser)
        for each in sides
    ]
    return all(start == starts[0] for start in starts)
