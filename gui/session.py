"""The session: the one thing that panels share.

It holds the document with its undo stack, everything derived from the document (evaluation, data set, model, graph),
and the state of the run (newest progress of training, step cursor, selection). A widget asks for an edit; the session
swaps the document and says which sections differ; whoever shows them refreshes. Panels never talk to each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from datasets import Dataset, DatasetError, make_dataset
from engine.autograd import Evaluation, ExpressionError, evaluate
from engine.document import Document, DocumentError, Trained, from_json, replace_section, to_json
from engine.document.assemble import fitted_network, make_model, make_trainer
from engine.document.files import read_text, write_atomically
from engine.network import MLP
from gui.graph_state import GraphState
from gui.runner import Progress, Runner

POLL_MILLISECONDS = 33


class _Edit(QUndoCommand):
    """The one undo command: the fields it changed, before and after."""

    def __init__(self, session: Session, label: str, after: Document, merge: str) -> None:
        super().__init__(label)
        self._session = session
        self._merge = merge
        self._before = changed_fields(after, session.document)
        self._after = changed_fields(session.document, after)

    def redo(self) -> None:
        """Puts the new values in."""
        self._session.swap(with_fields(self._session.document, self._after))

    def undo(self) -> None:
        """Puts the old values back; what else has changed since (what the canvas shows) stays."""
        self._session.swap(with_fields(self._session.document, self._before))

    def id(self) -> int:
        """Commands of one id are offered to `mergeWith`."""
        return 1 if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Joins the next edit of the same control to this one."""
        if not isinstance(other, _Edit) or other._merge != self._merge or other._after.keys() != self._after.keys():
            return False
        for section, fields in other._after.items():
            self._before[section] = other._before[section] | self._before[section]
            self._after[section] |= fields
        return True


def changed_sections(before: Document, after: Document) -> frozenset[str]:
    """Names of the sections that differ."""
    names = (item.name for item in dataclasses.fields(after))
    return frozenset(name for name in names if getattr(before, name) != getattr(after, name))


def changed_fields(before: Document, after: Document) -> dict[str, dict[str, Any]]:
    """By section the fields that differ, with their values in `after`."""
    changed: dict[str, dict[str, Any]] = {}
    for section in changed_sections(before, after):
        old, new = getattr(before, section), getattr(after, section)
        names = (item.name for item in dataclasses.fields(new))
        changed[section] = {name: getattr(new, name) for name in names if getattr(old, name) != getattr(new, name)}
    return changed


def with_fields(document: Document, changes: Mapping[str, Mapping[str, Any]]) -> Document:
    """The document with some fields of some sections changed; they are known to be allowed."""
    sections = {name: dataclasses.replace(getattr(document, name), **fields) for name, fields in changes.items()}
    return dataclasses.replace(document, **sections)


