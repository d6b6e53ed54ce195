"""The learning panel: loss, optimizer, learning rate, schedule, batches, penalties, stop rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from engine.experiment.advice import setting_hints, training_notes
from engine.network import LOSSES, OPTIMIZERS, SCHEDULES, SettingError, encode
from engine.network.settings import SettingsSince
from gui.fields.binding import (
    Choice,
    ChoiceField,
    EntryField,
    FieldBinding,
    add_row,
    choices_of,
    integer_field,
    make_form,
    number_field,
    optional_field,
)
from gui.number_texts import entry_text, parse_integer, parse_number, with_minus
from gui.panels.learning.setting_rows import SettingRows
from gui.panels.learning.stop_rows import StopRows
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import set_text_sized
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets, scrolled

TEXTS = {
    "learning_rate": "Length of a step against the gradient; can be changed while training, the weights stay",
    "batch_size": "Samples in a step: full, or a number",
    "seed": "Seed of the order of samples in mini-batches",
    "l2": "Penalty on the sum of squared parameters",
    "l1": "Penalty on the sum of absolute parameters",
    "clip_norm": "Largest norm of the gradient; a longer one is scaled down: none, or a number",
    "clip_value": "Largest absolute value in the gradient; larger ones are cut: none, or a number",
    "more outputs": "{loss} needs an output for each class: the network now ends with {after} instead of {before}.",
    "one output": "{loss} needs a single output: the network now ends with {after} instead of {before}.",
    "loss for classes": "It needs classes, but this data has numbers to predict",
    "loss for two": "It needs two classes, but this data has {n_classes}",
    "one target": "{low} for the only class",
    "two targets": "{low} and {high} for the two classes",
    "one-hot targets": "1 for the right class, 0 for the others",
    "number targets": "numbers from {low} to {high}",
}
"""Texts of the panel, except those on entries that a field refuses."""
NUMBER_TYPES = [
    Choice("float64", "64 bits, 16 digits", "Training computes with 16 digits, as the graph does"),
    Choice("float32", "32 bits, 7 digits", "Training computes with 7 digits: up to twice as fast for large networks"),
]
HINTED = {"loss": "Loss", "optimizer": "Optimizer", "batch_size": "Batch"}
"""Settings that a hint can be about, with their labels."""


class LossField(ChoiceField):
    """Field for the loss; announces a choice that changes the network's number of outputs."""

    def commit(self, value: Any) -> None:
        session = self._binding.session
        before = session.document.network.layer_sizes[-1]
        super().commit(value)
        after = session.document.network.layer_sizes[-1]
        if before != after:
            text = TEXTS["more outputs" if after > before else "one output"]
            session.message_posted.emit(text.format(loss=LOSSES[value].title, after=after, before=before), "note")


