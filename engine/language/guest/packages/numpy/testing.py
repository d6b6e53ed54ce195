"""`numpy.testing`: comparisons that raise AssertionError."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from engine.language.guest.numpy_names import TESTING

from ._arrays import functions


def _comparison(compare: Callable[..., None]) -> Callable[..., None]:
    def comparison(*args: Any, err_msg: str = "", verbose: bool = True, **named: Any) -> None:
        compare(*args, **named)

    return comparison


globals().update({name: _comparison(compare) for name, compare in functions(TESTING, "testing.").items()})


@contextlib.contextmanager
def _raises(kind: Any, of: str = "") -> Iterator[None]:
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} not raised{of}")


def assert_raises(kind: Any, function: Callable[..., Any] | None = None, *args: Any, **named: Any) -> Any:
    """Fail unless a call, or the body of a `with` statement, raises an exception of a kind."""
    if function is None:
        return _raises(kind)
    with _raises(kind, f" by {getattr(function, '__name__', repr(function))}"):
        function(*args, **named)
    return None
