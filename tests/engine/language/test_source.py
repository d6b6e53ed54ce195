"""The text of a program: its lines, and what its parser says."""

import subprocess
import sys
from pathlib import Path

from engine.language.source import line_starts, lines_of, offsets, parse

ROOT = Path(__file__).parents[3]


def test_lines_are_those_of_the_parser():
    text = "a = 1\r\nb = '\x0c\x1c\u2028'\rc = 3\n\x0cd = 4\n"
    lines = lines_of(text)
    assert lines == ["a = 1", "b = '\x0c\x1c\u2028'", "c = 3", "\x0cd = 4", ""]
    assert [text[start] for start in line_starts(text)[:-1]] == ["a", "b", "c", "\x0c"]
    offset = offsets(text)
    for node in parse(text).body:
        assert lines[node.lineno - 1][node.col_offset] == text[offset(node.lineno, node.col_offset)]


def test_what_the_parser_remarks_on_a_text_is_not_printed():
    program = r"from engine.language.source import parse; assert parse('x = 1if 1 else 2; y = \"\\d\"') is not None"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
