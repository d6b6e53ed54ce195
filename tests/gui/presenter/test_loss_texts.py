"""What the read-out, the captions and the tool-tips say, against losses computed here with numpy alone."""

import re
from dataclasses import replace

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import MLP, Trainer
from engine.network.run.training_run import TrainingRun
from gui.number_texts import reading_text
from gui.presenter.loss_texts import (
    curve_caption,
    last_batch,
    logarithmic_note,
    newest_caption,
    point_caption,
    readout,
    train_points,
    viewed_caption,
)

L2 = 0.01


def outputs(parameters, X):
    """A perceptron 2-3-1 with tanh and a linear output, by hand: neuron by neuron, weights and then the bias."""
    hidden = parameters[:9].reshape(3, 3)
    return np.tanh(X @ hidden[:, :2].T + hidden[:, 2]) @ parameters[9:12] + parameters[12]


def loss_of(parameters, X, targets):
    """Data loss: penalties are figures of their own."""
    return np.mean((outputs(parameters, X) - targets) ** 2)


class Watched:
    """A run of 50 samples, with the parameters before each step and the rows that it saw."""

    def __init__(self, batch_size, steps):
        data = make_dataset("moons", n_samples=50, seed=3)
        model = MLP(2, [3, 1], activation="tanh", output_activation="linear")
        self.trainer = Trainer(model, X=data.X, y=data.y, learning_rate=0.05, batch_size=batch_size, l2=L2)
        self.X, self.targets = self.trainer.data.X, self.trainer.data.targets.values[:, 0]
        self.run, self.seen = TrainingRun(1, self.trainer), []
        for _ in range(steps):
            before = self.trainer.snapshot().parameters
            rows = next(iter(self.trainer.phases())).rows
            self.seen.append((before, rows))
            self.run.step()
            while self.run.busy:
                self.run.advance(0.001)
        self.progress = self.run.describe(None)

    def losses_seen(self):
        return [loss_of(before, self.X[rows], self.targets[rows]) for before, rows in self.seen]

    def loss_now(self):
        return loss_of(self.progress.snapshot.parameters, self.X, self.targets)


def number_in(sentence):
    """The first number after "is" or "was" in a sentence on a loss."""
    return float(re.search(r"(?:is|was) (\d\S*?)\.?(?:\s|$)", sentence)[1])


@pytest.mark.parametrize("batch_size", [None, 20])
def test_the_curve_shows_the_data_loss_that_each_step_saw(batch_size):
    watched = Watched(batch_size, 5)
    steps, losses = train_points(watched.progress, 50)
    assert steps[:5].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(losses[:5], watched.losses_seen(), rtol=1e-12)


def test_with_all_samples_in_a_step_the_curve_ends_with_the_present_loss():
    watched = Watched(None, 5)
    steps, losses = train_points(watched.progress, 50)
    assert steps.tolist() == [0, 1, 2, 3, 4, 5]
    assert losses[-1] == pytest.approx(watched.loss_now(), rel=1e-12)
    words = newest_caption(watched.progress, 50)
    penalty = L2 * np.sum(watched.progress.snapshot.parameters**2)
    assert words.text == f"{reading_text(watched.loss_now())} · all 50 · penalty {reading_text(penalty)}"
    assert words.tip.startswith("After 5 updates the loss of all 50 samples was ")
    assert f"{watched.progress.snapshot.objective!r}" in words.tip
    assert watched.progress.snapshot.objective == pytest.approx(watched.loss_now() + penalty, rel=1e-12)
    assert number_in(words.tip) == pytest.approx(watched.loss_now(), rel=1e-12)


@pytest.mark.parametrize(("steps", "size"), [(1, 20), (2, 20), (3, 10), (4, 20)])
def test_with_batches_the_caption_is_of_the_batch_that_the_last_step_saw(steps, size):
    """50 samples in batches of 20: the third batch has 10."""
    watched = Watched(20, steps)
    assert len(watched.seen[-1][1]) == size == last_batch(watched.progress.snapshot, 50)
    words = newest_caption(watched.progress, 50)
    assert words.text.startswith(f"{reading_text(watched.losses_seen()[-1])} · batch of {size} · ")
    assert f"a batch of {size} samples" in words.tip
    assert number_in(words.tip) == pytest.approx(watched.losses_seen()[-1], rel=1e-12)


@pytest.mark.parametrize("batch_size", [None, 20, 50, 60])
def test_the_read_out_is_of_all_samples_with_the_present_parameters(batch_size):
    watched = Watched(None if batch_size == 60 else batch_size, 4)
    texts, tip = readout(watched.progress, 50)
    loss = f"loss {reading_text(watched.loss_now())}"
    epoch = watched.progress.snapshot.epoch
    briefly = f"step 4 · {reading_text(watched.loss_now())}"
    assert texts[:2] == (f"step 4 · epoch {epoch} · {loss} of all 50", f"step 4 · {loss} of all 50")
    assert texts[2:] == (f"{briefly} · all 50", briefly, "step 4")
    present = next(line for line in tip.splitlines() if "present parameters" in line)
    assert number_in(present) == pytest.approx(watched.loss_now(), rel=1e-12)
    batch = [line for line in tip.splitlines() if "last step used" in line]
    assert len(batch) == (batch_size == 20)
    assert all(number_in(line) == pytest.approx(watched.losses_seen()[-1], rel=1e-12) for line in batch)


