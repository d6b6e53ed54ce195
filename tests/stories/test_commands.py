"""All commands of the table: their examples are run, their JSON objects compared with help, and wrong use is tried."""

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.commands.command import EXIT_CODES, FILE_KINDS, GROUPS, PICTURE
from engine.commands.completion import SCRIPTS, Argument, Level, levels_of
from engine.commands.parser import commands_for, make_parser
from engine.commands.with_qt import PICTURES
from engine.document import Document, replace_section
from engine.examples.gallery import GalleryRow
from engine.language import RuntimeUnavailableError
from engine.session_file import to_json
from gui.display import NoDisplay
from main import COMMANDS, main
from tests.engine.lessons.lesson_texts import LESSON

FLAT = {
    f"{name} {part}".strip(): command
    for name, entry in COMMANDS.items()
    for part, command in (entry.parts or {"": entry}).items()
}
NEURON = "x1 = 2.0\nw1 = -3.0\nb = 6.5\nn = x1*w1 + b\no = tanh(n)\nprint(o.data)\n"
LONG = ("sweep", "tour", "export moons.gradstep -o run.gif", "lessons print", "gallery")
"""Beginnings of examples that take more than a second."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of the examples, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("neuron.py").write_text(NEURON)
    Path("moons.gradstep").write_text(to_json(replace_section(Document(), "training", learning_rate=0.1)))
    Path("points.csv").write_text("x,y,label\n0,0,0\n1,1,1\n")
    Path("course").mkdir()
    Path("course/first.md").write_text(LESSON, encoding="utf-8")
    return tmp_path


def said(capsys, *arguments):
    """Return the exit code, standard output, and the lines on standard error."""
    code = main([str(argument) for argument in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err.splitlines()


# Help


EXAMPLES = [typed for command in FLAT.values() for typed, _ in command.examples]


def marked(typed):
    return pytest.param(typed, marks=[pytest.mark.long] if typed.startswith(LONG) else [pytest.mark.slow], id=typed)


@pytest.mark.parametrize("typed", [*map(marked, EXAMPLES)])
def test_every_example_of_help_works(folder, capsys, qapp, monkeypatch, typed):
    def no_display():
        raise NoDisplay("no display")

    monkeypatch.setattr("gui.display.open_application", no_display)
    monkeypatch.setattr("gc.disable", lambda: None)
    monkeypatch.setattr("gui.tour.make_tour", lambda target: [target / "one.png"])
    before = {*Path().iterdir()}
    code, out, err = said(capsys, *shlex.split(typed))
    if err == ["gradstep: no display"]:  # everything that can be wrong was looked at before
        assert code == 2 and {*Path().iterdir()} == before
        return
    assert (code, err) == (0, []) and out
    words = shlex.split(typed)
    for option in ("-o", "--log"):
        if option in words:
            assert Path(words[words.index(option) + 1]).stat().st_size > 100


@pytest.mark.parametrize("name", FLAT)
def test_help_of_a_command_has_its_examples_exit_codes_and_keys(capsys, name):
    command = FLAT[name]
    code, out, err = said(capsys, *name.split(), "--help")
    assert (code, err) == (0, [])
    assert len(command.examples) >= 1 and command.group in GROUPS
    assert all(typed in out and meaning in out for typed, meaning in command.examples)
    assert "exit codes:" in out and command.failed in out
    assert all(key in out for key in command.json)
    assert "--json" in out or not command.json
    assert max(map(len, out.splitlines())) <= 120


def test_the_overview_names_every_command_once_and_every_exit_code(capsys):
    code, out, _ = said(capsys, "--help")
    lines = out.splitlines()
    assert code == 0
    for name, command in FLAT.items():
        assert len([line for line in lines if line.startswith(f"  {name} ") and line.endswith(command.summary)]) == 1
    assert all(f"{code}  {meaning}" in out for code, meaning in EXIT_CODES.items())
    assert max(map(len, out.splitlines())) <= 110


def test_formats_that_help_names_are_those_that_are_written():
    from engine.graph.formats import FORMATS
    from gui.export.target import FORMAT_NAMES

    assert {*PICTURES, *FORMATS} == set(FORMAT_NAMES)


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], {"PySide6", "numpy", "networkx"}),
        (["--version"], {"PySide6", "numpy", "networkx"}),
        (["train", "--help"], {"PySide6", "numpy", "networkx"}),
        (["export", "--help"], {"PySide6"}),
        (["completion", "bash"], {"PySide6"}),
        (["run", "neuron.py"], {"PySide6"}),
        (["check", "neuron.py"], {"PySide6"}),
        (["train", "moons.gradstep", "--steps", "1"], {"PySide6"}),
    ],
)
def test_a_command_loads_no_library_that_it_does_not_need(folder, arguments, unwanted):
    root = Path(__file__).parents[2]
    script = f"import sys; sys.path.insert(0, {str(root)!r}); import main; main.main(); print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    assert not unwanted & set(shown.stdout.splitlines()[-1].split())


# JSON


TYPES = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "array of strings": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}


def no_constant(name):
    pytest.fail(f"{name} is no JSON")


def parsed(text):
    assert text.isascii()
    return json.loads(text, parse_constant=no_constant)


def check_object(found, schema, start=""):
    """Compare an object's keys and the types of their values with the description of a command."""
    here = {key.removeprefix(start): text for key, text in schema.items() if key.startswith(start)}
    described = {key: text for key, text in here.items() if "." not in key}
    assert set(found) == set(described), start
    for key, text in described.items():
        types = text.split(":")[0].split(" or ")
        assert any(TYPES[name](found[key]) for name in types), f"{start}{key} is {found[key]!r}, not {text}"
        inner = [item for item in found[key] if isinstance(item, dict)] if isinstance(found[key], list) else []
        inner += [found[key]] if isinstance(found[key], dict) else []
        if any(other.startswith(f"{key}.") for other in here):
            for item in inner:
                check_object(item, schema, f"{start}{key}.")


