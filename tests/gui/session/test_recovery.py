"""After a crash the unsaved session is offered, as it was: text, weights, step and curve."""

import errno
import json
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import gui.session.recovery
from engine.document import Document, replace_section
from engine.session_file import from_json, to_json
from engine.session_file.files import stamp_of
from engine.session_file.saved_runs import saved_runs
from gui.bars.recovery_bar import RecoveryBar
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.recovery import MOST_COPIES, Recovery, find_copies
from gui.session.training_edits import rename_run
from gui.session.unsaved import write
from tests.gui.training import train

ROOT = Path(__file__).parents[3]
TEXT = "a = 5.0\nb = a * a\n"


@pytest.fixture
def recovery(session, tmp_path):
    recovery = Recovery(session, tmp_path / "recovery")
    yield recovery
    recovery.close()


def abandoned(session, folder):
    """A copy whose process is gone."""
    recovery = Recovery(session, folder)
    assert recovery.keep_now()
    recovery.lock.unlock()
    recovery.timer.stop()
    return find_copies(folder)


def test_nothing_is_written_while_nothing_is_unsaved(recovery, tmp_path):
    recovery.keep()
    assert not (tmp_path / "recovery").exists()


def test_nobody_else_can_read_a_copy_nor_one_that_an_earlier_version_left(session, tmp_path):
    def modes():
        return {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}

    folder = tmp_path / "recovery"
    session.edit("text", expression={"text": TEXT})
    assert abandoned(session, folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and modes() == {0o600}
    for path, mode in [(folder, 0o755), *((file, 0o644) for file in folder.iterdir())]:
        path.chmod(mode)
    assert len(find_copies(folder)) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and modes() == {0o600}


def test_unsaved_work_is_kept_and_taken_away_once_it_is_saved(session, recovery, tmp_path, qtbot):
    session.edit("text", expression={"text": TEXT})
    recovery.keep()
    qtbot.waitUntil(lambda: any((tmp_path / "recovery").glob("*.recovery")), timeout=5000)
    session.save(tmp_path / "a.gradstep")
    qtbot.waitUntil(lambda: recovery.keep() or not any((tmp_path / "recovery").glob("*.recovery")), timeout=5000)


def test_a_folder_that_is_removed_while_one_works_is_made_again(session, recovery, tmp_path):
    session.edit("text", expression={"text": TEXT})
    for _ in range(2):
        recovery.keep()
        recovery.wait()
        assert recovery.file.exists() and recovery.lock.isLocked() and not find_copies(tmp_path / "recovery")
        shutil.rmtree(tmp_path / "recovery")
    recovery.keep()


@pytest.mark.slow
def test_a_copy_made_while_one_works_has_the_runs_and_a_new_name_of_one(session, recovery, tmp_path, qtbot):
    train(session, qtbot, "step")
    session.reset()
    train(session, qtbot, "step")

    def runs_in_copy():
        recovery.keep()
        recovery.wait()
        _about, _, text = recovery.file.read_text(encoding="utf-8").partition("\n")
        return [(run.number, run.name) for run in saved_runs(from_json(text))]

    assert runs_in_copy() == [(1, ""), (2, "")]
    rename_run(session, session.runs.run(1), "slow")
    assert runs_in_copy() == [(1, "slow"), (2, "")]


@pytest.mark.parametrize("saved", ["while it is written", "when it is written"])
def test_a_copy_from_before_a_save_is_not_left_for_the_next_start(session, recovery, tmp_path, monkeypatch, saved):
    may_write = threading.Event()
    write = gui.session.recovery.write_atomically
    monkeypatch.setattr(
        gui.session.recovery,
        "write_atomically",
        lambda *given, **options: may_write.wait(10) and write(*given, **options),
    )
    session.edit("text", expression={"text": TEXT})
    recovery.keep()
    if saved == "when it is written":
        may_write.set()
        recovery.wait()
        assert any((tmp_path / "recovery").glob("*.recovery"))
    assert session.save(tmp_path / "a.gradstep")
    may_write.set()
    recovery.wait()
    assert not any((tmp_path / "recovery").glob("*.recovery"))
    session.edit("text", expression={"text": "later = 1"})
    recovery.keep()
    recovery.wait()
    assert any((tmp_path / "recovery").glob("*.recovery"))


def test_a_copy_that_is_saved_and_removed_while_it_is_written_is_no_failure(session, recovery, monkeypatch):
    may_end, told = threading.Event(), []

    def write(file, *_arguments, **_options):
        assert may_end.wait(10)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(file))

    monkeypatch.setattr(gui.session.recovery, "write_atomically", write)
    recovery.failed.connect(told.append)
    session.edit("text", expression={"text": TEXT})
    recovery.keep()
    session.discard_changes()
    may_end.set()
    recovery.wait()
    assert told == []


