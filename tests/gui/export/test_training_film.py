"""A run as a moving picture: its frames are steps of its history, and the words under them are true."""

import numpy as np
import pytest
from PIL import Image

import main
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.prepared import prepare
from engine.session_file import to_json
from gui.export.training_film import TrainingFilm, film_of_session, film_work, filmed_new_run, frame_steps
from gui.theme import DARK, LIGHT
from tests.gui.training import train


def nothing(_share):
    """Nobody looks how far it is."""


def test_early_steps_are_closer_together_and_both_ends_are_there():
    steps = frame_steps(0, 1000, 50)
    assert steps[0] == 0 and steps[-1] == 1000 and len(steps) <= 50
    gaps = np.diff(steps)
    assert gaps.min() >= 1 and gaps[-1] > gaps[0]
    assert frame_steps(3, 5) == [3, 4, 5] and frame_steps(7, 7) == [7]


@pytest.fixture
def film(qapp):
    return TrainingFilm(Document(), filmed_new_run(Document(), 60, nothing), LIGHT)


def test_the_words_under_a_frame_are_the_loss_and_accuracy_of_that_step(film):
    document = Document()
    trainer = make_trainer(document, make_model(document), prepare(document.data))
    for _ in range(60):
        trainer.step()
    snapshot = trainer.snapshot()
    words = film.words(film.frame_count - 1)
    assert words.startswith(f"step 60 of 60   loss {snapshot.loss:.4f} of all 100 samples")
    assert f"accuracy {100 * snapshot.accuracy:.4g} %" in words and film.words(0).startswith("step 0 of 60")


def test_frames_are_equally_large_and_show_another_boundary_as_training_goes_on(film):
    first, last = film.frame(0), film.frame(film.frame_count - 1)
    assert first.size() == last.size() and first != last
    assert len(film.times) == film.frame_count and film.times[-1] > film.times[0]


@pytest.mark.parametrize(("name", "sizes"), [("spiral3", (2, 4, 3)), ("curve", (1, 4, 1)), ("surface", (2, 4, 1))])
def test_other_kinds_of_data_are_shown_too(qapp, name, sizes):
    document = replace_section(Document(), "data", name=name)
    document = replace_section(document, "network", layer_sizes=sizes)
    if name == "spiral3":
        document = replace_section(document, "training", loss="softmax_cross_entropy")
    film = TrainingFilm(document, filmed_new_run(document, 3, nothing), DARK)
    assert film.frame(0) != film.frame(3)


@pytest.mark.slow
def test_the_frames_of_a_session_are_its_own_past_to_the_last_bit(session, qtbot):
    losses = []
    for _ in range(4):
        train(session, qtbot, "step")
        losses.append(session.newest.snapshot)
    make = film_of_session(session, LIGHT)
    film = make(nothing)
    assert film.frame_count == 5
    for number, snapshot in enumerate(losses, start=1):
        assert f"loss {snapshot.loss:.4f} of all 100 samples" in film.words(number)


@pytest.mark.parametrize("change", [{}, {"learning_rate": 0.2}])
def test_a_session_that_was_opened_is_filmed_from_its_first_step_where_that_can_be_made_again(
    session, qtbot, tmp_path, change
):
    for number in range(6):
        if number == 3 and change:
            session.edit("rate", training=change)
        train(session, qtbot, "step")
    assert session.save(tmp_path / "a.gradstep") and session.open(tmp_path / "a.gradstep")
    qtbot.waitUntil(lambda: session.newest is not None)
    train(session, qtbot, "step")
    film = film_of_session(session, LIGHT)(nothing)
    first = 6 if change else 0
    assert film.frame_count == 8 - first and film.words(0).startswith(f"step {first} of 7")
    assert ("from step 6 on" if change else "trained again") in film.note


def test_points_that_only_test_are_in_the_frames_with_their_loss(qapp):
    plain = replace_section(Document(), "data", test_share=0.3)
    trainer = make_trainer(plain, make_model(plain), prepare(plain.data))
    film = TrainingFilm(plain, filmed_new_run(plain, 5, nothing), LIGHT)
    for _ in range(5):
        trainer.step()
    moment = trainer.snapshot()
    assert f"test loss {moment.test_loss:.4f}, {100 * moment.test_accuracy:.4g} %" in film.words(5)
    assert f"train loss {moment.loss:.4f}" in film.words(5)


def test_before_the_first_step_there_is_nothing_to_show(session):
    with pytest.raises(ValueError, match="no training to show yet"):
        film_of_session(session, LIGHT)


def test_the_window_writes_a_gif_of_the_run(window, qtbot, tmp_path):
    for _ in range(3):
        train(window.session, qtbot, "step")
    exporter, path = window.exporter, tmp_path / "run.gif"
    exporter.save(path, lambda path: film_work(window.session, LIGHT, path), remarks=False)
    qtbot.waitUntil(path.exists)
    qtbot.waitUntil(lambda: not exporter.busy)
    with Image.open(path) as picture:
        assert picture.n_frames == 4 and picture.size == (760, 420)


@pytest.mark.slow
def test_the_command_line_writes_a_gif_of_a_sessions_training(qapp, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    session, path = tmp_path / "a.gradstep", tmp_path / "run.gif"
    session.write_text(to_json(Document()))
    assert main.main(["export", str(session), "-o", str(path), "--training", "--steps", "5"]) == 0
    assert "step 5 of 5" in capsys.readouterr().out
    with Image.open(path) as picture:
        assert picture.n_frames == 6
    assert main.main(["export", str(session), "-o", str(tmp_path / "run.png"), "--training"]) == 2
    assert "--training writes a GIF" in capsys.readouterr().err
