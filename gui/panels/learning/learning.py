"""The learning panel: loss, optimizer, learning rate, schedule, batches, penalties, stop rules.

A setting that several optimizers or schedules share ("eps") has one row; the rows that the chosen one does not have are
hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from engine.document.document import SETTINGS_OF
from engine.experiment.advice import setting_hints, training_notes
from engine.experiment.snapshot_network import targets_of
from engine.network import LOSSES, OPTIMIZERS, SCHEDULES, Setting, SettingError
from engine.network.run.progress import RunState
from engine.network.settings import SettingsSince
from engine.network.stop_rules import Way
from gui.fields.binding import (
    Choice,
    ChoiceField,
    EntryField,
    FieldBinding,
    FormRow,
    add_row,
    choices_of,
    integer_field,
    make_form,
    number_field,
    optional_field,
)
from gui.number_texts import entry_text, parse_integer, parse_number, with_minus
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import set_text_sized
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets, scrolled

TEXTS = {
    "target_loss": "Stop when the loss of a step is this or less: none, or a number",
    "target_accuracy": "Stop at this training accuracy: none, or a share such as 97 %",
    "plateau": "Stop after this many steps without a lower loss; none: never",
    "min_change": "The loss must fall by more than this to count as lower",
    "max_steps": "Stop after this many steps: none, or a number",
    "max_epochs": "Stop after this many epochs: none, or a number",
    "set aside": "{way} (set aside)",
    "set aside tip": "This limit was reached before the run began, so the run ignores it.",
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
LABELS = {
    "target_loss": "target loss",
    "target_accuracy": "target accuracy",
    "plateau": "plateau",
    "min_change": "smallest change",
    "max_steps": "last step",
    "max_epochs": "last epoch",
}
"""Names of the stop rules' fields."""
BAR_HEIGHT = 4  # pixels
SHARES = 1000
"""Places of a progress bar."""
NUMBER_TYPES = [
    Choice("float64", "64 bits, 16 digits", "Training computes with 16 digits, as the graph does"),
    Choice("float32", "32 bits, 7 digits", "Training computes with 7 digits: up to twice as fast for large networks"),
]
HINTED = {"loss": "Loss", "optimizer": "Optimizer", "batch_size": "Batch"}
"""Settings that a hint can be about, with their labels."""


class StopRows(QObject):
    """Rows of the stop rules, the distance from each, and the rule that ended the run.

    Attributes:
        fields: by name of the field of the document.
        footer: always visible below the form: `ways` and `ended`.
        ways: the widget with a line for each rule that is on.
        ended: which rule has ended the run.
    """

    depends_on = frozenset({"training", "model", "moment", "run"})

    def __init__(self, session: Session, form: QFormLayout) -> None:
        """Add the rows to a form."""
        super().__init__(form)
        self._session = session
        self.fields = {
            "target_loss": self._field("target_loss", parse_number, entry_text, "a number such as 0.01"),
            "target_accuracy": self._field("target_accuracy", parse_share, share_text, "a share such as 97 % or 0.97"),
            "max_steps": self._field("max_steps", parse_integer, str, "a whole number such as 5000"),
            "max_epochs": self._field("max_epochs", parse_integer, str, "a whole number such as 100"),
            "plateau": self._field("plateau", parse_integer, str, "a whole number such as 200"),
            "min_change": number_field(self._binding("min_change"), TEXTS["min_change"]),
        }
        fields = self.fields
        add_row(form, "Stop at loss", fields["target_loss"], "step", fields["max_steps"])
        add_row(form, "accuracy", fields["target_accuracy"], "epoch", fields["max_epochs"])
        add_row(form, "plateau", fields["plateau"], "by", fields["min_change"])
        self.footer, self.ways, self.ended = QWidget(), QWidget(), muted_label(wrap=True)
        self._lines: list[_WayLine] = []
        add_widgets(QVBoxLayout(self.ways), margins=(0, 0, 0, 0), spacing=4)
        add_widgets(QVBoxLayout(self.footer), self.ways, self.ended, margins=(10, 4, 10, 6), spacing=4)
        self.show_ways()

    def _binding(self, name: str) -> FieldBinding:
        return FieldBinding(self._session, "training", name, LABELS[name])

    def _field(self, name: str, parse: Any, write: Any, wanted: str) -> EntryField:
        return optional_field(self._binding(name), TEXTS[name], "none", parse, write, wanted)

    def show_ways(self) -> None:
        """Show the progress towards each rule, and the rule that ended the run."""
        newest = self._session.newest
        ways = newest.ways if newest is not None else ()
        while len(self._lines) < len(ways):
            self._lines.append(_WayLine())
            layout = self.ways.layout()
            assert layout is not None
            layout.addWidget(self._lines[-1])
        for line, way in zip(self._lines, ways, strict=False):
            line.show_way(way)
        for line in self._lines[len(ways) :]:
            line.hide()
        self.ways.setVisible(bool(ways))
        ended = newest.message if newest is not None and newest.state is RunState.FINISHED else ""
        self.ended.setText(ended)
        self.ended.setVisible(bool(ended))
        self.footer.setVisible(bool(ways or ended))


