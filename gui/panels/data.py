"""The data panel: which data set, how many points, how much noise, which seed; and what is to be learnt from it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from datasets import DATASETS, Dataset
from engine.autograd.notation import counted
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.widgets.binding import (
    Choice,
    ChoiceField,
    EntryField,
    FieldBinding,
    add_row,
    integer_field,
    make_form,
    number_field,
    parse_integer,
)
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

TEXTS = {
    "holds classes": "{points}, {inputs}, {classes}",
    "holds numbers": "{points}, {inputs}, a number to predict",
    "n_samples": "How many points are drawn",
    "n_samples fixed": "How many points are drawn: always these {points}",
    "noise": "Standard deviation of the normal noise, in the units of the data",
    "seed": "The same seed draws the same points",
    "seed unused": "The same seed draws the same points: nothing is drawn by chance here",
}
"""Every sentence and caption of the panel."""


class DataChoice(ChoiceField):
    """The data sets by title; choosing one takes its own number of points and noise along."""

    def __init__(self, session: Session) -> None:
        binding = FieldBinding(session, "data", "name", "data set")
        super().__init__(binding, [Choice(entry.name, entry.title, entry.description) for entry in DATASETS.values()])
        self._session = session

    def commit(self, value: Any) -> None:
        """Puts the data set into the document with the numbers that show it well."""
        entry = DATASETS[value]
        numbers = {"n_samples": entry.n_samples, "noise": entry.noise}
        self._session.edit("data set", data={"source": "generator", "name": value, **numbers})


def what_it_holds(dataset: Dataset) -> str:
    """Size and task in a few words: `100 points, 2 inputs, 2 classes`."""
    return TEXTS["holds classes" if dataset.n_classes else "holds numbers"].format(
        points=counted(dataset.n_samples, "point"),
        inputs=counted(dataset.n_features, "input"),
        classes=counted(dataset.n_classes, "class", "classes"),
    )


class DataPanel(Panel):
    """The data set and the numbers it is made from; the caption says how many points."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.name = DataChoice(session)
        binding = FieldBinding(session, "data", "n_samples", "number of points")
        self.n_samples = EntryField(binding, parse_integer, self._points_text)
        self.noise = number_field(FieldBinding(session, "data", "noise", "noise"), TEXTS["noise"])
        self.seed = integer_field(FieldBinding(session, "data", "seed", "seed of the data"))
        self._about, self._notes = muted_label(wrap=True), muted_label(wrap=True)
        form = make_form()
        add_row(form, "Data", self.name)
        add_row(form, "Points", self.n_samples, "noise", self.noise)
        add_row(form, "Seed", self.seed)
        column = filled(QVBoxLayout(self), form, self._about, self._notes, margins=(10, 8, 10, 10), spacing=8)
        column.addStretch(1)

    def _points_text(self, n_samples: int) -> str:
        """A fixed data set has its own points, whatever number the document holds."""
        entry = DATASETS[self.session.document.data.name]
        return str(entry.n_samples if entry.fixed else n_samples)

    def follows(self, change: Change) -> bool:
        """Other data."""
        return "data" in change.sections

    def refresh(self, change: Change) -> None:
        """Says what the data is, and which of its numbers can be changed."""
        dataset, entry = self.session.data.raw, DATASETS[self.session.document.data.name]
        self.set_caption(what_it_holds(dataset))
        self._about.setText(entry.description)
        self._notes.setText("\n".join(dataset.notes))
        self._notes.setVisible(bool(dataset.notes))
        by_chance = not entry.fixed or self.session.document.data.noise > 0
        self.n_samples.show_value()
        self.n_samples.setEnabled(not entry.fixed)
        points = counted(entry.n_samples, "point")
        self.n_samples.set_tip(TEXTS["n_samples fixed" if entry.fixed else "n_samples"].format(points=points))
        self.seed.setEnabled(by_chance)
        self.seed.set_tip(TEXTS["seed" if by_chance else "seed unused"])
