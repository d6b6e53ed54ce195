"""The contract of every named dataset, and the sets whose points others have published."""

import math

import numpy as np
import pytest

from datasets import DATASETS, N_SAMPLES_LIMITS, Dataset, DatasetError, make_dataset

DRAWN = [name for name, entry in DATASETS.items() if not entry.fixed]
FIXED = [name for name, entry in DATASETS.items() if entry.fixed]
EVEN = [name for name in DRAWN if DATASETS[name].n_classes]


def same(one: Dataset, other: Dataset) -> bool:
    return one.X.tobytes() == other.X.tobytes() and one.y.tobytes() == other.y.tobytes()


@pytest.mark.parametrize("name", DATASETS)
def test_an_entry_gives_what_it_announces(name):
    entry, data = DATASETS[name], make_dataset(name)
    assert (data.name, data.task, data.description) == (name, entry.task, entry.description)
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert data.X.dtype == np.float64
    assert data.y.shape == (entry.n_samples,)
    assert len(data.feature_names) == entry.n_features
    assert np.isfinite(data.X).all() and np.isfinite(data.y).all()
    assert entry.title and entry.description.endswith(".")


@pytest.mark.parametrize("name", DATASETS)
def test_labels_are_numbered_as_the_tutorials_do_and_regression_targets_are_floats(name):
    data = make_dataset(name)
    if data.task == "classification":
        assert data.y.dtype == np.int64
        from_zero = name in ("xor", "and", "or") or "-1" not in data.class_names
        assert set(data.y) == (set(range(data.n_classes)) if from_zero else {-1, 1})
    else:
        assert data.y.dtype == np.float64
        assert data.n_classes == 0


@pytest.mark.parametrize("name", DATASETS)
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(name):
    one = make_dataset(name, noise=0.1, seed=1)
    assert same(one, make_dataset(name, noise=0.1, seed=1))
    assert not same(one, make_dataset(name, noise=0.1, seed=2))


@pytest.mark.parametrize("name", DATASETS)
def test_drawing_leaves_numpys_global_stream_alone(name):
    before = np.random.get_state()[1].copy()
    make_dataset(name, seed=3)
    assert np.array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("n_samples", [1, 2, 3, 17])
def test_any_number_of_samples_is_drawn(name, n_samples):
    assert make_dataset(name, n_samples=n_samples, seed=5).n_samples == n_samples


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_dataset_keeps_its_points_whatever_number_is_asked_for(name):
    assert same(make_dataset(name, n_samples=100), make_dataset(name))


@pytest.mark.parametrize("name", EVEN)
@pytest.mark.parametrize("n_samples", [30, 31])
def test_classes_are_equally_frequent(name, n_samples):
    counts = np.bincount(make_dataset(name, n_samples=n_samples).classes, minlength=DATASETS[name].n_classes)
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("name", DATASETS)
def test_noise_moves_the_points_and_no_noise_repeats_them(name):
    quiet, noisy = make_dataset(name, noise=0.0, seed=1), make_dataset(name, noise=1.0, seed=1)
    assert not same(quiet, noisy) and same(quiet, make_dataset(name, noise=-0.0, seed=1))


@pytest.mark.parametrize("name", DATASETS)
def test_the_extremes_of_the_limits_are_drawn(name):
    entry = DATASETS[name]
    largest = make_dataset(name, n_samples=entry.n_samples_limits[1], noise=entry.noise_limits[1], seed=2**32 - 1)
    assert np.isfinite(largest.X).all()


@pytest.mark.parametrize("name", DATASETS)
def test_the_arrays_cannot_be_written_to(name):
    data = make_dataset(name)
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        data.y[0] = 1


def test_the_registry_cannot_be_written_to():
    with pytest.raises(TypeError):
        DATASETS["mine"] = DATASETS["xor"]


def test_logic_tables():
    assert make_dataset("xor").X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert make_dataset("xor").y.tolist() == [0, 1, 1, 0]
    assert make_dataset("and").y.tolist() == [0, 0, 0, 1]
    assert make_dataset("or").y.tolist() == [0, 1, 1, 1]


def test_the_four_points_of_the_tutorial():
    data = make_dataset("tutorial")
    assert data.X.tolist() == [[2, 3, -1], [3, -1, 0.5], [0.5, 1, 1], [1, 1, -1]]
    assert data.y.tolist() == [1, -1, -1, 1]
    assert data.class_names == ("-1", "1")


