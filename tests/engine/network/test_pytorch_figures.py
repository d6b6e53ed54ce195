"""Each loss with each optimizer against 50 steps of PyTorch on the same problem (`make_pytorch_figures.py`).

Its stored figures (2.13) are always compared; where PyTorch is installed it is run as well.
"""

import importlib.util
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


if importlib.util.find_spec("torch") is not None:

    @pytest.mark.parametrize("loss, optimizer", RUNS)
    def test_fifty_steps_are_those_of_the_installed_pytorch(loss, optimizer):
        from tests.engine.network.make_pytorch_figures import torch_run

        expected, found = torch_run(loss, optimizer), gradstep_run(loss, optimizer)
        assert found["losses"] == pytest.approx(expected["losses"], abs=1e-9)
        assert found["weights"] == pytest.approx(expected["weights"], abs=1e-9)
