"""Presenter of one canvas: a graph, its picture, its numbers at a moment, and the position of the walk.

It knows no session: its owner says what to show by plain calls. Only a change of structure causes a new layout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from datasets import Dataset
from engine.autograd import Value
from engine.document import Document
from engine.graph import BoxNumbers, Picture, read_numbers
from engine.graph.picture import without_gradients
from engine.language import Evaluation
from engine.network import Phase
from engine.network.run.progress import Progress
from engine.teaching import Walk
from engine.views import walk_texts
from engine.views.graph_view import GraphView
from engine.views.group_visibility import GroupChoice
from engine.views.sample import PassParameters, SampleGraph
from engine.views.shown_walk import ALL, ShownWalk
from engine.views.walk_texts import UpdateTexts
from gui.canvas.render_state import PreparedPicture
from gui.presenter.graph_job import GraphJob, GraphRequest, MadeGraph
from gui.presenter.placement import Placement
from gui.presenter.prediction import Prediction


class GraphGroups:
    """Expands and collapses groups by requesting another view from the presenter's owner."""

    def __init__(self, presenter: GraphPresenter) -> None:
        self._presenter = presenter

    def toggle(self, key: str) -> None:
        """Expand a group one level, or collapse the innermost expanded group that a node belongs to, if any."""
        attributes = self._presenter.graph_view.graph.nodes.get(key, {})
        if attributes.get("members"):
            self.expand(attributes["group"][-1])
        elif around := self.around(key):
            self.collapse(around[0])

    def expand(self, name: str) -> None:
        """Open a group ("L1N2"), or a composite operation in place ("op:o")."""
        self._change(expands=[name])

    def collapse(self, name: str) -> None:
        """Collapse a group, an expanded operation ("op:o"), or all that a value was computed from ("cone:n")."""
        self._change(collapses=[name])

    def around(self, key: str) -> tuple[str, ...]:
        """Names of the expanded groups in which a node lies, innermost first."""
        return tuple(group[-1] for group in self._presenter.graph_view.groups_around(key))

    def choices(self, key: str) -> tuple[GroupChoice, ...]:
        """Return the groups that can be expanded or collapsed at a node, with menu texts; `choose` applies one."""
        return self._presenter.graph_view.choices(key)

    def choose(self, choice: GroupChoice) -> None:
        """Apply a choice."""
        self._change(choice.expands, choice.collapses)

    def _change(self, expands: Sequence[str] = (), collapses: Sequence[str] = ()) -> None:
        self._presenter.view_requested.emit(self._presenter.graph_view.visibility.changed(expands, collapses))


