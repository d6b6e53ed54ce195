"""Without zooming, the numbers of the tutorials' graphs can be read in the default arrangement of each workspace."""

import pytest

import gui.arrangement
import gui.workspaces
from gui.arrangement import WORKSPACES
from tests.legibility import digit_heights, documents

HIGH_ENOUGH = 11.0
"""Pixels of a digit."""
READ_AT_ONCE = ["A13 One tanh neuron", "B1 micrograd's README", "perceptron 2-4-4-1"]


@pytest.mark.long
@pytest.mark.parametrize("workspace", [name for name, about in WORKSPACES.items() if about.has_graph])
def test_digits_are_high_enough_when_a_graph_of_the_tutorials_is_first_shown(window, qtbot, monkeypatch, workspace):
    for module in (gui.arrangement, gui.workspaces):  # the screen of the tests is smaller
        monkeypatch.setattr(module, "fit_screen", lambda _window, _docks: None)
    assert all(dock.panel for dock in window.docks.values())
    window.resize(1440, 870)
    window.show_workspace(workspace)
    window.arrange()
    for name in READ_AT_ONCE:
        window.session.reset_document(documents()[name])
        qtbot.waitUntil(lambda: not window.session.presenter.busy)
        heights = digit_heights(window.graph_panel.canvas)
        assert min(heights) >= HIGH_ENOUGH, (name, window.session.presenter.placement.choice)
        whole = len(heights) == len(window.graph_panel.canvas.picture.boxes)
        assert whole or name == READ_AT_ONCE[1]
