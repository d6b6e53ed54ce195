"""Places in a program are those at which the editor shows them."""

import pytest
from PySide6.QtGui import QTextDocument

from gui.panels.program.editor_marks import offset_of, place_of

TEXTS = [
    "",
    "a\nbb\n\nc",
    "a = 1\r\nb = 2\r\n",
    "a\rbb\r",
    "# one\n\x0c\nb = 2\n",
    "a\x1cb\x85c\u2028d\nx = '\x0b'\ny",
    "a\u2029b\n\u2029c",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_place_is_where_the_editor_has_it(text):
    shown = QTextDocument(text)
    for number in range(shown.blockCount()):
        block = shown.findBlockByNumber(number)
        for column, letter in enumerate(block.text(), 1):
            offset = offset_of(text, (number + 1, column))
            assert text[offset] == letter and place_of(text, offset) == (number + 1, column)
    assert offset_of(text, (shown.blockCount() + 1, 1)) == len(text)
