"""Every scene of the tour can be set up, from the moment that its entry exists."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from gui.main_window import MainWindow
from gui.session import Session
from gui.tour import SCENES, SIZES, settle

ROOT = Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.parametrize("name", SCENES)
def test_every_scene_shows_something_of_its_own(qtbot, name):
    window, errors = MainWindow(Session(), theme="light"), []
    qtbot.addWidget(window)
    window.show()
    settle(window)
    before = window.grab().toImage()
    window.session.message_posted.connect(lambda text, kind: errors.append(text) if kind == "error" else None)
    SCENES[name](window)
    settle(window)
    assert window.grab().toImage() != before and errors == []
    window.session.discard_changes()
    window.close()


ONE_SCENE = """
import sys
from pathlib import Path
from gui import tour

tour.SCENES = {"expression": tour.SCENES["expression"]}
for path in tour.make_tour(Path(sys.argv[1])):
    print(path.name)
"""


@pytest.mark.long
def test_the_tour_has_a_picture_of_every_scene_in_both_sizes_and_themes(tmp_path):
    """In a process of its own: the screen that is drawn on in memory is as large as Qt was first told."""
    folder, environment = tmp_path / "new", {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", ONE_SCENE, str(folder)], env=environment, capture_output=True, text=True
    )
    wanted = {
        f"expression_{name}_{theme}.png": size.toTuple() for name, size in SIZES.items() for theme in ("light", "dark")
    }
    assert ended.stdout.split() == list(wanted), ended.stderr
    assert {name: QImage(str(folder / name)).size().toTuple() for name in wanted} == wanted
