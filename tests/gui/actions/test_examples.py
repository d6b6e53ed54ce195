"""File > Examples: opening one is an edit like any other."""

import pytest
from PySide6.QtWidgets import QMenu

from engine.examples.examples import examples
from tests.gui.menus import menu_of
from tests.gui.training import train


@pytest.fixture
def window(reused_window):
    """Tests that close it make one of their own."""
    return reused_window


def test_an_example_is_opened_and_undone_without_a_question(window, qtbot):
    session, before = window.session, window.session.document
    window.action("example 1_build_your_own_engine/05_backward").trigger()
    qtbot.waitUntil(lambda: not session.program.busy)
    assert session.document.expression.text.startswith("# backward() puts the values in order")
    assert session.document.view.shows == "expression"
    session.undo_stack.undo_edit()
    assert session.document == before


def test_an_example_that_is_a_network_sets_data_layers_and_training(window):
    window.action("example A24").trigger()
    (example,) = [one for one in examples() if one.name == "A24"]
    assert window.session.document.view.shows == "network"
    training, data = window.session.document.training, window.session.document.data
    assert training.loss == example.sections["training"]["loss"]
    assert data.name == example.sections["data"]["name"]
    window.session.undo_stack.undo_edit()


def test_the_menu_has_a_group_for_each_folder_and_kind(window):
    (menu,) = [menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == "E&xamples"]
    groups = [action.text() for action in menu.actions() if menu_of(action, menu) is not None]
    assert groups == list(dict.fromkeys(one.group for one in examples()))


def test_a_published_network_is_the_published_one_whatever_was_set_before(window, qtbot):
    session = window.session
    window.action("example A26").trigger()
    published = session.document
    train(session, qtbot, "step")
    used = {"optimizer": "adam", "batch_size": 2, "max_steps": 3, "dtype": "float32"}
    moons = {"n_samples": 40, "test_share": 0.3, "features": ("x1", "x1^2")}
    assert session.edit("lesson", data=moons, network={"layer_sizes": (2, 4, 4, 1)}, training=used)
    for _ in range(2):  # the second time nothing but the weights is another
        train(session, qtbot, "step")
        window.action("example A26").trigger()
        assert (session.document, session.trained_so_far) == (published, published.trained)
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step == 1


@pytest.mark.long
def test_every_example_opens_and_runs_in_the_window(window, qtbot):
    """One that trains for long is left by the next, as a user would."""
    session = window.session
    for one in examples():
        window.action(f"example {one.name}").trigger()
        qtbot.waitUntil(lambda: session.program.is_slow or not (session.program.busy or session.presenter.busy))
        assert session.program.busy or session.error is None, one.name
        has_graph = session.presenter.shows_network or session.evaluation is None or session.evaluation.root is not None
        assert session.program.busy or bool(session.presenter.picture.boxes) == has_graph, one.name
        assert window.windowTitle()
