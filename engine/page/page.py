"""Puts drawing, steps and texts of a graph into the template in resources/page."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from engine.autograd import name_of
from engine.autograd.notation import counted
from engine.document import Document, View
from engine.experiment.consistency import check_consistent
from engine.graph import BoxNumbers, Picture, make_picture
from engine.graph.drawn_parts import printable
from engine.graph.legibility import PAGE, Size
from engine.graph.moved import move_boxes
from engine.graph.placing import GraphStyle, choose_form, place
from engine.network.run.progress import Progress
from engine.page.drawing import STATES, size_of, svg_of
from engine.page.steps import Step, steps_of, typeset_data
from engine.teaching.typeset import minus_in_formula
from engine.teaching.wording import in_names
from engine.views.graph_view import GraphView
from engine.views.sample import PassParameters, make_sample_graph
from engine.views.shown_walk import ShownWalk
from engine.views.walk_texts import UpdateTexts, moment_text

PARTS = Path(__file__).resolve().parents[2] / "resources" / "page"
"""Folder of the page's template, style sheet and script."""
MOST_BOXES, MOST_STEPS = 400, 3_000
"""Limits of a page: a larger one could not be read, and takes long to load."""
PHONE: Size = (380.0, 640.0)
PAPER: Size = (680.0, 500.0)
"""Room for the graph on a phone and on a printed page, CSS pixels."""
MOST_OPEN_LINES = 14
"""Lines of a program that a reader sees without opening it."""
LARGEST_ZOOM, SMALLEST_ZOOM = 1.25, 0.68
"""Zooms between which the drawing follows the width of the page; below that it scrolls."""
LEGEND = "Each box has a name, <b>data</b> and <b>grad</b>. Hatched: not computed yet."
KEYS = {"input": "input", "parameter": "parameter", "output": "output", "wrong": "the program's gradient is wrong"}
"""Words of the legend on what a graph has; the classes are those of the style sheet."""


class PageError(ValueError):
    """A graph that no page is made of, with the reason."""


def page_of_document(document: Document, graph: GraphView | None, progress: Progress | None = None) -> str:
    """Return the page of what a document shows.

    Args:
        document: its view says whether the graph is of the program, or of the network's loss on a sample.
        graph: of the program; None: the network's page, whatever the document shows.
        progress: the moment of the network's training; None: the document's.

    Raises:
        PageError: for an empty graph, or one that is too large.
        ValueError: when data, network and loss do not fit together.
    """
    if graph is not None and document.view.shows != "network":
        return stepper_page(ShownWalk(graph, learning_rate=None), document.view, document.expression.text)
    dataset, view = check_consistent(document).train, replace(document.view, shows="network")
    sample = make_sample_graph(document, dataset.X, dataset.y)
    if progress is not None:
        sample.show(PassParameters.between_steps(np.array(progress.snapshot.parameters, dtype=float)))
    texts = UpdateTexts(sample, progress.update if progress is not None else None)
    end = moment_text(texts, None, None, dataset.n_samples)
    return stepper_page(ShownWalk(sample.graph_view, sample, progress, None), view, end=end)


