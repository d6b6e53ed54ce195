"""Exports beside the window: one after the other, with progress, cancelled and closed cleanly."""

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImageReader
from PySide6.QtWidgets import QFileDialog

from gui.background import join_stopped
from gui.export.animation import Written
from gui.export.drawing import MOST_PIXELS, ExportError
from gui.export.exporter import Exporter
from gui.export.exports import PictureChoices, write_content
from gui.export.progress import ExportProgress


@pytest.fixture
def exporter(panel, session):
    exporter = Exporter(panel, panel)
    yield exporter
    exporter.stop()
    join_stopped()


@pytest.fixture
def told(session):
    lines = []
    session.message_posted.connect(lambda text, kind: lines.append((text, kind)))
    return lines


@pytest.fixture
def progress(exporter, qtbot):
    progress = ExportProgress(exporter, None)
    qtbot.addWidget(progress)
    return progress


class Gate:
    """Work that goes on when it is let: in steps, and only as long as it is wanted."""

    def __init__(self):
        self.begun, self.open = threading.Event(), threading.Event()

    def __call__(self, path):
        def work(report):
            report(0.25)
            self.begun.set()
            assert self.open.wait(10)
            return write_content(b"made", path, report)

        return work


@pytest.mark.slow
def test_the_window_goes_on_while_a_file_is_written_and_then_says_so(exporter, told, tmp_path, qtbot):
    gate = Gate()
    exporter.save(tmp_path / "a.png", gate)
    qtbot.waitUntil(gate.begun.is_set)
    assert exporter.busy and not (tmp_path / "a.png").exists() and told == []
    gate.open.set()
    qtbot.waitUntil(lambda: not exporter.busy)
    assert (tmp_path / "a.png").read_bytes() == b"made" and told == [("exported a.png", "note")]


@pytest.mark.slow
def test_a_long_export_shows_how_far_it_is_and_a_short_one_shows_nothing(exporter, progress, tmp_path, qtbot):
    with qtbot.waitSignal(exporter.ended):
        exporter.save(tmp_path / "short.txt", lambda path: lambda report: write_content(b"made", path, report))
    assert not progress.isVisible()
    gate = Gate()
    exporter.save(tmp_path / "a.gif", gate)
    qtbot.waitUntil(progress.isVisible)
    qtbot.waitUntil(lambda: progress.bar.value() == 25)
    assert progress.words.text() == "exporting a.gif …"
    gate.open.set()
    qtbot.waitUntil(lambda: not progress.isVisible())


@pytest.mark.slow
def test_what_is_cancelled_leaves_the_old_file_and_what_waits_is_not_written(exporter, progress, told, tmp_path, qtbot):
    (tmp_path / "a.png").write_bytes(b"old")
    gate = Gate()
    exporter.save(tmp_path / "a.png", gate)
    exporter.save(tmp_path / "b.png", gate)
    qtbot.waitUntil(progress.isVisible)
    qtbot.mouseClick(progress.cancel_button, Qt.MouseButton.LeftButton)
    assert not exporter.busy and told == [("the export was cancelled", "note")]
    with qtbot.waitSignal(exporter.ended):
        gate.open.set()
    assert not progress.isVisible()
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"] and (tmp_path / "a.png").read_bytes() == b"old"


@pytest.mark.slow
def test_exports_follow_one_another(exporter, told, tmp_path, qtbot):
    gates = [Gate(), Gate()]
    for name, gate in zip("ab", gates, strict=True):
        exporter.save(tmp_path / f"{name}.txt", gate)
    qtbot.waitUntil(gates[0].begun.is_set)
    assert not gates[1].begun.is_set()
    for gate in gates:
        gate.open.set()
    qtbot.waitUntil(lambda: not exporter.busy)
    assert [text for text, _kind in told] == ["exported a.txt", "exported b.txt"]


