"""The scalar graph of a network's loss on one or several samples, with numbers that follow the training.

With one sample a neuron contains its parameters. With several the parameters are leaves shared by all samples, in
groups of their own, and every sample is a group: the chosen one open, the others collapsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, collector_paused, give_names, recompute, topological_order
from engine.document.document import Document, View
from engine.experiment.assemble import make_model
from engine.graph import GraphNames, Group, GroupText
from engine.graph.expanded import MOST_VALUES, PREFIX, expand_operations
from engine.graph.groups import crowded
from engine.network import LOSSES, MLP, Loss, encode
from engine.network.run.progress import Progress
from engine.network.shape import count_parameters
from engine.network.snapshot import PhaseName
from engine.views.graph_view import GraphView
from engine.views.group_visibility import GroupVisibility

MOST_BOXES = 60
"""Limit of boxes in the picture up to which the layers are open by default."""
VALUES_OF_A_UNIT = 2
"""Values that a unit adds for each sample besides its parameters: its sum and its activation; an input adds one."""
VALUES_OF_AN_OUTPUT = 8
"""Most values of the loss for each output and sample."""


Parameters = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PassParameters:
    """Parameters with which the numbers of a `SampleGraph` are computed; inside a training step the passes differ.

    Attributes:
        now: (n_parameters,) present parameters.
        forward: parameters of the last forward pass.
        backward: parameters of the last backward pass; None: gradients were set to 0.
        phase: the last completed phase of a training step; None between steps.
    """

    now: Parameters
    forward: Parameters
    backward: Parameters | None
    phase: PhaseName | None = None

    @classmethod
    def between_steps(cls, parameters: Parameters) -> PassParameters:
        """Return the same parameters for every pass."""
        return cls(parameters, parameters, parameters)

    @property
    def differentiated(self) -> bool:
        """True when every value has the gradient for its data; False when only parameters have older ones."""
        return self.forward is self.backward

    def after(self, phase: PhaseName, parameters: Parameters) -> PassParameters:
        """Return the parameters of the passes after one more phase.

        `forward` and `loss` leave the gradients of the step before in the parameters, `zero_grad` makes them 0, and
        `update` changes the parameters and nothing else.
        """
        if phase == "update":
            return replace(self, now=parameters, phase=phase)
        if phase == "backward":
            return PassParameters(parameters, parameters, parameters, phase)
        return PassParameters(parameters, parameters, None if phase == "zero_grad" else self.backward, phase)


def pass_parameters(progress: Progress, before: PassParameters | None = None) -> PassParameters:
    """Return the parameters of the passes at the step and phase of a report.

    Args:
        progress: of a run.
        before: parameters of the previous report of the same run; None for the first one.
    """
    phase = progress.phase
    if phase is None:
        return PassParameters.between_steps(np.array(progress.snapshot.parameters, dtype=float))
    parameters = np.array(phase.parameters, dtype=float)
    if before is None:
        update = progress.update if phase.name == "update" else None
        before = PassParameters.between_steps(parameters if update is None else update.before)
    return before.after(phase.name, parameters)


def count_values(document: Document) -> int:
    """Estimate, slightly too high, how many values `make_sample_graph` would make."""
    sizes = document.network.layer_sizes
    per_sample = VALUES_OF_A_UNIT * sum(sizes) + VALUES_OF_AN_OUTPUT * sizes[-1] + VALUES_OF_AN_OUTPUT
    return count_parameters(sizes) + document.view.n_samples * per_sample


def make_sample_graph(document: Document, X: Any, y: Any) -> SampleGraph:
    """Return the graph of the document's network on its chosen sample, and on the following ones of the view.

    Args:
        document: network, loss, samples and groups.
        X: inputs of all samples (n_samples, n_features).
        y: class indices or numbers (n_samples,).

    Raises:
        ValueError: when data, network and loss do not fit together, or when the network is too large to be displayed
            value by value, with the reason.
    """
    count = count_values(document)
    if count > MOST_VALUES:
        raise ValueError(
            f"This network has about {count:,} values, and at most {MOST_VALUES:,} can be shown: smaller layers or "
            "fewer samples can be looked at. It trains all the same."
        )
    view, n = document.view, len(X)
    first = min(view.sample, n - 1)
    rows = [(first + index) % n for index in range(min(view.n_samples, n))]
    targets = encode(LOSSES[document.training.loss], y, document.network.layer_sizes[-1]).values
    return SampleGraph(make_model(document), document.training.loss, np.asarray(X), targets, rows, view)


@dataclass(frozen=True)
class _Sample:
    """One sample's part of the graph.

    Attributes:
        name: of its group, such as "s3".
        prefix: of the names of its values; "" for the chosen sample.
        loss: its loss.
        order: its values, parameters included, inputs before their consumers.
    """

    name: str
    prefix: str
    loss: Value
    order: Sequence[Value]


class SampleGraph:
    """The scalar graph of a network's loss on one sample or several; its numbers can follow the training.

    Attributes:
        graph_view: roots and names; the same Values for life.
        root: the loss, reduced over the samples.
        parameters: the network's parameters, in the order of `model.weights`.
        values: all values, inputs before their consumers.
        loss_part: values computed from the network's outputs.
        rows: indices of the samples, the chosen one first.
        passes: parameters of the present numbers.
    """

    def __init__(self, model: MLP, loss: str, X: Any, targets: Any, rows: Sequence[int], view: View) -> None:
        """Build the graph and compute its gradients.

        Args:
            model: a network that is not trained elsewhere; its parameters are the graph's leaves.
            loss: a name of LOSSES.
            X: (n_samples, n_features).
            targets: encoded for the loss: (n_samples, n_outputs).
            rows: indices of the samples, the chosen one first.
            view: defines the open groups and operations.
        """
        with collector_paused():
            entry = LOSSES[loss]
            samples = [_sample(model, entry, X[row], targets[row], row, row == rows[0]) for row in rows]
            root = _reduced(samples, entry)
            naming = _Naming(model, samples, root)
            opened = expand_operations((root,), naming.names, view.expanded)
        self._built_for, self.rows = _built_for(view), tuple(rows)
        self._before_walk: PassParameters | None = None
        names = opened.names if opened else naming.names
        now: Mapping[Value, Value] = opened.now if opened else {}
        self.root = now.get(root, root)
        self.values = topological_order(self.root)
        give_names(self.values)
        self.parameters = [now.get(parameter, parameter) for parameter in model.parameters()]
        self._indices = {id(parameter): index for index, parameter in enumerate(self.parameters)}
        visibility = GroupVisibility(frozenset(view.expanded), frozenset(view.collapsed), naming.closed)
        self.graph_view = GraphView((self.root,), names, visibility, hide_constants=view.hide_constants)
        network = set(naming.network)
        if opened is not None:
            network = {each for value in naming.network for each in (opened.now[value], *opened.parts.get(value, ()))}
        self.loss_part = frozenset(v for v in self.values if v.op is not None and v not in network)
        self.passes = PassParameters.between_steps(np.array([parameter.data for parameter in self.parameters]))
        self.show(self.passes)

    @property
    def n_loss(self) -> int:
        """How many of the last computed values belong to the loss."""
        computed = (value for value in reversed(self.values) if value.op is not None)
        return sum(1 for _ in takewhile(self.loss_part.__contains__, computed))

    def index_of(self, value: Value) -> int | None:
        """Return the index of a parameter in `parameters`; None for any other value."""
        return self._indices.get(id(value))

    def regroup(self, view: View) -> bool:
        """Open and close groups according to the view, on the same Values; replaces `graph_view`.

        Returns:
            False when another SampleGraph is needed: for an opened operation or another sample.
        """
        if self._built_for != _built_for(view):
            return False
        visibility = GroupVisibility(
            frozenset(view.expanded), frozenset(view.collapsed), self.graph_view.visibility.defaults
        )
        self.graph_view = replace(self.graph_view, visibility=visibility, hide_constants=view.hide_constants)
        return True

    def show(self, passes: PassParameters) -> None:
        """Compute the numbers with these parameters; ends a walk."""
        self._before_walk = None
        self._show(passes)

    def _show(self, passes: PassParameters) -> None:
        self.passes = passes
        if passes.backward is not None and not passes.differentiated:
            self._put_in(passes.backward)
            recompute(self.values)
            self.root.backward()
        grads = [value.known_grad for value in self.parameters]  # shown if no backward pass has run since
        self._put_in(passes.forward)
        recompute(self.values)
        if passes.differentiated:
            self.root.backward()
        else:
            for value, grad in zip(self.parameters, grads, strict=True):
                value.grad = 0.0 if passes.backward is None else grad
        if passes.now is not passes.forward:
            self._put_in(passes.now)
        self._unknown = self.loss_part if passes.phase == "forward" else frozenset()

    def _put_in(self, parameters: np.ndarray) -> None:
        for value, number in zip(self.parameters, parameters.tolist(), strict=True):
            value.data = number

    def start_walk(self) -> None:
        """Show forward and backward pass with the present parameters, whatever phase of training was shown."""
        if self._before_walk is None:
            self._before_walk = self.passes
            if self.passes.phase is not None:
                self._show(PassParameters.between_steps(self.passes.now))

    def end_walk(self) -> None:
        """Show the numbers from before the walk again."""
        before, self._before_walk = self._before_walk, None
        if before is not None and before is not self.passes:
            self._show(before)

    @property
    def walks_updated(self) -> bool:
        """True when the walk has other data than there was before it: only the update had moved parameters."""
        return self._before_walk is not None and self._before_walk.phase == "update"

    @contextmanager
    def as_computed(self) -> Iterator[None]:
        """Context in which the parameters have the data that all other values were computed with."""
        self._put_in(self.passes.forward)
        try:
            yield
        finally:
            self._put_in(self.passes.now)

    def numbers(self, value: Value) -> tuple[Any, Any]:
        """Return present data and gradient; None for what the phase has not computed yet."""
        return None if value in self._unknown else value.data, value.known_grad


def _built_for(view: View) -> tuple[Any, ...]:
    """Return the parts of the view that the Values depend on."""
    return view.sample, view.n_samples, frozenset(name for name in view.expanded if name.startswith(PREFIX))


def _sample(model: MLP, loss: Loss, x: Any, target: Any, row: int, chosen: bool) -> _Sample:
    prefix = "" if chosen else f"s{row + 1}."
    inputs = [Value(float(number), f"{prefix}x{i}") for i, number in enumerate(x, start=1)]
    size = np.size(target)
    targets = [
        Value(float(number), f"{prefix}y" if size == 1 else f"{prefix}y{i}")
        for i, number in enumerate(np.ravel(target), start=1)
    ]
    outputs = model(inputs)
    root = loss.of_sample(outputs if isinstance(outputs, list) else [outputs], targets)
    order = topological_order(root)
    if not chosen:
        for value in order:
            if value.op is not None and value.label:
                value.label = prefix + value.label
    return _Sample(f"s{row + 1}", prefix, root, order)


def _reduced(samples: Sequence[_Sample], loss: Loss) -> Value:
    if len(samples) == 1:
        root = samples[0].loss
    else:
        for sample in samples:
            sample.loss.label = f"loss {sample.name[1:]}"
        totals = list(accumulate((sample.loss for sample in samples), add))
        for index, total in enumerate(totals[1:], start=2):
            total.label = f"sum of {index}"
        root = totals[-1]
        root = root / len(samples) if loss.reduction == "mean" else root
    root.label = "loss"
    return root


class _Naming:
    """Keys, roles and groups of all values.

    Attributes:
        names: of the values.
        closed: names of the groups that are collapsed by default.
        network: the values that neurons compute.
    """

    def __init__(self, model: MLP, samples: Sequence[_Sample], root: Value) -> None:
        self._several = len(samples) > 1
        self._neurons = model.groups(root)
        self._keys: dict[int, str] = {}
        self._groups: dict[int, Group] = {}
        self._texts: dict[str, GroupText] = {}
        self._paths: dict[tuple[str, int, int], Group] = {}
        self._parameters = {id(parameter): parameter for parameter in model.parameters()}
        for sample in samples:
            self._name_sample(sample)
        for index, value in enumerate(topological_order(root)):
            self._keys.setdefault(id(value), value.label if value is root else f"total.{index}")
        if self._several:
            self._group_parameters(samples[0])
        computed = (value for sample in samples for value in sample.order if value.op is not None)
        self.network = [value for value in computed if id(value) in self._neurons]
        roles = dict.fromkeys(self._parameters, "parameter")
        self.names = GraphNames(keys=self._keys, roles=roles, groups=self._groups, texts=self._texts)
        self.closed = self._closed(samples)

    def _name_sample(self, sample: _Sample) -> None:
        for index, value in enumerate(sample.order):
            if id(value) in self._keys:
                continue
            self._keys[id(value)] = value.label or f"{sample.prefix}loss.{index}"
            if id(value) not in self._parameters or not self._several:
                path = self._path(sample, id(value))
                if path:
                    self._groups[id(value)] = path
        if self._several:
            self._texts[sample.name] = GroupText(f"sample {sample.name[1:]}", f"sample {sample.name[1:]}")

    def _path(self, sample: _Sample, identity: int) -> Group:
        """Return the path of groups: sample (when there are several), layer, neuron."""
        outer = (sample.name,) if self._several else ()
        if identity not in self._neurons:
            return outer
        layer, neuron = (number + 1 for number in self._neurons[identity])
        path = self._paths.get((sample.name, layer, neuron))
        if path is not None:
            return path
        outside, inside = f"{sample.prefix}L{layer}", f"{sample.prefix}L{layer}N{neuron}"
        whose = f" of sample {sample.name[1:]}" if sample.prefix else ""
        self._texts[outside] = GroupText(f"layer {layer}", f"layer {layer}{whose}", "neurons")
        self._texts[inside] = GroupText(inside, f"neuron L{layer}N{neuron}{whose}")
        return self._paths.setdefault((sample.name, layer, neuron), (*outer, outside, inside))

    def _group_parameters(self, sample: _Sample) -> None:
        for value in sample.order:
            if id(value) in self._parameters:
                layer, neuron = (number + 1 for number in self._neurons[id(value)])
                outside, inside = f"L{layer}.parameters", f"L{layer}N{neuron}.parameters"
                self._groups[id(value)] = (outside, inside)
                self._texts[outside] = GroupText(f"L{layer} w, b", f"parameters of layer {layer}")
                self._texts[inside] = GroupText(f"L{layer}N{neuron} w, b", f"parameters of neuron L{layer}N{neuron}")

    def _closed(self, samples: Sequence[_Sample]) -> frozenset[str]:
        """Return the groups collapsed by default: neurons; large layers; all samples but the chosen one; parameters."""
        order = [v for v in samples[0].order if not (self._several and id(v) in self._parameters)]
        layers = {id(v): self._groups[id(v)][-2:] for v in order if id(v) in self._neurons}
        many = {group[-1] for group in crowded(layers, len(order), MOST_BOXES)}
        deep = {path[-1] for path in self._groups.values() if len(path) > 1}
        outer = {path[0] for path in self._groups.values()} - {samples[0].name} if self._several else set()
        return frozenset(many | deep | outer)
