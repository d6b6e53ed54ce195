"""Contents common to all text formats of a graph: its nodes with their numbers at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from engine.graph.legibility import PLAIN_CHOICE, FormChoice
from engine.graph.picture import BoxNumbers
from engine.teaching.walk import LookUp


@dataclass(frozen=True)
class Numbered:
    """A graph as `build_graph` makes it, with its numbers.

    Attributes:
        graph: the graph.
        look_up: all digits, for programs.
        readings: rounded as on the canvas, for people; by key.
        choice: the form of its boxes, and the direction.
    """

    graph: nx.DiGraph
    look_up: LookUp
    readings: Mapping[str, BoxNumbers]
    choice: FormChoice = PLAIN_CHOICE

    def numbers(self, key: str) -> tuple[Any, Any]:
        """Return data and gradient of a box; None where not computed, and for a group with several outputs."""
        a = self.graph.nodes[key]
        return (None, None) if len(a.get("outputs", ())) > 1 else self.look_up(a["value"])

    def described(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every node with its entries for programs; numbers are floats, nested lists, or None."""
        for key, a in self.graph.nodes(data=True):
            if a["kind"] == "op":
                yield key, {"kind": "op", "label": a["text"], "op": a["op"].name}
                continue
            value, (data, grad) = a["value"], self.numbers(key)
            op = value.op.name if value.op is not None and not a["members"] else ""
            about = {"kind": "value", "label": a["label"], "role": a["role"], "op": op, "members": a["members"]}
            problem = self.readings[key].problem
            yield key, about | {"data": _plain(data), "grad": _plain(grad)} | ({"problem": problem} if problem else {})


def _plain(number: Any) -> Any:
    return number.tolist() if isinstance(number, np.ndarray) else None if number is None else float(number)


def without_controls(text: str) -> str:
    """The text without what XML and terminals cannot hold: control characters and lone surrogates."""
    clean = text.encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in clean)


def unique_names(graph: nx.DiGraph) -> dict[str, str]:
    """Return keys without control characters; a prime distinguishes two that become equal."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in graph:
        name = without_controls(key)
        while name in taken:
            name += "'"
        taken.add(name)
        names[key] = name
    return names
