"""The judge is right on random rules, right and wrong, in engines of every style."""

import pytest

from tests.engine.language.own_engine.engine_styles import STYLES
from tests.reliability.judge import misjudged_rules


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_right_rules_are_called_right_and_wrong_ones_wrong(style):
    assert misjudged_rules(style, 0, 4) == []


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
def test_hundreds_of_rules_of_all_styles_are_judged_as_they_are(style):
    assert [found for seed in range(1, 6) for found in misjudged_rules(style, seed)] == []
