"""The question that a panel asks about a value: of the graph that is shown, at the moment that is shown."""

from __future__ import annotations

from dataclasses import replace

from engine.autograd import Value
from engine.document.moment_graph import Question
from gui.session import Session


def question_about(session: Session, value: Value) -> Question:
    """A question about a value of the graph that is shown, everything computed."""
    graph = session.graph
    question = Question(value, graph.graph_view)
    if graph.sample is None:
        return question
    data = session.dataset
    return replace(question, moment=graph.sample.moment, document=session.document, X=data.X, y=data.y)