def test_a_copy_of_a_living_process_is_not_offered(session, recovery, tmp_path):
    session.edit("text", expression={"text": TEXT})
    assert recovery.keep_now()
    assert find_copies(tmp_path / "recovery") == []


def test_a_copy_is_offered_though_its_process_number_belongs_to_another_process(session, tmp_path):
    """In a container the number of the program is the same in every run: here it is that of this process."""
    session.edit("text", expression={"text": TEXT})
    recovery = Recovery(session, tmp_path)
    assert recovery.keep_now()
    lock_file, copied = recovery.file.with_suffix(".lock"), tmp_path / "kept"
    shutil.copy(lock_file, copied)
    recovery.close(keep=True)
    copied.rename(lock_file)  # as a process that was killed leaves it
    (copy,) = find_copies(tmp_path)
    assert copy.document.expression.text == TEXT


def test_what_killed_processes_leave_besides_copies_is_removed_and_living_ones_are_left_alone(session, tmp_path):
    living = Recovery(session, tmp_path)
    session.edit("text", expression={"text": TEXT})
    assert living.keep_now()
    assert session.save(tmp_path / "a.gradstep")  # from now on it has a lock and no copy
    (tmp_path / "5-5.lock").write_text("5\npython3\nhere\n")
    part = tmp_path / ".5-5.recovery.0123abcd.part"
    part.write_text("half")
    os.utime(part, (1e9, 1e9))
    find_copies(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {living.file.with_suffix(".lock").name, "a.gradstep"}
    assert living.lock.isLocked()
    living.close()


def test_copies_that_nobody_answers_do_not_pile_up(session, tmp_path):
    session.edit("text", expression={"text": TEXT})
    (copy,) = abandoned(session, tmp_path)
    for age in range(1, MOST_COPIES + 3):
        later = shutil.copy(copy.file, tmp_path / f"{age}-1.recovery")
        os.utime(later, (2e9 - age, 2e9 - age))
    assert {found.file.name for found in find_copies(tmp_path)} == {
        f"{age}-1.recovery" for age in range(1, MOST_COPIES + 1)
    }
    assert len(list(tmp_path.iterdir())) == MOST_COPIES


@pytest.mark.slow
def test_a_copy_that_is_put_off_is_offered_at_the_next_start(qtbot, session, reused_window, tmp_path):
    session.edit("text", expression={"text": TEXT})
    copies = abandoned(session, tmp_path / "recovery")
    bar = RecoveryBar(reused_window.session, reused_window.files, copies, lambda: True, reused_window)
    bar.later.click()
    assert bar.isHidden()
    assert [copy.file for copy in find_copies(tmp_path / "recovery")] == [copies[0].file]


@pytest.mark.slow
def test_what_a_crash_leaves_comes_back_as_it_was(session, qtbot, tmp_path):
    file = tmp_path / "a.gradstep"
    session.save(file)
    session.edit("text", expression={"text": TEXT})
    train(session, qtbot, "step")
    (copy,) = abandoned(session, tmp_path / "recovery")
    assert copy.document == session.current_document()
    assert (copy.path, copy.stamp) == (file, stamp_of(file))


@pytest.mark.slow
def test_the_bar_recovers_a_session_that_counts_as_unsaved(qtbot, session, tmp_path):
    session.edit("text", expression={"text": TEXT})
    train(session, qtbot, "step")
    expected = session.current_document()
    copies = abandoned(session, tmp_path / "recovery")
    window = MainWindow(Session(), theme="light")
    qtbot.addWidget(window)
    recovery = Recovery(window.session, tmp_path / "recovery", window)
    bar = RecoveryBar(window.session, window.files, copies, recovery.keep_now, window)
    window.addToolBar(bar)
    assert "untitled" in bar.words.text()
    with qtbot.waitSignal(bar.recovered):
        bar.recover.click()
    assert window.session.current_document() == expected
    assert window.session.modified
    assert not copies[0].file.exists()
    assert recovery.close(keep=True)
    assert [copy.document for copy in find_copies(tmp_path / "recovery")] == [expected]
    window.session.discard_changes()
    window.close()


@pytest.mark.slow
def test_a_copy_that_is_thrown_away_is_gone(qtbot, session, tmp_path):
    session.edit("text", expression={"text": TEXT})
    copies = abandoned(session, tmp_path / "recovery")
    window = MainWindow(Session(), theme="light")
    qtbot.addWidget(window)
    bar = RecoveryBar(window.session, window.files, copies, lambda: True, window)
    bar.discard.click()
    assert find_copies(tmp_path / "recovery") == []
    assert window.session.document == Document()
    window.close()


def test_a_double_click_on_discard_discards_one_copy(qtbot, session, reused_window, tmp_path):
    session.edit("text", expression={"text": TEXT})
    copies = [*abandoned(session, tmp_path / "first"), *abandoned(session, tmp_path / "second")]
    bar = RecoveryBar(reused_window.session, reused_window.files, copies, lambda: True, reused_window)
    bar.discard.click()
    bar.discard.click()
    assert len(find_copies(tmp_path / "first") + find_copies(tmp_path / "second")) == 1
    qtbot.waitUntil(bar.discard.isEnabled)
    bar.discard.click()
    assert not find_copies(tmp_path / "first") + find_copies(tmp_path / "second")


def test_a_folder_that_cannot_be_written_is_told_once(session, qtbot, tmp_path):
    (tmp_path / "recovery").write_text("a file where the folder should be")
    recovery = Recovery(session, tmp_path / "recovery")
    told = []
    recovery.failed.connect(told.append)
    session.edit("text", expression={"text": TEXT})
    for _ in range(4):
        recovery.keep()
    assert len(told) == 1
    recovery.close()


@pytest.fixture
def full_disk(monkeypatch):
    """Turned on and off by its attribute."""
    write, disk = gui.session.recovery.write_atomically, SimpleNamespace(full=False)

    def write_unless_full(path, content, **options):
        if disk.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content, **options)

    monkeypatch.setattr(gui.session.recovery, "write_atomically", write_unless_full)
    return disk


