"""The rules for when training stops: which one ends a run with which figures, and how far it is to each."""

from dataclasses import replace

import pytest

from engine.network import SettingError, StopRules, Trainer
from engine.network.run.training_run import TrainingRun
from engine.network.stop_rules import StopMonitor
from tests.engine.network.samples import XOR_X, XOR_Y, moons_trainer


def looked(rules, losses, accuracy=0.95, epochs=0):
    """What a monitor says in the end, after so many steps that saw these losses."""
    monitor, reason = StopMonitor(rules), ""
    for step, loss in enumerate(losses, 1):
        reason = monitor.look(step, epochs, loss, lambda: accuracy)
    return reason


@pytest.mark.parametrize("rules, words", [
    (StopRules(target_loss=0.5), "the target of 0.5 is reached."),
    (StopRules(target_accuracy=0.8), "the target of 80 % is reached."),
    (StopRules(max_steps=12), "Stopped at the step limit: 12."),
    (StopRules(max_epochs=3), "Stopped at the epoch limit: 3."),
])  # fmt: skip
def test_stop_rules_end_a_run(rules, words):
    trainer = moons_trainer(optimizer="adam", stop_rules=rules)
    assert words in trainer.run(2000)
    assert trainer.step_count < 2000


@pytest.mark.parametrize("rules, losses, words", [
    (StopRules(max_steps=3), [1.0] * 3, "Stopped at the step limit: 3."),
    (StopRules(max_steps=3), [1.0] * 2, ""),
    (StopRules(target_loss=0.5), [9.0, 0.5], "The loss at step 2 is 0.5: the target of 0.5 is reached."),
    (StopRules(target_loss=0.5), [0.51], ""),
    (StopRules(plateau=2), [3.0, 2.0, 2.0, 2.0],
     "The loss has not improved for 2 steps: the lowest was 2 at step 2."),
    (StopRules(plateau=2), [4.0, 3.0, 2.0, 1.0], ""),
    (StopRules(plateau=2, min_change=0.5), [4.0, 3.9, 3.8],
     "The loss has not improved for 2 steps: the lowest was 4 at step 1."),
    (StopRules(plateau=3), [2.0, 3.0, 2.0], ""),
    (StopRules(target_accuracy=0.9, every=5), [1.0] * 5,
     "The accuracy after step 5 is 95 %: the target of 90 % is reached."),
    (StopRules(target_accuracy=0.9, every=5), [1.0] * 4, ""),
    (StopRules(target_accuracy=0.999), [1.0] * 50, ""),
])  # fmt: skip
def test_stop_rules_look_at_figures_alone(rules, losses, words):
    assert looked(rules, losses) == words


def test_an_epoch_that_is_done_ends_a_run():
    assert looked(StopRules(max_epochs=1), [1.0], epochs=1) == "Stopped at the epoch limit: 1."


def test_the_accuracy_is_computed_only_for_a_rule_that_asks():
    assert StopMonitor(StopRules(max_steps=9)).look(1, 0, 1.0, lambda: pytest.fail("computed")) == ""
    assert looked(StopRules(target_accuracy=0.5), [1.0] * 10, accuracy=None) == ""


def test_a_plateau_ends_a_run():
    trainer = moons_trainer(learning_rate=0.0, stop_rules=StopRules(plateau=20))
    message = trainer.run(1000)
    assert "20 steps" in message and "step 1:" in message.replace(".", ":")
    assert trainer.step_count == 21


def test_without_a_reason_a_run_goes_to_its_end():
    trainer = moons_trainer()
    assert trainer.run(5) == ""
    assert trainer.step_count == 5


@pytest.mark.parametrize("changes", [
    {"target_loss": float("nan")}, {"target_accuracy": 1.5}, {"plateau": 0}, {"max_steps": 1.5}, {"max_epochs": -1},
    {"min_change": -1.0},
])  # fmt: skip
def test_stop_rules_out_of_range_are_refused(changes):
    with pytest.raises(SettingError):
        StopRules(**changes)


