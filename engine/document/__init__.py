"""Session files: their contents, the rules for them, and everything computed from them without a window."""

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
    from_json,
    replace_section,
    to_json,
)
from engine.document.errors import DocumentError

if TYPE_CHECKING:
    from engine.document.sweeps.sweep import sweep

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
    "sweep",
    "to_json",
]

if not TYPE_CHECKING:  # a type checker would accept any misspelt name

    def __getattr__(name: str) -> Any:
        """Import `sweep` on first use: multiprocessing and Dask take 30 ms."""
        if name == "sweep":
            return importlib.import_module("engine.document.sweeps.sweep").sweep
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
