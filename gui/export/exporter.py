"""Exports from the window: file dialog, writing in a thread, message with the result.

The export shows the window as it is when the file is chosen; a snapshot is written in a thread, one
export after the other, so that the window stays free however large the graph is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from datasets import Dataset
from engine.autograd import topological_order
from engine.graph.legibility import PLAIN_CHOICE
from engine.page import page_of_document
from engine.session_file.outputs import same_file
from gui.background import DRIVE_SECONDS, Job, answer_within
from gui.canvas import GraphCanvas
from gui.export.animation import Report, Work, Written, write_animation, write_frames
from gui.export.dialog import PictureDialog
from gui.export.drawing import IMAGE_FORMATS, ExportError, at_most, draw_image, draw_svg, png_bytes
from gui.export.exports import GraphSnapshot, PictureChoices, write_content
from gui.export.figures import FigureData, data_work, plot_work
from gui.export.pictures import lasting
from gui.export.target import FORMAT_NAMES, PLOT_FORMAT_NAMES, STILL, TEXT_NAMES, chosen, extension_of, naming
from gui.export.training_film import film_work
from gui.file_dialogs import FileDialog
from gui.session import Session
from gui.theme import Colors, plain_theme


class ShownGraph(Protocol):
    """A panel that shows the graph of a session."""

    session: Session
    canvas: GraphCanvas
    colors: Colors

    @property
    def outdated_reason(self) -> str:
        """Why the graph is not that of the program's text; "" when it is."""

    def window(self) -> QWidget:
        """Return the parent window of dialogs."""


@dataclass(frozen=True)
class _Task:
    """One export.

    Attributes:
        name: of the export, for the progress bar.
        work: makes it, in a thread.
        finish: receives the result in the GUI thread, and returns the message for the user.
        failure: how the sentence begins when it could not be made.
    """

    name: str
    work: Work
    finish: Callable[[Any], str]
    failure: str


class _Cancelled(Exception):
    """The export was cancelled."""


