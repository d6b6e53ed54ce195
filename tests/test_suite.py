"""The rules for the tests themselves: nothing left out, no waiting for times, public names only, most of them quick."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import ROOT, nodes, parsed, python_files, repository_files, trees_of_tests

UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
LEFT_OUT = {"skipif", "skipIf", "skipUnless", "skipTest", "SkipTest", "importorskip", "xfail", "expectedFailure"}
"""Every way in which pytest and unittest leave a test out or expect it to fail; and `skip` of one of these."""
TEST_TOOLS = {"pytest", "mark", "unittest"}


def left_out(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of what leaves tests out."""
    for node in nodes(tree):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "attr", getattr(node.value, "id", ""))
            if node.attr in LEFT_OUT or (node.attr == "skip" and owner in TEST_TOOLS):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and node.module in TEST_TOOLS:
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in LEFT_OUT | {"skip"})


@pytest.mark.slow
def test_nothing_is_left_unfinished():
    read = [path for path in repository_files() if path.suffix in {".py", ".md"} and path != Path(__file__)]
    assert [path.name for path in read if UNFINISHED.search(path.read_text("utf-8"))] == []


@pytest.mark.slow
def test_no_test_is_left_out():
    words = re.compile("|".join({*LEFT_OUT, "skip"}))
    suspects = [path for path in python_files() if words.search(path.read_text(encoding="utf-8"))]
    assert [f"{path.name}:{line} {name}" for path in suspects for line, name in left_out(parsed(path))] == []


@pytest.mark.parametrize(
    "line",
    [
        "@pytest.mark.skipif(sys.platform == 'win32', reason='')\ndef test_x(): ...",
        "@pytest.mark.skip\ndef test_x(): ...",
        "pytestmark = pytest.mark.skip(reason='slow')",
        "strict = mark.xfail(strict=True)",
        "pytestmark = pytest.mark.xfail",
        "from pytest import skip",
        "pytest.param(1, marks=pytest.mark.skipif(True, reason=''))",
        "pytest.skip('later')",
        "pytest.xfail('later')",
        "torch = pytest.importorskip('torch')",
        "@unittest.skipIf(True, '')\ndef test_x(): ...",
        "@unittest.expectedFailure\ndef test_x(): ...",
        "self.skipTest('later')",
        "raise unittest.SkipTest('later')",
    ],
)
def test_a_test_that_is_left_out_is_found(line):
    assert len(list(left_out(ast.parse(line)))) == 1


def test_sentences_about_skipping_are_let_through():
    text = "# skip blanks\nskipped = to_skip(1)  # fmt: skip\nskip(blanks)\nreader.skip(3)"
    assert list(left_out(ast.parse(text))) == []


@pytest.mark.parametrize("text", ["# FIXME later", "TODO", "(XXX)"])
def test_what_is_unfinished_is_found(text):
    assert UNFINISHED.search(text)


def test_tests_wait_for_a_condition_not_for_a_time():
    waiting = re.compile(r"qtbot\.wait\(|time\.sleep\(")
    others = [path for path in python_files() if path.is_relative_to(ROOT / "tests") and path != Path(__file__)]
    assert [path.name for path in others if waiting.search(path.read_text(encoding="utf-8"))] == []


REFLECTION = {"getattr", "setattr", "hasattr", "delattr"}
PUBLIC_IN_SPITE_OF_IT = {"_replace", "_asdict", "_fields", "_make", "_exit", "_prev", "_op", "_backward"}
"""Named tuples call them so, and `os._exit`; micrograd calls parts of a Value so."""


def is_private(name: str) -> bool:
    name = name.rpartition(".")[2]  # monkeypatch takes dotted names, too
    return (
        name.startswith("_")
        and name.strip("_") != ""
        and not name.startswith("__")
        and name not in PUBLIC_IN_SPITE_OF_IT
    )


def private_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of everything private that belongs to another object or file."""
    for node in nodes(tree):
        if isinstance(node, ast.Attribute):
            names = [] if getattr(node.value, "id", "") in ("self", "cls") else [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in REFLECTION:
            names = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        else:
            continue
        yield from ((node.lineno, name) for name in names if is_private(name))


@pytest.mark.slow
def test_tests_use_public_names():
    trees = trees_of_tests().items()
    assert [f"{path}:{line} {name}" for path, tree in trees for line, name in private_names(tree)] == []


@pytest.mark.parametrize(
    "line",
    [
        "panel._button.click()",
        "from gui.panel import _words",
        "monkeypatch.setattr(layout, '_LIMIT', 1)",
        "monkeypatch.setattr('gui.panel._words', None)",
        "getattr(panel, '_table').rowCount()",
        "window.panel._timer.stop()",
    ],
)
def test_a_private_name_in_a_test_is_found(line):
    assert len(list(private_names(ast.parse(line)))) == 1


def test_what_only_looks_private_is_let_through():
    text = "self._seen = 1\n_, b = pair\nmoment._replace(step=2)\nx.__class__\nsetattr(x, 'y', '__main__')"
    assert list(private_names(ast.parse(text))) == []


MARKS = {"pytest.mark.slow", "pytest.mark.long"}
SMOKE = "pytest.mark.smoke"


@pytest.mark.slow
def test_most_tests_of_every_package_are_quick():
    """`make test-fast` leaves out what is marked slow or long, and still looks at everything.

    The folders of panels count as one package: some of them hold twenty tests.
    """
    slow, every = Counter[str](), Counter[str]()
    for path, tree in trees_of_tests().items():
        package = "/".join(path.split("/")[:-1][:3])
        is_slow = any(isinstance(node, ast.Assign) and ast.unparse(node.value) in MARKS for node in tree.body)
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                every[package] += 1
                slow[package] += is_slow or any(ast.unparse(each) in MARKS for each in node.decorator_list)
    assert [package for package, count in every.items() if slow[package] > count / 2] == []


@pytest.mark.slow
def test_what_opens_the_window_is_looked_at_by_the_quick_tests_too():
    """All that opens it is slow (tests/gui/conftest.py); of each package that does so some tests are quick ones."""
    opens, smoke = Counter[str](), Counter[str]()
    for path, tree in trees_of_tests().items():
        package = path.rpartition("/")[0]
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                opens[package] += not {"window", "make_window"}.isdisjoint(each.arg for each in node.args.args)
                smoke[package] += any(ast.unparse(each) == SMOKE for each in node.decorator_list)
    assert [package for package, count in opens.items() if count >= 8 and not smoke[package]] == []
    assert sum(smoke.values()) >= 6
