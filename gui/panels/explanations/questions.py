"""The base of panels that ask something of the selected value, and what they ask it of: the graph that is shown, at the
moment that is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from engine.autograd import Value
from engine.teaching import Nudger
from engine.teaching.explanation import plain
from engine.views.questions import GraphCopy, Question
from gui.background import Job
from gui.panels.panel import Panel
from gui.presenter.shown_walk import ALL
from gui.session import Session
from gui.theme import Colors
from gui.widgets.formula_view import FormulaView


class QuestionPanel(Panel):
    """Base of panels that answer a question in a worker thread and show the answer, or the reason why there is none.

    A subclass asks with `ask`, or leaves it with `leave`, and shows the answers with `show_answer`. What was answered
    stays until the next answer is there; questions come one after the other, the newest wins.

    Attributes:
        page: what is said.
        sentences: of the panel: those that `leave` is called with, and "failed", with the reason.
    """

    sentences: Mapping[str, str]
    rest_seconds = 0.2
    depends_on = frozenset({"selection", "numbers"})

    def __init__(self, session: Session, thread: str, page: str) -> None:
        """Create the page."""
        super().__init__(session)
        self.page = FormulaView(page)
        self._job = Job(thread, self)
        self._job.delivered.connect(self.show_answer)
        self._job.failed.connect(lambda _asked, error: self.say(self.sentences["failed"].format(reason=error)))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.page.colors = colors
        self.outdate()

    def ask(self, answers: Callable[[], Iterable[Any]], asked: object = None) -> None:
        """Start answering a question in a worker thread.

        Args:
            answers: gives the answers, the better ones later; called in a thread. With a LookupError there are none:
                another graph is on its way, which is asked then.
            asked: comes back with each answer.
        """
        self._job.start(asked, lambda _cancelled: _while_there(answers), patient=True)

    def show_answer(self, asked: Any, answer: Any) -> None:
        """Show an answer to what was asked."""
        raise NotImplementedError

    def leave(self, sentence: str) -> None:
        """Ask nothing, and show the reason."""
        self._job.cancel()
        self.say(self.sentences[sentence])

    def say(self, sentence: str) -> None:
        """Show only this sentence."""
        self.set_caption("")
        self.page.show_lines([plain(sentence)])

    def selected_number(self) -> Value | None:
        """The selected value, if it is a number that can be nudged and its gradient is told; else says why not."""
        value = self.session.presenter.value(self.session.selection)
        if value is None or self.session.presenter.graph_view.root is None:
            reason = "empty"
        else:
            reason = self._why_untold(value) or ("" if value.data.__class__ is float else "array")
        if reason:
            self.leave(reason)
        return None if reason else value

    def _why_untold(self, value: Value) -> str:
        """Return why a gradient is not shown: "hidden" in Predict, "not reached" by the walk; or "" if it is."""
        presenter = self.session.presenter
        if presenter.graph_view.box_of(value) in presenter.prediction.hidden:
            return "hidden"
        walk = presenter.walk if presenter.position != ALL else None
        return "not reached" if walk is not None and presenter.position < max(walk.arrivals(value), default=0) else ""

    def question_about(self, value: Value) -> Question:
        """A question about a value of the graph that is shown, everything computed."""
        presenter, data = self.session.presenter, self.session.dataset
        question = Question(value, presenter.graph_view)
        if presenter.sample is None:
            return question
        return replace(question, passes=presenter.sample.passes, document=self.session.document, X=data.X, y=data.y)


def _while_there(answers: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    with suppress(LookupError):
        yield from answers()


class NudgedGraph(GraphCopy):
    """Copy of the shown graph with what nudges its values, the same one as long as it can be."""

    _nudger: Nudger | None = None

    def go_to(self, question: Question) -> tuple[bool, bool]:
        """Give the copy the numbers that a question is about; see `GraphCopy`."""
        is_new, has_moved = super().go_to(question)
        if is_new:
            self._nudger = None
        elif has_moved and self._nudger is not None:
            self._nudger.read()
        return is_new, has_moved

    @property
    def nudger(self) -> Nudger:
        """Nudges the values of the graph.

        Raises:
            ValueDataError: when the root is an array.
        """
        self._nudger = self._nudger or Nudger(self.root)
        return self._nudger
