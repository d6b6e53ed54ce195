"""Published trainings set up and run in the window with mouse and keys alone; what it shows is compared with them."""

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

DEMO_LOG = Path(__file__).parents[2] / "resources" / "examples" / "demo_log.csv"
KEYS = Qt.Key


class User:
    """Chooses, types and clicks in the real widgets of a window."""

    def __init__(self, window, qtbot):
        self.window, self.qtbot = window, qtbot
        self.fields = window.docks["NetworkPanel"].panel.fields | window.docks["LearningPanel"].panel.fields
        self.diagram = window.docks["NetworkPanel"].panel.diagram

    def choose_data(self, title):
        """Goes through the pictures of the data sets with the arrow keys."""
        dock = self.window.docks["DataPanel"]
        dock.show()
        dock.raise_()
        panel = dock.panel
        self.qtbot.waitUntil(lambda: panel.tiles.isVisible() or panel.kind.isVisible())
        tiles = panel.tiles if panel.tiles.isVisible() else panel.kind.tiles
        if tiles is panel.kind.tiles:
            panel.kind.menu().popup(panel.kind.mapToGlobal(panel.kind.rect().bottomLeft()))
        row = [tile.title for tile in tiles.tiles].index(title)
        while tiles.currentIndex().row() != row:
            before = tiles.currentIndex().row()
            self.qtbot.keyClick(tiles, KEYS.Key_Right if before < row else KEYS.Key_Left)
            assert tiles.currentIndex().row() != before
        self.qtbot.keyClick(tiles, KEYS.Key_Return)

    def choose(self, combo, title):
        """Goes through a list with the arrow keys."""
        wanted = combo.findText(title)
        assert wanted >= 0, [combo.itemText(index) for index in range(combo.count())]
        while combo.currentIndex() != wanted:
            self.qtbot.keyClick(combo, KEYS.Key_Down if combo.currentIndex() < wanted else KEYS.Key_Up)

    def enter(self, field, text):
        """Types over what stands in a field."""
        field.setFocus()
        field.selectAll()
        self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, KEYS.Key_Return)
        assert field.text() == text

    def take(self, button, title):
        """Takes an entry of the menu over a column of the drawn network."""
        button.fill()
        next(action for action in button.menu().actions() if action.text() == title).trigger()

    def set_up(self, data, choices, entries, activation="", output=""):
        """The data set first, then fields by the names of what they set, and activations by their titles."""
        self.choose_data(data)
        for name, title in choices.items():
            self.choose(self.fields[name], title)
        if activation:
            self.take(self.diagram.hidden[0].activation, activation)
            self.take(self.diagram.hidden[0].activation, f"{activation} in every hidden layer")
        if output:
            self.take(self.diagram.output.menu, output)
        for name, text in entries.items():
            self.enter(self.fields[name], text)

    def steps(self, count):
        """Clicks the button so many times, and waits until all are made."""
        action = self.window.action("step")
        self.window.resize(1440, 870)  # so that the button has room in the bar
        button = next(each for each in self.window.findChildren(QToolButton) if each.defaultAction() is action)
        self.qtbot.waitUntil(button.isVisible)
        for _ in range(count):
            self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        session = self.window.session
        self.qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == count)

    def predictions(self):
        """Targets and predictions as the table shows them, (n,) each."""
        dock = self.window.docks["PredictionsPanel"]
        dock.show()
        dock.raise_()
        table = dock.panel.table
        columns = [table.columnCount() - 3, table.columnCount() - 2]
        step = self.window.session.newest.snapshot.step
        self.qtbot.waitUntil(lambda: dock.panel.step == step)
        texts = [[table.data(table.index(row, column)) for row in range(table.rowCount())] for column in columns]
        return [np.array([float(text.replace("\u2212", "-")) for text in column]) for column in texts]


@pytest.fixture
def user(window, qtbot):
    return User(window, qtbot)


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "rate", "steps", "targets", "most"),
    [("Tutorial, 4 points", "0.05", 100, [1, -1, -1, 1], 0.1), ("XOR", "0.1", 1000, [0, 1, 1, 0], 0.01)],
    ids=["A24", "A26"],
)
def test_the_tutorials_points_come_out_beside_their_targets(user, window, data, rate, steps, targets, most):
    """tanh everywhere, summed squared error: the targets that are shown are those that were trained on."""
    choices = {"training.loss": "Summed squared error"}
    user.set_up(data, choices, {"training.learning_rate": rate}, output="tanh")
    user.enter(window.docks["DataPanel"].panel.noise, "0")
    user.steps(steps)
    shown_targets, predictions = user.predictions()
    assert shown_targets.tolist() == targets
    loss = window.session.newest.snapshot.loss
    assert loss < most
    assert loss == pytest.approx(np.sum((predictions - targets) ** 2), abs=5e-4)
    assert f"loss {loss:.4f} of all 4" in window.main_bar.readout.text()
    assert window.session.newest.snapshot.accuracy == 1.0


def test_all_losses_of_micrograds_demo_come_out(user, window):
    """The published run: moons of seed 1337, MLP 2-16-16-1 of relu, hinge, rate from 1 to 0.1 over 100 steps."""
    lines = DEMO_LOG.read_text(encoding="utf-8").splitlines()
    published = np.array([(float(row["loss"]), float(row["accuracy"])) for row in csv.DictReader(lines[1:])])
    user.choose(user.fields["training.schedule"], "Linear")
    user.set_up(
        "Two moons",
        {"training.loss": "SVM max-margin (hinge)", "network.initialiser": "Uniform"},
        {
            "network.seed": "1337",
            "training.learning_rate": "1",
            "training.l2": "0.0001",
            "training.schedule_settings.steps": "100",
            "training.schedule_settings.end": "0.1",
        },
        activation="ReLU",
    )
    user.enter(window.docks["DataPanel"].panel.seed, "1337")
    user.enter(window.docks["NetworkPanel"].panel.sizes, "2, 16, 16, 1")
    user.steps(100)
    session = window.session
    steps, penalties = session.newest.curves["penalty"]
    sums = session.newest.curve_losses[steps[:-1].astype(int)] + penalties[:-1]
    np.testing.assert_allclose(sums, published[steps[:-1].astype(int), 0], atol=1e-9)
    assert session.newest.snapshot.accuracy == 1.0
    for step in (1, 50, 99):
        session.training.view_step(step)
        user.qtbot.waitUntil(lambda step=step: session.shown.snapshot.step == step)
        assert session.shown.snapshot.objective == pytest.approx(published[step, 0], abs=1e-9)
        assert 100 * session.shown.snapshot.accuracy == pytest.approx(published[step, 1])
