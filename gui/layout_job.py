"""Laying out a graph without stopping the window: small graphs at once, large ones in a thread, newest request wins.

A layout that fails is logged and told in one sentence, and the graph is drawn in plain columns instead.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
from PySide6.QtCore import QObject, Signal

from engine.graph.layout import LayoutCancelled, Placed, columns, layout, passes
from gui.job import Job

AT_ONCE = 90
"""Graphs of up to this many nodes are laid out in the GUI thread: it takes less than a blink."""

_log = logging.getLogger(__name__)


class LayoutJob(QObject):
    """Computes layouts.

    Signals:
        finished(object, Placed): the token of the newest request and its layout; older requests are dropped.
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

    def request(self, token: Any, graph: nx.DiGraph, direction: str, previous: Placed | None) -> None:
        """Asks for a layout; `finished` comes at once for small graphs, later for large ones.

        Args:
            token: comes back with the result.
            graph: must not be changed until then.
            direction: "right" or "down".
            previous: a layout to stay close to.
        """
        self._job.cancel()
        if len(graph) > AT_ONCE:
            self._job.start(token, lambda cancelled: _drawings(graph, direction, previous, cancelled))
            return
        try:
            placed, failure = layout(graph, direction=direction, previous=previous, fold=True), ""
        except Exception as error:
            placed, failure = _instead(graph, direction, error)
        self._take(token, (placed, failure))

    def _take(self, token: Any, drawn: tuple[Placed, str]) -> None:
        placed, failure = drawn
        if failure:
            self.failed.emit(failure)
        self.finished.emit(token, placed)

    def cancel(self) -> None:
        """Drops the request under way."""
        self._job.cancel()

    def close(self) -> None:
        """Cancels and waits until the thread has ended."""
        self._job.close()


def _drawings(
    graph: nx.DiGraph, direction: str, previous: Placed | None, cancelled: Callable[[], bool]
) -> Iterator[tuple[Placed, str]]:
    """A picture soon and a better one that grows out of it, each with what went wrong in a sentence."""
    try:
        for placed in passes(graph, direction=direction, previous=previous, fold=True, cancelled=cancelled):
            yield placed, ""
    except LayoutCancelled:
        return
    except Exception as error:
        yield _instead(graph, direction, error)


def _instead(graph: nx.DiGraph, direction: str, error: Exception) -> tuple[Placed, str]:
    """The plain drawing that stands for one that failed, and the sentence about it."""
    _log.exception("the layout of %d nodes failed", len(graph))
    return columns(graph, direction), _sentence(error)


def _sentence(error: Exception) -> str:
    reason = str(error) or type(error).__name__
    return f"The graph could not be laid out well ({reason}) and is drawn in plain columns; change it, or close groups."
