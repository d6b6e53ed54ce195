"""The document: the contents of a session file, as frozen dataclasses of names and numbers.

A document is complete in itself; graphs, models and pictures are computed from it. Each field carries its rule,
so that an edit, a file and a command line are checked in the same way. Text that is not a valid program
is a legal document: the editor shows its errors.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets import N_SAMPLES_LIMITS
from engine.document import fields
from engine.document.data_section import Data
from engine.document.errors import DocumentError
from engine.document.fields import held
from engine.document.frozen_floats import NO_NUMBERS, FrozenFloats
from engine.document.runs_section import Runs
from engine.graph.forms import FORMS
from engine.graph.legibility import AUTO, DIRECTIONS
from engine.graph.placing import GraphStyle
from engine.layout.registry import LAYERED, LAYOUTS
from engine.network import (
    ACTIVATIONS,
    INITIALISERS,
    LOSSES,
    OPTIMIZERS,
    SCHEDULES,
    SettingError,
    StopRules,
    checked_settings,
)
from engine.network.layer import fitted_activations

LARGEST_LAYER, MOST_HIDDEN = 256, 20
MOST_PARAMETERS = 100_000
"""Limit of weights and biases of a network: a window opens in half a second, and a file with two arrays of optimizer
memory takes 8 MB.
"""
LONGEST_PROGRAM, MOST_PROGRAM_LINES = 200_000, 20_000
"""Limit of characters in the editor, and so in a file and an undo step; `evaluate` accepts 20,000. Qt's editor takes 60
ms for this; for 1,000,000 characters 300 ms a key press, for as many lines 400 MB.
"""
LARGEST_WEIGHT = 1e6
"""Limit for weights set by hand; training may produce larger ones."""
MOST_CURVE_NUMBERS = 10_000
SMALLEST_CLIP = 1e-12
MOST_SAMPLES = 8
"""Limit of samples that the canvas shows together."""

FIRST_PROGRAM = """\
x1 = 2.0;  w1 = -3.0
x2 = 0.0;  w2 = 1.0
b = 6.8813735870195432
n = x1*w1 + x2*w2 + b
o = tanh(n)
"""


Settings = tuple[tuple[str, float], ...]
SETTINGS_OF: Mapping[str, Mapping[str, Any]] = {"optimizer": OPTIMIZERS, "schedule": SCHEDULES}
"""Fields of `Training` whose choices have settings of their own, stored in the field `..._settings`."""


@dataclass(frozen=True)
class Expression:
    """The program in the editor and the ranges of its sliders (name -> low, high)."""

    text: str = held(FIRST_PROGRAM, fields.text(LONGEST_PROGRAM, MOST_PROGRAM_LINES), one_a_line=True)
    ranges: tuple[tuple[str, tuple[float, float]], ...] = held(
        (), fields.Table(fields.sequence(fields.any_number, 2, 2), 1000)
    )


@dataclass(frozen=True)
class Network:
    """The multi-layer perceptron: sizes from input to output, activations, first weights.

    `activations` has a name for each hidden layer; given none, it is tanh in all of them.
    """

    layer_sizes: tuple[int, ...] = held(
        (2, 4, 4, 1), fields.sequence(fields.integer(1, LARGEST_LAYER), 2, MOST_HIDDEN + 2)
    )
    activations: tuple[str, ...] = held((), fields.sequence(fields.one_of(lambda: ACTIVATIONS), 0, MOST_HIDDEN))
    output_activation: str = held("linear", fields.one_of(lambda: ACTIVATIONS))
    initialiser: str = held("by_activation", fields.one_of(lambda: INITIALISERS))
    seed: int = held(1, fields.integer(0, 2**64 - 1))

    def __post_init__(self) -> None:
        hidden = len(self.layer_sizes) - 2
        if not self.activations:
            object.__setattr__(self, "activations", fitted_activations((), hidden))
        if len(self.activations) != hidden:
            raise DocumentError(
                "network.activations", f"must be {hidden}, one for each hidden layer, not {len(self.activations)}"
            )

    def kept_activations(self, changes: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """Return the activations of the remaining hidden layers, when `changes` gives new layers."""
        if "layer_sizes" not in changes or "activations" in changes:
            return {}
        return {"activations": fitted_activations(self.activations, len(changes["layer_sizes"]) - 2)}


STOP_FIELDS = tuple(item.name for item in dataclasses.fields(StopRules) if item.name != "every")
"""Fields of `Training` that define when a run ends, not how it trains."""
LONGEST_RUN = 10**15
"""Limit of steps, and of epochs."""


@dataclass(frozen=True)
class Training:
    """Training settings, and when a run ends (the fields of `StopRules`).

    `optimizer_settings` and `schedule_settings` hold the numbers that differ from the defaults, by the names that
    OPTIMIZERS and SCHEDULES give them; others are refused.
    """

    loss: str = held("mean_squared_error", fields.one_of(lambda: LOSSES))
    optimizer: str = held("sgd", fields.one_of(lambda: OPTIMIZERS))
    learning_rate: float = held(0.05, fields.number(0.0, 1e9))
    optimizer_settings: Settings = held((), fields.Table(fields.any_number, 20))
    schedule: str = held("constant", fields.one_of(lambda: SCHEDULES))
    schedule_settings: Settings = held((), fields.Table(fields.any_number, 20))
    batch_size: int | None = held(None, fields.optional(fields.integer(*N_SAMPLES_LIMITS)))
    l1: float = held(0.0, fields.number(0.0, 1e9))
    l2: float = held(0.0, fields.number(0.0, 1e9))
    clip_norm: float | None = held(None, fields.optional(fields.number(SMALLEST_CLIP, 1e9)))
    clip_value: float | None = held(None, fields.optional(fields.number(SMALLEST_CLIP, 1e9)))
    seed: int = held(0, fields.integer(0, 2**64 - 1))
    dtype: str = held("float64", fields.one_of(lambda: ("float64", "float32")))
    target_loss: float | None = held(None, fields.optional(fields.any_number))
    target_accuracy: float | None = held(None, fields.optional(fields.number(0.0, 1.0)))
    plateau: int | None = held(None, fields.optional(fields.integer(1, LONGEST_RUN)))
    min_change: float = held(1e-6, fields.number(0.0, 1e300))
    max_steps: int | None = held(None, fields.optional(fields.integer(1, LONGEST_RUN)))
    max_epochs: int | None = held(None, fields.optional(fields.integer(1, LONGEST_RUN)))

    @property
    def stop_rules(self) -> StopRules:
        return StopRules(**{name: getattr(self, name) for name in STOP_FIELDS})

    def __post_init__(self) -> None:
        for kind, entries in SETTINGS_OF.items():
            table, given = entries[getattr(self, kind)].settings_table, dict(getattr(self, f"{kind}_settings"))
            try:
                checked = checked_settings(getattr(self, kind), table, given)
            except SettingError as error:
                raise DocumentError(f"training.{kind}_settings", str(error)) from None
            object.__setattr__(self, f"{kind}_settings", tuple(checked.items()))

    def kept_settings(self, changes: Mapping[str, Any]) -> dict[str, Settings]:
        """Return the settings that a new optimizer or schedule in `changes` has as well."""
        kept = {}
        for kind, entries in SETTINGS_OF.items():
            if kind in changes and f"{kind}_settings" not in changes:
                table = entries[changes[kind]].settings_table
                kept[f"{kind}_settings"] = tuple(pair for pair in getattr(self, f"{kind}_settings") if pair[0] in table)
        return kept


FARTHEST_MOVED = 1e6  # scene pixels
Moved = tuple[tuple[str, tuple[float, float]], ...]
_MOVED = fields.Table(fields.sequence(fields.number(-FARTHEST_MOVED, FARTHEST_MOVED), 2, 2), 10_000)
_GROUP_NAMES = fields.sequence(fields.text(200), 0, 10_000)


@dataclass(frozen=True)
class View:
    """The view: the expression's graph or the network on some samples, and how it is drawn.

    `direction`, `form` ("auto": the most readable one) and `layout` define the drawing.
    `expanded` and `collapsed` name the groups that are open or closed against their default ("L1N2", "op:o"); "*" in
    `expanded` opens all that are not collapsed by name. `moved` and `moved_in_network` hold manual offsets of values
    of
    either graph, scene pixels, by key.
    """

    shows: str = held("expression", fields.one_of(lambda: ("expression", "network")))
    sample: int = held(0, fields.integer(0, 99_999))
    n_samples: int = held(1, fields.integer(1, MOST_SAMPLES))
    direction: str = held(AUTO, fields.one_of(lambda: (AUTO, *DIRECTIONS)))
    form: str = held(AUTO, fields.one_of(lambda: (AUTO, *FORMS)))
    layout: str = held(LAYERED, fields.one_of(lambda: LAYOUTS))
    hide_constants: bool = held(False, fields.boolean)
    expanded: tuple[str, ...] = held((), _GROUP_NAMES)
    collapsed: tuple[str, ...] = held((), _GROUP_NAMES)
    moved: Moved = held((), _MOVED)
    moved_in_network: Moved = held((), _MOVED)

    @property
    def style(self) -> GraphStyle:
        return GraphStyle(self.form, self.direction, self.layout)

    @property
    def contents(self) -> View:
        """The fields that decide which nodes there are, not how and where they are drawn."""
        form, direction, layout = GraphStyle()
        return dataclasses.replace(self, moved=(), moved_in_network=(), form=form, direction=direction, layout=layout)

    def redrawn(self, **style: str | None) -> View:
        """Return the view in another form, direction or layout, None for its own; others drop manual positions.

        Raises:
            DocumentError: when a value is not allowed.
        """
        changes = {name: value for name, value in style.items() if value not in (None, getattr(self, name))}
        if not changes:
            return self
        document = replace_section(Document(view=self), "view", **changes, moved=(), moved_in_network=())
        return document.view

    @property
    def field_of_moved(self) -> str:
        """The field with the offsets of the graph that is shown: a program may use a network's names."""
        return "moved_in_network" if self.shows == "network" else "moved"

    @property
    def moved_here(self) -> dict[str, tuple[float, float]]:
        """Manual offsets in the graph that is shown, scene pixels, by key."""
        return dict(getattr(self, self.field_of_moved))


