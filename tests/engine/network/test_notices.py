"""Advice on a network is right or absent: counted over networks whose state is known."""

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from datasets import make_dataset
from engine.autograd import Value
from engine.network import ACTIVATIONS, MLP, Trainer
from engine.network.layer_figures import histogram, layer_figures, same_neurons
from engine.network.notices import LEARNT, NOTICES, can_die, gradient_flow, notices
from engine.network.trials import LONG_STEPS, STEPS, Trial, Trials, TrialsCancelled, can_be_tried
from tests.engine.network.notice_cases import CASES, HELPFUL_L2, HIGH, LOW, OPTIMUM, OVERFIT, PENALTY, Case, look_of, of

PRECISION, RECALL = 0.95, 0.9
XOR_WITHOUT_HIDDEN = next(case for case in CASES if case.name == "xor without hidden layers")


def names_of(case):
    return {notice.name for notice in notices(look_of(case))}


def test_there_are_enough_cases_and_every_notice_has_some():
    assert len(CASES) >= 100 and len({case.name for case in CASES}) == len(CASES)
    counts = Counter(name for case in CASES for name in case.state)
    assert set(counts) == set(NOTICES)
    assert sum(not case.state for case in CASES) >= 50


@pytest.mark.long
def test_notices_are_given_to_the_networks_they_are_true_of_and_to_no_others(subtests):
    answers = {case.name: notices(look_of(case)) for case in CASES}  # trained once: this takes ten seconds
    for name in NOTICES:
        with subtests.test(notice=name):
            given = [case for case in CASES if name in {notice.name for notice in answers[case.name]}]
            right = [case for case in given if name in case.state | case.also]
            wanted = [case for case in CASES if name in case.state]
            found = [case for case in wanted if case in given]
            assert len(right) > PRECISION * len(given), [case.name for case in given if case not in right]
            assert len(found) >= RECALL * len(wanted), [case.name for case in wanted if case not in found]
    with subtests.test("a network that trains well gets no advice"):
        good = [case.name for case in CASES if not case.state | case.also]
        told = {name: [notice.name for notice in answers[name]] for name in good if answers[name]}
        assert len(good) > 40 and not told
    with subtests.test("notices are whole sentences that fit into a line"):
        for notice in (notice for found in answers.values() for notice in found):
            for sentence in (notice.text, notice.why, notice.advice):
                assert sentence.endswith(".") and not sentence[0].islower() and "  " not in sentence
            assert len(notice.text) < 100


def test_xor_without_hidden_layers_is_told_that_a_hidden_layer_helps_and_not_to_raise_the_rate():
    """The optimum of a linear network on XOR is 0.5 everywhere, a mean squared error of 0.25."""
    look = look_of(XOR_WITHOUT_HIDDEN)
    assert look.snapshot.loss == pytest.approx(0.25)
    [notice] = notices(look)
    assert notice.name == OPTIMUM and "hidden layer" in notice.advice and "learning rate" not in notice.advice


def test_another_network_is_recommended_only_after_it_came_to_a_lower_loss():
    trials = look_of(XOR_WITHOUT_HIDDEN).trials
    better = trials.better_networks()
    assert better and all(loss < 0.7 * 0.25 for _, loss in better)
    noise = Case("", of(), "gaussians", (1,), 2000, 400, 2.0, settings={"learning_rate": 0.5})
    noise = Case(**{**vars(noise), "settings": {"learning_rate": 0.5, "loss": "binary_cross_entropy"}})
    assert look_of(noise).trials.better_networks() == []


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if PENALTY in case.state], ids=lambda case: case.name)
def test_a_penalty_that_holds_the_loss_up_is_named_and_the_same_network_gets_far_lower_without_it(case):
    look = look_of(case)
    [notice] = notices(look)
    name, other = ("L1", "L2") if look.snapshot.settings.l1 else ("L2", "L1")
    assert notice.name == PENALTY and f"{look.snapshot.loss:.3g}" in notice.text
    assert name in notice.text and name in notice.advice and other not in notice.text + notice.advice
    without = {**case.settings, "l1": 0.0, "l2": 0.0}
    assert look_of(replace(case, settings=without)).snapshot.loss < 0.7 * look.snapshot.loss


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if HELPFUL_L2 in case.name], ids=lambda case: case.name)
def test_a_penalty_that_lowers_the_test_loss_is_not_advised_against(case):
    """The same network without the penalty has a lower training loss and a higher test loss."""
    with_l2, without = look_of(case), look_of(replace(case, settings={**case.settings, "l2": 0.0}))
    assert without.snapshot.loss < 0.5 * with_l2.snapshot.loss
    assert without.snapshot.test_loss > 1.5 * with_l2.snapshot.test_loss
    assert not {notice.name for notice in notices(with_l2)} & {PENALTY, OPTIMUM}


