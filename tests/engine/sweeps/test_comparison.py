"""Two runs in lockstep: each does what it would do alone, both stand at the same step."""

import numpy as np
import pytest

from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.prepared import prepare
from engine.network import MLP, Trainer
from engine.network.run.lockstep import Lockstep
from engine.sweeps.comparison import PRESETS, comparable_settings, have_same_start, side, trainers_of


def document():
    return replace_section(Document(), "data", n_samples=20)


def pair(setting="learning_rate", first="0.05", second="0.1"):
    sides = [side(document(), setting, text) for text in (first, second)]
    return sides, Lockstep(trainers_of(sides))


def alone(one, steps):
    trainer = make_trainer(one.document, make_model(one.document), prepare(one.document.data))
    for _ in range(steps):
        trainer.step()
    return trainer


@pytest.mark.slow
def test_both_make_the_same_steps_and_each_as_it_would_alone():
    sides, lockstep = pair()
    lockstep.step(7)
    lockstep.advance(0.01)
    described = lockstep.describe()
    steps = {progress.snapshot.step for progress in described}
    assert steps == {lockstep.step_count} and lockstep.step_count > 7
    for one, progress in zip(sides, described, strict=True):
        trainer = alone(one, lockstep.step_count)
        assert np.array_equal(progress.snapshot.parameters, trainer.model.weights)
        assert np.array_equal(progress.curve_losses, trainer.losses)


@pytest.mark.slow
def test_a_past_step_of_both_is_viewed_and_they_go_on_from_the_newest():
    sides, lockstep = pair()
    lockstep.step(9)
    lockstep.view_step(4)
    for one, progress in zip(sides, lockstep.describe(), strict=True):
        assert progress.snapshot.step == 4
        assert np.array_equal(progress.snapshot.parameters, alone(one, 4).model.weights)
    lockstep.view_step(None)
    lockstep.step()
    assert [progress.snapshot.step for progress in lockstep.describe()] == [10, 10]


def test_a_run_that_diverges_stands_still_and_the_other_goes_on():
    _, lockstep = pair(second="1e6")
    lockstep.step(200)
    tame, wild = lockstep.describe()
    assert tame.snapshot.step == 200 and wild.diverged_at is not None and wild.diverged_at < 200
    assert not lockstep.is_over
    lockstep.view_step(150)
    assert lockstep.describe()[0].snapshot.step == 150
    lockstep.view_step(None)
    lockstep.step(5)
    tame, still = lockstep.describe()
    assert tame.snapshot.step == 205 and still.diverged_at == wild.diverged_at


def test_with_a_speed_steps_are_made_when_they_are_due():
    now = [0.0]
    sides = [side(document(), "learning_rate", text) for text in ("0.05", "0.5")]
    lockstep = Lockstep(trainers_of(sides), lambda: now[0])
    lockstep.set_speed(10.0)
    lockstep.advance(0.001)
    assert lockstep.step_count == 1 and lockstep.seconds_to_next == pytest.approx(0.1)
    now[0] += 0.1
    lockstep.advance(0.001)
    assert lockstep.step_count == 2


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_preset_can_be_trained_and_its_runs_come_apart(preset):
    sides, lockstep = pair(*preset[1:])
    lockstep.step(20)
    first, second = lockstep.describe()
    assert sides[0].words != sides[1].words and first.snapshot.loss != second.snapshot.loss
    assert have_same_start(sides) == (preset.setting not in ("width", "initialiser"))
    assert preset.setting in comparable_settings()


@pytest.mark.parametrize(
    ("setting", "text"), [("learning_rate", "0.1, 0.2"), ("learning_rate", "x"), ("zero_grad", "maybe"), ("width", "0")]
)
def test_a_value_that_cannot_be_is_refused(setting, text):
    with pytest.raises(ValueError, match=r"one value|must be"):
        side(document(), setting, text)


@pytest.mark.parametrize("extra", [{}, {"l2": 0.01}, {"clip_norm": 0.5}, {"optimizer": "adam"}])
def test_without_zero_grad_gradients_add_up_as_in_pytorch(extra):
    """Against the same training by hand: p.grad += of this step, then (clipped in place) the update."""
    data = prepare(document().data).train
    model = MLP(2, [3, 1], output_activation="linear")
    trainer = Trainer(model.copy(), X=data.X, y=data.y, learning_rate=0.02, zero_grad=False, **extra)
    plain = Trainer(model.copy(), X=data.X, y=data.y, learning_rate=0.02, l2=extra.get("l2", 0.0))
    optimizer = trainer.settings.optimizer_for(np.zeros(model.n_parameters))
    weights, grad = model.weights.copy(), np.zeros(model.n_parameters)
    for _ in range(6):
        plain.model.weights = weights
        grad = grad + plain.next_update().gradients
        if "clip_norm" in extra:
            grad = grad * min(1.0, extra["clip_norm"] / (np.linalg.norm(grad) + 1e-6))
        optimizer.update(weights, grad, 0.02)
        trainer.step()
        assert np.allclose(trainer.model.weights, weights, rtol=0, atol=1e-12)
        assert np.allclose(trainer.snapshot().gradients, grad, rtol=0, atol=1e-12)


def test_phase_by_phase_it_is_the_same_without_zero_grad():
    data = prepare(document().data).train
    one, other = (Trainer(MLP(2, [3, 1]), X=data.X, y=data.y, zero_grad=False) for _ in range(2))
    other.model.weights = one.model.weights
    for _ in range(3):
        one.step()
        *_, last = other.phases()
        assert np.array_equal(one.model.weights, last.parameters)
