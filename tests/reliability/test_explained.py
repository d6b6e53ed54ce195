"""Why? explains the number that stands in the box, which is the program's, at the end and after every step."""

import pytest

from tests.reliability.explained import BEGINNINGS, differences


@pytest.mark.slow
@pytest.mark.parametrize("style", BEGINNINGS)
def test_the_number_that_is_explained_is_the_one_in_the_box_and_in_the_program(style):
    assert [line for seed in range(20) for line in differences(seed, style)] == []


@pytest.mark.long
@pytest.mark.parametrize("style", BEGINNINGS)
def test_hundreds_of_programs_are_explained_with_their_numbers(style):
    assert [line for seed in range(20, 220) for line in differences(seed, style)] == []
