"""What is kept of a run: bounded, evenly spread, enough to come to every step again."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.network import MLP, SettingError, Trainer
from engine.network.run.history import MOST_CHANGES, History


def moments(steps):
    """A trainer's moments after 0 to `steps` updates."""
    model = MLP(1, [2, 1], activation="tanh", rng=random.Random(0))
    trainer = Trainer(model, X=[[0.0], [1.0]], y=[0.0, 1.0], optimizer="momentum")
    for _ in range(steps):
        yield trainer.snapshot(figures=False)
        trainer.step()
    yield trainer.snapshot(figures=False)


MOMENTS = list(moments(300))


def recorded(history, steps, stride=1):
    for moment in MOMENTS[: steps + 1 : stride]:
        history.keep(moment.step, moment.step, lambda moment=moment: moment)
    return history


def test_early_on_every_step_is_kept():
    history = recorded(History(), 20)
    assert history.steps == list(range(21))
    assert history.way_to(20) == (MOMENTS[20], [])


@pytest.mark.slow
@given(st.integers(2, 40), st.integers(1, 300), st.integers(1, 7))
def test_moments_are_bounded_ascending_and_evenly_spread(capacity, steps, stride):
    history = recorded(History(capacity=capacity), steps, stride)
    assert len(history.steps) <= capacity
    assert history.first_step == history.steps[0] == 0
    gaps = np.diff([*history.steps, steps])
    assert np.all(gaps[:-1] >= history.every)
    assert np.all(gaps < history.every + max(stride, history.every))
    assert history.every <= 4 * max(stride, steps / (capacity - 1))


def test_memory_is_bounded_too():
    history = recorded(History(max_bytes=20_000), 200)
    held = [history.way_to(step)[0] for step in history.steps]
    assert 2 < len(held) < 20
    assert sum(m.parameters.nbytes + m.gradients.nbytes for m in held) < 20_000


def test_a_copy_shares_the_moments_fits_the_memory_it_is_given_and_goes_its_own_way():
    history = recorded(History(), 200)
    twin = history.copy(20_000)
    held = [twin.way_to(step)[0] for step in twin.steps]
    assert 2 < len(held) < 20
    assert sum(m.parameters.nbytes + m.gradients.nbytes for m in held) < 20_000
    assert all(history.way_to(moment.step)[0] is moment for moment in held)
    twin.record_jump(MOMENTS[100])
    assert (twin.steps[-1], history.steps[-1]) == (100, 200)
    assert twin.first_step == history.first_step == 0


@pytest.mark.slow
@given(st.integers(2, 30), st.lists(st.integers(1, 299), max_size=20))
def test_the_way_to_a_step_is_the_newest_moment_before_it_and_the_changes_since(capacity, changed_at):
    history = History(capacity=capacity)
    changed_at.sort()
    for moment in MOMENTS:
        history.keep(moment.step, moment.step, lambda moment=moment: moment)
        for _ in range(changed_at.count(moment.step)):
            history.record_change(moment.step, {"learning_rate": float(moment.step)}, moment.settings)
    for step in (0, 1, 50, 299, 300):
        moment, changes = history.way_to(step)
        assert moment.step == max(kept for kept in history.steps if kept <= step)
        assert [change.step for change in changes] == [at for at in changed_at if moment.step <= at <= step]


def test_a_jump_forgets_what_came_later_and_is_never_thinned_out():
    history = recorded(History(capacity=10), 200)
    history.record_change(120, {"l2": 1.0}, MOMENTS[120].settings)
    history.record_change(200, {"l2": 2.0}, MOMENTS[200].settings)
    history.record_jump(MOMENTS[111])
    assert history.steps[-1] == 111
    assert history.way_to(10**9) == (MOMENTS[111], [])
    for moment in MOMENTS[112:]:
        history.keep(moment.step, moment.step, lambda moment=moment: moment)
    assert 111 in history.steps
    assert len(history.steps) <= 10


def test_when_the_room_is_full_of_jumps_the_history_begins_later():
    history = History(capacity=6)
    for moment in MOMENTS[:50]:
        history.record_jump(moment)
    assert len(history.steps) <= 6
    assert history.steps[-1] == 49
    assert history.first_step > 40
    with pytest.raises(SettingError, match=f"step must be {history.first_step} or later, not 3"):
        history.way_to(3)


@pytest.mark.slow
def test_changes_are_bounded_and_the_history_begins_after_those_forgotten():
    history = History()
    for i in range(3 * MOST_CHANGES):
        moment = MOMENTS[min(i // 200, 300)]
        history.keep(moment.step, moment.step, lambda moment=moment: moment)
        history.record_change(moment.step, {"l1": float(i)}, moment.settings)
    changes = [change for step in history.steps for change in history.way_to(step)[1]]
    assert len(changes) <= MOST_CHANGES
    assert changes[-1].settings == {"l1": 3.0 * MOST_CHANGES - 1}
    assert [change.settings["l1"] for change in changes] == list(
        range(int(changes[0].settings["l1"]), 3 * MOST_CHANGES)
    )


def test_a_moment_that_is_not_finite_is_left_out():
    history = recorded(History(), 5)
    trainer = Trainer(MLP(1, [1], rng=random.Random(0)), X=[[1e150]], y=[0.0], learning_rate=1e9)
    trainer.step()
    history.record(trainer.snapshot(figures=False))
    assert history.steps == list(range(6))


def test_an_empty_history_has_no_moment():
    with pytest.raises(SettingError, match="nothing recorded"):
        History().way_to(0)


@pytest.mark.parametrize("settings", [{"capacity": 1}, {"capacity": 2.5}, {"max_bytes": 0}])
def test_limits_out_of_range_are_refused(settings):
    with pytest.raises(SettingError):
        History(**settings)
