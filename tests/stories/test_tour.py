"""Every scene of the tour can be set up, from the moment that its entry exists."""

import pytest
from PySide6.QtGui import QImage

from gui import tour
from gui.main_window import MainWindow
from gui.session import Session
from gui.tour import SCENES, make_tour, settle


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_tour_has_a_picture_of_every_scene_in_both_sizes_and_themes(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(tour, "SCENES", {"expression": SCENES["expression"]})
    paths = list(make_tour(tmp_path / "new"))
    assert sorted(path.name for path in paths) == [
        f"expression_{size}_{theme}.png" for size in ("large", "small") for theme in ("dark", "light")
    ]
    assert not any(QImage(str(path)).isNull() for path in paths)
