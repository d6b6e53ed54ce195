"""Walk through the shown graph: built on demand, its steps counted without building it."""

from __future__ import annotations

from engine.autograd import Value
from engine.network.run.progress import Progress
from engine.teaching import UpdateRule, Walk
from engine.teaching.walk_position import same_position
from engine.views.graph_view import GraphView
from engine.views.sample import SampleGraph
from engine.views.update_rule import update_rule
from engine.views.walk_texts import StepCounts

ALL = -1
"""Position of the walk at which everything is computed."""


class ShownWalk:
    """Walk through one graph with the numbers of one snapshot."""

    def __init__(
        self,
        graph_view: GraphView,
        sample: SampleGraph | None = None,
        progress: Progress | None = None,
        learning_rate: float | None = 0.0,
    ) -> None:
        """Create the walk over a graph view.

        Args:
            graph_view: what is shown; where data were changed after the rest was computed, its passes are walked.
            sample: of a network; None for a program.
            progress: the moment of training that is shown, which knows the next update.
            learning_rate: for a program; None: no update is walked but the program's own.
        """
        self.graph_view = graph_view
        """The graph that is walked through."""
        self._sample, self._progress, self._learning_rate = sample, progress, learning_rate
        self._walk: Walk | None = None

    def _rule(self) -> UpdateRule | None:
        update = self._progress.update if self._progress is not None else None
        return update_rule(self.graph_view, self._sample, update, self._learning_rate)

    @property
    def _root(self) -> Value | None:
        """The value at which backward begins; None for an empty graph, and where the output is an array."""
        root = self.graph_view.root
        return root if root is not None and root.data.__class__ is float else None

    @property
    def walk(self) -> Walk | None:
        """The walk; None for an empty graph, and where the output is an array."""
        if self._walk is None and self._root is not None:
            self._walk = Walk(self._root, self._rule(), self.graph_view.program_gradients)
        return self._walk

    @property
    def data(self) -> str:
        """Data of the walk if they differ from the data shown without it: `before` an update, or of `now`."""
        program = self.graph_view.program
        if program is not None and program.data:
            return "before" if program.is_before else "now"
        return "now" if self._sample is not None and self._sample.walks_updated else ""

    @property
    def counts(self) -> StepCounts:
        """Number of steps in each phase; counted without building the walk."""
        if self._root is None:
            return StepCounts(0, 0)
        rule = self._rule()
        gradients = self.graph_view.program_gradients
        updates = None if rule is None else len(rule.parameters)
        later = 0 if gradients is None else len(gradients.later)
        is_pass = gradients is None or gradients.is_pass
        return StepCounts(*self.graph_view.step_counts, updates, gradients is None, later, is_pass)

    @property
    def end(self) -> int:
        """The position at which everything is as it is shown without a walk: after backward, or after the update that
        the program itself has made; where a step of training is under way, after its last phase.
        """
        counts, under_way = self.counts, self.under_way
        if under_way is not None:
            return under_way
        program = self.graph_view.program
        return counts.total if program is not None and (program.updated or counts.later) else counts.all_computed

    @property
    def under_way(self) -> int | None:
        """The position after the phase of training that was done last; None where no step is under way."""
        phase = self._progress.phase if self._progress is not None and self._sample is not None else None
        if phase is None or phase.name == "update":
            return None
        counts = self.counts
        if phase.name == "forward" and self._sample is not None and self._rule() is not None:
            return counts.forward - self._sample.n_loss
        return {"zero_grad": counts.phases["seed"], "backward": counts.all_computed}.get(phase.name, counts.forward)

    def position_in(self, other: ShownWalk, position: int) -> int:
        """Return the position in the walk of another graph, with other operations expanded, that corresponds to a
        position.
        """
        if position == ALL or self._walk is None or other.walk is None:
            return ALL
        names, names_there = self.graph_view.names.keys, other.graph_view.names.keys
        return same_position(self._walk, names, position, other.walk, names_there)

    def phase_end(self, position: int, direction: int) -> int:
        """Return the end of the current phase; with -1 its start, or that of the previous phase."""
        at = self.end if position == ALL else position
        further = [end for end in self.counts.ends if (end > at if direction > 0 else end < at)]
        return further[0 if direction > 0 else -1] if further else at

    def position_of(self, value: Value, position: int) -> int:
        """The position at which a value has its data; where it has them, that at which its gradient is complete."""
        walk, at = self.walk, 0 if position == ALL else position
        if walk is None or value not in walk:
            return position
        computed = walk.computed_at(value)
        return computed if computed > at else walk.settled_at(value)

    def touched(self, position: int) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        """Node keys and edges that the step before a position touches; not for the start."""
        assert self.walk is not None
        step, rule = self.walk.script[position - 1], self.walk.rule
        if step.kind == "zero_grad" and rule is not None:
            return frozenset(filter(None, map(self.graph_view.box_of, rule.parameters))), frozenset()
        return self.graph_view.touched_by(step)
