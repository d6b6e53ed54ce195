"""A network with its weights, data and settings as a Python program that trains it further.

The program with arrays is the graph of the objective over a batch, written line by line as any other graph. Plain
Python and micrograd loop over samples and neurons instead. The update rule, the schedule and the loss come from their
tables.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, topological_order
from engine.code.graph_code import backward_lines, engine_source, forward_lines, identifiers
from engine.code.libraries import INDENT, LIBRARIES, LONGEST_LINE, CodeError, Library, wrapped
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.network import LOSSES, MLP, Trainer
from engine.network.data import shuffled
from engine.network.layer import ACTIVATIONS
from engine.network.losses import Loss
from engine.network.optimizers import OPTIMIZERS
from engine.network.schedules import SCHEDULES
from engine.network.settings import TrainingSettings

Floats = NDArray[np.float64]

MOST_NUMBERS = 200_000
MOST_PRODUCTS = 2_000_000
"""Limit of samples x parameters for programs that compute number by number: some seconds a step."""


@dataclass(frozen=True, eq=False)
class _Exported:
    """Starting state of the exported program, and the numbers it compares with.

    Attributes:
        model, trainer: at the step that the training has reached.
        loss, settings: of the training.
        input_names: of the columns of the data.
        expected: the next step, by the words of the program.
    """

    model: MLP
    trainer: Trainer
    loss: Loss
    settings: TrainingSettings
    input_names: Sequence[str]
    expected: Mapping[str, Any]

    @property
    def n_batches(self) -> int:
        n_samples = self.trainer.data.n_samples
        return math.ceil(n_samples / (self.settings.batch_size or n_samples))

    def by_layer(self, flat: Floats) -> dict[str, Floats]:
        """Return weights and biases by name; of parameters, or of anything with a number for each parameter."""
        layers = enumerate(self.model.shape.layer_matrices(flat), start=1)
        return {f"L{i}_{key}": array for i, w in layers for key, array in (("w", w[:, :-1]), ("b", w[:, -1]))}


def network_source(document: Document, library: Library) -> str:
    """Return the body of a program for the document's network, at the step that its training has reached.

    Raises:
        CodeError: when it is too large for the library, or a number is not finite.
        ValueError: when data, sizes and loss do not fit together.
    """
    exported = _exported(document, library)
    settings = exported.settings
    network = _array_network(exported, library) if library.has_arrays else _scalar_network(exported, library)
    functions = "".join([
        network, _clipping_source(settings, library), _update_source(settings), _schedule_source(settings),
        _steps_source(exported, library),
    ])  # fmt: skip
    return "".join([
        engine_source(library),
        library.definitions_for(functions),
        functions,
        _numbers_source(exported, library),
        library.comparison,
        _CHECK,
    ])  # fmt: skip


def _exported(document: Document, library: Library) -> _Exported:
    data = check_consistent(document)
    exact = replace_section(document, "training", dtype="float64")
    model = make_model(exact)
    trainer = make_trainer(exact, model, data)
    X, T = trainer.data.X, trainer.data.targets.values
    n_parameters = len(model.weights)
    if not library.has_arrays and len(X) * n_parameters > MOST_PRODUCTS:
        raise CodeError(
            f"{library.title} computes number by number: {len(X):,} samples with {n_parameters:,} parameters would "
            "take minutes a step; choose NumPy, PyTorch or JAX"
        )
    if X.size + T.size > MOST_NUMBERS or n_parameters > MOST_NUMBERS:
        raise CodeError(
            f"data of {X.size + T.size:,} numbers and {n_parameters:,} parameters are too much for a readable "
            f"program, which holds at most {MOST_NUMBERS:,} of each: take fewer samples or a smaller network"
        )
    loss, update = LOSSES[trainer.settings.loss], trainer.next_update()
    outputs, after = np.asarray(model(X).data), model.copy()
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
                raise CodeError(f"the {name} of the next step: not all numbers are finite, and nothing compares then")
    return _Exported(model, trainer, loss, trainer.settings, data.input_names, expected)


# Networks of arrays: the graph of the objective


def _array_network(exported: _Exported, library: Library) -> str:
    """Return the functions `forward`, `objective_and_gradients` and `outputs_and_loss` of a network of arrays."""
    model, settings = exported.model.copy(), exported.settings
    X, T = exported.trainer.data.X, exported.trainer.data.targets.values
    least = max(0, 3 - len(X))  # with a single sample, shapes would not show what is broadcast
    X, T = (np.concatenate([array, *[array[:1]] * least]) for array in (X, T))
    inputs, targets = Value(X, "X"), Value(T, "T")
    outputs = model(inputs)
    loss = exported.loss.of_samples(outputs, targets)
    order = topological_order(loss)
    _label(order, model.last_arrays)
    loss.label, outputs.label = "loss", "outputs"
    names = identifiers(order, library)
    lines = forward_lines(library, order, names)
    if library.name == "numpy":
        lines += ["", "# Backward: each value hands its gradient d_... to its inputs.", "d_loss = 1.0"]
        lines += backward_lines(library, loss, order, names, fixed={inputs, targets})
    parameters = ", ".join(f"{names[w]}, {names[b]}" for w, b in model.last_arrays)
    head = wrapped("def forward(", f"X, T, {parameters}", "):")
    words = f'{INDENT}"""Compute outputs and loss of samples X (n, {X.shape[1]}) with targets T (n, {T.shape[1]})."""'
    body = [*head, words, *(f"{INDENT}{line}".rstrip() for line in lines), f"{INDENT}return locals()"]
    return (
        "\n\n"
        + "\n".join(body)
        + "\n"
        + _penalty_source(settings, library)
        + _gradients_source(settings, library)
        + _OUTPUTS
    )


def _label(order: Sequence[Value], arrays: Sequence[tuple[Value, Value]]) -> None:
    """Name what each layer computes: `L1_wT` and `L1_product`, the sum with the bias `L1_z`, its activation `L1_a`."""
    user = {source: value for value in reversed(order) for source in value.inputs}  # the first one
    for i, (w, b) in enumerate(arrays, start=1):
        w.label, b.label = f"L{i}_w", f"L{i}_b"
        user[w].label = f"L{i}_wT"
        user[user[w]].label = f"L{i}_product"
        user[b].label = f"L{i}_z"
        if i < len(arrays) and user[user[b]].op is not None and len(user[user[b]].inputs) == 1:
            user[user[b]].label = f"L{i}_a"


def _penalty_source(settings: TrainingSettings, library: Library) -> str:
    """Return the function of the penalties on large parameters, and of their gradients for NumPy; empty without."""
    if not (settings.l1 or settings.l2):
        return ""
    size = "jnp.sum(p * jnp.sign(p))" if library.name == "jax" else f"{library.prefix}abs(p).sum()"
    parts = [f"{settings.l1!r} * {size}"] if settings.l1 else []
    parts += [f"{settings.l2!r} * (p * p).sum()"] if settings.l2 else []
    slopes = [f"{settings.l1!r} * np.sign(p)"] if settings.l1 else []
    slopes += [f"{2 * settings.l2!r} * p"] if settings.l2 else []
    lines = ["def penalty(parameters):", f'{INDENT}"""L1 and L2: large parameters cost something."""']
    lines += [f"{INDENT}return sum({' + '.join(parts)} for p in parameters.values())", ""]
    if library.name == "numpy":
        lines += ["", "def penalty_gradient(p):", f"{INDENT}return {' + '.join(slopes)}", ""]
    return "\n\n" + "\n".join(lines)


def _gradients_source(settings: TrainingSettings, library: Library) -> str:
    numbers = {"added": "", "slope": ""}
    if settings.l1 or settings.l2:
        numbers = {"added": " + penalty({parameters})", "slope": " + penalty_gradient(p)"}
    given = {"pytorch": "leaves"}.get(library.name, "parameters")
    added = numbers["added"].replace("{parameters}", given)
    return _GRADIENTS[library.name].format(added=added, slope=numbers["slope"])


_GRADIENTS = {
    "numpy": '''

def objective_and_gradients(parameters, rows):
    """Return the loss of some samples, penalties included, and its gradients."""
    values = forward(X[rows], T[rows], **parameters)
    gradients = {{name: values["d_" + name]{slope} for name, p in parameters.items()}}
    return values["loss"]{added}, gradients
''',
    "pytorch": '''

def objective_and_gradients(parameters, rows):
    """Return the loss of some samples, penalties included, and its gradients."""
    leaves = {{name: p.clone().requires_grad_() for name, p in parameters.items()}}
    objective = forward(X[rows], T[rows], **leaves)["loss"]{added}
    objective.backward()
    return objective.detach(), {{name: leaf.grad for name, leaf in leaves.items()}}
''',
    "jax": '''

@jax.jit
def _objective_and_gradients(parameters, x, t):
    def objective(parameters):
        return forward(x, t, **parameters)["loss"]{added}

    return jax.value_and_grad(objective)(parameters)


def objective_and_gradients(parameters, rows):
    """Return the loss of some samples, penalties included, and its gradients."""
    return _objective_and_gradients(parameters, X[np.array(rows)], T[np.array(rows)])
''',
}
_OUTPUTS = '''

def outputs_and_loss(parameters):
    """Return the outputs and the loss of all samples."""
    values = forward(X, T, **parameters)
    return values["outputs"], values["loss"]
'''


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
    names = identifiers(order, library)
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
    memory = "".join(f", {name}" for name in optimizer.state_names)
    lines = [
        f'"""{optimizer.title}: {optimizer.description}\n\n{INDENT}p parameter, g gradient, t number of the update.\n'
        f'{INDENT}"""',
        *(f"{name} = {number!r}" for name, number in settings.optimizer_for(np.empty(0)).settings.items()),
        *optimizer.code,
        f"return p{memory}" if memory else "return (p,)",
    ]
    return f"\n\ndef update(p, g, lr, t{memory}):\n" + "".join(f"{INDENT}{line}\n" for line in lines)


