"""Session files: whatever the text, one line that refuses it, or a session that is shown, trained and saved."""

import copy
import dataclasses
import json
import random
import tempfile
import time
from pathlib import Path

import numpy as np

from datasets import DATASETS, FEATURES
from engine.document import Document, DocumentError, replace_section
from engine.experiment.advice import network_notes, slow_step_note, training_notes
from engine.experiment.assemble import fitted_network, make_model, make_trainer, trained_at
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.graph import read_numbers
from engine.language import ProgramError, evaluate
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS, SCHEDULES, TrainingDiverged
from engine.session_file import from_json, to_json
from engine.session_file.files import read_document
from engine.session_file.saved_runs import saved_runs
from engine.views.graph_view import show_expression
from engine.views.sample import make_sample_graph
from tests.fuzz import programs

STEPS, STEP_SECONDS = 5, 1.0
"""Updates of each session that fits together; fewer when they take longer than this together."""

FIRST = to_json(Document())
VALUES = [
    *(None, True, 0, -1, 1, 2, 3, 10**6, 2**64, 10**400, 0.5, -0.0, 1e308, 5e-324, "", "a", "moons", "spiral3"),
    *("relu", "\x1b[0m", "\0", "\ud800", "x" * 300, [], [[]], {}, {"": 0}, [1, 2], [2, 4, 1], [2, 300, 1]),
    *({"a": [1, 2]}, "network", "curve", "softmax_cross_entropy", [0.5] * 37, {"first": 1.0}, ["*"], ["L1", "op:o"]),
]
NAMES = ["", "a", "data", "network", "gradstep", "parameters", "layer_sizes", "moved", "\u202e"]
PIECES = [*'{}[],:"1-e\\\né', "NaN", "Infinity", "1e999", "\\u0000", "\\ud800"]


def advice_on(document):
    """All that the window and the command line say of a document in which everything fits together."""
    return [note for note in (slow_step_note(document), *training_notes(document), *network_notes(document)) if note]


def make(chance):
    """A session that works, with some of it exchanged and perhaps damaged."""
    document = document_of(chance)
    content = json.loads(to_json(document))
    for _ in range(chance.choice((0, 0, 0, 1, 1, 3))):
        exchange(content, chance)
    text = json.dumps(content, ensure_ascii=chance.random() < 0.5)
    for _ in range(chance.choice((*[0] * 10, 1, 3))):
        start = chance.randrange(len(text))
        text = text[:start] + chance.choice(PIECES) + text[start + chance.choice((0, 1, 20)) :]
    return text


def document_of(chance):
    """Any settings that are allowed field by field, the network's ends fitted to the data; trained or not."""
    document = replace_section(Document(), "expression", text=programs.structured(chance))
    try:
        document = with_data(document, chance)
        document = with_training(with_network(document, chance), chance)
        dataset = prepare(document.data).train
        document = fitted_network(document, dataset.n_features, dataset.n_classes)
    except DocumentError:
        pass  # what does not fit together is to be refused when it is read
    shows, expanded = chance.choice(("network", "expression")), chance.choice(((), ("*",), ("L1", "L2N1"), ("op:v0",)))
    view = {"shows": shows, "sample": chance.choice((0, 3, 99_999)), "n_samples": chance.choice((1, 2, 8))}
    document = replace_section(document, "view", **view, expanded=expanded, hide_constants=chance.random() < 0.3)
    return trained(document, chance.choice((0, 2))) or document


FORMULAS = ("sin(x1) * x2", "x1**2 + x2**2 < 4", "x1 > 0", "log(x1)", "exp(100*x1)", "1e300 * x1", "3")


def with_data(document, chance):
    """Data of any source, some of which cannot be made, with any inputs, scaling and split."""
    size, noise = chance.choice((1, 2, 4, 12, 60, 1000)), chance.choice((0.0, 0.1, 10.0))
    n_rows = chance.choice((0, 1, 2, 5, 40))
    point = [(chance.uniform(-2, 2), chance.choice((0.0, 1e9, -1e-9)), chance.randrange(3)) for _ in range(n_rows)]
    columns = {f"c{i}": [chance.choice((0.0, 1.0, 0.5, -3.25)) for _ in range(n_rows)] for i in range(3)}
    columns["kind"] = [chance.choice(("a", "b", "c")) for _ in range(n_rows)]
    made = {
        "generator": {"name": chance.choice(list(DATASETS))},
        "formula": {"formula": chance.choice(FORMULAS)},
        "table": {"table": columns, "table_target": chance.choice(("", "kind", "c0"))},
        "points": {"points": point},
    }
    source = chance.choice(("generator", "generator", *made))
    features = tuple(name for name in FEATURES if chance.random() < 0.4) if chance.random() < 0.4 else ()
    split = {"test_share": chance.choice((0.0, 0.0, 0.3, 0.9)), "split_seed": chance.randrange(9)}
    fields = {"n_samples": size, "noise": noise, "seed": chance.randrange(9), **split, "scaling": chance.random() < 0.3}
    return replace_section(document, "data", source=source, **made[source], **fields, features=features)


