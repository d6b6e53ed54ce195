"""Tables in text files: read with detected delimiter, decimal mark and header, and written.

A file's kind and size are checked before it is opened, so that a device, a pipe or half a gigabyte is refused and not
read; what is read takes less than 200 MB, whatever its cells contain. Rows are counted as a spreadsheet does, from 1
with the header. 100,000 rows take about a second: read large files outside the GUI's thread.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from datasets.dataset import Dataset, number_name
from datasets.limits import N_SAMPLES_LIMITS, DatasetError
from datasets.table import DECIMAL_MARKS, GROUPED, NUMBERS, Column, Table, short_names
from engine.file_access import FileProblem, read_regular
from engine.messages import visible

MAX_BYTES = 16_000_000
MAX_COLUMNS = 1_000
MAX_CELLS = 1_000_000  # in memory a short cell takes twenty times the bytes that it has in the file
RANKS = {",": 1, ";": 2, "\t": 2, "|": 2, " ": 1}
"""Delimiters between the cells of a row, each with its rank: lower where it often stands inside cells, too."""
DELIMITERS = tuple(RANKS)
ENCODINGS = ("utf-8", "latin-1")
SAMPLE_LINES, SAMPLE_ROWS, SAMPLE_LETTERS = 1_000, 20, 5_000
"""The delimiter is chosen by the first rows among so many lines, and so much of each."""
LONGEST_FILE_NAME = 60
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a text that starts so

NOT_TEXT = "this is not a text file: it holds zero bytes"
_TO_QUOTE = re.compile("[" + re.escape("".join(DELIMITERS)) + r"\"\r\n]")
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")

QUOTED_NUMBER = re.compile(r'"[+−-]?\d+"', re.ASCII)
"""A whole number in quotes, such as the name of a row that R writes: a comma behind it is no decimal comma."""
DELIMITER_LINE = re.compile(r'"?sep=([,;\t|])"?[ ,;\t|]*(?=[\r\n])', re.IGNORECASE)
"""A first line such as sep=; that names the delimiter, for Excel."""
WHOLE, DIGITS = re.compile(r"[+−-]?\d+", re.ASCII), re.compile(r"\d+", re.ASCII)
COUNTED = re.compile(r"\d{1,4}", re.ASCII)
"""A number in a header that counts its columns, or names years."""
PAIRS_NOTES = {
    "sure": "Commas stand between the cells and in the numbers: two whole numbers side by side were read as one, 1,5.",
    "perhaps": "Only whole numbers, and a comma between all of them: if 1,5 is one number here, choose the comma as "
    "decimal mark.",
}
"""Notes on a table whose numbers have decimal commas between commas."""

Row = tuple[int, list[str]]  # its number in the file, its cells


@dataclass(frozen=True)
class TableFormat:
    """Format of a table; None: detect it.

    Attributes:
        delimiter: one of DELIMITERS.
        decimal: the decimal mark, "." or ",".
        has_header: the first row has the names of the columns.
    """

    delimiter: str | None = None
    decimal: str | None = None
    has_header: bool | None = None


AS_IT_SEEMS = TableFormat()


class EncodingError(DatasetError):
    """Bytes that are not text in UTF-8, but are in Latin-1."""


def read_table(path: str | Path, encoding: str = "utf-8", form: TableFormat = AS_IT_SEEMS) -> Table:
    """Return the table in a file, see `file_content`, `decoded_text` and `parse_table`."""
    return parse_table(decoded_text(file_content(path), encoding), file_name(path), form)


def file_name(path: str | Path) -> str:
    """Return the name of a file in messages: the end of its path, at most 60 printable characters."""
    return visible(Path(path).name or str(path), LONGEST_FILE_NAME)


def file_content(path: str | Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        DatasetError: not a regular file, above 16 MB, or not readable; the message names the file.
    """
    name = file_name(path)
    try:
        return _content(Path(path), name)
    except DatasetError:
        raise
    except (OSError, ValueError) as error:
        raise DatasetError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _content(file: Path, name: str) -> bytes:
    try:
        return read_regular(file, MAX_BYTES)
    except FileProblem as problem:
        raise DatasetError(f"{name} cannot be read: {problem}") from None


