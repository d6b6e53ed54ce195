"""A computation graph as a Python program that computes every value and gradient again and compares them."""

from __future__ import annotations

import builtins
import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from engine.autograd import OPS, Constant, Value, apply, gradients_of, name_of, topological_order
from engine.code.libraries import ENGINE, INDENT, LONGEST_LINE, CodeError, Library, function_name, wrapped
from engine.views.graph_view import GraphView

MOST_VALUES, MOST_NUMBERS = 5_000, 200_000
SMALLEST_RATE, SAME = 1e-12, 1e-9
LONGEST_NAME, LONGEST_ADAPTED = 40, 16
"""Limits of characters of a label that is a name as it is, and of one from which a name is made."""
_TAKEN = {"jax", "jnp", "np", "torch", "math", "sys", "random", "Value", "forward", "nudges", "compare", "leaves"}
_TAKEN |= {*dir(builtins), *map(function_name, OPS.values())}


def graph_source(graph: GraphView, library: Library, learning_rate: float) -> str:
    """Return the body of a program for a graph.

    Args:
        graph: of one number, whose gradients are computed; with the values beside it.
        library: that the program is written for.
        learning_rate: of the step that it makes; a tenth of it, and so on, where the result is not finite.

    Raises:
        CodeError: when the graph is too large, holds something that the library or any program lacks, or a number
            that is not finite.
    """
    order, root = graph.values, graph.roots[0]
    gradients = _checked(root, order, library)
    names = identifiers(order, library)
    leaves = [value for value in order if value.op is None and not isinstance(value, Constant)]
    used = set(topological_order(root))
    moved = [leaf for leaf in leaves if graph.names.roles.get(id(leaf)) == "parameter" and leaf in used]
    moved = moved or [leaf for leaf in leaves if leaf in used]
    rate, after = _one_step(root, moved, gradients, learning_rate)
    if library.name == "jax":
        forward = _forward(library, order, names, lambda name: f' + nudges["{name}"]', first="nudges, ")
    else:
        forward = _forward(library, order, names)
    if library.name == "numpy":
        forward = forward.replace(f"{INDENT}return locals()\n", _backward(library, root, order, names))
    computed = ", ".join(f'"{names[value]}"' for value in order if value.op is not None)
    shown = [value for value in order if not isinstance(value, Constant)]
    training = _TRAINING[library.name].format(
        root=names[root], computed="\n".join(wrapped("COMPUTED = [", computed, "]"))
    )
    return "".join([
        engine_source(library),
        library.definitions_for(forward),
        f"\n\n{forward}",
        "\n\nleaves = {\n",
        *(
            f'{INDENT}"{names[leaf]}": {library.leaf.format(plain(leaf.data))},{label_note(leaf, names)}\n'
            for leaf in leaves
        ),
        "}\n# The leaves that a step moves against their gradients.\n",
        "\n".join(wrapped("PARAMETERS = [", ", ".join(f'"{names[leaf]}"' for leaf in moved), "]")),
        f"\nLEARNING_RATE = {rate!r}\n\n",
        f"# What Gradstep computed: each value, and the gradient of {names[root]} with respect to it.\nEXPECTED = {{\n",
        *(f'{INDENT}"{names[value]}": ({plain(value.data)}, {plain(gradients[value])}),\n' for value in shown),
        f"}}\nRESULT_AFTER_A_STEP = {after!r}\n",
        f"{library.comparison}\n\n",
        training,
        _MORE_STEPS,
    ])  # fmt: skip


def engine_source(library: Library) -> str:
    """Return what stands before everything else: the engine of plain Python."""
    if library.name == "micrograd":
        return "\nsys.setrecursionlimit(100_000)  # micrograd's backward calls itself for every value\n"
    return ENGINE if library.name == "python" else ""


