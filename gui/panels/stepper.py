"""The stepper under the canvas: forward one operation, backward one contribution at a time, in both directions."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QVBoxLayout

from gui.actions.action_set import ActionSet
from gui.actions.graph import STEPPER_ACTIONS
from gui.graph_presenter import ALL
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import mono_font, text_pixels
from gui.walk_texts import place_text
from gui.widgets.labels import ElidedLabel, LinesLabel
from gui.widgets.layouts import filled

PLAY_MILLISECONDS = 700
GAP, NARROW_GAP, MARGIN = 4, 2, 10  # pixels
PLACE_PIXELS = 10
NARROW_LETTERS = 60
"""A bar in which a line has fewer letters is a narrow one."""
LINES, NARROW_LINES = 2, 3
"""So many lines hold what a phase of training says of a parameter, in a wide column and in a narrow one."""

SIGNS = {"back": "◀", "next": "▶", "all": "▶|"}
"""What is left of the text on a button where there is no room."""
NAMES = {"start": "to the start", "all": "compute all"}


class StepperBar(Panel):
    """Forward one operation, backward one contribution at a time, in both directions; says what just happened."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._graph = session.graph
        self._awaited = ""
        self._fitted: object = None
        self.words = LinesLabel(LINES)
        self.words.setFont(mono_font(12))
        self.place = ElidedLabel()
        self.place.setProperty("muted", True)
        self.place.setStyleSheet(f"font-size: {text_pixels(PLACE_PIXELS)}px;")
        self.place.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("position in the forward and backward pass")
        self.slider.setMinimumWidth(60)
        self.slider.valueChanged.connect(self._slide)
        self._play_timer = QTimer(self, interval=PLAY_MILLISECONDS)
        self._play_timer.timeout.connect(self._play_on)
        self.action_set = ActionSet(self, STEPPER_ACTIONS)
        self.buttons = self._make_buttons()
        where = filled(QVBoxLayout(), self.place, self.slider, spacing=0)
        self._row = filled(QHBoxLayout(), *self.buttons.values(), where, 1, spacing=GAP)
        self._column = filled(QVBoxLayout(self), self.words, self._row, margins=(MARGIN, 6, MARGIN, 8), spacing=6)

    def _make_buttons(self) -> dict[str, QToolButton]:
        buttons = {}
        for name in ("start", "back", "next", "play", "all"):
            action, button = self.action_set[name], QToolButton()
            button.setText(action.iconText())
            button.setToolTip(action.toolTip())
            button.setAccessibleName(NAMES.get(name, name))
            button.setCheckable(action.isCheckable())
            button.clicked.connect(action.trigger)
            buttons[name] = button
        return buttons

    # Room

    def _least_width(self, short: bool) -> int:
        """Pixels across that buttons and slider need, with words on the buttons and the last place over the slider, or
        only with their signs.
        """
        last = self._written(place_text(None, ALL, self._graph.graph_view.step_counts))
        place = 0 if short else self.place.fontMetrics().horizontalAdvance(last)
        width = 2 * MARGIN + max(self.slider.minimumWidth(), place) + len(self.buttons) * GAP
        for name, button in self.buttons.items():
            words = self._text(name, short)
            advance = button.fontMetrics().horizontalAdvance
            width += button.sizeHint().width() - advance(button.text()) + advance(words)
        return width

    def _text(self, name: str, short: bool) -> str:
        """What stands on a button, or what is left of it where there is no room."""
        if name == "play":
            return "Stop" if self.is_playing else "Play"
        return SIGNS[name] if short and name in SIGNS else self.action_set[name].iconText()

    def _is_narrow(self) -> bool:
        return self.width() < NARROW_LETTERS * self.words.fontMetrics().averageCharWidth()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the signs are."""
        return QSize(self._least_width(short=True), super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters need more room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._fit_words()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shows what there is room for."""
        super().resizeEvent(event)
        self._fit_words()

    def _fit_words(self) -> None:
        """Leaves the words on the buttons out where there is no room for them."""
        self.words.set_lines(NARROW_LINES if self._is_narrow() else LINES)
        short = self._least_width(short=False) > self.width()
        if self.buttons["back"].text() != self._text("back", short):
            self._row.setSpacing(NARROW_GAP if short else GAP)
            for name in SIGNS:
                self.buttons[name].setText(self._text(name, short))
            self._column.activate()  # no button is seen narrower than its words

        self.place.setText(self._written(self._graph.place()))

    def _written(self, place: str) -> str:
        """How far the pass has come, with a stroke for "of" in a narrow window."""
        return place.replace(" of ", "/") if self._is_narrow() else place

    def tell_awaited(self, text: str) -> None:
        """Says that another graph is on its way, instead of what the one before has done; "" for none."""
        self._awaited = text
        self._show()

    # Following the session

    def follows(self, change: Change) -> bool:
        """Another graph or place in it, another moment of training, another value to speak of."""
        return change.numbers or change.moment or change.selection

    def refresh(self, change: Change) -> None:
        """Says what has just happened and how far the pass has come."""
        self._show()

    # Stepping

    @property
    def is_playing(self) -> bool:
        """Whether it steps on by itself."""
        return self._play_timer.isActive()

    def go(self, position: int) -> None:
        """Stops playing, and goes to a position of the walk; ALL for everything."""
        self._stop_playing()
        self._graph.set_position(position)

    def _slide(self, position: int) -> None:
        self._graph.set_position(position)

    def toggle_play(self) -> None:
        """Steps on by itself, from the start when it stands at the end; or stops."""
        if self._play_timer.isActive():
            self._stop_playing()
            return
        if self._is_at_end():
            self._graph.set_position(0)
        self._play_timer.start()
        self._show()

    def _play_on(self) -> None:
        if not self._is_at_end():
            self._graph.next()
        if self._is_at_end():
            self._stop_playing()

    def _is_at_end(self) -> bool:
        return self._graph.position == ALL or self._graph.position >= self._graph.n_steps

    def _stop_playing(self) -> None:
        self._play_timer.stop()
        self._show()

    def _show(self) -> None:
        total, position = self._graph.n_steps, self._graph.position
        at = total if position == ALL else position
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, total)
            self.slider.setValue(at)
        self.action_set.refresh()
        for name, button in self.buttons.items():
            button.setEnabled(total > 0 and self.action_set[name].isEnabled())
        self.buttons["play"].setChecked(self.is_playing)
        self.buttons["play"].setText(self._text("play", short=False))
        fitted = self._graph.graph_view.step_counts, self.is_playing
        if fitted != self._fitted:  # the widths of words, a millisecond: not for every report of training
            self._fitted = fitted
            self._fit_words()
        self.place.setText(self._written(self._graph.place()))
        self.place.setToolTip(self._graph.place())
        words = self._awaited or self._graph.words(self.session.selection)
        self.words.setText(words)
        self.words.setToolTip(words)