def parse_table(text: str, name: str = "table", form: TableFormat = AS_IT_SEEMS) -> Table:
    """Return the table in a text, for instance from the clipboard.

    Args:
        text: rows of cells.
        name: of the table.
        form: known parts of the format; the rest is detected.

    Raises:
        DatasetError: no rows, more than 1,000,000 cells or 100,000 rows, a quote that never closes, or rows of
            different lengths; the message names the row.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise DatasetError("the file is empty")
    if "\0" in text:
        raise DatasetError(NOT_TEXT)
    named = DELIMITER_LINE.match(text)
    if named:
        text = text[named.end() :]
    delimiter = form.delimiter or (named[1] if named else _delimiter(text))
    if text.count(delimiter) > MAX_CELLS:
        raise DatasetError(f"the file has more than {MAX_CELLS:,} cells")
    rows = _rows(text, delimiter)
    may_be_pairs = delimiter == "," and (form.decimal == "," or not (form.decimal or QUOTED_NUMBER.search(text)))
    pairs = _decimal_comma_pairs(rows) if may_be_pairs else ""
    if pairs == "sure" or (pairs and form.decimal == ","):
        width = len(rows[0][1]) if pairs == "sure" else 0
        rows = [(number, _joined(cells, width)) for number, cells in rows]
    decimal = form.decimal or ("," if pairs == "sure" else _decimal(rows, delimiter))
    counts_up = _counts_up(rows)
    has_header = form.has_header
    if has_header is None:
        has_header = counts_up or not any(_is_number(cell, decimal) for cell in rows[0][1])
    header = [*map(_as_meant, rows.pop(0)[1])] if has_header else []
    if not rows:
        raise DatasetError("there are no rows below the header")
    rows, notes = _same_width(rows, len(header) or len(rows[0][1]))
    if counts_up and form.has_header is None:
        notes.append("The first row counts up and was read as the names of the columns.")
    if pairs:
        notes.append(PAIRS_NOTES[pairs if form.decimal is None else "sure"])
    names = _clean_names(header) if has_header else _default_names(len(rows[0][1]))
    columns = _columns(names, rows, decimal)
    if form.decimal is None and (delimiter, decimal) != (",", "."):
        notes += _notes_on_groups(columns)
    used = [column for column in columns if any(column.cells)]
    if len(used) < len(columns):
        left_out = len(columns) - len(used)
        notes.append("1 empty column left out." if left_out == 1 else f"{left_out} empty columns left out.")
    return Table(name, tuple(used), delimiter, has_header, decimal, tuple(notes))


def table_text(data: Dataset) -> str:
    """Return the dataset as comma-separated text that `parse_table` reads back bit for bit; classes by their names."""
    inputs = data.source_columns
    columns = [
        [*map(_as_text, column)] if isinstance(column, tuple) else [*map(repr, column.tolist())]
        for _name, column in inputs
    ]
    names = [_as_text(name) for name in (*(name for name, _column in inputs), data.target_name)]
    rows = [names, *zip(*columns, _written_goals(data), strict=True)]
    return "".join(",".join(map(_as_cell, row)) + "\n" for row in rows)


def _as_cell(text: str) -> str:
    """Return a text in quotes where a reader could take something in it for the delimiter, a quote or the row's end."""
    return '"' + text.replace('"', '""') + '"' if not text or _TO_QUOTE.search(text) else text


def _written_goals(data: Dataset) -> list[str]:
    """Return the target of each row; class names are written as numbers where all of them are a number's name."""
    if not data.n_classes:
        return [*map(repr, data.y.tolist())]
    goals = [data.class_names[index] for index in data.classes]
    if all(_is_number(name) and name == number_name(_number(name, ".")) for name in set(goals)):
        return goals
    return [*map(_as_text, goals)]


def _as_text(text: str) -> str:
    """Return a text with an apostrophe before it, so that a spreadsheet reads neither a formula nor a number."""
    return f"'{text}" if _needs_apostrophe(text.lstrip("'")) else text


def _as_meant(cell: str) -> str:
    """Return a cell without that apostrophe."""
    return cell[1:] if cell.startswith("'") and _needs_apostrophe(cell.lstrip("'")) else cell


def _needs_apostrophe(text: str) -> bool:
    return text.startswith(FORMULA_STARTS) or any(_is_number(text, mark) for mark in DECIMAL_MARKS)


