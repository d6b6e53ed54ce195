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
TEXT_SIZE_STORY = """
from gui.app import make_application
from gui.arrangement import WORKSPACES, is_low
from gui.main_window import MainWindow
from gui.session import Session

application = make_application()
window = MainWindow(Session(), theme="light", workspace="train")
window.session.edit("data", data={"test_share": 0.3})
window.resize(1280, 690)
window.show()
for workspace in WORKSPACES:
    window.show_workspace(workspace)
    window.arrange()
    shown = [dock for dock in window.docks.values() if not dock.isHidden()]
    for dock in shown:  # panels behind tabs need room, too, once they were seen
        dock.raise_()
        assert dock.panel is not None
        application.processEvents()
    places = {}  # of the two arrangements that a workspace has, for windows that are low for their text and for others
    for percent in (110, 150, 200, 125, 80, 200, 100):
        window.set_text_size(percent)
        application.processEvents()
        found = {dock: set(window.tabifiedDockWidgets(dock)) for dock in shown}
        assert places.setdefault(is_low(window), found) == found, f"{workspace} at {percent} %"
        assert (window.width(), window.height()) == (1280, 690), f"{workspace} at {percent} %"
window.session.discard_changes()
window.close()
"""


@pytest.mark.long
def test_on_a_screen_of_1280x720_no_size_of_text_moves_a_panel_behind_another_one(tmp_path):
    screen = {"name": "laptop", "x": 0, "y": 0, "width": 1280, "height": 720}
    screen |= {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1.0}
    screens = tmp_path / "screens.json"
    screens.write_text(json.dumps({"screens": [screen]}))
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={screens}", "PYTHONPATH": str(ROOT)}
    story = [sys.executable, "-c", TEXT_SIZE_STORY]
    ended = subprocess.run(story, env=environment, capture_output=True, text=True, timeout=400)
    assert ended.returncode == 0, ended.stderr


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
