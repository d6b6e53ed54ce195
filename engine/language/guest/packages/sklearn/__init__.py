"""The data sets and the preparation of data that tutorials take from scikit-learn; its models are not here."""

from . import datasets, metrics, model_selection, preprocessing

__version__ = "1.7.2 (Gradstep)"
__all__ = ["datasets", "metrics", "model_selection", "preprocessing"]
