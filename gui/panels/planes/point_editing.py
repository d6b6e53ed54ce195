"""Points drawn by hand: what a click, a drag and a key do to the document's points.

While drawing is on, the data that are shown are the points one draws on: those of a data set in the plane become drawn
points with the first edit. Every edit is one undo step, a drag too; training goes on. Widgets know where the pointer is
(`drawing_tool`) and which buttons there are (`drawing_bar`); here it is known what that means.
"""

from __future__ import annotations

import math
import time

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from datasets import MAX_CLASSES
from engine.document.data_section import MOST_POINTS
from engine.document.prepared import PreparedData
from engine.network.run.progress import RunState
from gui.session import Change, Session

Point = tuple[float, float, int]
"""x1, x2 and the class."""
REACH = 6.0  # pixels
DRAG_MILLISECONDS = 40
REST_PER_EDIT = 2.0
"""Between two edits of a point that is being dragged: so long, or so many times as long as the last one took."""
TEXTS = {
    "added": "point of class {kind}",
    "moved": "move of a point",
    "deleted": "deletion of a point",
    "empty": "Nothing is drawn: click to put a point; till then the old data stay.",
    "hint": "Click: a point of class {kind}. Drag: move. Right click: delete.",
    "keys": "Keys: 0 to 9 choose the class, arrows move the cross, Space puts a point there or takes one up, Delete "
    "deletes, N goes to the next point, Esc ends drawing.",
    "next class": "classes are numbered without gaps: the next one is {kind}",
    "last": "the last point stays: a network needs one to train on; Clear starts from nothing",
    "full": "there are {n:,} points, as many as there may be",
    "first": "of the data the first {n:,} points are taken",
}
"""Every sentence of drawing."""


def drawn_points(data: PreparedData) -> tuple[Point, ...]:
    """Points that data can be drawn on with: those of a data set of classes in the plane, at most 2,000; else none."""
    raw = data.raw
    if raw.n_features != 2 or not raw.n_classes:
        return ()
    rows = zip(raw.X[:MOST_POINTS].tolist(), raw.classes[:MOST_POINTS].tolist(), strict=True)
    return tuple((x1, x2, kind) for (x1, x2), kind in rows)


def nearest_point(points: tuple[Point, ...], x: float, y: float, reach: float) -> int | None:
    """The index of the nearest point within `reach`, the later of two; None where there is none."""
    if not points:
        return None
    places = np.array([point[:2] for point in points])[::-1]
    distances = np.hypot(places[:, 0] - x, places[:, 1] - y)
    best = int(distances.argmin())
    return len(points) - 1 - best if distances[best] <= reach else None


