"""Laying out a graph without stopping the window: small graphs at once, large ones in a thread, newest request wins.

A layout that fails is logged and told in one sentence, and the graph is drawn in plain columns instead.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from threading import Thread
from types import MappingProxyType
from typing import Any, NamedTuple

import networkx as nx
from PySide6.QtCore import QObject, Signal

from engine.graph.moved import move_boxes
from engine.graph.picture import Picture, Point, make_picture
from engine.layout import Layout, LayoutCancelled, fallback_layout, layout, progressive_layout
from gui.canvas.prepared_picture import PreparedPicture
from gui.jobs import Job

AT_ONCE, EDGES_AT_ONCE = 90, 120
"""Graphs of up to so many nodes and edges are laid out in the GUI thread: it takes less than a blink."""
ROUNDS_AT_ONCE = 240
"""Of a layout, of about 0.1 ms each: one that takes more of them in the GUI thread begins again beside it."""

_log = logging.getLogger(__name__)


class LaidOutGraph(NamedTuple):
    """A graph that was laid out.

    Attributes:
        placed: its layout.
        picture: the picture, nothing moved by hand.
        prepared: the picture that is shown, ready to be drawn.
    """

    placed: Layout
    picture: Picture
    prepared: PreparedPicture


class LayoutRequest(NamedTuple):
    """What is to be laid out.

    Attributes:
        graph: must not be changed meanwhile.
        direction: "right" or "down".
        previous: a layout to stay close to.
        moved: by key, how far values were moved by hand, scene pixels.
    """

    graph: nx.DiGraph
    direction: str = "right"
    previous: Layout | None = None
    moved: Mapping[str, Point] = MappingProxyType({})


class LayoutJob(QObject):
    """Computes layouts.

    Signals:
        finished(object, LaidOutGraph): the token of the newest request and its layout; older requests are dropped.
        failed(str): the layout failed, in a sentence; the plain one that stands for it is `finished` all the same.
        ended(): nothing is under way any more.
    """

    finished = Signal(object, object)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job = Job("layout", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _token, error: self.failed.emit(_sentence(error)))
        self._job.ended.connect(self.ended)

    @property
    def busy(self) -> bool:
        """Whether a layout is being computed in the background."""
        return self._job.busy

    def request(self, token: Any, wanted: LayoutRequest) -> None:
        """Asks for a layout; `finished` comes at once for small graphs, later for large ones.

        Args:
            token: comes back with the result.
            wanted: the graph, and how it is to be laid out.
        """
        self._job.cancel()
        drawn = _drawn_at_once(wanted)
        if drawn is None:
            self._job.start(token, lambda cancelled: _drawings(wanted, cancelled))
        else:
            self._take(token, drawn)

    def _take(self, token: Any, drawn: tuple[LaidOutGraph, str]) -> None:
        laid, failure = drawn
        if failure:
            self.failed.emit(failure)
        self.finished.emit(token, laid)

    def cancel(self) -> None:
        """Drops the request under way."""
        self._job.cancel()

    def stop(self) -> list[Thread]:
        """Cancels for good; the thread that is still to be waited for, if there is one."""
        return self._job.stop()

    def close(self) -> None:
        """Cancels and waits until the thread has ended, two seconds at most."""
        self._job.close()


def _drawn_at_once(wanted: LayoutRequest) -> tuple[LaidOutGraph, str] | None:
    """The picture of a small graph, with what went wrong in a sentence; None for one that takes longer than a blink."""
    graph, direction, previous, _moved = wanted
    if len(graph) > AT_ONCE or graph.number_of_edges() > EDGES_AT_ONCE:
        return None
    rounds = count()
    try:
        placed = layout(
            graph, direction=direction, previous=previous, fold=True, cancelled=lambda: next(rounds) > ROUNDS_AT_ONCE
        )
        return _laid(wanted, placed), ""
    except LayoutCancelled:
        return None
    except Exception as error:
        return _instead(wanted, error)


def _drawings(wanted: LayoutRequest, cancelled: Callable[[], bool]) -> Iterator[tuple[LaidOutGraph, str]]:
    """A picture soon and a better one that grows out of it, each with what went wrong in a sentence."""
    graph, direction, previous, _moved = wanted
    try:
        for placed in progressive_layout(graph, direction=direction, previous=previous, fold=True, cancelled=cancelled):
            yield _laid(wanted, placed), ""
    except LayoutCancelled:
        return
    except Exception as error:
        yield _instead(wanted, error)


def _laid(wanted: LayoutRequest, placed: Layout) -> LaidOutGraph:
    picture = make_picture(wanted.graph, placed)
    return LaidOutGraph(placed, picture, PreparedPicture(move_boxes(picture, wanted.moved)))


def _instead(wanted: LayoutRequest, error: Exception) -> tuple[LaidOutGraph, str]:
    """The plain drawing that stands for one that failed, and the sentence about it."""
    _log.exception("the layout of %d nodes failed", len(wanted.graph))
    return _laid(wanted, fallback_layout(wanted.graph, wanted.direction)), _sentence(error)


def _sentence(error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"The graph could not be laid out well ({reason}) and is drawn in plain columns; change it, or close groups."
