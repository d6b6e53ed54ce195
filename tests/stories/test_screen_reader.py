"""The window as a screen reader finds it, over AT-SPI: on a display and a bus of its own, read by another process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
SYSTEM_PYTHON = "/usr/bin/python3"


def _why_not() -> str:
    missing = [name for name in ("Xvfb", "dbus-run-session") if shutil.which(name) is None]
    if missing or not any(map(os.path.exists, LAUNCHERS)):
        return f"needs {' and '.join(missing) or 'at-spi2-core'}"
    found = subprocess.run([SYSTEM_PYTHON, "-c", "import pyatspi"], capture_output=True, check=False)
    return "" if found.returncode == 0 else "needs pyatspi in the system's Python"


WHY_NOT = _why_not() if sys.platform == "linux" else "AT-SPI is of Linux"
pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]


@pytest.fixture
def read(tmp_path):
    """Runs a reader beside the program, and returns what it prints, and what the program prints."""

    def run(app, reader, *, seconds=150):
        launcher = next(filter(os.path.exists, LAUNCHERS))
        (tmp_path / "run").mkdir(mode=0o700)
        script = f"""
        Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp 3>display 2>/dev/null & X=$!
        while [ ! -s display ]; do sleep 0.1; done
        export DISPLAY=:$(cat display)
        {launcher} --launch-immediately 2>/dev/null & BUS=$!
        "$@" >app.txt 2>&1 & APP=$!
        {SYSTEM_PYTHON} {HERE / "screen_reader.py"} {reader} $APP; CODE=$?
        [ $CODE = 0 ] && [ {reader} = hammer ] && wait $APP
        kill -0 $APP 2>/dev/null && kill $APP
        kill $BUS $X; exit $CODE
        """
        environment = os.environ | {
            "QT_QPA_PLATFORM": "xcb", "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "XDG_RUNTIME_DIR": str(tmp_path / "run"), "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        done = subprocess.run(
            ["dbus-run-session", "--", "bash", "-c", script, "bash", *app],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip
        printed = (tmp_path / "app.txt").read_text(errors="replace")
        assert done.returncode == 0, done.stdout + done.stderr[-2000:] + printed[-2000:]
        return json.loads(done.stdout.splitlines()[-1]), printed

    return run


def test_a_screen_reader_finds_every_node_and_every_control_has_a_name(read):
    found, _printed = read([sys.executable, str(ROOT / "main.py"), "--lesson", "3"], "walk")
    assert [node.partition(",")[0] for node in found["nodes"]] == ["a", "b", "e", "c", "d", "f", "L"]
    assert "data −6.0000" in found["nodes"][2] and "product of a and b" in found["nodes"][2]
    assert found["unnamed"] == []
    assert found["controls"] > 20


def test_edits_and_windows_that_close_leave_nothing_behind_for_a_reader(read):
    found, printed = read([sys.executable, str(HERE / "edited_all_the_time.py"), "200"], "hammer", seconds=280)
    assert "done" in printed.splitlines(), printed[-3000:]
    assert found["nodes"] > 100