def stepper_page(shown: ShownWalk, view: View, text: str = "", end: str = "") -> str:
    """Return a page that steps through a graph.

    Args:
        shown: the walk; its values are read, and must not change meanwhile.
        view: form and layout of the boxes on a wide screen.
        text: the program, "" for none.
        end: a sentence on the graph after all steps; "" for that of a program.

    Raises:
        PageError: for an empty graph, or one that is too large.
    """
    graph_view = shown.graph_view
    if graph_view.root is None:
        raise PageError("there is no graph: the program is empty")
    _check(shown)
    steps = list(steps_of(shown, end))
    graph = graph_view.graph
    wide = move_boxes(_laid_out(graph, view.style, PAGE), view.moved_here)
    narrow = _laid_out(graph, GraphStyle(layout=view.layout), PHONE)
    keys = [key for key, attributes in graph.nodes(data=True) if attributes["kind"] == "value"]
    ids: dict[object, str] = {key: f"b{number}" for number, key in enumerate(keys)}
    ids |= {key: f"o{number}" for number, key in enumerate(key for key in graph if key not in ids)}
    ids |= {pair: f"e{number}" for number, pair in enumerate(wide.edges)}
    longest = dict.fromkeys(keys, 7)
    last: dict[str, BoxNumbers] = {}
    for step in steps:
        for key, read in (step.changed or {}).items():
            longest[key] = max(longest[key], len(read.data), len(read.grad))
        last |= step.changed or {}
    for key in keys:
        if graph.nodes[key]["role"] == "constant":
            longest[key] = len(last[key].data)
    name = minus_in_formula(printable(name_of(graph_view.root)))
    about = f"Computation graph of {name}: {counted(len(keys), 'value')}. The table of values below has its numbers."
    drawings = {"wide": wide, "narrow": narrow}
    styles = _file("page.css") + "".join(_sizes(which, drawing) for which, drawing in drawings.items())
    paper = max(drawings, key=lambda which: _zoom_on(PAPER, drawings[which]))
    script = _file("page.js")
    summary = steps[-1]
    return _filled(
        _file("page.html"),
        policy=_policy(script, styles),
        style=styles,
        script=script,
        title=escape(f"Computation graph of {name}"),
        counts=escape(_counts(shown)),
        program=_program(text),
        paper=paper,
        **{which: svg_of(drawing, last, ids, longest, which, about) for which, drawing in drawings.items()},
        legend=_legend({graph.nodes[key]["role"] for key in keys}, bool(graph_view.right_gradients)),
        rows="\n".join(_row(graph.nodes[key], last[key], ids[key]) for key in keys),
        end_title=escape(summary.title),
        end_line=escape(printable(summary.line)),
        end_lines="".join(f"<p>{escape(printable(line.text))}</p>" for line in summary.lines),
        data=json_for_script(_data(steps, ids, keys, graph_view)),
    )


def _check(shown: ShownWalk) -> None:
    """Refuse a graph that no page is made of.

    Raises:
        PageError: with the reason and the limit.
    """
    root = shown.graph_view.root
    assert root is not None
    if root.data.__class__ is not float:
        raise PageError(
            f"the output {printable(name_of(root))} is an array; a page steps through a graph of one number"
        )
    n_boxes = sum(kind == "value" for _key, kind in shown.graph_view.graph.nodes(data="kind"))
    if n_boxes > MOST_BOXES:
        raise PageError(f"the graph has {n_boxes:,} boxes, and a page shows at most {MOST_BOXES}: collapse some groups")
    n_steps = shown.counts.total
    if n_steps > MOST_STEPS:
        raise PageError(f"the walk through the graph has {n_steps:,} steps, and a page has at most {MOST_STEPS:,}")


def _laid_out(graph: nx.DiGraph, style: GraphStyle, room: Size) -> Picture:
    choice = choose_form(graph, style, room)
    *_, placed = place(graph, choice, style.layout)
    return make_picture(graph, placed, choice.form)


def _file(name: str) -> str:
    return (PARTS / name).read_text("utf-8")


def _filled(template: str, **parts: str) -> str:
    """Put each part in the place of its `{{name}}`; what stands in a part is never looked at."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


def _policy(script: str, style: str) -> str:
    """A policy that allows this script and this style sheet, and nothing that is loaded."""
    of_script, of_style = (b64encode(sha256(each.encode()).digest()).decode() for each in (script, style))
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; style-src 'sha256-{of_style}'; "
        "base-uri 'none'; form-action 'none'"
    )


def json_for_script(data: object) -> str:
    """JSON that can stand inside a script element: no character in it can end the element or a line."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _sizes(name: str, picture: Picture) -> str:
    """Rules for the size of a drawing: it follows the page within the zooms, and its room scrolls where it cannot."""
    width, height = size_of(picture)
    most = f"max-width:{LARGEST_ZOOM * width:.0f}px"
    least = f"min-width:{SMALLEST_ZOOM * width:.0f}px;min-height:{SMALLEST_ZOOM * height:.0f}px"
    return f"@media screen{{.{name} svg{{{most};{least}}}}}\n@media print{{.{name} svg{{{most}}}}}\n"


