"""Runs exported programs: those of Python and NumPy here, those of other libraries in a process of their own."""

import importlib.util
import json
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

from engine.autograd import topological_order
from engine.code import TARGETS, CodeError
from engine.code.libraries import LIBRARIES
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer, trained_at
from engine.experiment.consistency import check_consistent
from engine.graph import GraphNames
from engine.views.graph_view import GraphView

HERE = ("python", "numpy")
"""Targets that run in this process; the others change settings of their libraries."""
ELSEWHERE = tuple(name for name, library in LIBRARIES.items() if name not in HERE)
LARGEST_DIFFERENCE = 1e-9
RUN_ALL = """
import json, runpy, sys
from contextlib import redirect_stdout
with redirect_stdout(sys.stderr):
    largest = {path: runpy.run_path(path)["largest"] for path in sys.argv[1:]}
print(json.dumps(largest))
"""


def is_installed(target):
    """True when the library of a target is there."""
    package = LIBRARIES[target].package
    return not package or importlib.util.find_spec(package) is not None


def graph_of(*roots, parameters=()):
    """A graph view as the canvas has it, without groups."""
    return GraphView(roots, GraphNames(roles={id(value): "parameter" for value in parameters}))


def document(steps=0, data=None, network=None, **training):
    """A session with a network that is trained for some steps."""
    made = replace_section(Document(), "data", **(data or {}))
    made = replace_section(made, "network", **(network or {}))
    made = replace_section(made, "training", **training)
    if steps:
        trainer = make_trainer(made, make_model(made), check_consistent(made))
        trainer.run(steps)
        made = replace(made, trained=trained_at(trainer.snapshot(figures=False)))
    return made


def run_here(text, folder):
    """The variables of a program after it ran, and what it printed."""
    path = folder / "exported.py"
    path.write_text(text, encoding="utf-8")
    with redirect_stdout(StringIO()) as printed:
        variables = runpy.run_path(str(path))
    return variables, printed.getvalue()


def run_all_here(texts, folder):
    """The largest difference of each program."""
    return [run_here(text, folder)[0]["largest"] for text in texts]


def run_elsewhere(texts, folder):
    """The largest difference of each program, all run in one process."""
    paths = [folder / f"exported_{i}.py" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", RUN_ALL, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert not done.returncode, done.stderr[-3000:]
    return list(json.loads(done.stdout.splitlines()[-1]).values())


def agree(target, cases, folder):
    """Export every case (document, graph) and run it; it compares its numbers itself."""
    texts = []
    for made, graph in cases:
        try:
            texts.append(TARGETS[target].function(made, graph))
        except CodeError:
            assert not LIBRARIES[target].has_arrays
            assert any(value.shape for value in topological_order(graph.root))
    run = run_all_here if target in HERE else run_elsewhere
    found = run(texts, folder)
    assert all(largest < LARGEST_DIFFERENCE for largest in found)
    return len(found)
