"""`matplotlib.colors`: maps of colours that a program makes; the window has its own instead."""

from .pyplot import ColorMap


class ListedColormap:
    """A map of given colours."""

    def __init__(self, colors, name="from_list", *_arguments, **_keywords):
        self.colors, self.name = colors, "listed:" + ",".join(map(str, colors))[:300]


class LinearSegmentedColormap(ListedColormap):
    """A map between given colours."""

    @classmethod
    def from_list(cls, name, colors, *_arguments, **_keywords):
        """Return a map between colours."""
        return cls(colors, name)


def _normalise(*_arguments, **_keywords):
    """Return nothing: colours go from the smallest number to the largest."""


Normalize = LogNorm = _normalise
__all__ = ["ColorMap", "LinearSegmentedColormap", "ListedColormap", "LogNorm", "Normalize"]
