"""A session of its own for every test, and the graph panel on it."""

import pytest

from gui.panels.graph import GraphPanel
from gui.session import Session
from gui.theme import LIGHT, style_sheet


@pytest.fixture
def session(qapp):
    session = Session()
    yield session
    session.close()
    session.discard_changes()


@pytest.fixture
def panel(session, qtbot):
    panel = GraphPanel(session)
    panel.setStyleSheet(style_sheet(LIGHT))
    qtbot.addWidget(panel)
    panel.resize(700, 600)
    panel.show()
    return panel
