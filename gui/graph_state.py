"""What the canvas shows at this moment: graph, places, numbers, and where the stepper stands.

Derived from the session, part of it, and the same for the canvas, the stepper's line of words, the explanation and the
exports. A change of numbers (a slider, a training step) keeps the places; only a change of structure lays out anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Thread
from typing import Any

import networkx as nx
from PySide6.QtCore import QObject, Signal

from engine.autograd import Explainer, Explanation, Value, Walk
from engine.document.choices import GroupChoice
from engine.document.explain_moment import explain_at_moment
from engine.document.graph_view import GraphView
from engine.document.moment import same_cursor
from engine.graph import EMPTY_PICTURE, Picture, Placed, Reading, make_picture, read_numbers
from engine.graph.groups import came_from, taken_over
from engine.graph.moved import move_boxes
from engine.network import Phase
from engine.network.progress import Progress
from gui.canvas.prepared_picture import PreparedPicture
from gui.graph_source import GraphSource, Subject
from gui.jobs import join_all
from gui.layout_job import Laid, LayoutJob, Request
from gui.step_words import NOTHING_TO_STEP, moment_words, place_words, state_words, step_words, touched_by_phase
from gui.update_words import UpdateWords

ALL = -1
"""Cursor position at which everything is computed."""


class GraphState(QObject):
    """The graph that is shown, its picture and its numbers.

    Attributes:
        graph_view: roots and names of the graph.
        prepared: the picture, ready to be drawn.
        laid_out: the same as the layout placed it, nothing moved by hand.
        readings: the numbers of each box at the step cursor.
        came_from: for the boxes that are new in the picture the key of the box they came out of, or that of one of
            those they took in, when groups were opened or closed.
        went_to: the same for the boxes that are gone: which box of the picture took them in.
        cursor: number of steps done, 0 .. len(steps.steps); ALL when everything is computed.

    Signals:
        picture_changed(bool): whether the new picture is one of the same subject (keep the view) or a new one (fit).
        readings_changed(): numbers, cursor or what a step touched.
        busy_changed(bool): a large graph is being laid out in the background.
    """

    picture_changed = Signal(bool)
    readings_changed = Signal()
    busy_changed = Signal(bool)

    def __init__(self, session: Subject, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.graph_view = GraphView()
        self.prepared = PreparedPicture(EMPTY_PICTURE)
        self.laid_out: Picture = EMPTY_PICTURE
        self.readings: dict[str, Reading] = {}
        self.came_from: dict[str, str] = {}
        self.went_to: dict[str, str] = {}
        self.cursor = ALL
        self._steps: Walk | None = None
        self._placed: Placed | None = None
        self._placed_graph: nx.DiGraph = nx.DiGraph()
        self._structure: Any = None
        self._placed_structure: Any = None
        self._subject: Any = None
        self._view = session.document.view
        self._source = GraphSource(session, parent)
        self._source.made.connect(self._show)
        self._job = LayoutJob(self)
        self._job.finished.connect(self._take_layout)
        self._job.failed.connect(lambda sentence: session.message_posted.emit(sentence, "error"))
        for ended in (self._source.ended, self._job.ended):
            ended.connect(lambda: self.busy_changed.emit(self.busy))
        session.expression_evaluated.connect(self._refresh_expression)
        session.model_replaced.connect(self._refresh_network)
        session.progressed.connect(self._follow_training)
        session.document_changed.connect(self._follow_document)

    @property
    def picture(self) -> Picture:
        """Boxes, circles and edges with their places."""
        return self.prepared.picture

    @property
    def shows_network(self) -> bool:
        """Whether the network on a sample is shown, not the expression."""
        return self._session.document.view.shows == "network"

    @property
    def steps(self) -> Walk | None:
        """The script of one forward and backward pass; None for an empty graph."""
        if self._steps is None and self.graph_view.root is not None:
            self._steps = Walk(self.graph_view.root)
        return self._steps

    @property
    def n_steps(self) -> int:
        """Length of the script; 0 for an empty graph. Counted without writing the script."""
        return sum(self.graph_view.step_counts)

    def keys(self) -> dict[int, str]:
        """The box in which each value is drawn, its own or that of a closed group, by `id(value)`."""
        places: dict[int, str] = self.graph_view.graph.graph["places"]
        return places

    def value(self, key: str | None) -> Value | None:
        """The value behind a box; None when there is none, or when it is a group with several outputs."""
        attributes = self.graph_view.graph.nodes.get(key) if key is not None else None
        if attributes is None or len(attributes.get("outputs", ())) > 1:
            return None
        return attributes.get("value")

    @property
    def busy(self) -> bool:
        """Whether a large graph is being made or laid out in the background."""
        return bool(self._source.awaited) or self._job.busy

    @property
    def awaited(self) -> int:
        """About how many nodes the graph has whose first drawing is still being made while another one is shown; 0 for
        none.
        """
        laid_out_first = self._job.busy and self._structure != self._placed_structure
        return self._source.awaited or (len(self.graph_view.graph) if laid_out_first else 0)

    @property
    def note(self) -> str:
        """What is not drawn although it was asked for, or why nothing is, in a sentence; "" for nothing."""
        return self._source.reason or self.graph_view.note

    # What is shown

    def refresh(self, keep_cursor: bool = False) -> None:
        """Derives everything anew.

        Args:
            keep_cursor: the graph stays the same but for operations opened and closed, and so does the stepper's place.
        """
        self._source.request(keep_cursor)
        self.busy_changed.emit(self.busy)

    def forget_places(self) -> None:
        """What is shown next has nothing to do with what was: it is laid out and looked at afresh."""
        self._subject, self._placed = None, None

    def _show(self, shown: GraphView, keep_cursor: bool = False) -> None:
        if shown.roots != self.graph_view.roots:  # not only groups opened or closed
            self._steps, self.cursor = self._carried(shown) if keep_cursor else (None, ALL)
        self.graph_view = shown
        view = self._session.document.view
        structure = (shown.structure, view.direction)
        if self._placed is not None and structure == self._placed_structure:
            self._structure = structure
            self._job.cancel()
            self._show_in_same_places(shown, self._placed)
            self.busy_changed.emit(self.busy)
            return
        if self._job.busy and structure == self._structure:
            return  # its layout is on the way
        self._structure = structure
        wanted = Request(shown.graph, view.direction, self._previous(shown), view.moved_here)
        self._job.request((shown, structure, view.moved_here), wanted)
        self.busy_changed.emit(self.busy)

    def _carried(self, shown: GraphView) -> tuple[Walk | None, int]:
        """The script of a graph with other operations open, and where the stepper stands in it."""
        if self.cursor == ALL or self._steps is None or shown.root is None:
            return None, ALL
        steps = Walk(shown.root)
        return steps, same_cursor(self._steps, self.graph_view.names.keys, self.cursor, steps, shown.names.keys)

    def _show_in_same_places(self, shown: GraphView, placed: Placed) -> None:
        self.laid_out = make_picture(shown.graph, placed)
        self._renew_readings(emit=False)
        self._place_moved()
        self.readings_changed.emit()

    def _place_moved(self) -> None:
        """Puts what was moved by hand in its place; nothing is laid out anew."""
        picture = move_boxes(self.laid_out, self._session.document.view.moved_here)
        if picture != self.picture:
            self.prepared = PreparedPicture(picture)
            self.picture_changed.emit(True)

    def _previous(self, shown: GraphView) -> Placed | None:
        """The picture to stay close to: the last one of the same subject, groups in the place of what they took in."""
        if self._placed is None or self._subject != self._subject_now():
            return None
        before = {str(key): place for key, place in self._placed.positions.items()}
        positions: dict[Any, Any] = dict(taken_over(before, self._placed_graph, shown.graph))
        shared = sum(key in positions for key in shown.graph)
        if 2 * shared < min(len(before), len(shown.graph)):
            return None  # another program
        return replace(self._placed, positions=positions)

    def _subject_now(self) -> tuple[object, ...]:
        """What the picture is of: a network of another shape is another subject, a program that is edited is not."""
        document = self._session.document
        view = document.view
        shape = (document.network.layer_sizes, view.n_samples) if view.shows == "network" else ()
        return view.shows, view.direction, *shape

    def _take_layout(self, token: Any, laid: Laid) -> None:
        shown, structure, moved = token
        if structure != self._structure:
            return
        view = self._session.document.view
        before, self._subject = self._subject, self._subject_now()
        same_subject = before == self._subject
        self._placed, self._placed_structure = laid.placed, structure
        self.came_from = came_from(self._placed_graph, shown.graph) if same_subject else {}
        self.went_to = came_from(shown.graph, self._placed_graph) if same_subject else {}
        self._placed_graph = shown.graph
        self.laid_out, self.prepared = laid.picture, laid.prepared
        if self.graph_view.structure == structure[0] and _words(self.graph_view.graph) != _words(shown.graph):
            self.laid_out = make_picture(self.graph_view.graph, laid.placed)
        if self.laid_out is not laid.picture or view.moved_here != moved:  # changed meanwhile
            self.prepared = PreparedPicture(move_boxes(self.laid_out, view.moved_here))
        self._renew_readings(emit=False)
        self.picture_changed.emit(same_subject)
        self.readings_changed.emit()
        self.busy_changed.emit(self.busy)

    def _refresh_expression(self) -> None:
        if not self.shows_network and self._session.error is None:
            self.refresh()

    def _refresh_network(self) -> None:
        self._source.forget_sample()
        if self.shows_network:
            self.refresh()

    def _follow_document(self, sections: frozenset[str]) -> None:
        before, self._view = self._view, self._session.document.view
        if "view" in sections:
            now = self._view
            if replace(before, moved=now.moved, moved_in_network=now.moved_in_network) == now:
                self._place_moved()
            else:
                self.refresh(keep_cursor=replace(now, expanded=before.expanded, collapsed=before.collapsed) == before)

    def _follow_training(self, progress: Progress) -> None:
        if self.shows_network and self._source.follow(progress):
            self._steps = None
            self.cursor = ALL
            self._renew_readings()

    # The step cursor

    def set_cursor(self, cursor: int) -> None:
        """Shows the moment after `cursor` steps of the script, clamped; ALL shows everything."""
        if self.graph_view.root is None:
            self._session.message_posted.emit(NOTHING_TO_STEP, "note")
            return
        cursor = ALL if cursor == ALL else max(0, min(cursor, self.n_steps))
        if cursor != self.cursor:
            self._walk(cursor != ALL)
            self.cursor = cursor
            self._renew_readings()

    def _walk(self, begins: bool) -> None:
        """A walk goes through the network with the parameters of now, whatever phase of training is shown."""
        sample = self._source.sample
        if sample is not None and begins == (self.cursor == ALL):
            moment = sample.moment
            sample.start_walk() if begins else sample.end_walk()
            self._steps = self._steps if sample.moment is moment else None

    def next(self) -> None:
        """One step forward; from "everything" it starts at the beginning."""
        self.set_cursor(1 if self.cursor == ALL else self.cursor + 1)

    def back(self) -> None:
        """One step back."""
        self.set_cursor((self.n_steps if self.cursor == ALL else self.cursor) - 1)

    def touched(self) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        """Node keys and edges that the step before the cursor, or the phase of training, has just touched."""
        if self.cursor in (ALL, 0) or self.steps is None:
            return touched_by_phase(self.graph_view, self._phase()), frozenset()
        return self.graph_view.touched_by(self.steps.script[self.cursor - 1])

    def _phase(self) -> Phase | None:
        """The phase of training that the canvas shows, if it shows one."""
        progress = self._session.progress
        shows_one = progress is not None and self.shows_network and self.cursor == ALL
        return progress.phase if progress is not None and shows_one else None

    def words(self) -> str:
        """One line on what just happened: the step before the cursor, or the phase of training."""
        if self.cursor not in (ALL, 0) and self.steps is not None:
            return step_words(self.steps.script[self.cursor - 1])
        if self.update_words is None:
            return state_words(self.graph_view, at_start=self.cursor == 0)
        selected, n_samples = self.value(self._session.selection), self._session.dataset.n_samples
        return moment_words(self.update_words, self._phase(), selected, n_samples)

    @property
    def update_words(self) -> UpdateWords | None:
        """What to say of both gradients of a parameter, and of the loss; None for an expression, or on a walk."""
        update = self._session.progress.update if self._session.progress is not None else None
        sample = self._source.sample
        return UpdateWords(sample, update) if sample is not None and self.cursor == ALL else None

    def notes(self, key: str) -> tuple[str, ...]:
        """Sentences on the value of a box for its tool-tip, beside its numbers."""
        return self.update_words.note(self.value(key)) if self.update_words is not None else ()

    def place(self) -> str:
        """Where the cursor stands: "forward 3 of 8", "backward 2 of 14"."""
        if not self.n_steps:
            return ""
        return place_words(self._phase(), self.cursor, self.graph_view.step_counts)

    # Groups

    def toggle_group(self, key: str) -> None:
        """Opens a collapsed group one level, or closes the innermost open group that a node belongs to."""
        attributes = self.graph_view.graph.nodes.get(key, {})
        if attributes.get("members"):
            self.open_group(attributes["group"][-1])
        else:
            self.close_outer(key, 0)

    def open_group(self, name: str) -> None:
        """Opens a group ("L1N2"), or a composite operation in place ("op:o")."""
        self._change_groups(opens=[name])

    def close_group(self, name: str) -> None:
        """Closes a group, an opened operation ("op:o"), or all that a value was computed from ("cone:n")."""
        self._change_groups(closes=[name])

    def close_outer(self, key: str, level: int = 1) -> None:
        """Closes an open group around a node: the innermost for 0, the one around it for 1; or nothing."""
        around = self.groups_around(key)
        if level < len(around):
            self.close_group(around[level])

    def groups_around(self, key: str) -> tuple[str, ...]:
        """Names of the open groups in which a node lies, innermost first."""
        return tuple(group[-1] for group in self.graph_view.groups_around(key))

    def group_choices(self, key: str) -> tuple[GroupChoice, ...]:
        """What can be opened and closed at a node, with the words for a menu; `choose` does it."""
        return self.graph_view.choices(key)

    def choose(self, choice: GroupChoice) -> None:
        """Opens and closes what a choice says."""
        self._change_groups(choice.opens, choice.closes)

    def _change_groups(self, opens: Sequence[str] = (), closes: Sequence[str] = ()) -> None:
        self._session.set_view(**self.graph_view.visibility.changed(opens, closes))

    def look_up(self) -> Callable[[Value], tuple[Any, Any]]:
        """What gives the data and the gradient of a value as they stand at the cursor, None for what is not computed;
        to be used at once.
        """
        if self.cursor == ALL or self.steps is None:
            return self._source.sample.numbers if self._source.sample is not None else self.graph_view.numbers
        return self.steps.numbers_at(self.cursor, self.graph_view.numbers)

    def explain(self, explainer: Explainer, value: Value) -> Explanation:
        """Why a value of the graph has its numbers, at the step of the walk or at the moment of training shown."""
        if self.cursor != ALL:
            return explainer.explain(value, self.steps, self.cursor)
        sample = self._source.sample
        return explainer.explain(value) if sample is None else explain_at_moment(sample, explainer, value)

    def _renew_readings(self, emit: bool = True) -> None:
        self.readings = read_numbers(self.graph_view.graph, self.look_up(), self.graph_view.problems)
        if emit:
            self.readings_changed.emit()

    def stop(self) -> list[Thread]:
        """Stops what is under way; the threads that are still to be waited for."""
        return [*self._source.stop(), *self._job.stop()]

    def close(self) -> None:
        """Stops what is under way and waits for its threads, two seconds at most."""
        join_all(self.stop())


def _words(graph: nx.DiGraph) -> list[tuple[object, ...]]:
    """What is written into the nodes of a graph."""
    return [tuple(map(attributes.get, ("label", "role", "note", "text"))) for _, attributes in graph.nodes(data=True)]
