"""Which modules a program may import, what stands for them, and what is said about the others."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from engine.language.nodes import last_name
from engine.language.prelude import exported_names
from engine.language.words import LEAF_MAKERS, OWN
from engine.messages import nearest, visible

AS_THEY_ARE = frozenset(
    {"random", "time", "typing", "itertools", "functools", "collections", "copy", "dataclasses", "json", "re"}
)
"""Modules of Python that the sandbox has, without a way out of it."""

STAND_INS: Mapping[str, str] = {
    "numpy": f"{OWN}MODULES['numpy']",
    "numpy.random": f"{OWN}MODULES['numpy'].random",
    "torch": f"{OWN}MODULES['torch']",
    "torch.nn": f"{OWN}MODULES['torch'].nn",
    "torch.nn.functional": f"{OWN}MODULES['torch'].nn.functional",
    "string": f"{OWN}MODULES['string']",
    "operator": f"{OWN}MODULES['operator']",
    "matplotlib": f"{OWN}MODULES['matplotlib']",
    "matplotlib.pyplot": f"{OWN}MODULES['matplotlib'].pyplot",
    "graphviz": f"{OWN}MODULES['graphviz']",
    "micrograd": f"{OWN}MODULES['micrograd']",
    "micrograd.engine": f"{OWN}MODULES['micrograd'].engine",
    "micrograd.nn": f"{OWN}MODULES['micrograd'].nn",
    "IPython.display": f"{OWN}MODULES['IPython'].display",
}
"""Modules that Gradstep has something of its own for, and what that is called in the sandbox."""

_INSTEAD: Mapping[str, str] = {
    "os": "a program here reaches no files and no system",
    "sys": "a program here reaches no files and no system",
    "subprocess": "a program here starts no other programs",
    "socket": "a program here reaches no network",
    "requests": "a program here reaches no network",
    "urllib": "a program here reaches no network",
    "pathlib": "a program here reaches no files",
    "pickle": "a program here reaches no files",
    "pandas": "write the numbers as lists, or import a CSV file in the data panel",
    "sklearn": "the data panel has moons, circles and more; write the numbers as lists",
    "jax": "write micrograd's Value, or torch.tensor",
    "tensorflow": "write micrograd's Value, or torch.tensor",
    "keras": "write MLP(2, [4, 1])",
    "seaborn": "write matplotlib.pyplot",
    "plotly": "write matplotlib.pyplot",
    "scipy": "math and numpy have the usual functions",
}

_LENGTH = f"; len = {OWN}length"
"""The sandbox asks no object of a class for its length, arrays among them."""


class NotAvailable(Exception):
    """A module or a name of it that is not there; the message says what there is instead."""


def rewritten(node: ast.Import | ast.ImportFrom, tracked: bool) -> str | None:
    """What is put in the place of an import; None where it may stand.

    Raises:
        NotAvailable: for a module that is not there.
    """
    if isinstance(node, ast.ImportFrom):
        return _from(node, tracked)
    return "; ".join(_import(alias, tracked) for alias in node.names)


def makes_leaf(function: ast.expr) -> bool:
    """Whether a function makes a leaf of the numbers it is given: `Value(2.0)`, `torch.tensor([2.0])`."""
    return last_name(function) in LEAF_MAKERS


def makes_array(function: ast.expr) -> bool:
    """Whether it makes a plain array or number, not a Value: `np.array(2.0)`."""
    return isinstance(function, ast.Attribute) and function.attr in ("array", "float64")


def _import(alias: ast.alias, tracked: bool) -> str:
    name, module = alias.asname, alias.name
    _check(module)
    if module == "math":
        return f"{name or module} = {OWN}MODULES['tracked_math']" if tracked else f"import math as {name or module}"
    if module in AS_THEY_ARE or module in ("collections.abc", "__future__"):
        return f"import {module} as {name}" if name else f"import {module}"
    if name is None:
        module = name = module.partition(".")[0]
    return f"{name} = {STAND_INS[module]}{_LENGTH if module in ('numpy', 'torch') else ''}"


def _from(node: ast.ImportFrom, tracked: bool) -> str | None:
    module = node.module or ""
    if node.level:
        raise NotAvailable("there are no files beside this program to import from: paste what they define above")
    _check(module)
    if module == "__future__":
        return "pass"
    if node.names[0].name == "*":
        if module in ("micrograd.engine", "micrograd.nn", "micrograd"):
            return "pass"
        raise NotAvailable(f"import * is not available: write the names, such as from {module} import …")
    if module in AS_THEY_ARE or module == "collections.abc" or (module == "math" and not tracked):
        return None
    source = f"{OWN}MODULES['tracked_math']" if module == "math" else STAND_INS[module]
    for alias in node.names:
        whole = f"{module}.{alias.name}"
        if module.startswith("micrograd") and alias.name not in ("engine", "nn", *exported_names()):
            raise NotAvailable(f"micrograd has no {visible(alias.name, 40)}")
        if module in ("matplotlib", "IPython") and whole not in STAND_INS:
            raise NotAvailable(f"of {module} there is pyplot: write import matplotlib.pyplot as plt")
    return "; ".join(f"{alias.asname or alias.name} = {source}.{alias.name}" for alias in node.names)


def _check(module: str) -> None:
    if module in STAND_INS or module in AS_THEY_ARE or module in ("math", "collections.abc", "__future__"):
        return
    shown = visible(module, 40)
    instead = _INSTEAD.get(module.partition(".")[0])
    if instead is not None:
        raise NotAvailable(f"{shown} is not available: {instead}")
    known = [name for name in (*STAND_INS, *AS_THEY_ARE, "math") if "." not in name]
    similar = nearest(module, known)
    if similar is not None:
        raise NotAvailable(f"there is no module {shown}, did you mean {similar}?")
    raise NotAvailable(
        f"{shown} is not available: there are math, random, numpy, torch, matplotlib.pyplot, graphviz and micrograd"
    )
