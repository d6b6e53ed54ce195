from dataclasses import replace

import pytest


@pytest.fixture
def shown(qtbot, session):
    """Makes a panel on the session, in a window of the size of a narrow dock."""

    def show(kind, width=300, height=320):
        panel = kind(session)
        qtbot.addWidget(panel)
        panel.resize(width, height)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return show


@pytest.fixture
def report(session):
    """Tells the panels of a progress of training that differs from the last one in some fields."""
    return lambda **changes: session.take_report(replace(session.newest, **changes))
