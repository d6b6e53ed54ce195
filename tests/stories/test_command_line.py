"""The command line, driven through `main()` as a user drives it."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from engine.document import Document, replace_section
from engine.language import machine_code
from engine.session_file import from_json, to_json
from gui.display import NoDisplay
from main import main

NEURON = "x1 = 2.0\nw1 = -3.0\nb = 6.5\nn = x1*w1 + b\no = tanh(n)\n"


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "neuron.txt"
    path.write_text(NEURON)
    return path


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "moons.gradstep"
    path.write_text(to_json(replace_section(Document(), "training", learning_rate=0.1)))
    return path


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "dot", "graphml", "json", "txt", "tex"])
def test_export_writes_every_format(program, tmp_path, kind, qapp):
    out = tmp_path / f"out.{kind}"
    assert main(["export", str(program), "-o", str(out)]) == 0
    assert out.stat().st_size > 200


def test_an_exported_svg_holds_the_names_and_numbers_as_text(program, tmp_path, qapp):
    out = tmp_path / "out.svg"
    main(["export", str(program), "-o", str(out), "--theme", "dark"])
    words = "".join(ET.parse(out).getroot().itertext())
    for expected in ("x1", "tanh", "0.4621", "−3.0000"):
        assert expected in words


def test_export_says_which_formats_there_are(program, tmp_path, capsys, qapp):
    assert main(["export", str(program), "-o", str(tmp_path / "out.xyz")]) == 2
    assert "png" in capsys.readouterr().err


def test_a_mistake_in_the_program_is_told_with_its_place(tmp_path, capsys):
    path = tmp_path / "wrong.txt"
    path.write_text("a = 1\nb = tahn(a)\n")
    assert main(["check", str(path)]) == 1
    error = capsys.readouterr().err
    assert "line 2, column 5" in error
    assert "tanh" in error
    assert error.count("\n") == 1


def test_check_compares_every_gradient_three_ways(program, capsys):
    assert main(["check", str(program)]) == 0
    output = capsys.readouterr().out
    assert "w1" in output
    assert "gradients agree" in output
    assert "✗" not in output


@pytest.mark.slow
def test_check_prints_what_the_window_notes_under_the_program(tmp_path, capsys):
    path = tmp_path / "notes.txt"
    path.write_text("a = 2.0  # invisible\u200b\na * 3\n!pip install torch\nb = log(a - 2) + a\n")
    plain = tmp_path / "plain.txt"
    plain.write_text("a = 2.0\nb = log(a - 2) + a\n")
    assert main(["check", str(path)]) == main(["check", str(plain)])
    notes = [line for line in capsys.readouterr().err.splitlines() if "plain" not in line]
    assert [line.split(":")[1] for line in notes[:4]] == [" line 4", " line 1", " line 2", " line 3"]
    assert "give it a name" in notes[2] and "U+200B" in notes[1]


def test_train_writes_the_log_and_the_trained_session(session, tmp_path, capsys):
    log, out = tmp_path / "loss.csv", tmp_path / "trained.gradstep"
    assert main(["train", str(session), "--steps", "50", "--log", str(log), "-o", str(out)]) == 0
    rows = log.read_text().splitlines()
    assert rows[0] == "step,loss"
    assert len(rows) == 51
    assert float(rows[-1].split(",")[1]) < float(rows[1].split(",")[1])
    trained = from_json(out.read_text()).trained
    assert trained.step == 50
    assert len(trained.parameters) == 37
    assert "step 50" in capsys.readouterr().out


def test_training_that_diverges_says_so_and_keeps_the_log(session, tmp_path, capsys):
    wild = tmp_path / "wild.gradstep"
    wild.write_text(to_json(replace_section(from_json(session.read_text()), "training", learning_rate=1e8)))
    log, out = tmp_path / "loss.csv", tmp_path / "trained.gradstep"
    assert main(["train", str(wild), "--steps", "500", "--log", str(log), "-o", str(out)]) == 1
    error = capsys.readouterr().err
    assert "the loss became" in error
    assert error.count("\n") == 1
    assert log.exists()
    assert not out.exists()


def test_training_goes_on_from_a_trained_session(session, tmp_path):
    first, second, whole = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    middle = tmp_path / "middle.gradstep"
    main(["train", str(session), "--steps", "20", "--log", str(first), "-o", str(middle)])
    main(["train", str(middle), "--steps", "20", "--log", str(second)])
    main(["train", str(session), "--steps", "40", "--log", str(whole)])
    losses = [line.split(",")[1] for path in (first, second) for line in path.read_text().splitlines()[1:]]
    assert losses == [line.split(",")[1] for line in whole.read_text().splitlines()[1:]]


@pytest.mark.slow
def test_gallery_reproduces_the_published_numbers(capsys):
    assert main(["gallery"]) == 0
    output = capsys.readouterr().out
    assert "FAIL" not in output
    assert "645.5772594752186" in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "missing.txt"], "No such file"),
        (["--open", "missing.json"], "no option --open"),
        (["train", "missing.gradstep", "--steps", "0"], "--steps"),
        (["export"], "required"),
        (["trian", "moons.gradstep"], "there is no command and no file 'trian', did you mean 'train'?"),
        (["missing.gradstep"], "missing.gradstep: No such file"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(arguments, words, capsys):
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    error = capsys.readouterr().err
    assert code == 2
    assert words in error
    assert error.count("\n") == 1


def test_a_damaged_session_is_refused_with_a_reason(tmp_path, capsys):
    path = tmp_path / "cut.gradstep"
    path.write_text(to_json(Document())[:200])
    assert main(["train", str(path), "--steps", "1"]) == 2
    assert "damaged at line" in capsys.readouterr().err
    path.write_text(json.dumps({"gradstep": 1, "training": {"loss": "hinges"}}))
    assert main(["train", str(path), "--steps", "1"]) == 2
    assert "did you mean 'hinge'" in capsys.readouterr().err


def test_the_window_computes_in_one_thread_unless_the_user_wants_more(monkeypatch, capsys):
    def no_display():
        raise NoDisplay("no display")

    monkeypatch.setattr("gui.display.open_application", no_display)
    monkeypatch.setattr("gc.disable", lambda: None)
    for before, after in ((None, "1"), ("2", "2")):
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", before or "")
        if before is None:
            monkeypatch.delenv("OPENBLAS_NUM_THREADS")
        assert main([]) == 2
        assert os.environ["OPENBLAS_NUM_THREADS"] == after
    assert "no display" in capsys.readouterr().err


@pytest.mark.long
def test_without_a_display_the_window_says_so_and_help_needs_no_qt():
    root = Path(__file__).parents[2]
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    call = [sys.executable, str(root / "main.py")]
    window = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert window.returncode == 2
    assert "no display" in window.stderr
    assert window.stderr.count("\n") == 1
    block = f"import sys; sys.modules['PySide6'] = None; sys.path.insert(0, {str(root)!r}); import main; main.main()"
    shown = subprocess.run([sys.executable, "-c", block, "--help"], env=environment, capture_output=True, text=True)
    assert shown.returncode == 0
    assert "export" in shown.stdout


def test_a_step_that_takes_long_is_said_before_it_is_trained(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.experiment.advice.SLOW_STEP_SECONDS", 1e-9)
    path = tmp_path / "s.gradstep"
    path.write_text(to_json(Document()))
    assert main(["train", str(path), "--steps", "1"]) == 0
    assert "A training step will take about" in capsys.readouterr().err


def test_a_sweep_writes_a_line_for_each_run_in_the_order_of_the_values(session, tmp_path, capsys):
    out = tmp_path / "table.csv"
    options = ["--seeds", "2", "--steps", "5", "--workers", "1"]
    assert (
        main(["sweep", str(session), "--vary", "width=8,2", "--vary", "optimizer=sgd,adam", *options, "-o", str(out)])
        == 0
    )
    header, *lines = out.read_text().splitlines()
    assert header == "width,optimizer,seed,train_loss,train_accuracy,test_loss,test_accuracy,diverged_at"
    settings = [line.split(",")[:3] for line in lines]
    assert settings == [[w, o, s] for w in ("8", "2") for o in ("sgd", "adam") for s in ("0", "1")]
    assert "8 of 8 runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        (["learning_rat=0.1"], "did you mean 'learning_rate'"),
        (["width"], "such as learning_rate=0.01,0.1"),
        (["width=2,2"], "twice"),
        (["width=2", "width=3"], "behind one --vary"),
        (["optimizer=adm"], "did you mean 'adam'"),
    ],
)
def test_a_sweep_says_what_cannot_vary(session, tmp_path, capsys, vary, words):
    varied = [argument for text in vary for argument in ("--vary", text)]
    out = tmp_path / "table.csv"
    assert main(["sweep", str(session), *varied, "-o", str(out)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_run_prints_what_a_program_prints(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text("a = Value(2.0)\nfor i in range(2): print(i, end=' ')\nprint(a * 3)\n", encoding="utf-8")
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out == "0 1 Value(data=6.0000, grad=0.0000)\n"


def test_run_says_where_python_could_not_be_kept(tmp_path, capsys, monkeypatch):
    path = tmp_path / "program.py"
    path.write_text("print(6 * 7)\n")
    monkeypatch.setattr(machine_code.state, "notice", "Python was prepared for this session only")
    assert main(["run", str(path)]) == 0
    told = capsys.readouterr()
    assert told.out == "42\n"
    assert "this session only" in told.err


def test_run_tells_an_error_at_its_line_and_how_it_came_there_and_ends_with_1(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text("print('on')\ndef f(x):\n    return x / 0\nf(1)\n", encoding="utf-8")
    assert main(["run", str(path)]) == 1
    told = capsys.readouterr()
    assert told.out == "on\n"
    assert told.err.splitlines() == [
        "gradstep: line 3, column 12: ZeroDivisionError: division by zero",
        "gradstep:   called from line 4",
    ]


def test_a_table_that_the_window_is_to_import_is_looked_for_first(tmp_path, capsys):
    assert main([str(tmp_path / "gone.csv")]) == 2
    assert capsys.readouterr().err == "gradstep: gone.csv cannot be read: No such file or directory\n"
