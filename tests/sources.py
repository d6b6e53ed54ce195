"""The repository's own files as the tests of its rules read them: once each, as syntax trees and lists of nodes."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS = ("main", "gui", "engine", "datasets")
"""The top-level names of the program itself."""
OF_LEARNERS = {"tests/engine/language/own_engines", "tests/engine/language/programs"}
"""Folders of programs as learners write them, which tests give to the sandbox: nothing imports them."""


@cache
def repository_files() -> tuple[Path, ...]:
    """Every file that is or would be committed."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return tuple(path for name in listed if (path := ROOT / name).is_file())


@cache
def python_files() -> tuple[Path, ...]:
    """Those with Python in them; programs as learners write them may have lines of a notebook."""
    ours = (path for path in repository_files() if path.suffix == ".py" and not path.is_relative_to(ROOT / "resources"))
    return tuple(path for path in ours if path.parent.relative_to(ROOT).as_posix() not in OF_LEARNERS)


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Everything in a syntax tree, with no promise of an order."""
    return tuple(ast.walk(tree))


def _trees(folders: tuple[str, ...]) -> dict[str, ast.Module]:
    paths = [path.relative_to(ROOT) for path in python_files()]
    return {path.as_posix(): parsed(ROOT / path) for path in paths if path.parts[0].removesuffix(".py") in folders}


def trees_of_program() -> dict[str, ast.Module]:
    """The program's own modules: path relative to the root -> syntax tree. Tests and scripts are none."""
    return _trees(OURS)


def trees_of_tests() -> dict[str, ast.Module]:
    """The tests and what they are made with: path relative to the root -> syntax tree."""
    return _trees(("tests",))


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Every call in a syntax tree."""
    return (node for node in nodes(tree) if isinstance(node, ast.Call))


def module_name(path: str) -> str:
    """The dotted name of a module by its path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def imports(path: str, tree: ast.Module) -> list[tuple[int, str]]:
    """(line, dotted name) of everything imported anywhere in the file; relative imports made absolute."""
    package = module_name(path).split(".") if path.endswith("__init__.py") else module_name(path).split(".")[:-1]
    found: list[tuple[int, str]] = []
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *filter(None, [node.module])])
            # `from engine import network` names the package in its second half
            found += [(node.lineno, f"{name}.{alias.name}") for alias in node.names]
    return found
