"""No rule of an operation stands outside the table: nonsense put into it comes out of everybody who reads it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from engine.autograd import OPS

ROOT = Path(__file__).resolve().parents[3]

BEFORE_ANYBODY_READS_THE_TABLE = """
import sys, types

package = types.ModuleType("engine.autograd")
package.__path__ = ["engine/autograd"]
sys.modules["engine.autograd"] = package
from engine.autograd.ops import OPS, Op

del sys.modules["engine.autograd"]


def computed(text):
    # The component for programs has the table that it was built with, and is built again when the table changes.
    from engine.language.guest.engines import ClassWatch
    from engine.language.guest.program import Program

    return Program(text, ClassWatch()).run()
"""

ONE_ENTRY_MORE = """
new = [
    Op("angle", "arctan2(a, b)", ("b / (a**2 + b**2)", "-a / (a**2 + b**2)"), rule="The angle of a point."),
    Op("lessone", "expm1(x)", ("exp(x)",), activation=True, rule="The exponential less 1."),
    Op("wave", "sinc(x)", ("where(x == 0, 0.0, (cos(pi * x) - sinc(x)) / x)",), activation=True, rule="sin(πx)/(πx)."),
]
OPS.update({op.name: op for op in new})

from engine.autograd import Value, apply, check_gradients, expand, name_of
from engine.teaching import Explainer, Walk
from engine.graph import build_graph
from engine.graph.formats import FORMATS, write_graph
from engine.language import completions
from engine.network import MLP, Trainer

for op in new:
    arguments = ", ".join("ab"[: op.arity])
    a, b = Value(0.7, "a"), Value(1.3, "b")
    root = apply(op, *(a, b)[: op.arity]) * 2
    assert computed(f"a = 0.7\\nb = 1.3\\ny = {op.name}({arguments}) * 2\\ny") == root.data
    assert computed(f"a = 0.7\\nb = 1.3\\n{op.name}({arguments})")._gradstep_op == op.name
    root.backward()
    assert all(row.ok and row.agreeing_digits > 6 for row in check_gradients(root)), op
    assert op.rule in Explainer(root).explain(a).text
    assert expand(root).root.data == root.data
    assert name_of(root.inputs[0]) == f"{op.name}({arguments.replace(' ', '')})"
    assert op.name in Walk(root).script[0].numbers and op.name in [c.text for c in completions("", 0)]
    assert all(op.name in write_graph(build_graph(root), name) for name in FORMATS if name != "txt")
for name, words in (("lessone", []), ("wave", ["sinc is not one of numpy's universal functions"])):
    trainer = Trainer(MLP(2, [3, 1], activation=name), X=[[0.1, 0.2], [0.3, -0.4]], y=[1.0, -1.0], learning_rate=0.01)
    trainer.step()
    assert len(trainer.notes) == len(words) and all(word in note for word, note in zip(words, trainer.notes))
print("everywhere")
"""

NONSENSE = """
chosen = [op for op in OPS.values() if op.partials and (op.name == "weighted_sum") == (sys.argv[1] == "weighted_sum")]
for k, op in enumerate(chosen, start=2):
    if op.paired:
        value, partials = f"{k}.0 * dot(w, x) - 7.0 * b", ("51.0", "52.0", "53.0")
    elif op.variadic:
        value, partials = f"{k}.0 * dot(x, x)", (f"{k + 50}.0",)
    elif op.arity == 1:
        value, partials = f"{k}.0 * x + 1.0", (f"{k + 50}.0",)
    else:
        value, partials = f"{k}.0 * a - b", (f"{k + 50}.0", f"{k + 51}.0")
    vars(op).update(value=value, partials=partials, kink="", at_kink="", nonzero="")
    if op.expansion:
        vars(op).update(expansion="y = -b" if op.paired else "y = sum(x) - 3" if op.variadic else "y = -x")

import builtins
import numpy as np
import random
from engine.autograd import Value, apply, check_gradients, contributions, expand, local_derivatives
from engine.autograd import Replay, recompute, neuron_sum, topological_order
from engine.teaching import Explainer, Walk
from engine.network import LOSSES, MLP
from engine.network.objective import scalar_objective
from engine.network.fast.fast_program import FastProgram, make_program

POINT = (0.5, 2.0, 4.0, 8.0, 16.0)


def expected(op, k, numbers):
    if op.paired:
        w, x, b = numbers[0:-1:2], numbers[1:-1:2], numbers[-1]
        return k * sum(p * q for p, q in zip(w, x)) - 7 * b, [51.0, 52.0, 51.0, 52.0, 53.0]
    if op.variadic:
        return k * sum(x * x for x in numbers), [k + 50.0] * len(numbers)
    if op.arity == 1:
        return k * numbers[0] + 1, [k + 50.0]
    return k * numbers[0] - numbers[1], [k + 50.0, k + 51.0]


