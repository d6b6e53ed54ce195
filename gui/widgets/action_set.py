"""Actions: turns the registry's entries into QActions, menus and shortcuts.

An entry says everything about an action: what it is called, its keys, when it is enabled, what it does, and in which
menus it stands. An `ActionSet` makes the QActions of all entries for one thing that they act upon (a canvas, a graph
panel, a window); `fill_menu` fills a menu with whatever says that it belongs there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QKeyCombination, QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from gui.unexpected import contained

T = TypeVar("T")
Place = tuple[str, int]
"""A menu, and where in it: entries stand in the order of their numbers, with a line where the tens differ."""
Keys = str | QKeySequence.StandardKey | tuple[str, ...]
NOT_NOW = "Not possible at the moment"
"""Reason of an action that is disabled without another one."""
Extra = Mapping[Place, Sequence[QAction]]
"""Menu entries besides those of the registry, made of the current state."""


@dataclass(frozen=True)
class Action(Generic[T]):
    """One thing that a user can do.

    Attributes:
        id: unique.
        text: for menus, `&` before the letter that chooses it.
        do: does it to the target.
        tip: a sentence without full stop.
        shortcut: works in the whole window.
        keys: work while the target itself has the keyboard.
        places: the menus it stands in.
        button: for buttons, where it is another text than that of menus.
        enabled: says whether it can be done now; None: always.
        checked: for a switch or a choice whether it is on.
        choice: entries with the same name are choices of which one is on; "" for none.
        live_text: the text of the moment, where it is not always the same.
        needs: what to do first where `enabled` says no, such as "Select a value first"; shown with the tip then.
        reason: why it cannot be done now, instead of the tip; "" when it can. Asked when a menu opens.
        follows_numbers: whether `enabled`, `checked` or `live_text` change with the numbers shown, as with each report
            of running training; those of most actions change with what the user does alone.
        replaces: a question, where it would replace work now; "" where not. Asked where `ActionSet.ask` is set.
    """

    id: str
    text: str
    do: Callable[[T], object]
    tip: str = ""
    shortcut: Keys = ""
    keys: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    button: str = ""
    enabled: Callable[[T], bool] | None = None
    checked: Callable[[T], bool] | None = None
    choice: str = ""
    live_text: Callable[[T], str] | None = None
    needs: str = ""
    reason: Callable[[T], str] | None = None
    follows_numbers: bool = False
    replaces: Callable[[T], str] | None = None

    def sequences(self) -> list[QKeySequence]:
        """All keys that do it, those of the whole window first."""
        return [*_sequences(self.shortcut), *map(QKeySequence, self.keys)]

    @property
    def has_state(self) -> bool:
        """True when anything of the QAction changes between two openings of a menu."""
        return any(rule is not None for rule in (self.enabled, self.checked, self.live_text))

    @cached_property
    def whole_tip(self) -> str:
        """The tip with the keys."""
        keys = keys_text(self)
        tip = self.tip or self.text.replace("&", "")
        return f"{tip} ({keys})" if keys else tip

    def why_not(self, target: T) -> str:
        """Return why it cannot be done now, a sentence without full stop; "" when it can."""
        if self.reason is not None:
            return self.reason(target)
        return "" if self.enabled is None or self.enabled(target) else self.needs or NOT_NOW


@dataclass(frozen=True)
class Submenu:
    """A menu inside menus; its id is the name of the places in it."""

    id: str
    text: str
    places: tuple[Place, ...]


def _sequences(keys: Keys) -> list[QKeySequence]:
    if isinstance(keys, QKeySequence.StandardKey):
        return QKeySequence.keyBindings(keys)[:1]
    return [QKeySequence(each) for each in ((keys,) if isinstance(keys, str) else keys) if each]


def keys_text(action: Action[Any]) -> str:
    """The keys of an action as they stand in tips and on the page of shortcuts."""
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(sequence.toString(form) for sequence in action.sequences())


class ActionSet(QObject):
    """The QActions of some entries, for one target.

    Attributes:
        entries: by id.
        submenus: the menus that they stand in.
        ask: asks the user a question, and does what it is called with for the answer of that text; None: not asked.
    """

    ask: Callable[[str, dict[str, Callable[[], object]]], None] | None = None

    def __init__(
        self,
        target: Any,
        entries: Iterable[Action[Any]],
        submenus: Sequence[Submenu] = (),
        before: Callable[[], object] = lambda: None,
        parent: QObject | None = None,
    ) -> None:
        """Make all actions.

        Args:
            target: what they act upon.
            entries: of the registry.
            submenus: the menus that they stand in.
            before: called before any of them is done, such as for putting what is being typed into the document.
            parent: of the QActions; the target when None.
        """
        super().__init__(parent or target)
        self.entries = {entry.id: entry for entry in entries}
        self.submenus = tuple(submenus)
        self._target, self._before = target, before
        self._groups: dict[str, QActionGroup] = {}
        self._actions = {entry.id: self._make(entry) for entry in self.entries.values()}
        self._with_state = [(self._actions[name], entry) for name, entry in self.entries.items() if entry.has_state]
        self._items: dict[str, list[tuple[int, QAction | Submenu]]] = {}
        for name, entry in self.entries.items():
            for menu, order in entry.places:
                self._items.setdefault(menu, []).append((order, self._actions[name]))
        for submenu in submenus:
            for menu, order in submenu.places:
                self._items.setdefault(menu, []).append((order, submenu))
        self._by_keys = {QKeySequence(keys): entry.id for entry in self.entries.values() for keys in entry.keys}
        self.refresh()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def items(self, menu: str) -> Sequence[tuple[int, QAction | Submenu]]:
        """Return the entries of a menu or bar, each with its order."""
        return self._items.get(menu, ())

    def _make(self, entry: Action[Any]) -> QAction:
        action = QAction(entry.text, self)
        action.setObjectName(entry.id)
        action.setShortcuts(_sequences(entry.shortcut))
        action.setToolTip(entry.whole_tip)
        action.setStatusTip(entry.tip)
        action.setIconText(entry.button or entry.text.replace("&", ""))
        action.setCheckable(entry.checked is not None)
        if entry.choice:
            self._groups.setdefault(entry.choice, QActionGroup(self)).addAction(action)
        action.triggered.connect(lambda _checked=False: self._do(entry))
        return action

    def _do(self, entry: Action[Any]) -> None:
        self._before()
        question = entry.replaces(self._target) if entry.replaces is not None and self.ask is not None else ""
        if question and self.ask is not None:
            self.refresh()
            self.ask(question, {entry.text.replace("&", ""): lambda: self._do_now(entry)})
        else:
            self._do_now(entry)

    def _do_now(self, entry: Action[Any]) -> None:
        try:
            entry.do(self._target)
        finally:
            self.refresh()

    def refresh(self, only_numbers: bool = False) -> None:
        """Show what can be done now, and what is on; `only_numbers`: nothing but the numbers shown has changed."""
        for action, entry in self._with_state:
            if entry.follows_numbers or not only_numbers:
                with contained():
                    if entry.enabled is not None:
                        action.setEnabled(entry.enabled(self._target))
                        if entry.needs:
                            needs = "" if action.isEnabled() else f"\n{entry.needs}"
                            action.setToolTip(entry.whole_tip + needs)
                    if entry.checked is not None:
                        action.setChecked(entry.checked(self._target))
                    if entry.live_text is not None:
                        action.setText(entry.live_text(self._target))
                        action.setIconText(action.text())  # what buttons show

    def why_not(self, name: str) -> str:
        """Return why an action cannot be done now; "" when it can."""
        return self.entries[name].why_not(self._target)

    def show_reasons(self) -> None:
        """Disable what cannot be done now for a reason, which becomes its tip."""
        for name, entry in self.entries.items():
            if entry.reason is not None:
                reason = entry.reason(self._target)
                self._actions[name].setEnabled(not reason)
                self._actions[name].setToolTip(reason or entry.whole_tip)

    def press(self, event: QKeyEvent) -> bool:
        """Do the action of a key of the target; return True when there is one that can be done now."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        without_shift = modifiers & ~Qt.KeyboardModifier.ShiftModifier  # as "+" is typed on many keyboards
        pressed = (QKeySequence(QKeyCombination(m, Qt.Key(event.key()))) for m in (modifiers, without_shift))
        name = next((self._by_keys[keys] for keys in pressed if keys in self._by_keys), None)
        if name is None:
            return False
        self.refresh()
        if not self._actions[name].isEnabled():
            return False
        self._actions[name].trigger()
        return True

    def attach(self, widget: QWidget) -> None:
        """Enable the shortcuts in the window of a widget."""
        widget.addActions([action for action in self._actions.values() if action.shortcuts()])

    def button(self, name: str) -> QToolButton:
        """Return a new button for an action."""
        return _button_of(self._actions[name])