class Exporter(QObject):
    """Ask for files and write them.

    Attributes:
        share: how much of the export under way is done, 0 to 1; 0 as long as that is not known.

    Signals:
        started(str): an export is under way: the name of its file.
        ended(): no export is running.
    """

    started = Signal(str)
    ended = Signal()

    def __init__(self, panel: ShownGraph, parent: QObject) -> None:
        super().__init__(parent)
        self._panel = panel
        self.share = 0.0
        self._waiting: deque[_Task] = deque()
        self._awaiting: set[object] = set()
        self._job = Job("export", self)
        self._job.delivered.connect(self._finish)
        self._job.failed.connect(self._tell_failed)
        self._job.ended.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """True while something is being written, or is queued."""
        return self._job.busy or bool(self._waiting) or bool(self._awaiting)

    def cancel(self) -> None:
        """Cancel the running export and all queued ones; they leave nothing behind."""
        if self.busy:
            awaited = bool(self._awaiting)
            self._waiting.clear()
            self._awaiting.clear()
            self._job.cancel()
            self._post("the export was cancelled")
            if awaited:
                self.ended.emit()

    def stop(self) -> None:
        """Cancel all exports and accept no more."""
        self._waiting.clear()
        self._awaiting.clear()
        self._job.stop()

    # Exports

    def save_graph(self, extension: str) -> None:
        """The whole graph in a format of STILL."""
        self._ask("graph", [extension], partial(self._picture, PictureChoices()), STILL)

    def save_visible(self) -> None:
        """Save the visible part of the canvas as a picture."""
        self._ask("graph", list(IMAGE_FORMATS), partial(self._picture, PictureChoices(visible_only=True), fitted=True))

    def choose_picture(self) -> None:
        """A picture with choices."""

        def choose() -> None:
            PictureDialog(self._panel.window(), self.snapshot().drawing, self._save_picture, self.copy).open()

        self._after_program("the picture", choose)

    def save_gif(self) -> None:
        """The backward pass as a moving picture."""
        self._ask("backward", ["gif"], lambda path: partial(write_animation, self.snapshot().backward_pass(), path))

    def save_training(self) -> None:
        """The run of training up to now as a moving picture."""
        panel = self._panel
        self._ask(
            "training", ["gif"], lambda path: film_work(panel.session, plain_theme(panel.colors), path), remarks=False
        )

    def save_frames(self) -> None:
        """The backward pass as a folder of images."""
        dialog = FileDialog(self._panel.window(), "Folder for the frames")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(
            lambda folder: self.save(
                Path(folder), lambda path: partial(write_frames, self.snapshot().backward_pass(), path)
            )
        )
        dialog.open()

    def save_plot(self, name: str, plot: QWidget, figure_data: FigureData, key: QWidget | None = None) -> None:
        """A plot as it stands: its picture, or its numbers as CSV.

        Args:
            name: proposed for the file, without extension.
            plot: any widget, such as one of pyqtgraph.
            figure_data: gives the numbers, see `Panel.figure_data`.
            key: stands below the picture, see `Panel.figure_key`.
        """
        work = partial(plot_work, plot, figure_data, key=key, background=self._panel.colors.panel)
        self._ask(name, list(PLOT_FORMAT_NAMES), work, remarks=False)

    def save_data(self, data: Dataset) -> None:
        """The points of a data set as a table that can be imported again."""
        self._ask("data", ["csv"], partial(data_work, data), remarks=False)

    def save_text(self, name: str, extension: str, text: str) -> None:
        """A text that was made already, such as code."""
        self._ask(name, [extension], lambda path: partial(write_content, text.encode(), path), remarks=False)

    def copy_graph(self, extension: str) -> None:
        """The whole graph onto the clipboard: "png" or "svg"."""
        self.copy(PictureChoices(extension))

    def copy(self, choices: PictureChoices) -> None:
        """A picture onto the clipboard: as SVG and its text, or as an image and the bytes of a PNG."""
        part = "what is on the screen" if choices.visible_only else "the graph"
        self._after_program(f"a copy of {part}", lambda: self._copy(choices, part))

    def _copy(self, choices: PictureChoices, part: str) -> None:
        snapshot = self.snapshot()
        as_svg = choices.extension == "svg"

        def work(report: Report) -> tuple[bytes, QImage | None]:
            drawing = snapshot.drawing(choices)
            if as_svg:
                return draw_svg(drawing), None
            image = draw_image(drawing)
            return png_bytes(image), image

        said = self._remarked(f"{part} is on the clipboard")
        self._submit(_Task(f"a copy of {part}", work, partial(_put_onto_clipboard, said), f"{part} was not copied"))

    # Asking

    def _ask(
        self,
        name: str,
        extensions: Sequence[str],
        prepare: Callable[[Path], Work],
        others: Collection[str] = (),
        remarks: bool = True,
    ) -> None:
        """Ask for a file and write it.

        Args:
            name: proposed, without extension.
            extensions: the formats to choose from; the one in view completes a name.
            prepare: takes the file and a snapshot of the window, and returns the work.
            others: further extensions that may be typed.
            remarks: the graph is exported, so add a remark when it is outdated.
        """
        names = FORMAT_NAMES | PLOT_FORMAT_NAMES | TEXT_NAMES
        filters = {f"{names[extension]} (*.{extension})": extension for extension in extensions}
        path = self._panel.session.path
        folder = None if path is None else path.parent
        name = f"{name}.{extensions[0]}"
        dialog = FileDialog(self._panel.window(), "Export", ";;".join(filters), folder, name)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(extensions[0])
        dialog.filterSelected.connect(lambda wanted: dialog.setDefaultSuffix(filters[wanted]))

        def save(file: str) -> None:
            suffix = dialog.defaultSuffix()  # the dialog may be gone before it is written
            self.save(Path(file), prepare, lambda path: chosen(path, {*extensions, *others}, suffix), remarks)

        dialog.fileSelected.connect(save)
        dialog.open()

    def _save_picture(self, choices: PictureChoices) -> None:
        self._ask("graph", [choices.extension], partial(self._picture, choices), IMAGE_FORMATS)

    # Writing

    def save(
        self,
        path: Path,
        prepare: Callable[[Path], Work],
        completed: Callable[[Path], Path] = lambda path: path,
        remarks: bool = True,
    ) -> None:
        """Write a file in a thread and show a message; a failed export leaves nothing behind.

        Args:
            path: as the user named it.
            prepare, remarks: as for asking.
            completed: adds an extension.
        """
        if remarks:
            self._after_program(path.name, lambda: self._save(path, prepare, completed, self._remarked))
        else:
            self._save(path, prepare, completed, str)

    def _save(
        self,
        path: Path,
        prepare: Callable[[Path], Work],
        completed: Callable[[Path], Path],
        remarked: Callable[[str], str],
    ) -> None:
        try:
            self._refuse_own_file(path)
            path = completed(path)
            work = prepare(path)
        except ValueError as error:
            self._post(f"{path.name} was not exported: {error}", "error")
            return

        def named(report: Report) -> Written:
            with naming(path):
                written: Written = work(report)
            return written

        def said(written: Written) -> str:
            return remarked(written.note or f"exported {written.path.name}")

        self._submit(_Task(path.name, named, said, f"{path.name} was not exported"))

    def snapshot(self) -> GraphSnapshot:
        """Return a snapshot of the canvas, independent of the window."""
        presenter, canvas = self._panel.session.presenter, self._panel.canvas
        graph_view, look_up = presenter.graph_view, presenter.look_up()
        numbers = {value: look_up(value) for value in topological_order(*graph_view.roots)}
        return GraphSnapshot(
            graph_view,
            numbers.__getitem__,
            plain_theme(self._panel.colors),
            canvas.picture,
            dict(canvas.readings),
            lasting(canvas.decorations),
            canvas.decorations,
            canvas.visible_region,
            presenter.placement.choice or PLAIN_CHOICE,
            partial(page_of_document, self._panel.session.document, graph_view, self._panel.session.shown),
        )

    def _picture(self, choices: PictureChoices, path: Path, fitted: bool = False) -> Work:
        """Writes the format of the path's extension; a fitted picture is no larger than an image can be."""
        snapshot, wanted = self.snapshot(), replace(choices, extension=extension_of(path))
        if fitted:
            wanted = replace(wanted, scale=at_most(snapshot.drawing(wanted)).scale)
        return lambda report: write_content(snapshot.content(wanted), path, report)

    def _refuse_own_file(self, path: Path) -> None:
        own = self._panel.session.path
        if own is not None and answer_within(DRIVE_SECONDS, partial(same_file, path, own), path == own):
            raise ExportError(f"it is the session's own file {own.name}; choose another name")

    # One after the other

    def _after_program(self, name: str, do: Callable[[], object]) -> None:
        """Call it when the program in the editor has ended, as the export is of its graph."""
        session, token = self._panel.session, object()
        if session.presenter.shows_network or not session.program.busy:
            do()
            return

        def then() -> None:
            if token in self._awaiting:
                do()
            let_go()

        def otherwise() -> None:
            if token in self._awaiting:
                self._post(f"{name} was not exported: the program did not come to its end", "error")
            let_go()

        def let_go() -> None:
            self._awaiting.discard(token)
            if not self.busy:
                self.ended.emit()

        self._awaiting.add(token)
        self.started.emit(f"{name} when the program has ended")
        session.program.wait(then, otherwise)

    def _submit(self, task: _Task) -> None:
        self._waiting.append(task)
        if not self._job.busy:
            self._go_on()

    def _go_on(self) -> None:
        if not self._waiting:
            self.ended.emit()
            return
        task, self.share = self._waiting.popleft(), 0.0

        def work(cancelled: Callable[[], bool]) -> Iterator[Any]:
            def report(share: float) -> None:
                if cancelled():
                    raise _Cancelled
                self.share = share

            try:
                yield task.work(report)
            except ValueError as error:  # the request cannot be done: no fault of the program
                yield error

        self._job.start(task, work)
        self.started.emit(task.name)

    # Telling

    def _remarked(self, said: str) -> str:
        """Return the remark, with a note where the graph does not match the text."""
        reason = self._panel.outdated_reason
        return f"{said}. {reason}." if reason else said

    def _finish(self, task: _Task, result: Any) -> None:
        if isinstance(result, ValueError):
            self._tell_failed(task, result)
        else:
            self._post(task.finish(result))

    def _tell_failed(self, task: _Task, error: Exception) -> None:
        self._post(f"{task.failure}: {error}", "error")

    def _post(self, text: str, kind: str = "note") -> None:
        self._panel.session.message_posted.emit(text, kind)


def _put_onto_clipboard(said: str, content: tuple[bytes, QImage | None]) -> str:
    made, image = content
    data = QMimeData()
    if image is None:
        data.setData("image/svg+xml", made)
        data.setText(made.decode())
    else:
        data.setImageData(image)
        data.setData("image/png", made)
    QGuiApplication.clipboard().setMimeData(data)
    return said
