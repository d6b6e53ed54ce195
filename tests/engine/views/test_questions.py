"""The explanation worked out on a graph of its own is that of the graph that is shown."""

import threading

import numpy as np
import pytest

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.language import evaluate
from engine.teaching import Explainer
from engine.views.graph_view import show_expression
from engine.views.questions import Question, QuestionExplainer, explain_sample_value
from engine.views.sample import PassParameters, make_sample_graph


@pytest.fixture
def network():
    document = replace_section(Document(), "network", layer_sizes=(2, 3, 1))
    document = replace_section(document, "view", shows="network", expanded=["*"])
    data = make_dataset("moons", n_samples=20, noise=0.1, seed=1)
    return document, data, make_sample_graph(document, data.X, data.y)


def question(network, key, passes=None, position=-1):
    document, data, sample = network
    view = sample.graph_view
    return Question(view.graph.nodes[key]["value"], view, position, passes or sample.passes, document, data.X, data.y)


def values(sample):
    return [a["value"] for _, a in sample.graph_view.graph.nodes(data=True) if a["kind"] == "value"]


def lines(explanation):
    return (explanation.why_step, explanation.why_data, explanation.why_grad)


@pytest.mark.parametrize("key", ["L1N1.w1", "L2N1.b", "loss", "x1"])
@pytest.mark.parametrize("phase", [None, "forward", "zero_grad", "backward", "update"])
def test_it_says_what_the_shown_graph_says_at_every_phase(network, key, phase):
    sample = network[2]
    passes = PassParameters.between_steps(np.linspace(-1.0, 1.0, len(sample.parameters)))
    for name_of_phase in ("forward", "loss", "zero_grad", "backward", "update") if phase else ():
        moved = passes.now - 0.01 if name_of_phase == "update" else passes.now
        passes = passes.after(name_of_phase, moved)
        if name_of_phase == phase:
            break
    asked = question(network, key, passes)
    answer = QuestionExplainer().explain(asked)
    sample.show(passes)
    assert lines(answer) == lines(explain_sample_value(sample, Explainer(sample.root), asked.value))


def test_the_graph_that_is_shown_is_not_touched(network):
    sample = network[2]
    before = [(value.data, value.grad) for value in values(sample)]
    QuestionExplainer().explain(
        question(network, "L1N1.w1", PassParameters.between_steps(np.ones(len(sample.parameters))))
    )
    assert [(value.data, value.grad) for value in values(sample)] == before


def test_a_walk_is_explained_at_its_step(network):
    explainer = QuestionExplainer()
    assert "Forward has not reached" in str(explainer.explain(question(network, "loss", position=0)).why_data)
    assert "Forward has not reached" not in str(explainer.explain(question(network, "loss")).why_data)


def test_a_program_is_explained_on_its_own_values_and_another_one_after_it():
    explainer = QuestionExplainer()
    for text, data in (("a = 2.0\nb = a*a\n", "4"), ("a = 3.0\nb = a*a\n", "9")):
        evaluation = evaluate(text)
        view = show_expression(evaluation)
        answer = explainer.explain(Question(evaluation.names["b"], view))
        assert data in str(answer.why_data)
        assert answer.value is evaluation.names["b"]


def test_of_an_empty_graph_nothing_can_be_asked():
    named = evaluate("a = 2.0\n").names["a"]
    with pytest.raises(ValueError, match="empty"):
        QuestionExplainer().explain(Question(named, show_expression(evaluate(""))))


def test_of_an_array_at_the_end_the_shape_is_said_however_often_one_asks():
    evaluation = evaluate("w = Value([1.0, 2.0])\nz = w * 3\n")
    explainer, asked = QuestionExplainer(), Question(evaluation.names["w"], show_expression(evaluation))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"\(2,\)"):
            explainer.explain(asked)


def test_it_works_in_a_thread_while_the_shown_graph_follows_training(network):
    sample, answers = network[2], []
    passes = PassParameters.between_steps(np.full(len(sample.parameters), 0.25))
    asked = question(network, "L1N1.w1", passes)
    thread = threading.Thread(target=lambda: answers.append(QuestionExplainer().explain(asked)))
    thread.start()
    while thread.is_alive():
        sample.show(PassParameters.between_steps(np.random.default_rng(1).normal(size=len(sample.parameters))))
    thread.join()
    sample.show(passes)
    assert lines(answers[0]) == lines(explain_sample_value(sample, Explainer(sample.root), asked.value))


def test_an_update_of_the_walk_is_told_from_the_old_number_to_the_new_one():
    view = show_expression(evaluate("w = Value(3.0)\ny = w * 2\ny.backward()\nw.data -= 0.5 * w.grad\n"))
    (w,) = (value for value in view.values if value.label == "w")
    told = QuestionExplainer().explain(Question(w, view, position=3, updated=2.0)).why_data[1].text
    assert "moved it from 3 to 2;" in told
