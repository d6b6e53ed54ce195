"""Arrays and single Values train alike."""

import pytest

from tests.reliability.training_paths import LIMIT, combinations, largest_difference


@pytest.mark.long
def test_arrays_and_single_values_train_alike_with_every_loss_optimizer_and_schedule():
    assert [each for each in combinations() if largest_difference(*each) > LIMIT] == []
