from PySide6.QtWidgets import QLabel

from datasets import DATASETS
from gui.panels.data import DataPanel


def test_another_data_set_comes_with_its_own_numbers(session, shown):
    panel = shown(DataPanel)
    panel.name.commit("spiral")
    data = session.document.data
    assert (data.name, data.n_samples, data.noise) == ("spiral", 200, 0.03)
    assert panel.n_samples.text() == "200"
    assert session.dataset.n_samples == 200
    session.undo_stack.undo()
    assert panel.name.currentData() == "moons"
    assert panel.n_samples.text() == "100"


def test_every_data_set_is_offered_with_its_description(shown):
    panel = shown(DataPanel)
    assert [panel.name.itemData(index) for index in range(panel.name.count())] == list(DATASETS)
    panel.name.commit("xor")
    assert DATASETS["xor"].description in panel.name.toolTip()


def test_fields_that_mean_nothing_are_disabled_with_the_reason(session, shown):
    panel = shown(DataPanel)
    session.edit("data", data={"name": "xor", "noise": 0.0})
    assert not panel.n_samples.isEnabled()
    assert panel.n_samples.text() == "4"
    assert "always these 4 points" in panel.n_samples.toolTip()
    assert not panel.seed.isEnabled()
    session.edit("noise", data={"noise": 0.1})
    assert panel.seed.isEnabled()


def test_bad_numbers_stay_out_of_the_document(session, shown):
    panel = shown(DataPanel)
    panel.n_samples.enter("0")
    panel.noise.enter("-1")
    assert panel.n_samples.problem
    assert panel.noise.problem
    assert (session.document.data.n_samples, session.document.data.noise) == (100, 0.1)


def test_the_caption_says_what_there_is(session, shown):
    panel = shown(DataPanel)
    assert panel.caption == "100 points, 2 inputs, 2 classes"
    session.edit("data", data={"name": "curve"})
    assert panel.caption == "100 points, 1 input, a number to predict"


def test_what_is_odd_about_the_data_is_said(session, shown):
    panel = shown(DataPanel)
    session.edit("points", data={"source": "points", "points": [[0.0, 0.0, 0], [1.0, 1.0, 0]]})
    assert any("one class" in label.text() and label.isVisible() for label in panel.findChildren(QLabel))
