"""The backward pass as a moving picture: one contribution a frame, under it the line of words that the stepper shows.

Frames are painted by the code that paints every export. They are written as one GIF, or as a folder of PNG images. A
GIF needs Pillow, which is not installed with the program; without it the frames are written.
"""

from __future__ import annotations

import math
import re
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QImageReader, QPainter

from engine.autograd import topological_order
from engine.file_access import OLD_SECONDS, sync_folder, write_atomically
from engine.graph.gradients import gradient_flow, in_proportion
from engine.graph.picture import Picture, read_numbers
from engine.teaching import Walk
from engine.views.graph_view import GraphView
from gui.canvas.decorations import Activity, Highlight, all_decorations
from gui.canvas.style import CanvasStyle, drawn_font
from gui.export.drawing import SOFTWARE, Drawing, ExportError, draw_image, png_bytes
from gui.export.gif import gif_bytes
from gui.export.pictures import graph_drawing
from gui.painting import saved
from gui.theme import Colors, drawn_mono_font

FRAME_MILLISECONDS = 900
SHORTEST_FRAME_MILLISECONDS = 300
LAST_FRAME_MILLISECONDS = 3_000
LONGEST_GIF_MILLISECONDS = 45_000
"""Longest duration: frames of a longer pass are shown more briefly, down to the shortest duration of a frame."""
MOST_FRAMES = 400
MOST_PIXELS, MOST_FRAME_PIXELS = 80_000_000, 4_000_000
"""Pixels of all frames together, a byte each while a GIF is put together; and of one frame, 30 bytes each."""
CAPTION_HEIGHT = 40.0
CAPTION_MARGIN = 24.0
TITLE = "Backward pass"
"""Stands in every frame: by it the frames of an earlier pass are known."""
TEMPORARY_PREFIX = ".frames-"
"""Prefix of the folders in which frames are painted before they take their places."""
FRAME_NAME = re.compile(r"frame_[0-9]{3,}\.png|\.frame_[0-9]{3,}\.png\.[0-9a-f]{8}\.part")
"""Files in them: frames, and those that a killed process has written in part."""
LEAST_WIDTH = 420.0
"""Smallest width of a frame: room for the line of words under a small graph."""


Report = Callable[[float], object]
"""Receives the completed share (0 to 1); may raise to cancel the work, which then leaves nothing behind."""
Work = Callable[[Report], Any]
"""Make something in a worker thread."""


@dataclass(frozen=True)
class Written:
    """Result of an export: the file or folder that was written, and a remark for the user ("" for none)."""

    path: Path
    note: str = ""


class Film(ABC):
    """Source of an animation's frames; painted in any thread.

    Attributes:
        title: stands in every frame.
        frame_count: how many frames there are.
    """

    title: str
    frame_count: int

    @property
    @abstractmethod
    def times(self) -> list[int]:
        """Duration of each frame, milliseconds in tens."""

    @abstractmethod
    def frame(self, number: int) -> QImage:
        """One frame, from 0."""

    def frames(self, report: Report = lambda share: None) -> Iterator[QImage]:
        """Yield the frames in order, painted one by one; calls `report` before each."""
        for number in range(self.frame_count):
            report(number / self.frame_count)
            yield self.frame(number)


