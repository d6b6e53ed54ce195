"""What the canvas shows: the graph of an expression, or of the trained network on one sample.

Both come down to the same thing, roots with names, so that picture, stepper, explanations, checks and exports need not
know which of the two they look at.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from engine.autograd import Evaluation, Value, topological_order
from engine.autograd.recompute import recompute
from engine.document.assemble import make_model
from engine.document.document import Document
from engine.graph import Group, Names, build_graph
from engine.network import LOSSES, MLP, encode
from engine.network.snapshot import PhaseName


@dataclass(frozen=True)
class Shown:
    """Roots with their names, ready to be drawn.

    Attributes:
        roots: the output first, then values nothing uses; gradients are computed for the output's past.
        names: keys, labels, roles and groups.
        collapsed: groups drawn as one box.
        hide_constants: whether constants get a box.
        problems: what went wrong at a value, by `id(value)`.
        not_computed: ids of values that depend on a problem: their data mean nothing.
    """

    roots: tuple[Value, ...] = ()
    names: Names = field(default_factory=Names)
    collapsed: frozenset[Group] = frozenset()
    hide_constants: bool = False
    problems: Mapping[int, str] = field(default_factory=dict)
    not_computed: frozenset[int] = frozenset()

    def numbers(self, value: Value) -> tuple[Any, Any]:
        """Data and gradient of a value; None for what could not be computed."""
        return None if id(value) in self.not_computed else value.data, value.grad

    @property
    def root(self) -> Value | None:
        """The output; None for an empty program."""
        return self.roots[0] if self.roots else None

    @cached_property
    def graph(self) -> nx.DiGraph:
        """The graph to lay out and draw."""
        return build_graph(self.roots, self.names, collapsed=self.collapsed, hide_constants=self.hide_constants)

    @property
    def structure(self) -> tuple[Any, ...]:
        """What a layout depends on: when it is equal, the picture before can be kept and only numbers change."""
        nodes = tuple((key, a["width"], a["height"]) for key, a in self.graph.nodes(data=True))
        return nodes, tuple(self.graph.edges(data="multiplicity"))


def show_expression(evaluation: Evaluation, hide_constants: bool = False) -> Shown:
    """An evaluated program, its gradients computed.

    Args:
        evaluation: what `evaluate` gave; its values get fresh gradients.
        hide_constants: whether constants get a box.
    """
    if evaluation.root is None:
        return Shown()
    roots = (evaluation.root, *_unused(evaluation))
    for value in topological_order(evaluation.root):
        value.grad = None
    if math.isfinite(evaluation.root.data):
        evaluation.root.backward()
    names = Names(
        keys={id(value): origin.key for value, origin in evaluation.origins.items()},
        roles={id(value): role for value, role in evaluation.roles.items()},
    )
    return Shown(
        roots,
        names,
        hide_constants=hide_constants,
        problems={id(problem.value): problem.message for problem in evaluation.problems},
        not_computed=frozenset(id(value) for value in evaluation.not_computed),
    )


def _unused(evaluation: Evaluation) -> list[Value]:
    """Named values that the output was not computed from."""
    assert evaluation.root is not None
    used = {id(value) for value in topological_order(evaluation.root)}
    loose = []
    for value in reversed(list(evaluation.names.values())):
        if id(value) not in used:
            loose.append(value)
            used.update(id(past) for past in topological_order(value))
    return loose[::-1]


def show_network(document: Document, X: Any, y: Any) -> SampleGraph:
    """The document's network on its chosen sample.

    Args:
        document: says which network, loss, sample and groups.
        X: inputs of all samples (n_samples, n_features).
        y: class indices or numbers (n_samples,).

    Raises:
        ValueError: when data, network and loss do not fit together, with the reason.
    """
    row = min(document.view.sample, len(X) - 1)
    targets = encode(LOSSES[document.training.loss], y, document.network.layer_sizes[-1]).values
    return SampleGraph(make_model(document), document.training.loss, X[row], targets[row], document.view.expanded)


class SampleGraph:
    """The scalar graph of a network's loss on one sample, whose numbers can follow the training.

    Attributes:
        shown: roots and names; the same Values for life.
        root: the loss of the sample.
        parameters: the network's parameters, in the order of `model.weights`.
        n_values: how many values the graph has.
    """

    def __init__(self, model: MLP, loss: str, x: Any, target: Any, expanded: Collection[str] = ()) -> None:
        """Builds the graph and computes its gradients.

        Args:
            model: a network of its own, which nobody trains; its parameters are the graph's leaves.
            loss: a name of LOSSES.
            x: inputs of the sample (n_features,).
            target: the sample's target, encoded as the loss wants it: (n_outputs,).
            expanded: groups that are drawn open, as "L1N2"; "*" opens all.
        """
        self._model = model
        inputs = [Value(float(number), f"x{i}") for i, number in enumerate(x, start=1)]
        targets = [Value(float(number), _target_label(i, np.size(target))) for i, number in enumerate(np.ravel(target))]
        outputs = model(inputs)
        root = LOSSES[loss].of_sample(outputs if isinstance(outputs, list) else [outputs], targets)
        root.label = root.label or "loss"
        self.root = root
        self._order = topological_order(root)
        self.parameters = model.parameters()
        groups = _groups(model, root)
        self.shown = Shown(
            (root,),
            _sample_names(self._order, self.parameters, groups),
            collapsed=frozenset(group for group in groups.values() if not {"*", "/".join(group)} & set(expanded)),
        )
        self.n_values = len(self._order)
        computed = (value for value in self._order if value.op is not None)
        self._loss_part = frozenset(id(value) for value in computed if id(value) not in groups)
        self._unknown: frozenset[int] = frozenset()
        root.backward()

    def refresh(self, parameters: Sequence[float] | np.ndarray) -> None:
        """Puts other parameters in and computes every data and gradient anew.

        Args:
            parameters: (n_parameters,), in the order of `model.weights`.
        """
        self._put_in(parameters)
        recompute(self._order)
        self.root.backward()

    def _put_in(self, parameters: Sequence[float] | np.ndarray) -> None:
        for value, number in zip(self.parameters, np.asarray(parameters, dtype=float).tolist(), strict=True):
            value.data = number

    def enter_phase(self, name: PhaseName, parameters: Sequence[float] | np.ndarray) -> None:
        """Shows the sample as it stands after one phase of a training step.

        After `forward` and `loss` the parameters still hold the gradients of the step before; `zero_grad` makes them
        0; after `update` the parameters are new while everything else is still from before.

        Args:
            name: the phase that has just been done.
            parameters: (n_parameters,) after it.
        """
        self._unknown = frozenset()
        if name == "update":
            self._put_in(parameters)
            return
        grads = [value.grad for value in self.parameters]
        self._put_in(parameters)
        recompute(self._order)
        if name == "backward":
            self.root.backward()
            return
        for value, grad in zip(self.parameters, grads, strict=True):
            value.grad = 0.0 if name == "zero_grad" else grad
        if name == "forward":
            self._unknown = self._loss_part

    def numbers(self, value: Value) -> tuple[Any, Any]:
        """Data and gradient as they stand now; None for what the present phase has not computed."""
        return None if id(value) in self._unknown else value.data, value.grad


def _target_label(index: int, size: int) -> str:
    return "y" if size == 1 else f"y{index + 1}"


def _groups(model: MLP, root: Value) -> dict[int, Group]:
    """One group for each neuron, named as in the labels of its parameters: `L1N2`."""
    places = model.groups(root).items()
    return {identity: (f"L{layer + 1}N{neuron + 1}",) for identity, (layer, neuron) in places}


def _sample_names(order: list[Value], parameters: list[Value], groups: Mapping[int, Group]) -> Names:
    keys: dict[int, str] = {}
    for index, value in enumerate(order):
        keys[id(value)] = value.label or f"loss.{index}"
    return Names(
        keys=keys,
        roles={id(value): "parameter" for value in parameters},
        groups=groups,
    )