_NUMBERS = '''
def result():
    """Return {root} for the leaves as they are."""
    return forward(**leaves)["{root}"].data


def train_step():
    """Move the parameters against their gradients; return all values."""
    for leaf in leaves.values():
        leaf.grad = 0.0
    values = forward(**leaves)
    values["{root}"].backward()
    for name in PARAMETERS:
        leaves[name].data -= LEARNING_RATE * leaves[name].grad
    return values


before = {{name: leaf.data for name, leaf in leaves.items()}}
values = train_step()
for name, (data, grad) in EXPECTED.items():
    compare(name, before.get(name, values[name].data), data)
    compare(f"gradient of {{name}}", values[name].grad, grad)
compare("{root} after a step", result(), RESULT_AFTER_A_STEP)
'''
_TRAINING = {
    "python": _NUMBERS,
    "micrograd": _NUMBERS,
    "numpy": '''
def result():
    """Return {root} for the leaves as they are."""
    return float(forward(**leaves)["{root}"])


def train_step():
    """Move the parameters against their gradients; return all values and gradients before that."""
    values = forward(**leaves)
    for name in PARAMETERS:
        leaves[name] = leaves[name] - LEARNING_RATE * values["d_" + name]
    return values


values = train_step()
for name, (data, grad) in EXPECTED.items():
    compare(name, values[name], data)
    compare(f"gradient of {{name}}", values.get("d_" + name, np.zeros(np.shape(data))), grad)
compare("{root} after a step", result(), RESULT_AFTER_A_STEP)
''',
    "pytorch": '''
def result():
    """Return {root} for the leaves as they are."""
    return forward(**leaves)["{root}"].item()


def train_step():
    """Move the parameters against their gradients; return all values."""
    values = forward(**leaves)
    for value in values.values():
        value.retain_grad()
        value.grad = None
    values["{root}"].backward()
    for name in PARAMETERS:
        moved = leaves[name] - LEARNING_RATE * leaves[name].grad
        leaves[name] = moved.detach().requires_grad_()
    return values


values = train_step()
for name, (data, grad) in EXPECTED.items():
    compare(name, values[name], data)
    found = values[name].grad  # None where {root} does not depend on it
    compare(f"gradient of {{name}}", torch.zeros_like(values[name]) if found is None else found, grad)
compare("{root} after a step", result(), RESULT_AFTER_A_STEP)
''',
    "jax": '''
# JAX returns gradients of arguments only, so 0 is added to every computed value: that 0 has the value's gradient.
{computed}
nudges = {{name: jnp.zeros(np.shape(EXPECTED[name][0])) for name in COMPUTED}}


def result_and_values(nudges, leaves):
    values = forward(nudges, **leaves)
    return values["{root}"], values


def result():
    """Return {root} for the leaves as they are."""
    return float(forward(nudges, **leaves)["{root}"])


def train_step():
    """Move the parameters against their gradients; return all values and gradients before that."""
    (of_nudges, of_leaves), values = jax.grad(result_and_values, argnums=(0, 1), has_aux=True)(nudges, leaves)
    for name in PARAMETERS:
        leaves[name] = leaves[name] - LEARNING_RATE * of_leaves[name]
    return values, of_nudges | of_leaves


values, gradients = train_step()
for name, (data, grad) in EXPECTED.items():
    compare(name, values[name], data)
    compare(f"gradient of {{name}}", gradients[name], grad)
compare("{root} after a step", result(), RESULT_AFTER_A_STEP)
''',
}
_MORE_STEPS = """print(f"largest difference from Gradstep's numbers: {largest:.3g}")

MORE_STEPS = 0  # a larger number goes on training
for _ in range(MORE_STEPS):
    train_step()
if MORE_STEPS:
    print(f"result after {MORE_STEPS + 1} steps: {result()!r}")
"""


