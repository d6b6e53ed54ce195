"""The network as a diagram to work on: the drawing, and above each column a header with what can be changed there.

A header has the number of neurons with − and +, and the activation of the layer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from datasets import FEATURES, feature_title
from engine.autograd.notation import counted
from engine.document.document import LARGEST_LAYER
from engine.network import ACTIVATIONS
from gui.fields.binding import Choice, choices_of
from gui.number_texts import tick_text
from gui.panels.network.network_drawing import NetworkDrawing
from gui.panels.network.network_edits import NetworkEdits
from gui.session import Session
from gui.theme import mono_font, set_text_sized, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel, PaintedLabel, literal_tip, muted_label, small_letters
from gui.widgets.layouts import add_widgets

HEADER_HEIGHT = 66
ONE_OF_SEVERAL = "one of several"
"""Property of a menu's entry."""
FLAT = "QToolButton { padding: 1px 3px; border: none; } QToolButton::menu-indicator { image: none; }"
TEXTS = {
    "less": "Remove a neuron from hidden layer {layer}; the others keep their weights",
    "least": "A layer needs at least one neuron",
    "more": "Add a neuron to hidden layer {layer}; the others keep their weights",
    "activation": "Activation of hidden layer {layer}: the function applied to each weighted sum",
    "output activation": "Activation of the output",
    "inputs": "Inputs of the network: x1, x2 and features made of them",
    "output": "The number that the data and the loss need",
    "insert before": "Insert a layer before this one",
    "insert behind": "Insert a layer after this one",
    "remove": "Remove this layer",
    "for all": "{title} in every hidden layer",
    "scale": "The outputs on this column's maps go up to {scale} in size. Each map has the full colour at its own "
    "largest, and at a tenth of this at least.",
    "short scale": "±{scale}",
    "levels": "{low} to {high}",
    "levels tip": "The colour of negative numbers is {low} or less, that of positive ones {high} or more, as in the "
    "boundary.",
}
"""Texts of the headers."""


def small_button(sign: str, name: str, do: Callable[[], object]) -> QToolButton:
    """A button with a sign on it; `name` is its tooltip and accessible name."""
    button = tool_button(sign, name, do, name, "0")
    set_text_sized(button, setFixedWidth=19, setFixedHeight=21)
    policy = button.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    button.setSizePolicy(policy)
    return button


@dataclass(frozen=True)
class HeaderAction:
    """An entry of a header's menu.

    Attributes:
        title: of the entry.
        act: called when chosen.
        tip: the same in a sentence.
        checked: it is the present choice; None for entries that are no choices.
        enabled: it can be chosen.
        one_of_several: the menu stays open, for more entries may be chosen.
    """

    title: str
    act: Callable[[], object]
    tip: str = ""
    checked: bool | None = None
    enabled: bool = True
    one_of_several: bool = False


class _ChoiceMenu(QMenu):
    """Menu that stays open while its multiple-choice entries are clicked, or toggled by a key.

    Signals:
        chosen(): one of them was.
    """

    chosen = Signal()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._choose(self.actionAt(event.position().toPoint())):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_choice = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if not (is_choice and self._choose(self.activeAction())):
            super().keyPressEvent(event)

    def _choose(self, action: QAction | None) -> bool:
        """Trigger an entry and return True, if the menu stays open for it."""
        if action is None or not action.isEnabled() or not action.property(ONE_OF_SEVERAL):
            return False
        action.trigger()
        self.chosen.emit()
        return True


class MenuButton(QToolButton):
    """A flat button whose menu is rebuilt each time it opens."""

    def __init__(self, name: str, entries: Callable[[], Sequence[HeaderAction | None]]) -> None:
        """Args: accessible name, and a function that gives the menu's entries; None is a separator."""
        super().__init__()
        self._entries, self._text = entries, ""
        menu = _ChoiceMenu(self)
        menu.setToolTipsVisible(True)
        menu.chosen.connect(self._update_entries)
        menu.aboutToShow.connect(self.fill)
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setAccessibleName(name)
        self.setToolTip(literal_tip(name))
        self.setStyleSheet(FLAT)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)

    def show_text(self, text: str) -> None:
        """Show a text and an arrow behind it."""
        self._text = text
        self.show_arrow(True)

    def show_arrow(self, visible: bool) -> None:
        """Show or hide the arrow behind the text."""
        self.setText(f"{self._text} ▾" if visible else self._text)

    def fill(self) -> None:
        """Make the entries."""
        menu = self.menu()
        menu.clear()
        for entry in self._entries():
            if entry is None:
                menu.addSeparator()
                continue
            action = QAction(entry.title, menu)
            action.setToolTip(entry.tip or entry.title)
            action.setCheckable(entry.checked is not None)
            action.setChecked(bool(entry.checked))
            action.setEnabled(entry.enabled)
            action.setProperty(ONE_OF_SEVERAL, entry.one_of_several)
            action.triggered.connect(lambda _checked, act=entry.act: act())
            menu.addAction(action)

    def _update_entries(self) -> None:
        """Update checks and enabled states in the open menu."""
        for action, entry in zip(self.menu().actions(), self._entries(), strict=False):
            if entry is not None:
                action.setChecked(bool(entry.checked))
                action.setEnabled(entry.enabled)