for k, op in enumerate(chosen, start=2):
    numbers = POINT[: op.arity or len(POINT)]
    values = [Value(number, f"v{i}") for i, number in enumerate(numbers)]
    root = apply(op, *values)
    data, partials = expected(op, k, numbers)
    assert root.data == data, op
    root.backward()
    assert [value.grad for value in values] == partials == local_derivatives(root), op
    assert [term.amount for term in contributions(root)] == partials, op
    assert [step.contribution.amount for step in Walk(root).script[2:]] == partials, op
    rows = {row.value: row for row in check_gradients(root)}
    h = 1e-6
    for i, value in enumerate(values):
        moved = [n + h * (i == j) for j, n in enumerate(numbers)]
        slope = (expected(op, k, moved)[0] - data) / h
        assert abs(rows[value].central_difference - slope) < 1e-3 * max(1, abs(slope)), op
        assert abs(rows[value].complex_step - slope) < 1e-3 * max(1, abs(slope)), op
        assert not rows[value].ok, op
    partial = Explainer(root).explain(values[0]).text
    assert f"= {partials[0]:g}" in partial, (op, partial)
    assert abs(Replay(root).root_data({values[0]: 3.0}) - expected(op, k, (3.0, *numbers[1:]))[0]) < 1e-9
    order = topological_order(root)
    recompute(order)
    assert root.data == data
    if op.elementwise:
        arrays = [Value(np.array([n, n])) for n in numbers]
        whole = apply(op, *arrays)
        assert np.all(whole.data == data), op
        whole.sum().backward()
        assert [a.grad[0] for a in arrays] == partials, op
    if not op.infix:
        text = "\\n".join(f"v{i} = {n}" for i, n in enumerate(numbers))
        written = computed(text + f"\\n{op.name}({', '.join(f'v{i}' for i in range(len(numbers)))})")
        assert written._gradstep_op == op.name, op
        assert written == data or hasattr(builtins, op.name), op  # Python's own abs, max and min give Python's numbers
    elif op.arity == 2:
        assert computed(f"a = 0.5\\nb = 2.0\\na {op.infix} b")._gradstep_op == op.name, op
        assert eval(f"a {op.infix} b", {"a": values[0], "b": values[1]}).data == data, op
    else:
        assert (-values[0]).data == data
    if op.expansion:
        last = "y = -x" in op.expansion or op.paired
        made = expand(root).root
        assert made.op is OPS["neg"] if last else made.op is OPS["sub"], op
    if op.paired:
        parameters, inputs = (values[0], values[2], values[4]), (values[1], values[3])
        assert neuron_sum(parameters, inputs, [v.data for v in inputs]).data == data

X, y = np.random.RandomState(0).normal(size=(1, 2)), np.ones((1, 1))
if sys.argv[1] == "weighted_sum":
    model = MLP(2, [3, 1], rng=random.Random(0))
    note = make_program(model, LOSSES["hinge"], X, y.T, "float64").note
    assert "weighted_sum" in note, note
else:
    for name in (op.name for op in chosen if op.activation):
        model, loss = MLP(2, [3, 1], activation=name, rng=random.Random(0)), LOSSES["sum_squared_error"]
        scalar = scalar_objective(model, loss, X, y.T)
        scalar.backward()
        program = FastProgram(model, loss)
        batch = program.batches(X, y.T, np.arange(1), 1)[0]
        assert abs(batch.forward() - scalar.data) <= 1e-9 * abs(scalar.data), name
        batch.backward()
        assert np.allclose(program.flat.gradients, [p.grad for p in model.parameters()], rtol=1e-9), name
print("followed", len(chosen))
"""


def run(program, *arguments):
    """The program run in a Python of its own, which loads the table and runs it before anything else is loaded."""
    command = [sys.executable, "-c", BEFORE_ANYBODY_READS_THE_TABLE + program, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_one_entry_with_functions_of_numpy_nobody_used_is_everywhere_without_another_edit():
    found = run(ONE_ENTRY_MORE)
    assert found.stdout == "everywhere\n", found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("which", ["weighted_sum", "all others"])
def test_nonsense_in_the_table_comes_out_of_every_reader(which):
    found = run(NONSENSE, which)
    n_changed = 1 if which == "weighted_sum" else sum(bool(op.partials) for op in OPS.values()) - 1
    assert found.stdout == f"followed {n_changed}\n", found.stderr


def names_of_operations(tree):
    """Names of operations that a program picks out by themselves: OPS["tanh"], op.name == "tanh", in ("mul", "div")."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("OPS"):
            compared = [node.slice]
        elif isinstance(node, ast.Compare) and "op.name" in ast.unparse(node):
            compared = [*ast.walk(node)]
        else:
            continue
        yield from (each.value for each in compared if isinstance(each, ast.Constant) and each.value in OPS)


@pytest.mark.long
def test_no_operation_is_picked_out_by_its_name_outside_the_table():
    files = [path for folder in ("engine", "gui", "datasets") for path in (ROOT / folder).rglob("*.py")]
    named = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (*files, ROOT / "main.py")
        if path != ROOT / "engine/autograd/ops.py"
        and ROOT / "engine/language/guest/packages" not in path.parents  # others' interfaces name operations
        for name in names_of_operations(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert not named
    bad = 'OPS["tanh"]; x.op.name == "relu"; y = op.name in ("mul", "div")'
    assert sorted(names_of_operations(ast.parse(bad))) == ["div", "mul", "relu", "tanh"]