def _schedule_source(settings: TrainingSettings) -> str:
    schedule, factor = SCHEDULES[str(settings.schedule)], ""
    if settings.schedule != "constant":
        given = {name: item.default for name, item in schedule.settings_table.items()} | dict(
            settings.schedule_settings
        )
        operands = {"step": "step"} | {name: repr(number) for name, number in given.items()}
        factor = f" * ({LIBRARIES['python'].rewritten(schedule.formula, operands)})"
    words = f'{INDENT}"""{schedule.title}: {schedule.description}"""'
    return f"\n\ndef learning_rate(step):\n{words}\n{INDENT}return {settings.learning_rate!r}{factor}\n"


def _clipping_source(settings: TrainingSettings, library: Library) -> str:
    """Return the function that limits the gradients; empty without limits."""
    if not settings.clipping:
        return ""
    pattern = "{{name: {} for name, g in gradients.items()}}" if library.has_arrays else "[{} for g in gradients]"
    squares = "float((g * g).sum()) for g in gradients.values()" if library.has_arrays else "g * g for g in gradients"
    lines = ['"""Limit the gradients before they are used."""']
    if settings.clip_norm is not None:
        lines += [
            f"norm = sum({squares}) ** 0.5",
            f"scale = min(1.0, {settings.clip_norm!r} / (norm + 1e-6))",
            f"gradients = {pattern.format('g * scale')}",
        ]
    if (limit := settings.clip_value) is not None:
        low, high = repr(-limit), repr(limit)
        cut = f"{library.prefix}clip(g, {low}, {high})" if library.has_arrays else f"max({low}, min({high}, g))"
        lines.append(f"gradients = {pattern.format(cut)}")
    return "\n\ndef clip(gradients):\n" + "".join(f"{INDENT}{line}\n" for line in (*lines, "return gradients"))