def test_a_curve_whose_steps_saw_different_losses_is_not_called_that_of_the_present_one():
    """After a change to batches of 10 the whole curve was called "batches of 10"."""
    watched = Watched(None, 3)
    watched.run.change(batch_size=20)
    watched.run.step(2)
    while watched.run.busy:
        watched.run.advance(0.001)
    words = curve_caption(watched.run.describe(None), 50)
    assert words.text == "train" and "its own step" in words.tip
    assert "Each new point is the loss of one batch of 20" in words.tip


@pytest.mark.parametrize("batch_size", [None, 20])
def test_the_accuracy_is_of_all_samples_with_the_present_parameters(batch_size):
    watched = Watched(batch_size, 4)
    middle = (watched.targets.max() + watched.targets.min()) / 2
    right = (outputs(watched.progress.snapshot.parameters, watched.X) > middle) == (watched.targets > middle)
    assert watched.progress.snapshot.accuracy == right.mean()


def test_steps_and_passes_are_counted_in_the_right_words():
    watched = Watched(None, 1)
    assert readout(watched.progress, 50)[1].startswith("1 update made, 1 pass over the data done.")
    assert readout(Watched(20, 2).progress, 50)[1].startswith("2 updates made, 0 passes over the data done.")


def test_the_legend_says_whose_loss_the_curve_is():
    assert curve_caption(Watched(None, 1).progress, 50).text == "all 50"
    words = curve_caption(Watched(20, 1).progress, 50)
    assert words.text == "batches of 20"
    assert "one batch of 20 samples out of 50, before the update" in words.tip


def test_the_crosshair_says_step_loss_and_samples():
    words = point_caption(3.0, 2.5e141, Watched(20, 1).progress.settings_at(3.0), 50)
    assert words.text == "step 3: 2.50e+141"
    assert words.tip.startswith("After 3 updates the loss of one batch of 20 samples")


def test_a_point_whose_step_nobody_knows_any_more_is_said_without_samples():
    assert point_caption(3.0, 0.5, None, 50).tip == "After 3 updates the loss was 0.5."


def test_a_run_that_diverged_says_where():
    progress = replace(Watched(None, 2).progress, diverged_at=12)
    texts, tip = readout(progress, 50)
    assert texts[-1] == "step 2 · diverged"
    assert "At step 12 " in tip


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0000"), (0.6931, "0.6931"), (-1.5, "−1.5000"), (9999.0, "9999.0000"), (12345.0, "1.23e+04"),
        (2.34e141, "2.34e+141"), (3.4e-4, "3.40e−04"), (-3.4e-4, "−3.40e−04"), (5e-324, "4.94e−324"),
        (float("inf"), "∞"), (float("-inf"), "−∞"), (float("nan"), "nan"), (None, "–"), (np.float32(0.5), "0.5000"),
    ],
)  # fmt: skip
def test_numbers_are_short_whatever_they_are(number, text):
    assert reading_text(number) == text


def test_signed_numbers_have_a_plus():
    assert [reading_text(number, signed=True) for number in (0.5, 1e-5, -2e200)] == [
        "+0.5000",
        "+1.00e−05",
        "−2.00e+200",
    ]


def view_step(watched, step):
    """What the run reports when a past step is viewed."""
    watched.run.view_step(step)
    while watched.run.busy:
        watched.run.advance(0.001)
    return watched.run.describe(None).viewed


@pytest.mark.parametrize("batch_size", [None, 20])
def test_the_captions_of_a_past_step_are_of_that_step_and_say_the_newest(batch_size):
    watched = Watched(batch_size, 5)
    viewed = view_step(watched, 3)
    present = loss_of(watched.seen[3][0], watched.X, watched.targets)
    texts, tip = readout(viewed, 50)
    assert texts[0].startswith("step 3 of 5 · epoch ") and texts[-2] == f"step 3 of 5 · {reading_text(present)}"
    assert tip.startswith("3 updates made")
    seen = watched.losses_seen()[2]
    expected = f"step 3: {reading_text(present)}" if batch_size is None else f"{reading_text(seen)} · batch of 10"
    caption = viewed_caption(viewed, 50)
    assert caption.text.startswith(f"{expected} · penalty ")
    assert number_in(caption.tip) == pytest.approx(present if batch_size is None else seen, rel=1e-12)


def test_the_test_loss_stays_beside_the_training_loss_where_there_is_less_room():
    watched = Watched(None, 3)
    moment = replace(watched.progress.snapshot, test_loss=0.75)
    loss, penalty = reading_text(watched.loss_now()), reading_text(moment.penalty)
    caption = newest_caption(replace(watched.progress, snapshot=moment), 50)
    assert caption.text == f"{loss} · all 50 · test 0.7500 · penalty {penalty}"
    assert caption.shorter == (f"{loss} · test 0.7500 · penalty {penalty}", f"{loss} · test 0.7500")


def test_a_good_step_of_a_run_that_diverged_later_has_its_loss():
    viewed = replace(view_step(Watched(None, 3), 1), diverged_at=3)
    texts, tip = readout(viewed, 50)
    assert texts[1].startswith("step 1 of 3 · loss ") and "diverged" not in "".join(texts)
    assert "not a finite number" not in tip


@pytest.mark.parametrize(("ratio", "words"), [(139.2, "139 times"), (2.4e28, "more than a million times")])
def test_why_the_axis_is_logarithmic_is_said_in_a_number_one_can_read(ratio, words):
    caption = logarithmic_note(ratio, reaches_floor=False)
    assert caption.text == f"log scale: the largest loss is {words} the median" and words in caption.tip
