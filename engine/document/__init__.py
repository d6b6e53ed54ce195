"""What a file holds."""

from engine.document.data_section import Data
from engine.document.document import (
    Document,
    Expression,
    Network,
    Trained,
    Training,
    View,
    from_json,
    replace_section,
    to_json,
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
    "from_json",
    "replace_section",
    "to_json",
]
