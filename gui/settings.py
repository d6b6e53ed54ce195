"""The table of settings, and the store that remembers them: every value that is read is checked.

A setting is an entry of `SETTINGS`: the dialog, the command palette and the tests take it from there. What follows from
a changed value is done by its `apply`; a setting without one is read where it is needed. The store keeps texts only, in
Qt's settings file; a value that is not allowed is the default. Its file: `gui/settings_file.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QMainWindow
from shiboken6 import isValid

from engine.graph.picture import DECIMALS, MOST_DECIMALS, set_decimals, shown_decimals
from engine.language.limits import Limits
from engine.messages import visible
from gui.session.change import EVERYTHING
from gui.session.recent import FIRST_LIMIT, MOST_REMEMBERED, recent_of
from gui.settings_file import SettingsFile
from gui.system_theme import system_theme
from gui.theme import FIRST_PALETTE, PALETTES, TEXT_SIZES, THEMES
from gui.unexpected import contained

Apply = Callable[[Any, Any], object]
"""Called with the main window and the new value."""
MOST_TIMES = 10
"""Largest factor by which the limits of programs can be widened."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A setting, whatever its kind.

    Attributes:
        name: unique; its key in the settings file.
        title: before its control, sentence case.
        explanation: one or two sentences under the title.
        group: heading in the dialog.
        default: its value at first.
        words: more words for the search.
        apply: makes a changed value take effect; None: it is read where it is needed.
        at_start: `apply` is called when the window is made, too.
    """

    name: str
    title: str
    explanation: str
    group: str
    default: Any
    words: str = ""
    apply: Apply | None = None
    at_start: bool = False

    def parse(self, text: str) -> Any:
        """Return the value that a text stands for; ValueError for a text that is no allowed value."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """Return the text of a value in the settings file."""
        return str(value)

    def allows(self, value: Any) -> bool:
        """Return True for an allowed value: its text is parsed to the same value."""
        try:
            return bool(self.parse(self.text(value)) == value)
        except (ValueError, TypeError, OverflowError):
            return False

    @property
    def examples(self) -> tuple[Any, ...]:
        """Some allowed values, the default among them."""
        return (self.default,)

    def matches(self, words: str) -> bool:
        """Return True when every word stands in the group, the title, the explanation or the further words."""
        text = " ".join((self.group, self.title, self.explanation, self.words, *self._choice_words())).lower()
        return all(word in text for word in words.lower().split())

    def _choice_words(self) -> Iterable[str]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Choice(Setting):
    """One of several values, each with its label."""

    choices: Mapping[Any, str]

    def parse(self, text: str) -> Any:
        for value in self.choices:
            if str(value) == text:
                return value
        raise ValueError(f"{text!r} is none of {', '.join(map(str, self.choices))}")

    @property
    def examples(self) -> tuple[Any, ...]:
        return tuple(self.choices)

    def _choice_words(self) -> Iterable[str]:
        return self.choices.values()


@dataclass(frozen=True, kw_only=True)
class Switch(Setting):
    """On or off."""

    def parse(self, text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        return text == "true"

    def text(self, value: Any) -> str:
        return "true" if value is True else "false" if value is False else str(value)

    @property
    def examples(self) -> tuple[bool, ...]:
        return (True, False)


@dataclass(frozen=True, kw_only=True)
class WholeNumber(Setting):
    """A whole number from `low` to `high`, with its unit."""

    low: int
    high: int
    unit: str = ""
    step: int = 1

    def parse(self, text: str) -> int:
        if len(text) > 12 or not (text.isascii() and text.isdecimal()):
            raise ValueError(f"{text!r} is no whole number")
        if not self.low <= (number := int(text)) <= self.high:
            raise ValueError(f"{number:,} is not between {self.low:,} and {self.high:,}")
        return number

    @property
    def examples(self) -> tuple[int, ...]:
        return (self.low, self.default, self.high)


@dataclass(frozen=True, kw_only=True)
class Folders(Setting):
    """A list of folders, absolute; in the settings file one on a line."""

    default: tuple[Path, ...] = ()

    def parse(self, text: str) -> tuple[Path, ...]:
        if "\0" in text:
            raise ValueError("a path has no null character")
        return tuple(dict.fromkeys(Path(line) for line in text.split("\n") if Path(line).is_absolute()))

    def text(self, value: Any) -> str:
        return "\n".join(map(str, value))

    @property
    def examples(self) -> tuple[tuple[Path, ...], ...]:
        return ((), (Path.cwd(), Path.cwd() / "lessons"))


LOOK, NUMBERS, SAFETY, PROGRAMS, FILES = "Look", "Numbers", "Questions", "Limits of programs", "Files and lessons"
GROUPS = (LOOK, NUMBERS, SAFETY, PROGRAMS, FILES)
USUAL = Limits()


def _limit_programs(window: Any, _value: Any) -> None:
    """Set the limits of the programs that run from now on."""
    settings = window.settings
    memory = settings["program memory"] * 1_000_000
    factor = max(1, round(max(settings["program seconds"] / USUAL.seconds, memory / USUAL.memory_bytes)))
    wide = USUAL.times(factor)  # of values and output as many as the larger of both has time and room for
    limits = replace(wide, seconds=float(settings["program seconds"]), memory_bytes=memory)
    window.session.program.set_limits(None if limits == USUAL else limits)


def _show_decimals(window: Any, decimals: int) -> None:
    """Write all numbers with so many decimals."""
    if decimals != shown_decimals():
        set_decimals(decimals)
        window.session.presenter.renew_numbers()
        window.session.announce(*EVERYTHING)
        window.graph_panel.canvas.paint_again()


def _ask_before_replacing(window: Any, asks: bool) -> None:
    for actions in window.action_sets:
        actions.ask = window.files.ask if asks else None


def _follow_motion(window: Any, motion: str) -> None:
    """Let nodes and docks move to their places and the caret blink, or not."""
    system_theme().set_motion(motion)
    options = window.dockOptions() & ~QMainWindow.DockOption.AnimatedDocks
    window.setDockOptions(options | QMainWindow.DockOption.AnimatedDocks if system_theme().has_motion else options)


SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Choice(
            name="theme", title="Theme", group=LOOK, default="system", words="colours dark mode night appearance",
            explanation="Light or dark windows, or the same as the system.",
            choices={"system": "As the system", **{name: name.capitalize() for name in THEMES}},
            apply=lambda window, _value: window.restyle(),
        ),
        Choice(
            name="contrast", title="Contrast", group=LOOK, default="system", words="accessibility visibility borders",
            explanation="High contrast has strong borders and edges, and text of at least 7 : 1 on its background.",
            choices={"system": "As the system", "normal": "Normal", "high": "High"},
            apply=lambda window, _value: window.restyle(),
        ),
        Choice(
            name="palette", title="Palette", group=LOOK, default=FIRST_PALETTE,
            words="colours color blind deuteranopia protanopia tritanopia okabe ito accessibility",
            explanation="Colours of signs, classes and decision regions. Each pair can be told apart with every kind "
            "of colour blindness. Lessons speak of blue and orange.",
            choices={name: name.capitalize() for name in PALETTES}, apply=lambda window, _value: window.restyle(),
        ),
        Choice(
            name="text size", title="Text size", group=LOOK, default=100, words="font letters zoom larger scale",
            explanation="Size of all text and figures, in percent of the system's.",
            choices={percent: f"{percent} %" for percent in TEXT_SIZES},
            apply=lambda window, _value: window.restyle(),
        ),
        Choice(
            name="motion", title="Motion", group=LOOK, default="system", words="animation reduced transitions",
            explanation="Full: nodes and panels move smoothly to their new places. Reduced: they appear there at once.",
            choices={"system": "As the system", "full": "Full", "reduced": "Reduced"},
            apply=_follow_motion, at_start=True,
        ),
        Choice(
            name="decimals", title="Decimals", group=NUMBERS, default=DECIMALS, words="digits precision rounding",
            explanation="Digits after the point on boxes, in tables and under the pointer. Formulas keep digits of "
            "their own, so that their lines add up.",
            choices={n: f"{n}: {1 / 3:.{n}f}" for n in range(2, MOST_DECIMALS + 1)}, apply=_show_decimals,
            at_start=True,
        ),
        Switch(
            name="ask unsaved", title="Ask before discarding unsaved changes", group=SAFETY, default=True,
            explanation="New, Open and Quit ask whether to save the session. When this is off, unsaved changes "
            "are lost.", words="confirm confirmation new discard close",
            apply=lambda window, asks: setattr(window.files, "asks_unsaved", asks), at_start=True,
        ),
        Switch(
            name="ask replace", title="Ask before replacing work", group=SAFETY, default=False,
            explanation="Reset, New weights, examples and Paste a program ask first. Undo brings back what they "
            "replace.", words="confirm confirmation weights reset discard", apply=_ask_before_replacing, at_start=True,
        ),
        WholeNumber(
            name="program seconds", title="Time", group=PROGRAMS, default=round(USUAL.seconds), unit="s",
            low=1, high=MOST_TIMES * round(USUAL.seconds), words="timeout run long loop",
            explanation="A program that runs longer is stopped.", apply=_limit_programs,
            at_start=True,
        ),
        WholeNumber(
            name="program memory", title="Memory", group=PROGRAMS, default=USUAL.memory_bytes // 1_000_000, unit="MB",
            low=50, high=MOST_TIMES * USUAL.memory_bytes // 1_000_000, step=50, words="megabytes size",
            explanation="A program that needs more is stopped. NumPy arrays can use two fifths of it.",
            apply=_limit_programs,
        ),
        WholeNumber(
            name="recent files", title="Recent files", group=FILES, default=FIRST_LIMIT, unit="files",
            low=0, high=MOST_REMEMBERED,
            explanation="Number of files listed under File > Open recent. With 0, no file is remembered.",
            words="history privacy", at_start=True,
            apply=lambda window, limit: recent_of(window.session).set_limit(limit),
        ),
        Folders(
            name="lesson folders", title="Folders of lessons", group=FILES, words="teacher course directory",
            explanation="Folders with lessons by others. They are listed before the lessons of Gradstep.",
            apply=lambda window, folders: window.lessons.set_folders(folders),
        ),
    )
}  # fmt: skip


class Settings(QObject):
    """Values of all settings, by name.

    Signals:
        changed(str): the setting of that name has another value now.
        unsaved(str): a sentence: settings cannot be written; emitted once.
    """

    changed = Signal(str)
    unsaved = Signal(str)

    def __init__(self, kept: QSettings | None = None, first: Mapping[str, Any] | None = None) -> None:
        """Read all values.

        Args:
            kept: where they are remembered; None: nowhere.
            first: values at the first start, where they differ from the defaults.
        """
        super().__init__()
        self._kept = kept
        self._first = first or {}
        self._values = {name: self._read(setting) for name, setting in SETTINGS.items()}
        self._is_lost = False

    def _read(self, setting: Setting) -> Any:
        text = None if self._kept is None else self._kept.value(setting.name)
        if text is None:
            return self._first.get(setting.name, setting.default)
        try:
            return setting.parse(str(text))
        except ValueError:
            return setting.default

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def set(self, name: str, value: Any) -> None:
        """Change a setting, and remember it; ValueError for a value that it does not allow."""
        setting = SETTINGS[name]
        if not setting.allows(value):
            setting.parse(setting.text(value))  # says why
            raise ValueError(f"{value!r} is no value of {setting.title}")
        is_new, self._values[name] = value != self._values[name], value
        if self._kept is not None:
            self._kept.setValue(name, setting.text(value))
            self._kept.sync()  # now: a signal may end the program
            if self._kept.status() is QSettings.Status.AccessError and not self._is_lost:
                self._is_lost = True
                path = visible(self._kept.fileName())
                reason = f" ({self._kept.problem})" if isinstance(self._kept, SettingsFile) else ""
                self.unsaved.emit(f"Settings cannot be saved in {path}{reason}; they last until the window is closed")
        if is_new and isValid(self):  # a dialog may be destroyed after the settings of its closed window
            self.changed.emit(name)

    def reset(self, name: str) -> None:
        """Give a setting its default."""
        self.set(name, SETTINGS[name].default)

    def is_default(self, name: str) -> bool:
        return bool(self._values[name] == SETTINGS[name].default)


def follow_settings(window: Any, settings: Settings) -> None:
    """Apply the settings to the main window: now those that nothing has taken yet, and each one when it changes."""

    def apply(name: str) -> None:
        setting = SETTINGS[name]
        if setting.apply is not None:
            with contained(window):
                setting.apply(window, settings[name])

    for name, setting in SETTINGS.items():
        if setting.at_start:
            apply(name)
    settings.changed.connect(apply)
    settings.unsaved.connect(lambda words: window.show_message(words, "error"))
