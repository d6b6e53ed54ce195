"""The network as a diagram that one works on: the drawing, and over each of its columns what can be changed there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from datasets import FEATURES, feature_title
from engine.autograd.notation import counted
from engine.network import ACTIVATIONS
from gui.fields.binding import choices_of
from gui.number_texts import tick_text
from gui.panels.network.layer_header import (
    HEADER_HEIGHT,
    TEXTS,
    EndHeader,
    HeaderAction,
    HiddenHeader,
    LayerHeader,
    activation_actions,
)
from gui.panels.network.network_drawing import NetworkDrawing
from gui.panels.network.network_edits import NetworkEdits
from gui.session import Session
from gui.theme import set_text_sized
from gui.widgets.layouts import add_widgets


class NetworkDiagram(QWidget):
    """The drawing with its headers.

    Attributes:
        drawing: the network.
        headers: over each column, the inputs' first.
    """

    def __init__(self, session: Session, edits: NetworkEdits) -> None:
        super().__init__()
        self._session, self._edits = session, edits
        self.drawing = NetworkDrawing()
        self.drawing.arranged.connect(self._place_headers)
        self.headers: list[LayerHeader] = []
        self._strip = QWidget()
        set_text_sized(self._strip, setFixedHeight=HEADER_HEIGHT)
        add_widgets(QVBoxLayout(self), self._strip, self.drawing, 1, margins=(0, 0, 0, 0), spacing=0)
        self.inputs = EndHeader(TEXTS["inputs"], self._input_actions, shows_choice=False)
        self.output = EndHeader(TEXTS["output activation"], partial(self._activation_actions, -1))
        for header in (self.inputs, self.output):
            header.setParent(self._strip)

    def minimumSizeHint(self) -> QSize:
        least = self.drawing.minimumSizeHint()
        return QSize(least.width(), least.height() + self._strip.height())

    @property
    def hidden(self) -> list[HiddenHeader]:
        """The headers over the hidden layers."""
        return [header for header in self.headers if isinstance(header, HiddenHeader)]

    def show_document(self) -> None:
        """Show sizes and activations; the headers stay while their number does."""
        network = self._session.document.network
        if len(self.headers) != len(network.layer_sizes):
            self._change_number(len(network.layer_sizes) - 2)
        titles = {choice.value: choice.title for choice in choices_of(ACTIVATIONS)}
        for hidden, size, name in zip(self.hidden, network.layer_sizes[1:-1], network.activations, strict=True):
            hidden.show_layer(size, titles[name])
        first, *_, last = network.layer_sizes
        self.inputs.show_words(counted(first, "input"), TEXTS["inputs"], "+ x1²")
        self.output.show_words(counted(last, "output"), TEXTS["output"], titles[network.output_activation])

    def show_controls(self, visible: bool) -> None:
        """Show the buttons of the headers, or only their texts, for an export."""
        for header in self.headers:
            header.show_controls(visible)

    def show_scales(self, scales: Sequence[float], levels: tuple[float, float] | None = None) -> None:
        """Show over each column the number of the full colour of its maps.

        Args:
            scales: one for each column, nan where no output is a finite number; none where there are no maps.
            levels: the outputs that have the two full colours in the last column; None: as far below 0 as above.
        """
        for index, header in enumerate(self.headers):
            is_known = index < len(scales) and math.isfinite(scales[index])
            header.show_scale(tick_text(scales[index], 3) if is_known else "")
        if levels is not None and len(scales) and math.isfinite(scales[-1]):
            low, high = (tick_text(level, 3) for level in levels)
            self.output.show_scale(high) if sum(levels) == 0.0 else self.output.show_levels(low, high)

    def _change_number(self, hidden: int) -> None:
        """Add headers at the end, or take the last ones away: each belongs to a number, whatever layer has it."""
        kept = self.hidden
        for spare in kept[hidden:]:
            spare.hide()
            spare.deleteLater()
        kept = kept[:hidden]
        while len(kept) < hidden:
            layer = len(kept) + 1
            header = HiddenHeader(layer, partial(self._activation_actions, layer))
            header.setParent(self._strip)
            header.stepped.connect(partial(self._edits.step_layer, layer))
            kept.append(header)
        self.headers = [self.inputs, *kept, self.output]
        for before, behind in pairwise(self.headers):
            QWidget.setTabOrder(before, behind)
        self._place_headers()

    def _place_headers(self) -> None:
        """Each in the middle over its column; a drawing of other sizes follows with the weights."""
        columns = self.drawing.picture.geometry.layers
        if len(columns) != len(self.headers):
            return
        width = int(columns[1].x - columns[0].x)
        for header, column in zip(self.headers, columns, strict=True):
            header.setGeometry(int(column.x - width / 2), 0, width, self._strip.height())
            header.show()

    # Menus

    def _input_actions(self) -> list[HeaderAction | None]:
        """Return the menu of possible input features; the last one in use cannot be removed."""
        found = self._edits.features()
        only = sum(there for _name, there in found) == 1
        return [
            HeaderAction(
                feature_title(name),
                partial(self._edits.toggle_feature, name),
                FEATURES[name].description if name in FEATURES else "",
                there,
                not (there and only),
                one_of_several=True,
            )
            for name, there in found
        ]

    def _activation_actions(self, layer: int) -> list[HeaderAction | None]:
        """The activations; for a hidden layer also what can be done to layers."""
        network, edits = self._session.document.network, self._edits
        choices = choices_of(ACTIVATIONS)
        if layer < 0:
            last = len(network.layer_sizes) - 1
            return activation_actions(choices, network.output_activation, partial(edits.set_activation, last))
        if layer > len(network.activations):  # the layer has gone while its menu was opened
            return []
        present = network.activations[layer - 1]
        title = next(choice.title for choice in choices if choice.value == present)
        return [
            *activation_actions(choices, present, partial(edits.set_activation, layer)),
            None,
            HeaderAction(TEXTS["for all"].format(title=title), partial(edits.set_every_activation, present)),
            None,
            HeaderAction(TEXTS["insert before"], partial(edits.insert_layer, layer), enabled=edits.can_add),
            HeaderAction(TEXTS["insert behind"], partial(edits.insert_layer, layer + 1), enabled=edits.can_add),
            HeaderAction(TEXTS["remove"], partial(edits.remove_layer, layer)),
        ]
