"""What the network is fed with: where points come from, features, scaling, the rows that only test."""

import numpy as np
import pytest

from datasets import make_dataset
from engine.document import Document, DocumentError, replace_section
from engine.document.document import Data
from engine.experiment.assemble import fitted_network, make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.network.run.outputs import GridRequest
from engine.network.run.training_run import TrainingRun
from engine.session_file import from_json, to_json

TABLE = {"height": [1.5, 1.7, 1.6, 1.9], "weight": [50.5, 71.0, 58.0, 90.25], "kind": ["a", "b", "a", "b"]}
SOURCES = {
    "generator": {"name": "circles", "n_samples": 40},
    "formula": {"formula": "x1 * x2 > 0", "n_samples": 40},
    "table": {"table": TABLE, "table_name": "people.csv", "table_target": "kind"},
    "points": {"points": [[0.0, 0.0, 0], [1.0, 1.0, 1], [0.5, -1.0, 1], [0.25, 0.125, 0]]},
}


def data(**fields):
    return replace_section(Document(), "data", **fields).data


def document(features=(), **fields):
    """A document whose network fits."""
    made = replace_section(Document(), "data", features=features, **fields)
    fed = prepare(made.data).train
    return fitted_network(made, fed.n_features, fed.n_classes)


def test_a_plain_data_set_is_fed_as_it_is():
    prepared = prepare(Data())
    moons = make_dataset("moons", 100, 0.1, 1)
    assert prepared.train.X.tolist() == prepared.raw.X.tolist() == moons.X.tolist()
    assert prepared.test is None and not len(prepared.test_rows) and prepared.scaling is None
    assert prepared.to_inputs(moons.X[:3]).tolist() == moons.X[:3].tolist()


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_gives_data_that_train(source):
    made = document(source=source, noise=0.0, **SOURCES[source], test_share=0.25)
    prepared = check_consistent(made)
    assert prepared.train.n_samples + prepared.test.n_samples == prepared.raw.n_samples
    trainer = make_trainer(made, make_model(made), prepared)
    trainer.step()
    snapshot = trainer.snapshot()
    assert snapshot.test_loss is not None and snapshot.test_accuracy is not None


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_reads_back_from_a_file_as_it_was(source):
    more = {"features": ["x1", "x1^2"], "scaling": True, "test_share": 0.3, "split_seed": 7}
    made = replace_section(Document(), "data", source=source, **SOURCES[source], **more)
    again = from_json(to_json(made))
    assert again == made
    assert prepare(again.data).train.X.tobytes() == prepare(made.data).train.X.tobytes()


def test_a_table_keeps_its_names_and_what_is_predicted():
    fed = prepare(data(source="table", **SOURCES["table"])).train
    assert fed.feature_names == ("height", "weight") and fed.target_name == "kind"
    assert fed.class_names == ("a", "b") and fed.name == "people.csv"
    other = prepare(data(source="table", table=TABLE, table_target="weight", table_inputs=["height"])).train
    assert (other.task, other.feature_names, other.y.tolist()) == ("regression", ("height",), TABLE["weight"])


def test_a_formula_s_data_are_its_values():
    fed = prepare(data(source="formula", formula="sin(x1) + x2", noise=0.0, n_samples=50)).train
    assert fed.task == "regression"
    assert fed.y == pytest.approx(np.sin(fed.X[:, 0]) + fed.X[:, 1], abs=1e-12)
    classes = prepare(data(source="formula", formula="x1**2 < 1", noise=0.0)).train
    assert classes.classes.tolist() == (classes.X[:, 0] ** 2 < 1).astype(int).tolist()


def test_features_are_made_of_the_columns_and_the_map_gives_the_same():
    names = ("x1", "x2^2", "x1x2", "sin x2")
    prepared = prepare(data(features=names))
    x1, x2 = prepared.raw.X.T
    assert np.allclose(prepared.train.X, np.column_stack([x1, x2**2, x1 * x2, np.sin(x2)]), rtol=1e-15)
    assert prepared.train.feature_names == ("x1", "x2²", "x1x2", "sin x2")
    assert prepared.to_inputs(prepared.raw.X).tolist() == prepared.train.X.tolist()


