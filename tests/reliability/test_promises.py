"""RELIABILITY.md names tests and commands that are there, and each measurement is named in it."""

import re

import pytest

from tests.sources import ROOT

TEXT = (ROOT / "RELIABILITY.md").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("name", sorted(set(re.findall(r"tests/[\w/]+\.py", TEXT))))
def test_a_test_that_is_named_is_there(name):
    assert (ROOT / name).is_file()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`python -m (tests[\w.]+)", TEXT))))
def test_a_command_that_is_named_is_there(name):
    path = ROOT / name.replace(".", "/")
    assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


def test_targets_of_make_that_are_named_are_there():
    assert set(re.findall(r"make (test|coverage|test-[a-z]+)\b", TEXT)) <= TARGETS


def test_every_measurement_is_named():
    measurements = [
        path.stem for path in (ROOT / "tests/reliability").glob("*.py") if "\ndef main()" in path.read_text()
    ]
    assert [
        name for name in measurements if f"tests.reliability.{name}" not in TEXT and name != "coverage_ratchet"
    ] == []
