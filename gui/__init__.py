"""The window of Gradstep: the only package that imports Qt.

What the window needs besides Qt is imported first. PySide reads the source of every module that is imported after it,
to see whether it uses PySide: a fifth of the time until the window is there.
"""

import networkx  # noqa: F401

import engine.document.assemble
import engine.document.graph_view
import engine.language
import engine.layout  # noqa: F401
