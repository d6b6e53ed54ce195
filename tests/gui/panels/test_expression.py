from gui.panels.expression import ExpressionPanel


def test_a_program_that_is_too_long_is_refused_in_place_and_the_graph_stays(shown, session):
    panel = shown(ExpressionPanel)
    before = session.document.expression.text
    panel.editor.program_changed.emit("a = " + "1+" * 10_000 + "1")
    assert panel.message.text() == "The program is too long: 20,005 characters, at most 20,000."
    assert panel.message.property("error") and panel.message.isVisible()
    assert session.document.expression.text == before
    panel.editor.program_changed.emit(before)
    assert not panel.message.isVisible()
