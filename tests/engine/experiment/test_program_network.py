"""A program that trains a network becomes a document that trains as it did, to the last digit."""

import math

import pytest

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer, weights_of
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.experiment.program_network import NoNetwork, read_network_program, set_up_network
from engine.language import evaluate
from engine.network import TrainingDiverged
from engine.session_file import from_json, to_json
from tests.engine.experiment.network_programs import TUTORIAL

WEIGHTS = "w0 = [p.data for p in n.parameters()]\n"


def set_up(text):
    document = replace_section(Document(), "expression", text=text)
    return set_up_network(document, evaluate(text), evaluate)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "loss", "rate", "seed"),
    [
        (TUTORIAL, "sum_squared_error", 0.05, 1337),
        (TUTORIAL.replace("random.seed(1337)", "random.seed(3)\nq = random.random()"), "sum_squared_error", 0.05, None),
        (
            TUTORIAL.replace("loss = sum(", "loss = (1 / 4) * sum(")
            .replace("+= -0.05 *", "-= rate *")
            .replace("for k", "rate = 0.1\nfor k"),
            "mean_squared_error",
            0.1,
            1337,
        ),
    ],
    ids=["the tutorial", "weights that no seed gives", "a mean, a rate with a name"],
)
def test_the_document_trains_as_the_program_did(text, loss, rate, seed):
    setup = set_up(text)
    document = setup.document
    assert document.network.layer_sizes == (3, 4, 4, 1) and document.data.name == "tutorial"
    assert (document.training.loss, document.training.learning_rate) == (loss, rate)
    assert seed is None or document.network.seed == seed
    with_weights = text.replace("xs = [[", WEIGHTS + "xs = [[")
    assert list(weights_of(document)) == evaluate(with_weights).variables["w0"]
    dataset = make_dataset(document.data.name, noise=0.0)
    trainer = make_trainer(document, make_model(document), dataset)
    for _ in range(setup.steps):
        trainer.step()
    lines = "".join(piece.text for piece in evaluate(text).output).splitlines()
    printed = [float(line.split()[1]) for line in lines]
    assert setup.steps == 20 and trainer.losses == pytest.approx(printed, rel=1e-9)
    assert trainer.losses[:3] == pytest.approx(printed[:3], rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("update", ["p.data = p.data - 0.05 * p.grad", "p.data = p.data + -0.05 * p.grad"])
def test_a_program_that_is_written_differently_is_set_up_too(update):
    text = TUTORIAL.replace("p.data += -0.05 * p.grad", update)
    text = text.replace("n = MLP(3, [4, 4, 1])", "layers = [4, 4, 1]\nn = MLP(3, layers)")
    again = "again = [list(x) for x in xs]\nwords = [['a', 'b', 'c']] * 4\nfor i in range(2):\n    pass\nfor k"
    setup = set_up(text.replace("for k", again).replace("range(20)", "range(3)"))
    assert (setup.document.network.layer_sizes, setup.document.training.learning_rate) == ((3, 4, 4, 1), 0.05)
    assert setup.document.data.name == "tutorial" and setup.steps == 3


NO_LOSSES = """n = MLP(2, [1])
xs = [[2.0, 3.0], [3.0, -1.0]]
ys = (1.0, -1.0)
again = True
while again:
    sum((n(x) - y)**2 for x, y in zip(xs, ys)).backward()
    n.parameters()[0].data -= 0.05 * n.parameters()[0].grad
    again = False
"""
SHORT = TUTORIAL.replace("range(20)", "range(2)")
OWN_MODEL = """class MLP:
    def __init__(self, nin, nouts):
        self.w = [Value(0.1 * (i + 1)) for i in range(nin)]
    def __call__(self, x):
        return sum(w * each for w, each in zip(self.w, x))
    def parameters(self):
        return self.w
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 2", "builds no network"),
        ("class MLP:\n    pass", "builds no network"),
        ("import types\nbox = types.SimpleNamespace()\nbox.n = MLP(3, [4, 1])", "builds no network"),
        (SHORT.replace("[4, 4, 1]", "list((4, 4, 1))"), "sizes of the network cannot be read"),
        (SHORT.replace("+= -0.05 * p.grad", "-= 0.05 * k"), "learning rate cannot be read"),
        (OWN_MODEL + SHORT, "trains as the program does"),
        (NO_LOSSES, "holds the losses"),
        ("n = MLP(3, [4, 1])\ny = n([1, 2, 3])", "does not train"),
        (TUTORIAL.replace("+= -0.05 * p.grad", "= 0.0"), "learning rate cannot be read"),
        (
            TUTORIAL.replace("2.0, 3.0, -1.0", "2.5, 3.0, nan").replace("xs", "nan = float('nan')\nxs", 1),
            "no points to train",
        ),
        (TUTORIAL.replace("(yout - ygt)**2", "(yout - ygt)**4"), "trains as the program does"),
    ],
)
def test_what_cannot_be_set_up_is_said(text, words):
    with pytest.raises(NoNetwork, match=words):
        set_up(text)


@pytest.mark.slow
def test_a_program_that_diverges_at_once_becomes_a_network_that_does():
    text = OWN.replace("{targets}", "0.5, 2.25, -1.0, 0.0, 3.0").replace("[4, 1]", "[4, 1], 'relu', 'linear'")
    text = text.replace("losses = []", "points = [[1e60 * x for x in row] for row in points]\nlosses = []")
    document = set_up(text).document
    trainer = make_trainer(document, make_model(document), check_consistent(document))
    with pytest.raises(TrainingDiverged) as caught:
        trainer.run(8)
    losses = evaluate(text).variables["losses"]
    assert trainer.losses == pytest.approx(losses[:1], rel=1e-12)
    assert (caught.value.step, losses[1]) == (1, math.inf)


@pytest.mark.slow
def test_points_that_are_too_many_for_a_table_are_none(monkeypatch):
    monkeypatch.setattr("engine.experiment.program_network.MOST_TABLE_CELLS", 14)
    with pytest.raises(NoNetwork, match="no points to train"):
        set_up(OWN.replace("{targets}", "0.5, 2.25, -1.0, 0.0, 3.0"))


OWN = """import random
random.seed(7)
n = MLP(2, [4, 1])
points = [[0.5, 1.5], [1.0, -0.25], [-2.0, 0.75], [0.125, 0.0], [1.5, 1.5]]
wanted = [{targets}]
losses = []
for k in range(8):
    outs = [n(x) for x in points]
    loss = sum((o - t)**2 for o, t in zip(outs, wanted))
    for p in n.parameters():
        p.grad = 0.0
    loss.backward()
    for p in n.parameters():
        p.data -= 0.02 * p.grad
    losses.append(loss.data)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("targets", "task"),
    [
        ("1.0, -1.0, -1.0, 1.0, 1.0", "classification"),
        ("0, 1, 1, 0, 1", "classification"),
        ("0.5, 2.25, -1.0, 0.0, 3.0", "regression"),
        ("0.0, 2.0, 1.0, 0.0, 2.0", "regression"),
        ("[1.0], [-1.0], [-1.0], [1.0], [1.0]", "classification"),
    ],
)
def test_points_of_the_program_s_own_become_a_table_that_trains_as_it_did(targets, task):
    text = OWN.replace("{targets}", targets).replace("o - t", "o - t[0]" if "[" in targets else "o - t")
    setup = set_up(text)
    document, data = setup.document, prepare(setup.document.data)
    assert (document.data.source, data.train.task) == ("table", task)
    assert data.raw.X.tolist() == [[0.5, 1.5], [1.0, -0.25], [-2.0, 0.75], [0.125, 0.0], [1.5, 1.5]]
    assert data.train.y.tolist() == [float(number.strip("[] ")) for number in targets.split(",")]
    trainer = make_trainer(document, make_model(document), check_consistent(document))
    trainer.run(setup.steps)
    assert setup.steps == 8 and trainer.losses == pytest.approx(evaluate(text).variables["losses"], rel=1e-9)
    assert from_json(to_json(document)) == document


@pytest.mark.slow
def test_what_a_document_does_to_its_data_is_undone_for_a_program_that_does_not():
    document = replace_section(Document(), "expression", text=TUTORIAL)
    document = replace_section(document, "data", features=("x1",), scaling=True, test_share=0.5)
    data = set_up_network(document, evaluate(TUTORIAL), evaluate).document.data
    assert (data.features, data.scaling, data.test_share) == ((), False, 0.0)


def test_the_statement_that_builds_the_network_is_found_wherever_it_ends():
    text = TUTORIAL.replace("MLP(3, [4, 4, 1])", "MLP(\n    3,\n    [4, 4, 1],\n)  # a network")
    program = read_network_program(text)
    assert text[: program.end].endswith("# a network\n") and program.name == "n" and program.seeds == (1337,)


def test_a_page_of_its_own_above_the_network_moves_nothing():
    """The form feed with which some editors begin a page is no end of a line."""
    program = read_network_program("\x0c\n" + TUTORIAL)
    assert program.end == read_network_program(TUTORIAL).end + 2


def test_a_text_that_is_no_program_builds_no_network():
    with pytest.raises(NoNetwork, match="builds no network"):
        read_network_program("n = MLP(((")
