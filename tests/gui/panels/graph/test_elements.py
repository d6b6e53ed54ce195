"""The elements of an array can be looked at: on the canvas, in a table that follows, and in exports."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.autograd import Value
from engine.graph.elements import Elements
from engine.graph.formats import write_graph
from engine.language import Evaluation
from gui.canvas.descriptions import tool_tip
from gui.panels.graph.elements import ElementsDialog
from gui.panels.graph.graph import GraphPanel
from gui.presenter.graph_presenter import ALL
from gui.session import Session
from gui.session.programs import Programs

DATA = np.array([[1.0, 2.0, -3.0], [4.0, 0.5, 6.0]])
WEIGHTS = np.array([0.5, -1.0, 2.0])


def product(_text, **_settings):
    """What a program would give that multiplies an array with a vector and sums up."""
    x, w = Value(DATA, label="X"), Value(WEIGHTS, label="w")
    y = x @ w
    y.label = "y"
    loss = (y * y).sum()
    return Evaluation(names={"X": x, "w": w, "y": y}, root=loss)


@pytest.fixture
def panel(qtbot):
    session = Session(programs=Programs(product))
    panel = GraphPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    yield panel
    session.discard_changes()
    session.close()


def key_of(panel, label):
    return next(key for key, box in panel.session.presenter.picture.boxes.items() if box.label == label)


def opened(panel, label):
    panel.session.select(key_of(panel, label))
    panel.action_set["elements"].trigger()
    return panel.findChild(ElementsDialog)


def texts(model):
    return [
        [model.data(model.index(row, column)) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_an_array_is_one_box_with_its_shape_and_its_elements_as_tip(panel):
    presenter = panel.session.presenter
    key = key_of(panel, "X")
    assert presenter.readings[key].data == presenter.readings[key].grad == "2×3"
    tip = tool_tip(presenter.picture, presenter.readings, key)
    assert "array (2, 3)" in tip
    assert "&nbsp;".join(["1", "", *[""] * 2, "2"]) in tip or "1&nbsp;&nbsp;&nbsp;&nbsp;2" in tip


def test_its_elements_and_their_gradients_stand_in_a_table(panel):
    dialog = opened(panel, "X")
    assert dialog.windowTitle() == "Elements of X, 2 × 3"
    assert texts(dialog.models["data"]) == [["1.0000", "2.0000", "−3.0000"], ["4.0000", "0.5000", "6.0000"]]
    slopes = 2 * (DATA @ WEIGHTS)[:, None] * WEIGHTS  # of the sum of squares of X @ w
    assert texts(dialog.models["grad"]) == [[f"{slope:+.4f}".replace("-", "−") for slope in row] for row in slopes]
    model = dialog.models["grad"]
    assert float(model.data(model.index(1, 2), Qt.ItemDataRole.ToolTipRole)) == slopes[1, 2]
    assert model.headerData(1, Qt.Orientation.Vertical) == "1"


@pytest.mark.slow
def test_the_table_follows_the_walk(panel):
    dialog = opened(panel, "y")
    assert dialog.models["grad"].rowCount() == 1
    panel.session.presenter.set_position(0)
    assert dialog.models["data"].rowCount() == dialog.models["grad"].rowCount() == 0
    panel.session.presenter.set_position(ALL)
    assert texts(dialog.models["data"]) == [[f"{number:.4f}".replace("-", "−") for number in DATA @ WEIGHTS]]


def test_a_scalar_has_no_table(panel):
    panel.session.select(
        next(key for key, box in panel.session.presenter.picture.boxes.items() if box.role == "output")
    )
    assert not panel.action_set["elements"].isEnabled()
    panel.show_elements()
    assert panel.findChild(ElementsDialog) is None


@pytest.mark.slow
def test_the_table_closes_when_its_array_is_gone(panel):
    dialog = opened(panel, "X")
    dialog.show()
    panel.session.set_view(shows="network")
    assert not dialog.isVisible()


def test_exports_for_programs_hold_every_element(panel):
    presenter = panel.session.presenter
    nodes = json.loads(write_graph(presenter.graph_view.graph, "json", presenter.look_up()))["nodes"]
    node = next(node for node in nodes if node["label"] == "X")
    assert node["data"] == DATA.tolist()
    assert node["grad"] == (2 * (DATA @ WEIGHTS)[:, None] * WEIGHTS).tolist()
    root = ElementTree.fromstring(write_graph(presenter.graph_view.graph, "graphml", presenter.look_up()))
    assert json.dumps(WEIGHTS.tolist()) in [element.text for element in root.iter()]
    tree = write_graph(presenter.graph_view.graph, "txt", presenter.look_up())
    assert "w = [3]" in tree and re.search(r"data +0\.5 +-1 +2\n", tree)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 2, 3), (0, 3), (40, 50)])
def test_a_table_has_every_element_of_any_shape_once(shape):
    array = np.arange(float(np.prod(shape))).reshape(shape)
    elements = Elements(array)
    cells = [(row, column) for row in range(elements.n_rows) for column in range(elements.n_columns)]
    assert [elements.number(*cell) for cell in cells] == array.ravel().tolist()
    assert len({len(line) for line in elements.lines()}) <= 1 and len(elements.lines()) <= 7
    if len(shape) > 2:
        assert elements.row_name(3) == "1, 1"
