"""`numpy.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._arrays import apply
from ._door import LinAlgError, words

FUNCTIONS = words(
    "norm inv pinv det slogdet solve lstsq eig eigh eigvals eigvalsh svd svdvals qr cholesky matrix_rank matrix_power "
    "cond"
)


def _function(name: str) -> Callable[..., Any]:
    def function(*args: Any, **named: Any) -> Any:
        return apply(f"linalg.{name}", args, named)

    function.__name__ = function.__qualname__ = name
    return function


for _name in FUNCTIONS:
    globals()[_name] = _function(_name)


__all__ = ["LinAlgError", *FUNCTIONS]