class LayerHeader(QWidget):
    """Over one column.

    Attributes:
        scale: number of the full colour of the column's maps.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scale = muted_label()
        self.scale.setAlignment(Qt.AlignmentFlag.AlignCenter)
        small_letters(self.scale, 10)

    def _lay_out(self, title: QWidget, below: QWidget) -> None:
        """Stack title, controls and scale."""
        column = add_widgets(QVBoxLayout(self), title, below, self.scale, margins=(0, 0, 0, 0), spacing=0)
        if not isinstance(title, QLabel | PaintedLabel):  # which is as wide as its text, and stands in the middle
            column.setAlignment(title, Qt.AlignmentFlag.AlignHCenter)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, text_pixels(HEADER_HEIGHT))

    def show_controls(self, visible: bool) -> None:
        """Show the buttons, or only their texts, for an export."""
        raise NotImplementedError

    def show_scale(self, scale: str) -> None:
        """Show the number for which the full colour stands; "" for none."""
        self.scale.setText(TEXTS["short scale"].format(scale=scale) if scale else "")
        self.scale.setToolTip(TEXTS["scale"].format(scale=scale) if scale else "")

    def show_levels(self, low: str, high: str) -> None:
        """Show the outputs for which the two full colours stand."""
        self.scale.setText(TEXTS["levels"].format(low=low, high=high))
        self.scale.setToolTip(TEXTS["levels tip"].format(low=low, high=high))


class HiddenHeader(LayerHeader):
    """Over a hidden layer: − 4 + and its activation.

    Signals:
        stepped(int): -1 or +1.
    """

    stepped = Signal(int)

    def __init__(self, layer: int, entries: Callable[[], Sequence[HeaderAction | None]]) -> None:
        """Make the header of hidden layer `layer`, 1 or more."""
        super().__init__()
        self._layer = layer
        self._number = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._number.setFont(mono_font(12))
        self._number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_text_sized(self._number, setMinimumWidth=17)
        self.less = small_button("−", TEXTS["less"].format(layer=layer), lambda: self.stepped.emit(-1))
        self.more = small_button("+", TEXTS["more"].format(layer=layer), lambda: self.stepped.emit(1))
        self.activation = MenuButton(TEXTS["activation"].format(layer=layer), entries)
        stepper = QWidget()
        add_widgets(QHBoxLayout(stepper), self.less, self._number, self.more, margins=(0, 0, 0, 0), spacing=0)
        self._lay_out(stepper, self.activation)
        for button in (self.less, self.more):
            button.setAutoRepeat(True)

    def show_controls(self, visible: bool) -> None:
        """Show − and + and the arrow of the menu, or not."""
        self.less.setVisible(visible)
        self.more.setVisible(visible)
        self.activation.show_arrow(visible)

    def show_layer(self, size: int, activation: str) -> None:
        """Show the number of neurons, and the activation by its title."""
        self._number.setText(str(size))
        self.less.setEnabled(size > 1)
        self.more.setEnabled(size < LARGEST_LAYER)
        self.less.setToolTip(TEXTS["less"].format(layer=self._layer) if size > 1 else TEXTS["least"])
        self.activation.show_text(activation)


class EndHeader(LayerHeader):
    """Header of the inputs or the outputs: a title and a menu.

    Attributes:
        menu: the button with the menu: features of the inputs, activation of the output.
    """

    def __init__(
        self, name: str, entries: Callable[[], Sequence[HeaderAction | None]], shows_choice: bool = True
    ) -> None:
        """Create a header.

        Args:
            name: of the menu, for screen readers.
            entries: of the menu.
            shows_choice: the menu's button names the choice, so that an export has its text.
        """
        super().__init__()
        self._shows_choice = shows_choice
        self._words = ElidedLabel()
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_text_sized(self._words, setFixedHeight=21)
        self.menu = MenuButton(name, entries)
        self._lay_out(self._words, self.menu)

    def show_controls(self, visible: bool) -> None:
        """Show the menu's arrow, or not; and its button, unless that names a choice."""
        self.menu.show_arrow(visible)
        self.menu.setVisible(visible or self._shows_choice)

    def show_words(self, words: str, tip: str, menu: str) -> None:
        """Show title and menu of the layer."""
        self._words.set_texts(words)
        self._words.setToolTip(tip)
        self.menu.show_text(menu)


def activation_actions(
    choices: Sequence[Choice], present: str, choose: Callable[[str], object]
) -> list[HeaderAction | None]:
    """The activations as entries of a menu, the present one marked."""
    return [
        HeaderAction(choice.title, partial(choose, choice.value), choice.tip, choice.value == present)
        for choice in choices
    ]


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