class BackwardPass(Film):
    """The frames of one backward pass, of the numbers as they stand when it is made.

    Attributes:
        frame_count: the forward pass done, the seed, one for every contribution, and one for every gradient that the
            program itself has set.
    """

    title = TITLE

    def __init__(self, graph_view: GraphView, picture: Picture, colors: Colors, scale: float | None = None) -> None:
        """Check that the animation can be drawn; nothing is painted yet.

        Args:
            graph_view: the graph.
            picture: its picture.
            colors: the theme.
            scale: pixels for a scene pixel, above 0; None for 1, or less where all frames would be too large.

        Raises:
            ExportError: for an empty graph, an output that could not be computed, too many steps, or too many pixels;
                the message names the limit.
        """
        if graph_view.root is None or not picture.boxes:
            raise ExportError("nothing to export: the graph is empty")
        output = graph_view.numbers(graph_view.root)[0]
        if output is None or not math.isfinite(output):
            raise ExportError("there is no backward pass: the output could not be computed")
        self._begin, n_backward = graph_view.step_counts
        gradients = graph_view.program_gradients
        n_backward += 0 if gradients is None else len(gradients.later)
        self.frame_count = n_backward + 1
        if self.frame_count > MOST_FRAMES:
            raise ExportError(f"a backward pass of {self.frame_count:,} frames is too long: at most {MOST_FRAMES}")
        self._graph_view, self._picture, self._colors = graph_view, picture, colors
        self._walk = Walk(graph_view.root, None, gradients)
        self._words = [step.numbers for step in self._walk.script[self._begin :]]
        self._data = {value: graph_view.numbers(value)[0] for value in topological_order(*graph_view.roots)}
        self._style = CanvasStyle(colors)
        self._font = drawn_font(drawn_mono_font(14))
        whole = gradient_flow(graph_view.graph, self._walk.arrived(len(self._walk)), graph_view.box_of)
        self._largest = max((abs(flow) for flow in whole.values() if math.isfinite(flow)), default=0.0)
        self._scale = 1.0
        size = self._drawing(self._begin).size
        most = min(MOST_FRAME_PIXELS, MOST_PIXELS / self.frame_count)
        limit = math.floor(100 * math.sqrt(most / (size.width() * size.height()))) / 100
        if scale is not None and scale > limit:
            raise ExportError(
                f"{self.frame_count} frames of this graph are too large: the scale is at most {limit:.2f}"
            )
        self._scale = min(1.0, limit) if scale is None else scale

    @property
    def times(self) -> list[int]:
        return frame_times(self.frame_count)

    def frame(self, number: int) -> QImage:
        """One frame.

        Args:
            number: 0 before the first gradient, to `frame_count - 1`.
        """
        return draw_image(self._drawing(self._begin + number))

    def words(self, number: int) -> str:
        """The line under a frame, by its number."""
        return self._words[number - 1] if number else "forward is done; no gradient yet"

    def _drawing(self, position: int) -> Drawing:
        activity = self._activity(position)
        look_up = self._walk.numbers_at(position, lambda value: (self._data[value], value.known_grad))
        inner = graph_drawing(
            self._picture,
            read_numbers(self._graph_view.graph, look_up, self._graph_view.problems),
            colors=self._colors,
            scale=self._scale,
            decorations=all_decorations(activity, Highlight()),
        )
        width = max(inner.size.width(), LEAST_WIDTH)
        size = QSizeF(width, inner.size.height() + CAPTION_HEIGHT)

        def paint(painter: QPainter) -> None:
            painter.fillRect(QRectF(QPointF(), size), self._style.canvas)
            with saved(painter):
                painter.translate((width - inner.size.width()) / 2, 0)
                inner.paint_all(painter)
            self._paint_caption(painter, position, size)

        return Drawing(size, paint, TITLE, self._scale)

    def _paint_caption(self, painter: QPainter, position: int, size: QSizeF) -> None:
        place = f"{position - self._begin} of {self.frame_count - 1}"
        metrics = QFontMetricsF(self._font)
        baseline = size.height() - CAPTION_HEIGHT / 2 + metrics.capHeight() / 2 - 4
        right = size.width() - CAPTION_MARGIN - metrics.horizontalAdvance(place)
        painter.setFont(self._font)
        painter.setPen(self._style.muted)
        painter.drawText(QPointF(right, baseline), place)
        painter.setPen(self._style.text)
        room = right - 2 * CAPTION_MARGIN
        words = metrics.elidedText(self.words(position - self._begin), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QPointF(CAPTION_MARGIN, baseline), words)

    def _activity(self, position: int) -> Activity:
        if position <= self._begin:
            return Activity()
        graph_view = self._graph_view
        nodes, edges = graph_view.touched_by(self._walk.script[position - 1])
        done = gradient_flow(graph_view.graph, self._walk.arrived(position), graph_view.box_of)
        return Activity(nodes=nodes, edges=edges, flow=in_proportion(done, self._largest))


