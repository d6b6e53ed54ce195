"""The dock around a panel: a title bar with the panel's name and a caption, as all panels have it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget

from gui.panels.labels import ElidedLabel


class PanelDock(QDockWidget):
    """A dock that can be moved, floated and closed (the View menu brings it back).

    The panel inside has `title` and may have a signal `caption_changed(str)`.
    """

    def __init__(self, panel: QWidget, window: QMainWindow) -> None:
        title: str = panel.title  # type: ignore[attr-defined]
        super().__init__(title, window)
        self.panel = panel
        self.setObjectName(f"dock {title}")
        self._caption = ElidedLabel()
        self._caption.setProperty("muted", True)
        self._caption.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setTitleBarWidget(self._make_title_bar(title))
        frame = QFrame()
        frame.setObjectName("panel")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(1, 0, 1, 1)
        inside.addWidget(panel)
        self.setWidget(frame)
        signal = getattr(panel, "caption_changed", None)
        if signal is not None:
            signal.connect(self._caption.setText)
        self._caption.setText(getattr(panel, "caption", ""))

    def _make_title_bar(self, title: str) -> QWidget:
        bar = QFrame()
        bar.setObjectName("titleBar")
        name = QLabel(title)
        name.setStyleSheet("font-weight: 600;")
        row = QHBoxLayout(bar)
        row.setContentsMargins(10, 6, 10, 6)
        row.addWidget(name)
        row.addWidget(self._caption, 1)
        return bar
