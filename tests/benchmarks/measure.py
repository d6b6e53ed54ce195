"""Taking turns: several systems run a case in short interleaved rounds, so that a busy machine is fair to all."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        case: what was done.
        system: who did it.
        value: median, in `unit`.
        unit: such as "µs".
        ratio: this system's value over Gradstep's: above 1 Gradstep is faster (or smaller); None for Gradstep itself.
        reach: the ratio to reach at least; None where there is none.
    """

    case: str
    system: str
    value: float
    unit: str = "µs"
    ratio: float | None = None
    reach: float | None = None

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:9.2f}x"
        reach = (
            "" if self.reach is None else f"{self.reach:7.2f}x {'ok' if (self.ratio or 0) >= self.reach else 'BELOW'}"
        )
        return f"{self.case:34s} {self.system:28s} {self.value:14,.2f} {self.unit:8s} {ratio:>10s}  {reach}"


def interleaved(works: Mapping[str, Work], rounds: int = 9, budget: float = 0.02, least: int = 1) -> dict[str, float]:
    """Median seconds of one run of each work.

    Args:
        works: what to run, by system.
        rounds: how often everyone has a turn.
        budget: seconds of a turn; quick works run several times in it.
        least: runs in a turn at least, so that a work meets the garbage of its own runs before.
    """
    repeats = {name: max(least, _repeats(work, budget)) for name, work in works.items()}
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            gc.collect()  # nobody pays for the garbage of others
            start = time.perf_counter()
            for _ in range(repeats[name]):
                work()
            times[name].append((time.perf_counter() - start) / repeats[name])
    return {name: statistics.median(series) for name, series in times.items()}


def _repeats(work: Work, budget: float) -> int:
    work()
    start = time.perf_counter()
    work()
    return max(1, round(budget / max(time.perf_counter() - start, 1e-7)))


def compared(
    case: str, seconds: Mapping[str, float], reach: Mapping[str, float], own: str = "Gradstep", unit: str = "µs"
) -> list[Row]:
    """Rows for one case: Gradstep's own first, the others with their ratio to it."""
    scale = {"µs": 1e6, "ms": 1e3}[unit]
    rows = [Row(case, own, seconds[own] * scale, unit)]
    others = {name: value for name, value in seconds.items() if name != own}
    return rows + [Row(case, n, v * scale, unit, v / seconds[own], reach.get(n)) for n, v in others.items()]
