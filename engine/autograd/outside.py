"""Functions of `math` and numpy that a formula calls by their bare names, made to follow the rules of formulas.

A function on floats gives a float and never raises: where `math` does, the result is numpy's inf or nan. A function
that only `math` has is applied to arrays element by element.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from messages import did_you_mean

Function = Callable[..., Any]

ANALYTIC = frozenset(
    {
        *("acos", "arccos", "asin", "arcsin", "atan", "arctan", "tan", "sinh", "cosh", "exp2", "expm1", "log2"),
        *("log10", "acosh", "arccosh", "asinh", "arcsinh", "atanh", "arctanh", "square", "reciprocal"),
    }
)
"""Of numpy's functions those whose complex values are worth a complex step: `sign` and its like have some, too."""


class FormulaError(ValueError):
    """A formula of an operation that cannot be run."""


@cache
def scalar_named(name: str) -> Function:
    """The function of this name for floats.

    Raises:
        FormulaError: when neither math nor numpy has it.
    """
    plain, array = _of_math(name), _of_numpy(name)
    if plain is None and array is None:
        raise _unknown(name)
    careful = array or _nowhere

    def on_floats(*values: float) -> float:
        try:
            if plain is not None:
                return float(plain(*values))
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
        with np.errstate(all="ignore"):
            return float(careful(*map(np.float64, values)))

    return on_floats


@cache
def array_named(name: str) -> Function:
    """The function of this name for arrays, element by element."""
    array = _of_numpy(name)
    return array if array is not None else np.vectorize(scalar_named(name), otypes=[np.float64])


def complex_named(name: str) -> Function:
    """The function of this name for complex numbers; one that raises ValueError where there is no analytic one."""
    array = _of_numpy(name) if name in ANALYTIC else None
    if array is not None:
        return array

    def not_analytic(*_: complex) -> complex:
        raise ValueError(f"{name} is not computed for complex numbers")

    return not_analytic


def is_ufunc(name: str, n_inputs: int) -> bool:
    """Whether numpy has a universal function of this name from so many float64 to one."""
    function = getattr(np, name, None)
    return isinstance(function, np.ufunc) and f"{'d' * n_inputs}->d" in function.types


def _of_math(name: str) -> Function | None:
    function = getattr(math, name, None)
    return function if callable(function) else None


def _of_numpy(name: str) -> Function | None:
    function = getattr(np, name, None)
    return function if callable(function) and not isinstance(function, type) else None


def _nowhere(*_: float) -> float:
    return math.nan


def _unknown(name: str) -> FormulaError:
    hint = did_you_mean(name, [*dir(math), *dir(np)], str)
    return FormulaError(f"a formula calls {name}, which neither math nor numpy has{hint}")
