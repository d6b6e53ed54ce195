"""Short texts for settings of data, network and training, and for differences between documents.

Used by the list of runs, two compared runs, and the axes of a sweep. A field is called by its own name unless a table
here has a better one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from datasets import feature_title
from engine.document.data_section import FOLLOWING_FIELDS
from engine.document.document import SECTIONS, STOP_FIELDS, Document
from engine.document.frozen_floats import FrozenFloats
from engine.network import LOSSES, OPTIMIZERS, SCHEDULES, TrainingSettings

SETTING_SECTIONS = ("data", "network", "training")
NAMES = {"n_samples": "points", "learning_rate": "rate", "layer_sizes": "layers", "output_activation": "output",
         "features": "inputs", "l1": "L1", "l2": "L2", "dtype": "numbers"}  # fmt: skip
"""Names of fields that differ from the identifier."""
LONG_NAMES = {"learning_rate": "learning rate", "output_activation": "output activation"}
"""Names for places with more room."""
WITHOUT_NAME = frozenset(
    {"data.name", "network.layer_sizes", "network.activations", "training.loss", "training.optimizer"}
)
"""Fields whose value needs no name."""
TITLES: Mapping[str, Mapping[str, Any]] = {"optimizer": OPTIMIZERS, "schedule": SCHEDULES, "loss": LOSSES}
NOTHING = {"batch_size": "all samples", "features": "as they are", "activations": "no hidden layer", "points": "none",
           "table": "none"}  # fmt: skip
"""Text for an empty value; "none" for other fields."""
UNUSED = frozenset({"data.name"})
"""Fields without a meaning for data that no generator makes."""
MOST_ENTRIES = 8
"""Limit of list entries that are written out; a longer list is described by its length."""


NETWORK_PATHS = frozenset(f"network.{item.name}" for item in fields(SECTIONS["network"]))


class Difference(NamedTuple):
    """A field in which two documents differ: its path, its name, and both values as text."""

    path: str
    name: str
    first: str
    second: str


def field_name(path: str) -> str:
    """Return the name of a field such as "training.learning_rate"."""
    section, _, name = path.rpartition(".")
    words = NAMES.get(name, name.replace("_", " "))
    return f"{words} of the {section}" if name == "seed" else words


def setting_title(name: str) -> str:
    """Return the title of a setting, as in the panels: "learning rate", "L2", "points"."""
    return LONG_NAMES.get(name) or field_name(name)


def choice_title(name: str, registry: Mapping[str, Any]) -> str:
    """Return the title of an entry of a registry, as menus write it: its own, or its name as words."""
    return getattr(registry[name], "title", "") or name.replace("_", " ").capitalize()


def value_text(path: str, value: Any) -> str:
    """Return a field's value as text, numbers with all their digits."""
    name = path.rpartition(".")[2]
    if value is None:
        return NOTHING.get(name, "none")
    if name in TITLES and value in TITLES[name]:
        return str(TITLES[name][value].title)
    if name == "features":
        return ", ".join(map(feature_title, value)) or NOTHING[name]
    if isinstance(value, FrozenFloats):
        return f"{len(value):,} numbers"
    if value == () and name in NOTHING:
        return NOTHING[name]
    if isinstance(value, tuple):
        return _sequence_text(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        text = repr(value).removesuffix(".0")
        return text.replace("-", "−", 1) if value < 0 else text
    return str(value)


def _sequence_text(entries: tuple[Any, ...]) -> str:
    if len(entries) > 1 and len(set(map(str, entries))) == 1 and isinstance(entries[0], str):
        return str(entries[0])
    if len(entries) > MOST_ENTRIES or any(isinstance(entry, tuple) and len(entry) > 2 for entry in entries):
        return f"{len(entries):,} entries"
    if all(isinstance(entry, tuple) and len(entry) == 2 for entry in entries):
        return ", ".join(f"{key} {value_text('', value)}" for key, value in entries) or "as usual"
    return "-".join(value_text("", entry) for entry in entries)


def setting_text(document: Document, path: str) -> str:
    """Return a field with its value, such as "width 8", "moons" or "relu"."""
    text = value_text(path, _value(document, path))
    return text if path in WITHOUT_NAME else f"{field_name(path)} {text}"


def setting_paths() -> list[str]:
    """Return all fields of data, network and training in their order, without stop rules and unused fields."""
    named = ((section, item.name) for section in SETTING_SECTIONS for item in fields(SECTIONS[section]))
    return [f"{section}.{name}" for section, name in named if name not in (*STOP_FIELDS, *FOLLOWING_FIELDS)]


def differing(documents: Sequence[Document]) -> list[str]:
    """Return the fields of data, network and training in which the documents are not all equal."""
    first, *others = documents
    return [path for path in setting_paths() if any(_value(each, path) != _value(first, path) for each in others)]


def _value(document: Document, path: str) -> Any:
    section, _, name = path.partition(".")
    return getattr(getattr(document, section), name)


def differences(first: Document, second: Document) -> list[Difference]:
    """Return the differences between two documents, with both values as text.

    Activations that are the same in all hidden layers of both are no difference: the sizes say how many layers there
    are.
    """
    found = []
    for path in differing([first, second]):
        before, after = (value_text(path, _value(document, path)) for document in (first, second))
        if path != "network.activations" or before != after:
            found.append(Difference(path, field_name(path), before, after))
    return found


def run_words(document: Document, others: Sequence[Document] = (), neighbours: Sequence[Document] = ()) -> str:
    """Describe a run by its settings in a few words.

    Args:
        document: its settings.
        others: settings of all other runs; the differing ones are named.
        neighbours: settings of the runs listed above and below; differences from these come first, as the end may be
            cut off.
    """
    optimizer, rate = "training.optimizer", "training.learning_rate"
    unused = UNUSED if document.data.source != "generator" else frozenset()
    first = [path for path in differing([document, *neighbours]) if path not in unused]
    if optimizer in first and rate in first:
        first.remove(rate)
    named = [rate if path == optimizer else path for path in first]
    named += [rate] if rate not in named else []
    named += [path for path in differing([document, *others]) if path not in {*named, optimizer, *unused}]
    training = document.training
    with_optimizer = f"{value_text(optimizer, training.optimizer)} {value_text(rate, training.learning_rate)}"
    return " · ".join(with_optimizer if path == rate else setting_text(document, path) for path in named)


def settings_change_text(before: TrainingSettings, after: TrainingSettings, brief: bool = False) -> str:
    """Return which settings of a run differ, such as "rate 0.05 → 0.5", briefly "rate 0.5"; "" for none."""
    parts = []
    for item in fields(TrainingSettings):
        old, new = (getattr(each, item.name) for each in (before, after))
        if old == new:
            continue
        if isinstance(new, Mapping):
            old, new = tuple(old.items()), tuple(new.items())
        path = f"training.{item.name}"
        parts.append(_change_text(field_name(path), value_text(path, old), value_text(path, new), brief))
    return ", ".join(parts)


def network_change_text(before: Document, after: Document, brief: bool = False) -> str:
    """Return how the networks of two documents differ, such as "layers 2-1 → 2-4-1"; "" for no difference.

    Args:
        before: the one.
        after: the other.
        brief: leave out the values before.
    """
    activations, inputs = "network.activations", "data.features"
    found = [each for each in differences(before, after) if each.path == inputs or each.path in NETWORK_PATHS]
    if not (before.network.activations and after.network.activations):  # the sizes say that there is no hidden layer
        found = [each for each in found if each.path != activations]
    return ", ".join(_change_text(each.name, each.first, each.second, brief) for each in found)


def _change_text(name: str, before: str, after: str, brief: bool) -> str:
    return f"{name} {after}" if brief else f"{name} {before} → {after}"
