"""Stop rules of training: a field for each rule, the run's distance from it, and the rule that ended the run."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from engine.network.run.progress import RunState
from engine.network.stop_rules import Way
from gui.fields.binding import EntryField, FieldBinding, add_row, number_field, optional_field
from gui.number_texts import entry_text, parse_integer, parse_number
from gui.session import Session
from gui.theme import set_text_sized
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TEXTS = {
    "target_loss": "Stop when the loss of a step is this or less: none, or a number",
    "target_accuracy": "Stop at this training accuracy: none, or a share such as 97 %",
    "plateau": "Stop after this many steps without a lower loss; none: never",
    "min_change": "The loss must fall by more than this to count as lower",
    "max_steps": "Stop after this many steps: none, or a number",
    "max_epochs": "Stop after this many epochs: none, or a number",
    "set aside": "{way} (set aside)",
    "set aside tip": "This limit was reached before the run began, so the run ignores it.",
}
"""Sentences of the rows."""
LABELS = {
    "target_loss": "target loss",
    "target_accuracy": "target accuracy",
    "plateau": "plateau",
    "min_change": "smallest change",
    "max_steps": "last step",
    "max_epochs": "last epoch",
}
BAR_HEIGHT = 4  # pixels
SHARES = 1000
"""Places of a progress bar."""


class StopRows(QObject):
    """The rows in the form of the learning panel.

    Attributes:
        fields: by name of the field of the document.
        footer: always visible below the form: `ways` and `ended`.
        ways: the widget with a line for each rule that is on.
        ended: which rule has ended the run.
    """

    depends_on = frozenset({"training", "model", "moment", "run"})

    def __init__(self, session: Session, form: QFormLayout) -> None:
        """Add the rows to a form."""
        super().__init__(form)
        self._session = session
        self.fields = {
            "target_loss": self._field("target_loss", parse_number, entry_text, "a number such as 0.01"),
            "target_accuracy": self._field("target_accuracy", parse_share, share_text, "a share such as 97 % or 0.97"),
            "max_steps": self._field("max_steps", parse_integer, str, "a whole number such as 5000"),
            "max_epochs": self._field("max_epochs", parse_integer, str, "a whole number such as 100"),
            "plateau": self._field("plateau", parse_integer, str, "a whole number such as 200"),
            "min_change": number_field(self._binding("min_change"), TEXTS["min_change"]),
        }
        fields = self.fields
        add_row(form, "Stop at loss", fields["target_loss"], "step", fields["max_steps"])
        add_row(form, "accuracy", fields["target_accuracy"], "epoch", fields["max_epochs"])
        add_row(form, "plateau", fields["plateau"], "by", fields["min_change"])
        self.footer, self.ways, self.ended = QWidget(), QWidget(), muted_label(wrap=True)
        self._lines: list[_WayLine] = []
        add_widgets(QVBoxLayout(self.ways), margins=(0, 0, 0, 0), spacing=4)
        add_widgets(QVBoxLayout(self.footer), self.ways, self.ended, margins=(10, 4, 10, 6), spacing=4)
        self.show_ways()

    def _binding(self, name: str) -> FieldBinding:
        return FieldBinding(self._session, "training", name, LABELS[name])

    def _field(self, name: str, parse: Any, write: Any, wanted: str) -> EntryField:
        return optional_field(self._binding(name), TEXTS[name], "none", parse, write, wanted)

    def show_ways(self) -> None:
        """Show the progress towards each rule, and the rule that ended the run."""
        newest = self._session.newest
        ways = newest.ways if newest is not None else ()
        while len(self._lines) < len(ways):
            self._lines.append(_WayLine())
            layout = self.ways.layout()
            assert layout is not None
            layout.addWidget(self._lines[-1])
        for line, way in zip(self._lines, ways, strict=False):
            line.show_way(way)
        for line in self._lines[len(ways) :]:
            line.hide()
        self.ways.setVisible(bool(ways))
        ended = newest.message if newest is not None and newest.state is RunState.FINISHED else ""
        self.ended.setText(ended)
        self.ended.setVisible(bool(ended))
        self.footer.setVisible(bool(ways or ended))


class _WayLine(QWidget):
    """Distance from one stop rule, as text and as a bar."""

    def __init__(self) -> None:
        super().__init__()
        self._words = QLabel()
        self._words.setProperty("muted", True)
        self._words.setMinimumWidth(1)
        self._bar = QProgressBar()
        self._bar.setRange(0, SHARES)
        self._bar.setTextVisible(False)
        set_text_sized(self._bar, setFixedHeight=BAR_HEIGHT)
        self._bar.setMinimumWidth(40)
        add_widgets(
            QVBoxLayout(self), self._words, add_widgets(QHBoxLayout(), self._bar), margins=(0, 0, 0, 0), spacing=1
        )

    def show_way(self, way: Way) -> None:
        self._words.setText(TEXTS["set aside"].format(way=way.text) if way.is_set_aside else way.text)
        self._words.setToolTip(TEXTS["set aside tip"] if way.is_set_aside else TEXTS[way.rule])
        self._bar.setValue(int(SHARES * way.share))
        self._bar.setAccessibleName(way.text)
        self.show()


def parse_share(text: str) -> float:
    """A share of 1, or a percentage; EntryError for anything else."""
    stripped = text.strip()
    return parse_number(stripped[:-1].strip()) / 100 if stripped.endswith("%") else parse_number(stripped)


def share_text(share: float) -> str:
    """A share as a percentage that reads back as the same number."""
    percent = f"{entry_text(100 * share)} %"
    return percent if parse_share(percent) == share else entry_text(share)
