"""Commands: whatever is typed, exit code 0, 1 or 2, one line for what is wrong, and no file changes but outputs.

Half of what is typed is made from the parsers of the commands, so that a new command is tried as soon as it exists.
"""

import argparse
import io
import json
import os
import re
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from engine.commands.command import completion_of
from engine.commands.inputs import whole_number
from engine.commands.parser import make_parser
from engine.commands.with_qt import scale
from engine.document import Document
from engine.lessons.lesson_file import examine_lesson
from engine.session_file import from_json, to_json
from main import COMMANDS, main
from tests.fuzz import lessons, programs, sessions, tables

FILES = ("s.gradstep", "p.txt", "P.PY", "l.md", "t.csv")
TAKE_MINUTES = ("tour", "gallery")
LEFT_OUT = ("--dask", "--workers")
"""Options that ask another machine, or start processes."""
IN_THIS_PROCESS = {"sweep": ("--workers", "1")}
"""Options with which a command starts no processes, which takes seconds."""
SWEEP_SHARE = 0.05
"""Share of sweeps among the commands."""
OUTPUTS = (
    *("s.gradstep", "p.txt", "P.PY", "linked", "hard", "d", "d/", "d/o.png", "", os.devnull, "missing/a", "o.png"),
    *("o.svg", "o.pdf", "o.dot", "o.graphml", "o.json", "o.tex", "o.gif", "O.PNG", "o", "o.", "o.xyz", "\x1b.png", "ä"),
    *("../o.csv", "./o.csv", "new/", "x" * 300 + ".png", ".", "..", "-", "o.csv", "~", "*"),
)
WORDS = (
    *(
        "--log",
        "-o",
        "--output",
        "--steps",
        "1",
        "--frames",
        "--scale",
        "0.2",
        "train",
        "-x",
        "--transparent",
        "--theme",
    ),
    *(
        "dark",
        "--direction",
        "down",
        "--help",
        "--version",
        "check",
        "export",
        "--",
        "-h",
        "--sc",
        "nan",
        "1e3",
        "٣",
        "-1",
    ),
)
FIRST = {"files": {name: to_json(Document()) for name in FILES}, "arguments": ["export", "p.txt", "-o", "o.png"]}
GOOD = "a = Value(2.0)\nb = (a * 3).tanh()\nb.backward()\nprint(a.grad)\n"
SECONDS_OF_LARGE = 4_000
"""Letters of a program up to which it is drawn: a picture of more takes its time, as it does in `programs`."""


def make(chance):
    """Files and a command about them."""
    files = {"s.gradstep": session(chance), "p.txt": program(chance), "P.PY": program(chance)}
    files |= {"l.md": lesson(chance), "t.csv": tables.make(chance)[:SECONDS_OF_LARGE]}
    return {"files": files, "linked": chance.choice(FILES), "hard": chance.choice(FILES), "arguments": command(chance)}


def session(chance):
    """One in which mostly nothing is exchanged or damaged."""
    return to_json(sessions.document_of(chance)) if chance.random() < 0.6 else sessions.make(chance)


def program(chance):
    text = chance.choice([programs.make, sessions.make, "a = 2\nb = tanh(a)\n", GOOD, GOOD])
    return (text if isinstance(text, str) else text(chance))[:SECONDS_OF_LARGE]


def lesson(chance):
    return lessons.make(chance)


def command(chance):
    """What somebody might type, and what nobody would."""
    names = [name for name in COMMANDS if name not in TAKE_MINUTES]
    name, kind = chance.choice([*FILES, *FILES, "linked"]), chance.randrange(8)
    if kind == 0:
        name, steps = "s.gradstep" if chance.random() < 0.7 else name, str(chance.choice([1, 3, 50]))
        return ["train", name, "--steps", steps, "-o", output(chance, ".gradstep"), "--log", output(chance, ".csv")]
    if kind == 1:
        frames = ["--frames"] * (chance.random() < 0.2)
        return ["export", name, "-o", output(chance, ".png"), "--scale", "0.2", *frames]
    if kind == 2:
        words = chance.choices([*OUTPUTS, *WORDS], k=chance.randint(0, 6))
        return [chance.choice(["window", "lessons", "tour p.txt", *names, *WORDS]), *words]
    name = chance.choice([name for name in names if name != "sweep" or chance.random() < SWEEP_SHARE * len(names)])
    parser = _part(make_parser(COMMANDS), name)
    typed = [name]
    if COMMANDS[name].parts:
        typed.append(chance.choice([*COMMANDS[name].parts]))
        parser = _part(parser, typed[1])
    inside = IN_THIS_PROCESS.get(name, ()) if chance.random() < 0.9 else ()
    return [*typed, *arguments_of(parser, chance), *inside]


def output(chance, extension):
    """A name for a file that is written, mostly an ordinary one."""
    return f"out{extension}" if chance.random() < 0.6 else chance.choice(OUTPUTS)


def _part(parser, name):
    return next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices[name]


