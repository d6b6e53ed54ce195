"""`numpy.testing`: comparisons that raise AssertionError."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ._arrays import apply
from ._door import words


def _comparison(name: str) -> Callable[..., None]:
    def comparison(*args: Any, **named: Any) -> None:
        for key in ("err_msg", "verbose"):
            named.pop(key, None)
        apply(f"testing.{name}", args, named)

    comparison.__name__ = name
    return comparison


assert_allclose, assert_array_equal, assert_equal, assert_almost_equal, assert_array_almost_equal, assert_array_less = (
    map(
        _comparison,
        words(
            "assert_allclose assert_array_equal assert_equal assert_almost_equal assert_array_almost_equal "
            "assert_array_less"
        ),
    )
)


@contextlib.contextmanager
def _raises(kind: Any) -> Iterator[None]:
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} not raised")


def assert_raises(kind: Any, function: Callable[..., Any] | None = None, *args: Any, **named: Any) -> Any:
    """Fail unless a call, or the body of a `with` statement, raises an exception of a kind."""
    if function is None:
        return _raises(kind)
    with _raises(kind):
        function(*args, **named)
    return None
