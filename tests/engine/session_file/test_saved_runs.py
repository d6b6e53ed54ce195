"""The runs in a session file: they come back with thinned curves, and what is damaged is refused by its place."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.document import Document, DocumentError, Trained, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.document.runs_section import MOST_RUNS, Runs
from engine.session_file import from_json, to_json
from engine.session_file.files import read_document
from engine.session_file.saved_runs import CURVE_POINTS, SavedRun, run_texts, saved_runs, session_text


def run(number, **data):
    """A run of 1,000 steps with momentum in its memory."""
    document = replace_section(Document(), "data", **data) if data else Document()
    weights = FrozenFloats(np.arange(37.0) / 7)
    steps = np.arange(1000.0)
    trained = Trained(
        step=1000, epoch=1000, parameters=weights, optimizer="momentum", optimizer_updates=1000,
        optimizer_state=(("velocity", weights),), curve=FrozenFloats(np.concatenate([steps, 1 / (1 + steps)])),
    )  # fmt: skip
    return SavedRun(number, "", 0.1 + 0.2, 0.75, None, replace(document, trained=trained))


def with_runs(*runs):
    return replace(Document(), runs=Runs(run_texts(runs, Document())))


def test_runs_come_back_bit_for_bit_with_thinned_curves_and_data_of_their_own():
    kept = run(1), replace(run(4, name="circles"), name="the other data", diverged_at=12)
    back = saved_runs(from_json(to_json(with_runs(*kept))))
    for before, after in zip(kept, back, strict=True):
        assert replace(after, document=before.document) == before
        assert after.document.data == before.document.data and after.document.training == before.document.training
        assert after.document.trained.parameters == before.document.trained.parameters
        assert after.document.trained.optimizer_state == before.document.trained.optimizer_state
        assert 2 * 128 < len(after.document.trained.curve) <= 2 * CURVE_POINTS


def test_a_run_with_the_largest_loss_comes_back():
    kept = replace(run(1), loss=1.7e308)
    assert saved_runs(from_json(to_json(with_runs(kept))))[0].loss == 1.7e308


def test_data_that_are_the_sessions_are_written_once_and_a_run_takes_a_line():
    text = to_json(with_runs(run(1), run(2)))
    assert text.count('"moons"') == 1
    assert sum(line.strip().startswith('{"number"') for line in text.splitlines()) == 2
    assert to_json(from_json(text)) == text


def test_only_so_many_of_the_newest_are_kept():
    texts = run_texts([run(number) for number in range(1, MOST_RUNS + 5)], Document())
    assert len(texts) == MOST_RUNS and json.loads(texts[0])["number"] == 5


def test_the_newest_runs_that_have_room_together_are_kept(monkeypatch):
    runs = [run(number) for number in range(1, 5)]
    texts = run_texts(runs, Document())
    monkeypatch.setattr("engine.session_file.saved_runs.MOST_LETTERS", len(texts[2]) + len(texts[3]))
    assert run_texts(runs, Document()) == texts[2:]


@pytest.mark.parametrize("room", [8, 2, 0])
def test_runs_that_a_file_has_no_room_for_are_left_out_of_it(room, monkeypatch):
    runs = [run(number) for number in range(1, 9)]
    largest = len(to_json(with_runs(*runs[len(runs) - room :])))
    monkeypatch.setattr("engine.session_file.strict_json.LARGEST_TEXT", largest)
    text = session_text(with_runs(*runs))
    assert len(text) == largest
    assert [kept.number for kept in saved_runs(from_json(text))] == [each.number for each in runs[len(runs) - room :]]
    monkeypatch.setattr("engine.session_file.strict_json.LARGEST_TEXT", len(to_json(Document())) - 1)
    with pytest.raises(ValueError, match="the file is too large"):
        session_text(with_runs(*runs))


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"number": 0}, "runs.kept.1.number"),
        ({"name": 5}, "runs.kept.1.name"),
        ({"loss": "0.1"}, "runs.kept.1.loss"),
        ({"diverged_at": -1}, "runs.kept.1.diverged_at"),
        ({"colour": "red"}, "runs.kept.1"),
        ({"training": {"learning_rate": -1}}, "runs.kept.1.training.learning_rate"),
        ({"trained": {"parameters": [1.0]}}, "runs.kept.1.trained.parameters"),
        ({"data": {"n_samples": 0}}, "runs.kept.1.data.n_samples"),
    ],
)
def test_a_damaged_run_is_refused_by_its_place(tmp_path, changes, place):
    content = json.loads(to_json(with_runs(run(1))))
    content["runs"]["kept"][0] |= changes
    path = tmp_path / "a.gradstep"
    path.write_text(json.dumps(content))
    with pytest.raises(DocumentError) as caught:
        read_document(path)
    assert caught.value.path.startswith(place)


@pytest.mark.parametrize("kept", [5, [5], [[]], [{}] * (MOST_RUNS + 1)])
def test_what_is_no_list_of_runs_is_refused(kept):
    content = json.loads(to_json(Document())) | {"runs": {"kept": kept}}
    with pytest.raises(DocumentError, match=r"runs\.kept"):
        from_json(json.dumps(content))


def test_two_runs_of_one_number_are_refused():
    with pytest.raises(DocumentError, match="ascending"):
        saved_runs(with_runs(run(2), run(2)))
