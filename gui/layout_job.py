"""Laying out a graph without stopping the window: small graphs at once, large ones in a thread, newest request wins."""

from __future__ import annotations

import threading
from typing import Any

import networkx as nx
from PySide6.QtCore import QObject, QTimer, Signal

from engine.graph.layout import LayoutCancelled, Placed, layout, passes

AT_ONCE = 90
"""Graphs of up to this many nodes are laid out in the GUI thread: it takes less than a blink."""


class LayoutJob(QObject):
    """Computes layouts.

    Signals:
        finished(object, Placed): the token of the newest request and its layout; older requests are dropped.
    """

    finished = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._threads: list[threading.Thread] = []
        self._cancel = threading.Event()
        self._result: tuple[Any, Placed] | None = None
        self._poll = QTimer(self)
        self._poll.setInterval(15)
        self._poll.timeout.connect(self._deliver)

    @property
    def busy(self) -> bool:
        """Whether a layout is being computed in the background."""
        return self._poll.isActive()

    def request(self, token: Any, graph: nx.DiGraph, direction: str, previous: Placed | None) -> None:
        """Asks for a layout; `finished` comes at once for small graphs, later for large ones.

        Args:
            token: comes back with the result.
            graph: must not be changed until then.
            direction: "right" or "down".
            previous: a layout to stay close to.
        """
        self.cancel()
        if len(graph) <= AT_ONCE:
            self.finished.emit(token, layout(graph, direction=direction, previous=previous, fold=True))
            return
        cancel = self._cancel = threading.Event()
        arguments = (token, graph, direction, previous, cancel)
        thread = threading.Thread(target=self._work, args=arguments, name="layout", daemon=True)
        self._threads.append(thread)
        thread.start()
        self._poll.start()

    def _work(
        self, token: Any, graph: nx.DiGraph, direction: str, previous: Placed | None, cancel: threading.Event
    ) -> None:
        try:
            for placed in passes(
                graph, direction=direction, previous=previous, fold=True, cancelled=cancel.is_set
            ):  # the better picture grows out of the quick one, without a jump
                if cancel.is_set():
                    return
                self._result = (token, placed)
        except LayoutCancelled:
            return

    def _deliver(self) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if not self._threads:
            self._poll.stop()
        result, self._result = self._result, None
        if result is not None:
            self.finished.emit(*result)

    def cancel(self) -> None:
        """Drops the request under way; its thread ends when it next looks at the flag."""
        self._cancel.set()
        self._result = None

    def close(self) -> None:
        """Cancels and waits until every thread has ended."""
        self.cancel()
        self._poll.stop()
        for thread in self._threads:
            thread.join(2.0)
        self._threads.clear()