def decoded_text(data: bytes, encoding: str = "utf-8") -> str:
    """Decode a file's bytes.

    Args:
        data: the bytes.
        encoding: one of ENCODINGS; a byte order mark of UTF-8 is left out.

    Raises:
        DatasetError: not text in that encoding.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DatasetError("this is UTF-16 text: save it as UTF-8")
    if b"\0" in data:
        raise DatasetError(NOT_TEXT)
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"this is not UTF-8 text (byte {error.start + 1}): save it as UTF-8, or read it as Latin-1"
        ) from error


def _lines(text: str) -> Iterator[str]:
    """Yield the lines with their ends (`io.StringIO` would copy the text with four bytes a letter)."""
    return (found[0] for found in LINE.finditer(text))


def _delimiter(text: str) -> str:
    """Return the delimiter between which every quote opens or closes a cell, and which gives most rows equal widths.

    Where several do, the higher of RANKS, and then the one that gives most numbers. A delimiter other than a tab that
    leaves commas in cells which are no numbers ranks one lower.
    """
    lines = filter(str.strip, islice(_lines(text), SAMPLE_LINES))
    sample = [line[:SAMPLE_LETTERS] for line in islice(lines, SAMPLE_ROWS)] or [","]
    first_cut = next((index for index, line in enumerate(sample) if len(line) == SAMPLE_LETTERS), len(sample))
    uncut = "".join(sample[: first_cut + 1])

    def score(delimiter: str) -> tuple[bool, float, int, float]:
        rows = [row for row in csv.reader(sample, delimiter=delimiter, skipinitialspace=True) if row]
        width, times = Counter(map(len, rows)).most_common(1)[0]
        cells = [cell.strip() for row in rows for cell in row]
        numbers = [any(_is_number(cell, mark) for mark in DECIMAL_MARKS) for cell in cells]
        well_quoted = _rows_between(delimiter).fullmatch(uncut) is not None
        n_names = 0 if delimiter == " " else len(rows[0])  # a name may have a comma
        rest = zip(cells[n_names:], numbers[n_names:], strict=True)
        in_texts = any("," in cell and not is_number for cell, is_number in rest)
        rank = 2 if delimiter == "\t" else RANKS[delimiter] - in_texts
        return well_quoted, (width > 1) * times / len(rows), rank, sum(numbers) / len(cells)

    return max(DELIMITERS, key=score)


@cache
def _rows_between(delimiter: str) -> re.Pattern[str]:
    """Return a pattern of rows whose quotes stand only around whole cells; the last quote may stay open."""
    between = re.escape(delimiter)
    cell = rf' *+(?:"(?:[^"]|"")*+(?:"|\Z)|[^"{between}\r\n]*+)'
    return re.compile(rf"(?:{cell}(?:{between}{cell})*+(?:\r\n?|\n|\Z))*+")


def _counts_up(rows: list[Row]) -> bool:
    """True where the first row alone counts up, as k, 0, 1, 2, as land, 2019, 2020, or as 0, 1, 2, 3."""

    def counts(cells: list[str]) -> bool:
        has_name = not _is_number(cells[0])
        counted = cells[has_name:]
        if len(counted) < (2 if has_name else 4) or not all(map(COUNTED.fullmatch, counted)):
            return False
        numbers = [int(cell) for cell in counted]
        steps = {b - a for a, b in pairwise(numbers)}
        are_columns = steps == {1} and numbers[0] in ((0, 1) if has_name else (0,))
        are_years = has_name and len(steps) == 1 and all(1900 <= number <= 2100 for number in numbers)
        return are_columns or (are_years and numbers[0] < numbers[1])

    return len(rows) > 1 and counts(rows[0][1]) and not counts(rows[1][1])


def _decimal(rows: list[Row], delimiter: str) -> str:
    """Return the decimal mark of most numbers in the first rows.

    One that is followed by exactly three digits counts only to break a tie, as it may separate thousands. Between
    commas it is a point, unless numbers in quotes have commas and no number has a point.
    """
    cells = [cell for _, cells in rows[:SAMPLE_LINES] for cell in cells if "," in cell or "." in cell]
    commas, points = ([cell for cell in cells if mark in cell and _is_number(cell, mark)] for mark in (",", "."))
    with_commas, with_points = (sum(not GROUPED.fullmatch(cell) for cell in found) for found in (commas, points))
    if delimiter == ",":
        return "," if with_commas and not points else "."
    return "," if (with_commas, len(commas)) > (with_points, len(points)) else "."


def _decimal_comma_pairs(rows: list[Row]) -> str:
    """Tell whether commas separate cells and decimals too, as in `1,5,2,25`: "sure", "perhaps" or "".

    It is certain where the header names half as many columns of numbers as the rows have cells, and possible where no
    number has a point, there is no header, and all numbers come in pairs of which the second could be decimals.
    """
    head, body = rows[0][1], [cells for _, cells in rows[1:SAMPLE_LINES]]
    if not body or any("." in cell and _is_number(cell) for cells in body for cell in cells):
        return ""
    if any(_is_number(cell) for cell in head):
        body, width = [head, *body], 0
    else:
        width = len(head)
    if len({len(cells) for cells in body}) != 1 or any("" in cells for cells in body):
        return ""
    joined = [_joined(cells, width) for cells in body]
    n_pairs = len(body[0]) - len(joined[0])
    if not n_pairs or len({len(cells) for cells in joined}) != 1:
        return ""
    if width:
        return "sure" if len(joined[0]) == width < len(body[0]) else ""
    return "perhaps" if n_pairs > 1 and sum(map(_is_number, body[0])) == 2 * n_pairs else ""


def _joined(cells: list[str], width: int) -> list[str]:
    """Return the cells with pairs of whole numbers joined by a decimal comma; rows of `width` stay."""
    if len(cells) == width:
        return cells
    joined: list[str] = []
    index = 0
    while index < len(cells):
        pair = cells[index : index + 2]
        if len(pair) == 2 and WHOLE.fullmatch(pair[0]) and DIGITS.fullmatch(pair[1]):
            joined.append(",".join(pair))
            index += 2
        else:
            joined.append(cells[index])
            index += 1
    return joined


def _rows(text: str, delimiter: str) -> list[Row]:
    """Yield the rows that are not empty, cells without blanks around them."""
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True, skipinitialspace=True)
    rows: list[Row] = []
    number = 1
    try:
        for cells in reader:
            if any(stripped := [cell.strip() for cell in cells]):
                rows.append((number, stripped))
            if len(rows) > N_SAMPLES_LIMITS[1] + 1:
                raise DatasetError(f"the file has more than {N_SAMPLES_LIMITS[1]:,} rows")
            number = reader.line_num + 1
    except csv.Error as error:
        raise DatasetError(_row_problem(text, delimiter, number, str(error))) from error
    if not rows:
        raise DatasetError("the file has no cell with anything in it")
    return rows


def _row_problem(text: str, delimiter: str, number: int, problem: str) -> str:
    """Return the problem of the row that begins in line `number`, from the csv reader's message."""
    if "unexpected end" in problem:
        return f"a quote opened in row {number} never closes"
    if "field larger" not in problem:
        return f"row {number}: {problem}"
    column, length, limit, inside = 1, 0, csv.field_size_limit(), False
    letters = (letter for line in islice(_lines(text), number - 1, None) for letter in line)
    for letter in letters:  # pragma: no branch - the reader has found a cell that is too long
        inside ^= letter == '"'
        length += 1
        if letter == delimiter and not inside:
            column, length = column + 1, 0
        if length > limit:
            break
    return f"row {number}, column {column}: the cell has more than {limit:,} characters (is a quote left open?)"


