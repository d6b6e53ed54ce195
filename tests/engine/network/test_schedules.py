"""Learning-rate schedules: factors between 0 and 1, by step."""

import math

import pytest

from engine.network import SCHEDULES, SettingError, TrainingSettings


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_gives_factors_between_0_and_1(name):
    entry, schedule = SCHEDULES[name], SCHEDULES[name]()
    assert all(0.0 <= schedule(step) <= 1.0 for step in (0, 1, 10, 999, 1000, 1001, 10**9))
    assert entry.name == name
    assert entry.description.endswith(".")
    defaults = {key: setting.default for key, setting in entry.settings_table.items()}
    assert all(entry(**defaults)(step) == schedule(step) for step in (0, 1, 10, 999, 1000, 1001, 10**9))


@pytest.mark.parametrize(
    "name, settings, step, factor",
    [
        ("constant", {}, 7, 1.0),
        ("linear", {"steps": 100, "end": 0.1}, 50, 1.0 - 0.9 * 50 / 100),
        ("linear", {"steps": 100, "end": 0.1}, 500, 0.1),
        ("step", {"every": 10, "drop": 0.5}, 25, 0.25),
        ("exponential", {"decay": 0.9}, 3, 0.9**3),
        ("cosine", {"steps": 10}, 5, 0.5),
        ("cosine", {"steps": 10, "end": 0.2}, 10, 0.2),
        ("warmup", {"steps": 4}, 1, 0.5),
        ("warmup", {"steps": 4}, 9, 1.0),
        ("inverse", {"steps": 10}, 10, 0.5),
    ],
)
def test_schedules_have_their_formula(name, settings, step, factor):
    assert math.isclose(SCHEDULES[name](**settings)(step), factor, abs_tol=1e-15)


@pytest.mark.parametrize(
    "name, settings, words",
    [
        ("cosin", {}, "no schedule 'cosin', did you mean 'cosine'"),
        ("linear", {"steps": 0}, "steps of schedule linear must be a finite number at least 1, not 0"),
        ("linear", {"end": 2.0}, "end of schedule linear must be"),
        ("step", {"evry": 3}, "no setting of schedule step 'evry', did you mean 'every'"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(name, settings, words):
    with pytest.raises(SettingError, match=words):
        TrainingSettings(schedule=name, schedule_settings=settings)