class LearningPanel(Panel):
    """Settings of training in one scrolling column, the most frequently changed ones first.

    Attributes:
        fields: by section and name, such as "training.loss".
        targets: which numbers the outputs are compared with.
        stops: when a run ends.
        hints: labels about single settings, by field of `Training`; hidden while empty. They
            stand below all rows, so that none moves, and in the tooltips of their fields.
        advice: notes on questionable settings.
    """

    depends_on = frozenset({"network", "data"}) | StopRows.depends_on

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.fields: dict[str, ChoiceField | EntryField] = {}
        self._setting_rows: list[SettingRows] = []
        self.hints: dict[str, QLabel] = {field: muted_label(wrap=True) for field in HINTED}
        self.targets, self.advice = LinesLabel(2), muted_label(wrap=True)  # no row moves for another text
        self.targets.setProperty("muted", True)
        self._settings_since: SettingsSince = ()
        self._lay_out()

    def _lay_out(self) -> None:
        content = QWidget()
        content.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)  # scrolled rather than squeezed
        form = make_form()
        self._add_rows(form)
        add_widgets(
            QVBoxLayout(content), form, *self.hints.values(), self.advice, margins=(10, 8, 10, 10), spacing=6
        ).addStretch(1)
        area = scrolled(content)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        add_widgets(QVBoxLayout(self), area, 1, self.stops.footer, margins=(0, 0, 0, 0), spacing=0)

    def _choice(self, name: str, label: str, choices: list[Choice]) -> ChoiceField:
        field = ChoiceField(FieldBinding(self.session, "training", name, label), choices)
        self.fields[f"training.{name}"] = field
        return field

    def _entry(self, name: str, label: str, make: Any, widest: int | None = None) -> EntryField:
        field: EntryField = make(FieldBinding(self.session, "training", name, label), TEXTS[name])
        if widest is not None:
            set_text_sized(field, setMaximumWidth=widest)
        self.fields[f"training.{name}"] = field
        return field

    def _add_rows(self, form: QFormLayout) -> None:
        loss = LossField(FieldBinding(self.session, "training", "loss", "loss"), choices_of(LOSSES))
        self.fields["training.loss"] = loss
        add_row(form, "Loss", loss)
        optimizer = self._choice("optimizer", "optimizer", choices_of(OPTIMIZERS))
        add_row(form, "Optimizer", optimizer, "lr", self._entry("learning_rate", "learning rate", number_field, 72))
        batch = self._entry("batch_size", "batch size", batch_field)
        add_row(form, "Batch", batch, "seed", self._entry("seed", "seed of the batches", integer_field, 64))
        l2 = self._entry("l2", "L2", number_field)
        add_row(form, "L2", l2, "L1", self._entry("l1", "L1", number_field))
        self._add_setting_rows(form, "optimizer")
        add_row(form, "Targets", self.targets)
        add_row(form, "Schedule", self._choice("schedule", "schedule", choices_of(SCHEDULES)))
        self._add_setting_rows(form, "schedule")
        norm = self._entry("clip_norm", "longest gradient", limit_field)
        add_row(form, "Clip", norm, "each", self._entry("clip_value", "largest number in a gradient", limit_field))
        add_row(form, "Numbers", self._choice("dtype", "type of the numbers", NUMBER_TYPES))
        self.stops = StopRows(self.session, form)
        self.fields |= {f"training.{name}": field for name, field in self.stops.fields.items()}

    def _add_setting_rows(self, form: QFormLayout, kind: str) -> None:
        rows = SettingRows(self.session, form, kind)
        self._setting_rows.append(rows)
        self.fields |= {f"training.{kind}_settings.{key}": field for key, field in rows.fields.items()}

    def refresh(self, change: Change) -> None:
        self.stops.show_ways()
        if change & {"network", "data", "training"}:
            self._show_settings()
        newest = self.session.newest
        settings_since = () if newest is None else newest.settings_since
        if change & {"network", "data", "training"} or settings_since != self._settings_since:
            self._settings_since = settings_since
            found = setting_hints(self.session.document, settings_since)
            for (field, title), label in zip(HINTED.items(), self.hints.values(), strict=True):
                hint = found.get(field, "")
                label.setText(f"{title}: {hint}")
                label.setVisible(bool(hint))
                entry = self.fields[f"training.{field}"]
                if isinstance(entry, ChoiceField):
                    entry.set_hint(hint)
                else:
                    entry.set_tip("\n".join(filter(None, [TEXTS[field], hint])))

    def _show_settings(self) -> None:
        for rows in self._setting_rows:
            rows.show_chosen()
        losses = self.fields["training.loss"]
        assert isinstance(losses, ChoiceField)
        losses.allow(self._unfit_losses())
        self.targets.setText(self._what_targets_are())
        notes = training_notes(self.session.document)
        self.advice.setText("\n".join(notes))
        self.advice.setVisible(bool(notes))

    def _unfit_losses(self) -> dict[str, str]:
        n_classes = self.session.dataset.n_classes
        if n_classes == 0:
            return {name: TEXTS["loss for classes"] for name, loss in LOSSES.items() if loss.encoding != "raw"}
        if n_classes > 2:
            reason = TEXTS["loss for two"].format(n_classes=n_classes)
            return {name: reason for name, loss in LOSSES.items() if loss.encoding != "one_hot"}
        return {}

    def _what_targets_are(self) -> str:
        """Describe the targets that the outputs are compared with, as `encode` makes them of the labels."""
        document = self.session.document
        try:
            found = encode(LOSSES[document.training.loss], self.session.dataset.y, document.network.layer_sizes[-1])
        except SettingError:  # data and loss are edited together: the next change fits
            return ""
        if found.classes is not None and found.values.shape[1] > 1:
            return TEXTS["one-hot targets"]
        signed = "+" if np.any(found.values < 0.0) else ""
        low, high = (with_minus(f"{end:{signed}.3g}") for end in (found.values.min(), found.values.max()))
        of_classes = "one target" if low == high else "two targets"
        name = "number targets" if found.classes is None else of_classes
        return TEXTS[name].format(low=low, high=high)


def batch_field(binding: FieldBinding, tip: str) -> EntryField:
    """A text field for the batch size: "full" or a number."""
    return optional_field(binding, tip, "full", parse_integer, str, "a whole number such as 10")


def limit_field(binding: FieldBinding, tip: str) -> EntryField:
    """A text field for a limit: "none" or a number."""
    return optional_field(binding, tip, "none", parse_number, entry_text, "a number such as 1")
