"""A program that trains a network becomes a document that trains as it did, to the last digit."""

import pytest

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.document.assemble import make_model, make_trainer, weights_of
from engine.document.program_network import NoNetwork, read_network_program, set_up_network
from engine.language import evaluate
from tests.engine.document.network_programs import TUTORIAL

WEIGHTS = "w0 = [p.data for p in n.parameters()]\n"


def set_up(text):
    document = replace_section(Document(), "expression", text=text)
    return set_up_network(document, evaluate(text), evaluate)


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
    printed = [float(piece.text.split()[1]) for piece in evaluate(text).output]
    assert setup.steps == 20 and trainer.losses == pytest.approx(printed, rel=1e-9)
    assert trainer.losses[:3] == pytest.approx(printed[:3], rel=1e-14)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 2", "builds no network"),
        ("n = MLP(3, [4, 1])\ny = n([1, 2, 3])", "does not train"),
        (TUTORIAL.replace("+= -0.05 * p.grad", "= 0.0"), "learning rate cannot be read"),
        (TUTORIAL.replace("2.0, 3.0, -1.0", "2.5, 3.0, -1.0"), "none of the data sets"),
        (TUTORIAL.replace("(yout - ygt)**2", "(yout - ygt)**4"), "trains as the program does"),
    ],
)
def test_what_cannot_be_set_up_is_said(text, words):
    with pytest.raises(NoNetwork, match=words):
        set_up(text)


def test_the_statement_that_builds_the_network_is_found_wherever_it_ends():
    text = TUTORIAL.replace("MLP(3, [4, 4, 1])", "MLP(\n    3,\n    [4, 4, 1],\n)  # a network")
    program = read_network_program(text)
    assert text[: program.end].endswith("# a network\n") and program.name == "n" and program.seeds == (1337,)


def test_a_text_that_is_no_program_builds_no_network():
    with pytest.raises(NoNetwork, match="builds no network"):
        read_network_program("(((")
