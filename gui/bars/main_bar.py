"""The tool bar: file name, workspaces, and the actions and figures of the workspace that is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from html import escape

from PySide6.QtCore import QEvent, QSettings, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QSpinBox,
    QToolBar,
    QToolButton,
    QWidget,
    QWidgetAction,
)

from gui.actions.graph import PLAY_TEXTS
from gui.actions.targets import Stepper
from gui.actions.training import PHASE_TEXTS, RUN_TEXTS
from gui.arrangement import LESSON, WORKSPACES, Workspace
from gui.bars.speed_control import TrainingSpeed, WalkSpeed
from gui.bars.tool_icons import GLYPHS, ICON_FILES, icon_file, tool_icon
from gui.presenter.loss_texts import readout
from gui.session import Change, Session
from gui.theme import mono_font, set_style_property, text_pixels
from gui.widgets.action_set import ActionSet, buttons_of, fill_menu
from gui.widgets.buttons import menu_button, set_words
from gui.widgets.choices import segmented
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets

FULL_SPEED = "all"
"""Setting of a training speed without limit."""
MOST_TOGETHER = 10**9
LEAST_READOUT = "step 4,120 · 0.0831"
"""The figures keep room for this text before anything else leaves the bar."""
ICON_PIXELS = 16
TEXTS_OF = {"run": RUN_TEXTS, "play": PLAY_TEXTS, "phase": PHASE_TEXTS}
"""All texts of the buttons whose text changes: they keep the width of the longest one."""
SHORT = "short speed"
LEAVING = (
    "file", "smaller text", "larger text", SHORT, "export", "training words", "walk by",
    "reset", "phase", "walk speed", "lesson everything", "steps", "training speed", "back step", "leave lesson", "back",
    "step", "next",
)  # fmt: skip
"""Parts that move from a narrow bar to the menu at its end, in this order; `SHORT` shortens the speed controls, after
which buttons go that are not named here."""
TEXTS = {
    "training words": "training:",
    "by": "by:",
    "more": "»",
    "more tip": "More actions that have no room in the bar",
    "export tip": "Pictures and texts of the graph, its backward pass, and the plots",
    "together tip": "Number of steps that the button before this one runs",
}


class MainBar(QToolBar):
    """One tool bar for all workspaces; `Workspace.bar` lists the items that each of them shows.

    Attributes:
        readout: step and loss that are shown, at the right of the bar.
        speed: speed of training.
        together: number of steps that the button next to it runs; typed in the menu of that button.
        more: menu button at the end, shown when something had to leave the bar.
    """

    def __init__(
        self, session: Session, action_sets: Sequence[ActionSet], stepper: Stepper, window: QMainWindow
    ) -> None:
        super().__init__("Actions", window)
        self.setObjectName("training bar")  # its name in saved arrangements
        self.setMovable(False)
        self._session, self._sets = session, action_sets
        self._workspace: Workspace | None = None
        self._has_icons = False
        self._actions = {name: actions[name] for actions in action_sets for name in actions.entries}
        self._file = QLabel()
        self._file.setContentsMargins(4, 0, 12, 0)
        self.readout = ElidedLabel(whole=True)
        self.readout.setFont(mono_font(12))
        self.readout.setContentsMargins(10, 0, 0, 0)
        self.readout.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.speed, self._walk_speed = TrainingSpeed(session), WalkSpeed(stepper)
        for speed in (self.speed, self._walk_speed):  # what a wide window has to spare is the readout's
            speed.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._buttons: dict[str, QToolButton] = {}
        self._items: dict[str, tuple[QWidget, QAction]] = {}
        self._add("file", self._file)
        self._add("workspaces", segmented(buttons_of("workspaces", action_sets)))
        self._add_buttons("back", "next", "play")
        self._add("walk speed", self._walk_speed)
        self._add("walk by", self._walk_by())
        words = muted_label(TEXTS["training words"])
        words.setContentsMargins(10, 0, 0, 0)
        self._add("training words", words)
        self._add_buttons("reset", "back step", "phase", "step")
        self._add("steps", segmented([self._button("steps"), self._together_button()]))
        self._add_buttons("run")
        self._add("training speed", self.speed)
        self._add("readout", self.readout)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._add("space", space)
        self._add_buttons("smaller text", "larger text", "lesson everything", "leave lesson")
        self._export = menu_button("Export ▾", TEXTS["export tip"])
        self._export.setMenu(fill_menu(QMenu("&Export", self), "export", action_sets))
        self._add("export", self._export)
        self.more = menu_button(TEXTS["more"], TEXTS["more tip"], "more actions")
        self.more.setMenu(QMenu(self.more))
        self.more.menu().setToolTipsVisible(True)
        self.more.menu().aboutToShow.connect(self._fill_more)
        self._add("more", self.more)
        self._insert_other_buttons()
        session.changed.connect(self._follow)

    # Items

    def _add(self, name: str, widget: QWidget) -> None:
        self._items[name] = widget, self.addWidget(widget)

    def _button(self, name: str) -> QToolButton:
        button, action = QToolButton(), self._actions[name]
        button.setDefaultAction(action)
        action.changed.connect(lambda: self._dress(name))  # after the button has taken the action's text
        self._buttons[name] = button
        return button

    def _dress(self, name: str) -> None:
        """Give a button its icon and its text without signs, or where there is no room the text alone."""
        button, text = self._buttons[name], self._actions[name].iconText()
        file = icon_file(name, text) if self._has_icons else ""
        icon = QIcon()
        if file:
            colors, role = QGuiApplication.palette(), QPalette.ColorRole
            on, muted = colors.color(role.HighlightedText).name(), colors.color(role.PlaceholderText).name()
            plain = on if button.property("primary") else colors.color(role.ToolTipText).name()
            icon = tool_icon(file, plain, muted, on, self.iconSize().height(), self.devicePixelRatioF())
        style = Qt.ToolButtonStyle
        button.setToolButtonStyle(style.ToolButtonTextBesideIcon if file else style.ToolButtonTextOnly)
        button.setIconSize(self.iconSize())
        button.setIcon(icon)
        set_words(button, self._text(name, text))

    def _text(self, name: str, text: str) -> str:
        """Return the text of a button: without signs that its icon stands for."""
        return GLYPHS.sub(" ", text).strip() if self._has_icons and name in ICON_FILES else text

    def _set_icons(self, wanted: bool) -> None:
        self._has_icons = wanted
        pixels = min(text_pixels(ICON_PIXELS), self._export.fontMetrics().height())  # no button is higher for its icon
        self.setIconSize(QSize(pixels, pixels))
        for name in self._buttons:
            self._dress(name)
        file = "export" if wanted else ""
        text = QGuiApplication.palette().color(QPalette.ColorRole.ToolTipText).name()
        self._export.setIcon(tool_icon(file, text, text, text, pixels, self.devicePixelRatioF()) if file else QIcon())
        style = Qt.ToolButtonStyle
        self._export.setToolButtonStyle(style.ToolButtonTextBesideIcon if wanted else style.ToolButtonTextOnly)

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icons in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._workspace is not None:
            self._set_icons(self._has_icons)

    def _add_buttons(self, *names: str) -> None:
        for name in names:
            self._add(name, self._button(name))

    def _insert_other_buttons(self) -> None:
        """Make a button for every other action that a workspace names, before the part that follows it there."""
        for about in WORKSPACES.values():
            for name, others in ((name, about.bar[place + 1 :]) for place, name in enumerate(about.bar)):
                if name not in self._items:
                    following = next((each for each in others if each in self._items), "more")
                    button = self._button(name)
                    self._items[name] = button, self.insertWidget(self._items[following][1], button)

    def _walk_by(self) -> QWidget:
        """The choice between the operations of the graph and the lines of the program."""
        part = QWidget()
        choice = segmented([self._button("by operations"), self._button("by lines")])
        add_widgets(QHBoxLayout(part), muted_label(TEXTS["by"]), choice, margins=(4, 0, 0, 0), spacing=6)
        return part

    def _together_button(self) -> QToolButton:
        """Opens the menu in which the number of steps run together is chosen or typed."""
        button = menu_button("▾", TEXTS["together tip"], "number of steps run together")
        self.together = QSpinBox()
        self.together.setRange(1, MOST_TOGETHER)
        self.together.setGroupSeparatorShown(True)
        self.together.setAccessibleName("steps run together")
        self.together.setKeyboardTracking(False)
        self.together.valueChanged.connect(self._set_together)
        menu = fill_menu(QMenu(button), "steps together", self._sets)
        entry = QWidgetAction(menu)
        entry.setDefaultWidget(self.together)
        menu.addAction(entry)
        menu.aboutToShow.connect(lambda: self.together.setValue(self._session.training.count))
        button.setMenu(menu)
        return button

    def _set_together(self, count: int) -> None:
        self._session.training.set_control(self._session.training.speed, count)

    def _fill_more(self) -> None:
        """Put the actions of everything that had to leave the bar into its menu, with their texts."""
        menu = self.more.menu()
        menu.clear()
        for name in self._workspace.bar if self._workspace is not None else ():
            if not self._items[name][1].isVisible():
                menu.addActions(self._menu_actions(name))

    def _menu_actions(self, name: str) -> list[QAction]:
        """The actions that stand for an item of the bar in a menu."""
        names = {
            "walk by": ("by operations", "by lines"),
            "walk speed": ("play slower", "play faster"),
            "training speed": ("slower", "faster"),
        }.get(name, (name,))
        if name == "export":
            return [self._export.menu().menuAction()]
        return [self._actions[each] for each in names if each in self._actions]

    # Room

    def item(self, name: str) -> QWidget:
        """The button, or the group of widgets, of an item."""
        return self._items[name][0]

    def show_workspace(self, name: str, without: Collection[str] = ()) -> None:
        """Show the items of a workspace, its main button as the primary one.

        Args:
            name: of the workspace.
            without: items that are left out.
        """
        about = WORKSPACES[name]
        self._workspace = replace(about, bar=tuple(item for item in about.bar if item not in without))
        for action_name, button in self._buttons.items():
            is_main = action_name == self._workspace.main and name not in LESSON  # whose text has a main button
            set_style_property(button, "primary", is_main)
        self.show_readout()
        self._fit_again()

    def fit_width(self, width: int) -> None:
        """Let items that a narrow window has no room for leave the bar; the menu at its end has them then.

        Args:
            width: of the window, pixels.
        """
        if self._workspace is None:
            return
        self._set_icons(True)
        self._keep_button_widths()
        shown = {"file", "workspaces", "readout", *self._workspace.bar}
        room = width
        if "readout" in self._workspace.bar:
            room -= self.readout.fontMetrics().horizontalAdvance(LEAST_READOUT) + 10
        always = {"workspaces", "readout", "space", "run", "play", *LEAVING}
        others, place = sorted(shown - always), LEAVING.index(SHORT) + 1
        leaving = [name for name in (*LEAVING[:place], *others, *LEAVING[place:]) if name in shown or name == SHORT]
        gone: set[str] = set()
        self._set_short(True)
        if self._width_of(shown - {*LEAVING[: LEAVING.index(SHORT)], "training words"}, with_more=True) > room:
            self._set_icons(False)  # a text is worth more
            self._keep_button_widths()
        self._set_short(False)
        while self._width_of(shown - gone, with_more=bool(gone - {"file"})) > room and leaving:
            name = leaving.pop(0)
            if name == SHORT:
                self._set_short(True)
            else:
                gone.add(name)
        has_more = any(self._menu_actions(name) for name in gone)
        for name, (_widget, action) in self._items.items():
            action.setVisible(has_more if name == "more" else name in shown - gone)
        for name, button in self._buttons.items():
            button.setEnabled(self._actions[name].isEnabled())  # Qt enables a widget that comes back into the bar

    def _fit_again(self) -> None:
        """Fit the bar to its width after a change; a window that opens gets its width later, and fits the bar then."""
        if self.isVisible():
            self.fit_width(self.width())

    def _set_short(self, short: bool) -> None:
        self.speed.set_short(short)
        self._walk_speed.set_short(short)

    def _width_of(self, names: Iterable[str], with_more: bool) -> int:
        """Pixels that these items need side by side, without the figures."""
        layout = self.layout()
        assert layout is not None
        margins, widths = layout.contentsMargins(), []
        for name in {*names, *(["more"] if with_more else [])} - {"readout"}:
            widget = self._items[name][0]
            widget.ensurePolished()
            if (inner := widget.layout()) is not None:
                inner.invalidate()
            widths.append(max(widget.sizeHint().width(), widget.minimumWidth()))
        edges = margins.left() + margins.right() + 2 * 8  # the padding of the style sheet
        return edges + sum(widths) + (len(widths) + 1) * max(layout.spacing(), 6)

    def _keep_button_widths(self) -> None:
        """Keep the width of a button, so that its neighbours do not move when its text changes."""
        for name, texts in TEXTS_OF.items():
            button = self._buttons[name]
            button.ensurePolished()
            text, widths = button.text(), []
            button.setMinimumWidth(0)
            for each in texts:
                button.setText(self._text(name, each))
                widths.append(button.sizeHint().width())
            button.setText(text)
            button.setMinimumWidth(max(widths))

    def sizeHint(self) -> QSize:
        """Return the width of the window: items without room have left the bar."""
        return QSize(0, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Narrower than its items: they leave the bar of a narrow window."""
        return QSize(0, super().minimumSizeHint().height())

    # Following the session

    def _follow(self, change: Change) -> None:
        if "moment" in change:
            self.show_readout()

    def show_readout(self) -> None:
        """Show step and loss, in the workspaces that show a training."""
        if self._workspace is None or "readout" not in self._workspace.bar:
            self.readout.clear()
            self.readout.setToolTip("")
            return
        texts, tip = readout(self._session.shown, self._session.dataset.n_samples)
        self.readout.set_texts(*texts)
        self.readout.setToolTip(tip)

    def show_file(self, name: str, modified: bool) -> None:
        """Show the name of the file, with a mark for unsaved work; the mark moves nothing."""
        texts = [f"<b>Gradstep</b> &nbsp;{escape(name)}{mark}" for mark in ("", " •")]
        self._file.setText(texts[True])
        self._file.setMinimumWidth(0)
        self._file.setMinimumWidth(self._file.sizeHint().width())
        self._file.setText(texts[modified])
        self._fit_again()

    # Settings

    def restore(self, settings: QSettings) -> None:
        """Take speed and number of steps from the settings."""
        training = self._session.training
        speed, count = settings.value("speed"), settings.value("steps together")
        wanted = None if speed == FULL_SPEED else _number(speed, 1, 1e6) or training.speed
        training.set_control(wanted, int(_number(count, 1, MOST_TOGETHER) or training.count))

    def remember(self, settings: QSettings) -> None:
        """Write speed and number of steps into the settings."""
        training = self._session.training
        settings.setValue("speed", FULL_SPEED if training.speed is None else repr(training.speed))
        settings.setValue("steps together", str(training.count))


def _number(value: object, low: float, high: float) -> float | None:
    """The number of a setting; None for a spoiled one."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if low <= number <= high else None
