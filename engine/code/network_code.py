"""A network with its weights, data and settings as a Python program that trains it further.

The program with arrays is the graph of the objective over a batch, written line by line as any other graph. Plain
Python and micrograd loop over samples and neurons instead. The update rule, the schedule and the loss come from their
tables.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, topological_order
from engine.code.graph_code import backward_lines, engine_source, forward_lines, identifiers, wrapped
from engine.code.libraries import INDENT, LIBRARIES, LONGEST_LINE, CodeError, Library
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import PreparedData
from engine.network import LOSSES, MLP, Trainer
from engine.network.layer import ACTIVATIONS
from engine.network.losses import Loss
from engine.network.optimizers import OPTIMIZERS
from engine.network.schedules import SCHEDULES
from engine.network.settings import TrainingSettings

MOST_NUMBERS = 200_000
MOST_PRODUCTS = 2_000_000
"""Limit of samples x parameters for programs that compute number by number: some seconds a step."""


@dataclass(frozen=True, eq=False)
class _Exported:
    """What the program starts from, and the numbers that it compares."""

    model: MLP
    trainer: Trainer
    loss: Loss
    settings: TrainingSettings
    input_names: Sequence[str]
    rows: list[int]
    expected: dict[str, Any]


def network_source(document: Document, library: Library) -> str:
    """Return the body of a program for the document's network, at the step that its training has reached.

    Raises:
        CodeError: when it is too large for the library, or a number is not finite.
        ValueError: when data, sizes and loss do not fit together.
    """
    data = check_consistent(document)
    exact = replace_section(document, "training", dtype="float64")
    model = make_model(exact)
    trainer = make_trainer(exact, model, data)
    exported = _exported(model, trainer, data, library)
    network = _array_network(exported, library) if library.has_arrays else _scalar_network(exported, library)
    update, schedule = _update_source(exported.settings), _schedule_source(exported.settings)
    clipping = _clipping_source(exported.settings, library)
    functions = f"{network}{clipping}{update}{schedule}{_steps_source(exported, library)}"
    parts = [
        "\nimport math" if "math." in schedule and "import math" not in library.imports else "",
        "\nimport random" if not library.has_arrays and len(exported.rows) < trainer.data.n_samples else "",
        "\nimport numpy as np" if "np." in functions and "import numpy as np" not in library.imports else "",
        engine_source(library),
        library.definitions_for(functions),
        f"\n{library.difference}",
        functions,
        _numbers_source(exported, library),
        _CHECK.format(zero=exported.trainer.step_count),
    ]
    return "".join(parts)


def _exported(model: MLP, trainer: Trainer, data: PreparedData, library: Library) -> _Exported:
    X, T = trainer.data.X, trainer.data.targets.values
    parameters = model.weights
    if not library.has_arrays and len(X) * len(parameters) > MOST_PRODUCTS:
        raise CodeError(
            f"{len(X):,} samples and {len(parameters):,} parameters take minutes a step in {library.title}, which "
            "computes number by number; choose NumPy, PyTorch or JAX"
        )
    if X.size + T.size > MOST_NUMBERS or len(parameters) > MOST_NUMBERS:
        raise CodeError(f"the data hold {X.size + T.size:,} numbers; a program holds at most {MOST_NUMBERS:,}")
    loss, settings = LOSSES[trainer.settings.loss], trainer.settings
    update = trainer.next_update()
    outputs = np.asarray(model(X).data)
    after = model.copy()
    after.weights = update.after
    expected: dict[str, Any] = {
        "outputs": outputs,
        "loss": loss.of_arrays(outputs, T),
        "objective": update.loss + update.penalty,
        "gradients": update.gradients,
        "parameters": update.after,
        "memory": dict(update.memory),
        "loss after the step": loss.of_arrays(np.asarray(after(X).data), T),
    }
    for name, numbers in expected.items():
        for array in numbers.values() if isinstance(numbers, dict) else (numbers,):
            if not np.all(np.isfinite(array)):
                raise CodeError(f"{name}: not all numbers are finite; a program cannot compare them")
    return _Exported(model, trainer, loss, settings, data.input_names, update.rows.tolist(), expected)


# Networks of arrays: the graph of the objective


def _array_network(exported: _Exported, library: Library) -> str:
    """Return the functions `forward` and `objective_and_gradients` of a network of arrays."""
    model, settings = exported.model.copy(), exported.settings
    X, T = exported.trainer.data.X, exported.trainer.data.targets.values
    least = max(0, 3 - len(X))  # with a single sample, shapes would not show what is broadcast
    X, T = (np.concatenate([array, *[array[:1]] * least]) for array in (X, T))
    inputs, targets = Value(X, "X"), Value(T, "T")
    outputs = model(inputs)
    outputs.label = "outputs"
    root = loss = exported.loss.of_samples(outputs, targets)
    loss.label = "loss"
    penalty = settings.penalty.of_values([value for pair in model.last_arrays for value in pair])
    if penalty is not None:
        penalty.label = "penalty"
        root = loss + penalty
        root.label = "objective"
    order = topological_order(root)
    names = identifiers(order)
    parameters = [f"{names[w]}, {names[b]}" for w, b in model.last_arrays]
    fixed = {inputs, targets}
    lines = forward_lines(library, order, names)
    if library.name == "numpy":
        lines += ["", "# Backward: each value hands its gradient d_... to its inputs.", f"d_{names[root]} = 1.0"]
        lines += backward_lines(library, order, names, fixed)
    head = wrapped("def forward(", f"X, T, {', '.join(parameters)}", "):")
    words = f'{INDENT}"""Compute outputs and loss for samples X (n, {X.shape[1]}) with targets T (n, {T.shape[1]})."""'
    body = [*head, words, *(f"{INDENT}{line}".rstrip() for line in lines), f"{INDENT}return locals()"]
    return "\n\n" + "\n".join(body) + "\n" + _GRADIENTS[library.name].format(root=names[root])


_GRADIENTS = {
    "numpy": """

