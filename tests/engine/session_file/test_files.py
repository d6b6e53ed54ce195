"""Files: nothing is lost when writing fails, and reading looks before it reads."""

import io
import os
import stat
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.file_access import (
    FileProblem,
    check_writable,
    make_private_folder,
    open_stream,
    reason_of,
    write_atomically,
)
from engine.session_file import to_json
from engine.session_file.files import FileStamp, is_gone, read_document, read_text, stamp_of

SESSION = to_json(replace_section(Document(), "data", name="xor"))
POSIX = os.name == "posix"


def test_writing_replaces_the_whole_file(tmp_path):
    path = tmp_path / "a.gradstep"
    write_atomically(path, b"a long first content")
    write_atomically(path, b"short")
    assert path.read_bytes() == b"short"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_the_users_mask_which_belongs_to_all_threads_and_stays(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.delattr(os, "umask")
            write_atomically(tmp_path / "new", b"1")
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    finally:
        os.umask(before)


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.gradstep"
    path.write_bytes(b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("times", "is_written"), [(2, True), (99, False)])
def test_a_file_that_another_program_holds_open_is_waited_for_a_while(tmp_path, monkeypatch, times, is_written):
    busy = OSError(13, "it is used by another process")
    busy.winerror = 32
    real, refused = Path.replace, []

    def refuses(path, target):
        if len(refused) < times:
            refused.append(path)
            raise busy
        return real(path, target)

    monkeypatch.setattr(Path, "replace", refuses)
    monkeypatch.setattr("engine.file_access._PATIENCE_SECONDS", 0.2)
    path = tmp_path / "a"
    with nullcontext() if is_written else pytest.raises(OSError, match="another process"):
        write_atomically(path, b"new")
    assert [*tmp_path.iterdir()] == [path] * is_written


def test_a_file_that_gives_nothing_at_present_is_refused(tmp_path, monkeypatch):
    class Waiting(io.FileIO):
        def read(self, _size):
            return None

    path = tmp_path / "messages"
    path.write_bytes(b"content")
    monkeypatch.setattr("engine.file_access.open", lambda path, *_more, **_options: Waiting(path), raising=False)
    with pytest.raises(FileProblem, match="nothing to read at present"):
        read_document(path)


def test_a_missing_folder_is_an_os_error(tmp_path):
    with pytest.raises(OSError):
        write_atomically(tmp_path / "missing" / "a.png", b"")


def test_a_byte_order_mark_is_dropped(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffa = 1".encode())
    assert read_text(path) == "a = 1"


def test_only_regular_utf8_files_of_bounded_size_are_read(tmp_path, monkeypatch):
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    with pytest.raises(FileProblem, match="not UTF-8"):
        read_text(binary)
    with pytest.raises(FileProblem, match="regular file"):
        read_text(tmp_path)
    monkeypatch.setattr("engine.session_file.files.LARGEST_TEXT", 3)
    with pytest.raises(FileProblem, match="too large"):
        read_text(binary)


def test_an_error_names_the_file_that_was_wanted_and_not_the_temporary_one(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(tmp_path / "missing" / "a.png", b"")
    assert str(tmp_path / "missing" / "a.png") in str(caught.value) and ".part" not in str(caught.value)
    assert reason_of(caught.value).startswith("there is no folder")


def test_what_a_killed_save_left_is_removed_by_the_next_and_nothing_else(tmp_path):
    path = tmp_path / "a.gradstep"
    old, young, others, foreign = (
        tmp_path / name
        for name in (".a.gradstep.abcd1234.part", ".a.gradstep.zzzz9999.part", ".b.gradstep.abcd1234.part", "a.part")
    )
    for leftover in (old, young, others, foreign):
        leftover.write_bytes(b"half")
    for leftover in (old, others, foreign):
        os.utime(leftover, (1e9, 1e9))
    write_atomically(path, b"whole")
    assert {*tmp_path.iterdir()} == {path, young, others, foreign}


def test_a_file_with_the_longest_name_the_system_knows_is_written(tmp_path):
    path = tmp_path / ("ä" * 120 + ".gradstep")
    write_atomically(path, b"content")
    assert path.read_bytes() == b"content"


if POSIX:
    import fcntl

    def test_what_a_save_left_that_was_killed_a_moment_ago_is_removed_but_not_what_is_being_written(tmp_path):
        path, killed, at_work = (tmp_path / name for name in ("a", ".a.abcd1234.part", ".a.zzzz9999.part"))
        for leftover in (killed, at_work):
            leftover.write_bytes(b"half")
            os.utime(leftover, (time.time() - 60,) * 2)
        with at_work.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            write_atomically(path, b"whole")
        assert {*tmp_path.iterdir()} == {path, at_work}

    def test_a_link_is_kept_and_its_target_written(tmp_path):
        target, link = tmp_path / "target", tmp_path / "link"
        target.write_bytes(b"old")
        link.symlink_to(target)
        write_atomically(link, b"new")
        assert link.is_symlink()
        assert target.read_bytes() == b"new"

    def test_a_device_is_written_to_and_stays_a_device(tmp_path):
        write_atomically("/dev/null", b"content")
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
        link = tmp_path / "link"
        link.symlink_to("/dev/null")
        write_atomically(link, b"content")
        assert link.is_symlink() and stat.S_ISCHR(link.stat().st_mode)

    def test_a_full_device_is_an_error_that_says_so():
        if Path("/dev/full").exists():
            with pytest.raises(OSError, match="No space left"):
                write_atomically("/dev/full", b"content")

    def test_a_pipe_is_written_to_and_one_that_nobody_reads_is_not_waited_for(tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        with pytest.raises(OSError) as caught:
            write_atomically(pipe, b"content")
        assert reason_of(caught.value) == "nothing reads from this pipe"
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        write_atomically(pipe, b"content")
        assert os.read(reader, 100) == b"content" and stat.S_ISFIFO(pipe.stat().st_mode)
        os.close(reader)

    def test_more_than_a_pipe_holds_is_written_as_it_is_read(tmp_path):
        pipe, content = tmp_path / "pipe", bytes(300_000)
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writer = threading.Thread(target=write_atomically, args=(pipe, content))
        writer.start()
        os.set_blocking(reader, True)
        received = 0
        while received < len(content):
            received += len(os.read(reader, 65_536))
        writer.join()
        os.close(reader)
        assert received == len(content)

    def test_all_names_of_a_file_go_on_naming_one_file(tmp_path):
        path, other = tmp_path / "a.gradstep", tmp_path / "other"
        path.write_bytes(b"a long first content")
        other.hardlink_to(path)
        write_atomically(path, b"short")
        assert other.read_bytes() == b"short" and path.samefile(other)
        assert {*tmp_path.iterdir()} == {path, other}

    def test_a_file_with_two_names_keeps_its_content_when_writing_fails(tmp_path, monkeypatch):
        path, other = tmp_path / "a.gradstep", tmp_path / "other"
        path.write_bytes(b"a long first content")
        other.hardlink_to(path)
        calls, real = [], os.fsync

        def fails_the_second_time(descriptor):
            calls.append(descriptor)
            if len(calls) == 2:
                raise OSError(28, "No space left on device")
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fails_the_second_time)
        with pytest.raises(OSError, match="No space"):
            write_atomically(path, b"new")
        assert len(calls) == 3 and other.read_bytes() == b"a long first content"
        assert {*tmp_path.iterdir()} == {path, other}

    @pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr)
    def test_where_the_old_content_cannot_come_back_the_new_one_lies_beside_it(tmp_path, monkeypatch, error):
        path, other = tmp_path / "a.gradstep", tmp_path / "other"
        path.write_bytes(b"a long first content")
        other.hardlink_to(path)
        calls, real = [], os.fsync

        def fails_from_the_second_time_on(descriptor):
            calls.append(descriptor)
            if len(calls) == 2:
                raise error
            if len(calls) > 2:
                raise OSError(28, "No space left on device")
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fails_from_the_second_time_on)
        with pytest.raises(OSError, match="No space left on device; the new content is in") as caught:
            write_atomically(path, b"new")
        (beside,) = {*tmp_path.iterdir()} - {path, other}
        assert beside.name in str(caught.value) and beside.read_bytes() == b"new"

    def test_output_into_the_file_of_the_terminal_goes_on_where_that_is(capfd):
        print("before", flush=True)
        with open_stream("/dev/stdout") as stream:
            stream.write(b"row\n")
        print("after", flush=True)
        assert capfd.readouterr().out == "before\nrow\nafter\n"

    def test_a_file_that_the_system_cannot_look_at_is_neither_gone_nor_replaced(tmp_path):
        loop, missing = tmp_path / "loop", tmp_path / "missing"
        loop.symlink_to(loop)
        stamp = FileStamp.of(b"content")
        assert (is_gone(loop), is_gone(missing), is_gone(missing / "below"), is_gone(None)) == (
            False,
            True,
            True,
            False,
        )
        assert not stamp.is_replaced(loop) and not stamp.is_replaced(missing)
        missing.write_bytes(b"content")
        assert not stamp.is_replaced(missing) and not is_gone(missing)
        missing.write_bytes(b"other")
        assert stamp.is_replaced(missing)

    def test_a_read_only_disk_is_told_from_a_read_only_file(tmp_path, monkeypatch):
        path = tmp_path / "a.gradstep"
        path.write_bytes(b"old")
        path.chmod(0o444)
        monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_flag=os.ST_RDONLY))
        with pytest.raises(PermissionError, match="its disk is read-only"):
            write_atomically(path, b"new")

    @pytest.mark.parametrize("mode", [None, 0o644, 0o666])
    @pytest.mark.parametrize("names", [1, 2])
    def test_a_private_file_is_at_no_moment_readable_by_others(tmp_path, monkeypatch, mode, names):
        path, seen = tmp_path / "copy", []
        if mode is not None:
            path.write_bytes(b"old")
            path.chmod(mode)
            if names == 2:
                os.link(path, tmp_path / "other name")
        monkeypatch.setattr(os, "fsync", lambda _: seen.extend(
            stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir() if file.read_bytes() == b"secret"
        ))  # fmt: skip
        write_atomically(path, b"secret", private=True)
        assert set(seen) == {0o600} and stat.S_IMODE(path.stat().st_mode) == 0o600

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o2664, 0o4755, 0o1644])
    def test_permissions_are_kept_the_special_ones_too(tmp_path, mode):
        path = tmp_path / "a.gradstep"
        path.write_bytes(b"old")
        path.chmod(mode)
        write_atomically(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == mode

    def test_the_time_of_a_written_file_is_that_of_the_writing(tmp_path):
        path = tmp_path / "a.gradstep"
        path.write_bytes(b"old")
        os.utime(path, (1e9, 1e9))
        write_atomically(path, b"new")
        assert path.stat().st_mtime > 1e9 + 1

    def test_owner_and_group_are_kept_or_the_file_is_written_where_it_is(tmp_path, monkeypatch):
        path = tmp_path / "a.gradstep"
        path.write_bytes(b"old")
        if os.geteuid() == 0:
            os.chown(path, 1234, 4321)
            path.chmod(0o4755)
            write_atomically(path, b"new")
            status = path.stat()
            assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o4755)

        def refuses(*_arguments):
            raise PermissionError(1, "Operation not permitted")

        inode = path.stat().st_ino
        monkeypatch.setattr(os, "chown", refuses)
        monkeypatch.setattr("shutil.copystat", refuses)
        write_atomically(path, b"newer")
        assert (path.stat().st_ino, path.read_bytes()) == (inode, b"newer")

    def test_extended_attributes_are_kept(tmp_path):
        path = tmp_path / "a.gradstep"
        path.write_bytes(b"old")
        try:
            os.setxattr(path, "user.note", b"mine")
        except (OSError, AttributeError):  # this system, or this disk, has none
            return
        write_atomically(path, b"new")
        assert os.getxattr(path, "user.note") == b"mine"


