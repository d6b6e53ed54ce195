"""How much code there is, by package: files, lines, functions, and how long functions are."""

from __future__ import annotations

import ast
import statistics
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.sources import ROOT, nodes, trees_of_program, trees_of_tests


def rows() -> Iterator[dict[str, Any]]:
    """A row for each package of the program, one for the tests, one for all."""
    packages = defaultdict[str, dict[str, ast.Module]](dict)
    for path, tree in trees_of_program().items():
        packages["/".join(path.split("/")[:-1][:2]) or path][path] = tree
        packages["the program"][path] = tree
    packages["tests"] = trees_of_tests()
    for package in sorted(packages):
        trees = packages[package]
        functions = [node for tree in trees.values() for node in nodes(tree) if isinstance(node, ast.FunctionDef)]
        lengths = sorted(node.end_lineno - node.lineno + 1 for node in functions if node.end_lineno)
        lines = [(ROOT / path).read_text(encoding="utf-8").count("\n") for path in trees]
        yield {
            "case": f"code of {package}",
            "files": len(lines),
            "lines": sum(lines),
            "longest_file": max(lines),
            "functions": len(functions),
            "median_function": statistics.median(lengths or [0]),
            "nine_in_ten_functions_below": lengths[len(lengths) * 9 // 10] if lengths else 0,
        }
