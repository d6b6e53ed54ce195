"""The rules of the architecture and of the tests that no linter knows, each read off the repository's own files."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parent.parent
OF_LEARNERS = {"tests/engine/language/own_engines", "tests/engine/language/programs"}
"""Folders of programs as learners write them, which tests give to the sandbox: nothing imports them."""

# Which of our packages a package may import, besides itself. What is not listed follows its parent.
MAY_IMPORT = {
    "main": {"gui", "engine", "datasets"},
    "gui": {"engine", "datasets"},
    "datasets": {"engine.messages"},
    "engine.messages": set(),
    "engine": {"engine.messages"},
    "engine.commands": {
        "engine",
        "engine.messages",
        "engine.autograd",
        "engine.graph",
        "engine.language",
        "engine.network",
        "engine.document",
    },
    "engine.autograd": {"engine.messages"},
    "engine.layout": {"engine.messages"},
    "engine.graph": {"engine.autograd", "engine.layout", "engine.messages"},
    "engine.network": {"engine.autograd", "datasets", "engine.messages"},
    "engine.language": {"engine.autograd", "engine.network", "engine.messages"},
    "engine.document": {
        "engine.messages",
        "engine.autograd",
        "engine.graph",
        "engine.language",
        "engine.layout",
        "engine.network",
        "datasets",
    },
}
OTHER_PACKAGES_ALLOWED = {
    "main": {"numpy", "networkx", "PySide6"},
    "gui": {"numpy", "networkx", "PySide6", "pyqtgraph", "shiboken6", "PIL"},  # PIL: GIFs, where it is installed
    "datasets": {"numpy"},
    "engine": {"numpy", "networkx", "torch"},  # torch: a second opinion where it is installed
}
OURS = ("main", "gui", "engine", "datasets")
MAY_COMPILE = {"engine/autograd/formula.py"}  # the operation table's own literals
PLAIN_QT_VALUES = {"QColor", "QPoint", "QPointF", "QRectF", "QSize", "QSizeF", "QRegularExpression"}
LONGEST_FUNCTION, LONGEST_FILE, LARGEST_BYTES = 40, 400, 400_000


def repository_files() -> list[Path]:
    """Every file that is or would be committed."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [path for name in listed if (path := ROOT / name).is_file()]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def files() -> list[Path]:
    return repository_files()


@pytest.fixture(scope="module")
def tests(files) -> dict[str, ast.Module]:
    """The tests and what they are made with: path relative to the root -> syntax tree."""
    paths = [path for path in files if path.suffix == ".py" and path.is_relative_to(ROOT / "tests")]
    paths = [path for path in paths if path.parent.relative_to(ROOT).as_posix() not in OF_LEARNERS]
    return {path.relative_to(ROOT).as_posix(): parsed(path) for path in paths}


