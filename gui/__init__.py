"""The window of Gradstep: the only package that imports Qt.

PySide puts a function of its own in the place of Python's import, for those who switch its names to Python's style by
`from __feature__ import snake_case`. It reads the source of every module that is imported, to see whether it uses
PySide: a tenth of the time until the window is there, and of each import in a function. Nobody here switches names, so
Python's own function, which PySide keeps, is put back.

An exception in an override of a function of Qt would end the process; `gui/overrides.py` keeps it from Qt.
"""

import builtins

import PySide6.QtCore  # noqa: F401

builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)

from gui.overrides import guard_overrides  # noqa: E402

guard_overrides()  # before any class of a widget is defined
