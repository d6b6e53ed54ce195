"""Two graphs stand side by side: what differs is marked in both and listed with both numbers."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from engine.examples.examples import examples
from engine.views.graph_difference import KINDS
from gui.export.drawing import IMAGE_FORMATS
from gui.export.figures import widget_drawing
from gui.panels.comparisons.compare import ComparePanel
from gui.session.compared_graphs import Source
from gui.theme import DARK

BEFORE = "a = 2.0\nb = -3.0\nc = a*b\nd = c + a\n"
AFTER = "a = 2.0\nb = 4.0\nc = a*b\nd = c - a\ne = tanh(d)\n"

pytestmark = pytest.mark.slow


@pytest.fixture
def panel(shown, session, settled):
    session.edit("text", expression={"text": BEFORE})
    panel = shown(ComparePanel, 1000, 700)
    settled(panel)
    return panel


@pytest.fixture
def settled(qtbot):
    """Waits until a panel shows the comparison that was asked for."""

    def wait(panel):
        qtbot.waitUntil(lambda: not (panel.session.program.busy or panel.comparison.busy or panel.is_placing))

    return wait


def listed(panel):
    """{name: (data A, data B)} of the table's rows."""
    return {node.name: node.data for node in panel.model.rows}


def badges(panel, side):
    return {
        key: decoration.badge
        for key, decoration in panel.canvases[side].decorations.items()
        if getattr(decoration, "badge", "")
    }


def test_it_opens_with_the_program_as_it_is_pinned_and_without_a_difference(panel):
    assert panel.comparison.sources["A"].text == BEFORE and panel.comparison.sources["B"] == Source()
    assert listed(panel) == {} and "All 4" in panel.summary.text() and panel.caption == "no difference"
    assert set(panel.canvases["A"].picture.boxes) == set(panel.canvases["B"].picture.boxes) == {"a", "b", "c", "d"}


def test_an_edit_is_marked_on_both_canvases_and_listed_with_both_numbers(panel, session, settled):
    session.edit("text", expression={"text": AFTER})
    settled(panel)
    assert listed(panel) == {
        "a": (2.0, 2.0), "b": (-3.0, 4.0), "c": (-6.0, 8.0), "d": (-4.0, 6.0),
        "e": (None, pytest.approx(0.99998, 1e-4)),
    }  # fmt: skip
    assert badges(panel, "A") == {"a": "≠", "b": "≠", "c": "≠", "d": "op"}
    assert badges(panel, "B") == {"a": "≠", "b": "≠", "c": "≠", "d": "op", "e": "B"}
    assert [node.name for node in panel.model.rows if node.starts_here] == ["b", "d", "e"]
    assert panel.canvases["A"].readings["b"].data == "−3.0000" and panel.canvases["B"].readings["b"].data == "4.0000"
    assert any("4" in note for note in panel.canvases["A"].notes("b"))


def test_counterparts_stand_in_the_same_places(panel, session, settled):
    session.edit("text", expression={"text": BEFORE.replace("-3.0", "4.0")})
    settled(panel)
    first, second = (panel.canvases[side].picture.boxes for side in "AB")
    assert {key: (box.x, box.y) for key, box in first.items()} == {key: (box.x, box.y) for key, box in second.items()}


def test_a_row_selects_the_node_in_both_graphs_and_a_node_its_row_and_counterpart(panel, session, settled):
    panel.comparison.choose("B", Source("text", "renamed", "x = 2.0\ny = 5.0\nz = x*y\nw = z + x\n"))
    settled(panel)
    rows = [node.name for node in panel.model.rows]
    assert rows == ["a / x", "b / y", "c / z", "d / w"]
    panel.select_row(rows.index("c / z"))
    assert panel.canvases["A"].selected == "c" and panel.canvases["B"].selected == "z"
    panel.canvases["B"].choose("y")
    assert panel.canvases["A"].selected == "b" and panel.table.selectionModel().currentIndex().row() == 1
    panel.canvases["A"].choose(None)
    assert panel.canvases["B"].selected is None and not panel.table.selectionModel().hasSelection()


def test_the_selection_of_the_window_is_followed_and_set(panel, session):
    panel.canvases["B"].choose("c")
    assert session.selection == "c"
    session.select("d")
    assert panel.canvases["B"].selected == panel.canvases["A"].selected == "d"


def test_a_node_that_has_no_place_yet_can_be_selected(panel, session, settled):
    panel.model.modelReset.connect(lambda: panel.select_row(len(panel.model.rows) - 1))  # e, before it is laid out
    session.edit("text", expression={"text": AFTER})
    settled(panel)
    assert set(panel.canvases["B"].picture.boxes) == {"a", "b", "c", "d", "e"}


