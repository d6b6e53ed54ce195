"""The form in the menu of a leaf's slider: from where to where it goes."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget


class EndsForm(QWidget):
    """The fields from and to of a slider, and below them why what was typed cannot be.

    Attributes:
        ends: the two fields.
        problem: says why; hidden while there is nothing to say.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        grid = QGridLayout(self)
        self.ends = (QLineEdit(), QLineEdit())
        for row, (title, field) in enumerate(zip(("from", "to"), self.ends, strict=True)):
            field.setAccessibleName(f"slider of {name}, {title}")
            field.setMaximumWidth(90)
            grid.addWidget(QLabel(title), row, 0)
            grid.addWidget(field, row, 1)
        self.problem = QLabel(wordWrap=True)
        self.problem.setProperty("error", True)
        self.problem.hide()
        grid.addWidget(self.problem, 2, 0, 1, 2)
