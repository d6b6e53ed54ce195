"""Windows and commands that are asked to end do so in order, whatever runs."""

import json
import subprocess
import sys

import pytest

from tests.sources import ROOT


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="processes that are left are looked for in /proc")
@pytest.mark.parametrize(("situation", "logouts"), [("saving", {"logout": 1}), ("command code", {})])
def test_a_window_that_saves_and_a_short_command_are_ended_in_order_by_every_signal(situation, logouts):
    command = [sys.executable, "-m", "tests.reliability.endings", "--times", "1", "--only", situation]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    outcome = json.loads(done.stdout)
    assert outcome["found"] == [] and done.returncode == 0, done.stderr
    assert outcome["figures"][situation]["signalled"] == {"SIGTERM": 1, "SIGINT": 1, "SIGHUP": 1, **logouts}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize(("given", "near"), [("code", "'command code'"), ("windws", "'windows'"), ("idle,", "known")])
def test_a_name_that_nothing_has_is_refused(given, near, capsys, monkeypatch):
    from tests.reliability.endings import main

    monkeypatch.setattr(sys, "argv", ["endings", "--only", given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert near in capsys.readouterr().err
