"""A session of its own for every test, the graph panel on it, and the real window."""

from copy import deepcopy
from functools import cache

import pytest

from engine.document.document import FIRST_PROGRAM
from engine.language import evaluate
from gui import jobs
from gui.main_window import MainWindow
from gui.panels.graph.graph import GraphPanel
from gui.panels.planes import boundary
from gui.panels.program import editor
from gui.session import Session, run
from gui.session.programs import Programs
from gui.system_theme import system_theme
from gui.theme import LIGHT, make_palette, style_sheet


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What opens the window takes half a second: `make test-fast` does a few of these tests, those marked smoke."""
    for item in items:
        if "make_window" in getattr(item, "fixturenames", ()) and item.get_closest_marker("smoke") is None:
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def sooner(monkeypatch):
    """Who looks again and again whether something has happened looks sooner than beside a user."""
    monkeypatch.setattr(jobs, "POLL_MILLISECONDS", 2)
    monkeypatch.setattr(jobs, "IDLE_SECONDS", 0.002)
    monkeypatch.setattr(run, "POLL_MILLISECONDS", 4)
    monkeypatch.setattr(run, "FIRST_SPEED", None)
    monkeypatch.setattr(boundary, "RESIZE_MILLISECONDS", 10)
    monkeypatch.setattr(editor, "DEBOUNCE_MILLISECONDS", 20)


@cache
def _first_evaluation():
    return evaluate(FIRST_PROGRAM)


def evaluate_the_first_once(text, *, limits=None, record=False, **others):
    """As the sandbox does it; the program that every session begins with is run once, and handed out as copies."""
    if text == FIRST_PROGRAM and limits is None and not record:
        return deepcopy(_first_evaluation())
    return evaluate(text, limits=limits, record=record, **others)


@pytest.fixture
def session(qapp):
    session = Session(programs=Programs(evaluate_the_first_once))
    yield session
    session.close()
    session.discard_changes()


@pytest.fixture
def panel(session, qtbot):
    panel = GraphPanel(session)
    system_theme().set_palette(make_palette(LIGHT))
    panel.setStyleSheet(style_sheet())
    qtbot.addWidget(panel)
    panel.resize(700, 600)
    panel.show()
    return panel


@pytest.fixture
def shown(qtbot, session):
    """Makes a panel on the session, in a window of the size of a narrow dock."""

    def show(kind, width=300, height=320):
        panel = kind(session)
        qtbot.addWidget(panel)
        panel.set_colors(LIGHT)
        panel.resize(width, height)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return show


@pytest.fixture
def make_window(qtbot):
    """Makes the window on a session of its own and waits until it is on the screen; it asks nothing when it closes."""
    made = []

    def make(document=None, *, programs=None, size=None, **options):
        session = Session(document, programs or Programs(evaluate_the_first_once))
        window = MainWindow(session, **{"theme": "light", **options})
        qtbot.addWidget(window)
        if size is not None:
            window.resize(*size)
        window.show()
        qtbot.waitExposed(window)
        made.append(window)
        return window

    yield make
    for window in made:
        window.session.discard_changes()
        window.close()


@pytest.fixture
def window(make_window):
    """The window as it opens."""
    return make_window()
