"""Programs with gradients agree with PyTorch where it is installed, and with their exported code everywhere."""

import sys

import pytest

from engine.language import evaluate
from tests.reliability.beside_torch import LIMIT, Findings, has_torch, run_programs, second_opinion
from tests.reliability.torch_programs import program


@pytest.mark.slow
def test_the_exported_code_of_random_graphs_gives_their_numbers():
    findings = Findings()
    second_opinion({seed: evaluate(program(seed)[1]) for seed in (0, 1, 10)}, {"numpy": sys.executable}, findings)
    assert findings.wrong == []
    assert findings.exported["numpy"] >= 2
    assert findings.largest_exported <= LIMIT


@pytest.mark.long
@pytest.mark.skipif(not has_torch(sys.executable), reason="torch is not installed")
def test_random_programs_give_the_numbers_of_pytorch():
    findings = run_programs(100, sys.executable)
    assert findings.wrong == []
    assert findings.compared == 100
