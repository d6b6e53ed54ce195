"""The field over a box of the canvas in which a hidden gradient is typed, and feedback on the answer below it."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout

from engine.teaching.explanation import plain
from gui.canvas import GraphCanvas
from gui.presenter.prediction import Prediction, Question
from gui.session import Change, Session
from gui.theme import Colors, drawn_mono_font, set_style_property, text_pixels
from gui.widgets.formula_view import FormulaView
from gui.widgets.layouts import add_widgets

SENTENCES = {
    "name": "gradient of {name}",
    "keys": "Return checks, Tab goes on, ? gives a hint, Esc leaves.",
}
DIGIT_SHARE = 0.5
"""Height of the digits relative to the space for a gradient."""
LEAST_PIXELS, MOST_PIXELS = 13, 28
ROOM = "-0.00000"
"""Longest text that fits into the field without scrolling."""
LONGEST_ANSWER = 24
NOTE_WIDTH, LONGEST_NOTE, GAP = 320, 220, 4
NOTE_FRAME, NOTE_RIM = 30, 14
"""Width and height of the note's frame, in pixels."""


class BoxAnswer(QLineEdit):
    """Field over the node whose gradient is hidden; it follows the node on the canvas.

    Attributes:
        note: feedback on the answer, under the field.
    """

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__(canvas.viewport())
        self._session, self._canvas = session, canvas
        self._prediction: Prediction = session.presenter.prediction
        self._key: str | None = None
        self.setMaxLength(LONGEST_ANSWER)
        self.setPlaceholderText("?")
        self.setToolTip(SENTENCES["keys"])
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note = QFrame(canvas.viewport())
        self.note.setObjectName("card")
        self.note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._page = FormulaView("feedback on the answer")
        self._page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._page.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        add_widgets(QVBoxLayout(self.note), self._page, margins=(6, 2, 6, 2))
        self.textEdited.connect(self._type)
        self.returnPressed.connect(self._check)
        canvas.view_changed.connect(self._place)
        session.changed.connect(self._follow)
        for part in (self, self.note):
            part.hide()

    def set_colors(self, colors: Colors) -> None:
        self._page.colors = colors

    @property
    def asked(self) -> Question | None:
        """Question that is being asked; None while the field is hidden."""
        return self._prediction.question(self._key)

    def open(self, key: str) -> bool:
        """Ask for the gradient of a box; return True if it is hidden."""
        asked = self._prediction.question(key)
        if asked is None or key not in self._canvas.picture.boxes:
            return False
        self._key = key
        self.setAccessibleName(SENTENCES["name"].format(name=self._canvas.picture.boxes[key].label or key))
        self._session.select(key)
        self._canvas.reveal(key)
        self._show(asked)
        self.show()
        self._place()
        self.setFocus()
        self.selectAll()
        return True

    def leave(self) -> None:
        """Close the field; the canvas has the keyboard again."""
        had_focus = self.hasFocus()
        self._key = None
        for part in (self, self.note):
            part.hide()
        if had_focus:
            self._canvas.setFocus()

    # Following

    def _follow(self, change: Change) -> None:
        if self._key is None or "numbers" not in change:
            return
        asked = self.asked
        if asked is None or self._key not in self._canvas.picture.boxes:
            following = None  # this gradient is hidden no more: ask for the next one, or for none
            if self.hasFocus():
                following = self._prediction.beside(self._key, 1, self._canvas.picture.boxes)
            if following is None or not self.open(following):
                self.leave()
            if self._prediction.questions and not self._prediction.hidden:
                self._session.message_posted.emit(self._prediction.feedback[-1].text, "note")
        else:
            self._show(asked)
            self._place()

    def _show(self, asked: Question) -> None:
        if self.text() != asked.text:
            self.setText(asked.text)
        set_style_property(self, "invalid", asked.verdict is not None)
        self._page.show_lines((*self._prediction.feedback_beside(asked), plain(SENTENCES["keys"])))
        self.setAccessibleDescription(self._page.plain_text())

    def _place(self) -> None:
        """Place the field over the gradient, and the note below its node, or above it if there is no room below."""
        if self._key is None:
            return
        area, room = self._canvas.gradient_area(self._key), self._canvas.viewport().rect()
        least, most = text_pixels(LEAST_PIXELS), text_pixels(MOST_PIXELS)
        font = drawn_mono_font(round(max(least, min(DIGIT_SHARE * area.height(), most))))
        self.setFont(font)
        self.setStyleSheet(f"QLineEdit {{ font-size: {font.pixelSize()}px; padding: 0 2px; }}")
        metrics = QFontMetrics(font)
        width = max(round(area.width()), metrics.horizontalAdvance(ROOM) + 14)
        height = max(round(area.height()), metrics.height() + 6)
        place = QRect(0, 0, width, height)
        place.moveCenter(area.center().toPoint())
        self.setGeometry(_inside(place, room) if area.intersects(room) else place)
        self._place_note(room)

    def _place_note(self, room: QRect) -> None:
        document = self._page.document()
        document.setTextWidth(min(text_pixels(NOTE_WIDTH), room.width()) - NOTE_FRAME)
        wide = math.ceil(document.idealWidth()) + NOTE_FRAME
        tall = min(text_pixels(LONGEST_NOTE), math.ceil(document.size().height()) + NOTE_RIM)
        box = self._canvas.node_area(self._key or "").toAlignedRect().united(self.geometry())
        place = QRect(self.x(), box.bottom() + GAP, wide, tall)
        if place.bottom() > room.bottom():
            place.moveBottom(box.top() - GAP)
        self.note.setGeometry(_inside(place, room))
        self.note.setVisible(self.isVisible())
        self.note.raise_()

    # User actions

    def _type(self, text: str) -> None:
        asked = self.asked
        if asked is None:
            return
        if "?" in text:
            self.setText(text.replace("?", ""))
            self._prediction.give_hint(asked)
        self._prediction.type(asked, self.text())

    def _check(self) -> None:
        if (asked := self.asked) is not None:
            self._prediction.check(asked)

    def event(self, event: QEvent) -> bool:
        """Tab and Shift+Tab go to the next and the previous hidden gradient, not out of the canvas."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}.get(Qt.Key(event.key()))
            if step is not None:
                other = self._prediction.beside(self._key or "", step, self._canvas.picture.boxes)
                if other is not None:
                    self.open(other)
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)
        event.accept()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self.leave()


def _inside(place: QRect, room: QRect) -> QRect:
    """Return the rectangle, moved into the visible area."""
    left = max(room.left(), min(place.left(), room.right() - place.width()))
    top = max(room.top(), min(place.top(), room.bottom() - place.height()))
    return QRect(left, top, place.width(), place.height())
