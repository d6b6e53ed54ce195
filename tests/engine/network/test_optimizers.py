"""The update rules against the same rules written plainly, their settings, and limits on gradients."""

import math

import numpy as np
import pytest

from engine.network import OPTIMIZERS, SettingError
from engine.network.optimizers import Clipping
from tests.engine.network.plain_optimizers import PLAIN

RATE = 0.1


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_follows_its_rule(name):
    gradients = np.random.RandomState(0).normal(size=(20, 3))
    parameters = np.array([1.0, -2.0, 0.5])
    optimizer = OPTIMIZERS[name](parameters)
    plain, memory = parameters.tolist(), [{}, {}, {}]
    for t, g in enumerate(gradients, start=1):
        optimizer.update(parameters, g, RATE)
        plain = [PLAIN[name](p, gi, m, t, RATE) for p, gi, m in zip(plain, g.tolist(), memory, strict=True)]
    assert parameters == pytest.approx(plain, abs=1e-12)
    assert optimizer.updates == 20


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_shows_its_memory_and_its_rule(name):
    optimizer = OPTIMIZERS[name](np.zeros(4, dtype=np.float32))
    optimizer.update(np.ones(4, dtype=np.float32), np.ones(4, dtype=np.float32), RATE)
    assert set(optimizer.state) == set(optimizer.state_names)
    assert all(array.shape == (4,) and array.dtype == np.float32 for array in optimizer.state.values())
    assert optimizer.rule and optimizer.description.endswith(".") and type(optimizer).__doc__
    assert set(optimizer.settings) == set(optimizer.settings_table)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_memory_taken_over_goes_on_alike(name):
    gradients = np.random.RandomState(1).normal(size=(6, 2))
    one, two = np.ones(2), np.ones(2)
    first = OPTIMIZERS[name](one)
    for g in gradients[:3]:
        first.update(one, g, RATE)
    second = OPTIMIZERS[name](two)
    second.take_over(first.state, first.updates)
    two[:] = one
    for g in gradients[3:]:
        first.update(one, g, RATE)
        second.update(two, g, RATE)
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    "name, settings, words",
    [
        ("momentum", {"momentum": 1.0}, "momentum of momentum must be a finite number at least 0 and below 1, not 1.0"),
        ("momentum", {"momentum": -0.1}, "at least 0 and below 1"),
        ("adam", {"beta2": 1.0}, "beta2 of adam must be"),
        ("adam", {"eps": float("nan")}, "eps of adam must be"),
        ("adam", {"eps": 0.0}, "eps of adam must be a finite number from 1e-30 to"),
        ("rmsprop", {"eps": 0.0}, "eps of rmsprop must be a finite number from 1e-30 to"),
        ("adam", {"bta1": 0.5}, "no setting of adam 'bta1', did you mean 'beta1'"),
        ("adamw", {"weight_decay": -1.0}, "weight_decay of adamw must be"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(name, settings, words):
    with pytest.raises(SettingError, match=words):
        OPTIMIZERS[name](np.zeros(1), **settings)


SETTINGS = [(name, key) for name, entry in OPTIMIZERS.items() for key in entry.settings_table]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "key"), SETTINGS)
def test_a_setting_at_either_end_of_its_range_never_makes_a_number_that_is_none(name, key, dtype):
    entry = OPTIMIZERS[name].settings_table[key]
    ends = [entry.low, math.nextafter(entry.high, 0.0) if entry.below else entry.high]
    for value in ends:
        parameters = np.array([1.0, -1.0, 0.0], dtype)
        optimizer = OPTIMIZERS[name](parameters, **{key: value})
        for gradients in ([0.0, 0.0, 0.0], [1.0, 1e-20, 0.0], [0.0, 0.0, 1.0]):
            optimizer.update(parameters, np.array(gradients, dtype), 1e-3)
        assert np.isfinite(parameters).all()


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, -1e-8, math.inf, math.nan])
@pytest.mark.parametrize("name", ["rmsprop", "adam", "adamw"])
def test_an_eps_that_divides_by_zero_is_refused(name, value):
    with pytest.raises(SettingError, match=f"eps of {name} must be"):
        OPTIMIZERS[name](np.zeros(1), eps=value)


def test_a_long_gradient_is_scaled_down_to_the_limit():
    gradients = np.array([3.0, 4.0])
    Clipping(norm=1.0).apply(gradients)
    assert gradients == pytest.approx([0.6, 0.8], abs=1e-6)
    Clipping(norm=10.0).apply(gradients)
    assert gradients == pytest.approx([0.6, 0.8], abs=1e-6)


def test_each_number_of_a_gradient_is_cut_to_the_limit():
    gradients = np.array([3.0, -0.2, -7.0])
    Clipping(value=0.5).apply(gradients)
    assert gradients.tolist() == [0.5, -0.2, -0.5]


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf"), "1", True])
def test_limits_that_are_none_are_refused(limit):
    for setting in ("norm", "value"):
        with pytest.raises(SettingError, match=f"clip_{setting} must be a finite number above 0"):
            Clipping(**{setting: limit})


IN_PYTHON = (("β1 m", "β1 * m"), ("β2 s", "β2 * s"), (") g", ") * g"), ("β1", "beta1"), ("β2", "beta2"), ("ᵗ", "**t"),
             ("²", "**2"), ("√s", "s**0.5"), ("√(1 - beta2**t)", "(1 - beta2**t)**0.5"))  # fmt: skip


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_rule_that_is_shown_makes_the_steps_of_the_same_rule_written_plainly(name):
    rule = OPTIMIZERS[name].rule.replace("then Adam's rule", OPTIMIZERS["adam"].rule)
    for shown, python in IN_PYTHON:
        rule = rule.replace(shown, python)
    settings = {key: entry.default for key, entry in OPTIMIZERS[name].settings_table.items()}
    shown, plain, memory = {"p": 0.7, "v": 0.0, "m": 0.0, "s": 0.0, "lr": 0.05, **settings}, 0.7, {}
    for step, gradient in enumerate((0.3, -1.2, 0.8), start=1):
        shown |= {"g": gradient, "t": step}
        exec("\n".join(map(str.strip, rule.split(";"))), {}, shown)
        plain = PLAIN[name](plain, gradient, memory, step, 0.05)
        assert shown["p"] == pytest.approx(plain, rel=1e-12)
