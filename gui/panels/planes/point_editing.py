"""Points drawn by hand: clicks, drags and keys as edits of the document's points.

While drawing is on, the shown data are editable: points of a data set in the plane become drawn
points with the first edit. Every edit is one undo step, a drag or a stroke of the brush too; training goes on. The
widgets are in `drawing`.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from datasets import MAX_CLASSES, sample_rows
from engine.document import Trained
from engine.document.data_section import MOST_POINTS
from engine.experiment.prepared import PreparedData
from engine.network.run.progress import RunState
from gui.scheduling import Throttle
from gui.session import Change, Session
from gui.session.edits import all_fields

Point = tuple[float, float, int]
"""x1, x2 and the class."""
REACH = 6.0  # pixels
DRAG_MILLISECONDS = 40
REST_PER_EDIT = 2.0
"""Delay between two edits of a point that is being dragged: milliseconds, and multiples of the last edit's duration."""
LARGEST_BRUSH = 120
"""Diameter of the brush in pixels; 0 draws single points."""
STROKE_SPACING, PIXELS_PER_POINT = 14.0, 15.0
"""Pixels along a stroke between two dabs of a small brush; a dab has a point for each so many pixels of diameter."""
TEXTS = {
    "added": "point of class {kind}",
    "brushed": "points of class {kind}",
    "moved": "move of a point",
    "deleted": "deletion of a point",
    "erased": "deletion of points",
    "empty": "No points yet: click to add one. Until then the old data stay.",
    "hint": "Click: a point of class {kind}. Drag: several. Drag a point: move it. Right click: delete.",
    "brush hint": "Drag: paint points of class {kind}. Right button: erase.",
    "keys": "Keys: 0 to 9 choose the class, [ and ] the brush, arrows move the cross, Space puts a point there or "
    "takes one up, Delete deletes, N goes to the next point, Esc ends drawing.",
    "next class": "classes are numbered without gaps: the next one is {kind}",
    "last": "the last point stays: a network needs one to train on; Clear starts from nothing",
    "full": "there are {n:,} points, as many as there may be",
    "sample": "Drawing on a random sample of {n:,} of the {all:,} points, with every class in it.",
}
"""Texts of drawing."""


