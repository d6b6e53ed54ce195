"""Rules of random operations, right and wrong, in engines of many styles: each is judged right."""

import pytest

from tests.engine.language.own_engine.engine_styles import STYLES, misjudged


@pytest.mark.slow
@pytest.mark.parametrize("name", STYLES)
def test_random_rules_are_judged_right(name):
    assert misjudged(name, 0, 4) == []