def test_other_networks_are_tried_with_the_penalty_of_the_run():
    """Twice as many neurons, or other weights, do not help where the penalty holds the loss up."""
    case = next(case for case in CASES if case.name == "L2 holds the hinge loss up")
    assert look_of(case).trials.better_networks() == []


def test_overfitting_with_a_penalty_is_not_told_to_try_some():
    case = next(case for case in CASES if OVERFIT in case.state)
    look = look_of(replace(case, settings={**case.settings, "l2": 1e-6}))
    [notice] = notices(look)
    assert notice.name == OVERFIT and "more L2 than 1e-06" in notice.advice


def test_stopping_early_is_not_advised_where_the_test_loss_rose_from_the_first_steps_on():
    case = next(case for case in CASES if OVERFIT in case.state)
    look = look_of(case)
    for lowest, is_advised in ((1.0, False), (200.0, True)):
        curve = np.array([lowest, look.snapshot.step]), np.array([0.1, 1.0]) * look.snapshot.test_loss
        [notice] = notices(replace(look, test_curve=curve))
        assert ("stop near" in notice.advice) == is_advised


def test_a_low_rate_is_told_with_one_that_is_better_in_truth():
    """Trained once more from the start with the recommended rate, for as many steps, the loss is far lower."""
    case = Case("", of(LOW), steps=300, settings={"learning_rate": 0.001, "loss": "binary_cross_entropy"})
    look = look_of(case)
    [notice] = notices(look)
    assert notice.name == LOW
    rate = float(notice.advice.rstrip(".").split()[-1])
    again = Case("", of(), steps=300, settings={"learning_rate": rate, "loss": "binary_cross_entropy"})
    assert look_of(again).snapshot.loss < 0.5 * look.snapshot.loss


KNOWN = ("saturated circles x400", "moons mse rate 3.0", "moons mse rate 10.0", "curve rate 1.5")


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_a_network_in_a_known_state_gets_its_notice(name):
    (case,) = [case for case in CASES if case.name == name]
    assert case.state and names_of(case) == case.state


@pytest.mark.slow
def test_overfitting_of_a_regression_is_told_with_its_losses_and_not_before_it_can_be_known():
    look = look_of(next(case for case in CASES if case.name == "overfit curve"))
    snapshot = look.snapshot
    [notice] = notices(look)
    assert f"{snapshot.loss:.3g}" in notice.text and f"{snapshot.test_loss:.3g}" in notice.text
    assert "lowest" in notice.why
    curve = np.array([snapshot.step]), np.array([snapshot.test_loss])
    [without] = notices(replace(look, test_curve=curve))
    assert "lowest" not in without.why
    for other in ({"step": 10}, {"test_loss": math.inf}, {"test_loss": snapshot.loss}):
        assert OVERFIT not in {found.name for found in notices(replace(look, snapshot=replace(snapshot, **other)))}


@pytest.mark.parametrize("case", [Case("", of(), steps=5, activation="relu"),
                                  Case("", of(), steps=5, output="relu", settings={"loss": "binary_cross_entropy"})],
                         ids=["no dead neurons", "an output without an upper bound"])  # fmt: skip
def test_what_is_not_so_is_not_said(case):
    assert names_of(case) == set()


class _Answers:
    """Trials with given outcomes: the loss is 1, and each trial ends where it is told."""

    objective, rate = 1.0, 0.1

    def __init__(self, ends, higher=(), better=()):
        self._ends, self._higher, self._better = ends, higher, list(better)

    def at_rate(self, factor, steps=STEPS):
        return Trial(self._ends.get((factor, steps), 1.0), 1.0)

    def higher(self):
        return iter(self._higher)

    def with_adam(self):
        return 1.0

    def better_networks(self):
        return self._better


def test_a_higher_rate_is_advised_only_where_it_stays_better():
    look = look_of(Case("", of(), steps=40, settings={"learning_rate": 1e-4}))
    faster = [(10.0, Trial(0.5, 1.0))]
    for longer, is_told in ((0.4, True), (1.5, False)):
        trials = _Answers({(1.0, LONG_STEPS): 0.99, (10.0, LONG_STEPS): longer}, faster)
        assert (LOW in {notice.name for notice in notices(replace(look, trials=trials))}) == is_told
    trials = _Answers({}, faster)
    trials.objective = 0.0
    assert notices(replace(look, trials=trials)) == []


