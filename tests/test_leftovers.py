"""The settings of the repository fail a test that leaves something behind, or that Qt warns about."""

import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).resolve()

LITTERING = """
import threading
import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QWidget

kept = []

def test_widget(qapp):
    kept.append(QWidget())

def test_timer(qapp):
    kept.append(QTimer())
    kept[-1].start(60_000)

def test_clean(qtbot):
    qtbot.addWidget(QWidget())

def test_warning(qapp):
    qWarning("something is odd")

def test_exception_in_a_thread():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()

def test_exception_in_a_destructor():
    class Broken:
        def __del__(self):
            raise ValueError("in a destructor")
    Broken()
"""


@pytest.mark.slow
def test_the_settings_of_the_repository_fail_a_test_that_litters(pytester, monkeypatch):
    """A run of its own, with this repository's conftest.py and pyproject.toml."""
    root = HERE.parent.parent
    monkeypatch.setenv("PYTHONPATH", str(root))
    shutil.copy(root / "pyproject.toml", pytester.path)
    pytester.mkpydir("tests").joinpath("conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    shutil.copy(root / "tests" / "leftovers.py", pytester.path / "tests")
    (pytester.path / "tests" / "test_littering.py").write_text(LITTERING)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=2, failed=3)
    result.stdout.fnmatch_lines_random(
        [
            "*window QWidget 'without a name' still exists*",
            "*timer '' is still active, started at *test_littering.py:*",
            "*FAILED*test_warning*",
            "*FAILED*test_exception_in_a_thread*",
            "*FAILED*test_exception_in_a_destructor*",
        ]
    )