@dataclass(frozen=True)
class Trained:
    """A snapshot of the training as a file holds it, with its curves; without parameters: untrained.

    Attributes:
        step: updates made.
        epoch: passes over the data completed.
        position: batches of the present epoch already used.
        parameters: weights and biases in micrograd's order.
        gradients: of the last update; empty when unknown.
        optimizer: name of the optimizer whose memory is stored.
        optimizer_updates: updates made by that optimizer.
        optimizer_state: its arrays by name, each as long as the parameters; empty: no memory.
        curve: steps and the loss of each, thinned, two rows of equal length one after the other.
        test_curve: steps and losses of the test data in the same form.
        curves: steps and numbers of other figures in the same form, by name (see `engine.network.run.curves`).
    """

    step: int = held(0, fields.integer(0, 2**53))
    epoch: int = held(0, fields.integer(0, 2**53))
    position: int = held(0, fields.integer(0, 2**53))
    parameters: FrozenFloats = held(NO_NUMBERS, fields.floats(MOST_PARAMETERS))
    gradients: FrozenFloats = held(NO_NUMBERS, fields.floats(MOST_PARAMETERS))
    optimizer: str = held("sgd", fields.one_of(lambda: OPTIMIZERS))
    optimizer_updates: int = held(0, fields.integer(0, 2**53))
    optimizer_state: tuple[tuple[str, FrozenFloats], ...] = held((), fields.Table(fields.floats(MOST_PARAMETERS), 8))
    curve: FrozenFloats = held(NO_NUMBERS, fields.floats(MOST_CURVE_NUMBERS))
    test_curve: FrozenFloats = held(NO_NUMBERS, fields.floats(MOST_CURVE_NUMBERS))
    curves: tuple[tuple[str, FrozenFloats], ...] = held((), fields.Table(fields.floats(MOST_CURVE_NUMBERS), 64))


