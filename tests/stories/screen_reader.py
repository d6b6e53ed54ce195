"""A screen reader's way through the window, run by the system's Python: `walk` once, or `hammer` until it ends."""

import json
import os
import sys
import time
from pathlib import Path

import pyatspi

PATIENCE_SECONDS = 300
ENOUGH_NODES = 100
"""After so many a hammered window may end: the file `read` says so."""
UNREAD = ("filler", "panel", "scroll pane", "unknown", "viewport")
"""Roles of parts without a meaning of their own."""


def program():
    """The program on the bus; None while it is not there."""
    desktop = pyatspi.Registry.getDesktop(0)
    desktop.clearCache()
    for place in range(desktop.childCount):
        found = desktop.getChildAtIndex(place)
        if found is not None and "gradstep" in (found.name or "").lower():
            found.clearCache()
            return found
    return None


def everything(part):
    """The parts under one, depth first."""
    if part is not None:
        yield part
        for place in range(part.childCount):
            yield from everything(part.getChildAtIndex(place))


def find_graph(part, depth=0):
    """The list with the nodes."""
    if part is None or part.name == "computation graph":
        return part
    if depth < 7:
        for place in range(part.childCount):
            found = find_graph(part.getChildAtIndex(place), depth + 1)
            if found is not None:
                return found
    return None


def walk():
    """Names of the nodes, and the controls that can be seen and have none."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        app = program()
        graph = find_graph(app) if app is not None else None
        if graph is not None and graph.childCount:
            break
        time.sleep(0.3)
    nodes = [graph.getChildAtIndex(place).name for place in range(graph.childCount)]
    controls, unnamed = 0, []
    for part in everything(app):
        states, role = part.getState(), part.getRoleName()
        if states.contains(pyatspi.STATE_FOCUSABLE) and states.contains(pyatspi.STATE_SHOWING) and role not in UNREAD:
            controls += 1
            if not (part.name or "").strip():
                unnamed.append(f"{role}: {part.description}")
    return {"nodes": nodes, "controls": controls, "unnamed": unnamed}


def hammer(process):
    """Read the nodes again and again until the program has ended, whatever has gone meanwhile."""
    count, failures, graph = 0, 0, None
    while _runs(process):
        try:
            if graph is None:
                graph = find_graph(program())
                time.sleep(0.05)
                continue
            graph.clearCache()
            for place in range(graph.childCount):
                node = graph.getChildAtIndex(place)
                if node is not None:
                    node.clearCache()
                    node.name, node.description, node.getState(), node.getRelationSet()
                    node.queryComponent().getExtents(0)
                    count += node.getRoleName() == "list item"
            if count > ENOUGH_NODES:
                Path("read").touch()
        except Exception:
            failures, graph = failures + 1, None
    return {"nodes": count, "failures": failures}


def _runs(process):
    try:
        with Path(f"/proc/{process}/stat").open() as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    print(json.dumps(walk() if sys.argv[1] == "walk" else hammer(int(sys.argv[2]))), flush=True)
    os._exit(0)
