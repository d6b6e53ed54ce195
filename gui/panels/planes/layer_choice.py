"""A row of exclusive buttons, one for each layer of the network; it scrolls sideways when there are many."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QToolButton, QWidget

from engine.autograd.notation import counted
from engine.network.hidden_space import PLANE
from engine.network.shape import NetworkShape
from gui.theme import set_text_sized
from gui.widgets.buttons import tool_button
from gui.widgets.choices import segmented

SENTENCES = {
    "raw": "The data's own plane: straight grid lines, and the decision line of the whole network",
    "inputs": "Inputs of the network: the data's columns after features and scaling",
    "layer": "Outputs of the {neurons} of layer {layer} for every point",
    "output": "Outputs of the output layer for every point",
}
"""The tips of the buttons."""
HEIGHT = 33


class LayerChoice(QScrollArea):
    """Buttons from the raw inputs to the output.

    Signals:
        layer_chosen(int): as `hidden_space` numbers them.
    """

    layer_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        set_text_sized(self, setFixedHeight=HEIGHT)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._shown: tuple[NetworkShape, bool] | None = None
        self.group = QButtonGroup(self)
        self.group.idClicked.connect(lambda number: self.layer_chosen.emit(number - 1))

    def show_layers(self, shape: NetworkShape, is_plain: bool, chosen: int) -> None:
        """Make a button for each layer if the layers have changed, and check the chosen one.

        Args:
            shape: of the network.
            is_plain: the network's inputs are the raw inputs, so that both are one button.
            chosen: the layer that is shown.
        """
        if self._shown != (shape, is_plain):
            self._shown = shape, is_plain
            self._make_buttons(shape, is_plain)
        button = self.group.button(chosen + 1)
        button.setChecked(True)
        self.ensureWidgetVisible(button)

    def _make_buttons(self, shape: NetworkShape, is_plain: bool) -> None:
        for old in self.group.buttons():
            self.group.removeButton(old)
        layers = [PLANE, *range(1 if is_plain else 0, shape.n_layers + 1)]
        self.setWidget(segmented([*(self._button(layer, shape) for layer in layers), QWidget()]))

    def _button(self, layer: int, shape: NetworkShape) -> QToolButton:
        text, sentence = _words(layer, shape)
        button = tool_button(text, sentence, name=f"hidden space of {text}", padding="3px 7px", checkable=True)
        self.group.addButton(button, layer + 1)  # Qt gives -1 for no button
        return button


def _words(layer: int, shape: NetworkShape) -> tuple[str, str]:
    if layer == PLANE:
        return "input", SENTENCES["raw"]
    if layer == 0:
        return "features", SENTENCES["inputs"]
    if layer == shape.n_layers:
        return "output", SENTENCES["output"]
    neurons = counted(shape.layer_sizes[layer], "neuron")
    return f"L{layer}", SENTENCES["layer"].format(neurons=neurons, layer=layer)
