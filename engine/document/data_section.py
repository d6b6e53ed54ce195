"""What the document says of its data: where the points come from, what the network is fed, which points only test."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from datasets import MAX_CLASSES, N_SAMPLES_LIMITS, NOISE_LIMITS, SEED_LIMITS
from engine.document import fields
from engine.document.errors import LONGEST_PATH, DocumentError
from engine.document.fields import held
from engine.document.frozen_floats import FrozenFloats
from engine.language.formula import formula_problem
from engine.messages import quoted
from engine.quick_dataclass import dataclass

LONGEST_FORMULA = 500
MOST_POINTS = 2_000
"""Drawn by hand: the plot draws as many, and a thousand undo steps of them take 16 MB."""
MOST_TABLE_CELLS = 300_000
"""Of an imported table: 6 MB in a file, beside the 8 MB of the largest network."""
MOST_COLUMNS, MOST_TABLE_LETTERS, LONGEST_LABEL = 500, 1_000_000, 60
LARGEST_TEST_SHARE = 0.9


def _formula(value: Any) -> str:
    """A formula that can be read; what is wrong is said with its column."""
    checked = str(fields.text(LONGEST_FORMULA, 1)(value))
    if problem := formula_problem(checked):
        raise ValueError(problem)
    return checked


def _point(value: Any) -> tuple[float, float, int]:
    """x1, x2 and the class of a drawn point."""
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise ValueError(f"must be x1, x2 and a class, not {quoted(value)}")
    return fields.any_number(value[0]), fields.any_number(value[1]), fields.integer(0, MAX_CLASSES - 1)(value[2])


SOURCES = ("generator", "formula", "table", "points")
"""What data can come from."""
FOLLOWING_FIELDS = ("signed_points", "left_out", "keep_weights")
"""Fields that do not describe the data: they follow from other edits or guide them, and are not listed or varied."""
POINT_FIELDS = {
    "generator": ("name", "n_samples", "noise", "seed"),
    "formula": ("formula", "n_samples", "noise", "seed"),
    "table": ("table", "table_inputs", "table_target", "table_task"),
    "points": ("points",),
}
"""The fields that the points of each source are made from."""
_COLUMN = fields.either(
    fields.floats(N_SAMPLES_LIMITS[1]), fields.texts(N_SAMPLES_LIMITS[1], LONGEST_LABEL, MOST_TABLE_LETTERS)
)


@dataclass(frozen=True)
class Data:
    """What is learnt from: where the points come from, what of them the network is fed, and which only test it.

    A file holds what every source needs, so that one can go back to drawn points or to a table after looking at
    another data set; only the fields of `source` count.

    Attributes:
        source: one of SOURCES.
        name: of a generator: a name of DATASETS.
        n_samples, noise, seed: of a generator, and of a formula.
        formula: of x1, or of x1 and x2: the number to predict, or a comparison that parts two classes.
        table: columns of numbers or of labels by name, all of one length, no cell missing.
        table_name: what the table was read from, to be shown; never opened.
        table_inputs: names of the columns to predict from; none: every other column of numbers.
        table_target: name of the column to predict; "": the one that looks like it.
        table_task: what predicting it is; "auto": a classification of labels and of at most 10 whole numbers.
        points: x1, x2 and the class of each point that was drawn.
        signed_points: whether two classes of drawn points are -1 and 1, as those of the data that were drawn upon.
        features: what the network is fed, names of `available_features`; none: the columns as they are.
        left_out: further features that were chosen and that these data do not have; with data that have them they are
            chosen again.
        scaling: whether every input is shifted and stretched to mean 0 and standard deviation 1 of the training data.
        test_share: share of the points that only test; 0: none. Data sets of fixed points train on all of them.
        split_seed: of the chance that deals the points out.
        keep_weights: whether training goes on with its weights when other data are chosen.
    """

    source: str = held("generator", fields.one_of(lambda: SOURCES))
    name: str = held("moons", fields.text(60))
    n_samples: int = held(100, fields.integer(*N_SAMPLES_LIMITS))
    noise: float = held(0.1, fields.number(*NOISE_LIMITS))
    seed: int = held(1, fields.integer(*SEED_LIMITS))
    formula: str = held("sin(x1) * cos(x2)", _formula)
    table: tuple[tuple[str, FrozenFloats | tuple[str, ...]], ...] = held((), fields.Table(_COLUMN, MOST_COLUMNS))
    table_name: str = held("", fields.text(LONGEST_PATH))
    table_inputs: tuple[str, ...] = held((), fields.sequence(fields.text(fields.LONGEST_NAME), 0, MOST_COLUMNS))
    table_target: str = held("", fields.text(fields.LONGEST_NAME))
    table_task: str = held("auto", fields.one_of(lambda: ("auto", "classification", "regression")))
    points: tuple[tuple[float, float, int], ...] = held((), fields.sequence(_point, 0, MOST_POINTS))
    signed_points: bool = held(False, fields.boolean)
    features: tuple[str, ...] = held((), fields.sequence(fields.text(fields.LONGEST_NAME), 0, MOST_COLUMNS))
    left_out: tuple[str, ...] = held((), fields.sequence(fields.text(fields.LONGEST_NAME), 0, MOST_COLUMNS))
    scaling: bool = held(False, fields.boolean)
    test_share: float = held(0.0, fields.number(0.0, LARGEST_TEST_SHARE))
    split_seed: int = held(0, fields.integer(*SEED_LIMITS))
    keep_weights: bool = held(False, fields.boolean)

    def __post_init__(self) -> None:
        lengths = {len(column) for _name, column in self.table}
        if len(lengths) > 1:
            raise DocumentError("data.table", "must have columns of one length")
        if (cells := sum(lengths) * len(self.table)) > MOST_TABLE_CELLS:
            raise DocumentError("data.table", f"must have at most {MOST_TABLE_CELLS:,} cells, not {cells:,}")
        if len(set(self.features)) < len(self.features):
            raise DocumentError("data.features", "must name each input once")

    def trains_like(self, other: Data) -> bool:
        """Return True when both give the same training and test data; what is done with the weights may differ."""
        return replace(self, keep_weights=other.keep_weights) == other

    def has_other_points(self, before: Data) -> bool:
        """Return True when the points are other ones than those of `before`; points drawn on top of them are not."""
        if self.source == "points" and self.points != before.points:
            return False
        names = ("source", *POINT_FIELDS[self.source])
        return any(getattr(self, name) != getattr(before, name) for name in names)
