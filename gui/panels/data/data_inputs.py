"""Input features of the network: a button for each feature that can be made of the columns, and the scaling."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QToolButton, QWidget

from datasets import FEATURES, available_features, feature_title
from engine.autograd.notation import counted
from engine.experiment.prepared import PreparedData, raw_features, with_feature
from engine.messages import visible
from gui.number_texts import entry_text
from gui.session import Session
from gui.widgets.buttons import tool_button
from gui.widgets.labels import literal_tip, muted_label

MOST_BUTTONS = 12
"""Tables may have hundreds of columns; of so many inputs each has a button."""
MOST_LINES = 6
SPACING = 4  # pixels
LONGEST_TEXT = 16  # letters of a column's name
TEXTS = {
    "feature": "{name} = {formula}: {description}.",
    "column": "The column {name}, unchanged.",
    "last": "A network needs at least one input.",
    "scale": "Standardise",
    "scale tip": "Shift and stretch every input to mean 0 and standard deviation 1 of the training data. "
    "Without it, the network gets the numbers unchanged.",
    "scaled": "{name} becomes ({name} − {mean}) / {scale}",
    "scaled more": "and {inputs} more in the same way.",
    "edit": "inputs",
    "edit scaling": "standardising",
}
"""Texts of this part of the panel."""


class FlowRow(QWidget):
    """Widgets side by side, on as many lines as they need; when stacked, each on a line of its own, as wide as that."""

    def __init__(self, parts: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self._parts: Sequence[QWidget] = ()
        self._is_stacked = False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_parts(parts)

    def show_parts(self, parts: Sequence[QWidget]) -> None:
        """Replace the widgets; the previous ones are deleted."""
        for part in self._parts:
            part.hide()
            part.deleteLater()
        self._parts = parts
        for part in parts:
            part.setParent(self)
            part.show()
        self._place()

    def set_stacked(self, stacked: bool) -> None:
        """Place the widgets below one another, or side by side."""
        self._is_stacked = stacked
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place the widgets again when one of them wants another size, as by the theme's style sheet."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._place()
        return super().event(event)

    def _place(self) -> None:
        sizes = [part.sizeHint() for part in self._parts]
        height = max((size.height() for size in sizes), default=0)
        left = top = 0
        for part, size in zip(self._parts, sizes, strict=True):
            if left and (self._is_stacked or left + size.width() > self.width()):
                left, top = 0, top + height + SPACING
            if self._is_stacked:
                size = QSize(self.width(), height)
            part.setGeometry(QRect(QPoint(left, top + (height - size.height()) // 2), size))
            left += size.width() + SPACING
        self.setFixedHeight(top + height)


class InputChoice(QObject):
    """Choice of the inputs; the panel places its widgets.

    Attributes:
        row: a button for each input, those in use pressed.
        buttons: by name of the feature.
        scaling: switch for standardised inputs.
        scaled: how each of them is.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.buttons: dict[str, QToolButton] = {}
        self.row = FlowRow()
        self.scaling = QCheckBox(TEXTS["scale"])
        self.scaling.setToolTip(TEXTS["scale tip"])
        self.scaling.clicked.connect(self._scale)
        self.scaled = muted_label(wrap=True)

    def show_data(self, data: PreparedData) -> None:
        """Show which inputs there are, which of them are used, and how they are scaled."""
        columns = dict(zip(raw_features(data.raw.n_features), data.raw.feature_names, strict=True))
        offered = available_features(data.raw.n_features)[:MOST_BUTTONS]
        texts = {name: visible(columns.get(name, feature_title(name)), LONGEST_TEXT) for name in offered}
        if texts != {name: button.text().replace("&&", "&") for name, button in self.buttons.items()}:
            self.buttons = {name: self._button(name, text) for name, text in texts.items()}
            self.row.show_parts(list(self.buttons.values()))
        for name, button in self.buttons.items():
            button.setChecked(name in data.features)
            button.setToolTip(literal_tip(_tip(name, data)))
        self.scaling.setChecked(data.scaling is not None)
        self.scaled.setText("\n".join(_scaling_lines(data)))
        self.scaled.setVisible(data.scaling is not None)

    def _button(self, name: str, text: str) -> QToolButton:
        button = tool_button(text.replace("&", "&&"), "", None, f"input {text}", "2px 3px")
        button.setCheckable(True)
        button.clicked.connect(lambda checked: self.use(name, checked))
        return button

    def use(self, name: str, used: bool) -> None:
        """Add an input feature to the network or remove it; the last one stays."""
        features = with_feature(self._session.document.data, name, used)
        if features is None:
            self._session.message_posted.emit(TEXTS["last"], "note")
        else:
            self._session.edit(TEXTS["edit"], data={"features": features})
        self.show_data(self._session.data)

    def _scale(self, scaled: bool) -> None:
        self._session.edit(TEXTS["edit scaling"], data={"scaling": scaled})
        self.show_data(self._session.data)


def _tip(name: str, data: PreparedData) -> str:
    columns = dict(zip(raw_features(data.raw.n_features), data.raw.feature_names, strict=True))
    if name in columns:
        return TEXTS["column"].format(name=columns[name])
    feature = FEATURES[name]
    return TEXTS["feature"].format(name=feature.title, formula=feature.formula, description=feature.description)


def _scaling_lines(data: PreparedData) -> list[str]:
    if data.scaling is None:
        return []
    names, scaling = data.input_names, data.scaling
    numbers = zip(names, scaling.mean.tolist(), scaling.scale.tolist(), strict=True)
    lines = [
        TEXTS["scaled"].format(name=name, mean=_in_brackets(mean), scale=entry_text(float(f"{scale:.4g}")))
        for name, mean, scale in list(numbers)[:MOST_LINES]
    ]
    more = len(names) - len(lines)
    return [*lines, TEXTS["scaled more"].format(inputs=counted(more, "input"))] if more else lines


def _in_brackets(number: float) -> str:
    """A number that is subtracted: a negative one stands in brackets, with a minus sign."""
    text = entry_text(float(f"{abs(number):.4g}"))
    return f"(−{text})" if number < 0 else text