def drawn_points(data: PreparedData) -> tuple[Point, ...]:
    """Return points to draw on: those of classes in the plane, at most 2,000 with every class among them; else none."""
    raw = data.raw
    if raw.n_features != 2 or not raw.n_classes:
        return ()
    rows = sample_rows(raw.classes, MOST_POINTS)
    pairs = zip(raw.X[rows].tolist(), raw.classes[rows].tolist(), strict=True)
    return tuple((x1, x2, kind) for (x1, x2), kind in pairs)


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
        active: drawing is on; it ends when other data are chosen.
        kind: class of the next point.
        brush: its diameter, pixels; 0 draws single points.
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
        self._is_on = False
        self.kind = self.brush = 0
        self._stroke_end: tuple[float, float] | None = None
        self._painted: list[Point] = []
        self._chance = np.random.RandomState(0)
        self.cursor: tuple[float, float] | None = None
        self.held: int | None = None
        self.pixel = 1.0
        self.view = (-1.5, 1.5, -1.5, 1.5)
        self._cleared = False
        self._began_with = ("", "")
        self._is_editing = False
        self._gesture = 0
        self._wanted: tuple[float, float] | None = None
        self._cost = 0.0
        self._edits = Throttle(
            self._put_pending, lambda: max(DRAG_MILLISECONDS / 1000, REST_PER_EDIT * self._cost), self
        )
        session.changed.connect(self._follow)

    def _follow(self, change: Change) -> None:
        if "data" not in change or not self._is_on:
            return
        self._cleared = False
        if not self.active:
            self.set_active(False)
        else:
            if not self._is_editing:  # undo: the index may be another point's
                self.held = self._stroke_end = None
                self._painted = []
            self.kind = min(self.kind, self.n_classes, MAX_CLASSES - 1)
            self.changed.emit()

    # State

    @property
    def active(self) -> bool:
        """True while drawing is on: on drawn points, or on the data that it began with."""
        return self._is_on and self._drawn_upon in (("points", ""), self._began_with)

    @property
    def _drawn_upon(self) -> tuple[str, str]:
        """Identity of the data that are drawn on: their source, and which generator, formula or table it is."""
        data = self._session.document.data
        return data.source, {"generator": data.name, "formula": data.formula, "table": data.table_name}.get(
            data.source, ""
        )

    @property
    def points(self) -> tuple[Point, ...]:
        """The points that are edited."""
        if self._cleared:
            return ()
        data = self._session.document.data
        return data.points if data.source == "points" else drawn_points(self._session.data)

    @property
    def is_blank(self) -> bool:
        """True when drawing is on and there is no point yet; the plot then hides the trained data."""
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
        """Hint on what can be done now."""
        return TEXTS["empty" if self.is_blank else "brush hint" if self.brush else "hint"].format(kind=self.kind)

    # Beginning and end

    def set_active(self, active: bool) -> None:
        """Switch drawing on or off."""
        if active == self._is_on:
            return
        if self.active:
            self.release()
        self.held = self._wanted = self._stroke_end = None
        self._painted = []
        self._is_on, self.cursor, self._cleared = active, None, False
        self._began_with = self._drawn_upon
        if active and self._session.data.raw.n_samples > MOST_POINTS and self.points:
            n_all = self._session.data.raw.n_samples
            self._session.message_posted.emit(TEXTS["sample"].format(n=MOST_POINTS, all=n_all), "note")
        self.kind = min(self.kind, self.n_classes, MAX_CLASSES - 1)
        self.switched.emit()

    def toggle(self) -> None:
        """Switch drawing on or off."""
        self.set_active(not self.active)

    def clear(self) -> None:
        """Show an empty plot to draw on; the training data stay until the first point."""
        self.release()
        self._cleared, self.kind = True, 0
        self.changed.emit()

    def choose(self, kind: int) -> None:
        """Choose the class of the next point."""
        if kind not in self.offered:
            self._session.message_posted.emit(TEXTS["next class"].format(kind=self.offered[-1]), "note")
            return
        self.kind = kind
        self.changed.emit()

    def resize_brush(self, pixels: int) -> None:
        """Set the diameter of the brush."""
        self.brush = min(max(pixels, 0), LARGEST_BRUSH)
        self.changed.emit()

    # The pointer

    def press(self, x: float, y: float) -> None:
        """Pick up the point there; without one, or with a brush, begin a stroke."""
        self.release()
        self._gesture += 1
        self.held = None if self.brush else self.point_at(x, y)
        if self.held is None:
            self._dab(x, y)
            self._put_painted()

    def drag(self, x: float, y: float) -> None:
        """Move the held point, or go on with the stroke; the document follows 25 times a second."""
        if self.held is not None:
            self._wanted = self._rounded(x), self._rounded(y)
        elif self._stroke_end is not None:
            # dabs at equal distances from the end of the stroke to this place
            spacing = max(STROKE_SPACING, self.brush / 2) * self.pixel
            (x0, y0), distance = self._stroke_end, math.hypot(x - self._stroke_end[0], y - self._stroke_end[1])
            for number in range(1, math.floor(distance / spacing) + 1):
                share = number * spacing / distance
                self._dab(x0 + share * (x - x0), y0 + share * (y - y0))
        else:
            return
        self._edits.request()

    def release(self) -> None:
        """Drop the dragged point, or end the stroke."""
        self._edits.cancel()
        self._put_pending()
        self._stroke_end = None
        if self.held is not None:
            self.held = None
            self.changed.emit()

    def delete(self, x: float, y: float, goes_on: bool = False) -> None:
        """Delete the point there, or all under the brush.

        Args:
            x, y: the place.
            goes_on: the same stroke has deleted points before; one undo step restores all of them.
        """
        self.release()
        self._gesture += not goes_on
        points = self.points
        if self.brush and points:
            places = np.array([point[:2] for point in points])
            far = np.hypot(places[:, 0] - x, places[:, 1] - y) > self.brush / 2 * self.pixel
            if not far.all():
                kept = tuple(point for point, stays in zip(points, far, strict=True) if stays)
                self._put(kept, TEXTS["erased"], self._merge)
        elif (index := self.point_at(x, y)) is not None:
            self._put((*points[:index], *points[index + 1 :]), TEXTS["deleted"])

    def _dab(self, x: float, y: float) -> None:
        """Paint one point, or several at random places under the brush."""
        self._stroke_end = x, y
        n = max(1, round(self.brush / PIXELS_PER_POINT))
        radii = self.brush / 2 * self.pixel * np.sqrt(self._chance.uniform(size=n))
        angles = self._chance.uniform(0.0, 2.0 * math.pi, size=n)
        for across, up in zip((radii * np.cos(angles)).tolist(), (radii * np.sin(angles)).tolist(), strict=True):
            self._painted.append((self._rounded(x + across), self._rounded(y + up), self.kind))

    def _put_pending(self) -> None:
        """Commit points painted or moved since the last call to the document."""
        self._put_painted()
        wanted, self._wanted = self._wanted, None
        if wanted is None or self.held is None:
            return
        points = self.points
        moved = *wanted, points[self.held][2]
        if moved != points[self.held]:
            self._put((*points[: self.held], moved, *points[self.held + 1 :]), TEXTS["moved"], self._merge)

    def _put_painted(self) -> None:
        painted, self._painted = self._painted, []
        if not painted:
            return
        points = (*self.points, *painted)
        if len(points) > MOST_POINTS:
            self._session.message_posted.emit(TEXTS["full"].format(n=MOST_POINTS), "error")
            points = points[:MOST_POINTS]
        if points != self.points:
            self._put(points, TEXTS["brushed" if self.brush else "added"].format(kind=self.kind), self._merge)

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
            sections: dict[str, dict[str, Any]] = {"data": data}
            if self.is_blank and not self._session.document.data.keep_weights:
                sections["trained"] = all_fields(Trained())  # points from nothing are other data
            done = self._session.edit(label, merge, **sections)
        finally:
            self._is_editing = False
        if done and was_running:
            self._session.run()
        self._cost = time.monotonic() - began
        return done

    @property
    def _are_signed(self) -> bool:
        """True when the data drawn upon have the classes -1 and 1; new points do not."""
        data = self._session.document.data
        if data.source == "points":  # also while there is a third class
            return data.signed_points and not self.is_blank
        return not self.is_blank and self._session.data.raw.class_names == ("-1", "1")

    def _rounded(self, number: float) -> float:
        """Round to a tenth of a pixel, so that a coordinate is a short number."""
        digits = 1 - math.floor(math.log10(self.pixel)) if self.pixel > 0.0 else 15
        return round(number, min(max(digits, 0), 15))

    # The keyboard

    def move_cursor(self, across: float, up: float) -> None:
        """Move the cross with the point it carries, by shares of the view's width and height."""
        left, right, bottom, top = self.view
        x, y = self.cursor or ((left + right) / 2, (bottom + top) / 2)
        x = min(max(x + across * (right - left), left), right)
        y = min(max(y + up * (top - bottom), bottom), top)
        self.cursor = x, y
        self.drag(x, y)
        self.changed.emit()

    def act_at_cursor(self) -> None:
        """Drop the point at the cross; if there is none, pick up the point under it, or add one."""
        if self.held is not None:
            self.release()
            return
        self.press(*self._cursor())
        if self.held is None:
            self.release()
        self.changed.emit()

    def delete_at_cursor(self) -> None:
        """Delete the point under the cross."""
        self.delete(*self._cursor())

    def go_to_next(self) -> None:
        """Move the cross to the next point, in the order in which they were drawn."""
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
