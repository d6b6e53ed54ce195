"""The explanation panel follows the walk, and works only while somebody can see it."""

import threading

import pytest

from engine.autograd import OPS, gradients_of
from engine.autograd.second_opinion import Opinion
from engine.teaching import Explainer
from engine.views.questions import QuestionExplainer
from gui.actions.graph import expansion_choice
from gui.panels.explanations.explain import SENTENCES, ExplainPanel
from gui.theme import DARK

TEXT = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e\n"


@pytest.fixture
def panel(shown, session, qtbot):
    session.edit("text", expression={"text": TEXT})
    panel = shown(ExplainPanel, 520, 300)
    session.select("b")
    qtbot.waitUntil(lambda: "Why is b.grad = -8?" in panel.page.plain_text())
    return panel


def says(panel, words):
    return lambda: words in panel.page.plain_text()


@pytest.mark.slow
def test_the_explanation_follows_the_walk(panel, session, qtbot):
    captions = []
    panel.caption_changed.connect(captions.append)
    for position, words in (
        (1, "Backward has not begun"),
        (6, "its first contribution comes from e"),
        (9, "So far 1 of 2 contributions: -6. Pending: from d"),
        (11, "This step adds a contribution of d to b.grad"),
        (14, "The update has just moved it from 3 to 3.4; the explanation of its gradient is for 3."),
    ):
        session.presenter.set_position(position)
        qtbot.waitUntil(says(panel, words))
        assert ("finite difference" in captions[-1]) == (position >= 11)
    session.select("f")
    session.presenter.set_position(0)
    qtbot.waitUntil(says(panel, "Forward has not reached f"))
    assert "-6" not in panel.page.plain_text()


@pytest.mark.slow
def test_of_an_output_that_is_an_array_is_said_that_it_has_no_gradients(panel, session, qtbot):
    session.edit("text", expression={"text": "v = Value([1.0, 2.0])\nz = v * 3\n"})
    session.select("v")
    qtbot.waitUntil(says(panel, SENTENCES["array"]))
    session.edit("text", expression={"text": "v = Value([1.0, 2.0])\nloss = sum(v)\nloss.backward()\nz = v * 3\n"})
    qtbot.waitUntil(says(panel, "Why is v.grad"))


@pytest.mark.slow
def test_a_hidden_panel_explains_nothing_and_catches_up_when_it_is_seen(panel, session, qtbot, monkeypatch):
    explained, real = [], Explainer.explain
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
    for position in range(session.presenter.n_steps):
        session.presenter.set_position(position)
    session.select("d")
    qtbot.waitUntil(says(panel, "Why is d.data"))
    assert looked_at == []


def test_an_undefined_gradient_is_not_said_to_agree_in_0_digits(panel, session, qtbot):
    captions = []
    panel.caption_changed.connect(captions.append)
    session.edit("text", expression={"text": "x = 0.0\ny = sqrt(x)\n"})
    session.select("x")
    qtbot.waitUntil(says(panel, "when x is a little smaller, sqrt(x) is undefined"))
    assert captions[-1] == "undefined here: there is no slope to compare with"


def test_a_gradient_that_the_program_has_wrong_is_not_said_to_agree(panel, session, qtbot):
    captions = []
    panel.caption_changed.connect(captions.append)
    session.edit("text", expression={"text": "a = Value(2.0)\nb = Value(5.0)\nc = a * b\nc.grad = 1.0\na.grad = 4.0\n"})
    session.select("a")
    qtbot.waitUntil(says(panel, "Why is a.grad"))
    assert "agree" not in captions[-1] and "5" in captions[-1]


@pytest.mark.slow
def test_a_parameter_of_a_network_has_both_gradients_and_the_update_that_one_of_them_makes(panel, session, qtbot):
    session.edit("data", data={"name": "xor"}, network={"layer_sizes": (2, 2, 1)})
    session.set_view(shows="network", expanded=["L1N1"], sample=1)
    qtbot.waitUntil(lambda: "L1N1.w1" in session.presenter.picture.boxes)
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.update is not None)
    session.select("L1N1.w1")
    words = session.presenter.update_texts
    value = session.presenter.value("L1N1.w1")
    qtbot.waitUntil(says(panel, "The gradient of the loss of sample 2 is "))
    update = words.step(value).replace("-", "−")
    assert f"The step uses that of all 4 samples: L1N1.w1: {update}" in panel.page.plain_text()
    session.select("loss")
    qtbot.waitUntil(says(panel, "The loss of sample 2."))
    session.select("x1")
    qtbot.waitUntil(says(panel, "loss of sample 2"))
    session.select(None)
    session.presenter.set_position(session.presenter.n_steps)
    qtbot.waitUntil(says(panel, "This is the gradient for the whole batch"))


