"""The document: the contents of a session, as frozen dataclasses of names and numbers, with a rule for each field."""

import importlib
from typing import TYPE_CHECKING, Any

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

if not TYPE_CHECKING:  # a type checker would accept any misspelt name

    def __getattr__(name: str) -> Any:
        """Import `sweep`, which now lives in `engine.sweeps`, on first access."""
        if name == "sweep":
            return importlib.import_module("engine.sweeps.sweep").sweep
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
