"""The steps of a page: texts, numbers of every box, and the nodes and edges that each step touches.

Sentences and numbers are those of the window. The last position of a page is the graph as the program has left it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.autograd import name_of
from engine.graph import BoxNumbers, read_numbers
from engine.teaching.explain_walk import step_lines
from engine.teaching.explanation import ExplanationLine, plain
from engine.teaching.typeset import Box, Glyphs, minus_in_formula, true_minus, typeset
from engine.views.shown_walk import ShownWalk
from engine.views.walk_texts import data_text, gradient_notes, place_text, state_text, step_text

TEXTS = {
    "start": "Before the forward pass",
    "end": "The result",
    "end place": "end",
    "problem": "{name}: {problem}",
    "note": "{name}.grad: {note}",
}
PHASES = {
    "forward": "forward", "loss": "forward", "zero_grad": "backward", "seed": "backward", "backward": "backward",
    "set": "set", "update": "update", "later": "set",
}  # fmt: skip
"""Phases of a walk as the page's bar shows them."""


@dataclass(frozen=True)
class Step:
    """One position of the page.

    Attributes:
        place: such as `backward 3 of 14`.
        phase: a value of PHASES, "" for the start and the end.
        title: what the step does.
        line: the step as an equation, or a sentence on the graph.
        lines: the explanation, line by line.
        nodes, edges: what the step touches, by key.
        changed: readings of the boxes whose numbers change, by key; at the start those of all boxes.
    """

    place: str
    phase: str
    title: str
    line: str
    lines: tuple[ExplanationLine, ...] = ()
    nodes: frozenset[str] = frozenset()
    edges: frozenset[tuple[str, str]] = frozenset()
    changed: dict[str, BoxNumbers] | None = None


def steps_of(shown: ShownWalk, end: str = "") -> Iterator[Step]:
    """The positions of a page in order: the start, one after each step of the walk, and the result.

    Args:
        shown: the walk through a graph that is not empty.
        end: a sentence on the result; "" for that of a program.
    """
    view, walk, counts = shown.graph_view, shown.walk, shown.counts
    assert walk is not None
    graph, problems = view.graph, view.problems

    def place(position: int) -> str:
        return data_text(place_text(None, position, counts), shown.data)

    def readings(position: int, part: Any = graph) -> dict[str, BoxNumbers]:
        return read_numbers(part, walk.numbers_at(position, view.numbers_of_pass), problems)

    now = readings(0)
    yield Step(place(0), "", TEXTS["start"], state_text(view, True, shown.data), changed=dict(now))
    for position, step in enumerate(walk.script, start=1):
        boxes = {view.box_of(value) for value in (step.node, step.input) if value is not None}
        read = readings(position, graph if step.kind == "zero_grad" else graph.subgraph(boxes))
        changed = {key: reading for key, reading in read.items() if reading != now[key]}
        now |= changed
        line, *_names = step_text(step).split("\n")
        title, *lines = step_lines(step)
        others = tuple(each for each in lines if minus_in_formula(each.text) != line)
        phase = PHASES[walk.phase_at(position)]
        yield Step(place(position), phase, true_minus(title.text), line, others, *shown.touched(position), changed)
    yield _result(shown, end or state_text(view, False), now)


def _result(shown: ShownWalk, sentence: str, now: dict[str, BoxNumbers]) -> Step:
    """The graph as the program has left it, with a line for every problem and every gradient that needs a word."""
    view = shown.graph_view
    lines = []
    for key, attributes in view.graph.nodes(data=True):
        if attributes["kind"] != "value" or len(attributes.get("outputs", ())) > 1:
            continue
        name = minus_in_formula(name_of(attributes["value"]))
        if problem := view.problems.get(id(attributes["value"])):
            lines.append(TEXTS["problem"].format(name=name, problem=problem))
        for note in gradient_notes(view, key):
            lines.append(note if note.startswith(f"{name}.grad") else TEXTS["note"].format(name=name, note=note))
    read = read_numbers(view.graph, view.numbers, view.problems)
    return Step(
        TEXTS["end place"],
        "",
        TEXTS["end"],
        sentence,
        tuple(plain(line) for line in lines if line != sentence),
        changed={key: reading for key, reading in read.items() if reading != now[key]},
    )


def typeset_data(line: ExplanationLine) -> list[Any]:
    """A line as data for the page's script: its kind, then pieces of text and fractions.

    A piece is [kind, text] or [kind, text, raised]; a fraction ["/", pieces above, pieces below].
    """
    return [line.kind, *_pieces(typeset(line))]


def _pieces(boxes: tuple[Box, ...]) -> list[list[Any]]:
    pieces: list[list[Any]] = []
    for box in boxes:
        if isinstance(box, Glyphs):
            end = [box.raised] if box.raised else []
            if pieces and pieces[-1][0] == box.kind and pieces[-1][2:] == end:
                pieces[-1][1] += box.text
            else:
                pieces.append([box.kind, box.text, *end])
        else:
            pieces.append(["/", _pieces(box.above), _pieces(box.below)])
    return pieces
