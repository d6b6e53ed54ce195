"""Every action of the registry: its keys, its words, when it can be done, and that doing it once does no harm."""

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QDialog, QMenu, QToolButton

from engine.document import Document, replace_section
from gui.actions.graph import GRAPH_MENUS
from gui.actions.registry import ACTIONS, MENUS
from gui.actions.window import WINDOW_MENUS
from gui.canvas.graph_canvas import CANVAS_ACTIONS
from gui.help.help_window import HelpWindow
from gui.help.reference import shortcut_parts
from gui.widgets.action_set import Action, ActionSet, Submenu, fill_menu, keys_text
from tests.gui.menus import entries, menu_of
from tests.gui.training import train

ENTRIES = [entry for entries in ACTIONS.values() for entry in entries]
KNOWN_PLACES = {
    "workspaces",
    *MENUS,
    "header",
    "node",
    "background",
    "editor",
    *(m.id for m in (*WINDOW_MENUS, *GRAPH_MENUS)),
}
SMALL = "a = 2.0\nb = -3.0\nc = a * b\nd = tanh(c + a)\n"


@pytest.fixture
def window_on(make_window, qtbot):
    """The window on a program that is drawn."""

    def make(text):
        window = make_window(replace_section(Document(), "expression", text=text))
        qtbot.waitUntil(lambda: not window.session.presenter.busy)
        return window

    return make


def sets(window):
    """The actions of each heading, and what they act upon."""
    plot = window.docks["TrainingPanel"].panel.plot
    drawing = window.docks["BoundaryPanel"].panel.drawing
    program = window.docks["ExpressionPanel"].panel
    targets = [window, program, window.graph_panel.stepper, window.graph_panel, window.graph_panel.canvas, plot]
    pairs = [*((target, target.action_set) for target in targets), (drawing.editing, drawing.actions)]
    return dict(zip(ACTIONS, pairs, strict=True))


def close_dialogs(window, qtbot):
    for dialog in window.findChildren(QDialog):
        dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(QDialog))


@pytest.fixture
def reused_on(reused_window, qtbot):
    """The window that others have used, on a program that is drawn."""

    def make(text):
        reused_window.session.reset_document(replace_section(Document(), "expression", text=text))
        qtbot.waitUntil(lambda: not reused_window.session.presenter.busy)
        return reused_window

    return make


@pytest.fixture(params=["small", "empty"])
def window(reused_on, request):
    """The window on a small session with a selected value, or on an empty one."""
    window = reused_on(SMALL if request.param == "small" else "")
    if request.param == "small":
        window.session.select("c")
    yield window
    QGuiApplication.clipboard().clear()


def test_ids_are_unique():
    assert [name for name, count in Counter(entry.id for entry in ENTRIES).items() if count > 1] == []


def repeated(keys):
    return [key for key, count in Counter(key.toString() for key in keys).items() if count > 1]


@pytest.mark.parametrize("heading", ACTIONS)
def test_no_two_actions_share_a_key(qapp, heading):
    """Where the keyboard is on the canvas, Escape is the canvas' first and then the panel's around it."""
    everywhere = [keys for entry in ENTRIES for keys in entry.sequences() if keys.toString() not in entry.keys]
    here = [QKeySequence(keys) for entry in ACTIONS[heading] for keys in entry.keys]
    assert repeated([*everywhere, *here]) == []
    assert all(keys.toString() for keys in [*everywhere, *here])


def test_every_action_has_a_tip_in_words_and_known_places(qapp):
    for entry in ENTRIES:
        assert entry.tip and entry.tip[0].isupper() and not entry.tip.endswith(".") and "(" not in entry.tip, entry.id
        assert {menu for menu, _order in entry.places} <= KNOWN_PLACES, entry.id
        assert entry.whole_tip.startswith(entry.tip) and keys_text(entry) in entry.whole_tip, entry.id


def test_every_action_can_be_reached(qapp):
    buttons = {"show expression", "show network", "find next", "find previous", "end finding"}
    assert [e.id for e in ENTRIES if not e.places and not e.sequences() and e.id not in buttons] == []