def with_network(document, chance):
    hidden = [chance.choice((1, 2, 4, 16)) for _ in range(chance.choice((0, 1, 2, 2, 5)))]
    if chance.random() < 0.05:
        hidden = [256, 256]
    return replace_section(
        document,
        "network",
        layer_sizes=(chance.choice((1, 2)), *hidden, chance.choice((1, 1, 2, 3))),
        activations=tuple(chance.choice(list(ACTIVATIONS)) for _ in hidden),
        output_activation=chance.choice(["linear", "tanh", *ACTIVATIONS]),
        initialiser=chance.choice(list(INITIALISERS)),
    )


def with_training(document, chance):
    return replace_section(
        document,
        "training",
        loss=chance.choice(list(LOSSES)),
        optimizer=chance.choice(list(OPTIMIZERS)),
        schedule=chance.choice(list(SCHEDULES)),
        learning_rate=chance.choice((0.0, 0.05, 1.0, 1e9, 5e-324)),
        batch_size=chance.choice((None, None, 1, 5, 100_000)),
        l1=chance.choice((0.0, 0.01, 1e9)),
        l2=chance.choice((0.0, 0.01, 1e9)),
        clip_norm=chance.choice((None, 1.0, 1e-12)),
        clip_value=chance.choice((None, 1.0, 1e-12)),
        dtype=chance.choice(("float64", "float32")),
    )


def places(content):
    """Every table and list in the content, itself included."""
    yield content
    for inner in content.values() if isinstance(content, dict) else content:
        if isinstance(inner, (dict, list)):
            yield from places(inner)


def exchange(content, chance):
    """Exchanges, adds or takes away one value."""
    place = chance.choice(list(places(content)))
    key = chance.choice([*place, *NAMES]) if isinstance(place, dict) else chance.randrange(len(place) + 1)
    if chance.random() < 0.2:
        place.pop(key, None) if isinstance(place, dict) else place.clear()
    elif isinstance(place, dict):
        place[key] = copy.deepcopy(chance.choice(VALUES))
    else:
        place.insert(key, copy.deepcopy(chance.choice(VALUES)))


def check(text):
    """Reading, showing, training and saving."""
    document = check_text(text)
    if document is None:
        return {}
    check_file(text, document)
    for note in advice_on(document):
        assert note.isprintable()
    check_expression(document)
    check_network(document)
    after = trained(document, STEPS)
    if after is not None:
        saved = from_json(to_json(after))
        assert saved == after
        check_consistent(saved)
        check_network(saved)
    return {}


def check_text(text):
    """The session that the text is; None for one that is refused in one line."""
    try:
        document = from_json(text)
        check_consistent(document)
        saved_runs(document)  # as whoever opens a file does
    except DocumentError as error:
        assert len(str(error)) <= 700
        assert str(error).isprintable()
        return None
    assert from_json(to_json(document)) == document
    return document


def check_file(text, document):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("s.gradstep", "s.txt"):
            path = Path(folder, name)
            path.write_text(text, encoding="utf-8", newline="")
            assert read_document(path).document == document


def check_expression(document):
    view = document.view
    try:
        evaluation = evaluate(document.expression.text, programs.RUN_SECONDS)
    except ProgramError:
        return
    shown = show_expression(evaluation, view.hide_constants, view.expanded, view.collapsed)
    read_numbers(shown.graph, shown.numbers, shown.problems)


def check_network(document):
    dataset = check_consistent(document).train
    try:
        shown = make_sample_graph(document, dataset.X, dataset.y).graph_view
    except ValueError as error:
        assert "can be shown" in str(error)
        return
    if len(shown.graph) <= 2_000:
        programs.look_at(shown, random.Random(0))


def trained(document, steps):
    """The document after some updates; None when it does not fit together or diverges."""
    try:
        dataset = check_consistent(document)
    except DocumentError:
        return None
    trainer = make_trainer(document, make_model(document), dataset)
    end = time.process_time() + STEP_SECONDS
    try:
        for _ in range(steps):
            trainer.step()
            if time.process_time() > end:
                break
    except TrainingDiverged as error:
        assert str(error).isprintable()
        return dataclasses.replace(document, trained=trained_at(trainer.last_good()))
    snapshot = trainer.snapshot(figures=False)
    is_finite = np.isfinite(snapshot.parameters).all()
    return dataclasses.replace(document, trained=trained_at(snapshot if is_finite else trainer.last_good()))