@pytest.mark.slow
def test_after_zero_grad_the_gradient_shown_is_the_one_explained(panel, session, qtbot):
    session.edit("data", data={"name": "xor"}, network={"layer_sizes": (2, 2, 1)})
    session.set_view(shows="network", expanded=["L1N1"])
    qtbot.waitUntil(lambda: "L1N1.w1" in session.presenter.picture.boxes)
    session.select("L1N1.w1")
    for name in ("forward", "loss", "zero_grad"):
        session.train("phase")
        qtbot.waitUntil(lambda name=name: session.newest is not None and session.newest.phase is not None
                        and session.newest.phase.name == name)  # fmt: skip
    qtbot.waitUntil(says(panel, "zero_grad has set it to 0"))
    session.presenter.next()
    qtbot.waitUntil(says(panel, "Backward has not reached L1N1.w1: its first contribution comes from L1N1.sum"))
    session.presenter.set_position(-1)
    qtbot.waitUntil(says(panel, "zero_grad has set it to 0"))


def show_network(session, qtbot, sizes=(2, 2, 1), opened=("L1N1",)):
    session.edit("data", data={"name": "xor"}, network={"layer_sizes": sizes})
    session.set_view(shows="network", expanded=list(opened))
    qtbot.waitUntil(lambda: session.presenter.sample is not None and not session.presenter.busy)


def train(session, qtbot, amount="step"):
    before = session.newest
    session.train(amount)
    qtbot.waitUntil(lambda: session.newest is not before and session.newest is not None)


@pytest.mark.slow
def test_it_says_of_which_moment_of_training_the_numbers_are(panel, session, qtbot):
    show_network(session, qtbot)
    session.select("L1N1.w1")
    train(session, qtbot)
    qtbot.waitUntil(says(panel, "These are the numbers after 1 update."))
    train(session, qtbot)
    qtbot.waitUntil(says(panel, "These are the numbers after 2 updates."))
    train(session, qtbot, "phase")
    qtbot.waitUntil(says(panel, "after 2 updates, and after forward, a part of the next step."))
    for _ in range(4):
        train(session, qtbot, "phase")
    qtbot.waitUntil(says(panel, "after 3 updates: the last one has just been made."))


@pytest.mark.slow
def test_the_numbers_explained_are_those_on_the_canvas(panel, session, qtbot):
    show_network(session, qtbot)
    session.select("L1N1.w1")
    for _ in range(3):
        train(session, qtbot)
        grad = session.presenter.value("L1N1.w1").grad
        qtbot.waitUntil(says(panel, f"L1N1.w1.grad = {grad:.4g}"[:22]))


@pytest.mark.slow
def test_nothing_is_worked_out_in_the_thread_of_the_window(panel, session, qtbot, monkeypatch):
    threads, real = [], Explainer.explain
    monkeypatch.setattr(
        Explainer, "explain", lambda *which: threads.append(threading.current_thread().name) or real(*which)
    )
    session.select("d")
    qtbot.waitUntil(says(panel, "Why is d.data"))
    show_network(session, qtbot)
    session.select("loss")
    qtbot.waitUntil(says(panel, "Why is loss.data"))
    assert set(threads) == {"explanation"}


def test_the_answer_before_stays_until_the_next_one_is_there(panel, session, qtbot, monkeypatch):
    go_on, real = threading.Event(), QuestionExplainer.explain
    monkeypatch.setattr(QuestionExplainer, "explain", lambda *asked: go_on.wait() and real(*asked))
    seen = []
    panel.page.textChanged.connect(lambda: seen.append(panel.page.plain_text()))
    session.select("d")
    session.presenter.set_position(3)
    assert "Why is b.grad = -8?" in panel.page.plain_text()
    go_on.set()
    qtbot.waitUntil(says(panel, "Why is d.data"))
    assert all("Why" in text for text in seen if text)


def test_without_a_selection_it_says_what_to_do(panel, session, qtbot):
    session.select(None)
    assert panel.page.plain_text().startswith("Select a box in the graph")
    assert panel.caption == ""


def test_an_explanation_that_fails_says_so(panel, session, qtbot, monkeypatch):
    def fail(*_asked):
        raise MemoryError("no memory is left")

    monkeypatch.setattr(QuestionExplainer, "explain", fail)
    session.select("d")
    qtbot.waitUntil(says(panel, "This could not be explained: no memory is left."))


@pytest.mark.slow
def test_every_value_of_a_graph_that_changes_under_it_is_explained_in_the_end(panel, session, qtbot):
    show_network(session, qtbot, opened=("*",))
    session.select("L1N2.w1")
    for n_samples in (3, 1, 2):
        session.set_view(n_samples=n_samples)
    qtbot.waitUntil(lambda: not session.presenter.busy)
    session.select("loss")
    qtbot.waitUntil(says(panel, "Why is loss.data"))
    assert "could not be explained" not in panel.page.plain_text()