def _notes_on_groups(columns: list[Column]) -> list[str]:
    """Return a note on the first column, if any, in which every decimal mark may separate thousands."""
    for column in columns:
        marked = [cell for cell in column.cells if column.decimal in cell and _is_number(cell, column.decimal)]
        if marked and all(map(GROUPED.fullmatch, marked)):
            cell, number = visible(marked[0]), number_name(_number(marked[0], column.decimal))
            mark = "comma" if column.decimal == "," else "point"
            return [
                f"{cell} in column {column.name!r} was read with a decimal {mark}, as {number}: "
                "if it means thousands, write the numbers without separators."
            ]
    return []


def _same_width(rows: list[Row], width: int) -> tuple[list[Row], list[str]]:
    """Return the rows cut to `width` where only empty cells are beyond it, with a note; any other width is an error."""
    if width > MAX_COLUMNS:
        raise DatasetError(f"the file has {width:,} columns; {MAX_COLUMNS:,} are allowed")
    for number, cells in rows:
        if len(cells) < width or any(cells[width:]):
            raise DatasetError(f"row {number} has {len(cells)} cells where {width} are expected")
    longer = any(len(cells) > width for _, cells in rows)
    notes = ["Empty cells at the ends of rows left out."] if longer else []
    return [(number, cells[:width]) for number, cells in rows], notes


def _columns(names: list[str], rows: list[Row], decimal: str) -> list[Column]:
    numbers = tuple(number for number, _ in rows)
    by_column = zip(*(cells for _, cells in rows), strict=True)
    return [
        Column(name, _texts(cells), np.array([_number(cell, decimal) for cell in cells]), numbers, decimal)
        for name, cells in zip(names, by_column, strict=True)
    ]


def _texts(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Texts of the cells; a number after an apostrophe is a label."""
    return tuple(map(_as_meant, cells)) if any(cell.startswith("'") for cell in cells) else cells


def _is_number(cell: str, decimal: str = ".") -> bool:
    return NUMBERS[decimal].fullmatch(cell) is not None


def _number(cell: str, decimal: str) -> float:
    """Return the finite number in a cell, else nan."""
    value = float(cell.replace(decimal, ".").replace("−", "-")) if _is_number(cell, decimal) else math.nan
    return value if math.isfinite(value) else math.nan


def _default_names(n_columns: int) -> list[str]:
    return [*(f"x{column}" for column in range(1, n_columns)), "label"]


def _clean_names(header: list[str]) -> list[str]:
    """Return names as plain text of one line, cut, never empty and never a number, each once."""
    plain = ["".join(letter if letter.isprintable() else " " for letter in cell[:1_000]) for cell in header]
    words = (" ".join(cell.removeprefix("#").split()) for cell in plain)
    named = [
        f"column {name or column}" if not name or _is_number(name) else name for column, name in enumerate(words, 1)
    ]
    return short_names(named)
