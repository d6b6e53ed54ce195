"""The absolute floor of everything that is drawn by size: widths, colours, maps.

A drawing that is scaled to its largest number alone shows rounding errors, such as weights of 7e-17, as if they were
what the network has learnt. So full width and full colour stand for the largest number, or for this floor if that is
more. To draw another kind of number, add it to FLOORS.
"""

from __future__ import annotations

from types import MappingProxyType

FLOORS = MappingProxyType({"value": 0.01, "gradient": 1e-9, "loss": 1e-9})
"""Smallest number of full width or full colour: for weights, biases and outputs; for gradients, which are small in deep
networks; for differences between losses.
"""


def full_scale(largest: float, kind: str = "value") -> float:
    """Return the number that full width or full colour stands for.

    Args:
        largest: absolute number among those that are drawn, 0 or more.
        kind: a name of FLOORS.
    """
    return max(largest, FLOORS[kind])
