"""On a small screen with large letters the window stays on it, with every panel within reach."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TITLE_BAR = 16
"""What a window manager puts above the window, as tall as on a screen of 200 %."""
STORY = """
from PySide6.QtCore import QSettings
from gui.app import make_application
from gui.arrangement import PANELS
from gui.main_window import MainWindow
from gui.session import Session

application = make_application()
window = MainWindow(Session(), theme="light", workspace="both")
window.show()
application.processEvents()
for dock in window.docks.values():
    assert dock.panel is not None
application.processEvents()
room, least = window.screen().availableGeometry(), window.minimumSizeHint()
print(room.width(), room.height(), window.width(), window.height(), least.width(), least.height())
window.divergence.show()
application.processEvents()
print(window.divergence.isVisible(), window.height(), window.minimumSizeHint().height())
shown = [window.docks[name] for name, entry in PANELS.items() if entry.place("both") is not None]
print(all(dock.isVisible() or window.tabifiedDockWidgets(dock) for dock in shown))
window.session.discard_changes()
window.close()
"""


@pytest.mark.long
def test_at_two_hundred_percent_the_window_is_not_larger_than_the_screen(tmp_path):
    screen = {"name": "small", "x": 0, "y": 0, "width": 1366, "height": 768}
    screens = tmp_path / "screens.json"
    screens.write_text(json.dumps({"screens": [screen]}))
    platform = {"QT_QPA_PLATFORM": f"offscreen:configfile={screens}", "QT_SCALE_FACTOR": "2"}
    environment = {**os.environ, **platform, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", STORY], env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    sizes, with_a_bar, reachable = ended.stdout.splitlines()
    width, height, *across_and_down = map(int, sizes.split())
    assert (width, height) == (683, 384)
    assert reachable == "True"
    assert max(across_and_down[::2]) <= width
    assert max(across_and_down[1::2]) <= height
    seen, *heights = with_a_bar.split()
    assert seen == "True"
    assert max(map(int, heights)) <= height - TITLE_BAR
