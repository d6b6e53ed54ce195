"""Actions of a session's graph: its panel, and the stepper under it."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QGuiApplication, QKeySequence

from engine.document import View
from engine.graph.expanded import PREFIX
from engine.graph.forms import FORMS
from engine.graph.legibility import AUTO
from engine.layout import LAYOUTS, why_not
from engine.views.group_visibility import GroupChoice
from engine.views.shown_walk import ALL
from gui.actions.selected_value import digits_of, selected_key, selected_label
from gui.actions.targets import Graph, Stepper
from gui.session import Session
from gui.widgets.action_set import Action, Submenu

STYLES: dict[str, dict[str, tuple[str, str]]] = {
    "form": {
        AUTO: ("&Automatic", "Choose the most readable box style"),
        **{name: (form.title, form.tip) for name, form in FORMS.items()},
    },
    "direction": {
        AUTO: ("&Automatic", "The direction in which texts are largest when the whole graph is seen"),
        "right": ("Left to right", "Lay the graph out left to right"),
        "down": ("Top-down", "Lay the graph out top-down"),
    },
    "layout": {name: (entry.title, entry.tip) for name, entry in LAYOUTS.items()},
}
"""Fields of the view that say how a graph is drawn: what they can be, with a title and a tip."""
SUBJECTS = {"expression": "The graph of the program", "network": "The network on one sample, while it trains"}
EXPAND_KEYS = "Ctrl+E"
SAMPLES = (1, 2, 3, 4, 6, 8)


NOT_SELECTED = "Select a value in the graph first"
NOT_FINDING = "Open Find first"
NO_PARTS = "The walk has no parts: step by operations, through a graph"

# The stepper

PLAY_TEXTS = "▶ Play walk", "❚❚ Pause walk"
"""Texts of the button while nothing plays, and while the walk plays."""


def _has_phases(stepper: Stepper) -> bool:
    return stepper.session.presenter.n_steps > 0 and not stepper.steps_by_lines


STEPPER_ACTIONS: tuple[Action[Stepper], ...] = (
    Action(
        "start", "To the &start", lambda stepper: stepper.go(0), "Nothing computed yet: only the leaves are known",
        places=(("Graph", 10),), button="|◀",
    ),
    Action(
        "back", "&Back", lambda stepper: stepper.back(), "Undo the last operation, contribution or update",
        "Shift+F10", places=(("Graph", 11),), enabled=lambda stepper: stepper.can_go_back,
        needs="The walk is at its start", button="◀ Back",
    ),
    Action(
        "next", "&Next operation", lambda stepper: stepper.next(),
        "The next operation forward, contribution backward, or update", "F10", places=(("Graph", 12),),
        enabled=lambda stepper: stepper.can_go_on,
        needs="The walk is at its end: press Back, or go to the start", button="Next ▶",
    ),
    Action(
        "phase back", "To the start of this pa&rt", lambda stepper: stepper.go_to_phase(-1),
        "To where the present part of the walk began: forward, zero_grad, backward or update",
        "Ctrl+Shift+F10", places=(("Graph", 13),),
        enabled=_has_phases, needs=NO_PARTS,
    ),
    Action(
        "phase on", "To the &end of this part", lambda stepper: stepper.go_to_phase(1),
        "To where the present part of the walk is over: forward, zero_grad, backward or update",
        "Ctrl+F10", places=(("Graph", 13),),
        enabled=_has_phases, needs=NO_PARTS,
    ),
    Action(
        "play", PLAY_TEXTS[0], lambda stepper: stepper.toggle_play(),
        "Play the walk through the program; F5 in the workspaces Understand and Both",
        places=(("Graph", 14),), live_text=lambda stepper: PLAY_TEXTS[stepper.is_playing],
        enabled=lambda stepper: stepper.session.presenter.n_steps > 0 or stepper.steps_by_lines,
        needs="There is no walk to play: write a program that computes a value",
    ),
    Action(
        "play slower", "Play slo&wer", lambda stepper: stepper.change_speed(-1),
        "Half as many steps a second while playing", "Alt+,", places=(("Graph", 14),),
        enabled=lambda stepper: stepper.can_change_speed(-1), needs="The walk has its slowest speed",
    ),
    Action(
        "play faster", "Play &faster", lambda stepper: stepper.change_speed(1),
        "Twice as many steps a second while playing", "Alt+.", places=(("Graph", 14),),
        enabled=lambda stepper: stepper.can_change_speed(1), needs="The walk has its fastest speed",
    ),
    Action(
        "all", "Compute &all", lambda stepper: stepper.go(ALL), "Everything computed", "Alt+F10",
        places=(("Graph", 15),), button="All ▶|",
    ),
    Action(
        "by operations", "Step by &operations", lambda stepper: stepper.step_by_lines(False),
        "Next and Back go through the graph: one operation forward, one contribution backward at a time",
        button="operation", places=(("Graph", 18),), checked=lambda stepper: not stepper.steps_by_lines,
    ),
    Action(
        "by lines", "Step by &lines", lambda stepper: stepper.step_by_lines(not stepper.steps_by_lines),
        "Next and Back go through the program: one statement at a time, with its variables and the growing graph",
        "Ctrl+F11", button="line", places=(("Graph", 18),), checked=lambda stepper: stepper.steps_by_lines,
        enabled=lambda stepper: not stepper.session.presenter.shows_network,
        needs="Only a program is stepped by lines: show the expression first",
    ),
)  # fmt: skip


WALK_ACTIONS = ("start", "back", "next", "phase back", "phase on", "play", "all", "by operations", "by lines")
"""Actions of the stepper whose outcome is seen on the canvas."""

# The panel


def _view(graph: Graph) -> View:
    return graph.session.document.view


def _explain(graph: Graph) -> None:
    key = selected_key(graph.session)
    if key is not None:
        graph.explain(key)


def expansion_choice(session: Session) -> GroupChoice | None:
    """Return the choice that expands the operation of the selected value, or collapses the one it belongs to."""
    key = selected_key(session)
    choices = session.presenter.groups.choices(key) if key is not None else ()
    named = [choice for choice in choices if any(name.startswith(PREFIX) for name in choice.expands + choice.collapses)]
    return named[0] if named else None


def _expand(graph: Graph) -> None:
    choice = expansion_choice(graph.session)
    if choice is not None:
        graph.session.presenter.groups.choose(choice)


def _run_to(graph: Graph) -> None:
    shown, key = graph.session.presenter, selected_key(graph.session)
    value = shown.value(key)
    if value is not None:
        shown.set_position(shown.shown_walk.position_of(value, shown.position))


def _has_elements(graph: Graph) -> bool:
    value = graph.session.presenter.value(selected_key(graph.session))
    return value is not None and isinstance(value.data, np.ndarray)


def _copying(number: str, title: str) -> Action[Graph]:
    """Copies the data or the gradient of the selected value."""

    def copy(graph: Graph) -> None:
        text = digits_of(graph.session, number)
        QGuiApplication.clipboard().setText(text)
        graph.session.message_posted.emit(f"Copied {text}", "note")

    return Action(
        f"copy {number}", f"Copy &{title}", copy, f"Copy the {title} of the selected value with all its digits",
        places=(("node", 11),), enabled=lambda graph: bool(digits_of(graph.session, number)),
        needs=f"Select a value with {'data' if number == 'data' else 'a gradient'} first",
        follows_numbers=True,
    )  # fmt: skip


def _subject(subject: str, tip: str) -> Action[Graph]:
    """Chooses what the canvas shows."""
    return Action(
        f"show {subject}", subject.capitalize(), lambda graph: graph.session.set_view(shows=subject), tip,
        checked=lambda graph: _view(graph).shows == subject, choice="subject",
    )  # fmt: skip


def _style(field: str, value: str) -> Action[Graph]:
    """Chooses a form, direction or layout; places given by hand belong to the one before."""
    title, tip = STYLES[field][value]

    def draw(graph: Graph) -> None:
        if value != getattr(_view(graph), field):
            fields = {field: value, "moved": {}, "moved_in_network": {}}
            graph.session.edit(f"{field} {title.replace('&', '').lower()}", view=fields)

    return Action(
        f"{field} {value}", title, draw, tip, places=((field, 10 + 10 * (value != AUTO)),), choice=field,
        checked=lambda graph: getattr(_view(graph), field) == value,
        reason=lambda graph: why_not(value, graph.session.presenter.graph_view.graph) if field == "layout" else "",
    )  # fmt: skip


def _samples(number: int) -> Action[Graph]:
    """Chooses how many samples share the graph of the network."""
    return Action(
        f"samples {number}", str(number), lambda graph: graph.session.set_view(n_samples=number),
        "How many samples share the graph", places=(("samples", 10),), choice="samples",
        checked=lambda graph: _view(graph).n_samples == number,
        enabled=lambda graph: _view(graph).shows == "network" and number <= graph.session.dataset.n_samples,
        needs="Show the network first; its data need that many samples",
    )  # fmt: skip


def _is_finding(graph: Graph) -> bool:
    return graph.find_bar.isVisible()


GRAPH_MENUS = (
    Submenu("form", "&Boxes", (("header", 10), ("View", 3))),
    Submenu("direction", "&Direction", (("header", 11), ("View", 4))),
    Submenu("layout", "&Layout", (("header", 12), ("View", 5))),
    Submenu("samples", "&Samples in the graph", (("header", 23),)),
)

GRAPH_ACTIONS: tuple[Action[Graph], ...] = (
    Action(
        "explain", "&Explain value", _explain, "Why the selected value has its numbers", places=(("node", 10),),
        enabled=lambda graph: selected_key(graph.session) is not None, needs=NOT_SELECTED,
        live_text=lambda graph: f"&Explain {selected_label(graph.session).replace('&', '&&')}",
    ),
    Action(
        "expand", "E&xpand or collapse", _expand,
        "Take the selected operation apart into simpler ones in place, or put it together again", EXPAND_KEYS,
        places=(("Graph", 17),), enabled=lambda graph: expansion_choice(graph.session) is not None,
        needs="Select a value whose operation is made of simpler ones, such as tanh",
    ),
    Action(
        "run to", "&Run to here", _run_to,
        "Step to where the selected value gets its data, or where its gradient is complete", "Shift+F11",
        places=(("node", 13), ("Graph", 16)), enabled=lambda graph: selected_key(graph.session) is not None,
        needs=NOT_SELECTED,
    ),
    Action(
        "predict one", "&Predict its gradient", lambda graph: graph.predict_selected(),
        "Hide the gradient of the selected value, and type it in its box", places=(("node", 14), ("Graph", 22)),
        enabled=lambda graph: selected_key(graph.session) is not None, needs=NOT_SELECTED,
    ),
    _copying("data", "data"),
    _copying("grad", "gradient"),
    Action(
        "elements", "E&lements…", lambda graph: graph.show_elements(), "The elements of an array in a table",
        places=(("node", 12),), enabled=_has_elements, needs="Select an array first",
    ),
    *(_subject(subject, tip) for subject, tip in SUBJECTS.items()),
    *(_style(field, value) for field, values in STYLES.items() for value in values),
    Action(
        "hide constants", "&Hide constants",
        lambda graph: graph.session.set_view(hide_constants=not _view(graph).hide_constants),
        "Leave out the numbers that are written in the program",
        places=(("header", 20), ("node", 41), ("background", 20)), checked=lambda graph: _view(graph).hide_constants,
    ),
    Action(
        "flow", "&Gradient flow", lambda graph: graph.show_flow(not graph.flow_shown),
        "Edges as wide as the gradient that runs along them, coloured by its sign",
        places=(("header", 21), ("node", 42), ("background", 21)), checked=lambda graph: graph.flow_shown,
    ),
    *map(_samples, SAMPLES),
    Action(
        "find", "&Find…", lambda graph: graph.find_bar.start(), "Find a node by its name",
        QKeySequence.StandardKey.Find, button="Find",
        places=(("header", 30), ("background", 11)),
    ),
    Action(
        "find next", "Find next", lambda graph: graph.find_bar.go(1), "The next node with that name", "F3", button="▼",
        enabled=_is_finding, needs=NOT_FINDING,
    ),
    Action(
        "find previous", "Find previous", lambda graph: graph.find_bar.go(-1), "The node with that name before",
        "Shift+F3", button="▲", enabled=_is_finding, needs=NOT_FINDING,
    ),
    Action(
        "end finding", "Close the bar for finding", lambda graph: graph.find_bar.leave(), "Close", keys=("Esc",),
        button="✕", enabled=_is_finding, needs=NOT_FINDING,
    ),
    Action(
        "reset positions", "&Reset positions",
        lambda graph: graph.session.edit("reset positions", view={_view(graph).field_of_moved: {}}),
        "Put every value back where the layout has it", places=(("header", 40), ("background", 22)),
        enabled=lambda graph: bool(_view(graph).moved_here), needs="No value was moved by hand",
    ),
)  # fmt: skip