def _steps_source(exported: _Exported, library: Library) -> str:
    settings, n_samples, seed = exported.settings, exported.trainer.data.n_samples, exported.settings.seed
    low, high = seed & 0xFFFFFFFF, seed >> 32
    if exported.n_batches == 1:
        everything = "slice(None)" if library.has_arrays and library.name != "jax" else f"range({n_samples})"
        rows = f'\n\ndef batch(step):\n{INDENT}"""Return the samples of a step: all."""\n{INDENT}return {everything}\n'
    else:
        pattern = _ARRAY_BATCH if library.has_arrays else _SCALAR_BATCH
        rows = pattern.format(
            n=n_samples, size=settings.batch_size, n_batches=exported.n_batches, low=low, high=high,
            seed=seed, epoch=exported.trainer.epoch_count,
        )  # fmt: skip
    return rows + _STEP.format(
        clip=f"{INDENT}gradients = clip(gradients)\n" if settings.clipping else "",
        each="parameters" if library.has_arrays else "range(len(parameters))",
    )


_ARRAY_BATCH = '''

def batch(step):
    """Return the samples of a step: each epoch goes through all of them in an order of its own."""
    epoch, position = divmod(step + BATCHES_BEFORE, {n_batches})
    order = np.arange({n})
    np.random.RandomState([{low}, {high}, epoch]).shuffle(order)
    return order[position * {size} : (position + 1) * {size}].tolist()
'''
_SCALAR_BATCH = '''

def batch(step):
    """Return the samples of a step: each epoch goes through all of them in an order of its own."""
    epoch, position = divmod(step + BATCHES_BEFORE, {n_batches})
    order = FIRST_ORDER if epoch == FIRST_EPOCH else shuffled(epoch)
    return order[position * {size} : (position + 1) * {size}]


def shuffled(epoch):
    """Return the order of the samples in an epoch, as numpy.random.RandomState shuffles them."""
    order, draw = list(range({n})), random.Random({seed} + (epoch << 64)).getrandbits
    for i in range({n} - 1, 0, -1):
        other = {n}
        while other > i:
            other = draw(32) & ((1 << i.bit_length()) - 1)
        order[i], order[other] = order[other], order[i]
    return order
'''
_STEP = '''

def train_step():
    """Make one update of the parameters; return the objective before it and the gradients used."""
    global step, updates
    objective, gradients = objective_and_gradients(parameters, batch(step))
{clip}    rate, updates = learning_rate(step), updates + 1
    for name in {each}:
        state = [memory[key][name] for key in memory]
        parameters[name], *state = update(parameters[name], gradients[name], rate, updates, *state)
        for key, number in zip(memory, state):
            memory[key][name] = number
    step += 1
    return objective, gradients
'''
_CHECK = """

def compare_all(name, found, expected):
    if isinstance(expected, dict):
        for key in expected:
            compare_all(f"{name} {key}", found[key], expected[key])
    elif isinstance(expected, list) and isinstance(found, list):
        for i, number in enumerate(expected):
            compare_all(f"{name} {i}", found[i], number)
    else:
        compare(name, found, expected)


outputs, loss = outputs_and_loss(parameters)
compare_all("outputs", outputs, EXPECTED["outputs"])
compare("loss", loss, EXPECTED["loss"])
objective, gradients = train_step()
compare("objective", objective, EXPECTED["objective"])
compare_all("gradients", gradients, EXPECTED["gradients"])
compare_all("parameters", parameters, EXPECTED["parameters"])
compare_all("memory", memory, EXPECTED["memory"])
compare("loss after the step", outputs_and_loss(parameters)[1], EXPECTED["loss after the step"])
print(f"largest difference from Gradstep's numbers: {largest:.3g}")

MORE_STEPS = 0  # a larger number goes on training
for _ in range(MORE_STEPS):
    objective, gradients = train_step()
if MORE_STEPS:
    print(f"step {step}: loss {float(outputs_and_loss(parameters)[1])!r}")
"""


