"""The published examples that are networks: sizes, single neurons, training runs, and false statements.

They are set up in a document as a user does it, and train by the same program as the window.
"""

from __future__ import annotations

import csv
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from datasets import make_dataset
from engine.autograd import Value
from engine.document.document import Document, replace_section
from engine.examples.row import GalleryRow, limit_row, row
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.network import LOSSES, MLP, Neuron, SizeError, Trainer, encode, scalar_objective

LOGS = Path(__file__).resolve().parents[2] / "resources" / "examples"

Case = dict[str, Any]
Rows = Iterator[GalleryRow]


def _trainer(case: Case, **network: Any) -> Trainer:
    document = Document()
    for section in ("data", "network", "training"):
        document = replace_section(document, section, **case[section])
    document = replace_section(document, "network", **network)
    return make_trainer(document, make_model(document), check_consistent(document))


def _sizes(case: Case) -> Rows:
    for entry in case["sizes"]:
        n_inputs, *layers = entry["layer_sizes"]
        yield row(case, f"MLP({n_inputs}, {layers})", entry["parameters"], MLP(n_inputs, layers).n_parameters)


def _training(case: Case) -> Rows:
    last = []
    for seed in range(case["seeds"]):
        trainer = _trainer(case, seed=seed)
        trainer.run(case["steps"])
        last.append(trainer.losses[-1])  # the output of the last step
    yield limit_row(case, f"loss, {case['seeds']} seeds", case["below"], float(np.max(last)))
    if "median" in case:
        yield row(case, "median loss", case["median"], statistics.median(last), case["median_tol"])


def _neuron(case: Case) -> Rows:
    neuron = Neuron(len(case["x"]), case["activation"], random.Random(case["seed"]))
    inputs = [Value(x, f"x{i}") for i, x in enumerate(case["x"], start=1)]
    output = neuron(inputs)
    output.backward()
    *weights, bias = neuron.parameters()
    for number, (expected, weight) in enumerate(zip(case["weights"], weights, strict=True), start=1):
        yield row(case, f"w{number}", expected, weight.data)
    yield row(case, "output", case["output"], output.data)
    names = {f"w{i}": w for i, w in enumerate(weights, start=1)} | {f"x{i}": x for i, x in enumerate(inputs, start=1)}
    for name, expected in case["grad"].items():
        yield row(case, f"{name}.grad", expected, (names | {"b": bias})[name].grad)


def _log(case: Case) -> Rows:
    """Return every line of a published log, with the largest deviation."""
    lines = (LOGS / case["log"]).read_text(encoding="utf-8").splitlines()
    published = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    trainer = _trainer(case)
    accuracies, losses = [], []
    for _ in published:
        accuracies.append(100.0 * (trainer.accuracy() or 0.0))
        losses.append(trainer.step() + trainer.seen_penalty)  # the published loss includes the penalty
    for name, obtained in (("loss", losses), ("accuracy", accuracies)):
        distance = np.abs(np.array([float(line[name]) for line in published]) - obtained)
        yield limit_row(case, f"{len(published)} x {name}, furthest", case["tol"], float(np.max(distance)))


def _sizes_refused(case: Case) -> Rows:
    try:
        MLP(case["n_inputs"], case["layer_sizes"])(case["x"])
        answer = "taken"
    except SizeError as error:
        answer = f"refused: {error}"[:60]
    yield GalleryRow(case["id"], case["title"], "mismatch", "refused", answer, answer.startswith("refused"))


def _not_zeroed(case: Case) -> Rows:
    n_inputs, *layers = case["layer_sizes"]
    model = MLP(n_inputs, layers, "tanh", "tanh", random.Random(0))
    data, loss = make_dataset(case["data"], noise=0.0), LOSSES["sum_squared_error"]
    targets = encode(loss, data.y, 1).values
    highest = 0.0
    for _ in range(case["epochs"]):
        root = scalar_objective(model, loss, data.X, targets)
        highest = max(highest, root.data)
        root.backward()
        for parameter in model.parameters():
            parameter.data -= case["learning_rate"] * parameter.grad
    yield limit_row(case, "highest loss", case["at_most"], highest)


def _tanh(case: Case) -> Rows:
    for point in case["points"]:
        yield row(case, f"tanh({point:g})", case["value"], Value(point).tanh().data)


NETWORK_CASES: Mapping[str, Callable[[Case], Rows]] = {
    "sizes": _sizes,
    "training": _training,
    "neuron": _neuron,
    "log": _log,
    "sizes_refused": _sizes_refused,
    "not_zeroed": _not_zeroed,
    "tanh": _tanh,
}
"""Functions that run the entries of each kind."""
