"""What the command palette lists: one table of sources, each made of a registry that the window has anyway.

A new source is one entry of `SOURCES`: a function of the window that returns entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from engine.messages import visible
from gui.actions.registry import ACTIONS, MENUS
from gui.arrangement import PANELS
from gui.help.pages import pages
from gui.session.course import course_of
from gui.session.recent import recent_of
from gui.settings import SETTINGS
from gui.widgets.action_set import Action, ActionSet, Submenu, keys_text

LEFT_OUT = {"command palette"}
"""Actions that make no sense in the palette."""
PLACES = {"header": "Graph", "node": "Value", "background": "Graph", "editor": "Program", "workspaces": "View"}
"""What a menu or bar that is not in the menu bar is called in a path."""
NO_REASON = ""


@dataclass(frozen=True)
class Entry:
    """One line of the palette.

    Attributes:
        id: unique; recently chosen entries are remembered by it.
        title: its name.
        do: called when it is chosen, after the palette has closed.
        path: the menus that lead to it, or what it belongs to.
        tip: a sentence without full stop.
        keys: the keys that do the same, as text.
        reason: why it cannot be chosen now, "" when it can; asked when the entry comes into view.
        is_on: a switch or choice that is on.
        words: further words by which it is found.
    """

    id: str
    title: str
    do: Callable[[], object]
    path: tuple[str, ...] = ()
    tip: str = ""
    keys: str = ""
    reason: Callable[[], str] = field(default=lambda: NO_REASON)
    is_on: bool = False
    words: str = ""


def action_entries(window: Any) -> Iterator[Entry]:
    """Every action that the window has, the examples included."""
    sets: list[ActionSet] = window.action_sets
    submenus = {submenu.id: submenu for actions in sets for submenu in actions.submenus}
    for actions in sets:
        actions.refresh()
        for name, entry in actions.entries.items():
            if name not in LEFT_OUT:
                action = actions[name]
                yield Entry(
                    name, _without_mnemonic(action.text()), action.trigger, _path_of(entry, submenus), entry.tip,
                    keys_text(entry), partial(actions.why_not, name), action.isCheckable() and action.isChecked(),
                )  # fmt: skip


def _path_of(entry: Action[Any], submenus: dict[str, Submenu]) -> tuple[str, ...]:
    """Return the titles of the menus that lead to an action; those of the menu bar rather than context menus."""
    if entry.choice == "workspace":  # they stand in the menu View itself
        return "View", "Workspaces"
    paths = [_menus(place, submenus) for place, _order in entry.places]
    paths.sort(key=lambda path: path[0] not in MENUS)
    if paths:
        return paths[0]
    heading = next((heading for heading, entries in ACTIONS.items() if entry in entries), "")
    return (heading.removeprefix("The ").partition(",")[0].capitalize(),)


def _menus(place: str, submenus: dict[str, Submenu]) -> tuple[str, ...]:
    if place not in submenus:
        return (PLACES.get(place, place),)
    above = [_menus(outer, submenus) for outer, _order in submenus[place].places]
    above.sort(key=lambda path: path[0] not in MENUS)
    return (*above[0], _without_mnemonic(submenus[place].text))


def _without_mnemonic(text: str) -> str:
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def panel_entries(window: Any) -> Iterator[Entry]:
    """Every panel that has a title bar; Welcome is a workspace."""
    for name, entry in PANELS.items():
        if entry.has_title:
            yield Entry(f"panel {name}", entry.title, partial(window.show_panel, name), ("View", "Panels"),
                        "Show this panel, in front of the others")  # fmt: skip


def lesson_entries(window: Any) -> Iterator[Entry]:
    """Every lesson, those of a teacher's folders included."""
    course = course_of(window.session)
    for number, lesson in enumerate(course.lessons, 1):
        title = f"{number} · {lesson.title}"
        yield Entry(f"lesson {lesson.name}", title, partial(course.open, lesson.name), ("Lessons",), lesson.summary)


def node_entries(window: Any) -> Iterator[Entry]:
    """Every value of the graph on the canvas; choosing one selects it and brings it to the middle."""
    graph = window.graph_panel

    def show(key: str) -> None:
        window.show_graph()
        window.session.select(key)
        graph.canvas.reveal(key)
        graph.canvas.center_on(key)
        graph.canvas.setFocus()

    for key, box in graph.canvas.picture.boxes.items():
        if box.label:
            yield Entry(f"node {key}", box.label, partial(show, key), ("Node",), "Select this value and centre it")


def setting_entries(window: Any) -> Iterator[Entry]:
    """Every setting; choosing one opens the dialog at it."""
    for setting in SETTINGS.values():
        yield Entry(f"setting {setting.name}", f"Setting: {setting.title}", partial(window.show_settings, setting.name),
                    ("Edit", "Settings", setting.group), setting.explanation, words=setting.words)  # fmt: skip


def recent_entries(window: Any) -> Iterator[Entry]:
    """The files that were opened or saved last."""
    recent = recent_of(window.session)

    def reason_against(path: Path) -> str:
        return recent.reasons.get(path, NO_REASON)

    for path in recent.paths[: recent.limit]:
        yield Entry(f"recent {path}", visible(path.name), partial(window.files.open_path, path),
                    ("File", "Open recent"), "Open this file again", reason=partial(reason_against, path))  # fmt: skip


def help_entries(window: Any) -> Iterator[Entry]:
    """Every page of the help."""
    for page in pages().values():
        path, title = (
            (("Help", page.group), f"Help: {page.title}") if page.group else (("Help",), "Contents of the help")
        )
        yield Entry(
            f"help {page.name}", title, partial(window.show_help, page.name), path, "Open this page of the help"
        )


@dataclass(frozen=True)
class Source:
    """A kind of entries.

    Attributes:
        title: what the entries are, in the plural.
        entries: makes them, for a window.
        at_first: listed while nothing is typed; where there are thousands, they wait for the first letter.
        is_remembered: chosen ones stand among the recently used ones the next time.
    """

    title: str
    entries: Callable[[Any], Iterable[Entry]]
    at_first: bool = True
    is_remembered: bool = True


SOURCES = (
    Source("actions", action_entries),
    Source("panels", panel_entries),
    Source("lessons", lesson_entries),
    Source("recent files", recent_entries, is_remembered=False),
    Source("settings", setting_entries),
    Source("pages of the help", help_entries),
    Source("nodes of the graph", node_entries, at_first=False, is_remembered=False),
)
"""All sources; of equally good matches those of an earlier source stand first."""
