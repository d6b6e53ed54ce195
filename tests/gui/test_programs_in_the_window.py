"""The window never waits for a program: with one that takes long everything goes on, and says what it waits for."""

import re

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog

from engine.document import Document, replace_section
from tests.gui.slow_programs import SLOW, slow_programs

FIGURES = """import matplotlib.pyplot as plt
for k in range(1, 6):
    plt.plot([0, k, k * k], label=f"learning rate 0.{k}")
plt.title("Losses")
plt.xlabel("step")
plt.legend()
plt.figure()
plt.plot([1, 2])
"""


@pytest.fixture
def window(make_window, qtbot):
    programs, slow = slow_programs()
    document = replace_section(Document(), "expression", text="a = 2.0\nb = a * 3\n")
    window = make_window(document, programs=programs)
    window.slow = slow
    qtbot.waitUntil(lambda: window.session.program.is_evaluated and not window.session.presenter.busy)
    return window


@pytest.fixture
def panel(window):
    return window.docks["ExpressionPanel"].panel


def type_text(panel, text):
    panel.editor.selectAll()
    panel.editor.insertPlainText(text)
    panel.editor.flush()


def end(window, qtbot):
    window.slow.let_go()
    qtbot.waitUntil(lambda: not window.session.program.busy)


def test_the_event_loop_goes_on_while_a_program_runs_and_stop_ends_it(window, panel, qtbot):
    ticks = []
    timer = QTimer(interval=0)
    timer.timeout.connect(lambda: ticks.append(window.session.program.is_slow))
    timer.start()
    type_text(panel, SLOW + "z = 1.0\n")
    qtbot.waitUntil(lambda: panel.run_line.stop.isVisible())
    assert ticks[0] is False
    qtbot.waitUntil(lambda: ticks.count(True) > 20)
    assert re.match(r"Running for \d+\.\d", panel.run_line.words.text())
    panel.run_line.stop.click()
    assert panel.run_line.again.isVisible() and not panel.run_line.stop.isVisible()
    assert re.match(r"The program was stopped after \d+\.\d", panel.message.text())
    panel.run_line.again.click()
    end(window, qtbot)
    timer.stop()
    assert "z" in window.session.presenter.readings and not panel.run_line.isVisible()


def test_the_time_of_the_last_run_goes_once_another_run_is_slow(window, panel, qtbot):
    assert re.fullmatch(r"ran in \d+ ms", panel.caption)
    type_text(panel, SLOW + "z = 1.0\n")
    qtbot.waitUntil(lambda: panel.run_line.stop.isVisible())
    assert panel.caption == ""
    end(window, qtbot)
    assert panel.caption.startswith("ran in")
    window.slow.hold()
    type_text(panel, SLOW + "z = 2.0\n")
    qtbot.waitUntil(lambda: panel.run_line.stop.isVisible())
    panel.run_line.stop.click()
    assert panel.caption == ""


def test_stop_says_which_line_printed_last(window, panel, qtbot):
    window.slow.printed = ((1, "first\n"), (7, "epoch 3\n"))
    type_text(panel, SLOW + "z = 1.0\n")
    qtbot.waitUntil(lambda: panel.run_line.stop.isVisible())
    panel.run_line.stop.click()
    assert "line 7" in panel.message.text().lower()


def test_a_plot_opens_to_a_readable_size_in_a_small_window(make_window, qtbot):
    document = replace_section(Document(), "expression", text=FIGURES)
    window = make_window(document, size=(1024, 700), workspace="understand")
    panel = window.docks["OutputPanel"].panel
    qtbot.waitUntil(lambda: panel.buttons["Plots"].isChecked() and panel.plots.turning.isVisible())
    box = panel.plots.axes[0].plot.box
    qtbot.waitUntil(lambda: box.height() > 110)
    area = panel.parentWidget()
    qtbot.waitUntil(lambda: panel.width() <= area.width())
    assert panel.plots.next.geometry().right() <= panel.plots.turning.width()
    assert window.docks["ExpressionPanel"].panel.editor.height() > 90
    window.resizeDocks([window.docks["OutputPanel"]], [170], Qt.Orientation.Vertical)  # what a user chose stays
    window.session.edit("more", expression={"text": FIGURES + "plt.figure()\nplt.plot([3, 1])\n"})
    qtbot.waitUntil(lambda: panel.plots.count.text().endswith("of 3"))
    assert window.docks["OutputPanel"].height() < 250


