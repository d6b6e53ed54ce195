"""`numpy.typing`: names for annotations."""

from __future__ import annotations

from typing import Any

from ._arrays import ndarray

ArrayLike = Any
DTypeLike = Any


class _Annotated:
    """`NDArray[np.float64]`."""

    def __getitem__(self, kind: Any) -> Any:
        return ndarray


NDArray = _Annotated()
