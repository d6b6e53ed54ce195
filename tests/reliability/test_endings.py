"""Windows and commands that are asked to end do so in order, whatever runs."""

import json
import subprocess
import sys

import pytest

from tests.sources import ROOT


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="processes that are left are looked for in /proc")
def test_a_window_that_saves_ends_in_order():
    command = [sys.executable, "-m", "tests.reliability.endings", "--times", "1", "--only", "saving"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    outcome = json.loads(done.stdout)
    assert outcome["found"] == [] and done.returncode == 0, done.stderr
    assert outcome["ended"] == 4