def ended(run):
    run.run()
    while run.busy:
        run.advance(0.001)
    return run.describe(None)


@pytest.mark.slow
def test_a_run_that_is_begun_again_goes_on_without_the_rule_that_is_reached():
    run = TrainingRun(1, moons_trainer(optimizer="adam"))
    run.set_stop_rules(StopRules(max_steps=30, target_loss=1e-9))
    first = ended(run)
    assert (first.state, first.snapshot.step) == ("finished", 30)
    assert first.message == "Stopped at the step limit: 30."
    run.run()
    assert run.busy
    run.advance(0.05)
    run.pause()
    second = run.describe(None)
    assert second.snapshot.step > 30
    assert second.message == "The step limit 30 is already reached: the run continues without it."
    assert {way.rule: way.is_set_aside for way in second.ways} == {"target_loss": False, "max_steps": True}


def test_a_plateau_is_counted_anew_when_a_run_goes_on():
    run = TrainingRun(1, moons_trainer(learning_rate=0.0))
    run.set_stop_rules(StopRules(plateau=10))
    assert [ended(run).snapshot.step for _ in range(3)] == [11, 22, 33]


def test_rules_change_while_it_runs():
    run = TrainingRun(1, moons_trainer())
    run.run()
    run.advance(0.01)
    step = run.describe(None).snapshot.step
    run.set_stop_rules(StopRules(max_steps=step + 50))
    while run.busy:
        run.advance(0.001)
    assert run.describe(None).snapshot.step == step + 50


def test_when_a_run_stops_does_not_depend_on_when_it_is_described():
    steps = []
    for pieces in (1, 7):
        run = TrainingRun(1, moons_trainer(optimizer="adam"))
        run.set_stop_rules(StopRules(target_accuracy=0.85, target_loss=0.01))
        run.run()
        while run.busy:
            for _ in range(pieces):
                run.advance(0.0001)
            run.describe(None)
        steps.append(run.describe(None).snapshot.step)
    assert steps[0] == steps[1]


def ways(rules, losses, **figures):
    monitor = StopMonitor(rules)
    for step, loss in enumerate(losses, 1):
        monitor.look(step, 0, loss, lambda: None)
    moment = Trainer(moons_trainer().model, X=XOR_X, y=XOR_Y).snapshot(figures=False)
    seen = losses[-1] if losses else None
    return monitor.ways(replace(moment, step=len(losses), seen_loss=seen, **figures))


@pytest.mark.parametrize("rules, losses, figures, share, text", [
    (StopRules(max_steps=40), [1.0] * 10, {}, 0.25, "step 10 of 40"),
    (StopRules(max_epochs=8), [1.0], {"epoch": 2}, 0.25, "epoch 2 of 8"),
    (StopRules(target_loss=0.01), [1.0, 0.1], {}, 0.5, "loss 0.1, target 0.01"),
    (StopRules(target_loss=0.0), [1.0, 0.25], {}, 0.75, "loss 0.25, target 0"),
    (StopRules(target_loss=0.01), [], {}, 0.0, "loss ?, target 0.01"),
    (StopRules(target_loss=0.2), [1.0, 0.1], {}, 1.0, "loss 0.1, target 0.2"),
    (StopRules(target_loss=0.01), [1.0, 2.0], {}, 0.0, "loss 2, target 0.01"),
    (StopRules(target_accuracy=0.9), [1.0], {"accuracy": 0.45}, 0.5, "accuracy 45 %, target 90 %"),
    (StopRules(target_accuracy=0.975), [1.0], {}, 0.0, "accuracy ?, target 97.5 %"),
    (StopRules(plateau=4), [1.0, 2.0, 3.0], {}, 0.5, "2 of 4 steps without a lower loss"),
])  # fmt: skip
def test_the_way_to_a_rule_has_both_figures(rules, losses, figures, share, text):
    (way,) = ways(rules, losses, **figures)
    assert (way.share, way.text) == (pytest.approx(share), text)
