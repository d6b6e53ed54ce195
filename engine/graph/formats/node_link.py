"""Graphs for other programs, as networkx reads them: GraphML and JSON.

Every node has label, role, operation, data and grad with all digits, every edge its operands. Not
computed is left out in GraphML and null in JSON. GraphML writes NaN, INF and -INF as XML's numbers do; JSON knows none
of them and gets the texts "nan", "inf", "-inf". Python's `float` reads all six.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import networkx as nx

from engine.graph.formats.numbered import Numbered, unique_names, without_controls

_XML_NUMBERS = {"nan": "NaN", "inf": "INF", "-inf": "-INF"}
_DOUBLE_KEY = re.compile(r'<key id="(\w+)"[^>]*attr\.type="double"')


def graphml(numbered: Numbered) -> str:
    """GraphML (graphml.graphdrawing.org); arrays are texts in it, written as JSON."""
    names = unique_names(numbered.graph)
    plain = nx.DiGraph()
    for key, about in numbered.described():
        filled = {name: _graphml_value(value) for name, value in about.items() if value not in (None, "")}
        plain.add_node(names[key], **filled)
    for source, target, a in numbered.graph.edges(data=True):
        operands = json.dumps(a["operands"])
        plain.add_edge(names[source], names[target], multiplicity=a.get("multiplicity", 1), operands=operands)
    text = "\n".join(nx.generate_graphml(plain))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{_with_xml_numbers(text)}\n'


def _with_xml_numbers(text: str) -> str:
    """Python's nan and inf, in the data that are numbers, as XML Schema writes them."""
    keys = "|".join(_DOUBLE_KEY.findall(text))
    return re.sub(rf'(<data key="(?:{keys})">)(nan|-?inf)<', lambda m: f"{m[1]}{_XML_NUMBERS[m[2]]}<", text)


def _graphml_value(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(_finite(value))
    return without_controls(value) if isinstance(value, str) else value


def node_link_json(numbered: Numbered) -> str:
    """JSON as `networkx.node_link_graph(..., edges="edges")` reads it."""
    nodes = [{"id": key, **about, **_finite_numbers(about)} for key, about in numbered.described()]
    edges = [
        {"source": source, "target": target, "multiplicity": a.get("multiplicity", 1), "operands": list(a["operands"])}
        for source, target, a in numbered.graph.edges(data=True)
    ]
    whole = {"directed": True, "multigraph": False, "graph": {"name": "gradstep"}, "nodes": nodes, "edges": edges}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _finite_numbers(about: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _finite(about[name]) for name in ("data", "grad") if name in about}


def _finite(number: Any) -> Any:
    """Return numbers that JSON can hold; others become text."""
    if isinstance(number, list):
        return [_finite(part) for part in number]
    return str(number) if isinstance(number, float) and not math.isfinite(number) else number
