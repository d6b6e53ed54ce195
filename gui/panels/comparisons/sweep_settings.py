"""Form for a sweep: two settings with their values, seeds and steps, each checked in its field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from engine.autograd.notation import counted
from engine.document import Document
from engine.document.errors import sentence_of
from engine.experiment.setting_words import setting_paths, setting_title
from engine.sweeps.sweep import MOST_SEEDS, SweepRun, runs_of, variable_names, with_setting
from engine.sweeps.table import parsed_values
from gui.number_texts import EntryError, parse_integer
from gui.theme import mono_font, set_style_property, set_text_sized
from gui.widgets.choices import NarrowCombo
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TEXTS = {
    "values tip": "Values with a comma between them, or a range: 0.01, 0.1 or 0.001..1 *10 or 2..8 or 0..0.4 +0.1",
    "setting tip": "The setting that varies {name} in the map",
    "seeds": "Number of runs for each pair of settings, each from other first weights; the map shows their median",
    "steps": "Number of updates in each run",
    "same twice": "Choose two different settings.",
    "too many": "A map has at most {most} values to a side; {name} has {count}.",
    "whole": "{what} must be {wanted}.",
}
"""Texts of this part of the panel."""
NUMBER_WIDTHS = {"seeds": 40, "steps": 56}  # pixels
MOST_VALUES, MOST_STEPS = 40, 1_000_000
FIRST_SETTINGS = ("learning_rate", "width")
FIRST_VALUES = {
    "learning_rate": "0.001..1 *10", "width": "2..16 *2", "depth": "1..3", "activation": "tanh, relu, sigmoid",
    "optimizer": "sgd, momentum, adam", "batch_size": "10, 50, all", "l1": "0, 0.001, 0.01", "l2": "0, 0.001, 0.01",
    "noise": "0..0.4 +0.1", "n_samples": "25..200 *2", "test_share": "0, 0.2, 0.5", "clip_norm": "0.1, 1, all",
    "clip_value": "0.1, 1, all",
}  # fmt: skip
"""Initial values of a chosen setting; for other settings the present value is used."""


@dataclass(frozen=True)
class SweepPlan:
    """A sweep that can be done.

    Attributes:
        document: gives what does not vary.
        vary: the values of the setting across, and of the one up.
        seeds, steps: of each pair, and of each run.
        runs: all of them.
    """

    document: Document
    vary: dict[str, list[Any]]
    seeds: int
    steps: int
    runs: list[SweepRun]

    def texts(self, seconds: float | None) -> tuple[str, ...]:
        """Return summaries of the sweep, the longest first; `seconds`: expected duration, None while unknown."""
        time = "" if seconds is None else f", about {time_text(seconds)}"
        cells, seeds = counted(len(self.runs) // self.seeds, "cell"), counted(self.seeds, "seed")
        runs, steps = counted(len(self.runs), "run"), counted(self.steps, "step")
        return f"{cells} with {seeds} each: {runs} of {steps}{time}", f"{runs}{time}", runs


class VariedSetting(QWidget):
    """Fields for one varied setting and its values, with the problem of an entry below."""

    def __init__(self, name: str, first: str, changed: Callable[[], object]) -> None:
        super().__init__()
        tip = TEXTS["setting tip"].format(name=name)
        self.setting, self.values = NarrowCombo(f"setting {name}", tip), QLineEdit()
        self.problem = QLabel(textFormat=Qt.TextFormat.PlainText)
        for setting in variable_names():
            self.setting.addItem(setting_title(setting), setting)
        self.values.setAccessibleName(f"values {name}")
        self.values.setToolTip(TEXTS["values tip"])
        self.values.setFont(mono_font(12))
        self.values.setMaxLength(1000)
        self.problem.setProperty("error", True)
        self.problem.setWordWrap(True)
        self.problem.hide()
        row = add_widgets(QHBoxLayout(), muted_label(name), self.setting, 1, self.values, 1, spacing=6)
        add_widgets(QVBoxLayout(self), row, self.problem, margins=(0, 0, 0, 0), spacing=1)
        self.document = Document()
        self.setting.currentIndexChanged.connect(lambda _index: self._propose(changed))
        self.values.textChanged.connect(lambda _text: changed())
        self.setting.setCurrentIndex(self.setting.findData(first))
        self.values.setText(FIRST_VALUES[first])

    @property
    def name(self) -> str:
        """The setting that varies."""
        return str(self.setting.currentData())

    def _propose(self, changed: Callable[[], object]) -> None:
        path = next((path for path in setting_paths() if path.endswith(f".{self.name}")), "")
        section, _, field = path.partition(".")
        now = getattr(getattr(self.document, section), field) if path else ""
        self.values.setText(FIRST_VALUES.get(self.name, "all" if now is None else str(now)))
        changed()

    def parsed(self) -> list[Any] | None:
        """Return the typed values, or None with a message where they cannot be used."""
        try:
            values = parsed_values(setting_title(self.name), self.values.text())
            if len(values) > MOST_VALUES:
                text = TEXTS["too many"]
                raise ValueError(text.format(most=MOST_VALUES, name=setting_title(self.name), count=len(values)))
            for value in values:
                with_setting(self.document, self.name, value)
        except ValueError as error:
            self.say(sentence_of(error))
            return None
        self.say("")
        return values

    def say(self, problem: str) -> None:
        """Show what is wrong with the values; "" for nothing."""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        set_style_property(self.values, "invalid", bool(problem))


class SweepSettings(QWidget):
    """All fields of the form.

    Attributes:
        across, up: the settings that vary.
        seeds, steps: their fields.
        plan: what comes of it; None where something cannot be.

    Signals:
        changed(): something was typed or chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.plan: SweepPlan | None = None
        self.across = VariedSetting("across", FIRST_SETTINGS[0], self.changed.emit)
        self.up = VariedSetting("up", FIRST_SETTINGS[1], self.changed.emit)
        self.seeds, self.steps = _number_field("seeds", 3), _number_field("steps", 500)
        for entry in (self.seeds, self.steps):
            entry.textChanged.connect(lambda _text: self.changed.emit())
        self.numbers = add_widgets(QHBoxLayout(), muted_label("seeds"), self.seeds, muted_label("steps"), self.steps)
        add_widgets(QVBoxLayout(self), self.across, self.up, self.numbers, margins=(0, 0, 0, 0), spacing=5)

    def check(self, document: Document) -> None:
        """Check the entries against a document, and make the plan."""
        self.plan = None
        for axis in (self.across, self.up):
            axis.document = document
        across, up = self.across.parsed(), self.up.parsed()
        seeds, steps = _number_of(self.seeds, MOST_SEEDS), _number_of(self.steps, MOST_STEPS)
        if not (across and up and seeds and steps):
            return
        if self.across.name == self.up.name:
            self.up.say(TEXTS["same twice"])
            return
        vary = {self.across.name: across, self.up.name: up}
        try:
            self.plan = SweepPlan(document, vary, seeds, steps, runs_of(document, vary, seeds))
        except ValueError as error:
            self.up.say(sentence_of(error))


def _number_field(name: str, number: int) -> QLineEdit:
    field = QLineEdit(str(number))
    field.setAccessibleName(name)
    field.setToolTip(TEXTS[name])
    field.setFont(mono_font(12))
    set_text_sized(field, setFixedWidth=NUMBER_WIDTHS[name])
    field.setMaxLength(10)
    return field


def _number_of(field: QLineEdit, most: int) -> int | None:
    """The whole number in a field, 1 to `most`; None where it is none, and the tip says what would be."""
    name = field.accessibleName()
    try:
        number = parse_integer(field.text())
    except EntryError:
        number = 0
    allowed = 1 <= number <= most
    set_style_property(field, "invalid", not allowed)
    wrong = TEXTS["whole"].format(what=name.capitalize(), wanted=f"a whole number from 1 to {most:,}")
    field.setToolTip(TEXTS[name] if allowed else wrong)
    return number if allowed else None


def time_text(seconds: float) -> str:
    """About how long something takes, in words."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"
