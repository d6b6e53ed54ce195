"""A computation graph as a Python program that computes every value and gradient again and compares them."""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from engine.autograd import Constant, Value, apply, gradients_of, name_of, topological_order
from engine.code.libraries import ENGINE, INDENT, LONGEST_LINE, CodeError, Library

MOST_VALUES, MOST_NUMBERS = 5_000, 200_000
FIRST_RATE, SMALLEST_RATE = 0.01, 1e-12
_TAKEN = {"jax", "jnp", "np", "torch", "math", "sys", "forward", "leaves", "values", "difference", "nudges", "locals"}
_TAKEN |= {"Value", "EXPECTED", "LEARNING_RATE", "LOSS_AFTER_A_STEP", "result", "gradients", "largest", "float", "max"}


def graph_source(root: Value, library: Library) -> str:
    """Return the body of a program for the graph of a number.

    Raises:
        CodeError: when the graph is too large, holds something that the library or any program lacks, or a number
            that is not finite.
    """
    order = topological_order(root)
    gradients = _checked(root, order, library)
    names = identifiers(order)
    leaves = [value for value in order if value.op is None and not isinstance(value, Constant)]
    computed = [value for value in order if value.op is not None]
    if library.name == "jax":
        forward = _forward(library, order, names, lambda name: f' + nudges["{name}"]', first="nudges, ")
    else:
        forward = _forward(library, order, names)
    if library.name == "numpy":
        forward = forward.replace(f"{INDENT}return locals()\n", _backward(library, root, order, names))
    rate, after = _one_step(root, order, gradients)
    renamed = [(names[value], value.label) for value in order if value.label and value.label != names[value]]
    parts = [
        library.definitions_for(forward),
        f"\n{library.difference}",
        f"\n\n{forward}",
        "\n\nleaves = {\n" + "".join(_leaf_line(library, names[leaf], leaf.data) for leaf in leaves) + "}\n",
        "".join(f"# {name} stands for {label!a}\n" for name, label in renamed),
        "# What Gradstep computed: the value, and the gradient of the result with respect to it.\nEXPECTED = {\n",
        *(
            f'{INDENT}"{names[value]}": ({plain(value.data)}, {plain(gradients[value])}),\n'
            for value in order
            if not isinstance(value, Constant)
        ),
        f"}}\nLEARNING_RATE = {rate!r}\nLOSS_AFTER_A_STEP = {after!r}\n\n",
        _RUN[library.name].format(root=names[root], computed=", ".join(f'"{names[value]}"' for value in computed)),
    ]
    return engine_source(library) + "".join(parts)


def engine_source(library: Library) -> str:
    """Return what stands before everything else: the engine of plain Python."""
    if library.name == "micrograd":
        return "\nsys.setrecursionlimit(100_000)  # micrograd's backward calls itself for every value\n"
    return ENGINE if library.name == "python" else ""


_RUN = {
    "python": """values = forward(**leaves)
values["{root}"].backward()
largest = 0.0
for name, (data, grad) in EXPECTED.items():
    largest = max(largest, difference(values[name].data, data), difference(values[name].grad, grad))

for leaf in leaves.values():
    leaf.data -= LEARNING_RATE * leaf.grad
result = forward(**leaves)["{root}"].data
largest = max(largest, difference(result, LOSS_AFTER_A_STEP))
""",
    "numpy": """values = forward(**leaves)
largest = 0.0
for name, (data, grad) in EXPECTED.items():
    largest = max(largest, difference(values[name], data), difference(values["d_" + name], grad))

result = forward(**{{name: leaf - LEARNING_RATE * values["d_" + name] for name, leaf in leaves.items()}})["{root}"]
largest = max(largest, difference(result, LOSS_AFTER_A_STEP))
""",
    "torch": """values = forward(**leaves)
for value in values.values():
    value.retain_grad()
values["{root}"].backward()
largest = 0.0
for name, (data, grad) in EXPECTED.items():
    largest = max(largest, difference(values[name], data), difference(values[name].grad, grad))

with torch.no_grad():
    for leaf in leaves.values():
        leaf -= LEARNING_RATE * leaf.grad
result = forward(**leaves)["{root}"]
largest = max(largest, difference(result, LOSS_AFTER_A_STEP))
""",
    "jax": """# JAX returns gradients of arguments only, so 0 is added to every computed value: its gradient is the value's.
nudges = {{name: jnp.zeros(np.shape(EXPECTED[name][0])) for name in [{computed}]}}
values = forward(nudges, **leaves)
result_of = lambda nudges, leaves: forward(nudges, **leaves)["{root}"]
of_nudges, of_leaves = jax.grad(result_of, argnums=(0, 1))(nudges, leaves)
gradients = of_nudges | of_leaves
largest = 0.0
for name, (data, grad) in EXPECTED.items():
    largest = max(largest, difference(values[name], data), difference(gradients[name], grad))

result = forward(nudges, **{{name: leaf - LEARNING_RATE * of_leaves[name] for name, leaf in leaves.items()}})["{root}"]
largest = max(largest, difference(result, LOSS_AFTER_A_STEP))
""",
}
_RUN["micrograd"] = _RUN["python"]


