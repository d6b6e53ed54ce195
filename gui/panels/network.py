"""The network panel: layers by stepping, typing and in a drawing; activations, first weights, and how it is trained."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.autograd.notation import counted
from engine.document.advice import advice
from engine.document.assemble import fitted_network, weights_of
from engine.document.consistency import count_parameters
from engine.document.document import LARGEST_LAYER, MOST_HIDDEN, MOST_PARAMETERS
from engine.messages import quoted
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS, SCHEDULES
from gui.number_texts import entry_text
from gui.panels.data import DataChoice
from gui.panels.layer_row import LayerRow
from gui.panels.network_drawing import NetworkDrawing
from gui.panels.panel import Panel
from gui.panels.setting_rows import SettingRows
from gui.session import Change, Session
from gui.theme import Colors, text_pixels
from gui.widgets.binding import (
    Choice,
    ChoiceField,
    EntryError,
    EntryField,
    FieldBinding,
    FormRow,
    add_row,
    integer_field,
    make_form,
    number_field,
    parse_integer,
    parse_number,
)
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

NEW_LAYER = 4
TEXTS = {
    "sizes": "Neurons of every layer from input to output, such as 2, 4, 4, 1; only the hidden ones are free",
    "more": "Add a hidden layer",
    "less": "Take the last hidden layer away",
    "roll": "Draw other first weights: the next seed",
    "seed": "The same seed draws the same first weights",
    "learning_rate": "How far a step goes against the gradient; changes while training, the weights stay",
    "batch_size": "Samples in a step: full, or a number",
    "batch seed": "Seed of the order of samples in mini-batches",
    "l2": "Penalty on the sum of squared parameters",
    "l1": "Penalty on the sum of absolute parameters",
    "clip_norm": "The whole gradient is scaled down to this length: none, or a number",
    "clip_value": "Each number of the gradient is cut to this size: none, or a number",
    "more outputs": "{loss} needs an output for each class: the network now ends with {after} instead of {before}.",
    "one output": "{loss} needs a single output: the network now ends with {after} instead of {before}.",
    "linear": "{parameters}, no hidden layer: a linear model",
    "loss for classes": "It needs classes; this data has numbers to predict",
    "loss for two": "It tells two classes apart; this data has {n_classes}",
}
"""Every sentence of the panel but those on what a field cannot hold."""
WRONG_SIZES = {
    "too few": "two numbers at least: inputs and outputs",
    "inputs": "such that the first is {wanted}: the data has that many inputs",
    "outputs": "such that the last is {wanted}: that many outputs go with the loss {loss!r}",
    "layers": "at most {most} hidden layers, not {given}",
    "neurons": "from 1 to {most} neurons in every layer",
    "parameters": "of at most {most:,} parameters together, not {given:,}",
    "a gap": "numbers without gaps: nothing stands at place {place}",
    "no number": "whole numbers with commas between, such as 2, 4, 4, 1: {word} at place {place} is not one",
}
"""What layer sizes must be, after "layer sizes must be"."""


def choices_of(registry: Mapping[str, Any]) -> list[Choice]:
    """The entries of a registry as choices, with the titles and descriptions that they have."""
    choices = []
    for name, entry in registry.items():
        title = getattr(entry, "title", "") or name.replace("_", " ").capitalize()
        words = (getattr(entry, attribute, "") for attribute in ("description", "trains_on"))
        choices.append(Choice(name, title, " ".join(filter(None, words))))
    return choices


class LossField(ChoiceField):
    """The loss; says so when another one gives the network another number of outputs."""

    def commit(self, value: Any) -> None:
        """Puts the user's choice into the document."""
        session = self._binding.session
        before = session.document.network.layer_sizes[-1]
        super().commit(value)
        after = session.document.network.layer_sizes[-1]
        if before != after:
            text = TEXTS["more outputs" if after > before else "one output"]
            session.message_posted.emit(text.format(loss=LOSSES[value].title, after=after, before=before), "note")