class Session(QObject):
    """Document, undo stack, derived state and run state.

    Signals:
        document_changed(frozenset[str]): names of the sections that differ; emitted after derived state is renewed.
        expression_evaluated(): `evaluation` or `error` is new.
        model_replaced(): data set, network or start weights are new; training starts afresh.
        progressed(Progress): the newest state of training, at most 30 times a second.
        run_state_changed(str): "idle", "running", "paused".
        selection_changed(object): key of the selected node, or None.
        told(str, str): a line for the user and its kind: "note" or "error".
        file_changed(): path or the unsaved mark changed.
        commit_requested(): whoever holds typed text that is not in the document yet puts it there at once.
    """

    document_changed = Signal(object)
    expression_evaluated = Signal()
    model_replaced = Signal()
    progressed = Signal(object)
    run_state_changed = Signal(str)
    selection_changed = Signal(object)
    told = Signal(str, str)
    file_changed = Signal()
    commit_requested = Signal()

    def __init__(self, document: Document | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document or Document()
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self._announce_file)
        self.path: Path | None = None
        self.evaluation: Evaluation | None = None
        self.error: ExpressionError | None = None
        self.dataset: Dataset = make_dataset("xor")
        self.model: MLP
        self.run_state = "idle"
        self.progress: Progress | None = None
        self.selection: str | None = None
        self._runner = Runner()
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MILLISECONDS)
        self._poll.timeout.connect(self._take_progress)
        self._evaluate()
        self._load_data()
        self._load_model()
        self.graph = GraphState(self)
        self.graph.refresh()

    # Editing

    def edit(self, label: str, merge: str = "", **sections: dict[str, Any]) -> bool:
        """Changes fields of the document as one undoable step.

        Args:
            label: what the undo menu calls it.
            merge: edits in a row with the same non-empty key become one step (a slider being dragged).
            sections: `training={"learning_rate": 0.1}`.

        Returns:
            Whether it was allowed; if not, `told` says why and nothing has changed.
        """
        try:
            after = self.document
            for section, changes in sections.items():
                after = replace_section(after, section, **changes)
            after = self._consistent(after)
        except (DocumentError, DatasetError, ValueError) as error:
            self.told.emit(getattr(error, "reason", str(error)), "error")
            return False
        if after != self.document:
            self.undo_stack.push(_Edit(self, label, after, merge))
        return True

    def _consistent(self, after: Document) -> Document:
        """Adapts the network's ends to new data, and forgets trained weights that no longer fit."""
        if after.data != self.document.data or after.training.loss != self.document.training.loss:
            dataset = make_dataset(after.data.name, after.data.n_samples, after.data.noise, after.data.seed)
            after = fitted_network(after, dataset.n_features, dataset.n_classes)
        if after.network != self.document.network and after.trained == self.document.trained:
            after = dataclasses.replace(after, trained=Trained())
        return after

    def swap(self, document: Document) -> None:
        """Makes `document` the current one and renews what is derived from the sections that differ."""
        before, self.document = self.document, document
        sections = changed_sections(before, document)
        if "expression" in sections and before.expression.text != document.expression.text:
            self._evaluate()
        if "data" in sections:
            self._load_data()
        if sections & {"data", "network", "trained"} or before.training.loss != document.training.loss:
            self._load_model()
        elif "training" in sections:
            self._change_training(before, document)
        self.document_changed.emit(sections)

    def set_view(self, **changes: Any) -> None:
        """Changes what the canvas shows; part of the document, but no step of the undo history.

        Raises:
            DocumentError: when a value is not allowed.
        """
        self.swap(replace_section(self.document, "view", **changes))

    # Derived state

    def _evaluate(self) -> None:
        try:
            self.evaluation = evaluate(self.document.expression.text)
            self.error = None
        except ExpressionError as error:
            self.error = error
        self.expression_evaluated.emit()

    def _load_data(self) -> None:
        data = self.document.data
        try:
            self.dataset = make_dataset(data.name, data.n_samples, data.noise, data.seed)
        except DatasetError as error:
            self.told.emit(str(error), "error")

    def _load_model(self) -> None:
        self.pause()
        try:
            self.model = make_model(self.document)
            trainer = make_trainer(self.document, self.model, self.dataset.X, self.dataset.y)
        except ValueError as error:
            self.told.emit(str(error), "error")
            return
        self.progress = None
        self._runner.load(trainer)
        self._set_run_state("idle")
        self._poll.start()
        self.model_replaced.emit()

    def _change_training(self, before: Document, after: Document) -> None:
        old, new = dataclasses.asdict(before.training), dataclasses.asdict(after.training)
        self._runner.change(**{name: value for name, value in new.items() if old[name] != value})

    # Training

    def run(self) -> None:
        """Trains until paused."""
        self._runner.run()
        self._set_run_state("running")

    def pause(self) -> None:
        """Stops after the step that is under way (within 200 ms)."""
        self._runner.pause()
        if self.run_state == "running":
            self._set_run_state("paused")

    def toggle_run(self) -> None:
        """Runs or pauses."""
        if self.run_state == "running":
            self.pause()
        else:
            self.run()

    def train(self, amount: str) -> None:
        """Trains for one "step", one "epoch" or one "phase" of a step, pausing a run first."""
        self.pause()
        {"step": self._runner.step, "epoch": self._runner.epoch, "phase": self._runner.phase}[amount]()
        self._set_run_state("paused")

    def reset(self) -> None:
        """Goes back to the same first weights."""
        if self.document.trained != Trained():
            self.edit("reset", trained=dataclasses.asdict(Trained()))
        else:
            self._load_model()

    def set_grid(self, bounds: tuple[float, float, float, float] | None, resolution: int = 120) -> None:
        """Asks for the network's output over a grid with each progress; None: not wanted (panel hidden)."""
        self._runner.set_grid(bounds, resolution)

    def _take_progress(self) -> None:
        progress = self._runner.take()
        if progress is None:
            return
        self.progress = progress
        if progress.message:
            self.told.emit(progress.message, "error" if progress.state == "failed" else "note")
        if progress.state != "running" and self.run_state == "running":
            self._set_run_state("paused")
        self.progressed.emit(progress)

    def _set_run_state(self, state: str) -> None:
        if state != self.run_state:
            self.run_state = state
            self.run_state_changed.emit(state)

    # Selection

    def select(self, key: str | None) -> None:
        """Selects a node of the graph that is shown."""
        if key != self.selection:
            self.selection = key
            self.selection_changed.emit(key)

    # Files

    def _announce_file(self, _clean: bool) -> None:
        self.file_changed.emit()

    def open(self, path: Path) -> bool:
        """Reads a session file, or a program text (`.txt`, `.py`); on any error the current document stays."""
        try:
            text = read_text(path)
            if path.suffix in (".txt", ".py"):
                document = replace_section(Document(), "expression", text=text)
            else:
                document = from_json(text)
                make_dataset(document.data.name, document.data.n_samples, document.data.noise, document.data.seed)
        except (OSError, ValueError) as error:
            self.told.emit(f"{path.name}: {error}", "error")
            return False
        self.start_afresh(document, path if path.suffix not in (".txt", ".py") else None)
        return True

    def start_afresh(self, document: Document, path: Path | None = None) -> None:
        """Replaces the document and forgets the undo history (new, open)."""
        self.graph.forget_places()
        self.swap(document)
        self.undo_stack.clear()
        self.path = path
        self.file_changed.emit()

    def save(self, path: Path) -> bool:
        """Writes the session, the trained parameters of one moment included."""
        document = self.document
        if self.progress is not None and self.progress.snapshot.step > 0:
            snapshot = self.progress.snapshot
            trained = Trained(snapshot.step, tuple(float(number) for number in snapshot.parameters))
            document = dataclasses.replace(document, trained=trained)
        try:
            write_atomically(path, to_json(document).encode("utf-8"))
        except (OSError, ValueError) as error:
            self.told.emit(f"{path.name} was not saved: {error}", "error")
            return False
        self.path = path
        self.undo_stack.setClean()
        self.file_changed.emit()
        return True

    def close(self) -> None:
        """Stops training and its thread, within two seconds; the session is not used afterwards."""
        self._poll.stop()
        self._runner.close()
        self.graph.close()
