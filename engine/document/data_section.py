"""Data section of the document: source of the points, features of the network, test split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from datasets import MAX_CLASSES, N_SAMPLES_LIMITS, NOISE_LIMITS, SEED_LIMITS
from engine.document import fields
from engine.document.errors import LONGEST_PATH, DocumentError
from engine.document.fields import held
from engine.document.frozen_floats import FrozenFloats
from engine.language.formula import formula_problem
from engine.messages import quoted

LONGEST_FORMULA = 500
MOST_POINTS = 2_000
"""Limit of points drawn by hand: the most that the plot draws; a thousand undo steps of them take 16 MB."""
MOST_TABLE_CELLS = 300_000
"""Limit of numbers in an imported table: 6 MB in a file, besides 8 MB for the largest network."""
MOST_COLUMNS, MOST_TABLE_LETTERS, LONGEST_LABEL = 500, 1_000_000, 60
LARGEST_TEST_SHARE = 0.9


def _formula(value: Any) -> str:
    """Return a formula that parses; raise with the column of its error otherwise."""
    checked = str(fields.text(LONGEST_FORMULA, 1)(value))
    if problem := formula_problem(checked):
        raise ValueError(problem)
    return checked


def _point(value: Any) -> tuple[float, float, int]:
    """Return x1, x2 and class of a drawn point."""
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise ValueError(f"must be x1, x2 and a class, not {quoted(value)}")
    return fields.any_number(value[0]), fields.any_number(value[1]), fields.integer(0, MAX_CLASSES - 1)(value[2])


SOURCES = ("generator", "formula", "table", "points")
"""Sources of data."""
FOLLOWING_FIELDS = ("signed_points", "left_out", "keep_weights")
"""Fields that do not describe the data: they follow from other edits or guide them, and are neither listed nor varied.
"""
POINT_FIELDS = {
    "generator": ("name", "n_samples", "noise", "seed"),
    "formula": ("formula", "n_samples", "noise", "seed"),
    "table": ("table", "table_inputs", "table_target", "table_task"),
    "points": ("points",),
}
"""Fields that define the points of each source."""
_COLUMN = fields.either(
    fields.floats(N_SAMPLES_LIMITS[1]), fields.texts(N_SAMPLES_LIMITS[1], LONGEST_LABEL, MOST_TABLE_LETTERS)
)


@dataclass(frozen=True)
class Data:
    """Data for training and testing: source of the points, features, test split.

    A file holds the fields of every source, so that one can return to drawn points or a table after another
    data set; only the fields of `source` have an effect.

    Attributes:
        source: one of SOURCES.
        name: generator, a name of DATASETS.
        n_samples, noise, seed: of a generator, and of a formula.
        formula: of x1, or of x1 and x2: the number to predict, or a comparison that separates two classes.
        table: columns of numbers or of labels by name, all of one length, without missing cells.
        table_name: name of the imported file, for display only.
        table_inputs: names of the input columns; none: every other column of numbers.
        table_target: name of the column to predict; "": chosen automatically.
        table_task: kind of prediction; "auto": classification for labels and for at most 10 whole numbers.
        points: x1, x2 and the class of each drawn point.
        signed_points: two classes of drawn points are -1 and 1, as in the data set drawn upon.
        features: inputs of the network, names of `available_features`; none: the columns unchanged.
        left_out: chosen features that these data lack; chosen again with data that have them.
        scaling: standardise every input to mean 0 and standard deviation 1 of the training data.
        test_share: share of test points; 0: none. Data sets of fixed points train on all of them.
        split_seed: seed of the train/test split.
        keep_weights: training continues with its weights when other data are chosen.
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
    points: tuple[tuple[float, float, int], ...] = held((), fields.sequence(_point, 0, MOST_POINTS), one_a_line=True)
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
        """Return True when both give the same training and test data; handling of the weights may differ."""
        return replace(self, keep_weights=other.keep_weights) == other

    def has_other_points(self, before: Data) -> bool:
        """Return True when the points differ from those of `before`; points drawn in addition do not count."""
        if self.source == "points" and self.points != before.points:
            return False
        names = ("source", *POINT_FIELDS[self.source])
        return any(getattr(self, name) != getattr(before, name) for name in names)
