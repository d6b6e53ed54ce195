"""Each case of the limits says what is not as it has to be, and what cost too much."""

import json
import subprocess

import pytest

from gui.session import Session
from gui.session.files import SessionFiles
from tests.reliability import limits
from tests.reliability.limits import Trial, faults_of

GOOD = {
    "hold": 0.0,
    "wait": 0.0,
    "long wait": 0.0,
    "memory": 1.0,
    "seconds": 1.0,
    "said": [],
    "missing": [],
    "lines": [],
}


@pytest.fixture
def trial(qapp, tmp_path):
    trial = Trial(tmp_path)
    yield trial
    trial.heartbeat.stop()
    trial.session.discard_changes()
    trial.window.close()
    trial.session.close()
    trial.window.deleteLater()


@pytest.mark.slow
def test_an_edit_that_is_dropped_is_missed(trial, monkeypatch):
    limits.nested_program(trial)
    assert trial.missing == []
    monkeypatch.setattr(Session, "edit", lambda *_args, **_named: True)
    limits.longest_program(trial)
    limits.program_beyond(trial)
    assert len(trial.missing) > 4


@pytest.mark.slow
def test_a_file_that_is_not_opened_and_a_refusal_that_is_not_said_are_missed(trial, monkeypatch):
    limits.nested_session(trial)
    assert trial.missing == []
    monkeypatch.setattr(SessionFiles, "open_path", lambda *_args, **_named: None)
    trial.said.clear()
    limits.nested_session(trial)
    assert len(trial.missing) == 1


@pytest.mark.parametrize("changes", [{"missing": ["it"]}, {"hold": 0.2}, {"wait": 0.2}, {"memory": 300.0}])
def test_a_case_that_is_not_as_it_has_to_be_makes_the_exit_code_1(changes, monkeypatch, capsys):
    assert faults_of(GOOD) == []
    for figures, code in ((GOOD, 0), (GOOD | changes, 1)):
        answer = subprocess.CompletedProcess([], 0, json.dumps(figures) + "\n", "")
        monkeypatch.setattr(limits.subprocess, "run", lambda *_args, answer=answer, **_named: answer)
        monkeypatch.setattr(limits.sys, "argv", ["limits", "largest_session"])
        assert limits.main() == code
    assert "FAULT" in capsys.readouterr().out


def test_a_case_that_ends_by_itself_is_a_fault(monkeypatch, capsys):
    answer = subprocess.CompletedProcess([], -11, "", "Fatal")
    monkeypatch.setattr(limits.subprocess, "run", lambda *_args, **_named: answer)
    monkeypatch.setattr(limits.sys, "argv", ["limits", "largest_session"])
    assert limits.main() == 1
    assert "-11" in capsys.readouterr().out
