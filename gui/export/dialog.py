"""A picture of the graph with choices: format, part, scale, background. Saved or copied, and the window never waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from gui.export.drawing import IMAGE_FORMATS, Drawing, largest_scale, pixel_size
from gui.export.exports import PictureChoices
from gui.widgets.layouts import add_widgets

LEAST_SCALE, LARGEST_SCALE = 0.01, 20.0
WHOLE, VISIBLE = "The whole graph", "What is on the screen"


Draw = Callable[[PictureChoices], Drawing]
Use = Callable[[PictureChoices], object]


class PictureDialog(QDialog):
    """Dialog with the choices and the size of the picture; deletes itself when closed."""

    def __init__(self, parent: QWidget, draw: Draw, save: Use, copy: Use) -> None:
        """Shows a whole graph as PNG, twice as large as on the screen.

        Args:
            parent: the window.
            draw: makes the picture; raises ValueError when there is nothing to draw.
            save, copy: called by the buttons.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Picture of the graph")
        self._draw, self._save, self._copy = draw, save, copy
        self._make_fields()
        form = QFormLayout()
        form.addRow("&Format", self.format)
        form.addRow("&Part", self.part)
        form.addRow("&Scale", self.scale)
        form.addRow("", self.transparent)
        form.addRow("Size", self.size_label)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save_button = buttons.addButton("Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        self.copy_button = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.save_button.setDefault(True)
        self.save_button.setProperty("primary", True)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setIcon(QIcon())  # the others have none
        buttons.accepted.connect(self._finish_saving)
        buttons.rejected.connect(self.reject)
        self.copy_button.clicked.connect(self._finish_copying)
        add_widgets(QVBoxLayout(self), form, buttons)
        self._follow()

    def _make_fields(self) -> None:
        self.format, self.part = QComboBox(), QComboBox()
        for extension, kind in IMAGE_FORMATS.items():
            self.format.addItem(kind.name, extension)
        self.part.addItems([WHOLE, VISIBLE])
        self.scale = QDoubleSpinBox()
        self.scale.setRange(LEAST_SCALE, LARGEST_SCALE)
        self.scale.setSingleStep(0.5)
        self.scale.setValue(PictureChoices.scale)
        self.scale.setSuffix(" ×")
        self.scale.setToolTip("Pixels of the PNG for each pixel of the graph at 100 %")
        self.transparent = QCheckBox("&Transparent background")
        self.size_label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        metrics = self.size_label.fontMetrics()
        self.size_label.setMinimumSize(metrics.horizontalAdvance("0" * 40), 2 * metrics.lineSpacing())
        self.format.currentIndexChanged.connect(self._follow)
        self.part.currentIndexChanged.connect(self._follow)
        self.scale.valueChanged.connect(self._follow)

    @property
    def choices(self) -> PictureChoices:
        """The current choices."""
        return PictureChoices(
            self.format.currentData(),
            self.part.currentText() == VISIBLE,
            self.scale.value(),
            self.transparent.isChecked(),
        )

    def _follow(self) -> None:
        """Shows the size, or why there can be no such picture."""
        problem, size = "", ""
        self.scale.setEnabled(self.choices.extension == "png")
        try:
            size, problem = _size_text(self._draw(self.choices), self.choices)
        except ValueError as error:
            problem = str(error)
        self.size_label.setText(problem or size)
        self.save_button.setEnabled(not problem)
        self.copy_button.setEnabled(not problem and self.choices.extension != "pdf")

    def _finish_saving(self) -> None:
        choices = self.choices
        self.accept()
        self._save(choices)

    def _finish_copying(self) -> None:
        choices = self.choices
        self.accept()
        self._copy(choices)


def _size_text(drawing: Drawing, choices: PictureChoices) -> tuple[str, str]:
    """Return the size in words, and its problem ("" for none)."""
    is_image = choices.extension == "png"
    width, height = pixel_size(drawing if is_image else replace(drawing, scale=1.0))
    limit = largest_scale(drawing.size)
    if is_image and drawing.scale > limit:
        return "", f"{width:,} × {height:,} pixels is too large: the scale is at most {limit:.2f}"
    return f"{width:,} × {height:,} pixels", ""
