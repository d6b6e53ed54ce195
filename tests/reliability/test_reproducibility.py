"""Two processes make the same files of the same input."""

import pytest

from tests.reliability.reproducibility import differences

SOME = (
    "train moons.gradstep --steps 60 --log losses.csv -o trained.gradstep",
    "export neuron.py -o neuron.svg",
    "code trained.gradstep --target numpy -o trained.py",
)


@pytest.mark.long
def test_trained_sessions_and_exports_are_equal_to_the_byte_in_another_process():
    count, found = differences(SOME)
    assert count >= 2 * len(SOME)
    assert found == []
