from dataclasses import replace

import pytest


@pytest.fixture
def report(session):
    """Tells the panels of a progress of training that differs from the last one in some fields."""
    return lambda **changes: session.take_report(replace(session.newest, **changes))