def test_a_program_that_is_ended_while_the_disk_is_full_leaves_the_copy_before(session, tmp_path, full_disk):
    recovery = Recovery(session, tmp_path / "recovery")
    session.edit("text", expression={"text": TEXT})
    assert recovery.keep_now()
    session.edit("text", expression={"text": "later = 1"})
    full_disk.full = True
    assert recovery.close(keep=True)
    assert [copy.document.expression.text for copy in find_copies(tmp_path / "recovery")] == [TEXT]


def test_a_copy_of_a_session_as_large_as_a_file_may_be_is_read(session, tmp_path, monkeypatch):
    session.edit("text", expression={"text": '# "ä\\"' * 1000})
    size = len(to_json(session.document).encode())
    monkeypatch.setattr("engine.session_file.files.LARGEST_TEXT", size)
    monkeypatch.setattr("engine.session_file.strict_json.LARGEST_TEXT", size)
    monkeypatch.setattr("gui.session.recovery.LONGEST_ABOUT", 200)
    (copy,) = abandoned(session, tmp_path / "recovery")
    assert copy.document.expression.text == session.document.expression.text


def test_a_session_whose_file_was_deleted_is_left_for_the_next_start(session, tmp_path):
    path = tmp_path / "a.gradstep"
    session.edit("text", expression={"text": TEXT})
    assert session.save(path)
    path.unlink()
    assert Recovery(session, tmp_path / "recovery").close(keep=True)
    (copy,) = find_copies(tmp_path / "recovery")
    assert (copy.document.expression.text, copy.path) == (TEXT, path)