def _zoom_on(room: Size, picture: Picture) -> float:
    width, height = size_of(picture)
    return min(room[0] / width, room[1] / height)


def _counts(shown: ShownWalk) -> str:
    counts = shown.counts
    parts = [counted(counts.forward, "operation") + " forward", counted(counts.backward, "step") + " backward"]
    if counts.updates:
        parts.append(counted(counts.updates, "parameter") + " updated")
    return ", ".join(parts)


def _legend(roles: set[str], has_wrong: bool) -> str:
    present = [name for name in KEYS if name in roles or (name == "wrong" and has_wrong)]
    return " ".join([LEGEND, *(f'<span class="key {name}">{escape(KEYS[name])}</span>' for name in present)])


def _program(text: str) -> str:
    text = text.strip("\n")
    if not text.strip():
        return ""
    is_open = " open" if len(text.splitlines()) <= MOST_OPEN_LINES else ""
    lines = "\n".join(_printable_line(line) for line in text.splitlines())
    return (
        f'<details class="program"{is_open}><summary>Program</summary><pre tabindex="0">{escape(lines)}</pre></details>'
    )


def _printable_line(line: str) -> str:
    indentation = len(line) - len(line.lstrip(" \t"))
    return line[:indentation].replace("\t", "    ") + printable(line)


def _row(attributes: dict[str, Any], reading: BoxNumbers, id_: str) -> str:
    """A row of the table of values; "" for a number written in a formula."""
    value, role = attributes["value"], attributes["role"]
    if role == "constant":
        return ""
    how = attributes.get("note") or (role if value.op is None else minus_in_formula(in_names(value)))
    label = minus_in_formula(printable(attributes["label"])) or "·"
    cells = "".join(
        f'<td class="cell {part}" data-box="{id_}" data-part="{part}" data-state="{STATES[state]}">{escape(text)}</td>'
        for part, text, state in (
            ("data", reading.data, reading.data_state),
            ("grad", reading.grad, reading.grad_state),
        )
    )
    return f'<tr data-row="{id_}"><th scope="row">{escape(label)}</th><td>{escape(printable(how))}</td>{cells}</tr>'


def _data(steps: Iterable[Step], ids: dict[object, str], keys: list[str], view: GraphView) -> dict[str, Any]:
    """Data of the page for its script.

    `boxes` has for every box its changes, each [position, data, its state, grad, its state]; `steps` has for every
    position place, phase, title, line, explanation, and the ids of what the step touches.
    """
    changes: dict[str, list[list[Any]]] = {ids[key]: [] for key in keys}
    rows = []
    for position, step in enumerate(steps):
        for key, read in (step.changed or {}).items():
            states = STATES[read.data_state], STATES[read.grad_state]
            changes[ids[key]].append([position, read.data, states[0], read.grad, states[1]])
        touched = sorted(ids[each] for each in (*step.nodes, *step.edges) if each in ids)
        explanation = [typeset_data(line) for line in step.lines]
        rows.append([step.place, step.phase, *_visible([step.title, step.line, explanation]), touched])
    wrong = sorted(ids[key] for key in view.right_gradients if key in ids)
    return {"boxes": changes, "steps": rows, "wrong": wrong}


def _visible(data: Any) -> Any:
    """The same data with a blank for each character that is not printable, such as one that turns texts around."""
    if isinstance(data, list):
        return [_visible(each) for each in data]
    return "".join(c if c.isprintable() else " " for c in data) if isinstance(data, str) else data