def _checked(root: Value, order: Sequence[Value], library: Library) -> dict[Value, Any]:
    """Return the gradients, after checking that a program can compute the graph."""
    if root.shape:
        raise CodeError(f"the result has the shape {root.shape}; only a single number has gradients: add a sum or mean")
    if len(order) > MOST_VALUES or sum(np.size(value.data) for value in order) > MOST_NUMBERS:
        raise CodeError(f"the graph is too large for a program: {len(order):,} values, at most {MOST_VALUES:,}")
    for value in order:
        if value.op is not None and value.op.pull is not None:
            raise CodeError(f"{name_of(value)} is computed by a rule of your own, which has no formula to write down")
        if not library.has_arrays and value.shape:
            words = "shape " + str(value.shape)
            raise CodeError(f"{name_of(value)} is an array ({words}); {library.title} has numbers only: choose NumPy")
    gradients = gradients_of(root)
    for value in order:
        if isinstance(value, Constant):
            continue
        for thing, numbers in (("value", value.data), ("gradient", gradients.setdefault(value, np.zeros(value.shape)))):
            if not np.all(np.isfinite(numbers)):
                raise CodeError(f"the {thing} of {name_of(value)} is not a finite number; a program cannot compare it")
    return gradients


def identifiers(order: Sequence[Value]) -> dict[Value, str]:
    """Return a Python name for each value: its label where that is one, else a part of it."""
    names: dict[Value, str] = {}
    used = set(_TAKEN)
    for number, value in enumerate(order, start=1):
        plain = unicodedata.normalize("NFKD", value.label).encode("ascii", "ignore").decode()
        name = re.sub(r"\W+", "_", plain)[:40].strip("_")
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("d_"):
            name = f"c{number}" if isinstance(value, Constant) else f"v{number}" if not name else f"v_{name}"
        free, again = name, 1
        while free in used:
            again += 1
            free = f"{name}_{again}"
        used.add(free)
        names[value] = free
    return names


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
        lines += wrapped(f"{names[value]} = ", library.call(value.op, operands, written) + added(names[value]))
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
    lines = backward_lines(library, order, names)
    start = ["", "# Backward: each value hands its gradient d_... to its inputs.", f"d_{names[root]} = 1.0"]
    return "\n".join([f"{INDENT}{line}".rstrip() for line in [*start, *lines, "return locals()"]]) + "\n"


def backward_lines(
    library: Library, order: Sequence[Value], names: dict[Value, str], fixed: Collection[Value] = ()
) -> list[str]:
    """Return a line for every contribution to a gradient `d_name`, from the last value to the first.

    Args:
        library: NumPy's.
        order: inputs before the values that use them, the root last.
        names: of the values.
        fixed: leaves that need no gradient, such as data.
    """
    lines, known = [], {order[-1]}
    for value in reversed(order):
        if value.op is None:
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


def wrapped(start: str, text: str, end: str = "") -> list[str]:
    """Return `start text end` in lines of a readable length, broken after commas or before plus signs."""
    if len(start) + len(text) + len(end) <= LONGEST_LINE:
        return [f"{start}{text}{end}"]
    parts = re.split(r"(?<=,) " if start.endswith("(") else r" (?=[+] )", text)
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > LONGEST_LINE - 8:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + part
    opening, closing = ("", end) if start.endswith("(") else ("(", ")")
    return [f"{start}{opening}".rstrip(" "), *(f"{INDENT}{line}" for line in lines), f"{closing}"]


def _leaf_line(library: Library, name: str, data: Any) -> str:
    return f'{INDENT}"{name}": {library.leaf.format(plain(data))},\n'


def plain(data: Any) -> str:
    """Return a number or an array as source text with all digits."""
    return repr(data.tolist() if isinstance(data, np.ndarray) else float(data))


def _one_step(root: Value, order: Sequence[Value], gradients: dict[Value, Any]) -> tuple[float, float]:
    """Return a learning rate, and the result after one step with it, computed by the engine."""
    rate = FIRST_RATE
    while rate > SMALLEST_RATE:
        moved: dict[Value, Value] = {}
        for value in order:
            if value.op is not None:
                moved[value] = apply(value.op, *(moved[source] for source in value.inputs))
            elif isinstance(value, Constant):
                moved[value] = value
            else:
                moved[value] = Value(value.data - rate * gradients[value])
        if math.isfinite(moved[root].data):
            return rate, moved[root].data
        rate /= 10
    raise CodeError("no step against the gradient has a finite result")
