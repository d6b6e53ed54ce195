from gui.panels.checks import ChecksPanel
from gui.theme import DARK, LIGHT


def check(panel, qtbot):
    panel.run()
    qtbot.waitUntil(lambda: panel._table.rowCount() > 0)


def test_the_verdict_takes_one_line_of_a_low_panel(shown, qtbot):
    panel = shown(ChecksPanel, width=430, height=110)
    check(panel, qtbot)
    assert panel._verdict.height() < 2 * panel._verdict.fontMetrics().lineSpacing()
    assert panel._table.height() >= 50
    assert "agree" in panel._verdict.toolTip()


def test_the_ticks_follow_the_theme(shown, qtbot):
    panel = shown(ChecksPanel)
    panel.set_colors(LIGHT)
    check(panel, qtbot)
    panel.set_colors(DARK)
    assert panel._table.item(0, 0).foreground().color().name().upper() == DARK.positive