def objective_and_gradients(parameters, rows):
    values = forward(X[rows], T[rows], **parameters)
    return values["{root}"], {{name: values["d_" + name] for name in parameters}}


def outputs_and_loss(parameters):
    values = forward(X, T, **parameters)
    return values["outputs"], values["loss"]
""",
    "torch": """

def objective_and_gradients(parameters, rows):
    leaves = {{name: p.clone().requires_grad_() for name, p in parameters.items()}}
    objective = forward(X[rows], T[rows], **leaves)["{root}"]
    objective.backward()
    return objective.detach(), {{name: leaf.grad for name, leaf in leaves.items()}}


def outputs_and_loss(parameters):
    values = forward(X, T, **parameters)
    return values["outputs"], values["loss"]
""",
    "jax": """

@jax.jit
def _objective_and_gradients(parameters, x, t):
    return jax.value_and_grad(lambda parameters: forward(x, t, **parameters)["{root}"])(parameters)


def objective_and_gradients(parameters, rows):
    return _objective_and_gradients(parameters, X[np.array(rows)], T[np.array(rows)])


def outputs_and_loss(parameters):
    values = forward(X, T, **parameters)
    return values["outputs"], values["loss"]
""",
}


# Networks of single numbers: loops over samples and neurons


def _scalar_network(exported: _Exported, library: Library) -> str:
    settings, model, loss = exported.settings, exported.model, exported.loss
    activations = []
    for name in model.activations:
        op = ACTIVATIONS[name]
        activations.append("None" if op is None else library.name_of(op))
    output, target = Value(0.3, "output"), Value(0.7, "target")
    root = loss.term(output, target)
    order = topological_order(root)
    names = identifiers(order)
    lines = [*forward_lines(library, order, names), f"return {names[root]}"]
    penalty = [
        f"objective = objective + {strength!r} * sum({each} for p in parameters)"
        for strength, each in ((settings.l1, "absolute(p)"), (settings.l2, "p * p"))
        if strength
    ]
    n_outputs = model.n_neurons[-1]
    shared = " / len(outputs)" if loss.reduction == "mean" and not loss.normalised and n_outputs > 1 else ""
    sample = "logsumexp(outputs) - sum(terms)" if loss.normalised else f"sum(terms){shared}"
    return _SCALAR_NETWORK.format(
        sizes=[model.n_inputs, *model.n_neurons],
        activations=", ".join(activations),
        term="\n".join(f"{INDENT}{line}" for line in lines),
        formula=loss.formula,
        sample=sample,
        mean=" / len(rows)" if loss.reduction == "mean" else "",
        penalty="".join(f"{INDENT}{line}\n" for line in penalty),
    )


_SCALAR_NETWORK = '''

SIZES = {sizes}  # inputs, then the neurons of each layer


def network(parameters, x):
    """Return the outputs for one sample; the parameters are weights, then the bias, neuron by neuron."""
    supply = iter(parameters)
    for n_neurons, activate in zip(SIZES[1:], [{activations}]):
        sums = [sum(next(supply) * each for each in x) + next(supply) for _ in range(n_neurons)]
        x = [activate(each) for each in sums] if activate else sums
    return x


def loss_term(output, target):
    """{formula}"""
{term}


def loss_of(parameters, rows):
    """Return the loss over some samples, for parameters that are Values."""
    total = 0.0
    for row in rows:
        outputs = network(parameters, X[row])
        terms = [loss_term(output, target) for output, target in zip(outputs, T[row])]
        total = total + {sample}
    return total{mean}


def objective_and_gradients(parameters, rows):
    parameters = [Value(p) for p in parameters]
    objective = loss_of(parameters, rows)
{penalty}    objective.backward()
    return objective.data, [p.grad for p in parameters]


def outputs_and_loss(parameters):
    parameters = [Value(p) for p in parameters]
    outputs = [output.data for x in X for output in network(parameters, x)]
    return outputs, loss_of(parameters, range(len(X))).data
'''


# Training


def _update_source(settings: TrainingSettings) -> str:
    """Return the update of one parameter (a number or an array) by the optimizer."""
    optimizer = OPTIMIZERS[settings.optimizer]
    numbers = settings.optimizer_for(np.empty(0)).settings
    memory = "".join(f", {name}" for name in optimizer.state_names)
    lines = [f'"""{optimizer.description} t counts the updates from 1."""']
    lines += [f"{name} = {number!r}" for name, number in numbers.items()]
    lines += [*optimizer.code, f"return p{memory}" if memory else "return (p,)"]
    return f"\n\ndef update(p, g, lr, t{memory}):\n" + "".join(f"{INDENT}{line}\n" for line in lines)


def _schedule_source(settings: TrainingSettings) -> str:
    schedule, python = SCHEDULES[str(settings.schedule)], LIBRARIES["python"]
    factor = ""
    if settings.schedule != "constant":
        given = {name: item.default for name, item in schedule.settings_table.items()} | dict(
            settings.schedule_settings
        )
        operands = {"step": "step"} | {name: repr(number) for name, number in given.items()}
        factor = f" * ({python.rewritten(schedule.formula, operands)})"
    words = f'{INDENT}"""{schedule.title}: {schedule.description}"""'
    return f"\n\ndef learning_rate(step):\n{words}\n{INDENT}return {settings.learning_rate!r}{factor}\n"


def _clipping_source(settings: TrainingSettings, library: Library) -> str:
    """Return the function that limits the gradients; empty without limits."""
    if not settings.clipping:
        return ""
    each, again, squares = (
        "name: {}",
        "for name, g in gradients.items()",
        "float((g * g).sum()) for g in gradients.values()",
    )
    brackets = "{}"
    if not library.has_arrays:
        each, again, squares, brackets = "{}", "for g in gradients", "g * g for g in gradients", "[]"
    lines = []
    if settings.clip_norm is not None:
        lines += [
            f"norm = sum({squares}) ** 0.5",
            f"scale = min(1.0, {settings.clip_norm!r} / (norm + 1e-6))",
            f"gradients = {brackets[0]}{each.format('g * scale')} {again}{brackets[1]}",
        ]
    if (limit := settings.clip_value) is not None:
        cut = (
            f"{library.prefix}clip(g, {-limit!r}, {limit!r})"
            if library.has_arrays
            else f"max({-limit!r}, min({limit!r}, g))"
        )
        lines.append(f"gradients = {brackets[0]}{each.format(cut)} {again}{brackets[1]}")
    words = '"""Limit the gradients before they are used."""'
    return "\n\ndef clip(gradients):\n" + "".join(f"{INDENT}{line}\n" for line in (words, *lines, "return gradients"))


def _steps_source(exported: _Exported, library: Library) -> str:
    n_samples, size = exported.trainer.data.n_samples, exported.settings.batch_size
    each = "parameters" if library.has_arrays else "range(len(parameters))"
    if size is None or size >= n_samples:
        rows = (
            "    return slice(None)\n"
            if library.has_arrays and library.name != "jax"
            else f"    return list(range({n_samples}))\n"
        )
    elif library.has_arrays:
        rows = _NUMPY_ROWS.format(
            n=n_samples, size=size, low=exported.settings.seed & 0xFFFFFFFF, high=exported.settings.seed >> 32
        )
    else:
        rows = _PYTHON_ROWS.format(n=n_samples, size=size, seed=exported.settings.seed)
    clip = "clip(gradients)" if exported.settings.clipping else "gradients"
    return _STEPS.format(rows=rows, each=each, clip=clip)


_NUMPY_ROWS = """    n_batches = -(-{n} // {size})
    epoch, position = divmod(step + BATCHES_BEFORE, n_batches)
    order = np.arange({n})
    np.random.RandomState([{low}, {high}, epoch]).shuffle(order)
    return order[position * {size} : (position + 1) * {size}].tolist()
"""
_PYTHON_ROWS = """    if step == STEP:
        return FIRST_BATCH  # later batches are drawn by Python's own generator: in another order than in Gradstep
    n_batches = -(-{n} // {size})
    epoch, position = divmod(step + BATCHES_BEFORE, n_batches)
    order = list(range({n}))
    random.Random({seed} + epoch).shuffle(order)
    return order[position * {size} : (position + 1) * {size}]
"""
_STEPS = '''

def batch(step):
    """Return the samples of a step."""
{rows}

def train_step(step, updates):
    """Make one update of the parameters; return the objective before it and the gradients used."""
    objective, gradients = objective_and_gradients(parameters, batch(step))
    gradients = {clip}
    for name in {each}:
        state = [memory[key][name] for key in memory]
        parameters[name], *state = update(parameters[name], gradients[name], learning_rate(step), updates + 1, *state)
        for key, number in zip(memory, state):
            memory[key][name] = number
    return objective, gradients
'''
_CHECK = """

def largest_difference(found, expected):
    if isinstance(expected, dict):
        return max((largest_difference(found[name], expected[name]) for name in expected), default=0.0)
    if isinstance(expected, list) and isinstance(found, list):
        return max(map(largest_difference, found, expected), default=0.0)
    return difference(found, expected)


def compare(name, found):
    global largest
    largest = max(largest, largest_difference(found, EXPECTED[name]))


largest = 0.0
outputs, loss = outputs_and_loss(parameters)
compare("outputs", outputs)
compare("loss", loss)
objective, gradients = train_step(STEP, UPDATES)
compare("objective", objective)
compare("gradients", gradients)
compare("parameters", parameters)
compare("memory", memory)
compare("loss after the step", outputs_and_loss(parameters)[1])
"""
MORE_STEPS = """
MORE_STEPS = 0  # set it to go on training
for i in range(1, MORE_STEPS + 1):
    objective, _ = train_step(STEP + i, UPDATES + i)
if MORE_STEPS:
    print(f"loss after {MORE_STEPS + 1} steps: {float(outputs_and_loss(parameters)[1])!r}")
"""


def _numbers_source(exported: _Exported, library: Library) -> str:
    """Return data, parameters, optimizer memory and the expected numbers."""
    trainer, model = exported.trainer, exported.model
    X, T = trainer.data.X, trainer.data.targets.values
    n_batches = -(-trainer.data.n_samples // (exported.settings.batch_size or trainer.data.n_samples))
    position = exported.trainer.snapshot(figures=False).position
    before = trainer.epoch_count * n_batches + position - trainer.step_count

    def parts(flat: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        blocks = enumerate(model.shape.layer_matrices(flat), start=1)
        return {f"L{i}_{key}": array for i, b in blocks for key, array in (("w", b[:, :-1]), ("b", b[:, -1]))}

    def made(flat: NDArray[np.float64], leaf: str, indent: str = "") -> str:
        if not library.has_arrays:
            return _listed(flat.tolist(), indent)
        rows = (
            f'{indent}{INDENT}"{name}": {leaf.format(_listed(array.tolist(), indent + INDENT))},\n'
            for name, array in parts(flat).items()
        )
        return "{\n" + "".join(rows) + indent + "}"

    leaf = library.leaf.replace(", requires_grad=True", "") if library.has_arrays else "{}"
    expected, optimizer = exported.expected, trainer.optimizer
    flat_outputs = expected["outputs"] if library.has_arrays else expected["outputs"].ravel()
    table = {
        "outputs": _listed(flat_outputs.tolist(), INDENT),
        "loss": repr(expected["loss"]),
        "objective": repr(expected["objective"]),
        "gradients": made(expected["gradients"], "{}", INDENT),
        "parameters": made(expected["parameters"], "{}", INDENT),
        "memory": _table({name: made(array, "{}", INDENT * 2) for name, array in expected["memory"].items()}, INDENT),
        "loss after the step": repr(expected["loss after the step"]),
    }
    return "".join([
        f"\n\n# Inputs: {json.dumps(list(exported.input_names))[1:-1]}. Targets as the loss takes them.\n",
        f"X = {leaf.format(_listed(X.tolist()))}\nT = {leaf.format(_listed(T.tolist()))}\n",
        f"STEP, UPDATES = {trainer.step_count}, {optimizer.updates}  # updates made, and those by this optimizer\n",
        f"BATCHES_BEFORE = {before}\n" if n_batches > 1 else "",
        f"FIRST_BATCH = {exported.rows}\n" if n_batches > 1 and not library.has_arrays else "",
        f"parameters = {made(model.weights, leaf)}\n",
        f"memory = {_table({name: made(array, leaf, INDENT) for name, array in optimizer.state.items()})}\n",
        f"\n# What Gradstep computed before and after the next step.\nEXPECTED = {_table(table)}\n",
    ])  # fmt: skip


def _table(entries: dict[str, str], indent: str = "") -> str:
    rows = "".join(f'{indent}{INDENT}"{name}": {text},\n' for name, text in entries.items())
    return "{\n" + rows + indent + "}" if entries else "{}"


def _listed(numbers: list[Any], indent: str = "") -> str:
    """Return a nested list of numbers as source text in lines of a readable length."""
    text = repr(numbers)
    if len(text) + len(indent) <= LONGEST_LINE - 20:
        return text
    lines = [""]
    for item in numbers:
        entry = f"{_listed(item, indent + INDENT) if isinstance(item, list) else repr(item)},"
        if lines[-1] and len(lines[-1]) + len(entry) > LONGEST_LINE - len(indent):
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + entry
    return "[\n" + "".join(f"{indent}{INDENT}{line}\n" for line in lines) + indent + "]"
