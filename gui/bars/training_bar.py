"""The tool bar: which file it is, workspaces, everything that drives the training, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMainWindow, QMenu, QSizePolicy, QSpinBox, QToolBar, QToolButton, QWidgetAction

from gui.actions.action_set import ActionSet, buttons_of, fill_menu
from gui.actions.training import RUN_TEXTS
from gui.bars.speed_control import SpeedControl
from gui.panels.curves.loss_texts import readout
from gui.session import Change, Session
from gui.theme import mono_font
from gui.widgets.buttons import menu_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.segments import segmented

FULL_SPEED = "all"
"""What the settings hold for a training without a limit."""
MOST_TOGETHER = 10**9
LEAST_READOUT = "step 4,120 · 0.0831"
"""For so many letters there is room in the read-out, or the bar leaves out what stands in menus as well."""
BUTTON_STYLE = "padding: 4px 3px;"
SHORT = None
"""Among what is left out one after the other in a narrow window: the long words of the speed, and the read-out."""


class TrainingBar(QToolBar):
    """Buttons of the actions that say they belong there, with the speed and a read-out.

    Attributes:
        readout: says where training stands.
        speed: how fast it goes.
        together: how many steps the button beside it runs; typed in the menu of that button.
    """

    def __init__(self, session: Session, action_sets: Sequence[ActionSet], window: QMainWindow) -> None:
        super().__init__("Training", window)
        self.setObjectName("training bar")
        self.setMovable(False)
        self._session, self._sets = session, action_sets
        self._file = QLabel()
        self._file.setContentsMargins(4, 0, 12, 0)
        file = self.addWidget(self._file)
        self.addWidget(segmented(buttons_of("workspaces", action_sets)))
        placed = self._add_training_buttons()
        self.speed = SpeedControl(session)
        self.addWidget(self.speed)
        self.readout = ElidedLabel(whole=True)  # gives way: the buttons behind it must not leave the bar
        self.readout.setFont(mono_font(12))
        self.readout.setContentsMargins(10, 0, 0, 0)
        self.readout.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(self.readout)
        ends = [self.addWidget(button) for button in buttons_of("bar end", action_sets)]
        export = self.addWidget(self._export_button())
        self._spare = (file, *ends, SHORT, placed["roll"], placed["epoch"], export, placed["back step"])
        for button in self.findChildren(QToolButton):
            button.setStyleSheet(BUTTON_STYLE)
        session.changed.connect(self._follow)

    def _add_training_buttons(self) -> dict[str, QAction]:
        """The buttons' places in the bar by the names of their actions."""
        placed = {}
        for button in buttons_of("bar", self._sets):
            name = button.defaultAction().objectName()
            if name == "run":
                self._run = button
                button.setProperty("primary", True)
            part = segmented([button, self._together_button()]) if name == "steps" else button
            placed[name] = self.addWidget(part)
        return placed

    def _together_button(self) -> QToolButton:
        """Opens the menu in which the number of steps run together is chosen or typed."""
        button = menu_button("▾", "How many steps the button before this one runs", "number of steps run together")
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
        menu.aboutToShow.connect(self._show_together)
        button.setMenu(menu)
        return button

    def _set_together(self, count: int) -> None:
        self._session.training.set_control(self._session.training.speed, count)

    def _show_together(self) -> None:
        self.together.setValue(self._session.training.count)

    def _export_button(self) -> QToolButton:
        export = menu_button("Export ▾", "Pictures and texts of the graph, its backward pass, and the plots")
        export.setMenu(fill_menu(QMenu(export), "export", self._sets))
        return export

    def fit_width(self, width: int) -> None:
        """Leaves out in a narrow window what stands elsewhere, too: the file's name is the window's title.

        Args:
            width: of the window, pixels.
        """
        self._keep_width_of_run()
        letters = self.readout.fontMetrics().horizontalAdvance(LEAST_READOUT)
        for n_left_out in range(len(self._spare) + 1):
            is_short = SHORT in self._spare[:n_left_out]
            self.speed.set_short(is_short)
            for place, action in enumerate(self._spare):
                if action is not SHORT:
                    action.setVisible(place >= n_left_out)
            if self._least_width() + (0 if is_short else letters) <= width:
                break

    def _keep_width_of_run(self) -> None:
        """Nothing beside the button moves, or leaves the bar, when Run becomes Pause."""
        text, widths = self._run.text(), []
        for each in RUN_TEXTS:
            self._run.setText(each)
            widths.append(self._run.sizeHint().width())
        self._run.setText(text)
        self._run.setMinimumWidth(max(widths))

    def _least_width(self) -> int:
        """Pixels across that everything but the read-out needs."""
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        return layout.sizeHint().width() - self.readout.sizeHint().width()

    # Following the session

    def _follow(self, change: Change) -> None:
        if change.moment:
            self.show_readout()

    def show_readout(self) -> None:
        """Says where training stands."""
        texts, tip = readout(self._session.shown, self._session.dataset.n_samples)
        self.readout.set_texts(*texts)
        self.readout.setToolTip(tip)

    def show_file(self, name: str, modified: bool) -> None:
        """Says which file it is, with a mark for unsaved work."""
        self._file.setText(f"<b>Gradstep</b> &nbsp;{escape(name)}{' •' if modified else ''}")

    # Settings

    def restore(self, settings: QSettings) -> None:
        """Takes the speed and the number of steps of the last time."""
        training = self._session.training
        speed, count = settings.value("speed"), settings.value("steps together")
        training.set_control(_speed_of(speed, training.speed), int(_number(count, 1, MOST_TOGETHER) or training.count))

    def remember(self, settings: QSettings) -> None:
        """Writes down the speed and the number of steps."""
        training = self._session.training
        settings.setValue("speed", FULL_SPEED if training.speed is None else repr(training.speed))
        settings.setValue("steps together", str(training.count))


def _speed_of(value: object, otherwise: float | None) -> float | None:
    if value == FULL_SPEED:
        return None
    return _number(value, 1, 1e6) or otherwise


def _number(value: object, low: float, high: float) -> float | None:
    """The number that a setting holds; None for one that was spoiled."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if low <= number <= high else None
