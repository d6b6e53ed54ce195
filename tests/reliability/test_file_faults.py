"""A fault at any moment of a save leaves the old file or the new one."""

import json
import subprocess
import sys

import pytest

from tests.sources import ROOT


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed in a copy of the process, by fork")
def test_a_fault_at_any_call_leaves_the_old_file_or_the_new_one():
    command = [sys.executable, "-m", "tests.reliability.file_faults"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    outcome = json.loads(done.stdout)
    assert outcome["found"] == []
    assert outcome["tried"] > 150
