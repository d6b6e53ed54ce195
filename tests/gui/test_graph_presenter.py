"""What a canvas shows is made without a session, so that several can stand side by side."""

import threading

import numpy as np
import pytest

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.graph import BoxNumbers, picture
from engine.language import evaluate
from engine.network.run.training_run import TrainingRun
from engine.views.sample import pass_parameters
from gui.background import join_stopped
from gui.canvas import GraphCanvas
from gui.presenter import placement
from gui.presenter.graph_presenter import ALL, GraphPresenter

pytestmark = pytest.mark.slow

FIRST, SECOND = "a = 2\nb = a * 3\n", "x = 0.5\ny = tanh(x)\nz = y * y\n"


class Side:
    """A canvas and what it shows."""

    def __init__(self, qtbot):
        self.presenter, self.canvas = GraphPresenter(), GraphCanvas()
        qtbot.addWidget(self.canvas)
        self.canvas.resize(400, 300)
        self.canvas.show()
        self.signals = []
        self.presenter.picture_changed.connect(lambda _same: self.show())
        self.presenter.readings_changed.connect(lambda: self.canvas.show_readings(self.presenter.readings))
        for signal in (self.presenter.picture_changed, self.presenter.readings_changed):
            signal.connect(lambda *_: self.signals.append(1))

    def show(self):
        self.canvas.show_picture(self.presenter.prepared)

    @property
    def state(self):
        """All that is seen of it."""
        numbers = {key: (reading.data, reading.grad) for key, reading in self.canvas.readings.items()}
        presenter = self.presenter
        return self.canvas.picture, numbers, presenter.position, presenter.words(), presenter.place(), len(self.signals)


@pytest.fixture
def sides(qtbot):
    both = Side(qtbot), Side(qtbot)
    yield both
    for side in both:
        side.presenter.stop()
        join_stopped()


def program(text):
    return replace_section(Document(), "expression", text=text)


def network(**view):
    return replace_section(Document(), "view", shows="network", **view)


def data_of(document):
    return make_dataset(document.data.name, document.data.n_samples, document.data.noise, document.data.seed)


def run_of(document):
    data = data_of(document)
    return TrainingRun(1, make_trainer(document, make_model(document), data))


def test_two_programs_stand_side_by_side_at_their_own_positions(sides):
    left, right = sides
    left.presenter.show(program(FIRST), evaluate(FIRST), None)
    right.presenter.show(program(SECOND), evaluate(SECOND), None)
    assert {"a", "b"} <= left.canvas.picture.boxes.keys() and {"x", "y", "z"} <= right.canvas.picture.boxes.keys()
    before = left.state
    right.presenter.set_position(1)
    right.presenter.next()
    assert left.state == before and left.presenter.position == ALL and right.presenter.position == 2
    before = right.state
    left.presenter.back()
    left.presenter.show(program(FIRST + "c = b + 1\n"), evaluate(FIRST + "c = b + 1\n"), None)
    assert "c" in left.canvas.picture.boxes
    assert right.state == before


def test_the_same_program_on_two_canvases_shares_nothing(sides):
    left, right = sides
    evaluation = evaluate(FIRST)
    for side in sides:
        side.presenter.show(program(FIRST), evaluation, None)
    before = left.state
    right.presenter.show(replace_section(program(FIRST), "view", direction="down"), evaluation, None)
    right.presenter.set_position(0)
    assert left.state == before


def test_a_network_at_two_moments_of_training_stands_side_by_side(sides):
    left, right = sides
    document = network()
    run, data = run_of(document), data_of(document)
    first = run.describe(None)
    run.step(20)
    while run.busy:
        run.advance(1.0)
    later = run.describe(None)
    for side, progress in zip(sides, (first, later), strict=True):
        side.presenter.show(document, None, data, restart=True)
        side.presenter.show_moment(progress, pass_parameters(progress))
    assert left.canvas.readings["loss"].data != right.canvas.readings["loss"].data
    assert [value.data for value in left.presenter.sample.parameters] == first.snapshot.parameters.tolist()
    assert [value.data for value in right.presenter.sample.parameters] == later.snapshot.parameters.tolist()
    before = left.state
    run.phase()
    progress = run.describe(None)
    right.presenter.show_moment(progress, pass_parameters(progress))
    right.presenter.set_position(3)
    assert left.state == before


def test_numbers_that_nobody_sees_wait_until_they_are_asked_for(sides):
    side, _ = sides
    document = network()
    run = run_of(document)
    side.presenter.show(document, None, data_of(document), restart=True)
    first = side.presenter.readings["loss"].data
    run.step(20)
    while run.busy:
        run.advance(1.0)
    progress = run.describe(None)
    side.presenter.is_watched, told = (lambda: False), len(side.signals)
    side.presenter.show_moment(progress, pass_parameters(progress), may_wait=True)
    assert len(side.signals) == told and side.canvas.readings["loss"].data == first
    assert [value.data for value in side.presenter.sample.parameters] == progress.snapshot.parameters.tolist()
    assert side.presenter.readings["loss"].data == side.canvas.readings["loss"].data != first