@pytest.mark.slow
def test_a_disk_that_is_full_again_is_told_again(session, recovery, full_disk, caplog):
    told = []
    recovery.failed.connect(told.append)
    for full in (True, True, False, True, True):
        full_disk.full = full
        session.edit("text", expression={"text": f"a = {len(session.undo_stack.steps)}"})
        for _ in range(2):
            recovery.keep()
            recovery.wait()
    assert told == ["Unsaved work would be lost in a crash: No space left on device."] * 2
    assert len(caplog.records) <= 4
    assert "Traceback" not in caplog.text


def test_a_damaged_copy_does_not_keep_the_window_from_starting(tmp_path):
    (tmp_path / "1-1.recovery").write_text("{")
    (tmp_path / "2-2.recovery").write_text('{"path": null, "stamp": null, "written": 0, "session": "[]"}')
    assert find_copies(tmp_path) == []


@pytest.mark.parametrize(
    "damage",
    [
        {"written": math.nan},
        {"written": 1e300},
        {"written": 10**400},
        {"path": "\0"},
        {"path": 5},
        {"stamp": [1]},
        {"stamp": [math.inf, "x"]},
        {"session": None},
    ],
)
def test_a_copy_with_a_damaged_field_does_not_keep_the_window_from_starting(tmp_path, damage):
    content = {"path": None, "stamp": None, "written": 1.0, "session": to_json(Document())}
    file = tmp_path / "1-1.recovery"
    file.write_text(json.dumps(content))
    assert len(find_copies(tmp_path)) == 1
    file.write_text(json.dumps({**content, **damage}))
    (tmp_path / "2-2.recovery").write_text("[" * 200_000)
    assert find_copies(tmp_path) == []


