"""Names that completion offers: attributes of the program's variables and of modules, and modules to import."""

from __future__ import annotations

import math
import random
import types
from collections.abc import Mapping
from typing import Any

from engine.language.guest import packages_for_programs, standard_library

MOST_PATHS = 150
DEEPEST = 4
"""Dots and brackets of the longest path, as in `model.layers[].neurons[].w`."""
MOST_NAMES = 400
"""Most names of one object."""


def names_of(thing: Any) -> list[str]:
    """Return the public attributes of an object, those that can be called with a bracket behind them.

    No property is asked for its value, and no method of the program's own is called.
    """
    found: dict[str, Any] = {}
    kind = thing if _is_class(thing) else type(thing)
    plain = next((each for each in (float, int) if issubclass(kind, each)), None)  # a number that records, too
    for each in reversed((plain or kind).__mro__):
        if each is not object:
            found |= vars(each)
    found |= _own(thing)
    if type(thing) is types.ModuleType:
        own = found.get("__all__") or [name for name, held in found.items() if _is_of(held, thing)]
        found = {name: found[name] for name in own if name in found}
    names = [name for name in found if type(name) is str and not name.startswith("_")][:MOST_NAMES]
    return sorted(f"{name}(" if _is_function(found[name]) else name for name in names)


def _own(thing: Any) -> dict[str, Any]:
    """Return what an object itself holds."""
    if _is_class(thing) or issubclass(type(thing), float | int):
        return {}
    try:
        held = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return dict(held) if type(held) is dict else {}


def _is_class(thing: Any) -> bool:
    return issubclass(type(thing), type)


def _is_function(thing: Any) -> bool:
    return callable(thing) or type(thing) in (classmethod, staticmethod)


def paths_of(variables: Mapping[str, Any]) -> tuple[dict[str, int], list[list[str]]]:
    """Return which attributes stand behind which path, such as `model.layers[].neurons`.

    Returns:
        for each path a place in the lists, and the lists; many objects have the same.
    """
    paths: dict[str, int] = {}
    lists: dict[tuple[str, ...], int] = {}
    waiting = [(name, thing, 0) for name, thing in variables.items() if not name.startswith("__")]
    for path, thing, depth in waiting:
        if len(paths) >= MOST_PATHS:
            break
        paths[path] = lists.setdefault(tuple(names_of(thing)), len(lists))
        if depth >= DEEPEST or _is_class(thing) or type(thing) is types.FunctionType:
            continue
        if type(thing) in (list, tuple, dict) and thing:
            first = next(iter(thing.values() if type(thing) is dict else thing))
            waiting.append((f"{path}[]", first, depth + 1))
        is_module = type(thing) is types.ModuleType
        for name, held in _own(thing).items():
            if type(name) is str and not name.startswith("_") and (not is_module or _is_part(held, thing)):
                waiting.append((f"{path}.{name}", held, depth + 1))
    return paths, [list(names) for names in lists]


def _is_of(held: Any, module: types.ModuleType) -> bool:
    """Return True for what a module gives, not for what it imports for itself."""
    if type(held) is types.ModuleType:
        return _is_part(held, module)
    return getattr(held, "__module__", None) not in ("typing", "__future__", "collections.abc")


def _is_part(held: Any, module: types.ModuleType) -> bool:
    """Return True for a module inside a package, such as `numpy.random`."""
    return type(held) is types.ModuleType and held.__name__.startswith(f"{module.__name__}.")


def _modules() -> dict[str, list[str]]:
    """Return the attributes of modules that programs find without an import, and of the packages."""
    found: dict[str, Any] = {"math": math, "random": random, **packages_for_programs.at_hand()}
    found |= {name: packages_for_programs.module(name) for name in packages_for_programs.MODULES}
    parts = {f"{name}.{part}": held for name, module in found.items() if module is not None
             for part, held in vars(module).items() if not part.startswith("_") and _is_part(held, module)}  # fmt: skip
    return {name: names_of(module) for name, module in (found | parts).items() if module is not None}


MODULES = _modules()
IMPORTABLE = sorted({*standard_library.AVAILABLE, *(name for name in MODULES if packages_for_programs.module(name))})


def report(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return what completion offers after a run."""
    paths, lists = paths_of(variables)
    return {"paths": paths, "lists": lists, "modules": MODULES, "importable": IMPORTABLE}
