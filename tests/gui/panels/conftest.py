import pytest

from engine.document import Document
from gui.session import Session


@pytest.fixture
def session(qapp):
    session = Session(Document())
    yield session
    session.close()
    session.undo_stack.setClean()


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
