"""The explanation panel follows the walk, and works only while somebody can see it."""

import pytest

from engine.autograd import Explainer
from gui.panels.explain import ExplainPanel

TEXT = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e\n"


@pytest.fixture
def panel(shown, session, qtbot):
    session.edit("text", expression={"text": TEXT})
    panel = shown(ExplainPanel, 520, 300)
    session.select("b")
    qtbot.waitUntil(lambda: "Why is b.grad = -8?" in panel.page.toPlainText())
    return panel


def says(panel, words):
    return lambda: words in panel.page.toPlainText()


def test_the_explanation_follows_the_walk(panel, session, qtbot):
    captions = []
    panel.caption_changed.connect(captions.append)
    for cursor, words in (
        (1, "Backward has not begun"),
        (5, "its first contribution comes from e"),
        (8, "So far 1 of 2 contributions: -6; still to come: from d"),
        (10, "This step adds a contribution of d to b.grad"),
    ):
        session.graph.set_position(cursor)
        qtbot.waitUntil(says(panel, words))
        assert ("finite difference" in captions[-1]) == (cursor == 10)
    session.select("f")
    session.graph.set_position(0)
    qtbot.waitUntil(says(panel, "Forward has not reached f"))
    assert "-6" not in panel.page.toPlainText()


def test_a_hidden_panel_explains_nothing_and_catches_up_when_it_is_seen(panel, session, qtbot, monkeypatch):
    explained = []
    real = Explainer.explain
    monkeypatch.setattr(Explainer, "explain", lambda *which: explained.append(which) or real(*which))
    panel.hide()
    session.select("a")
    for number in range(5):
        session.edit("text", expression={"text": TEXT.replace("3.0", f"{number}.5")})
    assert explained == []
    panel.show()
    qtbot.waitUntil(says(panel, "Why is a.grad"))
    assert len(explained) == 1


def test_the_graph_is_looked_at_once_however_often_its_numbers_are_explained(panel, session, qtbot, monkeypatch):
    looked_at, real = [], Explainer.__init__
    monkeypatch.setattr(Explainer, "__init__", lambda explainer, root: looked_at.append(root) or real(explainer, root))
    for cursor in range(session.graph.n_steps):
        session.graph.set_position(cursor)
    session.select("d")
    qtbot.waitUntil(says(panel, "Why is d.data"))
    assert looked_at == []


def test_an_undefined_gradient_is_not_said_to_agree_in_0_digits(panel, session, qtbot):
    captions = []
    panel.caption_changed.connect(captions.append)
    session.edit("text", expression={"text": "x = 0.0\ny = sqrt(x)\n"})
    session.select("x")
    qtbot.waitUntil(says(panel, "with x a little smaller, sqrt(x) is undefined"))
    assert captions[-1] == "undefined here: there is no slope to compare with"


def test_a_parameter_of_a_network_has_both_gradients_and_the_update_that_one_of_them_makes(panel, session, qtbot):
    session.edit("data", data={"name": "xor"}, network={"layer_sizes": (2, 2, 1)})
    session.set_view(shows="network", expanded=["L1N1"], sample=1)
    qtbot.waitUntil(lambda: "L1N1.w1" in session.graph.picture.boxes)
    session.train("step")
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.update is not None)
    session.select("L1N1.w1")
    words = session.graph.update_words
    value = session.graph.value("L1N1.w1")
    qtbot.waitUntil(says(panel, "The gradient of the loss of sample 2 is "))
    assert f"The step uses that of all 4 samples: L1N1.w1: {words.step(value)}" in panel.page.toPlainText()
    session.select("loss")
    qtbot.waitUntil(says(panel, "The loss of sample 2."))
    session.select("x1")
    qtbot.waitUntil(says(panel, "The gradient is that of the loss of sample 2."))


def test_after_zero_grad_the_gradient_shown_is_the_one_explained(panel, session, qtbot):
    session.edit("data", data={"name": "xor"}, network={"layer_sizes": (2, 2, 1)})
    session.set_view(shows="network", expanded=["L1N1"])
    qtbot.waitUntil(lambda: "L1N1.w1" in session.graph.picture.boxes)
    session.select("L1N1.w1")
    for name in ("forward", "loss", "zero_grad"):
        session.train("phase")
        qtbot.waitUntil(lambda name=name: session.progress is not None and session.progress.phase is not None
                        and session.progress.phase.name == name)  # fmt: skip
    qtbot.waitUntil(says(panel, "The phase zero_grad has set it to 0"))
    session.graph.next()
    qtbot.waitUntil(says(panel, "Backward has not begun"))
    session.graph.set_position(-1)
    qtbot.waitUntil(says(panel, "The phase zero_grad has set it to 0"))
