"""The facts that goals of lessons read: numbers shown, answers given, how far training has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.document import Document


@dataclass(frozen=True, slots=True)
class Shown:
    """Numbers of a node of the graph: `grad` is None before the backward pass, and for what has none."""

    data: float
    grad: float | None = None


@dataclass(frozen=True, slots=True)
class WalkPosition:
    """Position of the walk through the passes.

    Attributes:
        phase: of the last step: "forward", "loss", "zero_grad", "seed", "backward", "update"; "start" before the first
            step, "end" after the last.
        node: name of the node that the last step computed, or whose gradient received a contribution; "" for none.
        steps: number of steps done, from the first of the walk.
        line: line of the program that was run last, in a walk by lines; else 0.
    """

    phase: str
    node: str = ""
    steps: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class TrainingFigures:
    """Figures of the training run at its newest step; None for those that do not exist for this data or loss.

    Attributes:
        seed: of the first weights.
        steps: updates made since the first weights.
        diverged_at: step whose loss was not a finite number.
    """

    seed: int = 0
    steps: int = 0
    loss: float | None = None
    test_loss: float | None = None
    accuracy: float | None = None
    test_accuracy: float | None = None
    diverged_at: int | None = None


@dataclass(frozen=True)
class LessonState:
    """What a learner has in front of them, as plain data.

    Attributes:
        document: the lesson's document, the learner's edits included.
        is_running: the program has not ended; its old numbers are not looked at.
        error: of the program, one sentence; "" when it ran to its end.
        nodes: numbers of the nodes of the graph by name, as they are when everything is computed.
        names: names that the program has defined, functions and classes included.
        output: text that the program printed.
        rules: for each operation of the learner's own engine that the program used, an empty text, or what is wrong
            with its rule; None: the program has no engine of its own.
        predicted: numbers typed as gradients, by the name of their node; the newest for each.
        selected: names of the selected nodes; two where the paths between them are shown.
        position: of the walk.
        nudged: for each node that was nudged, the smallest distance |h|.
        answer: given to the question of the present step: the text of a choice, or a number; None before.
        training: the run of the network.
        compared: settings that differ between two runs that stand side by side.
    """

    document: Document = field(default_factory=Document)
    is_running: bool = False
    error: str = ""
    nodes: Mapping[str, Shown] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    output: str = ""
    rules: Mapping[str, str] | None = None
    predicted: Mapping[str, float] = field(default_factory=dict)
    selected: tuple[str, ...] = ()
    position: WalkPosition = WalkPosition("end")
    nudged: Mapping[str, float] = field(default_factory=dict)
    answer: str | float | None = None
    training: TrainingFigures = TrainingFigures()
    compared: frozenset[str] = frozenset()
