"""*Set up as network*: the network that a program builds and trains, as data, network and training of a document.

Sizes, data, rate and weights are read from the program's text and its variables. For the rest (loss, activations) every
combination is tried: the one that reproduces the program's losses is chosen.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets import DATASETS, MAX_CLASSES, make_dataset
from engine.autograd.notation import counted
from engine.document.data_section import MOST_TABLE_CELLS
from engine.document.document import Document, Trained, replace_section
from engine.document.errors import DocumentError
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import make_model, make_trainer, weights_of
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.language import Evaluation
from engine.language.source import line_starts
from engine.network import LOSSES, TrainingDiverged

COMPARED = 3
"""Number of losses that have to agree; fewer where the program makes fewer steps."""
CLOSE = 1e-12
"""Relative tolerance for losses, which differ by the order of summation."""
FIRST_WEIGHTS = "gradstep_first_weights"
ACTIVATIONS = (("tanh", "tanh"), ("relu", "linear"), ("tanh", "linear"), ("relu", "relu"), ("sigmoid", "sigmoid"))
"""Activations of the hidden layers and the last one in common programs."""

REASONS = {
    "no network": "The program builds no network: name = MLP(inputs, [sizes]) is looked for.",
    "no sizes": "The sizes of the network cannot be read: they should be numbers, such as MLP(3, [4, 4, 1]).",
    "no loop": "The program does not train its network: a loop with backward() and an update of p.data is looked for.",
    "no rate": "The learning rate cannot be read: p.data -= 0.05 * p.grad is looked for.",
    "no data": "The program holds no points to train on: a list of rows with {inputs} each is looked for, and a list "
    "with a target for each row.",
    "no losses": "No list or variable of the program holds the losses of its first steps.",
    "no agreement": "No loss and no activation trains as the program does: the first loss there is {loss:.6g}.",
}
"""Reasons for which a program cannot be set up as a network."""


class NoNetwork(ValueError):
    """The program cannot be set up as a network; the message says why."""

    def __init__(self, name: str, **details: Any) -> None:
        super().__init__(REASONS[name].format(**details))


@dataclass(frozen=True)
class NetworkProgram:
    """Description of the network that a program's text builds and trains.

    Attributes:
        name: of the network.
        end: offset behind the statement that builds it.
        sizes: expressions for the number of inputs and the sizes of the layers.
        rate: expression for the learning rate.
        seeds: seeds of the random numbers, in the order of the text.
    """

    name: str
    end: int
    sizes: tuple[ast.expr, ast.expr]
    rate: ast.expr | None
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class NetworkSetup:
    """A document that trains like a program.

    Attributes:
        document: with the program's data, network and training; its text and view are unchanged.
        steps: number of steps that the program makes.
        losses: of its first steps, which agree.
    """

    document: Document
    steps: int
    losses: tuple[float, ...]


def read_network_program(text: str) -> NetworkProgram:
    """Read the network from a program's text, without running it.

    Raises:
        NoNetwork: when it builds none, or does not train it.
    """
    if "MLP" not in text:
        raise NoNetwork("no network")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NoNetwork("no network") from None
    for built in tree.body:
        if isinstance(built, ast.Assign) and isinstance(call := built.value, ast.Call):
            function = call.func
            if (function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")) == "MLP":
                break
    else:
        raise NoNetwork("no network")
    target = built.targets[0]
    if not isinstance(target, ast.Name) or len(call.args) < 2:
        raise NoNetwork("no network")
    for loop in tree.body:
        if isinstance(loop, ast.For | ast.While):
            calls = {getattr(node.func, "attr", "") for node in ast.walk(loop) if isinstance(node, ast.Call)}
            if "backward" in calls and any(_changes_data(node) for node in ast.walk(loop)):
                break
    else:
        raise NoNetwork("no loop")
    rates = [rate for node in ast.walk(loop) if (rate := _rate(node)) is not None]
    seeds = tuple(seed for node in ast.walk(tree) if (seed := _seed(node)) is not None)
    end = [*line_starts(text), len(text)][built.end_lineno or built.lineno]
    return NetworkProgram(target.id, end, (call.args[0], call.args[1]), rates[0] if rates else None, seeds)


def set_up_network(document: Document, evaluation: Evaluation, run: Callable[[str], Evaluation]) -> NetworkSetup:
    """Return the document with the network of its program.

    Args:
        document: with the text.
        evaluation: of it.
        run: evaluates a text; called for the first weights.

    Raises:
        NoNetwork: when the program cannot be set up.
        ProgramError: of `run`.
    """
    program = read_network_program(document.expression.text)
    sizes = _sizes(program, evaluation.variables)
    rate = _number(program.rate, evaluation.variables)
    if rate is None or not rate > 0.0:
        raise NoNetwork("no rate")
    losses = _loss_rows(evaluation)
    if not losses:
        raise NoNetwork("no losses")
    weights = _first_weights(document.expression.text, program, run)
    wanted = list(data_of_program(sizes[0], evaluation.variables))
    if not wanted:
        raise NoNetwork("no data", inputs=counted(sizes[0], "number"))
    for data, loss, activations in product(wanted, LOSSES, ACTIVATIONS):
        made = _document(document, data, sizes, loss, activations, rate, weights, program.seeds)
        agreeing = _agreeing(made, losses) if made is not None else None
        if made is not None and agreeing is not None:
            return NetworkSetup(made, len(agreeing), tuple(agreeing[:COMPARED]))
    raise NoNetwork("no agreement", loss=losses[0][0])


# Reading the text


def _changes_data(node: ast.AST) -> bool:
    targets = [node.target] if isinstance(node, ast.AugAssign) else getattr(node, "targets", [])
    return any(isinstance(target, ast.Attribute) and target.attr == "data" for target in targets)


def _rate(node: ast.AST) -> ast.expr | None:
    """Return the factor of the gradient in an update such as `p.data -= 0.05 * p.grad`, as a positive number."""
    if not _changes_data(node):
        return None
    value: Any = getattr(node, "value", None)
    sign = 1.0
    if isinstance(node, ast.AugAssign):
        sign = -1.0 if isinstance(node.op, ast.Add) else 1.0
    elif isinstance(value, ast.BinOp):
        sign = -1.0 if isinstance(value.op, ast.Add) else 1.0
        value = value.right
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return None
    factors = [value.left, value.right]
    others = [factor for factor in factors if getattr(factor, "attr", "") != "grad"]
    if len(others) != 1:
        return None
    return others[0] if sign > 0 else ast.UnaryOp(ast.USub(), others[0])


def _seed(node: ast.AST) -> int | None:
    is_seed = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "seed" and len(node.args) == 1
    argument = node.args[0] if is_seed and isinstance(node, ast.Call) else None
    return argument.value if isinstance(argument, ast.Constant) and type(argument.value) is int else None


def _number(node: ast.expr | None, variables: Mapping[str, object]) -> float | None:
    """Return a literal number, or the value of a variable."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _number(node.operand, variables)
        return None if number is None else -number
    found: object = node.value if isinstance(node, ast.Constant) else None
    if isinstance(node, ast.Name):
        found = variables.get(node.id)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _sizes(program: NetworkProgram, variables: Mapping[str, object]) -> tuple[int, ...]:
    first, others = program.sizes
    rows = others.elts if isinstance(others, ast.List | ast.Tuple) else ()
    sizes = [_number(node, variables) for node in (first, *rows)]
    if isinstance(others, ast.Name) and isinstance(found := variables.get(others.id), list | tuple):
        sizes += [float(size) for size in found if isinstance(size, int)]
    if len(sizes) < 2 or any(size is None or size < 1 or size != int(size) for size in sizes):
        raise NoNetwork("no sizes")
    return tuple(int(size) for size in sizes if size is not None)


