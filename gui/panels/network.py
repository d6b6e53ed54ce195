"""The network panel: the network drawn, its layers by stepping and typing, activations and first weights."""

from __future__ import annotations

import re
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
from engine.document.advice import slow_step_note
from engine.document.assemble import fitted_network, weights_of
from engine.document.consistency import count_parameters
from engine.document.document import LARGEST_LAYER, MOST_HIDDEN, MOST_PARAMETERS
from engine.messages import quoted
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES
from gui.panels.layer_row import LayerRow
from gui.panels.network_drawing import NetworkDrawing
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import Colors, text_pixels
from gui.widgets.binding import (
    ChoiceField,
    EntryError,
    EntryField,
    FieldBinding,
    FormRow,
    add_row,
    choices_of,
    integer_field,
    make_form,
    parse_integer,
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
    "linear": "{parameters}, no hidden layer: a linear model",
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


class EveryActivation(FieldBinding):
    """The activation that all hidden layers share; "" where they differ, or where there are none."""

    @property
    def value(self) -> str:
        """Its name."""
        names = set(super().value)
        return names.pop() if len(names) == 1 else ""

    def field_with(self, value: str) -> tuple[str, ...]:
        """The same for each hidden layer."""
        return (value,) * (len(self.session.document.network.layer_sizes) - 2)


class NetworkPanel(Panel):
    """The network, in one scrolling column; the caption counts the parameters.

    Attributes:
        cost: says so when a step of training will take long.
    """

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
        self.cost = muted_label(wrap=True)
        self.drawing = NetworkDrawing()
        self.fields: dict[str, ChoiceField | EntryField] = {}
        self.roll = QPushButton("Roll")
        self.roll.setToolTip(TEXTS["roll"])
        self.roll.setAccessibleName(TEXTS["roll"])
        self.roll.clicked.connect(self._roll)
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
        parts = self.layers, self.size_row, self.cost, self.drawing, 1, form
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
        binding = EveryActivation(self.session, "network", "activations", "activation")
        activation = ChoiceField(binding, choices_of(ACTIVATIONS))
        self.fields["network.activations"] = activation
        output = self._choice("network", "output_activation", "output activation", ACTIVATIONS)
        add_row(form, "Activation", activation, "output", output)
        initialiser = self._choice("network", "initialiser", "first weights", INITIALISERS)
        seed = self._entry("network", "seed", "seed of the weights", integer_field, TEXTS["seed"])
        seed.setMaximumWidth(text_pixels(52))
        add_row(form, "Weights", initialiser, "seed", seed, self.roll)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.drawing.set_colors(colors)

    # What the document holds

    def follows(self, change: Change) -> bool:
        """Another network, what its outputs and its cost depend on, and every report of training."""
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
        self.cost.setText(slow_step_note(self.session.document))
        self.cost.setVisible(bool(self.cost.text()))

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
