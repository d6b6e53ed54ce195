"""Diagnostics: versions, screen and settings as text for a report, without programs and without folders of the user."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Mapping
from typing import Any

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from engine import __version__
from gui.problems import PROBLEMS
from gui.theme import text_size

LIBRARIES = ("numpy", "pyqtgraph", "networkx", "wasmtime")
MOST_PROBLEMS = 10


def versions() -> Mapping[str, str]:
    """Return the versions of the program and of what it is made of, by name."""
    found = {
        "Gradstep": __version__,
        "Python": platform.python_version(),
        "Qt": qVersion(),
        "PySide6": PySide6.__version__,
    }
    return found | {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return str(getattr(sys.modules.get(name), "__version__", "not installed"))


def diagnostics(window: Any) -> str:
    """Return the text; problems stand in it by their kind and place, as their words may quote a program."""
    lines = [f"{name}: {version}" for name, version in versions().items()]
    lines.append(f"system: {platform.platform()}, {platform.machine()}{', frozen' if hasattr(sys, 'frozen') else ''}")
    lines.append(f"Qt platform: {QGuiApplication.platformName()}")
    for screen in QGuiApplication.screens():
        size, scale = screen.size(), screen.devicePixelRatio()
        dots = screen.logicalDotsPerInch()
        lines.append(f"screen: {size.width()}x{size.height()} at {scale:g}, {dots:.0f} dots per inch")
    lines.append(f"window: {window.width()}x{window.height()}, workspace {window.workspace}")
    lines.append(f"theme: {window.theme}, text size {text_size()} %")
    session = window.session
    picture = session.presenter.picture
    lines.append(
        f"graph: {len(picture.boxes)} boxes, {len(picture.edges)} edges; run: {session.run_state.name.lower()}"
    )
    problems = PROBLEMS.problems()
    lines.append(f"problems: {len(problems)}")
    lines += [f"  {problem.summary}" for problem in problems[:MOST_PROBLEMS]]
    return "\n".join(lines) + "\n"
