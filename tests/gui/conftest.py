"""A session of its own for every test, the graph panel on it, and the real window."""

import gc
import sys
from copy import deepcopy
from functools import cache, partial

import pytest

from engine.document.document import FIRST_PROGRAM
from engine.language import evaluate
from gui.main_window import MainWindow
from gui.panels.graph.graph import GraphPanel
from gui.session import Session
from gui.session.programs import Programs
from gui.system_theme import system_theme
from gui.theme import LIGHT, make_palette, set_text_size, style_sheet, text_size
from tests.gui.reuse import SharedWindow, looking_sooner, renew


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What opens the window takes half a second: `make test-fast` does a few of these tests, those marked smoke."""
    for item in items:
        opens = not {"make_window", "module_window"}.isdisjoint(getattr(item, "fixturenames", ()))
        if opens and item.get_closest_marker("smoke") is None:
            item.add_marker("slow")


@pytest.fixture(autouse=True, scope="module")
def collected_in_this_thread_only():
    """As beside a user: where a thread collects objects of Qt, it and the window may wait for one another for ever."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def collected_after_each_test(collected_in_this_thread_only):
    """Collect what the test has lost, and give the application its first size of text again."""
    yield
    if text_size() != 100:
        set_text_size(100)
    gc.collect(1)


@pytest.fixture(autouse=True, scope="module")
def sooner():
    """Who looks again and again whether something has happened looks sooner than beside a user."""
    with looking_sooner():
        yield


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
        panel.resize(width, height)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    return show


@pytest.fixture
def make_window(qtbot):
    """Makes the window on a session of its own and waits until it is on the screen; it asks nothing when it closes.

    It opens in the workspace that shows program and network, where a test does not choose another one.
    """
    made = []

    def make(document=None, *, programs=None, size=None, **options):
        session = Session(document, programs or Programs(evaluate_the_first_once))
        window = MainWindow(session, **{"theme": "light", "workspace": "both", **options})
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


@pytest.fixture(scope="module")
def module_window(qapp, sooner, nothing_left_by_the_module):
    """(window, its state and arrangement as it opens) for the tests of a file that take `reused_window`."""
    shared = SharedWindow(partial(Programs, evaluate_the_first_once))
    yield shared.window, *shared.first
    shared.close()


@pytest.fixture
def unexpected(monkeypatch):
    """The exceptions that nobody expected."""
    found = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(error))
    return found


@pytest.fixture
def reused_window(module_window, qtbot):
    """The window as it opens, for tests that do not close it: each leaves it to the next as New leaves it.

    To make it so takes a fifth of what a window takes; that it is so is looked at after each test.
    """
    window, *first = module_window
    yield window
    renew(window, qtbot, *first)