def test_a_read_only_file_is_refused_and_stays(tmp_path):
    path = tmp_path / "a.gradstep"
    path.write_bytes(b"old")
    path.chmod(0o444)
    for write in (lambda: write_atomically(path, b"new"), lambda: check_writable(path), lambda: open_stream(path)):
        with pytest.raises(PermissionError) as caught:
            write()
        assert reason_of(caught.value) == "it is read-only: choose another name, or allow writing to it"
    assert path.read_bytes() == b"old" and [*tmp_path.iterdir()] == [path]


def test_whether_a_file_can_be_written_is_found_out_without_touching_it(tmp_path):
    path = tmp_path / "a.csv"
    check_writable(path)
    assert [*tmp_path.iterdir()] == []
    check_writable(os.devnull)
    for wrong, words in ((tmp_path, "it is a folder"), (tmp_path / "missing" / "a", "there is no folder")):
        with pytest.raises(OSError) as caught:
            check_writable(wrong)
        assert words in reason_of(caught.value)
    path.write_bytes(b"")
    with pytest.raises(OSError):
        check_writable(path / "below")


def test_a_stamp_tells_whether_the_content_has_changed(tmp_path):
    path = tmp_path / "a.gradstep"
    assert stamp_of(path) is None
    write_atomically(path, b"content")
    stamp = FileStamp.of(b"content")
    assert stamp == stamp_of(path) and stamp.matches(path)
    os.utime(path, (1e9, 1e9))
    assert stamp.matches(path)
    status = path.stat()
    path.write_bytes(b"CONTENT")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not stamp.matches(path)
    path.unlink()
    assert not stamp.matches(path)
    path.mkdir()
    assert not stamp.matches(path)


