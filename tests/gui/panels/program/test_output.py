"""The output panel: printed lines with their places, variables, plots."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from engine.autograd import Value
from engine.language import Evaluation, Plot, Series
from gui.panels.program.output import TABS, OutputPanel, PrintedModel, variable_texts
from gui.session import Session
from gui.session.programs import PrintedLines, Programs
from gui.theme import DARK, LIGHT


def printed(*pieces):
    return tuple(SimpleNamespace(line=line, text=text) for line, text in pieces)


def curve(kind, label, x, y, **more):
    return Series(kind, tuple(x), tuple(y), label, **more)


def plotted(title, *series, figure=0, **more):
    return Plot(title, "step", "loss", series, figure, **more)


class Ran:
    """An evaluation with what a sandbox adds to it."""

    def __init__(self, **fields):
        self.fields = fields

    def __call__(self, text, **_settings):
        evaluation = replace(Evaluation())
        for name, content in self.fields.items():
            object.__setattr__(evaluation, name, content)
        return evaluation


@pytest.fixture
def ran(qtbot):
    """An output panel on a session whose programs all have one result."""
    sessions = []

    def run(**fields):
        session = Session(programs=Programs(Ran(**fields)))
        sessions.append(session)
        panel = OutputPanel(session)
        qtbot.addWidget(panel)
        panel.set_colors(LIGHT)
        panel.resize(400, 300)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    yield run
    for session in sessions:
        session.close()


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ((), []),
        (((1, "a\n"), (2, "b\n")), [(1, "a"), (2, "b")]),
        (((1, "a"), (2, "b\n")), [(1, "ab")]),
        (((1, "a\nb\n"), (3, "c")), [(1, "a"), (1, "b"), (3, "c")]),
        (((1, "a\n"), (2, "\n"), (2, "\n"), (4, "d\n")), [(1, "a"), (2, ""), (2, ""), (4, "d")]),
        (((1, "x\n\n"), (2, "")), [(1, "x"), (1, "")]),
    ],
)
def test_output_is_read_line_by_line_as_a_terminal_shows_it(output, lines):
    assert PrintedLines(printed(*output)).lines == lines
    assert [text for _, text in lines] == "".join(text for _, text in output).splitlines()


def test_an_output_that_grows_is_the_same_as_one_that_comes_at_once():
    output = printed((1, "a"), (1, "b\n"), (2, "c\n"), (2, "d\n"), (3, "e"), (4, "f\n\n"), (5, ""), (5, "g\n"))
    growing, model = PrintedLines(), PrintedModel()
    for end, piece in enumerate(output, 1):
        growing.add([piece])
        model.show_output(growing)
        whole = PrintedLines(output[:end])
        assert growing.lines == whole.lines and growing.beside() == whole.beside()
        assert [model.index(row).data() for row in range(model.rowCount())] == [line.text for line in whole.lines]
    model.show_output(PrintedLines(output[2:3]))
    assert model.rowCount() == 1 and model.printed.n_longest == 1


def test_beside_a_line_stands_what_it_printed_last_and_how_often():
    notes = PrintedLines(printed((2, "1.0\n"), (5, "0.5\n"), (2, "2.0\n"), (2, "3.0\n"))).beside()
    assert notes == {2: "3.0  (3 lines)", 5: "0.5"}


def test_printed_lines_are_shown_with_their_numbers_and_a_click_goes_to_the_line(ran, qtbot):
    panel = ran(output=printed((18, "2.0 5.0 1.0\n"), (20, "done\n")))
    places = []
    panel.session.program.place_requested.connect(lambda *place: places.append(place))
    model = panel.printed.model()
    assert [model.index(row).data() for row in range(2)] == ["2.0 5.0 1.0", "done"]
    assert model.index(1).data(Qt.ItemDataRole.AccessibleTextRole) == "done, printed by line 20"
    point = panel.printed.visualRect(model.index(1)).center()
    qtbot.mouseClick(panel.printed.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert places == [(20, 1)]
    assert panel.caption == "2 lines"


def test_lines_are_copied_whole_and_without_their_numbers(ran, qtbot):
    panel = ran(output=printed((1, "x" * 3000 + "\n"), (2, "y\n")))
    panel.printed.selectAll()
    qtbot.keyClick(panel.printed, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "x" * 3000 + "\ny"


@pytest.mark.slow
def test_twenty_thousand_lines_are_shown_at_their_end(ran):
    panel = ran(output=printed(*((number % 50 + 1, f"{number}\n") for number in range(20_000))))
    assert panel.printed.model().rowCount() == 20_000
    last = panel.printed.visualRect(panel.printed.model().index(19_999))
    assert panel.printed.viewport().rect().intersects(last)


@pytest.mark.parametrize("name", list(TABS))
def test_a_tab_with_nothing_in_it_says_what_would_fill_it(ran, name):
    panel = ran()
    panel.show_tab(name)
    words = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert TABS[name] in words


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (Value(2.0), ("2.0000", "not computed")),
        (3, ("3", "")),
        (0.1234567, ("0.1235", "")),
        (True, ("True", "")),
        ("loss", ("'loss'", "")),
        (None, ("None", "")),
        ([1.0, Value(-2.5)], ("[1.0000, −2.5000]", "")),
        (list(range(100)), ("[0, 1, 2, 3, 4, 5, … 100 in all]", "")),
        (np.ones((2, 3)), ("[1.0000, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000] of shape 2×3", "")),
    ],
)
def test_a_variable_is_written_in_one_line(value, texts):
    assert variable_texts(value) == texts


def test_variables_have_data_and_gradient_and_a_click_selects_the_value(session, qtbot):
    session.edit("text", expression={"text": "a = 2.0\nb = a * 3\n"})
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_tab("Variables")
    model = panel.variables.model()
    rows = [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]
    assert rows == [["a", "2.0000", "+3.0000"], ["b", "6.0000", "+1.0000"]]
    panel.variables.clicked.emit(model.index(0, 0))
    assert session.selection == "a"


def test_whole_numbers_of_a_program_are_written_as_such(session, shown):
    """On the canvas and among the variables, where one walks by operations, too."""
    session.edit("text", expression={"text": "a = 3\nb = a * 2\nc = 3.0\nd = b * c\n"})
    panel = shown(OutputPanel)
    panel.show_tab("Variables")
    model, readings = panel.variables.model(), session.presenter.readings
    expected = {"a": "3", "b": "6", "c": "3.0000", "d": "18.0000"}
    assert {name: readings[name].data for name in expected} == expected
    assert {model.index(row, 0).data(): model.index(row, 1).data() for row in range(model.rowCount())} == expected
    session.presenter.set_position(2)
    assert session.presenter.readings["b"].data == "6"


def test_whole_numbers_have_all_their_digits_among_the_variables(session, shown):
    session.edit("text", expression={"text": "a = 2**53\nb = a + 1\nc = 7**100\n"})
    panel = shown(OutputPanel)
    panel.show_tab("Variables")
    model = panel.variables.model()
    texts = {model.index(row, 0).data(): model.index(row, 1).data() for row in range(model.rowCount())}
    assert texts == {"a": str(2**53), "b": str(2**53 + 1), "c": str(7**100)}


def test_a_long_list_leaves_the_gradients_of_the_others_in_view(session, qtbot):
    session.edit("text", expression={"text": "many = [0.123456] * 40\na = Value(2.0)\nb = a * 3\n"})
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    panel.resize(420, 300)
    panel.show()
    panel.show_tab("Variables")
    table = panel.variables
    qtbot.waitUntil(lambda: table.viewport().width() > 300)
    assert table.columnViewportPosition(2) + table.columnWidth(2) <= table.viewport().width()


def test_plots_of_a_program_are_drawn_with_title_names_of_axes_and_legend(ran):
    series = curve("line", "train", range(100), np.linspace(1, 0, 100)), curve("points", "test", [1, 50], [0.5, 0.4])
    panel = ran(
        plots=(plotted("loss of a run", *series), plotted("another", curve("line", "", [0, 1], [2, 3]), figure=1))
    )
    panel.show_tab("Plots")
    assert panel.plots.count.text() == "2 of 2"
    plots = panel.plots
    assert plots.plot.getPlotItem().titleLabel.text == "another"
    plots.turn(-1)
    item = plots.plot.getPlotItem()
    assert item.titleLabel.text == "loss of a run"
    assert (item.getAxis("bottom").labelText, item.getAxis("left").labelText) == ("step", "loss")
    assert [label.text for _, label in item.legend.items] == ["train", "test"]
    x, y = item.listDataItems()[0].getData()
    assert len(x) == 100 and y[0] == 1.0
    panel.set_colors(DARK)
    assert panel.plot is plots.plot


def test_a_plot_of_numbers_that_are_not_finite_is_drawn_without_them(ran):
    panel = ran(plots=(plotted("", curve("line", "", [0, 1, 2], [1.0, float("nan"), float("inf")])),))
    panel.show_tab("Plots")
    x, _ = panel.plot.getPlotItem().listDataItems()[0].getData()
    assert list(x) == [0.0]


def test_gradients_are_those_that_the_program_left_and_the_tip_says_so(session, qtbot):
    text = "a = Value(2.0)\nb = a * 3\nb.backward()\na.grad += 0.5\nc = b + 1\n"
    session.edit("text", expression={"text": text})
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_tab("Variables")
    model = panel.variables.model()
    rows = {model.index(row, 0).data(): model.index(row, 2) for row in range(model.rowCount())}
    assert {name: index.data() for name, index in rows.items()} == {"a": "+3.5000", "b": "+1.0000", "c": "not computed"}
    tips = [rows[name].data(Qt.ItemDataRole.ToolTipRole) for name in ("a", "c")]
    assert tips == [
        "The gradient that the program has computed",
        "The program has computed no gradient for it",
    ]


@pytest.mark.slow
def test_a_variable_of_a_loop_is_plotted_by_a_click(session, qtbot):
    text = "a = 0.0\nfor k in range(5):\n    a = a + 2.0 * k\nprint(a)\na\n"
    session.edit("text", expression={"text": text})
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.printed.lines.printed.lines == [(4, "20.0"), (5, "20.0")]  # the last is the bare last line's
    panel.show_tab("Variables")
    model = panel.variables.model()
    row = [model.index(row, 0).data() for row in range(model.rowCount())].index("a")
    assert model.index(row, 3).data() == "plot"
    panel.variables.clicked.emit(model.index(row, 3))
    item = panel.plot.getPlotItem()
    assert panel.buttons["Plots"].isChecked() and item.titleLabel.text == "a in the loop of line 2"
    x, y = item.listDataItems()[0].getData()
    assert (list(x), list(y)) == ([0, 1, 2, 3, 4], [0, 2, 6, 12, 20])
    session.edit("text", expression={"text": "b = 1.0\n"})
    assert panel.buttons["Plots"].text() == "Plots"


def test_what_a_line_has_printed_stands_beside_it_in_the_editor(qtbot):
    from gui.panels.program.expression import ExpressionPanel

    session = Session(programs=Programs(Ran(output=printed((1, "2.0 5.0 1.0\n")))))
    panel = ExpressionPanel(session)
    qtbot.addWidget(panel)
    panel.resize(500, 300)
    panel.show()
    qtbot.waitExposed(panel)
    viewport = panel.editor.viewport()
    with_note = viewport.grab().toImage()
    panel.editor.show_notes({})
    without = viewport.grab().toImage()
    height = panel.editor.fontMetrics().height()
    changed = {
        (x, y)
        for x in range(0, viewport.width(), 2)
        for y in range(0, viewport.height(), 2)
        if with_note.pixel(x, y) != without.pixel(x, y)
    }
    assert changed and min(x for x, _ in changed) > viewport.width() // 2 and max(y for _, y in changed) < 2 * height
    session.close()


@pytest.mark.slow
def test_a_model_of_the_program_is_drawn_among_the_plots_for_the_moment_that_is_viewed(session, qtbot):
    text = (
        "xs, ys = [[1.0, 1.0], [2.0, 1.0]], [0.0, 1.0]\nw = Value(1.0)\ndef model(x):\n    return w * x[0]\n"
        "for k in range(3):\n    w.grad = 0.0\n    loss = model(xs[0]) ** 2\n    loss.backward()\n"
        "    w.data -= 0.25 * w.grad\n"
    )
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.edit("text", expression={"text": text})
    assert not session.own_model.busy, "nobody looks at it yet"
    panel.buttons["Plots"].click()
    qtbot.waitUntil(lambda: len(session.own_model.plots) == 2)
    assert panel.plots.count.text().endswith("of 2")

    def first_prediction():
        return session.own_model.plots[1].series[1].y[0]

    assert first_prediction() == pytest.approx(0.125)
    session.program.view_backward_call(0)
    qtbot.waitUntil(lambda: first_prediction() == pytest.approx(1.0))
    panel.buttons["Output"].click()
    session.edit("text", expression={"text": "a = 1.0\n"})
    qtbot.waitUntil(lambda: panel.buttons["Plots"].text() == "Plots")


def test_a_plot_comes_to_the_front_until_a_tab_was_chosen(ran, qtbot):
    panel = ran(plots=(plotted("", curve("line", "", [0, 1], [2, 3])),), output=printed((1, "a\n")))
    assert panel.buttons["Plots"].isChecked()
    panel.buttons["Output"].click()
    panel.session.program.run_again()
    assert panel.buttons["Output"].isChecked()


def test_variables_need_no_scrolling_sideways_in_a_narrow_panel(session, shown, qtbot):
    session.edit("text", expression={"text": "many = [0.123456] * 40\na = Value(2.0)\nb = a * 3\n"})
    panel = shown(OutputPanel, 280)
    panel.show_tab("Variables")
    bar = panel.variables.horizontalScrollBar()
    qtbot.waitUntil(lambda: panel.variables.columnWidth(1) > 20 and bar.maximum() == 0)


def test_the_legend_of_a_plot_covers_none_of_it(session, shown, qtbot):
    text = (
        "import matplotlib.pyplot as plt\nfor k in range(3):\n    plt.plot([k, k], label=f'curve {k}')\nplt.legend()\n"
    )
    session.edit("text", expression={"text": text})
    panel = shown(OutputPanel, 420, 320)
    panel.show_tab("Plots")
    item = panel.plots.axes[0].plot.getPlotItem()
    qtbot.waitUntil(lambda: item.legend.sceneBoundingRect().height() > 0)
    assert len(item.legend.items) == 3
    assert not item.legend.sceneBoundingRect().intersects(item.getViewBox().sceneBoundingRect())
