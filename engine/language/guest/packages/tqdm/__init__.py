"""`tqdm`: loops over its argument, without the bar that a terminal would show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class tqdm:
    """An iterable whose progress is not printed."""

    def __init__(self, iterable: Iterable[Any] = (), *_: Any, total: int | None = None, **__: Any) -> None:
        self.iterable, self.total, self.n = iterable, total, 0

    def __iter__(self) -> Iterator[Any]:
        for each in self.iterable:
            yield each
            self.n += 1

    def __len__(self) -> int:
        return len(self.iterable) if self.total is None else self.total  # type: ignore[arg-type]

    def __enter__(self) -> tqdm:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def update(self, n: float = 1) -> None:
        """Count steps."""
        self.n += n  # type: ignore[assignment]

    def close(self) -> None:
        """End the bar, which is not shown."""

    set_description = set_postfix = set_postfix_str = set_description_str = refresh = lambda self, *_, **__: None
    write = staticmethod(print)


def trange(*ends: int, **options: Any) -> tqdm:
    """Return `tqdm(range(...))`."""
    return tqdm(range(*ends), **options)
