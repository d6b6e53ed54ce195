"""Networks as programs: every loss, optimizer, schedule, activation, initialiser and data source, and further steps."""

import ast
import functools
import itertools
import re

import numpy as np
import pytest

from datasets import DATASETS
from engine.code import TARGETS, CodeError
from engine.code.libraries import LIBRARIES
from engine.document import replace_section
from engine.document.data_section import SOURCES
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import fitted_network, make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.network import LOSSES
from engine.network.initialisers import INITIALISERS
from engine.network.layer import ACTIVATIONS
from engine.network.optimizers import OPTIMIZERS
from engine.network.schedules import SCHEDULES
from engine.session_file.pasted import session_of_text
from tests.engine.code.exported import ELSEWHERE, HERE, agree, document, is_installed, run_here

TABLE = (
    ("[Gradstep session]", FrozenFloats([0.1, 0.5, -0.3, 1.0])),
    ('a "b"\n', FrozenFloats([1.0, 2.0, 0.5, -1.0])),
    ("kind", ("x", "y", "x", "z")),
)
SOURCE_FIELDS = {
    "generator": {"n_samples": 12},
    "formula": {"n_samples": 12, "formula": "x1 * x2 > 0"},
    "table": {"table": TABLE, "table_target": "kind", "scaling": True},
    "points": {"points": ((0.0, 0.5, 0), (1.0, 1.0, 1), (-1.0, 0.25, 1), (0.5, 0.5, 0))},
}
SMALL = {"n_samples": 12}


def fitted(steps=0, data=SMALL, **training):
    """A session whose network has the ends that its data and its loss need."""
    made = document(0, data, {"layer_sizes": (2, 3, 1)}, **training)
    if LOSSES[made.training.loss].encoding == "one_hot" or made.data.name in ("spiral3",):
        made = replace_section(made, "training", loss="softmax_cross_entropy")
    raw = prepare(made.data).train
    made = fitted_network(made, raw.X.shape[1], raw.n_classes or 0)
    return document(steps, vars(made.data), vars(made.network), **vars(made.training))


def cases_of_tables():
    """One session for every entry of every table, trained for some steps, most with mini-batches."""
    for name in LOSSES:
        yield fitted(3, loss=name, batch_size=5, learning_rate=0.01)
    for name in OPTIMIZERS:
        yield fitted(4, optimizer=name, batch_size=7, learning_rate=0.01)
    for name in SCHEDULES:
        yield fitted(3, schedule=name)
    for name in ACTIVATIONS:
        yield document(2, SMALL, {"layer_sizes": (2, 3, 2, 1), "activations": (name, "tanh")}, learning_rate=0.01)
        yield document(0, SMALL, {"layer_sizes": (2, 2, 1), "output_activation": name}, learning_rate=0.01)
    for name in INITIALISERS:
        yield document(1, SMALL, {"initialiser": name})
    for name in DATASETS:
        yield fitted(1, {"name": name, "n_samples": 8}, optimizer="adam")
    for name in SOURCES:
        yield fitted(1, {"source": name, **SOURCE_FIELDS[name]}, optimizer="adam")
    yield fitted(3, data={**SMALL, "features": ("x1", "x1x2"), "scaling": True, "test_share": 0.3})
    yield fitted(3, l1=0.01, l2=0.02, clip_norm=0.5, clip_value=0.1, batch_size=5)
    yield fitted(0, l1=0.01, dtype="float32", seed=2**63 + 5, batch_size=5)
    yield document(2, SMALL, {"layer_sizes": (2, 1)})
    yield document(2, SMALL, {"layer_sizes": (2, 4, 1)}, batch_size=1)


def every_pair():
    """Every loss with every optimizer, and every loss with every activation."""
    activations, optimizers = itertools.cycle(ACTIVATIONS), itertools.cycle(OPTIMIZERS)
    triples = [(loss, optimizer, next(activations)) for loss, optimizer in itertools.product(LOSSES, OPTIMIZERS)]
    triples += [(loss, next(optimizers), name) for loss, name in itertools.product(LOSSES, ACTIVATIONS)]
    for loss, optimizer, activation in triples:
        made = fitted(loss=loss, optimizer=optimizer, learning_rate=0.01, data={"n_samples": 6})
        network = {**vars(made.network), "activations": (activation,)}
        yield document(2, {"n_samples": 6}, network, **vars(made.training))


sessions = functools.cache(lambda: list(cases_of_tables()))
SAMPLE = range(0, 60, 6)


@pytest.mark.slow
@pytest.mark.parametrize("index", SAMPLE)
@pytest.mark.parametrize("target", HERE)
def test_a_network_gives_the_same_numbers_in_a_program(target, index, tmp_path):
    assert agree(target, [(sessions()[index], None)], tmp_path) == 1


