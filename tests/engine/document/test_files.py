"""Files: nothing is lost when writing fails, and reading looks before it reads."""

import os
import sys

import pytest

from engine.document.files import FileProblem, read_text, write_atomically


def test_writing_replaces_the_whole_file(tmp_path):
    path = tmp_path / "a.gradstep"
    write_atomically(path, b"a long first content")
    write_atomically(path, b"short")
    assert path.read_bytes() == b"short"
    assert list(tmp_path.iterdir()) == [path]


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


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_is_kept_and_its_target_written(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


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
    monkeypatch.setattr("engine.document.files.LARGEST_TEXT", 3)
    with pytest.raises(FileProblem, match="too large"):
        read_text(binary)