def fill_menu(menu: QMenu, name: str, sets: Sequence[ActionSet], extra: Extra | None = None) -> QMenu:
    """Fill a menu, and its submenus, with the actions whose places name it.

    Args:
        menu: an empty one.
        name: of the places in it.
        sets: the actions there are.
        extra: other actions, by place.
    """
    menu.setToolTipsVisible(True)
    for actions in sets:
        menu.aboutToShow.connect(lambda actions=actions: actions.refresh())
        menu.aboutToShow.connect(actions.show_reasons)
    before = None
    for order, item in _items(name, sets, extra or {}):
        if before is not None and order // 10 != before // 10:
            menu.addSeparator()
        before = order
        if isinstance(item, Submenu):
            inner = add_submenu(menu, item.text)
            inner.setObjectName(item.id)
            fill_menu(inner, item.id, sets, extra)
        else:
            menu.addAction(item)
    return menu


def add_submenu(menu: QMenu, title: str) -> QMenu:
    """Add a menu to a menu; PySide keeps those of `addMenu(title)`, and their actions, after they were deleted."""
    submenu = QMenu(title, menu)
    menu.addMenu(submenu)
    return submenu


def buttons_of(name: str, sets: Sequence[ActionSet]) -> list[QToolButton]:
    """Return new buttons for the actions that stand in a bar."""
    return [_button_of(item) for _order, item in _items(name, sets, {}) if isinstance(item, QAction)]


def _items(name: str, sets: Sequence[ActionSet], extra: Extra) -> list[tuple[int, QAction | Submenu]]:
    """Return the entries of a menu or bar, in order."""
    items = [item for actions in sets for item in actions.items(name)]
    items += [(order, action) for (menu, order), others in extra.items() if menu == name for action in others]
    return sorted(items, key=lambda pair: pair[0])


def _button_of(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    return button
