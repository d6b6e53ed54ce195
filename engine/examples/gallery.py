"""The gallery: published worked examples with their authors' numbers and those Gradstep obtains.

Every entry of the file is run: programs and their authors' experiments here, networks in `networks.py`.
An entry that nothing runs, or that ends in an error, is a row that fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.autograd import Value, what_if
from engine.examples.networks import NETWORK_CASES
from engine.examples.row import GalleryRow, row
from engine.language import Evaluation, evaluate
from engine.teaching import Nudger
from engine.teaching.wrong_passes import WRONG_ORDERS, piled_up

EXAMPLES = Path(__file__).resolve().parents[2] / "resources" / "examples" / "worked_examples.json"
ABOUT = "about"

Case = dict[str, Any]
Rows = Iterator[GalleryRow]


def published_examples() -> dict[str, list[Case]]:
    """Return all published examples by kind: programs, nudges, accumulation, networks, ..."""
    content: dict[str, Any] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return {kind: cases for kind, cases in content.items() if kind != ABOUT}


def published_programs() -> list[Case]:
    """Return the worked examples: id, title, program, data, grad, tol."""
    return published_examples()["programs"]


def run_gallery() -> list[GalleryRow]:
    """Run every published example."""
    return list(run_examples(published_examples()))


def reproduced(rows: Sequence[GalleryRow]) -> str:
    """Return how many of the published numbers were obtained, such as "113 of 113 published numbers reproduced"."""
    return f"{sum(row.ok for row in rows):,} of {len(rows):,} published numbers reproduced"


def run_examples(examples: Mapping[str, list[Case]]) -> Rows:
    """Run examples by kind, in the form of the file, and yield their rows as they come.

    An example that cannot be run is a row that fails.
    """
    programs = {case["id"]: case["program"] for case in examples.get("programs", ())}
    for kind, cases in examples.items():
        for case in cases:
            yield from _rows_of(kind, case, programs)


def _rows_of(kind: str, case: Case, programs: Mapping[str, str]) -> list[GalleryRow]:
    try:
        if "of" in case:
            case = {**case, "program": programs[case["of"]]}
        rows = list(CASES[kind](case))
        return rows or [_left_out(case, "nothing was compared")]
    except Exception as error:  # an example that cannot be run must not pass, whatever its error
        return [_left_out(case, f"{type(error).__name__}: {error}"[:60])]


def _left_out(case: Case, why: str) -> GalleryRow:
    return GalleryRow(str(case.get("id", "?")), str(case.get("title", "")), "", "to be run", why, False)


def _differentiated(program: str) -> tuple[Evaluation, Value]:
    result = evaluate(program)
    assert result.root is not None
    result.root.backward()
    return result, result.root


def _program_rows(case: Case) -> Rows:
    result, root = _differentiated(case["program"])
    for attribute, suffix in (("data", ""), ("grad", ".grad")):
        for name, expected in case[attribute].items():
            yield row(case, name + suffix, expected, getattr(result.names[name], attribute))
    for mistake, published in case.get("wrong_orders", {}).items():
        grads = WRONG_ORDERS[mistake](root)
        for name, expected in published.items():
            yield row(case, f"{name}.grad, {mistake}", expected, grads[id(result.names[name])])


def _nudge_rows(case: Case) -> Rows:
    result, root = _differentiated(case["program"])
    values = case["value"] if isinstance(case["value"], list) else [case["value"]]
    obtained = {root.label: root.data}
    if "leaf" in case:
        nudged = Nudger(root).nudge(result.names[case["leaf"]], case["h"])
        obtained = {root.label: nudged.data, "slope": nudged.slope}
    elif "ascent" in case:
        changes = {leaf.value: leaf.number + case["ascent"] * leaf.value.grad for leaf in result.leaves}
        obtained = {root.label: what_if(root, changes)}
    for quantity, expected in zip(case["quantities"], values, strict=True):
        yield row(case, quantity, expected, obtained[quantity])


def _accumulation_rows(case: Case) -> Rows:
    result, root = _differentiated(case["program"])
    if "value" in case:
        leaf, factor = result.names[case["leaf"]], case["factor"]
        for quantity, expected in zip(("1st", "2nd"), case["value"], strict=True):
            yield row(case, f"{case['leaf']}.grad, {quantity}", expected, leaf.grad)
            (leaf * factor).backward()
        return
    for which, times in (("first", 0), ("second", 1)):
        for _ in range(times):
            root.backward()
        for name, expected in case[which].items():
            yield row(case, f"{name}.grad, {which}", expected, result.names[name].grad)
    grads = piled_up(root, 2)
    for name, expected in case["second_in_micrograd"].items():
        yield row(case, f"{name}.grad, micrograd", expected, grads[id(result.names[name])])


def _network_rows(case: Case) -> Rows:
    return NETWORK_CASES[case["kind"]](case)


CASES: Mapping[str, Callable[[Case], Rows]] = {
    "programs": _program_rows,
    "nudges": _nudge_rows,
    "accumulation": _accumulation_rows,
    "networks": _network_rows,
    "published_statements_that_do_not_hold": _network_rows,
}
"""Functions that run the entries of each kind."""
