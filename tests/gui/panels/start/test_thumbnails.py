"""Pictures of examples: there is one for each, and it shows what the example is about."""

import dataclasses

import pytest
from PySide6.QtCore import QSize

from engine.examples.examples import examples
from gui.panels.start.thumbnails import picture_of_example
from gui.theme import DARK, LIGHT

ROOM = QSize(240, 104)
BY_NAME = {example.name: example for example in examples()}
KINDS = {
    "a graph": "A13",
    "a program without one small graph": "2_with_the_built_in_value/06_xor",
    "data of two inputs": "A26",
    "layers": "A24",
}


@pytest.mark.parametrize("name", KINDS.values(), ids=KINDS)
def test_a_picture_fits_and_has_the_colours_of_its_theme(qapp, name):
    pictures = [picture_of_example(BY_NAME[name], colors, ROOM) for colors in (LIGHT, DARK)]
    for picture in pictures:
        assert 0 < picture.width() <= ROOM.width() and 0 < picture.height() <= ROOM.height()
    assert pictures[0] != pictures[1]


def test_a_program_that_fails_is_shown_by_its_lines(qapp):
    sections = {"expression": {"text": "a = 1.0\nb = a / nothing\n"}}
    broken = dataclasses.replace(BY_NAME["A5"], sections=sections)
    assert picture_of_example(broken, LIGHT, ROOM).size() == ROOM
