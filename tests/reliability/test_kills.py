"""Sessions that are killed lose neither files nor more than the last seconds of work, and the next one starts."""

import json
import os
import subprocess
import sys

import pytest

from tests.sources import ROOT


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the sessions are copies of one process that has loaded everything")
def test_sessions_that_are_killed_lose_little_and_the_next_one_offers_it():
    command = [sys.executable, "-m", "tests.reliability.kills", "--times", "6", "--seed", "5", "--longest", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    outcome = json.loads(done.stdout)
    assert outcome["found"] == [] and done.returncode == 0, done.stderr
    assert outcome["kills"] == 6 and outcome["reported states"] > 10
