"""The real window, driven as a user drives it: typing, clicking, pressing keys."""

import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QToolButton

from gui.number_texts import count_text
from gui.panels.program.sliders import LeafSlider
from gui.scheduling import idle_tasks
from gui.theme import DARK
from tests.gui.menus import submenus
from tests.gui.training import LONG, train

README = "a = Value(-4.0)\nb = Value(2.0)\nc = a + b\nc += 1\nd = (a * b).relu() + b**3\nd += c\n"


@pytest.fixture
def window(reused_window):
    """Tests that close it make one of their own."""
    return reused_window


def panel(window, name):
    return window.docks[name].panel


def type_program(window, qtbot, text):
    editor = panel(window, "ExpressionPanel").editor
    editor.setFocus()
    editor.selectAll()
    with qtbot.waitSignal(editor.program_changed, timeout=2000):
        for line in text.splitlines():
            qtbot.keyClicks(editor, line)
            qtbot.keyClick(editor, Qt.Key.Key_Return)
    wait_for_layout(window, qtbot)


def wait_for_layout(window, qtbot):
    qtbot.waitUntil(lambda: not window.session.presenter.busy, timeout=5000)


def button(window, text):
    return next(b for b in window.findChildren(QToolButton) if b.text() == text)


def press(window, qtbot, name):
    """Clicks the tool bar's button of an action."""
    action = window.action(name)
    shown = next(b for b in window.findChildren(QToolButton) if b.defaultAction() is action)
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton)


@pytest.mark.smoke
def test_the_graph_appears_as_one_types_and_stays_where_a_mistake_is_said_at_its_place(window, qtbot):
    type_program(window, qtbot, "a = 2\nb = a*a + 1\n")
    assert {"a", "b"} <= set(window.session.presenter.picture.boxes)
    assert window.session.presenter.readings["b"].data == "5"
    assert window.session.presenter.readings["a"].grad == "+4.0000"
    before = set(window.session.presenter.picture.boxes)
    type_program(window, qtbot, "a = 2\nb = tahn(a)\n")
    message = panel(window, "ExpressionPanel").message.text()
    assert message.startswith("Line 2, column 5")
    assert "tanh" in message
    marks = panel(window, "ExpressionPanel").editor.extraSelections()
    assert "tahn" in [mark.cursor.selectedText() for mark in marks]
    assert set(window.session.presenter.picture.boxes) == before


def test_a_program_can_be_pasted_whole(window, qtbot):
    editor = panel(window, "ExpressionPanel").editor
    editor.selectAll()
    QApplication.clipboard().setText("from micrograd.engine import Value\n" + README + "d.backward()\nprint(a.grad)\n")
    with qtbot.waitSignal(editor.program_changed, timeout=2000):
        editor.paste()
    assert window.session.error is None
    assert window.session.presenter.graph_view.root.label.startswith("d")
    assert "".join(piece.text for piece in window.session.evaluation.output) == "1.0\n"


def test_undo_from_inside_the_editor_brings_the_text_back(window, qtbot):
    editor = panel(window, "ExpressionPanel").editor
    before = editor.toPlainText()
    type_program(window, qtbot, "a = 2\n")
    qtbot.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.toPlainText() == before
    assert "o" in window.session.presenter.picture.boxes


def test_a_slider_changes_text_data_and_gradients_in_one_undo_step(window, qtbot):
    slider = next(s for s in window.findChildren(LeafSlider) if s.name == "w1")
    before = window.session.presenter.readings["o"].data
    slider.slider.setSliderDown(True)
    for position in (520, 540, 700):
        slider.slider.setValue(position)
    slider.slider.setSliderDown(False)
    assert window.session.presenter.readings["o"].data != before
    assert "w1 = -3.0" not in panel(window, "ExpressionPanel").editor.toPlainText()
    assert len(window.session.undo_stack.steps) == 1
    window.action("undo").trigger()
    assert window.session.presenter.readings["o"].data == before


def test_stepping_by_button_says_each_contribution(window, qtbot):
    window.resize(1440, 870)
    type_program(window, qtbot, "a = 2.0\nb = 3.0\nc = a * b\n")
    qtbot.mouseClick(button(window, "|◀"), Qt.MouseButton.LeftButton)
    assert window.session.presenter.readings["c"].data_state == "unknown"
    words = []
    for _ in range(5):
        press(window, qtbot, "next")
        words.append(window.graph_panel.stepper.words.text().split("\n")[0])
    added = ["a.grad = 0 + 1 × 3 = 3", "b.grad = 0 + 1 × 2 = 2"]
    assert words == ["c = a × b = 2 × 3 = 6", "every grad = 0", "c.grad = 1", *added]
    press(window, qtbot, "back")
    assert window.session.presenter.readings["b"].grad_state == "zero"
    assert window.session.presenter.readings["a"].grad == "+3.0000"


