"""Predict, then reveal: which gradients of a graph are hidden, what was answered, and the score.

It has no widgets: the panel and the fields in the boxes ask and answer the same questions here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from engine.autograd import Constant, Replay, Value, gradients_of, topological_order
from engine.autograd.notation import counted
from engine.teaching.explanation import Lines, plain
from engine.teaching.quiz import Score, Verdict, hint, judge
from engine.views.graph_view import GraphView

SENTENCES = {
    "empty": "There is no graph yet. Here you predict the gradients of a program.",
    "start": "Hide all gradients, or that of the selected box; type what you think they are, and press Return.",
    "large": "This graph has {values}: hide the gradient of the selected box alone.",
    "nothing selected": "Select a box first, to hide its gradient.",
    "no number": "This value has no gradient to predict.",
    "asked": "Which gradients are these? Type them here, or in the boxes: click on a question mark there, or press "
    "Return on its box. Return checks an answer, Hint shows the rule.",
    "done": "All are found: {score}.",
    "score": "{first} at once, {later} later, {hinted} with a hint",
}
"""Texts of the panel besides those of the engine on an answer."""
MOST_QUESTIONS = 60


@dataclass(eq=False)
class Question:
    """A hidden gradient to be predicted.

    Attributes:
        key: of its box.
        value: whose it is.
        gradient: the right answer.
        amounts: the contributions that it is the sum of.
        text: what is typed.
        verdict: on the last answer; None before the first.
        tries: answers that were numbers and wrong.
        hinted: whether the hint was asked for.
    """

    key: str
    value: Value
    gradient: float
    amounts: tuple[float, ...]
    text: str = ""
    verdict: Verdict | None = None
    tries: int = 0
    hinted: bool = False

    @property
    def found(self) -> bool:
        """True when the question was answered correctly."""
        return self.verdict is not None and self.verdict.right


class Prediction(QObject):
    """The questions about one graph, and the score of the session.

    Attributes:
        score: kept when the graph becomes another one.
        questions: those that are asked now, from the output to the leaves.
        said: the last thing that was said: a verdict, a hint, what to do.

    Signals:
        asked(): there are other questions: the gradients are to be looked at when all are computed.
        hidden_changed(): other gradients are hidden.
        changed(): a question, its answer or what is said is new.
    """

    asked = Signal()
    hidden_changed = Signal()
    changed = Signal()

    def __init__(
        self, parent: QObject | None = None, as_computed: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        """Create a game without questions.

        Args:
            parent: in Qt's tree.
            as_computed: within it all values have the data that the gradients on the screen follow from.
        """
        super().__init__(parent)
        self._as_computed = as_computed
        self.score = Score()
        self.questions: list[Question] = []
        self.feedback: Lines = ()
        self._about: Question | None = None
        self.hidden: frozenset[str] = frozenset()
        self._root: Value | None = None

    # Asking

    def ask_all(self, graph: GraphView) -> None:
        """Hide every gradient except those of constants; show a message for a graph that is too large."""
        values = (
            [] if graph.root is None else [v for v in reversed(topological_order(graph.root)) if _is_asked(v, graph)]
        )
        if values and len(values) <= MOST_QUESTIONS:
            self._ask(values, graph)
        else:
            text = SENTENCES["large"].format(values=counted(len(values), "value"))
            self._show_feedback(text if values else SENTENCES["empty"])

    def ask_one(self, value: Value | None, graph: GraphView) -> None:
        """Hide the gradient of one value besides those that are hidden."""
        if value is None:
            self._show_feedback(SENTENCES["nothing selected"])
        elif not _is_asked(value, graph):
            self._show_feedback(SENTENCES["no number"])
        else:
            self._ask([*(asked.value for asked in self.questions if not asked.found), value], graph)

    def ask_several(self, values: Iterable[Value], graph: GraphView) -> None:
        """Hide the gradients of some values, those left out that cannot be predicted."""
        self._ask([value for value in values if _is_asked(value, graph)], graph)

    def _ask(self, values: Iterable[Value], graph: GraphView) -> None:
        self.asked.emit()  # first: on a walk the values may have other data
        root = self._root = graph.root
        assert root is not None
        with self._as_computed():
            gradients, replay, before = gradients_of(root), Replay(root), self.questions
            self.questions = [next((q for q in before if q.value is value and not q.found), None) or
                              _question(value, graph, gradients.get(value, 0.0), replay)
                              for value in dict.fromkeys(values)]  # fmt: skip
        self.feedback = (plain(SENTENCES["asked"]),)
        self._hide(asked.key for asked in self.questions if not asked.found)
        self.changed.emit()

    def _hide(self, keys: Iterable[str]) -> None:
        self.hidden = frozenset(keys)
        self.hidden_changed.emit()

    def _show_feedback(self, *sentences: str) -> None:
        self.feedback = tuple(map(plain, sentences))
        self.changed.emit()

    def feedback_beside(self, asked: Question) -> Lines:
        """Return what was said last, where it helps with a question: of another one only that it was answered."""
        is_new = [line.text for line in self.feedback] == [SENTENCES["asked"]]
        is_past = self._about is not None and self._about is not asked and not self._about.found
        return () if is_new or is_past else self.feedback

    # Answering

    def question(self, key: str | None) -> Question | None:
        """Return the question about a node; None where its gradient is not hidden."""
        return next((asked for asked in self.questions if asked.key == key and not asked.found), None)

    def beside(self, key: str, step: int, drawn: Collection[str]) -> str | None:
        """The box with the next (1) or the previous (-1) hidden gradient.

        Args:
            key: of a box whose gradient is, or was, asked for.
            step: 1 or -1; behind the last comes the first.
            drawn: keys of the boxes that can be shown.
        """
        keys = [asked.key for asked in self.questions]
        start = keys.index(key) if key in keys else -1
        order = [keys[(start + step * far) % len(keys)] for far in range(1, len(keys))]
        return next((other for other in order if other in self.hidden and other in drawn), None)

    def type(self, asked: Question, text: str) -> None:
        """Store the typed text for all views of the question."""
        if text != asked.text:
            asked.text = text
            self.changed.emit()

    def check(self, asked: Question) -> None:
        """Check the typed answer; a correctly answered gradient is shown."""
        if asked.found:
            return
        self._about = asked
        verdict = asked.verdict = judge(asked.text, asked.value, asked.gradient, asked.amounts)
        if verdict.right:
            kind = "hinted" if asked.hinted else "later" if asked.tries else "first"
            setattr(self.score, kind, getattr(self.score, kind) + 1)
        elif verdict.is_number:
            asked.tries += 1
        hidden = [other.key for other in self.questions if not other.found]
        self.feedback = (plain(verdict.text),)
        if not hidden:
            self.feedback += (plain(SENTENCES["done"].format(score=self.score_text)),)
        if verdict.right:
            self._hide(hidden)
        self.changed.emit()

    @property
    def score_text(self) -> str:
        """The score in words."""
        return SENTENCES["score"].format(**vars(self.score))

    def give_hint(self, asked: Question) -> None:
        """Return the local rule of each consumer, without the numbers."""
        assert self._root is not None
        asked.hinted, self._about = True, asked
        with self._as_computed():
            self.feedback = tuple(hint(asked.value, self._root, Replay(self._root).uses(asked.value)))
        self.changed.emit()

    # Ending

    def end(self) -> None:
        """Hide nothing any more."""
        was_asked, self.questions, self._root = bool(self.questions), [], None
        self._show_feedback()
        if was_asked:
            self._hide(())

    def follow(self, graph: GraphView) -> None:
        """Follow another graph or other numbers: open questions are dropped unless everything is the same."""
        if self.questions and graph.root is not self._root:
            self._go_on_with(graph)
        if self.questions:
            assert self._root is not None
            with self._as_computed():
                gradients = gradients_of(self._root)
            now = [gradients.get(asked.value, 0.0) for asked in self.questions]
            if not np.array_equal(now, [asked.gradient for asked in self.questions], equal_nan=True):
                self.end()

    def _go_on_with(self, graph: GraphView) -> None:
        """Keep questions and typed answers for a rebuilt graph that is the same, as after a comment was typed."""
        drawn = {key: attributes.get("value") for key, attributes in graph.graph.nodes(data=True)}
        values = [drawn.get(asked.key) for asked in self.questions]
        root = self._root = graph.root
        if root is None or any(value is None for value in values):
            self.end()
            return
        gradients, replay = gradients_of(root), Replay(root)
        again = [_question(value, graph, gradients.get(value, 0.0), replay) for value in values if value is not None]
        if list(map(_numbers, again)) != list(map(_numbers, self.questions)):
            self.end()
            return
        for asked, new in zip(self.questions, again, strict=True):
            asked.value = new.value


def _numbers(asked: Question) -> str:
    """Return the numbers asked for as text, so that nan equals nan."""
    return repr((asked.value.data, asked.gradient, asked.amounts))


def _is_asked(value: Value, graph: GraphView) -> bool:
    """Return True when the gradient can be predicted: a single number that is drawn and not given by the program."""
    return not isinstance(value, Constant) and value.data.__class__ is float and graph.box_of(value) is not None


def _question(value: Value, graph: GraphView, gradient: float, replay: Replay) -> Question:
    terms = replay.contributions_to(value, replay.downstream([value]))
    return Question(graph.box_of(value) or "", value, float(gradient), tuple(float(term.amount) for term in terms))
