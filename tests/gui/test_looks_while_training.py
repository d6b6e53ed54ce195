"""A story: somebody tries every look while a network trains; the training goes on, and nothing warns or fails."""

import itertools

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from engine.network.run.progress import RunState
from gui.scheduling import idle_tasks
from gui.settings import SETTINGS
from gui.theme import colors_of


@pytest.mark.long
def test_every_look_can_be_chosen_while_a_network_trains(make_window, qtbot, unexpected):
    window = make_window(workspace="train", size=(1024, 700))
    window.action("run").trigger()
    width = window.width()
    looks = itertools.product((100, 150), ("light", "dark"), SETTINGS["contrast"].choices, SETTINGS["palette"].choices)
    for size, theme, contrast, palette in looks:
        for name, value in (("text size", size), ("theme", theme), ("contrast", contrast), ("palette", palette)):
            window.settings.set(name, value)
        step = window.session.newest.snapshot.step if window.session.newest is not None else 0
        qtbot.waitUntil(
            lambda step=step: window.session.newest is not None and window.session.newest.snapshot.step > step
        )
        wanted = colors_of(theme, "high" if contrast == "high" else "normal", palette)
        assert window.colors is wanted and window.graph_panel.colors is wanted
        seen = [dock for dock in window.docks.values() if not dock.visibleRegion().isEmpty()]
        qtbot.waitUntil(lambda seen=seen: all(dock.is_made for dock in seen))
        assert seen and all(dock.panel.colors is wanted for dock in seen)
        bar = window.main_bar
        assert bar.grab().toImage().pixelColor(QPoint(1, bar.height() // 2)) == QColor(wanted.panel)
        assert window.width() == width
    assert window.session.run_state is RunState.RUNNING and window.session.error is None
    window.action("run").trigger()
    for name in SETTINGS:
        window.settings.reset(name)
    qtbot.waitUntil(lambda: not idle_tasks().busy and window.session.run_state is not RunState.RUNNING)
    assert unexpected == []
