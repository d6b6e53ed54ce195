"""The rules for the repository's files that no linter knows: what is compiled, how long they are, what they name."""

import ast
import re

import pytest

from tests.sources import ROOT, calls, imports, nodes, parsed, python_files, repository_files, trees_of_program

MAY_COMPILE = {"engine/autograd/formula.py", "engine/language/guest/program.py", "engine/language/indentation.py"}
"""The operation table's own literals; what runs programs inside the sandbox; what asks whether a text compiles."""
LONGEST_FUNCTION, LONGEST_FILE, LARGEST_BYTES = 60, 700, 400_000
DATA_OF_TESTS = {"tests/engine/language/own_engine/own_engine_cases.py", "tests/engine/network/notice_cases.py"}
"""Programs, or networks, one after the other."""


def length_without_docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    docstring = ast.get_docstring(function, clean=False) or ""
    return function.end_lineno - function.lineno + 1 - docstring.count("\n")


@pytest.mark.slow
def test_only_the_operation_table_is_compiled():
    names = {"eval", "exec", "compile", "__import__"}
    found = {
        f"{path}:{call.lineno}"
        for path, tree in trees_of_program().items()
        for call in calls(tree)
        if isinstance(call.func, ast.Name) and call.func.id in names and path not in MAY_COMPILE
    }
    assert found == set()


@pytest.mark.slow
def test_nothing_is_pickled():
    names = {"pickle", "shelve", "marshal", "dill", "cloudpickle", "joblib"}
    imported = {
        f"{path}:{line}"
        for path, tree in trees_of_program().items()
        for line, name in imports(path, tree)
        if name.split(".")[0] in names
    }
    allowed = {
        f"{path}:{call.lineno}"
        for path, tree in trees_of_program().items()
        for call in calls(tree)
        if any(keyword.arg == "allow_pickle" for keyword in call.keywords)
    }
    assert imported | allowed == set()


@pytest.mark.long
def test_functions_and_files_stay_short():
    too_long = []
    for path in python_files():
        if path.relative_to(ROOT).as_posix() in DATA_OF_TESTS:
            continue
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE:
            too_long.append(f"{path.relative_to(ROOT)} has {lines} lines")
        for node in nodes(parsed(path)):
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_function and (lines := length_without_docstring(node)) > LONGEST_FUNCTION:
                too_long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {lines} lines")
    assert too_long == []


@pytest.mark.slow
def test_no_file_tells_of_the_machine_it_was_written_on():
    telling = re.compile(r"(?<![\w.])/(work|farm|root)/|python" r"hosted|npm" r"js\.|py" r"pi\.org")
    found = []
    for path in repository_files():
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in telling.finditer(text)]
    assert found == []


DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "DESIGN.md")
PATH_IN_TEXT = re.compile(r"`((?:\.ci|engine|gui|datasets|tests|scripts|resources)/[\w./-]*|[\w-]+\.(?:py|md))`")


def paths_named(text: str) -> list[str]:
    """What a document calls a file or folder of the repository."""
    return [name.rstrip("/") for name in PATH_IN_TEXT.findall(text)]


def test_every_path_that_a_document_names_exists():
    missing = []
    for document in (path for path in repository_files() if path.name in DOCUMENTS):
        for name in paths_named(document.read_text(encoding="utf-8")):
            if not any((folder / name).exists() for folder in (ROOT, document.parent)):
                missing.append(f"{document.relative_to(ROOT)}: {name}")
    assert missing == []


def test_paths_in_a_text_are_found():
    text = "See `gui/canvas/DESIGN.md`, `main.py`, `engine/layout/` and `session.edit`, `a/b` or `python main.py`."
    assert paths_named(text) == ["gui/canvas/DESIGN.md", "main.py", "engine/layout"]


def test_every_class_of_the_glossary_stands_in_its_file():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Glossary")[2]
    rows = [line.split("|")[3] for line in text.splitlines() if line.startswith("| ") and ".py`" in line]
    assert len(rows) > 20
    missing = []
    for row in rows:
        sources = [(ROOT / path).read_text(encoding="utf-8") for path in re.findall(r"`([\w/]+\.py)`", row)]
        for name in re.findall(r"`([A-Z]\w+)`", row):
            if not any(re.search(rf"^class {name}\b", source, re.MULTILINE) for source in sources):
                missing.append(name)
    assert missing == []


def test_no_lock_file_no_large_file_and_nothing_but_text_and_pictures_of_the_readme():
    wrong = [path for path in repository_files() if path.suffix == ".lock" or path.stat().st_size > LARGEST_BYTES]
    wrong += [path for path in repository_files() if path.suffix != ".png" and b"\0" in path.read_bytes()]
    assert wrong == []
