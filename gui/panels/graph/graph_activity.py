"""Marks of the canvas besides the numbers: nodes touched by a step, local derivatives, and the flow of the gradient."""

from __future__ import annotations

import time

import networkx as nx

from engine.autograd import contributions
from engine.autograd.notation import short
from engine.graph.gradients import Pair, gradient_flow, in_proportion, nodes_between, partial_text, partial_texts
from engine.network.run.progress import RunState
from engine.teaching.typeset import minus_in_formula
from engine.views.shown_walk import ALL
from gui.canvas import Activity
from gui.session import Session

FLOW_SECONDS = 0.3
"""Shortest interval between two computations of the flow while training runs: each is a pass in Python."""
WRONG_RULE = "yours {given} right {right}"
"""Text on an edge where a rule of the learner's own engine gives a wrong gradient."""
WRONG_HERE_RIGHT = "wrong rule"
"""Text on an edge where a wrong rule of the learner's engine happens to give the right number."""
MOST_FLOWING = 4_000
"""Steps of a pass up to which the flow is computed: in about 20 ms."""


class GraphActivity:
    """Composes the canvas's `Activity` from the session.

    Attributes:
        hovered: key of the value under the pointer.
        flow_wanted: whether the gradient's flow is shown after the whole backward pass, too; while stepping backward it
            always is.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._presenter = session.presenter
        self.hovered: str | None = None
        self.flow_wanted = False
        self._flow: dict[Pair, float] = {}
        self._flow_at = -FLOW_SECONDS
        self._flow_readings: object = None
        self._walk: object = None
        self._largest = 0.0

    def now(self) -> Activity:
        """Return the marks for this moment."""
        nodes, edges = self._presenter.touched()
        texts, flow = self._texts(edges), self._flowing()
        on_paths = self._on_paths()
        wrong_gradients: frozenset[str] = frozenset()
        if not (self._presenter.shows_network or self._presenter.prediction.hidden):
            wrong_gradients = frozenset(filter(self._has_gradient, self._presenter.graph_view.right_gradients))
        texts |= self._wrong_rules()
        return Activity(nodes | on_paths[0], edges | on_paths[1], wrong_gradients, flow, texts)

    def _wrong_rules(self) -> dict[Pair, str]:
        """Return a text for each edge at which a rule of the learner's own engine gives a wrong derivative: both
        numbers.
        """
        shown, graph = self._session.program.view.shown, self._presenter.graph_view.graph
        if shown is None or self._presenter.shows_network or self._presenter.prediction.hidden:
            return {}
        texts: dict[Pair, str] = {}
        for row in shown.engine_check or ():
            origin = shown.origins.get(row.value) if not (row.ok or row.of_pass) else None
            if origin is not None and graph.has_node(origin.key):
                edges = [edge for edge in _edges_into(graph, origin.key, row.input) if self._has_gradient(edge[0])]
                given, right = _number(row.given), _number(row.expected)
                text = WRONG_HERE_RIGHT if given == right else WRONG_RULE.format(given=given, right=right)
                texts |= dict.fromkeys(edges, text)
        return texts

    def _has_gradient(self, key: str) -> bool:
        """Return False before the walk has come to the gradient of a box."""
        reading = self._presenter.readings.get(key)
        return reading is not None and reading.grad_state != "unknown"

    def _on_paths(self) -> tuple[frozenset[str], frozenset[Pair]]:
        """Return the nodes and edges on the paths between the two compared nodes, these included."""
        one, other, graph = self._session.selection, self._session.compared, self._presenter.graph_view.graph
        if one is None or other is None or not (graph.has_node(one) and graph.has_node(other)):
            return frozenset(), frozenset()
        nodes = nodes_between(graph, one, other) | nodes_between(graph, other, one) | {one, other}
        return frozenset(nodes), frozenset(graph.subgraph(nodes).edges)

    def _texts(self, touched: frozenset[Pair]) -> dict[Pair, str]:
        """The partials around the hovered or selected value, and on the edge of a backward step."""
        graph_view = self._presenter.graph_view
        texts: dict[Pair, str] = {}
        if self._presenter.prediction.hidden:
            return texts  # they would reveal the answers
        for key in (self._session.selection, self.hovered):
            if key is not None:
                texts |= partial_texts(graph_view.graph, key, graph_view.box_of)
        if self._in_backward():
            for pair in touched:
                texts |= partial_text(graph_view.graph, pair, graph_view.box_of)
        return {pair: text for pair, text in texts.items() if self._is_known(pair[1].removesuffix(":op"))}

    def _is_known(self, key: str) -> bool:
        reading = self._presenter.readings.get(key)
        return reading is not None and reading.data_state not in ("unknown", "bad")

    def _in_backward(self) -> bool:
        walk = self._presenter.walk if self._presenter.position != ALL else None
        return walk is not None and self._presenter.position >= walk.phases["backward"]

    def _flowing(self) -> dict[Pair, float]:
        """Return the gradient's flow: of the steps done while stepping backward, or of the whole pass if it is wanted.

        The flow of some steps is in proportion to the largest of the whole pass, so that nothing shrinks on the way.
        """
        presenter, graph_view = self._presenter, self._presenter.graph_view
        if graph_view.root is None or presenter.n_steps > MOST_FLOWING:
            return {}
        if self._in_backward():
            walk = presenter.walk
            assert walk is not None
            if walk is not self._walk:
                whole = gradient_flow(graph_view.graph, walk.arrived(walk.all_computed), graph_view.box_of)
                self._walk = walk
                self._largest = max(map(abs, whole.values()), default=0.0)
            done = gradient_flow(graph_view.graph, walk.arrived(presenter.position), graph_view.box_of)
            return in_proportion(done, self._largest)
        progress = self._session.shown
        phase = progress.phase if progress is not None and presenter.shows_network else None
        is_after_backward = presenter.position == ALL and (phase is None or phase.name == "backward")
        if not (self.flow_wanted and is_after_backward):
            return {}
        now, running = time.monotonic(), self._session.run_state is RunState.RUNNING
        is_old = self._flow_readings is not presenter.readings
        if is_old and (not running or now - self._flow_at >= FLOW_SECONDS):
            flow = gradient_flow(graph_view.graph, contributions(graph_view.root), graph_view.box_of)
            self._flow, self._flow_at, self._flow_readings = in_proportion(flow), now, presenter.readings
        return self._flow


def _edges_into(graph: nx.DiGraph, key: str, label: str) -> list[Pair]:
    """Return the edges from the input with a label to the operation of a value, or to its expanded parts."""
    return [
        (source, target)
        for source, target in graph.edges
        if graph.nodes[source].get("label") == label and source != key
        and (target == f"{key}:op" or (target.startswith(f"{key}:") and not source.startswith(f"{key}:")))
    ]  # fmt: skip


def _number(number: float | None) -> str:
    return "nothing" if number is None else minus_in_formula(short(number))
