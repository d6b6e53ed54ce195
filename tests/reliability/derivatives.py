"""Every derivative of the table of operations at random points of its domain, against two independent slopes.

    python -m tests.reliability.derivatives [POINTS]

The central difference uses five points (error h⁴), the complex step none that cancel. Points closer to a kink than the
step are left out: there is no derivative there.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from engine.autograd import OPS
from engine.autograd.ops import Op

STEP = 1e-3
"""Of the central difference, relative to the size of the input where that is above 1."""
COMPLEX_STEP = 1e-30
FROM_KINK = 4 * STEP
CENTRAL_LIMIT, COMPLEX_LIMIT = 1e-6, 1e-12
"""Largest relative differences allowed."""


@dataclass(frozen=True)
class Comparison:
    """One operation's derivatives at many points.

    Attributes:
        op: its name.
        points: number of points and inputs compared.
        central, complex: largest difference from the central difference and from the complex step, relative to the
            derivative where that is above 1.
    """

    op: str
    points: int
    central: float
    complex: float

    @property
    def ok(self) -> bool:
        return self.points > 0 and self.central <= CENTRAL_LIMIT and self.complex <= COMPLEX_LIMIT


def scalar_operations() -> list[Op]:
    """Return the operations that have formulas of single numbers."""
    return [op for op in OPS.values() if op.elementwise and op.partials]


def compare(op: Op, n_points: int, seed: int = 0) -> Comparison:
    """Compare the derivatives of one operation with both slopes."""
    rng = np.random.default_rng([seed, *op.name.encode()])
    ranges = [op.domain.samples[min(place, len(op.domain.samples) - 1)] for place in range(op.arity or 0)]
    inputs = np.array([rng.uniform(low, high, n_points) for low, high in ranges])
    points, worst_central, worst_complex = 0, 0.0, 0.0
    for x in inputs.T.tolist():
        if op.kink and abs(op.distance_to_kink(*x)) < FROM_KINK:
            continue
        y = op.scalar(*x)
        for place, partial in enumerate(op.scalar_partials):
            stated = float(partial(*x, y))
            size = max(1.0, abs(stated))
            slopes = five_point_slope(op, x, place), complex_slope(op, x, place)
            worst_central = max(worst_central, abs(stated - slopes[0]) / size)
            worst_complex = max(worst_complex, abs(stated - slopes[1]) / size)
            points += 1
    return Comparison(op.name, points, worst_central, worst_complex)


def five_point_slope(op: Op, x: list[float], place: int) -> float:
    """Return (f(x-2h) - 8f(x-h) + 8f(x+h) - f(x+2h)) / 12h, with a smaller h where the function bends or ends."""
    low, _high = op.domain.samples[min(place, len(op.domain.samples) - 1)]
    h = STEP * max(1e-3, min(1.0, abs(x[place])))
    if low >= 0 or op.domain.condition:
        h = min(h, abs(x[place]) / 20)
    values = [float(op.scalar(*x[:place], x[place] + k * h, *x[place + 1 :])) for k in (-2, -1, 1, 2)]
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)


def complex_slope(op: Op, x: list[float], place: int) -> float:
    """Return the imaginary part of f(x + ih) / h."""
    moved: list[complex] = [complex(each) for each in x]
    moved[place] += 1j * COMPLEX_STEP
    return complex(op.complex(*moved)).imag / COMPLEX_STEP


def main(n_points: int) -> int:
    """Print a line for each operation; return 1 when one differs."""
    comparisons = [compare(op, n_points) for op in scalar_operations()]
    for each in comparisons:
        slopes = f"central {each.central:.1e}  complex {each.complex:.1e}"
        print(f"{each.op:<14} {each.points:>7} derivatives  {slopes}  {'ok' if each.ok else 'DIFFERS'}")
    return 0 if all(each.ok for each in comparisons) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 10_000))
