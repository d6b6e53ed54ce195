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
    assert outcome["figures"]["saving"]["signalled"] == {"SIGTERM": 1, "SIGINT": 1, "SIGHUP": 1, "logout": 1}


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="processes that are left are looked for in /proc")
def test_short_commands_are_ended_by_every_signal():
    command = [sys.executable, "-m", "tests.reliability.endings", "--times", "1", "--only", "command code"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    outcome = json.loads(done.stdout)
    assert outcome["found"] == [] and done.returncode == 0, done.stderr
    assert outcome["figures"]["command code"]["signalled"] == {"SIGTERM": 1, "SIGINT": 1, "SIGHUP": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize(("given", "near"), [("code", "'command code'"), ("windws", "'windows'"), ("idle,", "known")])
def test_a_name_that_nothing_has_is_refused(given, near, capsys, monkeypatch):
    from tests.reliability.endings import main

    monkeypatch.setattr(sys, "argv", ["endings", "--only", given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert near in capsys.readouterr().err