def _numbers_source(exported: _Exported, library: Library) -> str:
    """Return data, parameters, optimizer memory and the expected numbers."""
    trainer, expected = exported.trainer, exported.expected
    optimizer = trainer.optimizer
    X, T = trainer.data.X, trainer.data.targets.values
    array = library.leaf.replace(", requires_grad=True", "") if library.has_arrays else "{}"

    def made(flat: Floats, pattern: str, indent: str = "") -> str:
        """Source of numbers for every parameter: arrays by name, or one list."""
        if not library.has_arrays:
            return listed(flat.tolist(), indent)
        items = exported.by_layer(flat).items()
        return table({name: pattern.format(listed(a.tolist(), indent + INDENT)) for name, a in items}, indent)

    lines = [
        f"\n\n# Inputs: {json.dumps(list(exported.input_names))[1:-1]}. Targets as the loss takes them.",
        f"X = {array.format(listed(X.tolist()))}\nT = {array.format(listed(T.tolist()))}",
        f"step, updates = {trainer.step_count}, {optimizer.updates}  # made so far, and those by this optimizer",
    ]
    if exported.n_batches > 1:
        snapshot = trainer.snapshot(figures=False)
        before = trainer.epoch_count * exported.n_batches + snapshot.position - trainer.step_count
        lines += [f"BATCHES_BEFORE = {before}  # batches seen besides those of the steps"] if before else []
        lines += ["BATCHES_BEFORE = 0"] if not before else []
        if not library.has_arrays:
            order = shuffled(len(X), exported.settings.seed, trainer.epoch_count, np.random.RandomState(0))
            lines += [f"FIRST_EPOCH = {trainer.epoch_count}", f"FIRST_ORDER = {listed(order.tolist())}"]
    memory = {name: made(numbers, array, INDENT) for name, numbers in optimizer.state.items()}
    lines += [
        f"parameters = {made(exported.model.weights, array)}",
        f"memory = {table(memory)}" + ("" if memory else f"  # {optimizer.title} remembers nothing"),
    ]
    outputs = expected["outputs"] if library.has_arrays else expected["outputs"].ravel()
    numbers = {
        "outputs": listed(outputs.tolist(), INDENT),
        "loss": repr(expected["loss"]),
        "objective": repr(float(expected["objective"])),
        "gradients": made(expected["gradients"], "{}", INDENT),
        "parameters": made(expected["parameters"], "{}", INDENT),
        "memory": table({name: made(a, "{}", INDENT * 2) for name, a in expected["memory"].items()}, INDENT),
        "loss after the step": repr(expected["loss after the step"]),
    }
    lines += ["", "# What Gradstep computed before and after the next step.", f"EXPECTED = {table(numbers)}", ""]
    return "\n".join(lines)


def table(entries: Mapping[str, str], indent: str = "") -> str:
    """Return a dictionary as source text, of entries that are source text."""
    rows = "".join(f'{indent}{INDENT}"{name}": {text},\n' for name, text in entries.items())
    return "{\n" + rows + indent + "}" if entries else "{}"


def listed(numbers: list[Any], indent: str = "") -> str:
    """Return a nested list of numbers as source text in lines of a readable length."""
    text = repr(numbers)
    if len(text) + len(indent) <= LONGEST_LINE:
        return text
    lines = [""]
    for item in numbers:
        entry = f"{listed(item, indent + INDENT) if isinstance(item, list) else repr(item)},"
        if lines[-1] and len(lines[-1]) + len(entry) > LONGEST_LINE - len(indent):
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + entry
    return "[\n" + "".join(f"{indent}{INDENT}{line}\n" for line in lines) + indent + "]"
