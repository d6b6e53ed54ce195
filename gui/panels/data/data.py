"""The data panel: data set, number of points, noise, test share, input features."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from datasets import DATASETS, Dataset
from engine.autograd.notation import counted
from engine.document.data_section import LARGEST_TEST_SHARE
from engine.experiment.carried import kept_note
from engine.experiment.fitted import suited, suits
from engine.experiment.prepared import PreparedData, is_split
from engine.language import ProgramError
from engine.language.formula import read_formula
from engine.network import LOSSES, OPTIMIZERS
from gui.fields.binding import EntryField, FieldBinding, FormRow, add_row, integer_field, make_form
from gui.fields.slider import FieldSlider, SliderScale
from gui.number_texts import EntryError, entry_text, parse_integer, parse_number
from gui.painting import painting
from gui.panels.data.data_choice import DataButton, DataTiles
from gui.panels.data.data_inputs import FlowRow, InputChoice
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.session.edits import changed_fields
from gui.theme import LIGHT, Colors, set_text_sized
from gui.widgets.buttons import push_button, tool_button
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets, scrolled

FORMULA_TIP = """A number for each point: sin(x1) * x2. Or two classes: x1**2 + x2**2 < 4. \
With x1 alone the data are a curve. + - * / ** and the functions of the program's language"""
N_SAMPLES, NOISE, TEST = SliderScale(4, 5000), SliderScale(0.0, 1.0, 0.01), SliderScale(0.0, LARGEST_TEST_SHARE, 0.05)
"""Ranges of the sliders; larger numbers can be typed."""
ENTRY_WIDTH = 62
NO_NUMBER = "–"
MARGINS, SPACING = (10, 6, 8, 8), 5  # pixels
NUMBERS = {"n_samples": "Points", "noise": "Noise", "test_share": "Test"}
"""Fields with sliders, and their labels."""
MADE = ("generator", "formula")
"""Sources that draw their points by chance."""
TEXTS = {
    "holds classes": "{points}, {inputs}, {classes}",
    "holds numbers": "{points}, {inputs}, a number to predict",
    "tests": "{train} of them train, {test} only test.",
    "formula classes": "Two classes: class 1 where {formula} is true. The boundary to learn is where this changes.",
    "formula numbers": "A number to predict: {formula}. How hard it is depends on how often it bends.",
    "table": "Imported from {name}, to predict {target}.",
    "points": "Points that were drawn on the plot.",
    "n_samples": "Number of points",
    "n_samples fixed": "Number of points: always these {points}",
    "noise": "Standard deviation of the normal noise, in the units of the data",
    "noise unused": "Not available for imported or drawn points",
    "test_share": "Share of the points that only test: their loss and accuracy show what is learnt beyond the points "
    "that train",
    "test_share unused": "All of these {points} are needed for training: each one is unique",
    "seed": "The same seed draws the same points",
    "seed unused": "Not used: these points are not random",
    "split_seed": "The same seed gives the same train/test split",
    "again": "Draw other points: the next seed",
    "keep weights": "Keep weights for other data",
    "keep weights tip": "Off: when the data change, training restarts at step 0 from the first weights. On: it "
    "restarts at step 0 with the trained weights. Undo restores weights, steps and curve in both cases.",
    "keep weights edit": "keeping the weights",
    "suits": "Use what suits this data",
    "suits tip": "{layers}, loss: {loss}, optimizer: {optimizer}, learning rate {rate}, {batch}: about {steps} steps. "
    "One undo restores your own settings.",
    "suits already": "Network and settings already suit this data: {layers}, loss: {loss}, optimizer: "
    "{optimizer}, learning rate {rate}, {batch}: about {steps} steps.",
    "suits set": "{layers}, loss: {loss}, optimizer: {optimizer}, learning rate {rate}, {batch}.",
    "no hidden layer": "No hidden layer",
    "hidden layers": "Hidden layers: {sizes}, {activation}",
    "full batch": "all points in a step",
    "batch": "{n} points in a step",
}
"""Texts of the panel."""


