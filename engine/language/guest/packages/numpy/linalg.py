"""`numpy.linalg`."""

from engine.language.guest.numpy_names import LINALG

from ._arrays import functions
from ._door import LinAlgError

globals().update(functions(LINALG, "linalg."))
__all__ = ["LinAlgError", *LINALG]
