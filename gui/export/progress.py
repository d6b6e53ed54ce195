"""Progress of an export: a bar and a button in the status bar, shown when it takes longer than a blink."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QWidget

from gui.export.exporter import Exporter
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets

SHOWN_AFTER_MILLISECONDS = 300
POLL_MILLISECONDS = 100
BAR_WIDTH = 120
WORDS_WIDTH = 240


class ExportProgress(QWidget):
    """Shows what an exporter is writing; hidden while it writes nothing."""

    def __init__(self, exporter: Exporter, parent: QWidget) -> None:
        super().__init__(parent)
        self._exporter = exporter
        self.words = ElidedLabel()
        self.words.setFixedWidth(WORDS_WIDTH)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedWidth(BAR_WIDTH)
        self.cancel_button = QToolButton()
        self.cancel_button.setText("Cancel")
        self.cancel_button.setToolTip("Give up the export: no file is written or replaced")
        self.cancel_button.clicked.connect(exporter.cancel)
        add_widgets(QHBoxLayout(self), self.words, self.bar, self.cancel_button, margins=(0, 0, 0, 0))
        self.cancel_button.setStyleSheet("padding: 0 8px;")
        self.setFixedHeight(self.words.sizeHint().height())  # the status bar is no higher for it
        self._poll = QTimer(self, interval=POLL_MILLISECONDS)
        self._poll.timeout.connect(self._show_share)
        self._later = QTimer(self, singleShot=True, interval=SHOWN_AFTER_MILLISECONDS)
        self._later.timeout.connect(self.show)
        exporter.started.connect(self._begin)
        exporter.ended.connect(self._end)
        self.hide()

    def _begin(self, name: str) -> None:
        self.words.setText(f"exporting {name} …")
        self._show_share()
        self._poll.start()
        if not self.isVisible():
            self._later.start()

    def _show_share(self) -> None:
        """Set the share; the bar is indeterminate while the duration is unknown."""
        self.bar.setRange(0, 100 if self._exporter.share else 0)
        self.bar.setValue(round(100 * self._exporter.share))

    def _end(self) -> None:
        self._poll.stop()
        self._later.stop()
        self.hide()
