"""Two graphs to be compared: what each side shows, and the comparison, made in a worker thread.

A side is a `Source`: the program as it is, a text, a backward call, the right gradients of the program, or the network
on the canvas. What is pinned is a view of the window and no part of the document: it says what the user wants to look
back at now, and a session file that held it would differ after every look.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from engine.autograd.notation import counted
from engine.language import BackwardCall, Evaluation
from engine.language.moment_names import at_moment
from engine.views.graph_difference import ComparedGraph, GraphDifference, compare_graphs, right_numbers
from engine.views.graph_view import show_expression
from gui.background import Job
from gui.presenter.graph_presenter import GraphPresenter
from gui.session.program_run import ProgramRun
from gui.session.programs import Outcome, Programs

SIDES = ("A", "B")
MOST_KEPT = 6
"""Outcomes of texts that are kept, so that a comparison with the same text does not run it again."""
TEXTS = {
    "program": "This program",
    "right": "Right gradients of this program",
    "network": "The network on the canvas",
    "pinned network": "Pinned network at step {step:,}",
    "pinned": "Pinned program ({lines})",
    "call": "{call} of this program",
    "error": "Line {line}: {message}",
    "no graph": "There is no graph: the program does not end with a value that has a gradient.",
    "no call": "The program no longer has this backward call.",
    "no network": "The canvas shows the program: choose Network above the graph.",
    "hidden": "Gradients are hidden. Both graphs are shown once all gradients are answered or revealed.",
    "failed": "Not possible: {reason}",
}


def call_title(call: BackwardCall) -> str:
    """Return the name of a backward call: `backward call 2 (k = 3)`."""
    return f"backward call {call.number}{f' ({call.label})' if call.label else ''}"


@dataclass(frozen=True)
class Source:
    """Content of one side of the comparison.

    Attributes:
        kind: "program", "right", "call" and "network" follow the session; "text" is a text of its own, "graph" a graph
            that was pinned.
        title: names it.
        text: of "text".
        number: of a backward call, from 1.
        evaluation: of "text", where it has been run already.
        graph: of "graph".
    """

    kind: str = "program"
    title: str = TEXTS["program"]
    text: str = ""
    number: int = 0
    evaluation: Evaluation | None = field(default=None, compare=False, repr=False)
    graph: ComparedGraph | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a comparison: a graph, or the reason why there is none."""

    graph: ComparedGraph | None = None
    problem: str = ""


@dataclass(frozen=True, eq=False)
class Pair:
    """Both sides, and their difference where both have a graph."""

    sides: tuple[Side, Side]
    difference: GraphDifference | None = None


Make = Callable[[Callable[[], bool]], Side | None]
"""Makes a side, in a worker thread; None when it was cancelled."""


