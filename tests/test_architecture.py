"""The rules of the architecture: which package may import which, and what no module does when it is imported."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator

import networkx as nx
import pytest

from tests.sources import OURS, ROOT, imports, module_name, trees_of_program

# Which of our packages a package may import, besides itself. What is not listed follows its parent.
LOWEST = {"engine.messages", "engine.file_access"}
MAY_IMPORT = {
    "main": {"gui", "engine", "datasets"},
    "gui": {"engine", "datasets"},  # the window and what lies flat beside it: see GUI_LAYERS
    "datasets": LOWEST,
    "engine.messages": set(),
    "engine.file_access": set(),
    "engine": LOWEST,
    "engine.autograd": LOWEST,
    "engine.teaching": {*LOWEST, "engine.autograd"},
    "engine.layout": LOWEST,
    "engine.graph": {*LOWEST, "engine.autograd", "engine.teaching", "engine.layout"},
    "engine.network": {*LOWEST, "engine.autograd", "datasets"},
    "engine.network.run": {*LOWEST, "engine.autograd", "engine.network", "datasets"},
    "engine.language": {*LOWEST, "engine.autograd", "engine.teaching", "engine.network"},
    "engine.document": {
        *LOWEST,
        "engine.graph",
        "engine.language",
        "engine.layout",
        "engine.network",
        "datasets",
    },
    "engine.experiment": {
        *LOWEST,
        "engine.autograd",
        "engine.teaching",
        "engine.language",
        "engine.network",
        "engine.network.run",
        "engine.document",
        "datasets",
    },
    "engine.session_file": {
        *LOWEST,
        "engine.autograd",
        "engine.graph",
        "engine.network",
        "engine.network.run",
        "engine.document",
        "engine.experiment",
    },
    "engine.views": {
        *LOWEST,
        "engine.autograd",
        "engine.teaching",
        "engine.graph",
        "engine.language",
        "engine.network",
        "engine.network.run",
        "engine.document",
        "engine.experiment",
    },
    "engine.code": {
        *LOWEST,
        "engine.autograd",
        "engine.network",
        "engine.document",
        "engine.experiment",
        "engine.session_file",
        "engine.views",
        "engine.page",
    },
    "engine.page": {
        *LOWEST,
        "engine.autograd",
        "engine.teaching",
        "engine.graph",
        "engine.network",
        "engine.network.run",
        "engine.document",
        "engine.experiment",
        "engine.views",
    },
    "engine.lessons": {
        *LOWEST,
        "engine.autograd",
        "engine.teaching",
        "engine.language",
        "engine.network",
        "engine.document",
        "engine.experiment",
        "engine.session_file",
        "engine.sweeps",
        "engine.views",
        "datasets",
    },
    "engine.sweeps": {
        *LOWEST,
        "engine",
        "engine.network",
        "engine.document",
        "engine.experiment",
        "engine.session_file",
    },
    "engine.examples": {
        *LOWEST,
        "engine.autograd",
        "engine.teaching",
        "engine.language",
        "engine.network",
        "engine.document",
        "engine.experiment",
        "datasets",
    },
    "engine.commands": {"engine"},
}
GUI_LAYERS = {
    "gui.widgets": set(),
    "gui.plots": {"gui.widgets"},
    "gui.canvas": {"gui.widgets"},
    "gui.presenter": {"gui.canvas"},
    "gui.session": {"gui.presenter"},
    "gui.actions": {
        "gui.widgets",
        "gui.plots",
        "gui.canvas",
        "gui.presenter",
        "gui.session",
        "gui.importing",
        "gui.bars",
        "gui.export",
    },
    "gui.command_palette": {"gui.widgets", "gui.session", "gui.actions", "gui.help"},
    "gui.help": {"gui.widgets", "gui.session", "gui.actions", "gui.export"},
    "gui.fields": {"gui.widgets", "gui.session"},
    "gui.importing": {"gui.widgets", "gui.plots", "gui.session"},
    "gui.bars": {"gui.widgets", "gui.actions", "gui.session", "gui.presenter"},
    "gui.export": {"gui.widgets", "gui.plots", "gui.canvas", "gui.session"},
    "gui.panels": {
        "gui.widgets",
        "gui.plots",
        "gui.canvas",
        "gui.presenter",
        "gui.session",
        "gui.actions",
        "gui.fields",
        "gui.importing",
        "gui.bars",
        "gui.export",
    },
}
"""Which rooms of `gui` a room imports; modules that lie flat in `gui` belong to none."""
OTHER_PACKAGES_ALLOWED = {
    "main": {"numpy", "networkx", "PySide6"},
    "gui": {"numpy", "networkx", "PySide6", "pyqtgraph", "shiboken6", "PIL"},  # PIL: GIFs, where it is installed
    "datasets": {"numpy"},
    # torch: a second opinion where it is installed; wit_world: what the sandbox gives the modules in it
    "engine": {"numpy", "networkx", "torch", "wasmtime", "wit_world"},
}
PLAIN_QT_VALUES = {"QColor", "QPoint", "QPointF", "QRectF", "QSize", "QSizeF", "QRegularExpression"}


def package_of(name: str) -> str:
    """The longest listed package that the dotted name lies in."""
    parts = name.split(".")
    return next(package for n in (3, 2, 1) if (package := ".".join(parts[:n])) in MAY_IMPORT)


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


def crossed_layers(path: str, tree: ast.Module) -> list[str]:
    """What this file of `gui` imports from a room above its own."""
    here = ".".join(module_name(path).split(".")[:2])
    wrong = []
    for line, name in imports(path, tree):
        parts = name.split(".")
        if parts[0] != "gui" or len(parts) < 2 or here not in GUI_LAYERS:
            continue
        there = ".".join(parts[:2])
        if there in GUI_LAYERS and there not in GUI_LAYERS[here] | {here}:
            wrong.append(f"{path}:{line} imports {name}")
    return wrong


@pytest.mark.slow
def test_the_layers_of_the_window_are_kept():
    assert [wrong for path, tree in trees_of_program().items() for wrong in crossed_layers(path, tree)] == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("gui/widgets/labels.py", "from gui.session import Session"),
        ("gui/canvas/items.py", "from gui.presenter.placement import Placement"),
        ("gui/export/svg.py", "from gui.panels.plots import Plot"),
        ("gui/session/run.py", "from gui.panels import panel"),
    ],
)
def test_an_import_of_a_room_above_is_found(path, line):
    assert len(crossed_layers(path, ast.parse(line))) == 1


@pytest.mark.slow
def test_imports_go_one_way():
    assert [wrong for path, tree in trees_of_program().items() for wrong in forbidden_imports(path, tree)] == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/autograd/value.py", "from engine.graph import layout"),
        ("engine/autograd/expand.py", "from engine.language.source import parse"),
        ("engine/layout/blocks.py", "from engine.autograd import Value"),
        ("engine/graph/build.py", "from ..network import mlp"),
        ("engine/graph/build.py", "from engine import document"),
        ("engine/network/trainer.py", "def f():\n    import PySide6.QtCore"),
        ("engine/network/trainer.py", "from engine.network.run.history import History"),
        ("engine/document/code.py", "import gui.session"),
        ("engine/document/document.py", "from engine.session_file.format import from_json"),
        ("engine/teaching/explain.py", "from engine.graph import build"),
        ("datasets/table.py", "import pandas"),
        ("gui/session.py", "import main"),
    ],
)
def test_an_import_the_wrong_way_is_found(path, line):
    assert len(forbidden_imports(path, ast.parse(line))) == 1


def test_an_import_the_right_way_is_let_through():
    tree = ast.parse("import json\nimport numpy as np\nfrom . import layout\nfrom engine.autograd.value import Value")
    assert forbidden_imports("engine/graph/build.py", tree) == []


@pytest.mark.slow
def test_no_two_files_import_each_other():
    assert import_cycles(trees_of_program()) == []


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


@pytest.mark.slow
def test_the_language_is_loaded_by_autograd_only_when_asked_for():
    code = (
        "import sys, engine.autograd as a; assert 'engine.language' not in sys.modules; "
        "from engine.autograd import evaluate, ExpressionError; import engine.language as b; "
        "assert evaluate is b.evaluate and ExpressionError is b.ProgramError is b.ExpressionError; "
        "assert not hasattr(a, 'evaluat')"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.slow
def test_no_qt_object_is_made_when_a_module_is_imported():
    assert [found for path, tree in trees_of_program().items() for found in qt_objects_at_import(path, tree)] == []


def test_a_qt_object_made_at_import_is_found():
    tree = ast.parse("class Panel:\n    font = QtGui.QFont('mono')\n    ink = QColor('red')\ndef f():\n    QTimer()")
    assert qt_objects_at_import("gui/panel.py", tree) == ["gui/panel.py:2 makes a QFont"]


@pytest.mark.long
def test_pyside_reads_the_source_of_no_module_that_the_window_imports():
    code = "import linecache, gui.app; assert len(linecache.cache) < 5, list(linecache.cache)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


NETWORK = {
    "asyncio", "ftplib", "http", "imaplib", "poplib", "smtplib", "socket", "socketserver", "ssl", "urllib",
    "webbrowser", "xmlrpc", "PySide6.QtNetwork",
}  # fmt: skip
MAY_USE_SOCKETS = {
    "gui/display.py": "asks whether a display answers",
    "gui/ending.py": "a pair of sockets wakes the event loop",
    "engine/language/guest/process.py": "what stands in its place in the sandbox",
}


def network_imports(tree: ast.Module) -> list[str]:
    """Imports of this file by which a program reaches the network."""
    return [name for _, name in imports("gui/new.py", tree) if any(f"{name}.".startswith(f"{one}.") for one in NETWORK)]


@pytest.mark.slow
def test_nothing_but_these_imports_what_reaches_the_network():
    found = {path for path, tree in trees_of_program().items() if network_imports(tree)}
    assert found == set(MAY_USE_SOCKETS)


@pytest.mark.parametrize(
    "line", ["import urllib.request", "from http import client", "from PySide6.QtNetwork import QNetworkAccessManager"]
)
def test_an_import_that_reaches_the_network_is_found(line):
    assert len(network_imports(ast.parse(line))) == 1
