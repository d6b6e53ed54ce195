"""Dialog of the code export: target, graph or network, a preview, Copy and Save.

The code is made in a thread from a copy of the session, so the window stays free; the newest choice wins.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from engine.autograd.notation import counted
from engine.code import TARGETS, Target
from engine.document import Document
from engine.experiment.consistency import check_consistent
from engine.file_access import reason_of
from engine.language.source import MAX_CHARACTERS
from engine.views.graph_view import GraphView
from engine.views.sample import make_sample_graph
from gui.background import Job, once
from gui.export.exporter import ShownGraph
from gui.panels.program.editor_marks import Highlighter
from gui.theme import mono_font
from gui.widgets.layouts import add_widgets

Save = Callable[[str, str, str], object]
GRAPH, NETWORK = "graph", "network"
CODE_PIXELS = 13
MAKING, RUNNING = "Writing the code …", "The program is running …"


class CodeDialog(QDialog):
    """Dialog with the code of the session's graph or network; deletes itself when closed."""

    def __init__(self, parent: QWidget, panel: ShownGraph, save: Save) -> None:
        """Begin with what the canvas shows, as plain Python.

        Args:
            parent: the window.
            panel: of the graph, with its session.
            save: asks for a file and writes it; called with a name, an extension and the text.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Code")
        self._panel, self._save = panel, save
        shows_network = panel.session.presenter.shows_network
        self._text, self._awaits_graph = "", False
        self._job = Job("code", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _target, error: self._refuse(str(error)))
        self.subject, self.target = QComboBox(), QComboBox()
        self.message = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.subject.addItem("Graph of the sample on the canvas" if shows_network else "Graph of the program", GRAPH)
        self.subject.addItem("Network and its training", NETWORK)
        self.subject.setCurrentIndex(int(shows_network))
        for name, target in TARGETS.items():
            self.target.addItem(target.title, name)
        self.preview = QPlainTextEdit(readOnly=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setFont(mono_font(CODE_PIXELS))
        self.preview.setAccessibleName("Code")
        self._highlighter = Highlighter(self.preview.document())
        self._highlighter.set_colors(panel.colors)
        form = QFormLayout()
        form.addRow("&What", self.subject)
        form.addRow("&Written for", self.target)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())  # the others have none
        self.save_button: QPushButton = buttons.addButton("Save…", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button: QPushButton = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.save_button.setProperty("primary", True)
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(self._finish_saving)
        self.copy_button.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        add_widgets(QVBoxLayout(self), form, self.preview, self.message, buttons)
        self.message.setMinimumHeight(2 * self.message.fontMetrics().lineSpacing())
        letter = self.preview.fontMetrics()
        room = parent.size() * 0.9
        self.resize(
            min(letter.horizontalAdvance("0") * 116, room.width()), min(letter.lineSpacing() * 44, room.height())
        )
        self.subject.currentIndexChanged.connect(self._make)
        self.target.currentIndexChanged.connect(self._make)
        panel.session.presenter.busy_changed.connect(self._go_on)
        self.finished.connect(lambda _result: self._job.stop())
        self._make()

    @property
    def text(self) -> str:
        """The whole code; "" while it is made, and where there is none."""
        return self._text

    @property
    def is_done(self) -> bool:
        """True when the code, or the reason why there is none, is there."""
        return not self._awaits_graph and not self._job.busy

    def _make(self) -> None:
        """Start making the code of the chosen target."""
        session, target = self._panel.session, TARGETS[self.target.currentData()]
        of_graph = self.subject.currentData() == GRAPH
        graph = None if session.presenter.shows_network else session.presenter.graph_view
        self._awaits_graph = of_graph and graph is not None and (session.program.busy or session.presenter.busy)
        if self._awaits_graph:
            self._job.cancel()
            self._show("", RUNNING)
            session.program.wait(self._go_on, self._go_on)
            return
        document = session.current_document()
        self._show("", MAKING)
        self._job.start(target, once(lambda: _code_or_reason(target, document, graph, of_graph)))

    def _go_on(self) -> None:
        """Make the code that waits for the program, once its graph is there."""
        if isValid(self) and self._awaits_graph:
            session = self._panel.session
            if not (session.program.busy or session.presenter.busy):
                self._make()

    def _take(self, target: Target, made: str | ValueError) -> None:
        if isinstance(made, ValueError):
            self._refuse(reason_of(made))
            return
        self._text = made
        coloured = self.preview.document() if target.extension == "py" else None
        if self._highlighter.document() is not coloured:
            self.preview.clear()
            self._highlighter.setDocument(coloured)  # type: ignore[arg-type]  # Qt takes a null pointer
        outdated = self._panel.outdated_reason if self.subject.currentData() == GRAPH else ""
        note = f"{outdated}." if outdated else ""
        self._show(_beginning(made), " ".join(filter(None, (note, _size_text(target, made)))))

    def _refuse(self, reason: str) -> None:
        self._show("", f"{self.target.currentText()}: {reason[:1].lower()}{reason[1:]}.")

    def _show(self, shown: str, message: str) -> None:
        if not shown:
            self._text = ""
        self.preview.setPlainText(shown)
        self.message.setText(message)
        self.save_button.setEnabled(bool(self._text))
        self.copy_button.setEnabled(bool(self._text))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.message.setText(f"The code is on the clipboard: {len(self._text):,} characters.")

    def _finish_saving(self) -> None:
        name, text = f"{self.subject.currentData()}_{self.target.currentData()}", self._text
        extension = TARGETS[self.target.currentData()].extension
        self.accept()
        self._save(name, extension, text)


def _code_or_reason(target: Target, document: Document, graph: GraphView | None, of_graph: bool) -> str | ValueError:
    """Return the code, or the error with the reason why there is none; for any thread."""
    try:
        if of_graph and graph is None:  # made again: the one on the canvas follows the training
            samples = check_consistent(document).train
            graph = make_sample_graph(document, samples.X, samples.y).graph_view
        return target.function(document, graph if of_graph else None)
    except ValueError as error:
        return error


def _beginning(text: str) -> str:
    """Return as much of a text as can be highlighted at once, whole lines, and a line on the rest."""
    if len(text) <= MAX_CHARACTERS:
        return text
    end = text.rindex("\n", 0, MAX_CHARACTERS)
    more = text.count("\n", end + 1)
    return f"{text[:end]}\n\n… and {more:,} more lines, in the file and in the copy"


def _size_text(target: Target, text: str) -> str:
    """Return a sentence on the size of the file, and one on what to do with it."""
    use = "Open or paste the file in Gradstep to come back to this session." if target.extension == "py" else ""
    return f"{counted(text.count(chr(10)), 'line')}. {use}".strip()