@pytest.fixture(scope="module")
def program(files) -> dict[str, ast.Module]:
    """The program's own modules: path relative to the root -> syntax tree. Tests and scripts are none."""
    paths = [path.relative_to(ROOT) for path in files if path.suffix == ".py"]
    ours = [path for path in paths if path.parts[0].removesuffix(".py") in OURS]
    return {path.as_posix(): parsed(ROOT / path) for path in ours}


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(path: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything imported anywhere in the file; relative imports made absolute."""
    package = module_name(path).split(".") if path.endswith("__init__.py") else module_name(path).split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *filter(None, [node.module])])
            # `from engine import network` names the package in its second half
            yield from ((node.lineno, f"{name}.{alias.name}") for alias in node.names)


def package_of(name: str) -> str:
    """The longest listed package that the dotted name lies in."""
    parts = name.split(".")
    return next(package for n in (2, 1) if (package := ".".join(parts[:n])) in MAY_IMPORT)


def forbidden_imports(path: str, tree: ast.Module) -> list[str]:
    """What this file imports against the direction, or of other packages without being allowed to."""
    here = package_of(module_name(path))
    wrong = []
    for line, name in imports(path, tree):
        top = name.split(".")[0]
        if top in OURS:
            there = package_of(name)
            allowed = there in MAY_IMPORT[here] | {here} or there.split(".")[0] in MAY_IMPORT[here]
        else:
            allowed = top in sys.stdlib_module_names or top in OTHER_PACKAGES_ALLOWED[here.split(".")[0]]
        if not allowed:
            wrong.append(f"{path}:{line} imports {name}")
    return wrong


def imported_files(program: dict[str, ast.Module]) -> nx.DiGraph:
    """Which of our files imports which, anywhere in it: in functions and under TYPE_CHECKING, too."""
    path_of = {module_name(path): path for path in program}
    graph = nx.DiGraph()
    for path, tree in program.items():
        for _, name in imports(path, tree):
            found = path_of.get(name) or path_of.get(name.rpartition(".")[0])
            if found and found != path:  # a package's own file may name its modules
                graph.add_edge(path, found)
    return graph


def import_cycles(program: dict[str, ast.Module]) -> list[list[str]]:
    """The sets of files each of which imports all the others, directly or by way of one another."""
    groups = nx.strongly_connected_components(imported_files(program))
    return sorted(sorted(group) for group in groups if len(group) > 1)


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def executed_at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a module that run when it is imported: not the insides of functions, but those of classes."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(getattr(node, "decorator_list", []))
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def qt_objects_at_import(path: str, tree: ast.Module) -> list[str]:
    found = []
    for node in executed_at_import(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if re.match(r"Q[A-Z]", name) and name not in PLAIN_QT_VALUES:
                found.append(f"{path}:{node.lineno} makes a {name}")
    return found


def length_without_docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    docstring = ast.get_docstring(function, clean=False) or ""
    return function.end_lineno - function.lineno + 1 - docstring.count("\n")


def test_imports_go_one_way(program):
    assert [wrong for path, tree in program.items() for wrong in forbidden_imports(path, tree)] == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/autograd/value.py", "from engine.graph import layout"),
        ("engine/autograd/expand.py", "from engine.language.source import tokenize"),
        ("engine/layout/blocks.py", "from engine.autograd import Value"),
        ("engine/graph/build.py", "from ..network import mlp"),
        ("engine/graph/build.py", "from engine import document"),
        ("engine/network/trainer.py", "def f():\n    import PySide6.QtCore"),
        ("engine/document/code.py", "import gui.session"),
        ("datasets/table.py", "import pandas"),
        ("gui/session.py", "import main"),
    ],
)
def test_an_import_the_wrong_way_is_found(path, line):
    assert len(forbidden_imports(path, ast.parse(line))) == 1


def test_an_import_the_right_way_is_let_through():
    tree = ast.parse("import json\nimport numpy as np\nfrom . import layout\nfrom engine.autograd.value import Value")
    assert forbidden_imports("engine/graph/build.py", tree) == []


def test_no_two_files_import_each_other(program):
    assert import_cycles(program) == []


@pytest.mark.parametrize(
    "second",
    [
        "from gui.session import Session",
        "import gui.session.session",
        "from ..session import session",
        "def late():\n    from gui.session.session import Session",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gui.session import Session",
    ],
)
def test_files_that_import_each_other_are_found(second):
    files = {
        "gui/session/__init__.py": "from gui.session.session import Session",
        "gui/session/session.py": "from gui.graph.state import GraphState",
        "gui/graph/state.py": second,
    }
    (cycle,) = import_cycles({path: ast.parse(text) for path, text in files.items()})
    assert {"gui/graph/state.py", "gui/session/session.py"} <= set(cycle)


def test_the_language_is_loaded_by_autograd_only_when_asked_for():
    code = (
        "import sys, engine.autograd as a; assert 'engine.language' not in sys.modules; "
        "from engine.autograd import evaluate, ExpressionError; import engine.language as b; "
        "assert evaluate is b.evaluate and ExpressionError is b.ProgramError is b.ExpressionError; "
        "assert not hasattr(a, 'evaluat')"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_no_qt_object_is_made_when_a_module_is_imported(program):
    assert [found for path, tree in program.items() for found in qt_objects_at_import(path, tree)] == []


def test_a_qt_object_made_at_import_is_found():
    tree = ast.parse("class Panel:\n    font = QtGui.QFont('mono')\n    ink = QColor('red')\ndef f():\n    QTimer()")
    assert qt_objects_at_import("gui/panel.py", tree) == ["gui/panel.py:2 makes a QFont"]


def test_only_the_operation_table_is_compiled(program):
    names = {"eval", "exec", "compile", "__import__"}
    found = {
        f"{path}:{call.lineno}"
        for path, tree in program.items()
        for call in calls(tree)
        if isinstance(call.func, ast.Name) and call.func.id in names and path not in MAY_COMPILE
    }
    assert found == set()


def test_nothing_is_pickled(program):
    names = {"pickle", "shelve", "marshal", "dill", "cloudpickle", "joblib"}
    imported = {
        f"{path}:{line}"
        for path, tree in program.items()
        for line, name in imports(path, tree)
        if name.split(".")[0] in names
    }
    allowed = {
        f"{path}:{call.lineno}"
        for path, tree in program.items()
        for call in calls(tree)
        if any(keyword.arg == "allow_pickle" for keyword in call.keywords)
    }
    assert imported | allowed == set()


def test_functions_and_files_stay_short(files):
    too_long = []
    for path in files:
        if path.suffix != ".py" or path.is_relative_to(ROOT / "tests"):
            continue
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE:
            too_long.append(f"{path.relative_to(ROOT)} has {lines} lines")
        for node in ast.walk(parsed(path)):
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_function and (lines := length_without_docstring(node)) > LONGEST_FUNCTION:
                too_long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {lines} lines")
    assert too_long == []


def test_no_file_tells_of_the_machine_it_was_written_on(files):
    telling = re.compile(r"(?<![\w.])/(work|farm|root)/|python" r"hosted|npm" r"js\.|py" r"pi\.org")
    found = []
    for path in files:
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in telling.finditer(text)]
    assert found == []


DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "DESIGN.md")
PATH_IN_TEXT = re.compile(r"`((?:\.ci|engine|gui|datasets|tests|scripts|resources)/[\w./-]*|[\w-]+\.(?:py|md))`")


def paths_named(text: str) -> list[str]:
    """What a document calls a file or folder of the repository."""
    return [name.rstrip("/") for name in PATH_IN_TEXT.findall(text)]


def test_every_path_that_a_document_names_exists(files):
    missing = []
    for document in (path for path in files if path.name in DOCUMENTS):
        for name in paths_named(document.read_text(encoding="utf-8")):
            if not any((folder / name).exists() for folder in (ROOT, document.parent)):
                missing.append(f"{document.relative_to(ROOT)}: {name}")
    assert missing == []


def test_paths_in_a_text_are_found():
    text = "See `gui/canvas/DESIGN.md`, `main.py`, `engine/layout/` and `session.edit`, `a/b` or `python main.py`."
    assert paths_named(text) == ["gui/canvas/DESIGN.md", "main.py", "engine/layout"]


def test_no_lock_file_and_no_large_file(files):
    assert [path.name for path in files if path.suffix == ".lock" or path.stat().st_size > LARGEST_BYTES] == []


UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
LEFT_OUT = {"skipif", "skipIf", "skipUnless", "skipTest", "SkipTest", "importorskip", "xfail", "expectedFailure"}
"""Every way in which pytest and unittest leave a test out or expect it to fail; and `skip` of one of these."""
TEST_TOOLS = {"pytest", "mark", "unittest"}


def unfinished_or_skipped(path: str, text: str) -> list[str]:
    found = [f"{path}: {match[0]}" for match in UNFINISHED.finditer(text)]
    if path.endswith(".py") and any(word in text for word in (*LEFT_OUT, "skip")):
        found += [f"{path}:{line} {name}" for line, name in left_out(ast.parse(text))]
    return found


def left_out(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, name) of what leaves tests out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "attr", getattr(node.value, "id", ""))
            if node.attr in LEFT_OUT or (node.attr == "skip" and owner in TEST_TOOLS):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and node.module in TEST_TOOLS:
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in LEFT_OUT | {"skip"})


def test_nothing_is_left_unfinished_or_skipped(files):
    read = [path for path in files if path.suffix in {".py", ".md"} and path.name != Path(__file__).name]
    assert [found for path in read for found in unfinished_or_skipped(path.name, path.read_text("utf-8"))] == []


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
        "# FIXME later",
    ],
)
def test_a_test_that_is_left_out_is_found(line):
    assert len(unfinished_or_skipped("test_x.py", line)) == 1


def test_sentences_about_skipping_are_let_through():
    text = "# skip blanks\nskipped = to_skip(1)  # fmt: skip\nskip(blanks)\nreader.skip(3)"
    assert unfinished_or_skipped("x.py", text) == []


def test_tests_wait_for_a_condition_not_for_a_time(tests):
    waiting = re.compile(r"qtbot\.wait\(|time\.sleep\(")
    others = [ROOT / path for path in tests if (ROOT / path).name != Path(__file__).name]
    assert [path.name for path in others if waiting.search(path.read_text(encoding="utf-8"))] == []


REFLECTION = {"getattr", "setattr", "hasattr", "delattr"}
PUBLIC_IN_SPITE_OF_IT = {"_replace", "_asdict", "_fields", "_make", "_exit"}
"""Named tuples call them so, and `os._exit`."""


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
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names = [] if getattr(node.value, "id", "") in ("self", "cls") else [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in REFLECTION:
            names = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        else:
            continue
        yield from ((node.lineno, name) for name in names if is_private(name))


def test_tests_use_public_names(tests):
    assert [f"{path}:{line} {name}" for path, tree in tests.items() for line, name in private_names(tree)] == []


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


def test_most_tests_of_every_package_are_quick(tests):
    """`make test-fast` leaves out what is marked slow, and still looks at everything."""
    slow, every = Counter[str](), Counter[str]()
    for path, tree in tests.items():
        package = path.rpartition("/")[0]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                every[package] += 1
                slow[package] += any("mark.slow" in ast.unparse(each) for each in node.decorator_list)
    assert [package for package, count in every.items() if slow[package] > count / 2] == []


def test_void_qt_calls_keep_the_reference_count_of_none(qapp):
    from PySide6.QtCore import QObject

    thing, before = QObject(), sys.getrefcount(None)
    for _ in range(2_000):
        thing.setObjectName("x")
    assert sys.getrefcount(None) > before - 1_000