def arguments_of(parser, chance):
    """The arguments of a command in their order, then some of its options, with values that are mostly allowed."""
    places, options = [], []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or {*LEFT_OUT} & {*action.option_strings}:
            continue
        if not action.option_strings:
            if action.required or chance.random() < 0.5:
                places.append(value_for(action, chance))
        elif action.required or chance.random() < 0.35 or action.dest in ("steps", "seeds"):
            values = [] if action.nargs == 0 else [value_for(action, chance)]
            options.append([chance.choice(action.option_strings), *values])
    chance.shuffle(options)
    return [*places, *(word for words in options for word in words)]


def value_for(action, chance):
    known = completion_of(action)
    if chance.random() < 0.04:
        return chance.choice([*OUTPUTS, *WORDS])
    if action.choices:
        return chance.choice([*action.choices])
    if action.type is whole_number:
        return chance.choice(("1", "2", "3") * 6 + ("0",))
    if action.type is scale:
        return chance.choice(("0.2", ".5", "0.01", "1"))
    fitting = [name for name in FILES if Path(name).suffix.lower() in known.suffixes]
    if fitting and chance.random() < 0.8:
        return chance.choice(fitting)
    if known.kinds or known.folders:
        return chance.choice([*FILES, *FILES, "linked", ".", "missing.py"])
    if known.extensions:
        return "o" + chance.choice(known.extensions)
    if action.dest == "vary":
        return chance.choice(
            (*("learning_rate=0.01,0.1", "width=2", "optimizer=adam") * 3, "l1=nan", "seed", "=", "width=2,999")
        )
    return chance.choice(WORDS)


def check(case):
    """Runs the command in a folder of its own; one that plays a lesson with very long training is left out."""
    lesson, _errors = examine_lesson(case["files"].get("l.md", ""), "l.md")
    if case["arguments"][:1] == ["lessons"] and lesson is not None and lessons.trains_for_long(lesson):
        return {}
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top, "in")
        folder.mkdir()
        with chdir(folder):
            lay_out(case)
            before, arguments = contents(top), case["arguments"]
            code, out, err = run(arguments)
            check_words(case, arguments, code, out, err)
            check_files([*arguments, "", ""], before, contents(top))
    assert not Path(os.devnull).is_file()
    return {}


def lay_out(case):
    Path("d").mkdir()
    for name, text in case["files"].items():
        Path(name).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    Path("linked").symlink_to(case.get("linked", "p.txt"))
    Path("hard").hardlink_to(case.get("hard", "p.txt"))


def run(arguments):
    """Exit code and what was printed; the window itself is not opened."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    printed = redirect_stdout(streams[0]), redirect_stderr(streams[1])
    with printed[0], printed[1], patch("gui.app.run", lambda *_: 0), lessons.programs_cut_short():
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return code, out, err


def check_words(case, arguments, code, out, err):
    lines = err.splitlines()
    assert code in (0, 1, 2), (code, err)
    assert all(line.startswith("gradstep: ") and line.isprintable() for line in lines), err
    noted = notes(case)
    said = [line.removeprefix("gradstep: ") for line in lines]
    said = [line for line in said if line not in noted]
    if "check" in arguments[:1]:  # what the window writes under a program
        said = [line for line in said if not re.match(r"line \d+: ", line)]
    if arguments[:2] == ["lessons", "list"] and code == 1:  # a line for each file that is no lesson
        said = [line for line in said if not re.match(r"l\.md, line \d+: ", line)]
    failed = (
        code == 1 and len(said) == 1 and re.match(r"(?:.{1,30}: )?line \d+, column \d+: |.*the loss became", said[0])
    )
    assert failed or len(said) == (code == 2), (code, err)
    assert "Errno" not in err
    assert "Traceback" not in err + out
    assert all(len(line) < 4_100 for line in lines)
    if "--json" in arguments and code != 2 and not {"-h", "--help", "--version"} & {*arguments}:
        answer = json.loads(out, parse_constant=lambda name: 1 / 0)  # NaN is no JSON
        assert answer["ok"] == (code == 0)
        assert (answer["error"] is None) == answer["ok"]


def notes(case):
    """What may be remarked on any of the sessions."""
    found = set()
    for text in case["files"].values():
        with suppress(ValueError, KeyError):  # advice is on what fits together
            found.update(sessions.advice_on(from_json(text)))
    return found


def contents(top):
    """Every file below a folder by its real path, with its bytes."""
    paths = [path for path in Path(top).rglob("*") if path.is_file() and not path.is_symlink()]
    return {os.path.realpath(path): path.read_bytes() for path in paths}


def check_files(arguments, before, after):
    """Only what was named as an output has changed, and never what was read."""
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    named = {os.path.realpath(name) for word in arguments[2:] for name in (word, f"{word.rstrip('.')}.png") if word}
    outputs = named | aliases(named)
    assert all(path in outputs or str(Path(path).parent) in outputs for path in changed), changed
    if arguments[0] in ("export", "train", "check") and arguments[1] in (*FILES, "linked"):
        read = {os.path.realpath(arguments[1])}
        assert not changed & (read | aliases(read)), f"what was read has changed: {changed}"
    assert not [path for path in after if path.endswith(".part")]


def aliases(paths):
    """Those of the files that are one of these by another name, a hard link."""
    return {
        os.path.realpath(name)
        for name in (*FILES, "hard")
        if Path(name).exists() and any(os.path.isfile(path) and Path(path).samefile(name) for path in paths)  # noqa: PTH113
    }