@pytest.mark.long
@pytest.mark.parametrize("target", (*HERE, *ELSEWHERE))
def test_every_entry_of_the_tables_gives_the_same_numbers_in_a_program(target, tmp_path):
    if not is_installed(target):
        pytest.skip(f"{target} is not installed")
    assert agree(target, [(session, None) for session in sessions()], tmp_path) == len(sessions())


@pytest.mark.long
@pytest.mark.parametrize("target", HERE)
def test_losses_agree_with_every_optimizer_and_every_activation(target, tmp_path):
    cases = [(session, None) for session in every_pair()]
    assert agree(target, cases, tmp_path) == len(cases)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("target", HERE)
def test_ten_further_steps_are_those_of_the_trainer(target, optimizer, tmp_path):
    made = document(
        5, {"n_samples": 20}, {"layer_sizes": (2, 3, 1)}, optimizer=optimizer, batch_size=6, seed=2**40 + 3,
        schedule="cosine", learning_rate=0.05, l2=0.001, clip_norm=0.8,
    )  # fmt: skip
    trainer = make_trainer(made, make_model(made), check_consistent(made))
    for _ in range(11):
        trainer.step()
    assert trainer.epoch_count == 4  # so the batches of several epochs are drawn
    text = TARGETS[target].function(made, None).replace("MORE_STEPS = 0", "MORE_STEPS = 10")
    found = run_here(text, tmp_path)[0]["parameters"]
    if isinstance(found, dict):
        layers = [np.column_stack([found[f"L{i}_w"], found[f"L{i}_b"]]).ravel() for i in (1, 2)]
        found = np.concatenate(layers)
    np.testing.assert_allclose(found, trainer.snapshot().parameters, rtol=1e-9)


@pytest.mark.parametrize(
    "limit", [{"clip_norm": 0.5}, {"clip_value": 0.02}, {"clip_norm": 0.5, "clip_value": 0.02}], ids=str
)
@pytest.mark.parametrize("target", HERE)
def test_limited_gradients_and_penalties_are_those_of_the_session(target, limit, tmp_path):
    assert agree(target, [(fitted(1, l1=0.01, l2=0.02, **limit), None)], tmp_path) == 1


@pytest.mark.parametrize("target", LIBRARIES)
def test_a_network_s_program_has_derivatives_of_its_own_for_numpy_alone(target):
    made = fitted(0, l1=0.01, clip_value=0.5, dtype="float32")
    tree = ast.parse(TARGETS[target].function(made, None))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert "clip" in functions
    assert ("penalty_gradient" in functions) == (target == "numpy")
    assert "float32" in ast.get_docstring(tree)


def test_a_session_changed_in_the_middle_of_an_epoch_goes_on_with_its_own_batches(tmp_path):
    made = replace_section(document(5, SMALL, batch_size=5), "training", batch_size=4)
    for target in HERE:
        agree(target, [(made, None)], tmp_path)


def test_names_of_columns_cannot_break_out_of_a_program(tmp_path):
    made = fitted(0, {"source": "table", **SOURCE_FIELDS["table"]})
    text = TARGETS["numpy"].function(made, None)
    run_here(text, tmp_path)
    assert session_of_text(text) == made


def test_what_takes_minutes_or_fills_a_file_is_refused(monkeypatch):
    many = document(0, {"n_samples": 2_000}, {"layer_sizes": (2, 60, 60, 1)})
    with pytest.raises(CodeError, match="NumPy"):
        TARGETS["python"].function(many, None)
    monkeypatch.setattr("engine.code.network_code.MOST_NUMBERS", 10)
    with pytest.raises(CodeError, match="fewer samples"):
        TARGETS["numpy"].function(many, None)


def test_numbers_that_are_not_finite_are_refused():
    far = {"source": "points", "points": ((1e150, 0.0, 0), (-1e150, 1.0, 1))}
    with pytest.raises(CodeError, match="finite"):
        TARGETS["numpy"].function(document(0, far, {"layer_sizes": (2, 1)}), None)


@pytest.mark.parametrize("target", ["numpy", "pytorch"])
def test_the_penalty_of_an_exported_network_is_that_of_the_session(target):
    text = TARGETS[target].function(document(1, {"n_samples": 12}, l1=0.25, l2=0.5), None)
    names = {"np": np, "torch": np}
    exec(re.search(r"def penalty\(.*?\n\n", text, re.DOTALL)[0], names)
    assert names["penalty"]({"w": np.array([1.0, -2.0])}) == 0.25 * 3 + 0.5 * 5
