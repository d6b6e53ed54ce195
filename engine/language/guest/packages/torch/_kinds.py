"""dtypes, shapes, and the contexts in which operations are recorded or not."""

from __future__ import annotations

import math
from functools import wraps
from typing import Any


class dtype:
    """Kind of the numbers of a tensor."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_floating_point = name.startswith("float")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


float32, float64, int64, bool_ = map(dtype, ("float32", "float64", "int64", "bool"))


class Size(tuple):  # type: ignore[type-arg]
    """The shape of a tensor."""

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class Mode:
    """Whether operations are recorded."""

    grad = True


class no_grad:
    """Context, or decorator, in which operations are not recorded."""

    wanted = False

    def __enter__(self) -> None:
        self._before, Mode.grad = Mode.grad, self.wanted

    def __exit__(self, *_: object) -> None:
        Mode.grad = self._before

    def __call__(self, function: Any) -> Any:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            before, Mode.grad = Mode.grad, self.wanted
            try:
                return function(*arguments, **keywords)
            finally:
                Mode.grad = before

        return call


class enable_grad(no_grad):
    """Context in which operations are recorded."""

    wanted = True


def is_grad_enabled() -> bool:
    """Return True where operations are recorded."""
    return Mode.grad


_NO_EFFECT = ("device", "generator", "pin_memory", "layout", "non_blocking", "memory_format", "num_workers")
"""Options that are accepted: they have no effect here, or the caller has read them."""


def check_options(owner: str, options: Any) -> None:
    """Raise TypeError for an option that would have an effect and is not implemented."""
    for name in options:
        if name not in _NO_EFFECT:
            raise TypeError(f"{owner}() takes no option '{name}' in Gradstep's programs")


IN_PLACE_OF_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
IN_PLACE_WITH_HISTORY = (
    "a tensor that an operation computed, or a part of one that will have a history, cannot be changed in place here: "
    "write a new tensor, as y = y * 2 or torch.stack([...])"
)


def missing(owner: str, name: str, known: Any) -> AttributeError:
    """Return the error for a name that is missing here, with a mistyped one put right: `sin` is none for `sign`.

    Args:
        owner: the module or object.
        name: the missing one.
        known: the names that there are.
    """
    import difflib  # only where a name is missing

    public = [] if name.startswith("__") else [each for each in known if not each.startswith("_")]
    near = difflib.get_close_matches(name, public, 1, 0.88)
    more = f". Did you mean: '{near[0]}'?" if near else ", which have a small part of PyTorch"
    return AttributeError(f"{owner} has no attribute '{name}' in Gradstep's programs{more}")