class ComparedGraphs(QObject):
    """The sources of both sides, what is pinned, and the comparison.

    Attributes:
        sources: by "A" and "B".
        pinned: the last pinned source; None for none.
        pair: the comparison; the one before while another one is being made.

    Signals:
        changed(): the sources or the comparison are new.
        pin_requested(): what the canvas shows is to be pinned.
    """

    changed = Signal()
    pin_requested = Signal()

    def __init__(self, programs: Programs, run: ProgramRun, presenter: GraphPresenter, parent: QObject) -> None:
        """Compare the program with itself at first."""
        super().__init__(parent)
        self.sources: dict[str, Source] = {"A": Source(), "B": Source()}
        self.pinned: Source | None = None
        self.pair: Pair | None = None
        self._programs, self._run, self._presenter = programs, run, presenter
        self._asked: object = None
        self._makers: list[Make] = []  # they hold what `_asked` has the ids of
        self._kept: dict[str, Side] = {}
        self._job = Job("comparison", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(self._fail)

    # What is compared

    def choose(self, side: str, source: Source) -> None:
        """Show something else on a side."""
        self.sources[side] = source
        self.follow()
        self.changed.emit()

    def swap(self) -> None:
        """Exchange both sides."""
        self.sources = {"A": self.sources["B"], "B": self.sources["A"]}
        self.follow()
        self.changed.emit()

    def pin(self, text: str, step: int = 0) -> Source:
        """Keep what the canvas shows, the program or the network with its numbers, to be compared with later ones.

        Args:
            text: the program.
            step: the shown step of training.
        """
        if self._presenter.shows_network:
            self.pinned = Source("graph", TEXTS["pinned network"].format(step=step), graph=self._network())
        else:
            run = self._run
            is_known = run.is_evaluated and run.error is None and run.evaluation_text == text and not run.last_line
            evaluation = run.evaluation if is_known else None
            title = TEXTS["pinned"].format(lines=counted(len(text.splitlines()), "line"))
            self.pinned = Source("text", title, text, evaluation=evaluation)
        self.changed.emit()
        return self.pinned

    def call(self, number: int) -> Source:
        """Return the source of a backward call of the program, from 1."""
        call = next((each for each in self._run.moments if each.number == number), None)
        name = call_title(call) if call is not None else f"backward call {number}"
        return Source("call", TEXTS["call"].format(call=name.capitalize()), number=number)

    @property
    def is_live(self) -> bool:
        """True when a side shows the network, whose numbers follow the training."""
        return any(source.kind == "network" for source in self.sources.values())

    @property
    def busy(self) -> bool:
        """True while a comparison is being made."""
        return self._job.busy

    # Making the comparison

    def follow(self) -> None:
        """Start a new comparison if a side has changed since the last one; called when the session has changed."""
        if self._presenter.prediction.hidden:
            self._job.cancel()
            self._asked, side = "hidden", Side(problem=TEXTS["hidden"])
            self._take("hidden", Pair((side, side)))
            return
        made = [self._maker(self.sources[side]) for side in SIDES]
        if any(make is None for _key, make in made):
            return  # the program is running; its end is a change, too
        asked = tuple(key for key, _make in made)
        if asked == self._asked:
            return
        self._asked = asked
        self._makers = makers = [make for _key, make in made if make is not None]

        def work(cancelled: Callable[[], bool]) -> Iterator[Pair]:
            first = makers[0](cancelled)
            second = first if asked[0] == asked[1] else makers[1](cancelled) if first is not None else None
            if first is not None and second is not None:
                difference = None
                if first.graph is not None and second.graph is not None:
                    difference = compare_graphs(first.graph, second.graph)
                    difference.summary()  # it keeps its counts, which are then not made in the thread of the window
                yield Pair((first, second), difference)

        self._job.start(asked, work)

    def _maker(self, source: Source) -> tuple[object, Make | None]:
        """Return a key that is equal as long as a source shows the same, and the function that makes its side.

        No function: the program has not come to its end.
        """
        run = self._run
        if source.kind == "text":
            return ("text", source.text), lambda cancelled: self._text_side(source, cancelled)
        if source.kind == "graph":
            return ("graph", id(source.graph)), lambda _cancelled: Side(source.graph)
        if source.kind == "network":
            if not self._presenter.shows_network:
                return ("network",), _saying(TEXTS["no network"])
            graph = self._network()
            key = "network", id(graph.view), *map(graph.numbers, graph.view.leaves)
            return key, lambda _cancelled: Side(graph)
        if run.busy:
            return ("busy",), None
        if run.trouble or run.error is not None:
            problem = run.trouble or _words(Outcome("", error=run.error))
            return ("error", problem), _saying(problem)
        evaluation = run.evaluation or Evaluation()
        return (source.kind, source.number, id(evaluation)), lambda _cancelled: _program_side(source, evaluation)

    def _network(self) -> ComparedGraph:
        """The network on the canvas with its present numbers."""
        view, look_up = self._presenter.graph_view, self._presenter.look_up()
        numbers = {id(value): look_up(value) for value in view.values}
        return ComparedGraph(view, lambda value: numbers[id(value)])

    def _text_side(self, source: Source, cancelled: Callable[[], bool]) -> Side | None:
        side = self._kept.get(source.text)
        if side is None:
            evaluation, problem = source.evaluation, ""
            if evaluation is None:
                outcome = self._programs.run_alone(source.text, cancelled)
                if outcome is None:
                    return None
                evaluation, problem = outcome.evaluation, _words(outcome)
            side = Side(problem=problem) if evaluation is None else _program_side(source, evaluation)
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[source.text] = side
        return side

    def _take(self, asked: object, pair: Pair) -> None:
        if asked == self._asked:
            self.pair = pair
            self.changed.emit()

    def _fail(self, asked: object, error: Exception) -> None:
        side = Side(problem=TEXTS["failed"].format(reason=error))
        self._take(asked, Pair((side, side)))

    def close(self) -> None:
        """Stop for good."""
        self._job.stop()


def _saying(problem: str) -> Make:
    return lambda _cancelled: Side(problem=problem)


def _words(outcome: Outcome) -> str:
    error = outcome.error
    return outcome.failure if error is None else TEXTS["error"].format(line=error.line, message=error.message)


def _program_side(source: Source, evaluation: Evaluation) -> Side:
    """Return the graph of a program that was run, of one of its backward calls, or with the right gradients.

    The evaluation is copied first: the canvas writes names and gradients into its own at the same time.
    """
    evaluation = copy.deepcopy(evaluation)
    if source.kind == "call":
        call = next((each for each in evaluation.moments if each.number == source.number), None)
        if call is None:
            return Side(problem=TEXTS["no call"])
        evaluation = at_moment(evaluation, call)
    view = show_expression(evaluation)
    if view.root is None:
        return Side(problem=TEXTS["no graph"])
    _ = view.graph, view.structure
    return Side(ComparedGraph(view, right_numbers(view) if source.kind == "right" else view.numbers))