@pytest.mark.long
@pytest.mark.parametrize("heading", ACTIONS)
def test_every_action_can_be_done_once(window, qtbot, heading, caplog):
    errors = []
    window.session.message_posted.connect(lambda text, kind: errors.append(text) if kind == "error" else None)
    opened = [entry.id for entry in ACTIONS[heading] if entry.id.startswith("example ")]
    for entry in ACTIONS[heading]:
        if entry.id != "quit" and entry.id not in opened[1:-1]:  # what each opens: tests/engine/document/test_examples
            sets(window)[heading][1][entry.id].trigger()
            qtbot.waitUntil(lambda: not window.session.presenter.busy and not window.exporter.busy)
            close_dialogs(window, qtbot)
            assert (errors, caplog.records) == ([], []), entry.id
    window.session.pause()


def test_quitting_closes_the_window(window_on, qtbot):
    window = window_on(SMALL)
    window.session.discard_changes()
    window.action("quit").trigger()
    qtbot.waitUntil(lambda: not window.isVisible())


def assert_enabled_as_said(window):
    for target, actions in sets(window).values():
        for name, entry in actions.entries.items():
            if entry.reason is None:  # one with a reason is as its menu was opened last
                assert actions[name].isEnabled() == (entry.enabled is None or entry.enabled(target)), name
            if entry.checked is not None:
                assert actions[name].isChecked() == entry.checked(target), name
            if entry.live_text is not None:
                assert actions[name].text() == entry.live_text(target), name


def enabled(window):
    return {name for actions in window.action_sets for name in actions.entries if actions[name].isEnabled()}


def test_each_action_is_enabled_exactly_when_it_says(reused_on, qtbot):
    window = reused_on(SMALL)
    session = window.session
    steps = [
        lambda: session.select("c"),
        lambda: session.presenter.set_position(0),
        lambda: session.presenter.set_position(session.presenter.n_steps),
        lambda: session.edit("move", view={"moved": {"c": (10.0, 10.0)}}),
        session.undo_stack.undo_edit,
        session.undo_stack.redo_edit,
        window.graph_panel.find_bar.start,
        window.graph_panel.find_bar.leave,
        lambda: session.set_view(shows="network"),
        lambda: window.apply_theme("dark"),
        lambda: session.edit("text", expression={"text": "a = tahn(1.0)"}),
        lambda: session.edit("text", expression={"text": ""}),
        lambda: session.set_view(shows="expression"),
    ]
    assert_enabled_as_said(window)
    for step in steps:
        step()
        qtbot.waitUntil(lambda: not session.presenter.busy)
        assert_enabled_as_said(window)


def test_each_action_is_enabled_exactly_when_it_says_after_reports_of_training(reused_on, qtbot):
    window = reused_on(SMALL)
    session = window.session
    session.set_view(shows="network")
    for amount in ("step", "phase", "phase", "steps", "phase back"):
        session.train(amount)
        qtbot.waitUntil(lambda: not session.training.runner.unanswered and not session.presenter.busy)
        assert_enabled_as_said(window)
    session.run()
    qtbot.waitUntil(lambda: session.newest.snapshot.step > 110)
    assert_enabled_as_said(window)
    session.training.back()
    qtbot.waitUntil(lambda: not session.training.runner.unanswered)
    assert_enabled_as_said(window)


def test_what_needs_a_graph_a_selection_or_an_edit_waits_for_it(reused_on, qtbot):
    window = reused_on(SMALL)
    needs_selection, needs_edit = {"explain", "copy data", "copy grad", "activate", "deselect"}, {"undo"}
    assert not enabled(window) & (needs_selection | needs_edit | {"redo", "reset positions"})
    window.session.select("c")
    window.session.edit("move c", view={"moved": {"c": (10.0, 10.0)}})
    assert enabled(window) >= needs_selection | needs_edit | {"reset positions", "export png", "fit"}
    assert window.action("undo").text() == "&Undo move c" and window.action("explain").text() == "&Explain c"
    window.session.edit("text", expression={"text": ""})
    qtbot.waitUntil(lambda: not window.session.presenter.picture.boxes)
    assert not enabled(window) & {"export png", "copy svg", "fit", "explain", "zoom in"}


