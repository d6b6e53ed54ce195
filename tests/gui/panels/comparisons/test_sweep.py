"""The sweep in the window: what is typed is checked at its place, the map fills in, a click opens the run."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from engine.document import Document, replace_section
from engine.sweeps.table import Cell, cells_of
from gui.background import join_stopped
from gui.panels.comparisons import sweep as sweep_panel
from gui.panels.comparisons.sweep import SweepPanel
from gui.session import Session
from gui.theme import DARK, LIGHT


class Here:
    """Workers in this process: threads, which a gate may hold up."""

    gate = threading.Event()

    def __init__(self):
        self.executor, self.count, self.steps = ThreadPoolExecutor(1), 1, 50
        self._stopped = self.is_shut = False
        submit = self.executor.submit
        self.executor.submit = lambda function, *task: submit(self._work, function, *task)

    def _work(self, function, *task):
        while not self.gate.wait(0.01):
            if self._stopped:
                raise AssertionError("nobody waits for this")
        return function(*task)

    def stop(self):
        self._stopped = True
        self.executor.shutdown(wait=False, cancel_futures=True)

    def close(self):
        self.stop()
        self.executor.shutdown()
        self.is_shut = True


@pytest.fixture
def session(qapp):
    session = Session(replace_section(Document(), "data", name="xor", n_samples=4, noise=0.0))
    yield session
    session.discard_changes()
    session.close()


def make_panel(session, qtbot):
    panel = SweepPanel(session)
    qtbot.addWidget(panel)
    panel.resize(560, 520)
    panel.show()
    qtbot.waitExposed(panel)
    panel.settings.across.values.setText("0.01, 0.1, 1e6")
    panel.settings.up.values.setText("2, 3")
    panel.settings.seeds.setText("2")
    panel.settings.steps.setText("30")
    return panel


@pytest.fixture
def panel(session, qtbot, monkeypatch):
    monkeypatch.setattr(sweep_panel, "SweepWorkers", Here)
    monkeypatch.setattr(Here, "gate", threading.Event())
    panel = make_panel(session, qtbot)
    yield panel
    panel.stop()
    assert join_stopped()


def swept(panel, qtbot):
    Here.gate.set()
    panel.start_or_cancel()
    qtbot.waitUntil(lambda: not panel.sweeping.busy and len(panel.sweeping.rows) == 12)
    return panel


@pytest.mark.slow
def test_it_says_how_many_runs_there_will_be_and_then_how_long_they_take(panel, qtbot):
    assert panel.words.text() == "6 cells with 2 seeds each: 12 runs of 30 steps"
    qtbot.waitUntil(lambda: "about" in panel.words.text())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("across", "0.1,", "with a comma between them"),
        ("across", "0.1, -1", "The learning rate must be"),
        ("up", "2, 1000", "The width must be a whole number from 1 to"),
        ("up", "1..60", "at most 40 values"),
        ("up", "3, 3", "given twice"),
    ],
)
def test_what_cannot_be_is_said_below_the_field_and_nothing_can_be_started(panel, field, text, words):
    axis = getattr(panel.settings, field)
    axis.values.setText(text)
    assert words in axis.problem.text() and axis.problem.isVisible() and not panel.button.isEnabled()
    axis.values.setText("1")
    assert not axis.problem.isVisible() and panel.button.isEnabled()


@pytest.mark.slow
def test_the_same_setting_twice_and_numbers_that_are_none_are_refused(panel):
    panel.settings.up.setting.setCurrentIndex(panel.settings.up.setting.findData("learning_rate"))
    assert "two different settings" in panel.settings.up.problem.text()
    panel.settings.up.setting.setCurrentIndex(panel.settings.up.setting.findData("width"))
    assert panel.button.isEnabled()
    panel.settings.seeds.setText("0")
    assert not panel.button.isEnabled() and "1 to 1,000" in panel.settings.seeds.toolTip()


@pytest.mark.slow
def test_the_map_has_the_median_of_each_cell_and_the_figures_are_read_off(panel, qtbot):
    swept(panel, qtbot)
    assert panel.cells == cells_of(panel.sweeping.rows, panel.drawn.vary) and len(panel.cells) == 6
    assert "The lowest median training loss is" in panel.reading.text()
    panel.plot.hovered.emit((1, 0))
    cell = panel.cells[1, 0]
    assert panel.reading.text().startswith(
        f"learning rate 0.1, width 2: train loss {cell.train_loss:.4f}, median of 2 seeds"
    )
    panel.plot.hovered.emit((2, 1))
    assert "2 of 2 seeds diverged" in panel.reading.text()
    assert [name for name, _ in panel.figure_data()] == [
        "learning_rate", "width", "seed", "train_loss", "train_accuracy", "test_loss", "test_accuracy",
        "diverged_at",
    ]  # fmt: skip
    assert all(len(numbers) == 12 for _, numbers in panel.figure_data())


@pytest.mark.slow
def test_both_figures_are_drawn_in_both_themes(panel, qtbot):
    swept(panel, qtbot)
    seen = []
    for colors in (LIGHT, DARK):
        panel.set_colors(colors)
        for figure in ("train_loss", "train_accuracy"):
            panel.choose_figure(figure)
            seen.append((panel.plot.image.image.tobytes(), panel.plot.scale.tip, colors.name))
    assert len(set(seen)) == 4 and "%" in seen[1][1] and "%" not in seen[0][1]


@pytest.mark.slow
def test_a_run_on_its_way_to_diverge_does_not_stretch_the_colours(panel):
    cells = {(column, 0): Cell(1, 0, 0, loss, loss, loss) for column, loss in enumerate([0.1, 0.2, 0.3, 1e140])}
    panel.plot.show_sweep(("a", "b"), (["1", "2", "3", "4"], ["1"]), cells, "train_loss")
    low, high = (entry.text for entry in panel.plot.scale.entries)
    assert (low, high) == ("0.1000 best", "0.3000 and more")
    colors = panel.plot.image.image[0]
    brightness = colors[:, :3].astype(int).sum(axis=1)
    assert brightness[0] < brightness[1] < brightness[2], "a high loss is bright, as on the loss surface"
    assert len({tuple(color) for color in colors[:3]}) == 3 and tuple(colors[2]) == tuple(colors[3])


@pytest.mark.slow
def test_a_click_on_a_cell_opens_its_run_with_the_loss_that_the_map_shows(panel, session, qtbot):
    swept(panel, qtbot)
    place = panel.plot.box.mapViewToScene(QPointF(1.0, 1.0))
    with qtbot.waitSignal(session.changed, check_params_cb=lambda change: "model" in change):
        QTest.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=panel.plot.mapFromScene(place))
    qtbot.waitUntil(lambda: session.newest is not None)
    assert session.newest.snapshot.step == 30
    assert abs(session.newest.snapshot.loss - panel.cells[1, 1].train_loss) <= 1e-12
    assert session.document.training.learning_rate == 0.1 and session.document.network.layer_sizes == (2, 3, 3, 1)
    session.undo_stack.undo_edit()
    assert session.document.network.layer_sizes == (2, 4, 4, 1)


@pytest.mark.slow
def test_a_run_that_diverged_is_opened_at_its_last_good_weights_and_that_is_said(panel, session, qtbot):
    swept(panel, qtbot)
    told = []
    session.message_posted.connect(lambda text, kind: told.append(text))
    panel.open_cell((2, 0))
    qtbot.waitUntil(lambda: told != [])
    assert "diverged at step" in told[0] and session.document.training.learning_rate == 1e6


@pytest.mark.slow
def test_a_run_that_is_opened_while_a_smaller_sweep_begins_is_called_as_it_was(panel, session, qtbot):
    swept(panel, qtbot)
    panel.open_cell((1, 1))
    Here.gate.clear()
    panel.settings.across.values.setText("0.5")
    panel.start_or_cancel()
    qtbot.waitUntil(lambda: len(session.undo_stack.steps) == 1)
    assert session.undo_stack.undo_label == "open learning rate 0.1, width 3 of the sweep"
    assert session.document.training.learning_rate == 0.1
    panel.start_or_cancel()


@pytest.mark.slow
def test_cancel_keeps_what_has_come_and_another_sweep_can_begin(panel, qtbot):
    panel.start_or_cancel()
    assert panel.sweeping.busy and panel.button.text().endswith("Cancel")
    panel.start_or_cancel()
    assert not panel.sweeping.busy and panel.reading.text().startswith("Cancelled: 0 of 12 ")
    swept(panel, qtbot)


def test_closing_the_window_ends_the_sweep_and_its_workers(window, monkeypatch, qtbot):
    """The workers themselves: tests/engine/sweeps/test_sweep.py."""
    made = []
    monkeypatch.setattr(sweep_panel, "SweepWorkers", lambda: made.append(Here()) or made[-1])
    monkeypatch.setattr(Here, "gate", threading.Event())
    panel = window.docks["SweepPanel"].panel
    panel.catch_up()
    panel.start_or_cancel()
    assert panel.sweeping.busy
    window.session.discard_changes()
    window.close()
    qtbot.waitUntil(lambda: made[0].is_shut)
    assert not panel.sweeping.busy


def test_a_cell_is_the_lower_median_and_a_divergence_an_infinite_loss():
    rows = [
        {
            "a": 1, "b": 2, "seed": seed, "train_loss": loss, "train_accuracy": accuracy, "test_loss": test_loss,
            "test_accuracy": None, "diverged_at": diverged,
        }
        for seed, loss, accuracy, test_loss, diverged in [
            (0, 0.4, 0.5, 0.3, None), (1, 0.1, 1.0, 0.7, None), (2, float("nan"), None, None, 7),
            (3, 0.2, 0.9, 0.6, None),
        ]
    ]  # fmt: skip
    cells = cells_of(rows, {"a": [1], "b": [5, 2]})
    assert cells == {(0, 1): Cell(4, 1, 3, 0.1, float("inf"), 0.2, 0.9, 0.6, None)}


def test_a_map_of_other_settings_says_so_until_they_are_the_present_ones_again(panel, session, qtbot):
    swept(panel, qtbot)
    assert panel.caption == ""
    session.edit("varied", training={"learning_rate": 0.3})
    assert panel.caption == ""
    session.edit("other", training={"l2": 0.1})
    assert panel.caption and "L2 0 instead of 0.1" in panel.caption_tip
    session.undo_stack.undo_edit()
    assert panel.caption == ""
