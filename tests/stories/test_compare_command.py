"""`compare` prints what differs between two programs, and says with its exit code whether anything does."""

import json
from pathlib import Path

import pytest

from main import main

BEFORE = "a = 2.0\nb = -3.0\nc = a*b\n"
ENGINES = Path(__file__).parents[2] / "resources" / "examples" / "3_one_mistake_each"

pytestmark = pytest.mark.slow


@pytest.fixture
def files(tmp_path):
    paths = {name: tmp_path / f"{name}.py" for name in ("before", "after", "wrong")}
    for name, text in {"before": BEFORE, "after": BEFORE.replace("a*b", "a + b"), "wrong": "a = 1\nb = c\n"}.items():
        paths[name].write_text(text, encoding="utf-8")
    return {name: str(path) for name, path in paths.items()}


def test_two_programs_are_listed_with_both_numbers_and_the_exit_code_says_that_they_differ(files, capsys):
    assert main(["compare", files["before"], files["after"]]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:3] == ["name", "data", "A"]
    assert lines[1][:5] == ["a", "2", "2", "-3", "1"] and lines[3][:5] == ["c", "-6", "-1", "1", "1"]


def test_equal_programs_end_with_0_and_all_nodes_are_listed_when_asked_for(files, capsys):
    assert main(["compare", files["before"], files["before"], "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_an_own_engine_is_compared_with_the_right_gradients(capsys):
    assert main(["compare", str(ENGINES / "01_the_product_rule.py"), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["counts"] == {"grad": 2} and not said["ok"]
    assert [(node["name"], node["grad_a"], node["grad_b"]) for node in said["nodes"]] == [("p", 2, 5), ("q", 5, 2)]


def test_a_node_of_one_program_has_no_numbers_in_the_other(files, capsys, tmp_path):
    longer = tmp_path / "longer.py"
    longer.write_text(BEFORE + "d = tanh(c)\n", encoding="utf-8")
    assert main(["compare", files["before"], str(longer), "--json"]) == 1
    (new,) = [node for node in json.loads(capsys.readouterr().out)["nodes"] if node["differs"] == ["only B"]]
    assert new["name"] == "d" and new["data_a"] is None and "data_a" in new["reasons"]


def test_many_nodes_are_one_json_object(capsys, tmp_path):
    long = tmp_path / "long.py"
    long.write_text("a = 2.0\n" + "".join(f"b{n} = a * {n}; c{n} = b{n} + 1\n" for n in range(200)), encoding="utf-8")
    assert main(["compare", str(long), str(long), "--all", "--json"]) == 0
    said = capsys.readouterr().out
    nodes = {node["name"]: node for node in json.loads(said)["nodes"]}
    assert nodes["c199"]["data_a"] == 399 and nodes.keys() >= {f"{name}{n}" for name in "bc" for n in range(200)}
    assert said.endswith("}\n")


def test_an_error_names_the_file_and_the_line(files, capsys):
    assert main(["compare", files["before"], files["wrong"]]) == 1
    assert "wrong.py: line 2" in capsys.readouterr().err
    assert main(["compare", files["before"], files["wrong"], "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["message"].startswith(files["wrong"]) and error["line"] == 2
    assert main(["compare", files["before"], "missing.py"]) == 2
