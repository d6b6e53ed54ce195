"""The training loop as lines of Python: the one under way is highlighted, and each says what it does."""

import ast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolTip

from gui.panels.explanations.loop import SENTENCES, LoopPanel
from gui.theme import make_palette


@pytest.fixture
def panel(shown, session):
    session.edit("text", expression={"text": "a = 2.0\nb = 3.0\nc = a*b\n"})
    return shown(LoopPanel, 420, 260)


def code(panel):
    return [line.line.code for line in panel.lines]


def active(panel):
    return [line.line.code.strip() for line in panel.lines if line.accessibleName().endswith(", under way")]


def test_the_lines_of_a_program_are_python_that_names_its_leaves_and_its_learning_rate(panel, session):
    ast.parse("\n".join(code(panel)))
    assert code(panel)[1:] == [
        "    c = program(a, b)",
        "    for p in (a, b):",
        "        p.grad = 0.0",
        "    c.backward()",
        "    for p in (a, b):",
        "        p.data -= 0.05 * p.grad",
    ]
    session.edit("rate", training={"learning_rate": 0.25})
    assert code(panel)[-1] == "        p.data -= 0.25 * p.grad"
    session.presenter.set_position(session.presenter.n_steps)
    assert session.presenter.words().startswith("b.data = 3 − 0.25 × 2 = 2.5")


def test_a_tool_tip_over_a_line_keeps_its_own_ground_and_the_line_under_way_has_one(panel, session, qapp):
    session.presenter.set_position(1)
    line = panel.lines[1]
    assert line.grab().toImage().pixelColor(line.width() // 2, 1).name() == panel.colors.warning.lower()
    QToolTip.setPalette(make_palette(panel.colors))
    QToolTip.showText(QPoint(9, 9), "what it does", line)
    (tip,) = [each for each in qapp.topLevelWidgets() if each.inherits("QTipLabel") and each.isVisible()]
    ground = tip.grab().toImage().pixelColor(tip.width() // 2, 2)
    QToolTip.hideText()
    assert ground.alpha() == 255 and ground.lightnessF() > 0.9


def test_the_line_under_way_is_highlighted(panel, session):
    seen = []
    for position in range(session.presenter.n_steps + 1):
        session.presenter.set_position(position)
        seen.append(active(panel)[-1:])
    zero, update = ["p.grad = 0.0"], ["p.data -= 0.05 * p.grad"]
    assert seen == [
        [],
        ["c = program(a, b)"],
        zero,
        ["c.backward()"],
        ["c.backward()"],
        ["c.backward()"],
        update,
        update,
    ]
    session.presenter.set_position(-1)
    assert active(panel) == [] and panel.caption == ""


def test_pointing_at_a_line_says_what_it_does_and_pressing_it_goes_there(panel, session, qtbot):
    line = panel.lines[4]
    line.pointed.emit("")
    assert panel.about.text() == SENTENCES["hint"]
    line.setFocus()
    line.pointed.emit(line.line.about)
    assert panel.about.text() == line.line.about == line.toolTip()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert active(panel) == ["c.backward()"] and session.presenter.position == 3
    qtbot.mouseClick(panel.lines[-1], Qt.MouseButton.LeftButton)
    assert active(panel)[-1] == "p.data -= 0.05 * p.grad"


@pytest.mark.slow
def test_of_a_network_the_loop_names_its_loss_and_the_phases_of_a_real_step_are_highlighted(panel, session, qtbot):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: "    scores = model(X)" in code(panel))
    assert f"    loss = {session.document.training.loss}(scores, y)" in code(panel)
    for name, words in (("forward", "scores = model(X)"), ("loss", "loss ="), ("zero_grad", "p.grad = 0.0"),
                        ("backward", "loss.backward()"), ("update", "p.data -=")):  # fmt: skip
        session.train("phase")
        qtbot.waitUntil(lambda name=name: panel.phase == name)
        assert active(panel)[-1].startswith(words)
    session.edit("optimizer", training={"optimizer": "adam"})
    assert code(panel)[-1] == "        p.data -= adam_step(p.grad)"


def test_sentence_and_lines_are_read_whole_in_a_panel_that_is_narrower_than_a_line(shown, session, qtbot):
    session.edit(
        "text",
        expression={
            "text": "".join(f"leaf{i} = 1.0\n" for i in range(9)) + f"y = {'+'.join(f'leaf{i}' for i in range(9))}"
        },
    )
    panel = shown(LoopPanel, 260, 260)
    qtbot.waitUntil(lambda: panel.lines[1].height() >= 2 * panel.lines[0].height() - 2)
    for line in panel.lines:
        assert line.width() < panel.width() and line.height() >= line.heightForWidth(line.width())
    assert panel.about.mapTo(panel, panel.about.rect().bottomRight()).x() < panel.width()


def test_without_a_graph_it_says_what_would_fill_it(panel, session):
    session.edit("text", expression={"text": ""})
    assert panel.lines == [] and panel.about.text() == SENTENCES["empty"]