def write_animation(animation: Film, path: Path, report: Report = lambda share: None) -> Written:
    """Write an endless GIF; without Pillow the frames, into a folder next to it.

    Args:
        path: of the GIF; its folder must exist.
        report: receives the completed share.

    Raises:
        OSError: when it cannot be written; an old file is unchanged.
    """
    if not path.parent.is_dir():
        raise ExportError(f"no folder {str(path.parent)!r}")
    samples = [animation.frame(number) for number in {0, animation.frame_count // 2, animation.frame_count - 1}]
    try:
        content = gif_bytes(animation.frames(report), samples, animation.times)
    except ImportError:
        frames = write_frames(animation, path.with_name(f"{path.stem}_frames"), report)
        return Written(frames.path, f"a GIF needs Pillow (pip install pillow): {frames.note}")
    write_atomically(path, content)
    return Written(path)


def write_frames(animation: Film, folder: Path, report: Report = lambda share: None) -> Written:
    """Writes every frame as a PNG image, `frame_001.png` and so on: all of them or none.

    Args:
        folder: is made when missing; the one it lies in must exist. Frames of an earlier pass in it are replaced.
        report: receives the completed share.

    Raises:
        ExportError: when the folder holds such a file that is not a frame of ours: it is not overwritten.
        OSError: when the folder or a frame cannot be written.
    """
    if not folder.parent.is_dir():
        raise ExportError(f"no folder {str(folder.parent)!r}")
    if folder.exists() and not folder.is_dir():
        raise ExportError(f"{str(folder)!r} is a file; the frames go into a folder")
    earlier = _earlier_frames(folder, animation.title)
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        _put_frames(animation.frames(report), folder, earlier)
    except BaseException:
        if is_new:
            with suppress(OSError):  # the first error is the one to report
                folder.rmdir()
        raise
    replaced = "; the frames of an earlier pass are replaced" if earlier else ""
    last = f"frame_{animation.frame_count:03}.png"
    return Written(folder, f"wrote frame_001.png to {last} into {folder}{replaced}")


def _earlier_frames(folder: Path, title: str) -> list[Path]:
    """The frames that an earlier pass left in a folder.

    Raises:
        ExportError: when a file with such a name is something else.
    """
    earlier = sorted(folder.glob("frame_[0-9][0-9][0-9].png")) if folder.is_dir() else []
    for path in earlier:
        reader = QImageReader(str(path))
        if (reader.text("Software"), reader.text("Title")) != (SOFTWARE, title):
            raise ExportError(f"{path} is not a frame of an earlier pass and is not overwritten: choose another folder")
    return earlier


def _remove_leftovers(folder: Path) -> None:
    """Removes what an export that was killed has left: old folders of ours that hold nothing but frames."""
    for temporary in folder.glob(f"{TEMPORARY_PREFIX}*"):
        with suppress(OSError):
            frames = list(temporary.iterdir())
            old = time.time() - temporary.stat().st_mtime > OLD_SECONDS
            if old and all(FRAME_NAME.fullmatch(frame.name) for frame in frames):
                for frame in frames:
                    frame.unlink()
                temporary.rmdir()


def _put_frames(frames: Iterable[QImage], folder: Path, earlier: Sequence[Path]) -> None:
    """Write all frames to temporary files, then replace the earlier ones; after a failure those are there again."""
    _remove_leftovers(folder)
    with (
        TemporaryDirectory(prefix=TEMPORARY_PREFIX, dir=folder, ignore_cleanup_errors=True) as temporary,
        TemporaryDirectory(prefix=TEMPORARY_PREFIX, dir=folder, ignore_cleanup_errors=True) as aside,
    ):
        painted = []
        for number, frame in enumerate(frames, start=1):
            path = Path(temporary, f"frame_{number:03}.png")
            write_atomically(path, png_bytes(frame))
            painted.append(path)
        copies = [Path(shutil.copy2(path, aside)) for path in earlier]
        names = {path.name for path in painted}
        try:
            for path in painted:
                path.replace(folder / path.name)
            for path in earlier:
                if path.name not in names:
                    path.unlink()
            sync_folder(folder)
        except BaseException:
            with suppress(OSError):
                for name in names - {path.name for path in earlier}:
                    (folder / name).unlink(missing_ok=True)
                for copy in copies:
                    copy.replace(folder / copy.name)
            raise


def frame_times(frame_count: int) -> list[int]:
    """Return the duration of each frame of a GIF, milliseconds in tens; the last one longest."""
    share = LONGEST_GIF_MILLISECONDS // frame_count // 10 * 10
    usual = max(SHORTEST_FRAME_MILLISECONDS, min(FRAME_MILLISECONDS, share))
    return [usual] * (frame_count - 1) + [LAST_FRAME_MILLISECONDS]
