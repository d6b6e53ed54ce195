"""Data to train on: generators by name, tables, drawn points; arrays in, arrays out."""

from datasets.dataset import Dataset, from_arrays, split
from datasets.generators import DATASETS, DatasetEntry, make_dataset
from datasets.limits import MAX_CLASSES, N_SAMPLES_LIMITS, NOISE_LIMITS, SEED_LIMITS, DatasetError

__all__ = [
    "DATASETS",
    "MAX_CLASSES",
    "NOISE_LIMITS",
    "N_SAMPLES_LIMITS",
    "SEED_LIMITS",
    "Dataset",
    "DatasetEntry",
    "DatasetError",
    "from_arrays",
    "make_dataset",
    "split",
]