def test_an_error_stands_in_the_place_of_its_graph_with_its_line_until_it_is_mended(panel, session, settled):
    session.edit("text", expression={"text": "a = 2.0\nb = a +* 3\n"})
    settled(panel)
    assert not panel.canvases["B"].picture.boxes and "Line 2" in panel.canvases["B"].overlay.hint
    assert panel.canvases["A"].picture.boxes and not badges(panel, "A")
    assert not panel.has_figure and panel.figure_data() and "B" in panel.summary.text()
    panel.comparison.choose("A", Source("text", "wrong", "1 +"))
    settled(panel)
    assert "Line 1" in panel.canvases["A"].overlay.hint
    session.edit("text", expression={"text": BEFORE})
    panel.comparison.choose("A", Source())
    settled(panel)
    assert panel.has_figure and listed(panel) == {} and not panel.canvases["B"].overlay.hint


def test_an_own_engine_with_a_mistake_opens_beside_the_right_gradients(shown, session, settled):
    text = next(each.text for each in examples() if each.name.endswith("01_the_product_rule"))
    session.edit("text", expression={"text": text})
    panel = shown(ComparePanel, 1000, 700)
    settled(panel)
    assert panel.comparison.sources["B"].kind == "right"
    assert {node.name: node.grad for node in panel.model.rows} == {"p": (2.0, 5.0), "q": (5.0, 2.0)}
    assert panel.canvases["B"].readings["p"].grad == "+5.0000"


def test_two_backward_calls_of_a_loop_are_compared(panel, session, settled):
    steps = "    y = w*w\n    w.grad = 0\n    y.backward()\n    w.data -= 0.1*w.grad\n"
    text = f"w = Value(1.0)\nfor k in range(3):\n{steps}"
    session.edit("text", expression={"text": text})
    settled(panel)
    for side, number in (("A", 1), ("B", 3)):
        panel.comparison.choose(side, panel.comparison.call(number))
    settled(panel)
    assert listed(panel)["w"] == (1.0, pytest.approx(0.64)) and panel.model.rows[0].grad[0] == 2.0
    panel.comparison.choose("B", panel.comparison.call(99))
    settled(panel)
    assert panel.canvases["B"].overlay.hint and not panel.has_figure


def test_two_steps_of_a_training_are_compared(panel, session, settled, qtbot):
    session.set_view(shows="network", expanded=["*"])
    qtbot.waitUntil(lambda: not session.presenter.busy)
    panel.pin()
    settled(panel)
    assert panel.comparison.sources["B"].kind == "network" and listed(panel) == {}
    session.train("step")
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.snapshot.step == 1)
    qtbot.waitUntil(lambda: bool(panel.model.rows))
    settled(panel)
    weights = [node for node in panel.model.rows if node.name == "L1N1.w1"]
    assert weights and "data" in weights[0].kinds and weights[0].starts_here
    session.set_view(shows="expression")
    qtbot.waitUntil(lambda: bool(panel.canvases["B"].overlay.hint))


def test_files_and_the_clipboard_are_sides_and_what_cannot_be_read_is_said(panel, session, settled, tmp_path):
    path = tmp_path / "other.py"
    path.write_text(AFTER, encoding="utf-8")
    panel.choose_file("B", path)
    QGuiApplication.clipboard().setText(BEFORE)
    panel.choose_clipboard("A")
    settled(panel)
    assert panel.comparison.sources["A"].text == BEFORE and panel.comparison.sources["B"].title == "other.py"
    assert "e" in listed(panel)
    messages = []
    session.message_posted.connect(lambda text, kind: messages.append((text, kind)))
    panel.choose_file("B", tmp_path / "missing.py")
    QGuiApplication.clipboard().clear()
    panel.choose_clipboard("A")
    assert [kind for _text, kind in messages] == ["error", "note"] and "missing.py" in messages[0][0]
    assert panel.comparison.sources["B"].title == "other.py"


def test_the_menu_of_a_side_offers_everything_and_marks_what_is_shown(panel, session, settled):
    session.edit("text", expression={"text": "a = Value(2.0)\nb = a*3\nb.backward()\n"})
    settled(panel)
    panel.menus["B"].aboutToShow.emit()
    titles = {action.text(): action for action in panel.menus["B"].actions()}
    assert titles["This program"].isChecked() and not titles[panel.comparison.pinned.title].isChecked()
    (call,) = titles["Backward call of this program"].menu().actions()
    call.trigger()
    assert panel.comparison.sources["B"].kind == "call"
    group = titles["Example"].menu().actions()[0].menu()
    group.actions()[0].trigger()
    settled(panel)
    assert panel.comparison.sources["B"].text == examples()[0].text
    panel.comparison.swap()
    assert panel.comparison.sources["A"].text == examples()[0].text


def test_the_same_nodes_are_listed_when_that_is_wanted(panel):
    assert panel.model.rowCount() == 0
    panel.show_all.setChecked(True)
    assert panel.model.rowCount() == 4
    assert panel.model.index(0, 1).data() == "same" and panel.model.headerData(0, Qt.Orientation.Horizontal) == "Name"


