"""Any mixture of edits, training, undo, open, new, save and crash: files change by a save only, and come back whole."""

import dataclasses
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PySide6.QtWidgets import QApplication

from engine.document import Document, View, from_json, replace_section, to_json
from gui.session import Session
from gui.session.recovery import Recovery, find_copies

PATIENCE = 20.0
EDITS = [
    {"expression": {"text": "a = 1.0\nb = a * a\n"}},
    {"expression": {"text": "a = (\n"}},
    {"expression": {"text": ""}},
    {"training": {"learning_rate": 0.3}},
    {"training": {"optimizer": "adam"}},
    {"training": {"optimizer": "sgd", "batch_size": 2}},
    {"training": {"loss": "hinge"}},
    {"training": {"loss": "sum_squared_error", "schedule": "cosine"}},
    {"network": {"layer_sizes": (2, 3, 1)}},
    {"network": {"layer_sizes": (2, 1)}},
    {"network": {"seed": 7}},
    {"data": {"name": "xor"}},
    {"data": {"name": "spiral3", "n_samples": 30}},
    {"training": {"learning_rate": -1.0}},
    {"network": {"layer_sizes": (2, 0, 1)}},
]
NAMES = ["a.gradstep", "b.gradstep"]


def kept(document):
    """What a file must bring back; what one looks at may differ."""
    return dataclasses.replace(document, view=View())


class SessionMachine(RuleBasedStateMachine):
    """One user with two files; `saved` is what the files must hold."""

    @initialize()
    def start(self):
        self.folder = Path(tempfile.mkdtemp(prefix="gradstep-property-"))
        self.saved = {}
        self.sessions = []
        self._new_process()
        small = replace_section(Document(), "data", n_samples=12)
        self.session.reset_document(small)

    def _new_process(self):
        self.session = Session()
        self.recovery = Recovery(self.session, self.folder / "recovery", self.session)
        self.recovery._timer.stop()

    def teardown(self):
        if hasattr(self, "folder"):
            self.recovery.close()
            self.session.close()
            shutil.rmtree(self.folder)

    def path(self, name):
        return self.folder / name

    @rule(index=st.integers(0, len(EDITS) - 1))
    def edit(self, index):
        self.session.edit(f"edit {index}", **EDITS[index])

    @rule(amount=st.sampled_from(["step", "epoch", "phase"]))
    def train(self, amount):
        arrived = []
        self.session.progressed.connect(arrived.append)
        self.session.train(amount)
        give_up = time.monotonic() + PATIENCE
        while not (arrived and arrived[-1].state != "running"):
            QApplication.processEvents()
            assert time.monotonic() < give_up
        self.session.progressed.disconnect(arrived.append)

    @rule()
    def undo(self):
        self.session.undo_stack.undo()

    @rule()
    def redo(self):
        self.session.undo_stack.redo()

    @rule()
    def reset(self):
        self.session.reset()

    @rule(name=st.sampled_from(NAMES))
    def save(self, name):
        self.saved[name] = self.session.current_document()
        assert self.session.save(self.path(name))
        assert not self.session.modified

    @precondition(lambda self: self.saved)
    @rule(data=st.data())
    def open(self, data):
        name = data.draw(st.sampled_from(sorted(self.saved)))
        assert self.session.open(self.path(name))
        assert self.session.current_document() == self.saved[name]
        assert not self.session.modified
        assert not self.session.undo_stack.canUndo()

    @rule()
    def open_what_is_not_there(self):
        before = self.session.current_document()
        assert not self.session.open(self.path("missing.gradstep"))
        assert self.session.current_document() == before

    @rule()
    def new(self):
        self.session.reset_document(Document())
        assert self.session.current_document() == Document()
        assert self.session.path is None

    @rule()
    def crash_and_recover(self):
        expected, unsaved = self.session.current_document(), self.session.modified
        assert self.recovery.close(keep=True) == unsaved
        self.session.close()
        self._new_process()
        copies = find_copies(self.folder / "recovery")
        assert len(copies) == unsaved
        for copy in copies:
            assert copy.document == expected
            self.session.reset_document(copy.document, copy.path, copy.stamp, unsaved_copy=True)
            copy.discard()
            assert self.session.modified

    @invariant()
    def files_hold_what_was_saved(self):
        for name, document in getattr(self, "saved", {}).items():
            assert self.path(name).read_text(encoding="utf-8") == to_json(document)

    @invariant()
    def what_counts_as_saved_is_in_the_file(self):
        session = getattr(self, "session", None)
        if session is not None and session.path is not None and not session.modified:
            assert kept(session.current_document()) == kept(from_json(session.path.read_text(encoding="utf-8")))


@pytest.mark.usefixtures("qapp")
def test_no_mixture_of_actions_loses_or_mixes_up_work():
    run_state_machine_as_test(SessionMachine, settings=settings(max_examples=12, stateful_step_count=15, deadline=None))
