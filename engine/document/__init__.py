"""What a file holds."""

from engine.document.document import (
    Data,
    Document,
    DocumentError,
    Expression,
    Network,
    Trained,
    Training,
    View,
    from_json,
    replace_section,
    to_json,
)

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
