"""Numbers that are rounding errors look like 0 in every drawing that is scaled to its largest number."""

import numpy as np
import pytest

from engine.graph.drawn_scale import FLOORS, full_scale
from engine.graph.gradients import in_proportion
from engine.network.neuron_maps import NeuronMaps
from gui.panels.network.network_picture import DrawnNumbers, map_pictures, map_table, shades_of
from gui.panels.planes.neuron_plane import NeuronPlane
from gui.theme import LIGHT

TINY = 7e-17


@pytest.mark.parametrize("kind", FLOORS)
def test_full_width_is_the_largest_number_or_the_floor(kind):
    assert full_scale(3.0, kind) == 3.0
    assert full_scale(TINY, kind) == FLOORS[kind] == full_scale(0.0, kind)


@pytest.mark.parametrize("kind", ["value", "gradient"])
def test_weights_of_the_size_of_rounding_errors_are_drawn_as_zeros(kind):
    drawn = DrawnNumbers((np.array([[TINY, -TINY, 0.0], [0.0, TINY / 2, TINY]]),), kind=kind)
    assert not shades_of(drawn.matrices[0], drawn.weight_scale).any()
    assert not shades_of(drawn.matrices[0][:, -1], drawn.bias_scale).any()


def test_gradients_of_a_deep_network_are_drawn_in_proportion_though_they_are_small():
    drawn = DrawnNumbers((np.array([[2e-6, -1e-6, 0.0]]),), kind="gradient")
    assert shades_of(drawn.matrices[0], drawn.weight_scale).tolist() == [[8, -4, 0]]


def test_a_map_of_tiny_outputs_has_the_colour_of_zero_everywhere():
    table = map_table(LIGHT)
    outputs = np.full((1, 4, 4), 4e-16, dtype=np.float32)
    pictures = map_pictures(NeuronMaps((outputs,), (np.array([4e-16]),)), [1], table)
    assert pictures.images[0].pixel(2, 2) == table[len(table) // 2]


def test_the_large_map_of_a_neuron_has_the_same_floor():
    plane = NeuronPlane((1, 0), np.full((4, 4), 4e-16), (-1.0, 1.0, -1.0, 1.0))
    assert plane.shown_levels == (-FLOORS["value"], FLOORS["value"])


def test_a_gradient_of_a_rounding_error_makes_no_wide_edge():
    assert in_proportion({("a", "b"): 1e-17, ("b", "c"): -5e-18}) == pytest.approx(
        {("a", "b"): 0.0, ("b", "c"): 0.0}, abs=1e-6
    )
    assert in_proportion({("a", "b"): 2.0, ("b", "c"): -1.0}) == {("a", "b"): 1.0, ("b", "c"): -0.5}
