"""The table of the optimizer against every rule written out by hand, and sums that add up as they are shown."""

import random
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.autograd import Value
from engine.experiment.assemble import make_model
from engine.network import LOSSES, MLP, OPTIMIZERS, Trainer, encode
from engine.network.optimizers import MEMORIES
from gui.panels.figures.optimizer import OptimizerPanel
from tests.engine.network.plain_optimizers import PLAIN

RATE = 0.05


def by_hand(name, gradients, p):
    """Memory and parameter after these gradients of one parameter."""
    memory = {}
    for t, g in enumerate(gradients, start=1):
        p = PLAIN[name](p, g, memory, t, RATE)
    return memory, p


@pytest.fixture
def shown_at(session, shown, qtbot):
    """The panel on a session with an optimizer after so many steps."""

    def make(optimizer="adam", steps=2, **training):
        settings = {"optimizer": optimizer, "learning_rate": RATE, "loss": "mean_squared_error", **training}
        data = {"name": "xor", "n_samples": 4, "noise": 0.0}
        assert session.edit("setting", data=data, network={"layer_sizes": (2, 3, 1)}, training=settings)
        panel = shown(OptimizerPanel, width=640)
        for _ in range(steps):
            session.train("step")
        qtbot.waitUntil(lambda: panel.step == steps)
        return panel

    return make


def column(panel, name):
    names = [panel.table.headerData(i, Qt.Orientation.Horizontal) for i in range(panel.table.columnCount())]
    return panel.table.numbers(names.index(name))


def gradients_by_graph(session, model):
    """Of every parameter, from the graph of single numbers of all samples."""
    entry = LOSSES["mean_squared_error"]
    pairs = zip(session.dataset.X, encode(entry, session.dataset.y, 1).values, strict=True)
    terms = [entry.of_sample([model(list(x))], target) for x, target in pairs]
    loss = sum(terms, Value(0.0)) / len(terms)
    model.zero_grad()
    loss.backward()
    return [parameter.grad for parameter in model.parameters()]


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_memory_update_and_next_value_are_those_of_the_rule(session, shown_at, name):
    panel = shown_at(name, steps=2)
    model = make_model(session.document)
    first = model.weights
    history, parameters = [], first.copy()
    for _ in range(3):
        model.weights = parameters
        history.append(gradients_by_graph(session, model))
        before = parameters
        parameters = np.array(
            [by_hand(name, gs, p)[1] for gs, p in zip(zip(*history, strict=True), first, strict=True)]
        )
    np.testing.assert_allclose(column(panel, "value"), before, atol=1e-12)
    np.testing.assert_allclose(column(panel, "gradient"), history[-1], atol=1e-12)
    np.testing.assert_allclose(column(panel, "next value"), parameters, atol=1e-12)
    np.testing.assert_allclose(column(panel, "update"), parameters - before, atol=1e-12)
    memory = [by_hand(name, gs, p)[0] for gs, p in zip(zip(*history, strict=True), first, strict=True)]
    for state in OPTIMIZERS[name].state_names:
        symbol = MEMORIES[state].symbol
        np.testing.assert_allclose(column(panel, symbol), [each[symbol] for each in memory], atol=1e-12)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_what_an_optimizer_remembers_has_the_symbol_of_its_rule(name):
    for state in OPTIMIZERS[name].state_names:
        if name != "adamw":  # its rule names Adam's
            assert f"{MEMORIES[state].symbol} = " in OPTIMIZERS[name].rule
        assert MEMORIES[state].description.endswith(".")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_value_plus_update_is_the_next_value_as_it_is_shown(shown_at, name):
    panel = shown_at(name)
    last = panel.table.columnCount() - 1
    texts = [
        [panel.table.data(panel.table.index(row, c)).replace("−", "-") for c in (1, last - 1, last)]
        for row in range(panel.table.rowCount())
    ]
    assert len(texts) == 13
    for value, step, after in texts:
        total = Decimal(value) + Decimal(step)
        assert total.quantize(Decimal(after)) == Decimal(after)


def test_the_rule_and_its_numbers_stand_above_the_table(shown_at):
    panel = shown_at("momentum", batch_size=2)
    assert panel.rule.text().startswith("Momentum: v = momentum * v + g")
    assert "lr 0.05, t 3, g: gradient of the batch (2 of 4 samples)." in panel.settings.text()
    assert panel.caption == "step 2 · 13 parameters"


@pytest.mark.slow
def test_a_past_step_has_the_step_that_was_made_from_it(session, shown_at, qtbot):
    panel = shown_at("adam", steps=4, batch_size=1)
    now = session.newest.snapshot.parameters
    session.training.view_step(3)
    qtbot.waitUntil(lambda: panel.step == 3)
    assert column(panel, "next value").tolist() == now.tolist()


@pytest.mark.slow
def test_it_follows_a_run_while_it_goes_on(session, shown_at, qtbot):
    panel = shown_at("adam", steps=0)
    session.run()
    qtbot.waitUntil(lambda: panel.step > 20)
    session.pause()
    qtbot.waitUntil(lambda: session.run_state == "paused" and panel.step == session.newest.snapshot.step)
    assert column(panel, "value").tolist() == session.newest.snapshot.parameters.tolist()
    assert column(panel, "next value").tolist() == session.newest.update.after.tolist()


@pytest.mark.slow
def test_a_click_on_the_header_sorts_by_size_and_a_click_on_a_row_selects_the_parameter(session, shown_at):
    panel = shown_at("sgd")
    panel.plot.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    gradients = np.abs(session.newest.update.gradients)
    assert panel.table.rows.tolist() == np.argsort(-gradients, kind="stable").tolist()
    session.set_view(shows="network")
    panel.plot.clicked.emit(panel.table.index(0, 0))
    presenter = session.presenter
    assert session.selection == presenter.keys()[id(presenter.sample.parameters[int(gradients.argmax())])]


@pytest.mark.parametrize("number", [1e200, np.nan])
def test_a_network_that_has_no_next_step_says_so(session, shown_at, qtbot, report, number):
    panel = shown_at("sgd", steps=1)
    report(snapshot=replace(session.newest.snapshot, parameters=np.full(13, number)))
    qtbot.waitUntil(lambda: panel.table.rowCount() == 0)
    assert "not finite" in panel.rule.text()


@pytest.mark.slow
def test_a_hundred_thousand_parameters_turn_only_visible_ones_into_text(qtbot, session, shown):
    panel = shown(OptimizerPanel, width=640)
    data, model = session.data, MLP(2, [256, 256, 100, 1], rng=random.Random(1), initialiser="zeros")
    trainer = Trainer(model, X=data.train.X[:4], y=data.train.y[:4])
    update = trainer.next_update()
    assert len(update.before) > 90_000
    asked, real = [], panel.table.data
    panel.table.data = lambda *args: asked.append(1) or real(*args)
    panel.table.show_update(update, [str(i) for i in range(len(update.before))])
    panel.grab()
    assert panel.table.rowCount() == len(update.before)
    assert len(asked) < 3000