class _WayLine(QWidget):
    """Distance from one stop rule, as text and as a bar."""

    def __init__(self) -> None:
        super().__init__()
        self._words = QLabel()
        self._words.setProperty("muted", True)
        self._words.setMinimumWidth(1)
        self._bar = QProgressBar()
        self._bar.setRange(0, SHARES)
        self._bar.setTextVisible(False)
        set_text_sized(self._bar, setFixedHeight=BAR_HEIGHT)
        self._bar.setMinimumWidth(40)
        add_widgets(
            QVBoxLayout(self), self._words, add_widgets(QHBoxLayout(), self._bar), margins=(0, 0, 0, 0), spacing=1
        )

    def show_way(self, way: Way) -> None:
        self._words.setText(TEXTS["set aside"].format(way=way.text) if way.is_set_aside else way.text)
        self._words.setToolTip(TEXTS["set aside tip"] if way.is_set_aside else TEXTS[way.rule])
        self._bar.setValue(int(SHARES * way.share))
        self._bar.setAccessibleName(way.text)
        self.show()


def parse_share(text: str) -> float:
    """A share of 1, or a percentage; EntryError for anything else."""
    stripped = text.strip()
    return parse_number(stripped[:-1].strip()) / 100 if stripped.endswith("%") else parse_number(stripped)


def share_text(share: float) -> str:
    """A share as a percentage that reads back as the same number."""
    percent = f"{entry_text(100 * share)} %"
    return percent if parse_share(percent) == share else entry_text(share)


@dataclass(frozen=True)
class SettingBinding(FieldBinding):
    """Binding of a widget to one number of the table `optimizer_settings` or `schedule_settings`.

    Attributes:
        kind: "optimizer" or "schedule".
        key: which of its numbers.
    """

    kind: str
    key: str

    @property
    def entry(self) -> Setting | None:
        """The setting's default and range; None when the present optimizer or schedule does not have it."""
        chosen = getattr(self.session.document.training, self.kind)
        entry: Setting | None = SETTINGS_OF[self.kind][chosen].settings_table.get(self.key)
        return entry

    @property
    def value(self) -> Any:
        entry = self.entry
        return dict(super().value).get(self.key, entry.default if entry is not None else 0.0)

    def problem(self, value: Any) -> str:
        """Return the reason why the document refuses `value`; empty for an allowed value."""
        chosen = getattr(self.session.document.training, self.kind)
        return super().problem(value).removeprefix(f"{self.key} of {chosen} ")

    def field_with(self, value: Any) -> dict[str, Any]:
        """The table with `value` for this number."""
        return dict(super().value) | {self.key: value}


class SettingRows(QObject):
    """Rows of the numbers that the chosen optimizer or schedule takes besides the learning rate.

    Attributes:
        fields: by name of the setting.
    """

    def __init__(self, session: Session, form: QFormLayout, kind: str) -> None:
        """Add a row for every setting that an optimizer (or schedule) has.

        Args:
            session: whose document.
            form: gets the rows at its end.
            kind: "optimizer" or "schedule".
        """
        super().__init__(form)
        self._form = form
        self.fields: dict[str, EntryField] = {}
        self._rows: dict[str, tuple[SettingBinding, FormRow]] = {}
        longest_first = sorted(SETTINGS_OF[kind].values(), key=lambda entry: -len(entry.settings_table))
        for entry in longest_first:
            for key, setting in entry.settings_table.items():
                if key not in self.fields:
                    label = f"{key} of the {kind}"
                    binding = SettingBinding(session, "training", f"{kind}_settings", label, kind, key)
                    field = number_field(binding, setting.description)
                    self.fields[key] = field
                    title = setting.title or key.replace("_", " ")
                    self._rows[key] = binding, add_row(self._form, title, field)
        self.show_chosen()

    def show_chosen(self) -> None:
        """Show the rows that the present optimizer (or schedule) has."""
        for binding, row in self._rows.values():
            self._form.setRowVisible(row, binding.entry is not None)


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
        content = QWidget()
        content.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)  # scrolled rather than squeezed
        form = make_form()
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

    def _add_setting_rows(self, form: QFormLayout, kind: str) -> None:
        rows = SettingRows(self.session, form, kind)
        self._setting_rows.append(rows)
        self.fields |= {f"training.{kind}_settings.{key}": field for key, field in rows.fields.items()}

    def refresh(self, change: Change) -> None:
        self.stops.show_ways()
        if change & {"network", "data", "training"}:
            for rows in self._setting_rows:
                rows.show_chosen()
            losses = self.fields["training.loss"]
            assert isinstance(losses, ChoiceField)
            losses.allow(self._unfit_losses())
            self.targets.setText(self._what_targets_are())
            notes = training_notes(self.session.document)
            self.advice.setText("\n".join(notes))
            self.advice.setVisible(bool(notes))
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
            loss, n_outputs = LOSSES[document.training.loss], document.network.layer_sizes[-1]
            found = targets_of(self.session.dataset, loss, n_outputs)
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