# What scikit-learn 1.9.1 gives. The last bit of a sine or cosine may differ between processors: hence 1e-14.
def test_moons_are_those_of_micrograds_demo():
    """`np.random.seed(1337); make_moons(n_samples=100, noise=0.1)`."""
    data = make_dataset("moons", n_samples=100, noise=0.1, rng=np.random.RandomState(1337))
    first = [
        [1.1221146075409685, 0.08147717341718697],
        [-0.8188294130836691, 0.058790063907949996],
        [1.613709660987544, -0.12464590012238597],
    ]
    assert np.abs(data.X[:3] - first).max() < 1e-14
    assert data.classes[:20].tolist() == [0, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0]
    assert math.isclose(data.X.sum(), 78.61023442501713, rel_tol=1e-13)


def test_the_global_stream_and_a_stream_of_the_same_seed_are_one():
    state = np.random.get_state()
    np.random.seed(1337)
    from_global = make_dataset("moons", rng=np.random.uniform.__self__)
    np.random.set_state(state)
    assert same(from_global, make_dataset("moons", rng=np.random.RandomState(1337)))
    assert same(from_global, make_dataset("moons", seed=1337))


@pytest.mark.parametrize(
    ("name", "n_samples", "noise", "seed", "first", "last", "ones"),
    [
        ("moons", 3, 0.0, 1, [1.0, 0.0], [0.0, 0.5], 2),
        (
            "moons",
            101,
            0.2,
            7,
            [-0.4732084746851699, 0.6758143737065613],
            [-0.9139736729017389, 0.10087144910637443],
            51,
        ),
        (
            "circles",
            50,
            0.1,
            1,
            [0.6086437172207322, 0.33331142240082323],
            [-0.5827195684696973, 0.09879017832065667],
            25,
        ),
    ],
)
def test_moons_and_circles_are_scikit_learns(name, n_samples, noise, seed, first, last, ones):
    """`make_moons(n, noise=, random_state=)` and `make_circles(n, noise=, random_state=, factor=0.5)`."""
    data = make_dataset(name, n_samples, noise, seed)
    assert np.abs(data.X[0] - first).max() < 1e-14
    assert np.abs(data.X[-1] - last).max() < 1e-14
    assert data.classes.sum() == ones


def test_a_yin_yang_without_noise_lies_in_the_disc_with_its_dots_in_place():
    data = make_dataset("yin_yang", n_samples=600)
    dots = data.X[data.y == 2]
    assert np.hypot(*data.X.T).max() <= 1
    assert np.hypot(np.abs(dots[:, 0]) - 0.5, dots[:, 1]).max() <= 0.2
    assert data.X[data.y == 0][:, 1].mean() > 0 > data.X[data.y == 1][:, 1].mean()


def test_neighbouring_fields_of_the_checkerboard_differ():
    data = make_dataset("checkerboard", n_samples=400)
    fields = np.floor((data.X + 1) * 2).sum(axis=1) % 2
    assert np.array_equal(fields, data.classes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "moon"}, "did you mean 'moons'"),
        ({"name": "XOR"}, "did you mean 'xor'"),
        ({"name": 3}, "no dataset 3 (there are: "),
        ({"name": ["moons"]}, "no dataset"),
        ({"name": "moons", "n_samples": 0}, "n_samples must be a whole number from 1 to 100,000, not 0"),
        ({"name": "moons", "n_samples": N_SAMPLES_LIMITS[1] + 1}, "not 100001"),
        ({"name": "moons", "n_samples": 10**5000}, "more than 30 digits"),
        ({"name": "moons", "n_samples": True}, "whole number from 1 to 100,000, not True"),
        ({"name": "moons", "n_samples": "100"}, "not '100'"),
        ({"name": "moons", "n_samples": 10.0}, "not 10.0"),
        ({"name": "moons", "noise": -0.1}, "noise must be a finite number from 0 to 10, not -0.1"),
        ({"name": "moons", "noise": 10.1}, "not 10.1"),
        ({"name": "moons", "noise": math.nan}, "not nan"),
        ({"name": "moons", "noise": math.inf}, "not inf"),
        ({"name": "moons", "noise": False}, "not False"),
        ({"name": "moons", "noise": "0.1"}, "not '0.1'"),
        ({"name": "moons", "noise": 10**400}, "not a number of more than 30 digits"),
        ({"name": "moons", "seed": -1}, "seed must be a whole number from 0 to 4,294,967,295, not -1"),
        ({"name": "moons", "seed": 2**32}, "not 4294967296"),
        ({"name": "moons", "seed": True}, "not True"),
        ({"name": "moons", "seed": None}, "not None"),
        ({"name": "xor", "n_samples": 0}, "n_samples"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(given, message):
    with pytest.raises(DatasetError) as raised:
        make_dataset(**given)
    assert message in str(raised.value)
    assert len(str(raised.value)) < 250


def test_integers_and_floats_of_numpy_are_numbers():
    one = make_dataset("moons", n_samples=np.int64(20), noise=np.float64(0.1), seed=np.uint32(1))
    assert same(one, make_dataset("moons", n_samples=20, noise=0.1, seed=1))