@dataclass(frozen=True)
class Document:
    """The contents of a session file, section by section.

    In a window `trained` is the snapshot that the present run started from; the session knows how far it has come.
    """

    expression: Expression = Expression()
    data: Data = dataclasses.field(default=Data())
    network: Network = Network()
    training: Training = Training()
    view: View = View()
    trained: Trained = Trained()
    runs: Runs = dataclasses.field(default=Runs())


SECTIONS: dict[str, type] = {section.name: type(section.default) for section in dataclasses.fields(Document)}


def replace_section(document: Document, section: str, **changes: Any) -> Document:
    """Return the document with some fields of one section changed.

    Args:
        document: not changed.
        section: such as "training".
        changes: field names and new values. Settings of a replaced optimizer or schedule are dropped where the
            new one lacks them; layers keep their activations.

    Raises:
        DocumentError: when a value is not allowed.
    """
    checked = {name: checked_field(SECTIONS[section], section, name, value) for name, value in changes.items()}
    if section == "training":
        checked |= document.training.kept_settings(checked)
    if section == "network":
        checked |= document.network.kept_activations(checked)
    return dataclasses.replace(document, **{section: dataclasses.replace(getattr(document, section), **checked)})


def checked_field(kind: type, section: str, name: str, value: Any) -> Any:
    """Return a field's value as its rule takes it.

    Raises:
        DocumentError: for a name that the section does not have, or a value that is not allowed.
    """
    rules = {item.name: item.metadata["rule"] for item in dataclasses.fields(kind)}
    if name not in rules:
        raise DocumentError(f"{section}.{name}", f"is not a field; {section} has {', '.join(rules)}")
    try:
        return rules[name](value)
    except ValueError as error:
        raise DocumentError(f"{section}.{name}", str(error)) from None
