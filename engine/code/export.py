"""The targets of the code export, and the whole file of an exported program.

To add a target, write a function that returns the text of its file and put it into TARGETS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.code.graph_code import graph_source
from engine.code.libraries import LIBRARIES, CodeError, Library
from engine.code.network_code import network_source
from engine.document import Document
from engine.session_file.pasted import text_of_session
from engine.views.graph_view import GraphView

MODULES = {
    "math": "import math",
    "random": "import random",
    "sys": "import sys",
    "np": "import numpy as np",
}
"""Modules that a program may use besides its library, by the name that stands in it."""


class Target(NamedTuple):
    """A kind of file that a graph or a network can be exported as.

    Attributes:
        title: as a menu writes it.
        function: (document, graph) -> text of the file. The graph is the one to write; None stands for the network
            itself with its training. Raises CodeError, with the reason, for what it cannot express; ValueError when
            data, sizes and loss do not fit together.
        extension: of the file, without a dot.
    """

    title: str
    function: Callable[[Document, GraphView | None], str]
    extension: str = "py"


def code_of(document: Document, graph: GraphView | None, library: Library) -> str:
    """Return a Python program that computes a graph, or the network's training, again with a library."""
    note = ""
    if graph is None:
        thing, body = "A network and its training", network_source(document, library)
        if document.training.dtype != "float64":
            note = "In the session the network is trained in float32; the numbers here are those of float64."
    elif graph.root is None:
        raise CodeError("there is no graph: the program is empty")
    else:
        thing, body = "A computation graph", graph_source(graph, library, document.training.learning_rate)
        own = graph.program_gradients
        if own is not None and (own.initial or own.overrides or own.later):
            note = (
                "Some gradients of the session's program differ from those of one backward pass, because it set them,\n"
                "added to them or kept older ones. The numbers here are those of one backward pass."
            )
    used = [line for name, line in MODULES.items() if re.search(rf"(?<![.\w]){name}\.", body)]
    standard = [line for line in used if " as " not in line]
    others = sorted({library.imports, *used} - {*standard, ""})
    packages = [library.package, "numpy" if MODULES["np"] in others and library.package != "numpy" else ""]
    needed = f"pip install {' '.join(filter(None, packages))}" if any(packages) else "Python alone"
    heading = (
        f'"""{thing}, written by Gradstep for {library.title.replace("Plain", "plain")}.\n\n'
        "The program computes every value and every gradient, makes one step of training and compares all\n"
        "numbers with those of Gradstep in float64. Set MORE_STEPS at the end to go on training.\n"
        f"It needs: {needed}.\n" + (f"\n{note}\n" if note else "") + '"""\n'
    )
    blocks = [heading, *(("\n".join(lines) + "\n") for lines in (standard, others) if lines)]
    blocks += [library.setup + "\n"] if library.setup else []
    session = "".join(f"# {line}".rstrip() + "\n" for line in text_of_session(document, readable=False).splitlines())
    body = re.sub(r"\n{4,}", "\n\n\n", body.strip("\n"))
    return "\n".join(blocks) + f"\n\n{body}\n\n\n{session}"


def stepper_page(document: Document, graph: GraphView | None) -> str:
    """Return a page that steps through a graph, or through the graph of the network's loss."""
    from engine.page import PageError, page_of_document

    try:
        return page_of_document(document, graph)
    except PageError as error:
        raise CodeError(str(error)) from None


TARGETS: dict[str, Target] = {
    name: Target(library.title, partial(code_of, library=library)) for name, library in LIBRARIES.items()
} | {"html": Target("Stepper page (HTML)", stepper_page, "html")}
"""Every target by its name on the command line, in the order of a menu."""