def _checked(root: Value, order: Sequence[Value], library: Library) -> dict[Value, Any]:
    """Return the gradients, after checking that a program can compute the graph."""
    if root.shape:
        raise CodeError(
            f"the result has the shape {root.shape}, and only a single number has gradients: end the program with "
            "a sum or a mean of it"
        )
    if len(order) > MOST_VALUES or sum(np.size(value.data) for value in order) > MOST_NUMBERS:
        raise CodeError(
            f"the graph is too large for a readable program: {len(order):,} values, at most {MOST_VALUES:,} with "
            f"{MOST_NUMBERS:,} numbers"
        )
    for value in order:
        entry = OPS.get(value.op.name) if value.op is not None else None
        if value.op is not None and (value.op.pull is not None or entry is None or entry.value != value.op.value):
            raise CodeError(
                f"{name_of(value)} is computed by an operation that the program defines itself; there is no formula "
                "to write down: use operations of Value"
            )
        if not library.has_arrays and value.shape:
            raise CodeError(
                f"{name_of(value)} is an array of the shape {value.shape}, and {library.title} computes with single "
                "numbers: choose NumPy, PyTorch or JAX"
            )
    gradients = gradients_of(root)
    for value in order:
        if isinstance(value, Constant):
            continue
        gradient = gradients.setdefault(value, np.zeros(value.shape) if value.shape else 0.0)
        for thing, numbers in (("value", value.data), ("gradient", gradient)):
            if not np.all(np.isfinite(numbers)):
                raise CodeError(f"the {thing} of {name_of(value)} is not a finite number, which nothing compares with")
        if value.op is not None:
            again = apply(value.op, *value.inputs).data
            if not np.allclose(again, value.data, rtol=SAME, atol=SAME):
                raise CodeError(
                    f"{name_of(value)} is {value.data!r}, but computed from its inputs {again!r}: the program has "
                    "changed its data; a program that computes it from the leaves cannot have this value"
                )
    return gradients


def identifiers(order: Sequence[Value], library: Library) -> dict[Value, str]:
    """Return a Python name for each value: its label where that is one or nearly one, else a numbered `v`."""
    names: dict[Value, str] = {}
    used, unnamed = {*_TAKEN, *library.definitions}, 0
    for value in sorted(order, key=lambda value: not _is_name(value.label)):
        name = value.label
        if not _is_name(name) and re.match("[A-Za-z]", name) and name.isascii() and len(name) <= LONGEST_ADAPTED:
            name = re.sub(r"\W+", "_", name).strip("_")
            name = name if _is_name(name) else f"v_{name}"
        if not _is_name(name):
            unnamed += value.op is not None
            name = "c" if value.op is None else f"v{unnamed}"
        free, again = name, 1
        while free in used:
            again += 1
            free = f"{name}_{again}"
        used.add(free)
        names[value] = free
    return names


def label_note(value: Value, names: Mapping[Value, str]) -> str:
    """Return a comment with the label of a value that has another name in the program; "" for the same name."""
    return f"  # {value.label!r}" if value.label and value.label != names[value] else ""


def _is_name(text: str) -> bool:
    """Return True for a text that can be a variable of the program as it is."""
    plain = text.isidentifier() and unicodedata.normalize("NFKC", text) == text and len(text) <= LONGEST_NAME
    return plain and not keyword.iskeyword(text) and not text.startswith(("d_", "__"))


def _forward(
    library: Library,
    order: Sequence[Value],
    names: dict[Value, str],
    added: Callable[[str], str] = lambda name: "",
    first: str = "",
) -> str:
    """Return the function that computes the graph from its leaves, as a dictionary of all values."""
    leaves = [names[value] for value in order if value.op is None and not isinstance(value, Constant)]
    lines = forward_lines(library, order, names, added)
    head = wrapped("def forward(", f"{first}{', '.join(leaves)}", "):")
    words = f'{INDENT}"""Compute every value of the graph from its leaves."""'
    return "\n".join([*head, words, *(f"{INDENT}{line}" for line in lines), f"{INDENT}return locals()", ""])


