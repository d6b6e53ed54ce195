import re

import pytest

from tests.reliability import coverage_ratchet as ratchet
from tests.sources import ROOT, repository_files

ALLOWED = {"engine/graph": (3, 2), "gui/gone": (1, 1)}


def found(lines, branches):
    summary = {"num_statements": 40, "num_branches": 20, "excluded_lines": 1}
    summary |= {"missing_lines": lines, "missing_branches": branches}
    return ratchet.by_package({"engine/graph/formats/tree.py": {"summary": summary}})


@pytest.mark.parametrize(("lines", "branches", "worse"), [(3, 2, False), (0, 0, False), (4, 2, True), (3, 3, True)])
def test_a_package_may_not_have_more_left_than_its_row_allows(lines, branches, worse):
    assert ratchet.risen(found(lines, branches), ALLOWED) == (["engine/graph"] if worse else [])


def test_a_package_without_a_row_may_have_nothing_left():
    assert ratchet.risen(found(0, 1), {}) == ["engine/graph"]
    assert ratchet.risen(found(0, 0), {}) == []


def test_the_table_is_only_lowered():
    assert ratchet.lowered(found(1, 9), ALLOWED) == {"engine/graph": (1, 2)}
    assert ratchet.lowered(found(0, 0), ALLOWED) == {}


def test_the_table_is_as_it_is_written():
    text = ratchet.TABLE.read_text(encoding="utf-8")
    assert ratchet.written(ratchet.read_allowed(text)) == text


@pytest.mark.slow
def test_every_line_that_is_not_measured_says_why():
    silent = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in repository_files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in ("engine", "datasets", "gui")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "pragma: no" in line and not re.search(r"# pragma: no (cover|branch) - \w+ \w+", line)
    ]
    assert silent == []
