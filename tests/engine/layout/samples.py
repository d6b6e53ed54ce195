"""Graphs to lay out: measured ones from files, and small generators."""

import json
import random
from itertools import pairwise
from pathlib import Path

import networkx as nx

FOLDER = Path(__file__).parent / "graphs"
DOT = json.loads((FOLDER / "dot.json").read_text())


def measured(name):
    """A graph whose figures with Graphviz's `dot` are in `DOT`."""
    found = json.loads((FOLDER / f"{name}.json").read_text())
    graph = nx.DiGraph()
    for node, kind, width, height in found["nodes"]:
        graph.add_node(node, kind=kind, width=width, height=height)
    graph.add_edges_from(found["edges"])
    return graph


class Builder:
    """Writes a computation down as boxes and circles of the usual sizes."""

    def __init__(self):
        self.graph = nx.DiGraph()

    def leaf(self):
        name = f"v{len(self.graph)}"
        self.graph.add_node(name, kind="value", width=190, height=34)
        return name

    def op(self, *operands):
        result = self.leaf()
        self.graph.add_node(f"{result}o", kind="op", width=30, height=30)
        for operand in dict.fromkeys(operands):
            self.graph.add_edge(operand, f"{result}o", multiplicity=operands.count(operand))
        self.graph.add_edge(f"{result}o", result)
        return result


def perceptron(*sizes, samples=1):
    """A perceptron seen by some samples, their squared errors added up."""
    build = Builder()
    layers = [[[build.leaf() for _ in range(a + 1)] for _ in range(b)] for a, b in pairwise(sizes)]
    losses = []
    for _ in range(samples):
        signals = [build.leaf() for _ in range(sizes[0])]
        for layer in layers:
            signals = [_neuron(build, neuron, signals) for neuron in layer]
        losses.append(build.op(build.op(signals[0], build.leaf())))
    while len(losses) > 1:
        losses = [build.op(losses[0], losses[1]), *losses[2:]]
    return build.graph


def _neuron(build, parameters, signals):
    total = parameters[-1]
    for weight, signal in zip(parameters, signals, strict=False):
        total = build.op(total, build.op(weight, signal))
    return build.op(total)


def expression(operations, seed):
    """A random expression of so many operations; some values are used often, some never."""
    rng, build = random.Random(seed), Builder()
    values = [build.leaf() for _ in range(max(2, operations // 3))]
    for _ in range(operations):
        near = values[-6:] if rng.random() < 0.6 else values
        values.append(build.op(*rng.choices(near, k=rng.choice((1, 2, 2)))))
    return build.graph


def chain(length):
    """A value that every operation passes on, with a constant each."""
    build = Builder()
    value = build.leaf()
    for _ in range(length):
        value = build.op(value, build.leaf())
    return build.graph


def winding(operations, seed):
    """A long random expression in which a value is used soon or not at all; leaves come in between."""
    rng, build = random.Random(seed), Builder()
    values = [build.leaf()]
    for _ in range(operations):
        first = values[-1]
        second = rng.choice((build.leaf(), rng.choice(values[-3:]), first)) if rng.random() < 0.8 else first
        values.append(build.op(first, second))
    return build.graph


def any_dag(seed, nodes=14):
    """A random acyclic graph that is no computation: any kinds, sizes and degrees, several components."""
    rng, graph = random.Random(seed), nx.DiGraph()
    for node in range(nodes):
        graph.add_node(
            node, kind=rng.choice(("value", "op")), width=rng.choice((30, 90, 190)), height=rng.choice((30, 34, 60))
        )
    for source in range(nodes):
        for target in range(source + 1, nodes):
            if rng.random() < 2.2 / nodes:
                graph.add_edge(source, target)
    return graph


def long_memory(lines):
    """Every line uses former names, drawn at random."""
    rng, build = random.Random(0), Builder()
    values = [build.leaf()]
    for _ in range(lines):
        values.append(build.op(*rng.choices(values, k=4)))
    return build.graph