class FormulaField(EntryField):
    """Field for a formula of x1 and x2; a part that cannot be read is underlined.

    Attributes:
        error: problem of the text and its place; None for none.
    """

    def __init__(self, session: Session) -> None:
        self.error: ProgramError | None = None
        self._colors = LIGHT
        super().__init__(FieldBinding(session, "data", "formula", "formula"), str, str, FORMULA_TIP)
        self.textChanged.connect(self._find_error)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.update()

    def _find_error(self, text: str) -> None:
        try:
            read_formula(text)
        except ProgramError as error:
            self.error = error if text.strip() else None
        else:
            self.error = None
        self.update()

    @property
    def underlined(self) -> str:
        """The part of the text that is underlined."""
        if self.error is None:
            return ""
        return self.text()[self.error.column - 1 : self.error.end_column - 1] or self.text()[-1:]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.error is None:
            return
        metrics, text = self.fontMetrics(), self.text()
        begin = min(self.error.column, max(len(text), 1)) - 1
        cursor = self.cursorRect()
        zero = cursor.center().x() - metrics.horizontalAdvance(text[: self.cursorPosition()])
        left = zero + metrics.horizontalAdvance(text[:begin])
        right = left + max(metrics.horizontalAdvance(self.underlined), 6)
        with painting(self) as painter:
            painter.setClipRect(self.rect().adjusted(4, 0, -4, 0))
            painter.setPen(QPen(QColor(self._colors.error), 2))
            height = cursor.bottom() - 1
            painter.drawLine(QPointF(left, height), QPointF(right, height))


def what_it_holds(dataset: Dataset) -> str:
    """Size and task in a few words: `100 points, 2 inputs, 2 classes`."""
    return TEXTS["holds classes" if dataset.n_classes else "holds numbers"].format(
        points=counted(dataset.n_samples, "point"),
        inputs=counted(dataset.n_features, "input"),
        classes=counted(dataset.n_classes, "class", "classes"),
    )


def what_it_holds_briefly(dataset: Dataset) -> tuple[str, ...]:
    """Return shorter texts than `what_it_holds`, the longest first: `100 points, 2 classes`, `100 points`."""
    points = counted(dataset.n_samples, "point")
    classes = [f"{points}, {counted(dataset.n_classes, 'class', 'classes')}"] if dataset.n_classes else []
    return (*classes, points)


def about(data: PreparedData, source: str, formula: str = "") -> str:
    """Return a description of the data and its difficulty."""
    raw = data.raw
    if source == "formula":
        return TEXTS["formula classes" if raw.n_classes else "formula numbers"].format(formula=formula)
    if source == "table":
        return TEXTS["table"].format(name=raw.name, target=raw.target_name)
    return TEXTS["points"] if source == "points" else raw.description


def suits_words(document: Any) -> dict[str, str]:
    """The words for what suits a document's data, for the sentences on it."""
    found = suits(document)
    sizes = " and ".join(map(str, found.hidden))
    layers = TEXTS["hidden layers"].format(sizes=sizes, activation=found.activation)
    batch = TEXTS["full batch"] if found.batch_size is None else TEXTS["batch"].format(n=found.batch_size)
    return {
        "layers": layers if found.hidden else TEXTS["no hidden layer"],
        "loss": LOSSES[found.loss].title,
        "optimizer": OPTIMIZERS[found.optimizer].title,
        "rate": entry_text(found.learning_rate),
        "batch": batch,
        "steps": f"{found.steps:,}",
    }


class PercentBinding(FieldBinding):
    """A share of the document that is shown in percent."""

    def problem(self, value: Any) -> str:
        """Return the reason why the document refuses `value`, in percent; empty for an allowed value."""
        return f"must be from 0 % to {100 * LARGEST_TEST_SHARE:g} %" if super().problem(value) else ""


def parse_percent(text: str) -> float:
    """A share, typed in percent with or without its sign; EntryError for anything else."""
    try:
        return round(parse_number(text.strip().removesuffix("%")) / 100, 12)
    except EntryError:
        raise EntryError("a percentage, such as 30 or 12.5 %") from None


def percent_text(share: float) -> str:
    """Return a share as text: 30 %."""
    return f"{entry_text(round(100 * share, 10))} %"


