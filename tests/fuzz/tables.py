"""Tables: whatever the bytes, a data set that can be written and read again, or one line of a DatasetError."""

import random
import tempfile
from pathlib import Path

import numpy as np

from datasets import DatasetError, parse_table, read_table, table_text

FIRST = "a,b,label\n1,2,0\n3,4,1\n5,6,0\n"
PIECES = [
    *(",", ";", "\t", "\n", "\r", '"', "'", "\0", "\ufeff", "\ud800", "1", "-2.5", "1e999", "nan", "x" * 50, "#"),
    *("1_0", "١", "\x1b[0m", "=1+1", "1,5", "label", " ", "\u2028", "\x85", '""', '"1"', "\n\n", "0x1F", "9" * 400),
    *("\r\n", "1e308", "-1e308", "5e-324", "a\nb", "@SUM", "<b>x</b>", "yes", "no", "\u202e", "é", "x (2)"),
]


def make(chance):
    """A table of any dialect and size, some of its letters exchanged."""
    text = table(chance)
    for _ in range(chance.choice((0, 1, 1, 3, 25))):
        start = chance.randrange(len(text) + 1)
        piece = chance.choice(PIECES) * chance.choice((1, 1, 2, 30))
        text = text[:start] + piece + text[start + chance.choice((0, 0, 1, 5)) :]
    return text * chance.choice((1, 1, 1, 1, 3))


def table(chance):
    delimiter, end = chance.choice(",;\t| "), chance.choice(("\n", "\n", "\r\n", "\r"))
    width, height = chance.choice((1, 2, 3, 3, 8, 400)), chance.choice((1, 2, 5, 30, 30, 300, 3000))
    height = min(height, 20_000 // width)
    kinds = [chance.choice((floats, floats, wholes, words)) for _ in range(width)]
    rows = [delimiter.join(kind(chance) for kind in kinds) for _ in range(height)]
    header = [chance.choice(("x", "y", "label", f"x{i}", "", "1a", "a b")) for i in range(width)]
    return end.join([delimiter.join(header), *rows] if chance.random() < 0.7 else rows) + chance.choice(("", end))


def floats(chance):
    return f"{chance.gauss(0, 1):.4g}"


def wholes(chance):
    return str(chance.randrange(3))


def words(chance):
    return chance.choice(("red", "green", '"blue, dark"', '"say ""hi"""', "'", "n" * 60))


def check(text):
    """As a text and as a file in any encoding, with any choice of columns."""
    chance = random.Random(repr(text))
    check_parsed(lambda: parse_table(text), chance)
    encoding = chance.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, chance.choice(("t.csv", "\x1b.csv", "x" * 200)))
        path.write_bytes(text.encode(encoding, "surrogatepass" if encoding != "latin-1" else "replace"))
        check_parsed(lambda: read_table(path, chance.choice(("utf-8", "latin-1"))), chance)
    return {}


def check_parsed(read, chance):
    try:
        found = read()
        names = [column.name for column in found.columns]
        target = chance.choice([None, None, *names[:50], "missing"])
        inputs = chance.choice([None, None, chance.sample(names, chance.randint(1, len(names)))])
        task = chance.choice((None, None, "classification", "regression"))
        data = found.dataset(target, inputs, task, skip_bad_rows=chance.random() < 0.5)
    except DatasetError as error:
        assert len(str(error)) <= 500
        assert str(error).isprintable()
    else:
        check_data(data, chance)


def check_data(data, chance):
    """What is made of a table can be shown, and comes back from the table that is written of it."""
    for text in (*data.class_names, *data.feature_names, data.target_name, *data.notes, data.description):
        assert text.isprintable()
    assert np.isfinite(data.X).all()
    table = parse_table(table_text(data))
    *inputs, target = (column.name for column in table.columns)
    again = table.dataset(target, inputs, data.task)
    assert inputs_of(again) == inputs_of(data)
    assert goals(again) == goals(data)


def inputs_of(data):
    """The numbers of each input, sorted: categories may come in another order, as class names may."""
    return sorted(data.X.T.tolist())


def goals(data):
    """What is to be predicted of each row; classes by their names, which a file may hold in another order."""
    return [data.class_names[index] for index in data.classes] if data.n_classes else data.y.tolist()