class NetworkPanel(Panel):
    """Everything about the network and its training, in one scrolling column; the caption counts the parameters."""

    rest_seconds = 0.09

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.layers = LayerRow(LARGEST_LAYER)
        self.layers.stepped.connect(self._step_layer)
        self.sizes = EntryField(
            FieldBinding(session, "network", "layer_sizes", "layer sizes"),
            self._parse_sizes,
            lambda sizes: ", ".join(map(str, sizes)),
            TEXTS["sizes"],
        )
        self.more = self._button("+", TEXTS["more"], lambda: self._set_hidden(+1))
        self.less = self._button("−", TEXTS["less"], lambda: self._set_hidden(-1))
        self.drawing = NetworkDrawing()
        self.fields: dict[str, ChoiceField | EntryField] = {}
        self._setting_rows: list[SettingRows] = []
        self.roll = QPushButton("Roll new weights")
        self.roll.setToolTip(TEXTS["roll"])
        self.roll.clicked.connect(self._roll)
        self.advice = muted_label(wrap=True)
        self._lay_out()

    def _button(self, text: str, tip: str, action: Any) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(tip)
        button.setToolTip(tip)
        button.setFixedWidth(text_pixels(26))
        button.setStyleSheet("padding: 4px 0;")
        button.clicked.connect(lambda: action())
        return button

    def _lay_out(self) -> None:
        content = QWidget()
        self.size_row = FormRow(self.sizes, "layer", self.less, self.more)
        form = make_form()
        self._add_network_rows(form)
        self._add_training_rows(form)
        parts = self.layers, self.size_row, self.advice, self.drawing, 1, form
        filled(QVBoxLayout(content), *parts, margins=(10, 8, 10, 10), spacing=6)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        area.setWidget(content)
        for background in (area.viewport(), content):
            background.setAutoFillBackground(False)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        filled(QHBoxLayout(self), area, margins=(0, 0, 0, 0))

    def _choice(self, section: str, name: str, label: str, entries: Any) -> ChoiceField:
        field = ChoiceField(FieldBinding(self.session, section, name, label), choices_of(entries))
        self.fields[f"{section}.{name}"] = field
        return field

    def _entry(self, section: str, name: str, label: str, make: Any, tip: str = "") -> EntryField:
        field: EntryField = make(FieldBinding(self.session, section, name, label), tip or TEXTS[name])
        self.fields[f"{section}.{name}"] = field
        return field

    def _add_network_rows(self, form: QFormLayout) -> None:
        session = self.session
        self.fields["data.name"] = DataChoice(session)
        add_row(form, "Data", self.fields["data.name"])
        activation = self._choice("network", "activation", "activation", ACTIVATIONS)
        output = self._choice("network", "output_activation", "output activation", ACTIVATIONS)
        add_row(form, "Activation", activation)
        add_row(form, "Output", output)
        initialiser = self._choice("network", "initialiser", "first weights", INITIALISERS)
        seed = self._entry("network", "seed", "seed of the weights", integer_field, TEXTS["seed"])
        seed.setMaximumWidth(text_pixels(52))
        add_row(form, "Weights", initialiser, "seed", seed)
        form.addRow("", self.roll)

    def _add_training_rows(self, form: QFormLayout) -> None:
        loss = LossField(FieldBinding(self.session, "training", "loss", "loss"), choices_of(LOSSES))
        self.fields["training.loss"] = loss
        add_row(form, "Loss", loss)
        optimizer = self._choice("training", "optimizer", "optimizer", OPTIMIZERS)
        rate = self._entry("training", "learning_rate", "learning rate", number_field)
        rate.setMaximumWidth(text_pixels(72))
        add_row(form, "Optimizer", optimizer, "lr", rate)
        self._add_setting_rows(form, "optimizer")
        add_row(form, "Schedule", self._choice("training", "schedule", "schedule", SCHEDULES))
        self._add_setting_rows(form, "schedule")
        batch = self._entry("training", "batch_size", "batch size", batch_field)
        shuffle = self._entry("training", "seed", "seed of the batches", integer_field, TEXTS["batch seed"])
        shuffle.setMaximumWidth(text_pixels(64))
        add_row(form, "Batch", batch, "seed", shuffle)
        l2 = self._entry("training", "l2", "L2", number_field)
        l1 = self._entry("training", "l1", "L1", number_field)
        add_row(form, "L2", l2, "L1", l1)
        norm = self._entry("training", "clip_norm", "longest gradient", limit_field)
        each = self._entry("training", "clip_value", "largest number in a gradient", limit_field)
        add_row(form, "Clip", norm, "each", each)

    def _add_setting_rows(self, form: QFormLayout, kind: str) -> None:
        rows = SettingRows(self.session, form, kind)
        self._setting_rows.append(rows)
        self.fields |= {f"training.{kind}_settings.{key}": field for key, field in rows.fields.items()}

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.drawing.set_colors(colors)

    # What the document holds

    def follows(self, change: Change) -> bool:
        """Another network, data that fit other losses, other training, and every report of it."""
        return bool(change.sections & {"network", "data", "training"}) or change.model or change.moment

    def refresh(self, change: Change) -> None:
        """Shows what differs: the network with its settings, its weights, or both."""
        if change.sections:
            self._show_document()
        if change.model or change.moment:
            self._show_weights()

    def _show_document(self) -> None:
        sizes = self.session.document.network.layer_sizes
        self.layers.show_sizes(sizes)
        self.more.setEnabled(len(sizes) - 2 < MOST_HIDDEN)
        self.less.setEnabled(len(sizes) > 2)
        parameters = counted(count_parameters(sizes), "parameter")
        self.set_caption(parameters if len(sizes) > 2 else TEXTS["linear"].format(parameters=parameters))
        for rows in self._setting_rows:
            rows.show_chosen()
        losses = self.fields["training.loss"]
        assert isinstance(losses, ChoiceField)
        losses.allow(self._unfit_losses())
        notes = advice(self.session.document)
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

    def _show_weights(self) -> None:
        document, progress = self.session.document, self.session.shown
        weights = weights_of(document) if progress is None else progress.snapshot.parameters
        self.drawing.show_network(document.network.layer_sizes, weights)

    # What the user does

    def _parse_sizes(self, text: str) -> tuple[int, ...]:
        sizes = read_sizes(text)
        if len(sizes) < 2:
            raise EntryError(WRONG_SIZES["too few"])
        self._refuse_other_ends(sizes)
        if len(sizes) - 2 > MOST_HIDDEN:
            raise EntryError(WRONG_SIZES["layers"].format(most=MOST_HIDDEN, given=len(sizes) - 2))
        if any(not 1 <= size <= LARGEST_LAYER for size in sizes):
            raise EntryError(WRONG_SIZES["neurons"].format(most=LARGEST_LAYER))
        if (count := count_parameters(sizes)) > MOST_PARAMETERS:
            raise EntryError(WRONG_SIZES["parameters"].format(most=MOST_PARAMETERS, given=count))
        return sizes

    def _refuse_other_ends(self, sizes: tuple[int, ...]) -> None:
        dataset, loss = self.session.dataset, LOSSES[self.session.document.training.loss]
        fitted = fitted_network(self.session.document, dataset.n_features, dataset.n_classes).network.layer_sizes
        if sizes[0] != fitted[0]:
            raise EntryError(WRONG_SIZES["inputs"].format(wanted=fitted[0]))
        if sizes[-1] != fitted[-1]:
            raise EntryError(WRONG_SIZES["outputs"].format(wanted=fitted[-1], loss=loss.title))

    def _step_layer(self, layer: int, change: int) -> None:
        sizes = list(self.session.document.network.layer_sizes)
        sizes[layer] += change
        self._set_sizes(sizes)

    def _set_hidden(self, change: int) -> None:
        first, *hidden, last = self.session.document.network.layer_sizes
        hidden = [*hidden, hidden[-1] if hidden else NEW_LAYER] if change > 0 else hidden[:-1]
        self._set_sizes([first, *hidden, last])

    def _set_sizes(self, sizes: list[int]) -> None:
        """Takes sizes from the buttons by the same way as typed ones."""
        self.sizes.enter(", ".join(map(str, sizes)))

    def _roll(self) -> None:
        seed = self.session.document.network.seed
        self.session.edit("new weights", network={"seed": seed + 1 if seed < 2**64 - 1 else 0})