class DataPanel(Panel):
    """Data, and the numbers they are made from, in one scrolling column; the caption says how many points there are.

    Frequent controls stand first. Where there is no room for them and the tiles, a button opens a menu of the tiles
    instead; where there is even less, the numbers have no sliders and stand side by side. Texts have a fixed room, so
    that no control moves when they change.

    Attributes:
        tiles: the data sets.
        kind: button with the data set, instead of the tiles.
        formula: of data that are made of one.
        n_samples, noise, test_share, seed, split_seed: fields.
        sliders: by name of the field.
        inputs: features of the network.
        again: draws other points.
        use_suited: takes the network and the settings that suit the data.
        keep_weights: training continues with its weights when the data change.
    """

    depends_on = frozenset({"data", "network", "training"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.tiles, self.formula, self.inputs = DataTiles(session), FormulaField(session), InputChoice(session)
        self.kind = DataButton(session)

        def binding(name: str, label: str) -> FieldBinding:
            return FieldBinding(self.session, "data", name, label)

        self.n_samples = EntryField(binding("n_samples", "number of points"), parse_integer, self._points_text)
        self.noise = EntryField(binding("noise", "noise"), parse_number, self._noise_text, TEXTS["noise"])
        percent = PercentBinding(self.session, "data", "test_share", "test data")
        self.test_share = EntryField(percent, parse_percent, percent_text, TEXTS["test_share"])
        self.seed = integer_field(binding("seed", "seed of the data"), TEXTS["seed"])
        self.split_seed = integer_field(binding("split_seed", "seed of the split"), TEXTS["split_seed"])
        self.sliders = {
            "n_samples": FieldSlider(binding("n_samples", "number of points"), N_SAMPLES, whole=True),
            "noise": FieldSlider(binding("noise", "noise"), NOISE),
            "test_share": FieldSlider(percent, TEST),
        }
        for field in (self.n_samples, self.noise, self.test_share):
            set_text_sized(field, setFixedWidth=ENTRY_WIDTH)
        for tiles in (self.tiles, self.kind.tiles):
            tiles.action_requested.connect(session.action_requested)
        self.again = tool_button("↻", TEXTS["again"], self._draw_again, TEXTS["again"])
        self.use_suited = push_button(TEXTS["suits"], do=self._use_suited)
        self.keep_weights = QCheckBox(TEXTS["keep weights"])
        self.keep_weights.setToolTip(TEXTS["keep weights tip"])
        self.keep_weights.clicked.connect(
            lambda on: self.session.edit(TEXTS["keep weights edit"], data={"keep_weights": on})
        )
        self._about, self._notes = LinesLabel(2), muted_label(wrap=True)
        self._about.setProperty("muted", True)
        self._lay_out()

    def _lay_out(self) -> None:
        content, more = QWidget(), make_form()
        self._about_room = QStackedWidget()
        for part in (self._about, FormRow(self.formula, over=content)):
            self._about_room.addWidget(part)
        self._about_room.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._labels = {name: muted_label(title) for name, title in NUMBERS.items()}
        rows = []
        for name, label in self._labels.items():
            label.setBuddy(field := getattr(self, name))
            rows.append(FormRow(label, self.sliders[name], field, over=content))
        self._numbers = FlowRow(rows)
        add_row(more, "Seed", self.seed, "of the split", self.split_seed)
        self._use_row = FlowRow((self.use_suited, self.again))
        first = (self.tiles, self.kind, self._use_row, self._numbers, self._about_room, self.inputs.row)
        parts = (*first, self.inputs.scaling, self._notes, self.inputs.scaled, self.keep_weights, more)
        add_widgets(QVBoxLayout(content), *parts, margins=MARGINS, spacing=SPACING).addStretch(1)
        self._area = scrolled(content)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        add_widgets(QHBoxLayout(self), self._area, margins=(0, 0, 0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        """Show tiles, sliders, or neither: as much as leaves the main controls in sight."""
        width = self.width() - MARGINS[0] - MARGINS[2] - self._area.verticalScrollBar().sizeHint().width()
        heights = [self._use_row.height(), *[self.noise.sizeHint().height()] * len(NUMBERS)]
        least = MARGINS[1] + sum(heights) + SPACING * len(heights)
        others = [
            self._about_room.sizeHint().height(),
            self.inputs.row.height(),
            self.inputs.scaling.sizeHint().height(),
        ]
        all_rows = least + sum(others) + SPACING * len(others)
        has_tiles = self.tiles.height_for(width) + all_rows <= self.height()
        has_sliders = has_tiles or self.kind.sizeHint().height() + SPACING + least <= self.height()
        self.tiles.setVisible(has_tiles)
        self.kind.setVisible(not has_tiles)
        widest = max(label.sizeHint().width() for label in self._labels.values())
        for name, label in self._labels.items():
            label.setMinimumWidth(widest if has_sliders else 0)
            self.sliders[name].setVisible(has_sliders)
        self._numbers.set_stacked(has_sliders)

    def _points_text(self, n_samples: int) -> str:
        """Return the number of points as text; a fixed data set has its own, whatever number the document holds."""
        data = self.session.document.data
        is_drawn = data.source in MADE and (data.source == "formula" or not DATASETS[data.name].fixed)
        return str(n_samples if is_drawn else self.session.data.raw.n_samples)

    def _noise_text(self, noise: float) -> str:
        """A table and points that were drawn have none, whatever number the document holds."""
        return entry_text(noise) if self.session.document.data.source in MADE else NO_NUMBER

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        for tiles in (self.tiles, self.kind.tiles):
            tiles.set_colors(colors)
        self.formula.set_colors(colors)
        self.outdate()

    def refresh(self, change: Change) -> None:
        document, data = self.session.document, self.session.data
        tip = ""
        if data.test is not None:
            tests = TEXTS["tests"].format(train=len(data.train_rows), test=len(data.test_rows))
            tip = f"{what_it_holds(data.raw)}\n{tests}"
        self.set_caption(what_it_holds(data.raw), tip, what_it_holds_briefly(data.raw))
        self.tiles.show_data(document.data)
        self.kind.show_tile(*self.tiles.shown_tile(document.data))
        said, is_formula = about(data, document.data.source, document.data.formula), document.data.source == "formula"
        self._about_room.setCurrentIndex(int(is_formula))
        self._about.setText(said)
        self._about.setToolTip(said)
        self.keep_weights.setChecked(document.data.keep_weights)
        notes = [*([said] if is_formula else []), *data.notes]
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))
        self.inputs.show_data(data)
        self._fit()
        self._show_use_of_fields()
        is_suited = suited(document) == document
        self.use_suited.setEnabled(not is_suited)
        self.use_suited.setToolTip(TEXTS["suits already" if is_suited else "suits tip"].format(**suits_words(document)))

    def _show_use_of_fields(self) -> None:
        """Disable the fields that mean nothing for these data, with the reason as tooltip."""
        data = self.session.document.data
        is_made = data.source in MADE
        is_fixed = not is_made or (data.source == "generator" and DATASETS[data.name].fixed)
        points = counted(self.session.data.raw.n_samples, "point")
        for field in (self.n_samples, self.noise):
            if not field.isModified():
                field.show_value()
        self._enable("n_samples", not is_fixed, TEXTS["n_samples fixed" if is_fixed else "n_samples"], points)
        self._enable("noise", is_made, TEXTS["noise" if is_made else "noise unused"], points)
        has_test = is_split(data)
        self._enable("test_share", has_test, TEXTS["test_share" if has_test else "test_share unused"], points)
        self._enable("split_seed", self.session.data.test is not None, TEXTS["split_seed"], points)
        by_chance = is_made and (not is_fixed or data.noise > 0)
        self._enable("seed", by_chance, TEXTS["seed" if by_chance else "seed unused"], points)
        self.again.setEnabled(by_chance)

    def _enable(self, name: str, enabled: bool, tip: str, points: str) -> None:
        field: EntryField = getattr(self, name)
        field.setEnabled(enabled)
        field.set_tip(tip.format(points=points))
        if name in self.sliders:
            self.sliders[name].setEnabled(enabled)
            self.sliders[name].setToolTip(tip.format(points=points))

    def _draw_again(self) -> None:
        seed = (self.session.document.data.seed + 1) % 2**32
        self.session.edit("other points", data={"seed": seed})

    def _use_suited(self) -> None:
        before = self.session.document
        if self.session.edit("what suits the data", "", **changed_fields(before, suited(before))):
            after = self.session.document
            said = [TEXTS["suits set"].format(**suits_words(after))]
            if len(after.trained.parameters):
                said.append(kept_note(before, after))
            self.session.message_posted.emit(" ".join(filter(None, said)), "note")
