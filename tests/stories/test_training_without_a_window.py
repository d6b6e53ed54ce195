"""`train`: stopped in order, outputs looked at first and written each for itself, a log of every step."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from pathlib import Path

import pytest

from engine.commands.headless import LossLog, run
from engine.document import Document, replace_section
from engine.experiment.assemble import curve_of, make_model
from engine.network import Trainer
from engine.network.run_group import RunGroup
from engine.session_file import from_json, to_json
from engine.sweeps.workers import Place
from main import main

ROOT = Path(__file__).parents[2]
POSIX = os.name == "posix"


@pytest.fixture
def session(tmp_path, monkeypatch):
    """A session of XOR in the folder in which the command works."""
    monkeypatch.chdir(tmp_path)
    document = replace_section(Document(), "data", name="xor", noise=0.0)
    document = replace_section(document, "training", learning_rate=0.1, optimizer="adam")
    Path("s.gradstep").write_text(to_json(document))
    return "s.gradstep"


def train(session, *arguments, steps=20):
    try:
        return main(["train", session, "--steps", str(steps), *arguments])
    except SystemExit as stop:
        return stop.code


def rows(path):
    with Path(path).open(newline="") as file:
        return [(int(row["step"]), float(row["loss"])) for row in csv.DictReader(file)]


def trained(path):
    return from_json(Path(path).read_text()).trained


def one_line(capsys):
    error = capsys.readouterr().err
    assert error.startswith("gradstep: ") and error.count("\n") == 1 and "Errno" not in error
    return error


# Stopped by a signal (L7)


def stop_before_step(monkeypatch, number, step):
    real = Trainer.step

    def step_and_signal(self):
        if self.step_count == step:
            signal.raise_signal(number)
        return real(self)

    monkeypatch.setattr(Trainer, "step", step_and_signal)


if POSIX:

    @pytest.mark.parametrize(
        ("number", "code", "words"),
        [(signal.SIGINT, 130, "Ctrl+C"), (signal.SIGTERM, 143, "SIGTERM"), (signal.SIGHUP, 129, "SIGHUP")],
    )
    def test_a_signal_ends_training_after_the_step_and_everything_is_written(
        session, monkeypatch, capsys, number, code, words
    ):
        train(session, "-o", "whole.gradstep", steps=8)
        stop_before_step(monkeypatch, number, 7)  # it comes while step 7, the eighth, is under way
        capsys.readouterr()
        assert train(session, "--log", "loss.csv", "-o", "out.gradstep", steps=1000) == code
        error = one_line(capsys)
        assert words in error and "step 8: loss " in error
        assert [step for step, _loss in rows("loss.csv")] == list(range(8))
        assert trained("out.gradstep").parameters == trained("whole.gradstep").parameters
        assert trained("out.gradstep").step == 8

    @pytest.mark.long
    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
    def test_a_real_process_is_stopped_in_order(session, number, code):
        command = [sys.executable, str(ROOT / "main.py"), "train", session, "--steps", "1000000000"]
        with subprocess.Popen(
            [*command, "--log", "/dev/stdout", "-o", "out.gradstep"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            first = [process.stdout.readline() for _ in range(500)]
            process.send_signal(number)
            lines = [*first, *process.stdout]
            error = process.stderr.read()
        assert process.returncode == code
        assert error.count(b"\n") == 1 and b"Traceback" not in error
        assert lines[0] == b"step,loss\n"
        assert [int(line.split(b",")[0]) for line in lines[1:]] == list(range(len(lines) - 1))
        assert trained("out.gradstep").step == len(lines) - 1

    def test_a_signal_ends_a_sweep_after_the_runs_under_way_and_their_rows_are_written(session, monkeypatch, capsys):
        step, made = RunGroup.step, []

        def step_and_signal(group):
            made.append(None)
            if len(made) == 5:  # the last step of the first width
                signal.raise_signal(signal.SIGINT)
            step(group)

        monkeypatch.setattr(RunGroup, "step", step_and_signal)
        sweeping = ("--vary", "width=2,3", "--seeds", "2", "--steps", "5", "--workers", "1", "-o", "out.csv")
        assert main(["sweep", session, *sweeping]) == 130
        with Path("out.csv").open(newline="") as file:
            assert [row["width"] for row in csv.DictReader(file)] == ["2", "2"]
        assert "stopped by Ctrl+C (SIGINT); 2 of 4 runs in out.csv" in one_line(capsys)
        made.clear()
        monkeypatch.setattr("engine.sweeps.sweep.STEPS_BETWEEN_QUESTIONS", 2)
        assert main(["sweep", session, *sweeping[:5], "9", *sweeping[6:]]) == 130  # in the middle of the runs
        assert "0 of 4 runs in out.csv" in one_line(capsys)

    def test_a_signal_ends_other_commands_with_one_line_too(session, monkeypatch, capsys):
        monkeypatch.setattr("engine.examples.gallery.run_examples", lambda _: signal.raise_signal(signal.SIGINT))
        assert main(["gallery"]) == 130
        assert one_line(capsys) == "gradstep: stopped by Ctrl+C (SIGINT)\n"


# Progress of a sweep


@pytest.mark.parametrize(("place", "words"), [(None, "4 runs, 0 of 20 steps"), (Place(None, None), "0 of 4 runs")])
def test_progress_of_a_sweep_is_in_steps_and_on_a_cluster_in_runs(session, monkeypatch, place, words):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def step_once_it_is_shown(group):
        deadline = time.monotonic() + 10
        while words not in sys.stderr.getvalue() and time.monotonic() < deadline:
            time.sleep(0.001)
        return step(group)

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("engine.terminal.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("engine.terminal.BETWEEN_SECONDS", 0.001)
    step = RunGroup.step
    monkeypatch.setattr(RunGroup, "step", step_once_it_is_shown)
    if place is not None:
        monkeypatch.setattr("engine.sweeps.workers.executor_for", lambda *_options: nullcontext(place))
    sweeping = ("--vary", "width=2,3", "--seeds", "2", "--steps", "5", "--workers", "1", "-o", "out.csv")
    assert main(["sweep", session, *sweeping]) == 0
    assert words in sys.stderr.getvalue()


# Outputs (L9, L10, L11)


@pytest.mark.parametrize("option", ["--log", "-o"])
@pytest.mark.parametrize("link", ["same", "dotted", "symbolic", "hard", "through a folder"])
def test_an_output_is_never_the_session_that_is_read(session, capsys, option, link):
    before = Path(session).read_bytes()
    Path("folder").mkdir()
    name = {"same": session, "dotted": "./folder/../s.gradstep"}.get(link, "other")
    if link == "symbolic":
        Path(name).symlink_to(session)
    elif link == "hard":
        Path(name).hardlink_to(session)
    elif link == "through a folder":
        Path("other").symlink_to(Path.cwd())
        name = "other/s.gradstep"
    assert train(session, option, name) == 2
    assert f"{option} {Path(name)} is the session that is read" in one_line(capsys)
    assert Path(session).read_bytes() == before


@pytest.mark.parametrize("link", ["same", "missing file", "symbolic", "hard"])
def test_two_outputs_are_never_one_file(session, capsys, link):
    other = "a" if link in ("same", "missing file") else "b"
    if link != "missing file":
        Path("a").write_text("precious")
    if link == "symbolic":
        Path("b").symlink_to("a")
    elif link == "hard":
        Path("b").hardlink_to("a")
    assert train(session, "--log", "a", "-o", other) == 2
    assert "are the same file" in one_line(capsys)
    assert link == "missing file" or Path("a").read_text() == "precious"


def test_two_outputs_may_both_go_to_the_device_that_forgets(session):
    assert train(session, "--log", os.devnull, "-o", os.devnull) == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("option", ["--log", "-o"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing/a", "there is no folder 'missing'"),
        ("s.gradstep/a", "there is no folder 's.gradstep'"),
        ("folder", "it is a folder"),
        ("folder/", "folder/ is a folder: name a file in it"),
        ("read_only", "it is read-only: choose another name"),
        ("", "the name after"),
    ],
)
def test_outputs_are_looked_at_before_any_work(session, monkeypatch, capsys, option, name, words):
    Path("folder").mkdir()
    Path("read_only").write_text("precious")
    Path("read_only").chmod(0o444)
    monkeypatch.setattr(Trainer, "step", lambda self: pytest.fail("trained"))
    other = {"--log": "-o", "-o": "--log"}[option]
    assert train(session, option, name, other, "fine") == 2
    assert words in one_line(capsys)
    assert sorted(path.name for path in Path().iterdir()) == ["folder", "read_only", "s.gradstep"]
    assert Path("read_only").read_text() == "precious"


def test_a_log_that_fails_keeps_neither_the_training_nor_the_session_from_being_written(session, monkeypatch, capsys):
    if not Path("/dev/full").exists():
        return
    assert train(session, "--log", "/dev/full", "-o", "out.gradstep") == 2
    error = one_line(capsys)
    assert "step 20: loss " in error and "--log /dev/full is not complete: No space left on device" in error
    assert trained("out.gradstep").step == 20


def failing_beside(monkeypatch, *folders):
    """Files cannot be written in these folders."""
    replace = Path.replace

    def fails(path, target):
        if path.parent in folders:
            raise OSError(28, "No space left on device", str(path))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", fails)


@pytest.mark.parametrize("has_room_elsewhere", [True, False])
def test_results_that_cannot_be_written_at_the_end_are_not_lost(
    session, tmp_path, monkeypatch, capsys, has_room_elsewhere
):
    elsewhere, full = tmp_path / "elsewhere", Path().absolute()
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    failing_beside(monkeypatch, full, *([] if has_room_elsewhere else [elsewhere]))
    assert train(session, "--log", "loss.csv", "-o", "out.gradstep") == 2
    out, error = capsys.readouterr()
    assert "-o out.gradstep was not written: No space left on device" in error
    places = list(elsewhere.iterdir()) if has_room_elsewhere else []
    kept = [path.read_text() for path in places] if has_room_elsewhere else [out]
    assert all(f"; the result is in {path}" in error for path in places)
    assert ("; the result is on standard output" in error) is not has_room_elsewhere
    assert os.name != "posix" or {path.stat().st_mode & 0o777 for path in places} <= {0o600}
    assert [from_json(text).trained.step for text in kept] == [20]
    assert len(rows("loss.csv")) == 20
    assert not Path("out.gradstep").exists()
    sweeping = ("--vary", "learning_rate=0.01,0.1", "--seeds", "1", "--steps", "2", "--workers", "1", "-o", "out.csv")
    assert main(["sweep", str(session), *sweeping]) == 2
    out, error = capsys.readouterr()
    assert "-o out.csv was not written: No space left on device" in error
    table = next(elsewhere.glob("*.csv")).read_text() if has_room_elsewhere else out
    assert len(table.splitlines()) == 3
    assert main(["sweep", str(session), *sweeping, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)  # nothing but the object, which says where the table is
    assert len(found["rows"]) == 2 and ("the result is" in found["error"]["message"]) == has_room_elsewhere


def test_a_trained_session_that_became_too_large_is_told_and_not_written(session, monkeypatch, capsys):
    monkeypatch.setattr("engine.session_file.strict_json.LARGEST_TEXT", Path(session).stat().st_size + 100)
    assert train(session, "--log", "loss.csv", "-o", "out.gradstep") == 2
    error = one_line(capsys)
    assert "step 20: loss " in error and "-o out.gradstep was not written: the file is too large" in error
    assert len(rows("loss.csv")) == 20 and not Path("out.gradstep").exists()


def test_a_folder_in_which_nothing_can_be_made_is_found_out_before_any_work(session, monkeypatch, capsys):
    def refuses(*_arguments, **_options):
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr("tempfile.TemporaryFile", refuses)
    assert train(session, "-o", "out.gradstep") == 2
    assert one_line(capsys) == "gradstep: -o out.gradstep cannot be written: Permission denied\n"


# The log and the steps (W10, going on)


def test_the_steps_go_on_from_the_saved_one(session, capsys):
    train(session, "-o", "middle.gradstep", "--log", "first.csv")
    capsys.readouterr()
    assert train("middle.gradstep", "-o", "end.gradstep", "--log", "second.csv") == 0
    assert capsys.readouterr().out.startswith("step 40: loss ")
    train(session, "-o", "whole.gradstep", "--log", "whole.csv", steps=40)
    assert rows("first.csv") + rows("second.csv") == rows("whole.csv")
    assert [step for step, _loss in rows("second.csv")] == list(range(20, 40))
    assert Path("end.gradstep").read_bytes() == Path("whole.gradstep").read_bytes()


@pytest.mark.slow
def test_the_log_has_every_step_with_its_number_however_many_there_are(session, monkeypatch):
    monkeypatch.setattr("engine.network.trainer.KEPT_LOSSES", 1000)
    train(session, "--log", "loss.csv", steps=5500)
    assert [step for step, _loss in rows("loss.csv")] == list(range(5500))


@pytest.mark.slow
def test_training_keeps_a_bounded_number_of_losses(session, monkeypatch):
    kept, real = [], Trainer.step

    def step_and_count(self):
        kept.append(len(self.losses))
        return real(self)

    monkeypatch.setattr(Trainer, "step", step_and_count)
    train(session, "-o", "out.gradstep", steps=5500)
    assert max(kept) <= 1002
    assert len(trained("out.gradstep").curve) <= 4000


@pytest.mark.slow
def test_the_log_can_be_followed_while_it_grows(session, monkeypatch):
    seen, real = [], Trainer.step

    def step_and_look(self):
        if self.step_count == 1500:
            seen.append(len(rows("loss.csv")))
        return real(self)

    monkeypatch.setattr(Trainer, "step", step_and_look)
    train(session, "--log", "loss.csv", steps=2000)
    assert 500 <= seen[0] <= 1500  # at most 1,000 steps wait to be written, and on a busy machine any number of them


def test_a_run_whose_last_step_went_bad_writes_the_log_and_no_session(session, monkeypatch, capsys):
    real = Trainer.step

    def step_and_spoil(self):
        loss = real(self)
        if self.step_count == 20:
            self.model.weights = self.model.weights * 1e200  # finite, but no loss is any more
        return loss

    monkeypatch.setattr(Trainer, "step", step_and_spoil)
    assert train(session, "--log", "loss.csv", "-o", "out.gradstep") == 1
    assert "the loss became inf at step 20" in one_line(capsys)
    assert len(rows("loss.csv")) == 20 and not Path("out.gradstep").exists()


def test_a_program_is_refused_with_a_word_on_what_train_wants(session, capsys):
    Path("p.TXT").write_text("a = 1.0\n")
    assert train("p.TXT", "-o", "out.gradstep") == 2
    assert "p.TXT is a program, and this command takes a session" in one_line(capsys)
    assert not Path("out.gradstep").exists()


@pytest.mark.parametrize("steps", ["0", "-1", "1e3", "1_0", "١", "", "nan", "9" * 5000])
def test_steps_are_a_whole_number(session, capsys, steps):
    assert train(session, steps=steps) == 2
    assert "--steps: it is a whole number from 1 to" in one_line(capsys)


# Data that are split, scaled, drawn


def test_test_data_are_told_and_kept_beside_the_training_data(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    points = [[0.0, 0.0, 0], [1.0, 1.0, 1], [0.25, 0.5, 0], [1.0, 0.5, 1], [0.0, 0.25, 0], [0.75, 1.0, 1]]
    fields = {"source": "points", "points": points, "test_share": 0.34, "features": ("x1", "x1x2"), "scaling": True}
    Path("s.gradstep").write_text(to_json(replace_section(Document(), "data", **fields)))
    assert train("s.gradstep", "-o", "out.gradstep", steps=30) == 0
    line = capsys.readouterr().out
    assert line.startswith("step 30: loss ") and "; test data: loss " in line
    kept = trained("out.gradstep")
    steps, losses = curve_of(kept.test_curve)
    assert steps.tolist() == [30.0] and f"test data: loss {losses[0]:.6g}, accuracy" in line
    assert from_json(Path("out.gradstep").read_text()).data == from_json(Path("s.gradstep").read_text()).data


def test_with_l2_the_log_has_the_data_loss_the_penalty_and_what_is_minimised(session, capsys):
    document = replace_section(from_json(Path(session).read_text()), "training", l2=0.01)
    Path(session).write_text(to_json(document))
    assert train(session, "--log", "log.csv", steps=5) == 0
    weights = make_model(document).weights
    with Path("log.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["step"] for row in table] == ["0", "1", "2", "3", "4"]
    assert float(table[0]["penalty"]) == pytest.approx(0.01 * sum(weights**2), rel=1e-12)
    for row in table:
        assert float(row["loss_plus_penalty"]) == float(row["loss"]) + float(row["penalty"])
    assert "loss plus penalty" in capsys.readouterr().out


def test_an_error_between_loss_and_penalty_is_the_one_that_is_told_and_the_log_ends_before_it(tmp_path):
    class Failing:
        def __init__(self):
            self.losses, self.n_steps = [], 0

        def step(self):
            self.n_steps += 1
            return 1.0

        @property
        def seen_penalty(self):
            return 0.5 if self.n_steps < 3 else 1 / 0

    log = LossLog(tmp_path / "log.csv", first_step=0, has_penalty=True)
    with pytest.raises(ZeroDivisionError):
        run(Failing(), 5, [log.extend], lambda: False)
    log.close()
    assert rows(tmp_path / "log.csv") == [(0, 1.0), (1, 1.0)]


class StoppedAt(Executor):
    """Runs each task when it is handed over; Ctrl+C comes while this one, from 1, is being done."""

    def __init__(self, number):
        self.number, self.count = number, 0

    def submit(self, function, /, *arguments, **keywords):
        self.count += 1
        future = Future()
        if self.count == self.number:
            signal.raise_signal(signal.SIGINT)
        if self.count <= self.number:
            future.set_result(function(*arguments, **keywords))
        return future


@pytest.mark.skipif(not POSIX, reason="Windows has no such signals")
@pytest.mark.parametrize("number", [1, 2])
def test_what_workers_have_finished_when_a_signal_comes_is_in_the_table(session, monkeypatch, capsys, number):
    place = Place(StoppedAt(number), None)
    monkeypatch.setattr("engine.sweeps.workers.executor_for", lambda *_options: nullcontext(place))
    sweeping = ("--vary", "width=2,3,4", "--seeds", "2", "--steps", "5", "--workers", "2", "-o", "out.csv")
    assert main(["sweep", session, *sweeping]) == 130
    with Path("out.csv").open(newline="") as file:
        assert sorted(row["width"] for row in csv.DictReader(file)) == ["2", "2", "3", "3"][: 2 * number]
    assert f"{2 * number} of 6 runs in out.csv" in one_line(capsys)