JSON_CASES = [
    (["run", "neuron.py"], 0),
    (["run", "wrong.py"], 1),
    (["run", "deep.py"], 1),
    (["check", "neuron.py"], 0),
    (["check", "moons.gradstep"], 0),
    (["check", "network.gradstep"], 0),
    (["check", "undefined.py"], 1),
    (["train", "moons.gradstep", "--steps", "5"], 0),
    (["train", "wild.gradstep", "--steps", "500"], 1),
    (["lessons", "list"], 0),
    (["lessons", "list", "mixed"], 1),
    (["lessons", "check", "course"], 0),
    (["lessons", "check", "mixed"], 1),
    (["sweep", "moons.gradstep", "--vary", "learning_rate=0.1,1e8", "--seeds", "1", "--steps", "300",
      "--workers", "1", "-o", "t.csv"], 0),
    pytest.param(["gallery"], 0, marks=pytest.mark.long),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "expected"), JSON_CASES)
def test_json_is_one_object_with_the_keys_that_help_describes(folder, capsys, arguments, expected):
    Path("wrong.py").write_text("print('on')\na = tahn(1.0)\n")
    Path("deep.py").write_text("print('größe \\ud800 \\x1b[2J')\ndef f(x):\n    return 1 / x\nf(0)\n", encoding="utf-8")
    Path("undefined.py").write_text("a = 2.0\nb = log(a - 2) + a\n")
    Path("network.gradstep").write_text(to_json(replace_section(Document(), "view", shows="network", n_samples=1)))
    wild = replace_section(Document(), "training", learning_rate=1e8)
    Path("wild.gradstep").write_text(to_json(wild))
    Path("mixed").mkdir()
    Path("mixed/good.md").write_text(LESSON, encoding="utf-8")
    Path("mixed/bad.md").write_text("no lesson")
    code, out, err = said(capsys, *arguments, "--json")
    assert code == expected
    found = parsed(out)
    assert found["ok"] is (code == 0) and (found["error"] is None) is found["ok"]
    check_object(found, FLAT[" ".join(word for word in arguments[:2] if word in " ".join(FLAT))].json)
    plain, _, plain_err = said(capsys, *arguments)
    assert (plain, [line for line in plain_err if line not in err]) == (code, [])