STORY = """
    import os, signal, sys
    from pathlib import Path
    from PySide6.QtCore import QCoreApplication, QTimer
    from PySide6.QtGui import QFont, QImage
    import gui.background
    from gui import app
    from gui.painting import painting
    from gui.export.drawing import png_bytes
    from gui.session.recovery import Recovery

    def draw(_report):
        while True:
            image = QImage(400, 400, QImage.Format.Format_RGB32)
            with painting(image) as painter:
                painter.setFont(QFont("sans-serif", 9))
                painter.drawText(20, 20, "a = 5.0")
            png_bytes(image)

    class Told(Recovery):
        def keep_now(self, deadline=None):
            os.kill(os.getpid(), int(sys.argv[1]))  # a terminal that closes sends its signal twice
            return super().keep_now(deadline)

        def __init__(self, session, folder, window):
            super().__init__(session, folder, window)
            if sys.argv[2] == "drawing":  # and it does not end in time
                gui.background.CLOSING_SECONDS = 0.1
                window.exporter.save(Path(folder.parent, "drawn.png"), lambda _path: draw)
            QTimer.singleShot(0, lambda: self.work(session))

        def work(self, session):
            session.edit("text", expression={"text": "a = 5.0\\nb = a * a\\n"})
            session.train("step")
            self.timer.setInterval(20)
            self.wait_for(session)

        def wait_for(self, session):
            written = self.kept is not None and self.kept.trained.step == 1 and self.file.exists()
            if written and not self.writing:
                if sys.argv[1] == "0":
                    QCoreApplication.exit(1)  # as Qt does when the display is gone
                os.kill(os.getpid(), int(sys.argv[1]))
            QTimer.singleShot(10, lambda: self.wait_for(session))

    app.Recovery = Told
    sys.exit(app.run(None))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "meanwhile"),
    [
        (signal.SIGKILL, "training"),
        (signal.SIGTERM, "drawing"),
        (signal.SIGINT, "training"),
        (signal.SIGHUP, "training"),
        (0, "training"),
    ],
)
def test_a_program_that_is_ended_leaves_its_work_to_the_next_start(number, meanwhile, tmp_path):
    story = tmp_path / "story.py"
    story.write_text(textwrap.dedent(STORY))
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(story), str(int(number)), meanwhile]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    codes = {signal.SIGKILL: -signal.SIGKILL, 0: 1}
    assert ended.returncode == codes.get(number, 128 + number), ended.stderr
    assert "Traceback" not in ended.stderr
    (folder,) = tmp_path.glob("**/recovery")
    (copy,) = find_copies(folder)
    assert copy.document.expression.text == TEXT
    assert copy.document.trained.step == 1
    assert copy.document == replace_section(copy.document, "expression", text=TEXT)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_a_copy_is_private_from_its_beginning_whatever_the_umask(session, recovery, tmp_path):
    session.edit("text", expression={"text": TEXT})
    before = os.umask(0)
    try:
        recovery.keep()
        recovery.wait()
    finally:
        os.umask(before)
    folder = tmp_path / "recovery"
    modes = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {"": 0o700, ".recovery": 0o600, ".lock": 0o600}


def test_a_copy_is_due_after_a_few_seconds_and_later_edits_do_not_put_it_off(session, recovery, qtbot):
    assert recovery.timer.interval() <= 5000  # and writing may take as long: ten seconds are promised
    session.edit("text", expression={"text": TEXT})
    sooner = recovery.timer.remainingTime() - 50
    qtbot.waitUntil(lambda: recovery.timer.remainingTime() <= sooner)
    session.edit("text", expression={"text": "later = 1"})
    assert recovery.timer.isActive() and recovery.timer.remainingTime() <= sooner


def test_what_is_edited_while_a_copy_is_written_is_due_for_the_next_one(session, recovery, monkeypatch):
    may_write, write = threading.Event(), gui.session.recovery.write_atomically
    monkeypatch.setattr(
        gui.session.recovery,
        "write_atomically",
        lambda *given, **options: may_write.wait(10) and write(*given, **options),
    )
    session.edit("text", expression={"text": TEXT})
    recovery.keep()
    session.edit("text", expression={"text": "later = 1"})
    recovery.timer.stop()
    recovery.keep()  # as the timer calls it, while the first copy is still being written
    assert recovery.writing and recovery.timer.isActive()
    may_write.set()
    recovery.wait()


def test_a_copy_stays_when_a_save_ends_that_does_not_have_the_newest_edit(session, recovery, tmp_path):
    session.edit("text", expression={"text": TEXT})
    saving = session.begin_saving()
    session.edit("text", expression={"text": "later = 1"})
    recovery.keep()
    recovery.wait()
    assert session.end_saving(saving, tmp_path / "a.gradstep", write(tmp_path / "a.gradstep", saving.document))
    assert session.modified and recovery.file.exists()


def test_what_was_typed_a_moment_ago_is_in_the_copy_that_is_left_at_the_end(make_window, tmp_path, qtbot):
    window = make_window()
    recovery = Recovery(window.session, tmp_path / "recovery", window)
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.selectAll()
    qtbot.keyClicks(editor, "z = 4.0")
    assert recovery.close(keep=True)
    assert [copy.document.expression.text for copy in find_copies(tmp_path / "recovery")] == ["z = 4.0"]
    window.session.discard_changes()


def test_copies_are_offered_the_newest_first_and_damaged_ones_stay(session, tmp_path):
    about = {"path": None, "stamp": None, "session": to_json(Document())}
    for name, written in (("1-1", 10.0), ("2-2", 30.0), ("3-3", 20.0)):
        (tmp_path / f"{name}.recovery").write_text(json.dumps({**about, "written": written}))
    (tmp_path / "4-4.recovery").write_text("{")
    assert [copy.written for copy in find_copies(tmp_path)] == [30.0, 20.0, 10.0]
    assert (tmp_path / "4-4.recovery").read_text() == "{"