def test_numbers_and_picture_are_exported_with_titles_instead_of_buttons(panel, session, settled):
    session.edit("text", expression={"text": AFTER})
    settled(panel)
    columns = dict(panel.figure_data())
    assert columns["name"] == ["a", "b", "c", "d", "e"] and columns["data A"] == [2.0, -3.0, -6.0, -4.0, None]
    assert columns["what differs"][-1] == KINDS["only B"].words and columns["starts here"][1]
    drawing = widget_drawing(panel.plot)
    assert drawing.size.width() >= 900
    assert all(button.isVisible() for button in panel.buttons.values())
    assert not any(title.isVisible() for title in panel.titles.values())


def test_it_is_seen_in_the_dark_and_in_a_narrow_column(panel):
    panel.set_colors(DARK)
    panel.resize(320, 900)
    assert panel.plot.splitter.orientation() == Qt.Orientation.Vertical
    panel.resize(1000, 500)
    assert panel.plot.splitter.orientation() == Qt.Orientation.Horizontal


def test_a_program_with_random_numbers_is_compared_with_the_run_that_is_shown(panel, session, settled):
    session.edit("text", expression={"text": "import random\na = Value(random.random())\nb = a*2\n"})
    settled(panel)
    panel.pin()
    settled(panel)
    assert panel.has_figure and listed(panel) == {}
    assert panel.canvases["A"].readings["a"] == session.presenter.readings["a"]


def test_hidden_gradients_are_not_given_away(panel, session, settled):
    session.presenter.prediction.ask_one(session.presenter.value("b"), session.presenter.graph_view)
    settled(panel)
    assert not panel.canvases["A"].picture.boxes and panel.canvases["A"].overlay.hint and panel.model.rowCount() == 0
    session.presenter.prediction.end()
    settled(panel)
    assert panel.canvases["A"].picture.boxes and panel.has_figure


def test_the_picture_is_exported_as_shapes_too(panel, session, settled):
    session.edit("text", expression={"text": AFTER})
    settled(panel)
    drawing = widget_drawing(panel.plot)
    for extension in ("svg", "pdf"):
        assert len(IMAGE_FORMATS[extension].draw(drawing)) > 5_000
    text = IMAGE_FORMATS["svg"].draw(drawing).decode()
    assert "This program" in text and "tanh" in text


def test_pin_in_the_menu_opens_the_panel_and_keeps_the_program(reused_window, settled, qtbot):
    window = reused_window
    window.session.edit("text", expression={"text": BEFORE})
    window.action("compare").trigger()
    panel = window.docks["ComparePanel"].panel
    qtbot.waitUntil(lambda: panel.comparison.sources["A"].text == BEFORE)
    settled(panel)
    window.session.edit("text", expression={"text": AFTER})
    window.action("pin").trigger()
    settled(panel)
    assert panel.comparison.sources["A"].text == AFTER and panel.has_figure and panel.model.rowCount() == 0
    assert window.empty_figure("ComparePanel") == ""
    window.docks["ComparePanel"].close()


def test_a_hostile_name_is_shown_as_text(panel, settled):
    panel.comparison.choose("B", Source("text", "<img src=x>.py", BEFORE))
    settled(panel)
    assert "&lt;img" in panel.buttons["B"].toolTip() and "<img" in panel.titles["B"].text()


def test_a_small_graph_is_shown_whole_and_of_a_large_one_the_first_difference(panel, settled):
    lines = ["x0 = 0.5", *(f"x{number} = tanh(x{number - 1} + 0.1)" for number in range(1, 120))]
    edited = [*lines[:60], "x60 = x59 * 1.5", *lines[61:]]
    panel.comparison.choose("A", Source("text", "before", "\n".join(lines)))
    panel.comparison.choose("B", Source("text", "after", "\n".join(edited)))
    settled(panel)
    for canvas in panel.canvases.values():
        assert canvas.viewport().rect().contains(canvas.node_area("x60").center().toPoint())
    panel.comparison.choose("A", Source("text", "small", BEFORE))
    panel.comparison.choose("B", Source("text", "small, too", AFTER))
    settled(panel)
    assert all(canvas.shows_all for canvas in panel.canvases.values())


def test_a_new_comparison_keeps_the_selected_node_and_its_row(panel, session, settled):
    session.edit("text", expression={"text": AFTER})
    settled(panel)
    panel.canvases["B"].choose("c")
    session.edit("text", expression={"text": AFTER.replace("4.0", "5.0")})
    settled(panel)
    row = panel.table.selectionModel().currentIndex().row()
    assert panel.model.rows[row].name == "c" and panel.model.rows[row].data == (-6.0, 10.0)
    assert panel.canvases["A"].selected == panel.canvases["B"].selected == "c"
