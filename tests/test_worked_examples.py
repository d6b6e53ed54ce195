"""The worked examples of CONTRIBUTING.md are added to their tables and used."""

import csv
import io
import re
from types import MappingProxyType

import numpy as np
import pytest

import engine.graph.formats as formats
import engine.lessons.goals as goals
from datasets import generators, registry
from engine.autograd import Value, apply, check_gradients
from engine.autograd.ops import Op
from engine.document import Document
from engine.graph import build_graph
from engine.graph.formats import write_graph
from engine.lessons.goals import Goal
from engine.lessons.state import LessonState
from engine.network import MLP, Trainer
from tests.sources import ROOT

SECTION = (
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Four worked examples")[2].partition("\n## ")[0]
)
EXAMPLES = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)


def example(start):
    found = [text for text in EXAMPLES if text.startswith(start)]
    assert len(found) == 1
    return found[0]


def entry(text, names):
    """Return what the text of one entry of a table makes; `"key": value` is a pair."""
    return eval(f"{{{text}}}" if text.startswith('"') else text, dict(names))


def test_the_operation_has_the_derivative_that_it_states():
    op = entry(example("Op("), {"Op": Op})
    x = Value(0.7, label="x")
    y = apply(op, x)
    y.backward()
    assert x.grad == pytest.approx((op.scalar(0.7 + 1e-6) - op.scalar(0.7 - 1e-6)) / 2e-6)
    assert all(row.ok for row in check_gradients(y))


@pytest.mark.slow
def test_the_dataset_is_drawn_and_learnt(monkeypatch):
    entries = {}
    monkeypatch.setattr(registry, "_entries", entries)
    exec(example("@dataset"), dict(vars(generators)))
    added = entries["stripes"]
    X, y = added.draw(added.n_samples, added.noise, np.random.RandomState(1))
    assert X.shape == (200, 2) and sorted(np.unique(y)) == [0, 1]
    suits = added.suits
    trainer = Trainer(
        MLP(2, [*suits.hidden, 1], activation=suits.activation), loss=suits.loss, optimizer=suits.optimizer, X=X,
        y=np.where(y == 1, 1, -1), learning_rate=suits.learning_rate,
    )  # fmt: skip
    for _ in range(suits.steps):
        trainer.step()
    assert trainer.snapshot().accuracy > 0.95


def test_the_goal_is_met_by_the_state_it_names(monkeypatch):
    kinds = entry(example('"samples"'), vars(goals))
    monkeypatch.setattr(goals, "GOALS", MappingProxyType({**goals.GOALS, **kinds}))
    n_samples = Document().data.n_samples
    for at_least, met in ((n_samples, True), (n_samples + 1, False)):
        goal = Goal.checked({"kind": "samples", "at_least": at_least})
        assert goal.look(LessonState()).met is met and str(at_least) in goal.wanted


def test_the_format_writes_every_edge_and_escapes_names(monkeypatch):
    names = {**vars(formats), "csv": csv, "io": io}
    exec(example("def edge_list"), names)
    monkeypatch.setattr(formats, "FORMATS", {**formats.FORMATS, "csv": entry(example("Format("), names)})
    a = Value(2.0, label='a,"b"\n')
    rows = list(csv.reader(io.StringIO(write_graph(build_graph([a * a]), "csv"))))
    assert rows[0] == ["from", "to", "data"] and len(rows) >= 3
    assert any(row[0].startswith('a,"b"') and float(row[2]) == 2.0 for row in rows[1:])
