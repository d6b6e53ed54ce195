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

from engine.graph.forms import sized
from engine.graph.legibility import PAGE, PLAIN_CHOICE, FormChoice, Size
from engine.graph.moved import move_boxes
from engine.graph.picture import Picture, Point, make_picture
from engine.graph.placing import GraphStyle, choose_form, place
from engine.layout import LAYOUTS, Layout, LayoutCancelled, fallback_layout, why_not
from engine.layout.registry import LAYERED
from gui.canvas.prepared_picture import PreparedPicture
from gui.jobs import Job

AT_ONCE, EDGES_AT_ONCE = 90, 120
"""Graphs of up to so many nodes and edges are laid out in the GUI thread: it takes less than a blink."""
ROUNDS_AT_ONCE = 120
"""Of a layout, of about 0.1 ms each: one that takes more of them in the GUI thread begins again beside it."""

_log = logging.getLogger(__name__)


class LaidOutGraph(NamedTuple):
    """A graph that was laid out.

    Attributes:
        choice: form and direction in which it is drawn.
        placed: its layout.
        picture: the picture, nothing moved by hand.
        prepared: the picture that is shown, ready to be drawn.
        refused: why it is not in the layout that was asked for, in a sentence; "" when it is.
    """

    choice: FormChoice
    placed: Layout
    picture: Picture
    prepared: PreparedPicture
    refused: str = ""


class LayoutRequest(NamedTuple):
    """What is to be laid out.

    Attributes:
        graph: must not be changed meanwhile.
        style: form, direction and layout; what is "auto" is chosen here.
        room: width and height of the canvas, pixels.
        current: how the graph, or what it was before an edit, is drawn now; None for another subject.
        previous: the layout of it, to stay close to.
        moved: by key, how far values were moved by hand, scene pixels.
    """

    graph: nx.DiGraph
    style: GraphStyle = GraphStyle()
    room: Size = PAGE
    current: FormChoice | None = None
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


def _drawn_at_once(wanted: LayoutRequest) -> tuple[LaidOutGraph, str] | None:
    """The picture of a small graph, with what went wrong in a sentence; None for one that takes longer than a blink."""
    graph = wanted.graph
    if len(graph) > AT_ONCE or graph.number_of_edges() > EDGES_AT_ONCE or wanted.style.layout != LAYERED:
        return None
    rounds = count()
    try:
        *_, drawn = _drawings(wanted, lambda: next(rounds) > ROUNDS_AT_ONCE)
    except ValueError:  # cancelled: there is none
        return None
    return drawn


def _drawings(wanted: LayoutRequest, cancelled: Callable[[], bool]) -> Iterator[tuple[LaidOutGraph, str]]:
    """A picture soon and a better one that grows out of it, each with what went wrong in a sentence."""
    choice, refused = PLAIN_CHOICE, ""
    if wanted.style.layout != LAYERED and (reason := why_not(wanted.style.layout, wanted.graph)):
        refused = f"{LAYOUTS[wanted.style.layout].title}: {reason}; the graph is laid out in layers instead."
        wanted = wanted._replace(style=wanted.style._replace(layout=LAYERED))
    try:
        choice = choose_form(wanted.graph, wanted.style, wanted.room, wanted.current)
        previous = wanted.previous if choice == wanted.current else None
        for placed in place(wanted.graph, choice, wanted.style.layout, previous, cancelled):
            yield _laid(wanted, choice, placed)._replace(refused=refused), ""
    except LayoutCancelled:
        return
    except Exception as error:
        yield _instead(wanted, choice, error)


def _laid(wanted: LayoutRequest, choice: FormChoice, placed: Layout) -> LaidOutGraph:
    picture = make_picture(wanted.graph, placed, choice.form)
    return LaidOutGraph(choice, placed, picture, PreparedPicture(move_boxes(picture, wanted.moved)))


def _instead(wanted: LayoutRequest, choice: FormChoice, error: Exception) -> tuple[LaidOutGraph, str]:
    """The plain drawing that stands for one that failed, and the sentence about it."""
    _log.exception("the layout of %d nodes failed", len(wanted.graph))
    placed = fallback_layout(sized(wanted.graph, choice.form), choice.direction)
    return _laid(wanted, choice, placed), _sentence(error)


def _sentence(error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"The graph could not be laid out well ({reason}) and is drawn in plain columns; change it, or close groups."