def test_a_rate_that_makes_the_loss_grow_is_told_with_a_lower_one_that_does_not():
    look = look_of(Case("", of(), steps=40))
    for end, words in ((3.0, "reaches 3 "), (math.inf, "no longer finite")):
        trials = _Answers({(1.0, STEPS): end, (0.1, STEPS): 0.25})
        [notice] = notices(replace(look, trials=trials))
        assert notice.name == HIGH and words in notice.why and "0.01" in notice.advice + notice.why


def test_at_an_optimum_that_no_larger_network_leaves_the_data_may_be_noisy():
    look = look_of(Case("", of(), steps=40, settings={"learning_rate": 1e-4}))
    [notice] = notices(replace(look, trials=_Answers({})))
    assert notice.name == OPTIMUM and "noisy" in notice.advice


def test_a_good_network_is_told_only_that_it_overfits():
    case = next(case for case in CASES if OVERFIT in case.state)
    look = look_of(case)
    assert look.snapshot.accuracy >= LEARNT > look.snapshot.test_accuracy
    [notice] = notices(look)
    assert notice.name == OVERFIT
    assert f"{100 * look.snapshot.test_accuracy:.4g} %" in notice.text and "L2" in notice.advice


def test_a_trial_leaves_the_network_as_it_was_and_does_what_training_does():
    look = look_of(Case("", of(), steps=20))
    before = look.snapshot.parameters.copy()
    look.trials.at_rate(10.0)
    look.trials.with_adam()
    again = look_of(Case("", of(), steps=80))
    assert look.trials.at_rate(1.0).end == pytest.approx(
        np.mean([look_of(Case("", of(), steps=20 + step)).snapshot.loss for step in (44, 48, 52, 56, 60)]), rel=1e-9
    )
    assert again.snapshot.loss < look.snapshot.loss
    np.testing.assert_array_equal(look.snapshot.parameters, before)


def test_a_trial_that_is_cancelled_ends_at_its_next_step():
    trainer, asked = trained(3), []
    trials = Trials(trainer, lambda: len(asked) == 5 or asked.append(None))
    with pytest.raises(TrialsCancelled):
        trials.at_rate(1.0)
    assert trainer.step_count == 3 + 5


def test_no_higher_rate_is_tried_than_one_that_can_be_set():
    trials = Trials(trained(3))
    trials.rate = 1e9
    assert list(trials.higher()) == []


def test_a_large_penalty_is_not_taken_for_a_loss_that_has_grown():
    settings = {"loss": "binary_cross_entropy", "learning_rate": 1e-5, "l2": 100.0}
    look = look_of(Case("", of(), steps=40, settings=settings))
    assert look.snapshot.objective > 100.0 * look.first_loss > look.snapshot.loss
    assert not any("grew" in notice.text for notice in notices(look))


def test_a_loss_that_grew_is_told_with_the_step_it_is_of():
    look = look_of(Case("", of(), "circles", (1,), steps=12, settings={"learning_rate": 1.5}))
    [notice] = notices(look)
    assert f"{look.snapshot.loss:.3g} by step {look.snapshot.step:,}." in notice.text


def test_a_trial_that_diverges_ends_at_infinity():
    trials = Trials(trained(3))
    assert trials.at_rate(1e8) == Trial(math.inf, math.inf)
    assert not trials.is_held_up_by_penalty()


@pytest.mark.slow
def test_linear_hidden_layers_are_told_that_tanh_helps():
    case = Case("", of(), "xor", (4, 1), 300, activation="linear", settings={"learning_rate": 0.1})
    assert "tanh in the hidden layers instead of linear" in dict(look_of(case).trials.better_networks())


def test_products_are_not_advised_as_inputs_where_there_are_many_or_where_numbers_overflow():
    few, many = (XOR_WITHOUT_HIDDEN, replace(XOR_WITHOUT_HIDDEN, features=True, steps=3))
    words = [{what for what, _make in look_of(case).trials._alternatives()} for case in (few, many)]
    assert words[0] - words[1] == {"inputs such as x1² and x1·x2"}
    data = make_dataset("moons", n_samples=10)
    huge = Trainer(MLP(2, [4, 1], "relu", "linear", random.Random(1)), X=1e200 * data.X, y=data.y)
    assert Trials(huge).better_networks() == []


