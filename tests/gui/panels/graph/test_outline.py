"""The outline: the graph as a tree, with the selection of the canvas and the numbers of the moment."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest

from gui.panels.graph.outline import OutlinePanel

SHARED = "a = 2.0\nb = -3.0\nc = a*b\nd = c + a\nL = d*c"


@pytest.fixture
def outline(shown, session, qtbot):
    """Shows a program in the outline, and returns the panel."""

    def show(text):
        with qtbot.waitSignal(session.changed, check_params_cb=lambda change: "graph" in change):
            session.edit("program", expression={"text": text})
        return shown(OutlinePanel, 460, 400)

    return show


def tree(model, parent=None):
    """The rows as nested lists: [text, below...]."""
    parent = QModelIndex() if parent is None else parent
    return [
        [model.index(row, 0, parent).data(), *tree(model, model.index(row, 0, parent))]
        for row in range(model.rowCount(parent))
    ]


def test_inputs_are_under_the_value_that_is_computed_from_them(outline):
    panel = outline("a = 2.0\nb = -3.0\nL = a*b")
    assert tree(panel.model) == [["L", ["a"], ["b"]]]
    row = [panel.model.index(0, column).data() for column in range(4)]
    assert row == ["L", "−6.0000", "+1.0000", "×"]


def test_a_value_used_twice_has_its_inputs_once(outline):
    panel = outline(SHARED)
    assert tree(panel.model) == [["L", ["d", ["c", ["a"], ["b"]], ["↑ a"]], ["↑ c"]]]


def test_values_that_the_output_does_not_need_stand_beside_it(outline):
    panel = outline("a = 2.0\nloose = a + a\nL = a*a\nL")
    assert [top[0] for top in tree(panel.model)] == ["L", "loose"]


def test_selection_goes_both_ways(outline, session):
    panel = outline(SHARED)
    session.select("b")
    assert panel.view.currentIndex().data() == "b"
    QTest.keyClick(panel.view, Qt.Key.Key_Up)
    assert session.selection == "a"
    session.select(None)
    assert not panel.view.selectionModel().hasSelection()


def test_return_on_a_reference_goes_to_the_first_place(outline, session):
    panel = outline(SHARED)
    panel.view.setCurrentIndex(panel.model.index(1, 0, panel.model.index(0, 0)))
    assert panel.view.currentIndex().data() == "↑ c" and session.selection == "c"
    QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert panel.view.currentIndex().data() == "c" and session.selection == "c"


def test_return_explains_a_value(outline, session, qtbot):
    panel = outline(SHARED)
    session.select("d")
    with qtbot.waitSignal(session.action_requested) as asked:
        QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert asked.args == ["explain"]


def test_numbers_follow_without_new_rows(outline, session):
    panel = outline(SHARED)
    index, rows = panel.model.index(0, 2), list(panel.model._rows)
    assert index.data() == "+1.0000"
    session.presenter.set_position(1)
    assert index.data() == "–" and panel.model._rows == rows


def test_a_screen_reader_hears_the_whole_node(outline):
    panel = outline(SHARED)
    top = panel.model.index(0, 0)
    spoken = top.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "L, output, data 24.0000, gradient 1.0000, product of d and c"
    again = panel.model.index(1, 0, top).data(Qt.ItemDataRole.AccessibleTextRole)
    assert again.startswith("c, used here again")


def test_an_open_group_is_a_branch(outline, session, qtbot):
    panel = outline("a = 2.0\no = tanh(a)\nL = o*a")
    assert tree(panel.model) == [["L", ["o", ["a"]], ["↑ a"]]]
    with qtbot.waitSignal(session.changed, check_params_cb=lambda change: "graph" in change):
        session.presenter.groups.expand("op:o")
    [top] = tree(panel.model)
    [branch, _again] = top[1:]
    assert "tanh" in branch[0] and branch[1][0] == "o"


def test_branches_stay_open_and_closed_with_another_graph(outline, session, qtbot):
    panel = outline(SHARED)
    panel.view.setExpanded(panel.model.index(0, 0, panel.model.index(0, 0)), False)
    with qtbot.waitSignal(session.changed, check_params_cb=lambda change: "graph" in change):
        session.edit("program", expression={"text": SHARED + "\nM = L*a\nM"})
    d = panel.model.first_row("d")
    assert not panel.view.isExpanded(panel.model.index_of(d))
    assert panel.view.isExpanded(panel.model.index_of(d.parent))


def test_rows_of_a_large_graph_are_made_when_their_branch_is_opened(outline, session):
    terms = "\n".join(f"x{i} = {i}.5\ny{i} = x{i}*x{i - 1}" for i in range(1, 60))
    session.set_view(expanded=["*"])
    panel = outline(f"x0 = 1.0\n{terms}\nL = " + " + ".join(f"y{i}" for i in range(1, 60)))
    made = len(panel.model._rows)
    assert made < 100 < len(panel.model.picture.boxes)
    session.select("x1")
    assert panel.view.currentIndex().data() == "x1" and made < len(panel.model._rows)
