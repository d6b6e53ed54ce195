"""Data to train on: generators by name, tables, drawn points; arrays in, arrays out."""

from datasets.dataset import Dataset, from_arrays, sample_rows, split_rows, telling_inputs
from datasets.features import FEATURES, Feature, Scaling, available_features, derive_features, feature_title
from datasets.generators import DATASETS, DatasetEntry, Suited, make_dataset
from datasets.importing import TABLE_SUFFIXES, ImportChoices, ImportPreview, TableImport
from datasets.limits import MAX_CATEGORIES, MAX_CLASSES, N_SAMPLES_LIMITS, NOISE_LIMITS, SEED_LIMITS, DatasetError
from datasets.points import from_function, from_points
from datasets.table import Column, Table, scaling_advice
from datasets.text_file import TableFormat, parse_table, read_table, table_text

__all__ = [
    "DATASETS",
    "FEATURES",
    "MAX_CATEGORIES",
    "MAX_CLASSES",
    "NOISE_LIMITS",
    "N_SAMPLES_LIMITS",
    "SEED_LIMITS",
    "TABLE_SUFFIXES",
    "Column",
    "Dataset",
    "DatasetEntry",
    "DatasetError",
    "Feature",
    "ImportChoices",
    "ImportPreview",
    "Scaling",
    "Suited",
    "Table",
    "TableFormat",
    "TableImport",
    "available_features",
    "derive_features",
    "feature_title",
    "from_arrays",
    "from_function",
    "from_points",
    "make_dataset",
    "parse_table",
    "read_table",
    "sample_rows",
    "scaling_advice",
    "split_rows",
    "table_text",
    "telling_inputs",
]