@pytest.mark.slow
def test_numbers_that_are_not_finite_are_null_with_a_reason(folder, capsys):
    Path("undefined.py").write_text("a = 2.0\nb = log(a - 2) + a\n")
    _, out, _ = said(capsys, "check", "undefined.py", "--json")
    rows = {row["name"]: row for row in parsed(out)["gradients"]}
    for row in rows.values():
        for key in ("backward", "central_difference", "complex_step"):
            assert (row[key] is None) is (key in row["reasons"])
    assert any(row["reasons"].get("central_difference") == "nan" for row in rows.values())


@pytest.mark.slow
def test_json_of_a_run_has_the_output_before_the_error_and_its_place(folder, capsys):
    Path("wrong.py").write_text("print('on')\ndef f(x):\n    return 1 / x\nf(0)\n")
    code, out, _ = said(capsys, "run", "wrong.py", "--json")
    found = parsed(out)
    assert code == 1 and found["output"] == "on\n" and found["calls"] == ["called from line 4"]
    assert (found["error"]["line"], found["error"]["column"]) == (3, 12)


@pytest.mark.parametrize("wrong", [False, True])
def test_json_of_the_gallery_has_every_number_or_the_reason_why_it_has_none(capsys, monkeypatch, wrong):
    named = GalleryRow("W4", "Limit", "error", "at most 0.1", "0.01", True)
    number = GalleryRow("W1", "Square", "y", "4.0", "5.0" if wrong else "4.0", not wrong)
    monkeypatch.setattr("engine.examples.gallery.run_examples", lambda _examples: iter((number, named)))
    code, out, _ = said(capsys, "gallery", "--json")
    found = parsed(out)
    assert code == wrong and found["ok"] is not wrong and (found["count"], found["reproduced"]) == (2, 2 - wrong)
    check_object(found, FLAT["gallery"].json)
    assert [row["expected"] for row in found["rows"]] == [4.0, None]
    assert set(found["rows"][1]["reasons"]) == {"expected", "difference"}


WITH_JSON = [name for name, command in FLAT.items() if command.json]


@pytest.mark.parametrize("name", WITH_JSON)
def test_an_error_is_a_json_object_too(folder, capsys, name):
    arguments = {"train": ["--steps", "1"], "sweep": ["--vary", "width=2", "-o", "t.csv"]}.get(name, [])
    cases = [[*name.split(), "--json", "--nonsense"]]
    if name != "gallery":
        cases.append([*name.split(), "missing.gradstep", *arguments, "--json"])
    for typed in cases:
        code, out, err = said(capsys, *typed)
        found = parsed(out)
        assert code == 2 and len(err) == 1
        assert set(found) == {"ok", "error"} and found["ok"] is False
        assert set(found["error"]) == {"message", "line", "column"}
        assert err[0] == f"gradstep: {found['error']['message']}"


