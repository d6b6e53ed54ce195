"""The picture of the loss over a plane of parameters."""

import numpy as np
import pytest

from engine.document import Document, replace_section
from engine.experiment.loss_picture import PlaneChoice, loss_pictures
from engine.experiment.prepared import prepare
from engine.experiment.snapshot_network import SampleFigures, snapshot_network
from engine.network import LOSSES
from engine.network.losses import encode
from engine.network.objective import Penalty


@pytest.mark.parametrize(("outgoing", "has_lines"), [(0.0, False), (1.0, True)])
def test_a_loss_that_is_the_same_all_over_the_plane_has_no_level_lines(outgoing, has_lines):
    made = replace_section(Document(), "data", name="xor", noise=0.0)
    made = replace_section(made, "network", layer_sizes=(2, 1, 1), activations=("tanh",))
    made = replace_section(made, "trained", parameters=[0.5, -0.5, 0.1, outgoing, 0.2])  # the last two: the output
    network = snapshot_network(made, prepare(made.data), None)
    *_, picture = loss_pictures(made, network, Penalty(0.0, 0.0), (), PlaneChoice("parameters", parameters=(0, 1)))
    assert np.ptp(picture.surface.losses) == 0.0 or has_lines
    assert bool(picture.levels) == bool(len(picture.lines[0])) == has_lines


@pytest.mark.parametrize(("labels", "found"), [([0.0, 1.0, 1.0], [1]), ([0.0, 1.0, 0.5], [])])
def test_samples_of_a_class_with_a_prediction_are_listed_and_there_are_none_in_a_regression(labels, found):
    outputs = np.array([[0.9], [0.2], [0.8]])
    figures = SampleFigures(0, encode(LOSSES["mean_squared_error"], labels, 1), outputs, outputs)
    assert figures.rows_decided(1, 0).tolist() == found
