"""The document: the contents of a session, as frozen dataclasses of names and numbers, with a rule for each field."""

from engine.document.data_section import Data
from engine.document.document import (
    Document,
    Expression,
    Network,
    Trained,
    Training,
    View,
    replace_section,
)
from engine.document.errors import DocumentError

__all__ = [
    "Data",
    "Document",
    "DocumentError",
    "Expression",
    "Network",
    "Trained",
    "Training",
    "View",
    "replace_section",
]
