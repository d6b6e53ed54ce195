"""NumPy's floating-point warnings switched off: the Trainer checks for overflow itself."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np


def numpy_errors_ignored() -> Callable[..., Any]:
    """Return a function that calls `function(*arguments)` with numpy's floating-point warnings off.

    Entering `np.errstate` takes as long as three numpy calls. These settings live in the context, so a context made
    once with the warnings off does the same at a tenth of the time. The runner belongs to one thread at a time and must
    not be entered from within.
    """
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context.run