class PointEditing(QObject):
    """Drawing on the plane, by pointer or keyboard.

    Attributes:
        active: whether it is on.
        kind: class of the next point.
        cursor: where the keyboard's cross stands; None until a key moves it.
        held: index of the point that is dragged, or taken up by the keyboard; None: none is.
        pixel: width of a pixel in the units of the data, above 0.
        view: smallest and largest x, smallest and largest y that are seen.

    Signals:
        switched(): `active` is new.
        changed(): something else that is shown is new.
    """

    switched = Signal()
    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.active = False
        self.kind = 0
        self.cursor: tuple[float, float] | None = None
        self.held: int | None = None
        self.pixel = 1.0
        self.view = (-1.5, 1.5, -1.5, 1.5)
        self._cleared = False
        self._is_editing = False
        self._gesture = 0
        self._wanted: tuple[float, float] | None = None
        self._timer = QTimer(self, singleShot=True, interval=DRAG_MILLISECONDS)
        self._timer.timeout.connect(self._move_held)
        session.changed.connect(self._follow)

    def _follow(self, change: Change) -> None:
        if "data" in change.sections and self.active:
            self._cleared = False
            if not self._is_editing:  # undo, or other data: the index may be another point's
                self.held = None
            self.kind = min(self.kind, self.n_classes, MAX_CLASSES - 1)
            self.changed.emit()

    # What there is

    @property
    def points(self) -> tuple[Point, ...]:
        """The points that are edited."""
        if self._cleared:
            return ()
        data = self._session.document.data
        return data.points if data.source == "points" else drawn_points(self._session.data)

    @property
    def is_blank(self) -> bool:
        """Whether drawing is on and there is no point, so that the plot shows nothing of the data that are trained."""
        return self.active and not self.points

    @property
    def n_classes(self) -> int:
        """Classes in use, 2 at least."""
        return max(2, 1 + max((kind for _x, _y, kind in self.points), default=0))

    @property
    def offered(self) -> range:
        """Classes that can be chosen: those in use and the next one."""
        return range(min(self.n_classes + 1, MAX_CLASSES))

    @property
    def sentence(self) -> str:
        """What one can do now."""
        return TEXTS["empty" if self.is_blank else "hint"].format(kind=self.kind)

    # Beginning and end

    def set_active(self, active: bool) -> None:
        """Turns drawing on or off."""
        if active == self.active:
            return
        self.release()
        self.active, self.cursor, self._cleared = active, None, False
        if active and self._session.data.raw.n_samples > MOST_POINTS and self.points:
            self._session.message_posted.emit(TEXTS["first"].format(n=MOST_POINTS), "note")
        self.kind = min(self.kind, self.n_classes, MAX_CLASSES - 1)
        self.switched.emit()

    def toggle(self) -> None:
        """Turns drawing on or off."""
        self.set_active(not self.active)

    def clear(self) -> None:
        """Shows an empty plot to draw on; what is trained on stays until the first point."""
        self.release()
        self._cleared, self.kind = True, 0
        self.changed.emit()

    def choose(self, kind: int) -> None:
        """Chooses the class of the next point."""
        if kind not in self.offered:
            self._session.message_posted.emit(TEXTS["next class"].format(kind=self.offered[-1]), "note")
            return
        self.kind = kind
        self.changed.emit()

    # The pointer

    def press(self, x: float, y: float) -> None:
        """Takes hold of the point there, or puts a new one there."""
        self.release()
        self._gesture += 1
        self.held = self.point_at(x, y)
        if self.held is None:
            self._add(x, y)

    def drag(self, x: float, y: float) -> None:
        """Moves the point that is held; the document follows 25 times a second."""
        if self.held is not None:
            self._wanted = self._rounded(x), self._rounded(y)
            if not self._timer.isActive():
                self._timer.start()

    def release(self) -> None:
        """Lets go of the point that is held."""
        self._timer.stop()
        self._move_held()
        if self.held is not None:
            self.held = None
            self.changed.emit()

    def delete(self, x: float, y: float) -> None:
        """Deletes the point there, if there is one."""
        self.release()
        index, points = self.point_at(x, y), self.points
        if index is not None:
            self._put((*points[:index], *points[index + 1 :]), TEXTS["deleted"])

    def _add(self, x: float, y: float) -> None:
        if len(self.points) >= MOST_POINTS:
            self._session.message_posted.emit(TEXTS["full"].format(n=MOST_POINTS), "error")
            return
        point = self._rounded(x), self._rounded(y), self.kind
        if self._put((*self.points, point), TEXTS["added"].format(kind=self.kind), self._merge):
            self.held = len(self.points) - 1

    def _move_held(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is None or self.held is None:
            return
        points = self.points
        moved = *wanted, points[self.held][2]
        if moved != points[self.held]:
            self._put((*points[: self.held], moved, *points[self.held + 1 :]), TEXTS["moved"], self._merge)

    @property
    def _merge(self) -> str:
        """Edits of one press and the drag after it are one undo step."""
        return f"drawing {self._gesture}"

    def _put(self, points: tuple[Point, ...], label: str, merge: str = "") -> bool:
        if not points:
            self._session.message_posted.emit(TEXTS["last"], "note")
            return False
        began = time.monotonic()
        was_running = self._session.run_state is RunState.RUNNING
        self._is_editing = True
        try:
            data = {"source": "points", "points": points, "signed_points": self._are_signed}
            done = self._session.edit(label, merge, data=data)
        finally:
            self._is_editing = False
        if done and was_running:
            self._session.run()
        cost = 1000 * (time.monotonic() - began)
        self._timer.setInterval(round(max(DRAG_MILLISECONDS, REST_PER_EDIT * cost)))
        return done

    @property
    def _are_signed(self) -> bool:
        """Whether the data that are drawn upon have the classes -1 and 1; points from nothing have not."""
        data = self._session.document.data
        if data.source == "points":  # also while there is a third class
            return data.signed_points and not self.is_blank
        return not self.is_blank and self._session.data.raw.class_names == ("-1", "1")

    def _rounded(self, number: float) -> float:
        """To a tenth of a pixel, so that a coordinate is a short number."""
        digits = 1 - math.floor(math.log10(self.pixel)) if self.pixel > 0.0 else 15
        return round(number, min(max(digits, 0), 15))

    # The keyboard

    def move_cursor(self, across: float, up: float) -> None:
        """Moves the cross, and what it holds, by shares of the view's width and height."""
        left, right, bottom, top = self.view
        x, y = self.cursor or ((left + right) / 2, (bottom + top) / 2)
        x = min(max(x + across * (right - left), left), right)
        y = min(max(y + up * (top - bottom), bottom), top)
        self.cursor = x, y
        self.drag(x, y)
        self.changed.emit()

    def act_at_cursor(self) -> None:
        """Puts down what the cross holds; else takes up the point under it, or puts a new one there."""
        if self.held is not None:
            self.release()
            return
        x, y = self._cursor()
        is_there = self.point_at(x, y) is not None
        self.press(x, y)
        if not is_there:
            self.release()
        self.changed.emit()

    def delete_at_cursor(self) -> None:
        """Deletes the point under the cross."""
        self.delete(*self._cursor())

    def go_to_next(self) -> None:
        """Moves the cross to the next point, in the order in which they were drawn."""
        self.release()
        points = self.points
        if points:
            here = None if self.cursor is None else self.point_at(*self.cursor)
            x, y, _kind = points[0 if here is None else (here + 1) % len(points)]
            self.cursor = x, y
            self.changed.emit()

    def point_at(self, x: float, y: float) -> int | None:
        """The index of the point that is hit there, the nearest one within a few pixels; None where there is none."""
        return nearest_point(self.points, x, y, REACH * self.pixel)

    def _cursor(self) -> tuple[float, float]:
        if self.cursor is None:
            self.move_cursor(0.0, 0.0)
        assert self.cursor is not None
        return self.cursor