# Wrong use


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("trian moons.gradstep", "'train'"),
        ("lesson list", "'lessons'"),
        ("lessons lst", "'list'"),
        ("train moons.gradstep --stpes 5", "--steps"),
        ("train moons.gradstep --stpes=5", "--steps"),
        ("export neuron.py --them dark --otput a.png", "--output"),
        ("export neuron.py -o a.png --theme drak", "'dark'"),
        ("run neuron.py --jsno", "--json"),
        ("completion bsh", "'bash'"),
        ("--lessns course", "--lessons"),
        ("--versoin", "--version"),
    ],
)
def test_the_nearest_match_is_suggested(folder, capsys, typed, hint):
    code, out, err = said(capsys, *typed.split())
    assert (code, out, len(err)) == (2, "", 1)
    assert f"did you mean {hint}?" in err[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "commands"),
    [
        ("train neuron.py --steps 1", ("window", "run", "check")),
        ("sweep neuron.py --vary width=2 -o t.csv", ("window", "run", "check")),
        ("export neuron.py -o a.gif --training", ("window", "run", "check")),
        ("run points.csv", ("window",)),
        ("check course/first.md", ("lessons check", "lessons print")),
        ("course/first.md", ("lessons check", "lessons print")),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_commands_that_take_it(folder, capsys, typed, commands):
    code, out, err = said(capsys, *typed.split())
    assert (code, out, len(err)) == (2, "", 1)
    assert all(f" {name}" in err[0].split("(commands for")[1] for name in commands)


def test_every_kind_of_file_has_a_command():
    assert all(commands_for(kind, COMMANDS) for kind in FILE_KINDS if kind is not PICTURE)


def test_a_picture_is_said_to_be_one(folder, capsys):
    Path("graph.png").write_bytes(b"\x89PNG")
    for typed in (["graph.png"], ["run", "graph.png"]):
        code, _, err = said(capsys, *typed)
        assert code == 2 and "graph.png is a picture" in err[0]


def test_help_is_a_command_too(capsys):
    for typed in ([], ["run"], ["lessons", "list"]):
        assert said(capsys, "help", *typed) == said(capsys, *typed, "--help")


def arguments_of(name, file):
    """Return a complete line for a command, with a file in place of the one it reads."""
    more = {
        "train": ["--steps", "1", "-o", "out.gradstep", "--log", "loss.csv"],
        "sweep": ["--vary", "width=2", "--seeds", "1", "--steps", "1", "--workers", "1", "-o", "out.csv"],
        "export": ["-o", "out.png"],
        "lessons print": ["-o", "out.html"],
    }
    return [*name.split(), file, *more.get(name, [])]


READS_FILES = [name for name in FLAT if name not in ("gallery", "tour", "completion")]


@pytest.mark.slow
@pytest.mark.parametrize("name", READS_FILES)
def test_a_file_that_cannot_be_used_is_one_line_in_every_command(folder, capsys, qapp, monkeypatch, name):
    monkeypatch.setattr("gui.display.open_application", lambda: pytest.fail("a window"))
    files = {"binary.gradstep": b"\x89PNG\r\n\x1a\n\xff\x00" * 50, "binary.md": b"\xff\x00" * 50}
    files |= {"empty.gradstep": b"", "empty.md": b"", "picture.png": b"\x89PNG\xff"}
    for path, content in files.items():
        Path(path).write_bytes(content)
    Path("dir").mkdir()
    kept = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    names = ["missing.gradstep", "missing.md", "missing", "dir", "no/such/folder/a.md", "\x1b[2J", "a\nb"]
    for file in (*files, *names):
        code, out, err = said(capsys, *arguments_of(name, file))
        checks_lessons = name == "lessons check" and code == 1
        assert code == 2 or checks_lessons, (file, code, out, err)
        assert len(err) == (0 if checks_lessons else 1), (file, err)
        for line in [*err, *out.splitlines()]:
            assert line.isprintable() and "Traceback" not in line and "Errno" not in line
        assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == kept, file


OUTPUTS = ["dir", "dir/", "missing/out.png", "", "read_only.png", "read_only_folder/out.png", "neuron.py/out.png"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ("train", "sweep", "export", "lessons print") if name in FLAT])
def test_an_output_that_cannot_be_written_is_one_line(folder, capsys, qapp, monkeypatch, name):
    def refuses(*_arguments, dir=None, **_options):
        raise PermissionError(13, "Permission denied", "somewhere") if "read_only_folder" in str(dir) else OSError

    monkeypatch.setattr(
        "tempfile.TemporaryFile", refuses
    )  # a user who may write everywhere, as root may, is refused too
    Path("dir").mkdir()
    Path("read_only_folder").mkdir()
    Path("read_only.png").write_text("precious")
    Path("read_only.png").chmod(0o444)
    kept = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    source = {"export": "neuron.py", "lessons print": "course/first.md"}.get(name, "moons.gradstep")
    for output in OUTPUTS:
        arguments = arguments_of(name, source)
        arguments[arguments.index("-o") + 1] = output
        code, out, err = said(capsys, *arguments)
        assert (code, out, len(err)) == (2, "", 1), (output, code, out, err)
        assert err[0].isprintable() and "Traceback" not in err[0] and "Errno" not in err[0]
        assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == kept, output


