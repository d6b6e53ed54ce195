"""The targets of the code export, and the whole file of an exported program.

To add a target, write a function that returns the text of its file and put it into TARGETS.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.code.graph_code import graph_source
from engine.code.libraries import LIBRARIES, CodeError, Library
from engine.code.network_code import MORE_STEPS, network_source
from engine.document import Document
from engine.session_file.pasted import text_of_session
from engine.views.graph_view import GraphView

_COMPARED = """
print(f"largest difference from Gradstep's numbers: {largest:.3g}")
assert largest < 1e-9
"""


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
    if graph is None:
        note = ""
        if document.training.dtype != "float64":
            note = "Gradstep trains this network in float32; the numbers here are those of float64."
        body = network_source(document, library) + _COMPARED + MORE_STEPS
        return _file("A network and its training", library, body, document, note)
    if graph.root is None:
        raise CodeError("there is no graph: the program is empty")
    return _file("A computation graph", library, graph_source(graph.root, library) + _COMPARED, document, "")


def _file(thing: str, library: Library, body: str, document: Document, note: str) -> str:
    install = f" It needs: pip install {library.package}" if library.package else " It needs Python alone."
    heading = (
        f'"""{thing}, written by Gradstep with {library.title}.\n\n'
        "The program computes every value and every gradient, and makes one step of training. It compares all of\n"
        "them with the numbers of Gradstep in float64 and prints the largest difference.\n"
        f"{install.strip()}\n" + (f"\n{note}\n" if note else "") + '"""\n\n'
    )
    session = "".join(f"# {line}".rstrip() + "\n" for line in text_of_session(document).splitlines())
    return heading + "\n".join(library.imports) + "\n" + body + "\n" + session


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
