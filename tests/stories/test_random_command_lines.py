"""Commands, files and outputs put together at random, the same in every run: one line at most, and no input is lost."""

import json
import os
import random
from pathlib import Path

import pytest

from engine.document import Document, to_json
from main import main

RUNS = 40
VALUES = (
    *(
        "null",
        "true",
        "-1",
        "0",
        "8",
        "1e308",
        "1e-320",
        "18446744073709551616",
        '""',
        '"\\u001b[2J"',
        '"\\ud800"',
        "[]",
    ),
    *("[[]]", "{}", '{"a": [0, 1]}', "[2, 4, 1]", "[2, 256, 256, 1]", "[1, 1, 1]", '"xor"', '"spiral3"', '"adam"'),
    *('"softmax_cross_entropy"', '"network"', '"linear"', '"curve"'),
)
TOKENS = (
    *("a", "b", "x1", " = ", " + ", " * ", "(", ")", "\n", "1", "2.0", "tanh", "exp", "log", "**", "-", "/", "1e308"),
    *(",", "Value", "[", "]", ".data", "label='", "'", "\x1b", "\u202e", "#", "sum", ".backward()", "0x", "²", "\t"),
)
NAMES = (
    *("s.gradstep", "p.txt", "P.PY", "linked", "d", "d/", "", os.devnull, "missing/a", "o.png", "o.svg", "o.dot"),
    *("o.json", "o.gif", "\x1b.png", "ä", "--log", "-o", "--steps", "1", "--frames", "--scale", "0.2", "train", "-x"),
)
FILES = ("s.gradstep", "p.txt", "P.PY")


def session(chance):
    """A session in which one to four fields, or sections, or single characters hold something else."""
    content = json.loads(to_json(Document()))
    for _ in range(chance.randint(1, 4)):
        section, value = chance.choice([*content]), json.loads(chance.choice(VALUES))
        if isinstance(content[section], dict) and content[section] and chance.random() < 0.9:
            content[section][chance.choice([*content[section]])] = value
        else:
            content[section] = value
    text = json.dumps(content)
    if chance.random() < 0.2:
        cut = chance.randrange(len(text))
        return text[:cut] + chance.choice(["", "}", "\0", "9" * 400]) + text[cut + 1 :]
    return text


def command(chance):
    """What somebody might type, and what nobody would."""
    name, kind = chance.choice(FILES), chance.randrange(4)
    if kind == 0:
        steps = str(chance.choice([1, 3, 50]))
        return ["train", name, "--steps", steps, "-o", chance.choice(NAMES), "--log", chance.choice(NAMES)]
    if kind == 1:
        return ["export", name, "-o", chance.choice(NAMES), "--scale", "0.2"]
    if kind == 2:
        return ["check", name]
    return [chance.choice(["train", "export", "check"]), *chance.choices(NAMES, k=chance.randint(0, 5))]


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_typed_is_answered_in_one_line_and_no_input_is_lost(seed, qapp, tmp_path, monkeypatch, capsys):
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)
    Path("d").mkdir()
    for _ in range(RUNS):
        Path("s.gradstep").write_text(session(chance))
        for name in ("p.txt", "P.PY"):
            Path(name).write_text("".join(chance.choices(TOKENS, k=chance.randint(0, 40))))
        Path("linked").unlink(missing_ok=True)
        Path("linked").symlink_to(chance.choice(FILES))
        arguments, before = command(chance), {name: Path(name).read_bytes() for name in FILES}
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        wrong = (arguments, before, said)
        assert code in (0, 1, 2), wrong
        assert said.err.count("\n") == (code == 2) and said.err.rstrip("\n").isprintable(), wrong
        assert "Errno" not in said.err and len(said.err) < 5000, wrong
        source = arguments[1] if arguments[1:2] and arguments[1] in FILES else None
        assert source is None or Path(source).read_bytes() == before[source], wrong
        assert not [*Path().glob(".*.part")] and not Path(os.devnull).is_file(), wrong
