"""Every command with every kind of bad file: one line, exit code 2, nothing written, nothing waited for."""

import json
import os
import pickle
from pathlib import Path

import pytest

from engine.document import Document
from engine.session_file import to_json
from engine.session_file.salvage import salvage
from gui.display import NoDisplay
from main import main

SESSION = to_json(Document())
COMMANDS = {
    "window": ["FILE"],
    "export": ["export", "FILE", "-o", "out.png"],
    "check": ["check", "FILE"],
    "train": ["train", "FILE", "--steps", "1", "-o", "out.gradstep", "--log", "loss.csv"],
}


class Attack:
    """What a pickle would do when it is loaded."""

    def __reduce__(self):
        return Path.touch, (Path("executed"),)


def session(**changes):
    content = json.loads(SESSION)
    for path, value in changes.items():
        *sections, name = path.split("__")
        table = content
        for section in sections:
            table = table[section]
        table[name] = value
    return json.dumps(content).encode()


CONTENTS = {
    "empty": b"",
    "an empty table": b"{}",
    "a list": b"[]",
    "a word": b"null",
    "cut": SESSION.encode()[:300],
    "cut in a character": '{"gradstep": 1, "data": {"name": "ä'.encode()[:-1],
    "binary": b"\x89PNG\r\n\x1a\n\xff\x00",
    "UTF-16": SESSION.encode("utf-16"),
    "NUL": b"\0" * 1000,
    "huge": b" " * 20_000_001,
    "deep": b'{"gradstep": 1, "view": ' + b"[" * 100_000,
    "newer": session(gradstep=999),
    "older": session(gradstep=0),
    "version true": session(gradstep=True),
    "not a number": SESSION.replace('"noise": 0.1', '"noise": NaN').encode(),
    "infinite": SESSION.replace('"noise": 0.1', '"noise": 1e999').encode(),
    "twice": SESSION.replace('"noise": 0.1', '"noise": 0.1, "noise": 0.2').encode(),
    "unknown section": session(codes={}),
    "unknown field": session(training__rate=1),
    "unknown data": session(data__name="mons"),
    "unknown loss": session(training__loss="hinges"),
    "text for a number": session(training__learning_rate="0.1"),
    "true for a number": session(training__learning_rate=True),
    "no layers": session(network__layer_sizes=[]),
    "a layer of nothing": session(network__layer_sizes=[2, 0, 1]),
    "too many": session(network__layer_sizes=[2, 10**12, 1]),
    "data that do not fit": session(network__layer_sizes=[3, 4, 1]),
    "parameters that do not fit": session(trained__step=1, trained__parameters=[1.0, 2.0]),
    "parameters of text": session(trained__step=1, trained__parameters=["x"] * 37),
    "commands to the terminal": session(**{"\x1b]0;title\x07\x1b[2J\u202e": {}}),
    "a surrogate": b'{"gradstep": 1, "\\ud800": {}}',
    "numbers for names": b'{"gradstep": 1, "expression": {"ranges": [[1, [0, 1]]]}}',
    "pickled": pickle.dumps(Attack()),
    "YAML": b"gradstep: 1\n",
    "code": b"import os; open('executed', 'w')",
}


@pytest.fixture
def run(qapp, tmp_path, capsys, monkeypatch):
    """Runs a command on a file in a folder of its own; the one line that it says, checked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gui.display.open_application", lambda: pytest.fail("a window"))

    def run(command, name="bad.gradstep", expected=2):
        before = {*Path().iterdir()}
        try:
            code = main([name if word == "FILE" else word for word in COMMANDS[command]])
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        assert code == expected and said.out == ""
        assert said.err.startswith("gradstep: ") and said.err.endswith("\n") and said.err[:-1].isprintable()
        assert len(said.err) < 5000 and "Errno" not in said.err and "Traceback" not in said.err
        assert {*Path().iterdir()} == before
        return said.err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_session_is_one_line(run, command):
    for kind, contents in CONTENTS.items():
        found = salvage(contents).document
        if command == "window" and found is not None:
            continue
        Path("bad.gradstep").write_bytes(contents)
        said = run(command)
        assert "bad.gradstep: " in said and ("what can be read: " in said) == (found is not None), kind


@pytest.mark.parametrize("kind", ["cut", "newer", "text for a number", "parameters that do not fit"])
def test_the_window_opens_on_a_damaged_session_of_which_something_can_be_read(tmp_path, monkeypatch, capsys, kind):
    path, opened = tmp_path / "bad.gradstep", []
    path.write_bytes(CONTENTS[kind])

    def open_application():
        opened.append(True)
        raise NoDisplay("no display here")

    monkeypatch.setattr("gui.display.open_application", open_application)
    assert main([str(path)]) == 2 and opened and "no display here" in capsys.readouterr().err


def test_the_line_on_a_damaged_session_names_the_field_and_what_can_be_read(run):
    Path("bad.gradstep").write_bytes(CONTENTS["text for a number"])
    said = run("check")
    assert "training.learning_rate" in said and "program (5 lines)" in said and "2-4-4-1" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_not_a_readable_file_is_one_line(run, command):
    assert "missing.gradstep: No such file" in run(command, "missing.gradstep")
    Path("folder").mkdir()
    assert "folder: a folder, not a regular file" in run(command, "folder")
    assert "x" * 300 in run(command, "x" * 300)
    if os.name == "posix":
        os.mkfifo("pipe")
        assert "pipe: a pipe, not a regular file" in run(command, "pipe")
        assert "/dev/zero: a device, not a regular file" in run(command, "/dev/zero")
        Path("round").symlink_to("round")
        assert "round: " in run(command, "round")
        assert "\\x1b[2J" in run(command, "\x1b[2J\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_may_not_be_read_is_one_line(run, command, monkeypatch):
    real = os.open

    def refuses(path, *arguments, **options):
        if Path(path).name == "locked.gradstep":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    Path("locked.gradstep").write_text(SESSION)
    monkeypatch.setattr(os, "open", refuses)
    assert "locked.gradstep: Permission denied" in run(command, "locked.gradstep")


@pytest.mark.parametrize("command", ["export", "check"])
@pytest.mark.parametrize("program", ["a = 1\nb = tahn(a)\n", "a = \0", "(" * 1000, "a = 1e400\n" * 3000, "\u202ea = 1"])
def test_a_bad_program_is_one_line(run, command, program):
    Path("bad.txt").write_text(program)
    run(command, "bad.txt", expected=2 if "\0" in program else 1)  # NUL is in no text file


@pytest.mark.parametrize("command", ["export", "check"])
@pytest.mark.parametrize("program", ["", " \n\t\n", "# nothing\n"])
def test_an_empty_program_is_one_line(run, command, program):
    Path("bad.txt").write_text(program)
    assert "the program is empty" in run(command, "bad.txt")
