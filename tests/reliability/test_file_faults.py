"""A fault at any moment of writing leaves the old file or the new one, whatever writes it."""

import errno
import os
import sys

import pytest

from tests.reliability.file_faults import try_writer
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