@pytest.mark.smoke
def test_every_place_shows_the_action_itself_and_the_page_of_shortcuts_every_key(window, qtbot):
    menus = {action.text().replace("&", ""): menu_of(action, window) for action in window.menuBar().actions()}
    for actions in window.action_sets:
        for entry in actions.entries.values():
            for place, _order in entry.places:
                if place in menus:
                    assert actions[entry.id] in list(entries(menus[place])), entry.id
    bar = [button.defaultAction() for button in window.findChildren(QToolButton) if button.defaultAction() is not None]
    assert {window.action(name) for name in ("reset", "phase", "step", "next", "play", "run")} <= set(bar)
    window.action("shortcuts").trigger()
    text = window.findChild(HelpWindow).browser.toPlainText()
    for heading, there in ACTIONS.items():
        assert heading in text
        for entry in there:
            if entry.sequences():
                assert keys_text(entry) in text and entry.tip in text
    close_dialogs(window, qtbot)


def test_shortcuts_work_in_the_whole_window(window_on, qtbot):
    window = window_on(SMALL)
    window.graph_panel.find_bar.start()
    window.session.edit("one", expression={"text": SMALL + "e = d\n"})
    window.session.edit("two", expression={"text": SMALL + "f = d\n"})
    window.session.edit("three", expression={"text": "a = tahn(1.0)\n"})
    window.session.edit("four", expression={"text": "b = tahn(1.0)\n"})
    window.session.undo_stack.undo_edit()
    window.session.presenter.set_position(2)
    qtbot.waitUntil(lambda: not window.session.presenter.busy)
    window.session.select("d")
    window.session.training.set_control(60.0, 100)
    train(window.session, qtbot, "step")
    done, wanted = [], [entry for entry in ENTRIES if entry.shortcut]
    for entry in wanted:
        window.action(entry.id).triggered.disconnect()
        window.action(entry.id).triggered.connect(lambda _checked, name=entry.id: done.append(name))
    window.activateWindow()
    window.setFocus()
    qtbot.waitUntil(window.isActiveWindow)
    for entry in wanted:
        keys = entry.sequences()[0][0]
        qtbot.keyClick(window, keys.key(), keys.keyboardModifiers())
    assert done == [entry.id for entry in wanted]


def test_names_on_the_page_of_shortcuts_are_escaped(qapp):
    ((_anchor, _heading, html),) = shortcut_parts({"<b>": [Action("a", "A", print, "less < more & <i>", "Ctrl+A")]})
    assert "less &lt; more &amp; &lt;i&gt;" in html


class Tally:
    """What some actions act upon."""

    def __init__(self):
        self.number, self.said = 0, []

    def add(self):
        self.number += 1


def test_adding_an_action_is_one_entry(qtbot):
    entry = Action("add", "&Add", Tally.add, "Add one", "Ctrl+J", ("J",), (("menu", 10), ("inner", 10)),
                   enabled=lambda target: target.number < 2, checked=lambda target: target.number > 0)  # fmt: skip
    target, parent = Tally(), QMenu()
    qtbot.addWidget(parent)
    actions = ActionSet(target, [entry], [Submenu("inner", "Inner", (("menu", 20),))], parent=parent)
    menu = fill_menu(parent, "menu", [actions])
    assert [action.text() for action in menu.actions()] == ["&Add", "", "Inner"]
    assert actions["add"].toolTip() == "Add one (Ctrl+J, J)"
    assert not actions["add"].isChecked()
    actions["add"].trigger()
    assert target.number == 1 and actions["add"].isChecked() and actions["add"].isEnabled()
    next(entries(menu_of(menu.actions()[-1], menu))).trigger()
    assert target.number == 2 and not actions["add"].isEnabled()


def test_what_is_typed_is_in_the_document_before_an_action_is_done(qtbot):
    order, parent = [], QMenu()
    qtbot.addWidget(parent)
    entry = Action("do", "Do", lambda target: order.append("done"))
    ActionSet(parent, [entry], before=lambda: order.append("typed"))["do"].trigger()
    assert order == ["typed", "done"]


def test_a_key_that_is_typed_with_shift_counts_and_keys_with_control_are_not_those_of_the_canvas(
    qtbot, window_on, subtests
):
    canvas = window_on(SMALL).graph_panel.canvas
    for keys in ("+", "="):
        with subtests.test(shift=keys):
            before = canvas.zoom
            qtbot.keyClick(canvas, QKeySequence(keys)[0].key(), Qt.KeyboardModifier.ShiftModifier)
            assert canvas.zoom > before
    with subtests.test(control="-"):
        before = canvas.zoom
        qtbot.keyClick(canvas, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
        assert canvas.zoom == before
    assert {"Home", "+", "-"} <= {keys for entry in CANVAS_ACTIONS for keys in entry.keys}
