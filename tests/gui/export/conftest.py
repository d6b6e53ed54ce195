"""The pictures that the canvas is tested with are exported as well."""

from tests.gui.canvas.conftest import canvas, draw, grid, key_of, neuron

__all__ = ["canvas", "draw", "grid", "key_of", "neuron"]
