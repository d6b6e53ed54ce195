"""The packages beside the standard library that programs can import, and the names that they find without an import.

Inside the component the folders of `packages/` are top-level packages. In the normal interpreter, where tests run the
guest modules, only those exist that are installed there.
"""

import importlib
from typing import Any

MODULES = [
    "numpy", "numpy.linalg", "numpy.random", "numpy.testing", "numpy.typing", "matplotlib.pyplot",
    "matplotlib.cm", "matplotlib.colors",
    "micrograd.engine", "micrograd.nn", "graphviz", "IPython.display", "torch", "torch.utils.data", "sklearn.datasets",
    "sklearn.model_selection", "sklearn.preprocessing", "tqdm", "tqdm.auto",
    "tqdm.notebook",
]  # fmt: skip

_AT_HAND = {"np": "numpy", "plt": "matplotlib.pyplot", "torch": "torch"}

_loaded: dict[str, Any] = {}
for _name in MODULES:
    try:
        _loaded[_name] = importlib.import_module(_name)
    except ImportError:
        continue


def module(name: str) -> Any:
    """Return a package, or None where it does not exist."""
    return _loaded.get(name)


def at_hand() -> dict[str, Any]:
    """Return the names that programs find without an import."""
    return {name: _loaded[full] for name, full in _AT_HAND.items() if full in _loaded}