def forward_lines(
    library: Library, order: Sequence[Value], names: dict[Value, str], added: Callable[[str], str] = lambda name: ""
) -> list[str]:
    """Return a line for every computed value, and for a constant that a function takes."""
    constants, lines = set[Value](), list[str]()
    for value in order:
        if value.op is None:
            continue
        written = inline_numbers(value)
        for place, source in enumerate(value.inputs):
            if isinstance(source, Constant) and not written[place] and source not in constants:
                constants.add(source)
                lines.append(f"{names[source]} = {library.leaf.format(plain(source.data))}")
        operands = [repr(s.data) if number else names[s] for s, number in zip(value.inputs, written, strict=True)]
        line = wrapped(f"{names[value]} = ", library.call(value.op, operands, written) + added(names[value]))
        note = label_note(value, names)
        lines += [*line[:-1], line[-1] + (note if len(line[-1]) + len(note) <= LONGEST_LINE else "")]
    return lines


def inline_numbers(value: Value) -> list[bool]:
    """Return for each input of a computed value if it is a constant written as a number beside another operand."""
    assert value.op is not None
    constant = [isinstance(source, Constant) and not source.shape for source in value.inputs]
    if value.op.paired or not value.op.infix or all(constant) or len(constant) == 1:
        return [False] * len(constant)
    if value.op.infix == "**":
        return [False, constant[1]]
    return constant if value.op.infix in ("+", "-", "*", "/") else [False, False]


def _backward(library: Library, root: Value, order: Sequence[Value], names: dict[Value, str]) -> str:
    """Return the lines that compute every gradient by the chain rule, and the end of the function."""
    lines = backward_lines(library, root, order, names)
    start = ["", "# Backward: each value hands its gradient d_... to its inputs.", f"d_{names[root]} = 1.0"]
    return "\n".join([f"{INDENT}{line}".rstrip() for line in [*start, *lines, "return locals()"]]) + "\n"


def backward_lines(
    library: Library, root: Value, order: Sequence[Value], names: dict[Value, str], fixed: Collection[Value] = ()
) -> list[str]:
    """Return a line for every contribution to a gradient `d_name`, from the last value to the first.

    Args:
        library: NumPy's.
        root: the value that is differentiated.
        order: inputs before the values that use them.
        names: of the values.
        fixed: leaves that need no gradient, such as data.
    """
    lines, known = [], {root}
    for value in reversed(order):
        if value.op is None or value not in known:
            continue
        written = inline_numbers(value)
        operands = [repr(s.data) if number else names[s] for s, number in zip(value.inputs, written, strict=True)]
        for index, source in enumerate(value.inputs):
            if isinstance(source, Constant) or source in fixed:
                continue
            share = library.vjp(value.op, index, operands, names[value], f"d_{names[value]}")
            spread = value.op.elementwise and source.shape != value.shape
            stacked = bool(value.op.infix and value.op.vjps) and max(len(each.shape) for each in value.inputs) > 2
            if spread or stacked:  # of a stack of matrices times one matrix, too
                share = f"summed_like({share}, {names[source]})"
            target = f"d_{names[source]}"
            lines += wrapped(f"{target} = {target} + " if source in known else f"{target} = ", share)
            known.add(source)
    return lines


def plain(data: Any) -> str:
    """Return a number or an array as source text with all digits."""
    return repr(data.tolist() if isinstance(data, np.ndarray) else float(data))


def _one_step(
    root: Value, parameters: Collection[Value], gradients: Mapping[Value, Any], rate: float
) -> tuple[float, float]:
    """Return a learning rate, and the result after one step with it, computed by the engine."""
    order = topological_order(root)
    while True:
        moved: dict[Value, Value] = {}
        for value in order:
            if value.op is not None:
                moved[value] = apply(value.op, *(moved[source] for source in value.inputs))
            else:
                moved[value] = Value(value.data - rate * gradients[value]) if value in parameters else value
        if math.isfinite(moved[root].data):
            return rate, moved[root].data
        if rate <= SMALLEST_RATE:
            raise CodeError("no step against the gradient has a finite result")
        rate /= 10