@pytest.mark.parametrize("reader", ["walk", "value", "words", "look_up", "n_steps", "readings"])
def test_whoever_asks_reads_the_newest_numbers(sides, reader):
    side, _ = sides
    document = network()
    run = run_of(document)
    side.presenter.show(document, None, data_of(document), restart=True)
    side.presenter.is_watched = lambda: False
    first = side.presenter.readings["loss"].data
    run.step(1)
    while run.busy:
        run.advance(1.0)
    progress = run.describe(None)
    side.presenter.show_moment(progress, pass_parameters(progress), may_wait=True)
    asked = getattr(side.presenter, reader)
    if callable(asked):
        asked("loss") if reader in ("value", "words") else asked()
    assert side.canvas.readings["loss"].data != first


def test_a_program_beside_a_network_is_left_alone_by_its_training(sides):
    left, right = sides
    document = network()
    left.presenter.show(program(SECOND), evaluate(SECOND), None)
    right.presenter.show(document, None, data_of(document), restart=True)
    before, run, moment = left.state, run_of(document), None
    for _ in range(5):
        run.phase()
        progress = run.describe(None)
        moment = pass_parameters(progress, moment)
        left.presenter.show_moment(progress, moment)
        right.presenter.show_moment(progress, moment)
    assert left.state == before and "part 5 of 5" in right.presenter.place()


def test_groups_are_asked_for_and_shown_when_the_document_says_so(sides):
    presenter, document, asked = sides[0].presenter, network(), []
    presenter.view_requested.connect(asked.append)
    presenter.show(document, None, data_of(document))
    boxes = presenter.picture.boxes
    presenter.groups.expand("L1N1")
    assert presenter.picture.boxes == boxes and asked == [{"expanded": ("L1N1",), "collapsed": ()}]
    presenter.show(replace_section(document, "view", **asked[0]), None, data_of(document))
    assert "L1N1.w1" in presenter.picture.boxes


def test_what_does_not_differ_is_not_made_anew(sides):
    side, evaluation = sides[0], evaluate(FIRST)
    side.presenter.show(program(FIRST), evaluation, None)
    count = len(side.signals)
    side.presenter.show(replace_section(program(FIRST), "training", learning_rate=0.5), evaluation, None)
    assert len(side.signals) == count


def test_an_operation_opened_within_a_phase_leaves_every_gradient_as_it_was(sides):
    """The gradients of the step before are those of that step, whatever graph they are shown on."""
    presenter, document = sides[0].presenter, network()
    run, data = run_of(document), data_of(document)
    presenter.show(document, None, data, restart=True)
    moment = None
    for _ in range(6):  # a whole step, and the forward phase of the next one
        run.phase()
        progress = run.describe(None)
        moment = pass_parameters(progress, moment)
        presenter.show_moment(progress, moment)
    before = np.array([value.grad for value in presenter.sample.parameters])
    presenter.show(replace_section(document, "view", expanded=("op:L1N1.sum",)), None, data)
    assert np.array_equal([value.grad for value in presenter.sample.parameters], before)


def fan(n_uses):
    """A program in which one value is used so often."""
    return "x = 0.5\n" + "\n".join(f"t{k} = x * {k + 2}" for k in range(n_uses)) + "\n"


def test_of_a_large_picture_what_was_moved_is_put_in_its_place_beside_the_window(qtbot, monkeypatch):
    made_in, prepare = [], placement.PreparedPicture

    def made(picture):
        made_in.append(threading.current_thread())
        return prepare(picture)

    monkeypatch.setattr(placement, "PreparedPicture", made)
    presenter, document = GraphPresenter(), program(fan(placement.MOVED_EDGES_AT_ONCE // 2))
    evaluation = evaluate(document.expression.text)

    def shown(document):
        presenter.show(document, evaluation, None)
        qtbot.waitUntil(lambda: not presenter.busy)
        return presenter.picture.boxes["x"]

    home = shown(document)
    assert len(presenter.picture.edges) > placement.MOVED_EDGES_AT_ONCE
    made_in.clear()
    moved = shown(replace_section(document, "view", moved={"x": (-50.0, 70.0)}))
    assert (moved.x - home.x, moved.y - home.y) == (-50.0, 70.0)
    assert shown(document) == home
    assert len(made_in) == 2 and threading.current_thread() not in made_in
    presenter.stop()
    join_stopped()


def test_numbers_are_written_down_only_for_boxes_that_are_looked_at(monkeypatch):
    presenter, written, write = GraphPresenter(), [], picture.cell_text

    def cell_text(number, signed=False):
        written.append(number)
        return write(number, signed)

    monkeypatch.setattr(picture, "cell_text", cell_text)
    presenter.show(program(SECOND), evaluate(SECOND), None)
    assert len(presenter.readings) == 3 and written == []
    assert presenter.readings["x"].data == "0.5000" and written[0] == 0.5
    assert presenter.readings["x"] == BoxNumbers(
        **{
            name: getattr(presenter.readings["x"], name)
            for name in ("data", "grad", "data_state", "grad_state", "full")
        }
    )
    presenter.stop()
    join_stopped()