def test_trials_are_made_of_small_networks_only():
    assert can_be_tried(337, 200) and not can_be_tried(10_000, 10_000)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_only_relu_can_die(activation):
    assert can_die(activation) == (activation == "relu")


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_the_flow_of_the_gradient_is_that_of_central_differences(activation):
    trainer = trained(3, sizes=(3, 2, 1), activation=activation)
    shape, parameters, X = trainer.model.shape, trainer.model.weights, trainer.data.X
    figures = layer_figures(shape, parameters, np.zeros_like(parameters), X)
    flow = gradient_flow(figures)
    matrices = shape.layer_matrices(np.arange(len(parameters)))
    for layer, indices in enumerate(matrices):
        squares = []
        for bias in indices[:, -1]:
            ends = []
            for step in (1e-6, -1e-6):
                moved = parameters.copy()
                moved[int(bias)] += step
                ends.append(shape.outputs(moved, X)[:, 0])
            squares.append(((ends[0] - ends[1]) / 2e-6) ** 2)
        assert flow[layer] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-4)


def trained(steps=0, dataset="moons", sizes=(8, 8, 1), activation="tanh", output="linear", **settings):
    data = make_dataset(dataset)
    rng = random.Random(1)
    model = MLP(2, list(sizes), activation=activation, output_activation=output, initialiser="xavier", rng=rng)
    trainer = Trainer(model, X=data.X, y=data.y, **{"learning_rate": 0.1, **settings})
    for _ in range(steps):
        trainer.step()
    return trainer


def layers_of(trainer):
    snapshot = trainer.snapshot()
    return layer_figures(trainer.model.shape, snapshot.parameters, snapshot.gradients, trainer.data.X)


def test_dead_neurons_are_counted_by_their_slopes():
    case = next(case for case in CASES if case.name == "all dead")
    notice, *_others = notices(look_of(case))
    assert notice.layer == 1 and notice.text.startswith("8 of 8 neurons of layer 1 are dead")


def test_the_bound_of_probabilities_is_reached_and_not_passed():
    case = next(case for case in CASES if case.name == "tanh output softmax")
    [notice] = [notice for notice in notices(look_of(case)) if notice.name == "bounded output"]
    best = np.exp([1.0, -1.0, -1.0])
    assert f"never above {best[0] / best.sum():.0%}" in notice.why


def layer_outputs(model, X):
    """Return the outputs of every layer (n_samples, n_neurons), row by row in the scalar graph."""
    outputs, layers = [[Value(x) for x in row] for row in X.tolist()], []
    for layer in model.layers:
        outputs = [layer.respond(row) for row in outputs]
        layers.append(np.array([[value.data for value in row] for row in outputs]))
    return layers


@pytest.mark.parametrize("activation", [name for name in ACTIVATIONS if name != "linear"])
def test_figures_of_a_layer_are_those_of_the_scalar_graph(activation):
    trainer = trained(3, sizes=(3, 2, 1), activation=activation)
    figures = layers_of(trainer)
    for figure, outputs in zip(figures, layer_outputs(trainer.model, trainer.data.X), strict=True):
        np.testing.assert_allclose(figure.outputs, outputs, atol=1e-12)
    first = figures[0]
    step = 1e-6 * np.array([1.0, 0.0])
    ahead, behind = (layer_outputs(trainer.model, trainer.data.X + sign * step)[0] for sign in (1, -1))
    slopes = (ahead - behind) / 2e-6
    np.testing.assert_allclose(first.slopes * first.weights[:, 0], slopes, atol=1e-5)
    np.testing.assert_array_equal(
        np.concatenate([figure.gradients.ravel() for figure in figures]), trainer.snapshot().gradients
    )


def test_a_histogram_counts_every_finite_number_once():
    numbers = np.array([0.0, 1.0, 1.0, 2.0, np.nan, np.inf])
    found = histogram(numbers)
    assert found.counts.sum() == 4
    assert found.left_out == 2
    assert (found.edges[0], found.edges[-1]) == (0.0, 2.0)
    assert histogram(np.full(5, 3.0)).counts.sum() == 5
    assert histogram(np.array([np.nan])).counts.sum() == 0
    assert histogram(np.array([1e300, -1e300])).counts.sum() == 2


def test_equal_neurons_are_equal_in_all_their_weights():
    weights = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [1.0, 2.0, 0.0]])
    assert same_neurons(weights, np.array([[5.0, 6.0, 5.0, 0.0]])) == [(1, 3)]
    assert same_neurons(weights, np.array([[5.0, 6.0, 7.0, 0.0]])) == []