def test_what_is_read_has_the_stamp_of_what_was_read(tmp_path):
    path = tmp_path / "a.gradstep"
    path.write_text(SESSION)
    assert read_document(path).stamp == stamp_of(path)


@pytest.mark.parametrize("name", ["a.txt", "A.TXT", "b.py", "B.Py"])
def test_a_program_is_known_by_its_suffix_in_any_letters(tmp_path, name):
    path = tmp_path / name
    path.write_text("a = 1\n")
    read = read_document(path)
    assert read.is_program and read.document.expression.text == "a = 1\n"


@pytest.mark.parametrize("name", ["a.gradstep", "bar.txt", "bar.PY", "bar", "bar.json"])
def test_a_session_is_known_by_its_content_whatever_it_is_called(tmp_path, name):
    path = tmp_path / name
    path.write_text("\ufeff\n" + SESSION)
    read = read_document(path)
    assert not read.is_program and read.document.data.name == "xor"


@pytest.mark.parametrize("name", ["a.gradstep", "bar.txt"])
def test_a_damaged_session_is_refused_and_never_becomes_a_program(tmp_path, name):
    path = tmp_path / name
    path.write_text(SESSION[:200])
    with pytest.raises(DocumentError, match="damaged at line"):
        read_document(path)


@pytest.mark.parametrize("content", ["", "a = 1", "{}", "[]", "null"])
def test_what_is_no_session_under_another_name_is_refused(tmp_path, content):
    path = tmp_path / "a.md"
    path.write_text(content)
    with pytest.raises(DocumentError, match="not a session of this program"):
        read_document(path)


