"""Before every test: no screen, no settings of the user, no chance; after it: nothing may be left behind."""

import gc
import importlib.util
import os
import signal
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
import shiboken6
from pytestqt.qtbot import QtBot

from engine.file_access import write_atomically
from engine.language.machine_code import cache_folder
from tests.leftovers import Leftovers

pytest_plugins = ("pytester",)

PATIENCE_MILLISECONDS = 180_000
"""How long a condition is waited for at least: on a busy machine all takes its time, and only a fault takes so long."""

gc.set_threshold(50_000, 10, 10)
"""The program itself collects garbage only between two events; to look for it after every 700 objects took a tenth of
what the tests take."""

for _name in ("SIGINT", "SIGHUP"):  # a shell that starts tests in the background, or nohup, has them ignored
    if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, _name), signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)

_home = tempfile.TemporaryDirectory(prefix="gradstep-tests-")

os.environ["GRADSTEP_CACHE"] = str(cache_folder())  # the user's own, so that no worker compiles Python again
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["HOME"] = _home.name
for _kind in ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR"):
    _folder = Path(_home.name, _kind.lower())
    _folder.mkdir(mode=0o700)  # Qt warns about a runtime folder that others can read
    os.environ[f"XDG_{_kind}"] = str(_folder)

# Sizes on the screen depend on the fonts that a machine happens to have. Where DejaVu is there, it alone is used; its
# width stands for the other faces that people have.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <selectfont><acceptfont><glob>*/dejavu/*</glob></acceptfont><rejectfont><glob>*/fonts/*.*</glob></rejectfont></selectfont>
</fontconfig>
"""
if any(Path("/usr/share/fonts").glob("**/dejavu/DejaVuSansMono.ttf")):
    _fonts = Path(__file__).resolve().parents[1] / "build" / "fonts-for-tests.conf"
    _fonts.parent.mkdir(exist_ok=True)
    write_atomically(_fonts, FONTS.encode())
    os.environ["FONTCONFIG_FILE"] = str(_fonts)


def pytest_report_header() -> str:
    """Say which second opinion there is."""
    present = importlib.util.find_spec("torch") is not None
    return "PyTorch: installed, compared live" if present else "PyTorch: not installed, compared by its stored figures"


def pytest_collection_finish() -> None:
    """What collecting made stays: the collector of garbage need not look at it again after every test."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def few_objects_to_look_at() -> Iterator[None]:
    """After a module nothing of it is garbage any more, and what is left stays: later tests end sooner."""
    yield
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Remove the home folder the tests ran in."""
    _home.cleanup()


def pytest_sessionfinish() -> None:
    """Save what coverage.py has measured, if it does, and empty the clipboard.

    pytest-xdist ends workers that take longer than 10 s to exit, with all that they measured. Qt's offscreen platform
    crashes at exit when there is data from Python in the clipboard.
    """
    coverage = sys.modules.get("coverage")
    if coverage is not None and (measuring := coverage.Coverage.current()) is not None:
        measuring.save()
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        gui.QGuiApplication.clipboard().clear()


class PatientBot(QtBot):
    """Waits for conditions, never for times: no test depends on how busy the machine is."""

    def __init__(self, request):
        super().__init__(request)
        self.added = []

    def addWidget(self, widget, **options):
        """It is closed and deleted after the test."""
        super().addWidget(widget, **options)
        self.added.append(weakref.ref(widget))

    def wait(self, milliseconds):
        """Between two looks at a condition: sooner than pytest-qt, which waits for 10 ms."""
        super().wait(min(milliseconds, 2))

    def waitUntil(self, callback, *, timeout=PATIENCE_MILLISECONDS):
        """Until it says True, or asserts nothing false any more."""
        super().waitUntil(callback, timeout=max(timeout, PATIENCE_MILLISECONDS))

    def waitSignal(self, signal, *, timeout=PATIENCE_MILLISECONDS, **options):
        """Until the signal comes."""
        patience = max(timeout, PATIENCE_MILLISECONDS) if timeout else 0  # not to wait at all, for `assertNotEmitted`
        return super().waitSignal(signal, timeout=patience, **options)

    def waitExposed(self, widget, *, timeout=PATIENCE_MILLISECONDS):
        """Until the window is on the screen."""
        return super().waitExposed(widget, timeout=max(timeout, PATIENCE_MILLISECONDS))


@pytest.fixture
def qtbot(qapp, request):
    """pytest-qt's, with patience.

    What pytest-qt has closed is deleted by its Python object. After Qt's own deletion PySide 6.11 keeps the connections
    of its children to its methods, and looks through all it keeps whenever a widget is deleted: a window took 85 ms
    instead of 11 after a thousand tests.
    """
    bot = PatientBot(request)
    yield bot
    for widget in (reference() for reference in bot.added):
        if widget is not None and shiboken6.isValid(widget):
            shiboken6.delete(widget)


def watched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that passed but leaves a thread, an active timer, a dialog or another top-level widget behind.

    `qtbot.addWidget` closes and deletes what it was given before this looks. After a test that failed nothing is
    reported: its traceback holds its objects.
    """
    leftovers = Leftovers(monkeypatch)
    failed_before, was_enabled = request.session.testsfailed, gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()  # main() turns the collector off for the life of the process
    if request.session.testsfailed == failed_before and (found := leftovers.found()):
        pytest.fail("left behind:\n  " + "\n  ".join(found), pytrace=False)


@pytest.fixture(scope="module")
def nothing_left_by_the_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """For what tests of a file share: nothing may be left of it once the last of them is through."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield from watched(request, monkeypatch)


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Watches every test; where it shares something with others, all of them together."""
    if "nothing_left_by_the_module" in request.fixturenames:
        yield
    else:
        yield from watched(request, monkeypatch)
