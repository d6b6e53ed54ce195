from dataclasses import replace

import pytest

from gui.panels.program.expression import ExpressionPanel
from gui.theme import LIGHT


@pytest.fixture
def report(session):
    """Tells the panels of a progress of training that differs from the last one in some fields."""
    return lambda **changes: session.training.take_report(replace(session.newest, **changes))


@pytest.fixture
def program_panel(shown, session):
    """The panel with the editor."""
    panel = shown(ExpressionPanel)
    panel.set_colors(LIGHT)
    panel.activateWindow()
    return panel


@pytest.fixture
def told(session):
    """What is told to the user, line by line."""
    lines = []
    session.message_posted.connect(lambda text, _kind: lines.append(text))
    return lines
