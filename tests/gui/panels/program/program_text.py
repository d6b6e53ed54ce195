"""The text of the program in the panel's editor, for tests."""

from PySide6.QtCore import QMimeData


def put(panel, text, replace=True):
    """Pastes a text over all that stands there, and waits for nothing."""
    if replace:
        panel.editor.selectAll()
    data = QMimeData()
    data.setText(text)
    panel.editor.insertFromMimeData(data)
    panel.editor.flush()


def program(session):
    """The program that the document holds."""
    return session.document.expression.text
