"""`matplotlib.cm`: maps of colours by name."""

from .pyplot import ColorMap


def get_cmap(name="viridis", *_arguments):
    """Return a map of colours."""
    return ColorMap(name)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return ColorMap(name)