# Reading the run


def _first_weights(text: str, program: NetworkProgram, run: Callable[[str], Evaluation]) -> np.ndarray[Any, Any]:
    """Return the weights right after the network was built, (n_parameters,)."""
    start = text[: program.end]
    line_end = "" if start.endswith("\n") else "\n"
    probe = f"{line_end}{FIRST_WEIGHTS} = [p.data for p in {program.name}.parameters()]\n"
    return np.asarray(run(start + probe).variables[FIRST_WEIGHTS], dtype=np.float64)


def _loss_rows(evaluation: Evaluation) -> list[Sequence[float]]:
    """Return rows of numbers that may be the losses: values of a variable in a loop, and lists of numbers."""
    rows: list[Sequence[float]] = [series.numbers for series in evaluation.loop_series]
    lists = [value for value in evaluation.variables.values() if isinstance(value, list) and value]
    rows += [value for value in lists if all(isinstance(entry, float) for entry in value)]
    return [row for row in rows if len(row)]


# Trying combinations


def _document(
    document: Document,
    data: Mapping[str, Any],
    sizes: tuple[int, ...],
    loss: str,
    activations: tuple[str, str],
    rate: float,
    weights: np.ndarray[Any, Any],
    seeds: Sequence[int],
) -> Document | None:
    """Return the document with these settings; None where they do not fit together."""
    hidden, last = activations
    network = {"layer_sizes": sizes, "output_activation": last, "initialiser": "uniform"}
    network["activations"] = (hidden,) * (len(sizes) - 2)
    settings = {"loss": loss, "optimizer": "sgd", "learning_rate": rate, "schedule": "constant", "batch_size": None}
    more = {"l1": 0.0, "l2": 0.0, "clip_norm": None, "clip_value": None, "dtype": "float64"}
    try:
        made = replace_section(document, "data", **data)
        made = replace_section(made, "network", **network)
        made = replace(replace_section(made, "training", **settings, **more), trained=Trained())
        if len(weights_of(made)) != len(weights):
            return None
        check_consistent(made)
        for seed in seeds:
            drawn = replace_section(made, "network", seed=seed)
            if np.array_equal(weights_of(drawn), weights):
                return drawn
    except DocumentError:
        return None
    return replace(made, trained=Trained(parameters=FrozenFloats(weights)))