def read_sizes(text: str) -> tuple[int, ...]:
    """Whole numbers with commas, arrows or blanks between; EntryError for anything else, with its place."""
    sizes: list[int] = []
    for part in re.split("[,;→]", text.strip("[]() \t")):
        if not part.strip():
            raise EntryError(WRONG_SIZES["a gap"].format(place=len(sizes) + 1))
        for word in part.split():
            try:
                sizes.append(parse_integer(word))
            except EntryError:
                text = WRONG_SIZES["no number"].format(word=quoted(word, 20), place=len(sizes) + 1)
                raise EntryError(text) from None
    return tuple(sizes)


def batch_field(binding: FieldBinding, tip: str) -> EntryField:
    """A text field for the batch size: "full" or a number."""
    return _optional_field(binding, tip, "full", parse_integer, str, "a whole number such as 10")


def limit_field(binding: FieldBinding, tip: str) -> EntryField:
    """A text field for a limit: "none" or a number."""
    return _optional_field(binding, tip, "none", parse_number, entry_text, "a number such as 1")


def _optional_field(
    binding: FieldBinding, tip: str, nothing: str, parse: Callable[[str], Any], write: Callable[[Any], str], wanted: str
) -> EntryField:
    """A text field for a value or a word that stands for None."""

    def parse_entry(text: str) -> Any:
        if text.strip().lower() == nothing:
            return None
        try:
            return parse(text)
        except EntryError:
            raise EntryError(f"{nothing}, or {wanted}") from None

    return EntryField(binding, parse_entry, lambda value: nothing if value is None else write(value), tip)