def test_the_signs_of_numbers_are_in_the_colours_of_the_theme(panel, qtbot):
    panel.set_colors(DARK)
    qtbot.waitUntil(lambda: DARK.negative.lower() in panel.page.toHtml().lower())
    assert DARK.positive.lower() in panel.page.toHtml().lower()


@pytest.mark.slow
def test_after_an_update_of_a_program_its_gradients_are_explained_with_the_data_that_they_come_from(
    panel, session, qtbot
):
    updated = "w = Value(3.0)\nx = Value(2.0)\ny = w * x\ny.backward()\nw.data -= 0.5 * w.grad\n"
    session.edit("text", expression={"text": updated})
    for key, words in (
        ("x", "Why is x.grad = 3?\n∂y/∂x = w = 3"),
        ("w", "The update has just moved it from 3 to 2; the explanation of its gradient is for 3."),
    ):
        session.select(key)
        qtbot.waitUntil(says(panel, words))
    session.select("y")
    session.edit("text", expression={"text": updated + "z = y + w\n"})
    qtbot.waitUntil(says(panel, "y = w × x\n= 3 × 2 = 6"))
    assert "backward() in line 4" in panel.page.plain_text() and "current data" not in panel.page.plain_text()
    session.select("z")
    qtbot.waitUntil(says(panel, "use the current data"))


def test_a_second_box_shows_every_path_between_the_two(panel, session, qtbot):
    session.compare("f")
    qtbot.waitUntil(says(panel, "Every path from b to f"))
    assert "df/db = -6 + (-2) = -8" in panel.page.plain_text()
    session.select("a")
    qtbot.waitUntil(says(panel, "Every path from a to f"))
    session.presenter.set_position(1)
    qtbot.waitUntil(says(panel, "The paths between the two boxes are shown once their data are computed."))
    session.compare(None)
    qtbot.waitUntil(lambda: "paths" not in panel.page.plain_text())


@pytest.mark.slow
def test_paths_of_a_network_are_those_of_the_moment_that_is_shown(panel, session, qtbot):
    show_network(session, qtbot, opened=("*",))
    session.select("x1")
    session.compare("loss")
    qtbot.waitUntil(says(panel, "Every path from x1 to loss"))
    before = panel.page.plain_text()
    train(session, qtbot)
    qtbot.waitUntil(lambda: "Every path" in panel.page.plain_text() and panel.page.plain_text() != before)


def test_with_nothing_selected_the_step_of_the_walk_is_explained(panel, session, qtbot):
    session.select(None)
    session.presenter.set_position(11)
    qtbot.waitUntil(says(panel, "b.grad = -6 + (-2) = -8"))
    assert panel.page.plain_text().startswith("This step adds a contribution of d to b.grad")
    assert "Why is" not in panel.page.plain_text()


@pytest.mark.slow
def test_a_composite_operation_is_expanded_in_place_and_its_gradients_are_the_same(panel, session, qtbot):
    session.edit("text", expression={"text": "x = 0.5\nn = 2*x\no = tanh(n)"})
    session.select("o")
    qtbot.waitUntil(says(panel, "tanh is made of simpler operations: expand it in the graph (Ctrl+E)"))
    assert all(line in panel.page.plain_text() for line in OPS["tanh"].expansion.splitlines())
    presenter = session.presenter
    choice = expansion_choice(session)
    before = gradients_of(session.evaluation.root)[session.evaluation.names["n"]]
    presenter.groups.choose(choice)
    qtbot.waitUntil(says(panel, "o is computed by the simpler operations of tanh here."))
    shown = f"{before:.4f}".rstrip("0")
    assert f"n.grad is {shown} this way and {shown} in one piece." in panel.page.plain_text()
    presenter.groups.choose(expansion_choice(session))
    qtbot.waitUntil(says(panel, "expand it in the graph (Ctrl+E)"))
    session.select("x")
    qtbot.waitUntil(lambda: "Why is x.data" in panel.page.plain_text())
    assert expansion_choice(session) is None and "simpler operations" not in panel.page.plain_text()


def test_where_pytorch_is_installed_its_gradients_follow_the_reasons(panel, session, qtbot, monkeypatch):
    said = (Opinion("float64", -3.0, 16), Opinion("float32", -2.75, 1))
    monkeypatch.setattr("gui.panels.explanations.explain.is_available", lambda: True)
    monkeypatch.setattr("gui.panels.explanations.explain.opinions", lambda *_asked: said)
    session.select("a")
    qtbot.waitUntil(says(panel, "PyTorch, in float64, gives -3: agrees to every digit."))
    assert "PyTorch, in float32, gives -2.75: agrees to 1 digit." in panel.page.plain_text()