def test_code_that_cannot_be_made_or_written_is_one_line(folder, capsys, monkeypatch):
    Path("array.py").write_text("row = Value([1.0, 2.0])\ntotal = row.sum()\n")
    code, out, err = said(capsys, "code", "array.py", "--target", "python", "-o", "array_python.py")
    assert (code, out, len(err)) == (2, "", 1) and "no code for" in err[0] and "row" in err[0]
    refuse_replacing(monkeypatch)
    code, out, err = said(capsys, "code", "neuron.py", "--target", "python", "-o", "a.py")
    assert (code, out, err) == (2, "", ["gradstep: -o a.py was not written: No space left on device"])
    assert not Path("a.py").exists() and not Path("array_python.py").exists()


def refuse_replacing(monkeypatch):
    """Let the disk be full whenever a file takes its final name."""

    def fails(_path, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", fails)


@pytest.mark.parametrize("name", ["run", "check", "code"])
def test_where_no_program_can_be_run_it_is_one_line(folder, capsys, monkeypatch, name):
    def unavailable(*_arguments, **_options):
        raise RuntimeUnavailableError("Programs cannot be run: wasmtime cannot be loaded")

    monkeypatch.setattr("engine.language.evaluate", unavailable)
    monkeypatch.setattr("engine.language.machine_code.load", unavailable)
    more = ["--target", "python"] if name == "code" else []
    code, out, err = said(capsys, name, "neuron.py", *more)
    assert (code, out, err) == (2, "", ["gradstep: Programs cannot be run: wasmtime cannot be loaded"])


def test_a_folder_of_lessons_that_cannot_be_read_is_one_line(folder, capsys, monkeypatch):
    def refuses(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuses)
    code, out, err = said(capsys, "lessons", "check", "course")
    assert (code, out, err) == (2, "", ["gradstep: course: cannot be read: Permission denied"])


@pytest.mark.parametrize("name", FLAT)
def test_wrong_options_are_one_line_in_every_command(folder, capsys, name):
    for more in (["--nonsense"], ["--nonsense=1"], ["-Z"], ["a", "b", "c", "--", "--d"], ["--json=yes"]):
        if name == "lessons check" and more[0] == "a":
            continue
        code, out, err = said(capsys, *name.split(), *more)
        assert code == 2 and len(err) == 1, (more, out, err)


# Completion


def complete(shell, words, folder):
    """Return what a shell offers for the last of some words."""
    script = folder / f"script.{shell}"
    lines = SCRIPTS[shell](levels_of(make_parser(COMMANDS)))
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if shell == "bash":
        typed = " ".join(map(shlex.quote, words))
        text = f'. "$0"; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _gradstep; '
        text += 'printf "%s\\n" "${COMPREPLY[@]}"'
        command = ["bash", "--norc", "-c", text, str(script)]
    else:
        typed = " ".join(words)
        command = ["fish", "--no-config", "-c", f"source {script}; complete -C {shlex.quote(typed)}"]
    home = os.environ | {"HOME": str(folder)}
    shown = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=home)
    assert shown.stderr == ""
    return {line.split("\t")[0].rstrip("/") for line in shown.stdout.splitlines() if line}


def installed(*shells):
    return [shell for shell in shells if shutil.which(shell)]


