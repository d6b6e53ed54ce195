"""What is opened runs in the sandbox only, the network is not used, and names in exports are names."""

import pytest

from tests.reliability import escaping, isolation


@pytest.mark.long
def test_files_of_every_kind_run_nothing_outside_the_sandbox_and_nothing_reaches_the_network():
    assert isolation.findings()[1] == []


@pytest.mark.long
def test_a_hostile_name_is_only_a_name_in_every_format(qapp):
    assert escaping.findings()[1] == []