def test_a_quick_program_changes_no_message_before_it_is_known_what_came_of_it(window, panel, qtbot):
    type_text(panel, "a = tahn(2)")
    qtbot.waitUntil(lambda: "tanh" in panel.message.text())
    shown = []
    window.session.changed.connect(lambda _change: shown.append(panel.message.text()))
    type_text(panel, "a = tahn(3)")
    qtbot.waitUntil(lambda: window.session.program.is_evaluated)
    assert len(set(shown)) == 1


def test_a_slider_that_is_dragged_faster_than_the_program_runs_ends_at_its_last_number(window, panel, qtbot):
    type_text(panel, SLOW + "a = 2.0; b = 1.0\nc = a * b\n")
    end(window, qtbot)
    window.slow.hold()
    for position in (600, 700, 800, 1000):
        panel.sliders.by_key["a"].slider.setValue(position)
        panel.sliders.by_key["b"].slider.setValue(position)
    assert window.session.document.expression.text == SLOW + "a = 4.0; b = 4.0\nc = a * b\n"
    end(window, qtbot)
    assert window.session.presenter.readings["c"].data == "16.0000"


def test_an_export_waits_for_the_program_in_the_editor(window, panel, qtbot, tmp_path):
    type_text(panel, SLOW + "new = 1.0\nout = new * 2\n")
    path, exporter = tmp_path / "graph.txt", window.exporter
    exporter.save(path, lambda path: lambda report: exporter.snapshot() and write(path, window))
    assert exporter.busy and not path.exists()
    end(window, qtbot)
    qtbot.waitUntil(lambda: not exporter.busy)
    assert "new" in path.read_text()


def write(path, window):
    from gui.export.animation import Written

    path.write_text(",".join(window.session.presenter.readings))
    return Written(path)


def test_a_file_chosen_while_a_program_runs_gets_the_format_of_the_dialog_that_is_gone_by_then(
    window, panel, qtbot, tmp_path
):
    type_text(panel, SLOW + "z = 1.0\n")
    window.exporter.save_graph("json")
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "graph"))
    dialog.close()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None)
    end(window, qtbot)
    qtbot.waitUntil((tmp_path / "graph.json").exists)
    qtbot.waitUntil(lambda: not window.exporter.busy)


def test_an_export_that_waits_for_a_program_can_be_given_up(window, panel, qtbot, tmp_path):
    told = []
    window.session.message_posted.connect(lambda text, _kind: told.append(text))
    type_text(panel, SLOW + "new = 1.0\n")
    window.exporter.save(tmp_path / "a.txt", lambda path: lambda report: write(path, window))
    window.exporter.cancel()
    assert not window.exporter.busy and told == ["the export was cancelled"]
    window.exporter.save(tmp_path / "b.txt", lambda path: lambda report: write(path, window))
    window.session.program.stop()
    assert "b.txt was not exported: the program did not come to its end" in told
    assert not window.exporter.busy and not [*tmp_path.iterdir()]


def test_a_check_waits_for_the_program_in_the_editor(window, panel, qtbot):
    type_text(panel, SLOW + "new = 1.5\nout = new * 2\n")
    window.check_gradients()
    checks = window.docks["ChecksPanel"].panel
    assert "when the program has finished" in checks.verdict.text()
    end(window, qtbot)
    qtbot.waitUntil(lambda: bool(checks.model.rows))
    assert {check.label for check in checks.model.rows} >= {"new", "out"}


def test_a_fix_is_made_in_the_text_that_it_was_offered_for_only(window, panel, qtbot):
    type_text(panel, "a = tahn(2)")
    qtbot.waitUntil(lambda: bool(panel.fixes.fixes))
    [fix, *_] = panel.fixes.fixes
    panel.editor.selectAll()
    panel.editor.insertPlainText(SLOW + "a = 1.0\n")
    panel.apply_fix(fix)
    end(window, qtbot)
    assert window.session.document.expression.text == SLOW + "a = 1.0\n"


def test_a_program_is_stopped_and_run_again_by_one_key(window, panel, qtbot):
    action = window.action("run program")
    assert action.text() == "&Run the program again"
    type_text(panel, SLOW + "z = 1.0\n")
    assert action.text() == "&Stop the program"
    action.trigger()
    assert not window.session.program.busy and "was stopped" in panel.message.text()
    action.trigger()
    end(window, qtbot)
    assert "z" in window.session.presenter.readings
    assert not window.action("set up network").isEnabled()