@pytest.mark.long
@pytest.mark.parametrize("shell", installed("bash", "fish"))
def test_a_shell_completes_commands_options_choices_files_and_lessons(folder, shell):
    Path("a b.py").touch()
    assert complete(shell, ["gradstep", "ex"], folder) == {"export"}
    assert {"run", "moons.gradstep", "points.csv", "course"} <= complete(shell, ["gradstep", ""], folder)
    assert complete(shell, ["gradstep", "export", "--theme", ""], folder) == {"light", "dark"}
    assert complete(shell, ["gradstep", "export", "--the"], folder) == {"--theme"}
    assert {"list", "check", "print"} <= complete(shell, ["gradstep", "lessons", ""], folder)
    assert complete(shell, ["gradstep", "lessons", "print", "06"], folder) == {"06_why_plus_equals"}
    assert complete(shell, ["gradstep", "run", "n"], folder) == {"neuron.py"}
    assert complete(shell, ["gradstep", "run", "a"], folder) == {"a b.py"}
    assert complete(shell, ["gradstep", "train", "m"], folder) == {"moons.gradstep"}
    assert complete(shell, ["gradstep", "train", "n"], folder) == set()
    assert complete(shell, ["gradstep", "completion", ""], folder) >= {"bash", "zsh", "fish"}


if installed("zsh"):
    import pty
    import select

    def typed_in_zsh(fd, text, until, seconds=20.0):
        """Type into an interactive zsh, and return what it has shown when `until` is shown."""
        os.write(fd, text.encode())
        shown, end = "", time.monotonic() + seconds
        while until not in shown and time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                shown += os.read(fd, 65536).decode(errors="replace")
        assert until in shown, shown
        return shown

    @pytest.mark.long
    def test_an_interactive_zsh_completes_what_is_typed(folder, capsys):
        _, out, _ = said(capsys, "completion", "zsh")
        Path("script.zsh").write_text(out, encoding="utf-8")
        home = os.environ | {"TERM": "dumb", "HOME": str(folder), "ZDOTDIR": str(folder), "PS1": "> "}
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            ["zsh", "-f", "-i"], env=home, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        ) as shell:
            os.close(theirs)
            try:
                start = "autoload -Uz compinit; compinit -u -D; source script.zsh; unsetopt beep; print rea''dy\n"
                typed_in_zsh(ours, start, "ready\r")
                for typed, completed in (
                    ("gradstep exp", "gradstep export "),
                    ("gradstep export --the", "gradstep export --theme "),
                    ("gradstep export --theme da", "gradstep export --theme dark "),
                    ("gradstep run neu", "gradstep run neuron.py "),
                    ("gradstep neu", "gradstep neuron.py "),
                    ("gradstep lessons print 06", "gradstep lessons print 06_why_plus_equals "),
                ):
                    assert "not found" not in typed_in_zsh(ours, f"{typed}\t", completed)
                    os.write(ours, b"\x15")  # Ctrl+U: an empty line
            finally:
                shell.kill()
                os.close(ours)


@pytest.mark.slow
@pytest.mark.parametrize("shell", installed(*SCRIPTS))
def test_a_shell_accepts_its_script(tmp_path, capsys, shell):
    code, out, err = said(capsys, "completion", shell)
    assert (code, err) == (0, [])
    script = tmp_path / "script"
    script.write_text(out, encoding="utf-8")
    checked = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.slow
def test_completion_knows_every_command_and_option():
    levels = {level.path: level for level in levels_of(make_parser(COMMANDS))}
    assert set(FLAT) <= set(levels)
    for level in levels.values():
        assert all(word and not set(word) & set(" '\"\\$`()|;:") for word in level.words)
    for name, command in FLAT.items():
        parser = make_parser({name: command}) if " " not in name else None
        if parser is not None:
            flags = {flag for flag in levels[name].words if flag.startswith("-")}
            assert ("--json" in flags) is bool(command.json)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_offers_nothing_for_a_free_argument(shell):
    free = Argument((), "WORD", "anything at all", True, (), (), False)
    scripts = [
        "\n".join(SCRIPTS[shell]([Level("", {"run": "run it"}, ()), Level("run", {}, arguments)]))
        for arguments in ((), (free,))
    ]
    assert scripts[0] == scripts[1]
