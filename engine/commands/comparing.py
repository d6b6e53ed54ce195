"""`compare`: the graphs of two programs or sessions, node by node; or a program's gradients and the right ones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.commands.command import (
    DONE,
    FAILED,
    PROGRAM,
    SESSION,
    Command,
    CommandError,
    Completion,
    completed_by,
)
from engine.commands.inputs import add_file, read_file, shown
from engine.commands.json_output import REASONS, error_object, finite, keys, say_json
from engine.messages import visible
from engine.terminal import say

if TYPE_CHECKING:
    from engine.views.graph_difference import NodeDifference
    from engine.views.graph_view import GraphView


def compare(options: argparse.Namespace) -> int:
    """Print the nodes that differ with both numbers; return 0 when there are none, else 1."""
    from engine.autograd.notation import short
    from engine.views.graph_difference import ComparedGraph, compare_graphs, right_numbers

    view = _view(options.file)
    if options.other is None:
        other = ComparedGraph(view, right_numbers(view))
    else:
        second = _view(options.other)
        other = ComparedGraph(second, second.numbers)
    difference = compare_graphs(ComparedGraph(view, view.numbers), other)
    nodes = difference.nodes if options.all else difference.differences
    ok = not difference.differences
    if options.json:
        rows = [_object(node) for node in nodes]
        say_json(ok, None if ok else error_object(difference.summary()), counts=dict(difference.counts), nodes=rows)
        return DONE if ok else FAILED
    table: list[tuple[str, ...]] = [("name", "data A", "data B", "grad A", "grad B", "what differs")]
    for node in nodes:
        numbers = ("–" if number is None else short(number, 6) for number in (*node.data, *node.grad))
        starts = "  (starts here)" if node.starts_here else ""
        table.append((visible(node.name), *numbers, f"{node.words or 'same'}{starts}"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table if nodes else ():
        cells = [row[0].ljust(widths[0]), *(cell.rjust(n) for cell, n in zip(row[1:5], widths[1:5], strict=True))]
        say("  ".join([*cells, row[5]]).rstrip())
    against = f"with {visible(str(options.other))}" if options.other else "with the right gradients"
    say(f"{difference.summary()} (compared {against})")
    return DONE if ok else FAILED


def _view(path: Path) -> GraphView:
    """Return the graph of a file; an error of its program names the file, as there are two."""
    try:
        return shown(read_file(path).document)
    except CommandError as error:
        if error.line is not None:
            error.args, error.message = (f"{path}: {error}",), f"{path}: {error.message}"
        raise


def _object(node: NodeDifference) -> dict[str, Any]:
    numbers = dict(zip(("data_a", "data_b", "grad_a", "grad_b"), (*node.data, *node.grad), strict=True))
    plain = {key: number if isinstance(number, (int, float)) else None for key, number in numbers.items()}
    words = {
        key: "an array" if number is not None else "there is none"
        for key, number in numbers.items()
        if plain[key] is None
    }
    return {"name": node.name, "differs": list(node.kinds), "starts_here": node.starts_here, **finite(plain, **words)}


def options(parser: argparse.ArgumentParser) -> None:
    """Add the two files."""
    add_file(parser, PROGRAM, SESSION)
    words = "the other one; without it FILE is compared with the right gradients of its own graph"
    other = parser.add_argument("other", nargs="?", type=Path, metavar="OTHER", help=words)
    completed_by(other, Completion((PROGRAM, SESSION)))
    parser.add_argument("--all", action="store_true", help="list equal nodes as well")


COMPARE = Command(
    compare,
    "compare two graphs node by node, or gradients with the right ones",
    "program",
    options,
    examples=(
        ("compare neuron.py", "the gradients that the program has computed, and the right ones"),
        ("compare neuron.py neuron.py --all", "every node of two files with both numbers"),
        ("compare neuron.py --json", "the same as JSON, for graders"),
    ),
    failed="the graphs differ, or a program stopped with an error",
    json=keys(
        counts="object: number of nodes by what differs; a node counts under each of its differences",
        nodes="array: one object for each node that differs, or for all of them",
        nodes__name="string: the name in A, with that in B where it is another one",
        nodes__differs="array of strings: only A, only B, operation, inputs, data, grad; empty: the same",
        nodes__starts_here="boolean: the difference does not follow from that of another node",
        nodes__data_a="number or null: data in the first graph",
        nodes__data_b="number or null: data in the second graph",
        nodes__grad_a="number or null: gradient in the first graph",
        nodes__grad_b="number or null: gradient in the second graph",
        nodes__reasons=REASONS,
    ),
)
