"""What a panel asks about a value of the graph that is shown, at the moment that is shown; whether it may tell it."""

from __future__ import annotations

from dataclasses import replace

from engine.autograd import Value
from engine.document.moments.moment_graph import Question
from gui.presenter.shown_walk import ALL
from gui.session import Session


def question_about(session: Session, value: Value) -> Question:
    """A question about a value of the graph that is shown, everything computed."""
    graph = session.graph
    question = Question(value, graph.graph_view)
    if graph.sample is None:
        return question
    data = session.dataset
    return replace(question, moment=graph.sample.moment, document=session.document, X=data.X, y=data.y)


def untold(session: Session, value: Value) -> str:
    """Why the gradient of a value is not told: it is "hidden", to be predicted, or "not reached" by the walk; or ""."""
    graph = session.graph
    if graph.graph_view.box_of(value) in graph.prediction.hidden:
        return "hidden"
    walk = graph.walk if graph.position != ALL else None
    return "not reached" if walk is not None and graph.position < max(walk.arrivals(value), default=0) else ""