def _agreeing(document: Document, rows: Sequence[Sequence[float]]) -> Sequence[float] | None:
    """Return the row of numbers that agrees with the losses of this document's first steps; None without one.

    Where training diverges in these steps, so must the row.
    """
    trainer = make_trainer(document, make_model(document), prepare(document.data))
    for compared in range(1, COMPARED + 1):
        try:
            trainer.step()
        except TrainingDiverged:
            return next(
                (row for row in rows if len(row) >= compared > 1 and not math.isfinite(row[compared - 1])), None
            )
        rows = [
            row
            for row in rows
            if np.allclose(row[:compared], trainer.losses[: min(len(row), compared)], rtol=CLOSE, atol=0.0)
        ]
        if not rows:
            return None
    return rows[0]


# Points and targets among the variables

Fields = Mapping[str, Any]
MOST_PAIRS = 6
"""Limit of candidate points with targets; a program with more has other things in its lists."""
TARGET, NAME = "y", "program"
PLAIN: Fields = {"noise": 0.0, "features": (), "scaling": False, "test_share": 0.0}
"""Fields for unprocessed data, as a program uses them."""


def data_of_program(n_inputs: int, variables: Mapping[str, object]) -> Iterator[Fields]:
    """Yield fields of data sections that may be the program's data, the likeliest first.

    A data set of fixed points is recognised by its points; any other points become a table.

    Args:
        n_inputs: of the program's network.
        variables: of the program, after its run.
    """
    tables = _distinct(table for value in variables.values() if (table := _table(value, n_inputs)) is not None)
    known = []
    for name in (name for name, entry in DATASETS.items() if entry.fixed):
        X = make_dataset(name, noise=0.0).X
        if any(np.array_equal(table, X) for table in tables):
            known.append({**PLAIN, "source": "generator", "name": name})
    yield from known
    yield from islice(_own(tables, variables), MOST_PAIRS)


def _own(tables: list[NDArray[Any]], variables: Mapping[str, object]) -> Iterator[Fields]:
    for table in tables:
        if table.size + len(table) > MOST_TABLE_CELLS:
            continue
        rows = (_targets(value, len(table)) for value in variables.values())
        for y in _distinct(row for row in rows if row is not None):
            for task in _tasks(y):
                columns = {f"x{i}": FrozenFloats(column) for i, column in enumerate(table.T, start=1)}
                columns[TARGET] = FrozenFloats(y)
                names = tuple(name for name in columns if name != TARGET)
                yield {
                    **PLAIN,
                    "source": "table",
                    "table": tuple(columns.items()),
                    "table_name": NAME,
                    "table_inputs": names,
                    "table_target": TARGET,
                    "table_task": task,
                }


def _tasks(y: NDArray[Any]) -> Iterator[str]:
    """Yield possible tasks for these targets: classes keep numbers only when these are -1 and 1, or 0, 1, 2, ..."""
    found = set(y.tolist())
    if len(found) <= MAX_CLASSES and (found <= {-1.0, 1.0} or found == set(range(len(found)))):
        yield "classification"
    if not found <= {0.0, 1.0} and not found <= {-1.0, 1.0}:
        yield "regression"


def _distinct(arrays: Iterator[NDArray[Any]]) -> list[NDArray[Any]]:
    kept: list[NDArray[Any]] = []
    for array in arrays:
        if not any(np.array_equal(array, other) for other in kept):
            kept.append(array)
    return kept


def _table(value: object, n_columns: int) -> NDArray[Any] | None:
    rows = value if isinstance(value, list | tuple | np.ndarray) else ()
    if not len(rows) or not all(isinstance(row, list | tuple | np.ndarray) and len(row) == n_columns for row in rows):
        return None
    return _finite([list(row) for row in rows])


def _targets(value: object, n_rows: int) -> NDArray[Any] | None:
    """Return a number for each row, also where each is in a list of its own; None for other objects."""
    rows = value if isinstance(value, list | tuple | np.ndarray) else ()
    if len(rows) != n_rows:
        return None
    lists = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in rows]
    if any(len(row) != 1 for row in lists):
        return None
    found = _finite(lists)
    return None if found is None else found[:, 0]


def _finite(rows: list[list[Any]]) -> NDArray[Any] | None:
    """Return numbers, or values' data, as an array (n_rows, n_columns); None for anything else."""
    try:
        array = np.array([[float(getattr(entry, "data", entry)) for entry in row] for row in rows])
    except (TypeError, ValueError, OverflowError):
        return None
    return array if array.size and np.isfinite(array).all() else None