class GraphPresenter(QObject):
    """The graph that a canvas shows, its picture and its numbers.

    Attributes:
        sample: the network on the samples shown; None for an expression.
        placement: where its boxes stand.
        groups: what opens and closes them.
        shown_walk: the walk through it, with the counts of its steps.
        readings: the numbers of each box at the moment and position shown.
        is_watched: asked before numbers are computed that may wait: whether anybody sees them.
        prediction: the gradients that are a question mark, because they are to be predicted.
        position: number of steps of the walk that are done, 0 .. n_steps; ALL when everything is computed.

    Signals:
        picture_changed(bool): whether the new picture is one of the same subject (keep the view) or a new one (fit).
        readings_changed(): numbers, position or what a step touched.
        busy_changed(bool): a large graph is being made or laid out in the background.
        view_requested(dict): fields of the document's view with which groups are open that were asked to be; the
            owner shows the document with them.
        message_posted(str, str): a line for the user and its kind, "note" or "error".
    """

    picture_changed = Signal(bool)
    readings_changed = Signal()
    busy_changed = Signal(bool)
    view_requested = Signal(dict)
    message_posted = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graph_view = GraphView()
        self.is_watched: Callable[[], bool] = lambda: True
        self._readings: dict[str, BoxNumbers] = {}
        self._later: tuple[Progress, PassParameters] | None = None  # what nobody has asked for yet
        self.position, self.prediction = ALL, Prediction(self, self._as_computed)
        self._document: Document | None = None
        self._evaluation: Evaluation | None = None
        self._dataset: Dataset | None = None
        self._sample: SampleGraph | None = None
        self._progress: Progress | None = None
        self._passes: PassParameters | None = None
        self._shown_walk = ShownWalk(self._graph_view)
        self._reason = ""
        self._n_subjects = 0
        self.groups = GraphGroups(self)
        self.prediction.asked.connect(lambda: self.set_position(ALL))
        self.prediction.hidden_changed.connect(self._renew_readings)
        self._making = GraphJob(self)
        self._making.made.connect(self._take_graph)
        self.placement = Placement(self)
        self.placement.layout_replaced.connect(self._show_picture)
        self.placement.message_posted.connect(self.message_posted)
        for ended in (self._making.ended, self.placement.ended):
            ended.connect(lambda: self.busy_changed.emit(self.busy))

    # Requests

    def show(
        self, document: Document, evaluation: Evaluation | None, dataset: Dataset | None, restart: bool = False
    ) -> None:
        """Show a document; parts that do not differ stay.

        Args:
            document: its view says what of it is shown, and how.
            evaluation: of its program, the last one that worked; None: there is none.
            dataset: that its network is trained on; None where no network is shown.
            restart: training restarts from the document's moment: another network, other data or other weights.
        """
        self._later = None if restart else self._later
        self.catch_up()
        before, self._document = self._document, document
        other_program = evaluation is not self._evaluation
        if self._evaluation is None and evaluation is not None and not self.shows_network:
            self.placement.forget()  # the first program of a document is shown as if there had been none before
        self._evaluation, self._dataset = evaluation, dataset
        if restart:
            self._sample = self._progress = self._passes = None
        if before is not None and before.training != document.training and not self.shows_network:
            self._shown_walk = self._new_walk(self._graph_view)
            if self.position != ALL:
                self._renew_readings()
        if before is None or (restart if self.shows_network else other_program):
            self._request(keep_position=False)
        elif before.view.contents != document.view.contents:
            now = document.view.contents
            only_groups = replace(before.view.contents, expanded=now.expanded, collapsed=now.collapsed) == now
            self._request(keep_position=only_groups)
        elif before.view.style != document.view.style:
            self._place()
        elif before.view != document.view:
            drawn = self.prepared
            self.placement.move(document.view.moved_here)
            self._announce_moved(drawn)
            self.busy_changed.emit(self.busy)

    def show_moment(self, progress: Progress, passes: PassParameters, may_wait: bool = False) -> None:
        """Show the network at a step of training, unless it is the one that is shown.

        Args:
            progress: report of that step.
            passes: parameters of its numbers, inside a step those of each pass.
            may_wait: the next one comes soon: where nobody sees the numbers they are computed when they are asked for.
        """
        if may_wait and self.position == ALL and not self.is_watched():
            self._later = progress, passes
            return
        self._later = None
        if passes is self._passes:
            return
        self._progress, self._passes = progress, passes
        if self.shows_network and self._sample is not None:
            self._sample.show(self._passes)
            self._shown_walk = self._new_walk(self._graph_view)
            self.position = ALL
            self._renew_readings()

    def catch_up(self) -> None:
        """Compute deferred numbers."""
        if self._later is not None:
            self.show_moment(*self._later)

    def forget_places(self) -> None:
        """Forget all positions: the next graph is unrelated, and is laid out and fitted from scratch."""
        self._n_subjects += 1
        self.placement.forget()

    # Content

    @property
    def graph_view(self) -> GraphView:
        """Roots and names of the graph."""
        return self._graph_view

    @property
    def readings(self) -> dict[str, BoxNumbers]:
        """The numbers of each box."""
        self.catch_up()
        return self._readings

    @property
    def sample(self) -> SampleGraph | None:
        """The network on the samples shown, at the moment shown."""
        self.catch_up()
        return self._sample

    @property
    def shown_walk(self) -> ShownWalk:
        """The walk through it."""
        self.catch_up()
        return self._shown_walk

    @property
    def prepared(self) -> PreparedPicture:
        """The picture, ready to be drawn."""
        return self.placement.prepared

    @property
    def picture(self) -> Picture:
        """Boxes, circles and edges with their places."""
        return self.prepared.picture

    @property
    def shows_network(self) -> bool:
        """True when the network on a sample is shown, not the expression."""
        return self._document is not None and self._document.view.shows == "network"

    @property
    def walk(self) -> Walk | None:
        """Through the graph shown, forward, backward and the update; None for an empty graph."""
        return self.shown_walk.walk

    @property
    def n_steps(self) -> int:
        """Number of steps of the walk; 0 for an empty graph. Counted without building the walk."""
        return self.shown_walk.counts.total

    def _new_walk(self, graph_view: GraphView) -> ShownWalk:
        assert self._document is not None
        return ShownWalk(graph_view, self._sample, self._progress, self._document.training.learning_rate)

    def keys(self) -> dict[int, str]:
        """The box in which each value is drawn, its own or that of a closed group, by `id(value)`."""
        places: dict[int, str] = self.graph_view.graph.graph["places"]
        return places

    def value(self, key: str | None) -> Value | None:
        """The value behind a box; None when there is none, or when it is a group with several outputs."""
        self.catch_up()
        attributes = self.graph_view.graph.nodes.get(key) if key is not None else None
        if attributes is None or len(attributes.get("outputs", ())) > 1:
            return None
        return attributes.get("value")

    @property
    def busy(self) -> bool:
        """True while a large graph is being built or laid out in a worker thread."""
        return bool(self._making.awaited) or self.placement.busy

    @property
    def awaited(self) -> int:
        """Estimated number of nodes of a graph that is still being made or laid out; 0 for none."""
        return self._making.awaited or self.placement.awaited

    @property
    def note(self) -> str:
        """Message about parts that could not be drawn; "" for none."""
        return self._reason or self.graph_view.note

    # From the document to the picture

    def _request(self, keep_position: bool) -> None:
        assert self._document is not None
        wanted = GraphRequest(self._document, self._evaluation, self._dataset, self.sample, self._passes)
        self._making.request((keep_position, wanted), wanted)
        self.busy_changed.emit(self.busy)

    def _take_graph(self, token: tuple[bool, GraphRequest], made: MadeGraph) -> None:
        keep_position, wanted = token
        assert self._document is not None
        if wanted.document.view.shows != self._document.view.shows:
            return
        self._sample, self._reason = made.sample, made.reason
        if made.reason:
            self.message_posted.emit(made.reason, "error")
        self.catch_up()
        if self._sample is not None and self._passes is not None and self._passes is not wanted.passes:
            self._sample.show(self._passes)
        assert self._document is not None
        if made.graph_view.roots != self._graph_view.roots:  # not only groups opened or closed
            walk, before = self._new_walk(made.graph_view), self.shown_walk
            self.position = before.position_in(walk, self.position) if keep_position else ALL
            self._shown_walk = walk
            if self.position != ALL and self.sample is not None:
                self.sample.start_walk()
        self._graph_view = self._shown_walk.graph_view = made.graph_view
        self._place()

    def _place(self) -> None:
        """Lay the graph out: with its present positions, or with new ones soon."""
        assert self._document is not None
        view, drawn = self._document.view, self.prepared
        # a network of another shape is another subject, an edited program is not
        shape = (self._document.network.layer_sizes, view.n_samples) if view.shows == "network" else ()
        subject = self._n_subjects, view.shows, *shape
        if self.placement.place(self.graph_view, view.style, view.moved_here, subject):
            self._renew_readings(emit=False)
            self._announce_moved(drawn)
            self.readings_changed.emit()
        self.busy_changed.emit(self.busy)

    def _announce_moved(self, before: PreparedPicture) -> None:
        if self.prepared is not before:
            self.picture_changed.emit(True)

    def _show_picture(self, same_subject: bool) -> None:
        self._renew_readings(emit=False)
        self.picture_changed.emit(same_subject)
        self.readings_changed.emit()
        self.busy_changed.emit(self.busy)

    # The walk

    def set_position(self, position: int) -> None:
        """Show the graph after so many steps of the walk, clamped; ALL shows everything."""
        if self.graph_view.root is None:
            self.message_posted.emit(walk_texts.NOTHING_TO_STEP, "note")
            return
        if position != ALL and not self.n_steps:
            self.message_posted.emit(walk_texts.ARRAY_AT_THE_END, "note")
            return
        position = ALL if position == ALL else max(0, min(position, self.n_steps))
        if position != self.position:
            sample, begins = self.sample, position != ALL
            if sample is not None and begins == (self.position == ALL):
                passes = sample.passes  # a walk takes the current parameters, its end those of the shown phase
                sample.start_walk() if begins else sample.end_walk()
                self._shown_walk = self._shown_walk if sample.passes is passes else self._new_walk(self._graph_view)
            self.position = position
            self._renew_readings()

    def next(self) -> None:
        """Go one step forward; from "everything" to the beginning, in a step of training to its last phase."""
        self.set_position(((self.shown_walk.under_way or 0) if self.position == ALL else self.position) + 1)

    def back(self) -> None:
        """Go one step back."""
        self.set_position((self.shown_walk.end if self.position == ALL else self.position) - 1)

    # Texts

    @property
    def phase(self) -> Phase | None:
        """The phase of training that the canvas shows, if it shows one."""
        progress = self._progress if self._later is None else self._later[0]
        return progress.phase if progress is not None and self.shows_network and self.position == ALL else None

    def touched(self) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        """Node keys and edges touched by the last step of the walk or by the phase of training."""
        if self.position in (ALL, 0) or self.walk is None:
            return walk_texts.touched_by_phase(self.graph_view, self.phase), frozenset()
        return self.shown_walk.touched(self.position)

    def words(self, selected: str | None = None) -> str:
        """Return a line of text on the last step of the walk, or on the phase of training.

        Args:
            selected: key of a box: for a parameter its own numbers are in the text.
        """
        if self.position not in (ALL, 0) and self.walk is not None:
            return walk_texts.step_text(self.walk.script[self.position - 1], bool(self.prediction.hidden))
        if self.update_texts is None or self._dataset is None:
            return walk_texts.state_text(self._graph_view, self.position == 0, self.shown_walk.data)
        return walk_texts.moment_text(self.update_texts, self.phase, self.value(selected), self._dataset.n_samples)

    @property
    def update_texts(self) -> UpdateTexts | None:
        """Texts on both gradients of a parameter and on the loss; None for an expression, or during a walk."""
        sample = self.sample
        update = self._progress.update if self._progress is not None else None
        return UpdateTexts(sample, update) if sample is not None and self.position == ALL else None

    def notes(self, key: str) -> tuple[str, ...]:
        """Sentences on the value of a box for its tool-tip, beside its numbers."""
        if self.update_texts is None:
            return () if self.prediction.hidden else walk_texts.gradient_notes(self._graph_view, key)
        return self.update_texts.note(self.value(key))

    def place(self) -> str:
        """Return the position of the walk as text: "forward 3 of 8", "backward 2 of 14"."""
        walk, is_over = self.shown_walk, self.position == ALL
        place = walk_texts.place_text(self.phase, walk.end if is_over else self.position, walk.counts)
        return place if is_over else walk_texts.data_text(place, walk.data)

    def look_up(self) -> Callable[[Value], tuple[Any, Any]]:
        """Return a function that gives a value's present data and gradient, None if not computed; valid until the next
        change.
        """
        if self.position == ALL or self.walk is None:
            return self.sample.numbers if self.sample is not None else self.graph_view.numbers
        return self.walk.numbers_at(self.position, self.graph_view.numbers_of_pass)

    def _as_computed(self) -> AbstractContextManager[object]:
        """Use the numbers of the pass within the block: after an update, those before it."""
        return nullcontext() if self.sample is None else self.sample.as_computed()

    def renew_numbers(self) -> None:
        """Write all numbers of the picture again, as with other decimals."""
        self._renew_readings()

    def _renew_readings(self, emit: bool = True) -> None:
        self.prediction.follow(self._graph_view)
        readings = read_numbers(self.graph_view.graph, self.look_up(), self.graph_view.problems)
        self._readings = without_gradients(readings, self.prediction.hidden)
        if emit:
            self.readings_changed.emit()

    # The end

    def stop(self) -> None:
        """Stop all work for good."""
        self._making.stop()
        self.placement.stop()