@pytest.mark.slow
def test_after_a_cancelled_export_another_one_is_written(exporter, tmp_path, qtbot):
    gate = Gate()
    exporter.save(tmp_path / "a.txt", gate)
    qtbot.waitUntil(gate.begun.is_set)
    exporter.cancel()
    exporter.save(tmp_path / "b.txt", lambda path: lambda report: write_content(b"made", path, report))
    gate.open.set()
    qtbot.waitUntil((tmp_path / "b.txt").exists)
    qtbot.waitUntil(lambda: not exporter.busy)
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("when", ["asked", "written"])
def test_what_cannot_be_exported_is_told_by_the_name_of_the_file(exporter, told, tmp_path, qtbot, when):
    def refuse(_report=None):
        raise ExportError("it is too large")

    exporter.save(tmp_path / "a.png", lambda path: refuse() if when == "asked" else refuse)
    qtbot.waitUntil(lambda: not exporter.busy)
    assert told == [("a.png was not exported: it is too large", "error")]


@pytest.mark.slow
def test_a_fault_of_the_program_while_writing_is_told_and_the_next_export_works(
    exporter, told, tmp_path, qtbot, caplog
):
    def fails(_report):
        raise ZeroDivisionError("division by zero")

    exporter.save(tmp_path / "a.png", lambda path: fails)
    exporter.save(tmp_path / "b.png", lambda path: lambda report: Written(path))
    qtbot.waitUntil(lambda: not exporter.busy)
    assert told == [("a.png was not exported: division by zero", "error"), ("exported b.png", "note")]
    assert "failed" in caplog.text


@pytest.mark.slow
def test_closing_ends_the_thread_and_leaves_nothing_behind(exporter, panel, tmp_path, qtbot):
    def endless(path):
        def work(report):
            while True:
                report(0.5)

        return work

    exporter.save(tmp_path / "a.gif", endless)
    qtbot.waitUntil(lambda: exporter.share == 0.5)
    exporter.stop()
    join_stopped()
    assert not [thread for thread in threading.enumerate() if thread.name == "export"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_snapshot_stays_as_it_was_while_the_graph_goes_on(exporter, session, tmp_path):
    session.set_view(shows="network")
    taken = exporter.snapshot()
    before = {extension: taken.content(PictureChoices(extension)) for extension in ("json", "txt", "svg", "png")}
    for parameter in session.presenter.graph_view.root.inputs:
        parameter.data = 123.0
    session.presenter.set_position(0)
    assert {extension: taken.content(PictureChoices(extension)) for extension in before} == before


@pytest.mark.slow
def test_the_backward_pass_is_that_of_the_moment_it_was_asked_at(exporter, session):
    backward = exporter.snapshot().backward_pass()
    words, frame = [backward.words(number) for number in range(backward.frame_count)], backward.frame(3)
    for value in session.evaluation.names.values():
        value.data = 123.0
    assert [backward.words(number) for number in range(backward.frame_count)] == words
    assert backward.frame(3) == frame


@pytest.mark.long
def test_a_picture_of_what_is_on_the_screen_is_no_larger_than_an_image_can_be(exporter, panel, tmp_path, qtbot):
    panel.canvas.set_zoom(0.02)
    assert panel.canvas.visible_region.width() > 30_000
    exporter.save_visible()
    dialog = panel.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "a.png"))
    dialog.reject()
    qtbot.waitUntil(lambda: not exporter.busy and panel.findChild(QFileDialog) is None, timeout=20_000)
    size = QImageReader(str(tmp_path / "a.png")).size()
    assert 0 < size.width() * size.height() <= MOST_PIXELS


@pytest.mark.slow
def test_an_unknown_name_of_a_folder_is_told(exporter, told, qtbot):
    exporter.save(Path("nowhere/at/all.png"), lambda path: lambda report: write_content(b"", path, report))
    qtbot.waitUntil(lambda: not exporter.busy)
    assert told[0][1] == "error" and told[0][0].startswith("all.png was not exported: nowhere/at/all.png could not be")
