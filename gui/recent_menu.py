"""File > Open recent: the files that were used last, each with its folder, or the reason why it cannot be opened."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from engine.messages import visible
from gui.session.recent import RecentFiles, recent_labels
from gui.widgets.labels import plain_tip

EMPTY = "No recent files"


class RecentMenu(QObject):
    """Puts the recent files at the top of a menu."""

    def __init__(self, menu: QMenu, recent: RecentFiles, open_path: Callable[[Path], object]) -> None:
        """Args: the menu, its files, and the function that opens one."""
        super().__init__(menu)
        self._menu, self._recent, self._open = menu, recent, open_path
        self._actions: list[QAction] = []
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(recent.refresh)
        menu.aboutToShow.connect(self._fill)
        recent.changed.connect(self._follow)
        self._fill()

    def _follow(self) -> None:
        if self._menu.isVisible():
            self._fill()

    def _fill(self) -> None:
        for action in self._actions:
            self._menu.removeAction(action)
            action.deleteLater()
        paths = self._recent.paths
        actions = []
        for number, (path, (name, folder)) in enumerate(zip(paths, recent_labels(paths, Path.home()), strict=True), 1):
            reason = self._recent.reasons.get(path, "")
            key = f"&{number} " if number < 10 else ""
            text = f"{name} — {reason or folder}".replace("&", "&&")
            action = QAction(key + text, self)
            action.setObjectName("recent file")
            action.setToolTip(plain_tip(visible(f"{path}: {reason}" if reason else str(path))))
            action.setEnabled(not reason)
            action.triggered.connect(partial(self._open_one, path))
            actions.append(action)
        if not actions:
            actions.append(QAction(EMPTY, self, enabled=False))
        line = QAction(self)
        line.setSeparator(True)
        self._actions = [*actions, line]
        others = self._menu.actions()
        self._menu.addActions([*self._actions, *others])  # those that are there already move to the end

    def _open_one(self, path: Path, _checked: bool = False) -> None:
        self._open(path)