def test_scaling_is_that_of_the_training_rows_after_the_features():
    prepared = prepare(data(features=("x1", "x1^2"), scaling=True, test_share=0.4))
    assert prepared.train.X.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert prepared.train.X.std(axis=0) == pytest.approx(1.0)
    assert abs(prepared.test.X.mean(axis=0)).max() > 1e-3
    x1 = prepared.raw.X[:, 0]
    expected = np.column_stack([x1, x1**2])
    fed = prepared.to_inputs(prepared.raw.X)
    rows = prepared.train_rows
    assert fed == pytest.approx((expected - expected[rows].mean(axis=0)) / expected[rows].std(axis=0))
    assert fed[prepared.test_rows].tolist() == prepared.test.X.tolist()


def test_every_row_trains_or_tests_and_the_seed_decides_which():
    prepared, other = prepare(data(test_share=0.3)), prepare(data(test_share=0.3, split_seed=1))
    assert sorted([*prepared.train_rows, *prepared.test_rows]) == list(range(100))
    assert len(prepared.test_rows) == 30
    assert prepared.raw_train.X.tolist() == prepared.raw.X[prepared.train_rows].tolist()
    assert prepared.test.y.tolist() == prepared.raw.y[prepared.test_rows].tolist()
    assert other.test_rows.tolist() != prepared.test_rows.tolist()


def test_fixed_points_all_train():
    assert prepare(data(name="xor", noise=0.0, test_share=0.5)).test is None


def test_each_side_of_a_split_has_a_row_or_it_is_refused():
    """E011: 0 %, 100 %, 99.99 % of 3 rows."""
    assert len(prepare(data(n_samples=3, test_share=0.9)).train_rows) == 1
    assert len(prepare(data(n_samples=3, test_share=1e-9)).test_rows) == 1
    assert prepare(data(n_samples=3, test_share=0.0)).test is None
    for share in (1.0, 0.9999, -0.1):
        with pytest.raises(DocumentError, match=r"data\.test_share must be a finite number from 0 to 0.9"):
            data(test_share=share)


def test_a_single_point_trains_whatever_the_share_of_test_data():
    """The first point that is drawn, while a share was chosen for the data before."""
    alone = prepare(data(n_samples=1, test_share=0.5))
    assert (alone.train.n_samples, alone.test) == (1, None)


def test_a_split_that_leaves_one_class_still_trains_by_the_rule_of_all_labels():
    for seed in range(6):
        made = document(n_samples=2, noise=0.0, test_share=0.5, split_seed=seed)
        trainer = make_trainer(made, make_model(made), check_consistent(made))
        trainer.step()
        assert trainer.data.targets.threshold == 0.0


@pytest.mark.parametrize(
    ("fields", "path", "words"),
    [
        ({"source": "points"}, "data.points", "draw one first"),
        ({"source": "table"}, "data.table", "import one first"),
        ({"source": "formula", "formula": "log(x1)"}, "data.formula", "no finite value"),
        ({"source": "formula", "formula": "1/0 * x1"}, "data.formula", "no finite value at 100 of 100"),
        ({"source": "formula", "formula": "x1 + 10.0**400"}, "data.formula", "no finite value"),
        ({"name": "curve", "features": ["x2"]}, "data.features", "needs 2 inputs"),
        ({"features": ["x7"]}, "data.features", "no feature 'x7'"),
        ({"source": "points", "points": [[1e200, 0, 0]], "features": ["x1^2"]}, "data.features", "too large"),
        ({"source": "table", "table": TABLE, "table_target": "hight"}, "data.table", "did you mean 'height'"),
        ({"source": "table", "table": TABLE, "table_inputs": ["kind"]}, "data.table", "input and target"),
    ],
)
def test_data_that_cannot_be_are_refused_with_their_field(fields, path, words):
    with pytest.raises(DocumentError, match=words) as caught:
        prepare(data(**fields))
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("fields", "path", "words"),
    [
        ({"source": "csv"}, "data.source", "must be one of generator"),
        ({"formula": "x1 +"}, "data.formula", "column 5"),
        ({"formula": "x1\n+ 1"}, "data.formula", "at most 1 lines"),
        ({"table": {"a": [1.0], "b": [1.0, 2.0]}}, "data.table", "columns of one length"),
        ({"table": {"a": [1.0, None]}}, "data.table", "entry 'a' entry 2 must be a number"),
        ({"table": {"a": ["yes", ""]}}, "data.table", "entry 2 must be a text"),
        ({"table": {str(n): [0.0] * 4_000 for n in range(100)}}, "data.table", "at most 300,000 cells, not 400,000"),
        ({"table": {"a": ["x" * 60] * 20_000}}, "data.table", "1,000,000 characters"),
        ({"points": [[0.0, 0.0, 10]]}, "data.points", "entry 1 must be a whole number from 0 to 9"),
        ({"points": [[0.0, 0.0]]}, "data.points", "x1, x2 and a class"),
        ({"points": [[0.0, 0.0, 0]] * 2_001}, "data.points", "2,000 entries"),
        ({"features": ["x1", "x1"]}, "data.features", "each input once"),
        ({"scaling": 1}, "data.scaling", "true or false"),
        ({"noise": 20.0}, "data.noise", "from 0 to 10"),
        ({"n_samples": 0}, "data.n_samples", "from 1"),
        ({"n_samples": 10**7}, "data.n_samples", "100,000"),
    ],
)
def test_a_field_of_the_data_says_what_it_may_hold(fields, path, words):
    with pytest.raises(DocumentError, match=words) as caught:
        data(**fields)
    assert caught.value.path == path


