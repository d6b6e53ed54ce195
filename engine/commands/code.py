"""`code`: a program's graph or a network as runnable code, to standard output or into a file."""

from __future__ import annotations

import argparse

from engine.commands.command import DONE, PROGRAM, SESSION, Command, Completion, WrongUse, completed_by
from engine.commands.inputs import add_file, named_file, read_file, shown
from engine.terminal import say, say_text

NETWORK, GRAPH = "network", "graph"


def code(options: argparse.Namespace) -> int:
    """Write the code of what the session shows: its program's graph, or the network with its training."""
    from engine.code import TARGETS, CodeError
    from engine.file_access import reason_of, write_atomically
    from engine.session_file.outputs import check_outputs

    output = None if options.output is None else named_file("-o", options.output)
    if output is not None:
        check_outputs({"-o": output}, {"the file": options.file})
    document, target = read_file(options.file, *([SESSION] if options.of == NETWORK else [])).document, options.target
    of_graph = (options.of or (NETWORK if document.view.shows == NETWORK else GRAPH)) == GRAPH
    try:
        text = TARGETS[target].function(document, shown(document) if of_graph else None)
    except CodeError as error:
        raise WrongUse(f"no code for {TARGETS[target].title}: {error}") from None
    if output is None:
        say_text(text)
        return DONE
    try:
        write_atomically(output, text.encode())
    except OSError as error:
        raise WrongUse(f"-o {output} was not written: {reason_of(error)}") from None
    say(f"wrote {output}")
    return DONE


def code_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `code`."""
    from engine.code import TARGETS

    add_file(parser, SESSION, PROGRAM)
    parser.add_argument("--target", required=True, choices=tuple(TARGETS), help="language or library of the code")
    words = "the graph, or the network with its training (default: what the session shows)"
    parser.add_argument("--of", choices=(GRAPH, NETWORK), help=words)
    output = parser.add_argument("-o", "--output", metavar="OUT", help="file to write (default: standard output)")
    completed_by(output, Completion(extensions=tuple({f".{target.extension}": 0 for target in TARGETS.values()})))


CODE = Command(
    code,
    "write the graph or the network as code with the same numbers",
    "take away",
    code_options,
    examples=(
        ("code neuron.py --target python", "print the graph as plain Python, its engine included"),
        ("code neuron.py --target pytorch -o neuron_pytorch.py", "as a PyTorch program in a file"),
        ("code moons.gradstep --of network --target numpy -o moons_numpy.py", "the network and its training in NumPy"),
        ("code neuron.py --target html -o neuron.html", "a page that steps through the graph"),
    ),
    failed="the program stopped with an error",
)
