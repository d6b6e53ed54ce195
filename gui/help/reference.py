"""Reference pages of the help, each made from a table of the program: nothing of them is written here twice.

A new page is one entry of `REFERENCE`. What is added to a table stands on its page at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from datasets import DATASETS, FEATURES
from engine.autograd import OPS
from engine.graph.forms import FORMS
from engine.layout.registry import LAYOUTS
from engine.network import INITIALISERS, LOSSES, OPTIMIZERS, SCHEDULES
from engine.network.layer import ACTIVATIONS
from engine.teaching.operation_lines import operation_lines, row_of
from gui.actions.registry import ACTIONS
from gui.export.target import FORMAT_NAMES
from gui.widgets.action_set import Action, keys_text

CELL = "cellpadding='4' cellspacing='0' border='0'"


@dataclass(frozen=True)
class Reference:
    """A page made from a table.

    Attributes:
        title: its heading.
        about: what the entries are, and where they are chosen; one or two sentences.
        parts: makes (anchor, heading, HTML) of each entry, or of a group of entries.
    """

    title: str
    about: str
    parts: Callable[[], Sequence[tuple[str, str, str]]]

    def html(self) -> str:
        """The page after its heading."""
        parts = (
            f"<h3><a name='{escape(anchor)}'></a>{escape(heading)}</h3>{html}" for anchor, heading, html in self.parts()
        )
        return f"<p>{escape(self.about)}</p>{''.join(parts)}"


def _paragraphs(*texts: str) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text)


def _code(*lines: str) -> str:
    return f"<pre>{escape(chr(10).join(lines))}</pre>"


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    cells = (f"<tr><td><b>{escape(name)}</b>&nbsp;&nbsp;</td><td>{escape(text)}</td></tr>" for name, text in rows)
    return f"<table {CELL}>{''.join(cells)}</table>" if rows else ""


def _operations() -> list[tuple[str, str, str]]:
    parts = []
    for op in OPS.values():
        lines = operation_lines(op)[1:]  # after its heading
        html = "<br>".join("".join(_run(run.kind, run.text) for run in line.runs) for line in lines)
        parts.append((op.name, op.name if op.text == op.name else f"{op.name}   {op.text}", f"<p>{html}</p>"))
    return parts


def _run(kind: str, text: str) -> str:
    return f"<code>{escape(text)}</code>" if kind in ("math", "code") else escape(text)


def _activations() -> list[tuple[str, str, str]]:
    parts = []
    for name, op in ACTIVATIONS.items():
        if op is None:
            html = _paragraphs("No activation: the weighted sum itself, with the derivative 1.")
        else:
            row = row_of(op)
            html = _paragraphs(op.rule) + _code(f"value       {row.value}", f"derivative  {row.derivatives}")
        parts.append((name, name, html))
    return parts


def _losses() -> list[tuple[str, str, str]]:
    parts = []
    for name, loss in LOSSES.items():
        reduction = f"The {'mean' if loss.reduction == 'mean' else 'sum'} over the samples of a batch."
        probability = f"Predicted probabilities are the {loss.probability} of the outputs." if loss.probability else ""
        html = _paragraphs(loss.description) + _code(loss.formula)
        parts.append((name, loss.title, html + _paragraphs(f"{loss.trains_on} {reduction} {probability}".strip())))
    return parts


def _settings(table: Mapping[str, Any]) -> str:
    rows = [(entry.title or name, f"{entry.description} Default {entry.default:g}.") for name, entry in table.items()]
    return _rows(rows)


def _optimizers() -> list[tuple[str, str, str]]:
    return [
        (
            name,
            kind.title,
            _paragraphs(kind.description) + _code(*kind.rule.splitlines()) + _settings(kind.settings_table),
        )
        for name, kind in OPTIMIZERS.items()
    ]


def _schedules() -> list[tuple[str, str, str]]:
    return [
        (name, entry.title, _paragraphs(entry.description) + _code(entry.formula) + _settings(entry.settings_table))
        for name, entry in SCHEDULES.items()
    ]


def _initialisers() -> list[tuple[str, str, str]]:
    return [(name, entry.title, _paragraphs(entry.description)) for name, entry in INITIALISERS.items()]


def _datasets() -> list[tuple[str, str, str]]:
    parts = []
    for name, entry in DATASETS.items():
        suits = entry.suits
        kind = f"{entry.n_classes} classes" if entry.n_classes else "numbers to predict"
        sizes = [entry.n_features, *suits.hidden, max(1, entry.n_classes if entry.n_classes > 2 else 1)]
        html = _paragraphs(entry.description) + _rows(
            [
                ("inputs", f"{entry.n_features}; {kind}"),
                ("points", f"{entry.n_samples}{', always the same' if entry.fixed else ''}"),
                ("learnt by", f"layers {', '.join(map(str, sizes))}; {LOSSES[suits.loss].title}; "
                              f"{OPTIMIZERS[suits.optimizer].title} at {suits.learning_rate:g}; {suits.steps:,} steps"),
            ]
        )  # fmt: skip
        parts.append((name, entry.title, html))
    return parts


def _features() -> list[tuple[str, str, str]]:
    return [("features", "", _rows([(entry.title, entry.description) for entry in FEATURES.values()]))]


def _layouts() -> list[tuple[str, str, str]]:
    rows = []
    for entry in LAYOUTS.values():
        most = f" Up to {entry.most_nodes:,} values." if entry.most_nodes is not None else ""
        missing = f" {entry.missing()}." if entry.missing() else ""
        rows.append((entry.title, f"{entry.tip}.{most}{missing}"))
    return [
        ("layouts", "Layouts", _rows(rows)),
        ("forms", "Boxes", _rows([(form.title, f"{form.tip}.") for form in FORMS.values()])),
    ]


def _formats() -> list[tuple[str, str, str]]:
    return [("formats", "", _rows([(f".{extension}", name) for extension, name in FORMAT_NAMES.items()]))]


def shortcut_parts(actions: Mapping[str, Sequence[Action[Any]]] = ACTIONS) -> list[tuple[str, str, str]]:
    """A table for each heading: keys, and what they do; actions without keys are left out."""
    parts = []
    for heading, entries in actions.items():
        rows = [
            f"<tr><td><b>{escape(keys)}</b>&nbsp;&nbsp;</td><td>{escape(entry.tip)}</td></tr>"
            for entry in entries
            if (keys := keys_text(entry))
        ]
        parts.append((heading, heading, f"<table {CELL}>{''.join(rows)}</table>"))
    return parts


REFERENCE: Mapping[str, Reference] = {
    "operations": Reference(
        "Operations", "What programs can compute with Values: the rule of each operation for data and gradients. The "
        "panel Operations plots them and checks each derivative.", _operations,
    ),
    "activations": Reference(
        "Activations", "The function after the weighted sum of a neuron; chosen for each layer in the panel Network.",
        _activations,
    ),
    "losses": Reference(
        "Losses", "What a training makes small; chosen in the panel Learning. In the formulas o is an output and t its "
        "target.", _losses,
    ),
    "optimizers": Reference(
        "Optimizers", "How parameters follow from gradients; chosen in the panel Learning. In the formulas p is a "
        "parameter, g its gradient, lr the learning rate and t the number of the update.", _optimizers,
    ),
    "schedules": Reference(
        "Schedules", "Factors by which the learning rate changes over a training; chosen in the panel Learning.",
        _schedules,
    ),
    "initialisers": Reference(
        "Initialisers", "How first weights are drawn; chosen in the panel Network. Biases start at 0.", _initialisers
    ),
    "datasets": Reference(
        "Datasets", "The points there are to learn from; chosen in the panel Data.", _datasets
    ),
    "features": Reference(
        "Features", "Inputs that are made of the inputs; chosen in the panel Data.", _features
    ),
    "layouts": Reference(
        "Layouts and boxes", "How the graph is drawn: chosen in View above the graph, and in the View menu.", _layouts
    ),
    "formats": Reference("Formats", "Files that can be made of a graph: File > Export > Graph.", _formats),
    "shortcuts": Reference(
        "Keyboard shortcuts", "Every action with keys. The command palette finds all actions, those without keys, too.",
        shortcut_parts,
    ),
}  # fmt: skip
"""All pages that are made from tables, by name, in the order of the contents."""
