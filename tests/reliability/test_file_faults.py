"""A fault at any moment of writing leaves the old file or the new one, whatever writes it."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.reliability.file_faults import main, try_writer
from tests.reliability.writers import WRITERS

OF_WRITE_ATOMICALLY = ("new file", "old file", "private file", "symbolic link", "hard link")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WRITERS if not name.startswith("command")])
def test_a_fault_at_any_call_leaves_the_old_file_or_the_new_one(qapp, name, caplog):
    caplog.set_level("CRITICAL")
    errors = (errno.ENOSPC, errno.EINTR) if name in OF_WRITE_ATOMICALLY else (errno.ENOSPC,)
    tried, found = try_writer(WRITERS[name], errors, kills=False)
    assert found == []
    assert tried > 5


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="a copy of the process is killed")
@pytest.mark.parametrize("name", OF_WRITE_ATOMICALLY)
def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(name):
    tried, found = try_writer(WRITERS[name], errors=())
    assert found == []
    assert tried > 5


class Syncs:
    """Record of what the disk holds for good, in place of `os.fsync` and `os.replace`.

    Attributes:
        synced: content of each file when it was synced last, by its number.
        renamed: how many files got their name.
        unsafe: folders whose new names are not synced yet.
        problems: files that got their name before their content was synced.
    """

    def __init__(self, monkeypatch):
        self.synced, self.unsafe, self.problems, self.renamed = {}, set(), [], 0
        self._fsync, self._replace = os.fsync, os.replace
        monkeypatch.setattr(os, "fsync", self.fsync)
        monkeypatch.setattr(os, "replace", self.replace)

    def fsync(self, descriptor):
        self._fsync(descriptor)
        status, path = os.fstat(descriptor), Path(f"/proc/self/fd/{descriptor}").readlink()
        if stat.S_ISDIR(status.st_mode):
            self.unsafe.discard(path)
        else:
            self.synced[status.st_ino] = path.read_bytes()

    def replace(self, source, target):
        if not self.holds(Path(source)):
            self.problems.append(f"{Path(target).name} gets its name before its content is synced")
        self._replace(source, target)
        self.unsafe.add(Path(target).parent.resolve())
        self.renamed += 1

    def holds(self, path):
        return self.synced.get(path.stat().st_ino) == path.read_bytes()


SYNCING = (*OF_WRITE_ATOMICALLY, "session", "settings", "lesson progress", "machine code", "export", "frames")
"""Writers that need no window, and take milliseconds."""


@pytest.mark.skipif(sys.platform != "linux", reason="what is synced is looked up in /proc")
@pytest.mark.parametrize("name", SYNCING)
def test_a_file_is_synced_before_it_gets_its_name_and_its_folder_after_that(qapp, name, tmp_path, monkeypatch):
    folder, writer = tmp_path / "x", WRITERS[name]
    folder.mkdir(mode=0o700)
    writer.prepare(folder)
    syncs = Syncs(monkeypatch)
    for content in ("old", "new", "old"):
        assert writer.write(folder, content) == ""
        assert syncs.problems == [] and {unsafe for unsafe in syncs.unsafe if unsafe.exists()} == set()
        written = {path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}
        assert {path for path in written if not syncs.holds(path)} == set()
    assert syncs.renamed >= (0 if writer.is_overwritten else 2)


def test_a_name_that_no_writer_has_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["sesion"])
    assert ended.value.code == 2
    assert "'session'" in capsys.readouterr().err
