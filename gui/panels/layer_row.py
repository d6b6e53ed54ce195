"""The layers of the network as a row of numbers, the hidden ones with − and +."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QWidget

from gui.theme import mono_font, text_pixels
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

ROW_HEIGHT = 30


class LayerStepper(QFrame):
    """− 4 +: the size of one hidden layer.

    Signals:
        stepped(int): -1 or +1.
    """

    stepped = Signal(int)

    def __init__(self, layer: int, largest: int) -> None:
        """Makes the stepper of hidden layer `layer` (1 or more) with at most `largest` neurons."""
        super().__init__()
        self._layer, self._largest = layer, largest
        self._number = QLabel()
        self._number.setFont(mono_font(12))
        self._number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._number.setMinimumWidth(18)
        self.less = self._button("−", -1, f"one neuron less in hidden layer {layer}")
        self.more = self._button("+", +1, f"one neuron more in hidden layer {layer}")
        filled(QHBoxLayout(self), self.less, self._number, self.more, margins=(0, 0, 0, 0), spacing=1)

    def _button(self, text: str, change: int, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(name)
        button.setToolTip(name.capitalize())
        button.setFixedSize(text_pixels(22), text_pixels(24))
        button.setStyleSheet("padding: 0;")
        button.setAutoRepeat(True)
        button.clicked.connect(lambda: self.stepped.emit(change))
        return button

    def show_size(self, size: int) -> None:
        """Shows the number of neurons."""
        self._number.setText(str(size))
        self.less.setEnabled(size > 1)
        self.more.setEnabled(size < self._largest)
        self.less.setToolTip(
            f"One neuron less in hidden layer {self._layer}" if size > 1 else "A layer has one neuron at least"
        )


class LayerRow(QScrollArea):
    """Inputs → hidden layers → outputs; scrolls sideways when there are many.

    Signals:
        stepped(int, int): index of the layer in the sizes (inputs are 0), and -1 or +1.
    """

    stepped = Signal(int, int)

    def __init__(self, largest: int) -> None:
        """Makes an empty row; a layer may have at most `largest` neurons."""
        super().__init__()
        self._largest = largest
        self.steppers: list[LayerStepper] = []
        self._ends = (_end("inputs: as many as the data has"), _end("outputs: as many as the loss needs"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.setFixedHeight(text_pixels(ROW_HEIGHT))

    def show_sizes(self, sizes: Sequence[int]) -> None:
        """Shows the sizes, inputs and outputs included; the widgets stay while their number does."""
        if len(sizes) - 2 != len(self.steppers) or self.widget() is None:
            self._rebuild(len(sizes) - 2)
        for end, size in zip(self._ends, (sizes[0], sizes[-1]), strict=True):
            end.setText(str(size))
        for stepper, size in zip(self.steppers, sizes[1:-1], strict=True):
            stepper.show_size(size)
        self._make_room()

    def _rebuild(self, hidden: int) -> None:
        content = QWidget()
        self.steppers = [LayerStepper(layer, self._largest) for layer in range(1, hidden + 1)]
        self._ends = (_end("inputs: as many as the data has"), _end("outputs: as many as the loss needs"))
        for layer, stepper in enumerate(self.steppers, start=1):
            stepper.stepped.connect(lambda change, layer=layer: self.stepped.emit(layer, change))
        parts = [part for stepper in self.steppers for part in (muted_label("→"), stepper)]
        row = QHBoxLayout(content)
        filled(row, self._ends[0], *parts, muted_label("→"), self._ends[1], margins=(0, 0, 0, 0), spacing=3)
        row.addStretch(1)
        self.setWidget(content)
        content.setAutoFillBackground(False)

    def resizeEvent(self, event: object) -> None:
        """Leaves room for the scroll bar only when there is one."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._make_room()

    def _make_room(self) -> None:
        content = self.widget()
        too_wide = content is not None and content.minimumSizeHint().width() > self.viewport().width()
        self.setFixedHeight(text_pixels(ROW_HEIGHT + (12 if too_wide else 0)))


def _end(tip: str) -> QLabel:
    label = QLabel()
    label.setFont(mono_font(12))
    label.setToolTip(tip.capitalize())
    label.setStyleSheet("padding: 0 3px;")
    return label
