"""Each loss with each optimizer against 50 steps of PyTorch 2.13 on the same problem (`make_pytorch_figures.py`)."""

import json
from pathlib import Path

import pytest

from tests.engine.network.pytorch_runs import RUNS, gradstep_run

FIGURES = json.loads(Path(__file__).with_name("pytorch_figures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("loss, optimizer", RUNS)
def test_fifty_steps_are_those_of_pytorch(loss, optimizer):
    expected, found = FIGURES[f"{loss} {optimizer}"], gradstep_run(loss, optimizer)
    assert found["losses"] == pytest.approx(expected["losses"], abs=1e-9)
    assert found["weights"] == pytest.approx(expected["weights"], abs=1e-9)


def test_the_figures_are_of_the_runs_there_are():
    assert list(FIGURES) == [f"{loss} {optimizer}" for loss, optimizer in RUNS]
