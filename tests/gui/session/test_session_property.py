"""Any mixture of edits, training, undo, open, new, save and crash: files change by a save only, and come back whole."""

import dataclasses
import random

import pytest

from engine.document import Document, View, from_json, replace_section, to_json
from engine.document.floats import Floats
from engine.document.saved_run import curve_of
from gui.session import Session
from gui.session.recovery import Recovery, find_copies

WALK = 40
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
ACTIONS = {
    "edit": 3,
    "train": 3,
    "undo": 2,
    "redo": 1,
    "save": 2,
    "open": 2,
    "reset": 1,
    "open_nothing": 1,
    "new": 1,
    "crash": 1,
}
"""What the user does, and how often."""

NAMES = ["a.gradstep", "b.gradstep"]


def kept(document):
    """What would be lost: not what one looks at, and not gradients, which the next phase of a step computes anew."""
    trained = dataclasses.replace(document.trained, gradients=Floats())
    return dataclasses.replace(document, view=View(), trained=trained)


class User:
    """One user with two files.

    `saved` is what the files must hold, `trained_before` what undo must bring back, `done` what was done, for the
    message of a failure.
    """

    def __init__(self, folder, seed, qtbot):
        self.folder, self.random, self.qtbot = folder, random.Random(seed), qtbot
        self.saved, self.trained_before, self.done = {}, {}, []
        self._start_program()
        self.session.reset_document(replace_section(Document(), "data", n_samples=12))

    def _start_program(self):
        self.session = Session()
        self.recovery = Recovery(self.session, self.folder / "recovery", self.session)

    def close(self):
        self.recovery.close()
        self.session.close()

    def act(self):
        (action,) = self.random.choices([getattr(self, name) for name in ACTIONS], ACTIONS.values())
        self.done.append(action.__name__)
        action()
        self.files_hold_what_was_saved()
        self.what_counts_as_saved_is_in_the_file()
        self.the_curve_is_that_of_the_run()

    def edit(self):
        index = self.random.randrange(len(EDITS))
        self.done.append(str(EDITS[index]))
        self._do(lambda: self.session.edit(f"edit {index}", **EDITS[index]))

    def train(self):
        amount = self.random.choice(["step", "step", "epoch", "phase"])
        arrived = []
        note = lambda change: change.moment and arrived.append(self.session.newest)  # noqa: E731
        self.session.changed.connect(note)
        self.session.train(amount)
        self.qtbot.waitUntil(lambda: bool(arrived) and arrived[-1].state != "running", timeout=20_000)
        self.session.changed.disconnect(note)

    def _do(self, action):
        """Remembers what was trained before an action that goes forward on the undo stack."""
        stack, trained = self.session.undo_stack, self.session.trained
        before = stack.index()
        action()
        if stack.index() > before:
            self.trained_before[before] = trained

    def undo(self):
        stack = self.session.undo_stack
        command = stack.command(stack.index() - 1) if stack.canUndo() else None
        stack.undo()
        if command is not None and command.restarts:
            assert self.session.trained == self.trained_before[stack.index()]

    def redo(self):
        self._do(self.session.undo_stack.redo)

    def reset(self):
        self._do(self.session.reset)

    def save(self):
        name = self.random.choice(NAMES)
        self.saved[name] = self.session.current_document()
        assert self.session.save(self.folder / name)
        assert not self.session.modified

    def open(self):
        if self.saved:
            name = self.random.choice(sorted(self.saved))
            assert self.session.open(self.folder / name)
            assert self.session.current_document() == self.saved[name]
            assert not self.session.modified
            assert not self.session.undo_stack.canUndo()

    def open_nothing(self):
        before = self.session.current_document()
        assert not self.session.open(self.folder / "missing.gradstep")
        assert self.session.current_document() == before

    def new(self):
        self.session.reset_document(Document())
        assert self.session.current_document() == Document()
        assert self.session.path is None

    def crash(self):
        expected, unsaved = self.session.current_document(), self.session.modified
        assert self.recovery.close(keep=True) == unsaved
        self.session.close()
        self._start_program()
        copies = find_copies(self.folder / "recovery")
        assert len(copies) == unsaved
        for copy in copies:
            assert copy.document == expected
            self.session.reset_document(copy.document, copy.path, copy.stamp, unsaved_copy=True)
            copy.discard()
            assert self.session.modified

    # What must be true after every action

    def files_hold_what_was_saved(self):
        for name, document in self.saved.items():
            assert (self.folder / name).read_text(encoding="utf-8") == to_json(document)

    def what_counts_as_saved_is_in_the_file(self):
        session = self.session
        if session.path is not None and not session.modified:
            assert kept(session.current_document()) == kept(from_json(session.path.read_text(encoding="utf-8")))

    def the_curve_is_that_of_the_run(self):
        trained = self.session.trained
        steps, losses = curve_of(trained.curve)
        assert steps.tolist() == list(range(trained.step))
        assert len(losses) == trained.step


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_mixture_of_actions_loses_or_mixes_up_work(seed, qtbot, tmp_path):
    user = User(tmp_path, seed, qtbot)
    try:
        for _ in range(WALK):
            user.act()
    except AssertionError as error:
        raise AssertionError(f"after {', '.join(user.done)}: {error}") from error
    finally:
        user.close()
