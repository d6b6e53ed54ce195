"""The stepper under the canvas: forward one operation, backward one contribution at a time, in both directions."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QToolButton, QVBoxLayout, QWidget

from gui.graph_state import ALL
from gui.panels.labels import ElidedLabel
from gui.session import Session
from gui.theme import mono_font

PLAY_MILLISECONDS = 700


class StepperBar(QWidget):
    """Forward one operation, backward one contribution at a time, in both directions; says what just happened."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._graph = session.graph
        self._words = ElidedLabel()
        self._words.setFont(mono_font(12))
        self._place = QLabel()
        self._place.setProperty("muted", True)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setAccessibleName("position in the forward and backward pass")
        self._slider.setMinimumWidth(60)
        self._slider.valueChanged.connect(self._slide)
        self._play_timer = QTimer(self)
        self._play_timer.setInterval(PLAY_MILLISECONDS)
        self._play_timer.timeout.connect(self._play_on)
        self._buttons = self._make_buttons()
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in self._buttons.values():
            buttons.addWidget(button)
        buttons.addWidget(self._slider, 1)
        words = QHBoxLayout()
        words.setSpacing(12)
        words.addWidget(self._words, 1)
        words.addWidget(self._place)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 8)
        column.setSpacing(6)
        column.addLayout(words)
        column.addLayout(buttons)
        self._graph.readings_changed.connect(self._show)
        self._session.progressed.connect(lambda _progress: self._show())
        self._show()

    def _make_buttons(self) -> dict[str, QToolButton]:
        entries = {
            "start": ("|◀", "Nothing computed yet: only the leaves are known", lambda: self._go(0)),
            "back": ("◀ Back", "Undo the last operation or contribution (Shift+F10)", self._graph.back),
            "next": ("Next ▶", "The next operation forward, or contribution backward (F10)", self._graph.next),
            "play": ("Play", "Step on by itself", self._toggle_play),
            "end": ("All ▶|", "Everything computed (F11)", lambda: self._go(ALL)),
        }
        buttons = {}
        for name, (text, tip, action) in entries.items():
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName({"start": "to the start", "end": "compute all"}.get(name, name))
            button.clicked.connect(lambda _checked=False, act=action: act())
            buttons[name] = button
        buttons["play"].setCheckable(True)
        return buttons

    def _go(self, cursor: int) -> None:
        self._stop_playing()
        self._graph.set_cursor(cursor)

    def _slide(self, position: int) -> None:
        self._graph.set_cursor(position)

    def _toggle_play(self) -> None:
        if self._play_timer.isActive():
            self._stop_playing()
            return
        if self._is_at_end():
            self._graph.set_cursor(0)
        self._play_timer.start()
        self._show()

    def _play_on(self) -> None:
        if not self._is_at_end():
            self._graph.next()
        if self._is_at_end():
            self._stop_playing()

    def _is_at_end(self) -> bool:
        return self._graph.cursor == ALL or self._graph.cursor >= self._graph.n_steps

    def _stop_playing(self) -> None:
        self._play_timer.stop()
        self._show()

    def _show(self) -> None:
        total, cursor = self._graph.n_steps, self._graph.cursor
        at = total if cursor == ALL else cursor
        self._slider.blockSignals(True)
        self._slider.setRange(0, total)
        self._slider.setValue(at)
        self._slider.blockSignals(False)
        self._buttons["back"].setEnabled(at > 0)
        self._buttons["next"].setEnabled(total > 0 and (cursor == ALL or cursor < total))
        for name in ("start", "end", "play"):
            self._buttons[name].setEnabled(total > 0)
        self._buttons["play"].setChecked(self._play_timer.isActive())
        self._buttons["play"].setText("Stop" if self._play_timer.isActive() else "Play")
        self._place.setText(self._graph.place())
        words = self._graph.words()
        self._words.setText(words)
        self._words.setToolTip(words)