def test_one_point_trains():
    """E016, E017: one point, and so one class."""
    made = document(n_samples=1, noise=0.0)
    prepared = check_consistent(made)
    assert any("one class" in note for note in prepared.raw.notes) or prepared.raw.n_samples == 1
    trainer = make_trainer(made, make_model(made), prepared)
    assert trainer.step() >= 0.0


def test_the_boundary_asks_the_network_about_points_of_the_plane():
    made = document(features=("x1", "x2", "x1^2", "sin x2"), scaling=True)
    prepared = check_consistent(made)
    trainer = make_trainer(made, make_model(made), prepared)
    progress = TrainingRun(1, trainer).describe(GridRequest((-1.0, 2.0, -0.5, 1.5), 7))
    across, up = np.meshgrid(np.linspace(-1.0, 2.0, 7), np.linspace(-0.5, 1.5, 7))
    points = np.column_stack([across.ravel(), up.ravel()])
    expected = make_model(made)(prepared.to_inputs(points)).data.reshape(7, 7)
    assert progress.grid == pytest.approx(expected, abs=1e-5)


def test_a_curve_with_features_is_asked_along_its_one_number():
    made = document(features=("x1", "x1^2"), name="curve")
    prepared = check_consistent(made)
    progress = TrainingRun(1, make_trainer(made, make_model(made), prepared)).describe(GridRequest((-3, 3, 0, 1), 9))
    points = np.linspace(-3, 3, 9)[:, None]
    assert progress.grid == pytest.approx(make_model(made)(prepared.to_inputs(points)).data[:, 0], abs=1e-5)


def test_the_curve_of_the_test_data_is_reported():
    made = document(test_share=0.3)
    run = TrainingRun(1, make_trainer(made, make_model(made), check_consistent(made)))
    run.step(3)
    run.advance(1.0)
    progress = run.describe(None)
    assert progress.test_steps[-1] == 3 and progress.test_losses[-1] == progress.snapshot.test_loss
    assert progress.snapshot.test_accuracy is not None


def test_labels_all_of_one_class_train_and_are_remarked_upon():
    """E017."""
    made = document(source="points", points=[[0.0, 0.0, 0], [1.0, 0.5, 0], [0.25, 1.0, 0]])
    prepared = check_consistent(made)
    assert prepared.raw.notes == ("All points are of one class, so there is no boundary to learn.",)
    trainer = make_trainer(made, make_model(made), prepared)
    trainer.run(300)
    assert trainer.accuracy() == 1.0


def test_the_number_of_inputs_and_outputs_is_that_of_the_data():
    """D007, D008."""
    with pytest.raises(DocumentError, match="must begin with 2, the inputs of the data, not with 3"):
        check_consistent(replace_section(Document(), "network", layer_sizes=(3, 4, 1), activations=("tanh",)))
    three = replace_section(Document(), "data", name="spiral3")
    with pytest.raises(DocumentError, match="must end with 3, an output for each class of the data, not with 1"):
        check_consistent(three)
    squares = replace_section(Document(), "data", features=("x1", "x2", "x1^2"))
    with pytest.raises(DocumentError, match="must begin with 3, the inputs of the data, not with 2"):
        check_consistent(squares)