def test_selecting_a_box_explains_its_gradient_and_asking_for_it_brings_the_panel_to_the_front(window, qtbot):
    window.session.select("w1")
    page = panel(window, "ExplainPanel").page
    qtbot.waitUntil(lambda: "w1.grad" in page.plain_text(), timeout=2000)
    assert "x1" in page.plain_text()
    window.docks["ChecksPanel"].raise_()
    window.graph_panel.explain("n")
    qtbot.waitUntil(lambda: not window.docks["ExplainPanel"].visibleRegion().isEmpty(), timeout=2000)
    qtbot.waitUntil(lambda: "n.grad" in page.plain_text(), timeout=2000)


def test_checking_gradients_ticks_every_node(window, qtbot):
    window.resize(1440, 870)
    window.show_workspace("understand")
    window.action("check").trigger()
    checks = panel(window, "ChecksPanel")
    qtbot.waitUntil(lambda: "agree" in checks.verdict.text())
    assert checks.model.data(checks.model.index(0, 0)) == "✓"


@pytest.mark.smoke
def test_running_trains_and_pausing_stops(window, qtbot):
    run = button(window, "▶ Train")
    press(window, qtbot, "run")
    assert window.action("run").text() == "❚❚ Pause" == run.text()
    qtbot.waitUntil(
        lambda: window.session.newest is not None and window.session.newest.snapshot.step > 20, timeout=5000
    )
    press(window, qtbot, "run")
    qtbot.waitUntil(lambda: window.session.newest.state != "running", timeout=1000)
    assert "step" in window.main_bar.readout.text()
    assert window.action("run").text() == "▶ Train" == run.text()


def test_a_phase_is_shown_on_the_canvas_and_in_words(window, qtbot):
    window.resize(1440, 870)
    for name in ("forward", "loss", "zero_grad", "backward", "update"):
        press(window, qtbot, "phase")
        qtbot.waitUntil(lambda name=name: window.graph_panel.stepper.words.text().startswith(name))
        wait_for_layout(window, qtbot)
        assert window.session.presenter.shows_network
    assert window.main_bar.readout.text().startswith("step 1 ")


def test_the_network_on_a_sample_opens_neuron_by_neuron_and_what_opens_comes_out_of_its_box(window, qtbot):
    qtbot.mouseClick(button(window, "Network"), Qt.MouseButton.LeftButton)
    wait_for_layout(window, qtbot)
    assert "group:L1N1" in window.session.presenter.picture.boxes
    window.graph_panel.canvas.group_toggled.emit("group:L1N1")
    wait_for_layout(window, qtbot)
    assert "L1N1.w1" in window.session.presenter.picture.boxes
    assert window.session.presenter.placement.came_from["L1N1.w1"] == "group:L1N1"
    assert set(window.graph_panel.canvas.picture.boxes) == set(window.session.presenter.picture.boxes)


def test_closing_while_training_ends_within_two_seconds(make_window, qtbot):
    window = make_window()
    press(window, qtbot, "run")
    qtbot.waitUntil(lambda: window.session.modified, timeout=5000)
    assert not window.close()
    window.findChild(QMessageBox).button(QMessageBox.StandardButton.Discard).click()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=2000)


def test_closing_with_unsaved_changes_asks_once(make_window, qtbot):
    window = make_window()
    window.session.edit("text", expression={"text": "a = 1"})
    assert not window.close()
    box = window.findChild(QMessageBox)
    box.button(QMessageBox.StandardButton.Cancel).click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None, timeout=2000)
    assert window.isVisible()
    window.close()
    box = window.findChild(QMessageBox)
    box.button(QMessageBox.StandardButton.Discard).click()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=2000)


def export_menu(window):
    """The entries of the submenus of the export menu, by title."""
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Export")
    return {entry.text(): entry for part in submenus(menu) for entry in part.actions() if entry.text()}


def wait_until_written(window, qtbot):
    qtbot.waitUntil(lambda: not window.exporter.busy, timeout=20_000)


@pytest.mark.long
def test_every_entry_of_the_export_menu_writes_a_file(window, qtbot, tmp_path):
    window.session.train("step")  # without a run there is none to film
    qtbot.waitUntil(lambda: window.session.newest is not None and window.session.newest.snapshot.step == 1)
    wait_for_layout(window, qtbot)
    written = set()
    for title, entry in export_menu(window).items():
        if not title.endswith("…") or title == "Picture of the graph…":
            continue
        entry.trigger()
        dialog = window.findChild(QFileDialog)
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.{dialog.defaultSuffix()}"
        dialog.fileSelected.emit(str(path))
        wait_until_written(window, qtbot)
        if path.exists():
            assert path.stat().st_size > 200, title
            written.add(title)
        else:
            assert "the figure is empty" in window.message.text(), title
        dialog.reject()
        qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)
    assert written >= {"Loss plot…", "Decision boundary…", "Network drawing…", "Table of predictions…", "Data as CSV…"}
    assert {path.suffix for path in tmp_path.iterdir()} >= {".png", ".svg", ".pdf", ".dot", ".graphml", ".tex"}
    assert "tanh" in "".join(ET.parse(next(tmp_path.glob("*.svg"))).getroot().itertext())


