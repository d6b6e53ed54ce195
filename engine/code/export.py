"""The whole file of an exported program: heading, body, comparison and the session."""

from __future__ import annotations

from engine.autograd import Value
from engine.code.graph_code import graph_source
from engine.code.network_code import MORE_STEPS, network_source
from engine.code.libraries import LIBRARIES, CodeError, Library
from engine.document import Document
from engine.session_file.pasted import text_of_session

TARGETS = {name: library.title for name, library in LIBRARIES.items()}
"""Titles of the libraries that a program can be written for, by name."""
_COMPARED = """
print(f"largest difference from Gradstep's numbers: {largest:.3g}")
assert largest < 1e-9
"""


def code_of_graph(root: Value | None, target: str, document: Document, note: str = "") -> str:
    """Return a program that computes a graph again.

    Args:
        root: a number whose gradients are computed.
        target: a key of TARGETS.
        document: the session, which the file holds as a comment.
        note: a sentence for the heading.

    Raises:
        CodeError: when the graph cannot be written, with the reason.
    """
    if root is None:
        raise CodeError("there is no graph: the program is empty")
    library = LIBRARIES[target]
    return _file("A computation graph", library, graph_source(root, library) + _COMPARED, document, note)


def code_of_network(document: Document, target: str) -> str:
    """Return a program that computes the network's losses and gradients, and goes on training it.

    Args:
        document: the session, trained as far as the program shall start from.
        target: a key of TARGETS.

    Raises:
        CodeError: when the network cannot be written, with the reason.
        ValueError: when its data, sizes and loss do not fit together.
    """
    library = LIBRARIES[target]
    note = ""
    if document.training.dtype != "float64":
        note = "Gradstep trains this network in float32; the numbers here are those of float64."
    body = network_source(document, library) + _COMPARED + MORE_STEPS
    return _file("A network and its training", library, body, document, note)


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
