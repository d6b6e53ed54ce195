from gui.panels.checks import CHANGED, INTERRUPTED, ChecksPanel
from gui.theme import DARK, LIGHT


def check(panel, qtbot):
    panel.run()
    qtbot.waitUntil(lambda: panel.table.rowCount() > 0)


def test_the_verdict_takes_one_line_of_a_low_panel(shown, qtbot):
    panel = shown(ChecksPanel, width=430, height=110)
    check(panel, qtbot)
    assert panel.verdict.height() < 2 * panel.verdict.fontMetrics().lineSpacing()
    assert panel.table.height() >= 50
    assert "agree" in panel.verdict.toolTip()


def test_the_ticks_follow_the_theme(shown, qtbot):
    panel = shown(ChecksPanel)
    panel.set_colors(LIGHT)
    check(panel, qtbot)
    panel.set_colors(DARK)
    assert panel.table.item(0, 0).foreground().color().name().upper() == DARK.positive


def cells(panel, column=0):
    return [panel.table.item(row, column).text() for row in range(panel.table.rowCount())]


def test_the_rows_are_outdated_when_the_text_has_other_numbers(shown, qtbot, session):
    panel = shown(ChecksPanel)
    captions = []
    panel.caption_changed.connect(captions.append)
    check(panel, qtbot)
    before = cells(panel, 2)
    session.edit("text", expression={"text": session.document.expression.text.replace("-3.0", "-2.0")})
    qtbot.waitUntil(lambda: not panel.table.isEnabled())
    assert panel.verdict.text() == CHANGED
    assert captions[-1] == "outdated"
    assert cells(panel, 2) == before
    panel.run()
    qtbot.waitUntil(panel.table.isEnabled)
    assert cells(panel, 2) != before
    assert captions[-1] == "✓ all agree"


def test_a_training_step_outdates_the_check_of_the_network(shown, qtbot, session):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.graph.busy and session.graph.graph_view.root is not None)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    assert panel.table.isEnabled()
    session.train("step")
    qtbot.waitUntil(lambda: not panel.table.isEnabled())
    assert panel.verdict.text() == CHANGED


def test_a_check_that_training_interrupts_says_so_and_shows_no_mixed_rows(shown, qtbot, session, monkeypatch):
    monkeypatch.setattr("gui.panels.checks.SLICE_SECONDS", 0.0)
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.graph.busy and session.graph.graph_view.root is not None)
    panel = shown(ChecksPanel)
    panel.run()
    assert panel._checks is not None
    panel._slices.stop()
    session.train("step")
    qtbot.waitUntil(lambda: panel._checks is None)
    assert panel.verdict.text() == INTERRUPTED
    assert panel.table.rowCount() == 0


def test_steps_of_the_walk_and_groups_leave_the_check_as_it_is(shown, qtbot, session):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.graph.busy and session.graph.graph_view.root is not None)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    session.graph.set_position(3)
    session.graph.toggle_group("group:L1N1")
    qtbot.waitUntil(lambda: "L1N1.w1" in session.graph.picture.boxes)
    assert panel.table.isEnabled()
    row = cells(panel, 1).index("L1N1.w1")
    panel._select(row, 0)
    assert session.selection == "L1N1.w1"


def test_a_hidden_panel_compares_when_it_is_seen(shown, qtbot, session, monkeypatch):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.graph.busy and session.graph.graph_view.root is not None)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    panel.hide()
    looked = []
    monkeypatch.setattr("gui.panels.checks.np.array_equal", lambda a, b: looked.append(1) or a == b)
    session.train("step")
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.snapshot.step == 1)
    assert looked == []
    panel.show()
    assert looked
    assert not panel.table.isEnabled()


def test_what_is_undefined_is_called_so(shown, qtbot, session):
    session.edit("text", expression={"text": "a = 0.0\nb = log(a)\nc = b * 2\n"})
    panel = shown(ChecksPanel, width=700)
    check(panel, qtbot)
    numbers = {text for column in (2, 3, 4) for text in cells(panel, column)}
    assert "nan" not in numbers
    assert "undefined" in numbers
    for row, central in enumerate(cells(panel, 3)):
        if central == "undefined":
            assert cells(panel, 5)[row] == "–"
            assert cells(panel, 6)[row] != ""


def test_what_is_undefined_has_neither_tick_nor_digits(shown, qtbot):
    panel = shown(ChecksPanel)
    panel.session.edit("program", expression={"text": "x = 0.0\ny = sqrt(x)"})
    check(panel, qtbot)
    texts = [[panel.table.item(row, column).text() for column in range(7)] for row in range(2)]
    assert texts[0] == ["–", "x", "∞", texts[0][3], "–", "–", "undefined: sqrt is defined for numbers from 0 up"]
    assert texts[1][0] == "✓"
    assert panel.verdict.toolTip().startswith("1 of 2 gradients agrees, 1 is undefined")
