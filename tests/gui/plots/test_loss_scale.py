"""When the loss axis is logarithmic by itself."""

import numpy as np
import pytest

from gui.plots.loss_scale import SHARE_TO_CHOOSE, AxisChoice, logarithms, squeezed, worth_seeing
from gui.plots.step_plot import Curve, StepPlot

SPIKE = np.concatenate([[4000.0, 900.0, 40.0], np.linspace(1.0, 0.5, 60)])
EXPLOSION = 0.5 * 10.0 ** np.arange(0.0, 150.0, 5.0)
SLOPE = np.linspace(2.0, 0.1, 60)
DECAY = np.exp(-np.linspace(0.0, 4.0, 60))


def chosen(*curves):
    choice = AxisChoice()
    for losses in curves:
        choice.follow(losses)
    return choice


@pytest.mark.parametrize("losses", [SPIKE, EXPLOSION])
def test_losses_that_press_the_others_flat_choose_a_logarithmic_axis(losses):
    assert chosen(losses).logarithmic


@pytest.mark.parametrize("losses", [SLOPE, DECAY, np.ones(50), np.array([1000.0, 1.0]), np.zeros(50), np.empty(0)])
def test_curves_that_a_linear_axis_shows_well_keep_it(losses):
    assert not chosen(losses).logarithmic


def test_the_ratio_that_is_said_is_the_highest_over_the_median():
    choice = chosen(SPIKE)
    assert choice.ratio == pytest.approx(SPIKE.max() / np.sort(SPIKE)[(len(SPIKE) - 1) // 2])


def test_zeros_and_losses_below_0_take_no_part_in_the_choice():
    assert chosen(np.concatenate([SPIKE, np.zeros(30)])).logarithmic
    assert not chosen(-SPIKE).logarithmic
    assert not chosen(np.concatenate([SLOPE, -SPIKE])).logarithmic


def test_the_axis_does_not_flicker_about_the_limit():
    base, choice = np.geomspace(0.01, 1.0, 60), AxisChoice()
    above, below = np.append(base, 6.0), np.append(base, 6.7)
    assert squeezed(below)[0] < SHARE_TO_CHOOSE < squeezed(above)[0]
    kept = []
    for losses in (above, below, above, below, above):
        choice.follow(losses)
        kept.append(choice.logarithmic)
    assert kept == [False, True, True, True, True]


def test_a_logarithmic_axis_goes_back_when_nothing_is_pressed_flat_any_more():
    assert not chosen(SPIKE, SLOPE).logarithmic


@pytest.mark.parametrize("n_losses", [0, 1, 2])
def test_a_run_that_goes_back_to_its_first_steps_has_a_linear_axis_again(n_losses):
    choice = chosen(EXPLOSION, EXPLOSION[:n_losses])
    assert (choice.logarithmic, choice.ratio) == (False, 1.0)


def test_the_choice_of_the_user_holds():
    choice = chosen(SPIKE)
    choice.choose(False)
    choice.follow(EXPLOSION)
    assert (choice.logarithmic, choice.by_user) == (False, True)


def test_the_share_of_the_lower_three_quarters_is_measured():
    share, ratio = squeezed(np.array([1.0, 2.0, 3.0, 4.0, 101.0]))
    assert (share, ratio) == pytest.approx((0.03, 101.0 / 3.0))
    assert squeezed(np.ones(4)) == (1.0, 1.0)


def test_the_extremes_of_floats_are_borne():
    assert chosen(np.array([5e-324, 1e-300, 1.0, 1e300, 1.7e308])).logarithmic


def test_zeros_of_all_curves_of_a_plot_stand_at_one_height(qtbot):
    plot = StepPlot("loss", "loss")
    qtbot.addWidget(plot)
    plot.set_logarithmic(True)
    steps = np.arange(3.0)
    numbers = np.array([[1.0, 0.1, 0.0], [0.0, 1e-6, 1.0]])
    curves = [Curve(name, steps, each, "#000000") for name, each in zip("ab", numbers, strict=True)]
    plot.set_floor(curves)
    assert plot.heights(curves[0].numbers).tolist() == pytest.approx([0.0, -1.0, -7.0])
    assert plot.heights(curves[1].numbers).tolist() == pytest.approx([-7.0, -6.0, 0.0])
    plot.set_floor([])
    assert np.isfinite(plot.heights(np.zeros(2))).all()


def test_a_loss_of_0_can_be_drawn_with_logarithms():
    assert logarithms(np.array([1.0, 0.01, 0.0])).tolist() == [0.0, -2.0, -3.0]
    assert np.all(np.isfinite(logarithms(np.array([-1.0, 1.0]))))
    assert np.all(np.isfinite(logarithms(np.zeros(3))))
    assert logarithms(np.empty(0)).size == 0


def test_of_a_run_that_diverged_a_linear_axis_shows_the_sensible_part():
    assert worth_seeing(EXPLOSION, diverged=True).max() == 0.5
    assert worth_seeing(EXPLOSION, diverged=False).max() == EXPLOSION.max()
    assert worth_seeing(np.array([1.0, 1e300]), diverged=False).tolist() == [1.0]
    assert worth_seeing(np.empty(0), diverged=True).size == 0


def test_losses_of_0_of_every_curve_in_a_picture_stand_at_one_height():
    first, second = np.array([1.0, 1e-3, 0.0]), np.array([1.0, 1e-8, 0.0])
    both = np.concatenate([first, second])
    assert logarithms(first, both).tolist() == pytest.approx([0.0, -3.0, -9.0])
    assert logarithms(second, both).tolist() == pytest.approx([0.0, -8.0, -9.0])