def test_the_graph_can_be_copied_as_an_image_and_as_svg(window, qtbot):
    clipboard = QApplication.clipboard()
    export_menu(window)["Copy graph as image"].trigger()
    wait_until_written(window, qtbot)
    assert not clipboard.image().isNull()
    assert bytes(clipboard.mimeData().data("image/png").data()).startswith(b"\x89PNG")
    export_menu(window)["Copy graph as SVG"].trigger()
    wait_until_written(window, qtbot)
    assert bytes(clipboard.mimeData().data("image/svg+xml").data()) == clipboard.text().encode() != b""


def test_every_theme_can_be_put_on_while_open_and_is_ticked_in_its_menu(window, subtests):
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Theme")
    for theme, ticked in (("dark", "&Dark"), ("light", "&Light"), ("system", "&System")):
        with subtests.test(theme=theme):
            window.apply_theme(theme)
            assert not window.grab().isNull()
            menu.aboutToShow.emit()
            assert [action.text() for action in menu.actions() if action.isChecked()] == [ticked]


def test_arrangement_and_theme_are_remembered(make_window, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    first = make_window(settings=settings)
    first.docks["ExplainPanel"].hide()
    first.apply_theme("dark")
    first.close()
    second = make_window(settings=settings)
    assert not second.docks["ExplainPanel"].isVisible()
    assert second.colors is DARK and not idle_tasks().busy  # it never had other colours


def test_broken_settings_are_ignored_and_a_theme_that_there_is_not_is_the_systems(make_window, tmp_path):
    path = tmp_path / "settings.ini"
    path.write_text("[General]\ngeometry=rubbish\nstate=@ByteArray(junk)\ntheme=pink\n")
    window = make_window(settings=QSettings(str(path), QSettings.Format.IniFormat))
    assert window.width() > 500
    assert window.theme == "system"
    assert window.action("theme system").isChecked()


def test_a_long_run_leaves_every_button_in_the_bar_of_a_narrow_window(window, qtbot):
    window.resize(1024, 670)
    press(window, qtbot, "step")
    qtbot.waitUntil(lambda: window.session.newest is not None, timeout=5000)
    window.main_bar.readout.setText("step 2,457,311 · epoch 2,457,311 · loss 0.0002 and more of it")
    more = window.main_bar.more
    qtbot.waitUntil(lambda: more.visibleRegion().boundingRect() == more.rect())
    assert [count_text(n) for n in (99_999, 220_432, 2_457_311)] == ["99,999", "220k", "2.46M"]


def type_rate(window, qtbot, text):
    """Types into the field of the learning rate, without Return."""
    field = panel(window, "LearningPanel").fields["training.learning_rate"]
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_run_trains_with_the_learning_rate_that_is_still_being_typed(window, qtbot):
    type_rate(window, qtbot, "0.3")
    press(window, qtbot, "run")
    assert window.session.document.training.learning_rate == 0.3


def test_undo_by_the_menu_takes_back_what_was_typed_last_and_redo_brings_it_again(window, qtbot):
    window.session.edit("learning rate", training={"learning_rate": 0.7})
    type_rate(window, qtbot, "0.3")
    window.action("undo").trigger()
    assert window.session.document.training.learning_rate == 0.7
    window.action("redo").trigger()
    assert window.session.document.training.learning_rate == 0.3


def test_tips_and_messages_take_turns_in_one_line(window, qtbot):
    window.show_message("Saved it")
    QApplication.sendEvent(window, QStatusTipEvent("Train the network"))
    assert window.message.text() == "Train the network"
    assert not window.statusBar().currentMessage()
    QApplication.sendEvent(window, QStatusTipEvent(""))
    assert window.message.text() == "Saved it"
    QApplication.sendEvent(window, QStatusTipEvent("Train the network"))
    window.show_message("Text and figures at 150 %")
    assert window.message.text() == "Text and figures at 150 %"


def test_a_note_that_training_began_again_ends_when_it_goes_on(window, qtbot):
    session = window.session
    train(session, qtbot, "step")
    session.edit("data", data={"name": "circles"})
    assert "step 0" in window.message.text()
    session.run()
    qtbot.waitUntil(lambda: not window.message.text(), timeout=LONG // 2)  # a note goes away by itself after 8 s
    session.pause()
    assert session.newest.snapshot.step > 0