def test_a_pipe_or_a_device_is_refused_at_once(tmp_path):
    if POSIX:
        os.mkfifo(tmp_path / "pipe")
        for path, kind in ((tmp_path / "pipe", "a pipe"), ("/dev/zero", "a device"), (tmp_path, "a folder")):
            with pytest.raises(FileProblem, match=f"{kind}, not a regular file"):
                read_document(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_private_files_and_folders_are_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "data" / "copies")
        write_atomically(tmp_path / "data" / "copies" / "mine", b"content", private=True)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"data": 0o700, "copies": 0o700, "mine": 0o600}


if POSIX:
    from engine.file_access import remove_abandoned

    def test_a_file_that_is_written_slowly_is_not_cleared_away_by_another_save(tmp_path, monkeypatch):
        def takes_long(_descriptor):
            for part in tmp_path.glob(".a.*.part"):
                os.utime(part, (1e9, 1e9))
            remove_abandoned(tmp_path)

        monkeypatch.setattr(os, "fsync", takes_long)
        write_atomically(tmp_path / "a", b"content")
        assert (tmp_path / "a").read_bytes() == b"content"

    def test_a_folder_that_others_could_look_into_becomes_private(tmp_path):
        tmp_path.chmod(0o755)
        make_private_folder(tmp_path)
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700

    def test_a_temporary_file_is_private_also_where_the_file_will_not_be(tmp_path, monkeypatch):
        seen = []
        monkeypatch.setattr(
            os, "fsync", lambda _: seen.extend(stat.S_IMODE(part.stat().st_mode) for part in tmp_path.glob(".*.part"))
        )
        write_atomically(tmp_path / "new", b"content")
        assert seen == [0o600]


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_signal_in_the_middle_of_a_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, old):
    path = tmp_path / "a.gradstep"
    if old is not None:
        path.write_bytes(old)

    def interrupted(_descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == ({} if old is None else {path.name: old})
